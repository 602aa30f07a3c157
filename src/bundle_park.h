/* SPDX-License-Identifier: MIT */
/*
 * Lines that lose or delay too much are parked (sched/park.h): up, received from and asked after,
 * but given no packets. For bundle*.c alone.
 */
#ifndef SRC_BUNDLE_PARK_H
#define SRC_BUNDLE_PARK_H

#include "sched/park.h"
#include "src/config.h"

struct bundle;

struct bundle_park {
	struct park lines[CONFIG_MAX_LINES];
	uint64_t reports[CONFIG_MAX_LINES]; /* of quality, that were heeded */
	uint64_t round_trips[CONFIG_MAX_LINES];
	bool said[CONFIG_MAX_LINES]; /* that it is parked */
};

/* The line becomes a member. */
void bundle_park_begin(struct bundle *, unsigned i, sb_time now);
/* Whether it is to be left out: it is parked, and another one can be used. */
bool bundle_park_holds(const struct bundle *, unsigned i);
/* Heeds what was measured meanwhile; before lines are settled. */
void bundle_park_run(struct bundle *, sb_time now);
sb_time bundle_park_deadline(const struct bundle *);

#endif
