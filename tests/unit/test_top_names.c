/* SPDX-License-Identifier: MIT */
/* Names by addresses, from this machine's own /etc/hosts and no network. */
#define _DEFAULT_SOURCE
#include "src/ctl/top_names.h"

#include <check.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_MS = 10000 };

static struct top_names *names;

static void set_up(void)
{
	names = top_names_new();
	ck_assert_ptr_nonnull(names);
}

static void tear_down(void)
{
	top_names_free(names);
}

static void hear(void)
{
	struct pollfd p = {.fd = top_names_fd(names), .events = POLLIN};

	ck_assert_int_eq(poll(&p, 1, PATIENCE_MS), 1);
	top_names_read(names);
}

START_TEST(a_name_comes_when_it_is_known)
{
	ck_assert_ptr_null(top_names_get(names, "127.0.0.1"));
	hear();
	ck_assert_str_eq(top_names_get(names, "127.0.0.1"), "localhost");
}
END_TEST

START_TEST(what_is_no_address_has_no_name)
{
	ck_assert_ptr_null(top_names_get(names, "not an address"));
	hear();
	ck_assert_ptr_null(top_names_get(names, "not an address"));
	ck_assert_ptr_null(top_names_get(names, ""));
	ck_assert_ptr_null(top_names_get(names, "127.0.0.1"));
	hear();
	ck_assert_ptr_nonnull(top_names_get(names, "127.0.0.1"));
}
END_TEST

/* More than are remembered, faster than they can be looked up: nothing waits, nothing is lost for
 * good. */
START_TEST(many_are_asked_for)
{
	char address[32];
	const char *name = NULL;

	for (unsigned i = 0; i < 5000; i++) {
		snprintf(address, sizeof address, "x%u", i);
		ck_assert_ptr_null(top_names_get(names, address));
	}
	for (unsigned i = 0; i < 5000 && !name; i++) {
		name = top_names_get(names, "127.0.0.1");
		if (!name)
			hear();
	}
	ck_assert_str_eq(name, "localhost");
}
END_TEST

START_TEST(it_can_be_left_while_it_asks)
{
	top_names_get(names, "127.0.0.1");
	top_names_free(names);
	names = NULL;
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("top_names");
	TCase *tests = tcase_create("names");
	SRunner *runner = srunner_create(suite);

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, a_name_comes_when_it_is_known);
	tcase_add_test(tests, what_is_no_address_has_no_name);
	tcase_add_test(tests, many_are_asked_for);
	tcase_add_test(tests, it_can_be_left_while_it_asks);
	tcase_set_timeout(tests, 60);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
