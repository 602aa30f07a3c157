/* SPDX-License-Identifier: MIT */
/*
 * What a link measures of itself is observed once each: what quality reports say of losses on
 * the way out, and the round trips of echoes. Both go on while it is parked. One that
 * measures neither (SLIP) is never parked; nor is the last that is of use, which may be bad, but is
 * better than none.
 */
#define _DEFAULT_SOURCE
#include "src/bundle_park.h"

#include "src/bundle_state.h"
#include "src/text.h"

#include <stdio.h>

void bundle_park_begin(struct bundle *b, unsigned i, sb_time now)
{
	struct encap_counters c;

	b->lines[i]->encap->kind->count(b->lines[i]->encap, &c);
	park_init(&b->park.lines[i], &b->config->park, now);
	b->park.reports[i] = c.reports;
	b->park.round_trips[i] = c.rtt.count;
	b->park.said[i] = false;
}

static bool is_good(const struct bundle *b, unsigned i)
{
	return b->lines[i] && b->lines[i]->state == LINE_UP && !b->retired[i] &&
	       !b->park.lines[i].parked;
}

bool bundle_park_holds(const struct bundle *b, unsigned i)
{
	if (!b->park.lines[i].parked)
		return false;
	for (unsigned k = 0; k < CONFIG_MAX_LINES; k++)
		if (is_good(b, k))
			return true;
	return false;
}

static void observe(struct bundle *b, unsigned i, sb_time now)
{
	struct encap_counters c;
	double loss = -1;
	sb_time rtt = 0;

	b->lines[i]->encap->kind->count(b->lines[i]->encap, &c);
	if (c.reports != b->park.reports[i])
		loss = c.loss_out;
	if (c.rtt.count != b->park.round_trips[i])
		rtt = c.rtt.last;
	b->park.reports[i] = c.reports;
	b->park.round_trips[i] = c.rtt.count;
	park_observe(&b->park.lines[i], loss, rtt, now);
	park_tick(&b->park.lines[i], now);
}

/* Of loss and round trip what is known, which is at least one. */
static void say_parked(struct bundle *b, unsigned i)
{
	const struct park *p = &b->park.lines[i];
	bool both = p->loss >= 0 && p->rtt > 0;
	char patience[TEXT_UNIT_SIZE], time[TEXT_UNIT_SIZE], loss[64] = "", rtt[64] = "";

	if (p->loss >= 0)
		snprintf(loss, sizeof(loss), "%.0f %% of what is sent is lost", 100 * p->loss);
	if (p->rtt > 0)
		snprintf(rtt, sizeof(rtt), "a round trip takes %s", text_time(time, p->rtt));
	log_say(b->log, LOG_WARN, "%s: parked: %s%s%s; used again when it has been good for %s",
		b->lines[i]->config.name, loss, both ? ", " : "", rtt,
		text_time(patience, p->patience));
}

/* One line each way. */
static void say(struct bundle *b, unsigned i)
{
	bool parked = b->park.lines[i].parked;

	if (parked == b->park.said[i])
		return;
	b->park.said[i] = parked;
	if (parked)
		say_parked(b, i);
	else
		log_say(b->log, LOG_INFO, "%s: good again, no longer parked",
			b->lines[i]->config.name);
}

void bundle_park_run(struct bundle *b, sb_time now)
{
	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++) {
		if (!b->lines[i])
			continue;
		observe(b, i, now);
		say(b, i);
	}
}

sb_time bundle_park_deadline(const struct bundle *b)
{
	sb_time due = SB_NEVER;

	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++)
		if (b->lines[i])
			due = sb_time_min(due, park_deadline(&b->park.lines[i]));
	return due;
}

bool bundle_is_parked(const struct bundle *b, unsigned i)
{
	return b->lines[i] && b->lines[i]->state == LINE_UP && bundle_park_holds(b, i);
}
