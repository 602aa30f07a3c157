/* SPDX-License-Identifier: MIT */
/*
 * Any characters come in on an answered line. Input: cut, then the stream.
 *
 * However the stream is cut, the verdict, what the link gets and what is said are
 * the same; what the link gets is PPP to PPP's decoder, or a packet to SLIP's.
 */
#include "src/detect.h"
#include "tests/fuzz/cuts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	struct detect detect;
	struct buf link, said;
	uint8_t link_memory[1 << 13], said_memory[DETECT_OUTPUT_SIZE];
};

static void take(struct seen *s, struct bytes *in)
{
	if (s->detect.verdict == DETECT_UNDECIDED &&
	    detect_input(&s->detect, SB_SEC, in) != DETECT_UNDECIDED)
		buf_append(&s->link, detect_replay(&s->detect));
	detect_output(&s->detect, &s->said); /* one instant: at most one answer */
	buf_append(&s->link, s->detect.verdict == DETECT_UNDECIDED ? bytes_of(NULL, 0) : *in);
	*in = bytes_skip(*in, in->length);
}

static bool next(void *state, struct bytes *in, struct bytes *frame)
{
	(void)frame;
	take(state, in);
	return false;
}

static void see(struct seen *s, struct bytes stream, uint32_t seed, size_t most)
{
	static struct record nothing;

	detect_init(&s->detect);
	s->link = buf_over(s->link_memory, sizeof s->link_memory);
	s->said = buf_over(s->said_memory, sizeof s->said_memory);
	decode_cut(&nothing, &(struct stream_decoder){s, next, NULL}, stream, seed, most);
	REQUIRE(!s->link.overflow && !s->said.overflow);
	REQUIRE(s->said.length == detect_answers(&s->detect) * DETECT_OUTPUT_SIZE);
}

static bool same(const struct buf *a, const struct buf *b)
{
	return a->length == b->length && memcmp(a->at, b->at, a->length) == 0;
}

static void require_sense(const struct seen *s)
{
	static const uint8_t ppp[] = {0x7E, 0xFF, 0x7D, 0x23, 0xC0, 0x21};

	if (s->detect.verdict == DETECT_PPP)
		REQUIRE(s->link.length >= sizeof ppp && memcmp(s->link.at, ppp, sizeof ppp) == 0);
	if (s->detect.verdict == DETECT_SLIP) {
		REQUIRE(s->link.length > 20 && s->link.at[0] == 0xC0);
		REQUIRE(s->link.at[1] >> 4 == 4 || s->link.at[1] >> 4 == 6);
	}
	if (s->detect.verdict == DETECT_UNDECIDED)
		REQUIRE(s->link.length == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct seen whole, cut;

	if (size < 1)
		return 0;
	struct bytes stream = bytes_of(data + 1, size - 1);
	see(&whole, stream, 0, 0);
	see(&cut, stream, data[0], 1 + data[0] % 32);
	REQUIRE(whole.detect.verdict == cut.detect.verdict);
	REQUIRE(same(&whole.link, &cut.link) && same(&whole.said, &cut.said));
	require_sense(&whole);
	return 0;
}
