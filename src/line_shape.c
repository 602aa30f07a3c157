/* SPDX-License-Identifier: MIT */
/*
 * A line is shaped by its clock (sched/line_clock.h) alone: it runs at the least of what the line
 * carries, its own shape, its part of the bundle's and what the peer asked for. All else follows
 * from that: pacing, striping by rate, the queue's delays.
 *
 * The clock counts characters as they are on the wire. Where a slower hop hides behind the line
 * (a DSL modem, an Ethernet), it counts that hop's bytes, of 8 bits: each frame costs what its
 * packet takes there (sched/linklayer.h), and the cost is paid little by little, in proportion to
 * the characters of the frame that the port has taken. The driver tells how many characters wait in
 * it; they are taken to cost what those of the frame in progress do.
 *
 * That hop may store a frame before it forwards it: then one that comes at the hop's rate is sent
 * twice, one time after the other. So where the port is faster, a frame that has begun goes on as
 * fast as the port takes it, by a clock of its own, and the next one waits until the hop is
 * through with this one. The hop has one frame more to keep then, and the port no more than ever.
 * Where it is not faster, and where nothing is behind the line, pacing is smooth.
 *
 * Who is woken late leaves the wire dry for a moment, and on a line that runs at its own rate that
 * moment is lost. One that is shaped can catch up, since its wire is faster: what it missed in the
 * last BURST is made good at once, so that the rate is met on a busy machine too. No more than
 * that, and the lead, is ever ahead of the shape; a modem's buffer holds as little.
 *
 * Packets that wait remember how long they are on a line, by the address of what it was reckoned
 * with (packet.h). So another link layer is another address: there are two, used in turn.
 */
#define _DEFAULT_SOURCE
#include "src/line_shape.h"

#include "src/line_internal.h"
#include "src/line_rate.h"

enum { BITS_BEHIND = 8, MP_HEADER = 4 };
#define BURST (10 * SB_MS) /* what is missed for longer is lost */

/* --- how fast --- */

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t part(uint32_t bps, uint32_t permille)
{
	return (uint32_t)(((uint64_t)bps * permille + 500) / 1000);
}

uint32_t shape_bps(const struct shape_config *s, uint32_t bps)
{
	uint32_t left = bps;

	if (s->bps)
		left = least(left, s->bps);
	if (s->permille && s->permille < 1000)
		left = least(left, part(bps, s->permille));
	return left ? left : 1;
}

static uint32_t shaped(const struct line *l, uint32_t bps)
{
	bps = shape_bps(&l->config.shape, bps);
	for (unsigned i = 0; i < LINE_BOUNDS; i++)
		if (l->bounds[i])
			bps = least(bps, l->bounds[i]);
	return bps;
}

uint32_t line_shaped_bps(const struct line *l)
{
	return shaped(l, line_bps(l));
}

/* At times that is not quite what the line carries, where that is being found out. */
static uint32_t pace(const struct line *l)
{
	return shaped(l, line_rate_pace(l));
}

static uint32_t clock_bits(const struct line *l)
{
	return l->config.layer.exact ? l->config.bits_per_char : BITS_BEHIND;
}

static bool same_layer(const struct linklayer *a, const struct linklayer *b)
{
	return a->exact == b->exact && a->overhead == b->overhead && a->mpu == b->mpu &&
	       a->cells == b->cells;
}

static void follow_layer(struct line *l)
{
	if (same_layer(&l->codings[l->coding % 2].layer, &l->config.layer))
		return;
	l->coding++;
	l->codings[l->coding % 2] = (struct linklayer_coding){.layer = l->config.layer};
}

/* Frames take their time in either direction, as the slower one has it. */
static void tell_encap(struct line *l)
{
	uint32_t bps = line_shaped_bps(l);

	if (l->peer_bps && l->peer_bps < bps)
		bps = l->peer_bps;
	if (l->encap->kind->set_rate)
		l->encap->kind->set_rate(l->encap, (double)bps / l->config.bits_per_char);
}

void line_peer_sends(struct line *l, uint32_t bps)
{
	if (l->peer_bps == bps)
		return;
	l->peer_bps = bps;
	tell_encap(l);
}

void line_clock_begin(struct line *l, sb_time now)
{
	follow_layer(l);
	line_rate_begin(l, now);
	line_clock_init(&l->clock, line_shaped_bps(l), clock_bits(l), now);
	line_clock_init(&l->port_clock, line_rate_pace(l), l->config.bits_per_char, now);
}

static void retune_port_clock(struct line *l)
{
	uint32_t bps = line_rate_pace(l);

	if (l->port_clock.given_bps != bps)
		line_clock_lead_to(&l->port_clock, bps);
}

void line_retune(struct line *l, sb_time now)
{
	uint32_t bps = pace(l), bits = clock_bits(l);

	follow_layer(l);
	retune_port_clock(l);
	if (l->clock.given_bps == bps && l->clock.bits_per_char == bits)
		return;
	if (l->rate && l->clock.bits_per_char == bits)
		line_clock_lead_to(&l->clock, bps);
	else
		line_clock_set_bps(&l->clock, bps, now);
	l->clock.bits_per_char = bits;
	tell_encap(l);
}

void line_set_bound(struct line *l, enum line_bound which, uint32_t bps, sb_time now)
{
	l->bounds[which] = bps;
	line_retune(l, now);
}

void line_reshape(struct line *l, const struct line_config *to, sb_time now)
{
	l->config.shape = to->shape;
	l->config.shape_in = to->shape_in;
	l->config.layer = to->layer;
	line_retune(l, now);
}

void line_set_bps(struct line *l, uint32_t bps, sb_time now)
{
	l->config.bps = bps;
	l->carrier_bps = 0; /* the user knows better */
	line_rate_begin(l, now);
	line_clock_set_bps(&l->clock, line_shaped_bps(l), now);
	line_clock_set_bps(&l->port_clock, line_rate_pace(l), now);
	tell_encap(l);
}

/* --- among other lines --- */

static uint32_t fragment_overhead(const struct line *l)
{
	size_t n = l->config.layer.exact ? l->encap->kind->overhead(l->encap)
					 : linklayer_bytes(&l->config.layer, MP_HEADER);

	return (uint32_t)n;
}

struct stripe_line line_terms(const struct line *l)
{
	const struct link_agreed *agreed = encap_agreed(l->encap);
	bool exact = l->config.layer.exact;

	return (struct stripe_line){
		.clock = &l->clock,
		.delay = l->config.delay,
		.encoded_length = exact ? l->encap->kind->encoded_length : linklayer_length,
		.coding = exact ? encap_coding(l->encap) : &l->codings[l->coding % 2],
		.fragment_overhead = fragment_overhead(l),
		.mru = agreed ? agreed->peer_mru : 0,
	};
}

/* --- the frame in progress --- */

/* What is said to a modem goes no further than that. */
static bool is_as_encoded(const struct line *l)
{
	return l->config.layer.exact || line_is_with_modem(l);
}

void line_cost_begin(struct line *l, size_t characters, size_t bytes)
{
	l->cost = (struct line_cost){
		.characters = characters,
		.all = is_as_encoded(l) ? characters : linklayer_bytes(&l->config.layer, bytes),
	};
}

/* Its wire is known to be faster than its clock. */
static bool can_catch_up(const struct line *l)
{
	return l->clock.bps < line_rate_pace(l) && l->clock.bps >= l->clock.given_bps;
}

/* The instant from which what is sent now counts. */
static sb_time counts_from(const struct line *l, sb_time now)
{
	sb_time dry_since = l->clock.busy_until;

	if (dry_since >= now || !can_catch_up(l))
		return now;
	return sb_time_max(dry_since, now - BURST);
}

sb_time line_cost_lost(const struct line *l, sb_time now)
{
	return sb_time_max(counts_from(l, now) - l->clock.busy_until, 0);
}

void line_cost_took(struct line *l, sb_time now, size_t characters)
{
	size_t paid = l->cost.all * characters / l->cost.characters;

	meter_add(&l->paid, now, paid - l->cost.paid);
	line_clock_sent(&l->clock, counts_from(l, now), paid - l->cost.paid);
	l->cost.paid = paid;
}

static size_t most(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* What goes beyond its lead by the other clock shows that the port is faster than was thought. */
void line_port_took(struct line *l, sb_time now, size_t characters)
{
	size_t room = line_clock_room(&l->port_clock, now);

	line_clock_sent(&l->port_clock, now, characters < room ? characters : room);
}

/* The port is faster than the hop behind it: a frame that may begin goes on at once. */
static bool runs_ahead(const struct line *l)
{
	return !is_as_encoded(l) && can_catch_up(l);
}

void line_port_is_full(struct line *l, sb_time now)
{
	l->owed_until = runs_ahead(l) ? l->clock.busy_until : 0;
	line_clock_blocked(&l->clock, now);
	line_clock_blocked(&l->port_clock, now);
}

/* How full the port was says nothing of the hop, which has what it had to send before. */
void line_port_takes(struct line *l, sb_time now)
{
	line_clock_writable(&l->clock, now);
	line_clock_writable(&l->port_clock, now);
	l->clock.busy_until = sb_time_max(l->clock.busy_until, l->owed_until);
}

sb_time line_wake(const struct line *l)
{
	sb_time wake = line_clock_wake(&l->clock);

	if (!l->frame_taken || !runs_ahead(l))
		return wake;
	return sb_time_min(wake, line_clock_wake(&l->port_clock));
}

/* A character may be begun when there is room for any of what it costs. */
static size_t room_by_cost(const struct line *l, sb_time now)
{
	const struct line_cost *c = &l->cost;
	size_t room = line_clock_room(&l->clock, now);

	if (!room || c->paid + room >= c->all)
		return room ? line_unsent(l) : 0;
	return ((c->paid + room) * c->characters + c->all - 1) / c->all - l->frame_taken;
}

size_t line_cost_room(const struct line *l, sb_time now)
{
	size_t room = room_by_cost(l, now), unsent = line_unsent(l);

	if (runs_ahead(l) && (room || l->frame_taken))
		room = most(room, line_clock_room(&l->port_clock, now));
	return room < unsent ? room : unsent;
}

size_t line_cost_left(const struct line *l)
{
	return line_needs_frame(l) ? 0 : l->cost.all - l->cost.paid;
}

uint32_t line_cost_of(const struct line *l, uint32_t characters)
{
	const struct line_cost *c = &l->cost;

	return c->characters ? (uint32_t)((uint64_t)characters * c->all / c->characters)
			     : characters;
}
