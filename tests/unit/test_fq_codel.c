/* SPDX-License-Identifier: MIT */
/* Which packet comes out, and what becomes of those for which there is no room. */
#include "tests/unit/fq_codel_testing.h"

START_TEST(an_empty_queue_has_nothing)
{
	ck_assert_ptr_null(fq_codel_dequeue(w.queue, w.now));
	ck_assert_ptr_null(fq_codel_peek_sparse(w.queue, w.now, NULL));
	ck_assert_int_eq(fq_codel_oldest(w.queue), SB_NEVER);
	check_sum();
}
END_TEST

START_TEST(a_flow_keeps_its_order)
{
	for (unsigned i = 0; i < 100; i++)
		send_numbered(7, MTU, ECN_ECT0, i);
	for (int i = 0; i < 100; i++) {
		ck_assert_int_eq(take_number(), i);
		w.now += SB_SEC * MTU / RATE;
	}
	ck_assert_int_eq(take_number(), -1);
	check_sum();
}
END_TEST

/* Two flows that are bulk, each with packets waiting. */
static void make_two_bulk_flows(void)
{
	for (int i = 0; i < 10; i++) {
		world_send(&w, 0, MTU);
		world_send(&w, 1, MTU);
	}
	while (world_sparse(&w) >= 0)
		world_take(&w);
}

START_TEST(bulk_flows_take_turns)
{
	make_two_bulk_flows();
	for (int i = 0; i < 4; i++) {
		ck_assert_int_eq(world_take(&w), 0);
		ck_assert_int_eq(world_take(&w), 1);
	}
}
END_TEST

START_TEST(sparse_goes_on_when_the_bulk_it_overtook_expires)
{
	make_two_bulk_flows();
	w.now += SB_SEC;
	for (unsigned flow = 2; flow < 12; flow++)
		world_send(&w, flow, MTU);
	while (world_sparse(&w) >= 0)
		world_take(&w);
	fq_codel_expire(w.queue, w.now);
	ck_assert_uint_gt(fq_codel_packets(w.queue), 0);
	while (fq_codel_packets(w.queue))
		ck_assert_int_ge(world_take(&w), 2);
}
END_TEST

START_TEST(sparse_goes_before_bulk)
{
	make_two_bulk_flows();
	world_send(&w, 2, 100);
	ck_assert_int_eq(world_take(&w), 2);
	ck_assert_int_eq(world_take(&w), 0);
}
END_TEST

START_TEST(among_sparse_flows_the_longest_waiting_goes_first)
{
	world_send(&w, 5, 100);
	w.now += SB_MS;
	world_send(&w, 6, 100);
	w.now += SB_MS;
	world_send(&w, 5, 100);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(world_sparse(&w), i == 1 ? 6 : 5);
		ck_assert_int_eq(world_take(&w), i == 1 ? 6 : 5);
	}
}
END_TEST

START_TEST(what_peek_shows_dequeue_sparse_gives)
{
	make_two_bulk_flows();
	world_send(&w, 2, 100);
	const uint32_t before = fq_codel_packets(w.queue);
	const struct packet *shown = fq_codel_peek_sparse(w.queue, w.now, NULL);
	ck_assert_uint_eq(fq_codel_packets(w.queue), before);
	w.now += SB_SEC;
	struct packet *p = fq_codel_dequeue_sparse(w.queue, w.now, shown);
	ck_assert_ptr_eq(p, shown);
	ck_assert_int_eq(p->arrived, w.now - SB_SEC);
	packet_put(w.pool, p);
	check_sum();
}
END_TEST

START_TEST(a_blocked_flow_is_not_shown)
{
	uint16_t blocked[1024] = {0};
	world_send(&w, 2, 100);
	w.now += SB_MS;
	world_send(&w, 3, 100);
	const struct packet *p = fq_codel_peek_sparse(w.queue, w.now, blocked);
	ck_assert_uint_eq(flow_of(p), 2);
	blocked[p->flow] = 1;
	p = fq_codel_peek_sparse(w.queue, w.now, blocked);
	ck_assert_uint_eq(flow_of(p), 3);
	blocked[p->flow] = 3;
	ck_assert_ptr_null(fq_codel_peek_sparse(w.queue, w.now, blocked));
	ck_assert_int_eq(world_take(&w), 2); /* dequeue does not mind */
}
END_TEST

/* limits */

START_TEST(the_fattest_flow_loses_from_its_head)
{
	struct fq_codel_config config = world_config(w.pool);
	config.limit_packets = 6;
	use_config(config);
	for (unsigned i = 0; i < 5; i++)
		send_numbered(0, MTU, ECN_NOT_ECT, i);
	send_numbered(1, 100, ECN_NOT_ECT, 50);
	send_numbered(2, 100, ECN_NOT_ECT, 60);
	ck_assert_uint_eq(fq_codel_packets(w.queue), 6);
	ck_assert_uint_eq(counters()->overlimit_drops, 1);
	ck_assert_int_eq(take_number(), 1); /* 0 is gone */
	check_sum();
}
END_TEST

START_TEST(bytes_are_limited_too)
{
	struct fq_codel_config config = world_config(w.pool);
	config.limit_bytes = 4 * MTU;
	use_config(config);
	for (unsigned i = 0; i < 100; i++) {
		send_numbered(i % 3, 30 + 5 * i, ECN_NOT_ECT, i);
		ck_assert_uint_le(fq_codel_bytes(w.queue), 4 * MTU);
		check_sum();
	}
}
END_TEST

START_TEST(a_packet_beyond_the_limit_itself_is_dropped)
{
	struct fq_codel_config config = world_config(w.pool);
	config.limit_bytes = 100;
	use_config(config);
	world_send(&w, 0, 101);
	ck_assert_uint_eq(fq_codel_packets(w.queue), 0);
	ck_assert_uint_eq(counters()->overlimit_drops, 1);
	world_send(&w, 0, 100);
	ck_assert_int_eq(world_take(&w), 0);
	check_sum();
}
END_TEST

START_TEST(expiry_drops_what_came_before)
{
	for (unsigned i = 0; i < 30; i++) {
		send_numbered(i % 4, 100, ECN_NOT_ECT, i);
		w.now += SB_SEC;
	}
	const sb_time first = w.now - 30 * SB_SEC;
	ck_assert_int_eq(fq_codel_oldest(w.queue), first);
	fq_codel_expire(w.queue, first);
	ck_assert_uint_eq(counters()->expired_drops, 0);
	fq_codel_expire(w.queue, first + 10 * SB_SEC);
	ck_assert_uint_eq(counters()->expired_drops, 10);
	ck_assert_int_eq(fq_codel_oldest(w.queue), first + 10 * SB_SEC);
	check_sum();
	ck_assert_int_eq(take_number(), 10);
	fq_codel_expire(w.queue, SB_NEVER);
	ck_assert_int_eq(take_number(), -1);
	check_sum();
}
END_TEST

START_TEST(freeing_puts_packets_back)
{
	for (int i = 0; i < POOL; i++)
		world_send(&w, (unsigned)i % 50, 60);
	ck_assert_ptr_null(packet_get(w.pool));
	use_config(world_config(w.pool));
	for (int i = 0; i < POOL; i++)
		ck_assert_ptr_nonnull(packet_get(w.pool));
	fq_codel_free(NULL);
}
END_TEST

START_TEST(another_seed_puts_flows_elsewhere)
{
	unsigned moved = 0;
	for (unsigned flow = 0; flow < 100; flow++) {
		uint32_t index[2];
		for (uint32_t seed = 0; seed < 2; seed++) {
			struct fq_codel_config config = world_config(w.pool);
			config.seed = seed;
			use_config(config);
			world_send(&w, flow, 100);
			index[seed] = fq_codel_peek_sparse(w.queue, w.now, NULL)->flow;
		}
		moved += index[0] != index[1];
	}
	ck_assert_uint_ge(moved, 95);
}
END_TEST

static Suite *fq_codel_suite(void)
{
	Suite *s = suite_create("fq_codel");

	TCase *order = tcase_create("order");
	tcase_add_checked_fixture(order, start_world, end_world);
	tcase_add_test(order, an_empty_queue_has_nothing);
	tcase_add_test(order, a_flow_keeps_its_order);
	tcase_add_test(order, bulk_flows_take_turns);
	tcase_add_test(order, sparse_goes_before_bulk);
	tcase_add_test(order, sparse_goes_on_when_the_bulk_it_overtook_expires);
	tcase_add_test(order, among_sparse_flows_the_longest_waiting_goes_first);
	tcase_add_test(order, what_peek_shows_dequeue_sparse_gives);
	tcase_add_test(order, a_blocked_flow_is_not_shown);
	tcase_add_test(order, another_seed_puts_flows_elsewhere);
	suite_add_tcase(s, order);

	TCase *limits = tcase_create("limits");
	tcase_add_checked_fixture(limits, start_world, end_world);
	tcase_add_test(limits, the_fattest_flow_loses_from_its_head);
	tcase_add_test(limits, bytes_are_limited_too);
	tcase_add_test(limits, a_packet_beyond_the_limit_itself_is_dropped);
	tcase_add_test(limits, expiry_drops_what_came_before);
	tcase_add_test(limits, freeing_puts_packets_back);
	suite_add_tcase(s, limits);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(fq_codel_suite());

	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
