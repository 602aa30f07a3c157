/* SPDX-License-Identifier: MIT */
/* For tests that need a pseudo-terminal: the master side, and the slave's path. */
#ifndef TESTS_PTY_TESTING_H
#define TESTS_PTY_TESTING_H

#include <check.h>
#include <fcntl.h>
#include <stdint.h>
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

/* The same bytes each time, of all values, without a period that could hide a loss. */
static inline void fill_random(uint8_t *at, size_t length)
{
	uint32_t x = 1;
	for (size_t i = 0; i < length; i++) {
		x = x * 1664525 + 1013904223;
		at[i] = (uint8_t)(x >> 24);
	}
}

#endif
