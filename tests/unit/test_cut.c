/* SPDX-License-Identifier: MIT */
#include "sched/cut.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { MOST = 64 };

static sb_time arrives(const struct cut_line *l)
{
	return l->from + (sb_time)(l->length / l->rate * (double)SB_SEC);
}

static uint32_t sum(const struct cut_line *lines, unsigned count)
{
	uint32_t length = 0;

	for (unsigned i = 0; i < count; i++)
		length += lines[i].length;
	return length;
}

START_TEST(one_line_gets_all_of_it)
{
	struct cut_line line = {.from = SB_SEC, .rate = 1000};

	ck_assert_int_eq(cut_packet(&line, 1, 10), SB_SEC + 10 * SB_MS);
	ck_assert_uint_eq(line.length, 10);
}
END_TEST

START_TEST(equal_lines_get_equal_parts)
{
	struct cut_line lines[4];

	for (int i = 0; i < 4; i++)
		lines[i] = (struct cut_line){.from = 0, .rate = 960};
	ck_assert_int_eq(cut_packet(lines, 4, 960), 250 * SB_MS);
	for (int i = 0; i < 4; i++)
		ck_assert_uint_eq(lines[i].length, 240);
}
END_TEST

/* 100 ms of head start are 288 bytes; the rest is shared 2:1. */
START_TEST(a_line_that_is_free_later_gets_less)
{
	struct cut_line lines[] = {{.from = 0, .rate = 2880}, {.from = 100 * SB_MS, .rate = 1440}};

	cut_packet(lines, 2, 288 + 900);
	ck_assert_uint_eq(lines[0].length, 288 + 600);
	ck_assert_uint_eq(lines[1].length, 300);
}
END_TEST

START_TEST(a_line_that_is_free_too_late_gets_nothing)
{
	struct cut_line lines[] = {{.from = 0, .rate = 2880}, {.from = SB_SEC, .rate = 1440}};

	ck_assert_int_eq(cut_packet(lines, 2, 288), 100 * SB_MS);
	ck_assert_uint_eq(lines[0].length, 288);
	ck_assert_uint_eq(lines[1].length, 0);
}
END_TEST

/* The slow one's even share would be 15 bytes. */
START_TEST(a_share_of_no_use_goes_to_the_others)
{
	struct cut_line lines[] = {{.rate = 11520}, {.rate = 960}};

	cut_packet(lines, 2, 195);
	ck_assert_uint_eq(lines[0].length, 195);
	ck_assert_uint_eq(lines[1].length, 0);
}
END_TEST

/* Small packets over many lines: as many pieces as are of use, not one for each line. */
START_TEST(not_more_pieces_than_are_of_use)
{
	struct cut_line lines[MOST];
	unsigned pieces = 0;

	for (int i = 0; i < MOST; i++)
		lines[i] = (struct cut_line){.rate = 3840};
	cut_packet(lines, MOST, 500);
	for (int i = 0; i < MOST; i++)
		pieces += lines[i].length > 0;
	ck_assert_uint_eq(pieces, CUT_MOST_PIECES);
	ck_assert_uint_eq(sum(lines, MOST), 500);
}
END_TEST

static struct cut_line random_line(void)
{
	return (struct cut_line){
		.from = 1000 * SB_SEC + rand() % 1000 * SB_MS,
		.rate = 100 + rand() % 20000,
	};
}

/* Nothing is lost, no piece is useless, all end together, and no line alone is sooner. */
static void check_cut(unsigned count, uint32_t length)
{
	struct cut_line lines[MOST];
	unsigned pieces = 0;
	sb_time at;

	for (unsigned i = 0; i < count; i++)
		lines[i] = random_line();
	at = cut_packet(lines, count, length);
	ck_assert_uint_eq(sum(lines, count), length);
	for (unsigned i = 0; i < count; i++) {
		const struct cut_line *l = &lines[i];
		/* what is rounded off ends up on one line: half a byte for each */
		double slack = (double)SB_SEC * (count / 2.0 + 1) / l->rate + 1000;

		if (!l->length)
			continue;
		pieces++;
		ck_assert_double_le(fabs((double)(arrives(l) - at)), slack);
	}
	for (unsigned i = 0; i < count && pieces > 1; i++)
		if (lines[i].length)
			ck_assert_uint_ge(lines[i].length + count / 2, CUT_LEAST);
}

START_TEST(all_pieces_arrive_together)
{
	srand(1);
	for (int i = 0; i < 5000; i++)
		check_cut(1 + (unsigned)rand() % MOST, 1 + (uint32_t)rand() % 1500);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cut");
	TCase *c = tcase_create("cut");
	SRunner *runner;
	int failed;

	suite_add_tcase(s, c);
	tcase_add_test(c, one_line_gets_all_of_it);
	tcase_add_test(c, equal_lines_get_equal_parts);
	tcase_add_test(c, a_line_that_is_free_later_gets_less);
	tcase_add_test(c, a_line_that_is_free_too_late_gets_nothing);
	tcase_add_test(c, a_share_of_no_use_goes_to_the_others);
	tcase_add_test(c, not_more_pieces_than_are_of_use);
	tcase_add_test(c, all_pieces_arrive_together);
	runner = srunner_create(s);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
