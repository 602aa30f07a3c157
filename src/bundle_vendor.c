/* SPDX-License-Identifier: MIT */
/*
 * Talking to the bundle at the other end.
 *
 * It begins when a link's peer has said that it is of our kind, or speaks the protocol itself,
 * which is as good. VSNCP goes over any link, as IPCP does.
 *
 * Over each link go its words: the mode, the share and the rate that we ask for. Nobody
 * acknowledges them, so they are said again, after two seconds and then at ever longer
 * intervals; and at once when they are others. A peer that wants to find out what the line carries
 * says now and then how many characters it has sent. While characters come in, it is then told how
 * many came, in its count, with the time of the last of them.
 *
 * The price. All that is said over a line may take a two-hundredth of what it carries, and the
 * reports that were asked for three hundredths: each frame is paid for with so much time, in which
 * the next one has to wait. What is new goes ahead on credit. A report of what came in goes only
 * when that was more than idle lines bring, or else two ends would talk to each other for ever
 * about their talk.
 */
#define _DEFAULT_SOURCE
#include "src/bundle_vendor.h"

#include "src/bundle_shape.h"
#include "src/bundle_state.h"
#include "src/line_rate.h"
#include "src/line_shape.h"

enum {
	PRICE = 200,        /* times what a frame takes on the line */
	REPORT_PRICE = 33,  /* the same of a report */
	SENT_FRAME = 24,    /* characters of a frame that tells what was sent, about */
	CREDIT_CHARS = 96,  /* that may be owed: a few frames */
	REPORT_CHARS = 512, /* to have come since the last report, at least, for another one */
	PACKET_SIZE = VENDOR_OUI_SIZE + 7 * VENDOR_MESSAGE_SIZE,
	HASH_SHIFT = 8, /* in a word on the mode */
};
#define REPORT_EVERY (250 * SB_MS) /* at most */
#define SENT_EVERY   (3 * SB_SEC)
#define AGAIN_FIRST  (2 * SB_SEC)
#define AGAIN_LAST   (32 * SB_SEC)
#define ALONE_AFTER  (5 * SB_SEC) /* lines are up: who would answer has done so */
#define PEER_TICK    (SB_SEC / 10000)

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
	uint32_t mode = value & 0xff, hash = value >> HASH_SHIFT & 0xff;

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

static void hear_received(struct bundle *b, unsigned i, const struct vendor_message *m, sb_time now)
{
	struct vendor_link *k = &b->vendor.links[i];

	if (k->has_time)
		k->clock += (sb_time)(int32_t)(m->time - k->time) * PEER_TICK;
	k->has_time = true;
	k->time = m->time;
	line_rate_report(b->lines[i], m->value, k->clock, now);
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
		line_peer_sends(b->lines[i], m->value);
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
	*k = (struct vendor_link){
		.paid_until = k->paid_until, .again = AGAIN_FIRST, .sent_at = SB_NEVER};
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
	if (!v->up || !vendor_open(&packet))
		return; /* ahead of the peer's Configure-Ack, over a faster line: it is said again
			 */
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

/* --- what is to be said --- */

static uint32_t word_on_mode(const struct mode_config *c)
{
	return (uint32_t)c->mode | (uint32_t)c->hash << HASH_SHIFT;
}

static uint32_t pace_of(const struct line *l)
{
	uint32_t bps = line_shaped_bps(l);

	return bps < line_bps(l) ? bps : 0;
}

/* What comes over it is what it carries; what is to leave is to carry nothing more. */
static struct vendor_words words_on(const struct bundle *b, unsigned i)
{
	const struct mode_config *mode = &b->config->mode;
	bool asks = mode->mode == MODE_BALANCE_ALB && !b->retired[i];

	return (struct vendor_words){
		.mode = word_on_mode(mode),
		.share = asks ? line_bps(b->lines[i]) : 0,
		.wish = bundle_rate_wish(b, i),
		.pace = pace_of(b->lines[i]),
	};
}

/* A rate that is found out is never quite the same. */
static bool differs(uint32_t a, uint32_t b)
{
	uint32_t more = a > b ? a : b, less = a > b ? b : a;

	return more - less > more / 20;
}

static bool has_news(const struct vendor_link *k, const struct vendor_words *w)
{
	return !k->told || k->owes_notice || k->said.mode != w->mode || k->said.wish != w->wish ||
	       differs(k->said.share, w->share) || differs(k->said.pace, w->pace);
}

/* As much as a busy line brings until the next one; what idle ends say to each other is less. */
static bool has_received(const struct bundle *b, unsigned i)
{
	const struct line *l = b->lines[i];
	uint64_t received = l->in.total - b->vendor.links[i].received;
	uint32_t count;

	return line_received_count(l, &count) && received >= REPORT_CHARS &&
	       line_clock_time(&l->clock, received) >= REPORT_EVERY;
}

/* So many characters take so long. */
static sb_time price(const struct line *l, size_t characters)
{
	return PRICE * line_clock_time(&l->clock, characters);
}

static bool may_talk(const struct bundle *b, unsigned i)
{
	const struct line *l = b->lines[i];

	return l && l->state == LINE_UP && encap_agreed(l->encap);
}

/* The words are to be said, or said again. */
static sb_time words_due(const struct bundle *b, unsigned i)
{
	const struct vendor_link *k = &b->vendor.links[i];
	struct vendor_words w = words_on(b, i);

	if (has_news(k, &w))
		return k->paid_until - price(b->lines[i], CREDIT_CHARS);
	return sb_time_max(k->again_at, k->paid_until);
}

static sb_time report_due(const struct bundle *b, unsigned i)
{
	const struct vendor_link *k = &b->vendor.links[i];

	if (!has_received(b, i))
		return SB_NEVER;
	return sb_time_max(k->received_at + REPORT_EVERY, k->received_paid_until);
}

static sb_time sent_due(const struct bundle *b, unsigned i)
{
	const struct vendor_link *k = &b->vendor.links[i];
	const struct line *l = b->lines[i];

	if (!l->rate || (k->sent_at != SB_NEVER && l->out.total - k->sent < REPORT_CHARS))
		return SB_NEVER;
	return k->sent_at == SB_NEVER ? 0 : sb_time_max(k->sent_at + SENT_EVERY, k->paid_until);
}

sb_time bundle_vendor_due(const struct bundle *b, unsigned i)
{
	if (!b->vendor.up || !may_talk(b, i))
		return SB_NEVER;
	return sb_time_min(sb_time_min(words_due(b, i), report_due(b, i)), sent_due(b, i));
}

/* --- saying it --- */

static void put(struct buf *packet, enum vendor_message_kind kind, uint32_t value, uint32_t time)
{
	vendor_put(packet, &(struct vendor_message){.kind = kind, .value = value, .time = time});
}

/* No share, wish, pace: said only to take back what was said before. */
static void put_words(struct bundle *b, unsigned i, struct buf *packet, sb_time now)
{
	struct vendor_link *k = &b->vendor.links[i];
	struct vendor_words w = words_on(b, i);
	bool news = has_news(k, &w);

	put(packet, VENDOR_MODE, w.mode, 0);
	if (w.share || k->said.share)
		put(packet, VENDOR_SHARE, w.share, 0);
	if (w.wish || k->said.wish)
		put(packet, VENDOR_RATE_WISH, w.wish, 0);
	if (w.pace || k->said.pace)
		put(packet, VENDOR_PACE, w.pace, 0);
	if (k->owes_notice)
		put(packet, VENDOR_NOTICE, b->mode.changes, 0);
	b->vendor.counters.notices_out += k->owes_notice;
	k->again = news ? AGAIN_FIRST : sb_time_min(2 * k->again, AGAIN_LAST);
	k->again_at = now + k->again;
	k->owes_notice = false;
	k->told = true;
	k->said = w;
}

static void put_report(struct bundle *b, unsigned i, struct buf *packet, sb_time now)
{
	struct vendor_link *k = &b->vendor.links[i];
	const struct line *l = b->lines[i];
	uint32_t count;

	line_received_count(l, &count);
	put(packet, VENDOR_RECEIVED, count, (uint32_t)(l->heard_at / PEER_TICK));
	k->received = l->in.total;
	k->received_at = now;
}

static void put_sent(struct bundle *b, unsigned i, struct buf *packet, sb_time now)
{
	struct vendor_link *k = &b->vendor.links[i];
	uint32_t frame = SENT_FRAME + (uint32_t)packet->length - VENDOR_OUI_SIZE;

	put(packet, VENDOR_SENT, line_sent_count(b->lines[i]) + frame, 0);
	k->sent = b->lines[i]->out.total;
	k->sent_at = now;
}

static void pay(struct bundle *b, unsigned i, bool words, sb_time now)
{
	struct vendor_link *k = &b->vendor.links[i];
	sb_time cost = price(b->lines[i], line_unsent(b->lines[i]));

	if (words)
		k->paid_until = sb_time_max(k->paid_until, now) + cost;
	else
		k->received_paid_until = now + cost * REPORT_PRICE / PRICE;
}

static bool load_messages(struct bundle *b, unsigned i, sb_time now)
{
	uint8_t space[PACKET_SIZE];
	struct buf packet = buf_over(space, sizeof(space));
	bool words = now >= words_due(b, i), report = now >= report_due(b, i);
	bool sent = now >= sent_due(b, i);

	if (!words && !report && !sent)
		return false;
	vendor_begin(&packet);
	if (words)
		put_words(b, i, &packet, now);
	if (report)
		put_report(b, i, &packet, now);
	if (sent)
		put_sent(b, i, &packet, now);
	line_load_control(b->lines[i], now, PPP_VSNP, buf_bytes(&packet));
	pay(b, i, words || sent, now);
	b->vendor.counters.out++;
	return true;
}

static bool load_control(struct bundle *b, unsigned i, sb_time now)
{
	uint8_t space[PPP_DEFAULT_MRU];
	struct buf packet = buf_over(space, sizeof(space));

	if (!vendor_output(b->vendor.engine, &packet))
		return false;
	line_load_control(b->lines[i], now, PPP_VSNCP, buf_bytes(&packet));
	return true;
}

bool bundle_vendor_load(struct bundle *b, unsigned i, sb_time now)
{
	if (!may_talk(b, i))
		return false;
	return load_control(b, i, now) || (b->vendor.up && load_messages(b, i, now));
}

void bundle_vendor_notice(struct bundle *b, unsigned i)
{
	b->vendor.links[i].owes_notice = true;
}

/* --- both modes --- */

/* Once for each pair of them, whoever changes. */
static void compare_modes(struct bundle *b)
{
	struct bundle_vendor *v = &b->vendor;
	enum mode own = b->config->mode.mode;
	const char *name = b->interface->tun.name;

	if (!v->peer_told || (v->compared && v->compared_own == own && v->compared_peer == v->mode))
		return;
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
	compare_modes(b);
	say_alone(b, now);
}

sb_time bundle_vendor_deadline(const struct bundle *b)
{
	return sb_time_min(vendor_deadline(b->vendor.engine), b->vendor.alone_at);
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
