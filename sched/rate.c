/* SPDX-License-Identifier: MIT */
/*
 * How the rate of a line is found out.
 *
 * Aim. A modem may take far more characters than it sends, and no ioctl shows them: all that
 * can be seen of the line behind it is what the peer says it received. From that follow the rate
 * of the line, and what waits in front of it; the former is what the line's clock is to run at, and
 * the latter is to be nothing.
 *
 * Terms. What was sent is remembered as spells: characters, and when they were handed to the
 * port. A report says that the character number C came at the time t, by the peer's clock.
 * With s(C), the time it was handed over by ours, its wait is
 *
 *	w = t - s(C)
 *
 * which has the difference of the two clocks in it, the delay of the line, and the time that
 * it stood in a queue, besides what the line's clock keeps ahead. The first two do not change: the
 *least wait seen is the base, and what a wait has beyond it is queue. How long the report itself
 *was under way does not come into it.
 *
 * Two reports a window apart give a sample: n characters came in the time dt, and had been sent in
 * the time ds. dt - ds is what the queue grew by meanwhile. If we did not pause,
 *
 *	it grew                      the wire was busy all the time: it carries n / dt
 *	it shrank, and is not gone   likewise
 *	else                         it carries n / dt, or more
 *
 * If we did, that says nothing, but where a queue was there at both ends that outlasted our
 * pauses, which is what TCP makes of a rate that is taken too high: the wire was busy then, too.
 *
 * The last line holds for every sample. So a rate that is taken too high shows by itself within a
 * window, and is known then exactly. One that is too low does not show: now and then, when there
 * is enough to send, the clock runs faster for a moment (a probe). If the queue grows, the rate
 * is known again, to the price of a small queue; if it does not, the line carries more, and the
 * next probe is a large one. Probes are large also in the beginning.
 *
 * The queue is drained after that: the clock runs slower than the line, which is not idle for
 * it. How much there is now, when the last report is old already, is reckoned: what was sent,
 * less what had come by then, less what has come since at the known rate, and what is under way
 * without waiting.
 *
 * A queue that does not shrink while we send less than the line carries is none: characters were
 * lost, or the line's delay has changed. Then the base is what that wait is. Likewise the first
 * reports may be of a line that had a queue already; so the first time it is drained until it
 * does not shrink any more.
 *
 * Errors. A window has as many characters, and takes as long, as makes one character, and the
 * moments by which both ends are late, a percent or so. Reports may be lost: they say how many in
 * all. With none at all the rate stays what it was.
 */
#include "sched/rate_state.h"

#include <assert.h>
#include <stdlib.h>

#define PROBE_TIME  (600 * SB_MS)
#define PROBE_QUEUE (75 * SB_MS)
#define PROBE_EVERY (2 * SB_SEC)
#define DEEP        (500 * SB_MS) /* of a queue: worth more than a mild pause */

static const double slower = 0.97;
static const double large_probe = 2;
static const double mild_pause = 0.75, deep_pause = 0.3;

static double chars_in(const struct rate *r, sb_time t)
{
	return (double)t * r->bps / (r->config.bits_per_char * (double)SB_SEC);
}

/* --- set-up --- */

void rate_begin(struct rate *r, double first_bps, sb_time now)
{
	struct rate_config c = r->config;

	assert(first_bps > 0);
	c.first_bps = first_bps;
	*r = (struct rate){
		.config = c,
		.bps = first_bps,
		.dry_at = now,
		.busy_from = now,
		.pause = 1,
		.tried_from = SB_NEVER,
		.gain = large_probe,
		.probe_at = now,
	};
}

struct rate *rate_new(const struct rate_config *config)
{
	struct rate *r = calloc(1, sizeof(*r));

	assert(config->bits_per_char > 0);
	if (!r)
		return NULL;
	r->config = *config;
	rate_begin(r, config->first_bps, 0);
	return r;
}

void rate_free(struct rate *r)
{
	free(r);
}

/* --- what was sent --- */

/* A moment's lateness is no pause: what is in front of the wire outlasts it. */
static bool is_pause(const struct rate *r, sb_time t)
{
	return t > rate_slop(r);
}

/* A queue that was there has drained meanwhile. */
static void resume(struct rate *r, sb_time now)
{
	r->busy_from = now;
	if (now - r->dry_at > rate_queue(r, now)) {
		r->pause = 1;
		r->doubts = false;
	}
}

void rate_sent(struct rate *r, sb_time now, uint32_t n, sb_time dry_at)
{
	sb_time pause = now - r->dry_at;
	struct spell s = {
		.begin = r->sent,
		.end = r->sent + n,
		.from = now,
		.to = now + rate_time(r, n),
		.pause = is_pause(r, pause) ? pause : 0,
	};

	if (s.pause)
		resume(r, now);
	spells_add(&r->spells, &s);
	r->sent = s.end;
	r->dry_at = dry_at;
	if (r->pause < 1)
		r->slow_end = r->sent;
	rate_tick(r, now);
}

void rate_held(struct rate *r, sb_time dry_at)
{
	r->dry_at = sb_time_max(r->dry_at, dry_at);
}

/* --- what to do --- */

sb_time rate_queue(const struct rate *r, sb_time now)
{
	double left, came;

	if (!r->mark_count || !rate_is_fresh(r, now))
		return 0;
	left = (double)(int32_t)(r->sent - rate_last_mark(r)->number);
	came = chars_in(r, now - rate_last_mark(r)->at + r->base);
	return left > came ? rate_time(r, left - came) : 0;
}

/* The line has been kept busy, and still is. */
static bool has_demand(const struct rate *r, sb_time now)
{
	return !is_pause(r, now - r->dry_at) &&
	       r->dry_at - r->busy_from > sb_time_max(4 * rate_slop(r), r->every / 2);
}

/* Reports have to come of it; and it has to make a queue that can be told from noise. */
static sb_time probe_length(const struct rate *r)
{
	return sb_time_max(sb_time_max(PROBE_TIME, 2 * r->every), 2 * rate_threshold(r));
}

static double least_gain(const struct rate *r)
{
	sb_time queue = sb_time_max(PROBE_QUEUE, 2 * rate_threshold(r));

	return 1 + (double)queue / (double)probe_length(r);
}

static void probe(struct rate *r, sb_time now)
{
	r->phase = PROBE;
	r->before = r->bps;
	r->gain = r->gain < least_gain(r) ? least_gain(r) : r->gain;
	r->limit_seen = false;
	r->probe_until = now + probe_length(r);
	r->probe_at = now + PROBE_EVERY;
}

/* It is over, and what came of it is known. */
static void conclude(struct rate *r, sb_time now)
{
	double rose = (r->bps / r->before - 1) / (r->gain - 1);

	r->phase = CRUISE;
	if (rose > 0.9 || (rose > 0.5 && !r->limit_seen)) {
		r->gain = large_probe;
		r->probe_at = now;
		r->base = rate_last_mark(r)->at -
			  rate_last_mark(r)->sent; /* that was of another rate */
		r->base_is_sure = false;
	} else if (r->limit_seen) {
		r->gain = r->bps < 0.9 * r->before ? RATE_CHECK_PROBE : 1;
	}
}

static double pause_for(const struct rate *r, sb_time queue)
{
	if (r->doubts || queue > DEEP + rate_threshold(r))
		return deep_pause;
	if (queue > rate_threshold(r))
		return mild_pause;
	if (queue > rate_slop(r) || (r->limit_seen && !r->base_is_sure))
		return r->pause;
	return 1;
}

static void drain(struct rate *r, sb_time now)
{
	if (!rate_is_fresh(r, now))
		r->doubts = false;
	r->pause = rate_is_fresh(r, now) ? pause_for(r, rate_queue(r, now)) : 1;
	if (r->pause > deep_pause)
		r->tried_from = SB_NEVER;
	else if (r->tried_from == SB_NEVER)
		r->tried_from = now;
}

void rate_tick(struct rate *r, sb_time now)
{
	if (r->phase == PROBE && now >= r->probe_until) {
		r->phase = JUDGE;
		r->probe_end = r->sent;
	}
	if (r->phase == JUDGE &&
	    (!rate_is_fresh(r, now) || !spells_later(r->probe_end, rate_last_mark(r)->number)))
		conclude(r, now);
	if (r->phase != PROBE)
		drain(r, now);
	if (r->phase == CRUISE && r->pause == 1 && now >= r->probe_at && rate_is_fresh(r, now) &&
	    has_demand(r, now))
		probe(r, now);
}

sb_time rate_deadline(const struct rate *r)
{
	return r->phase == PROBE ? r->probe_until : SB_NEVER;
}

void rate_drained(struct rate *r, double bps)
{
	r->drained = bps;
	if (bps > 0 && r->known && bps < slower * r->bps)
		rate_set_limit(r, bps);
}

double rate_bps(const struct rate *r)
{
	if (r->phase == PROBE)
		return r->bps * r->gain;
	return r->bps * r->pause;
}

double rate_known_bps(const struct rate *r)
{
	return r->known ? r->bps : r->drained;
}
