/* SPDX-License-Identifier: MIT */
/*
 * Time as the engines know it: monotonic nanoseconds, handed in as an argument.
 *
 * An instant and a duration share one type; a field's name says which it is.
 * No engine reads a clock: the shell reads it once per wake-up.
 */
#ifndef SERIALBUNDLE_TIME_H
#define SERIALBUNDLE_TIME_H

#include <stdint.h>

typedef int64_t sb_time;

#define SB_NEVER INT64_MAX
#define SB_US    ((sb_time)1000)
#define SB_MS    ((sb_time)1000000)
#define SB_SEC   ((sb_time)1000000000)

static inline sb_time sb_time_min(sb_time a, sb_time b)
{
	return a < b ? a : b;
}

static inline sb_time sb_time_max(sb_time a, sb_time b)
{
	return a > b ? a : b;
}

#endif
