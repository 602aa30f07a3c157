/* SPDX-License-Identifier: MIT */
/*
 * The stripe: which packet goes over which line, decided as late as possible.
 *
 * See stripe.c for the algorithm and its derivation.
 */
#ifndef SCHED_STRIPE_H
#define SCHED_STRIPE_H

#include "sched/fq_codel.h"
#include "sched/line_clock.h"

enum { STRIPE_MAX_LINES = 64 };

struct stripe_config {
	struct packet_pool *pool; /* borrowed */
	struct fq_codel *queue;   /* borrowed; the stripe is its only reader */
	uint32_t flows;           /* as the queue's */
	uint32_t mtu;             /* bytes */
	/* Characters that a packet takes on the wire; the same answer for the same bytes. */
	size_t (*encoded_length)(struct bytes packet);
};

struct stripe;

struct stripe *stripe_new(const struct stripe_config *); /* NULL: out of memory */
void stripe_free(struct stripe *);                       /* puts bound packets back */

/* Lines are numbered 0 .. STRIPE_MAX_LINES - 1 by the owner. */
struct stripe_line {
	const struct line_clock *clock; /* borrowed while the line is up */
	sb_time delay;                  /* one-way propagation, as far as known */
};
void stripe_line_up(struct stripe *, unsigned line, const struct stripe_line *, sb_time now);
/* The line left: what was bound to it is bound anew, ahead of all else. */
void stripe_line_down(struct stripe *, unsigned line, sb_time now);

/*
 * The line can start another frame within its lead: the packet for it, or NULL
 * when none is better off here. The caller owns the packet. Ask when the
 * unsent rest of the line's last frame is 0.
 */
struct packet *stripe_pull(struct stripe *, unsigned line, sb_time now);

/*
 * What of the frame in progress the port has not taken yet, in characters: it
 * stands before anything that is bound. The owner keeps this current.
 */
void stripe_line_unsent(struct stripe *, unsigned line, size_t characters);

/* Takes back a packet that did not get through whole; it goes out first on another line. */
void stripe_return(struct stripe *, struct packet *, sb_time now);

/* When an idle line should ask again though nothing new arrived, or SB_NEVER. */
sb_time stripe_deadline(const struct stripe *, unsigned line, sb_time now);

/* Sum of the rates of the lines that are up, bytes (characters) per second. */
double stripe_rate(const struct stripe *);
/* Packets bound to a line or waiting to be bound anew, bytes. */
uint32_t stripe_bound_bytes(const struct stripe *);

#endif
