/* SPDX-License-Identifier: MIT */
/*
 * A line: one port with its encapsulation, its clock and the frame in progress.
 *
 * No event loop here: the owner asks, the line does what can be done now.
 * Nothing blocks.
 */
#ifndef SRC_LINE_H
#define SRC_LINE_H

#include "sched/line_clock.h"
#include "sched/multilink.h"
#include "sched/packet.h"
#include "src/config.h"
#include "src/encap.h"
#include "src/meter.h"
#include "src/port.h"

/*
 *   DOWN --open--> OPENING --the encapsulation is up--> UP
 *    ^             ^------- it has to begin anew --------|
 *    |
 *    |  UP <--> STALLED     the port takes no characters; takes them again
 *    |  UP <--> SILENT      the peer is not heard; is heard again
 *    |  any <-> NO_CARRIER  DCD, once seen on, goes off; comes on again (OPENING)
 *    |  any --> ENDING      the encapsulation has ended: its last words are sent yet
 *    +--- gone -- from any state: hang-up, error, end of file, ENDING is over
 *
 * With a modem there is a call around that:
 *
 *   DOWN --open--> DIALLING, or WAITING for a call --connected--> OPENING ...
 *   any --the attempt failed, the carrier was lost, ENDING is over, closed--> HANGING_UP --> DOWN
 *
 * and there is no NO_CARRIER: a call without a carrier is over.
 *
 * The port is open in all states but DOWN. Only an UP line carries packets.
 */
enum line_state {
	LINE_DOWN,
	LINE_OPENING,
	LINE_UP,
	LINE_STALLED,
	LINE_SILENT,
	LINE_NO_CARRIER,
	LINE_ENDING,
	LINE_DIALLING,
	LINE_WAITING,
	LINE_HANGING_UP,
};

struct line_counters {
	uint64_t packets_out, packets_in;
	uint64_t cut_frames; /* cut short because the line left */
	uint64_t sent_again; /* packets that went over another line, their fate here not known */
	uint32_t openings;   /* of the port */
	uint32_t downs;      /* times it left UP */
};

enum { LINE_REASON_SIZE = 160 };
enum { LINE_SENT = 64 }; /* packets remembered after they were sent; a power of two */

struct line_sent {
	struct packet *packet;
	sb_time leaves; /* instant at which its last character is off the wire */
};

/* What may bound its rate besides its own shape (line_shape.h). */
enum line_bound {
	LINE_BOUND_SHARE, /* its part of what the bundle may have */
	LINE_BOUND_WISH,  /* what the peer asked for */
	LINE_BOUNDS,
};

/* What the frame in progress, or the last one, costs by the clock. */
struct line_cost {
	size_t characters; /* of the frame */
	size_t all, paid;
};

struct line {
	struct line_config config;
	enum line_state state;
	struct port *port; /* NULL when DOWN */
	struct encap *encap;
	struct line_modem *modem;     /* NULL: there is none */
	struct line_clock clock;      /* of all that is sent: what it is shaped to */
	struct line_clock port_clock; /* of what it carries, whatever it is shaped to */
	struct line_rate *rate;       /* NULL: its rate is given */
	sb_time owed_until; /* instant that a slower hop was busy until when the port filled */
	uint32_t bounds[LINE_BOUNDS]; /* bps; 0: none */
	uint32_t peer_bps; /* at which the peer sends, if that is less than it carries; else 0 */
	struct linklayer_coding codings[2]; /* for what is bound to it: number coding % 2 is used */
	unsigned coding;                    /* how often the link layer became another one */
	struct packet_pool *pool; /* of the packets it holds, borrowed; NULL: it holds none */

	uint8_t *frame; /* what is being sent, encoded */
	size_t frame_size, frame_length, frame_taken;
	struct line_cost cost;
	struct packet
		*packet; /* of which it is, or a piece of which; NULL: the encapsulation's own */
	bool waits_for_port;   /* open, but not ready (port_ready): nothing has begun on it */
	bool wants_write;      /* the port would block: watch it for writing */
	size_t driver_holds;   /* characters, by its last answer and what it took since */
	sb_time blocked_since; /* instant since which nothing moves, or SB_NEVER */

	struct line_sent sent[LINE_SENT]; /* a ring: those that the peer may not have yet */
	unsigned sent_first, sent_count;

	bool encap_begun;     /* lower_up was the last it heard of the port */
	bool encap_up, heard; /* what it last said of itself */
	bool deaf;            /* not heard, in that the peer is not; else we are not */
	const char *silence;  /* the same in words */
	bool had_carrier;
	sb_time carrier_patience; /* duration that DCD may be off, the owner's to set; 0 */
	sb_time lacks_from;       /* instant since which it is off, or SB_NEVER */
	bool was_up;              /* since the port was opened */
	uint32_t carrier_bps;     /* as the modem told of the last call; 0: it did not */
	bool answers;             /* the peer, when it is there */
	sb_time heard_at;         /* instant of the last characters */
	sb_time traffic_at;       /* instant of the last packet, keep-alive aside */
	sb_time traffic_from;  /* instant from which packets that wait have it dialled, or SB_NEVER
				*/
	sb_time doubtful_from; /* SILENT, or begun anew: since which what was sent may be lost */
	sb_time look_at;       /* instant of the next look at the port, or SB_NEVER */
	sb_time retry_at;      /* instant to open the port again, while DOWN */
	sb_time retry_delay;   /* duration; doubles up to a second, half a minute for a
				  command, a minute when refused */
	sb_time since;         /* instant of the last change of state */
	sb_time ends_at;       /* instant at which ENDING is over */
	enum link_reason why;  /* of ENDING */
	char reason[LINE_REASON_SIZE]; /* why it left UP; until it was first UP, why it cannot be
					  opened */
	struct port_error refusal;     /* the last answer to opening it */

	uint8_t *read_at;
	struct bytes unread; /* of the last line_read, not decoded yet */
	bool rests;          /* it is not read for now */
	sb_time read_until;  /* instant until which what was read takes, at the most it may bring */
	struct line_counters counters;
	struct meter out, in; /* characters on the wire */
	struct meter paid;    /* what went out, as the clock counts it */
	struct meter starved; /* nanoseconds the wire was dry in mid-frame: our own lateness */
	uint64_t call_out, call_in; /* their totals when the line last came up */
	bool counts_as_peer;        /* what came: the peer told how many it had sent, which are */
	uint32_t peer_ahead;        /* so many more than our total */
};

/*
 * Set up DOWN, to be opened at once. The encapsulation is taken over; one that
 * fails is freed too, and NULL is passed on: false, out of memory. frame_data: bytes of the
 * largest information field that is sent.
 */
bool line_init(struct line *, const struct line_config *, struct encap *, size_t frame_data,
	       sb_time now);
/* Closes the port. The line must hold no packets (line_give_up). */
void line_free(struct line *);
/*
 * Another encapsulation for a line that is DOWN or OPENING; takes it over. What
 * its predecessor had received (at most 4096 bytes) is received again.
 */
void line_set_encap(struct line *, struct encap *, struct bytes replay, sb_time now);

/* DOWN -> OPENING; or false, the refusal and a later retry_at. Events follow. */
bool line_open(struct line *, const char *lock_dir, sb_time now);
/* Ends what runs over it in an orderly way, and says why; it will be ENDING, then DOWN. */
void line_end(struct line *, sb_time now, const char *reason);

/*
 * Reads once what has arrived, so that a port that floods us has to wait its
 * turn; nothing while there is something that was not received. Check the state
 * afterwards: the port may be gone (DOWN).
 */
void line_read(struct line *, sb_time now);
/*
 * Whether the port is to be watched for reading. One that brings far more than its line could
 * carry is left alone for some milliseconds, until line_tick: whoever sends has to wait.
 */
static inline bool line_wants_read(const struct line *l)
{
	return !l->rests;
}
/* The next packet in what was read, valid until the next call; false when there is no more. */
bool line_receive(struct line *, sb_time now, struct encap_packet *);
/* What the encapsulation has to say; the line's state follows. False: nothing more. */
bool line_event(struct line *, sb_time now, struct encap_event *);

/* Whether it could send if it had something: the port takes characters, and there is a peer. */
bool line_may_send(const struct line *);
/* Whether it asks for a frame, or for more of one to be sent. */
bool line_asks(const struct line *, sb_time now);
/* Whether the frame in progress has been handed over whole (or there is none). */
static inline bool line_needs_frame(const struct line *l)
{
	return l->frame_length == 0;
}
/* Starts a frame of the encapsulation's own; false: there is none. */
bool line_load_own(struct line *, sb_time now);
/* Starts a frame with the piece; takes over the reference to its packet. */
void line_load(struct line *, sb_time now, const struct piece *);
/* Starts a frame of another protocol than IP. */
void line_load_control(struct line *, sb_time now, uint16_t protocol, struct bytes packet);
/* Hands over what the clock has room for. State afterwards as for line_read. */
void line_send(struct line *, sb_time now);
/* Characters of the frame in progress that the port has not taken. */
static inline size_t line_unsent(const struct line *l)
{
	return l->frame_length - l->frame_taken;
}
/*
 * A line that has left gives up the packets that the peer may not have, oldest
 * first, one at a time; the caller owns them. NULL: no more, and the line holds none.
 */
struct packet *line_give_up(struct line *, sb_time now);
/* How many of these, the oldest, are more likely to have arrived than not. Ask before. */
unsigned line_likely_arrived(const struct line *, sb_time now);

/* Of an encapsulation that cannot tell, the owner finds out whether the peer is heard. */
void line_fall_silent(struct line *, sb_time since, const char *reason, sb_time now);
void line_is_heard(struct line *, sb_time now);

/* What it carries, from now on, as if it had been configured so. */
void line_set_bps(struct line *, uint32_t bps, sb_time now);
/* The peer gets all that was sent, the frame in progress too: nothing of it is to be given up. */
void line_forget_sent(struct line *);

/* The port was found writable. */
void line_writable(struct line *, sb_time now);
/* Time has passed: stalls, carrier, the encapsulation's timers. */
void line_tick(struct line *, sb_time now);
/* The instant of the next thing to do, or SB_NEVER; wake-ups to send included. */
sb_time line_deadline(const struct line *, sb_time now);

/*
 * Closes the port, whatever the state, and says why (a clause); a modem is hung up first. Reopened
 * at retry_at.
 */
void line_close(struct line *, sb_time now, const char *reason);

/* One that is DOWN is tried now, not when its turn has come: what failed before is forgotten. */
void line_retry_now(struct line *, sb_time now);
/*
 * A line that was hung up since nothing passed (idle=) is dialled again when packets
 * wait: the owner asks, and says so.
 */
static inline bool line_wants_traffic(const struct line *l)
{
	return l->state == LINE_DOWN && l->traffic_from != SB_NEVER;
}
void line_dial_for_traffic(struct line *, sb_time now);

/* It is on its way to DOWN. */
static inline bool line_is_ending(const struct line *l)
{
	return l->state == LINE_ENDING || l->state == LINE_HANGING_UP;
}
/* The rate of the carrier: what was found out, what the modem told, else what was given. */
uint32_t line_bps(const struct line *);
/*
 * What is to be told of its modem, oldest first; NULL: nothing more. Important ones are for the
 * user's log, the others a transcript of what was sent and received, without secrets.
 */
const char *line_said(struct line *, bool *important);

const char *line_state_name(enum line_state);

/* What its modem is at. False: there is none. The texts are borrowed. */
struct line_modem_facts {
	const char *state;   /* "idle", "dialling", "waiting", "online", "hanging up" */
	const char *connect; /* of the call: "28800/V34/LAPM/V42BIS"; "" */
	unsigned failures;   /* in a row */
	uint32_t calls;      /* attempts since the start */
};
bool line_modem_facts(const struct line *, struct line_modem_facts *);

#endif
