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
		.policy = policy_new(&(struct policy_config){
			.pool = c->pool,
			.queue = c->queue,
			.mtu = c->mtu,
			.random = c->random,
			.random_context = c->random_context,
		}),
		.mode = {.mode = MODE_EARLIEST},
	};
	return s->whole && s->numbered && s->policy;
}

void spread_free(struct spread *s)
{
	stripe_free(s->whole);
	multilink_free(s->numbered);
	policy_free(s->policy);
	*s = (struct spread){0};
}

/* --- which one --- */

static bool any_up(const struct spread *s)
{
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		if (s->lines[i].up)
			return true;
	return false;
}

static bool all_take_fragments(const struct spread *s)
{
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		if (s->lines[i].up && !s->lines[i].takes_fragments)
			return false;
	return true;
}

/* With no line up `earliest` is what it was: who comes first decides. */
static enum spread_engine wanted(const struct spread *s)
{
	if (s->mode.mode != MODE_EARLIEST)
		return SPREAD_POLICY;
	if (!any_up(s))
		return s->engine == SPREAD_NUMBERED ? SPREAD_NUMBERED : SPREAD_WHOLE;
	return all_take_fragments(s) ? SPREAD_NUMBERED : SPREAD_WHOLE;
}

static void tell_unsent(struct spread *s, unsigned i)
{
	switch (s->engine) {
	case SPREAD_WHOLE:
		stripe_line_unsent(s->whole, i, s->lines[i].unsent);
		break;
	case SPREAD_NUMBERED:
		multilink_line_unsent(s->numbered, i, s->lines[i].unsent);
		break;
	case SPREAD_POLICY:
		policy_line_unsent(s->policy, i, s->lines[i].unsent);
		break;
	}
}

static void tell_up(struct spread *s, unsigned i, sb_time now)
{
	const struct spread_line *l = &s->lines[i];

	switch (s->engine) {
	case SPREAD_WHOLE:
		stripe_line_up(s->whole, i, &l->line, now);
		break;
	case SPREAD_NUMBERED:
		multilink_line_up(s->numbered, i, &l->line, now);
		break;
	case SPREAD_POLICY:
		policy_line_up(s->policy, i, &l->line, l->takes_fragments, now);
		break;
	}
	tell_unsent(s, i);
}

static void tell_down(struct spread *s, unsigned i)
{
	switch (s->engine) {
	case SPREAD_WHOLE:
		stripe_line_down(s->whole, i);
		break;
	case SPREAD_NUMBERED:
		multilink_line_down(s->numbered, i);
		break;
	case SPREAD_POLICY:
		policy_line_down(s->policy, i);
		break;
	}
}

static struct packet *surrender(struct spread *s)
{
	switch (s->engine) {
	case SPREAD_WHOLE:
		return stripe_surrender(s->whole);
	case SPREAD_NUMBERED:
		return multilink_surrender(s->numbered);
	case SPREAD_POLICY:
		break;
	}
	return policy_surrender(s->policy);
}

/* What was out of the queue, the last one first. */
static struct packet *surrender_all(struct spread *s)
{
	struct packet *reversed = NULL, *p;

	while ((p = surrender(s))) {
		p->next = reversed;
		reversed = p;
	}
	return reversed;
}

static void adopt(struct spread *s, struct packet *p)
{
	switch (s->engine) {
	case SPREAD_WHOLE:
		stripe_adopt(s->whole, p);
		break;
	case SPREAD_NUMBERED:
		multilink_adopt(s->numbered, p);
		break;
	case SPREAD_POLICY:
		policy_adopt(s->policy, p);
		break;
	}
}

/* The one that had the numbers last tells the other. */
static void hand_over_numbers(struct spread *s)
{
	if (s->engine == SPREAD_NUMBERED)
		policy_set_sequence(s->policy, multilink_sequence(s->numbered));
	else if (s->engine == SPREAD_POLICY)
		multilink_set_sequence(s->numbered, policy_sequence(s->policy));
}

static void change_over(struct spread *s, enum spread_engine to, sb_time now)
{
	struct packet *p, *next;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		if (s->lines[i].up)
			tell_down(s, i);
	p = surrender_all(s);
	hand_over_numbers(s);
	s->engine = to;
	s->engine_since = now;
	for (; p; p = next) {
		next = p->next;
		adopt(s, p);
	}
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		if (s->lines[i].up)
			tell_up(s, i, now);
}

static void choose(struct spread *s, sb_time now)
{
	enum spread_engine to = wanted(s);

	if (to != s->engine)
		change_over(s, to, now);
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
	choose(s, now);
}

void spread_line_down(struct spread *s, unsigned i, sb_time now)
{
	tell_down(s, i);
	s->lines[i].up = false;
	choose(s, now);
}

static bool same_mode(const struct mode_config *a, const struct mode_config *b)
{
	return a->mode == b->mode && a->hash == b->hash &&
	       a->packets_per_line == b->packets_per_line && a->tlb_dynamic_lb == b->tlb_dynamic_lb;
}

void spread_set_mode(struct spread *s, const struct mode_config *mode, sb_time now)
{
	if (same_mode(&s->mode, mode))
		return;
	s->mode = *mode;
	if (mode->mode != MODE_EARLIEST)
		policy_set_mode(s->policy, mode);
	choose(s, now);
}

void spread_set_active(struct spread *s, uint64_t lines)
{
	policy_set_active(s->policy, lines);
}

void spread_set_shares(struct spread *s, const uint32_t shares[STRIPE_MAX_LINES])
{
	policy_set_shares(s->policy, shares);
}

struct policy_counters spread_counters(const struct spread *s)
{
	return policy_counters(s->policy);
}

void spread_restart(struct spread *s)
{
	multilink_restart(s->numbered);
	policy_set_sequence(s->policy, 0);
}

void spread_set_heartbeat(struct spread *s, sb_time heartbeat)
{
	s->heartbeat = heartbeat;
	multilink_set_heartbeat(s->numbered, heartbeat);
}

/* --- the one in use --- */

void spread_line_unsent(struct spread *s, unsigned i, size_t characters)
{
	s->lines[i].unsent = characters;
	tell_unsent(s, i);
}

/* With the next number of those that all lines have; not where nobody expects it. */
bool spread_parting(struct spread *s, unsigned i, struct piece *piece)
{
	uint32_t sequence = policy_sequence(s->policy);

	if (s->engine == SPREAD_NUMBERED)
		return multilink_parting(s->numbered, piece);
	if (s->engine == SPREAD_WHOLE || !s->lines[i].takes_fragments || !s->heartbeat)
		return false;
	*piece = (struct piece){.begin = true, .end = true, .sequence = sequence};
	policy_set_sequence(s->policy, sequence + 1);
	return true;
}

static bool pull_whole(struct stripe *whole, unsigned i, sb_time now, struct piece *piece)
{
	struct packet *p = stripe_pull(whole, i, now);

	if (p)
		*piece = (struct piece){.packet = p, .length = p->length, .plain = true};
	return p != NULL;
}

bool spread_pull(struct spread *s, unsigned i, sb_time now, struct piece *piece)
{
	switch (s->engine) {
	case SPREAD_WHOLE:
		return pull_whole(s->whole, i, now, piece);
	case SPREAD_NUMBERED:
		return multilink_pull(s->numbered, i, now, piece);
	case SPREAD_POLICY:
		break;
	}
	return policy_pull(s->policy, i, now, piece);
}

bool spread_has_piece(const struct spread *s, unsigned i)
{
	switch (s->engine) {
	case SPREAD_WHOLE:
		return false;
	case SPREAD_NUMBERED:
		return multilink_deadline(s->numbered, i) == 0;
	case SPREAD_POLICY:
		break;
	}
	return policy_has_piece(s->policy, i);
}

/*
 * It may have been sent when another one was in use, whose order means nothing here. The policy
 * knows what other lines carry of what it sent itself.
 */
void spread_return(struct spread *s, struct packet *p)
{
	if (s->engine == SPREAD_POLICY && p->arrived >= s->engine_since)
		policy_return(s->policy, p);
	else
		adopt(s, p);
}

void spread_heard(struct spread *s, sb_time now)
{
	if (s->engine == SPREAD_NUMBERED)
		multilink_heard(s->numbered, now);
}

sb_time spread_deadline(const struct spread *s, unsigned i)
{
	switch (s->engine) {
	case SPREAD_WHOLE:
		return stripe_deadline(s->whole, i);
	case SPREAD_NUMBERED:
		return multilink_deadline(s->numbered, i);
	case SPREAD_POLICY:
		break;
	}
	return policy_deadline(s->policy, i);
}

uint32_t spread_expire(struct spread *s, sb_time before)
{
	switch (s->engine) {
	case SPREAD_WHOLE:
		return stripe_expire(s->whole, before);
	case SPREAD_NUMBERED:
		return multilink_expire(s->numbered, before);
	case SPREAD_POLICY:
		break;
	}
	return policy_expire(s->policy, before);
}

sb_time spread_oldest(const struct spread *s)
{
	switch (s->engine) {
	case SPREAD_WHOLE:
		return stripe_oldest(s->whole);
	case SPREAD_NUMBERED:
		return multilink_oldest(s->numbered);
	case SPREAD_POLICY:
		break;
	}
	return policy_oldest(s->policy);
}

double spread_rate(const struct spread *s)
{
	switch (s->engine) {
	case SPREAD_WHOLE:
		return stripe_rate(s->whole);
	case SPREAD_NUMBERED:
		return multilink_rate(s->numbered);
	case SPREAD_POLICY:
		break;
	}
	return policy_rate(s->policy);
}

uint32_t spread_bound_bytes(const struct spread *s)
{
	switch (s->engine) {
	case SPREAD_WHOLE:
		return stripe_bound_bytes(s->whole);
	case SPREAD_NUMBERED:
		return multilink_bound_bytes(s->numbered);
	case SPREAD_POLICY:
		break;
	}
	return policy_bound_bytes(s->policy);
}

uint32_t spread_bound_packets(const struct spread *s)
{
	switch (s->engine) {
	case SPREAD_WHOLE:
		return stripe_bound_packets(s->whole);
	case SPREAD_NUMBERED:
		return multilink_bound_packets(s->numbered);
	case SPREAD_POLICY:
		break;
	}
	return policy_bound_packets(s->policy);
}
