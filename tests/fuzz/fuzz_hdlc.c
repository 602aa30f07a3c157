/* SPDX-License-Identifier: MIT */
/*
 * Any octets are an HDLC-like stream. Input: FCS and map, longest frame, cut, then
 * the stream.
 *
 * Whatever comes: frames are within the limit, every cut gives the same, and what
 * was decoded comes back from its own encoding.
 */
#include "ppp/hdlc.h"
#include "tests/fuzz/cuts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct target {
	struct hdlc_decoder_config config;
	struct hdlc_decoder *decoder;
};

static bool next(void *state, struct bytes *in, struct bytes *frame)
{
	struct target *t = state;
	return hdlc_decoder_next(t->decoder, in, frame);
}

static void comes_back(void *state, struct bytes sent)
{
	static uint8_t memory[2 * (2 + 255 + 4) + 2];
	const struct target *t = state;
	struct asyncmap map = asyncmap_from_accm(t->config.receive_accm);
	struct hdlc_encoding e = {.map = &map, .fcs = t->config.fcs, .opening_flag = true};
	struct buf out = buf_over(memory, hdlc_encoded_length(&e, sent));
	struct hdlc_decoder *d = hdlc_decoder_new(&t->config);
	struct bytes frame;

	REQUIRE(d && out.capacity <= sizeof memory);
	hdlc_encode(&out, &e, sent);
	REQUIRE(!out.overflow && out.length == out.capacity);
	struct bytes in = buf_bytes(&out);
	REQUIRE(hdlc_decoder_next(d, &in, &frame));
	REQUIRE(in.length == 0 && frame.length == sent.length);
	REQUIRE(memcmp(frame.at, sent.at, sent.length) == 0);
	REQUIRE(hdlc_decoder_counters(d)->removed == 0);
	hdlc_decoder_free(d);
}

static struct hdlc_counters decode(struct record *r, const struct hdlc_decoder_config *config,
				   struct bytes wire, uint32_t seed, size_t most)
{
	struct target t = {.config = *config, .decoder = hdlc_decoder_new(config)};
	REQUIRE(t.decoder);
	decode_cut(r, &(struct stream_decoder){&t, next, comes_back}, wire, seed, most);
	struct hdlc_counters counters = *hdlc_decoder_counters(t.decoder);
	REQUIRE(counters.bytes + counters.frames * sizeof(size_t) == r->frames.length);
	REQUIRE(counters.bytes <= counters.frames * config->max_frame);
	REQUIRE(counters.high_bits <= wire.length && counters.removed <= wire.length);
	hdlc_decoder_free(t.decoder);
	return counters;
}

/* Frames without FCS are the most likely to get through: half of the inputs. */
static struct hdlc_decoder_config config_from(uint8_t choice, uint8_t length)
{
	static const enum hdlc_fcs fcs[] = {HDLC_FCS_NONE, HDLC_FCS_16, HDLC_FCS_NONE, HDLC_FCS_32};
	static const uint32_t accm[] = {0, 0x000a0000, 0x200a0000, ACCM_DEFAULT};
	return (struct hdlc_decoder_config){
		.max_frame = 2 + (size_t)length,
		.fcs = fcs[choice & 3],
		.receive_accm = accm[choice >> 2 & 3],
	};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct record whole, cut;

	if (size < 3)
		return 0;
	struct hdlc_decoder_config config = config_from(data[0], data[1]);
	struct bytes wire = bytes_of(data + 3, size - 3);
	struct hdlc_counters a = decode(&whole, &config, wire, 0, 0);
	struct hdlc_counters b = decode(&cut, &config, wire, data[2], 1 + data[2] % 32);
	REQUIRE(same_record(&whole, &cut));
	REQUIRE(memcmp(&a, &b, sizeof a) == 0);
	return 0;
}
