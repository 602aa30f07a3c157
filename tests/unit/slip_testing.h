/* SPDX-License-Identifier: MIT */
/*
 * What the tests of SLIP share: a decoder fed in one read or in pieces, and an
 * encoder that is held to its announced length.
 */
#ifndef TESTS_UNIT_SLIP_TESTING_H
#define TESTS_UNIT_SLIP_TESTING_H

#include "slip/slip.h"
#include "tests/unit/codec_testing.h"

enum { MTU = 1006 };

static struct frames got;
static uint8_t wire_memory[1 << 18];

static inline bool next(void *decoder, struct bytes *in, struct bytes *frame)
{
	return slip_decoder_next(decoder, in, frame);
}

/* Decodes a stream with a new decoder, cut as told; the counters it ended with. */
static inline struct slip_counters decode_cut(struct frames *f, size_t max_frame, struct bytes wire,
					      size_t first, size_t every)
{
	struct slip_decoder *d = slip_decoder_new(max_frame);
	ck_assert_ptr_nonnull(d);
	frames_clear(f);
	collect(f, next, d, wire, first, every);
	struct slip_counters counters = *slip_decoder_counters(d);
	slip_decoder_free(d);
	return counters;
}

static inline struct slip_counters decode(struct bytes wire)
{
	return decode_cut(&got, MTU, wire, 0, wire.length);
}

static inline struct bytes encode(struct bytes packet)
{
	struct buf out = buf_over(wire_memory, sizeof wire_memory);
	slip_encode(&out, packet);
	ck_assert(!out.overflow);
	ck_assert_uint_eq(out.length, slip_encoded_length(packet));
	return buf_bytes(&out);
}

static inline void assert_round_trip(struct bytes packet)
{
	struct slip_counters counters = decode(encode(packet));
	ck_assert_uint_eq(got.count, 1);
	assert_octets(got.at[0], packet);
	ck_assert_uint_eq(counters.frames, 1);
	ck_assert_uint_eq(counters.bytes, packet.length);
	ck_assert_uint_eq(counters.bad_escapes + counters.too_long, 0);
}

#endif
