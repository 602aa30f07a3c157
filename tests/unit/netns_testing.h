/* SPDX-License-Identifier: MIT */
/* For tests that make interfaces: a network namespace of their own. */
#ifndef TESTS_NETNS_TESTING_H
#define TESTS_NETNS_TESTING_H

#include <check.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEST_SKIPPED = 77 }; /* to meson */

/* With a user namespace where root is missing. */
static inline bool netns_enter(void)
{
	return unshare(CLONE_NEWNET) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
}

/* Whether netns_enter() works, and a TUN device can be opened in it; asked in a child. */
static inline bool netns_possible(void)
{
	int status = 1;
	pid_t pid = fork();
	if (pid == 0)
		_exit(netns_enter() && access("/dev/net/tun", R_OK | W_OK) == 0 ? 0 : 1);
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* main() of such a test: in a namespace for each test, or skipped with the reason. */
static inline int netns_run(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int result = TEST_SKIPPED;
	if (netns_possible()) {
		srunner_run_all(runner, CK_NORMAL);
		result = srunner_ntests_failed(runner);
	} else {
		printf("skipped: no network namespace or no /dev/net/tun (root is needed)\n");
	}
	srunner_free(runner);
	return result;
}

static inline void netns_setup(void)
{
	ck_assert(netns_enter());
}

#endif
