/* SPDX-License-Identifier: MIT */
/* A queue of characters: each move is at most two copies, up to the end and from the beginning. */
#include "src/nullmodem/ring.h"

#include <assert.h>
#include <stdlib.h>

bool ring_grow(struct ring *r, size_t size)
{
	if (size <= r->size)
		return true;
	struct ring grown = {.at = malloc(size), .size = size, .held = r->held};
	if (!grown.at)
		return false;
	if (r->held > 0)
		ring_take(r, grown.at, r->held);
	free(r->at);
	*r = grown;
	return true;
}

void ring_free(struct ring *r)
{
	free(r->at);
	*r = (struct ring){0};
}

static size_t up_to_end(const struct ring *r, size_t from, size_t n)
{
	size_t straight = r->size - from;
	return n < straight ? n : straight;
}

void ring_append(struct ring *r, struct bytes in)
{
	assert(in.length <= ring_space(r));
	size_t tail = (r->head + r->held) % r->size;
	size_t first = up_to_end(r, tail, in.length);
	memcpy(r->at + tail, in.at, first);
	memcpy(r->at, in.at + first, in.length - first);
	r->held += in.length;
}

void ring_take(struct ring *r, uint8_t *at, size_t n)
{
	assert(n <= r->held);
	size_t first = up_to_end(r, r->head, n);
	memcpy(at, r->at + r->head, first);
	memcpy(at + first, r->at, n - first);
	r->head = (r->head + n) % r->size;
	r->held -= n;
}

void ring_clear(struct ring *r)
{
	r->head = r->held = 0;
}
