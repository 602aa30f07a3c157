/* SPDX-License-Identifier: MIT */
/*
 * Parking: a line that loses or delays too much is taken out of use, and let in again when it has
 * been good for long enough, longer each time it comes back bad (hysteresis).
 */
#ifndef SCHED_PARK_H
#define SCHED_PARK_H

#include "serialbundle/time.h"

#include <stdbool.h>

struct park_config {
	double loss_out, loss_in; /* 0..1: parked from loss_out on, good up to loss_in; 0: never */
	sb_time delay;            /* duration: parked when a round trip takes longer; 0: never */
	sb_time good_for;         /* duration that it has to be good; doubles up to 16 times that */
};

struct park {
	const struct park_config *config; /* borrowed; may change */
	bool parked;
	double loss, last_loss; /* smoothed, and the last; negative: not known */
	sb_time rtt, last_rtt;  /* the same; 0: not known */
	sb_time good_since;     /* instant, or SB_NEVER */
	sb_time patience;       /* duration now */
	bool came_back;         /* not so long ago */
	unsigned bad;           /* observations in a row */
	uint64_t times;         /* it was parked */
};

void park_init(struct park *, const struct park_config *, sb_time now);
/* One observation of the last interval: loss 0..1 or negative, round trip or 0. */
void park_observe(struct park *, double loss, sb_time rtt, sb_time now);
void park_tick(struct park *, sb_time now);
sb_time park_deadline(const struct park *);

#endif
