/* SPDX-License-Identifier: MIT */
/*
 * From the numbers of fragments, which wrap, to places, which do not; and when
 * the peer begins to number anew. numbering.c opens with how that is told.
 */
#ifndef PPP_NUMBERING_H
#define PPP_NUMBERING_H

#include "ppp/mp.h"

struct numbering {
	uint32_t numbers; /* how many there are: a power of two */
	uint32_t window;  /* places */
	bool begun;       /* a fragment has come since they began */
	unsigned surprises;
	uint32_t last_surprise;
};

void numbering_init(struct numbering *, bool is_short, uint32_t window);

/* The place of a number when they begin. */
uint64_t numbering_first_place(uint32_t sequence);
/* The one nearest to `next`. */
uint64_t numbering_place(const struct numbering *, uint64_t next, uint32_t sequence);

/* Of a place: last is the last one heard on the link. */
bool numbering_is_surprise(const struct numbering *, uint64_t next, uint64_t last, uint64_t place);
/* A surprise came: do the numbers begin anew with it? If not, it is to be dropped. */
bool numbering_is_new(struct numbering *, const struct mp_header *, bool first_of_link);
/* A fragment came that was none. */
void numbering_expected(struct numbering *);
void numbering_restart(struct numbering *);

#endif
