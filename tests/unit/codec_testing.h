/* SPDX-License-Identifier: MIT */
/*
 * What the codec tests share: octets written as hex, a repeatable random source,
 * and a collector that feeds a stream decoder in any cut.
 *
 * Every piece is handed over in a heap block of exactly its size, gone before the
 * next one: a decoder that reads past its input, or keeps a pointer to it, meets
 * the address sanitizer.
 */
#ifndef TESTS_UNIT_CODEC_TESTING_H
#define TESTS_UNIT_CODEC_TESTING_H

#include <check.h>
#include <stdlib.h>

#include "serialbundle/bytes.h"

static inline unsigned hex_digit(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* "c0 45" as two octets. The view lives until some 64 KB of others were made. */
static inline struct bytes hex(const char *text)
{
	static uint8_t arena[1 << 16];
	static size_t used;
	size_t most = strlen(text) / 2 + 1;

	if (used + most > sizeof arena)
		used = 0;
	struct buf out = buf_over(arena + used, most);
	for (; *text; text++)
		if (*text != ' ') {
			buf_put(&out, (uint8_t)(hex_digit(text[0]) << 4 | hex_digit(text[1])));
			text++;
		}
	used += out.length;
	return buf_bytes(&out);
}

static inline void assert_octets(struct bytes got, struct bytes want)
{
	ck_assert_uint_eq(got.length, want.length);
	ck_assert_mem_eq(got.at, want.at, want.length);
}

/* splitmix64 */
static inline uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

static inline size_t random_below(uint64_t *state, size_t n)
{
	return (size_t)(next_random(state) % n);
}

/* Random octets, half of them out of `favoured`, since those are where bugs live. */
static inline void random_fill(uint64_t *state, uint8_t *at, size_t n, struct bytes favoured)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t r = next_random(state);
		at[i] = r & 1 ? (uint8_t)(r >> 8) : favoured.at[(r >> 8) % favoured.length];
	}
}

struct frames {
	size_t count;
	struct bytes at[512]; /* into memory */
	struct buf store;
	uint8_t memory[1 << 18];
};

static inline void frames_clear(struct frames *f)
{
	f->count = 0;
	f->store = buf_over(f->memory, sizeof f->memory);
}

typedef bool next_frame_fn(void *decoder, struct bytes *in, struct bytes *frame);

static inline void collect_piece(struct frames *f, next_frame_fn *next, void *decoder,
				 struct bytes piece)
{
	uint8_t *copy = malloc(piece.length);
	ck_assert_ptr_nonnull(copy);
	memcpy(copy, piece.at, piece.length);
	struct bytes in = bytes_of(copy, piece.length), frame;
	while (next(decoder, &in, &frame)) {
		ck_assert_uint_lt(f->count, sizeof f->at / sizeof f->at[0]);
		f->at[f->count++] = bytes_of(f->store.at + f->store.length, frame.length);
		buf_append(&f->store, frame);
		ck_assert(!f->store.overflow);
	}
	ck_assert_uint_eq(in.length, 0);
	free(copy);
}

/* Feeds wire in pieces: the first of `first` octets, the others of `every`. */
static inline void collect(struct frames *f, next_frame_fn *next, void *decoder, struct bytes wire,
			   size_t first, size_t every)
{
	size_t size = first ? first : every;

	while (wire.length) {
		size_t n = size < wire.length ? size : wire.length;
		collect_piece(f, next, decoder, bytes_of(wire.at, n));
		wire = bytes_skip(wire, n);
		size = every;
	}
}

static inline void assert_same_frames(const struct frames *got, const struct frames *want)
{
	ck_assert_uint_eq(got->count, want->count);
	for (size_t i = 0; i < want->count; i++)
		assert_octets(got->at[i], want->at[i]);
}

static inline bool same_octets(struct bytes a, struct bytes b)
{
	return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

static inline int run_suite(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}

#endif
