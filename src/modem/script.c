/* SPDX-License-Identifier: MIT */
/*
 * From words to steps.
 *
 * Words come in pairs: what to wait for, what to send. A few words in the first
 * place are keywords, whose second is theirs. What is waited for may be a chain,
 * "expect-send-expect": the odd parts are sent when the part ahead of them did not come.
 *
 * The script is read twice: the first time to learn how many steps and how much text
 * there is, the second time to write them down.
 *
 * Mistakes are found here, before anything was sent; chat(8) finds them when it gets
 * there.
 */
#include "src/modem/script_steps.h"

#include <assert.h>
#include <stdlib.h>

enum {
	EXPECT_MAX = 1024, /* characters, as chat(8) has them */
	WATCH_MAX = 49,    /* of an ABORT or REPORT string */
	SECONDS_MAX = 1000000,
	SECONDS_DEFAULT = 45, /* TIMEOUT 0 */
};

/* A script that is being read. */
struct builder {
	struct script_source source;
	const struct chat_script_options *options;
	struct chat_script_error *error;
	struct script_step *steps; /* NULL the first time */
	size_t count;
	struct script_step unwanted; /* where the first time's steps go */
	struct script_pool texts;
};

static const struct keyword {
	const char *word;
	enum script_kind kind;
} keywords[] = {
	{"ABORT", SCRIPT_ABORT},     {"CLR_ABORT", SCRIPT_CLEAR_ABORT},
	{"ECHO", SCRIPT_ECHO},       {"CLR_REPORT", SCRIPT_CLEAR_REPORT},
	{"HANGUP", SCRIPT_HANGUP},   {"REPORT", SCRIPT_REPORT},
	{"TIMEOUT", SCRIPT_TIMEOUT}, {"SAY", SCRIPT_SAY},
};

static const struct chat_script_options no_options;

static bool complain(struct builder *b, const char *text)
{
	struct buf out = buf_over(b->error->text, sizeof b->error->text);

	b->error->line = b->source.line;
	buf_append(&out, bytes_of(text, strlen(text) + 1));
	return false;
}

static struct script_step *add_step(struct builder *b, enum script_kind kind)
{
	struct script_step *step = b->steps ? &b->steps[b->count] : &b->unwanted;

	b->count++;
	*step = (struct script_step){.kind = kind};
	return step;
}

/* What has been written to the pool since `start`. */
static struct bytes text_since(const struct builder *b, size_t start)
{
	return bytes_of(b->texts.at ? b->texts.at + start : NULL, b->texts.length - start);
}

static struct bytes expected_text(struct builder *b, struct bytes word)
{
	size_t start = b->texts.length;

	script_expected(word, b->options, &b->texts);
	return text_since(b, start);
}

/* --- what is waited for --- */

/* Up to the next dash that no backslash stands ahead of. */
static struct bytes cut_part(struct bytes *word)
{
	size_t n = 0;

	while (n < word->length && word->at[n] != '-') {
		n += word->at[n] == '\\';
		n += n < word->length;
	}
	struct bytes part = bytes_of(word->at, n);
	*word = bytes_skip(*word, n < word->length ? n + 1 : n);
	return part;
}

/* Whether what follows is likely to be a secret: "ssword:", "Passphrase", "passwd". */
static bool asks_for_secret(struct bytes word)
{
	static const char *const signs[] = {"word", "asswd", "phrase"};

	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		for (size_t at = 0; at + strlen(signs[i]) <= word.length; at++) {
			size_t n = 0;
			while (signs[i][n] && (word.at[at + n] | 0x20) == signs[i][n])
				n++;
			if (!signs[i][n])
				return true;
		}
	return false;
}

static void add_send(struct builder *b, struct bytes word, bool secret);

static bool add_expect(struct builder *b, struct bytes part, bool has_reply)
{
	struct script_step *step = add_step(b, SCRIPT_EXPECT);

	step->text = expected_text(b, part);
	step->has_reply = has_reply;
	return step->text.length <= EXPECT_MAX || complain(b, "what is waited for is too long");
}

/* All of a chain lead to what stands behind it. */
static bool add_chain(struct builder *b, struct bytes word)
{
	size_t first = b->count;
	bool secret = asks_for_secret(word);

	while (word.length) {
		struct bytes part = cut_part(&word);
		bool has_reply = word.length;
		if (!add_expect(b, part, has_reply))
			return false;
		if (has_reply)
			add_send(b, cut_part(&word), secret);
	}
	for (size_t i = first; b->steps && i < b->count; i++)
		b->steps[i].found = b->count;
	return true;
}

/* --- what is sent --- */

static bool names_file(struct bytes *word)
{
	struct bytes name = *word;

	if (!name.length || name.at[0] != '@')
		return false;
	do
		name = bytes_skip(name, 1);
	while (name.length && (name.at[0] == ' ' || name.at[0] == '\t'));
	if (!name.length)
		return false;
	*word = name;
	return true;
}

/* A name is a C string, and goes without escapes. */
static struct bytes file_name(struct builder *b, struct bytes name)
{
	size_t start = b->texts.length;

	for (size_t i = 0; i < name.length; i++)
		script_put(&b->texts, (char)name.at[i]);
	script_put(&b->texts, '\0');
	return text_since(b, start);
}

static void add_send(struct builder *b, struct bytes word, bool secret)
{
	if (names_file(&word)) {
		struct script_step *step = add_step(b, SCRIPT_SEND_FILE);
		step->text = file_name(b, word);
		step->masked = true;
		return;
	}
	struct script_step *step = add_step(b, SCRIPT_SEND);
	size_t start = b->texts.length;
	step->masked = script_reply(word, b->options, &b->texts) || secret;
	step->text = text_since(b, start);
}

/* --- keywords --- */

static bool add_watch(struct builder *b, enum script_kind kind, struct bytes word)
{
	struct script_step *step = add_step(b, kind);

	step->text = expected_text(b, word);
	return step->text.length <= WATCH_MAX ||
	       complain(b, "a string to ABORT on or to REPORT has 49 characters at most");
}

/* Seconds as atoi() reads them, but for what is no number at all. */
static bool add_timeout(struct builder *b, struct bytes word)
{
	struct script_step *step = add_step(b, SCRIPT_TIMEOUT);
	uint8_t digits[16] = {0}; /* ends with a NUL */
	struct script_pool pool = {.at = digits, .capacity = sizeof digits - 1};

	script_expected(word, b->options, &pool);
	bool negative = digits[0] == '-';
	const uint8_t *first = digits + negative, *at = first;
	for (; *at >= '0' && *at <= '9' && step->seconds < SECONDS_MAX; at++)
		step->seconds = step->seconds * 10 + (*at - '0');
	if (pool.length && at == first)
		return complain(b, "TIMEOUT wants a number of seconds");
	if (negative || !step->seconds)
		step->seconds = SECONDS_DEFAULT;
	return true;
}

/* Ends as what is sent does: with a carriage return, but for \c. */
static void add_say(struct builder *b, struct bytes word)
{
	struct script_step *step = add_step(b, SCRIPT_SAY);
	size_t start = b->texts.length;

	script_sent(word, b->options, &b->texts);
	step->text = text_since(b, start);
}

static bool add_for_keyword(struct builder *b, enum script_kind kind, struct bytes word)
{
	switch (kind) {
	case SCRIPT_TIMEOUT:
		return add_timeout(b, word);
	case SCRIPT_ECHO:
		add_step(b, kind)->on = script_word_is(word, "ON");
		return true;
	case SCRIPT_HANGUP:
		add_step(b, kind)->on = !script_word_is(word, "OFF");
		return true;
	case SCRIPT_SAY:
		add_say(b, word);
		return true;
	default:
		return add_watch(b, kind, word);
	}
}

static const struct keyword *keyword_of(struct bytes word)
{
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
		if (script_word_is(word, keywords[i].word))
			return &keywords[i];
	return NULL;
}

/* --- the whole --- */

static bool read_script(struct builder *b)
{
	struct bytes first, second;
	enum script_more more;

	while ((more = script_next(&b->source, &first, b->error)) == SCRIPT_WORD) {
		const struct keyword *keyword = keyword_of(first);
		if (!keyword && !add_chain(b, first))
			return false;
		more = script_next(&b->source, &second, b->error);
		if (more != SCRIPT_WORD)
			break;
		if (!keyword)
			add_send(b, second, asks_for_secret(first));
		else if (!add_for_keyword(b, keyword->kind, second))
			return false;
	}
	return more == SCRIPT_END;
}

static const char *keep(struct builder *b, const char *text)
{
	size_t start = b->texts.length;

	if (!text)
		return NULL;
	for (size_t i = 0; i <= strlen(text); i++)
		script_put(&b->texts, text[i]);
	return (const char *)text_since(b, start).at;
}

static struct chat_script *script_new(size_t steps, size_t text)
{
	struct chat_script *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->steps = calloc(steps ? steps : 1, sizeof *s->steps);
	s->texts = malloc(text ? text : 1);
	if (s->steps && s->texts)
		return s;
	chat_script_free(s);
	return NULL;
}

static bool fill(struct chat_script *s, struct builder *b, size_t capacity)
{
	b->steps = s->steps;
	b->texts = (struct script_pool){.at = s->texts, .capacity = capacity};
	b->count = 0;
	s->phone = keep(b, b->options->phone);
	s->phone2 = keep(b, b->options->phone2);
	bool ok = read_script(b);
	s->count = b->count;
	if (ok && b->texts.length > capacity)
		return complain(b, "a variable has changed while the script was read");
	return ok;
}

static struct chat_script *build(struct script_source source,
				 const struct chat_script_options *options,
				 struct chat_script_error *error)
{
	struct builder b = {
		.source = source, .options = options ? options : &no_options, .error = error};

	*error = (struct chat_script_error){0};
	keep(&b, b.options->phone);
	keep(&b, b.options->phone2);
	if (!read_script(&b))
		return NULL;
	struct chat_script *s = script_new(b.count, b.texts.length);
	b.source = source;
	if (!s || fill(s, &b, b.texts.length))
		return s;
	chat_script_free(s);
	return NULL;
}

struct chat_script *chat_script_parse(struct bytes text, const struct chat_script_options *options,
				      struct chat_script_error *error)
{
	return build(script_source_text(text), options, error);
}

struct chat_script *chat_script_from_words(const char *const words[], size_t count,
					   const struct chat_script_options *options,
					   struct chat_script_error *error)
{
	return build(script_source_words(words, count), options, error);
}

void chat_script_free(struct chat_script *s)
{
	if (!s)
		return;
	free(s->steps);
	free(s->texts);
	free(s);
}
