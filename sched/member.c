/* SPDX-License-Identifier: MIT */
/*
 * What a line can promise is reckoned from its clock: the frame in progress, then
 * each slot in turn, all of it stretched by what is known to come between: sparse
 * packets, which go ahead of slots, and our own lateness, which leaves the wire dry
 * for moments. Both are averages; what they get wrong is made good when a slot
 * starts (stripe.c).
 */
#include "sched/member.h"

#include <assert.h>
#include <math.h>

enum { PATIENCE_SHARE = 2 };      /* one part in this many of a line's time is for waiting */
#define LATE_MEMORY   (15 / 16.0) /* per frame */
#define SPARSE_MEMORY (2 * SB_SEC)
#define SPARSE_LEAST  SB_SEC /* of it seen, before a rate is spoken of */

void member_up(struct member *m, const struct stripe_line *line, size_t mtu, sb_time now)
{
	m->up = true;
	m->line = *line;
	m->unsent = 0;
	m->flight = (struct flight){.arrives = now};
	m->late = m->sent = 0;
	m->crowding = 1;
	m->free_at = now;
	m->sparse_sum = 0;
	m->sparse_since = m->sparse_at = now;
	m->patience = line_clock_time(line->clock, mtu);
	m->patience_at = now;
	m->first = m->count = 0;
}

struct slot *member_push(struct member *m)
{
	assert(!member_full(m));
	return member_slot(m, m->count++);
}

struct slot member_shift(struct member *m)
{
	struct slot first = *member_slot(m, 0);

	assert(m->count > 0);
	m->first = (m->first + 1) % MEMBER_SLOTS;
	m->count--;
	return first;
}

double stripe_line_rate(const struct stripe_line *l)
{
	return l->clock->bps / l->clock->bits_per_char;
}

double member_rate(const struct member *m)
{
	return stripe_line_rate(&m->line);
}

uint32_t stripe_line_length(const struct stripe_line *l, struct packet *p)
{
	if (p->measured_by != l->encoded_length || p->measured_for != l->coding) {
		p->measured_by = l->encoded_length;
		p->measured_for = l->coding;
		p->characters = (uint32_t)l->encoded_length(l->coding, packet_bytes(p));
	}
	return p->characters;
}

uint32_t member_length(const struct member *m, struct packet *p)
{
	return stripe_line_length(&m->line, p);
}

/*
 * The sparse characters per second: a decaying sum over SPARSE_MEMORY, divided by
 * how much of that time the sum has seen, so that a beginning counts at once.
 */
static double sparse_rate(const struct member *m, sb_time now)
{
	double memory = (double)SPARSE_MEMORY;
	double sum = m->sparse_sum * exp(-(double)(now - m->sparse_at) / memory);
	double seen = 1 - exp(-(double)sb_time_max(now - m->sparse_since, SPARSE_LEAST) / memory);

	return sum / (seen * memory / (double)SB_SEC);
}

/* The first long ones after a quiet time are the beginning of a bulk flow: not of a rate. */
void member_sparse(struct member *m, size_t mtu, size_t characters, sb_time now)
{
	sb_time quiet = now - m->sparse_at;

	if (quiet > 2 * SPARSE_MEMORY) {
		m->sparse_sum = 0;
		m->sparse_since = now;
	}
	m->sparse_sum *= exp(-(double)quiet / (double)SPARSE_MEMORY);
	m->sparse_at = now;
	if (characters < mtu / 2 || now - m->sparse_since > SPARSE_LEAST)
		m->sparse_sum += (double)characters;
}

/*
 * The part by which frames take longer than their characters: the wire runs dry for
 * a moment when we are woken late, again and again, and over a slow line's frame
 * that adds up.
 */
static double lateness(const struct member *m)
{
	return m->sent > 0 ? fmin(m->late / m->sent, 0.1) : 0;
}

static void note_lateness(struct member *m, sb_time now)
{
	const struct flight *f = &m->flight;
	sb_time ended = member_next_start(m, now) + m->line.delay;

	if (f->planned <= f->starts || line_clock_ahead(m->line.clock, now) == 0)
		return; /* none yet, or it is not known when it ended */
	m->late = m->late * LATE_MEMORY + (double)sb_time_max(ended - f->planned, 0);
	m->sent = m->sent * LATE_MEMORY + (double)(f->planned - m->line.delay - f->starts);
}

void member_start(struct member *m, const struct packet *p, sb_time arrives, sb_time now)
{
	note_lateness(m, now);
	m->flight = (struct flight){
		.flow = p->flow,
		.order = p->order,
		.starts = member_next_start(m, now),
		.arrives = arrives,
		.planned = arrives,
	};
}

double member_crowding(const struct member *m, sb_time now)
{
	double sparse = sparse_rate(m, now) / member_rate(m);

	return (1 + lateness(m)) / (1 - fmin(sparse, 0.9));
}

sb_time member_crowded(sb_time duration, double crowding)
{
	return (sb_time)((double)duration * crowding);
}

sb_time member_next_start(const struct member *m, sb_time now)
{
	return now + line_clock_ahead(m->line.clock, now) +
	       line_clock_time(m->line.clock, m->unsent);
}

void member_survey(struct member *m, sb_time now)
{
	sb_time t = member_next_start(m, now);

	if (t > now) /* the frame may be later than it was thought to be when it started */
		m->flight.arrives = t + m->line.delay;
	m->crowding = member_crowding(m, now);
	t = now + member_crowded(t - now, m->crowding);
	for (uint32_t i = 0; i < m->count; i++) {
		struct slot *slot = member_slot(m, i);
		sb_time takes = line_clock_time(m->line.clock, slot->characters);

		t = sb_time_max(t, slot->not_before) + member_crowded(takes, m->crowding);
		slot->arrives = t + m->line.delay;
	}
	m->free_at = t;
}

sb_time member_passage(const struct member *m, size_t characters)
{
	return m->line.delay +
	       member_crowded(line_clock_time(m->line.clock, characters), m->crowding);
}

sb_time member_patience(const struct member *m, size_t mtu, sb_time now)
{
	return sb_time_min(m->patience + (now - m->patience_at) / PATIENCE_SHARE,
			   line_clock_time(m->line.clock, mtu));
}

void member_spend(struct member *m, size_t mtu, sb_time wait, sb_time now)
{
	m->patience = member_patience(m, mtu, now) - wait;
	m->patience_at = now;
}
