/* SPDX-License-Identifier: MIT */
/*
 * Numbers that follow from what the lines carry. Pure.
 */
#ifndef SRC_PLAN_H
#define SRC_PLAN_H

#include "serialbundle/time.h"

#include <stddef.h>

/* CoDel's two delays for a queue in front of these lines. */
struct plan_queue {
	sb_time target, interval;
};

/*
 * For frames of up to `frame` characters on n lines of chars_per_sec[0..n-1],
 * all > 0; n may be 0 (nothing is up: the slowest values there are).
 */
struct plan_queue plan_queue(size_t frame, const double chars_per_sec[], unsigned n);

#endif
