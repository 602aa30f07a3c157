/* SPDX-License-Identifier: MIT */
/*
 * What the fuzzers of stream decoders share: a stream decoded whole and in pieces
 * must give the same record of frames and counters.
 *
 * A piece lies in a heap block of exactly its size that is gone before the next
 * one, so that the address sanitizer sees a decoder that reads past its input or
 * keeps it.
 */
#ifndef TESTS_FUZZ_CUTS_H
#define TESTS_FUZZ_CUTS_H

#include <stdlib.h>

#include "serialbundle/bytes.h"

#define REQUIRE(what)                                                                              \
	do {                                                                                       \
		if (!(what))                                                                       \
			abort();                                                                   \
	} while (0)

/* What one decoding gave: every frame with its length before it. */
struct record {
	struct buf frames;
	uint8_t memory[1 << 17];
};

struct stream_decoder {
	void *state;
	bool (*next)(void *state, struct bytes *in, struct bytes *frame);
	void (*check)(void *state, struct bytes frame); /* of each frame, or NULL */
};

static inline void record_frame(struct record *r, struct bytes frame)
{
	buf_append(&r->frames, bytes_of(&frame.length, sizeof frame.length));
	buf_append(&r->frames, frame);
	REQUIRE(!r->frames.overflow);
}

static inline void decode_piece(struct record *r, const struct stream_decoder *d,
				struct bytes piece)
{
	uint8_t *copy = malloc(piece.length);
	REQUIRE(copy);
	memcpy(copy, piece.at, piece.length);
	struct bytes in = bytes_of(copy, piece.length), frame;
	while (d->next(d->state, &in, &frame)) {
		record_frame(r, frame);
		if (d->check)
			d->check(d->state, frame);
	}
	REQUIRE(in.length == 0);
	free(copy);
}

/* In pieces of 1 to `most` octets, as the seed draws them; in one when most is 0. */
static inline void decode_cut(struct record *r, const struct stream_decoder *d, struct bytes wire,
			      uint32_t seed, size_t most)
{
	r->frames = buf_over(r->memory, sizeof r->memory);
	while (wire.length) {
		seed = seed * 1664525 + 1013904223;
		size_t n = most ? 1 + (seed >> 16) % most : wire.length;
		n = n < wire.length ? n : wire.length;
		decode_piece(r, d, bytes_of(wire.at, n));
		wire = bytes_skip(wire, n);
	}
}

static inline bool same_record(const struct record *a, const struct record *b)
{
	return a->frames.length == b->frames.length &&
	       memcmp(a->memory, b->memory, a->frames.length) == 0;
}

#endif
