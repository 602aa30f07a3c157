/* SPDX-License-Identifier: MIT */
/* RFC 8289 section 5, in its words where it has any. */
#include "sched/codel.h"

#include <math.h>

/* Section 5.3 (control_law): from one pick to the next. */
static sb_time control_law(const struct codel_params *params, sb_time t, uint32_t count)
{
	return t + (sb_time)((double)params->interval / sqrt((double)count));
}

/*
 * Section 5.6 (dodequeue): has the queue been standing for an interval? Where the
 * RFC notes when it will have been, this notes since when, so that a new interval
 * counts at once.
 */
static bool ok_to_drop(struct codel *c, const struct codel_params *params, sb_time now,
		       sb_time sojourn, uint32_t backlog)
{
	if (sojourn < params->target || backlog <= params->mtu) {
		c->above_since = 0;
		return false;
	}
	if (c->above_since == 0)
		c->above_since = now;
	return now - c->above_since >= params->interval;
}

/*
 * Section 5.5: when the queue stands again soon after it last did, start from the
 * drop rate that was needed then.
 */
static void start_dropping(struct codel *c, const struct codel_params *params, sb_time now)
{
	const uint32_t needed = c->count - c->last_count;
	const bool soon = now - c->drop_next < 16 * params->interval;

	c->dropping = true;
	c->count = needed > 1 && soon ? needed : 1;
	c->last_count = c->count;
	c->drop_next = control_law(params, now, c->count);
}

bool codel_pick(struct codel *c, const struct codel_params *params, sb_time now, sb_time sojourn,
		uint32_t backlog)
{
	if (!ok_to_drop(c, params, now, sojourn, backlog)) {
		c->dropping = false;
		return false;
	}
	if (!c->dropping) {
		start_dropping(c, params, now);
		return true;
	}
	if (now < c->drop_next)
		return false;
	c->count++;
	c->drop_next = control_law(params, c->drop_next, c->count);
	return true;
}

void codel_empty(struct codel *c)
{
	c->above_since = 0;
	c->dropping = false;
}
