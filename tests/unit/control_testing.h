/* SPDX-License-Identifier: MIT */
/*
 * What the tests of control protocols share: the packets of a peer, written as
 * hex, and what is found in an outbox.
 */
#ifndef TESTS_UNIT_CONTROL_TESTING_H
#define TESTS_UNIT_CONTROL_TESTING_H

#include "ppp/control.h"
#include "tests/unit/codec_testing.h"

static const struct control_timers usual_timers = {
	.restart = 3 * SB_SEC,
	.max_configure = 10,
	.max_terminate = 2,
	.max_failure = 5,
};

/* A packet of that code around `data`, in memory until some 64 KB of others were made. */
static inline struct bytes packet_of(uint8_t code, uint8_t identifier, struct bytes data)
{
	static uint8_t arena[1 << 16];
	static size_t used;
	size_t length = PPP_PACKET_HEADER + data.length;

	if (used + length > sizeof arena)
		used = 0;
	uint8_t *at = arena + used;
	used += length;
	at[0] = code;
	at[1] = identifier;
	at[2] = (uint8_t)(length >> 8);
	at[3] = (uint8_t)length;
	memcpy(at + PPP_PACKET_HEADER, data.at, data.length);
	return bytes_of(at, length);
}

static inline struct bytes packet_hex(uint8_t code, uint8_t identifier, const char *data)
{
	return packet_of(code, identifier, hex(data));
}

/* The first packet in the outbox, out of it; ck_abort if there is none. */
static inline struct bytes taken_from(struct outbox *o, uint16_t protocol)
{
	static uint8_t memory[OUTBOX_BYTES];
	struct buf out = buf_over(memory, sizeof memory);
	uint16_t got;

	ck_assert_msg(outbox_take(o, &got, &out), "nothing is sent");
	ck_assert_uint_eq(got, protocol);
	return buf_bytes(&out);
}

/* A protocol of some kind, open and up, whose peer we are. */
static struct bench {
	struct control control;
	struct outbox box;
	sb_time now;
} bench;

static inline void bench_start(const struct control_kind *kind, void *self)
{
	memset(&bench, 0, sizeof bench);
	control_init(&bench.control, kind, self, &bench.box, &usual_timers);
	control_open(&bench.control, bench.now);
	control_up(&bench.control, bench.now);
}

static inline void bench_says(uint8_t code, uint8_t identifier, const char *data)
{
	control_input(&bench.control, bench.now, packet_hex(code, identifier, data));
}

static inline void bench_hears(uint8_t code, uint8_t identifier, const char *data)
{
	assert_octets(taken_from(&bench.box, bench.control.kind->protocol),
		      packet_hex(code, identifier, data));
}

static inline void bench_hears_nothing(void)
{
	ck_assert_uint_eq(bench.box.count, 0);
}

/* Both Acks there; the peer's request is refused by nobody. */
static inline bool bench_is_open(void)
{
	return bench.control.state == STATE_OPENED;
}

#endif
