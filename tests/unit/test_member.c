/* SPDX-License-Identifier: MIT */
/* A line as the stripe sees it: its slots, what it can promise, its patience. */
#include <check.h>
#include <stdlib.h>

#include "sched/member.h"

enum { MTU = 900 };

static const sb_time T0 = 1000 * SB_SEC;

static struct line_clock clock_9600;
static struct packet_pool *pool;
static struct member m;

/* Two more than the packet has. */
static size_t encoded_length(const void *encap, struct bytes packet)
{
	ck_assert_ptr_eq(encap, &clock_9600);
	return packet.length + 2;
}

static void set_up(void)
{
	line_clock_init(&clock_9600, 9600, 10, T0);
	pool = packet_pool_new(MEMBER_SLOTS + 1, MTU);
	m = (struct member){0};
	member_up(&m,
		  &(struct stripe_line){
			  .clock = &clock_9600,
			  .delay = 100 * SB_MS,
			  .encoded_length = encoded_length,
			  .coding = &clock_9600,
		  },
		  MTU, T0);
}

static void tear_down(void)
{
	packet_pool_free(pool);
}

static void assert_about(sb_time is, sb_time wanted, sb_time tolerance)
{
	ck_assert_int_ge(is, wanted - tolerance);
	ck_assert_int_le(is, wanted + tolerance);
}

static struct slot *bind(uint32_t characters)
{
	struct slot *slot = member_push(&m);

	*slot = (struct slot){.characters = characters};
	return slot;
}

/* --- slots --- */

START_TEST(slots_are_a_fifo_that_goes_round)
{
	uint32_t in = 0, out = 0;

	for (int round = 0; round < 5; round++) {
		while (!member_full(&m))
			bind(++in);
		ck_assert_uint_eq(m.count, MEMBER_SLOTS);
		for (uint32_t i = 0; i < m.count; i++)
			ck_assert_uint_eq(member_slot(&m, i)->characters, out + 1 + i);
		for (int i = 0; i < 100; i++)
			ck_assert_uint_eq(member_shift(&m).characters, ++out);
	}
	while (m.count)
		ck_assert_uint_eq(member_shift(&m).characters, ++out);
	ck_assert_uint_eq(in, out);
}
END_TEST

START_TEST(coming_up_again_forgets)
{
	bind(100);
	m.unsent = 50;
	member_sparse(&m, MTU, 96, T0);
	member_spend(&m, MTU, SB_SEC / 2, T0);
	member_up(&m, &(struct stripe_line){.clock = &clock_9600}, MTU, T0 + SB_SEC);
	ck_assert_uint_eq(m.count, 0);
	ck_assert_uint_eq(m.unsent, 0);
	ck_assert(member_crowding(&m, T0 + SB_SEC) == 1);
	ck_assert_int_eq(member_patience(&m, MTU, T0 + SB_SEC), line_clock_time(&clock_9600, MTU));
}
END_TEST

/* --- promises --- */

START_TEST(length_and_rate_are_those_of_the_wire)
{
	struct packet *p = packet_get(pool);

	p->length = 298;
	ck_assert_uint_eq(member_length(&m, p), 300);
	ck_assert(member_rate(&m) == 960);
	packet_put(pool, p);
}
END_TEST

START_TEST(next_start_is_behind_wire_and_frame_in_progress)
{
	ck_assert_int_eq(member_next_start(&m, T0), T0);
	line_clock_sent(&clock_9600, T0, 48);
	assert_about(member_next_start(&m, T0), T0 + 50 * SB_MS, 1);
	m.unsent = 96;
	assert_about(member_next_start(&m, T0), T0 + 150 * SB_MS, 2);
	assert_about(member_next_start(&m, T0 + 200 * SB_MS), T0 + 300 * SB_MS, 1);
}
END_TEST

START_TEST(survey_adds_up_and_honours_not_before)
{
	bind(96);
	bind(96)->not_before = T0 + 500 * SB_MS;
	bind(192);
	m.unsent = 48;
	member_survey(&m, T0);
	assert_about(member_slot(&m, 0)->arrives, T0 + (50 + 100 + 100) * SB_MS, 5);
	assert_about(member_slot(&m, 1)->arrives, T0 + (500 + 100 + 100) * SB_MS, 5);
	assert_about(member_slot(&m, 2)->arrives, T0 + (600 + 200 + 100) * SB_MS, 5);
	assert_about(m.free_at, T0 + 800 * SB_MS, 5);
}
END_TEST

START_TEST(passage_is_time_on_the_wire_and_delay)
{
	assert_about(member_passage(&m, 480), 600 * SB_MS, 1);
}
END_TEST

/* --- sparse packets crowd bound ones --- */

/* 96 characters each 200 ms are half the line: bound packets take twice as long. */
START_TEST(sparse_rate_crowds)
{
	sb_time now = T0;

	for (; now < T0 + 20 * SB_SEC; now += 200 * SB_MS)
		member_sparse(&m, MTU, 96, now);
	ck_assert_double_ge(member_crowding(&m, now), 1.8);
	ck_assert_double_le(member_crowding(&m, now), 2.2);
	member_survey(&m, now);
	assert_about(member_passage(&m, 96), 300 * SB_MS, 20 * SB_MS);
	bind(96);
	member_survey(&m, now);
	assert_about(m.free_at, now + 200 * SB_MS, 20 * SB_MS);
}
END_TEST

/* A beginning counts at once: no seconds of a ramp up from nothing. */
START_TEST(sparse_rate_counts_from_the_beginning)
{
	sb_time now = T0 + 60 * SB_SEC; /* quiet until now */

	for (int i = 0; i < 6; i++, now += 200 * SB_MS)
		member_sparse(&m, MTU, 96, now);
	ck_assert_double_ge(member_crowding(&m, now), 1.6);
	ck_assert_double_le(member_crowding(&m, now), 2.4);
}
END_TEST

START_TEST(sparse_rate_fades)
{
	sb_time now = T0;

	for (; now < T0 + 20 * SB_SEC; now += 200 * SB_MS)
		member_sparse(&m, MTU, 96, now);
	ck_assert_double_le(member_crowding(&m, now + 10 * SB_SEC), 1.01);
}
END_TEST

/* Even sparse packets without end leave bound ones a tenth. */
START_TEST(crowding_has_an_end)
{
	for (sb_time now = T0; now < T0 + 10 * SB_SEC; now += 10 * SB_MS)
		member_sparse(&m, MTU, 900, now);
	ck_assert_double_le(member_crowding(&m, T0 + 10 * SB_SEC), 10.000001);
	ck_assert_double_ge(member_crowding(&m, T0 + 10 * SB_SEC), 9.999999);
}
END_TEST

/* --- patience --- */

/* One frame saved up at most; half of the time comes back. */
START_TEST(patience_is_spent_and_saved)
{
	const sb_time frame = line_clock_time(&clock_9600, MTU);

	ck_assert_int_eq(member_patience(&m, MTU, T0), frame);
	member_spend(&m, MTU, frame, T0);
	ck_assert_int_eq(member_patience(&m, MTU, T0), 0);
	assert_about(member_patience(&m, MTU, T0 + 100 * SB_MS), 50 * SB_MS, 1);
	member_spend(&m, MTU, 20 * SB_MS, T0 + 100 * SB_MS);
	assert_about(member_patience(&m, MTU, T0 + 200 * SB_MS), 80 * SB_MS, 2);
	ck_assert_int_eq(member_patience(&m, MTU, T0 + 3600 * SB_SEC), frame);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("member");
	TCase *slots = tcase_create("slots"), *promises = tcase_create("promises");
	TCase *crowding = tcase_create("crowding"), *patience = tcase_create("patience");
	TCase *const all[] = {slots, promises, crowding, patience};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		tcase_add_checked_fixture(all[i], set_up, tear_down);
		suite_add_tcase(s, all[i]);
	}
	tcase_add_test(slots, slots_are_a_fifo_that_goes_round);
	tcase_add_test(slots, coming_up_again_forgets);
	tcase_add_test(promises, length_and_rate_are_those_of_the_wire);
	tcase_add_test(promises, next_start_is_behind_wire_and_frame_in_progress);
	tcase_add_test(promises, survey_adds_up_and_honours_not_before);
	tcase_add_test(promises, passage_is_time_on_the_wire_and_delay);
	tcase_add_test(crowding, sparse_rate_crowds);
	tcase_add_test(crowding, sparse_rate_counts_from_the_beginning);
	tcase_add_test(crowding, sparse_rate_fades);
	tcase_add_test(crowding, crowding_has_an_end);
	tcase_add_test(patience, patience_is_spent_and_saved);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(suite());
	int failed;

	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
