/* SPDX-License-Identifier: MIT */
/*
 * Parking, with hysteresis.
 *
 * Out: two observations in a row that are bad beyond doubt (twice the bound: 10 % where 5 % is too
 * much), or smoothed ones that are bad by the bound. One that is bad can be chance.
 *
 * In: good without a break for as long as patience has it. A bad observation begins that anew. Each
 * time that a line is parked soon after it came back, its patience is doubled; a line that
 * has been good for as long as the longest patience has earned the first one again.
 *
 * An observation that knows neither loss nor round trip is none. One that knows but one of them
 * does not make good what was last seen of the other.
 */
#include "sched/park.h"

enum { MOST_PATIENCE = 16, BAD_IN_A_ROW = 2 };

static const double smoothing = 0.25; /* weight of the newest observation */
static const double unknown = -1;

void park_init(struct park *p, const struct park_config *config, sb_time now)
{
	*p = (struct park){
		.config = config,
		.loss = unknown,
		.last_loss = unknown,
		.good_since = now,
		.patience = config->good_for,
	};
}

/* --- what is seen --- */

static bool loses(const struct park *p, double loss, double bound)
{
	return p->config->loss_out > 0 && loss >= bound;
}

static bool delays(const struct park *p, sb_time rtt)
{
	return p->config->delay > 0 && rtt > p->config->delay;
}

/* More than what lets a parked line in. */
static bool is_bad(const struct park *p, double loss, sb_time rtt)
{
	const struct park_config *c = p->config;

	if (!p->parked)
		return loses(p, loss, c->loss_out) || delays(p, rtt);
	return (c->loss_out > 0 && loss > c->loss_in) || delays(p, rtt);
}

static void remember(struct park *p, double loss, sb_time rtt)
{
	p->last_loss = loss >= 0 ? loss : p->last_loss;
	p->last_rtt = rtt > 0 ? rtt : p->last_rtt;
	if (loss >= 0)
		p->loss = p->loss < 0 ? loss : p->loss + smoothing * (loss - p->loss);
	if (rtt > 0)
		p->rtt = p->rtt ? p->rtt + (sb_time)(smoothing * (double)(rtt - p->rtt)) : rtt;
}

/* --- out and in --- */

static sb_time most_patience(const struct park *p)
{
	return MOST_PATIENCE * p->config->good_for;
}

static void put_out(struct park *p)
{
	p->patience =
		p->came_back ? sb_time_min(2 * p->patience, most_patience(p)) : p->config->good_for;
	p->times++;
	p->parked = true;
	p->good_since = SB_NEVER;
}

/* What it was before it became good again says nothing any more. */
static void let_in(struct park *p, sb_time now)
{
	p->parked = false;
	p->came_back = true;
	p->bad = 0;
	p->loss = unknown;
	p->rtt = 0;
	p->good_since = now;
}

static bool is_certain(const struct park *p, double loss, sb_time rtt)
{
	return loses(p, loss, 2 * p->config->loss_out) || delays(p, rtt / 2);
}

static bool is_out(const struct park *p, double loss, sb_time rtt)
{
	bool in_a_row = p->bad >= BAD_IN_A_ROW;

	if (in_a_row && is_certain(p, loss, rtt))
		return true;
	return in_a_row && (loses(p, p->loss, p->config->loss_out) || delays(p, p->rtt));
}

static void note_bad(struct park *p, double loss, sb_time rtt)
{
	p->bad++;
	p->good_since = SB_NEVER;
	if (!p->parked && is_out(p, loss, rtt))
		put_out(p);
}

static void note_good(struct park *p, sb_time now)
{
	p->bad = 0;
	if (p->good_since == SB_NEVER)
		p->good_since = now;
}

void park_observe(struct park *p, double loss, sb_time rtt, sb_time now)
{
	if (loss < 0 && rtt <= 0)
		return;
	park_tick(p, now);
	remember(p, loss, rtt);
	if (is_bad(p, loss, rtt))
		note_bad(p, loss, rtt);
	else if (!is_bad(p, p->last_loss, p->last_rtt))
		note_good(p, now);
	park_tick(p, now);
}

static bool is_never(const struct park *p)
{
	return p->config->loss_out <= 0 && p->config->delay <= 0;
}

void park_tick(struct park *p, sb_time now)
{
	if (p->parked && (is_never(p) || now >= park_deadline(p)))
		let_in(p, now);
	if (!p->parked && p->good_since != SB_NEVER && now - p->good_since >= most_patience(p))
		p->came_back = false;
}

sb_time park_deadline(const struct park *p)
{
	return p->parked && p->good_since != SB_NEVER ? p->good_since + p->patience : SB_NEVER;
}
