/* SPDX-License-Identifier: MIT */
/*
 * Is the peer there? Decides when to send an Echo-Request, and what silence means.
 *
 *   ALIVE --quiet for long, asked, no answer in time--> SILENT --anything heard--> ALIVE
 *                                                         |  max_silent unanswered: LOST
 *
 * Anything heard is life, so a line that carries traffic our way costs nothing.
 * What "long" and "in time" are follows from the line's rate, from the round
 * trips measured (as RFC 6298 reckons a timeout) and from whether traffic is under
 * way: a line that is being relied on is asked after half a second or so, an
 * idle one after `interval`. A SILENT line is out of use but asked on, so that it
 * is back within a second of its return.
 */
#ifndef PPP_KEEPALIVE_H
#define PPP_KEEPALIVE_H

#include "serialbundle/time.h"

#include <stdbool.h>
#include <stdint.h>

struct keepalive_config {
	sb_time interval;     /* duration: an idle line is asked that often; 0: never asked */
	unsigned max_silent;  /* unanswered requests after which the link is given up; 0: never */
	double chars_per_sec; /* of the line */
	unsigned frame_chars; /* the longest frame either side may have in hand */
};

enum keepalive_state { KEEPALIVE_ALIVE, KEEPALIVE_SILENT, KEEPALIVE_LOST };

struct keepalive_rtt { /* durations; all 0 until measured */
	sb_time last, least, most, smoothed, variation;
	uint64_t count;
};

struct keepalive {
	struct keepalive_config config;
	enum keepalive_state state;
	struct keepalive_rtt rtt;
	sb_time heard_at;  /* instant */
	sb_time relied_at; /* instant of the last traffic that counts on the line, or 0 */
	sb_time asked_at;  /* instant of the request on its way, or SB_NEVER */
	sb_time ask_at;    /* instant of the next one */
	unsigned unanswered;
	uint64_t requests, replies;
};

void keepalive_start(struct keepalive *, const struct keepalive_config *, sb_time now);
void keepalive_set_rate(struct keepalive *, double chars_per_sec);

void keepalive_heard(struct keepalive *, sb_time now);  /* any good frame */
void keepalive_relied(struct keepalive *, sb_time now); /* packets were given to the line */
void keepalive_replied(struct keepalive *, sb_time now, sb_time asked_at); /* an Echo-Reply */

/* True: send an Echo-Request now. */
bool keepalive_tick(struct keepalive *, sb_time now);
/* The request has left for the port. */
void keepalive_asked(struct keepalive *, sb_time now);
sb_time keepalive_deadline(const struct keepalive *);

#endif
