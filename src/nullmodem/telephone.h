/* SPDX-License-Identifier: MIT */
/*
 * The telephone line between the two ends of a cable, one call at a time.
 *
 *   IDLE --dial--> RINGING --answer--> TRAINING --> THROUGH --hang up, drop--> IDLE
 *
 * An end is a modem, which is rung and answers when it likes, or a port of a terminal server,
 * which answers by itself while somebody listens behind it.
 */
#ifndef NULLMODEM_TELEPHONE_H
#define NULLMODEM_TELEPHONE_H

#include "src/nullmodem/noise.h"
#include "src/nullmodem/phone_book.h"

#include "serialbundle/time.h"

/* When calls lose their carrier, beside when they are told to. */
enum telephone_drops {
	TELEPHONE_KEEPS,
	TELEPHONE_DROPS_AFTER,  /* that long in a call */
	TELEPHONE_DROPS_EVERY,  /* whatever call there is at multiples of the time */
	TELEPHONE_DROPS_RANDOM, /* like decay: that long in a call on average */
};

struct telephone_config {
	char number[2][PHONE_NUMBER_SIZE]; /* of each end; "": any number reaches it */
	sb_time answers_after;             /* a terminal server's port, from the first ring */
	sb_time ring_every;
	sb_time train; /* from the answer to the carrier */
	enum telephone_drops drops;
	sb_time drop_time;
};

enum telephone_phase {
	TELEPHONE_IDLE,
	TELEPHONE_RINGING,
	TELEPHONE_TRAINING,
	TELEPHONE_THROUGH,
	TELEPHONE_PHASES
};

/* What an end notices. */
struct telephone_event {
	unsigned side; /* 0, 1: end a, b */
	enum {
		TELEPHONE_RINGS,
		TELEPHONE_RINGBACK,
		TELEPHONE_BUSY,
		TELEPHONE_NO_TONE,
		TELEPHONE_CARRIER,
		TELEPHONE_SILENCE /* the carrier has gone, or it rings no more */
	} kind;
};

struct telephone_stats {
	uint64_t dialled;   /* numbers */
	uint64_t connected; /* calls that came to be */
	uint64_t dropped;   /* calls that lost their carrier, hung up by nobody */
};

struct telephone;

/* The configuration and the book are borrowed and may change. NULL: out of memory. */
struct telephone *telephone_new(const struct telephone_config *, const struct phone_book *,
				uint64_t seed);
void telephone_free(struct telephone *);

/* Whether that end is a terminal server's, and somebody is there to listen. */
void telephone_set_server(struct telephone *, unsigned side, bool is_server, bool listens);

void telephone_dial(struct telephone *, sb_time now, unsigned side, const char *number);
void telephone_answer(struct telephone *, sb_time now, unsigned side);
void telephone_hang_up(struct telephone *, sb_time now, unsigned side);
void telephone_drop(struct telephone *, sb_time now); /* the carrier is lost, if there is one */

bool telephone_event(struct telephone *, struct telephone_event *);
enum telephone_phase telephone_phase(const struct telephone *);
const char *telephone_phase_text(enum telephone_phase);
struct telephone_stats telephone_stats(const struct telephone *);
void telephone_tick(struct telephone *, sb_time now);
sb_time telephone_deadline(const struct telephone *);

#endif
