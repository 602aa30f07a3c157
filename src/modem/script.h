/* SPDX-License-Identifier: MIT */
/*
 * A chat script: what to wait for, what to send, in the language of chat(8).
 *
 * A script is read once, from a file's text or from words, and never changed; any
 * number of dialogues (chat.h) may follow it at a time.
 */
#ifndef SRC_MODEM_SCRIPT_H
#define SRC_MODEM_SCRIPT_H

#include "serialbundle/bytes.h"

struct chat_script;

/* What is wrong, as a sentence without full stop; line: of the text, from 1, or 0. */
struct chat_script_error {
	unsigned line;
	char text[160];
};

/*
 * What chat(8) has from its command line: the number for \T and \U (-T, -U), and
 * whether words are looked up in the environment (-E). Each may be NULL.
 */
struct chat_script_options {
	const char *phone, *phone2;
	/* The value of an environment variable, or NULL. The function NULL: no -E. */
	const char *(*variable)(void *context, const char *name);
	void *variable_context;
};

/* Copies all it needs. NULL: see error; with an empty text, out of memory. */
struct chat_script *chat_script_parse(struct bytes text, const struct chat_script_options *,
				      struct chat_script_error *);
/* The same from words, as on chat(8)'s command line. */
struct chat_script *chat_script_from_words(const char *const words[], size_t count,
					   const struct chat_script_options *,
					   struct chat_script_error *);
void chat_script_free(struct chat_script *);

#endif
