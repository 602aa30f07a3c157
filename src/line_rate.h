/* SPDX-License-Identifier: MIT */
/*
 * A line whose rate is found out (auto_rate): a struct rate (sched/rate.h) is told what the line
 * knows, and the line's clock runs at what it answers. line_rate.c opens with where it all
 * comes from. A line whose rate is given has none (line->rate is NULL), and all of this does
 * nothing.
 */
#ifndef SRC_LINE_RATE_H
#define SRC_LINE_RATE_H

#include "src/line.h"

/* False: out of memory. */
bool line_rate_init(struct line *, sb_time now);
void line_rate_free(struct line *);
/* The port was opened, a call connected: the guess is the configured rate, or the call's. */
void line_rate_begin(struct line *, sb_time now);

/* n characters were handed to the port; the clock knows of them already. */
void line_rate_sent(struct line *, size_t n, sb_time now);
/* The peer, which tells by its own clock: so many it had received in all, modulo 2^32. */
void line_rate_report(struct line *, uint32_t characters, sb_time peer_time, sb_time now);
void line_rate_tick(struct line *, sb_time now);
sb_time line_rate_deadline(const struct line *);

/* What it carries, as far as it is known; 0: it is not. */
uint32_t line_rate_bps(const struct line *);
/* What its clock is to run at, shape aside: line_bps(), or for a moment more or less than that. */
double line_rate_pace(const struct line *);

#endif
