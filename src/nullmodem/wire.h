/* SPDX-License-Identifier: MIT */
/*
 * One direction of a cable: a buffer, a transmitter at an exact rate, a delay.
 *
 *   sender ─▶ buffer ─▶ one character on the wire ─▶ in flight ─▶ receiver
 *
 * See wire.c for the arithmetic. Pure: time is an argument and never goes back.
 */
#ifndef NULLMODEM_WIRE_H
#define NULLMODEM_WIRE_H

#include "src/nullmodem/noise.h"

#include "serialbundle/bytes.h"
#include "serialbundle/time.h"

enum wire_limits {
	WIRE_BPS_MAX = 1000000000,
	WIRE_BUFFER_MAX = 16 << 20, /* characters */
	WIRE_FLIGHT_MAX = 16 << 20, /* characters that delay and rate keep under way */
	WIRE_UNPACED = 256 << 10,   /* characters that a wire without a rate holds, at least */
	WIRE_TAKES = 64 << 10,      /* at a time, where what exceeds the buffer is lost */
	WIRE_OVERHEAD_MIN = -64,
	WIRE_OVERHEAD_MAX = 256,
};

/* What happens to characters that come while the buffer is full. */
enum wire_full { WIRE_FULL_WAITS, WIRE_FULL_DROPS };

enum wire_cells { WIRE_CELLS_NONE, WIRE_CELLS_ATM };

struct wire_config {
	uint32_t bps;           /* 0: unpaced */
	uint32_t bits_per_char; /* with start and stop bits */
	sb_time delay;          /* propagation */
	uint32_t buffer;        /* characters, besides the one on the wire; or */
	sb_time buffer_time;    /* what the rate carries in that duration; 0: `buffer` */
	uint32_t full;          /* enum wire_full */
	uint32_t cells;         /* enum wire_cells: frames go in cells (cells.h) */
	int32_t overhead;       /* of a frame in cells, bytes */
	uint32_t stop;          /* 1: takes no characters, as with CTS low; 0: does */
	uint32_t receiver;      /* characters that wait for who does not read; 0: as a driver's */
	uint32_t burst;         /* the receiver loses what exceeds this in a row; 0: nothing */
	struct noise_config noise;
};

/* The characters that the buffer holds. */
uint32_t wire_buffer(const struct wire_config *);

struct wire_stats {
	uint64_t accepted;  /* taken from the sender = delivered + dropped + queued + in_flight */
	uint64_t delivered; /* given to the receiver, damaged or not */
	uint64_t dropped;   /* lost: by noise, overrun, hang-up, or for want of a receiver */
	uint64_t damaged;
	uint64_t queued;      /* now in the buffer */
	uint64_t peak_queued; /* the most that ever was */
	uint64_t in_flight;   /* now on the wire, or propagating */
	sb_time busy;         /* time during which the wire was carrying */
	sb_time first;        /* when its first character began; 0: none did */
	sb_time last;         /* when the last of those that have ended ended */
};

struct wire;

struct wire *wire_new(const struct wire_config *, uint64_t seed); /* NULL: out of memory */
void wire_free(struct wire *);

/*
 * From now on these settings; what is under way keeps the rate and delay it set
 * out with. False: out of memory, nothing changed.
 */
bool wire_configure(struct wire *, const struct wire_config *, sb_time now);

/* How many characters the buffer takes now; what waits for wire_output may take places too. */
size_t wire_room(const struct wire *, sb_time now);
/* When room next grows; meaningful while something waits, else SB_NEVER. */
sb_time wire_room_deadline(const struct wire *, sb_time now);
/* The sender's next characters; no more than wire_room. What a full buffer drops is lost here. */
void wire_input(struct wire *, sb_time now, struct bytes);

/* Takes up to `capacity` characters that have arrived by now; how many. */
size_t wire_output(struct wire *, sb_time now, uint8_t *at, size_t capacity);
/* When the next character arrives, or SB_NEVER. */
sb_time wire_deadline(const struct wire *);

/* n characters that wire_output gave were not taken by the receiver after all. */
void wire_refused(struct wire *, size_t n);
/* The line went dead: all that is buffered or under way is lost. */
void wire_cut(struct wire *, sb_time now);

struct wire_stats wire_stats(const struct wire *, sb_time now);

#endif
