/* SPDX-License-Identifier: MIT */
/*
 * The line clock against exact wires: what it says of time, and what it learns
 * of the rate from a port that says little.
 */
#include <check.h>
#include <stdlib.h>

#include "sched/line_clock.h"

static const uint32_t rates_bps[] = {300, 9600, 33600, 115200, 921600, 12500000};
static const uint32_t bits[] = {8, 10, 11};
enum { RATES = sizeof rates_bps / sizeof *rates_bps, BITS = sizeof bits / sizeof *bits };

static const sb_time T0 = 1000 * SB_SEC;

static struct line_clock started(uint32_t bps, uint32_t bits_per_char)
{
	struct line_clock c;

	line_clock_init(&c, bps, bits_per_char, T0);
	return c;
}

static void assert_about(sb_time is, sb_time wanted, sb_time tolerance)
{
	ck_assert_int_ge(is, wanted - tolerance);
	ck_assert_int_le(is, wanted + tolerance);
}

/* --- arithmetic --- */

/* n characters take n * bits / bps, to the nanosecond. */
START_TEST(time_of_characters)
{
	const uint32_t bps = rates_bps[_i / BITS], b = bits[_i % BITS];
	const struct line_clock c = started(bps, b);

	ck_assert_int_eq(line_clock_time(&c, 0), 0);
	for (size_t n = 1; n < 100000; n = n * 3 + 1)
		assert_about(line_clock_time(&c, n), (sb_time)n * b * SB_SEC / bps, 1);
}
END_TEST

START_TEST(lead_is_64_characters_but_3_ms_at_least)
{
	const uint32_t bps = rates_bps[_i / BITS], b = bits[_i % BITS];
	const struct line_clock c = started(bps, b);
	const sb_time chars64 = (sb_time)64 * b * SB_SEC / bps;

	assert_about(line_clock_lead(&c), chars64 > 3 * SB_MS ? chars64 : 3 * SB_MS, 1);
}
END_TEST

/* Filling the room of an idle line makes exactly the lead, and no more fits. */
START_TEST(room_is_what_the_lead_leaves)
{
	const uint32_t bps = rates_bps[_i / BITS], b = bits[_i % BITS];
	struct line_clock c = started(bps, b);
	const size_t room = line_clock_room(&c, T0);
	const sb_time character = (sb_time)b * SB_SEC / bps;

	assert_about((sb_time)room * b * SB_SEC / bps, line_clock_lead(&c), character / 2 + 2);
	ck_assert_uint_ge(room, 64);
	line_clock_sent(&c, T0, room);
	ck_assert_uint_eq(line_clock_room(&c, T0), 0);
	assert_about(line_clock_ahead(&c, T0), line_clock_lead(&c), character / 2 + 2);
}
END_TEST

/* Half the lead later half the room is back, and that is when to come again. */
START_TEST(wake_is_half_the_lead_before_dry)
{
	const uint32_t bps = rates_bps[_i / BITS], b = bits[_i % BITS];
	struct line_clock c = started(bps, b);
	const size_t room = line_clock_room(&c, T0);
	const sb_time character = (sb_time)b * SB_SEC / bps;
	sb_time wake;

	line_clock_sent(&c, T0, room);
	wake = line_clock_wake(&c);
	assert_about(wake, T0 + line_clock_lead(&c) / 2, character / 2 + 2);
	assert_about(line_clock_ahead(&c, wake), line_clock_lead(&c) / 2, 1);
	ck_assert_uint_ge(line_clock_room(&c, wake), room / 2);
	ck_assert_uint_le(line_clock_room(&c, wake), room / 2 + 1);
}
END_TEST

/* --- idle and busy --- */

START_TEST(idle_line_is_dry)
{
	struct line_clock c = started(9600, 10);

	ck_assert_int_eq(line_clock_ahead(&c, T0), 0);
	ck_assert_int_eq(line_clock_ahead(&c, T0 + SB_SEC), 0);
	ck_assert_int_le(line_clock_wake(&c), T0);
	line_clock_sent(&c, T0 + SB_SEC, 48);
	assert_about(line_clock_ahead(&c, T0 + SB_SEC), 50 * SB_MS, 1);
	assert_about(line_clock_ahead(&c, T0 + SB_SEC + 20 * SB_MS), 30 * SB_MS, 1);
	ck_assert_int_eq(line_clock_ahead(&c, T0 + SB_SEC + 51 * SB_MS), 0);
}
END_TEST

START_TEST(characters_add_up_while_busy)
{
	struct line_clock c = started(9600, 10);

	line_clock_sent(&c, T0, 48);
	line_clock_sent(&c, T0 + 10 * SB_MS, 48);
	assert_about(line_clock_ahead(&c, T0 + 10 * SB_MS), 90 * SB_MS, 2);
}
END_TEST

/*
 * Over an hour (a minute of a fast one) of a wire kept busy by odd pieces, the characters handed
 * over are those that the rate carries, to half a percent and the lead.
 */
START_TEST(no_drift_over_a_long_time)
{
	const uint32_t bps = rates_bps[_i / BITS], b = bits[_i % BITS];
	const sb_time length = bps > 40000 ? 60 * SB_SEC : 3600 * SB_SEC;
	struct line_clock c = started(bps, b);
	sb_time now = T0;
	uint64_t sent = 0;
	double carried;

	for (size_t piece = 1; now < T0 + length; piece = piece % 13 + 1) {
		const size_t room = line_clock_room(&c, now);
		const size_t n = room < piece ? room : piece;

		if (!n) {
			now = line_clock_wake(&c);
			continue;
		}
		line_clock_sent(&c, now, n);
		sent += n;
	}
	carried = (double)(now - T0) * bps / b / (double)SB_SEC;
	ck_assert_double_ge((double)sent, carried * 0.995);
	ck_assert_double_le((double)sent,
			    carried * 1.005 + (double)line_clock_room(&c, T0 + 2 * length));
	ck_assert(c.bps == bps);
}
END_TEST

/* --- a port that says no --- */

START_TEST(blocked_port_holds_at_least_the_lead)
{
	struct line_clock c = started(9600, 10);

	line_clock_blocked(&c, T0);
	ck_assert_uint_eq(line_clock_room(&c, T0), 0);
	ck_assert_int_eq(line_clock_ahead(&c, T0), line_clock_lead(&c));
}
END_TEST

/* As long as it has been blocked, so long again: a line that stands still promises ever less. */
START_TEST(blocked_port_stands_still)
{
	struct line_clock c = started(9600, 10);
	const sb_time lead = line_clock_lead(&c);

	line_clock_blocked(&c, T0);
	for (sb_time t = 0; t <= 60 * SB_SEC; t += SB_SEC) {
		ck_assert_int_eq(line_clock_ahead(&c, T0 + t), lead + t);
		ck_assert_uint_eq(line_clock_room(&c, T0 + t), 0);
	}
	line_clock_blocked(&c, T0 + 60 * SB_SEC); /* says nothing new */
	ck_assert_int_eq(line_clock_ahead(&c, T0 + 60 * SB_SEC), lead + 60 * SB_SEC);
}
END_TEST

START_TEST(writable_port_has_half_the_lead_of_room)
{
	struct line_clock c = started(9600, 10);

	line_clock_blocked(&c, T0);
	line_clock_writable(&c, T0 + 5 * SB_SEC);
	ck_assert_int_eq(line_clock_ahead(&c, T0 + 5 * SB_SEC), line_clock_lead(&c) / 2);
	ck_assert_uint_eq(line_clock_room(&c, T0 + 5 * SB_SEC), 32);
	ck_assert_int_eq(line_clock_wake(&c), T0 + 5 * SB_SEC);
}
END_TEST

START_TEST(writable_without_blocked_says_nothing)
{
	struct line_clock c = started(9600, 10);

	line_clock_sent(&c, T0, 10);
	line_clock_writable(&c, T0);
	assert_about(line_clock_ahead(&c, T0), 10 * SB_SEC / 960, 1);
}
END_TEST

/* --- what the driver says of its queue --- */

START_TEST(outq_bounds_from_below_only)
{
	struct line_clock c = started(9600, 10);

	line_clock_sent(&c, T0, 48);
	line_clock_outq(&c, T0, 96); /* more than was thought */
	assert_about(line_clock_ahead(&c, T0), 100 * SB_MS, 1);
	line_clock_outq(&c, T0, 0); /* the modem may still send what left the driver */
	assert_about(line_clock_ahead(&c, T0), 100 * SB_MS, 1);
}
END_TEST

START_TEST(outq_while_blocked_leaves_the_clock)
{
	struct line_clock c = started(9600, 10);

	line_clock_blocked(&c, T0);
	line_clock_outq(&c, T0, 4000);
	ck_assert_int_eq(line_clock_ahead(&c, T0), line_clock_lead(&c));
}
END_TEST

/* --- measuring: a port in front of an exact wire --- */

struct port {
	struct line_clock clock;
	double wire_bps;
	uint32_t size; /* characters that fit */
	bool tells;    /* answers TIOCOUTQ */
	double held;
	sb_time drained_at;
	double carried;
	uint32_t most_held;
};

static struct port port(uint32_t given_bps, double wire_bps, uint32_t size, bool tells)
{
	return (struct port){
		.clock = started(given_bps, 10),
		.wire_bps = wire_bps,
		.size = size,
		.tells = tells,
		.drained_at = T0,
	};
}

static void drain(struct port *p, sb_time now)
{
	const double can = p->wire_bps / 10 * (double)(now - p->drained_at) / (double)SB_SEC;
	const double left = p->held > can ? p->held - can : 0;

	p->carried += p->held - left;
	p->held = left;
	p->drained_at = now;
}

/* As the program writes: the driver's answer, the room, the piece, would-block for what did not
 * fit. */
static void write_room(struct port *p, sb_time now)
{
	size_t room, fits;

	if (p->tells)
		line_clock_outq(&p->clock, now, (uint32_t)p->held);
	room = line_clock_room(&p->clock, now);
	fits = p->size - (size_t)p->held;
	fits = room < fits ? room : fits;
	if (fits)
		line_clock_sent(&p->clock, now, fits);
	p->held += (double)fits;
	if (p->held > p->most_held)
		p->most_held = (uint32_t)p->held;
	if (fits < room)
		line_clock_blocked(&p->clock, now);
}

/* One look each millisecond, a saturated source; POLLOUT when a quarter is free. */
static void run(struct port *p, sb_time from, sb_time until)
{
	for (sb_time now = from; now < until; now += SB_MS) {
		drain(p, now);
		if (p->clock.blocked_since != SB_NEVER) {
			if (p->held > 0.75 * p->size)
				continue;
			line_clock_writable(&p->clock, now);
		}
		if (line_clock_wake(&p->clock) <= now)
			write_room(p, now);
	}
}

static void assert_near(double is, double wanted, double part)
{
	ck_assert_double_ge(is, wanted * (1 - part));
	ck_assert_double_le(is, wanted * (1 + part));
}

static const uint32_t port_sizes[] = {64, 256, 1024, 4096};

/* E27: told 57600, the line carries 14400; a small port shows it by would-block. */
START_TEST(E27_converges_by_would_block)
{
	struct port p = port(57600, 14400, port_sizes[_i], false);

	run(&p, T0, T0 + 10 * SB_SEC);
	assert_near(p.clock.measured_bps, 14400, 0.03);
	assert_near(p.clock.bps, 14400, 0.15); /* it tries a step up now and then */
	assert_near(p.carried, 1440 * 10, 0.03);
}
END_TEST

START_TEST(E27_converges_by_outq)
{
	struct port p = port(57600, 14400, 4096, true);

	run(&p, T0, T0 + 10 * SB_SEC);
	assert_near(p.clock.measured_bps, 14400, 0.01);
	assert_near(p.clock.bps, 14400, 0.10);
}
END_TEST

/* The driver's queue that a wrong estimate built is gone when the measurement has come. */
START_TEST(outq_is_short_once_measured)
{
	struct port p = port(57600, 14400, 100000, true);

	run(&p, T0, T0 + 30 * SB_SEC);
	p.most_held = 0;
	run(&p, T0 + 30 * SB_SEC, T0 + 60 * SB_SEC);
	ck_assert_uint_le(p.most_held, 64 + 14400 / 10 / 8);
}
END_TEST

/* When the line is itself again the clock climbs back, to the given rate and never beyond it. */
START_TEST(climbs_back_to_the_given_rate_only)
{
	struct port p = port(57600, 14400, 256, _i);
	sb_time now = T0 + 10 * SB_SEC;

	run(&p, T0, now);
	ck_assert_double_lt(p.clock.bps, 20000);
	p.wire_bps = 115200;
	for (; now < T0 + 60 * SB_SEC; now += SB_SEC) {
		run(&p, now, now + SB_SEC);
		ck_assert_double_le(p.clock.bps, 57600);
	}
	ck_assert(p.clock.bps == 57600);
}
END_TEST

/* A steady line at the given rate is never taken for a slow one, however late we look. */
START_TEST(right_rate_stays)
{
	struct port p = port(57600, 57600, 4096, _i);

	run(&p, T0, T0 + 60 * SB_SEC);
	assert_near(p.clock.bps, 57600, 0.005);
	assert_near(p.carried, 5760 * 60, 0.01);
}
END_TEST

/* A trickle of ten packets a second, with would-block in between, tells nothing of the rate. */
START_TEST(idle_time_is_not_measured)
{
	struct port p = port(57600, 57600, 4096, _i);

	for (sb_time now = T0; now < T0 + 30 * SB_SEC; now += 100 * SB_MS) {
		drain(&p, now);
		if (p.tells)
			line_clock_outq(&p.clock, now, (uint32_t)p.held);
		line_clock_sent(&p.clock, now, 60);
		p.held += 60;
		line_clock_blocked(&p.clock, now + SB_MS);
		line_clock_writable(&p.clock, now + 2 * SB_MS);
	}
	ck_assert(p.clock.measured_bps == 0);
	ck_assert(p.clock.bps == 57600);
}
END_TEST

/* More in the driver's queue than was ever given: someone else writes there too. */
START_TEST(outq_of_others_is_not_measured)
{
	struct line_clock c = started(57600, 10);

	line_clock_outq(&c, T0, 10);
	line_clock_sent(&c, T0, 500);
	line_clock_outq(&c, T0 + 2 * SB_SEC, 3000);
	ck_assert(c.measured_bps == 0);
	ck_assert(c.bps == 57600);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("line_clock");
	TCase *arithmetic = tcase_create("arithmetic"), *busy = tcase_create("busy");
	TCase *blocked = tcase_create("blocked"), *outq = tcase_create("outq");
	TCase *measuring = tcase_create("measuring");

	tcase_add_loop_test(arithmetic, time_of_characters, 0, RATES * BITS);
	tcase_add_loop_test(arithmetic, lead_is_64_characters_but_3_ms_at_least, 0, RATES * BITS);
	tcase_add_loop_test(arithmetic, room_is_what_the_lead_leaves, 0, RATES * BITS);
	tcase_add_loop_test(arithmetic, wake_is_half_the_lead_before_dry, 0, RATES * BITS);
	suite_add_tcase(s, arithmetic);
	tcase_add_test(busy, idle_line_is_dry);
	tcase_add_test(busy, characters_add_up_while_busy);
	tcase_add_loop_test(busy, no_drift_over_a_long_time, 0, RATES * BITS);
	suite_add_tcase(s, busy);
	tcase_add_test(blocked, blocked_port_holds_at_least_the_lead);
	tcase_add_test(blocked, blocked_port_stands_still);
	tcase_add_test(blocked, writable_port_has_half_the_lead_of_room);
	tcase_add_test(blocked, writable_without_blocked_says_nothing);
	suite_add_tcase(s, blocked);
	tcase_add_test(outq, outq_bounds_from_below_only);
	tcase_add_test(outq, outq_while_blocked_leaves_the_clock);
	suite_add_tcase(s, outq);
	tcase_add_loop_test(measuring, E27_converges_by_would_block, 0, 4);
	tcase_add_test(measuring, E27_converges_by_outq);
	tcase_add_test(measuring, outq_is_short_once_measured);
	tcase_add_loop_test(measuring, climbs_back_to_the_given_rate_only, 0, 2);
	tcase_add_loop_test(measuring, right_rate_stays, 0, 2);
	tcase_add_loop_test(measuring, idle_time_is_not_measured, 0, 2);
	tcase_add_test(measuring, outq_of_others_is_not_measured);
	suite_add_tcase(s, measuring);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(suite());
	int failed;

	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
