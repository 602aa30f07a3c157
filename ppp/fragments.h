/* SPDX-License-Identifier: MIT */
/*
 * The window of reassembly: which places (numbers that do not wrap) have come and
 * which are missing.
 *
 *	        next             top             next + size
 *	 taken   |  held, holes   |   still free   |
 *	---------+----------------+----------------+-----
 */
#ifndef PPP_FRAGMENTS_H
#define PPP_FRAGMENTS_H

#include "ppp/mp.h"
#include "serialbundle/time.h"

struct fragment_slot;
struct fragment_store;

struct fragment { /* that is held */
	bool begin, end;
	size_t length;
	struct fragment_block *data; /* in the store */
};

struct fragments {
	uint64_t next, top;
	unsigned size;               /* places; a power of two */
	struct fragment_slot *slots; /* of place p: p % size */
	struct fragment_store *store;
};

/* False: out of memory. */
bool fragments_init(struct fragments *, unsigned size, size_t store_bytes);
void fragments_free(struct fragments *);

bool fragments_has(const struct fragments *, uint64_t place);
bool fragments_fits(const struct fragments *, uint64_t place, size_t length);
/* Holds what fits and is not there; the places it leaves behind it are missed from now on. */
void fragments_hold(struct fragments *, uint64_t place, const struct mp_header *, struct bytes,
		    sb_time now);
/* Since when a hole below `top` is one: when the first fragment beyond it came. */
sb_time fragments_missed_at(const struct fragments *, uint64_t place);
/* The first place from `next` on that is held; `top`: none. */
uint64_t fragments_end_of_hole(const struct fragments *);

/* What is held at `next`; its data is to be taken out of the store. */
struct fragment fragments_take(struct fragments *);
/* `next` is done with. */
void fragments_step(struct fragments *);
/* Drops all, and goes on from that place. */
void fragments_restart(struct fragments *, uint64_t place);

#endif
