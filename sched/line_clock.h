/* SPDX-License-Identifier: MIT */
/*
 * The line clock: when will all that was handed to the port have left the wire?
 *
 * A port says little: bytes accepted, would-block, and on some drivers how many
 * bytes wait in it (TIOCOUTQ). The clock adds up the characters handed over at
 * the line's rate and is corrected by those facts, so that the caller can keep
 * a small lead ahead of the wire: never dry, never deep.
 *
 * The rate is the given one until the line shows another. A line is measured
 * while it is known to be busy: between two moments of would-block, or between
 * two readings of TIOCOUTQ that are not 0. A measured rate well below the given one
 * replaces it; when would-block stops coming the rate climbs back, up to
 * the given one.
 */
#ifndef SCHED_LINE_CLOCK_H
#define SCHED_LINE_CLOCK_H

#include "serialbundle/bytes.h"
#include "serialbundle/time.h"

struct line_clock {
	uint32_t given_bps;     /* > 0 */
	uint32_t bits_per_char; /* 8, 9, 10, 11 or 12 */
	double bps;             /* what the clock runs at now */
	double measured_bps;    /* 0 until measured */
	sb_time busy_until;     /* instant */
	sb_time blocked_since;  /* instant, or SB_NEVER when the port takes bytes */
	/* the measurement in progress */
	sb_time sample_start; /* instant, or SB_NEVER */
	uint64_t sample_chars;
	sb_time unblocked_busy_since; /* instant: busy without would-block since */
	uint32_t last_outq;
};

void line_clock_init(struct line_clock *, uint32_t bps, uint32_t bits_per_char, sb_time now);
/* A new estimate from the user or the modem; forgets what was measured. */
void line_clock_set_bps(struct line_clock *, uint32_t bps, sb_time now);

/* The port accepted n characters. */
void line_clock_sent(struct line_clock *, sb_time now, size_t n);
/* The port would block: it holds at least the lead. */
void line_clock_blocked(struct line_clock *, sb_time now);
/* The port takes bytes again. */
void line_clock_writable(struct line_clock *, sb_time now);
/* The driver says that n characters wait in it. */
void line_clock_outq(struct line_clock *, sb_time now, uint32_t n);

/* Duration until the wire runs dry; 0 when it is. While blocked it stands still. */
sb_time line_clock_ahead(const struct line_clock *, sb_time now);
/* The duration of n characters at the current rate. */
sb_time line_clock_time(const struct line_clock *, size_t n);

/* The lead to keep: max(64 characters, 3 ms), as a duration and in characters. */
sb_time line_clock_lead(const struct line_clock *);
/* Characters that may be handed over now without going beyond the lead. */
size_t line_clock_room(const struct line_clock *, sb_time now);
/* When to come back: half the lead before the wire runs dry. */
sb_time line_clock_wake(const struct line_clock *);

#endif
