/* SPDX-License-Identifier: MIT */
/*
 * The two ways bytes are handed around.
 *
 * struct bytes is a borrowed view: valid until the call that got it returns
 * (or, when it was returned, until the next call on the object that gave it).
 * struct buf is a bounded writer over memory of the caller's. Writing past the
 * end sets `overflow`, which sticks, and stores nothing; check it once, at the
 * end.
 */
#ifndef SERIALBUNDLE_BYTES_H
#define SERIALBUNDLE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	const uint8_t *at;
	size_t length;
};

struct buf {
	uint8_t *at;
	size_t length;   /* bytes written so far */
	size_t capacity; /* bytes that fit */
	bool overflow;
};

static inline struct bytes bytes_of(const void *at, size_t length)
{
	return (struct bytes){.at = at, .length = length};
}

/* The view without its first n bytes (n <= length). */
static inline struct bytes bytes_skip(struct bytes b, size_t n)
{
	return (struct bytes){.at = b.at + n, .length = b.length - n};
}

static inline struct buf buf_over(void *at, size_t capacity)
{
	return (struct buf){.at = at, .capacity = capacity};
}

static inline struct bytes buf_bytes(const struct buf *b)
{
	return (struct bytes){.at = b->at, .length = b->length};
}

static inline void buf_put(struct buf *b, uint8_t byte)
{
	if (b->length < b->capacity)
		b->at[b->length++] = byte;
	else
		b->overflow = true;
}

static inline void buf_append(struct buf *b, struct bytes more)
{
	if (more.length > b->capacity - b->length) {
		b->overflow = true;
		return;
	}
	if (more.length)
		memcpy(b->at + b->length, more.at, more.length);
	b->length += more.length;
}

#endif
