/* SPDX-License-Identifier: MIT */
/* What a rate is made of; for rate*.c alone. */
#ifndef SCHED_RATE_STATE_H
#define SCHED_RATE_STATE_H

#include "sched/rate.h"
#include "sched/spells.h"

enum {
	RATE_MARKS = 32,
	RATE_SLOP_CHARS =
		48, /* that a wait may be wrong by, of the 64 that the clock keeps ahead */
};
#define RATE_SLOP_TIME (8 * SB_MS)

/* Of the rate: while we send less than that, a queue shrinks. */
#define RATE_DRAINING 0.9

/* After a fall: whether that was all. */
#define RATE_CHECK_PROBE 1.5

/* What a report said, by our clock but for a constant. */
struct mark {
	uint32_t number; /* of the character that came last */
	sb_time at;      /* instant that it came */
	sb_time sent;    /* instant that it was handed over */
};

enum phase {
	CRUISE,
	PROBE,
	JUDGE, /* a probe is over: what came of it is on its way */
};

struct rate {
	struct rate_config config;
	double bps;     /* as far as it is known, else the guess */
	bool known;     /* by reports */
	double drained; /* as the port showed; 0: it did not */

	struct spells spells;
	uint32_t sent;     /* characters, in all */
	uint32_t slow_end; /* number of the last that was sent while a queue drained */
	sb_time dry_at;
	sb_time busy_from; /* instant since which there was no pause */

	bool hears;       /* reports: the following holds */
	sb_time clocks;   /* ours less the peer's, when we began */
	sb_time heard_at; /* instant of the last report */
	sb_time every;    /* duration between two, smoothed; 0: not known */
	sb_time base;
	bool base_is_sure; /* it is no queue's */
	struct mark marks[RATE_MARKS];
	unsigned mark_first, mark_count;

	enum phase phase;
	double pause;       /* of the rate, while a queue drains; 1: none does */
	bool doubts;        /* whether there is a queue: it is tried, */
	sb_time tried_from; /* from this instant on, or SB_NEVER */
	bool limit_seen;    /* the line's, since the probe began */
	double gain;
	double before;       /* the rate when the probe began */
	sb_time probe_at;    /* instant of the next one, at the earliest */
	sb_time probe_until; /* instant, in PROBE */
	uint32_t probe_end;  /* number of its last character, in JUDGE */
};

static inline sb_time rate_time(const struct rate *r, double characters)
{
	return (sb_time)(characters * r->config.bits_per_char * (double)SB_SEC / r->bps);
}

/* What a difference of two waits may be without a reason; */
static inline sb_time rate_slop(const struct rate *r)
{
	return sb_time_max(RATE_SLOP_TIME, rate_time(r, RATE_SLOP_CHARS));
}

/* and a wait beyond the base that is a queue for sure. */
static inline sb_time rate_threshold(const struct rate *r)
{
	return 2 * rate_slop(r);
}

/* The newest; there is one. */
static inline const struct mark *rate_last_mark(const struct rate *r)
{
	return &r->marks[(r->mark_first + r->mark_count - 1) % RATE_MARKS];
}

/* --- rate_report.c --- */

/* Known from now on, within bounds. */
void rate_set(struct rate *, double bps);
/* The same, the wire having been busy throughout: it carries just that. */
void rate_set_limit(struct rate *, double bps);
/* Reports have come of late. */
bool rate_is_fresh(const struct rate *, sb_time now);

#endif
