/* SPDX-License-Identifier: MIT */
/*
 * Characters that leave a wire back to back, as arithmetic.
 *
 * The k-th (from 1) of a run that began at `start` has left when
 *
 *     start + ceil(k * bits * 10^9 / bps)
 *
 * nanoseconds have come, and by an instant t
 *
 *     floor((t - start) * bps / (bits * 10^9))
 *
 * have left. For integers the two are each other's inverse, so no rounding adds
 * up and "how many had left by now?" has one exact answer whenever it is asked.
 * After bps characters exactly `bits` seconds have passed: there a run is
 * re-based without loss, which keeps the products within 64 bits for ever.
 */
#ifndef NULLMODEM_RUN_H
#define NULLMODEM_RUN_H

#include "serialbundle/time.h"

#include <stdbool.h>

struct run {
	sb_time start;
	sb_time delay;    /* from leaving to arriving */
	uint32_t bps;     /* 0: characters take no time */
	uint32_t bits;    /* of a character on the wire */
	uint64_t count;   /* characters since start */
	uint64_t taken;   /* of them, given to the receiver */
	bool after_pause; /* of a character's time at least: the receiver caught up */
};

sb_time run_time(const struct run *, uint64_t n);    /* that n characters take */
sb_time run_end(const struct run *);                 /* when the last has left */
uint64_t run_left(const struct run *, sb_time t);    /* characters that have left by t */
uint64_t run_begun(const struct run *, sb_time t);   /* those, and the one on the wire */
sb_time run_last_end(const struct run *, sb_time t); /* when the last of run_left left */
sb_time run_arrival(const struct run *);             /* of the next to be taken */
uint64_t run_arrived(const struct run *, sb_time t); /* by t, and not taken yet */
/* Forgets whole seconds that have been taken; returns how long they were. */
sb_time run_rebase(struct run *);

#endif
