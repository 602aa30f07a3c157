/* SPDX-License-Identifier: MIT */
/*
 * A dialogue under test: its script, a fake clock, all it sent, and its events as lines of
 * text ("log expect (OK)", "report CONNECT 2400", "break", "finished 4 BUSY").
 */
#ifndef TESTS_UNIT_CHAT_TESTING_H
#define TESTS_UNIT_CHAT_TESTING_H

#include "src/modem/chat.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct talk {
	struct chat_script *script;
	struct chat *chat;
	sb_time now;
	char sent[8192], events[65536], left[8192]; /* C strings; NULs sent as @ */
	size_t left_length;
	int result;  /* -1: it has not ended */
	size_t room; /* for output, at a time */
};

static inline void add_text(char *to, size_t size, const char *text, size_t length)
{
	size_t have = strlen(to);

	ck_assert_uint_lt(have + length, size);
	for (size_t i = 0; i < length; i++)
		to[have + i] = text[i] ? text[i] : '@';
	to[have + length] = '\0';
}

static inline void note_event(struct talk *t, const struct chat_event *e)
{
	static const char *const names[] = {"finished", "report", "say",  "echo", "log",
					    "break",    "hangup", "file", "ppp"};
	char line[CHAT_TEXT_SIZE + 64];

	if (e->kind == CHAT_FINISHED) {
		ck_assert_int_eq(t->result, -1);
		ck_assert(chat_has_ended(t->chat));
		t->result = e->result;
		snprintf(line, sizeof line, "finished %d %s\n", e->result, e->text);
	} else if (e->kind == CHAT_HANGUP) {
		snprintf(line, sizeof line, "hangup %s\n", e->on ? "on" : "off");
	} else {
		snprintf(line, sizeof line, "%s %s\n", names[e->kind], e->text);
	}
	add_text(t->events, sizeof t->events, line, strlen(line));
}

/* Takes all there is to take; what is sent comes in pieces of t->room. */
static inline void talk_drain(struct talk *t)
{
	struct chat_event e;
	uint8_t room[4096];
	bool some = true;

	while (some) {
		struct buf out = buf_over(room, t->room);
		some = chat_output(t->chat, t->now, &out);
		ck_assert(!out.overflow);
		ck_assert_int_eq(some, out.length > 0);
		add_text(t->sent, sizeof t->sent, (char *)room, out.length);
		while (chat_event(t->chat, &e)) {
			note_event(t, &e);
			some = true;
		}
		if (t->result < 0 && chat_deadline(t->chat) <= t->now)
			chat_tick(t->chat, t->now);
	}
}

/* From words separated by |; an empty one is ''. */
static inline void talk_begin_with(struct talk *t, const char *words, struct chat_config config)
{
	char copy[4096];
	const char *list[256];
	size_t count = 0;
	struct chat_script_error error;

	*t = (struct talk){.result = -1, .room = 4096, .now = 1000 * SB_SEC};
	snprintf(copy, sizeof copy, "%s", words);
	for (char *at = copy; at; count++) {
		char *end = strchr(at, '|');
		list[count] = at;
		at = end ? end + 1 : NULL;
		if (end)
			*end = '\0';
	}
	t->script = chat_script_from_words(list, count, NULL, &error);
	ck_assert_msg(t->script, "%s", error.text);
	config.script = t->script;
	t->chat = chat_new(&config);
	ck_assert_ptr_nonnull(t->chat);
	chat_start(t->chat, t->now);
	talk_drain(t);
}

static inline void talk_begin(struct talk *t, const char *words)
{
	talk_begin_with(t, words, (struct chat_config){0});
}

static inline void talk_end(struct talk *t)
{
	chat_free(t->chat);
	chat_script_free(t->script);
}

/* As an owner does it: what it does not want yet is offered again, with what comes. */
static inline void talk_offer(struct talk *t)
{
	size_t before;

	do {
		uint8_t *copy = malloc(t->left_length);
		if (t->left_length)
			memcpy(copy, t->left, t->left_length);
		struct bytes in = bytes_of(copy, t->left_length);
		before = in.length;
		if (t->result < 0)
			chat_input(t->chat, t->now, &in);
		if (in.length)
			memmove(t->left, in.at, in.length);
		t->left_length = in.length;
		free(copy);
		talk_drain(t);
	} while (t->result < 0 && t->left_length && t->left_length < before);
}

static inline void talk_hear_bytes(struct talk *t, const void *at, size_t length)
{
	ck_assert_uint_le(t->left_length + length, sizeof t->left);
	memcpy(t->left + t->left_length, at, length);
	t->left_length += length;
	talk_offer(t);
}

static inline void talk_hear(struct talk *t, const char *text)
{
	talk_hear_bytes(t, text, strlen(text));
}

/* Time passes, one deadline after the other. */
static inline void talk_wait(struct talk *t, sb_time duration)
{
	sb_time end = t->now + duration;

	while (t->result < 0 && chat_deadline(t->chat) <= end) {
		ck_assert(chat_deadline(t->chat) >= t->now);
		t->now = chat_deadline(t->chat);
		chat_tick(t->chat, t->now);
		talk_drain(t);
		talk_offer(t);
	}
	t->now = end;
}

static inline void talk_forget(struct talk *t)
{
	t->sent[0] = t->events[0] = '\0';
}

/* What was sent, and then no more of it. */
#define ck_assert_sent(t, text)                                                                    \
	do {                                                                                       \
		ck_assert_str_eq((t)->sent, text);                                                 \
		(t)->sent[0] = '\0';                                                               \
	} while (0)

#define ck_assert_told(t, line)                                                                    \
	ck_assert_msg(strstr((t)->events, line "\n"), "no \"%s\" in:\n%s", line, (t)->events)
#define ck_assert_not_told(t, text)                                                                \
	ck_assert_msg(!strstr((t)->events, text), "\"%s\" in:\n%s", text, (t)->events)
#define ck_assert_left(t, text)                                                                    \
	do {                                                                                       \
		ck_assert_uint_eq((t)->left_length, strlen(text));                                 \
		ck_assert_mem_eq((t)->left, text, strlen(text));                                   \
	} while (0)

#endif
