/* SPDX-License-Identifier: MIT */
/*
 * The dialogue: begins, ends.
 */
#include "src/modem/chat.h"

#include <stdlib.h>

struct chat {
	struct chat_config config;
	int result;
	bool has_ended, is_told;
};

struct chat *chat_new(const struct chat_config *config)
{
	struct chat *c = calloc(1, sizeof *c);

	if (c)
		c->config = *config;
	return c;
}

void chat_free(struct chat *c)
{
	free(c);
}

void chat_start(struct chat *c, sb_time now)
{
	chat_stop(c, now, CHAT_FINE, "");
}

void chat_input(struct chat *c, sb_time now, struct bytes *in)
{
	(void)now;
	if (!c->has_ended)
		*in = bytes_skip(*in, in->length);
}

bool chat_output(struct chat *c, sb_time now, struct buf *out)
{
	(void)c;
	(void)now;
	(void)out;
	return false;
}

bool chat_event(struct chat *c, struct chat_event *event)
{
	if (!c->has_ended || c->is_told)
		return false;
	c->is_told = true;
	*event = (struct chat_event){.kind = CHAT_FINISHED, .result = c->result, .text = ""};
	return true;
}

void chat_file(struct chat *c, sb_time now, struct bytes line)
{
	(void)c;
	(void)now;
	(void)line;
}

void chat_stop(struct chat *c, sb_time now, enum chat_result result, const char *why)
{
	(void)now;
	(void)why;
	c->has_ended = true;
	c->result = (int)result;
}

bool chat_has_ended(const struct chat *c)
{
	return c->has_ended;
}

void chat_tick(struct chat *c, sb_time now)
{
	(void)c;
	(void)now;
}

sb_time chat_deadline(const struct chat *c)
{
	(void)c;
	return SB_NEVER;
}
