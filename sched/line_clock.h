/* SPDX-License-Identifier: MIT */
/*
 * The line clock: when will all that was handed to the port have left the wire?
 *
 * A port says little: bytes accepted, would-block, and on some drivers how many
 * bytes wait in it (TIOCOUTQ). The clock adds up the characters handed over at
 * the line's rate and is corrected by those facts, so that the caller can keep
 * a small lead ahead of the wire: never dry, never deep.
 *
 * The rate is the given one until the line shows a lower one. It is measured
 * only while the line is known to be busy: between two moments of would-block,
 * or while TIOCOUTQ stays above 0. A measurement clearly below the given rate
 * replaces it; when the signs of being too fast stop, the rate climbs back
 * in steps, never beyond the given one: a modem that buffers hundreds of KB
 * would take a probe for more without a sign and be filled by it.
 */
#ifndef SCHED_LINE_CLOCK_H
#define SCHED_LINE_CLOCK_H

#include "serialbundle/bytes.h"
#include "serialbundle/time.h"

struct line_clock {
	uint32_t given_bps;
	uint32_t bits_per_char;
	double bps;            /* what the clock runs at */
	double limit_bps;      /* what the line was found not to go beyond; 0: it was not */
	double measured_bps;   /* smoothed; 0 until measured */
	sb_time busy_until;    /* instant the wire runs dry */
	sb_time blocked_since; /* instant, or SB_NEVER while the port takes bytes */
	sb_time slow_until;    /* instant of the last sign that bps is too fast, plus patience */
	sb_time sample_start;  /* instant the measurement began, or SB_NEVER */
	uint64_t sample_chars; /* handed over since then */
	uint32_t sample_outq;  /* what waited in the driver then */
	uint32_t outq;         /* what waits in it now, by its last answer; 0 where it tells none */
};

/* bps > 0; bits_per_char 8..12: start, data, parity and stop bits together. */
void line_clock_init(struct line_clock *, uint32_t bps, uint32_t bits_per_char, sb_time now);

/* The line carries that much from now on; what is on its way leaves at the new rate. */
void line_clock_set_bps(struct line_clock *, uint32_t bps, sb_time now);
/*
 * The same for a rate that is led a little up and down: what was found out about the line stays,
 * and bounds it; and what is on its way leaves as it was to.
 */
void line_clock_lead_to(struct line_clock *, uint32_t bps);

/* The port accepted n characters. */
void line_clock_sent(struct line_clock *, sb_time now, size_t n);
/* The port would block: it holds at least the lead. */
void line_clock_blocked(struct line_clock *, sb_time now);
/* The port takes bytes again. */
void line_clock_writable(struct line_clock *, sb_time now);
/* The driver says that n characters wait in it. */
void line_clock_outq(struct line_clock *, sb_time now, uint32_t n);

/*
 * Duration until the wire runs dry; 0 when it is. A blocked port is expected to
 * stay blocked for as long again as it has been.
 */
sb_time line_clock_ahead(const struct line_clock *, sb_time now);
/* The duration of n characters at the current rate. */
sb_time line_clock_time(const struct line_clock *, size_t n);

/* The lead to keep, a duration: 64 characters, or 3 ms where that is more. */
sb_time line_clock_lead(const struct line_clock *);
/* Characters that may be handed over now without going beyond the lead. */
size_t line_clock_room(const struct line_clock *, sb_time now);
/* The instant to come back: half the lead before the wire runs dry. */
sb_time line_clock_wake(const struct line_clock *);

#endif
