/* SPDX-License-Identifier: MIT */
/*
 * What happened, for those who watch: kept until it is asked for. A watcher that does not
 * ask for long misses the oldest, and holds nothing up.
 */
#define _DEFAULT_SOURCE
#include "src/exchange_state.h"

#include <arpa/inet.h>
#include <string.h>

static struct exchange_event *new_event(struct exchange *x, enum exchange_event_kind kind)
{
	struct exchange_event *e;

	if (x->event_count == EVENTS) {
		x->event_first = (x->event_first + 1) % EVENTS;
		x->event_count--;
	}
	e = &x->events[(x->event_first + x->event_count++) % EVENTS];
	*e = (struct exchange_event){
		.kind = kind, .bundle = EXCHANGE_NO_BUNDLE, .line = EXCHANGE_NO_LINE, .state = ""};
	return e;
}

bool exchange_event(struct exchange *x, struct exchange_event *e)
{
	if (!x->event_count)
		return false;
	*e = x->events[x->event_first];
	x->event_first = (x->event_first + 1) % EVENTS;
	x->event_count--;
	return true;
}

static void say(struct exchange_event *e, const char *text)
{
	size_t length = text ? strlen(text) : 0;

	length = length < sizeof(e->text) ? length : sizeof(e->text) - 1;
	if (length)
		memcpy(e->text, text, length);
	e->text[length] = '\0';
}

/* --- bundles --- */

/* As negotiated, or else as configured. */
static void put_addresses(struct exchange *x, unsigned k, struct exchange_event *e)
{
	const struct config *c = x->config;
	const struct network_ipv4 *v4 = bundle_ipv4(x->bundles[k].bundle);

	if (v4) {
		e->local = v4->local;
		e->remote = v4->remote;
		memcpy(e->dns, v4->dns, sizeof(e->dns));
		return;
	}
	e->local = c->ppp.local;
	e->remote = x->bundles[k].address ? x->bundles[k].address : c->ppp.remote;
	for (unsigned i = c->address_count; i-- > 0;)
		if (c->addresses[i].family == AF_INET) {
			e->local = ntohl(c->addresses[i].local.v4.s_addr);
			if (c->addresses[i].has_peer)
				e->remote = ntohl(c->addresses[i].peer.v4.s_addr);
		}
}

static void put_bundle(struct exchange *x, unsigned k, struct exchange_event *e)
{
	if (k == NO_BUNDLE || !x->bundles[k].bundle)
		return;
	e->bundle = k;
	memcpy(e->ifname, x->bundles[k].interface.tun.name, sizeof(e->ifname));
	put_addresses(x, k, e);
	snprintf(e->peer_name, sizeof(e->peer_name), "%s", bundle_peer(x->bundles[k].bundle));
}

/* A bundle has many devices: the first of its lines stands for them, as pppd's would. */
static void put_first_line(struct exchange *x, unsigned k, struct exchange_event *e)
{
	for (unsigned i = x->line_count; i-- > 0;) {
		const struct line *l = &x->lines[i];

		if (!slot_is_used(x, i) || (x->config->answer && x->bundle_of[i] != k))
			continue;
		memcpy(e->device, l->config.device, sizeof(e->device));
		e->bps = line_bps(l);
	}
}

void event_bundle(struct exchange *x, enum exchange_event_kind kind, unsigned k)
{
	struct exchange_event *e = new_event(x, kind);

	put_bundle(x, k, e);
	put_first_line(x, k, e);
}

void event_bundle_down(struct exchange *x, unsigned k, sb_time now)
{
	struct exchange_bundle *b = &x->bundles[k];
	struct exchange_event *e = new_event(x, EXCHANGE_BUNDLE_DOWN);
	struct bundle_totals t = bundle_totals(b->bundle, now);

	put_bundle(x, k, e);
	put_first_line(x, k, e);
	e->seconds = (double)(now - b->up_since) / (double)SB_SEC;
	e->bytes_out = t.bytes_out - b->before.bytes_out;
	e->bytes_in = t.bytes_in - b->before.bytes_in;
}

static void came_up(struct exchange *x, unsigned k, sb_time now)
{
	x->bundles[k].up_since = now;
	x->bundles[k].before = bundle_totals(x->bundles[k].bundle, now);
	event_bundle(x, EXCHANGE_BUNDLE_UP, k);
}

/* One whose lines are silent, or gone for a moment, is not down: packets wait for them. */
static bool is_up(const struct exchange_bundle *b)
{
	return bundle_lines_up(b->bundle) ||
	       (b->told_up && bundle_members(b->bundle) && bundle_has_carrier(b->bundle));
}

void event_bundle_state(struct exchange *x, unsigned k, sb_time now)
{
	struct exchange_bundle *b = &x->bundles[k];
	bool up = b->bundle && is_up(b);

	if (up == b->told_up)
		return;
	b->told_up = up;
	if (up)
		came_up(x, k, now);
	else
		event_bundle_down(x, k, now);
}

/* --- lines --- */

static void put_line(struct exchange *x, unsigned i, struct exchange_event *e)
{
	const struct line *l = &x->lines[i];

	e->line = i;
	memcpy(e->line_name, l->config.name, sizeof(e->line_name));
	memcpy(e->device, l->config.device, sizeof(e->device));
	e->state = line_state_name(l->state);
	e->bps = line_bps(l);
}

void event_line(struct exchange *x, enum exchange_event_kind kind, unsigned i, const char *text)
{
	struct exchange_event *e = new_event(x, kind);

	put_bundle(x, x->bundle_of[i], e);
	put_line(x, i, e);
	say(e, text);
}

void event_line_left(struct exchange *x, unsigned i, sb_time now)
{
	struct line *l = &x->lines[i];
	struct exchange_event *e = new_event(x, EXCHANGE_LINE_DOWN);

	put_bundle(x, x->bundle_of[i], e);
	put_line(x, i, e);
	say(e, l->reason);
	e->seconds = (double)(now - x->slots[i].joined_at) / (double)SB_SEC;
	e->bytes_out = meter_read(&l->out, now).total - l->call_out;
	e->bytes_in = meter_read(&l->in, now).total - l->call_in;
}

void event_line_state(struct exchange *x, unsigned i)
{
	const struct line *l = &x->lines[i];

	if (l->state == x->slots[i].told)
		return;
	x->slots[i].told = l->state;
	event_line(x, EXCHANGE_LINE_STATE, i, l->state == LINE_UP ? "" : l->reason);
}

void event_reconfigured(struct exchange *x, const char *text)
{
	say(new_event(x, EXCHANGE_RECONFIGURED), text);
}
