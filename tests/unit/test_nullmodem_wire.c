/* SPDX-License-Identifier: MIT */
/* One direction of a cable, on a clock that the test turns: rate, delay, buffer, changes. */
#include <check.h>
#include <stdlib.h>

#include "src/nullmodem/wire.h"

enum { LOTS = 1 << 18 };

static uint8_t scratch[LOTS];

static struct wire_config at_rate(uint32_t bps, uint32_t bits)
{
	return (struct wire_config){.bps = bps, .bits_per_char = bits, .buffer = 64};
}

static struct wire *make(const struct wire_config *config)
{
	struct wire *w = wire_new(config, 1);
	ck_assert_ptr_nonnull(w);
	return w;
}

static void put(struct wire *w, sb_time now, size_t n)
{
	static const uint8_t zeros[4096];
	for (; n > sizeof zeros; n -= sizeof zeros)
		wire_input(w, now, bytes_of(zeros, sizeof zeros));
	wire_input(w, now, bytes_of(zeros, n));
}

static size_t get(struct wire *w, sb_time now)
{
	return wire_output(w, now, scratch, sizeof scratch);
}

static void fill(struct wire *w, sb_time now)
{
	put(w, now, wire_room(w, now));
}

/* ---- rate ---- */

static const struct rate {
	uint32_t bps, bits;
} rates[] = {
	{300, 10},   {9600, 10},   {14400, 11},  {28800, 8},   {28800, 10},     {33600, 10},
	{57600, 10}, {115200, 10}, {115200, 11}, {921600, 12}, {1000000000, 8}, {49999, 9},
};

/* floor(time * bps / bits), without a product that overflows. */
static uint64_t carried(const struct rate *rate, sb_time time)
{
	uint64_t seconds = (uint64_t)(time / SB_SEC);
	uint64_t ns = (uint64_t)(time % SB_SEC);
	return (seconds * rate->bps + ns * rate->bps / (uint64_t)SB_SEC) / rate->bits;
}

/* Up to ten days, looked at now and then: the wire has carried its rate to the very character. */
START_TEST(carries_its_rate_to_one_character)
{
	const struct rate *rate = &rates[_i];
	struct wire_config config = at_rate(rate->bps, rate->bits);
	config.buffer = LOTS / 2;
	struct wire *w = make(&config);
	double chars_per_ns = (double)rate->bps / rate->bits / 1e9;
	sb_time step = (sb_time)(LOTS / 3 / chars_per_ns);
	uint64_t got = 0;
	sb_time now = 12345;
	fill(w, now);
	for (int i = 1; i <= 300; i++) {
		now += step + i; /* late by other amounts each time */
		got += get(w, now);
		uint64_t exact = carried(rate, now - 12345);
		ck_assert_uint_eq(got, exact);
		fill(w, now);
	}
	struct wire_stats s = wire_stats(w, now);
	ck_assert_int_eq(s.busy, s.last - s.first);
	wire_free(w);
}
END_TEST

/* 1 ms steps through 100 s: seeing it often is as exact as seeing it seldom. */
START_TEST(small_steps_do_not_add_up_to_an_error)
{
	const struct rate *rate = &rates[_i];
	if (rate->bps > 115200)
		return; /* 64 characters do not last a millisecond */
	struct wire_config config = at_rate(rate->bps, rate->bits);
	struct wire *w = make(&config);
	uint64_t got = 0;
	fill(w, 0);
	for (sb_time now = 0; now <= 100 * SB_SEC; now += SB_MS) {
		got += get(w, now);
		fill(w, now);
	}
	ck_assert_uint_eq(got, UINT64_C(100) * rate->bps / rate->bits);
	wire_free(w);
}
END_TEST

START_TEST(a_character_arrives_when_its_last_bit_has)
{
	struct wire_config config = at_rate(9600, 10);
	struct wire *w = make(&config);
	put(w, 1000, 1);
	sb_time end = 1000 + 1041667; /* 10 / 9600 s, rounded up */
	ck_assert_int_eq(wire_deadline(w), end);
	ck_assert_uint_eq(get(w, end - 1), 0);
	ck_assert_uint_eq(get(w, end), 1);
	ck_assert_int_eq(wire_deadline(w), SB_NEVER);
	wire_free(w);
}
END_TEST

START_TEST(being_late_loses_no_line_time_while_something_waits)
{
	struct wire_config config = at_rate(10000, 10); /* a character a millisecond */
	struct wire *w = make(&config);
	put(w, 0, 50);
	ck_assert_uint_eq(get(w, 40 * SB_MS + 1), 40);
	put(w, 40 * SB_MS + 1, 20);
	ck_assert_uint_eq(get(w, 70 * SB_MS), 30);
	wire_free(w);
}
END_TEST

START_TEST(an_idle_wire_starts_when_it_gets_a_character)
{
	struct wire_config config = at_rate(10000, 10);
	struct wire *w = make(&config);
	put(w, 0, 2);
	ck_assert_uint_eq(get(w, 10 * SB_MS), 2);
	put(w, 10 * SB_MS + 7, 3);
	ck_assert_int_eq(wire_deadline(w), 11 * SB_MS + 7);
	ck_assert_uint_eq(get(w, 13 * SB_MS + 6), 2);
	ck_assert_uint_eq(get(w, 13 * SB_MS + 7), 1);
	struct wire_stats s = wire_stats(w, 20 * SB_MS);
	ck_assert_int_eq(s.busy, 5 * SB_MS);
	ck_assert_int_eq(s.first, 0);
	ck_assert_int_eq(s.last, 13 * SB_MS + 7);
	wire_free(w);
}
END_TEST

START_TEST(an_unpaced_wire_takes_no_time)
{
	struct wire_config config = at_rate(0, 10);
	struct wire *w = make(&config);
	ck_assert_uint_ge(wire_room(w, 5), WIRE_UNPACED);
	put(w, 5, WIRE_UNPACED);
	ck_assert_int_eq(wire_deadline(w), 5);
	ck_assert_uint_eq(get(w, 5), WIRE_UNPACED);
	wire_free(w);
}
END_TEST

START_TEST(what_comes_at_one_instant_is_one_run)
{
	struct wire_config config = at_rate(0, 10);
	struct wire *w = make(&config);
	for (int i = 0; i < 100000; i++) /* more than a wire has runs */
		put(w, 5, 1);
	ck_assert_uint_eq(get(w, 5), 100000);
	wire_free(w);
}
END_TEST

/* ---- delay ---- */

START_TEST(delay_is_added_to_each_and_keeps_the_rate)
{
	struct wire_config config = at_rate(10000, 10);
	config.delay = 250 * SB_MS;
	struct wire *w = make(&config);
	uint64_t got = 0;
	fill(w, 0);
	for (sb_time now = 0; now < 2 * SB_SEC; now += SB_MS) {
		got += get(w, now);
		fill(w, now);
		sb_time sending = now - config.delay;
		ck_assert_uint_eq(got, sending > 0 ? (uint64_t)(sending / SB_MS) : 0);
	}
	wire_free(w);
}
END_TEST

/* Every character a run of its own: all of them under way at once. */
START_TEST(delay_holds_as_many_separate_characters_as_fit)
{
	struct wire_config config = at_rate(10000, 10);
	config.delay = 300 * SB_MS;
	struct wire *w = make(&config);
	const sb_time apart = SB_MS + 1;
	for (int i = 0; i < 1000; i++) {
		sb_time now = i * apart;
		ck_assert_uint_eq(wire_room(w, now), 65);
		put(w, now, 1);
		get(w, now);
	}
	sb_time now = 999 * apart;
	ck_assert_uint_eq(wire_stats(w, now).delivered,
			  (uint64_t)((now - 301 * SB_MS) / apart + 1));
	wire_free(w);
}
END_TEST

START_TEST(an_unpaced_wire_with_delay)
{
	struct wire_config config = at_rate(0, 10);
	config.delay = SB_SEC;
	struct wire *w = make(&config);
	for (sb_time now = 0; now < 1000; now++)
		put(w, now, 10);
	ck_assert_uint_eq(get(w, SB_SEC - 1), 0);
	ck_assert_uint_eq(get(w, SB_SEC + 499), 5000);
	wire_free(w);
}
END_TEST

/* ---- buffer ---- */

START_TEST(takes_the_buffer_and_one_on_the_wire)
{
	struct wire_config config = at_rate(10000, 10);
	struct wire *w = make(&config);
	ck_assert_uint_eq(wire_room(w, 0), 65);
	put(w, 0, 65);
	ck_assert_uint_eq(wire_room(w, 0), 0);
	ck_assert_int_eq(wire_room_deadline(w, 0), SB_MS);
	ck_assert_uint_eq(wire_room(w, SB_MS - 1), 0);
	ck_assert_uint_eq(wire_room(w, SB_MS), 1);
	ck_assert_uint_eq(wire_room(w, 64 * SB_MS), 64);
	ck_assert_uint_eq(wire_room(w, 65 * SB_MS), 65);
	struct wire_stats s = wire_stats(w, 10 * SB_MS);
	ck_assert_uint_eq(s.queued, 54);
	ck_assert_uint_eq(s.peak_queued, 64);
	ck_assert_uint_eq(s.in_flight, 11); /* ten arrived, one on the wire */
	wire_free(w);
}
END_TEST

START_TEST(a_long_delay_does_not_make_the_buffer_smaller)
{
	struct wire_config config = at_rate(115200, 10);
	config.delay = 3 * SB_SEC / 2;
	config.buffer = 200 << 10;
	struct wire *w = make(&config);
	for (sb_time now = 0; now < 2 * SB_SEC; now += 10 * SB_MS) {
		get(w, now);
		fill(w, now);
		ck_assert_uint_eq(wire_stats(w, now).queued, config.buffer);
	}
	wire_free(w);
}
END_TEST

START_TEST(a_buffer_in_time_is_so_many_characters)
{
	struct wire_config config = at_rate(28800, 10);
	config.buffer_time = 300 * SB_MS;
	struct wire *w = make(&config);
	ck_assert_uint_eq(wire_room(w, 0), 864 + 1);
	config.bps = 9600;
	ck_assert(wire_configure(w, &config, 0));
	ck_assert_uint_eq(wire_room(w, 0), 288 + 1);
	wire_free(w);
}
END_TEST

START_TEST(a_buffer_that_drops_when_full)
{
	struct wire_config config = at_rate(10000, 10);
	config.full = WIRE_FULL_DROPS;
	struct wire *w = make(&config);
	put(w, 0, 100);
	put(w, 0, 10);
	struct wire_stats s = wire_stats(w, 0);
	ck_assert_uint_eq(s.accepted, 110);
	ck_assert_uint_eq(s.dropped, 110 - 64 - 1);
	ck_assert_uint_eq(get(w, SB_SEC), 65);
	config.stop = 1;
	ck_assert(wire_configure(w, &config, SB_SEC));
	ck_assert_uint_eq(wire_room(w, SB_SEC), 0);
	wire_free(w);
}
END_TEST

START_TEST(bytes_come_out_as_they_went_in)
{
	struct wire_config config = at_rate(10000, 10);
	config.delay = 33 * SB_MS;
	struct wire *w = make(&config);
	uint8_t in = 0, expected = 0;
	unsigned lengths = 1;
	for (sb_time now = 0; now < 20 * SB_SEC; now += 777 * SB_US) {
		lengths = lengths * 1103515245 + 12345;
		size_t n = get(w, now);
		for (size_t i = 0; i < n; i++)
			ck_assert_uint_eq(scratch[i], expected++);
		uint8_t chunk[65];
		size_t room = wire_room(w, now);
		size_t length = lengths >> 16 & 15;
		for (n = 0; n < length && n < room; n++)
			chunk[n] = in++;
		wire_input(w, now, bytes_of(chunk, n));
	}
	ck_assert_uint_ge(wire_stats(w, 20 * SB_SEC).delivered, 15000);
	wire_free(w);
}
END_TEST

/* ---- changes ---- */

START_TEST(a_new_rate_begins_after_the_character_on_the_wire)
{
	struct wire_config config = at_rate(10000, 10);
	struct wire *w = make(&config);
	put(w, 0, 20);
	config.bps = 20000;
	ck_assert(wire_configure(w, &config, 5 * SB_MS + 1)); /* the sixth is on the wire */
	ck_assert_uint_eq(get(w, 6 * SB_MS), 6);
	ck_assert_uint_eq(get(w, 6 * SB_MS + 14 * SB_MS / 2 - 1), 13);
	ck_assert_uint_eq(get(w, 6 * SB_MS + 14 * SB_MS / 2), 1);
	wire_free(w);
}
END_TEST

START_TEST(two_changes_within_one_character_lose_nothing)
{
	struct wire_config config = at_rate(10000, 10);
	struct wire *w = make(&config);
	put(w, 0, 20);
	config.bps = 50;
	ck_assert(wire_configure(w, &config, 100));
	config.bps = 10000;
	config.buffer = 5000;
	ck_assert(wire_configure(w, &config, 200));
	ck_assert_uint_eq(wire_room(w, 200), 5000 - 19);
	put(w, 200, 30);
	ck_assert_uint_eq(get(w, 50 * SB_MS), 50);
	wire_free(w);
}
END_TEST

START_TEST(a_shorter_delay_does_not_let_characters_overtake)
{
	struct wire_config config = at_rate(10000, 10);
	config.delay = 100 * SB_MS;
	struct wire *w = make(&config);
	wire_input(w, 0, bytes_of("ab", 2));
	config.delay = 0;
	ck_assert(wire_configure(w, &config, 10 * SB_MS));
	wire_input(w, 10 * SB_MS, bytes_of("cd", 2));
	ck_assert_uint_eq(get(w, 101 * SB_MS - 1), 0);
	ck_assert_uint_eq(get(w, 102 * SB_MS), 4);
	ck_assert_mem_eq(scratch, "abcd", 4);
	wire_free(w);
}
END_TEST

START_TEST(a_stopped_wire_takes_nothing_and_carries_what_it_has)
{
	struct wire_config config = at_rate(10000, 10);
	struct wire *w = make(&config);
	put(w, 0, 20);
	config.stop = 1;
	ck_assert(wire_configure(w, &config, 5 * SB_MS));
	ck_assert_uint_eq(wire_room(w, 5 * SB_MS), 0);
	ck_assert_uint_eq(get(w, 20 * SB_MS), 20);
	ck_assert_uint_eq(wire_room(w, 20 * SB_MS), 0);
	ck_assert_int_eq(wire_room_deadline(w, 20 * SB_MS), SB_NEVER);
	config.stop = 0;
	ck_assert(wire_configure(w, &config, SB_SEC));
	ck_assert_uint_eq(wire_room(w, SB_SEC), 65);
	put(w, SB_SEC, 10);
	ck_assert_uint_eq(get(w, SB_SEC + 10 * SB_MS), 10);
	wire_free(w);
}
END_TEST

START_TEST(from_paced_to_unpaced_and_back)
{
	struct wire_config config = at_rate(10000, 10);
	struct wire *w = make(&config);
	put(w, 0, 65);
	config.bps = 0;
	ck_assert(wire_configure(w, &config, 1));
	put(w, 2, 1000);
	ck_assert_uint_eq(get(w, SB_MS), 1065);
	config.bps = 10000;
	ck_assert(wire_configure(w, &config, SB_MS));
	ck_assert_uint_eq(wire_room(w, SB_MS), 65);
	put(w, SB_MS, 10);
	ck_assert_uint_eq(get(w, 11 * SB_MS), 10);
	wire_free(w);
}
END_TEST

START_TEST(a_cut_loses_what_is_under_way_and_counts_it)
{
	struct wire_config config = at_rate(10000, 10);
	config.delay = 10 * SB_MS;
	struct wire *w = make(&config);
	put(w, 0, 40);
	ck_assert_uint_eq(get(w, 20 * SB_MS), 10);
	wire_cut(w, 20 * SB_MS);
	struct wire_stats s = wire_stats(w, 20 * SB_MS);
	ck_assert_uint_eq(s.dropped, 30);
	ck_assert_uint_eq(s.queued + s.in_flight, 0);
	ck_assert_int_eq(s.busy, 20 * SB_MS);
	ck_assert_int_eq(wire_deadline(w), SB_NEVER);
	ck_assert_uint_eq(wire_room(w, 20 * SB_MS), 65);
	put(w, 30 * SB_MS, 1);
	ck_assert_uint_eq(get(w, 41 * SB_MS), 1);
	wire_free(w);
}
END_TEST

START_TEST(what_the_receiver_refuses_counts_as_dropped)
{
	struct wire_config config = at_rate(0, 10);
	struct wire *w = make(&config);
	put(w, 0, 10);
	get(w, 0);
	wire_refused(w, 4);
	struct wire_stats s = wire_stats(w, 0);
	ck_assert_uint_eq(s.accepted, 10);
	ck_assert_uint_eq(s.delivered, 6);
	ck_assert_uint_eq(s.dropped, 4);
	wire_free(w);
}
END_TEST

static void add_rate(Suite *s)
{
	TCase *t = tcase_create("rate");
	tcase_add_loop_test(t, carries_its_rate_to_one_character, 0, sizeof rates / sizeof *rates);
	tcase_add_loop_test(t, small_steps_do_not_add_up_to_an_error, 0,
			    sizeof rates / sizeof *rates);
	tcase_add_test(t, a_character_arrives_when_its_last_bit_has);
	tcase_add_test(t, being_late_loses_no_line_time_while_something_waits);
	tcase_add_test(t, an_idle_wire_starts_when_it_gets_a_character);
	tcase_add_test(t, an_unpaced_wire_takes_no_time);
	tcase_add_test(t, what_comes_at_one_instant_is_one_run);
	suite_add_tcase(s, t);
}

static void add_delay_and_buffer(Suite *s)
{
	TCase *t = tcase_create("delay");
	tcase_add_test(t, delay_is_added_to_each_and_keeps_the_rate);
	tcase_add_test(t, delay_holds_as_many_separate_characters_as_fit);
	tcase_add_test(t, an_unpaced_wire_with_delay);
	suite_add_tcase(s, t);

	t = tcase_create("buffer");
	tcase_add_test(t, takes_the_buffer_and_one_on_the_wire);
	tcase_add_test(t, a_long_delay_does_not_make_the_buffer_smaller);
	tcase_add_test(t, a_buffer_in_time_is_so_many_characters);
	tcase_add_test(t, a_buffer_that_drops_when_full);
	tcase_add_test(t, bytes_come_out_as_they_went_in);
	suite_add_tcase(s, t);
}

static void add_changes(Suite *s)
{
	TCase *t = tcase_create("changes");
	tcase_add_test(t, a_new_rate_begins_after_the_character_on_the_wire);
	tcase_add_test(t, two_changes_within_one_character_lose_nothing);
	tcase_add_test(t, a_shorter_delay_does_not_let_characters_overtake);
	tcase_add_test(t, a_stopped_wire_takes_nothing_and_carries_what_it_has);
	tcase_add_test(t, from_paced_to_unpaced_and_back);
	tcase_add_test(t, a_cut_loses_what_is_under_way_and_counts_it);
	tcase_add_test(t, what_the_receiver_refuses_counts_as_dropped);
	suite_add_tcase(s, t);
}

int main(void)
{
	Suite *s = suite_create("nullmodem wire");
	add_rate(s);
	add_delay_and_buffer(s);
	add_changes(s);
	SRunner *runner = srunner_create(s);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
