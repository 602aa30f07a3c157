/* SPDX-License-Identifier: MIT */
/*
 * A line: one port with its encapsulation, its clock and the frame in progress.
 *
 * No event loop here: the bundle asks, the line does what can be done now.
 * Nothing blocks.
 */
#ifndef SRC_LINE_H
#define SRC_LINE_H

#include "sched/line_clock.h"
#include "sched/packet.h"
#include "src/config.h"
#include "src/encap.h"
#include "src/meter.h"
#include "src/port.h"

/*
 *   DOWN --open--> UP <--> STALLED        the port takes no bytes; takes them again
 *    ^             |^------------> NO_CARRIER   DCD, once seen on, goes off; comes on again
 *    +--- gone ----+                      from any state: hang-up, error, end of file
 *
 * The port is open in all states but DOWN. Only an UP line is in the stripe.
 */
enum line_state { LINE_DOWN, LINE_UP, LINE_STALLED, LINE_NO_CARRIER };

struct line_counters {
	uint64_t packets_out, packets_in;
	uint64_t cut_frames; /* cut short because the line left */
	uint32_t openings;   /* of the port */
	uint32_t downs;      /* times it left UP */
};

struct line {
	struct line_config config;
	enum line_state state;
	struct port *port; /* NULL when DOWN */
	const struct encap_kind *kind;
	struct encap *encap;
	struct line_clock clock;

	struct packet *packet; /* the one in progress, ours until its last character is taken */
	uint8_t *frame;        /* its encoding */
	size_t frame_length, frame_taken;
	bool wants_write;      /* the port would block: watch it for writing */
	size_t driver_holds;   /* characters, by its last answer and what it took since */
	sb_time blocked_since; /* instant since which nothing moves, or SB_NEVER */

	bool had_carrier;
	sb_time look_at;     /* instant of the next look at the port, or SB_NEVER */
	sb_time retry_at;    /* instant to open the port again, while DOWN */
	sb_time retry_delay; /* duration; doubles up to a second */
	sb_time since;       /* instant of the last change of state */
	char reason[160];    /* why it left UP; until it was first UP, why it cannot be opened */
	struct port_error refusal; /* the last answer to opening it */

	uint8_t *read_at;
	struct bytes unread; /* of the last line_read, not decoded yet */
	struct line_counters counters;
	struct meter out, in; /* characters on the wire */
	struct meter starved; /* nanoseconds the wire was dry in mid-frame: our own lateness */
	uint64_t call_out, call_in; /* their totals when the line last came up */
};

/* Set up for packets of up to mtu bytes, DOWN, to be opened at once. False: out of memory. */
bool line_init(struct line *, const struct line_config *, const struct encap_kind *, size_t mtu,
	       sb_time now);
/* Closes the port. The packet in progress must have been taken (line_take_packet). */
void line_free(struct line *);

/* DOWN -> UP; or false, the refusal and a later retry_at. */
bool line_open(struct line *, const char *lock_dir, sb_time now);

/*
 * Reads once what has arrived, so that a port that floods us has to wait its
 * turn. All that was read before must have been received. Check the state
 * afterwards: the port may be gone (DOWN).
 */
void line_read(struct line *, sb_time now);
/* The next packet in what was read, valid until the next call; false when there is no more. */
bool line_receive(struct line *, struct bytes *packet);

/* Whether the frame in progress has been handed over whole (or there is none). */
static inline bool line_needs_packet(const struct line *l)
{
	return l->packet == NULL;
}
/* Starts a frame; takes the packet over until line_send returns it. */
void line_load(struct line *, struct packet *);
/*
 * Hands over what the clock has room for. Returns the packet whose last
 * character was taken, for the caller to put back, or NULL. State afterwards
 * as for line_read.
 */
struct packet *line_send(struct line *, sb_time now);
/* Characters of the frame in progress that the port has not taken. */
static inline size_t line_unsent(const struct line *l)
{
	return l->frame_length - l->frame_taken;
}
/* The packet in progress, given up by a line that has left; the caller owns it. May be NULL. */
struct packet *line_take_packet(struct line *);

/* The port was found writable. */
void line_writable(struct line *, sb_time now);
/* Time has passed: stalls, carrier. True when the state changed. */
bool line_tick(struct line *, sb_time now);
/* The instant of the next thing to do, or SB_NEVER; wake-ups to send included. */
sb_time line_deadline(const struct line *);

/* Closes the port, whatever the state, and says why (a clause). Reopened at retry_at. */
void line_close(struct line *, sb_time now, const char *reason);

const char *line_state_name(enum line_state);

#endif
