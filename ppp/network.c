/* SPDX-License-Identifier: MIT */
/*
 * The network layer: two control protocols side by side, each opening, failing
 * and coming back by itself, with one outbox between them.
 *
 * After every call that may have moved them, `settle` turns what happened to each
 * into at most one DOWN and one UP that wait for the owner. DOWN goes first; an UP
 * that was not taken before the next DOWN is not told any more. What cannot be
 * agreed on is closed, so that a peer that goes on asking gets a Terminate-Ack and
 * not the same dispute again; after any other end the protocol waits in Stopped
 * for the peer to begin.
 */
#include "ppp/network.h"

#include <assert.h>
#include <stdlib.h>

#include "ppp/ipcp.h"
#include "ppp/ipv6cp.h"

struct layer {
	struct control control;
	bool wanted;
	bool is_up;
	bool owes_down, owes_up;    /* events not taken yet */
	bool ended;                 /* the owner was told, or is to be, that it is down for good */
	enum network_reason reason; /* of that DOWN */
};

enum { IPV4, IPV6, LAYERS };

struct network {
	struct network_config config;
	struct ipcp ipcp;
	struct ipv6cp ipv6cp;
	struct layer layers[LAYERS];
	struct outbox outbox;
};

const char *network_reason_text(enum network_reason reason)
{
	static const char *const texts[NETWORK_REASONS] = {
		[NETWORK_FINE] = "negotiated anew",
		[NETWORK_NO_REPLY] = "no reply",
		[NETWORK_NO_AGREEMENT] = "no agreement on addresses",
		[NETWORK_PEER_REJECTED] = "the peer does not know the protocol",
		[NETWORK_PEER_CLOSED] = "closed by the peer",
		[NETWORK_WE_CLOSED] = "closed by us",
		[NETWORK_LOWER_DOWN] = "no link is up",
	};
	assert(reason < NETWORK_REASONS);
	return texts[reason];
}

struct network *network_new(const struct network_config *config)
{
	struct network *n = calloc(1, sizeof *n);

	if (!n)
		return NULL;
	n->config = *config;
	n->layers[IPV4].wanted = config->ipv4;
	n->layers[IPV6].wanted = config->ipv6;
	ipcp_init(&n->ipcp, &n->config);
	ipv6cp_init(&n->ipv6cp, &n->config);
	control_init(&n->layers[IPV4].control, &ipcp_kind, &n->ipcp, &n->outbox, &config->timers);
	control_init(&n->layers[IPV6].control, &ipv6cp_kind, &n->ipv6cp, &n->outbox,
		     &config->timers);
	return n;
}

void network_free(struct network *n)
{
	free(n);
}

/* --- what happened --- */

static enum network_reason reason_of(enum control_end end)
{
	static const enum network_reason reasons[] = {
		[CONTROL_NO_END] = NETWORK_FINE,
		[CONTROL_NO_REPLY] = NETWORK_NO_REPLY,
		[CONTROL_NO_AGREEMENT] = NETWORK_NO_AGREEMENT,
		[CONTROL_PEER_CLOSED] = NETWORK_PEER_CLOSED,
		[CONTROL_PEER_REJECTED] = NETWORK_PEER_REJECTED,
		[CONTROL_WE_CLOSED] = NETWORK_WE_CLOSED,
	};
	return reasons[end];
}

static void tell_down(struct layer *l, enum network_reason reason)
{
	l->is_up = l->owes_up = false;
	l->owes_down = true;
	l->ended = reason != NETWORK_FINE;
	l->reason = reason;
}

static void tell_up(struct layer *l)
{
	l->is_up = l->owes_up = true;
	l->ended = false;
}

/* The peer may have granted us the 0 that asks for an address. */
static bool is_complete(const struct network *n, const struct layer *l)
{
	return l != &n->layers[IPV4] || n->ipcp.agreed.local != 0;
}

static void opened(struct network *n, struct layer *l, sb_time now)
{
	if (is_complete(n, l)) {
		tell_up(l);
		return;
	}
	tell_down(l, NETWORK_NO_AGREEMENT);
	control_close(&l->control, now);
}

/* What was never up, or is told to be down, does not go down. */
static void settle_layer(struct network *n, struct layer *l, sb_time now)
{
	unsigned happened = control_happened(&l->control);
	enum network_reason reason = reason_of(l->control.end);

	if (happened & CONTROL_DOWN && l->is_up)
		tell_down(l, reason);
	if (happened & CONTROL_FINISHED && !l->ended)
		tell_down(l, reason);
	if (happened & CONTROL_FINISHED && reason == NETWORK_NO_AGREEMENT)
		control_close(&l->control, now);
	if (happened & CONTROL_UP)
		opened(n, l, now);
}

static void settle(struct network *n, sb_time now)
{
	for (int i = 0; i < LAYERS; i++)
		if (n->layers[i].wanted)
			settle_layer(n, &n->layers[i], now);
}

bool network_event(struct network *n, struct network_event *event)
{
	static const struct {
		int up, down;
	} kinds[LAYERS] = {
		[IPV4] = {NETWORK_IPV4_UP, NETWORK_IPV4_DOWN},
		[IPV6] = {NETWORK_IPV6_UP, NETWORK_IPV6_DOWN},
	};

	for (int i = 0; i < LAYERS; i++) {
		struct layer *l = &n->layers[i];
		if (!l->owes_down && !l->owes_up)
			continue;
		*event = (struct network_event){
			.kind = l->owes_down ? kinds[i].down : kinds[i].up,
			.reason = l->owes_down ? l->reason : NETWORK_FINE,
		};
		*(l->owes_down ? &l->owes_down : &l->owes_up) = false;
		return true;
	}
	return false;
}

/* --- the layer below, the owner --- */

void network_lower_up(struct network *n, sb_time now)
{
	for (int i = 0; i < LAYERS; i++) {
		struct layer *l = &n->layers[i];
		if (!l->wanted)
			continue;
		l->ended = false;
		control_open(&l->control, now);
		control_up(&l->control, now);
	}
	settle(n, now);
}

void network_lower_down(struct network *n, sb_time now)
{
	for (int i = 0; i < LAYERS; i++) {
		struct layer *l = &n->layers[i];
		if (!l->wanted)
			continue;
		control_down(&l->control, now);
		if (l->is_up)
			tell_down(l, NETWORK_LOWER_DOWN);
	}
	outbox_clear(&n->outbox);
}

void network_close(struct network *n, sb_time now)
{
	for (int i = 0; i < LAYERS; i++)
		if (n->layers[i].wanted)
			control_close(&n->layers[i].control, now);
	settle(n, now);
}

/* --- packets and time --- */

static struct layer *layer_of(struct network *n, uint16_t protocol)
{
	for (int i = 0; i < LAYERS; i++) {
		struct layer *l = &n->layers[i];
		if (l->wanted && l->control.kind->protocol == protocol)
			return l;
	}
	return NULL;
}

bool network_input(struct network *n, sb_time now, uint16_t protocol, struct bytes packet)
{
	struct layer *l = layer_of(n, protocol);

	if (!l)
		return false;
	control_input(&l->control, now, packet);
	settle(n, now);
	return true;
}

void network_rejected(struct network *n, sb_time now, uint16_t protocol)
{
	struct layer *l = layer_of(n, protocol);

	if (!l)
		return;
	control_protocol_rejected(&l->control, now);
	settle(n, now);
}

bool network_output(struct network *n, uint16_t *protocol, struct buf *packet)
{
	return outbox_take(&n->outbox, protocol, packet);
}

sb_time network_deadline(const struct network *n)
{
	sb_time deadline = SB_NEVER;

	for (int i = 0; i < LAYERS; i++)
		deadline = sb_time_min(deadline, control_deadline(&n->layers[i].control));
	return deadline;
}

void network_tick(struct network *n, sb_time now)
{
	for (int i = 0; i < LAYERS; i++)
		control_tick(&n->layers[i].control, now);
	settle(n, now);
}

/* --- how it stands --- */

bool network_ipv4_is_up(const struct network *n)
{
	return n->layers[IPV4].is_up;
}

bool network_ipv6_is_up(const struct network *n)
{
	return n->layers[IPV6].is_up;
}

const struct network_ipv4 *network_ipv4(const struct network *n)
{
	return &n->ipcp.agreed;
}

const struct network_ipv6 *network_ipv6(const struct network *n)
{
	return &n->ipv6cp.agreed;
}
