/* SPDX-License-Identifier: MIT */
/* What whole worlds need of Check: time. */
#ifndef TESTS_UNIT_SUITE_TESTING_H
#define TESTS_UNIT_SUITE_TESTING_H

#include <check.h>

static inline TCase *new_case(Suite *suite, const char *name)
{
	TCase *tcase = tcase_create(name);

	tcase_set_timeout(tcase, 60);
	suite_add_tcase(suite, tcase);
	return tcase;
}

#endif
