/* SPDX-License-Identifier: MIT */
/*
 * One direction of a cable.
 *
 * Aim: characters leave at exactly bps / bits_per_char, for days, however
 * seldom and however late anybody looks.
 *
 * Nothing is stepped. Characters that leave back to back form a run (run.h),
 * from which "how many have left by now?" follows by one division. A character
 * given to a wire that is still sending joins the last run; given to an idle
 * one it starts a new run. So all that waits in the buffer is in the last run,
 * and earlier runs, kept for the delay, have left entirely:
 *
 *     runs:   [taken|arrived|in flight] [in flight] [in flight|on the wire|queued]
 *     ring:           characters of all runs, oldest first
 *
 * A run remembers the rate and the delay it set out with, so that settings can
 * change while characters are under way. A wire without a rate (bps 0) is the
 * case in which a character takes no time; its runs are what came at one
 * instant.
 *
 * Noise and overrun strike on arrival, when the order is certain.
 *
 * Cost: a division per question, a copy per character. Storage is sized by
 * wire_new and wire_configure: the buffer, what the delay keeps under way, what
 * has arrived and not been taken yet, and as many runs as that could be (up to
 * RUNS_MAX). A wire that has used all that up has no room until some is taken.
 */
#include "src/nullmodem/wire.h"

#include "src/nullmodem/ring.h"
#include "src/nullmodem/run.h"

#include <assert.h>
#include <stdlib.h>

enum {
	RUNS_MAX = 1 << 16,
	LATE_CHARACTERS = 4096, /* that have arrived and wait for wire_output */
	LATE_RUNS = 256,
};

struct wire {
	struct wire_config config;
	struct noise noise;
	struct ring ring;
	struct run *runs; /* a ring too: run_count from run_head on */
	size_t run_size, run_head, run_count;
	uint32_t in_a_row; /* characters that arrived without a pause */
	/* Counted as it happens; the rest of struct wire_stats follows from the runs. */
	uint64_t accepted, delivered, dropped, damaged, peak_queued;
	sb_time first, retired_busy, retired_last;
};

/* ---- runs ---- */

static struct run *run_at(const struct wire *w, size_t i)
{
	return &w->runs[(w->run_head + i) % w->run_size];
}

static struct run *last_run(const struct wire *w)
{
	return w->run_count ? run_at(w, w->run_count - 1) : NULL;
}

static struct run *push_run(struct wire *w, sb_time start, uint64_t count)
{
	assert(w->run_count < w->run_size);
	struct run *r = run_at(w, w->run_count++);
	*r = (struct run){
		.start = start,
		.delay = w->config.delay,
		.bps = w->config.bps,
		.bits = w->config.bits_per_char,
		.count = count,
	};
	return r;
}

/* Whole characters only: a wire that never paused was busy exactly from first to last. */
static sb_time busy_time(const struct run *r, sb_time now)
{
	return run_last_end(r, now) - r->start;
}

static void retire_run(struct wire *w, sb_time now)
{
	const struct run *r = run_at(w, 0);
	w->retired_busy += busy_time(r, now);
	if (run_left(r, now) > 0)
		w->retired_last = run_last_end(r, now);
	w->run_head = (w->run_head + 1) % w->run_size;
	w->run_count--;
}

/* What is forgotten of a run was busy all the time, and ended where the rest starts. */
static void rebase_run(struct wire *w, struct run *r)
{
	sb_time passed = run_rebase(r);
	if (passed == 0)
		return;
	w->retired_busy += passed;
	w->retired_last = r->start;
}

static bool is_sending(const struct wire *w, sb_time now)
{
	const struct run *r = last_run(w);
	return r && now < run_end(r);
}

static uint64_t queued(const struct wire *w, sb_time now)
{
	const struct run *r = last_run(w);
	return r ? r->count - run_begun(r, now) : 0;
}

/* ---- set-up ---- */

uint32_t wire_buffer(const struct wire_config *c)
{
	if (c->buffer_time == 0 || c->bps == 0)
		return c->buffer;
	uint64_t us = (uint64_t)(c->buffer_time / SB_US);
	uint64_t characters = us * c->bps / (c->bits_per_char * UINT64_C(1000000));
	return characters > 0 ? (uint32_t)characters : 1;
}

static uint64_t flight_of(const struct wire_config *c)
{
	if (c->bps == 0)
		return WIRE_UNPACED;
	/* In microseconds the product fits, and rounding up does not matter here. */
	uint64_t us = (uint64_t)(c->delay / SB_US + 1);
	return us * c->bps / (c->bits_per_char * UINT64_C(1000000)) + 2;
}

static bool grow_runs(struct wire *w, size_t size)
{
	if (size <= w->run_size)
		return true;
	struct run *runs = calloc(size, sizeof *runs);
	if (!runs)
		return false;
	for (size_t i = 0; i < w->run_count; i++)
		runs[i] = *run_at(w, i);
	free(w->runs);
	w->runs = runs;
	w->run_size = size;
	w->run_head = 0;
	return true;
}

/* Beside what is there now; new settings may cut a run in two, hence the 2. */
static bool make_storage(struct wire *w, const struct wire_config *c)
{
	uint64_t flight = flight_of(c);
	size_t characters = flight + wire_buffer(c) + 1 + LATE_CHARACTERS;
	size_t runs = (flight < RUNS_MAX ? flight : RUNS_MAX) + 2 + LATE_RUNS;
	return ring_grow(&w->ring, characters + w->ring.held) && grow_runs(w, runs + w->run_count);
}

static void check_config(const struct wire_config *c)
{
	assert(c->bps <= WIRE_BPS_MAX);
	assert(c->bits_per_char >= 8 && c->bits_per_char <= 12);
	assert(wire_buffer(c) >= 1 && wire_buffer(c) <= WIRE_BUFFER_MAX);
	assert(c->delay >= 0 && flight_of(c) <= WIRE_FLIGHT_MAX + 2);
}

struct wire *wire_new(const struct wire_config *config, uint64_t seed)
{
	check_config(config);
	struct wire *w = calloc(1, sizeof *w);
	if (!w)
		return NULL;
	w->config = *config;
	w->noise = noise_seeded(seed);
	if (make_storage(w, config))
		return w;
	wire_free(w);
	return NULL;
}

void wire_free(struct wire *w)
{
	if (!w)
		return;
	ring_free(&w->ring);
	free(w->runs);
	free(w);
}

/* What has not begun yet sets out anew, at the end of the character on the wire. */
static void split_last_run(struct wire *w, sb_time now)
{
	struct run *r = last_run(w);
	uint64_t waiting = queued(w, now);
	if (waiting == 0)
		return;
	r->count -= waiting;
	sb_time start = run_end(r);
	if (r->count == 0) /* settings changed twice within a character */
		w->run_count--;
	push_run(w, start, waiting);
}

bool wire_configure(struct wire *w, const struct wire_config *config, sb_time now)
{
	check_config(config);
	if (!make_storage(w, config))
		return false;
	w->config = *config;

	split_last_run(w, now);
	return true;
}

/* ---- sending ---- */

static bool drops_when_full(const struct wire *w)
{
	return w->config.full == WIRE_FULL_DROPS && w->config.bps > 0;
}

/* Of the buffer. */
static size_t places(const struct wire *w, sb_time now)
{
	size_t space = ring_space(&w->ring);
	if (w->run_count == w->run_size)
		return 0;
	if (w->config.bps == 0)
		return space;
	size_t most = wire_buffer(&w->config) + (is_sending(w, now) ? 0 : 1);
	uint64_t waiting = queued(w, now);
	size_t room = waiting < most ? (size_t)(most - waiting) : 0;
	return room < space ? room : space;
}

size_t wire_room(const struct wire *w, sb_time now)
{
	if (w->config.stop)
		return 0;
	return drops_when_full(w) ? WIRE_TAKES : places(w, now);
}

sb_time wire_room_deadline(const struct wire *w, sb_time now)
{
	if (queued(w, now) == 0)
		return SB_NEVER;
	const struct run *r = last_run(w);
	return r->start + run_time(r, run_begun(r, now));
}

static bool has_settings(const struct run *r, const struct wire_config *c)
{
	return r->bps == c->bps && r->bits == c->bits_per_char && r->delay == c->delay;
}

/* The run that takes characters given now. */
static struct run *run_for_input(struct wire *w, sb_time now)
{
	struct run *r = last_run(w);
	sb_time end = r ? run_end(r) : w->retired_last;
	if (r && has_settings(r, &w->config) && (now < end || now == r->start))
		return r;
	r = push_run(w, sb_time_max(now, end), 0);
	r->after_pause = now - end >= run_time(r, 1);
	return r;
}

/* The part of it for which there are places. */
static struct bytes drop_excess(struct wire *w, sb_time now, struct bytes in)
{
	size_t room = places(w, now);
	if (in.length <= room)
		return in;
	w->accepted += in.length - room;
	w->dropped += in.length - room;
	return bytes_of(in.at, room);
}

void wire_input(struct wire *w, sb_time now, struct bytes in)
{
	assert(in.length <= wire_room(w, now));
	if (drops_when_full(w))
		in = drop_excess(w, now, in);
	if (in.length == 0)
		return;
	if (w->accepted == 0)
		w->first = now;
	run_for_input(w, now)->count += in.length;
	ring_append(&w->ring, in);
	w->accepted += in.length;
	if (queued(w, now) > w->peak_queued)
		w->peak_queued = queued(w, now);
}

/* ---- arriving ---- */

/* False: the character is lost. */
static bool survives(struct wire *w, uint8_t *c)
{
	w->in_a_row++;
	bool overrun = w->config.burst && w->in_a_row > w->config.burst;
	enum noise_effect effect = noise_apply(&w->noise, &w->config.noise, c);
	if (overrun || effect == NOISE_DROPPED) {
		w->dropped++;
		return false;
	}
	w->damaged += effect == NOISE_DAMAGED;
	return true;
}

/* Leaves the survivors of n characters; how many they are. */
static size_t suffer(struct wire *w, uint8_t *at, size_t n)
{
	if (noise_is_silent(&w->config.noise) && !w->config.burst)
		return n;
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		uint8_t c = at[i];
		if (survives(w, &c))
			at[kept++] = c;
	}
	return kept;
}

/* The first run's next n characters; how many survive. */
static size_t take(struct wire *w, struct run *r, uint8_t *at, size_t n)
{
	if (r->taken == 0 && r->after_pause) {
		w->in_a_row = 0;
		r->after_pause = false; /* also when it is re-based */
	}
	ring_take(&w->ring, at, n);
	r->taken += n;
	return suffer(w, at, n);
}

size_t wire_output(struct wire *w, sb_time now, uint8_t *at, size_t capacity)
{
	size_t length = 0;
	while (w->run_count > 0 && length < capacity) {
		struct run *r = run_at(w, 0);
		uint64_t n = run_arrived(r, now);
		if (n == 0)
			break;
		if (n > capacity - length)
			n = capacity - length;
		length += take(w, r, at + length, (size_t)n);
		if (r->taken == r->count)
			retire_run(w, now);
		else
			rebase_run(w, r);
	}
	w->delivered += length;
	return length;
}

sb_time wire_deadline(const struct wire *w)
{
	return w->run_count > 0 ? run_arrival(run_at(w, 0)) : SB_NEVER;
}

void wire_refused(struct wire *w, size_t n)
{
	assert(n <= w->delivered);
	w->delivered -= n;
	w->dropped += n;
}

void wire_cut(struct wire *w, sb_time now)
{
	w->dropped += w->ring.held;
	ring_clear(&w->ring);
	w->in_a_row = 0;
	while (w->run_count > 0)
		retire_run(w, now);
}

/* ---- what happened ---- */

struct wire_stats wire_stats(const struct wire *w, sb_time now)
{
	struct wire_stats s = {
		.accepted = w->accepted,
		.delivered = w->delivered,
		.dropped = w->dropped,
		.damaged = w->damaged,
		.queued = queued(w, now),
		.peak_queued = w->peak_queued,
		.busy = w->retired_busy,
		.first = w->first,
		.last = w->retired_last,
	};
	s.in_flight = w->ring.held - s.queued;
	for (size_t i = 0; i < w->run_count; i++) {
		const struct run *r = run_at(w, i);
		s.busy += busy_time(r, now);
		if (run_left(r, now) > 0)
			s.last = run_last_end(r, now);
	}
	return s;
}
