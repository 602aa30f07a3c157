/* SPDX-License-Identifier: MIT */
/* Which line a packet would arrive over first: stripe.c opens with how. */
#include "sched/stripe_state.h"

enum { SLOW = 4 }; /* a line this many times slower than the fastest keeps a wider guard */

#define JITTER (2 * SB_MS) /* of timers at both ends */

/* --- what the lines are together --- */

double stripe_rate(const struct stripe *s)
{
	double rate = 0;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		if (s->members[i].up)
			rate += member_rate(&s->members[i]);
	return rate;
}

/* T */
static sb_time frame_turn(const struct stripe *s)
{
	return (sb_time)(s->config.mtu / stripe_rate(s) * (double)SB_SEC);
}

sb_time stripe_horizon(const struct stripe *s)
{
	sb_time longest = 0, shortest = SB_NEVER, lead = 0;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		const struct member *m = &s->members[i];
		sb_time passage;

		if (!m->up)
			continue;
		passage = member_passage(m, s->config.mtu);
		longest = sb_time_max(longest, passage);
		shortest = sb_time_min(shortest, passage);
		lead = sb_time_max(lead, line_clock_lead(m->line.clock));
	}
	return longest ? longest - shortest + lead : 0;
}

/* Whether frames follow each other too closely for order to be kept by waiting. */
static bool too_dense(const struct stripe *s)
{
	return frame_turn(s) / 4 < JITTER;
}

static double highest_rate(const struct stripe *s)
{
	double rate = 0;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		if (s->members[i].up && member_rate(&s->members[i]) > rate)
			rate = member_rate(&s->members[i]);
	return rate;
}

void stripe_survey(struct stripe *s, sb_time now)
{
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		struct member *m = &s->members[i];

		if (!m->up)
			continue;
		member_survey(m, now);
		if (s->started[m->flight.flow].line == i)
			s->started[m->flight.flow].at = m->flight.arrives;
		for (uint32_t k = 0; k < m->count; k++) {
			uint32_t flow = member_slot(m, k)->packet->flow;

			s->latest[flow] = s->started[flow];
		}
	}
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		struct member *m = &s->members[i];

		for (uint32_t k = 0; m->up && k < m->count; k++) {
			const struct slot *slot = member_slot(m, k);
			struct arrival *latest = &s->latest[slot->packet->flow];

			if (latest->line == NO_LINE || slot->arrives > latest->at)
				*latest = (struct arrival){slot->arrives, i};
		}
	}
}

/* --- choosing a line --- */

/* The instant before which an arrival over `line` would endanger the order after `last`. */
static sb_time in_order_from(struct arrival last, unsigned line, sb_time guard)
{
	return last.line == line || last.line == NO_LINE ? 0 : last.at + guard;
}

sb_time stripe_order_wait(const struct stripe *s, unsigned line, sb_time arrives, sb_time from,
			  sb_time now)
{
	sb_time most = member_patience(&s->members[line], s->config.mtu, now);

	if (too_dense(s))
		return 0;
	return sb_time_max(sb_time_min(from - arrives, most), 0);
}

/* Whether a is the better: sooner by more than the slack, or as soon and faster. */
static bool better(const struct choice *a, const struct choice *b, sb_time slack)
{
	if (b->line == NO_LINE)
		return true;
	if (a->rate > b->rate)
		return a->arrives <= b->arrives + slack;
	if (a->rate < b->rate)
		return a->arrives < b->arrives - slack;
	return a->arrives < b->arrives;
}

struct choice stripe_choose(const struct stripe *s, struct packet *p, sb_time now)
{
	struct choice best = {.line = NO_LINE};
	sb_time turn = frame_turn(s);
	double fast = highest_rate(s) / SLOW;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		const struct member *m = &s->members[i];
		struct choice c = {.line = i, .start = m->free_at};
		sb_time from;

		if (!m->up)
			continue;
		c.rate = member_rate(m);
		c.arrives = c.start + member_passage(m, member_length(m, p));
		from = in_order_from(s->latest[p->flow], i, c.rate < fast ? turn / 2 : turn / 4);
		c.wait = stripe_order_wait(s, i, c.arrives, from, now);
		c.arrives += c.wait;
		if (better(&c, &best, turn / 10))
			best = c;
	}
	return best;
}

struct choice stripe_choose_now(const struct stripe *s, struct packet *p, sb_time now)
{
	struct choice best = {.line = NO_LINE};

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		const struct member *m = &s->members[i];
		struct choice c = {.line = i};

		if (!m->up)
			continue;
		c.rate = member_rate(m);
		c.start = member_next_start(m, now);
		c.arrives = c.start + m->line.delay +
			    line_clock_time(m->line.clock, member_length(m, p));
		if (c.arrives >= in_order_from(s->started[p->flow], i, GUARD_MIN) &&
		    better(&c, &best, 0))
			best = c;
	}
	return best;
}
