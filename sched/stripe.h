/* SPDX-License-Identifier: MIT */
/*
 * The stripe: which packet goes over which line, decided as late as possible.
 *
 * Whole packets, without sequence numbers: the receiver delivers in the order of
 * arrival, so the sender makes arrival order the sending order. stripe.c opens
 * with the algorithm.
 */
#ifndef SCHED_STRIPE_H
#define SCHED_STRIPE_H

#include "sched/line_clock.h"
#include "sched/tiers.h"

enum { STRIPE_MAX_LINES = 64 };

struct stripe_config {
	struct packet_pool *pool; /* borrowed */
	struct tiers *queue;      /* borrowed; the stripe is its only reader */
	uint32_t mtu;             /* bytes */
};

/* What the stripe knows of a line; all borrowed while the line is up. */
struct stripe_line {
	const struct line_clock *clock;
	sb_time delay; /* duration, one way, as far as known */
	packet_length_on *encoded_length;
	const void *coding; /* for encoded_length; lines that share it have the same lengths */
	/* Of multilink only: */
	uint32_t fragment_overhead; /* characters of a fragment besides its data */
	uint32_t mru; /* bytes of an information field that the peer takes; 0: any number */
};

struct stripe;

struct stripe *stripe_new(const struct stripe_config *); /* NULL: out of memory */
void stripe_free(struct stripe *);                       /* puts bound packets back */

/* Lines are numbered 0 .. STRIPE_MAX_LINES - 1 by the owner. */
void stripe_line_up(struct stripe *, unsigned line, const struct stripe_line *, sb_time now);
/* The line left: all that was bound, here or there, is bound anew, in order. */
void stripe_line_down(struct stripe *, unsigned line);
/*
 * What of the frame in progress the port has not taken yet, in characters: it
 * stands before anything that is bound. The owner keeps this current.
 */
void stripe_line_unsent(struct stripe *, unsigned line, size_t characters);

/*
 * The line can start another frame within its lead: the packet for it, or NULL
 * when none is better off here. The caller owns the packet.
 */
struct packet *stripe_pull(struct stripe *, unsigned line, sb_time now);
/* Takes back a packet that did not get through whole: it goes out first, on a line that is up. */
void stripe_return(struct stripe *, struct packet *);

/* Takes over a packet that another had out of the queue: it goes out before all others. */
void stripe_adopt(struct stripe *, struct packet *);
/* Gives up all that is out of the queue, in order, one after the other; NULL: no more. */
struct packet *stripe_surrender(struct stripe *);

/* The instant at which an idle line should ask again though nothing new came, or SB_NEVER. */
sb_time stripe_deadline(const struct stripe *, unsigned line);

/* Drops what has arrived before `before` and is bound to no line; how many. */
uint32_t stripe_expire(struct stripe *, sb_time before);
/* Arrival of the oldest of those, or SB_NEVER. */
sb_time stripe_oldest(const struct stripe *);

/* Sum of the rates of the lines that are up, characters per second. */
double stripe_rate(const struct stripe *);
/* Bytes out of the queue that have not started: bound to a line or waiting to be. */
uint32_t stripe_bound_bytes(const struct stripe *);
uint32_t stripe_bound_packets(const struct stripe *);

#endif
