/* SPDX-License-Identifier: MIT */
/*
 * The peer may begin to number anew, having been restarted. RFC 1990 section 4.1 has
 * it begin at 0 on a new bundle. But it may have a new bundle while we have the old
 * one, since its links come to us one by one.
 *
 * A fragment is a *surprise* when it is far ahead, or when it is behind but not after
 * the last of its own link (behind and after it, it is late, no more). It is dropped: a
 * wrong number from a damaged frame must not move the window. But if it is number 0
 * and begins a packet and is the first of its link, or if surprises follow one another,
 * near together and with nothing else between them, then the peer numbers anew. Before
 * anything has come, whatever comes begins the numbers.
 */
#include "ppp/numbering.h"

enum {
	NUMBERS_LONG = 1 << 24,
	NUMBERS_SHORT = 1 << 12,
	SURPRISES = 4, /* in a row: the peer numbers anew */
};
/* So that nothing lies before the first place there is. A multiple of both of the above. */
static const uint64_t PLACE_OF_ZERO = UINT64_C(1) << 32;

void numbering_init(struct numbering *n, bool is_short, uint32_t window)
{
	*n = (struct numbering){
		.numbers = is_short ? NUMBERS_SHORT : NUMBERS_LONG,
		.window = window,
	};
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

bool numbering_is_surprise(const struct numbering *n, uint64_t next, uint64_t last, uint64_t place)
{
	if (place < next)
		return place <= last;
	return place - next >= 2 * (uint64_t)n->window;
}

/* Counts those that go on from one another. The same again is none: a frame came twice. */
static void count_surprise(struct numbering *n, uint32_t sequence)
{
	uint32_t apart = (sequence - n->last_surprise + n->window) & (n->numbers - 1);

	if (n->surprises == 0 || apart > 2 * n->window)
		n->surprises = 1;
	else if (sequence != n->last_surprise && n->surprises < SURPRISES)
		n->surprises++;
	n->last_surprise = sequence;
}

bool numbering_is_new(struct numbering *n, const struct mp_header *header, bool first_of_link)
{
	if (!n->begun || (first_of_link && header->begin && header->sequence == 0))
		return true;
	count_surprise(n, header->sequence);
	return n->surprises == SURPRISES;
}

void numbering_expected(struct numbering *n)
{
	n->begun = true;
	n->surprises = 0;
}

void numbering_restart(struct numbering *n)
{
	n->begun = false;
	n->surprises = 0;
}
