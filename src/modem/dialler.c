/* SPDX-License-Identifier: MIT */
/*
 * The life of a modem.
 *
 * What arrives while there is no call is kept until its step takes it, for a dialogue
 * takes nothing while it is sending; what is left when the call begins is the link's.
 *
 * DCD is not asked for before a call, and its loss ends nothing then (a modem that was left with
 * &C0 shows one until it is initialised), unless the script says HANGUP ON. In a call it counts
 * once it was seen; where it is not known, see dialler_watch.c.
 */
#include "src/modem/dialler_internal.h"

#include <assert.h>

#define SETTLE_TIME (200 * SB_MS) /* from DTR until a modem listens */

/* --- its life --- */

void dialler_enter(struct dialler *d, enum dialler_step step, sb_time until)
{
	d->step = step;
	d->until = until;
}

static void forget_last_call(struct dialler *d)
{
	connect_init(&d->connect);
	d->chat = NULL;
	d->send = NULL;
	d->line = (struct dialler_line){.ended = true};
	d->dcd_known = d->dcd = d->ri = d->had_carrier = false;
	d->hangup_matters = d->takes_commands = d->spoke = false;
	d->rings = 0;
	d->caller[0] = '\0';
	d->rest_length = 0;
	d->replay = bytes_of(NULL, 0);
	d->lasted = d->quiet_at = 0;
}

void dialler_start(struct dialler *d, sb_time now, bool has_dtr)
{
	bool calls = d->config.scripts > 0;

	assert(d->state == DIALLER_IDLE);
	forget_last_call(d);
	d->has_dtr = has_dtr;
	d->state = calls ? DIALLER_DIALLING : DIALLER_WAITING;
	d->attempt_end = calls && d->config.dial_timeout ? now + d->config.dial_timeout : SB_NEVER;
	if (has_dtr)
		dialler_tell(d, &(struct dialler_event){.kind = DIALLER_DTR, .on = true});
	dialler_enter(d, STEP_SETTLE, now + SETTLE_TIME);
}

void dialler_is_ready(struct dialler *d, sb_time now)
{
	if (d->state == DIALLER_DIALLING)
		dialler_talk(d, now, STEP_CALL, d->call[d->turn]);
	else
		dialler_enter(d, STEP_RINGS, SB_NEVER);
}

static void settled(struct dialler *d, sb_time now)
{
	if (d->init)
		dialler_talk(d, now, STEP_INIT, d->init);
	else
		dialler_is_ready(d, now);
}

void dialler_fail(struct dialler *d, sb_time now, enum dialler_reason reason, const char *text)
{
	dialler_tell(
		d, &(struct dialler_event){.kind = DIALLER_FAILED, .reason = reason, .text = text});
	d->reason = reason;
	dialler_ladder_begin(d, now);
}

/* The modem says that there is no call any more, so it takes commands. */
static void carrier_lost(struct dialler *d, sb_time now)
{
	dialler_tell(d, &(struct dialler_event){.kind = DIALLER_NO_MORE, .reason = DIALLER_LOST});
	d->reason = DIALLER_LOST;
	d->takes_commands = true;
	dialler_ladder_begin(d, now);
}

void dialler_is_idle(struct dialler *d, sb_time now)
{
	(void)now;
	d->state = DIALLER_IDLE;
	d->chat = NULL;
	d->send = NULL;
	d->attempt_end = SB_NEVER;
	dialler_enter(d, STEP_NONE, SB_NEVER);
	dialler_tell(d, &(struct dialler_event){
				.kind = DIALLER_IS_IDLE,
				.reason = d->reason,
				.retry_in = dialler_again(d, d->reason, d->lasted),
			});
}

void dialler_hang_up(struct dialler *d, sb_time now, sb_time quiet_at, enum dialler_reason reason)
{
	if (d->state == DIALLER_IDLE || d->state == DIALLER_HANGING_UP)
		return;
	d->takes_commands = d->step == STEP_RINGS || d->step == STEP_INIT;
	d->reason = reason;
	d->quiet_at = quiet_at;
	dialler_ladder_begin(d, now);
}

void dialler_lost(struct dialler *d, sb_time now)
{
	if (d->state == DIALLER_IDLE)
		return;
	if (d->state == DIALLER_ONLINE)
		d->lasted = now - d->online_at;
	if (d->state != DIALLER_HANGING_UP)
		d->reason = d->state == DIALLER_ONLINE ? DIALLER_LOST : DIALLER_NO_MODEM;
	dialler_is_idle(d, now);
}

void dialler_forget_failures(struct dialler *d)
{
	d->failures = d->refusals = 0;
}

/* --- a call --- */

void dialler_is_online(struct dialler *d, sb_time now)
{
	d->state = DIALLER_ONLINE;
	d->chat = NULL;
	d->attempt_end = SB_NEVER;
	d->online_at = now;
	d->had_carrier = d->dcd;
	d->line = (struct dialler_line){.ended = true};
	d->doubt = DOUBT_NONE;
	d->behind = 0;
	dialler_enter(d, STEP_NONE, SB_NEVER);
	dialler_tell(d, &(struct dialler_event){.kind = DIALLER_CONNECTED, .connect = d->connect});
}

/* --- what arrives --- */

static void give_to_step(struct dialler *d, sb_time now, struct bytes *in)
{
	switch (d->step) {
	case STEP_INIT:
	case STEP_CALL:
	case STEP_ANSWER:
		dialler_talk_input(d, now, in);
		break;
	case STEP_CONNECT_LINE:
		dialler_connect_line_input(d, now, in);
		break;
	case STEP_RINGS:
		dialler_ring_input(d, now, in);
		break;
	case STEP_DTR:
	case STEP_ATH_FIRST:
	case STEP_GUARD:
	case STEP_ESCAPE:
	case STEP_ATH:
		dialler_ladder_input(d, now, *in);
		in->length = 0;
		break;
	case STEP_SETTLE:
	case STEP_NONE:
		in->length = 0;
		break;
	}
}

/* What was not taken, and what the dialogue took of the link's. */
static void keep_again(struct dialler *d, struct bytes in)
{
	size_t replayed = d->replay.length;

	if (in.length > sizeof d->rest - replayed)
		in.length = sizeof d->rest - replayed;
	memmove(d->rest + replayed, in.at, in.length);
	if (replayed)
		memcpy(d->rest, d->replay.at, replayed);
	d->rest_length = replayed + in.length;
	d->replay.length = 0;
}

/* Gives what has been kept to whoever takes it now. */
static void digest(struct dialler *d, sb_time now)
{
	struct bytes in = bytes_of(d->rest, d->rest_length);
	enum dialler_step step;
	size_t before;

	if (d->state == DIALLER_ONLINE || !in.length)
		return;
	do {
		before = in.length;
		step = d->step;
		give_to_step(d, now, &in);
	} while (d->state != DIALLER_ONLINE && in.length &&
		 (in.length != before || d->step != step));
	keep_again(d, in);
	if (d->state == DIALLER_ONLINE)
		dialler_watch_for_loss(d, now, dialler_rest(d));
}

static void keep(struct dialler *d, struct bytes in)
{
	size_t room = sizeof d->rest - d->rest_length, n = in.length < room ? in.length : room;

	if (n)
		memcpy(d->rest + d->rest_length, in.at, n);
	d->rest_length += n;
}

void dialler_input(struct dialler *d, sb_time now, struct bytes in)
{
	if (d->state == DIALLER_ONLINE) {
		d->rest_length = 0;
		dialler_watch_for_loss(d, now, in);
		return;
	}
	d->spoke |= in.length && d->step != STEP_SETTLE;
	keep(d, in);
	digest(d, now);
}

struct bytes dialler_rest(const struct dialler *d)
{
	return bytes_of(d->rest, d->rest_length);
}

bool dialler_output(struct dialler *d, sb_time now, struct buf *out)
{
	bool some = d->send != NULL;

	if (some)
		buf_append(out, bytes_of(d->send, strlen(d->send)));
	d->send = NULL;
	if (!d->chat)
		return some;
	some |= chat_output(d->chat, now, out);
	dialler_heed_chat(d, now);
	digest(d, now);
	return some;
}

void dialler_file(struct dialler *d, sb_time now, struct bytes line)
{
	if (!d->chat)
		return;
	chat_file(d->chat, now, line);
	dialler_heed_chat(d, now);
	digest(d, now);
}

/* --- modem lines --- */

static void carrier_changed(struct dialler *d, sb_time now)
{
	if (d->state == DIALLER_ONLINE && d->had_carrier && !d->dcd)
		carrier_lost(d, now);
	else if (d->state == DIALLER_ONLINE)
		d->had_carrier = true;
	else if (d->step == STEP_RINGS)
		dialler_ring_carrier(d, now);
	else if (d->chat && !d->dcd && d->hangup_matters)
		dialler_fail(d, now, DIALLER_NO_CARRIER, "");
	else
		dialler_ladder_modem_lines(d, now);
}

void dialler_modem_lines(struct dialler *d, sb_time now, bool dcd, bool ri)
{
	bool changed = d->dcd_known && dcd != d->dcd, rings = d->dcd_known && ri && !d->ri;

	if (d->state == DIALLER_IDLE)
		return;
	if (!d->dcd_known && d->state == DIALLER_ONLINE)
		d->had_carrier = dcd;
	d->dcd_known = true;
	d->dcd = dcd;
	d->ri = ri;
	if (changed)
		carrier_changed(d, now);
	if (rings && d->step == STEP_RINGS)
		dialler_ring_line(d, now);
}

/* --- time --- */

static void step_is_over(struct dialler *d, sb_time now)
{
	switch (d->step) {
	case STEP_SETTLE:
		settled(d, now);
		break;
	case STEP_CONNECT_LINE:
		dialler_connect_line_tick(d, now);
		break;
	case STEP_RINGS: /* auto-answer, and the modem is silent about it */
		dialler_is_online(d, now);
		break;
	case STEP_NONE:
		if (dialler_watch_tick(d, now))
			carrier_lost(d, now);
		break;
	case STEP_INIT:
	case STEP_CALL:
	case STEP_ANSWER:
		break;
	case STEP_DTR:
	case STEP_ATH_FIRST:
	case STEP_GUARD:
	case STEP_ESCAPE:
	case STEP_ATH:
		dialler_ladder_tick(d, now);
		break;
	}
}

void dialler_tick(struct dialler *d, sb_time now)
{
	if (now >= d->attempt_end) {
		dialler_fail(d, now, d->spoke ? DIALLER_TIMEOUT : DIALLER_NO_MODEM, "");
		return;
	}
	if (d->chat) {
		chat_tick(d->chat, now);
		dialler_heed_chat(d, now);
		digest(d, now);
	}
	if (now >= d->until)
		step_is_over(d, now);
}

sb_time dialler_deadline(const struct dialler *d)
{
	sb_time t = sb_time_min(d->until, d->attempt_end);

	return d->chat ? sb_time_min(t, chat_deadline(d->chat)) : t;
}

enum dialler_state dialler_state(const struct dialler *d)
{
	return d->state;
}

unsigned dialler_failures(const struct dialler *d)
{
	return d->failures + d->refusals;
}

const char *dialler_number(const struct dialler *d)
{
	return d->config.scripts && d->config.number[d->turn] ? d->config.number[d->turn] : "";
}
