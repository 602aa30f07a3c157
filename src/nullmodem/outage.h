/* SPDX-License-Identifier: MIT */
/*
 * A timetable of hang-ups, in time since the start of the program.
 *
 *   10s+2s         once, at 10 s, for 2 s
 *   every:60s+5s   at 60 s, 120 s, ... for 5 s each
 */
#ifndef NULLMODEM_OUTAGE_H
#define NULLMODEM_OUTAGE_H

#include "serialbundle/time.h"

#include <stdbool.h>
#include <stddef.h>

enum { OUTAGE_MAX = 32 };

struct outage {
	sb_time at;     /* when the first begins */
	sb_time period; /* until the next begins; 0: only once */
	sb_time length;
};

struct timetable {
	struct outage outages[OUTAGE_MAX];
	unsigned count;
};

/* Adds one; NULL when done, else what is wrong with the text. */
const char *timetable_add(struct timetable *, const char *text);

/* Whether an outage that began at `since` or later is on at `now`. */
bool timetable_is_out(const struct timetable *, sb_time since, sb_time now);
/* The first instant after `now` when an outage begins or ends, or SB_NEVER. */
sb_time timetable_next(const struct timetable *, sb_time now);

#endif
