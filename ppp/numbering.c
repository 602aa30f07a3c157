/* SPDX-License-Identifier: MIT */
/*
 * The peer may begin to number anew, having been restarted. RFC 1990 section 4.1 has
 * it begin at 0 on a new bundle. But it may have a new bundle while we have the old
 * one, since its links come to us one by one.
 *
 * A fragment that is far ahead, or behind, is dropped: a wrong number from a damaged
 * frame must not move the window. If it is behind but after the last of its own link, it is
 * merely late. Else it is a *surprise*, and if that is number 0 and begins a packet and is the
 * first of its link, or if surprises follow one another, near together and with nothing
 * else between them, then the peer numbers anew. Before anything has come,
 * whatever comes begins the numbers.
 *
 * Should a wrong number have been believed, all that is right will be late. So when
 * nothing has come for `most_deaf` but what had to be dropped, that is the truth.
 */
#include "ppp/numbering.h"

enum {
	NUMBERS_LONG = 1 << 24,
	NUMBERS_SHORT = 1 << 12,
	FAR = 1 << 15, /* places; what a peer may send while all links are out for a minute */
	NEAR = 256,    /* places from one surprise to the next that goes on from it */
	ENOUGH = 4,    /* of them in a row */
};
/* So that nothing lies before the first place there is. A multiple of both numbers. */
static const uint64_t PLACE_OF_ZERO = UINT64_C(1) << 32;

void numbering_init(struct numbering *n, bool is_short, sb_time most_deaf)
{
	*n = (struct numbering){
		.numbers = is_short ? NUMBERS_SHORT : NUMBERS_LONG,
		.most_deaf = most_deaf,
	};
}

uint32_t numbering_far(const struct numbering *n)
{
	return n->numbers / 2 < FAR ? n->numbers / 2 : FAR;
}

uint64_t numbering_first_place(uint32_t sequence)
{
	return PLACE_OF_ZERO + sequence;
}

uint64_t numbering_place(const struct numbering *n, uint64_t next, uint32_t sequence)
{
	uint32_t ahead = (sequence - (uint32_t)next) & (n->numbers - 1);

	return next + ahead - (ahead < n->numbers / 2 ? 0 : n->numbers);
}

bool numbering_is_expected(const struct numbering *n, uint64_t next, uint64_t place)
{
	return place >= next && place - next < numbering_far(n);
}

void numbering_expected(struct numbering *n)
{
	n->begun = true;
	n->surprises = 0;
	n->dropped = 0;
}

/* Counts those that go on from one another. The same again is none: a frame came twice. */
static void count_surprise(struct numbering *n, uint32_t sequence)
{
	uint32_t apart = (sequence - n->last_surprise + NEAR) & (n->numbers - 1);

	if (n->surprises == 0 || apart > 2 * NEAR)
		n->surprises = 1;
	else if (sequence != n->last_surprise && n->surprises < ENOUGH)
		n->surprises++;
	n->last_surprise = sequence;
}

static bool is_deaf(struct numbering *n, sb_time now)
{
	if (n->dropped == 0)
		n->deaf_since = now;
	if (n->dropped < ENOUGH)
		n->dropped++;
	return n->dropped == ENOUGH && now - n->deaf_since >= n->most_deaf;
}

bool numbering_is_new(struct numbering *n, const struct mp_header *header, bool is_first,
		      bool is_late, sb_time now)
{
	bool deaf = is_deaf(n, now);

	if (is_late) {
		n->surprises = 0;
		return deaf;
	}
	if (!n->begun || (is_first && header->begin && header->sequence == 0))
		return true;
	count_surprise(n, header->sequence);
	return deaf || n->surprises == ENOUGH;
}

void numbering_restart(struct numbering *n)
{
	n->begun = false;
	n->surprises = 0;
	n->dropped = 0;
}
