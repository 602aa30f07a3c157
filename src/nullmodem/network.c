/* SPDX-License-Identifier: MIT */
/*
 * The cables, run together: whoever has input is served at once; what is due by
 * time is done for all cables in one go. Such goes are at least a millisecond
 * apart, and further (up to batch_max: half of what a 64-character buffer holds
 * at 115200) when one takes long, so that many cables do not eat the processor
 * that their users need.
 */
#include "src/nullmodem/network.h"

#include <stdio.h>
#include <string.h>

static const sb_time batch_min = SB_MS;
static const sb_time batch_max = 5 * SB_MS / 2;
enum { BATCH_COSTS = 5 }; /* a go may take a fifth of the time */

static bool add_cable(struct network *n, const struct cable_spec *spec, uint64_t seed, char *text,
		      size_t text_size)
{
	struct cable_host host = {n->loop, n->presence, &n->book, seed};
	struct cable *c = cable_new(spec, &host);
	if (!c) {
		snprintf(text, text_size, "%s: out of memory", spec->name);
		return false;
	}
	n->cables[n->count++] = c;
	char why[200];
	if (cable_plug(c, 0, why, sizeof why))
		return true;
	snprintf(text, text_size, "%s: %s", spec->name, why);
	return false;
}

bool network_open(struct network *n, const struct options *o, char *text, size_t text_size)
{
	*n = (struct network){.loop = loop_new(), .book = o->book, .batch = batch_min};
	if (!n->loop) {
		snprintf(text, text_size, "no event loop");
		return false;
	}
	n->presence = presence_new(n->loop);
	for (unsigned i = 0; i < o->cable_count; i++)
		if (!add_cable(n, &o->cables[i], o->seed * OPTIONS_MAX_CABLES + i, text, text_size))
			return false;
	loop_restart(n->loop);
	return true;
}

void network_close(struct network *n)
{
	for (unsigned i = 0; i < n->count; i++)
		cable_free(n->cables[i]);
	n->count = 0;
	presence_free(n->presence);
	loop_free(n->loop);
}

struct cable *network_find(struct network *n, const char *name)
{
	for (unsigned i = 0; i < n->count; i++)
		if (strcmp(cable_spec(n->cables[i])->name, name) == 0)
			return n->cables[i];
	return NULL;
}

/* Since last_due, not now: what fell between them is due still. */
static sb_time next_wake(const struct network *n, sb_time now)
{
	sb_time next = SB_NEVER;
	for (unsigned i = 0; i < n->count; i++) {
		if (cable_is_dirty(n->cables[i]))
			return now;
		next = sb_time_min(next, cable_deadline(n->cables[i], n->last_due));
	}
	return sb_time_max(next, n->last_due + n->batch);
}

static void run_cables(struct network *n, sb_time now)
{
	bool time_up = now >= n->last_due + n->batch;
	bool any_due = false;
	for (unsigned i = 0; i < n->count; i++) {
		struct cable *c = n->cables[i];
		sb_time deadline = cable_deadline(c, n->last_due);
		bool due = time_up && deadline <= now;
		if (due || cable_is_dirty(c))
			cable_run(c, now, due);
		any_due |= due;
	}
	if (!any_due)
		return;
	sb_time cost = loop_read_clock(n->loop) - now;
	n->batch = sb_time_max(batch_min, sb_time_min(batch_max, BATCH_COSTS * cost));
	n->last_due = now;
}

bool network_run(struct network *n, sb_time end)
{
	while (!n->stopping) {
		sb_time now = loop_now(n->loop);
		if (now >= end)
			return true;
		sb_time wake = next_wake(n, now);
		if (!loop_wait(n->loop, sb_time_min(wake, end)))
			return false;
		now = loop_now(n->loop);
		if (wake < now && now - wake > n->late_max)
			n->late_max = now - wake;
		run_cables(n, now);
	}
	return true;
}
