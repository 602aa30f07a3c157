/* SPDX-License-Identifier: MIT */
/* For tests that need a pseudo-terminal: the master side, and the slave's path. */
#ifndef TESTS_PTY_TESTING_H
#define TESTS_PTY_TESTING_H

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct pty {
	int master;
	char path[64];
};

static inline struct pty pty_new(void)
{
	struct pty pty = {.master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
	ck_assert_int_ge(pty.master, 0);
	ck_assert_int_eq(grantpt(pty.master), 0);
	ck_assert_int_eq(unlockpt(pty.master), 0);
	ck_assert_int_eq(ptsname_r(pty.master, pty.path, sizeof pty.path), 0);
	return pty;
}

#endif
