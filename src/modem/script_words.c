/* SPDX-License-Identifier: MIT */
/*
 * A script's text as words.
 *
 * Blanks and line ends separate words. One that begins with a quote, of either
 * kind, ends with the same on the same line, and what follows begins another;
 * a quote further on in a word is a character like any other. A line that
 * begins with # is a comment. Backslashes stay: they are read later (script_escape.c),
 * and here only keep a quote from ending its word.
 */
#include "src/modem/script_steps.h"

static void complain(struct chat_script_error *error, unsigned line, const char *text)
{
	struct buf out = buf_over(error->text, sizeof error->text);

	error->line = line;
	buf_append(&out, bytes_of(text, strlen(text) + 1));
}

/* CR LF, too: scripts have been edited on all kinds of systems. */
static size_t line_end(struct bytes text)
{
	if (text.length && text.at[0] == '\n')
		return 1;
	return text.length > 1 && text.at[0] == '\r' && text.at[1] == '\n' ? 2 : 0;
}

static bool at_end(struct bytes text)
{
	return text.length == 0 || line_end(text);
}

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

static void skip_comment(struct script_source *s)
{
	if (s->text.length && s->text.at[0] == '#')
		while (!at_end(s->text))
			s->text = bytes_skip(s->text, 1);
}

struct script_source script_source_text(struct bytes text)
{
	struct script_source s = {.text = text, .line = 1};

	skip_comment(&s);
	return s;
}

struct script_source script_source_words(const char *const words[], size_t count)
{
	return (struct script_source){.words = words, .count = count};
}

/* To the next word's first character. */
static void skip_space(struct script_source *s)
{
	while (s->text.length) {
		size_t end = line_end(s->text);
		if (!end && !is_blank(s->text.at[0]))
			return;
		s->text = bytes_skip(s->text, end ? end : 1);
		if (end) {
			s->line++;
			skip_comment(s);
		}
	}
}

static size_t plain_length(struct bytes text)
{
	size_t n = 0;

	while (!at_end(bytes_skip(text, n)) && !is_blank(text.at[n]))
		n++;
	return n;
}

/* Of what stands before the closing quote; the text's length when there is none. */
static size_t quoted_length(struct bytes text, uint8_t quote)
{
	size_t n = 0;

	while (!at_end(bytes_skip(text, n)) && text.at[n] != quote) {
		bool escapes = text.at[n++] == '\\';
		if (escapes && !at_end(bytes_skip(text, n)))
			n++;
	}
	return at_end(bytes_skip(text, n)) ? text.length : n;
}

static enum script_more next_in_text(struct script_source *s, struct bytes *word,
				     struct chat_script_error *error)
{
	struct bytes text = s->text;
	uint8_t first = text.at[0];
	bool quoted = first == '"' || first == '\'';

	if (quoted)
		text = bytes_skip(text, 1);
	size_t length = quoted ? quoted_length(text, first) : plain_length(text);
	if (quoted && length == text.length) {
		complain(error, s->line, "a quote is not closed on its line");
		return SCRIPT_BROKEN;
	}
	*word = bytes_of(text.at, length);
	s->text = bytes_skip(text, length + quoted);
	if (length == 0 || !memchr(word->at, 0, length))
		return SCRIPT_WORD;
	complain(error, s->line, "a NUL character; \\N stands for one");
	return SCRIPT_BROKEN;
}

enum script_more script_next(struct script_source *s, struct bytes *word,
			     struct chat_script_error *error)
{
	if (s->count) {
		*word = bytes_of(*s->words, strlen(*s->words));
		s->words++;
		s->count--;
		return SCRIPT_WORD;
	}
	skip_space(s);
	return s->text.length ? next_in_text(s, word, error) : SCRIPT_END;
}
