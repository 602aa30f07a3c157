/* SPDX-License-Identifier: MIT */
/*
 * How the clock is corrected.
 *
 * Would-block is the strongest fact: the port is full, so the characters taken
 * between two such moments are those that left the wire meanwhile. That gives
 * the rate without knowing how deep the port is. It stands as long as the port
 * was never found dry in between.
 *
 * TIOCOUTQ gives the same without filling the port: what was waiting, plus what
 * was handed over, less what waits now, has left. It also bounds the clock from
 * below. It does not bound it from above: behind a port that is faster than the
 * carrier, the driver is empty while the modem still sends.
 */
#include "sched/line_clock.h"

#include <assert.h>

enum {
	LEAD_CHARS = 64,
	SAMPLE_CHARS = 256, /* shorter measurements are noise */
};
#define LEAD_TIME   (3 * SB_MS)
#define SAMPLE_TIME SB_SEC
#define PATIENCE    SB_SEC /* without a sign of being too fast, before a step up */

static const double slower = 0.97;    /* a measurement below this share of bps replaces it */
static const double step_up = 1.0625; /* once a second of a busy line */
static const double smoothing = 0.5;  /* weight of the newest measurement */

void line_clock_init(struct line_clock *c, uint32_t bps, uint32_t bits_per_char, sb_time now)
{
	assert(bps > 0 && bits_per_char >= 8 && bits_per_char <= 12);
	*c = (struct line_clock){
		.given_bps = bps,
		.bits_per_char = bits_per_char,
		.bps = bps,
		.busy_until = now,
		.blocked_since = SB_NEVER,
		.slow_until = now,
		.sample_start = SB_NEVER,
	};
}

/* The lesser of what was given and what was found. */
static double rate_now(const struct line_clock *c)
{
	return c->limit_bps > 0 && c->limit_bps < c->given_bps ? c->limit_bps : c->given_bps;
}

void line_clock_lead_to(struct line_clock *c, uint32_t bps)
{
	assert(bps > 0);
	c->given_bps = bps;
	c->bps = rate_now(c);
}

void line_clock_set_bps(struct line_clock *c, uint32_t bps, sb_time now)
{
	double ahead = (double)sb_time_max(c->busy_until - now, 0) * c->bps;

	c->limit_bps = 0;
	line_clock_lead_to(c, bps);
	if (c->busy_until > now)
		c->busy_until = now + (sb_time)(ahead / bps);
	c->measured_bps = 0;
	c->slow_until = now;
	c->sample_start = SB_NEVER;
}

sb_time line_clock_time(const struct line_clock *c, size_t n)
{
	return (sb_time)((double)n * c->bits_per_char * (double)SB_SEC / c->bps);
}

sb_time line_clock_ahead(const struct line_clock *c, sb_time now)
{
	sb_time blocked = c->blocked_since == SB_NEVER ? 0 : now - c->blocked_since;

	return sb_time_max(c->busy_until + 2 * blocked - now, 0);
}

sb_time line_clock_lead(const struct line_clock *c)
{
	return sb_time_max(line_clock_time(c, LEAD_CHARS), LEAD_TIME);
}

size_t line_clock_room(const struct line_clock *c, sb_time now)
{
	sb_time left = line_clock_lead(c) - line_clock_ahead(c, now);

	if (c->blocked_since != SB_NEVER || left <= 0)
		return 0;
	/* Half a character of slack, so that a lead of 64 characters has room for 64. */
	return (size_t)((double)left * c->bps / ((double)SB_SEC * c->bits_per_char) + 0.5);
}

sb_time line_clock_wake(const struct line_clock *c)
{
	return c->busy_until - line_clock_lead(c) / 2;
}

static void sample_begin(struct line_clock *c, sb_time now)
{
	c->sample_start = now;
	c->sample_chars = 0;
	c->sample_outq = c->outq;
}

/* The line was busy from sample_start to now: what left it in that time is its rate. */
static void sample_end(struct line_clock *c, sb_time now)
{
	sb_time length = now - c->sample_start;
	uint64_t given = c->sample_chars + c->sample_outq;
	uint64_t drained = given - c->outq;
	double bps;

	if (c->outq > given) { /* others write to the port too: nothing can be told */
		sample_begin(c, now);
		return;
	}
	if (length < SAMPLE_TIME || drained < SAMPLE_CHARS)
		return;
	bps = (double)drained * c->bits_per_char * (double)SB_SEC / (double)length;
	if (c->measured_bps > 0)
		bps = smoothing * bps + (1 - smoothing) * c->measured_bps;
	c->measured_bps = bps;
	if (bps < slower * c->bps) {
		c->bps = c->limit_bps = bps;
		c->slow_until = now + PATIENCE;
	}
	sample_begin(c, now);
}

static void sample_here(struct line_clock *c, sb_time now)
{
	if (c->sample_start == SB_NEVER)
		sample_begin(c, now);
	else
		sample_end(c, now);
}

/* A busy line that shows no sign of being driven too fast may be faster again. */
static void climb(struct line_clock *c, sb_time now)
{
	if (c->limit_bps == 0 || now < c->slow_until)
		return;
	c->limit_bps *= step_up;
	if (c->limit_bps >= c->given_bps)
		c->limit_bps = 0;
	c->bps = rate_now(c);
	c->slow_until = now + PATIENCE;
}

void line_clock_sent(struct line_clock *c, sb_time now, size_t n)
{
	bool dry = c->busy_until < now;

	if (dry) {
		c->sample_start = SB_NEVER;
		c->slow_until = sb_time_max(c->slow_until, now + PATIENCE);
	} else {
		climb(c, now);
	}
	c->busy_until = sb_time_max(c->busy_until, now) + line_clock_time(c, n);
	c->sample_chars += n;
}

void line_clock_blocked(struct line_clock *c, sb_time now)
{
	if (c->blocked_since != SB_NEVER)
		return;
	sample_here(c, now);
	c->slow_until = now + PATIENCE;
	c->blocked_since = now;
	c->busy_until = sb_time_max(c->busy_until, now + line_clock_lead(c));
}

void line_clock_writable(struct line_clock *c, sb_time now)
{
	if (c->blocked_since == SB_NEVER)
		return;
	/* How much room there is, the port does not say: half the lead is a fair guess. */
	c->blocked_since = SB_NEVER;
	c->busy_until = now + line_clock_lead(c) / 2;
}

void line_clock_outq(struct line_clock *c, sb_time now, uint32_t n)
{
	c->outq = n;
	if (c->blocked_since == SB_NEVER)
		c->busy_until = sb_time_max(c->busy_until, now + line_clock_time(c, n));
	if (n > 0)
		sample_here(c, now);
	else
		c->sample_start = SB_NEVER;
}
