/* SPDX-License-Identifier: MIT */
/* A queue of characters in a fixed piece of memory. */
#ifndef NULLMODEM_RING_H
#define NULLMODEM_RING_H

#include "serialbundle/bytes.h"

struct ring {
	uint8_t *at;
	size_t size;
	size_t head, held; /* `held` characters from `head` on, around the end */
};

/* Makes it hold at least `size`, keeping what it holds. False: out of memory. */
bool ring_grow(struct ring *, size_t size);
void ring_free(struct ring *);

static inline size_t ring_space(const struct ring *r)
{
	return r->size - r->held;
}

void ring_append(struct ring *, struct bytes);        /* that fit */
void ring_take(struct ring *, uint8_t *at, size_t n); /* n that it holds */
void ring_clear(struct ring *);

#endif
