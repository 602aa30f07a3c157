/* SPDX-License-Identifier: MIT */
/*
 * What the peer's reports say of the line: rate.c opens with how.
 */
#include "sched/rate_state.h"

#include <stddef.h>

#define WINDOW_TIME (400 * SB_MS)
#define STALE_TIME  (3 * SB_SEC)

enum { WINDOW_CHARS = 32 };

static const double more = 1.3;
static const double raise = 1.02;           /* a sample beyond that is more than noise */
static const double least_share = 1.0 / 64; /* of the first guess, where no bound was given */

/* --- marks --- */

static struct mark *mark_at(struct rate *r, unsigned i)
{
	return &r->marks[(r->mark_first + i) % RATE_MARKS];
}

static void add_mark(struct rate *r, const struct mark *m)
{
	if (r->mark_count == RATE_MARKS)
		r->mark_first = (r->mark_first + 1) % RATE_MARKS;
	else
		r->mark_count++;
	*mark_at(r, r->mark_count - 1) = *m;
}

/* The newest mark that is so long before this one; NULL: there is none. */
static const struct mark *mark_before(struct rate *r, const struct mark *m, sb_time least)
{
	for (unsigned i = r->mark_count; i-- > 0;) {
		const struct mark *a = mark_at(r, i);

		if (m->at - a->at >= least && m->number - a->number >= WINDOW_CHARS)
			return a;
	}
	return NULL;
}

/* --- what they say --- */

static sb_time queue_of(const struct rate *r, const struct mark *m)
{
	return m->at - m->sent - r->base;
}

static double clamp(const struct rate *r, double bps)
{
	double least = r->config.least_bps;

	if (least == 0)
		least = r->config.first_bps * least_share;
	if (r->config.most_bps > 0 && bps > r->config.most_bps)
		return r->config.most_bps;
	return bps < least ? least : bps;
}

void rate_set(struct rate *r, double bps)
{
	r->bps = clamp(r, bps);
	r->known = true;
}

void rate_set_limit(struct rate *r, double bps)
{
	rate_set(r, bps);
	r->limit_seen = true;
	r->doubts = false;
}

/* What two marks say of the line between them. */
struct sample {
	sb_time time;
	double came, went;       /* bits per second */
	sb_time grew;            /* the queue, by that much */
	bool queued, was_queued; /* at the end, by far; and at the beginning */
	bool full;               /* no queue was being drained */
};

static struct sample sample_of(const struct rate *r, const struct mark *a, const struct mark *m)
{
	double bits = (double)(m->number - a->number) * r->config.bits_per_char;
	sb_time dt = m->at - a->at, ds = sb_time_max(m->sent - a->sent, 1);

	return (struct sample){
		.time = dt,
		.came = bits * (double)SB_SEC / (double)dt,
		.went = bits * (double)SB_SEC / (double)ds,
		.grew = dt - ds,
		.queued = queue_of(r, m) > 2 * rate_threshold(r),
		.was_queued = queue_of(r, a) > rate_threshold(r),
		.full = !spells_later(r->slow_end, a->number),
	};
}

/* Its wire was busy throughout: since a queue was there, or we sent fast enough for one. */
static bool shows_limit(const struct rate *r, const struct sample *s)
{
	if (s->grew > rate_slop(r))
		return s->was_queued || s->came > r->bps ||
		       (s->full && s->went > RATE_DRAINING * r->bps);
	return s->grew < -rate_slop(r) && s->queued;
}

/* What should have shrunk did not: there is no queue, whatever the wait. */
static bool is_drained(const struct rate *r, const struct sample *s)
{
	double expected = (double)s->time * (1 - s->went / r->bps);

	return s->went < RATE_DRAINING * r->bps && (double)s->grew > -expected / 2 &&
	       s->grew <= rate_slop(r) && expected > (double)rate_slop(r);
}

static void has_base(struct rate *r, const struct mark *m)
{
	r->doubts = false;
	r->base = m->at - m->sent;
	r->base_is_sure = true;
}

/* It came as fast as it went, and that was more than is known; or nothing was. */
static bool is_more(const struct rate *r, const struct sample *s)
{
	return s->grew >= -rate_slop(r) && s->went > RATE_DRAINING * r->bps &&
	       (s->came > raise * r->bps || !r->known);
}

/* All that came in the window was sent after the pause that tries it. */
static bool is_tried(const struct rate *r, const struct mark *a)
{
	return r->tried_from != SB_NEVER && a->at >= r->tried_from + r->base;
}

/*
 * A line that seems to be slower while a queue drains: it may be that there is no queue, and what
 * comes is what we send, so that each step down would lead to the next one. Sending far less tells.
 */
static void doubt(struct rate *r, const struct mark *a, const struct mark *m, double came)
{
	if (!is_tried(r, a))
		r->doubts = true;
	else if (came > more * rate_bps(r))
		rate_set_limit(r, came);
	else
		has_base(r, m);
}

/* What waited outlasted our pause: the wire had none. */
static void judge_paused(struct rate *r, const struct mark *a, const struct mark *m, sb_time pause,
			 double came)
{
	sb_time queue = sb_time_min(queue_of(r, a), queue_of(r, m));

	if (queue > 2 * rate_threshold(r) + pause && came < RATE_DRAINING * r->bps) {
		rate_set_limit(r, came);
		r->gain = RATE_CHECK_PROBE;
	}
}

static void judge_rate(struct rate *r, const struct mark *a, const struct mark *m)
{
	struct sample s = sample_of(r, a, m);
	sb_time pause = spells_pause_between(&r->spells, a->number, m->number);

	if (pause > 0)
		judge_paused(r, a, m, pause, s.came);
	else if (shows_limit(r, &s) && r->pause < 1 && s.came < RATE_DRAINING * r->bps)
		doubt(r, a, m, s.came);
	else if (shows_limit(r, &s))
		rate_set_limit(r, s.came);
	else if (is_more(r, &s))
		rate_set(r, s.came);
}

static void judge_base(struct rate *r, const struct mark *a, const struct mark *m)
{
	struct sample s = sample_of(r, a, m);
	bool unsure = !r->base_is_sure || r->pause < 1;

	if (unsure && !spells_pause_between(&r->spells, a->number, m->number) && is_drained(r, &s))
		has_base(r, m);
}

static void begin_to_hear(struct rate *r, sb_time now, const struct rate_report *report)
{
	r->hears = true;
	r->clocks = now - report->at;
	r->heard_at = now;
	r->every = 0;
	r->mark_count = 0;
	r->base_is_sure = false;
	r->base = SB_NEVER;
}

static void time_reports(struct rate *r, sb_time now)
{
	sb_time since = now - r->heard_at;

	if (since > 0 && r->busy_from < r->heard_at)
		r->every = r->every ? (3 * r->every + since) / 4 : since;
	r->heard_at = now;
}

static void take_mark(struct rate *r, const struct mark *m)
{
	const struct mark *a = mark_before(r, m, WINDOW_TIME);

	r->base = sb_time_min(r->base, m->at - m->sent);
	if (a)
		judge_rate(r, a, m);
	a = mark_before(r, m, sb_time_max(WINDOW_TIME, 6 * rate_slop(r)));
	if (a)
		judge_base(r, a, m);
	add_mark(r, m);
}

/* The peer, or its clock, began anew. */
static bool is_backwards(const struct rate *r, const struct mark *m)
{
	const struct mark *last = rate_last_mark(r);

	return m->at < last->at || spells_later(last->number, m->number);
}

/* More than was sent cannot have come: the peer counts what another one sent. */
void rate_report(struct rate *r, sb_time now, const struct rate_report *report)
{
	struct mark m = {.number = report->characters, .at = report->at + r->clocks};

	if (!r->spells.count || spells_later(m.number, r->sent))
		return;
	if (!r->hears || is_backwards(r, &m)) {
		begin_to_hear(r, now, report);
		m.at = now;
	}
	m.sent = spells_time_of(&r->spells, m.number);
	time_reports(r, now);
	take_mark(r, &m);
	rate_tick(r, now);
}

bool rate_is_fresh(const struct rate *r, sb_time now)
{
	return r->hears && now - r->heard_at < sb_time_max(STALE_TIME, 4 * r->every);
}
