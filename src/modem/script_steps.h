/* SPDX-License-Identifier: MIT */
/*
 * What a script has become: a program of steps without branches, but for one kind. To
 * be read by nobody but script*.c and chat*.c.
 *
 *   ogin:-BREAK-ogin: ppp	0 EXPECT ogin:	found: go to 3; not: go on with its reply
 *				1 SEND   BREAK
 *				2 EXPECT ogin:	found: go to 3; not: it has failed
 *				3 SEND   ppp
 */
#ifndef SRC_MODEM_SCRIPT_STEPS_H
#define SRC_MODEM_SCRIPT_STEPS_H

#include "src/modem/script.h"

enum script_kind {
	SCRIPT_EXPECT,
	SCRIPT_SEND,
	SCRIPT_SEND_FILE, /* text: its name */
	SCRIPT_SAY,
	SCRIPT_ABORT,
	SCRIPT_CLEAR_ABORT,
	SCRIPT_REPORT,
	SCRIPT_CLEAR_REPORT,
	SCRIPT_TIMEOUT,
	SCRIPT_ECHO,
	SCRIPT_HANGUP,
};

struct script_step {
	enum script_kind kind;
	struct bytes text; /* of EXPECT, ABORT..: to be matched; of SEND, SAY: see below */
	size_t found;      /* EXPECT: the step that follows when it is found */
	bool has_reply;    /* EXPECT: when it is not, the next step is what to send then */
	bool masked;       /* SEND, SEND_FILE: not to be shown */
	bool on;           /* ECHO, HANGUP */
	unsigned seconds;  /* TIMEOUT */
};

/*
 * Text to be sent may hold pauses and breaks. A backslash begins one (d a second, p a
 * tenth, K a break) or stands ahead of a character that is to be sent as it is.
 */
enum { SCRIPT_MARK = '\\' };

struct chat_script {
	size_t count;
	struct script_step *steps;
	const char *phone, *phone2; /* NULL: none */
	uint8_t *texts;
};

/* A writer that goes on counting when it is full. */
struct script_pool {
	uint8_t *at;
	size_t length, capacity;
};

static inline void script_put(struct script_pool *pool, char c)
{
	if (pool->length < pool->capacity)
		pool->at[pool->length] = (uint8_t)c;
	pool->length++;
}

/* --- script_escape.c --- */

/* The escapes of what is waited for. */
void script_expected(struct bytes word, const struct chat_script_options *, struct script_pool *);
/* Of what is sent, with a carriage return behind it; true: it asks not to be shown. */
bool script_sent(struct bytes word, const struct chat_script_options *, struct script_pool *);
/* The same, where EOT and BREAK mean what they say. */
bool script_reply(struct bytes word, const struct chat_script_options *, struct script_pool *);

/* --- script_words.c --- */

/* Words, one after the other, out of a text or out of an array. */
struct script_source {
	struct bytes text; /* what is left of it */
	unsigned line;     /* of the text; 0 for an array */
	const char *const *words;
	size_t count; /* of words that are left */
};

enum script_more { SCRIPT_WORD, SCRIPT_END, SCRIPT_BROKEN };

struct script_source script_source_text(struct bytes);
struct script_source script_source_words(const char *const words[], size_t count);
enum script_more script_next(struct script_source *, struct bytes *word,
			     struct chat_script_error *);

static inline bool script_word_is(struct bytes word, const char *text)
{
	return word.length == strlen(text) && memcmp(word.at, text, word.length) == 0;
}

#endif
