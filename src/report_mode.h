/* SPDX-License-Identifier: MIT */
/*
 * How a bundle uses its lines, as part of a report (src/report.h): its mode, and what bonding's
 * /proc/net/bonding tells. Words are static.
 */
#ifndef SRC_REPORT_MODE_H
#define SRC_REPORT_MODE_H

#include "serialbundle/time.h"

#include <stdbool.h>
#include <stdint.h>

enum { REPORT_NO_AGGREGATOR = 0 };

struct report_mode {
	const char *name;             /* "active-backup"; NULL: of lines that are in no bundle */
	const char *hash;             /* xmit_hash_policy; NULL: this mode has none */
	const char *primary, *active; /* lines; NULL or "": none. Borrowed */
	const char *reselect, *ad_select;
	uint32_t changes;          /* of the active line */
	unsigned aggregator;       /* the active one, from 1 on, or REPORT_NO_AGGREGATOR */
	unsigned aggregator_up;    /* its lines that are up, */
	unsigned aggregator_lines; /* and all */
	unsigned min_links;
	uint64_t moves;                  /* of flows, to another line: balance-tlb, balance-alb */
	uint64_t copies, copies_dropped; /* broadcast: see sched/policy.h */
	sb_time miimon, updelay, downdelay; /* durations */
	unsigned notices;
	sb_time notice_delay;
	sb_time probe_interval; /* duration; 0: there are no probes */
	uint32_t probe_target;  /* IPv4, host order; 0: the peer */
	unsigned probe_missed_max;
	const char *probe_validate;
};

/* Of a line that is a member. */
struct report_member {
	const char *state; /* "up", "going down", "down", "going back up"; NULL: it is none */
	bool used;         /* packets are sent over it, as far as the mode has any for it */
	uint32_t failures; /* times it left use */
	int32_t prio;
	unsigned aggregator; /* from 1 on, or REPORT_NO_AGGREGATOR */
	uint64_t probes, probe_replies;
};

#endif
