/* SPDX-License-Identifier: MIT */
/*
 * Flows on the lines with the least load, as balance-tlb has them. Flows are told apart by a hash,
 * of as many values as the kernel's.
 * Internal to sched/; not installed.
 */
#ifndef SCHED_BALANCE_H
#define SCHED_BALANCE_H

#include "sched/packet.h"
#include "sched/stripe.h"

enum { BALANCE_FLOWS = 256 };

struct balance {
	uint32_t least;       /* bytes that a flow of which nothing is known counts as */
	bool changed;         /* the lines, or their speeds */
	sb_time rebalance_at; /* instant */
	uint64_t moves;       /* of flows to another line than they were on */
	struct balance_flow {
		unsigned line;   /* BALANCE_NONE: none yet */
		uint64_t before; /* bytes, in the interval before this one, */
		uint64_t bytes;  /* and in this one */
	} flows[BALANCE_FLOWS];
};
enum { BALANCE_NONE = STRIPE_MAX_LINES };

/* How fast the lines are, on any scale; 0: not to be used. */
struct balance_speeds {
	double of[STRIPE_MAX_LINES];
};

void balance_init(struct balance *, uint32_t least);
/* The line for a packet of a flow that is waiting; BALANCE_NONE: none is to be used. */
unsigned balance_line(struct balance *, const struct balance_speeds *, const struct packet *);
void balance_sent(struct balance *, const struct packet *);
/* Time has passed: every 10 s the flows are spread anew. */
void balance_tick(struct balance *, const struct balance_speeds *, sb_time now);
/* The lines or their speeds changed: flows are spread anew at the next tick. */
void balance_anew(struct balance *);

#endif
