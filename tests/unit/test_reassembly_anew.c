/* SPDX-License-Identifier: MIT */
/*
 * Reassembly with peers that number anew, and with single wrong numbers, which must not be
 * taken for that.
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

/* --- a new bundle --- */

static void come_in_order(uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++) {
		frames_clear(&b.got);
		come(&b, i % 2, i, "BE", "old");
	}
	frames_clear(&b.got);
}

START_TEST(a_new_bundle_begins_at_zero)
{
	come_in_order(0, 200);
	go_down(&b, 0);
	go_down(&b, 1);
	reassembly_link_up(b.reassembly, 1, b.now);
	come(&b, 1, 0, "BE", "new");
	come(&b, 1, 1, "BE", "bundle");
	assert_got(&b, "new|bundle");
	ck_assert_uint_eq(counted(&b).late, 0);
}
END_TEST

/* Not even the fragment that is first in number need come first. */
START_TEST(a_new_bundle_begins_in_any_order)
{
	come_in_order(0, 200);
	go_down(&b, 0);
	go_down(&b, 1);
	reassembly_link_up(b.reassembly, 0, b.now);
	reassembly_link_up(b.reassembly, 1, b.now);
	come(&b, 1, 1, "E", "bundle");
	come(&b, 0, 0, "B", "new ");
	assert_got(&b, "new bundle");
}
END_TEST

/* The peer kept its bundle, while ours is new. */
START_TEST(the_first_number_may_be_any)
{
	come(&b, 0, 5000000, "BE", "a");
	come(&b, 1, 5000001, "BE", "b");
	assert_got(&b, "a|b");
	ck_assert_uint_eq(counted(&b).renumbered, 0);
}
END_TEST

/* Its links come back one by one, the other being up all the time as far as we know. */
START_TEST(a_restarted_peer_begins_at_zero_on_a_link_that_joins)
{
	static const uint32_t before[] = {3, TEST_WINDOW, 3000};

	for (size_t i = 0; i < 3; i++) {
		come_in_order(0, before[i]);
		go_down(&b, 0);
		reassembly_link_up(b.reassembly, 0, b.now);
		come(&b, 0, 0, "BE", "new");
		come(&b, 0, 1, "B", "on ");
		go_down(&b, 1);
		come(&b, 0, 2, "E", "one");
		reassembly_link_up(b.reassembly, 1, b.now);
		come(&b, 1, 3, "BE", "on both");
		assert_got(&b, "new|on one|on both");
		ck_assert_uint_eq(counted(&b).renumbered, 1);
		bundle_close(&b);
		open_two();
	}
}
END_TEST

/* --- surprises in a row --- */

/* The links stayed up: the fourth of the new numbers is believed, whatever they are. */
START_TEST(surprises_in_a_row_are_new_numbers)
{
	static const uint32_t first[] = {0, 30, 12000000, 1000000};

	for (size_t i = 0; i < 4; i++) {
		come_in_order(0, 500);
		for (uint32_t n = 0; n < 8; n++)
			come(&b, n % 2, first[i] + n, "BE", "new");
		assert_got(&b, "new|new|new|new|new");
		struct reassembly_counters c = counted(&b);
		ck_assert_uint_eq(c.renumbered, 1);
		ck_assert_uint_eq(c.late + c.astray, 3);
		ck_assert_uint_eq(c.fragments, 508);
		bundle_close(&b);
		open_two();
	}
}
END_TEST

START_TEST(whole_packets_of_the_old_numbers_are_not_lost)
{
	come_in_order(0, 500);
	come(&b, 0, 501, "BE", "held");
	come(&b, 0, 502, "BE", "too");
	for (uint32_t n = 0; n < 4; n++)
		come(&b, 0, 1000000 + n, "BE", "new");
	assert_got(&b, "held|too|new");
}
END_TEST

/* --- no new numbers --- */

START_TEST(one_wrong_number_moves_nothing)
{
	static const uint32_t wrong[] = {0, 300, 500 + (1 << 16), 5000000, 16000000};

	come_in_order(0, 500);
	for (uint32_t i = 0; i < 5; i++) {
		come(&b, i % 2, wrong[i], "BE", "wrong");
		come(&b, i % 2, 500 + i, "BE", "x");
	}
	assert_got(&b, "x|x|x|x|x");
	struct reassembly_counters c = counted(&b);
	ck_assert_uint_eq(c.late, 3); /* the last is nearer from below */
	ck_assert_uint_eq(c.astray, 2);
	ck_assert_uint_eq(c.lost + c.renumbered, 0);
}
END_TEST

/* Neither the same frame again and again, nor numbers that have nothing to do with each other. */
START_TEST(surprises_that_do_not_go_on)
{
	come_in_order(0, 500);
	for (unsigned i = 0; i < 20; i++)
		come(&b, 0, 499, "BE", "again");
	for (uint32_t i = 0; i < 50; i++)
		come(&b, 0, 100000 + 1000 * i, "BE", "noise");
	assert_got(&b, "");
	ck_assert_uint_eq(counted(&b).renumbered, 0);
	come(&b, 0, 500, "BE", "on");
	come(&b, 1, 501, "BE", "and on");
	assert_got(&b, "on|and on");
}
END_TEST

START_TEST(surprises_with_others_between_them)
{
	come_in_order(0, 500);
	fall_silent(&b, 1);
	come(&b, 0, 505, "BE", "x");
	frames_clear(&b.got);
	for (uint32_t i = 0; i < 5; i++) {
		come(&b, 0, 1000000 + 2 * i, "BE", "surprise");
		come(&b, 0, 1000001 + 2 * i, "BE", "surprise");
		come(&b, 1, 500 + i, "BE", "late");
	}
	assert_got(&b, "");
	ck_assert_uint_eq(counted(&b).renumbered, 0);
}
END_TEST

/* A slower link still brings what was sent before the number that we began with. */
START_TEST(new_numbers_do_not_go_back)
{
	come_in_order(0, 500);
	for (uint32_t i = 0; i < 4; i++)
		come(&b, 0, 1000010 + i, "BE", "new");
	for (uint32_t i = 0; i < 8; i++)
		come(&b, 1, 1000000 + i, "BE", "before");
	come(&b, 1, 1000014, "BE", "on");
	assert_got(&b, "new|on");
	ck_assert_uint_eq(counted(&b).renumbered, 1);
}
END_TEST

/* Whatever comes, when nothing else has come for so long. */
START_TEST(nothing_but_surprises)
{
	come_in_order(0, 500);
	for (uint32_t i = 0; i < 5; i++) {
		ck_assert_uint_eq(counted(&b).renumbered, 0);
		come(&b, 0, 100000 + 1000 * i, "BE", "surprise");
		wait_for(&b, test_config.most_wait / 4);
	}
	ck_assert_uint_eq(counted(&b).renumbered, 1);
	assert_got(&b, "surprise");
}
END_TEST

/* Not so far ahead that it is a surprise: all that is right is late, but not for ever. */
START_TEST(a_wrong_number_that_was_believed)
{
	uint32_t sequence = 500;
	sb_time believed_at;

	come_in_order(0, sequence);
	believed_at = b.now;
	come(&b, 0, sequence + 20000, "BE", "wrong");
	wait_for(&b, test_config.most_wait);
	frames_clear(&b.got);
	while (!b.got.count) {
		come(&b, 1, sequence, "BE", "right");
		wait_for(&b, 100 * SB_MS);
		sequence++;
	}
	ck_assert_int_le(b.now - believed_at, 2 * test_config.most_wait + 200 * SB_MS);
	come(&b, 1, sequence, "BE", "again");
	assert_got(&b, "right|again");
	ck_assert_uint_eq(counted(&b).renumbered, 1);
}
END_TEST

/* All that a link held, up to its end, is behind after the others went on. */
START_TEST(a_link_far_behind_is_late_and_no_surprise)
{
	come_in_order(0, 10);
	fall_silent(&b, 1);
	for (uint32_t i = 0; i < 300; i++)
		come(&b, 0, 30 + i, "BE", "x");
	frames_clear(&b.got);
	for (uint32_t i = 10; i < 30; i++)
		come(&b, 1, i, "BE", "late");
	come(&b, 0, 330, "BE", "on");
	come(&b, 1, 331, "BE", "and on");
	assert_got(&b, "on|and on");
	ck_assert_uint_eq(counted(&b).late, 20);
	ck_assert_uint_eq(counted(&b).renumbered, 0);
}
END_TEST

/* Long silence of all links: the peer went on meanwhile. */
START_TEST(a_gap_of_any_size)
{
	static const uint32_t gap[] = {TEST_WINDOW - 1, TEST_WINDOW, 30000};

	for (size_t i = 0; i < 3; i++) {
		come_in_order(0, 500);
		come(&b, 0, 500 + gap[i], "BE", "a");
		come(&b, 1, 501 + gap[i], "BE", "b");
		assert_got(&b, "a|b");
		ck_assert_uint_eq(counted(&b).lost, gap[i]);
		bundle_close(&b);
		open_two();
	}
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
	Suite *suite = suite_create("reassembly_anew");
	TCase *bundle = add_case(suite, "a new bundle");
	TCase *surprises = add_case(suite, "surprises in a row");
	TCase *same = add_case(suite, "no new numbers");

	tcase_add_test(bundle, a_new_bundle_begins_at_zero);
	tcase_add_test(bundle, a_new_bundle_begins_in_any_order);
	tcase_add_test(bundle, the_first_number_may_be_any);
	tcase_add_test(bundle, a_restarted_peer_begins_at_zero_on_a_link_that_joins);
	tcase_add_test(surprises, surprises_in_a_row_are_new_numbers);
	tcase_add_test(surprises, whole_packets_of_the_old_numbers_are_not_lost);
	tcase_add_test(same, one_wrong_number_moves_nothing);
	tcase_add_test(same, surprises_that_do_not_go_on);
	tcase_add_test(same, surprises_with_others_between_them);
	tcase_add_test(same, new_numbers_do_not_go_back);
	tcase_add_test(same, nothing_but_surprises);
	tcase_add_test(same, a_wrong_number_that_was_believed);
	tcase_add_test(same, a_link_far_behind_is_late_and_no_surprise);
	tcase_add_test(same, a_gap_of_any_size);
	return run_suite(suite);
}
