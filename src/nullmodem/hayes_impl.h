/* SPDX-License-Identifier: MIT */
/* What the files of the modem share; only for hayes.c, hayes_command.c and hayes_say.c. */
#ifndef NULLMODEM_HAYES_IMPL_H
#define NULLMODEM_HAYES_IMPL_H

#include "src/nullmodem/hayes.h"
#include "src/nullmodem/hayes_settings.h"
#include "src/nullmodem/noise.h"

enum { HAYES_LINE_MAX = 128, HAYES_EVENTS_MAX = 4 };

enum hayes_state {
	HAYES_COMMAND,  /* on the hook */
	HAYES_DIALLING, /* the number is being sent, until `timer` */
	HAYES_CALLING,  /* waits for a carrier, until `timer` */
	HAYES_ONLINE,   /* `timer`: the carrier has gone and is given up then */
	HAYES_ESCAPED,  /* commands in a call; `timer` likewise */
};

struct hayes {
	const struct hayes_config *config;
	struct hayes_settings set;
	struct noise noise;
	enum hayes_state state;
	sb_time timer;
	bool dtr;
	uint32_t dte_bps, carrier_bps; /* 0: not known */

	/* The command line, in capitals, without blanks and AT; it stays for A/. */
	enum { HAYES_HUNTS, HAYES_SAW_A, HAYES_SAW_AT } editor;
	char line[HAYES_LINE_MAX + 1];
	size_t line_length;
	bool overlong;
	sb_time obey_at;   /* SB_NEVER: nothing to obey */
	sb_time obeyed_at; /* keys right after a command do not abandon its call */

	/* The call */
	char number[PHONE_NUMBER_SIZE];  /* for ATDL too */
	bool comes_back;                 /* ; to commands, when the number is sent */
	bool heard_ringing, wants_quiet; /* @ */

	/* The escape */
	unsigned escapes; /* of its characters so far, 3: waits for silence */
	sb_time passed_at;

	uint8_t out[HAYES_OUTPUT_MAX];
	size_t out_length;
	struct hayes_event events[HAYES_EVENTS_MAX];
	unsigned event_count;
};

/* In the order of their numbers. */
enum hayes_result {
	HAYES_OK,
	HAYES_CONNECT,
	HAYES_RINGS,
	HAYES_NO_CARRIER,
	HAYES_ERROR,
	HAYES_NO_DIALTONE = 6,
	HAYES_BUSY,
	HAYES_NO_ANSWER,
};

/* hayes_say.c */
void hayes_say(struct hayes *, enum hayes_result);
void hayes_say_connected(struct hayes *);
void hayes_say_text(struct hayes *, const char *);
void hayes_say_noise(struct hayes *);
void hayes_put(struct hayes *, uint8_t);

/* hayes_command.c */
void hayes_obey(struct hayes *, sb_time now); /* the line */

/* hayes.c */
void hayes_recall_profile(struct hayes *);
void hayes_dial(struct hayes *, sb_time now, sb_time duration);
void hayes_answer(struct hayes *, sb_time now);
void hayes_go_online(struct hayes *, sb_time now);
void hayes_hang_up(struct hayes *);

#endif
