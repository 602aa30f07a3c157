/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "src/clock.h"

#include <time.h>

static int64_t read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * SB_SEC + t.tv_nsec;
}

sb_time clock_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

sb_time clock_cpu(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

int64_t clock_wall(void)
{
	return read_clock(CLOCK_REALTIME);
}
