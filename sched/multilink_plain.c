/* SPDX-License-Identifier: MIT */
/* Packets that go without a number, ahead of the others: multilink.c opens with when and where. */
#include "sched/multilink_state.h"

enum { SMALL = 256 }; /* bytes: a key press, an acknowledgement, a name, 20 ms of voice */
static const double as_fast = 0.9; /* times the fastest */

#define LIVE (2 * SB_SEC) /* a line is, for so long after a sparse packet */

struct choice {
	unsigned line; /* NO_LINE: none will do */
	sb_time start; /* not before this, for the sake of order */
	sb_time arrives;
};

static bool is_flow_bound(const struct multilink *ml, uint32_t flow)
{
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		for (uint32_t k = 0; k < ml->lanes[i].count; k++)
			if (lane_packet(&ml->lanes[i], k)->flow == flow)
				return true;
	return false;
}

/* When all that the flow has sent by number will have arrived. */
static sb_time numbered_until(const struct multilink *ml, uint32_t flow, sb_time now)
{
	return is_flow_bound(ml, flow) ? multilink_order_holds_until(ml, now)
				       : ml->courses[flow].ordered_until;
}

/* The instant from which a plain packet that arrives over the line keeps the order of its flow. */
static sb_time in_order_from(const struct course *c, unsigned line, sb_time numbered)
{
	return sb_time_max(numbered, c->plain_line == line ? 0 : c->plain_until) + GUARD;
}

/* If its flow waits for the order, it must not go ahead of what is bound and hold that up. */
static struct choice plain_on(const struct multilink *ml, unsigned line, struct packet *p,
			      sb_time numbered, sb_time now)
{
	const struct lane *l = &ml->lanes[line];
	sb_time passage = l->line.delay + lane_plain_time(l, p);
	sb_time free = numbered <= now ? lane_next_start(l, now) : lane_free_at(l, now);
	sb_time arrives =
		sb_time_max(free + passage, in_order_from(&ml->courses[p->flow], line, numbered));

	return (struct choice){.line = line, .start = arrives - passage, .arrives = arrives};
}

static double highest_rate(const struct multilink *ml)
{
	double rate = 0;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		if (ml->lanes[i].up && lane_rate(&ml->lanes[i]) > rate)
			rate = lane_rate(&ml->lanes[i]);
	return rate;
}

/*
 * What arriving over a live line is worth: its frames are short, and to leave it
 * for one that is free a moment sooner would make that one cut its frames too. But
 * not if there are faster ones, which are a better place to be live.
 */
static sb_time worth(const struct multilink *ml, const struct lane *l, sb_time now)
{
	if (!lane_is_live(l, now) || lane_rate(l) < as_fast * highest_rate(ml))
		return 0;
	return l->max_fragment_delay + line_clock_lead(l->line.clock);
}

static struct choice choose_plain(const struct multilink *ml, struct packet *p, sb_time now)
{
	struct choice best = {.line = NO_LINE, .start = SB_NEVER, .arrives = SB_NEVER};
	sb_time best_rank = SB_NEVER, numbered;

	if (p->length > SMALL)
		return best;
	numbered = numbered_until(ml, p->flow, now);
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		const struct lane *l = &ml->lanes[i];
		struct choice c;

		if (!l->up || !lane_takes_plain(l, p))
			continue;
		c = plain_on(ml, i, p, numbered, now);
		if (c.arrives - worth(ml, l, now) >= best_rank)
			continue;
		best = c;
		best_rank = c.arrives - worth(ml, l, now);
	}
	return best;
}

/*
 * Only where few packets wait, and if it is clearly better: the next one of its
 * flow will have to wait until the order lets this one go.
 */
static bool better_numbered(struct multilink *ml, struct packet *p, const struct choice *plain,
			    sb_time now)
{
	struct plan plan;

	if (plain->line == NO_LINE)
		return true;
	if (tiers_packets(ml->config.queue) > ml->lines)
		return false;
	plan = plan_soonest(ml->lanes, p, now);
	return sb_time_max(plan.arrives, multilink_order_holds_until(ml, now)) + JITTER <
		       plain->arrives &&
	       !multilink_overtakes_plain(ml, p, &plan, now);
}

static void start_plain(struct multilink *ml, struct packet *p, const struct choice *c, sb_time now,
			struct piece *piece)
{
	struct course *course = &ml->courses[p->flow];

	course->plain_line = c->line;
	course->plain_until = c->arrives;
	ml->lanes[c->line].live_until = now + LIVE;
	*piece = (struct piece){
		.packet = p, .length = p->length, .plain = true, .begin = true, .end = true};
}

bool multilink_pull_plain(struct multilink *ml, unsigned line, sb_time now, struct piece *piece)
{
	struct packet *p = backlog_peek_sparse(&ml->backlog, now);
	struct lane *l = &ml->lanes[line];
	struct choice c;

	if (!p)
		return false;
	c = choose_plain(ml, p, now);
	if (backlog_is_empty(&ml->backlog) && better_numbered(ml, p, &c, now)) {
		backlog_queue_sparse(&ml->backlog, now, p);
		return false;
	}
	if (c.line != line || c.start > lane_next_start(l, now)) {
		lane_ask_again(l, sb_time_max(c.start, now + JITTER));
		return false;
	}
	start_plain(ml, backlog_take_sparse(&ml->backlog, now, p), &c, now, piece);
	return true;
}
