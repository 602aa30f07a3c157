/* SPDX-License-Identifier: MIT */
/*
 * With PPP lines, too, nothing is allocated once they are up: not for packets, pieces
 * of them or echoes, not for those that are lost, nor when a line goes silent and returns.
 *
 * Ports keep what is written in memory that grows, so a first round is not counted.
 */
#define _DEFAULT_SOURCE
#include "tests/unit/pair_world.h"

#include "tests/unit/alloc_counting.h"

enum { BPS = 38400, LINES = 3 };
#define ROUND (10 * SB_SEC)

static void warm_up(uint32_t bps)
{
	pair_configure(LINES, bps, 5 * SB_MS);
	pair_start();
	world_run_busy(ROUND, 150 * SB_MS);
}

START_TEST(packets_allocate_nothing)
{
	unsigned long before;

	warm_up(BPS);
	before = allocations;
	world_run_busy(ROUND, 150 * SB_MS);
	world_run(30 * SB_SEC); /* idle: echoes */
	report_of(0, 0);
	ck_assert_uint_eq(allocations, before);
	assert_all_once();
	world_end();
}
END_TEST

/* More than the lines carry: CoDel drops, and the receiver waits for what is late. */
START_TEST(overload_allocates_nothing)
{
	unsigned long before;

	warm_up(BPS / 4);
	before = allocations;
	world_run_busy(ROUND, 50 * SB_MS);
	ck_assert_uint_gt(report_of(0, 0)->queue_bytes, 0);
	ck_assert_uint_eq(allocations, before);
	world_end();
}
END_TEST

START_TEST(a_line_that_goes_silent_allocates_nothing)
{
	unsigned long before;

	warm_up(BPS);
	before = allocations;
	cable_set_dead(0, true);
	world_run_busy(ROUND, 150 * SB_MS);
	ck_assert_uint_eq(lines_up(0), LINES - 1);
	cable_set_dead(0, false);
	world_run_busy(ROUND, 150 * SB_MS);
	ck_assert_uint_eq(lines_up(0), LINES);
	ck_assert_uint_eq(allocations, before);
	world_end();
}
END_TEST

/* What comes up anew does: so the count would show it. */
START_TEST(a_line_that_is_opened_again_is_counted)
{
	unsigned long before;

	warm_up(BPS);
	before = allocations;
	unplug(0, 0);
	plug_in(0, 0);
	ck_assert(both_have_up(LINES - 1, SB_SEC));
	ck_assert(both_have_up(LINES, 5 * SB_SEC));
	ck_assert_uint_gt(allocations, before);
	world_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("exchange_ppp_no_alloc");
	TCase *tcase = tcase_create("no allocation");

	tcase_add_test(tcase, packets_allocate_nothing);
	tcase_add_test(tcase, overload_allocates_nothing);
	tcase_add_test(tcase, a_line_that_goes_silent_allocates_nothing);
	tcase_add_test(tcase, a_line_that_is_opened_again_is_counted);
	tcase_set_timeout(tcase, 60);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
