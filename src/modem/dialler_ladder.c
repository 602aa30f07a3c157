/* SPDX-License-Identifier: MIT */
/*
 * Hanging up, by whatever works, and in bounded time whatever happens.
 *
 *   DTR low for half a second, where there is DTR --- DCD is off, or not known ---------> on the
 * hook |  DCD stays on for two seconds: it does not heed DTR (&D0)
 *    v
 *   silence for the guard time, +++, silence --- OK, NO CARRIER, or nothing --> ATH --> on the hook
 *
 * Whether the modem took what it was sent for commands, or for data, is not known until it says
 * OK. So no answer is no reason to believe that it takes none: the next rung is
 * tried. One that said by itself that there is no call takes commands for sure, and
 * ATH is enough.
 *
 * The guard time (V.250's S12) runs from the last character that the modem got, so what waits to
 * be sent has to be thrown away by the owner, and what the port still holds must leave
 * first.
 */
#include "src/modem/dialler_internal.h"

#define DTR_LOW       (500 * SB_MS)
#define DTR_LOW_MOST  (2 * SB_SEC)
#define GUARD_TIME    (1100 * SB_MS) /* S12 is 50 fiftieths of a second, and our clock is not its */
#define ESCAPE_ANSWER (GUARD_TIME + 1500 * SB_MS)
#define ATH_ANSWER    (2 * SB_SEC)
#define OK_MAY_FOLLOW (300 * SB_MS)

static void guard(struct dialler *d, sb_time now)
{
	dialler_enter(d, STEP_GUARD, sb_time_max(d->quiet_at, now) + GUARD_TIME);
}

static void send_ath(struct dialler *d, sb_time now, enum dialler_step step)
{
	d->send = "ATH\r";
	d->line = (struct dialler_line){.ended = true};
	dialler_enter(d, step, now + ATH_ANSWER);
}

static void set_dtr(struct dialler *d, bool on)
{
	dialler_tell(d, &(struct dialler_event){.kind = DIALLER_DTR, .on = on});
}

void dialler_ladder_begin(struct dialler *d, sb_time now)
{
	d->lasted = d->state == DIALLER_ONLINE ? now - d->online_at : 0;
	d->state = DIALLER_HANGING_UP;
	d->chat = NULL;
	d->send = NULL;
	d->attempt_end = SB_NEVER;
	d->dtr_low_at = now;
	if (d->has_dtr) {
		set_dtr(d, false);
		dialler_enter(d, STEP_DTR, now + DTR_LOW);
	} else if (d->takes_commands) {
		send_ath(d, now, STEP_ATH_FIRST);
	} else {
		guard(d, now);
	}
}

static bool is_on_the_hook(const struct dialler *d, sb_time now)
{
	return now - d->dtr_low_at >= DTR_LOW && !(d->dcd_known && d->dcd);
}

void dialler_ladder_modem_lines(struct dialler *d, sb_time now)
{
	if (d->step == STEP_DTR && is_on_the_hook(d, now))
		dialler_is_idle(d, now);
}

static void dtr_was_low(struct dialler *d, sb_time now)
{
	if (is_on_the_hook(d, now)) {
		dialler_is_idle(d, now);
	} else if (now - d->dtr_low_at < DTR_LOW_MOST) {
		dialler_enter(d, STEP_DTR, d->dtr_low_at + DTR_LOW_MOST);
	} else {
		set_dtr(d, true);
		guard(d, now);
	}
}

/* Result codes are words, or numbers after V0. */
static bool line_is(const struct dialler *d, const char *word, const char *number)
{
	const char *w = d->line.length == 1 ? number : word;

	return d->line.length == strlen(w) && dialler_line_begins(&d->line, w);
}

static void ok(struct dialler *d, sb_time now)
{
	if (d->step == STEP_ESCAPE)
		send_ath(d, now, STEP_ATH);
	else if (d->step == STEP_ATH || d->step == STEP_ATH_FIRST)
		dialler_is_idle(d, now);
}

/* The call is over, one way or the other. OK comes before it or behind it. */
static void no_carrier(struct dialler *d, sb_time now)
{
	if (d->step == STEP_ESCAPE)
		send_ath(d, now, STEP_ATH);
	else if (d->step == STEP_ATH || d->step == STEP_ATH_FIRST)
		dialler_enter(d, STEP_ATH, sb_time_min(d->until, now + OK_MAY_FOLLOW));
}

static void heed_line(struct dialler *d, sb_time now)
{
	if (line_is(d, "OK", "0") || line_is(d, "ERROR", "4"))
		ok(d, now);
	else if (line_is(d, "NO CARRIER", "3"))
		no_carrier(d, now);
}

void dialler_ladder_input(struct dialler *d, sb_time now, struct bytes in)
{
	for (size_t i = 0; i < in.length && d->state == DIALLER_HANGING_UP; i++)
		if (dialler_line_take(&d->line, in.at[i]))
			heed_line(d, now);
}

void dialler_ladder_tick(struct dialler *d, sb_time now)
{
	switch (d->step) {
	case STEP_DTR:
		dtr_was_low(d, now);
		break;
	case STEP_ATH_FIRST:
		guard(d, now);
		break;
	case STEP_GUARD:
		d->send = "+++";
		d->line = (struct dialler_line){.ended = true};
		dialler_enter(d, STEP_ESCAPE, now + ESCAPE_ANSWER);
		break;
	case STEP_ESCAPE:
		send_ath(d, now, STEP_ATH);
		break;
	default:
		dialler_is_idle(d, now);
		break;
	}
}
