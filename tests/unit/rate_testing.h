/* SPDX-License-Identifier: MIT */
/*
 * A line whose rate is to be found out, on a fake clock: a line clock that a struct rate leads,
 * a wire of any rate behind a modem that takes far more than it sends, and a peer that reports.
 */
#ifndef TESTS_UNIT_RATE_TESTING_H
#define TESTS_UNIT_RATE_TESTING_H

#include "sched/line_clock.h"
#include "sched/rate.h"

#include <stdlib.h>
#include <string.h>

enum { TRACK_STEPS = 1 << 17, TRACK_REPORTS = 512 };

struct track_config {
	double bps;       /* of the wire */
	double guess_bps; /* that the rate begins with */
	sb_time delay;    /* one way, each way */
	uint32_t buffer;  /* characters that the modem holds; then it would block */
	sb_time every;    /* duration between reports */
	double loss;      /* of reports */
	sb_time lateness; /* of wake-ups, and of the peer's reading: 0..that */
	double drift;     /* of the peer's clock */
	sb_time jitter;   /* of the way back: 0..that */
};

struct track_report {
	sb_time arrives;
	struct rate_report report;
};

struct track {
	struct track_config config;
	struct line_clock clock;
	struct rate *rate;
	sb_time start, now, step;
	double bps;           /* of the wire now */
	bool idle;            /* nothing waits to be sent */
	bool mute;            /* the peer does not report */
	double queue;         /* characters in the modem */
	double most_queue;    /* since track_forget */
	double carried, lost; /* by the wire */
	double *history;      /* carried, less what was lost, by step */
	unsigned steps;
	uint32_t told; /* characters, by the last report */
	sb_time told_at, next_report;
	struct track_report reports[TRACK_REPORTS];
	unsigned report_first, report_count;
	uint64_t seed;
	double busy, wished; /* characters that were carried, and could have been */
};

static inline double track_random(struct track *t)
{
	t->seed = t->seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (double)(t->seed >> 40) / (double)(1 << 24);
}

/* A tenth of what the clock keeps ahead. */
static inline sb_time track_step(const struct track_config *c)
{
	sb_time lead = (sb_time)(64 * 10.0 * (double)SB_SEC / c->bps);

	return sb_time_max(SB_MS, sb_time_min(lead / 10, 20 * SB_MS));
}

static inline void track_init(struct track *t, const struct track_config *c)
{
	const sb_time begin = 1000 * SB_SEC;

	*t = (struct track){
		.config = *c,
		.start = begin,
		.now = begin,
		.next_report = begin + c->every,
		.step = track_step(c),
		.bps = c->bps,
		.history = calloc(TRACK_STEPS, sizeof(double)),
		.rate = rate_new(
			&(struct rate_config){.first_bps = c->guess_bps, .bits_per_char = 10}),
		.seed = 1,
	};
	ck_assert_ptr_nonnull(t->history);
	ck_assert_ptr_nonnull(t->rate);
	rate_begin(t->rate, c->guess_bps, begin);
	line_clock_init(&t->clock, (uint32_t)c->guess_bps, 10, begin);
}

static inline void track_end(struct track *t)
{
	rate_free(t->rate);
	free(t->history);
}

/* What the port takes of what the clock has room for. */
static inline void track_send(struct track *t)
{
	size_t room, space;

	line_clock_lead_to(&t->clock, (uint32_t)(rate_bps(t->rate) + 0.5));
	if (t->queue < t->config.buffer * 0.9 && t->clock.blocked_since != SB_NEVER) {
		line_clock_writable(&t->clock, t->now);
		rate_held(t->rate, t->clock.busy_until);
	}
	if (t->idle || t->now < line_clock_wake(&t->clock))
		return;
	room = line_clock_room(&t->clock, t->now);
	space = t->queue < t->config.buffer ? (size_t)(t->config.buffer - t->queue) : 0;
	if (!room)
		return;
	if (room > space) {
		line_clock_blocked(&t->clock, t->now);
		if (t->clock.measured_bps > 0)
			rate_drained(t->rate, t->clock.measured_bps);
		room = space;
	}
	if (!room)
		return;
	line_clock_sent(&t->clock, t->now, room);
	rate_sent(t->rate, t->now, (uint32_t)room, t->clock.busy_until);
	t->queue += (double)room;
}

static inline void track_carry(struct track *t)
{
	double could = t->bps / 10 * (double)t->step / (double)SB_SEC;
	double n = t->queue < could ? t->queue : could;

	t->queue -= n;
	t->carried += n;
	t->busy += n;
	t->wished += could;
	ck_assert_uint_lt(t->steps, TRACK_STEPS);
	t->history[t->steps++] = (t->carried - t->lost);
	if (t->queue > t->most_queue)
		t->most_queue = t->queue;
}

/* Characters that the peer had at this instant. */
static inline uint32_t track_came(const struct track *t, sb_time at)
{
	sb_time behind = at - t->config.delay - t->start;

	return behind < 0 ? 0 : (uint32_t)t->history[behind / t->step];
}

/* The instant at which the last of them had come. */
static inline sb_time track_came_at(const struct track *t, sb_time at)
{
	uint32_t came = track_came(t, at);

	while (track_came(t, at - t->step) == came)
		at -= t->step;
	return at;
}

static inline void track_tell(struct track *t)
{
	sb_time read_at = t->now - (sb_time)(track_random(t) * (double)t->config.lateness);
	uint32_t came = track_came(t, read_at);
	struct track_report *r = &t->reports[(t->report_first + t->report_count) % TRACK_REPORTS];

	if (came == t->told)
		return;
	t->told = came;
	t->told_at = track_came_at(t, read_at);
	if (track_random(t) < t->config.loss)
		return;
	r->arrives =
		t->now + t->config.delay + (sb_time)(track_random(t) * (double)t->config.jitter);
	r->report = (struct rate_report){
		.characters = came,
		.at = (sb_time)((double)t->told_at * (1 + t->config.drift)) - 77 * SB_SEC,
	};
	t->report_count++;
	ck_assert_uint_le(t->report_count, TRACK_REPORTS);
}

static inline void track_hear(struct track *t)
{
	while (t->report_count && t->reports[t->report_first].arrives <= t->now) {
		rate_report(t->rate, t->now, &t->reports[t->report_first].report);
		t->report_first = (t->report_first + 1) % TRACK_REPORTS;
		t->report_count--;
	}
}

static inline void track_one(struct track *t)
{
	t->now += t->step;
	track_carry(t);
	if (t->now >= t->next_report) {
		t->next_report = t->now + t->config.every;
		if (!t->mute)
			track_tell(t);
	}
	track_hear(t);
	if (track_random(t) * (double)t->config.lateness < (double)t->step)
		track_send(t);
	if (t->now >= rate_deadline(t->rate))
		rate_tick(t->rate, t->now);
}

static inline void track_run(struct track *t, sb_time length)
{
	for (sb_time until = t->now + length; t->now < until;)
		track_one(t);
}

static inline void track_forget(struct track *t)
{
	t->most_queue = t->busy = t->wished = 0;
}

static inline bool track_is_near(const struct track *t, double share)
{
	double known = rate_known_bps(t->rate);

	return known > t->bps * (1 - share) && known < t->bps * (1 + share);
}

/* Duration from now until what is known is near what the wire carries, and stays so. */
static inline sb_time track_settles(struct track *t, double share, sb_time length)
{
	sb_time from = t->now, settled = SB_NEVER;

	while (t->now < from + length) {
		track_one(t);
		if (!track_is_near(t, share))
			settled = SB_NEVER;
		else if (settled == SB_NEVER)
			settled = t->now - from;
	}
	return settled;
}

#endif
