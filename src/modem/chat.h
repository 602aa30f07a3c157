/* SPDX-License-Identifier: MIT */
/*
 * A dialogue with a modem, or with a login behind it, after a script: chat(8) as an
 * engine. Characters and time in; characters to send and events out.
 *
 * It ends with an event CHAT_FINISHED. What arrives after the last expected string
 * belongs to whoever comes next and is not consumed.
 */
#ifndef SRC_MODEM_CHAT_H
#define SRC_MODEM_CHAT_H

#include "src/modem/script.h"

#include "serialbundle/time.h"

enum { CHAT_TEXT_SIZE = 256 };

/* How it ended: the exit statuses of chat(8). CHAT_ABORTED + n: the n-th ABORT string, from 0. */
enum chat_result {
	CHAT_FINE = 0,
	CHAT_BAD_SCRIPT = 1,
	CHAT_IO_ERROR = 2, /* the port went away, or a signal: chat_stop() */
	CHAT_TIMED_OUT = 3,
	CHAT_ABORTED = 4,
};

struct chat_event {
	enum {
		CHAT_FINISHED, /* result; text: what stopped it (the string waited for, or matched)
				*/
		CHAT_REPORT,   /* text: what REPORT asked for, from the string to the end of line */
		CHAT_SAY,      /* text: to be shown to the user */
		CHAT_ECHO,     /* text: received, while ECHO is on */
		CHAT_LOG,   /* text: a line of the transcript, as chat -v logs it; secrets masked */
		CHAT_BREAK, /* a break is to be sent now; the dialogue goes on after it */
		CHAT_HANGUP,          /* on: whether loss of carrier ends it */
		CHAT_FILE,            /* text: a file that is to be sent: answer by chat_file() */
		CHAT_PEER_SPEAKS_PPP, /* with stop_at_ppp: it is over, CHAT_FINE */
	} kind;
	int result;
	bool on;
	const char *text; /* printable, valid until the next call */
};

struct chat_config {
	const struct chat_script *script; /* borrowed, to outlive the dialogue */
	sb_time timeout;  /* duration of an expect without TIMEOUT; 0: 45 s; SB_NEVER: no limit */
	bool echo;        /* chat -e */
	bool stop_at_ppp; /* a PPP frame instead of what is expected ends it well; not consumed */
};

struct chat;

struct chat *chat_new(const struct chat_config *); /* NULL: out of memory */
void chat_free(struct chat *);

/* From the script's beginning, whatever was before: the same dialogue may be had again. */
void chat_start(struct chat *, sb_time now);
/*
 * Consumes the front of *in, as far as it listens. What it leaves is to be given again after
 * whatever lets it go on (output, event, file, tick), and is the link's when it has ended.
 */
void chat_input(struct chat *, sb_time now, struct bytes *in);
/* Appends the characters to be sent now; false: none. Pauses within a string are kept. */
bool chat_output(struct chat *, sb_time now, struct buf *out);
bool chat_event(struct chat *, struct chat_event *);
/*
 * The answer to CHAT_FILE: its text, up to 1023 characters of it; a newline at its very end is not
 * sent. at NULL: it cannot be read.
 */
void chat_file(struct chat *, sb_time now, struct bytes text);
/* The port or the user ends it: FINISHED with that result follows. */
void chat_stop(struct chat *, sb_time now, enum chat_result, const char *why);
bool chat_has_ended(const struct chat *);
/* After PEER_SPEAKS_PPP: the beginning of the frame that earlier calls consumed. */
struct bytes chat_replay(const struct chat *);
void chat_tick(struct chat *, sb_time now);
sb_time chat_deadline(const struct chat *);

#endif
