/* SPDX-License-Identifier: MIT */
/* What a stripe is made of; for stripe*.c alone. */
#ifndef SCHED_STRIPE_STATE_H
#define SCHED_STRIPE_STATE_H

#include "sched/member.h"

enum { NO_LINE = STRIPE_MAX_LINES };
#define GUARD_MIN SB_MS /* between packets of a flow on two lines */

struct arrival {
	sb_time at;
	unsigned line; /* NO_LINE: none that matters */
};

struct stripe {
	struct stripe_config config;
	uint32_t flows;
	struct packet *returned; /* to be bound anew, before head */
	struct packet *head;     /* out of the queue, not bound yet */
	uint16_t *bound;         /* per flow: its packets out of the queue that have not started */
	struct arrival *started; /* per flow: the last to arrive of those sent or being sent */
	struct arrival *latest;  /* per flow: the same, with those in slots */
	uint32_t bound_packets, bound_bytes;
	uint32_t order;
	struct member members[STRIPE_MAX_LINES];
};

/* A line for a packet. */
struct choice {
	unsigned line; /* NO_LINE: none is up */
	sb_time start; /* instant the line is free for it */
	sb_time wait;  /* duration to stay idle then, for the sake of order */
	sb_time arrives;
	double rate;
};

/* --- stripe_choose.c --- */

/* When will what is bound have arrived? Anew each time, since sparse packets push it back. */
void stripe_survey(struct stripe *, sb_time now);
/* How far ahead packets are bound, a duration, as of the last survey. */
sb_time stripe_horizon(const struct stripe *);

/* The line for a packet that goes behind what is bound there. */
struct choice stripe_choose(const struct stripe *, struct packet *, sb_time now);
/* The line for one that goes before what is bound there, and may not overtake its own flow. */
struct choice stripe_choose_now(const struct stripe *, struct packet *, sb_time now);
/* How long the line would have to wait to arrive at `from`, as far as its patience goes. */
sb_time stripe_order_wait(const struct stripe *, unsigned line, sb_time arrives, sb_time from,
			  sb_time now);

/* --- stripe.c --- */

/* The packet is out of the queue, and has not started; and no more so. */
void stripe_count_in(struct stripe *, const struct packet *);
void stripe_count_out(struct stripe *, const struct packet *);
/* Takes out the packet to bind next; NULL: there is none. */
struct packet *stripe_take_next(struct stripe *);

#endif
