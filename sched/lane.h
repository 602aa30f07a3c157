/* SPDX-License-Identifier: MIT */
/*
 * A line as multilink sees it: what is bound to it, what it costs, when it is free.
 * Internal to sched/; not installed.
 */
#ifndef SCHED_LANE_H
#define SCHED_LANE_H

#include "sched/multilink.h"

enum { LANE_SPANS = 64 }; /* bound to one lane; a power of two */

/*
 * Consecutive bytes of a packet that are bound to one lane and go over it in
 * pieces of `chunk` bytes, numbered from `sequence` on. Holds the packet once. A
 * lane has one of each packet at most.
 */
struct span {
	struct packet *packet;
	uint32_t offset, length;
	uint32_t chunk;
	uint32_t sequence;
	bool owed; /* policy.c's: when the lane leaves the packet is to be sent again */
};

struct lane {
	bool up;
	struct stripe_line line;
	bool bulk;                  /* packets go whole: see multilink.c */
	size_t unsent;              /* characters of the frame in progress */
	sb_time max_fragment_delay; /* duration of a piece while live; 0: any */
	sb_time live_until;         /* instant: a sparse packet came over it not long ago */
	sb_time quiet_from;         /* instant at which the last piece with a number has left */
	sb_time again;              /* instant to ask again, having been refused; or SB_NEVER */
	uint32_t first, count;
	struct span spans[LANE_SPANS]; /* a ring */
};

void lane_up(struct lane *, const struct stripe_line *, sb_time max_fragment_delay, sb_time now);

static inline struct span *lane_span(struct lane *l, uint32_t i)
{
	return &l->spans[(l->first + i) % LANE_SPANS];
}
static inline const struct span *lane_peek(const struct lane *l, uint32_t i)
{
	return &l->spans[(l->first + i) % LANE_SPANS];
}
static inline struct packet *lane_packet(const struct lane *l, uint32_t i)
{
	return lane_peek(l, i)->packet;
}
static inline bool lane_full(const struct lane *l)
{
	return l->count == LANE_SPANS;
}
/*
 * Binds the span, but for its chunk: in as few pieces of up to `most` bytes as may be, and these of
 * about one size. How many; not when the lane is full.
 */
uint32_t lane_push(struct lane *, const struct span *, uint32_t most);
/* Takes out the i-th span, i < count, whose hold is the caller's then. */
struct span lane_take(struct lane *, uint32_t i);
/* The next piece of what is bound; there is some. */
void lane_shift(struct lane *, struct piece *);
/* Takes out the packet's span, whose hold is the caller's then; false: it has none. */
bool lane_remove(struct lane *, const struct packet *);
bool lane_has(const struct lane *, const struct packet *);
/* Bytes bound. */
uint32_t lane_bytes(const struct lane *);

double lane_rate(const struct lane *); /* characters per second */
/* Duration of a plain frame with the packet, and of a frame with so many bytes of it. */
sb_time lane_plain_time(const struct lane *, struct packet *);
sb_time lane_piece_time(const struct lane *, struct packet *, uint32_t bytes);
/* Duration of what a frame has besides data. */
sb_time lane_overhead_time(const struct lane *);
/* Bytes of the packet per second, in pieces of `chunk`. */
double lane_byte_rate(const struct lane *, struct packet *, uint32_t chunk);
/*
 * The most bytes of the packet that one piece may have here: as the peer takes
 * it, and while the lane is live such that no frame takes longer than it may then.
 */
uint32_t lane_chunk(const struct lane *, struct packet *, sb_time now);

/* Instants at which another frame could begin: before what is bound, and after it. */
sb_time lane_next_start(const struct lane *, sb_time now);
sb_time lane_free_at(const struct lane *, sb_time now);
/* Instant at which all that has a number, sent or bound, will have arrived. */
sb_time lane_numbered_until(const struct lane *, sb_time now);

static inline bool lane_is_live(const struct lane *l, sb_time now)
{
	return now < l->live_until;
}
static inline bool lane_takes_plain(const struct lane *l, const struct packet *p)
{
	return !l->line.mru || p->length <= l->line.mru;
}
static inline void lane_ask_again(struct lane *l, sb_time at)
{
	l->again = sb_time_min(l->again, at);
}

#endif
