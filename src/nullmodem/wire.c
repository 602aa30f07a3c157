/* SPDX-License-Identifier: MIT */
/*
 * One direction of a cable.
 *
 * Aim: characters leave at exactly bps / bits_per_char, for days, however
 * seldom and however late anybody looks.
 *
 * Nothing is stepped. Characters that leave back to back form a run: n of them
 * from an instant `start`. The k-th (from 1) has left when
 *
 *     start + ceil(k * bits * 10^9 / bps)
 *
 * nanoseconds have come, and by an instant t
 *
 *     floor((t - start) * bps / (bits * 10^9))
 *
 * have left. For integers the two are each other's inverse, so no rounding
 * adds up and "how many had left by now?" has one exact answer whenever it is
 * asked. After bps characters exactly `bits` seconds have passed: there a run
 * is re-based without loss, which keeps the products within 64 bits.
 *
 * A character given to a wire that is still sending joins the last run; given
 * to an idle one it starts a new run. So all that waits in the buffer is in the
 * last run, and earlier runs (kept for the delay) have left entirely:
 *
 *     runs:   [taken|arrived|in flight] [in flight] [in flight|wire|queued]
 *     ring:    ...characters of all runs, oldest first...
 *
 * A run remembers the rate and the delay it set out with, so that settings can
 * change while characters are under way. A wire without a rate (bps 0) is the
 * case in which a character takes no time; its runs are what came at one
 * instant.
 *
 * Cost: a division per question, a copy per character. Storage is sized by
 * wire_new and wire_configure: the buffer, what the delay keeps under way, and
 * as many runs as that could be (up to RUNS_MAX; a wire that has used them up
 * has no room until one has arrived).
 */
#include "src/nullmodem/wire.h"

#include <assert.h>
#include <stdlib.h>

enum { RUNS_MAX = 1 << 16 };

struct run {
	sb_time start;
	sb_time delay;
	uint32_t bps; /* 0: takes no time */
	uint32_t bits;
	uint64_t count;   /* characters since start */
	uint64_t taken;   /* of them, by wire_output */
	bool after_pause; /* of a character's time at least: the receiver caught up */
};

struct wire {
	struct wire_config config;
	struct noise noise;
	uint8_t *ring; /* characters; `held` of them from `head` */
	size_t ring_size, head, held;
	struct run *runs; /* a ring too */
	size_t run_size, run_head, run_count;
	uint32_t in_a_row; /* characters that arrived without a pause */
	/* Counted as it happens; the rest of struct wire_stats follows from the runs. */
	uint64_t accepted, delivered, dropped, damaged, peak_queued;
	sb_time first, retired_busy, retired_last;
};

/* ---- a run ---- */

/* The time that n characters take. */
static sb_time run_time(const struct run *r, uint64_t n)
{
	if (r->bps == 0)
		return 0;
	return (sb_time)((n * r->bits * SB_SEC + r->bps - 1) / r->bps);
}

static sb_time run_end(const struct run *r)
{
	return r->start + run_time(r, r->count);
}

/* Characters whose last bit has left by t. */
static uint64_t run_left(const struct run *r, sb_time t)
{
	if (t >= run_end(r))
		return r->count;
	if (t < r->start)
		return 0;
	return (uint64_t)(t - r->start) * r->bps / (r->bits * (uint64_t)SB_SEC);
}

static uint64_t run_begun(const struct run *r, sb_time t)
{
	uint64_t left = run_left(r, t);
	return t >= r->start && left < r->count ? left + 1 : left;
}

static sb_time run_busy(const struct run *r, sb_time now)
{
	sb_time until = sb_time_min(now, run_end(r));
	return sb_time_max(until - r->start, 0);
}

/* ---- the runs of a wire ---- */

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

static void retire_run(struct wire *w, sb_time now)
{
	const struct run *r = run_at(w, 0);
	w->retired_busy += run_busy(r, now);
	if (run_left(r, now) > 0)
		w->retired_last = r->start + run_time(r, run_left(r, now));
	w->run_head = (w->run_head + 1) % w->run_size;
	w->run_count--;
}

/* bps characters take `bits` seconds exactly: forget them. */
static void rebase_run(struct wire *w, struct run *r)
{
	while (r->bps > 0 && r->taken >= r->bps) {
		r->start += r->bits * SB_SEC;
		r->count -= r->bps;
		r->taken -= r->bps;
		w->retired_busy += r->bits * SB_SEC;
	}
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

static uint64_t flight_of(const struct wire_config *c)
{
	if (c->bps == 0)
		return WIRE_UNPACED;
	/* Microseconds: the product fits, and half a character does not matter here. */
	uint64_t us = (uint64_t)(c->delay / SB_US + 1);
	return us * c->bps / (c->bits_per_char * UINT64_C(1000000)) + 2;
}

static bool grow_ring(struct wire *w, size_t size)
{
	if (size <= w->ring_size)
		return true;
	uint8_t *ring = malloc(size);
	if (!ring)
		return false;
	for (size_t i = 0; i < w->held; i++)
		ring[i] = w->ring[(w->head + i) % w->ring_size];
	free(w->ring);
	w->ring = ring;
	w->ring_size = size;
	w->head = 0;
	return true;
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

/* A run that is cut in two by new settings takes another place: two to spare. */
static bool make_storage(struct wire *w, const struct wire_config *c)
{
	uint64_t flight = flight_of(c);
	size_t runs = (flight < RUNS_MAX ? flight : RUNS_MAX) + w->run_count + 2;
	return grow_ring(w, flight + c->buffer + 1 + w->held) && grow_runs(w, runs);
}

static void check_config(const struct wire_config *c)
{
	assert(c->bps <= WIRE_BPS_MAX);
	assert(c->bits_per_char >= 8 && c->bits_per_char <= 12);
	assert(c->buffer >= 1 && c->buffer <= WIRE_BUFFER_MAX);
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
	if (!make_storage(w, config)) {
		wire_free(w);
		return NULL;
	}
	return w;
}

void wire_free(struct wire *w)
{
	if (!w)
		return;
	free(w->ring);
	free(w->runs);
	free(w);
}

bool wire_configure(struct wire *w, const struct wire_config *config, sb_time now)
{
	check_config(config);
	if (!make_storage(w, config))
		return false;
	w->config = *config;

	/* What has not begun yet sets out anew, at the end of the character on the wire. */
	struct run *r = last_run(w);
	uint64_t waiting = queued(w, now);
	if (waiting > 0) {
		r->count -= waiting;
		push_run(w, run_end(r), waiting);
	}
	return true;
}

/* ---- sending ---- */

size_t wire_room(const struct wire *w, sb_time now)
{
	if (w->run_count == w->run_size)
		return 0;
	size_t space = w->ring_size - w->held;
	if (w->config.bps == 0)
		return space;
	size_t most = w->config.buffer + (is_sending(w, now) ? 0 : 1);
	uint64_t waiting = queued(w, now);
	size_t room = waiting < most ? (size_t)(most - waiting) : 0;
	return room < space ? room : space;
}

sb_time wire_room_deadline(const struct wire *w, sb_time now)
{
	if (queued(w, now) == 0)
		return SB_NEVER;
	const struct run *r = last_run(w);
	return r->start + run_time(r, run_begun(r, now));
}

static void ring_append(struct wire *w, struct bytes in)
{
	size_t tail = (w->head + w->held) % w->ring_size;
	size_t first = w->ring_size - tail;
	if (first > in.length)
		first = in.length;
	memcpy(w->ring + tail, in.at, first);
	memcpy(w->ring, in.at + first, in.length - first);
	w->held += in.length;
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

void wire_input(struct wire *w, sb_time now, struct bytes in)
{
	assert(in.length <= wire_room(w, now));
	if (in.length == 0)
		return;
	if (w->accepted == 0)
		w->first = now;
	run_for_input(w, now)->count += in.length;
	ring_append(w, in);
	w->accepted += in.length;
	if (queued(w, now) > w->peak_queued)
		w->peak_queued = queued(w, now);
}

/* ---- arriving ---- */

/* False: the character is lost. */
static bool receive(struct wire *w, uint8_t *c)
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

/* n characters off the ring, those that survive to `at`; how many did. */
static size_t receive_some(struct wire *w, size_t n, uint8_t *at)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		uint8_t c = w->ring[w->head];
		w->head = w->head + 1 == w->ring_size ? 0 : w->head + 1;
		if (receive(w, &c))
			at[kept++] = c;
	}
	w->held -= n;
	return kept;
}

/* The same for a perfect line. */
static size_t copy_some(struct wire *w, size_t n, uint8_t *at)
{
	size_t first = w->ring_size - w->head;
	if (first > n)
		first = n;
	memcpy(at, w->ring + w->head, first);
	memcpy(at + first, w->ring, n - first);
	w->head = (w->head + n) % w->ring_size;
	w->held -= n;
	return n;
}

static size_t take_some(struct wire *w, size_t n, uint8_t *at)
{
	bool perfect = noise_is_silent(&w->config.noise) && !w->config.burst;
	return perfect ? copy_some(w, n, at) : receive_some(w, n, at);
}

size_t wire_output(struct wire *w, sb_time now, uint8_t *at, size_t capacity)
{
	size_t length = 0;
	while (w->run_count > 0 && length < capacity) {
		struct run *r = run_at(w, 0);
		uint64_t n = run_left(r, now - r->delay) - r->taken;
		if (n == 0)
			break;
		if (n > capacity - length)
			n = capacity - length;
		if (r->taken == 0 && r->after_pause) {
			w->in_a_row = 0;
			r->after_pause = false;
		}
		length += take_some(w, (size_t)n, at + length);
		r->taken += n;
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
	if (w->run_count == 0)
		return SB_NEVER;
	const struct run *r = run_at(w, 0);
	return r->start + run_time(r, r->taken + 1) + r->delay;
}

void wire_refused(struct wire *w, size_t n)
{
	assert(n <= w->delivered);
	w->delivered -= n;
	w->dropped += n;
}

void wire_cut(struct wire *w, sb_time now)
{
	w->dropped += w->held;
	w->held = 0;
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
	s.in_flight = w->held - s.queued;
	for (size_t i = 0; i < w->run_count; i++) {
		const struct run *r = run_at(w, i);
		s.busy += run_busy(r, now);
		uint64_t left = run_left(r, now);
		if (left > 0)
			s.last = r->start + run_time(r, left);
	}
	return s;
}
