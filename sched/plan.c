/* SPDX-License-Identifier: MIT */
#include "sched/plan.h"

#include "sched/cut.h"

/* The line as cut_packet wants it, with the whole packet for its length. */
static struct cut_line cut_line(const struct lane *l, struct packet *p, sb_time now)
{
	return (struct cut_line){
		.from = lane_free_at(l, now) + lane_overhead_time(l) + l->line.delay,
		.rate = lane_byte_rate(l, p, lane_chunk(l, p, now)),
		.length = p->length,
	};
}

static sb_time arrival(const struct cut_line *c)
{
	return c->from + (sb_time)(c->length / c->rate * (double)SB_SEC);
}

static struct plan whole(const struct cut_line *c, unsigned line)
{
	struct plan plan = {.arrives = arrival(c)};

	plan.share[line] = c->length;
	return plan;
}

struct plan plan_whole(const struct lane *lanes, unsigned line, struct packet *p, sb_time now)
{
	struct cut_line c = cut_line(&lanes[line], p, now);

	return whole(&c, line);
}

/* Some of the lanes. */
struct choice {
	unsigned count, numbers[STRIPE_MAX_LINES];
	struct cut_line lines[STRIPE_MAX_LINES];
};

static void choose_all(struct choice *c, const struct lane *lanes, struct packet *p, sb_time now)
{
	c->count = 0;
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		if (!lanes[i].up || lane_full(&lanes[i]))
			continue;
		c->numbers[c->count] = i;
		c->lines[c->count++] = cut_line(&lanes[i], p, now);
	}
}

static struct plan soonest_whole(const struct choice *c)
{
	struct plan best = {.arrives = SB_NEVER};

	for (unsigned i = 0; i < c->count; i++)
		if (arrival(&c->lines[i]) < best.arrives)
			best = whole(&c->lines[i], c->numbers[i]);
	return best;
}

static struct plan cut(struct choice *c, uint32_t length)
{
	struct plan plan = {.arrives = SB_NEVER};

	if (c->count < 2)
		return plan;
	plan.arrives = cut_packet(c->lines, c->count, length);
	for (unsigned i = 0; i < c->count; i++)
		plan.share[c->numbers[i]] = c->lines[i].length;
	return plan;
}

static struct plan sooner(const struct plan *a, const struct plan *b)
{
	return a->arrives <= b->arrives ? *a : *b;
}

static struct plan soonest_of(struct choice *c, uint32_t length)
{
	struct plan uncut = soonest_whole(c), pieces = cut(c, length);

	return sooner(&uncut, &pieces);
}

struct plan plan_soonest(const struct lane *lanes, struct packet *p, sb_time now)
{
	struct choice all;

	choose_all(&all, lanes, p, now);
	return soonest_of(&all, p->length);
}

/* Moves the line and the soonest other one to the front, in the order of their numbers. */
static void choose_pair(struct choice *c, unsigned line)
{
	unsigned here = 0, other = c->count;

	for (unsigned i = 0; i < c->count; i++) {
		if (c->numbers[i] == line)
			here = i;
		else if (other == c->count || arrival(&c->lines[i]) < arrival(&c->lines[other]))
			other = i;
	}
	if (other == c->count)
		return;
	struct choice pair = {
		2, {c->numbers[here], c->numbers[other]}, {c->lines[here], c->lines[other]}};
	*c = pair;
}

struct plan plan_pair(const struct lane *lanes, unsigned line, struct packet *p, sb_time now)
{
	struct choice pair;

	choose_all(&pair, lanes, p, now);
	choose_pair(&pair, line);
	return soonest_of(&pair, p->length);
}
