/* SPDX-License-Identifier: MIT */
/*
 * From the numbers of fragments, which wrap, to places, which do not; and when
 * the peer begins to number anew. numbering.c opens with how that is told.
 */
#ifndef PPP_NUMBERING_H
#define PPP_NUMBERING_H

#include "ppp/mp.h"
#include "serialbundle/time.h"

struct numbering {
	uint32_t numbers;  /* how many there are: a power of two */
	sb_time most_deaf; /* duration */
	bool begun;        /* a fragment has come since they began */
	unsigned surprises;
	uint32_t last_surprise;
	unsigned dropped;   /* fragments in a row */
	sb_time deaf_since; /* instant of the first of them */
};

void numbering_init(struct numbering *, bool is_short, sb_time most_deaf);
/* Places; a window has to be smaller. */
uint32_t numbering_far(const struct numbering *);

/* The place of a number when they begin. */
uint64_t numbering_first_place(uint32_t sequence);
/* The one nearest to `next`. */
uint64_t numbering_place(const struct numbering *, uint64_t next, uint32_t sequence);

/* Neither behind `next` nor far ahead. */
bool numbering_is_expected(const struct numbering *, uint64_t next, uint64_t place);
/* Something came that is, and something that is not expected. */
void numbering_expected(struct numbering *);
bool numbering_is_new(struct numbering *, const struct mp_header *, bool is_first, bool is_late,
		      sb_time now);
void numbering_restart(struct numbering *);

#endif
