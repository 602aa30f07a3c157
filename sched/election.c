/* SPDX-License-Identifier: MIT */
/*
 * Elections by the rules of Linux bonding.
 *
 * The active line. The candidate is the primary if it is up, else the line with the highest prio
 * of those that are up; among equals the one that is active stays. A candidate that differs from an
 * active line which is up takes over as primary_reselect says: always; or if it is faster
 * (better); or not before the active line fails (failure). Two exceptions:
 *
 *   - with no active line there is nothing to weigh, so the candidate is it,
 *   - a primary that has just become one of the lines is taken whatever the rule.
 *
 * The aggregator of 802.3ad. Lines of one speed to one peer form one; there a switch tells by
 * LACP, here the peer says by its endpoint and name who it is. SLIP lines have nobody to ask: that
 * they lead to one peer is the user's word, so they go together, behind those that
 * have a peer. The best aggregator has the largest sum of rates of lines that are up (stable,
 * bandwidth), or the largest number of them, then the sum (count). `stable` looks for the best only
 * when none of the active one's lines is up, the others with every change.
 */
#include "sched/election.h"

/* --- the active line --- */

static bool is_up(const struct election_line lines[], unsigned i)
{
	return i < ELECTION_MAX_LINES && lines[i].exists && lines[i].up;
}

static unsigned find_primary(const struct election_line lines[])
{
	unsigned i = 0;

	while (i < ELECTION_MAX_LINES && !(is_up(lines, i) && lines[i].primary))
		i++;
	return i;
}

static unsigned find_highest_prio(const struct election_line lines[], unsigned active)
{
	unsigned best = is_up(lines, active) ? active : ELECTION_NONE;

	for (unsigned i = 0; i < ELECTION_MAX_LINES; i++) {
		if (!is_up(lines, i))
			continue;
		if (best == ELECTION_NONE || lines[i].prio > lines[best].prio)
			best = i;
	}
	return best;
}

static bool takes_over(const struct election_config *config, const struct election_line *candidate,
		       const struct election_line *active)
{
	if (candidate->primary && candidate->is_new)
		return true;
	switch (config->reselect) {
	case RESELECT_ALWAYS:
		return true;
	case RESELECT_BETTER:
		return candidate->bps > active->bps;
	case RESELECT_FAILURE:
		return false;
	}
	return false;
}

unsigned elect_active(const struct election_config *config,
		      const struct election_line lines[static ELECTION_MAX_LINES], unsigned active)
{
	unsigned candidate = find_primary(lines);

	if (candidate == ELECTION_NONE)
		candidate = find_highest_prio(lines, active);
	if (!is_up(lines, active) || candidate == active)
		return candidate;
	return takes_over(config, &lines[candidate], &lines[active]) ? candidate : active;
}

/* --- the aggregator --- */

static bool is_same(const struct aggregator *a, uint32_t bps, uint32_t peer)
{
	return a->bps == bps && a->peer == peer;
}

/* The index of this one, or count. */
static unsigned find_group(const struct aggregation *a, uint32_t bps, uint32_t peer)
{
	unsigned g = 0;

	while (g < a->count && !is_same(&a->groups[g], bps, peer))
		g++;
	return g;
}

static void add_line(struct aggregation *a, const struct election_line *line, unsigned i)
{
	unsigned g = find_group(a, line->bps, line->peer);
	uint64_t bit = (uint64_t)1 << i;

	if (g == a->count)
		a->groups[a->count++] = (struct aggregator){.bps = line->bps, .peer = line->peer};
	a->groups[g].lines |= bit;
	if (line->up)
		a->groups[g].up |= bit;
}

static uint64_t bandwidth(const struct aggregator *a)
{
	return (uint64_t)a->bps * election_count(a->up);
}

static bool is_better(const struct election_config *config, const struct aggregator *a,
		      const struct aggregator *than)
{
	unsigned lines = election_count(a->up), others = election_count(than->up);

	if (!a->peer != !than->peer)
		return a->peer;
	if (config->ad_select == AD_SELECT_COUNT && lines != others)
		return lines > others;
	return bandwidth(a) > bandwidth(than);
}

/* The active one of before, if it can still be it. */
static unsigned find_active(const struct aggregation *before, const struct aggregation *now)
{
	const struct aggregator *active;
	unsigned g;

	if (before->active >= before->count)
		return ELECTION_NONE;
	active = &before->groups[before->active];
	g = find_group(now, active->bps, active->peer);
	return g < now->count && now->groups[g].up ? g : ELECTION_NONE;
}

static unsigned find_best(const struct election_config *config, const struct aggregation *a,
			  unsigned best)
{
	for (unsigned g = 0; g < a->count; g++) {
		if (!a->groups[g].up)
			continue;
		if (best == ELECTION_NONE || is_better(config, &a->groups[g], &a->groups[best]))
			best = g;
	}
	return best;
}

void elect_aggregator(const struct election_config *config,
		      const struct election_line lines[static ELECTION_MAX_LINES],
		      const struct aggregation *before, struct aggregation *to)
{
	struct aggregation now = {0};

	for (unsigned i = 0; i < ELECTION_MAX_LINES; i++)
		if (lines[i].exists)
			add_line(&now, &lines[i], i);
	now.active = find_active(before, &now);
	if (now.active == ELECTION_NONE || config->ad_select != AD_SELECT_STABLE)
		now.active = find_best(config, &now, now.active);
	*to = now;
}

unsigned aggregator_of(const struct aggregation *a, unsigned line)
{
	for (unsigned g = 0; g < a->count; g++)
		if (a->groups[g].lines >> line & 1)
			return g;
	return ELECTION_NONE;
}

bool aggregation_has_carrier(const struct election_config *config, const struct aggregation *a)
{
	return a->active < a->count && election_count(a->groups[a->active].up) >= config->min_links;
}
