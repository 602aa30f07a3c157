/* SPDX-License-Identifier: MIT */
/*
 * What was handed over when: characters by their numbers (modulo 2^32), in the order of time. The
 * oldest are forgotten.
 */
#ifndef SCHED_SPELLS_H
#define SCHED_SPELLS_H

#include "serialbundle/time.h"

#include <stdbool.h>
#include <stdint.h>

enum { SPELLS = 256 };

/* Characters that were handed over one after the other. */
struct spell {
	uint32_t begin, end; /* numbers; at least one */
	sb_time from, to;    /* instants */
	sb_time pause;       /* duration without any before it, if worth the name; else 0 */
};

struct spells { /* all zero: none */
	struct spell ring[SPELLS];
	unsigned first, count;
};

/* The number a is a later one than b. */
static inline bool spells_later(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) > 0;
}

void spells_add(struct spells *, const struct spell *);
/* The instant of the last character before this number. There are spells. */
sb_time spells_time_of(const struct spells *, uint32_t number);
/* The longest pause between two characters. */
sb_time spells_pause_between(const struct spells *, uint32_t a, uint32_t b);

#endif
