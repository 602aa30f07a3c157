/* SPDX-License-Identifier: MIT */
/*
 * One way through a cable: from a station over a wire to the other. With cells it goes through a
 * DSL modem first, which keeps the rate and the buffer; the wire behind it has the delay and the
 * noise, and no rate.
 *
 * Taking from the sender happens at once, for an idle wire starts when it gets
 * its first character. Handing over can wait for the next due time, so that
 * characters go in small groups, as they come out of a UART's FIFO.
 *
 * The receiver has a buffer of RECEIVER_PACED characters, like a serial driver, or what comes in
 * RECEIVER_TIME at high rates; a paced wire does not stop for a receiver that does not read, so
 * what exceeds it is lost. A wire without a rate has nothing to keep up with: there the
 * sender waits. Without anybody at the far end, or without a call between
 * modems, everything is lost either way.
 */
#ifndef NULLMODEM_WAY_H
#define NULLMODEM_WAY_H

#include "src/nullmodem/cells.h"
#include "src/nullmodem/record.h"
#include "src/nullmodem/station.h"

struct way {
	enum direction direction;
	struct record *record; /* the cable's, or NULL */
	struct wire *wire;
	struct cells *cells; /* or NULL */
	struct station *from, *to;
	bool paced;
	bool through; /* characters arrive; false: there is no call */
	bool blocked; /* unpaced, and the receiver is full */
	uint8_t *out; /* arrived, not taken by `to` yet */
	size_t out_head, out_length;
	size_t out_size, out_most; /* allocated; that may wait */
	sb_time deadline;
};

/* False: out of memory; way_free in any case. */
bool way_make(struct way *, enum direction, const struct wire_config *, struct station *from,
	      struct station *to, uint64_t seed);
void way_free(struct way *);
/* Other settings from now on, cells or not as before. False: out of memory. */
bool way_configure(struct way *, const struct wire_config *, sb_time now);
struct wire_stats way_stats(const struct way *, sb_time now);

/* As cable_run. */
void way_run(struct way *, sb_time now, bool due);
/* Whether way_run left something that could be taken from the sender now. */
bool way_wants_more(const struct way *, sb_time now);
/* All that is under way is lost. */
void way_cut(struct way *, sb_time now);

#endif
