/* SPDX-License-Identifier: MIT */
/*
 * What a line carries, found out (`auto`): from what it drains, and from what the peer says it
 * received. rate.c opens with the algorithm.
 */
#ifndef SCHED_RATE_H
#define SCHED_RATE_H

#include "serialbundle/time.h"

#include <stdbool.h>
#include <stdint.h>

struct rate_config {
	double first_bps;           /* the guess to begin with */
	double least_bps, most_bps; /* 0: no bound */
	uint32_t bits_per_char;
};

/*
 * The peer: of what was sent since the beginning so many characters had come (modulo 2^32) when the
 * last of them did.
 */
struct rate_report {
	uint32_t characters;
	sb_time at; /* instant by the peer's clock, whose origin may be any */
};

struct rate;

struct rate *rate_new(const struct rate_config *); /* NULL: out of memory */
void rate_free(struct rate *);
/* Begins anew, nothing sent, with another first guess. */
void rate_begin(struct rate *, double first_bps, sb_time now);

/* n characters were handed to the port; by the line's clock the wire runs dry at `dry_at` now. */
void rate_sent(struct rate *, sb_time now, uint32_t n, sb_time dry_at);
/* The port took nothing for a while, since it was full: by the clock the wire is busy until then.
 */
void rate_held(struct rate *, sb_time dry_at);
/* What the port itself shows (line_clock.h): it was busy, and so much left it. 0: nothing now. */
void rate_drained(struct rate *, double bps);
void rate_report(struct rate *, sb_time now, const struct rate_report *);
void rate_tick(struct rate *, sb_time now);
sb_time rate_deadline(const struct rate *);
/* What to run the clock at now: it may be a probe above what is known, or a pause below. */
double rate_bps(const struct rate *);
/* What is known; 0: nothing yet. */
double rate_known_bps(const struct rate *);
/* Duration that what was sent waits behind the port, beyond the time that it is under way. */
sb_time rate_queue(const struct rate *, sb_time now);

#endif
