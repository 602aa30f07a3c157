/* SPDX-License-Identifier: MIT */
/*
 * A line as the stripe sees it: what is bound to it, and what it can promise.
 * Internal to sched/; not installed.
 */
#ifndef SCHED_MEMBER_H
#define SCHED_MEMBER_H

#include "sched/stripe.h"

enum { MEMBER_SLOTS = 1024 }; /* packets bound to one line; a power of two */

/* A place in a line's future. */
struct slot {
	struct packet *packet;
	sb_time not_before;  /* instant: starting sooner would endanger the order */
	sb_time arrives;     /* instant, as of the last survey */
	uint32_t characters; /* on this line's wire */
	bool waited;         /* the line's patience has been spent on it */
};

/* A packet that has started. */
struct flight {
	uint32_t flow, order;
	sb_time starts, arrives; /* instants; arrives: as it looks now */
	sb_time planned;         /* instant at which it was to arrive when it started */
};

struct member {
	bool up;
	struct stripe_line line;
	size_t unsent;        /* characters of the frame in progress */
	struct flight flight; /* the frame that started last */
	double late, sent; /* ns, decaying: how much later than planned frames were, of how much */
	double crowding;   /* as of the last survey; see member_crowding */
	sb_time free_at;   /* instant after all that is bound, as of the last survey */
	double sparse_sum; /* characters, decaying; see member.c */
	sb_time sparse_since; /* instant the sum began */
	sb_time sparse_at;    /* instant of its last change */
	sb_time patience;     /* duration it may still idle for the sake of order */
	sb_time patience_at;  /* instant of that */
	uint32_t first, count;
	struct slot slots[MEMBER_SLOTS]; /* a ring */
};

/* A line that comes up, with nothing bound. mtu: in characters, about. */
void member_up(struct member *, const struct stripe_line *, size_t mtu, sb_time now);

/* The i-th slot, i < count. */
static inline struct slot *member_slot(struct member *m, uint32_t i)
{
	return &m->slots[(m->first + i) % MEMBER_SLOTS];
}
static inline bool member_full(const struct member *m)
{
	return m->count == MEMBER_SLOTS;
}
/* A new last slot; the member is not full. */
struct slot *member_push(struct member *);
/* Takes out the first slot; count > 0. */
struct slot member_shift(struct member *);

/* Characters per second. */
double stripe_line_rate(const struct stripe_line *);
double member_rate(const struct member *);
/* Characters of the packet on this line's wire; remembered in the packet. */
uint32_t stripe_line_length(const struct stripe_line *, struct packet *);
uint32_t member_length(const struct member *, struct packet *);

/* A sparse packet of that many characters goes ahead of what is bound. */
void member_sparse(struct member *, size_t mtu, size_t characters, sb_time now);
/* How much longer bound packets take for those, and for the line's own lateness; >= 1. */
double member_crowding(const struct member *, sb_time now);
/* A duration, crowded. */
sb_time member_crowded(sb_time duration, double crowding);

/* The instant the line could begin a frame ahead of all that is bound to it. */
sb_time member_next_start(const struct member *, sb_time now);
/*
 * Reckons anew when the frame on the wire and each slot's packet will arrive, and
 * when the line is free.
 */
void member_survey(struct member *, sb_time now);
/* From the start of a frame of that many characters to its arrival, crowded. */
sb_time member_passage(const struct member *, size_t characters);

/* A packet starts, and is to arrive then. Before that: how late was the one before? */
void member_start(struct member *, const struct packet *, sb_time arrives, sb_time now);

/* What may be spent on waiting for order now; half of the time, saved up to a frame's. */
sb_time member_patience(const struct member *, size_t mtu, sb_time now);
void member_spend(struct member *, size_t mtu, sb_time wait, sb_time now);

#endif
