/* SPDX-License-Identifier: MIT */
/*
 * Aim. Whole packets over lines of unequal rates, without sequence numbers:
 * every line busy while packets wait, packets of a flow arriving in the order
 * in which they were sent, and a packet of a sparse flow (a ping, a key press)
 * waiting for no more than the frame that is on the wire.
 *
 * Terms. L: characters of an MTU frame; r_i: rate of line i in characters per
 * second; R: their sum; T = L/R: one frame's share of the bundle's time; Q: a
 * line's lead (line_clock.h). A packet is *bound* when its line is decided.
 *
 * Earliest completion. A packet is bound to the line on which it would arrive
 * first: the line's clock, the frame in progress and the packets bound before
 * it, its own characters at the line's rate, the line's delay. With all sizes
 * equal this alone makes arrival order sending order, and it leaves no line
 * idle that could finish a packet sooner than the others.
 *
 * Horizon. A slow line wins a packet only when the fast ones have work for as
 * long as its frame takes longer to arrive: L(1/r_min - 1/r_max), or more where it
 * has more delay, or more sparse packets to carry. So binding goes on
 * until a packet would start later than H = that + Q, and no further: what is
 * bound is out of reach of CoDel and of sparse flows' first claim.
 *
 * Sparse flows. A packet of a sparse flow of which nothing is bound is not bound
 * either: it goes to the line that completes it first without overtaking its own
 * flow, ahead of what is bound there, as soon as that line asks. The characters per
 * second that such packets take (a 2 s average) are subtracted from the rate
 * that binding reckons with, since they will push all that is bound back.
 *
 * Guard. Rates in whole ratios (2:1, 4:1) make arrivals on two lines tie, and a
 * tie is broken by jitter, out of order half the time; TCP takes a packet that is
 * overtaken by more than a quarter of the least round trip for lost. So a
 * packet must arrive at least T/4 after the one before it of its flow, unless
 * both are on one line, where order is safe; T/2 on a much slower line, since its
 * packet, when early, leaves not one gap but all that the fast ones carry in its time. It is bound
 * with the start that makes it so (not_before); a line that waits for that stays idle a moment
 * once, and its frames then fall between the others' for as long as the ratio holds. Where no phase
 * is far enough from all others (3.5:1), the waits would come back with every frame: a line's
 * patience is half of its time, saved up to one frame, and then its packets go in the order that
 * comes. Where T/4 is within the jitter of timers (a dozen fast lines), no waiting could keep the
 * order, and there is none; packets are then overtaken by less than TCP minds. Among lines that are
 * within T/10 of each other the faster is taken: it brings the next decision
 * sooner.
 *
 * Slots. What is bound ahead is bound to its place more than to its line: sparse
 * packets shift the places against each other until a frame starts. So when a
 * line starts its next one, that place is given the packet of its flow that fits the
 * order of arrival as it looks now: with k places of the flow ahead of it on other
 * lines, the k-th of the flow's bound packets, which changes places with the one that
 * was here, if both are of one length: a longer one would push all behind it
 * back. And it waits, as patience allows, if the one before it is on a wire and
 * would arrive later.
 *
 * Cost. A binding, and a start, look at each line and what is bound there: at
 * most H * r_i characters, a handful of MTU packets. No allocation after set-up.
 */
#include "sched/stripe.h"

#include "sched/stripe_state.h"

#include <assert.h>
#include <stdlib.h>

struct stripe *stripe_new(const struct stripe_config *config)
{
	struct stripe *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->config = *config;
	s->flows = tiers_flows(config->queue);
	s->bound = calloc(s->flows, sizeof(*s->bound));
	s->started = calloc(s->flows, sizeof(*s->started));
	s->latest = calloc(s->flows, sizeof(*s->latest));
	if (!s->bound || !s->started || !s->latest) {
		stripe_free(s);
		return NULL;
	}
	for (uint32_t i = 0; i < s->flows; i++)
		s->started[i].line = s->latest[i].line = NO_LINE;
	return s;
}

void stripe_free(struct stripe *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		while (s->members[i].count)
			packet_put(s->config.pool, member_shift(&s->members[i]).packet);
	while (s->returned) {
		struct packet *next = s->returned->next;

		packet_put(s->config.pool, s->returned);
		s->returned = next;
	}
	if (s->head)
		packet_put(s->config.pool, s->head);
	free(s->bound);
	free(s->started);
	free(s->latest);
	free(s);
}

/* --- binding --- */

void stripe_count_in(struct stripe *s, const struct packet *p)
{
	s->bound[p->flow]++;
	s->bound_packets++;
	s->bound_bytes += p->length;
}

void stripe_count_out(struct stripe *s, const struct packet *p)
{
	s->bound[p->flow]--;
	s->bound_packets--;
	s->bound_bytes -= p->length;
}

static struct packet *next_in_order(struct stripe *s, sb_time now)
{
	struct packet *p = tiers_dequeue(s->config.queue, now);

	if (!p)
		return NULL;
	p->order = s->order++;
	stripe_count_in(s, p);
	return p;
}

/* The packet to bind next, left where it is; NULL when none may be bound now. */
static struct packet *bind_next(struct stripe *s, sb_time now)
{
	if (s->returned)
		return s->returned;
	if (!s->head && !tiers_peek_sparse(s->config.queue, now, s->bound))
		s->head = next_in_order(s, now);
	return s->head;
}

static struct packet *returned_shift(struct stripe *s)
{
	struct packet *p = s->returned;

	s->returned = p->next;
	p->next = NULL;
	return p;
}

struct packet *stripe_take_next(struct stripe *s)
{
	struct packet *p = s->head;

	if (s->returned)
		return returned_shift(s);
	s->head = NULL;
	return p;
}

static void place(struct stripe *s, struct packet *p, const struct choice *c, sb_time now)
{
	struct member *m = &s->members[c->line];

	*member_push(m) = (struct slot){
		.packet = p,
		.not_before = c->wait ? c->start + c->wait : 0,
		.arrives = c->arrives,
		.characters = member_length(m, p),
	};
	member_spend(m, s->config.mtu, c->wait, now);
	m->free_at = c->arrives - m->line.delay;
	s->latest[p->flow] = (struct arrival){c->arrives, c->line};
}

/* Binds what would start within the horizon. */
static void bind(struct stripe *s, sb_time now)
{
	struct packet *p;
	sb_time latest;

	stripe_survey(s, now);
	latest = now + stripe_horizon(s);
	while ((p = bind_next(s, now))) {
		struct choice c = stripe_choose(s, p, now);

		if (c.line == NO_LINE || c.start > latest || member_full(&s->members[c.line]))
			return;
		place(s, stripe_take_next(s), &c, now);
	}
}

/* --- starting --- */

/* Slots of the flow, on other lines, that are to arrive before the instant. */
static uint32_t places_before(struct stripe *s, uint32_t flow, unsigned line, sb_time at)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		struct member *m = &s->members[i];

		for (uint32_t k = 0; i != line && m->up && k < m->count; k++) {
			const struct slot *slot = member_slot(m, k);

			n += slot->packet->flow == flow && slot->arrives < at;
		}
	}
	return n;
}

struct place {
	struct member *member;
	struct slot *slot;
};

/* The slot of the flow whose packet is the first in order, of those not before `least`. */
static struct place first_from(struct stripe *s, uint32_t flow, uint32_t least)
{
	struct place first = {0};

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		struct member *m = &s->members[i];

		for (uint32_t k = 0; m->up && k < m->count; k++) {
			struct slot *slot = member_slot(m, k);
			const struct packet *p = slot->packet;

			if (p->flow == flow && !packet_order_before(p->order, least) &&
			    (!first.slot ||
			     packet_order_before(p->order, first.slot->packet->order)))
				first = (struct place){m, slot};
		}
	}
	return first;
}

static void change_places(struct place a, struct place b)
{
	struct packet *p = a.slot->packet;

	if (a.slot == b.slot)
		return;
	a.slot->packet = b.slot->packet;
	b.slot->packet = p;
	a.slot->characters = member_length(a.member, a.slot->packet);
	b.slot->characters = member_length(b.member, b.slot->packet);
}

/* Gives the slot that is about to start the packet of its flow that fits the order of arrival. */
static void fit_packet(struct stripe *s, unsigned line, struct slot *slot, sb_time arrives)
{
	struct place here = {&s->members[line], slot};
	uint32_t flow = slot->packet->flow;
	uint32_t ahead = s->bound[flow] > 1 ? places_before(s, flow, line, arrives) : 0;
	uint32_t least = s->order - (UINT32_MAX / 2);
	struct place fits = here;

	if (s->bound[flow] == 1)
		return;
	for (uint32_t k = 0; k <= ahead; k++) {
		fits = first_from(s, flow, least);
		least = fits.slot->packet->order + 1;
	}
	if (fits.slot->packet->length == slot->packet->length)
		change_places(here, fits);
}

static sb_time slot_arrival(const struct member *m, const struct slot *slot, sb_time now)
{
	return member_next_start(m, now) + m->line.delay +
	       line_clock_time(m->line.clock, slot->characters);
}

/* The instant from which a packet may arrive over the line without overtaking one on a wire. */
static sb_time clear_from(const struct stripe *s, unsigned line, const struct packet *p)
{
	sb_time from = 0;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		const struct flight *f = &s->members[i].flight;

		if (i != line && s->members[i].up && f->flow == p->flow &&
		    packet_order_before(f->order, p->order))
			from = sb_time_max(from, f->arrives + GUARD_MIN);
	}
	return from;
}

/* Whether the slot must wait yet. */
static bool must_wait(struct stripe *s, unsigned line, struct slot *slot, sb_time now)
{
	struct member *m = &s->members[line];
	sb_time wait = stripe_order_wait(s, line, slot_arrival(m, slot, now),
					 clear_from(s, line, slot->packet), now);

	if (slot->not_before > member_next_start(m, now))
		return true;
	if (slot->waited || wait == 0)
		return false;
	slot->waited = true;
	slot->not_before = member_next_start(m, now) + wait;
	member_spend(m, s->config.mtu, wait, now);
	return true;
}

/* Notes that a packet starts; it will have arrived then. */
static void start(struct stripe *s, const struct packet *p, unsigned line, sb_time arrives,
		  sb_time now)
{
	struct arrival *started = &s->started[p->flow];

	if (started->line == NO_LINE || arrives > started->at)
		*started = (struct arrival){arrives, line};
	s->latest[p->flow] = *started;
	member_start(&s->members[line], p, arrives, now);
}

static struct packet *pull_bound(struct stripe *s, unsigned line, sb_time now)
{
	struct member *m = &s->members[line];
	struct slot slot;

	if (!m->count)
		return NULL;
	fit_packet(s, line, member_slot(m, 0), slot_arrival(m, member_slot(m, 0), now));
	if (must_wait(s, line, member_slot(m, 0), now))
		return NULL;
	slot = member_shift(m);
	stripe_count_out(s, slot.packet);
	start(s, slot.packet, line, slot_arrival(m, &slot, now), now);
	return slot.packet;
}

/* A sparse packet whose best line is the one that asks, out of turn. */
static struct packet *pull_sparse(struct stripe *s, unsigned line, sb_time now)
{
	struct packet *shown = tiers_peek_sparse(s->config.queue, now, s->bound);
	struct packet *p;
	struct choice c;

	if (!shown)
		return NULL;
	c = stripe_choose_now(s, shown, now);
	if (c.line != line)
		return NULL;
	p = tiers_dequeue_sparse(s->config.queue, now, shown);
	p->order = s->order++;
	member_sparse(&s->members[line], s->config.mtu, member_length(&s->members[line], p), now);
	start(s, p, line, c.arrives, now);
	return p;
}

struct packet *stripe_pull(struct stripe *s, unsigned line, sb_time now)
{
	struct packet *p;

	assert(s->members[line].up && s->members[line].unsent == 0);
	p = pull_sparse(s, line, now);
	if (p)
		return p;
	bind(s, now);
	return pull_bound(s, line, now);
}

sb_time stripe_deadline(const struct stripe *s, unsigned line)
{
	const struct member *m = &s->members[line];

	return m->up && m->count ? m->slots[m->first].not_before : SB_NEVER;
}
