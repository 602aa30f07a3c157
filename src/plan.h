/* SPDX-License-Identifier: MIT */
/*
 * Numbers that follow from what the lines carry. Pure.
 */
#ifndef SRC_PLAN_H
#define SRC_PLAN_H

#include "serialbundle/time.h"

#include <stddef.h>

/* Durations that fit the lines: CoDel's two, and TCP's least retransmission timeout. */
struct plan_queue {
	sb_time target, interval;
	sb_time min_rto;
};

/*
 * For frames of up to `frame` characters on n lines of chars_per_sec[0..n-1],
 * all > 0; n may be 0 (nothing is up: the slowest values there are).
 */
struct plan_queue plan_queue(size_t frame, const double chars_per_sec[], unsigned n);

#endif
