/* SPDX-License-Identifier: MIT */
/*
 * A DSL modem at the near end of a wire: it takes SLIP frames as fast as they come, queues them,
 * and sends each in whole ATM cells.
 *
 *   sender ─▶ frame put together ─▶ queue ─▶ ceil((IP bytes + overhead) / 48) cells of 53 bytes
 *
 * A frame leaves at once, when its last cell has. When the queue is full a frame is thrown away
 * whole, as such modems do, or the sender waits. See cells.c. Pure: time is an argument and never
 * goes back.
 */
#ifndef NULLMODEM_CELLS_H
#define NULLMODEM_CELLS_H

#include "src/nullmodem/wire.h"

enum {
	CELLS_FRAME_MAX = 1 << 15, /* characters; a longer one is thrown away */
	CELLS_TAKES = 1 << 16,     /* at a time, of who need not wait */
};

struct cells_stats {
	uint64_t accepted; /* characters = given + dropped + queued */
	uint64_t dropped;
	uint64_t queued; /* and under way */
	uint64_t peak_queued;
	uint64_t frames, cells, frames_dropped; /* taken into the queue; thrown away */
	sb_time busy, first, last;              /* as those of a wire */
};

struct cells;

/* Of the configuration: bps, overhead, buffer, stop. NULL: out of memory. */
struct cells *cells_new(const struct wire_config *);
void cells_free(struct cells *);
/* What is queued keeps its time. False: out of memory, nothing changed. */
bool cells_configure(struct cells *, const struct wire_config *);

/* As the verbs of a wire. */
size_t cells_room(const struct cells *, sb_time now);
sb_time cells_room_deadline(const struct cells *, sb_time now);
void cells_input(struct cells *, sb_time now, struct bytes);
void cells_cut(struct cells *, sb_time now);
struct cells_stats cells_stats(const struct cells *, sb_time now);

/*
 * Takes up to `capacity` characters of one frame that has left by now; *when is the instant at
 * which it did. How many: 0 if none has.
 */
size_t cells_output(struct cells *, sb_time now, uint8_t *at, size_t capacity, sb_time *when);
/* When the next frame has left, or SB_NEVER. */
sb_time cells_deadline(const struct cells *);

#endif
