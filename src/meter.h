/* SPDX-License-Identifier: MIT */
/*
 * How much passes: averages over the last 2, 10 and 40 seconds, the highest
 * second so far, and the total. Pure; time is an argument and never runs
 * backwards.
 */
#ifndef SRC_METER_H
#define SRC_METER_H

#include "serialbundle/time.h"

enum {
	METER_SLOTS = 160,          /* 40 s, the longest average */
	METER_SLOTS_PER_SECOND = 4, /* the grain in time of all figures */
};

struct meter {
	sb_time start; /* instant */
	uint64_t slot; /* the running one, counted from start */
	uint64_t running;
	uint64_t done[METER_SLOTS]; /* bytes of the last slots that ended: of slot s at s % SLOTS */
	uint64_t last_second;       /* sum of the last METER_SLOTS_PER_SECOND of them */
	uint64_t peak;              /* the highest last_second */
	uint64_t total;
};

struct meter_rates {
	double over_2s, over_10s, over_40s; /* bytes per second */
	double peak;                        /* bytes in the busiest second */
	double mean;                        /* bytes per second since the start */
	uint64_t total;                     /* bytes */
};

void meter_init(struct meter *, sb_time now);
void meter_add(struct meter *, sb_time now, uint64_t bytes);
/* The same for a counter of someone else's, which only grows: what it has become. */
void meter_follow(struct meter *, sb_time now, uint64_t counter);
/* Of time: the nanoseconds from one instant, not before the last one told, to another. */
void meter_add_span(struct meter *, sb_time from, sb_time to);
/* Averages are over what there is when less than their time has passed. */
struct meter_rates meter_read(struct meter *, sb_time now);

#endif
