/* SPDX-License-Identifier: MIT */
/*
 * CoDel's law against times worked out by hand from RFC 8289, on a queue that
 * always stands: only the instants of the picks matter.
 */
#include <check.h>
#include <stdlib.h>

#include "sched/codel.h"

static const struct codel_params params = {
	.target = 5 * SB_MS,
	.interval = 100 * SB_MS,
	.mtu = 1500,
};

enum { STANDING = 100000 }; /* bytes of backlog */

static const sb_time long_wait = 50 * SB_MS;
static const sb_time start = 1000 * SB_SEC;

static bool pick(struct codel *c, sb_time now)
{
	return codel_pick(c, &params, now, long_wait, STANDING);
}

/* Asks every 10 us from `from` on; the instant of the first yes, to that precision. */
static sb_time next_pick(struct codel *c, sb_time from)
{
	for (sb_time now = from; now < from + 10 * SB_SEC; now += 10 * SB_US)
		if (pick(c, now))
			return now;
	ck_abort_msg("nothing is picked");
	return SB_NEVER;
}

/* Goes on to the n-th pick; its instant. */
static sb_time pick_times(struct codel *c, sb_time from, int n)
{
	sb_time at = from;
	for (int i = 0; i < n; i++)
		at = next_pick(c, i ? at + 10 * SB_US : at);
	return at;
}

START_TEST(picks_come_at_interval_over_root_of_count)
{
	/* ms: 100, then + 100/sqrt(1), 100/sqrt(2), 100/sqrt(3), ... */
	static const double expected[] = {100,      200,      270.7107, 328.4457,
					  378.4457, 423.1671, 463.9919, 501.7884};
	struct codel c = {0};
	sb_time at = start;

	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		at = next_pick(&c, at);
		ck_assert_double_eq_tol((double)(at - start) / SB_MS, expected[i], 0.0101);
		at += 10 * SB_US;
	}
}
END_TEST

START_TEST(nothing_is_picked_below_target)
{
	struct codel c = {0};
	for (sb_time now = start; now < start + 10 * SB_SEC; now += SB_MS)
		ck_assert(!codel_pick(&c, &params, now, params.target - 1, STANDING));
	ck_assert(!codel_pick(&c, &params, start + 11 * SB_SEC, params.target, STANDING));
	ck_assert(codel_pick(&c, &params, start + 12 * SB_SEC, params.target, STANDING));
}
END_TEST

START_TEST(nothing_is_picked_with_one_mtu_left)
{
	struct codel c = {0};
	for (sb_time now = start; now < start + 10 * SB_SEC; now += SB_MS)
		ck_assert(!codel_pick(&c, &params, now, long_wait, params.mtu));
	ck_assert(!codel_pick(&c, &params, start + 11 * SB_SEC, long_wait, params.mtu + 1));
	ck_assert(codel_pick(&c, &params, start + 12 * SB_SEC, long_wait, params.mtu + 1));
}
END_TEST

START_TEST(one_short_wait_starts_the_interval_anew)
{
	struct codel c = {0};
	ck_assert(!pick(&c, start));
	ck_assert(!codel_pick(&c, &params, start + 99 * SB_MS, params.target - 1, STANDING));
	ck_assert(!pick(&c, start + 100 * SB_MS));
	ck_assert(!pick(&c, start + 199 * SB_MS));
	ck_assert(pick(&c, start + 200 * SB_MS));
}
END_TEST

START_TEST(one_short_wait_ends_dropping)
{
	struct codel c = {0};
	const sb_time fifth = pick_times(&c, start, 5);
	ck_assert(!codel_pick(&c, &params, fifth + SB_MS, params.target - 1, STANDING));
	ck_assert_int_eq(next_pick(&c, fifth + 2 * SB_MS), fifth + 102 * SB_MS);
}
END_TEST

START_TEST(who_asks_late_gets_all_that_is_due)
{
	struct codel c = {0};
	const sb_time first = pick_times(&c, start, 1);
	/* After 100, 170.7 and 228.4 ms; the next would be at 278.4. */
	int picked = 0;
	while (pick(&c, first + 250 * SB_MS))
		picked++;
	ck_assert_int_eq(picked, 3);
}
END_TEST

START_TEST(the_rate_needed_last_time_is_remembered)
{
	struct codel c = {0};
	const sb_time ninth = pick_times(&c, start, 9);
	codel_empty(&c);
	/* Count was 9, and 1 when it began: start at 8, so the gap is 100/sqrt(8). */
	const sb_time again = next_pick(&c, ninth + 14 * params.interval);
	ck_assert_int_eq(again, ninth + 15 * params.interval);
	const sb_time gap = next_pick(&c, again + 10 * SB_US) - again;
	ck_assert_double_eq_tol((double)gap / SB_MS, 35.3553, 0.0101);
}
END_TEST

START_TEST(the_rate_needed_long_ago_is_forgotten)
{
	struct codel c = {0};
	const sb_time ninth = pick_times(&c, start, 9);
	codel_empty(&c);
	const sb_time again = next_pick(&c, ninth + 17 * params.interval);
	const sb_time gap = next_pick(&c, again + 10 * SB_US) - again;
	ck_assert_int_eq(gap, params.interval);
}
END_TEST

START_TEST(one_pick_is_nothing_to_remember)
{
	struct codel c = {0};
	const sb_time only = pick_times(&c, start, 1);
	codel_empty(&c);
	const sb_time again = next_pick(&c, only + SB_MS);
	const sb_time gap = next_pick(&c, again + 10 * SB_US) - again;
	ck_assert_int_eq(gap, params.interval);
}
END_TEST

START_TEST(an_empty_queue_is_not_standing)
{
	struct codel c = {0};
	ck_assert(!pick(&c, start));
	codel_empty(&c);
	ck_assert(!pick(&c, start + 100 * SB_MS));
	ck_assert(pick(&c, start + 200 * SB_MS));
}
END_TEST

static Suite *codel_suite(void)
{
	Suite *s = suite_create("codel");

	TCase *law = tcase_create("law");
	tcase_add_test(law, picks_come_at_interval_over_root_of_count);
	tcase_add_test(law, who_asks_late_gets_all_that_is_due);
	suite_add_tcase(s, law);

	TCase *standing = tcase_create("standing");
	tcase_add_test(standing, nothing_is_picked_below_target);
	tcase_add_test(standing, nothing_is_picked_with_one_mtu_left);
	tcase_add_test(standing, one_short_wait_starts_the_interval_anew);
	tcase_add_test(standing, one_short_wait_ends_dropping);
	tcase_add_test(standing, an_empty_queue_is_not_standing);
	suite_add_tcase(s, standing);

	TCase *memory = tcase_create("memory");
	tcase_add_test(memory, the_rate_needed_last_time_is_remembered);
	tcase_add_test(memory, the_rate_needed_long_ago_is_forgotten);
	tcase_add_test(memory, one_pick_is_nothing_to_remember);
	suite_add_tcase(s, memory);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(codel_suite());

	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
