/* SPDX-License-Identifier: MIT */
/*
 * Reassembly with loss: rule M of RFC 1990 section 4.1 and the sentences around it, the
 * time limit and what it learns, links that leave, fall silent or join.
 */
#include "tests/unit/reassembly_testing.h"

static struct bundle b;

static void open_two(void)
{
	bundle_open(&b, &test_config, 2);
}

static void close_all(void)
{
	bundle_close(&b);
}

static sb_time deadline_in(void)
{
	return reassembly_deadline(b.reassembly) - b.now;
}

/* --- rule M --- */

START_TEST(B060_below_m_is_lost_at_once)
{
	for (uint32_t i = 0; i < 5; i++)
		come(&b, i % 2, i, "BE", "x");
	come(&b, 1, 6, "BE", "six");
	come(&b, 1, 7, "BE", "seven");
	ck_assert_uint_eq(b.got.count, 5);
	come(&b, 0, 8, "BE", "eight");
	assert_got(&b, "x|x|x|x|x|six|seven|eight");
	struct reassembly_counters c = counted(&b);
	ck_assert_uint_eq(c.lost, 1);
	ck_assert_uint_eq(c.lost_by_time, 0);
	ck_assert_int_eq(reassembly_deadline(b.reassembly), SB_NEVER);
}
END_TEST

/* Both fragments of a packet come, but that between them does not. */
START_TEST(the_rest_of_a_packet_goes_with_its_fragment)
{
	come(&b, 0, 0, "B", "be");
	come(&b, 0, 2, "E", "end");
	come(&b, 1, 3, "BE", "next");
	assert_got(&b, "next");
	ck_assert_uint_eq(counted(&b).broken, 1);
}
END_TEST

/*
 * "M may jump into the middle of a chain of packets which can be successfully
 * completed": not all up to M is thrown away, only what the loss is part of.
 */
START_TEST(m_amid_packets_that_can_be_completed)
{
	come(&b, 0, 0, "B", "lost with 1");
	come(&b, 0, 2, "BE", "whole");
	come(&b, 0, 3, "B", "to be ");
	assert_got(&b, "");
	come(&b, 1, 4, "", "comp");
	assert_got(&b, "whole");
	come(&b, 0, 5, "E", "leted");
	assert_got(&b, "whole|to be completed");
	ck_assert_uint_eq(counted(&b).broken, 1);
}
END_TEST

/* The fragment with E is lost: up to the next B, which says that it was, and not that one. */
START_TEST(a_lost_end_is_deduced_from_the_next_beginning)
{
	come(&b, 0, 0, "B", "no ");
	come(&b, 1, 1, "", "end");
	come(&b, 0, 3, "B", "good");
	come(&b, 1, 4, "E", "!");
	assert_got(&b, "good!");
	ck_assert_uint_eq(counted(&b).lost, 1);
	ck_assert_uint_eq(counted(&b).broken, 1);
}
END_TEST

/* The fragment with B is lost: its packet up to E, and no more. */
START_TEST(a_lost_beginning)
{
	come(&b, 0, 1, "", "of");
	come(&b, 0, 2, "E", "something");
	come(&b, 1, 3, "BE", "good");
	assert_got(&b, "good");
	ck_assert_uint_eq(counted(&b).lost, 1);
	ck_assert_uint_eq(counted(&b).broken, 1);
}
END_TEST

/* "sending a null fragment on each member link [...] that would otherwise become idle" */
START_TEST(a_null_fragment_on_the_idle_link_tells_of_the_loss)
{
	come(&b, 0, 0, "BE", "first");
	come(&b, 0, 2, "BE", "third");
	assert_got(&b, "first");
	come(&b, 1, 3, "BE", "");
	assert_got(&b, "first|third");
}
END_TEST

START_TEST(of_one_link_all_gaps_are_losses)
{
	bundle_close(&b);
	bundle_open(&b, &test_config, 1);
	come(&b, 0, 0, "BE", "a");
	come(&b, 0, 2, "BE", "c");
	come(&b, 0, 5, "BE", "f");
	assert_got(&b, "a|c|f");
	ck_assert_uint_eq(counted(&b).lost, 3);
}
END_TEST

START_TEST(late_and_for_the_second_time)
{
	come(&b, 0, 0, "BE", "a");
	come(&b, 0, 0, "BE", "a");
	come(&b, 0, 2, "BE", "c");
	come(&b, 0, 2, "BE", "c");
	come(&b, 1, 3, "BE", "d");
	come(&b, 1, 1, "BE", "b");
	assert_got(&b, "a|c|d");
	struct reassembly_counters c = counted(&b);
	ck_assert_uint_eq(c.late, 3);
	ck_assert_uint_eq(c.fragments, 6);
	ck_assert_uint_eq(c.lost, 1);
}
END_TEST

/* One that comes twice does not make its link's last number an earlier one. */
START_TEST(the_last_number_of_a_link_does_not_fall)
{
	come(&b, 0, 1, "BE", "b");
	come(&b, 0, 3, "BE", "d");
	come(&b, 0, 1, "BE", "b");
	come(&b, 1, 5, "BE", "f");
	assert_got(&b, "b|d");
}
END_TEST

/* --- time --- */

START_TEST(before_any_is_known_half_of_the_most)
{
	come(&b, 0, 1, "BE", "second");
	ck_assert_int_eq(deadline_in(), test_config.most_wait / 2);
	wait_for(&b, deadline_in() - 1);
	assert_got(&b, "");
	wait_for(&b, 1);
	assert_got(&b, "second");
	struct reassembly_counters c = counted(&b);
	ck_assert_uint_eq(c.lost, 1);
	ck_assert_uint_eq(c.lost_by_time, 1);
	ck_assert_int_eq(reassembly_deadline(b.reassembly), SB_NEVER);
}
END_TEST

/* Each hole has its own time, which begins when it is seen and not when it is next. */
START_TEST(time_begins_when_the_hole_is_seen)
{
	come(&b, 0, 1, "BE", "b");
	wait_for(&b, 300 * SB_MS);
	come(&b, 0, 3, "BE", "d");
	ck_assert_int_eq(deadline_in(), 1700 * SB_MS);
	wait_for(&b, 1700 * SB_MS);
	assert_got(&b, "b");
	ck_assert_int_eq(deadline_in(), 300 * SB_MS);
	wait_for(&b, 300 * SB_MS);
	assert_got(&b, "b|d");
}
END_TEST

/* Holes that are filled after `lasting`; `sequence` goes on. */
static void fill_holes(uint32_t *sequence, unsigned count, sb_time lasting)
{
	for (; count; count--, *sequence += 2) {
		come(&b, 0, *sequence + 1, "BE", "fast");
		wait_for(&b, lasting);
		come(&b, 1, *sequence, "BE", "slow");
	}
}

/* What a hole there gets; it is filled at once. */
static sb_time limit_at(uint32_t *sequence)
{
	come(&b, 0, *sequence + 1, "BE", "fast");
	sb_time limit = deadline_in();
	come(&b, 1, *sequence, "BE", "slow");
	*sequence += 2;
	return limit;
}

enum { ENOUGH_HOLES = 64 };

START_TEST(what_filled_holes_lasted_sets_the_limit)
{
	uint32_t sequence = 0;

	fill_holes(&sequence, ENOUGH_HOLES, 40 * SB_MS);
	fill_holes(&sequence, 1, 90 * SB_MS);
	fill_holes(&sequence, 1, 140 * SB_MS);
	fill_holes(&sequence, 1, 210 * SB_MS);
	fill_holes(&sequence, 1, 300 * SB_MS);
	ck_assert_int_eq(counted(&b).longest_wait, 300 * SB_MS);
	ck_assert_int_ge(limit_at(&sequence), 450 * SB_MS);
	ck_assert_int_le(limit_at(&sequence), 500 * SB_MS);
	/* short ones do not make it forget at once, but in the end */
	fill_holes(&sequence, 10, 10 * SB_MS);
	ck_assert_int_ge(limit_at(&sequence), 400 * SB_MS);
	for (unsigned i = 0; i < 10; i++) {
		frames_clear(&b.got);
		fill_holes(&sequence, 100, 10 * SB_MS);
	}
	ck_assert_int_eq(limit_at(&sequence), test_config.least_wait);
	ck_assert_uint_eq(counted(&b).lost, 0);
}
END_TEST

START_TEST(some_short_holes_are_not_enough_to_judge_by)
{
	uint32_t sequence = 0;

	fill_holes(&sequence, ENOUGH_HOLES - 2, SB_MS);
	ck_assert_int_eq(limit_at(&sequence), test_config.most_wait / 2);
	fill_holes(&sequence, 1, SB_MS);
	ck_assert_int_eq(limit_at(&sequence), test_config.least_wait);
}
END_TEST

START_TEST(the_limit_has_limits)
{
	uint32_t sequence = 0;

	fill_holes(&sequence, ENOUGH_HOLES, SB_MS);
	ck_assert_int_eq(limit_at(&sequence), test_config.least_wait);
	/* by and by, as a queue that grows on one link */
	for (sb_time t = 50 * SB_MS; t < 4 * SB_SEC; t += t / 3)
		fill_holes(&sequence, 1, t);
	ck_assert_int_eq(limit_at(&sequence), test_config.most_wait);
	ck_assert_uint_eq(counted(&b).lost, 0);
}
END_TEST

/* One that comes after it was given up: the limit was too short, and grows. */
START_TEST(late_fragments_make_patient)
{
	uint32_t sequence = 0;

	fill_holes(&sequence, ENOUGH_HOLES, 60 * SB_MS);
	come(&b, 0, sequence + 1, "BE", "fast");
	wait_for(&b, 150 * SB_MS);
	come(&b, 1, sequence, "BE", "too late");
	ck_assert_uint_eq(counted(&b).late, 1);
	sequence += 2;
	ck_assert_int_ge(limit_at(&sequence), 225 * SB_MS);
	ck_assert_int_le(limit_at(&sequence), 250 * SB_MS);
}
END_TEST

/* Nor is one of a hole before the last one a measure for that. */
START_TEST(late_fragments_of_other_holes_teach_nothing)
{
	uint32_t sequence = 0;

	fill_holes(&sequence, ENOUGH_HOLES, 60 * SB_MS);
	come(&b, 0, sequence + 1, "BE", "fast");
	wait_for(&b, 150 * SB_MS);
	come(&b, 0, sequence + 3, "BE", "fast");
	wait_for(&b, SB_SEC);
	come(&b, 1, sequence, "BE", "much too late");
	ck_assert_uint_eq(counted(&b).late, 1);
	sequence += 4;
	ck_assert_int_eq(limit_at(&sequence), 110 * SB_MS);
}
END_TEST

/* What is behind because its link was silent is no measure for what comes after. */
START_TEST(late_fragments_of_a_silent_link_do_not)
{
	uint32_t sequence = 0;

	fill_holes(&sequence, ENOUGH_HOLES, 60 * SB_MS);
	for (uint32_t i = 0; i < 20; i++)
		come(&b, 0, sequence + 20 + i, "BE", "fast");
	wait_for(&b, 10 * SB_SEC);
	fall_silent(&b, 1);
	for (uint32_t i = 0; i < 20; i++)
		come(&b, 1, sequence + i, "BE", "after 10 s");
	ck_assert_uint_eq(counted(&b).late, 20);
	sequence += 40;
	ck_assert_int_eq(limit_at(&sequence), 110 * SB_MS);
}
END_TEST

/* --- links --- */

START_TEST(a_link_that_goes_down_is_not_waited_for)
{
	come(&b, 0, 0, "BE", "a");
	come(&b, 0, 2, "BE", "c");
	assert_got(&b, "a");
	go_down(&b, 1);
	assert_got(&b, "a|c");
	ck_assert_uint_eq(counted(&b).lost_by_time, 0);
}
END_TEST

START_TEST(a_silent_link_is_not_waited_for_until_it_is_heard)
{
	come(&b, 1, 0, "BE", "a");
	come(&b, 0, 2, "BE", "c");
	fall_silent(&b, 1);
	assert_got(&b, "a|c");
	come(&b, 0, 4, "BE", "e");
	assert_got(&b, "a|c|e");
	come(&b, 1, 5, "BE", "f");
	come(&b, 0, 7, "BE", "h");
	assert_got(&b, "a|c|e|f");
	come(&b, 1, 6, "BE", "g");
	assert_got(&b, "a|c|e|f|g|h");
}
END_TEST

/* What it still held when it hung comes late, and counts for M all the same. */
START_TEST(a_link_heard_again_is_behind)
{
	come(&b, 0, 0, "BE", "a");
	come(&b, 0, 2, "BE", "c");
	fall_silent(&b, 1);
	come(&b, 1, 1, "BE", "b");
	come(&b, 0, 4, "BE", "e");
	assert_got(&b, "a|c");
	come(&b, 1, 3, "BE", "d");
	assert_got(&b, "a|c|d|e");
	ck_assert_uint_eq(counted(&b).late, 1);
}
END_TEST

START_TEST(the_last_link_gives_up_all)
{
	come(&b, 0, 1, "BE", "b");
	come(&b, 0, 3, "BE", "d");
	come(&b, 0, 5, "BE", "f");
	go_down(&b, 0);
	assert_got(&b, "");
	go_down(&b, 1);
	assert_got(&b, "b|d|f");
}
END_TEST

/* Its first fragment may still be under way: the faster ones do not make it lost. */
START_TEST(a_link_that_joins_is_waited_for)
{
	come(&b, 0, 0, "BE", "a");
	come(&b, 1, 1, "BE", "b");
	reassembly_link_up(b.reassembly, 5, b.now);
	come(&b, 0, 3, "BE", "d");
	come(&b, 1, 4, "BE", "e");
	assert_got(&b, "a|b");
	come(&b, 5, 2, "BE", "c");
	assert_got(&b, "a|b|c|d|e");
	ck_assert_uint_eq(counted(&b).lost, 0);
}
END_TEST

/* But if nothing comes over it, losses are told by the other links again. */
START_TEST(a_link_that_joins_but_sends_nothing)
{
	reassembly_link_up(b.reassembly, 5, b.now);
	come(&b, 0, 0, "BE", "a");
	come(&b, 0, 2, "BE", "c");
	come(&b, 1, 3, "BE", "d");
	assert_got(&b, "a");
	wait_for(&b, test_config.most_wait / 2);
	assert_got(&b, "a|c|d");
	wait_for(&b, test_config.most_wait);
	come(&b, 0, 5, "BE", "f");
	come(&b, 1, 6, "BE", "g");
	assert_got(&b, "a|c|d|f|g");
	ck_assert_uint_eq(counted(&b).lost_by_time, 1);
}
END_TEST

START_TEST(a_fragment_of_a_link_that_is_not_up)
{
	come(&b, 9, 0, "BE", "a");
	come(&b, 0, 2, "BE", "c");
	come(&b, 1, 3, "BE", "d");
	assert_got(&b, "a|c|d");
}
END_TEST

static TCase *add_case(Suite *suite, const char *name)
{
	TCase *tcase = tcase_create(name);

	tcase_add_checked_fixture(tcase, open_two, close_all);
	suite_add_tcase(suite, tcase);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("reassembly_loss");
	TCase *rule_m = add_case(suite, "rule M");
	TCase *timing = add_case(suite, "time");
	TCase *links = add_case(suite, "links");

	tcase_add_test(rule_m, B060_below_m_is_lost_at_once);
	tcase_add_test(rule_m, the_rest_of_a_packet_goes_with_its_fragment);
	tcase_add_test(rule_m, m_amid_packets_that_can_be_completed);
	tcase_add_test(rule_m, a_lost_end_is_deduced_from_the_next_beginning);
	tcase_add_test(rule_m, a_lost_beginning);
	tcase_add_test(rule_m, a_null_fragment_on_the_idle_link_tells_of_the_loss);
	tcase_add_test(rule_m, of_one_link_all_gaps_are_losses);
	tcase_add_test(rule_m, late_and_for_the_second_time);
	tcase_add_test(rule_m, the_last_number_of_a_link_does_not_fall);
	tcase_add_test(timing, before_any_is_known_half_of_the_most);
	tcase_add_test(timing, time_begins_when_the_hole_is_seen);
	tcase_add_test(timing, what_filled_holes_lasted_sets_the_limit);
	tcase_add_test(timing, some_short_holes_are_not_enough_to_judge_by);
	tcase_add_test(timing, the_limit_has_limits);
	tcase_add_test(timing, late_fragments_make_patient);
	tcase_add_test(timing, late_fragments_of_other_holes_teach_nothing);
	tcase_add_test(timing, late_fragments_of_a_silent_link_do_not);
	tcase_add_test(links, a_link_that_goes_down_is_not_waited_for);
	tcase_add_test(links, a_silent_link_is_not_waited_for_until_it_is_heard);
	tcase_add_test(links, a_link_heard_again_is_behind);
	tcase_add_test(links, the_last_link_gives_up_all);
	tcase_add_test(links, a_link_that_joins_is_waited_for);
	tcase_add_test(links, a_link_that_joins_but_sends_nothing);
	tcase_add_test(links, a_fragment_of_a_link_that_is_not_up);
	return run_suite(suite);
}
