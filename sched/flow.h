/* SPDX-License-Identifier: MIT */
/*
 * The parts of fq_codel without a policy: a flow's fifo of packets and lists of
 * flows. Internal to sched/fq_codel*.c.
 */
#ifndef SCHED_FLOW_H
#define SCHED_FLOW_H

#include <assert.h>

#include "sched/codel.h"
#include "sched/packet.h"

/* All zero at first. See fq_codel.c for what the numbers mean. */
struct flow {
	struct flow *prev, *next;    /* in its list */
	struct packet *first, *last; /* first is NULL: idle, and in no list */
	struct codel codel;
	double clear_at; /* value of `drained` at which the debt is gone */
	uint32_t bytes;  /* queued */
	int32_t deficit; /* bulk: what it may still send in this round */
	uint32_t hash;   /* of the flow that it serves, or served last */
	uint32_t guests; /* packets of other flows that wait here */
	bool sparse;     /* which list */
};
static_assert(sizeof(struct flow) <= 96, "1024 flows fit in 100 KB");

void flow_push(struct flow *, struct packet *);
struct packet *flow_pop(struct flow *); /* there must be one */

struct flow_list {
	struct flow *first, *last;
	uint32_t length;
};

void flow_list_put_first(struct flow_list *, struct flow *);
void flow_list_put_last(struct flow_list *, struct flow *);
void flow_list_remove(struct flow_list *, struct flow *);

#endif
