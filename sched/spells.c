/* SPDX-License-Identifier: MIT */
/*
 * Spells that go on are put together, so that the ring holds ten seconds and more, however small
 * the pieces are.
 */
#include "sched/spells.h"

#include <assert.h>

#define SPELL_TIME (50 * SB_MS)

static const struct spell *at(const struct spells *s, unsigned i)
{
	return &s->ring[(s->first + i) % SPELLS];
}

static struct spell *last(struct spells *s)
{
	return &s->ring[(s->first + s->count - 1) % SPELLS];
}

static bool goes_on(const struct spell *s, const struct spell *next)
{
	return !next->pause && next->from - s->from < SPELL_TIME;
}

void spells_add(struct spells *s, const struct spell *spell)
{
	assert(spell->begin != spell->end);
	if (s->count && goes_on(last(s), spell)) {
		last(s)->end = spell->end;
		last(s)->to = spell->to;
		return;
	}
	if (s->count == SPELLS)
		s->first = (s->first + 1) % SPELLS;
	else
		s->count++;
	*last(s) = *spell;
}

/* The spell that holds the character before the number, or the nearest to it. */
static unsigned find(const struct spells *s, uint32_t number)
{
	unsigned i = s->count - 1;

	while (i > 0 && !spells_later(number, at(s, i)->begin))
		i--;
	return i;
}

sb_time spells_time_of(const struct spells *s, uint32_t number)
{
	const struct spell *spell = at(s, find(s, number));
	double share =
		(double)(int32_t)(number - spell->begin) / (double)(spell->end - spell->begin);

	if (share <= 0)
		return spell->from;
	if (share >= 1)
		return spell->to;
	return spell->from + (sb_time)(share * (double)(spell->to - spell->from));
}

sb_time spells_pause_between(const struct spells *s, uint32_t a, uint32_t b)
{
	sb_time longest = 0;

	for (unsigned i = find(s, a) + 1; i <= find(s, b); i++)
		longest = sb_time_max(longest, at(s, i)->pause);
	return longest;
}
