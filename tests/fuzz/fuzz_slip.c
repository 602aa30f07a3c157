/* SPDX-License-Identifier: MIT */
/*
 * Any octets are a SLIP stream. Input: longest frame, cut, then the stream.
 *
 * Whatever comes: frames are within the limit, every cut gives the same, and what
 * was decoded comes back from its own encoding.
 */
#include "slip/slip.h"
#include "tests/fuzz/cuts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool next(void *state, struct bytes *in, struct bytes *frame)
{
	return slip_decoder_next(state, in, frame);
}

static void comes_back(void *state, struct bytes packet)
{
	static uint8_t memory[2 * 256 + 2];
	struct slip_decoder *d = slip_decoder_new(packet.length);
	struct buf out = buf_over(memory, slip_encoded_length(packet));
	struct bytes frame;

	(void)state;
	REQUIRE(d && out.capacity <= sizeof memory);
	slip_encode(&out, packet);
	REQUIRE(!out.overflow && out.length == out.capacity);
	struct bytes in = buf_bytes(&out);
	REQUIRE(slip_decoder_next(d, &in, &frame));
	REQUIRE(in.length == 0 && frame.length == packet.length);
	REQUIRE(memcmp(frame.at, packet.at, packet.length) == 0);
	slip_decoder_free(d);
}

static struct slip_counters decode(struct record *r, size_t max_frame, struct bytes wire,
				   uint32_t seed, size_t most)
{
	struct slip_decoder *d = slip_decoder_new(max_frame);
	REQUIRE(d);
	decode_cut(r, &(struct stream_decoder){d, next, comes_back}, wire, seed, most);
	struct slip_counters counters = *slip_decoder_counters(d);
	REQUIRE(counters.bytes + counters.frames * sizeof(size_t) == r->frames.length);
	REQUIRE(counters.bytes <= counters.frames * max_frame);
	slip_decoder_free(d);
	return counters;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct record whole, cut;

	if (size < 2)
		return 0;
	size_t max_frame = (size_t)data[0] + 1;
	struct bytes wire = bytes_of(data + 2, size - 2);
	struct slip_counters a = decode(&whole, max_frame, wire, 0, 0);
	struct slip_counters b = decode(&cut, max_frame, wire, data[1], 1 + data[1] % 32);
	REQUIRE(same_record(&whole, &cut));
	REQUIRE(memcmp(&a, &b, sizeof a) == 0);
	return 0;
}
