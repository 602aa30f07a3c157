/* SPDX-License-Identifier: MIT */
/* PPP lines between two exchanges: up, in use, and up again. */
#define _DEFAULT_SOURCE
#include "tests/unit/pair_world.h"
#include "tests/unit/suite_testing.h"

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
	world_run_busy(10 * SB_SEC, 280 * SB_MS / _i);
	world_run(5 * SB_SEC);
	assert_all_once();
	report_of(0, 0);
	for (int i = 0; i < _i; i++)
		ck_assert_uint_gt(w.side[0].lines[i].out.packets, 10);
	world_end();
}
END_TEST

/* --- lines that go --- */

/* Nobody is told; it is noticed, and nothing is lost that the other line could carry. */
START_TEST(E3_B099_a_line_that_goes_dead_is_left_out_and_comes_back)
{
	unsigned which = (unsigned)_i;

	pair_configure(2, BPS, 10 * SB_MS);
	pair_start();
	world_run_busy(5 * SB_SEC, 250 * SB_MS);
	cable_set_dead(which, true);
	side_sends(0, 4);
	side_sends(1, 4);
	ck_assert(both_have_up(1, 1500 * SB_MS));
	ck_assert_str_eq(w.side[0].lines[which].state, "silent");
	world_run_busy(5 * SB_SEC, 250 * SB_MS);
	ck_assert_uint_eq(lines_up(0), 1);
	cable_set_dead(which, false);
	ck_assert(both_have_up(2, 2 * SB_SEC));
	world_run_busy(5 * SB_SEC, 250 * SB_MS);
	world_run(10 * SB_SEC);
	for (unsigned s = 0; s < 2; s++) {
		ck_assert_uint_eq(missing(host_of(!s), w.side[s].sent), 0);
		ck_assert_uint_le(twice(host_of(!s), w.side[s].sent), 5);
	}
	world_end();
}
END_TEST

START_TEST(E2_a_line_that_is_unplugged_loses_nothing)
{
	unsigned which = (unsigned)_i % 2, end = (unsigned)_i / 2;

	pair_configure(2, BPS, 10 * SB_MS);
	pair_start();
	for (int i = 0; i < 3; i++) {
		world_run_busy(3 * SB_SEC + i * 37 * SB_MS, 250 * SB_MS);
		unplug(which, end);
		world_run_busy(5 * SB_SEC, 250 * SB_MS);
		ck_assert_uint_eq(lines_up(0), 1);
		ck_assert_uint_eq(lines_up(1), 1);
		plug_in(which, end);
		ck_assert(both_have_up(2, 5 * SB_SEC));
	}
	world_run(10 * SB_SEC);
	for (unsigned s = 0; s < 2; s++) {
		ck_assert_uint_eq(missing(host_of(!s), w.side[s].sent), 0);
		ck_assert_uint_le(twice(host_of(!s), w.side[s].sent), 15);
	}
	world_end();
}
END_TEST

START_TEST(B093_with_all_lines_gone_packets_wait)
{
	pair_configure(2, BPS, 10 * SB_MS);
	pair_start();
	world_run_busy(3 * SB_SEC, 250 * SB_MS);
	unplug(0, 0);
	unplug(1, 0);
	world_run_busy(2 * SB_SEC, 250 * SB_MS);
	ck_assert_uint_eq(lines_up(0), 0);
	ck_assert(host_of(0)->carrier);
	plug_in(0, 0);
	plug_in(1, 0);
	ck_assert(both_have_up(2, 5 * SB_SEC));
	world_run(10 * SB_SEC);
	for (unsigned s = 0; s < 2; s++)
		ck_assert_uint_eq(missing(host_of(!s), w.side[s].sent), 0);
	ck_assert_uint_eq(host_of(0)->v4.local, ADDRESS_A);
	ck_assert_uint_eq(w.hosts, 2);
	world_end();
}
END_TEST

/* What was counted before the last link left is not forgotten with it. */
START_TEST(fragments_are_counted_from_the_first_link_on)
{
	struct reassembly_counters before, after;

	pair_configure(2, BPS, 10 * SB_MS);
	pair_start();
	ck_assert(report_of(0, 0)->reassembles);
	world_run_busy(3 * SB_SEC, 250 * SB_MS);
	before = report_of(0, 0)->reassembly;
	ck_assert_uint_ge(before.packets, 10);
	ck_assert_uint_ge(before.fragments, before.packets);
	unplug(0, 0);
	unplug(1, 0);
	world_run(2 * SB_SEC);
	ck_assert_uint_eq(lines_up(0), 0);
	after = report_of(0, 0)->reassembly;
	ck_assert_uint_ge(after.packets, before.packets);
	before = after;
	plug_in(0, 0);
	plug_in(1, 0);
	ck_assert(both_have_up(2, 5 * SB_SEC));
	world_run_busy(3 * SB_SEC, 250 * SB_MS);
	after = report_of(0, 0)->reassembly;
	ck_assert_uint_ge(after.packets, before.packets + 10);
	world_end();
}
END_TEST

/* --- the peer --- */

START_TEST(an_orderly_end_is_told_to_the_peer)
{
	pair_configure(2, BPS, 10 * SB_MS);
	pair_start();
	world_run_busy(3 * SB_SEC, 250 * SB_MS);
	exchange_end(w.side[0].exchange, w.now);
	world_run(SB_SEC);
	ck_assert(exchange_has_ended(w.side[0].exchange));
	report_of(1, 0);
	for (unsigned i = 0; i < 2; i++)
		ck_assert_str_eq(w.side[1].lines[i].reason, "the peer closed the link");
	side_end(0);
	side_start(0);
	ck_assert(both_have_up(2, 10 * SB_SEC));
	world_end();
}
END_TEST

/* It is gone without a word, and another comes up in its place. */
START_TEST(a_peer_that_restarts_is_met_anew)
{
	pair_configure(2, BPS, 10 * SB_MS);
	pair_start();
	world_run_busy(3 * SB_SEC, 250 * SB_MS);
	side_end(0);
	w.side[0].sent = 0;
	world_run(200 * SB_MS);
	side_start(0);
	ck_assert(both_have_up(2, 10 * SB_SEC));
	w.side[0].sent = w.side[1].sent;
	world_run_busy(3 * SB_SEC, 250 * SB_MS);
	world_run(5 * SB_SEC);
	ck_assert_uint_eq(twice(host_of(1), w.side[0].sent), 0);
	ck_assert_uint_eq(lines_up(0), 2);
	ck_assert_uint_eq(host_of(1)->arrived[w.side[0].sent - 1], 1);
	ck_assert_uint_eq(host_of(0)->arrived[w.side[1].sent - 1], 1);
	world_end();
}
END_TEST

/* --- SLIP and PPP in one bundle --- */

START_TEST(lines_of_both_kinds_share_the_traffic)
{
	pair_configure(1, BPS, 0);
	add_cable(0, 1, BPS, 0, &encap_slip, &encap_slip);
	pair_start();
	world_run_busy(10 * SB_SEC, 140 * SB_MS);
	world_run(5 * SB_SEC);
	for (unsigned s = 0; s < 2; s++) {
		ck_assert_uint_eq(missing(host_of(!s), w.side[s].sent), 0);
		ck_assert_uint_eq(twice(host_of(!s), w.side[s].sent), 0);
	}
	report_of(0, 0);
	ck_assert_uint_gt(w.side[0].lines[0].out.packets, 20);
	ck_assert_uint_gt(w.side[0].lines[1].out.packets, 20);
	world_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("exchange_ppp");
	TCase *up = new_case(suite, "up"), *gone = new_case(suite, "gone");
	TCase *peer = new_case(suite, "peer"), *mixed = new_case(suite, "mixed");

	tcase_add_loop_test(up, lines_come_up_and_are_one_bundle, 1, 5);
	tcase_add_loop_test(up, packets_pass_both_ways_in_order, 1, 5);
	tcase_add_loop_test(gone, E3_B099_a_line_that_goes_dead_is_left_out_and_comes_back, 0, 2);
	tcase_add_loop_test(gone, E2_a_line_that_is_unplugged_loses_nothing, 0, 4);
	tcase_add_test(gone, B093_with_all_lines_gone_packets_wait);
	tcase_add_test(gone, fragments_are_counted_from_the_first_link_on);
	tcase_add_test(peer, an_orderly_end_is_told_to_the_peer);
	tcase_add_test(peer, a_peer_that_restarts_is_met_anew);
	tcase_add_test(mixed, lines_of_both_kinds_share_the_traffic);
	return run_suite(suite);
}
