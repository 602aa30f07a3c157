/* SPDX-License-Identifier: MIT */
/*
 * A line's state as the modes see it: what is observed, held back by bonding's miimon, updelay
 * and downdelay. With miimon 0 what is observed counts at once.
 */
#ifndef SCHED_MONITOR_H
#define SCHED_MONITOR_H

#include "serialbundle/time.h"

#include <stdbool.h>

struct monitor_config {
	sb_time miimon;  /* duration between two looks; 0: at once, without delays */
	sb_time updelay; /* durations; rounded down to a multiple of miimon */
	sb_time downdelay;
};

/* As bonding's BOND_LINK_*: FAIL and BACK are the delays that run. */
enum monitor_state { MONITOR_DOWN, MONITOR_BACK, MONITOR_UP, MONITOR_FAIL };

struct monitor {
	const struct monitor_config *config; /* borrowed; may change */
	enum monitor_state state;
	bool observed;
	sb_time look_at; /* instant of a look: the others are miimon apart */
	sb_time left;    /* duration of the delay that runs */
};

void monitor_init(struct monitor *, const struct monitor_config *, bool up, sb_time now);
/* What the line is; heeded at the next look. */
void monitor_observe(struct monitor *, bool up, sb_time now);
/* With no line usable an updelay is cut short, as bonding does. */
void monitor_hurry(struct monitor *);
void monitor_tick(struct monitor *, sb_time now);
sb_time monitor_deadline(const struct monitor *);
/* Whether the line is used: UP or FAIL. */
static inline bool monitor_is_up(const struct monitor *m)
{
	return m->state == MONITOR_UP || m->state == MONITOR_FAIL;
}

#endif
