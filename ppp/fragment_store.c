/* SPDX-License-Identifier: MIT */
#include "ppp/fragment_store.h"

#include <assert.h>
#include <stdlib.h>

struct fragment_block {
	struct fragment_block *next; /* of the same fragment, or of the free ones */
	uint8_t octets[FRAGMENT_BLOCK_OCTETS];
};

/* Blocks are first taken in their order: those that never were needed are never touched. */
struct fragment_store {
	struct fragment_block *free; /* that have been used */
	size_t free_count;           /* those, and those from `fresh` on */
	size_t fresh;
	struct fragment_block blocks[];
};

static size_t blocks_for(size_t bytes)
{
	return (bytes + FRAGMENT_BLOCK_OCTETS - 1) / FRAGMENT_BLOCK_OCTETS;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void put_back(struct fragment_store *s, struct fragment_block *b)
{
	b->next = s->free;
	s->free = b;
	s->free_count++;
}

static struct fragment_block *take_free(struct fragment_store *s)
{
	struct fragment_block *b = s->free;

	s->free_count--;
	if (!b)
		return &s->blocks[s->fresh++];
	s->free = b->next;
	return b;
}

struct fragment_store *fragment_store_new(size_t bytes)
{
	size_t count = blocks_for(bytes);
	struct fragment_store *s = malloc(sizeof *s + count * sizeof s->blocks[0]);

	if (!s)
		return NULL;
	s->free = NULL;
	s->free_count = count;
	s->fresh = 0;
	return s;
}

void fragment_store_free(struct fragment_store *s)
{
	free(s);
}

bool fragment_store_fits(const struct fragment_store *s, size_t length)
{
	return blocks_for(length) <= s->free_count;
}

struct fragment_block *fragment_store_put(struct fragment_store *s, struct bytes fragment)
{
	struct fragment_block *first = NULL, **end = &first;

	assert(fragment_store_fits(s, fragment.length));
	while (fragment.length) {
		size_t n = least(fragment.length, FRAGMENT_BLOCK_OCTETS);
		struct fragment_block *b = take_free(s);
		memcpy(b->octets, fragment.at, n);
		fragment = bytes_skip(fragment, n);
		*end = b;
		end = &b->next;
	}
	*end = NULL;
	return first;
}

void fragment_store_take(struct fragment_store *s, struct fragment_block *first, size_t length,
			 struct buf *to)
{
	for (struct fragment_block *b = first; b; b = b->next) {
		size_t n = least(length, FRAGMENT_BLOCK_OCTETS);
		buf_append(to, bytes_of(b->octets, n));
		length -= n;
	}
	fragment_store_drop(s, first);
}

void fragment_store_drop(struct fragment_store *s, struct fragment_block *first)
{
	while (first) {
		struct fragment_block *next = first->next;
		put_back(s, first);
		first = next;
	}
}
