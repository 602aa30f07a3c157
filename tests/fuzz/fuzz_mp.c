/* SPDX-License-Identifier: MIT */
/*
 * Any fragments on any links at any time. Input: an octet of settings, then records
 * of an octet each and what belongs to it:
 *
 *	00ll llll n  a fragment of n octets on link l
 *	01ll llll    link l comes up
 *	10ll llll    link l goes down, or silent if l is odd
 *	11tt tttt    time passes, 2^(t / 2) us
 *
 * Whatever comes: packets have an octet at least and are within the limit, a fragment is
 * taken after few packets at most, a hole has a deadline within most_wait, and the
 * counters add up.
 */
#include "ppp/reassembly.h"
#include "tests/fuzz/cuts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WINDOW = 16, MRRU = 64 };
static const sb_time MOST_WAIT = 4 * SB_SEC;

struct bundle {
	struct reassembly *reassembly;
	bool short_sequence;
	sb_time now;
	uint64_t packets, offered, bad;
};

static unsigned drain(struct bundle *b)
{
	struct bytes packet;
	unsigned count = 0;

	while (reassembly_next(b->reassembly, b->now, &packet)) {
		REQUIRE(packet.length >= 1);
		REQUIRE(packet.length <= MRRU + (packet.at[0] & 1 ? 1 : 2));
		count++;
	}
	b->packets += count;
	return count;
}

/* What was taken off comes back, but for the bits that a put leaves zero. */
static bool check_header(struct bytes fragment, bool is_short)
{
	uint8_t memory[MP_LONG_HEADER];
	struct buf again = buf_over(memory, sizeof memory);
	struct bytes rest = fragment;
	struct mp_header header;

	if (!mp_header_take(&rest, &header, is_short)) {
		REQUIRE(rest.at == fragment.at && rest.length == fragment.length);
		return false;
	}
	mp_header_put(&again, &header, is_short);
	REQUIRE(!again.overflow && again.length + rest.length == fragment.length);
	REQUIRE(memcmp(again.at, fragment.at, again.length) == 0);
	return true;
}

static void offer(struct bundle *b, unsigned link, struct bytes fragment)
{
	unsigned rounds = 0;

	b->bad += !check_header(fragment, b->short_sequence);
	while (!reassembly_input(b->reassembly, link, b->now, fragment)) {
		REQUIRE(drain(b) > 0);
		REQUIRE(++rounds <= WINDOW + 1);
	}
	b->offered++;
}

/* In a heap block of exactly its size, gone afterwards. */
static struct bytes take_fragment(struct bytes *in)
{
	size_t length = in->length ? in->at[0] : 0;

	*in = bytes_skip(*in, in->length > 0);
	length = length < in->length ? length : in->length;
	uint8_t *copy = malloc(length + 1);
	REQUIRE(copy);
	if (length)
		memcpy(copy, in->at, length);
	*in = bytes_skip(*in, length);
	return bytes_of(copy, length);
}

static void act(struct bundle *b, uint8_t record, struct bytes *in)
{
	unsigned link = record & 0x3F;
	struct bytes fragment;

	switch (record >> 6) {
	case 0:
		fragment = take_fragment(in);
		offer(b, link, fragment);
		free((void *)(uintptr_t)fragment.at);
		break;
	case 1:
		reassembly_link_up(b->reassembly, link, b->now);
		break;
	case 2:
		if (link % 2)
			reassembly_link_silent(b->reassembly, link, b->now);
		else
			reassembly_link_down(b->reassembly, link, b->now);
		break;
	default:
		b->now += SB_US << link / 2;
	}
}

static void check(struct bundle *b)
{
	const struct reassembly_counters *c = reassembly_counters(b->reassembly);

	drain(b);
	sb_time deadline = reassembly_deadline(b->reassembly);
	REQUIRE(deadline == SB_NEVER || (deadline > b->now && deadline <= b->now + MOST_WAIT));
	REQUIRE(c->packets == b->packets);
	REQUIRE(c->fragments + c->bad_headers == b->offered && c->bad_headers == b->bad);
	REQUIRE(c->lost_by_time <= c->lost && c->late <= c->fragments);
	REQUIRE(c->packets + c->nulls <= c->fragments);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	struct bundle b = {.short_sequence = data[0] & 1, .now = SB_SEC};
	b.reassembly = reassembly_new(&(struct reassembly_config){
		.mrru = MRRU,
		.short_sequence = b.short_sequence,
		.window = WINDOW,
		.buffer = data[0] & 2 ? 1 : 4096,
		.least_wait = 10 * SB_MS,
		.most_wait = MOST_WAIT,
	});
	REQUIRE(b.reassembly);
	for (struct bytes in = bytes_of(data + 1, size - 1); in.length;) {
		uint8_t record = in.at[0];
		in = bytes_skip(in, 1);
		act(&b, record, &in);
		check(&b);
	}
	reassembly_free(b.reassembly);
	return 0;
}
