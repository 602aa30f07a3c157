/* SPDX-License-Identifier: MIT */
/*
 * What the bundle at the other end tells us, and when the two talk at all.
 *
 * It begins when a link's peer has said that it is of our kind, or speaks the protocol itself,
 * which is as good. VSNCP goes over any link, as IPCP does. What we say, and what that may cost, is
 * in bundle_vendor_say.c.
 */
#define _DEFAULT_SOURCE
#include "src/bundle_vendor.h"

#include "src/bundle_shape.h"
#include "src/bundle_state.h"
#include "src/line_rate.h"
#include "src/line_shape.h"

#define ALONE_AFTER   (5 * SB_SEC) /* lines are up: who would answer has done so */
#define COMPARE_EVERY (2 * SB_SEC) /* at most: it is the peer that fills our log by it */

bool bundle_vendor_init(struct bundle *b)
{
	b->vendor.alone_at = SB_NEVER;
	b->vendor.engine = vendor_new(&b->config->ppp.timers);
	return b->vendor.engine != NULL;
}

void bundle_vendor_free(struct bundle *b)
{
	vendor_free(b->vendor.engine);
}

/* --- what the peer asks for --- */

/* What it asks for of all lines; it may ask for nothing. */
static void apply_shares(struct bundle *b)
{
	uint32_t shares[CONFIG_MAX_LINES], any = 0;

	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++)
		any |= shares[i] = b->vendor.links[i].share;
	spread_set_shares(&b->spread, any ? shares : NULL);
}

static void hear_share(struct bundle *b, unsigned i, uint32_t share)
{
	if (b->vendor.links[i].share == share)
		return;
	b->vendor.links[i].share = share;
	apply_shares(b);
}

static void forget_shares(struct bundle *b)
{
	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++)
		b->vendor.links[i].share = 0;
	apply_shares(b);
}

/* Of a later version's mode nothing is known. */
static void hear_mode(struct bundle *b, uint32_t value)
{
	struct bundle_vendor *v = &b->vendor;
	uint32_t mode = value & 0xff, hash = value >> VENDOR_HASH_SHIFT & 0xff;

	v->peer_told = mode < MODES && hash < XMIT_HASHES;
	if (!v->peer_told)
		return;
	if (v->mode != (enum mode)mode && v->mode == MODE_BALANCE_ALB)
		forget_shares(b);
	v->mode = (enum mode)mode;
	v->hash = (enum xmit_hash)hash;
}

static void hear_notice(struct bundle *b, unsigned i, uint32_t changes)
{
	b->vendor.counters.notices_in++;
	log_say(b->log, LOG_DEBUG, "%s: is the peer's active line now, after %u changes",
		b->lines[i]->config.name, (unsigned)changes);
}

/*
 * The instant by the peer's clock, without end. It goes as ours does, but for its drift: so however
 * long it was not told, and whatever is told, it is not further from ours than ticks can say.
 */
static sb_time peer_clock(struct vendor_link *k, uint32_t time, sb_time now)
{
	sb_time ours = now / VENDOR_TICK;
	uint32_t ahead = time - (uint32_t)ours;

	if (!k->has_time)
		k->ahead = ahead;
	k->has_time = true;
	return (ours + (int32_t)(ahead - k->ahead)) * VENDOR_TICK;
}

static void hear_received(struct bundle *b, unsigned i, const struct vendor_message *m, sb_time now)
{
	sb_time at = peer_clock(&b->vendor.links[i], m->time, now);

	line_rate_report(b->lines[i], m->value, at, now);
}

static void hear_pace(struct bundle *b, unsigned i, uint32_t bps)
{
	b->vendor.links[i].pace = bps;
	bundle_vendor_expect(b, i);
}

/* Its frame in progress takes as long as what we wish makes of it, before it can say so itself. */
void bundle_vendor_expect(struct bundle *b, unsigned i)
{
	const struct vendor_link *k = &b->vendor.links[i];
	uint32_t bps =
		k->said.wish && (!k->pace || k->said.wish < k->pace) ? k->said.wish : k->pace;

	/* Whatever is said, the line is not to be waited for without end. */
	line_peer_sends(b->lines[i], bps && bps < CONFIG_BPS_MIN ? CONFIG_BPS_MIN : bps);
}

static void hear(struct bundle *b, unsigned i, const struct vendor_message *m, sb_time now)
{
	switch (m->kind) {
	case VENDOR_MODE:
		hear_mode(b, m->value);
		break;
	case VENDOR_SHARE:
		hear_share(b, i, m->value);
		break;
	case VENDOR_RATE_WISH:
		bundle_peer_wishes(b, i, m->value, now);
		break;
	case VENDOR_PACE:
		hear_pace(b, i, m->value);
		break;
	case VENDOR_NOTICE:
		hear_notice(b, i, m->value);
		break;
	case VENDOR_RECEIVED:
		hear_received(b, i, m, now);
		break;
	case VENDOR_SENT:
		line_peer_sent(b->lines[i], m->value);
		break;
	}
}

/* --- up and down --- */

static void begin(struct bundle *b, sb_time now)
{
	if (b->vendor.begun)
		return;
	b->vendor.begun = true;
	vendor_lower_up(b->vendor.engine, now);
}

/* Nothing was said or heard yet over the link. */
static void forget_link(struct bundle *b, unsigned i, sb_time now)
{
	struct vendor_link *k = &b->vendor.links[i];

	hear_share(b, i, 0);
	*k = (struct vendor_link){.owed = k->owed, .owed_at = k->owed_at, .sent_at = SB_NEVER};
	if (!b->lines[i])
		return;
	bundle_peer_wishes(b, i, 0, now);
	line_peer_sends(b->lines[i], 0);
	k->received = b->lines[i]->in.total;
}

/* Follows the engine: with another life of it all is said anew. */
static void settle(struct bundle *b, sb_time now)
{
	struct bundle_vendor *v = &b->vendor;

	if (v->up == vendor_is_up(v->engine))
		return;
	v->up = !v->up;
	v->peer_told = false;
	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++)
		forget_link(b, i, now);
	log_say(b->log, LOG_DEBUG, "%s: the vendor protocol is %s", b->interface->tun.name,
		v->up ? "up" : "down");
}

void bundle_vendor_link_up(struct bundle *b, unsigned i, sb_time now)
{
	forget_link(b, i, now);
}

void bundle_vendor_link_down(struct bundle *b, unsigned i, sb_time now)
{
	forget_link(b, i, now);
}

void bundle_vendor_down(struct bundle *b, sb_time now)
{
	if (b->vendor.begun)
		vendor_lower_down(b->vendor.engine, now);
	b->vendor.begun = false;
	settle(b, now);
}

void bundle_vendor_rejected(struct bundle *b, uint16_t protocol, sb_time now)
{
	if (protocol != PPP_VSNCP && protocol != PPP_VSNP)
		return;
	vendor_rejected(b->vendor.engine, now);
	settle(b, now);
}

/* --- receiving --- */

static void receive_messages(struct bundle *b, unsigned i, struct bytes packet, sb_time now)
{
	struct bundle_vendor *v = &b->vendor;
	struct vendor_message m;

	v->counters.in++;
	/* What is ahead of the peer's Configure-Ack, over a faster line, is said again. */
	if (!v->up || !vendor_open(&packet))
		return;
	while (vendor_next(&packet, &m))
		hear(b, i, &m, now);
	v->counters.bad += packet.length != 0;
}

bool bundle_vendor_receive(struct bundle *b, unsigned i, struct encap_packet p, sb_time now)
{
	if ((p.protocol != PPP_VSNCP && p.protocol != PPP_VSNP) ||
	    !vendor_is_ours(p.protocol, p.data))
		return false;
	if (p.protocol == PPP_VSNP) {
		receive_messages(b, i, p.data, now);
		return true;
	}
	begin(b, now);
	vendor_input(b->vendor.engine, now, p.data);
	settle(b, now);
	return true;
}

/* --- both modes --- */

/* Once for each pair of them, whoever changes. */
static bool has_compared(const struct bundle *b)
{
	const struct bundle_vendor *v = &b->vendor;

	return !v->peer_told || (v->compared && v->compared_own == b->config->mode.mode &&
				 v->compared_peer == v->mode);
}

static void compare_modes(struct bundle *b, sb_time now)
{
	struct bundle_vendor *v = &b->vendor;
	enum mode own = b->config->mode.mode;
	const char *name = b->interface->tun.name;

	if (has_compared(b) || now < v->compare_at)
		return;
	v->compare_at = now + COMPARE_EVERY;
	if (v->mode != own)
		log_say(b->log, LOG_WARN, "%s: the peer spreads by %s, this end by %s", name,
			mode_name(v->mode), mode_name(own));
	else if (v->differed)
		log_say(b->log, LOG_INFO, "%s: both ends spread by %s now", name, mode_name(own));
	v->compared = true;
	v->differed = v->mode != own;
	v->compared_own = own;
	v->compared_peer = v->mode;
}

/* Without a peer to ask, what comes in is spread as it likes. */
static void say_alone(struct bundle *b, sb_time now)
{
	struct bundle_vendor *v = &b->vendor;
	bool asks = b->config->mode.mode == MODE_BALANCE_ALB;

	v->said_alone = v->said_alone && asks;
	if (!asks || v->said_alone || v->up || !b->lines_up) {
		v->alone_at = SB_NEVER;
		return;
	}
	if (v->alone_at == SB_NEVER)
		v->alone_at = now + ALONE_AFTER;
	if (now < v->alone_at)
		return;
	v->alone_at = SB_NEVER;
	v->said_alone = true;
	log_say(b->log, LOG_WARN,
		"%s: balance-alb: the peer cannot be asked for shares, which takes serialbundle "
		"over PPP at both ends; it works as balance-tlb",
		b->interface->tun.name);
}

/* --- time --- */

static bool peer_is_of_our_kind(const struct bundle *b)
{
	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++)
		if (b->lines[i] && b->ours[i])
			return true;
	return false;
}

void bundle_vendor_run(struct bundle *b, sb_time now)
{
	struct bundle_vendor *v = &b->vendor;

	if (!v->begun && bundle_network_is_up(b) && peer_is_of_our_kind(b))
		begin(b, now);
	if (now >= vendor_deadline(v->engine))
		vendor_tick(v->engine, now);
	settle(b, now);
	compare_modes(b, now);
	say_alone(b, now);
}

sb_time bundle_vendor_deadline(const struct bundle *b)
{
	const struct bundle_vendor *v = &b->vendor;
	sb_time due = sb_time_min(vendor_deadline(v->engine), v->alone_at);

	return has_compared(b) ? due : sb_time_min(due, v->compare_at);
}

struct report_vendor bundle_vendor_report(const struct bundle *b)
{
	const struct bundle_vendor *v = &b->vendor;
	struct report_vendor r = v->counters;

	r.up = v->up;
	r.peer_mode = v->peer_told ? mode_name(v->mode) : NULL;
	r.peer_hash = v->peer_told ? xmit_hash_name(v->hash) : NULL;
	r.bad += vendor_bad_packets(v->engine);
	return r;
}
