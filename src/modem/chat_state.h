/* SPDX-License-Identifier: MIT */
/*
 * A dialogue from the inside; for chat*.c alone.
 */
#ifndef SRC_MODEM_CHAT_STATE_H
#define SRC_MODEM_CHAT_STATE_H

#include "src/modem/chat.h"
#include "src/modem/script_steps.h"

enum {
	CHAT_WATCHES = 50,     /* ABORT strings at a time, and REPORT strings; as chat(8) */
	CHAT_RECENT = 2048,    /* twice the longest string that may be waited for */
	CHAT_LINE = 80,        /* received characters in a line of the transcript */
	CHAT_HELD = 4096,      /* as much as a tty keeps */
	CHAT_FILE_SIZE = 1023, /* of a file that is sent, as chat(8) */
	CHAT_EVENTS = 32,
	CHAT_EVENTS_AT_ONCE =
		16, /* at most, out of a character or a step and what the owner adds */
	CHAT_SECRETS = 4,
	CHAT_SECRET_SIZE = 64,
	CHAT_FRAME = 9, /* flag, FF 03 C0 21, all of them escaped */
};

/* What a list of ABORT or REPORT strings holds. */
struct chat_watch {
	const struct script_step *strings[CHAT_WATCHES];
	unsigned count;
};

struct chat_entry {
	struct chat_event event;
	char text[CHAT_TEXT_SIZE];
};

struct chat {
	struct chat_config config;
	const struct chat_script *script;

	enum chat_state {
		CHAT_NEW,
		CHAT_RUNNING,   /* the step `at` is to be taken */
		CHAT_SENDING,   /* `sending` begins with a character for chat_output() */
		CHAT_PAUSED,    /* in the midst of `sending`, until `wake` */
		CHAT_READING,   /* for a file's text, of chat_file() */
		CHAT_EXPECTING, /* the string of step `at`, until `wake` */
		CHAT_ENDING,    /* all but the end of a REPORT, until `wake` */
		CHAT_ENDED,
	} state;
	size_t at;
	sb_time timeout; /* duration of an expect; SB_NEVER: none */
	sb_time wake;    /* instant, in the states that wait */
	int result;
	char why[CHAT_TEXT_SIZE];

	struct bytes sending;             /* what is left of it */
	uint8_t file[4 * CHAT_FILE_SIZE]; /* what is sent when it came from one */
	size_t said;                      /* characters of a SAY */

	bool has_listened, has_spoken;
	uint8_t recent[CHAT_RECENT]; /* heard since the expect began, or its end */
	size_t recent_length;
	struct chat_watch abort, report;
	struct {
		uint8_t raw[CHAT_FRAME];
		size_t length;
		unsigned matched; /* octets of what PPP begins with */
		bool escaped;
	} frame;
	bool peer_speaks_ppp;

	char line[CHAT_LINE]; /* heard, and not in the transcript yet */
	size_t line_length;
	bool reporting;
	char told[CHAT_TEXT_SIZE]; /* of a REPORT that has begun */
	size_t told_length;
	bool echo, echo_in_line;
	char echoed[CHAT_TEXT_SIZE]; /* not an event yet */
	size_t echoed_length;
	char secrets[CHAT_SECRETS][CHAT_SECRET_SIZE]; /* what was sent and is not to be shown */
	unsigned next_secret;

	struct chat_entry events[CHAT_EVENTS];
	unsigned first_event, event_count;
	bool finish_told;
};

/* --- chat.c --- */

/* It is over, once a REPORT that has begun is complete. */
void chat_finish(struct chat *, sb_time now, int result, struct bytes why);
void chat_fail(struct chat *, sb_time now, int result, const char *why);

/* --- chat_steps.c --- */

void chat_take_step(struct chat *, sb_time now); /* the one that is next */
void chat_start_sending(struct chat *, sb_time now, struct bytes, bool masked);
/* Up to the next character to be sent, or to a pause ahead of it, or to the next step. */
void chat_go_on_sending(struct chat *, sb_time now);

/* --- chat_hear.c --- */

void chat_listen(struct chat *); /* an expect begins */
/* A character, while EXPECTING. */
void chat_hear(struct chat *, sb_time now, uint8_t);
/* A character, while ENDING. */
void chat_hear_end(struct chat *, sb_time now, uint8_t);
/* Adds it to, or takes it from, what is watched for; false: there is no room. */
bool chat_watch_for(struct chat_watch *, const struct script_step *);
bool chat_watch_no_more(struct chat_watch *, struct bytes string);

/* --- chat_tell.c --- */

bool chat_has_room(const struct chat *);               /* for all events of a character or a step */
struct chat_entry *chat_tell(struct chat *, int kind); /* an event to be filled in */
void chat_tell_text(struct chat *, int kind, struct bytes); /* as it is, but for NULs */
/* A line of the transcript: before, the text made visible, after. */
void chat_log(struct chat *, const char *before, struct bytes, const char *after);
void chat_log_line(struct chat *); /* what was heard and not logged */
void chat_log_send(struct chat *, struct bytes, bool masked);
void chat_echo(struct chat *, uint8_t);
void chat_echo_end(struct chat *); /* to the beginning of a line */
void chat_echo_flush(struct chat *);
void chat_tell_report(struct chat *);
/* Text as it is shown: ^M, M-x; with a NUL behind it. */
void chat_visible(char *to, size_t size, struct bytes);

#endif
