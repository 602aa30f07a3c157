/* SPDX-License-Identifier: MIT */
/*
 * Is the peer there, and are we for it? Decides when to send an Echo-Request, and what
 * silence means.
 *
 *   ALIVE --quiet, asked, no answer in time---------> SILENT --anything heard--> ALIVE
 *     \---the peer says that it hears nothing, or
 *         requests stay unanswered though it speaks-> UNHEARD --a reply--> ALIVE
 *
 *   either for max_silent intervals: LOST
 *
 * Anything heard is life, so a line that carries traffic our way costs next to
 * nothing. A line that is being relied on is asked when it was quiet for a moment,
 * an idle one every interval. A line in SILENT or UNHEARD is out of use but asked on, so
 * that it is back within a second of its return. Lines die one way too: who is in SILENT
 * tells the peer, which hears all well and could not know. keepalive.c says what the
 * moments are.
 */
#ifndef PPP_KEEPALIVE_H
#define PPP_KEEPALIVE_H

#include "serialbundle/time.h"

#include <stdbool.h>
#include <stdint.h>

struct keepalive_config {
	sb_time interval;     /* duration: any line is asked that often; 0: none is ever asked */
	unsigned max_silent;  /* intervals without a word after which it is LOST; 0: never */
	double chars_per_sec; /* of the line */
	unsigned frame_chars; /* the longest frame either side may have in hand */
};

enum keepalive_state {
	KEEPALIVE_ALIVE,
	KEEPALIVE_SILENT,  /* nothing is heard; whether we are is not known */
	KEEPALIVE_UNHEARD, /* the peer is heard, but does not hear us */
	KEEPALIVE_LOST,
};

struct keepalive_rtt {               /* durations; all 0 until measured */
	sb_time last, least, most;   /* of all round trips */
	sb_time smoothed, variation; /* RFC 6298; see keepalive.c */
	uint64_t count;
};

struct keepalive {
	struct keepalive_config config;
	bool deaf;    /* nothing is heard */
	bool unheard; /* what we send is not, until a reply shows that it is */
	bool lost;
	sb_time since; /* not ALIVE: instant since which what was sent may not have arrived,
			  a round trip besides */
	struct keepalive_rtt rtt;
	sb_time heard_at;      /* instant of the last good frame */
	sb_time characters_at; /* instant of the last characters of any kind */
	sb_time stream_from;   /* instant of the first of those that came without a pause */
	sb_time unheard_at;    /* instant; with unheard */
	sb_time relied_at;     /* instant of the last traffic that counts on the line, or 0 */
	sb_time relied_from;  /* instant of the first of that traffic, if it has not paused since */
	sb_time asked_at;     /* instant of the request on its way, or SB_NEVER */
	sb_time last_ask_at;  /* instant of the last request, answered or not */
	sb_time paid_until;   /* instant: requests are paid for with time */
	sb_time owed_from;    /* instant of the first request since a reply, or SB_NEVER */
	unsigned overdue;     /* requests in a row whose reply did not come, though others' did */
	sb_time pending_from; /* instant since which one is to leave for the port, or SB_NEVER */
	bool hurry;           /* one is wanted at once */
	bool tell;            /* the peer, that nothing is heard */
	bool measured;        /* rtt.smoothed holds */
	unsigned unanswered;
	uint64_t requests, replies;
};

void keepalive_start(struct keepalive *, const struct keepalive_config *, sb_time now);
void keepalive_set_rate(struct keepalive *, double chars_per_sec);
/* As in the configuration, from now on. */
void keepalive_set_interval(struct keepalive *, sb_time interval, unsigned max_silent);

/* Characters came, of a frame that is under way, or noise. */
void keepalive_receiving(struct keepalive *, sb_time now);
void keepalive_heard(struct keepalive *, sb_time now);  /* any good frame */
void keepalive_relied(struct keepalive *, sb_time now); /* packets were given to the line */
/* An Echo-Reply to the request of asked_at; call before keepalive_heard for its frame. */
void keepalive_replied(struct keepalive *, sb_time now, sb_time asked_at);

/* The peer says that it has heard nothing of us for so long. */
void keepalive_unheard(struct keepalive *, sb_time now, sb_time silence);

enum keepalive_state keepalive_state(const struct keepalive *);
/* True, once: tell the peer that for so long nothing was heard. */
bool keepalive_tells(struct keepalive *, sb_time now, sb_time *silence);
/* True: send an Echo-Request now. */
bool keepalive_tick(struct keepalive *, sb_time now);
/* The request has left for the port. */
void keepalive_asked(struct keepalive *, sb_time now);
sb_time keepalive_deadline(const struct keepalive *);

#endif
