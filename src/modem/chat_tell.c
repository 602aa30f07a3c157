/* SPDX-License-Identifier: MIT */
/*
 * What a dialogue tells its owner: events in a ring, their text in the form that
 * chat(8) gives it.
 *
 * Nothing is lost: a dialogue whose ring has no room for all that one more character
 * could bring waits until events have been fetched.
 *
 * What was sent and is not to be shown (chat_log_send) is not shown either when it comes
 * back, echoed by the modem or by the login behind it: neither in the transcript nor in a
 * REPORT. ECHO shows what comes, as it comes; who wants that asks for it.
 */
#include "src/modem/chat_state.h"

#include <assert.h>

enum { SECRET_MIN = 3 }; /* shorter ones are everywhere */

static const char mask[] = "??????";

bool chat_has_room(const struct chat *c)
{
	return CHAT_EVENTS - c->event_count >= CHAT_EVENTS_AT_ONCE;
}

struct chat_entry *chat_tell(struct chat *c, int kind)
{
	if (kind != CHAT_ECHO)
		chat_echo_flush(c); /* in the order in which it came to be */
	assert(c->event_count < CHAT_EVENTS);
	struct chat_entry *entry = &c->events[(c->first_event + c->event_count) % CHAT_EVENTS];

	c->event_count++;
	*entry = (struct chat_entry){0};
	entry->event.kind = kind;
	return entry;
}

bool chat_event(struct chat *c, struct chat_event *event)
{
	if (c->event_count) {
		struct chat_entry *entry = &c->events[c->first_event];
		c->first_event = (c->first_event + 1) % CHAT_EVENTS;
		c->event_count--;
		*event = entry->event;
		event->text = entry->text;
		return true;
	}
	if (c->state != CHAT_ENDED || c->finish_told)
		return false;
	c->finish_told = true;
	*event = (struct chat_event){.kind = CHAT_FINISHED, .result = c->result, .text = c->why};
	return true;
}

/* --- text --- */

/* A C string that is written to, as long as there is room. */
struct shown {
	char *at;
	size_t length, size;
};

static void show_text(struct shown *to, const char *text, size_t length)
{
	if (length < to->size - to->length) {
		memcpy(to->at + to->length, text, length);
		to->length += length;
	}
	to->at[to->length] = '\0';
}

static void show_character(struct shown *to, uint8_t c)
{
	char text[4];
	size_t n = 0;

	if (c >= 0x80) {
		text[n++] = 'M';
		text[n++] = '-';
		c &= 0x7F;
	}
	bool control = (c < 0x20 && c != '\t') || c == 0x7F;
	if (control)
		text[n++] = '^';
	text[n++] = (char)(control ? c ^ 0x40 : c);
	show_text(to, text, n);
}

static void show(struct shown *to, struct bytes text)
{
	for (size_t i = 0; i < text.length; i++)
		show_character(to, text.at[i]);
}

void chat_visible(char *to, size_t size, struct bytes text)
{
	struct shown shown = {.at = to, .size = size};

	show_text(&shown, "", 0);
	show(&shown, text);
}

void chat_log(struct chat *c, const char *before, struct bytes text, const char *after)
{
	struct shown to = {.at = chat_tell(c, CHAT_LOG)->text, .size = CHAT_TEXT_SIZE};

	show_text(&to, before, strlen(before));
	show(&to, text);
	show_text(&to, after, strlen(after));
}

void chat_tell_text(struct chat *c, int kind, struct bytes text)
{
	struct shown to = {.at = chat_tell(c, kind)->text, .size = CHAT_TEXT_SIZE};

	for (size_t i = 0; i < text.length; i++)
		if (text.at[i])
			show_text(&to, (const char *)text.at + i, 1);
}

/* --- secrets --- */

/* The secret that the text begins with: how long it is; 0: none. */
static size_t secret_at(const struct chat *c, struct bytes text)
{
	size_t longest = 0;

	for (unsigned i = 0; i < CHAT_SECRETS; i++) {
		size_t length = strlen(c->secrets[i]);
		if (length > longest && length <= text.length &&
		    memcmp(text.at, c->secrets[i], length) == 0)
			longest = length;
	}
	return longest;
}

static void show_masked(const struct chat *c, struct shown *to, struct bytes text)
{
	while (text.length) {
		size_t secret = secret_at(c, text);
		if (secret)
			show_text(to, mask, sizeof mask - 1);
		else
			show_character(to, text.at[0]);
		text = bytes_skip(text, secret ? secret : 1);
	}
}

/* The characters of what is sent, without pauses, as they would come back. */
static void remember_secret(struct chat *c, struct bytes text)
{
	char *to = c->secrets[c->next_secret];
	size_t length = 0;

	for (size_t i = 0; i < text.length && length < CHAT_SECRET_SIZE - 1; i++) {
		bool marked = text.at[i] == SCRIPT_MARK && i + 1 < text.length;
		uint8_t ch = text.at[i += marked];
		if (!(marked && strchr("dpK", ch)) && ch != '\r')
			to[length++] = (char)(ch & 0x7F);
	}
	if (length < SECRET_MIN)
		length = 0;
	to[length] = '\0';
	c->next_secret = (c->next_secret + 1) % CHAT_SECRETS;
}

/* --- the transcript --- */

void chat_log_send(struct chat *c, struct bytes text, bool masked)
{
	if (masked) {
		remember_secret(c, text);
		text = bytes_of(mask, sizeof mask - 1);
	}
	chat_log(c, "send (", text, ")");
}

void chat_log_line(struct chat *c)
{
	struct shown to = {.at = chat_tell(c, CHAT_LOG)->text, .size = CHAT_TEXT_SIZE};

	show_text(&to, "", 0);
	show_masked(c, &to, bytes_of(c->line, c->line_length));
	c->line_length = 0;
}

void chat_tell_report(struct chat *c)
{
	struct shown to = {.at = chat_tell(c, CHAT_REPORT)->text, .size = CHAT_TEXT_SIZE};

	show_text(&to, "", 0);
	show_masked(c, &to, bytes_of(c->told, c->told_length));
	c->reporting = false;
	c->told_length = 0;
}

/* --- ECHO --- */

void chat_echo_flush(struct chat *c)
{
	if (!c->echoed_length)
		return;
	chat_tell_text(c, CHAT_ECHO, bytes_of(c->echoed, c->echoed_length));
	c->echoed_length = 0;
}

static void echo_text(struct chat *c, const char *text)
{
	if (c->echoed_length + strlen(text) >= sizeof c->echoed)
		chat_echo_flush(c);
	memcpy(c->echoed + c->echoed_length, text, strlen(text));
	c->echoed_length += strlen(text);
}

void chat_echo(struct chat *c, uint8_t ch)
{
	bool control = ch < 0x20 || ch == 0x7F;
	char text[] = {control ? '^' : (char)ch, control ? (char)(ch ^ 0x40) : '\0', '\0'};

	if (ch == '\r')
		return;
	echo_text(c, ch == '\n' ? "\n" : text);
	c->echo_in_line = ch != '\n';
}

void chat_echo_end(struct chat *c)
{
	if (c->echo_in_line)
		echo_text(c, "\n");
	c->echo_in_line = false;
	chat_echo_flush(c);
}
