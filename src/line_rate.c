/* SPDX-License-Identifier: MIT */
/*
 * Where what is known of a line's rate comes from.
 *
 * The guess is what was configured, else the port's speed, or what the modem told of the call.
 *
 * The port shows what leaves it when it is full, or counts what waits in it. That is its own speed;
 * behind a modem that takes more than it sends, it says nothing of the line. SLIP lines, and
 * peers that are not of our kind, have nothing else: the clock is corrected by it
 * (sched/line_clock.h), and where a port shows nothing the guess stays.
 *
 * A peer of our kind says what it received (ppp/vendor.h). The characters that it has counted
 * are not those that were sent: there was a login, a call before, some were lost. So it is
 * told from time to time how many were sent by then, and tells in that count what has
 * come: the packet that says so is the same character at both ends. This is sched/rate.h's world.
 *
 * The clock then runs at what sched/rate.h says, which is at times a little more than is
 * known, to see whether the line takes it, or less, to drain what waits in the modem. All
 * else goes by what is known.
 */
#define _DEFAULT_SOURCE
#include "src/line_rate.h"

#include "sched/rate.h"

#include <stdlib.h>

struct line_rate {
	struct rate *engine;
	uint64_t sent_before; /* characters, when it began */
	double drained;       /* as the clock measured last */
};

bool line_rate_init(struct line *l)
{
	struct line_rate *r;

	if (!l->config.auto_rate)
		return true;
	r = calloc(1, sizeof(*r));
	if (!r)
		return false;
	l->rate = r;
	r->engine = rate_new(&(struct rate_config){
		.first_bps = l->config.bps,
		.least_bps = CONFIG_BPS_MIN,
		.most_bps = CONFIG_BPS_MAX,
		.bits_per_char = l->config.bits_per_char,
	});
	return r->engine != NULL;
}

void line_rate_free(struct line *l)
{
	if (l->rate)
		rate_free(l->rate->engine);
	free(l->rate);
	l->rate = NULL;
}

void line_rate_begin(struct line *l, sb_time now)
{
	struct line_rate *r = l->rate;

	l->counts_as_peer = false;
	if (!r)
		return;
	rate_begin(r->engine, l->carrier_bps ? l->carrier_bps : l->config.bps, now);
	r->sent_before = l->out.total;
	r->drained = 0;
}

/* --- what happens --- */

void line_rate_sent(struct line *l, size_t n, sb_time now)
{
	if (l->rate && n)
		rate_sent(l->rate->engine, now, (uint32_t)n, l->clock.busy_until);
}

void line_rate_held(struct line *l)
{
	if (l->rate)
		rate_held(l->rate->engine, l->clock.busy_until);
}

void line_rate_report(struct line *l, uint32_t characters, sb_time peer_time, sb_time now)
{
	if (!l->rate)
		return;
	rate_report(l->rate->engine, now,
		    &(struct rate_report){
			    .characters = characters - (uint32_t)l->rate->sent_before,
			    .at = peer_time,
		    });
}

/* Bytes of a hop behind the line are not what the line carries. */
static void heed_drain(struct line *l)
{
	double bps = l->clock.limit_bps > 0 ? l->clock.measured_bps : 0;

	if (bps == l->rate->drained || !l->config.layer.exact)
		return;
	l->rate->drained = bps;
	rate_drained(l->rate->engine, bps);
}

void line_rate_tick(struct line *l, sb_time now)
{
	if (!l->rate)
		return;
	heed_drain(l);
	rate_tick(l->rate->engine, now);
}

sb_time line_rate_deadline(const struct line *l)
{
	return l->rate ? rate_deadline(l->rate->engine) : SB_NEVER;
}

/* --- what follows --- */

uint32_t line_rate_bps(const struct line *l)
{
	return l->rate ? (uint32_t)(rate_known_bps(l->rate->engine) + 0.5) : 0;
}

double line_measured_bps(const struct line *l)
{
	return l->rate ? rate_known_bps(l->rate->engine) : l->clock.measured_bps;
}

uint32_t line_bps(const struct line *l)
{
	uint32_t found = line_rate_bps(l);

	if (found)
		return found;
	return l->carrier_bps ? l->carrier_bps : l->config.bps;
}

uint32_t line_rate_pace(const struct line *l)
{
	uint32_t bps = l->rate ? (uint32_t)(rate_bps(l->rate->engine) + 0.5) : line_bps(l);

	return bps ? bps : 1;
}

/* --- for the peer --- */

uint32_t line_sent_count(const struct line *l)
{
	return (uint32_t)l->out.total;
}

/* Characters in all, up to where the packet ends that was received last. */
static uint32_t read_count(const struct line *l)
{
	return (uint32_t)(l->in.total - l->unread.length);
}

void line_peer_sent(struct line *l, uint32_t characters)
{
	l->counts_as_peer = true;
	l->peer_ahead = characters - read_count(l);
}

bool line_received_count(const struct line *l, uint32_t *characters)
{
	*characters = (uint32_t)l->in.total + l->peer_ahead;
	return l->counts_as_peer;
}
