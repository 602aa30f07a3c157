/* SPDX-License-Identifier: MIT */
/*
 * When to try again.
 *
 * Terms. F: the first delay of the reason; C: its cap; n: failures in a row, counted in rounds
 * where there are several numbers; the delay is
 *
 *	min(F * 2^(n - 1), C) * (1 +- jitter)
 *
 * F and C are parts of what the user gave (redial, redial-longest), by what the reason
 * tells. Busy will pass by itself, and does not get better by waiting long. A peer that refuses
 * will go on so, and counts the attempts: it has a counter of its own, which a carrier
 * that comes and goes in between does not reset.
 *
 * A call that was lost says little about the next one. When it had lasted (SOLID) nothing was
 * wrong with it: again at once. Else after a short while, always the same, so that a line which
 * drops every ten seconds is back each time; but one that does not even last SHORT is a
 * failure as others are, and doubles: a carrier that comes and drops within a second, again
 * and again, must not keep the telephone exchange busy.
 *
 * Jitter is for our own delays; a hold-off is as long as the user said.
 *
 * Who waits for calls is ready at once, for the next caller may be another one; only a modem that
 * does not answer is asked less and less often.
 */
#include "src/modem/dialler_internal.h"

#define SHORT  (5 * SB_SEC)
#define LET_IN (60 * SB_SEC) /* no peer that refuses takes so long to */
#define SOLID  (10 * 60 * SB_SEC)

enum { DOUBLINGS_MOST = 16 };

static const struct {
	double first, cap; /* of redial, of redial-longest */
} backoffs[DIALLER_REASONS] = {
	[DIALLER_FINE] = {1, 1},       [DIALLER_BUSY] = {1, 0.2},
	[DIALLER_NO_CARRIER] = {1, 1}, [DIALLER_NO_DIALTONE] = {2, 1},
	[DIALLER_NO_ANSWER] = {2, 1},  [DIALLER_TIMEOUT] = {1, 1},
	[DIALLER_ABORTED] = {2, 1},    [DIALLER_NO_MODEM] = {1, 0.2},
	[DIALLER_LOST] = {0.2, 0.2},   [DIALLER_REFUSED] = {6, 1},
	[DIALLER_IDLE_LIMIT] = {0, 1}, [DIALLER_TIME_LIMIT] = {0, 1},
};

static bool is_limit(enum dialler_reason reason)
{
	return reason == DIALLER_IDLE_LIMIT || reason == DIALLER_TIME_LIMIT;
}

static sb_time with_jitter(struct dialler *d, double delay)
{
	double u = (double)d->config.random(d->config.random_context) / (double)UINT32_MAX;

	return (sb_time)(delay * (1 + d->config.jitter * (2 * u - 1)));
}

static sb_time delay_of(struct dialler *d, enum dialler_reason reason, unsigned failures)
{
	double delay = backoffs[reason].first * (double)d->config.redial;
	double cap = backoffs[reason].cap * (double)d->config.redial_longest;
	unsigned rounds =
		failures ? (failures - 1) / (d->config.scripts ? d->config.scripts : 1) : 0;
	double doubled;

	if (rounds > DOUBLINGS_MOST)
		rounds = DOUBLINGS_MOST;
	doubled = delay * (double)(1u << rounds);
	if (cap < delay)
		cap = delay; /* redial-longest is no shorter than the first delay */
	return with_jitter(d, doubled < cap ? doubled : cap);
}

/* A call that was one: what failed before is forgotten. */
static void succeeded(struct dialler *d)
{
	d->failures = d->refusals = 0;
}

static void next_number(struct dialler *d)
{
	if (d->config.scripts)
		d->turn = (d->turn + 1) % d->config.scripts;
}

/* After so many attempts in a row there is a pause, and then all begins anew. */
static sb_time failed(struct dialler *d, enum dialler_reason reason, unsigned *count)
{
	sb_time delay;

	++*count;
	next_number(d);
	delay = delay_of(d, reason, *count);
	if (!d->config.attempts || *count < d->config.attempts)
		return delay;
	*count = 0;
	return sb_time_max(d->config.hold_off ? d->config.hold_off : d->config.redial_longest,
			   delay);
}

static sb_time lost(struct dialler *d, sb_time lasted)
{
	if (lasted < SHORT)
		return failed(d, DIALLER_LOST, &d->failures);
	d->failures = 0;
	if (lasted >= LET_IN)
		succeeded(d);
	return lasted >= SOLID ? 0 : delay_of(d, DIALLER_LOST, 0);
}

static sb_time after_call(struct dialler *d, enum dialler_reason reason, sb_time lasted)
{
	if (reason == DIALLER_LOST)
		return lost(d, lasted);
	if (reason == DIALLER_REFUSED)
		return failed(d, reason, &d->refusals);
	if (is_limit(reason) || reason == DIALLER_FINE) {
		succeeded(d);
		return sb_time_max(d->config.hold_off, delay_of(d, reason, 0));
	}
	return failed(d, reason, &d->failures);
}

sb_time dialler_again(struct dialler *d, enum dialler_reason reason, sb_time lasted)
{
	sb_time delay = after_call(d, reason, lasted);

	if (d->config.scripts || reason == DIALLER_NO_MODEM)
		return delay;
	succeeded(d);
	return 0;
}
