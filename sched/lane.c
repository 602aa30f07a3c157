/* SPDX-License-Identifier: MIT */
/*
 * Lengths. A packet's encoded length is that of a plain frame, with whatever
 * escapes its bytes need. A piece has its part of those characters, reckoned as if
 * they were spread evenly, and its own frame and header. They are estimates; the
 * clock puts right what they get wrong as characters are handed over.
 */
#include "sched/lane.h"

#include "sched/cut.h"
#include "sched/member.h"

#include <assert.h>
#include <math.h>

enum { MP_AND_PROTOCOL = 4 + 2 }; /* bytes in the information field before the data (RFC 1990) */

void lane_up(struct lane *l, const struct stripe_line *line, sb_time max_fragment_delay,
	     sb_time now)
{
	assert(!line->mru || line->mru >= MP_AND_PROTOCOL + CUT_LEAST);
	l->up = true;
	l->line = *line;
	l->bulk = false;
	l->unsent = 0;
	l->max_fragment_delay = max_fragment_delay;
	l->live_until = now;
	l->quiet_from = now;
	l->again = SB_NEVER;
	l->first = l->count = 0;
}

/* --- what is bound --- */

static uint32_t divided(uint32_t a, uint32_t b)
{
	return (a + b - 1) / b;
}

uint32_t lane_push(struct lane *l, const struct span *span, uint32_t most)
{
	struct span *bound;
	uint32_t pieces;

	assert(!lane_full(l) && span->length > 0 && most > 0);
	pieces = divided(span->length, most);
	bound = lane_span(l, l->count++);
	*bound = *span;
	bound->chunk = divided(span->length, pieces);
	return pieces;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

void lane_shift(struct lane *l, struct piece *piece)
{
	struct span *s = lane_span(l, 0);
	uint32_t length = least(s->length, s->chunk);

	assert(l->count > 0);
	*piece = (struct piece){
		.packet = s->packet,
		.offset = s->offset,
		.length = length,
		.begin = s->offset == 0,
		.end = s->offset + length == s->packet->length,
		.sequence = s->sequence++,
	};
	s->offset += length;
	s->length -= length;
	if (s->length) {
		packet_hold(s->packet);
		return;
	}
	l->first = (l->first + 1) % LANE_SPANS;
	l->count--;
}

struct span lane_take(struct lane *l, uint32_t i)
{
	struct span taken;

	assert(i < l->count);
	taken = *lane_span(l, i);
	for (l->count--; i < l->count; i++)
		*lane_span(l, i) = *lane_span(l, i + 1);
	return taken;
}

bool lane_remove(struct lane *l, const struct packet *p)
{
	uint32_t kept = 0, count = l->count;

	for (uint32_t i = 0; i < count; i++)
		if (lane_packet(l, i) != p)
			*lane_span(l, kept++) = *lane_span(l, i);
	l->count = kept;
	return kept < count;
}

bool lane_has(const struct lane *l, const struct packet *p)
{
	for (uint32_t i = 0; i < l->count; i++)
		if (lane_packet(l, i) == p)
			return true;
	return false;
}

uint32_t lane_bytes(const struct lane *l)
{
	uint32_t bytes = 0;

	for (uint32_t i = 0; i < l->count; i++)
		bytes += lane_peek(l, i)->length;
	return bytes;
}

/* --- lengths and times --- */

double lane_rate(const struct lane *l)
{
	return stripe_line_rate(&l->line);
}

sb_time lane_plain_time(const struct lane *l, struct packet *p)
{
	return line_clock_time(l->line.clock, stripe_line_length(&l->line, p));
}

/* Characters per byte of the packet: 1 and what the escapes add. */
static double density(const struct lane *l, struct packet *p)
{
	double data = (double)stripe_line_length(&l->line, p) - l->line.fragment_overhead;

	return fmax(data / p->length, 1);
}

static sb_time time_of(const struct lane *l, double characters)
{
	return (sb_time)(characters / lane_rate(l) * (double)SB_SEC);
}

sb_time lane_overhead_time(const struct lane *l)
{
	return time_of(l, l->line.fragment_overhead);
}

sb_time lane_piece_time(const struct lane *l, struct packet *p, uint32_t bytes)
{
	return time_of(l, bytes * density(l, p) + l->line.fragment_overhead);
}

double lane_byte_rate(const struct lane *l, struct packet *p, uint32_t chunk)
{
	double characters = density(l, p);

	if (chunk < p->length)
		characters += (double)l->line.fragment_overhead / chunk;
	return lane_rate(l) / characters;
}

static uint32_t bytes_within(const struct lane *l, struct packet *p, sb_time duration)
{
	double characters = (double)duration / (double)SB_SEC * lane_rate(l);
	double bytes = (characters - l->line.fragment_overhead) / density(l, p);

	return bytes > CUT_LEAST ? (uint32_t)bytes : CUT_LEAST;
}

uint32_t lane_chunk(const struct lane *l, struct packet *p, sb_time now)
{
	uint32_t chunk = p->length;

	if (l->line.mru)
		chunk = least(chunk, l->line.mru - MP_AND_PROTOCOL);
	if (l->max_fragment_delay && lane_is_live(l, now))
		chunk = least(chunk, bytes_within(l, p, l->max_fragment_delay));
	return chunk;
}

sb_time lane_next_start(const struct lane *l, sb_time now)
{
	return now + line_clock_ahead(l->line.clock, now) +
	       line_clock_time(l->line.clock, l->unsent);
}

static sb_time span_time(const struct lane *l, const struct span *s)
{
	return (sb_time)(s->length / lane_byte_rate(l, s->packet, s->chunk) * (double)SB_SEC) +
	       lane_overhead_time(l);
}

sb_time lane_free_at(const struct lane *l, sb_time now)
{
	sb_time at = lane_next_start(l, now);

	for (uint32_t i = 0; i < l->count; i++)
		at += span_time(l, lane_peek(l, i));
	return at;
}

sb_time lane_numbered_until(const struct lane *l, sb_time now)
{
	sb_time left = l->quiet_from;

	if (l->count)
		left = lane_free_at(l, now);
	else if (l->unsent) /* by now it may be later than it was thought to be */
		left = sb_time_max(left, lane_next_start(l, now));
	return left + l->line.delay;
}
