/* SPDX-License-Identifier: MIT */
/*
 * Without a script of the user's, the dialogue is that of any modem since Hayes: it is asked
 * whether it is there (AT, twice, since the first may only tell it our speed), set up, and told
 * to dial or to answer. What it may say instead of CONNECT is in the ABORT strings.
 */
#define _DEFAULT_SOURCE
#include "src/line_scripts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS_MOST = 48, FILE_MOST = 64 * 1024 };

/* The words of a script, one after the other. */
struct words {
	const char *at[WORDS_MOST];
	size_t count;
};

static void add(struct words *w, const char *const words[])
{
	for (; *words && w->count < WORDS_MOST; words++)
		w->at[w->count++] = *words;
}

#define ADD(w, ...) add((w), (const char *const[]){__VA_ARGS__, NULL})

/* --- errors --- */

static bool say_script_error(const char *name, const struct chat_script_error *e, char *why,
			     size_t size)
{
	if (!e->text[0])
		snprintf(why, size, "out of memory");
	else if (e->line)
		snprintf(why, size, "%s:%u: %s", name, e->line, e->text);
	else
		snprintf(why, size, "%s: %s", name, e->text);
	return false;
}

static bool from_words(struct chat_script **to, const struct words *w, const char *name, char *why,
		       size_t size)
{
	struct chat_script_error error;

	*to = chat_script_from_words(w->at, w->count, &(struct chat_script_options){0}, &error);
	return *to || say_script_error(name, &error, why, size);
}

/* --- the scripts of any modem --- */

static bool make_init(struct line_scripts *s, const struct modem_config *m, char *why, size_t size)
{
	bool plain = !m->init[0] && !m->chat[0];
	const char *init = m->init[0] ? m->init : plain ? "ATZ" : NULL;
	bool by_itself = m->answers && !m->rings;
	struct words w = {0};

	if (!init && !by_itself)
		return true;
	ADD(&w, "ABORT", "ERROR", "TIMEOUT", "3", "", "AT", "OK-AT-OK");
	if (init)
		ADD(&w, init, "OK");
	if (plain)
		ADD(&w, "ATE0", "OK"); /* else it looks like the peer's answer when a call ends */
	if (by_itself)
		ADD(&w, "ATS0=1", "OK");
	return from_words(&s->init, &w, "init", why, size);
}

/* How long a dialogue waits is the whole attempt's time limit: see dialler.h. */
static void expect_connect(struct words *w, const char *command)
{
	ADD(w, "ABORT", "BUSY", "ABORT", "NO CARRIER", "ABORT", "NO DIALTONE", "ABORT",
	    "NO DIAL TONE", "ABORT", "NO ANSWER", "ABORT", "VOICE", "ABORT", "ERROR", "ABORT",
	    "DELAYED", "ABORT", "BLACKLISTED", "TIMEOUT", "3600", "", command, "CONNECT");
}

static bool make_call(struct chat_script **to, const struct modem_config *m, const char *number,
		      char *why, size_t size)
{
	char command[2 * CONFIG_NUMBER_SIZE];
	struct words w = {0};

	snprintf(command, sizeof command, "%s%s", m->dial_command, number);
	expect_connect(&w, command);
	return from_words(to, &w, "dial", why, size);
}

static bool make_answer(struct line_scripts *s, char *why, size_t size)
{
	struct words w = {0};

	expect_connect(&w, "ATA");
	return from_words(&s->answer, &w, "answer", why, size);
}

/* --- the user's script --- */

static bool read_all(FILE *f, struct buf *to)
{
	to->length = fread(to->at, 1, to->capacity, f);
	if (ferror(f))
		return false;
	errno = EFBIG;
	return feof(f);
}

static bool read_file(const char *path, struct buf *to, char *why, size_t size)
{
	FILE *f = fopen(path, "re");
	bool fine = f && read_all(f, to);

	if (!fine)
		snprintf(why, size, "%s: %s", path, strerror(errno));
	if (f)
		fclose(f);
	return fine;
}

static bool parse(struct chat_script **to, struct bytes text, const char *path, const char *number,
		  char *why, size_t size)
{
	struct chat_script_error error;

	*to = chat_script_parse(text, &(struct chat_script_options){.phone = number}, &error);
	return *to || say_script_error(path, &error, why, size);
}

/* One for each number, which is its \T; one without a number where there is none. */
static bool parse_calls(struct line_scripts *s, const struct modem_config *m, struct bytes text,
			char *why, size_t size)
{
	do {
		const char *number = m->number_count ? m->numbers[s->calls] : NULL;

		if (!parse(&s->call[s->calls], text, m->chat, number, why, size))
			return false;
		s->calls++;
	} while (s->calls < m->number_count);
	return true;
}

/* A line that waits for calls, and has no number to call, answers by the script. */
static bool read_script(struct line_scripts *s, const struct modem_config *m, char *why,
			size_t size)
{
	uint8_t *memory = malloc(FILE_MOST);
	struct buf text = buf_over(memory, FILE_MOST);
	bool fine;

	if (!memory) {
		snprintf(why, size, "out of memory");
		return false;
	}
	fine = read_file(m->chat, &text, why, size);
	if (fine && m->answers && !m->number_count)
		fine = parse(&s->answer, buf_bytes(&text), m->chat, NULL, why, size);
	else if (fine)
		fine = parse_calls(s, m, buf_bytes(&text), why, size);
	free(memory);
	return fine;
}

static bool build(struct line_scripts *s, const struct modem_config *m, char *why, size_t size)
{
	for (; s->calls < m->number_count; s->calls++)
		if (!make_call(&s->call[s->calls], m, m->numbers[s->calls], why, size))
			return false;
	return true;
}

bool line_scripts_read(struct line_scripts *s, const struct modem_config *m, char *why, size_t size)
{
	bool fine;

	*s = (struct line_scripts){0};
	fine = make_init(s, m, why, size) &&
	       (m->chat[0] ? read_script(s, m, why, size) : build(s, m, why, size));
	if (fine && m->answers && m->rings && !s->answer)
		fine = make_answer(s, why, size);
	if (!fine)
		line_scripts_free(s);
	return fine;
}

void line_scripts_free(struct line_scripts *s)
{
	chat_script_free(s->init);
	chat_script_free(s->answer);
	for (unsigned i = 0; i < CONFIG_NUMBERS; i++)
		chat_script_free(s->call[i]);
	*s = (struct line_scripts){0};
}
