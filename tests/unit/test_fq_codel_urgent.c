/* SPDX-License-Identifier: MIT */
/*
 * Packets with an urgent DSCP go first up to half of the rate, and starve nobody;
 * and what is taken past sparse flows.
 */
#include <stdlib.h>

#include "tests/unit/queue_world.h"

enum { EF = 46, BULK_FLOWS = 4 };

static struct world w;

static void start_world(void)
{
	world_start(&w, RATE);
}

static void end_world(void)
{
	world_end(&w);
}

static void add_bulks(void)
{
	for (int i = 0; i < BULK_FLOWS; i++)
		world_add(&w, (struct sender){.may_wait = 5, .fixed_size = MTU});
}

/* 20 ms of voice and the like, at this part of the line's rate. */
static struct sender *add_stream(unsigned dscp, double part)
{
	enum { SIZE = 200 };

	return world_add(&w, (struct sender){
				     .may_wait = 50,
				     .fixed_size = SIZE,
				     .dscp = dscp,
				     .period = (sb_time)(SIZE * (double)SB_SEC / RATE / part),
			     });
}

/* The first seconds are left out: all flows are sparse then. */
static void settle_then_run(sb_time duration)
{
	world_run(&w, 20 * SB_SEC);
	for (unsigned i = 0; i < w.count; i++) {
		w.senders[i].sent_bytes = 0;
		w.senders[i].longest_wait = 0;
	}
	world_run(&w, duration);
}

static double part_of(const struct sender *s, sb_time duration)
{
	return (double)s->sent_bytes / (RATE * (double)duration / (double)SB_SEC);
}

/* Twice its fair share of a fifth: it waits for the packet on the line and no more. */
START_TEST(an_urgent_stream_goes_first_beyond_its_fair_share)
{
	add_bulks();
	const struct sender *voice = add_stream(EF, 0.4);
	settle_then_run(120 * SB_SEC);
	ck_assert_double_eq_tol(part_of(voice, 120 * SB_SEC), 0.4, 0.01);
	ck_assert_int_le(voice->longest_wait, 2 * MTU * SB_SEC / RATE);
}
END_TEST

START_TEST(one_without_the_mark_does_not)
{
	add_bulks();
	const struct sender *stream = add_stream(0, 0.4);
	settle_then_run(120 * SB_SEC);
	ck_assert_int_gt(stream->longest_wait, 4 * MTU * SB_SEC / RATE);
}
END_TEST

/* Whatever it does: the others keep something like the other half. */
START_TEST(urgent_bulk_starves_nobody)
{
	static const unsigned may_wait[] = {1, 2, 5, 50};

	add_bulks();
	const struct sender *greedy = world_add(
		&w, (struct sender){.may_wait = may_wait[_i], .fixed_size = MTU, .dscp = EF});
	settle_then_run(120 * SB_SEC);
	ck_assert_double_le(part_of(greedy, 120 * SB_SEC), 0.55);
	for (unsigned i = 0; i < BULK_FLOWS; i++)
		ck_assert_double_ge(part_of(&w.senders[i], 120 * SB_SEC), 0.45 / BULK_FLOWS);
}
END_TEST

/* One that offers more than half of the rate is cut down to what the others leave it. */
START_TEST(more_than_half_is_not_for_the_asking)
{
	add_bulks();
	const struct sender *stream = add_stream(EF, 0.9);
	settle_then_run(120 * SB_SEC);
	ck_assert_double_le(part_of(stream, 120 * SB_SEC), 0.55);
}
END_TEST

START_TEST(a_ping_goes_first_beside_an_urgent_stream)
{
	add_bulks();
	add_stream(EF, 0.4);
	const struct sender *ping = world_add(
		&w,
		(struct sender){.may_wait = 50, .fixed_size = ECHO_SIZE, .period = 300 * SB_MS});
	settle_then_run(120 * SB_SEC);
	ck_assert_int_le(ping->longest_wait, 2 * (MTU + 200) * SB_SEC / RATE);
}
END_TEST

/* With nobody to compete with, the mark changes nothing. */
START_TEST(alone_it_has_all_of_the_line)
{
	const struct sender *stream =
		world_add(&w, (struct sender){.may_wait = 5, .fixed_size = MTU, .dscp = EF});
	settle_then_run(60 * SB_SEC);
	ck_assert_double_ge(part_of(stream, 60 * SB_SEC), 0.99);
}
END_TEST

/* --- past sparse flows --- */

START_TEST(bulk_is_taken_past_a_sparse_packet)
{
	for (int i = 0; i < 6; i++)
		world_send(&w, 0, MTU);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(world_take(&w), 0); /* flow 0 is bulk now */
	world_send(&w, 1, ECHO_SIZE);
	ck_assert_int_eq(world_sparse(&w), 1);
	for (int i = 0; i < 4; i++) {
		struct packet *p = fq_codel_dequeue_bulk(w.queue, w.now);
		ck_assert_ptr_nonnull(p);
		ck_assert_uint_eq(flow_of(p), 0);
		packet_put(w.pool, p);
	}
	ck_assert_ptr_null(fq_codel_dequeue_bulk(w.queue, w.now));
	ck_assert_int_eq(world_sparse(&w), 1);
	ck_assert_uint_eq(fq_codel_packets(w.queue), 1);
	ck_assert_int_eq(world_take(&w), 1);
}
END_TEST

static Suite *urgent_suite(void)
{
	Suite *s = suite_create("fq_codel_urgent");

	TCase *urgent = tcase_create("urgent");
	tcase_add_checked_fixture(urgent, start_world, end_world);
	tcase_add_test(urgent, an_urgent_stream_goes_first_beyond_its_fair_share);
	tcase_add_test(urgent, one_without_the_mark_does_not);
	tcase_add_loop_test(urgent, urgent_bulk_starves_nobody, 0, 4);
	tcase_add_test(urgent, more_than_half_is_not_for_the_asking);
	tcase_add_test(urgent, a_ping_goes_first_beside_an_urgent_stream);
	tcase_add_test(urgent, alone_it_has_all_of_the_line);
	suite_add_tcase(s, urgent);

	TCase *past = tcase_create("past sparse");
	tcase_add_checked_fixture(past, start_world, end_world);
	tcase_add_test(past, bulk_is_taken_past_a_sparse_packet);
	suite_add_tcase(s, past);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(urgent_suite());

	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
