/* SPDX-License-Identifier: MIT */
/*
 * A line whose rate is found out (auto_rate): a struct rate (sched/rate.h) is told what the line
 * knows, and the line's clock runs at what it answers. line_rate.c opens with where it all
 * comes from. A line whose rate is given has none (line->rate is NULL); for it nothing of this
 * does anything, but for what the peer is told.
 */
#ifndef SRC_LINE_RATE_H
#define SRC_LINE_RATE_H

#include "src/line.h"

/* False: out of memory. */
bool line_rate_init(struct line *);
void line_rate_free(struct line *);
/* The port was opened, a call connected: the guess is the configured rate, or the call's. */
void line_rate_begin(struct line *, sb_time now);

/* n characters were handed to the port; the clock knows of them already. */
void line_rate_sent(struct line *, size_t n, sb_time now);
/* The port takes characters again; the clock knows it already. */
void line_rate_held(struct line *);
/*
 * The peer, which tells by its own clock (an instant with any origin), of what was sent in all so
 * many had come, modulo 2^32.
 */
void line_rate_report(struct line *, uint32_t characters, sb_time peer_time, sb_time now);
void line_rate_tick(struct line *, sb_time now);
sb_time line_rate_deadline(const struct line *);

/* What it carries, as far as it was found out; 0: it was not. */
uint32_t line_rate_bps(const struct line *);
/* What was measured of it, by whatever shows it; 0: nothing was. */
double line_measured_bps(const struct line *);
/* What its clock is to run at, shape aside: line_bps(), or for a moment more or less than that. */
uint32_t line_rate_pace(const struct line *);

/* --- for the peer, which may want to find out the rate of its way here --- */

/* Characters sent in all, modulo 2^32, without the frame that is to be loaded now. */
uint32_t line_sent_count(const struct line *);
/* The peer has sent so many, with the packet that says so, which was received last. */
void line_peer_sent(struct line *, uint32_t characters);
/* How many of these have come until heard_at; false: it has not said how many it sent. */
bool line_received_count(const struct line *, uint32_t *characters);

#endif
