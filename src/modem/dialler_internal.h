/* SPDX-License-Identifier: MIT */
/* What a dialler is made of; for dialler*.c alone. */
#ifndef SRC_MODEM_DIALLER_INTERNAL_H
#define SRC_MODEM_DIALLER_INTERNAL_H

#include "src/modem/dialler.h"

enum {
	DIALLER_LINE_SIZE = 80,   /* of what a modem says in one line; more is cut */
	DIALLER_REST_SIZE = 4096, /* characters that the dialogue is not ready for */
	DIALLER_FACTS = 16,       /* not told yet */
	DIALLER_SAYINGS = 32,     /* likewise; the oldest are forgotten beyond that */
};

/*
 * Where a life is, more finely. Each step but RINGS and ONLINE is over by the instant `until`,
 * or when its dialogue is.
 */
enum dialler_step {
	STEP_NONE,         /* IDLE, or ONLINE */
	STEP_SETTLE,       /* DIALLING, WAITING: DTR is on again, what is old is thrown away */
	STEP_INIT,         /* DIALLING, WAITING: the init script */
	STEP_CALL,         /* DIALLING: the number's script */
	STEP_RINGS,        /* WAITING: nobody calls, or it rings */
	STEP_ANSWER,       /* WAITING: the script that answers */
	STEP_CONNECT_LINE, /* what stands behind CONNECT */
	STEP_DTR,          /* HANGING_UP: DTR is low */
	STEP_ATH_FIRST,    /* it is thought to take commands: ATH was sent */
	STEP_GUARD,        /* silence before +++ */
	STEP_ESCAPE,       /* +++ was sent, and silence behind it */
	STEP_ATH,          /* ATH was sent, for the last time */
};

/* The line that the modem is saying. */
struct dialler_line {
	char text[DIALLER_LINE_SIZE];
	size_t length;
	bool ended; /* the next character begins another one */
};

struct dialler_fact {
	struct dialler_event event;
	char text[DIALLER_TEXT_SIZE];
};

struct dialler {
	struct dialler_config config;
	struct chat *init, *answer, *call[DIALLER_NUMBERS];

	enum dialler_state state;
	enum dialler_step step;
	sb_time until;              /* instant, or SB_NEVER */
	sb_time attempt_end;        /* instant at which the attempt is given up, or SB_NEVER */
	struct chat *chat;          /* the dialogue going on, or NULL */
	enum dialler_reason reason; /* why it hangs up */

	bool has_dtr;
	bool dcd_known, dcd, ri;
	bool had_carrier;    /* DCD was seen on in this call, so that its loss tells something */
	bool hangup_matters; /* the script said HANGUP ON */
	bool takes_commands; /* the modem said by itself that there is no call */
	bool spoke;          /* it said anything at all in this attempt */

	struct dialler_line line;
	struct connect connect;
	sb_time online_at; /* instant at which the call began */
	sb_time lasted;    /* duration of the call, while HANGING_UP; 0: there was none */
	sb_time quiet_at;  /* instant: see dialler_hang_up */
	sb_time dtr_low_at;
	const char *send; /* to be sent at once, or NULL */

	unsigned rings;
	bool rang_by_line; /* the last ring was RI's */
	sb_time rang_at;
	char caller[DIALLER_LINE_SIZE];

	unsigned failures, refusals; /* in a row */
	unsigned turn;               /* which number */

	uint8_t rest[DIALLER_REST_SIZE];
	size_t rest_length;
	struct bytes replay; /* of a PPP frame that ended the dialogue: its beginning */

	enum dialler_doubt {
		DOUBT_NONE,
		DOUBT_WORDS, /* it said NO CARRIER */
		DOUBT_ECHO,  /* and something came behind that */
		DOUBT_ASKED, /* AT was sent */
	} doubt;             /* of the carrier, while ONLINE */
	size_t behind;       /* characters since the words, or since AT */

	struct dialler_fact facts[DIALLER_FACTS];
	unsigned fact_first, fact_count;
	char sayings[DIALLER_SAYINGS][DIALLER_TEXT_SIZE];
	unsigned saying_first, saying_count;
};

/* --- dialler.c: its life --- */

void dialler_enter(struct dialler *, enum dialler_step, sb_time until);
/* The modem is as the init script makes it: it calls, or waits for a call. */
void dialler_is_ready(struct dialler *, sb_time now);
/* The attempt has failed: told, and it hangs up. */
void dialler_fail(struct dialler *, sb_time now, enum dialler_reason, const char *text);
void dialler_is_online(struct dialler *, sb_time now);
void dialler_is_idle(struct dialler *, sb_time now);

/* --- dialler_watch.c: a call that ends in so many words --- */

/* Characters of the link. */
void dialler_watch_for_loss(struct dialler *, sb_time now, struct bytes in);
/* The instant `until` has come. True: the carrier is lost. */
bool dialler_watch_tick(struct dialler *, sb_time now);

/* --- dialler_facts.c: what is to be told --- */

/* Its text is copied. */
void dialler_tell(struct dialler *, const struct dialler_event *);
void dialler_say(struct dialler *, const char *text);
/* True when that was the last character of a line that is not empty. */
bool dialler_line_take(struct dialler_line *, uint8_t c);
struct bytes dialler_line_bytes(const struct dialler_line *);
/* Whether it does, as far as it goes: one that has just ended counts. */
bool dialler_line_begins(const struct dialler_line *, const char *word);

/* --- dialler_talk.c: dialogues --- */

void dialler_talk(struct dialler *, sb_time now, enum dialler_step, struct chat *);
/* Consumes what the dialogue is ready for. */
void dialler_talk_input(struct dialler *, sb_time now, struct bytes *in);
/* Heeds what the dialogue has to say; the steps follow. */
void dialler_heed_chat(struct dialler *, sb_time now);

/* CONNECT was said, or the beginning of it. */
void dialler_expect_connect_line(struct dialler *, sb_time now);
void dialler_connect_line_input(struct dialler *, sb_time now, struct bytes *in);
void dialler_connect_line_tick(struct dialler *, sb_time now);

/* --- dialler_ring.c: calls that come in --- */

void dialler_ring_input(struct dialler *, sb_time now, struct bytes *in);
/* RI went on. */
void dialler_ring_line(struct dialler *, sb_time now);
/* DCD changed. */
void dialler_ring_carrier(struct dialler *, sb_time now);

/* --- dialler_ladder.c: hanging up --- */

void dialler_ladder_begin(struct dialler *, sb_time now);
void dialler_ladder_modem_lines(struct dialler *, sb_time now);
void dialler_ladder_input(struct dialler *, sb_time now, struct bytes in);
void dialler_ladder_tick(struct dialler *, sb_time now);

/* --- dialler_again.c: when to try again --- */

/* Counts that end, and gives the time to wait after it. */
sb_time dialler_again(struct dialler *, enum dialler_reason, sb_time lasted);

#endif
