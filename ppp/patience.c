/* SPDX-License-Identifier: MIT */
#include "ppp/patience.h"

enum {
	ENOUGH = 64,      /* holes filled, before they are taken for all there is to know */
	FORGETTING = 256, /* holes filled: so slowly a long one is forgotten */
};
static const sb_time LATENESS = 20 * SB_MS; /* of timers, besides what is measured */

sb_time patience_limit(const struct patience *p)
{
	sb_time limit = p->spread + p->spread / 2 + LATENESS;

	if (p->filled < ENOUGH)
		limit = sb_time_max(limit, p->most / 2);
	return sb_time_min(sb_time_max(limit, p->least), p->most);
}

void patience_filled(struct patience *p, sb_time lasted)
{
	p->spread = sb_time_max(p->spread - p->spread / FORGETTING, lasted);
	if (p->filled < ENOUGH)
		p->filled++;
}

void patience_ran_out(struct patience *p, uint64_t place, sb_time missed_at)
{
	if (place != p->given_up.to) {
		p->given_up.from = place;
		p->given_up.missed_at = missed_at;
	}
	p->given_up.to = place + 1;
}

/* The limit was too short. */
void patience_came_late(struct patience *p, uint64_t place, sb_time now)
{
	if (place < p->given_up.from || place >= p->given_up.to)
		return;
	patience_filled(p, sb_time_min(now - p->given_up.missed_at, p->most));
	patience_forget_place(p);
}

void patience_forget_place(struct patience *p)
{
	p->given_up.from = p->given_up.to = 0;
}
