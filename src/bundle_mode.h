/* SPDX-License-Identifier: MIT */
/*
 * Which of a bundle's lines are used, and for what: monitors hold back what happens to a line,
 * elections say which are active. For bundle*.c alone.
 */
#ifndef SRC_BUNDLE_MODE_H
#define SRC_BUNDLE_MODE_H

#include "sched/election.h"
#include "sched/monitor.h"
#include "src/config.h"
#include "src/report_mode.h"

struct bundle;

struct bundle_mode {
	struct bundle_mode_line {
		struct monitor monitor;
		bool is_new;       /* it was never used yet */
		uint32_t failures; /* times it left use, but for being taken out */
	} lines[CONFIG_MAX_LINES];
	unsigned active;  /* line, or ELECTION_NONE */
	uint32_t changes; /* of the active line */
	struct aggregation aggregation;
	sb_time choosing_until; /* instant from which ad_select=stable is so */
	uint64_t may_send;      /* as the spread was told, a bit for each line */
	unsigned notices_left;  /* of the active line, to the peer */
	bool notice_waits;      /* one of them, for the line to take it */
	sb_time notice_at;      /* instant of the next, or SB_NEVER */
};

void bundle_mode_init(struct bundle *);
/* The line becomes a member, not used yet. */
void bundle_mode_add(struct bundle *, unsigned i, sb_time now);
/* Whether the line is to be used, `up` being what it is now. */
bool bundle_mode_heed(struct bundle *, unsigned i, bool up, sb_time now);
/* The line is not used any more. */
void bundle_mode_lost(struct bundle *, unsigned i, sb_time now);
/* Of the lines that are used, anew. */
void bundle_mode_elect(struct bundle *, sb_time now);
/* Whether there are enough of them (min_links). */
bool bundle_mode_has_carrier(const struct bundle *);
/* Delays that are over, notices that are due; before lines are settled. */
void bundle_mode_run(struct bundle *, sb_time now);
sb_time bundle_mode_deadline(const struct bundle *);
/* Starts a frame on the line that tells the peer that it is the active one; false: none is due. */
bool bundle_mode_load(struct bundle *, unsigned i, sb_time now);

struct report_mode bundle_mode_report(const struct bundle *);

#endif
