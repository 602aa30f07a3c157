/* SPDX-License-Identifier: MIT */
/*
 * Spreading over lines whose frames carry sequence numbers (RFC 1990): packets
 * whole on one line or cut so that all pieces end together, decided when a line
 * asks. The receiver restores the order, so an idle line takes what is first in
 * the queue. multilink.c opens with the algorithm.
 *
 * The same verbs as sched/stripe.h, which does it without sequence numbers.
 */
#ifndef SCHED_MULTILINK_H
#define SCHED_MULTILINK_H

#include "sched/stripe.h"

struct multilink_config {
	struct packet_pool *pool; /* borrowed */
	struct tiers *queue;      /* borrowed; this is its only reader while it is in use */
	uint32_t mtu;             /* bytes */
	/*
	 * Duration: while packets of sparse flows come, no other piece takes the line
	 * that carries them for longer. 0: no such bound.
	 */
	sb_time max_fragment_delay;
	sb_time heartbeat; /* duration: a line that sent nothing for so long sends an empty fragment
			      while there is traffic; 0: never */
};

/* What goes into one frame. */
struct piece {
	struct packet *packet;   /* NULL: an empty fragment. The caller holds it: packet_put */
	uint32_t offset, length; /* bytes of the packet */
	bool plain;              /* the whole packet, without a multilink header */
	bool begin, end;
	uint32_t sequence; /* modulo 2^32 */
};

struct multilink;

struct multilink *multilink_new(const struct multilink_config *); /* NULL: out of memory */
void multilink_free(struct multilink *);
void multilink_set_heartbeat(struct multilink *, sb_time heartbeat);
/* Sequence numbers begin at zero again, as the peer's end is a new one. No line is up. */
void multilink_restart(struct multilink *);

/* The number of the next piece; another had them, and they go on from here. */
uint32_t multilink_sequence(const struct multilink *);
void multilink_set_sequence(struct multilink *, uint32_t sequence);

void multilink_line_up(struct multilink *, unsigned line, const struct stripe_line *, sb_time now);
/* The line left: packets with a piece bound to it are sent anew, in order. */
void multilink_line_down(struct multilink *, unsigned line);
void multilink_line_unsent(struct multilink *, unsigned line, size_t characters);
/* False: nothing is better off here now. */
bool multilink_pull(struct multilink *, unsigned line, sb_time now, struct piece *);
/*
 * What a line that has left says last, if it can still send: an empty fragment, so that a peer
 * whom it reaches does not wait for what was cut short on it. False: such a peer may not
 * expect any.
 */
bool multilink_parting(struct multilink *, struct piece *);
/* Takes over a packet that did not get through: it goes out first, whole again. */
void multilink_return(struct multilink *, struct packet *);
/* Takes over a packet that another had out of the queue: it goes out before all others. */
void multilink_adopt(struct multilink *, struct packet *);
/* Packets came from the peer: there is traffic. */
void multilink_heard(struct multilink *, sb_time now);
sb_time multilink_deadline(const struct multilink *, unsigned line);
uint32_t multilink_expire(struct multilink *, sb_time before);
sb_time multilink_oldest(const struct multilink *);
double multilink_rate(const struct multilink *);
uint32_t multilink_bound_bytes(const struct multilink *);
uint32_t multilink_bound_packets(const struct multilink *);
/* Gives up all that is out of the queue, in order, one after the other; NULL: no more. */
struct packet *multilink_surrender(struct multilink *);

#endif
