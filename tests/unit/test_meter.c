/* SPDX-License-Identifier: MIT */
/* Known loads against hand-made clocks. E26: average and peak of a line. */
#include "src/meter.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { TICKS_PER_SECOND = 100 };
static const sb_time begin = 1234567 * SB_MS;

/* bytes_per_s for so many seconds, in equal pieces; the time afterwards. */
static sb_time load(struct meter *m, sb_time now, unsigned seconds, uint64_t bytes_per_s)
{
	for (unsigned i = 0; i < seconds * TICKS_PER_SECOND; i++) {
		meter_add(m, now, bytes_per_s / TICKS_PER_SECOND);
		now += SB_SEC / TICKS_PER_SECOND;
	}
	return now;
}

static void check_rates(struct meter_rates r, double over_2s, double over_10s, double over_40s)
{
	ck_assert_double_eq_tol(r.over_2s, over_2s, 1e-6);
	ck_assert_double_eq_tol(r.over_10s, over_10s, 1e-6);
	ck_assert_double_eq_tol(r.over_40s, over_40s, 1e-6);
}

START_TEST(E26_steady_load)
{
	struct meter m;
	meter_init(&m, begin);
	sb_time now = load(&m, begin, 60, 6400);
	struct meter_rates r = meter_read(&m, now);
	check_rates(r, 6400, 6400, 6400);
	ck_assert_double_eq(r.peak, 6400);
	ck_assert_double_eq_tol(r.mean, 6400, 1e-6);
	ck_assert_uint_eq(r.total, 60 * 6400);
}
END_TEST

START_TEST(E26_average_and_peak_differ)
{
	struct meter m;
	meter_init(&m, begin);
	sb_time now = load(&m, begin, 45, 6400);
	now = load(&m, now, 1, 7500);
	now = load(&m, now, 4, 6400);
	struct meter_rates r = meter_read(&m, now);
	check_rates(r, 6400, (9 * 6400 + 7500) / 10.0, (39 * 6400 + 7500) / 40.0);
	ck_assert_double_eq(r.peak, 7500);
	ck_assert_double_eq_tol(r.mean, (49 * 6400 + 7500) / 50.0, 1e-6);
}
END_TEST

START_TEST(nothing_yet)
{
	struct meter m;
	meter_init(&m, begin);
	struct meter_rates r = meter_read(&m, begin);
	check_rates(r, 0, 0, 0);
	ck_assert_double_eq(r.peak, 0);
	ck_assert_double_eq(r.mean, 0);
	ck_assert_uint_eq(r.total, 0);
}
END_TEST

/* After 5 s the 10 s average is over those 5, not over 10 with zeros. */
START_TEST(averages_are_over_what_there_is)
{
	struct meter m;
	meter_init(&m, begin);
	struct meter_rates r = meter_read(&m, load(&m, begin, 5, 1000));
	check_rates(r, 1000, 1000, 1000);
}
END_TEST

START_TEST(running_slot_counts_when_it_has_ended)
{
	struct meter m;
	meter_init(&m, begin);
	meter_add(&m, begin, 500);
	struct meter_rates r = meter_read(&m, begin + 249 * SB_MS);
	check_rates(r, 0, 0, 0);
	ck_assert_uint_eq(r.total, 500);
	r = meter_read(&m, begin + 250 * SB_MS);
	check_rates(r, 2000, 2000, 2000);
	ck_assert_double_eq(r.peak, 500); /* in a second: no extrapolation */
}
END_TEST

/* Silences of every length around the ring's: averages fall to 0, the rest stays. */
START_TEST(silence_empties_the_averages)
{
	for (int quarters = 1; quarters < 3 * METER_SLOTS; quarters++) {
		struct meter m;
		meter_init(&m, begin);
		sb_time now = load(&m, begin, 50, 4000) + quarters * (SB_SEC / 4);
		struct meter_rates r = meter_read(&m, now);
		check_rates(r, quarters < 8 ? 4000 * (8 - quarters) / 8.0 : 0,
			    quarters < 40 ? 4000 * (40 - quarters) / 40.0 : 0,
			    quarters < 160 ? 4000 * (160 - quarters) / 160.0 : 0);
		ck_assert_double_eq(r.peak, 4000);
		ck_assert_uint_eq(r.total, 50 * 4000);
		/* and it goes on as if new */
		r = meter_read(&m, load(&m, now, 41, 1000));
		check_rates(r, 1000, 1000, 1000);
	}
}
END_TEST

/* Three days without a sound cost no more than a minute. */
START_TEST(long_silence_is_cheap_and_empty)
{
	struct meter m;
	meter_init(&m, begin);
	meter_add(&m, begin, 1000);
	sb_time later = begin + 292 * 365 * (86400 * SB_SEC);
	check_rates(meter_read(&m, later), 0, 0, 0);
	meter_add(&m, later, 1000);
	ck_assert_uint_eq(meter_read(&m, later).total, 2000);
}
END_TEST

/* Time that is told of only when it is over counts when it was. */
START_TEST(spans_are_spread_over_their_time)
{
	struct meter m;
	meter_init(&m, begin);
	meter_add_span(&m, begin + 100 * SB_MS, begin + 1600 * SB_MS);
	meter_add_span(&m, begin + 1900 * SB_MS, begin + 1950 * SB_MS);
	struct meter_rates r = meter_read(&m, begin + 2 * SB_SEC);
	ck_assert_double_eq_tol(r.over_2s * 2, (double)(1550 * SB_MS), 1);
	ck_assert_double_eq_tol(r.peak, (double)SB_SEC, 1);
	ck_assert_uint_eq(r.total, 1550 * SB_MS);
	meter_add_span(&m, begin + 2 * SB_SEC, begin + 3600 * SB_SEC);
	r = meter_read(&m, begin + 3601 * SB_SEC);
	ck_assert_double_eq_tol(r.over_2s, (double)SB_SEC / 2, 1);
	ck_assert_double_eq_tol(r.over_40s, (double)SB_SEC * 39 / 40, 1);
}
END_TEST

/* Against the definition, at random: sums over the slots that have ended. */
START_TEST(random_loads_agree_with_plain_sums)
{
	static uint64_t slots[2000];
	struct meter m;
	uint64_t total = 0, peak = 0;
	unsigned slot = 0;
	srand(1);
	memset(slots, 0, sizeof(slots));
	meter_init(&m, begin);
	while (slot < 1990) {
		slot += (unsigned)(rand() % 100 < 3 ? rand() % 300 : rand() % 2);
		slot = slot < 1990 ? slot : 1990;
		uint64_t bytes = (uint64_t)(rand() % 5000);
		/* just before the slot ends */
		sb_time now = begin + (sb_time)(slot + 1) * (SB_SEC / 4) - 1;
		slots[slot] += bytes;
		total += bytes;
		meter_add(&m, now, bytes);
		struct meter_rates r = meter_read(&m, now);
		uint64_t in_2s = 0, in_40s = 0;
		for (unsigned n = 1; n <= 160 && n <= slot; n++) {
			in_2s += n <= 8 ? slots[slot - n] : 0;
			in_40s += slots[slot - n];
		}
		for (unsigned last = slot > 700 ? slot - 700 : 1; last <= slot; last++) {
			uint64_t second = 0;
			for (unsigned n = 1; n <= 4 && n <= last; n++)
				second += slots[last - n];
			peak = second > peak ? second : peak;
		}
		double seconds_2 = slot < 8 ? slot / 4.0 : 2,
		       seconds_40 = slot < 160 ? slot / 4.0 : 40;
		ck_assert_double_eq_tol(r.over_2s, slot ? (double)in_2s / seconds_2 : 0, 1e-6);
		ck_assert_double_eq_tol(r.over_40s, slot ? (double)in_40s / seconds_40 : 0, 1e-6);
		ck_assert_double_eq(r.peak, (double)peak);
		ck_assert_uint_eq(r.total, total);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("meter");
	TCase *t = tcase_create("meter");
	tcase_add_test(t, E26_steady_load);
	tcase_add_test(t, E26_average_and_peak_differ);
	tcase_add_test(t, nothing_yet);
	tcase_add_test(t, averages_are_over_what_there_is);
	tcase_add_test(t, running_slot_counts_when_it_has_ended);
	tcase_add_test(t, silence_empties_the_averages);
	tcase_add_test(t, long_silence_is_cheap_and_empty);
	tcase_add_test(t, random_loads_agree_with_plain_sums);
	tcase_add_test(t, spans_are_spread_over_their_time);
	suite_add_tcase(suite, t);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
