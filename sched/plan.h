/* SPDX-License-Identifier: MIT */
/*
 * How a packet could go over the lanes: whole or cut, and when it would be there.
 * Internal to sched/; not installed.
 */
#ifndef SCHED_PLAN_H
#define SCHED_PLAN_H

#include "sched/lane.h"

struct plan {
	sb_time arrives;                  /* instant its last piece does; SB_NEVER: no plan */
	uint32_t share[STRIPE_MAX_LINES]; /* bytes for each, in the order of sending */
};

/* `lanes` are STRIPE_MAX_LINES; those that are down or full are left out. */

struct plan plan_whole(const struct lane *lanes, unsigned line, struct packet *, sb_time now);
/* Over all lanes or over one, whichever is sooner. */
struct plan plan_soonest(const struct lane *lanes, struct packet *, sb_time now);
/* The same with this line and, of the others, the one that alone would be the soonest. */
struct plan plan_pair(const struct lane *lanes, unsigned line, struct packet *, sb_time now);

#endif
