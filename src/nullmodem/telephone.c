/* SPDX-License-Identifier: MIT */
/* The telephone line: a phase, who called, and what comes next when. */
#include "src/nullmodem/telephone.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_MAX = 16 };

struct telephone {
	const struct telephone_config *config;
	const struct phone_book *book;
	struct noise noise;
	enum telephone_phase phase;
	unsigned caller;
	sb_time answer_at, ring_at; /* RINGING; answer_at: by a server */
	sb_time carrier_at;         /* TRAINING */
	sb_time drop_at;            /* THROUGH */
	bool is_server[2], listens[2];
	struct telephone_stats stats;
	struct telephone_event events[EVENTS_MAX];
	unsigned event_count;
};

struct telephone *telephone_new(const struct telephone_config *config,
				const struct phone_book *book, uint64_t seed)
{
	struct telephone *t = calloc(1, sizeof *t);
	if (!t)
		return NULL;
	t->config = config;
	t->book = book;
	t->noise = noise_seeded(seed);
	return t;
}

void telephone_free(struct telephone *t)
{
	free(t);
}

/* ---- events ---- */

static void tell(struct telephone *t, unsigned side, int kind)
{
	assert(t->event_count < EVENTS_MAX);
	t->events[t->event_count++] = (struct telephone_event){.side = side, .kind = kind};
}

static void tell_both(struct telephone *t, int kind)
{
	tell(t, 0, kind);
	tell(t, 1, kind);
}

bool telephone_event(struct telephone *t, struct telephone_event *e)
{
	if (t->event_count == 0)
		return false;
	*e = t->events[0];
	t->event_count--;
	memmove(t->events, t->events + 1, t->event_count * sizeof *e);
	return true;
}

/* ---- calls ---- */

void telephone_set_server(struct telephone *t, unsigned side, bool is_server, bool listens)
{
	t->is_server[side] = is_server;
	t->listens[side] = listens;
}

static void ring(struct telephone *t, sb_time now)
{
	tell(t, !t->caller, TELEPHONE_RINGS);
	tell(t, t->caller, TELEPHONE_RINGBACK);
	t->ring_at = now + t->config->ring_every;
}

static bool reaches(const struct telephone *t, unsigned side, const char *number)
{
	const char *own = t->config->number[side];
	return own[0] == '\0' || strcmp(own, number) == 0;
}

static void call(struct telephone *t, sb_time now, unsigned side)
{
	if (t->phase != TELEPHONE_IDLE) {
		tell(t, side, TELEPHONE_BUSY);
		return;
	}
	t->phase = TELEPHONE_RINGING;
	t->caller = side;
	t->answer_at = t->is_server[!side] ? now + t->config->answers_after : SB_NEVER;
	ring(t, now);
}

void telephone_dial(struct telephone *t, sb_time now, unsigned side, const char *number)
{
	t->stats.dialled++;
	switch (phone_book_find(t->book, number)) {
	case PHONE_ANSWERS:
		if (reaches(t, !side, number))
			call(t, now, side);
		break;
	case PHONE_BUSY:
		tell(t, side, TELEPHONE_BUSY);
		break;
	case PHONE_NO_ANSWER:
		tell(t, side, TELEPHONE_RINGBACK);
		break;
	case PHONE_NO_CARRIER:
		break;
	case PHONE_NO_DIALTONE:
		tell(t, side, TELEPHONE_NO_TONE);
		break;
	}
}

void telephone_answer(struct telephone *t, sb_time now, unsigned side)
{
	if (t->phase != TELEPHONE_RINGING || side == t->caller)
		return;
	t->phase = TELEPHONE_TRAINING;
	t->carrier_at = now + t->config->train;
}

/* Only who is in the call can end it: a modem that was told BUSY hangs up too. */
static bool takes_part(const struct telephone *t, unsigned side)
{
	return t->phase > TELEPHONE_RINGING || (t->phase == TELEPHONE_RINGING && side == t->caller);
}

void telephone_hang_up(struct telephone *t, sb_time now, unsigned side)
{
	(void)now;
	if (!takes_part(t, side))
		return;
	t->phase = TELEPHONE_IDLE;
	tell(t, !side, TELEPHONE_SILENCE);
}

void telephone_drop(struct telephone *t, sb_time now)
{
	(void)now;
	if (t->phase < TELEPHONE_TRAINING)
		return;
	t->phase = TELEPHONE_IDLE;
	t->stats.dropped++;
	tell_both(t, TELEPHONE_SILENCE);
}

/* When a call that begins now is to lose its carrier. */
static sb_time drop_time(struct telephone *t, sb_time now)
{
	sb_time time = t->config->drop_time;
	switch (t->config->drops) {
	case TELEPHONE_KEEPS:
		break;
	case TELEPHONE_DROPS_AFTER:
		return now + time;
	case TELEPHONE_DROPS_EVERY:
		return (now / time + 1) * time;
	case TELEPHONE_DROPS_RANDOM:
		return now + (sb_time)(-log1p(-noise_uniform(&t->noise)) * (double)time);
	}
	return SB_NEVER;
}

static void connect(struct telephone *t, sb_time now)
{
	t->phase = TELEPHONE_THROUGH;
	t->stats.connected++;
	t->drop_at = drop_time(t, now);
	tell_both(t, TELEPHONE_CARRIER);
}

/* ---- answers ---- */

enum telephone_phase telephone_phase(const struct telephone *t)
{
	return t->phase;
}

const char *telephone_phase_text(enum telephone_phase phase)
{
	static const char *const texts[TELEPHONE_PHASES] = {"idle", "ringing", "training",
							    "through"};
	return texts[phase];
}

struct telephone_stats telephone_stats(const struct telephone *t)
{
	return t->stats;
}

/* ---- time ---- */

/* A server whose user comes late answers at the next ring. */
static void tick_ringing(struct telephone *t, sb_time now)
{
	if (now >= t->answer_at && t->listens[!t->caller])
		telephone_answer(t, now, !t->caller);
	else if (now >= t->ring_at)
		ring(t, now);
}

void telephone_tick(struct telephone *t, sb_time now)
{
	if (t->phase == TELEPHONE_RINGING)
		tick_ringing(t, now);
	if (t->phase == TELEPHONE_TRAINING && now >= t->carrier_at)
		connect(t, now);
	if (t->phase == TELEPHONE_THROUGH && now >= t->drop_at)
		telephone_drop(t, now);
}

sb_time telephone_deadline(const struct telephone *t)
{
	switch (t->phase) {
	case TELEPHONE_RINGING:
		return t->listens[!t->caller] ? sb_time_min(t->answer_at, t->ring_at) : t->ring_at;
	case TELEPHONE_TRAINING:
		return t->carrier_at;
	case TELEPHONE_THROUGH:
		return t->drop_at;
	default:
		return SB_NEVER;
	}
}
