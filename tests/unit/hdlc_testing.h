/* SPDX-License-Identifier: MIT */
/*
 * What the tests of the HDLC-like framing share: a decoder fed in one read or in
 * pieces, and an encoder that is held to its announced length.
 */
#ifndef TESTS_UNIT_HDLC_TESTING_H
#define TESTS_UNIT_HDLC_TESTING_H

#include "ppp/hdlc.h"
#include "tests/unit/codec_testing.h"

enum { MRU_FRAME = 1504 };

/* The shortest that is of use, with FCS-16. */
#define GOOD_WIRE  "7e ff 03 3d 30 31 e1 7e"
#define GOOD_FRAME "ff 03 3d 30"

static const enum hdlc_fcs every_fcs[] = {HDLC_FCS_NONE, HDLC_FCS_16, HDLC_FCS_32};
static struct frames got;
static uint8_t wire_memory[1 << 16];

static inline bool next(void *decoder, struct bytes *in, struct bytes *frame)
{
	return hdlc_decoder_next(decoder, in, frame);
}

static inline struct hdlc_decoder *decoder_new(size_t max_frame, enum hdlc_fcs fcs, uint32_t accm)
{
	struct hdlc_decoder *d = hdlc_decoder_new(&(struct hdlc_decoder_config){
		.max_frame = max_frame,
		.fcs = fcs,
		.receive_accm = accm,
	});
	ck_assert_ptr_nonnull(d);
	return d;
}

static inline void feed(struct hdlc_decoder *d, struct bytes wire)
{
	collect(&got, next, d, wire, 0, wire.length);
}

/* Decodes a stream with FCS-16 and a new decoder; the counters it ended with. */
static inline struct hdlc_counters decode_with(size_t max_frame, uint32_t accm, struct bytes wire)
{
	struct hdlc_decoder *d = decoder_new(max_frame, HDLC_FCS_16, accm);
	frames_clear(&got);
	feed(d, wire);
	struct hdlc_counters counters = *hdlc_decoder_counters(d);
	hdlc_decoder_free(d);
	return counters;
}

static inline struct hdlc_counters decode(struct bytes wire)
{
	return decode_with(MRU_FRAME, 0, wire);
}

static inline uint64_t faults(const struct hdlc_counters *c)
{
	return c->bad_fcs + c->too_long + c->runts + c->aborts;
}

static inline void assert_decodes_to(struct bytes wire, struct bytes frame)
{
	struct hdlc_counters counters = decode(wire);
	ck_assert_uint_eq(got.count, 1);
	assert_octets(got.at[0], frame);
	ck_assert_uint_eq(counters.frames, 1);
	ck_assert_uint_eq(counters.bytes, frame.length);
	ck_assert_uint_eq(faults(&counters), 0);
}

static inline struct bytes encode_with(const struct hdlc_encoding *e, struct bytes frame)
{
	struct buf out = buf_over(wire_memory, sizeof wire_memory);
	hdlc_encode(&out, e, frame);
	ck_assert(!out.overflow);
	ck_assert_uint_eq(out.length, hdlc_encoded_length(e, frame));
	return buf_bytes(&out);
}

static inline struct bytes encode(uint32_t accm, enum hdlc_fcs fcs, struct bytes frame)
{
	struct asyncmap map = asyncmap_from_accm(accm);
	struct hdlc_encoding e = {.map = &map, .fcs = fcs, .opening_flag = true};
	return encode_with(&e, frame);
}

#endif
