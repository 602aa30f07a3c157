/* SPDX-License-Identifier: MIT */
/* A line that loses or delays too much is put out, and let in again with patience. */
#include <check.h>
#include <stdlib.h>

#include "sched/park.h"

static const struct park_config config = {
	.loss_out = 0.05, .loss_in = 0.01, .delay = 2 * SB_SEC, .good_for = 10 * SB_SEC};
enum { PATIENCES = 16, NO_LOSS = -1 };
#define PROBE SB_SEC

static struct park park;
static sb_time now;

static void set_up(void)
{
	now = 1000 * SB_SEC;
	park_init(&park, &config, now);
}

/* One observation; whether it is parked then. */
static bool sees(double loss, sb_time rtt)
{
	now += PROBE;
	park_observe(&park, loss, rtt, now);
	return park.parked;
}

/* Observations until it is parked, or is not; at most so many. */
static int until(bool parked, double loss, sb_time rtt, int most)
{
	for (int n = 1; n <= most; n++)
		if (sees(loss, rtt) == parked)
			return n;
	return most + 1;
}

START_TEST(good_line_is_never_parked)
{
	for (int i = 0; i < 1000; i++)
		ck_assert(!sees(i % 2 ? 0 : 0.049, i % 3 ? 2 * SB_SEC : 10 * SB_MS));
	ck_assert_uint_eq(park.times, 0);
	ck_assert_int_eq(park_deadline(&park), SB_NEVER);
}
END_TEST

START_TEST(one_bad_observation_is_chance)
{
	for (int i = 0; i < 100; i++)
		ck_assert(!sees(i % 20 == 0 ? 0.5 : 0, 0));
}
END_TEST

START_TEST(two_that_are_certain_park_it)
{
	ck_assert_int_eq(until(true, 0.5, 0, 10), 2);
	ck_assert_uint_eq(park.times, 1);
}
END_TEST

START_TEST(bad_ones_on_average_park_it)
{
	for (int i = 0; i < 20; i++)
		sees(0, 0);
	ck_assert_int_le(until(true, 0.07, 0, 20), 6);
}
END_TEST

START_TEST(long_round_trips_park_it)
{
	ck_assert_int_eq(until(true, NO_LOSS, 5 * SB_SEC, 10), 2);
	ck_assert_int_eq(until(false, NO_LOSS, SB_SEC, 20), 11);
}
END_TEST

START_TEST(comes_back_after_patience)
{
	until(true, 0.5, 0, 10);
	ck_assert_int_eq(until(false, 0, 0, 20), 11); /* the first begins the ten seconds */
}
END_TEST

/* Between the bounds it stays what it is. */
START_TEST(between_the_bounds_nothing_changes)
{
	for (int i = 0; i < 100; i++)
		ck_assert(!sees(0.03, 0));
	until(true, 0.5, 0, 10);
	for (int i = 0; i < 100; i++)
		ck_assert(sees(0.03, 0));
}
END_TEST

START_TEST(bad_moment_begins_the_wait_anew)
{
	until(true, 0.5, 0, 10);
	for (int i = 0; i < 50; i++)
		ck_assert(sees(i % 9 == 8 ? 0.2 : 0, 0));
	ck_assert_int_le(until(false, 0, 0, 20), 11);
}
END_TEST

START_TEST(patience_doubles_to_sixteen_times)
{
	const int waits[] = {11, 21, 41, 81, 161, 161, 161};

	for (unsigned i = 0; i < sizeof waits / sizeof *waits; i++) {
		ck_assert_int_eq(until(true, 0.5, 0, 10), 2);
		ck_assert_int_eq(until(false, 0, 0, 200), waits[i]);
	}
}
END_TEST

START_TEST(long_goodness_restores_trust)
{
	for (int i = 0; i < 4; i++) {
		until(true, 0.5, 0, 10);
		until(false, 0, 0, 200);
	}
	for (int i = 0; i < PATIENCES * 10 + 1; i++)
		ck_assert(!sees(0, 0));
	until(true, 0.5, 0, 10);
	ck_assert_int_eq(until(false, 0, 0, 200), 11);
	ck_assert_uint_eq(park.times, 5);
}
END_TEST

START_TEST(deadline_lets_it_in_without_an_observation)
{
	until(true, 0.5, 0, 10);
	sees(0, 0);
	ck_assert_int_eq(park_deadline(&park), now + 10 * SB_SEC);
	park_tick(&park, now + 10 * SB_SEC - 1);
	ck_assert(park.parked);
	park_tick(&park, now + 10 * SB_SEC);
	ck_assert(!park.parked);
}
END_TEST

START_TEST(nothing_known_is_no_observation)
{
	for (int i = 0; i < 100; i++)
		ck_assert(!sees(NO_LOSS, 0));
	until(true, 0.5, 0, 10);
	for (int i = 0; i < 100; i++)
		ck_assert(sees(NO_LOSS, 0));
}
END_TEST

/* Round trips are measured more often than losses. */
START_TEST(good_round_trips_make_up_for_no_loss)
{
	sees(0.5, 0);
	for (int i = 0; i < 5; i++)
		ck_assert(!sees(NO_LOSS, SB_MS));
	ck_assert(sees(0.5, 0));
	for (int i = 0; i < 50; i++)
		ck_assert(sees(NO_LOSS, SB_MS));
	sees(0, 0);
	for (int i = 1; i < 10; i++)
		ck_assert(sees(NO_LOSS, SB_MS));
	ck_assert(!sees(NO_LOSS, SB_MS));
}
END_TEST

START_TEST(without_bounds_it_is_never_parked)
{
	struct park_config c = {.good_for = 10 * SB_SEC};

	park_init(&park, &c, now);
	for (int i = 0; i < 100; i++)
		ck_assert(!sees(1, 100 * SB_SEC));
}
END_TEST

/* The bounds were taken away while it was parked. */
START_TEST(follows_its_configuration)
{
	struct park_config c = config;

	park_init(&park, &c, now);
	until(true, 0.5, 0, 10);
	c = (struct park_config){.good_for = 10 * SB_SEC};
	park_tick(&park, now);
	ck_assert(!park.parked);
}
END_TEST

/*
 * Half is lost for a minute, then nothing, 20 times: out within two probes, back within patience,
 * which is 160 s in the end.
 */
START_TEST(B099_lossy_line_returns)
{
	for (int flap = 0; flap < 20; flap++) {
		ck_assert_int_le(until(true, 0.5, 0, 10), 2);
		for (int i = 0; i < 60; i++)
			ck_assert(sees(i % 7 == 0 ? 0.3 : 0.5, 0));
		ck_assert_int_le(until(false, 0, 0, 200), PATIENCES * 10 + 1);
	}
	ck_assert_uint_eq(park.times, 20);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("park");
	TCase *all = tcase_create("all");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(all, set_up, NULL);
	tcase_add_test(all, good_line_is_never_parked);
	tcase_add_test(all, one_bad_observation_is_chance);
	tcase_add_test(all, two_that_are_certain_park_it);
	tcase_add_test(all, bad_ones_on_average_park_it);
	tcase_add_test(all, long_round_trips_park_it);
	tcase_add_test(all, comes_back_after_patience);
	tcase_add_test(all, between_the_bounds_nothing_changes);
	tcase_add_test(all, bad_moment_begins_the_wait_anew);
	tcase_add_test(all, patience_doubles_to_sixteen_times);
	tcase_add_test(all, long_goodness_restores_trust);
	tcase_add_test(all, deadline_lets_it_in_without_an_observation);
	tcase_add_test(all, nothing_known_is_no_observation);
	tcase_add_test(all, good_round_trips_make_up_for_no_loss);
	tcase_add_test(all, without_bounds_it_is_never_parked);
	tcase_add_test(all, follows_its_configuration);
	tcase_add_test(all, B099_lossy_line_returns);
	suite_add_tcase(s, all);
	runner = srunner_create(s);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
