/* SPDX-License-Identifier: MIT */
#include "ppp/heard.h"

#include <assert.h>

static struct heard_link *link_of(struct heard *h, unsigned link)
{
	assert(link < MP_MAX_LINKS);
	return &h->links[link];
}

static void join(struct heard_link *l, uint64_t place, sb_time now)
{
	l->silent = l->heard = false;
	l->last = place;
	l->joined_at = now;
}

void heard_up(struct heard *h, unsigned link, uint64_t place, sb_time now)
{
	struct heard_link *l = link_of(h, link);

	if (link >= h->joined)
		h->joined = link + 1;
	l->up = true;
	join(l, place, now);
}

void heard_down(struct heard *h, unsigned link)
{
	link_of(h, link)->up = false;
}

void heard_silent(struct heard *h, unsigned link)
{
	link_of(h, link)->silent = true;
}

void heard_restart(struct heard *h, uint64_t place, sb_time now)
{
	for (unsigned i = 0; i < h->joined; i++)
		join(&h->links[i], place, now);
}

void heard_place(struct heard *h, unsigned link, uint64_t place)
{
	struct heard_link *l = link_of(h, link);

	l->heard = true;
	l->silent = false;
	if (l->last < place)
		l->last = place;
}

bool heard_is_up_any(const struct heard *h)
{
	for (unsigned i = 0; i < h->joined; i++)
		if (h->links[i].up)
			return true;
	return false;
}

static bool counts(const struct heard *h, const struct heard_link *l, sb_time now)
{
	return l->up && !l->silent && (l->heard || now - l->joined_at < h->most_wait);
}

uint64_t heard_least(const struct heard *h, uint64_t most, sb_time now)
{
	uint64_t least = most;

	for (unsigned i = 0; i < h->joined; i++)
		if (h->links[i].last < least && counts(h, &h->links[i], now))
			least = h->links[i].last;
	return least;
}
