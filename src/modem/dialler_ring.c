/* SPDX-License-Identifier: MIT */
/*
 * Calls that come in: RINGs are counted until it is time to answer.
 *
 * A ring is told by the word, by the line RI, or by both; what comes by the other way within the
 * cadence of one ring is the same one. After a pause that is longer than the cadence of any
 * country the next ring is another call's. Between the first two the exchange may
 * tell who calls (NMBR=...).
 *
 * Where the modem answers by itself it says CONNECT; one that is set to say nothing (ATQ1) only
 * raises DCD, and is believed when it holds that for as long as the words would take.
 */
#include "src/modem/dialler_internal.h"

#define CADENCE        (8 * SB_SEC)
#define SAME_RING      (2 * SB_SEC)
#define CARRIER_SETTLE (2 * SB_SEC)

static void answer(struct dialler *d, sb_time now)
{
	d->spoke = false;
	d->attempt_end = d->config.dial_timeout ? now + d->config.dial_timeout : SB_NEVER;
	dialler_talk(d, now, STEP_ANSWER, d->answer);
}

static void rang(struct dialler *d, sb_time now, bool by_line)
{
	bool anew = !d->rings || now - d->rang_at > CADENCE;

	if (!anew && by_line != d->rang_by_line && now - d->rang_at < SAME_RING)
		return;
	if (anew) {
		d->rings = 0;
		d->caller[0] = '\0';
	}
	d->rings++;
	d->rang_at = now;
	d->rang_by_line = by_line;
	dialler_tell(d, &(struct dialler_event){.kind = DIALLER_RINGS, .text = d->caller});
	if (d->answer && d->config.answer_rings && d->rings >= d->config.answer_rings)
		answer(d, now);
}

/* "NMBR=5551234", "NMBR = 5551234"; P and O are for those who do not want to be known. */
static void caller_is(struct dialler *d)
{
	size_t at = strlen("NMBR"), length;

	while (at < d->line.length && (d->line.text[at] == ' ' || d->line.text[at] == '='))
		at++;
	length = d->line.length - at;
	if (length >= sizeof d->caller)
		length = sizeof d->caller - 1;
	memcpy(d->caller, d->line.text + at, length);
	d->caller[length] = '\0';
	for (size_t i = 0; i < length; i++)
		if (d->caller[i] < ' ' || d->caller[i] > '~')
			d->caller[i] = '.';
}

static void heed_line(struct dialler *d, sb_time now)
{
	if (dialler_line_begins(&d->line, "RING"))
		rang(d, now, false);
	else if (dialler_line_begins(&d->line, "NMBR"))
		caller_is(d);
	else if (dialler_line_begins(&d->line, "NO CARRIER"))
		d->rings = 0; /* the caller gave up */
	else
		connect_heed(&d->connect, dialler_line_bytes(&d->line), d->config.dte_bps);
}

/* Up to the word that is another step's. */
void dialler_ring_input(struct dialler *d, sb_time now, struct bytes *in)
{
	while (in->length && d->step == STEP_RINGS) {
		bool whole = dialler_line_take(&d->line, in->at[0]);

		*in = bytes_skip(*in, 1);
		if (whole)
			heed_line(d, now);
		else if (!d->line.ended && dialler_line_begins(&d->line, "CONNECT"))
			dialler_expect_connect_line(d, now);
	}
}

void dialler_ring_line(struct dialler *d, sb_time now)
{
	rang(d, now, true);
}

void dialler_ring_carrier(struct dialler *d, sb_time now)
{
	bool believed = d->dcd && !d->config.answer_rings;

	dialler_enter(d, STEP_RINGS, believed ? now + CARRIER_SETTLE : SB_NEVER);
}
