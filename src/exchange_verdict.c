/* SPDX-License-Identifier: MIT */
/* What limits a bundle, by what it and its lines know. */
#define _DEFAULT_SOURCE
#include "src/exchange_state.h"

#include "src/line_shape.h"

static sb_time held(const struct line *l, sb_time now)
{
	if (l->state != LINE_STALLED)
		return 0;
	return now - (l->blocked_since == SB_NEVER ? l->since : l->blocked_since);
}

static double overruns(struct exchange *x, unsigned i, sb_time now)
{
	unsigned k = x->bundle_of[i];

	return k == NO_BUNDLE ? 0 : bundle_overruns(x->bundles[k].bundle, i, now);
}

void exchange_line_facts(struct exchange *x, unsigned i, sb_time now, const struct report_line *r,
			 struct verdict_line *f)
{
	struct line *l = &x->lines[i];
	bool shaped = line_shaped_bps(l) < line_bps(l);

	*f = (struct verdict_line){
		.name = r->name,
		.up = r->up,
		.silent = l->state == LINE_SILENT,
		.given_bps = l->clock.given_bps,
		.bps = l->clock.bps,
		.busy_out = r->busy_out,
		.busy_in = r->busy_in,
		.starved = meter_read(&l->starved, now).over_2s / (double)SB_SEC,
		.held = held(l, now),
		.loss_out = r->loss_out,
		.loss_in = r->loss_in,
		.overruns = overruns(x, i, now),
		.shaped_from = shaped ? line_bps(l) : 0,
	};
}

struct verdict exchange_verdict(struct exchange *x, unsigned k, sb_time now,
				const struct verdict_line *lines, unsigned count)
{
	struct verdict_facts facts;

	bundle_facts(x->bundles[k].bundle, now, &facts);
	facts.lines = lines;
	facts.line_count = count;
	return verdict_on(&facts);
}
