/* SPDX-License-Identifier: MIT */
/*
 * Cutting a packet over several lines so that all pieces arrive together.
 * Internal to sched/; not installed.
 */
#ifndef SCHED_CUT_H
#define SCHED_CUT_H

#include "serialbundle/time.h"

#include <stdint.h>

/* What cut_packet needs to know of a line, and its answer. */
struct cut_line {
	sb_time from;    /* instant at which a piece of no bytes would have arrived */
	double rate;     /* bytes of the packet per second from then on */
	uint32_t length; /* the answer: bytes of the packet for this line */
};

enum {
	CUT_LEAST = 20,       /* bytes: a smaller piece is mostly header */
	CUT_MOST_PIECES = 16, /* about: more are mostly headers */
};

/*
 * Shares out length > 0 bytes over count > 0 lines; no share but the only one is less than
 * CUT_LEAST, or a part in CUT_MOST_PIECES of the packet, save 0. The instant at which the last piece will have arrived. O(count^2).
 */
sb_time cut_packet(struct cut_line *, unsigned count, uint32_t length);

#endif
