/* SPDX-License-Identifier: MIT */
/*
 * A modem on a line: calls, answers, hangs up, calls again. Around the dialogue
 * (chat.h) with its life:
 *
 *   IDLE --start--> DIALLING or WAITING (for a call) --> ONLINE --hang_up--> HANGING_UP --> IDLE
 *                       |                                                        ^
 *                       +--- busy, no answer, no carrier... : FAILED ------------+
 *
 * Pure: characters, modem lines and time in; characters, wishes and facts out. The
 * owner has the port: it opens it before start, and closes it after IDLE.
 */
#ifndef SRC_MODEM_DIALLER_H
#define SRC_MODEM_DIALLER_H

#include "src/modem/chat.h"
#include "src/modem/connect.h"

enum { DIALLER_NUMBERS = 8, DIALLER_TEXT_SIZE = CHAT_TEXT_SIZE };

/* Why a call ended or did not come to be; each has its own back-off. */
enum dialler_reason {
	DIALLER_FINE, /* it was ended from here */
	DIALLER_BUSY,
	DIALLER_NO_CARRIER,
	DIALLER_NO_DIALTONE,
	DIALLER_NO_ANSWER,
	DIALLER_TIMEOUT,    /* the script's, or of the whole attempt */
	DIALLER_ABORTED,    /* another ABORT string: see text */
	DIALLER_NO_MODEM,   /* it does not answer to AT */
	DIALLER_LOST,       /* the carrier, in a call */
	DIALLER_REFUSED,    /* the peer did not let us in (the owner says so) */
	DIALLER_IDLE_LIMIT, /* nothing passed for the idle time */
	DIALLER_TIME_LIMIT, /* max-connect */
	DIALLER_REASONS,
};
const char *dialler_reason_text(enum dialler_reason); /* a clause: "busy" */

struct dialler_config {
	const struct chat_script *script[DIALLER_NUMBERS]; /* one per number, in turn; borrowed */
	const char *number[DIALLER_NUMBERS];               /* for messages; borrowed */
	unsigned scripts;               /* 0: it does not call, it waits for calls */
	const struct chat_script *init; /* before calls and waiting; NULL: none */
	const struct chat_script
		*answer;       /* sent at the answer_rings-th RING; NULL: does not answer */
	unsigned answer_rings; /* 0: the modem answers by itself, wait for CONNECT */
	bool stop_at_ppp;
	uint32_t dte_bps;
	sb_time dial_timeout;           /* duration of a whole attempt: 60 s; 0: the script's own */
	sb_time redial, redial_longest; /* durations: first back-off, and what it doubles up to */
	double jitter;                  /* 0.25: each back-off is within +-25 % */
	unsigned attempts;              /* in a row, then hold_off; 0: no limit */
	sb_time hold_off;               /* duration; after limits, and after so many attempts */
	uint32_t (*random)(void *context);
	void *random_context;
};

enum dialler_state {
	DIALLER_IDLE,
	DIALLER_DIALLING,
	DIALLER_WAITING,
	DIALLER_ONLINE,
	DIALLER_HANGING_UP
};

struct dialler_event {
	enum {
		DIALLER_CONNECTED, /* ONLINE begins: connect says how */
		DIALLER_FAILED,    /* reason, and text: what stopped it, or ""; HANGING_UP follows
				      by itself, then IDLE */
		DIALLER_NO_MORE,   /* the call ended: reason; likewise */
		DIALLER_IS_IDLE,   /* on the hook: the port may be closed; reason; try again after
				      retry_in */
		DIALLER_RINGS,     /* a call comes in; text: the caller's number when told */
		DIALLER_DTR,       /* set DTR to `on` */
		DIALLER_BREAK,     /* send a break */
		DIALLER_FILE,      /* as CHAT_FILE */
	} kind;
	enum dialler_reason reason;
	bool on;
	sb_time retry_in; /* duration */
	struct connect connect;
	const char *text; /* printable, valid until the next call */
};

struct dialler;

struct dialler *dialler_new(const struct dialler_config *); /* copied; NULL: out of memory */
void dialler_free(struct dialler *);
/*
 * From the next start on it goes by another configuration: an edited script, say. Only
 * while IDLE. Its failures and whose turn it is are not forgotten. False: out of memory, and all
 * is as before.
 */
bool dialler_reconfigure(struct dialler *, const struct dialler_config *);

/* The port is open. has_dtr: it has modem lines, so that hanging up by DTR can work. */
void dialler_start(struct dialler *, sb_time now, bool has_dtr);
/* What arrived. While ONLINE it is the link's, and only looked at for a NO CARRIER behind which
 * nothing more comes. */
void dialler_input(struct dialler *, sb_time now, struct bytes in);
/* Once CONNECTED: characters already taken that are the link's, until the next input. */
struct bytes dialler_rest(const struct dialler *);
bool dialler_output(struct dialler *, sb_time now, struct buf *out);
/* How the modem lines are now; not called where they are not known. */
void dialler_modem_lines(struct dialler *, sb_time now, bool dcd, bool ri);
/*
 * The modem may have said that the call is over: until that is clear nothing of the link is to be
 * sent, so that no echo of it comes. dialler_output may ask the modem.
 */
bool dialler_suspects_loss(const struct dialler *);
/* To be drained after each call of another function. */
bool dialler_event(struct dialler *, struct dialler_event *);
/* A line of the transcript, as chat -v logs it, secrets masked; NULL: no more. It tells of what led
 * to the events; the oldest lines are forgotten when nobody asks. */
const char *dialler_said(struct dialler *);
void dialler_file(struct dialler *, sb_time now, struct bytes line);

/*
 * Ends whatever is going on, for that reason: DTR low where there is one, else +++ between
 * guard times and ATH; IS_IDLE follows, whatever the modem does. quiet_at: the instant at which
 * the last character that the port still holds has left for the modem.
 */
void dialler_hang_up(struct dialler *, sb_time now, sb_time quiet_at, enum dialler_reason);
/* The port has gone: IDLE at once. */
void dialler_lost(struct dialler *, sb_time now);
/* The user wants a call now: no back-off, no hold-off. */
void dialler_forget_failures(struct dialler *);

enum dialler_state dialler_state(const struct dialler *);
unsigned dialler_failures(const struct dialler *); /* in a row */
/* The number that it calls, or will call next; "" where it calls none. */
const char *dialler_number(const struct dialler *);
void dialler_tick(struct dialler *, sb_time now);
sb_time dialler_deadline(const struct dialler *);

#endif
