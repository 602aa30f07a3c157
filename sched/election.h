/* SPDX-License-Identifier: MIT */
/*
 * Which line is the active one (active-backup; the current one of balance-tlb and -alb), and
 * which aggregator (802.3ad). Pure functions of what the lines are; the rules are those of the
 * kernel's bonding documentation: primary, primary_reselect with its two exceptions, prio,
 * ad_select.
 */
#ifndef SCHED_ELECTION_H
#define SCHED_ELECTION_H

#include "serialbundle/time.h"

#include <stdbool.h>
#include <stdint.h>

enum { ELECTION_MAX_LINES = 64, ELECTION_NONE = ELECTION_MAX_LINES };

enum primary_reselect { RESELECT_ALWAYS, RESELECT_BETTER, RESELECT_FAILURE };
enum ad_select { AD_SELECT_STABLE, AD_SELECT_BANDWIDTH, AD_SELECT_COUNT };

struct election_line {
	bool exists, up;
	bool primary;
	bool is_new;  /* it was not among the lines before: as bonding's "initially enslaved" */
	int32_t prio; /* higher is better */
	uint32_t bps;
	uint32_t peer; /* 802.3ad: lines with the same number have the same peer; 0: none known */
};

struct election_config {
	enum primary_reselect reselect;
	enum ad_select ad_select;
	unsigned min_links; /* of the active aggregator: fewer are no carrier; 0 and 1: any */
};

/* active: the one before, or ELECTION_NONE. Returns the active one now, or ELECTION_NONE. */
unsigned elect_active(const struct election_config *,
		      const struct election_line lines[static ELECTION_MAX_LINES], unsigned active);

/* How many lines are in a set of a bit for each. */
static inline unsigned election_count(uint64_t lines)
{
	unsigned n = 0;

	for (; lines; lines &= lines - 1)
		n++;
	return n;
}

/* An aggregator: lines of one speed to one peer. */
struct aggregator {
	uint64_t lines; /* a bit each */
	uint64_t up;    /* those that are */
	uint32_t bps;   /* of each */
	uint32_t peer;
};
struct aggregation {
	unsigned count, active; /* active: an index, or ELECTION_NONE */
	struct aggregator groups[ELECTION_MAX_LINES];
};
/* `before` is kept as far as ad_select says so; *to may be the same object. */
void elect_aggregator(const struct election_config *,
		      const struct election_line lines[static ELECTION_MAX_LINES],
		      const struct aggregation *before, struct aggregation *to);
/* The index of the one that the line is in, or ELECTION_NONE. */
unsigned aggregator_of(const struct aggregation *, unsigned line);
/* Whether so many lines of the active one are up that it counts. */
bool aggregation_has_carrier(const struct election_config *, const struct aggregation *);

#endif
