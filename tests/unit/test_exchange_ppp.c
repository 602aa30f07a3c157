/* SPDX-License-Identifier: MIT */
/* PPP lines between two exchanges: up, in use, and up again. */
#define _DEFAULT_SOURCE
#include "tests/unit/pair_world.h"

enum { BPS = 38400 };

START_TEST(lines_come_up_and_are_one_bundle)
{
	sb_time start;

	pair_configure((unsigned)_i, BPS, 0);
	start = w.now;
	pair_start();
	ck_assert_int_lt(w.now - start, SB_SEC);
	for (unsigned s = 0; s < 2; s++) {
		ck_assert(host_of(s)->carrier);
		ck_assert_uint_eq(host_of(s)->v4.local, s ? ADDRESS_B : ADDRESS_A);
		ck_assert_uint_eq(host_of(s)->v4.remote, s ? ADDRESS_A : ADDRESS_B);
		ck_assert_uint_eq(host_of(s)->v4_times, 1);
		ck_assert_uint_eq(host_of(s)->mtu, MTU);
	}
	ck_assert_uint_eq(w.hosts, 2);
	world_end();
}
END_TEST

START_TEST(packets_pass_both_ways_in_order)
{
	pair_configure((unsigned)_i, BPS, 20 * SB_MS);
	pair_start();
	world_run_busy(20 * SB_SEC, 280 * SB_MS / _i);
	world_run(5 * SB_SEC);
	assert_all_once();
	report_of(0, 0);
	for (int i = 0; i < _i; i++)
		ck_assert_uint_gt(w.side[0].lines[i].out.packets, 10);
	world_end();
}
END_TEST

static TCase *new_case(Suite *suite, const char *name)
{
	TCase *tcase = tcase_create(name);

	tcase_set_timeout(tcase, 60);
	suite_add_tcase(suite, tcase);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("exchange_ppp");
	TCase *up = new_case(suite, "up");

	tcase_add_loop_test(up, lines_come_up_and_are_one_bundle, 1, 5);
	tcase_add_loop_test(up, packets_pass_both_ways_in_order, 1, 5);
	return run_suite(suite);
}
