/* SPDX-License-Identifier: MIT */
/*
 * A modem as the one sees it who types at it: commands, results, registers, +++. After ITU-T
 * V.250, and the habits of what was sold around 1995.
 *
 *   COMMAND --D--> DIALLING --number sent--> CALLING --carrier--> ONLINE <--O-- ESCAPED
 *      ^   `----------------A-----------------^ |                 |  `---+++----^ |
 *      |                                        |                 |               |
 *      +--- no carrier, a key pressed ----------+--- lost, DTR ---+--- H ---------+
 *
 * On the other side is the telephone (telephone.h), which is told by events that this modem
 * dials, answers or hangs up, and tells what is heard on the line.
 *
 * Pure: characters and time in, characters and events out.
 */
#ifndef NULLMODEM_HAYES_H
#define NULLMODEM_HAYES_H

#include "src/nullmodem/phone_book.h"

#include "serialbundle/bytes.h"
#include "serialbundle/time.h"

enum { HAYES_TEXT_SIZE = 64, HAYES_OUTPUT_MAX = 2048 };

/* What ATH is answered by: modems differ. */
enum hayes_on_hook { HAYES_SAYS_OK, HAYES_SAYS_NO_CARRIER, HAYES_SAYS_NOTHING };

struct hayes_config {
	char profile[HAYES_TEXT_SIZE]; /* commands that Z recalls: "E0S0=1" */
	char connect[HAYES_TEXT_SIZE]; /* what follows CONNECT; "": the carrier's rate */
	sb_time slow;                  /* thinks so long about each command */
	uint32_t noise; /* characters of garbage before CONNECT and after NO CARRIER */
	enum hayes_on_hook on_hook;
};

struct hayes_event {
	enum { HAYES_DIALS, HAYES_ANSWERS, HAYES_HANGS_UP } kind;
	char number[PHONE_NUMBER_SIZE]; /* digits only */
};

enum hayes_sound { HAYES_RING, HAYES_RINGBACK, HAYES_BUSY_TONE, HAYES_NO_TONE, HAYES_SILENCE };

struct hayes;

/* Whether a profile holds nothing but settings. */
bool hayes_is_profile(const char *text);

/* The configuration is borrowed and may change. NULL: out of memory. DTR is low. */
struct hayes *hayes_new(const struct hayes_config *, uint64_t seed);
void hayes_free(struct hayes *);
void hayes_reset(struct hayes *); /* its power went off and on; there are no events */

/* Characters from the terminal pass to the far end; else they are for hayes_type. */
bool hayes_is_online(const struct hayes *);
/* A character typed, while not online. May change that. */
void hayes_type(struct hayes *, sb_time now, uint8_t c);
/* These pass, while online: looks for +++. */
void hayes_passes(struct hayes *, sb_time now, struct bytes);
/* What it says; false: nothing. */
bool hayes_output(struct hayes *, struct buf *);
bool hayes_event(struct hayes *, struct hayes_event *);

/* Data Terminal Ready: somebody has the port open. */
void hayes_dtr(struct hayes *, sb_time now, bool up);
/* The terminal's speed, for CONNECT. */
void hayes_set_dte(struct hayes *, uint32_t bps);

/* What is heard on the telephone line. HAYES_SILENCE: the carrier, or the other, has gone. */
void hayes_hears(struct hayes *, sb_time now, enum hayes_sound);
/* The two modems have found each other; bps 0: at no certain rate. */
void hayes_carrier(struct hayes *, sb_time now, uint32_t bps);

void hayes_tick(struct hayes *, sb_time now);
sb_time hayes_deadline(const struct hayes *);

#endif
