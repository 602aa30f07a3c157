/* SPDX-License-Identifier: MIT */
/* CoDel within a flow: what is dropped or marked, and what never is. */
#include "tests/unit/fq_codel_testing.h"

static const sb_time packet_time = SB_SEC * MTU / RATE;

/* A flow that never has fewer than ten packets waiting; takes n at the line's rate. */
static void stand_for(unsigned ecn, int n)
{
	for (int i = 0; i < n; i++) {
		while (fq_codel_packets(w.queue) < 10)
			send_numbered(0, MTU, ecn, 0);
		ck_assert_int_eq(take_number(), 0);
		check_sum();
		w.now += packet_time;
	}
}

START_TEST(a_standing_queue_is_dropped_from)
{
	stand_for(ECN_NOT_ECT, 200);
	ck_assert_uint_gt(counters()->codel_drops, 20);
	ck_assert_uint_eq(counters()->ecn_marks, 0);
}
END_TEST

START_TEST(with_ecn_marks_replace_drops)
{
	stand_for(ECN_ECT0, 200);
	ck_assert_uint_gt(counters()->ecn_marks, 20);
	ck_assert_uint_eq(counters()->codel_drops, 0);
}
END_TEST

START_TEST(ecn_can_be_switched_off)
{
	struct fq_codel_config config = world_config(w.pool);
	config.ecn = false;
	use_config(config);
	stand_for(ECN_ECT0, 200);
	ck_assert_uint_eq(counters()->ecn_marks, 0);
	ck_assert_uint_gt(counters()->codel_drops, 20);
}
END_TEST

START_TEST(drops_follow_the_law)
{
	/* Packets of 1 ms each, 5 and 100 ms: the first wait above target is at 5 ms. */
	struct fq_codel_config config = world_config(w.pool);
	config.target = 5 * SB_MS;
	config.interval = 100 * SB_MS;
	use_config(config);
	static const int at_ms[] = {105, 205, 276, 334, 384, 429, 469, 507};
	for (int i = 0; i < 2000; i++)
		world_send(&w, 0, MTU);
	const sb_time start = w.now;
	for (unsigned dropped = 0; dropped < sizeof at_ms / sizeof *at_ms; w.now += SB_MS) {
		ck_assert_int_eq(world_take(&w), 0);
		ck_assert_uint_eq(counters()->codel_drops, 0);
		ck_assert_int_le((w.now - start) / SB_MS, at_ms[dropped]);
		if (counters()->ecn_marks == dropped)
			continue;
		ck_assert_int_eq((w.now - start) / SB_MS, at_ms[dropped]);
		dropped++;
	}
}
END_TEST

START_TEST(a_short_wait_is_never_dropped)
{
	/* Each packet waits just less than target, with a backlog behind it. */
	const sb_time target = world_config(w.pool).target;
	for (int i = 0; i < 500; i++) {
		for (int k = 0; k < 20; k++)
			send_numbered(0, MTU, ECN_NOT_ECT, 0);
		w.now += target - 1;
		while (take_number() >= 0)
			;
	}
	ck_assert_uint_eq(counters()->codel_drops, 0);
}
END_TEST

START_TEST(a_sparse_flow_is_never_dropped)
{
	for (int i = 0; i < 500; i++) {
		send_numbered(0, 40, ECN_NOT_ECT, 0);
		w.now += 60 * SB_SEC;
		ck_assert_int_eq(take_number(), 0);
	}
	ck_assert_uint_eq(counters()->codel_drops, 0);
}
END_TEST

START_TEST(a_queue_that_expired_stands_no_more)
{
	const sb_time interval = world_config(w.pool).interval;
	stand_for(ECN_NOT_ECT, 7); /* above target, for less than an interval */
	fq_codel_expire(w.queue, SB_NEVER);
	for (int i = 0; i < 10; i++)
		send_numbered(0, MTU, ECN_NOT_ECT, 0);
	w.now += 2 * interval;
	take_number();
	ck_assert_uint_eq(counters()->codel_drops, 0);
	w.now += 2 * interval;
	take_number();
	ck_assert_uint_eq(counters()->codel_drops, 1);
}
END_TEST

START_TEST(a_new_target_counts_at_once)
{
	fq_codel_set_target(w.queue, 3600 * SB_SEC, packet_time);
	stand_for(ECN_NOT_ECT, 200);
	fq_codel_set_target(w.queue, packet_time, 3600 * SB_SEC);
	stand_for(ECN_NOT_ECT, 200);
	ck_assert_uint_eq(counters()->codel_drops, 0);
	fq_codel_set_target(w.queue, 3 * packet_time, 6 * packet_time);
	stand_for(ECN_NOT_ECT, 200);
	ck_assert_uint_gt(counters()->codel_drops, 20);
}
END_TEST

/* A flow's first n packets come in one burst, over 9600 b/s. */
static void burst_at_9600(int n, sb_time target, sb_time interval)
{
	const sb_time t = SB_SEC * MTU / 960;
	struct fq_codel_config config = world_config(w.pool);
	config.target = target;
	config.interval = interval;
	use_config(config);
	fq_codel_set_rate(w.queue, w.now, 960);
	for (int i = 0; i < n; i++)
		send_numbered(0, MTU, ECN_NOT_ECT, (unsigned)i);
	for (int i = 0; i < n; i++, w.now += t)
		ck_assert_int_eq(take_number(), i);
	ck_assert_int_eq(take_number(), -1);
	ck_assert_uint_eq(counters()->codel_drops, 0);
}

START_TEST(A14_at_9600_the_first_packets_of_a_flow_are_not_dropped)
{
	/* The least target that is allowed, 1.5 T, and an initial window of RFC 3390. */
	burst_at_9600(4, 900 * SB_MS, 900 * SB_MS + 95 * SB_MS);
	/* 3 T and twice that, and the ten segments of RFC 6928. */
	burst_at_9600(10, 1800 * SB_MS, 3600 * SB_MS);
}
END_TEST

static Suite *aqm_suite(void)
{
	Suite *s = suite_create("fq_codel_aqm");

	TCase *codel = tcase_create("codel");
	tcase_add_checked_fixture(codel, start_world, end_world);
	tcase_add_test(codel, a_standing_queue_is_dropped_from);
	tcase_add_test(codel, with_ecn_marks_replace_drops);
	tcase_add_test(codel, ecn_can_be_switched_off);
	tcase_add_test(codel, drops_follow_the_law);
	tcase_add_test(codel, a_short_wait_is_never_dropped);
	tcase_add_test(codel, a_sparse_flow_is_never_dropped);
	tcase_add_test(codel, a_queue_that_expired_stands_no_more);
	tcase_add_test(codel, a_new_target_counts_at_once);
	tcase_add_test(codel, A14_at_9600_the_first_packets_of_a_flow_are_not_dropped);
	suite_add_tcase(s, codel);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(aqm_suite());

	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
