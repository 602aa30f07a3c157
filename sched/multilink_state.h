/* SPDX-License-Identifier: MIT */
/* What a multilink is made of; for multilink*.c alone. */
#ifndef SCHED_MULTILINK_STATE_H
#define SCHED_MULTILINK_STATE_H

#include "sched/backlog.h"
#include "sched/plan.h"

enum { NO_LINE = STRIPE_MAX_LINES };
#define GUARD  SB_MS       /* between packets of a flow that nothing else keeps in order */
#define JITTER (2 * SB_MS) /* of timers at both ends */

/* What of a flow is under way; instants, as it looked when they started. */
struct course {
	sb_time plain_until;   /* its last plain packet has arrived */
	unsigned plain_line;   /* over this line; NO_LINE: none that matters */
	sb_time ordered_until; /* its last numbered one, and all before that, have arrived */
};

struct multilink {
	struct multilink_config config;
	struct backlog backlog;
	uint32_t flows;
	struct course *courses; /* per flow */
	uint32_t sequence;      /* of the next piece */
	unsigned lines;         /* up */
	sb_time traffic_until;
	struct lane lanes[STRIPE_MAX_LINES];
};

/* When all that has a number so far will have arrived. */
sb_time multilink_order_holds_until(const struct multilink *, sb_time now);
/* Whether the packet would come out before a plain one of its flow that went earlier. */
bool multilink_overtakes_plain(const struct multilink *, const struct packet *, const struct plan *,
			       sb_time now);
/* A sparse packet ahead of its turn, if this is the line for it, and the time. multilink_plain.c */
bool multilink_pull_plain(struct multilink *, unsigned line, sb_time now, struct piece *);
/* What is bound goes back, whole. multilink_change.c */
void multilink_unbind_all(struct multilink *);

#endif
