/* SPDX-License-Identifier: MIT */
/* Text for a reader that is slow, gone, or does not read at all. */
#define _GNU_SOURCE
#include "src/output.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int ends[2];
static char text[300000];

static void set_up(void)
{
	signal(SIGPIPE, SIG_IGN);
	memset(text, 'x', sizeof(text));
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
}

static void tear_down(void)
{
	close(ends[0]);
	close(ends[1]);
}

START_TEST(all_of_it_where_there_is_room)
{
	char back[5000];

	ck_assert(output_put(ends[1], text, sizeof(back), 0));
	ck_assert_int_eq(read(ends[0], back, sizeof(back)), sizeof(back));
	ck_assert_mem_eq(back, text, sizeof(back));
}
END_TEST

/* More than a pipe holds, nobody reads: it comes back, and says so. */
START_TEST(B118_a_pipe_that_nobody_reads)
{
	ck_assert(!output_put(ends[1], text, sizeof(text), 0));
	ck_assert(!output_put(ends[1], "more", 4, 0));
}
END_TEST

START_TEST(a_reader_that_has_gone)
{
	close(ends[0]);
	ck_assert(!output_put(ends[1], "text", 4, 0));
}
END_TEST

START_TEST(nothing_is_always_written)
{
	ck_assert(output_put(-1, "", 0, 0));
	ck_assert(!output_put(-1, "x", 1, 0));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("output");
	TCase *t = tcase_create("output");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, all_of_it_where_there_is_room);
	tcase_add_test(t, B118_a_pipe_that_nobody_reads);
	tcase_add_test(t, a_reader_that_has_gone);
	tcase_add_test(t, nothing_is_always_written);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
