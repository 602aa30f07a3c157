/* SPDX-License-Identifier: MIT */
/*
 * What each kind of step does.
 *
 * Most are done at once and go on to the next. To wait for something is to be EXPECTING, until
 * it has come (chat_hear.c) or the time is over. To send something is to be SENDING while
 * its next character is to be fetched, and PAUSED for the pauses and breaks in it.
 */
#include "src/modem/chat_state.h"

static const sb_time LONG_PAUSE = SB_SEC, SHORT_PAUSE = SB_SEC / 10; /* durations */
static const sb_time BREAK_TIME = SB_SEC / 2; /* a break takes a quarter to half a second */

/* --- sending --- */

static sb_time pause_of(uint8_t letter)
{
	switch (letter) {
	case 'd':
		return LONG_PAUSE;
	case 'p':
		return SHORT_PAUSE;
	case 'K':
		return BREAK_TIME;
	default:
		return 0;
	}
}

/* Up to the next character to be sent, or to a pause ahead of it, or to the next step. */
void chat_go_on_sending(struct chat *c, sb_time now)
{
	if (!c->sending.length) {
		c->at++;
		c->state = CHAT_RUNNING;
		return;
	}
	c->state = CHAT_SENDING;
	if (c->sending.at[0] != SCRIPT_MARK)
		return;
	uint8_t letter = c->sending.at[1];
	sb_time pause = pause_of(letter);
	if (!pause)
		return;
	if (letter == 'K')
		chat_tell(c, CHAT_BREAK);
	c->sending = bytes_skip(c->sending, 2);
	c->state = CHAT_PAUSED;
	c->wake = now + pause;
}

void chat_start_sending(struct chat *c, sb_time now, struct bytes text, bool masked)
{
	chat_log_send(c, text, masked);
	c->sending = text;
	chat_go_on_sending(c, now);
}

/* --- steps --- */

static void take_expect(struct chat *c, sb_time now, const struct script_step *step)
{
	chat_log(c, "expect (", step->text, ")");
	if (!step->text.length) {
		chat_log(c, "got it", bytes_of("", 0), "");
		c->at = step->found;
		return;
	}
	chat_listen(c);
	c->has_listened = true;
	c->state = CHAT_EXPECTING;
	c->wake = c->timeout == SB_NEVER ? SB_NEVER : now + c->timeout;
}

static void take_send(struct chat *c, sb_time now, const struct script_step *step)
{
	chat_start_sending(c, now, step->text, step->masked);
}

static void take_send_file(struct chat *c, sb_time now, const struct script_step *step)
{
	(void)now;
	chat_tell_text(c, CHAT_FILE, step->text);
	c->state = CHAT_READING;
}

/* A text that is longer than an event's goes out in several. */
static void take_say(struct chat *c, sb_time now, const struct script_step *step)
{
	uint8_t piece[CHAT_TEXT_SIZE - 1];
	struct buf out = buf_over(piece, sizeof piece);
	struct bytes text = step->text;

	(void)now;
	while (c->said < text.length && out.length < out.capacity) {
		bool marked = text.at[c->said] == SCRIPT_MARK;
		uint8_t ch = text.at[c->said + marked];
		c->said += marked + (size_t)1;
		if (!marked || !pause_of(ch))
			buf_put(&out, ch);
	}
	chat_tell_text(c, CHAT_SAY, buf_bytes(&out));
	if (c->said < text.length)
		return;
	c->said = 0;
	c->at++;
}

static void take_watch(struct chat *c, sb_time now, const struct script_step *step)
{
	bool abort = step->kind == SCRIPT_ABORT;

	if (!chat_watch_for(abort ? &c->abort : &c->report, step)) {
		chat_fail(c, now, CHAT_IO_ERROR,
			  abort ? "too many ABORT strings" : "too many REPORT strings");
		return;
	}
	chat_log(c, abort ? "abort on (" : "report (", step->text, ")");
	c->at++;
}

static void take_clear(struct chat *c, sb_time now, const struct script_step *step)
{
	bool abort = step->kind == SCRIPT_CLEAR_ABORT;

	(void)now;
	if (chat_watch_no_more(abort ? &c->abort : &c->report, step->text))
		chat_log(c, abort ? "clear abort on (" : "clear report (", step->text, ")");
	c->at++;
}

static void take_timeout(struct chat *c, sb_time now, const struct script_step *step)
{
	uint8_t digits[12];
	size_t first = sizeof digits;
	unsigned seconds = step->seconds;

	(void)now;
	c->timeout = seconds * SB_SEC;
	do
		digits[--first] = (uint8_t)('0' + seconds % 10);
	while (seconds /= 10);
	chat_log(c, "timeout set to ", bytes_of(digits + first, sizeof digits - first), " seconds");
	c->at++;
}

static void take_echo(struct chat *c, sb_time now, const struct script_step *step)
{
	(void)now;
	c->echo = step->on;
	c->at++;
}

static void take_hangup(struct chat *c, sb_time now, const struct script_step *step)
{
	(void)now;
	chat_tell(c, CHAT_HANGUP)->event.on = step->on;
	c->at++;
}

static void (*const takers[])(struct chat *, sb_time, const struct script_step *) = {
	[SCRIPT_EXPECT] = take_expect,       [SCRIPT_SEND] = take_send,
	[SCRIPT_SEND_FILE] = take_send_file, [SCRIPT_SAY] = take_say,
	[SCRIPT_ABORT] = take_watch,         [SCRIPT_CLEAR_ABORT] = take_clear,
	[SCRIPT_REPORT] = take_watch,        [SCRIPT_CLEAR_REPORT] = take_clear,
	[SCRIPT_TIMEOUT] = take_timeout,     [SCRIPT_ECHO] = take_echo,
	[SCRIPT_HANGUP] = take_hangup,
};

void chat_take_step(struct chat *c, sb_time now)
{
	if (c->at == c->script->count) {
		chat_finish(c, now, CHAT_FINE, bytes_of("", 0));
		return;
	}
	const struct script_step *step = &c->script->steps[c->at];
	takers[step->kind](c, now, step);
}
