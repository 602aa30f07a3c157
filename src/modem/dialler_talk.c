/* SPDX-License-Identifier: MIT */
/*
 * Dialogues: what they hear is looked at for what a modem says of the connection, and how
 * they end is why the call came to be, or did not.
 *
 * Most scripts end with CONNECT, in the middle of the line that tells the rate. That
 * line is heard to its end (or to the first character that is none of a modem's words: FF of
 * PPP, C0 of SLIP, or the flag), so that neither the rate is missed nor its text taken for data.
 */
#include "src/modem/dialler_internal.h"

#define REST_OF_LINE (500 * SB_MS)
#define LINE_FEED    (100 * SB_MS) /* may follow a carriage return */

enum { FLAG = 0x7E };

void dialler_talk(struct dialler *d, sb_time now, enum dialler_step step, struct chat *chat)
{
	d->chat = chat;
	dialler_enter(d, step, SB_NEVER);
	chat_start(chat, now);
	dialler_heed_chat(d, now);
}

/* --- how it ended --- */

static enum dialler_reason reason_of_words(const char *text)
{
	static const struct {
		const char *words;
		enum dialler_reason reason;
	} known[] = {
		{"BUSY", DIALLER_BUSY},
		{"NO CARRIER", DIALLER_NO_CARRIER},
		{"NO DIALTONE", DIALLER_NO_DIALTONE},
		{"NO DIAL TONE", DIALLER_NO_DIALTONE},
		{"NO ANSWER", DIALLER_NO_ANSWER},
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strstr(text, known[i].words))
			return known[i].reason;
	return DIALLER_ABORTED;
}

static enum dialler_reason reason_of(const struct dialler *d, const struct chat_event *e)
{
	if (e->result >= CHAT_ABORTED)
		return reason_of_words(e->text);
	if (e->result != CHAT_TIMED_OUT)
		return DIALLER_ABORTED;
	return d->step == STEP_INIT || !d->spoke ? DIALLER_NO_MODEM : DIALLER_TIMEOUT;
}

/* A modem that told the end of a call by itself listens to commands again. */
static void came_to_nothing(struct dialler *d, sb_time now, const struct chat_event *e)
{
	enum dialler_reason reason = reason_of(d, e);

	d->takes_commands = e->result >= CHAT_ABORTED && reason != DIALLER_ABORTED;
	dialler_fail(d, now, reason, e->text);
}

static void connected(struct dialler *d, sb_time now)
{
	if (!d->replay.length && dialler_line_begins(&d->line, "CONNECT"))
		dialler_expect_connect_line(d, now);
	else
		dialler_is_online(d, now);
}

static void finished(struct dialler *d, sb_time now, const struct chat_event *e)
{
	d->chat = NULL;
	if (e->result != CHAT_FINE)
		came_to_nothing(d, now, e);
	else if (d->step == STEP_INIT)
		dialler_is_ready(d, now);
	else
		connected(d, now);
}

static void heed(struct dialler *d, sb_time now, const struct chat_event *e)
{
	switch (e->kind) {
	case CHAT_FINISHED:
		finished(d, now, e);
		break;
	case CHAT_REPORT:
	case CHAT_SAY:
	case CHAT_ECHO:
	case CHAT_LOG:
		dialler_say(d, e->text);
		break;
	case CHAT_BREAK:
		dialler_tell(d, &(struct dialler_event){.kind = DIALLER_BREAK});
		break;
	case CHAT_HANGUP:
		d->hangup_matters = e->on;
		break;
	case CHAT_FILE:
		dialler_tell(d, &(struct dialler_event){.kind = DIALLER_FILE, .text = e->text});
		break;
	case CHAT_PEER_SPEAKS_PPP:
		d->replay = chat_replay(d->chat);
		break;
	}
}

void dialler_heed_chat(struct dialler *d, sb_time now)
{
	struct chat_event e;

	while (d->chat && chat_event(d->chat, &e))
		heed(d, now, &e);
	if (!d->chat || chat_deadline(d->chat) > now)
		return;
	chat_tick(d->chat, now); /* it waited for that */
	dialler_heed_chat(d, now);
}

/* --- what it hears --- */

static void hear(struct dialler *d, struct bytes in)
{
	for (size_t i = 0; i < in.length; i++)
		if (dialler_line_take(&d->line, in.at[i]))
			connect_heed(&d->connect, dialler_line_bytes(&d->line), d->config.dte_bps);
}

void dialler_talk_input(struct dialler *d, sb_time now, struct bytes *in)
{
	struct bytes before = *in;

	chat_input(d->chat, now, in);
	hear(d, bytes_of(before.at, before.length - in->length));
	dialler_heed_chat(d, now);
}

/* --- the rest of the line that said CONNECT --- */

void dialler_expect_connect_line(struct dialler *d, sb_time now)
{
	d->chat = NULL;
	dialler_enter(d, STEP_CONNECT_LINE, now + (d->line.ended ? LINE_FEED : REST_OF_LINE));
}

static bool is_of_words(uint8_t c)
{
	return c == '\r' || c == '\n' || (c >= ' ' && c < FLAG);
}

static void line_is_whole(struct dialler *d, sb_time now)
{
	if (!d->line.ended)
		connect_heed(&d->connect, dialler_line_bytes(&d->line), d->config.dte_bps);
	dialler_is_online(d, now);
}

/* False: it is the link's, or the line is over without it. */
static bool take(struct dialler *d, sb_time now, uint8_t c)
{
	bool was_ended = d->line.ended;

	if (was_ended ? c != '\n' : !is_of_words(c) || d->line.length == sizeof d->line.text)
		return false;
	if (!was_ended && dialler_line_take(&d->line, c))
		connect_heed(&d->connect, dialler_line_bytes(&d->line), d->config.dte_bps);
	if (d->line.ended)
		d->until = now + LINE_FEED;
	return true;
}

void dialler_connect_line_input(struct dialler *d, sb_time now, struct bytes *in)
{
	while (in->length && d->step == STEP_CONNECT_LINE) {
		uint8_t c = in->at[0];
		bool taken = take(d, now, c);

		if (taken)
			*in = bytes_skip(*in, 1);
		if (!taken || c == '\n')
			line_is_whole(d, now);
	}
}

void dialler_connect_line_tick(struct dialler *d, sb_time now)
{
	line_is_whole(d, now);
}
