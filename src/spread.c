/* SPDX-License-Identifier: MIT */
#include "src/spread.h"

#include <stdlib.h>

bool spread_init(struct spread *s, const struct spread_config *c)
{
	*s = (struct spread){
		.pool = c->pool,
		.whole = stripe_new(&(struct stripe_config){
			.pool = c->pool,
			.queue = c->queue,
			.mtu = c->mtu,
		}),
		.numbered = multilink_new(&(struct multilink_config){
			.pool = c->pool,
			.queue = c->queue,
			.mtu = c->mtu,
			.max_fragment_delay = c->max_fragment_delay,
		}),
	};
	return s->whole && s->numbered;
}

void spread_free(struct spread *s)
{
	stripe_free(s->whole);
	multilink_free(s->numbered);
	*s = (struct spread){0};
}

/* --- which one --- */

static bool all_take_fragments(const struct spread *s)
{
	unsigned up = 0, able = 0;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		up += s->lines[i].up;
		able += s->lines[i].up && s->lines[i].takes_fragments;
	}
	return up > 0 && able == up;
}

static void tell_unsent(struct spread *s, unsigned i)
{
	if (s->in_fragments)
		multilink_line_unsent(s->numbered, i, s->lines[i].unsent);
	else
		stripe_line_unsent(s->whole, i, s->lines[i].unsent);
}

static void tell_up(struct spread *s, unsigned i, sb_time now)
{
	if (s->in_fragments)
		multilink_line_up(s->numbered, i, &s->lines[i].line, now);
	else
		stripe_line_up(s->whole, i, &s->lines[i].line, now);
	tell_unsent(s, i);
}

static void tell_down(struct spread *s, unsigned i)
{
	if (s->in_fragments)
		multilink_line_down(s->numbered, i);
	else
		stripe_line_down(s->whole, i);
}

/* What was out of the queue, the last one first. */
static struct packet *surrender_all(struct spread *s)
{
	struct packet *reversed = NULL, *p;

	while ((p = s->in_fragments ? multilink_surrender(s->numbered)
				    : stripe_surrender(s->whole))) {
		p->next = reversed;
		reversed = p;
	}
	return reversed;
}

static void adopt(struct spread *s, struct packet *p)
{
	if (s->in_fragments)
		multilink_adopt(s->numbered, p);
	else
		stripe_adopt(s->whole, p);
}

static void change_over(struct spread *s, sb_time now)
{
	struct packet *p, *next;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		if (s->lines[i].up)
			tell_down(s, i);
	p = surrender_all(s);
	s->in_fragments = !s->in_fragments;
	for (; p; p = next) {
		next = p->next;
		adopt(s, p);
	}
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		if (s->lines[i].up)
			tell_up(s, i, now);
}

/* With no line up nothing changes: who comes first decides. */
static void choose(struct spread *s, sb_time now, bool any_up)
{
	if (any_up && all_take_fragments(s) != s->in_fragments)
		change_over(s, now);
}

void spread_line_up(struct spread *s, unsigned i, const struct stripe_line *line,
		    bool takes_fragments, sb_time now)
{
	s->lines[i] = (struct spread_line){
		.up = true,
		.takes_fragments = takes_fragments,
		.line = *line,
	};
	tell_up(s, i, now);
	choose(s, now, true);
}

void spread_line_down(struct spread *s, unsigned i, sb_time now)
{
	tell_down(s, i);
	s->lines[i].up = false;
	choose(s, now, spread_rate(s) > 0);
}

void spread_restart(struct spread *s)
{
	multilink_restart(s->numbered);
}

void spread_set_heartbeat(struct spread *s, sb_time heartbeat)
{
	multilink_set_heartbeat(s->numbered, heartbeat);
}

/* --- the one in use --- */

void spread_line_unsent(struct spread *s, unsigned i, size_t characters)
{
	s->lines[i].unsent = characters;
	tell_unsent(s, i);
}

bool spread_parting(struct spread *s, struct piece *piece)
{
	return s->in_fragments && multilink_parting(s->numbered, piece);
}

bool spread_pull(struct spread *s, unsigned i, sb_time now, struct piece *piece)
{
	struct packet *p;

	if (s->in_fragments)
		return multilink_pull(s->numbered, i, now, piece);
	p = stripe_pull(s->whole, i, now);
	if (p)
		*piece = (struct piece){.packet = p, .length = p->length, .plain = true};
	return p != NULL;
}

/* It may have been sent when the other one was in use, whose order means nothing here. */
void spread_return(struct spread *s, struct packet *p)
{
	adopt(s, p);
}

void spread_heard(struct spread *s, sb_time now)
{
	if (s->in_fragments)
		multilink_heard(s->numbered, now);
}

sb_time spread_deadline(const struct spread *s, unsigned i)
{
	return s->in_fragments ? multilink_deadline(s->numbered, i) : stripe_deadline(s->whole, i);
}

uint32_t spread_expire(struct spread *s, sb_time before)
{
	return s->in_fragments ? multilink_expire(s->numbered, before)
			       : stripe_expire(s->whole, before);
}

sb_time spread_oldest(const struct spread *s)
{
	return s->in_fragments ? multilink_oldest(s->numbered) : stripe_oldest(s->whole);
}

double spread_rate(const struct spread *s)
{
	return s->in_fragments ? multilink_rate(s->numbered) : stripe_rate(s->whole);
}

uint32_t spread_bound_bytes(const struct spread *s)
{
	return s->in_fragments ? multilink_bound_bytes(s->numbered) : stripe_bound_bytes(s->whole);
}

uint32_t spread_bound_packets(const struct spread *s)
{
	return s->in_fragments ? multilink_bound_packets(s->numbered)
			       : stripe_bound_packets(s->whole);
}
