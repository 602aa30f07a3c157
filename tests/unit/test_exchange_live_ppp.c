/* SPDX-License-Identifier: MIT */
/* Links of a bundle that is in use are taken out and come back: nothing is lost by that. */
#define _DEFAULT_SOURCE
#include "tests/unit/pair_world.h"
#include "tests/unit/suite_testing.h"

enum { BPS = 38400, SLOW = 9600 };

static struct exchange_answer told;

static unsigned line_named(unsigned s, const char *name)
{
	return exchange_find_line(w.side[s].exchange, name);
}

static void take_out(unsigned s, const char *name)
{
	exchange_remove_line(w.side[s].exchange, line_named(s, name), w.now, &told);
	ck_assert_int_eq(told.error, 0);
}

static void put_in(unsigned s, unsigned n)
{
	exchange_add_line(w.side[s].exchange, &w.side[s].config.lines[n], w.now, &told);
	ck_assert_int_eq(told.error, 0);
}

static bool has_left(unsigned s, const char *name, sb_time within)
{
	for (sb_time end = w.now + within; w.now < end; world_run(10 * SB_MS))
		if (line_named(s, name) == EXCHANGE_NO_LINE)
			return true;
	return false;
}

static void run_full(sb_time duration, sb_time every)
{
	world_run_busy(duration, every);
}

/* Order within each flow, and once: so TCP notices nothing, and sends nothing again. */
static void assert_unnoticed(void)
{
	world_run(10 * SB_SEC);
	for (unsigned s = 0; s < 2; s++) {
		ck_assert_uint_eq(missing(host_of(!s), w.side[s].sent), 0);
		ck_assert_uint_eq(host_of(!s)->behind, 0);
		ck_assert_uint_eq(twice(host_of(!s), w.side[s].sent), 0);
	}
}

START_TEST(E2_a_link_that_is_taken_out_in_use_is_not_noticed)
{
	pair_configure(2, BPS, 10 * SB_MS);
	pair_start();
	run_full(3 * SB_SEC + _i * 31 * SB_MS, 120 * SB_MS);
	take_out(0, "tty2");
	ck_assert(has_left(0, "tty2", SB_SEC));
	run_full(3 * SB_SEC, 250 * SB_MS);
	ck_assert_uint_eq(lines_up(0), 1);
	ck_assert_uint_eq(lines_up(1), 1);
	assert_unnoticed();
	report_of(0, 0);
	ck_assert_uint_eq(w.side[0].report.line_count, 1);
	ck_assert_uint_eq(w.side[0].lines[0].downs, 0);
	world_end();
}
END_TEST

START_TEST(E1_a_link_that_is_put_in_joins_and_is_not_noticed)
{
	pair_configure(2, BPS, 10 * SB_MS);
	pair_start();
	take_out(0, "tty2");
	ck_assert(has_left(0, "tty2", SB_SEC));
	run_full(2 * SB_SEC + _i * 31 * SB_MS, 200 * SB_MS);
	put_in(0, 1);
	ck_assert(both_have_up(2, 2 * SB_SEC));
	run_full(4 * SB_SEC, 120 * SB_MS);
	assert_unnoticed();
	report_of(0, 0);
	ck_assert_uint_gt(w.side[0].lines[1].out.packets, 5);
	world_end();
}
END_TEST

/* Frames take a second, and the peer's Ack waits behind one. */
START_TEST(E2_slow_links_take_their_time)
{
	pair_configure(2, SLOW, 200 * SB_MS);
	pair_start();
	run_full(10 * SB_SEC + _i * 170 * SB_MS, SB_SEC);
	take_out(0, _i % 2 ? "tty0" : "tty2");
	ck_assert(has_left(0, _i % 2 ? "tty0" : "tty2", 6 * SB_SEC));
	run_full(5 * SB_SEC, SB_SEC);
	assert_unnoticed();
	world_end();
}
END_TEST

/* The last one goes as well: packets wait for the next. */
START_TEST(all_links_are_taken_out_and_others_come)
{
	pair_configure(2, BPS, 10 * SB_MS);
	pair_start();
	run_full(3 * SB_SEC, 200 * SB_MS);
	take_out(0, "tty0");
	take_out(0, "tty2");
	run_full(SB_SEC, 200 * SB_MS);
	ck_assert_uint_eq(lines_up(0), 0);
	put_in(0, 0);
	put_in(0, 1);
	ck_assert(both_have_up(2, 5 * SB_SEC));
	run_full(3 * SB_SEC, 200 * SB_MS);
	assert_unnoticed();
	world_end();
}
END_TEST

/* It does not answer: nobody waits for it for ever, and what it may not have got goes again. */
START_TEST(a_link_whose_peer_is_gone_leaves_all_the_same)
{
	pair_configure(2, BPS, 10 * SB_MS);
	pair_start();
	run_full(3 * SB_SEC, 200 * SB_MS);
	cable_set_dead(1, true);
	side_sends(0, 2);
	take_out(0, "tty2");
	ck_assert(has_left(0, "tty2", 10 * SB_SEC));
	world_run(10 * SB_SEC);
	ck_assert_uint_eq(missing(host_of(1), w.side[0].sent), 0);
	world_end();
}
END_TEST

static struct config wanted; /* large, for the stack */

static const char *reconfigure(void)
{
	exchange_reconfigure(w.side[0].exchange, &wanted, w.now, &told);
	ck_assert_int_eq(told.error, 0);
	return told.text;
}

START_TEST(what_does_not_count_at_once_is_told)
{
	pair_configure(2, BPS, 10 * SB_MS);
	pair_start();
	world_run(SB_SEC);
	wanted = w.side[0].config;
	ck_assert_str_eq(reconfigure(), "0 lines added, 0 removed, 0 changed, 2 as before");
	wanted.ppp.ipv6 = true;
	wanted.default_route = true;
	ck_assert_str_eq(reconfigure(),
			 "0 lines added, 0 removed, 0 changed, 2 as before; --default-route has "
			 "changed, which counts from the next start of the program on; options of "
			 "PPP have changed, which counts from the next start of each line on");
	wanted.default_route = false;
	ck_assert_str_eq(reconfigure(), "0 lines added, 0 removed, 0 changed, 2 as before");
	world_end();
}
END_TEST

/* Characters that side 0 sends over its first line, which is idle, in a minute. */
static uint64_t sent_in_a_minute(void)
{
	uint64_t before;

	report_of(0, 0);
	before = w.side[0].lines[0].out.rates.total;
	world_run(60 * SB_SEC);
	report_of(0, 0);
	return w.side[0].lines[0].out.rates.total - before;
}

/* An Echo-Request has at least 14 characters; the other end asks every ten seconds, as ever. */
START_TEST(probes_of_links_in_use_are_as_often_as_they_are_set)
{
	enum { LEAST = 14, PROBES = 120 };
	uint64_t idle;

	pair_configure(1, BPS, 10 * SB_MS);
	w.side[0].config.ppp.multilink = false; /* no empty fragments */
	pair_start();
	world_run(20 * SB_SEC);
	idle = sent_in_a_minute();
	ck_assert_uint_lt(idle, PROBES * LEAST / 2);
	wanted = w.side[0].config;
	wanted.probe = (struct probe_config){.interval = 500 * SB_MS, .missed_max = 2};
	reconfigure();
	ck_assert_uint_ge(sent_in_a_minute(), (PROBES - 10) * LEAST);
	wanted.probe.interval = 0;
	reconfigure();
	ck_assert_uint_lt(sent_in_a_minute(), PROBES * LEAST / 2);
	world_end();
}
END_TEST

/* Reports of quality are asked for when a link begins. */
START_TEST(parking_by_losses_counts_from_the_next_start_of_a_link)
{
	pair_configure(1, BPS, 10 * SB_MS);
	w.side[1].config.park.loss_out = 0.1;
	pair_start();
	wanted = w.side[0].config;
	wanted.park.loss_out = 0.1;
	ck_assert_ptr_nonnull(strstr(reconfigure(), "next start of each line"));
	unplug(0, 0);
	world_run(SB_SEC);
	plug_in(0, 0);
	ck_assert(both_have_up(1, 5 * SB_SEC));
	world_run_busy(30 * SB_SEC, 500 * SB_MS);
	report_of(0, 0);
	ck_assert_double_ge(w.side[0].lines[0].loss_out, 0);
	world_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("exchange_live_ppp");
	TCase *one = new_case(suite, "one"), *all = new_case(suite, "all");
	SRunner *runner = srunner_create(suite);

	tcase_add_loop_test(one, E2_a_link_that_is_taken_out_in_use_is_not_noticed, 0, 16);
	tcase_add_loop_test(one, E1_a_link_that_is_put_in_joins_and_is_not_noticed, 0, 8);
	tcase_add_loop_test(one, E2_slow_links_take_their_time, 0, 8);
	tcase_add_test(all, all_links_are_taken_out_and_others_come);
	tcase_add_test(all, a_link_whose_peer_is_gone_leaves_all_the_same);
	tcase_add_test(all, what_does_not_count_at_once_is_told);
	tcase_add_test(all, probes_of_links_in_use_are_as_often_as_they_are_set);
	tcase_add_test(all, parking_by_losses_counts_from_the_next_start_of_a_link);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
