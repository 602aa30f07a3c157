/* SPDX-License-Identifier: MIT */
/* What happens to a stripe: lines come and go, packets come back, and wait in vain. */
#include "sched/stripe_state.h"

#include <assert.h>

/* --- lines that come and go --- */

void stripe_line_up(struct stripe *s, unsigned line, const struct stripe_line *l, sb_time now)
{
	assert(line < STRIPE_MAX_LINES && !s->members[line].up);
	member_up(&s->members[line], l, s->config.mtu, now);
}

/* What went over the line has arrived, or never will: no measure for the others. */
static void forget_arrivals(struct stripe *s, unsigned line)
{
	for (uint32_t i = 0; i < s->flows; i++) {
		if (s->started[i].line == line)
			s->started[i].line = NO_LINE;
		s->latest[i] = s->started[i];
	}
}

static void returned_insert(struct stripe *s, struct packet *p)
{
	struct packet **at = &s->returned;

	while (*at && packet_order_before((*at)->order, p->order))
		at = &(*at)->next;
	p->next = *at;
	*at = p;
}

/* All lines' slots: what was bound to one goes before what is bound to the others. */
static void unbind(struct stripe *s)
{
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		while (s->members[i].count)
			returned_insert(s, member_shift(&s->members[i]).packet);
}

void stripe_line_down(struct stripe *s, unsigned line)
{
	assert(line < STRIPE_MAX_LINES && s->members[line].up);
	unbind(s);
	s->members[line].up = false;
	forget_arrivals(s, line);
}

void stripe_line_unsent(struct stripe *s, unsigned line, size_t characters)
{
	s->members[line].unsent = characters;
}

/* Pieces of it may have gone over several lines, by multilink: each of them may bring it back. */
static bool is_back(const struct stripe *s, const struct packet *p)
{
	const struct packet *r = s->returned;

	while (r && r != p)
		r = r->next;
	return r;
}

void stripe_return(struct stripe *s, struct packet *p)
{
	if (is_back(s, p)) {
		packet_put(s->config.pool, p);
		return;
	}
	stripe_count_in(s, p);
	p->next = s->returned;
	s->returned = p;
}

struct packet *stripe_surrender(struct stripe *s)
{
	struct packet *p;

	unbind(s);
	if (!s->returned && !s->head)
		return NULL;
	p = stripe_take_next(s);
	stripe_count_out(s, p);
	return p;
}

void stripe_adopt(struct stripe *s, struct packet *p)
{
	if (!is_back(s, p))
		p->order = (s->returned ? s->returned->order : s->order) - 1;
	stripe_return(s, p);
}

static void drop(struct stripe *s, struct packet *p)
{
	stripe_count_out(s, p);
	packet_put(s->config.pool, p);
}

uint32_t stripe_expire(struct stripe *s, sb_time before)
{
	struct packet **at = &s->returned;
	uint32_t dropped = 0;

	while (*at) {
		struct packet *p = *at;

		if (p->arrived >= before) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		drop(s, p);
		dropped++;
	}
	if (s->head && s->head->arrived < before) {
		drop(s, s->head);
		s->head = NULL;
		dropped++;
	}
	return dropped;
}

sb_time stripe_oldest(const struct stripe *s)
{
	sb_time oldest = s->head ? s->head->arrived : SB_NEVER;

	for (const struct packet *p = s->returned; p; p = p->next)
		oldest = sb_time_min(oldest, p->arrived);
	return oldest;
}

uint32_t stripe_bound_bytes(const struct stripe *s)
{
	return s->bound_bytes;
}

uint32_t stripe_bound_packets(const struct stripe *s)
{
	return s->bound_packets;
}
