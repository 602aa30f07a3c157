/* SPDX-License-Identifier: MIT */
/*
 * A line and what it speaks: begun when the port carries characters to a peer, finished when it
 * does not any more, and in between the line's state follows what it says of itself.
 */
#define _DEFAULT_SOURCE
#include "src/line_internal.h"
#include "src/line_shape.h"

#include <assert.h>
#include <string.h>

/* --- begun, finished --- */

static void come_up(struct line *l, sb_time now)
{
	line_enter(l, LINE_UP, now);
	l->was_up = true;
	l->blocked_since = l->wants_write ? now : SB_NEVER;
	l->call_out = meter_read(&l->out, now).total;
	l->call_in = meter_read(&l->in, now).total;
}

void line_carry_on(struct line *l, sb_time now)
{
	if (!l->encap_up)
		line_enter(l, LINE_OPENING, now);
	else if (!l->heard)
		line_leave(l, LINE_SILENT, now, l->silence);
	else
		come_up(l, now);
}

/* A call's rate may be another one than the last call's, and neither be what it is shaped to. */
static void tell_rate(struct line *l)
{
	if (l->encap->kind->set_rate)
		l->encap->kind->set_rate(l->encap,
					 (double)line_shaped_bps(l) / l->config.bits_per_char);
}

void line_encap_begin(struct line *l, sb_time now)
{
	l->encap_begun = true;
	l->encap_up = l->answers = false;
	l->heard = true;
	l->deaf = false;
	l->heard_at = now;
	line_enter(l, LINE_OPENING, now);
	tell_rate(l);
	l->encap->kind->lower_up(l->encap, now);
}

/* What it says of its end, or was about to send, is not of interest any more. */
void line_encap_finish(struct line *l, sb_time now)
{
	struct encap_event e;

	if (l->encap_begun) {
		l->encap->kind->lower_down(l->encap, now);
		while (l->encap->kind->event(l->encap, &e))
			;
	}
	l->encap_begun = l->encap_up = false;
	if (!l->packet)
		line_cut_frame(l);
}

void line_set_encap(struct line *l, struct encap *encap, struct bytes replay, sb_time now)
{
	assert(l->state == LINE_DOWN || l->state == LINE_OPENING);
	assert(replay.length <= LINE_READ_SIZE);
	if (l->port)
		line_encap_finish(l, now);
	if (replay.length)
		memmove(l->read_at, replay.at, replay.length);
	l->unread = bytes_of(l->read_at, replay.length);
	l->encap->kind->free(l->encap);
	l->encap = encap;
	if (l->port && !l->waits_for_port)
		line_encap_begin(l, now);
}

/* --- what the encapsulation says --- */

/* The end, but its last words (an answer to the peer's Terminate-Request, say) have to get out. */
static void begin_to_end(struct line *l, sb_time now, const struct encap_event *e)
{
	line_forgive(l, now);
	l->why = e->why;
	l->ends_at = now + LINE_LAST_WORDS;
	line_leave(l, LINE_ENDING, now, e->reason);
}

static void went_down(struct line *l, sb_time now, const struct encap_event *e)
{
	l->encap_up = false;
	if (l->state == LINE_ENDING)
		return;
	if (e->why != LINK_RENEGOTIATED) {
		begin_to_end(l, now, e);
		return;
	}
	l->doubtful_from = l->since; /* who knows when the peer forgot us, or if it ever knew us */
	line_leave(l, LINE_OPENING, now, e->reason);
}

void line_fall_silent(struct line *l, sb_time since, const char *reason, sb_time now)
{
	l->heard = false;
	l->silence = reason;
	l->doubtful_from = since;
	if (l->state == LINE_UP)
		line_leave(l, LINE_SILENT, now, l->silence);
}

void line_is_heard(struct line *l, sb_time now)
{
	l->heard = true;
	l->deaf = false;
	if (l->state == LINE_SILENT)
		come_up(l, now);
}

static void heed(struct line *l, sb_time now, const struct encap_event *e)
{
	switch (e->kind) {
	case ENCAP_UP:
		l->encap_up = l->heard = true;
		l->deaf = false;
		l->answers = encap_agreed(l->encap) != NULL;
		if (l->state == LINE_OPENING)
			come_up(l, now);
		break;
	case ENCAP_DOWN:
		went_down(l, now, e);
		break;
	case ENCAP_SILENT:
		l->deaf = e->why == LINK_SILENT;
		line_fall_silent(l, e->since, e->reason, now);
		break;
	case ENCAP_HEARD:
		line_is_heard(l, now);
		break;
	case ENCAP_PROTOCOL_REJECTED:
	case ENCAP_IDENTIFIED:
	case ENCAP_DETECTED:
		break;
	}
}

bool line_event(struct line *l, sb_time now, struct encap_event *e)
{
	if (!l->port || !l->encap->kind->event(l->encap, e))
		return false;
	heed(l, now, e);
	return true;
}
