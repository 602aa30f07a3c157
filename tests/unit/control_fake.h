/* SPDX-License-Identifier: MIT */
/*
 * A control protocol to try control.c with: one option, a number that both ends
 * want to be 7, and a code 9 that it knows.
 */
#ifndef TESTS_UNIT_CONTROL_FAKE_H
#define TESTS_UNIT_CONTROL_FAKE_H

#include "ppp/judge.h"
#include "tests/unit/control_testing.h"

enum { FAKE_PROTOCOL = 0x80fd, FAKE_NUMBER = 1 };

static struct fake {
	uint16_t ours; /* asked for */
	bool asks, stubborn;
	int begun, acked, packets;
} fake;

static struct outbox box;
static struct control control;
static sb_time now;

static void fake_begin(void *self)
{
	(void)self;
	fake.begun++;
	fake.ours = 7;
	fake.asks = true;
}

static void fake_request(void *self, struct buf *options)
{
	(void)self;
	if (fake.asks)
		option_put_u16(options, FAKE_NUMBER, fake.ours);
}

static enum control_verdict fake_verdict(const void *self, const struct option *option,
					 struct buf *better)
{
	(void)self;
	if (option->type != FAKE_NUMBER)
		return VERDICT_REJECT;
	if (option->data.length == 2 && option_u16(option) == 7)
		return VERDICT_ACK;
	option_put_u16(better, FAKE_NUMBER, 7);
	return VERDICT_NAK;
}

static enum control_verdict fake_judge(void *self, struct bytes options, bool insist,
				       struct buf *answer)
{
	return judge_options(options, insist, fake_verdict, self, answer);
}

static void fake_acked(void *self)
{
	(void)self;
	fake.acked++;
}

static bool fake_naked(void *self, struct bytes options)
{
	struct option option;

	(void)self;
	while (option_next(&options, &option))
		if (!fake.stubborn && option.data.length == 2)
			fake.ours = option_u16(&option);
	return true;
}

static bool fake_rejected(void *self, struct bytes options)
{
	(void)self;
	(void)options;
	fake.asks = false;
	return !fake.stubborn;
}

static bool fake_packet(void *self, sb_time at, uint8_t code, uint8_t identifier, struct bytes data)
{
	(void)self;
	(void)at;
	(void)identifier;
	(void)data;
	fake.packets += code == 9;
	return code == 9;
}

static const struct control_kind fake_kind = {
	.protocol = FAKE_PROTOCOL,
	.name = "FAKE",
	.begin = fake_begin,
	.request = fake_request,
	.judge = fake_judge,
	.acked = fake_acked,
	.naked = fake_naked,
	.rejected = fake_rejected,
	.packet = fake_packet,
};

/* --- the peer --- */

static inline void peer_says(uint8_t code, uint8_t identifier, const char *data)
{
	control_input(&control, now, packet_hex(code, identifier, data));
}

static inline void we_say(uint8_t code, uint8_t identifier, const char *data)
{
	assert_octets(taken_from(&box, FAKE_PROTOCOL), packet_hex(code, identifier, data));
}

static inline void we_say_nothing(void)
{
	ck_assert_uint_eq(box.count, 0);
}

static inline void assert_happened(unsigned happened)
{
	ck_assert_uint_eq(control_happened(&control), happened);
}

static inline void assert_state(enum automaton_state state)
{
	ck_assert_str_eq(automaton_state_name(control.state), automaton_state_name(state));
}

static inline void assert_stray(uint8_t code, uint8_t identifier)
{
	uint64_t before = control.counters.stray;
	enum automaton_state state = control.state;

	peer_says(code, identifier, "01 04 00 07");
	ck_assert_uint_eq(control.counters.stray, before + 1);
	assert_state(state);
	assert_happened(0);
	we_say_nothing();
}

static inline void pass(sb_time duration)
{
	for (sb_time until = now + duration; now < until;) {
		now = sb_time_min(until, control_deadline(&control));
		control_tick(&control, now);
	}
}

/* In Req-Sent, the request of identifier 1 being out. */
static void fake_start(void)
{
	memset(&box, 0, sizeof box);
	memset(&fake, 0, sizeof fake);
	now = 1000 * SB_SEC;
	control_init(&control, &fake_kind, &fake, &box, &usual_timers);
	control_open(&control, now);
	control_up(&control, now);
	assert_happened(CONTROL_STARTED);
	we_say(CODE_CONFIGURE_REQUEST, 1, "01 04 00 07");
}

/* In Opened; the peer's request, acknowledged, was `30: 01 04 00 07`. */
static inline void fake_opened(void)
{
	fake_start();
	peer_says(CODE_CONFIGURE_REQUEST, 0x30, "01 04 00 07");
	we_say(CODE_CONFIGURE_ACK, 0x30, "01 04 00 07");
	peer_says(CODE_CONFIGURE_ACK, 1, "01 04 00 07");
	assert_happened(CONTROL_UP);
	assert_state(STATE_OPENED);
	we_say_nothing();
}

#endif
