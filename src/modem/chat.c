/* SPDX-License-Identifier: MIT */
/*
 * The dialogue: a script's steps, taken one after the other.
 *
 *	           .--------- next step ---------.
 *	           v                             |
 *	NEW --> RUNNING --> SENDING <-> PAUSED --+
 *	           |                             |
 *	           +-----> READING (a file) -----'
 *	           |
 *	           +-----> EXPECTING -- found, or a reply for when it is not --> RUNNING
 *	           |           |
 *	           v           v
 *	         (ENDING) --> ENDED
 *
 * Steps that need nobody (ABORT, SAY, TIMEOUT, an empty expect) are taken at once.
 *
 * What arrives while nobody listens stays where it is, as in the tty of a program that is
 * busy sending: an echo may be waited for after it came, and at the end it is the link's. But
 * what arrives before the first word was said, in a script that waits for something and has not
 * yet, is no answer: it is the end of another call, and dropped.
 *
 * In ENDING the script is done and the rest of a line that is to be REPORTed is
 * awaited, for a second.
 */
#include "src/modem/chat_state.h"

#include <assert.h>
#include <stdlib.h>

static const sb_time TIMEOUT_DEFAULT = 45 * SB_SEC; /* durations */
static const sb_time REPORT_PATIENCE = SB_SEC;

struct chat *chat_new(const struct chat_config *config)
{
	assert(config->script);
	struct chat *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->config = *config;
	return c;
}

void chat_free(struct chat *c)
{
	free(c);
}

bool chat_has_ended(const struct chat *c)
{
	return c->state == CHAT_ENDED;
}

/* --- the end --- */

void chat_finish(struct chat *c, sb_time now, int result, struct bytes why)
{
	c->result = result;
	chat_visible(c->why, sizeof c->why, why);
	if (result >= CHAT_ABORTED)
		chat_log(c, "Failed (", why, ")");
	else if (result != CHAT_FINE)
		chat_log(c, "Failed", bytes_of("", 0), "");
	chat_echo_end(c);
	c->state = c->reporting ? CHAT_ENDING : CHAT_ENDED;
	c->wake = now + REPORT_PATIENCE;
}

void chat_fail(struct chat *c, sb_time now, int result, const char *why)
{
	chat_finish(c, now, result, bytes_of(why, strlen(why)));
}

/* --- what drives it --- */

static bool is_listening(const struct chat *c)
{
	return c->state == CHAT_EXPECTING || c->state == CHAT_ENDING;
}

static void listen_to(struct chat *c, sb_time now, uint8_t ch)
{
	if (c->state == CHAT_ENDING)
		chat_hear_end(c, now, ch);
	else
		chat_hear(c, now, ch);
}

/* As far as it goes without anybody's help, and without an event too many. */
static void run(struct chat *c, sb_time now)
{
	while (c->state == CHAT_RUNNING && chat_has_room(c))
		chat_take_step(c, now);
}

void chat_start(struct chat *c, sb_time now)
{
	const struct chat_config config = c->config;

	*c = (struct chat){.config = config, .script = config.script, .echo = config.echo};
	c->timeout = config.timeout ? config.timeout : TIMEOUT_DEFAULT;
	c->state = CHAT_RUNNING;
	run(c, now);
	chat_echo_flush(c);
}

static bool waits_for_something(const struct chat_script *script)
{
	for (size_t i = 0; i < script->count; i++)
		if (script->steps[i].kind == SCRIPT_EXPECT && script->steps[i].text.length)
			return true;
	return false;
}

static bool is_stale(const struct chat *c)
{
	return (c->state == CHAT_SENDING || c->state == CHAT_PAUSED || c->state == CHAT_READING) &&
	       !c->has_listened && !c->has_spoken && waits_for_something(c->script);
}

/* Of a PPP frame, what came with this call is not taken, and what came before is kept. */
static void give_back(struct chat *c, struct bytes *in, size_t taken)
{
	size_t n = taken < c->frame.length ? taken : c->frame.length;

	c->frame.length -= n;
	*in = bytes_of(in->at - n, in->length + n);
}

struct bytes chat_replay(const struct chat *c)
{
	return bytes_of(c->frame.raw, c->peer_speaks_ppp ? c->frame.length : 0);
}

void chat_input(struct chat *c, sb_time now, struct bytes *in)
{
	size_t all = in->length;

	run(c, now);
	if (is_stale(c))
		*in = bytes_skip(*in, all);
	while (in->length && is_listening(c) && chat_has_room(c)) {
		uint8_t ch = in->at[0];
		*in = bytes_skip(*in, 1);
		listen_to(c, now, ch);
		if (c->peer_speaks_ppp)
			give_back(c, in, all - in->length);
		run(c, now);
	}
	chat_echo_flush(c);
}

static void send_next(struct chat *c, sb_time now, struct buf *out)
{
	bool marked = c->sending.at[0] == SCRIPT_MARK;

	buf_put(out, c->sending.at[marked]);
	c->has_spoken = true;
	c->sending = bytes_skip(c->sending, marked + (size_t)1);
	chat_go_on_sending(c, now);
}

bool chat_output(struct chat *c, sb_time now, struct buf *out)
{
	size_t before = out->length;

	run(c, now);
	while (c->state == CHAT_SENDING && out->length < out->capacity && chat_has_room(c)) {
		send_next(c, now, out);
		run(c, now);
	}
	chat_echo_flush(c);
	return out->length > before;
}

void chat_file(struct chat *c, sb_time now, struct bytes text)
{
	const struct chat_script_options options = {.phone = c->script->phone,
						    .phone2 = c->script->phone2};
	struct script_pool pool = {.at = c->file, .capacity = sizeof c->file};

	assert(c->state == CHAT_READING);
	if (!text.at) {
		chat_fail(c, now, CHAT_BAD_SCRIPT, "a file to be sent cannot be read");
		return;
	}
	if (text.length && text.at[text.length - 1] == '\n')
		text.length--;
	script_reply(text, &options, &pool);
	if (pool.length > pool.capacity)
		chat_fail(c, now, CHAT_BAD_SCRIPT, "a file to be sent is too long");
	else
		chat_start_sending(c, now, bytes_of(c->file, pool.length), true);
	run(c, now);
	chat_echo_flush(c);
}

void chat_stop(struct chat *c, sb_time now, enum chat_result result, const char *why)
{
	if (c->state == CHAT_ENDED)
		return;
	chat_log(c, why, bytes_of("", 0), "");
	chat_fail(c, now, (int)result, why);
	if (c->reporting)
		chat_tell_report(c);
	c->state = CHAT_ENDED;
}

static void time_out(struct chat *c, sb_time now)
{
	const struct script_step *step = &c->script->steps[c->at];

	if (c->line_length)
		chat_log_line(c);
	chat_log(c, "alarm", bytes_of("", 0), "");
	if (!step->has_reply) {
		chat_finish(c, now, CHAT_TIMED_OUT, step->text);
		return;
	}
	c->at++;
	c->state = CHAT_RUNNING;
}

static void wake_up(struct chat *c, sb_time now)
{
	switch (c->state) {
	case CHAT_PAUSED:
		chat_go_on_sending(c, now);
		break;
	case CHAT_EXPECTING:
		time_out(c, now);
		break;
	case CHAT_ENDING:
		chat_tell_report(c);
		c->state = CHAT_ENDED;
		break;
	default:
		break;
	}
}

void chat_tick(struct chat *c, sb_time now)
{
	run(c, now);
	if (now >= c->wake && chat_has_room(c))
		wake_up(c, now);
	run(c, now);
	chat_echo_flush(c);
}

sb_time chat_deadline(const struct chat *c)
{
	switch (c->state) {
	case CHAT_RUNNING:
		return 0; /* at once: it waited for room */
	case CHAT_PAUSED:
	case CHAT_EXPECTING:
	case CHAT_ENDING:
		return c->wake;
	default:
		return SB_NEVER;
	}
}
