/* SPDX-License-Identifier: MIT */
/*
 * What a line carries, found out (`auto`): from what it drains, from link quality reports and from
 * what the peer says it received. rate.c opens with the algorithm.
 */
#ifndef SCHED_RATE_H
#define SCHED_RATE_H

#include "serialbundle/time.h"

#include <stdbool.h>
#include <stdint.h>

struct rate_config {
	double first_bps;           /* the guess to begin with */
	double least_bps, most_bps; /* 0: no bound; most: as fast as the port is */
	uint32_t bits_per_char;
};

struct rate;

struct rate *rate_new(const struct rate_config *, sb_time now); /* NULL: out of memory */
void rate_free(struct rate *);

/* n characters were handed to the port; more waits: the line could have had more than it got. */
void rate_sent(struct rate *, sb_time now, uint32_t n, bool more_waits);
/* What the port itself shows (line_clock.h): it was busy, and so much left it. */
void rate_drained(struct rate *, sb_time now, double bps);
/*
 * The peer: it had received `characters` in all (modulo 2^32) when it said so, `peer_time` by its
 * own clock (an instant with any origin).
 */
void rate_report(struct rate *, sb_time now, uint32_t characters, sb_time peer_time);
void rate_tick(struct rate *, sb_time now);
sb_time rate_deadline(const struct rate *);
/* What to run the clock at now: it may be a probe above what is known, or a pause below. */
double rate_bps(const struct rate *);
/* What is known; 0: nothing yet. */
double rate_known_bps(const struct rate *);

#endif
