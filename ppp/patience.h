/* SPDX-License-Identifier: MIT */
/*
 * How long a hole in the sequence is waited for: as long as those that were filled
 * lasted, and half of it again.
 */
#ifndef PPP_PATIENCE_H
#define PPP_PATIENCE_H

#include "serialbundle/time.h"

struct patience {
	sb_time least, most; /* durations: the limits of the limit */
	unsigned filled;     /* holes, up to what is enough to judge by */
	sb_time spread; /* duration: the longest that a hole was filled after, slowly forgotten */
	struct {
		uint64_t from, to; /* places */
		sb_time missed_at; /* instant */
	} given_up;                /* the last hole */
};

/* Duration. */
sb_time patience_limit(const struct patience *);
void patience_filled(struct patience *, sb_time lasted);
/* It ran out for that place. */
void patience_ran_out(struct patience *, uint64_t place, sb_time missed_at);
/* The fragment of a place came that was given up, perhaps for time. */
void patience_came_late(struct patience *, uint64_t place, sb_time now);
/* Places have other fragments now. */
void patience_forget_place(struct patience *);

#endif
