/* SPDX-License-Identifier: MIT */
/*
 * What the tests of reassembly share: a bundle, fragments written in words, and
 * the packets that came out, in order.
 *
 * A fragment is handed over in a heap block of exactly its size, gone afterwards, and
 * the packets are taken out after each, as an owner does.
 */
#ifndef TESTS_UNIT_REASSEMBLY_TESTING_H
#define TESTS_UNIT_REASSEMBLY_TESTING_H

#include "ppp/reassembly.h"
#include "tests/unit/codec_testing.h"

enum { TEST_MRRU = 1500, TEST_WINDOW = 64 };

static const struct reassembly_config test_config = {
	.mrru = TEST_MRRU,
	.window = TEST_WINDOW,
	.buffer = 1 << 16,
	.least_wait = 100 * SB_MS,
	.most_wait = 4 * SB_SEC,
};

struct bundle {
	struct reassembly *reassembly;
	bool short_sequence;
	sb_time now;
	struct frames got;
};

static inline void drain(struct bundle *b)
{
	struct bytes packet;

	while (reassembly_next(b->reassembly, b->now, &packet)) {
		ck_assert_uint_lt(b->got.count, sizeof b->got.at / sizeof b->got.at[0]);
		b->got.at[b->got.count++] =
			bytes_of(b->got.store.at + b->got.store.length, packet.length);
		buf_append(&b->got.store, packet);
		ck_assert(!b->got.store.overflow);
	}
}

/* Links 0 to links - 1 are up. */
static inline void bundle_open(struct bundle *b, const struct reassembly_config *config,
			       unsigned links)
{
	b->reassembly = reassembly_new(config);
	ck_assert_ptr_nonnull(b->reassembly);
	b->short_sequence = config->short_sequence;
	b->now = 1000 * SB_SEC;
	frames_clear(&b->got);
	for (unsigned i = 0; i < links; i++)
		reassembly_link_up(b->reassembly, i, b->now);
}

static inline void bundle_close(struct bundle *b)
{
	reassembly_free(b->reassembly);
	b->reassembly = NULL;
}

/* False: it was not taken. */
static inline bool offer_octets(struct bundle *b, unsigned link, struct bytes fragment)
{
	uint8_t *copy = malloc(fragment.length ? fragment.length : 1);
	ck_assert_ptr_nonnull(copy);
	if (fragment.length)
		memcpy(copy, fragment.at, fragment.length);
	bool taken = reassembly_input(b->reassembly, link, b->now, bytes_of(copy, fragment.length));
	free(copy);
	return taken;
}

static inline bool offer(struct bundle *b, unsigned link, const struct mp_header *header,
			 struct bytes data)
{
	static uint8_t memory[1 << 17];
	struct buf fragment = buf_over(memory, sizeof memory);

	mp_header_put(&fragment, header, b->short_sequence);
	buf_append(&fragment, data);
	ck_assert(!fragment.overflow);
	return offer_octets(b, link, buf_bytes(&fragment));
}

/* As an owner: what is in the way is taken out, and it is offered again. */
static inline void feed(struct bundle *b, unsigned link, const struct mp_header *header,
			struct bytes data)
{
	while (!offer(b, link, header, data)) {
		size_t before = b->got.count;
		drain(b);
		ck_assert_uint_gt(b->got.count, before);
	}
	drain(b);
}

/* flags: "B", "E", "BE" or "". */
static inline void come(struct bundle *b, unsigned link, uint32_t sequence, const char *flags,
			const char *data)
{
	feed(b, link,
	     &(struct mp_header){
		     .begin = strchr(flags, 'B') != NULL,
		     .end = strchr(flags, 'E') != NULL,
		     .sequence = sequence,
	     },
	     bytes_of(data, strlen(data)));
}

static inline void wait_until(struct bundle *b, sb_time instant)
{
	b->now = instant;
	drain(b);
}

static inline void wait_for(struct bundle *b, sb_time duration)
{
	wait_until(b, b->now + duration);
}

static inline void go_down(struct bundle *b, unsigned link)
{
	reassembly_link_down(b->reassembly, link, b->now);
	drain(b);
}

static inline void fall_silent(struct bundle *b, unsigned link)
{
	reassembly_link_silent(b->reassembly, link, b->now);
	drain(b);
}

/* All packets so far, with "|" between them. */
static inline void assert_got(const struct bundle *b, const char *want)
{
	static char text[1 << 12];
	struct buf out = buf_over(text, sizeof text - 1);

	for (size_t i = 0; i < b->got.count; i++) {
		if (i)
			buf_put(&out, '|');
		buf_append(&out, b->got.at[i]);
	}
	ck_assert(!out.overflow);
	text[out.length] = '\0';
	ck_assert_str_eq(text, want);
}

static inline struct reassembly_counters counted(const struct bundle *b)
{
	return *reassembly_counters(b->reassembly);
}

#endif
