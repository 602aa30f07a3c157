/* SPDX-License-Identifier: MIT */
/*
 * A process in between is forked first and ends at once: what it forked belongs to process 1 (or
 * the nearest subreaper) then, which reaps it. Only that short-lived one is waited for here.
 *
 * Locks on ports go with the last descriptor of them, wherever that is; so the new process has
 * to close what it was not meant to have.
 */
#define _GNU_SOURCE

#include "src/port_child.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void close_all_but(int keep[], size_t count)
{
	unsigned first = STDERR_FILENO + 1;
	qsort(keep, count, sizeof *keep, by_number);
	for (size_t i = 0; i < count; i++) {
		unsigned kept = (unsigned)keep[i];
		if (kept > first)
			close_range(first, kept - 1, 0);
		if (kept >= first)
			first = kept + 1;
	}
	close_range(first, UINT_MAX, 0);
}

/* What we ignore or block would be ignored and blocked by a command, too. */
static void usual_signals(void)
{
	sigset_t none;
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL); /* not all of these are signals that can be set */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Never returns. The exit status is errno of a fork() that failed. */
static void fork_and_leave(void (*run)(void *), void *argument, int keep[], size_t count)
{
	pid_t pid = fork();
	if (pid != 0)
		_exit(pid < 0 ? errno : 0);
	setsid();
	usual_signals();
	close_all_but(keep, count);
	run(argument);
	_exit(0);
}

bool port_child_start(void (*run)(void *), void *argument, int keep[], size_t count)
{
	int status = 0;
	pid_t pid = fork();
	if (pid < 0)
		return false;
	if (pid == 0)
		fork_and_leave(run, argument, keep, count);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	errno = WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
	return errno == 0;
}
