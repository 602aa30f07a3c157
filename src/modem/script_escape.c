/* SPDX-License-Identifier: MIT */
/*
 * The escapes of chat(8).
 *
 * Most mean a character, whether it is waited for or sent. Those of sending alone
 * (pauses, breaks, a NUL, a telephone number, no carriage return) are the letter itself
 * in what is waited for, and a NUL is never waited for at all.
 *
 * A telephone number and an environment variable go in as they are, so that they may hold
 * pauses: -T '0\d5551234'.
 */
#include "src/modem/script_steps.h"

/* What the escapes are read from, and go to. */
struct reading {
	struct bytes left;
	const struct chat_script_options *options;
	struct script_pool *out;
	bool sending;
	bool add_return;
	bool quiet;
};

enum { VARIABLE_SIZE = 128 };

static uint8_t take(struct reading *r)
{
	uint8_t c = r->left.at[0];

	r->left = bytes_skip(r->left, 1);
	return c;
}

/* A backslash at its end has nothing to stand ahead of: it is itself. */
static void put_text(struct reading *r, const char *text)
{
	bool marked = false;

	for (; *text; text++) {
		script_put(r->out, *text);
		marked = *text == SCRIPT_MARK && !marked;
	}
	if (r->sending && marked)
		script_put(r->out, SCRIPT_MARK);
}

/* As it is, when it is sent, whatever it might mean. */
static void put_literal(struct reading *r, char c)
{
	if (r->sending)
		script_put(r->out, SCRIPT_MARK);
	script_put(r->out, c);
}

/* ^A. One that would be a NUL is nothing; the last character of all is itself. */
static void read_control(struct reading *r)
{
	if (!r->left.length) {
		script_put(r->out, '^');
		return;
	}
	char c = (char)(take(r) & 0x1F);
	if (c)
		script_put(r->out, c);
}

static bool is_of_name(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_';
}

/* $NAME. One that is not set is nothing. */
static void read_variable(struct reading *r)
{
	char name[VARIABLE_SIZE];
	size_t length = 0;

	while (r->left.length && is_of_name(r->left.at[0])) {
		uint8_t c = take(r);
		if (length < sizeof name - 1)
			name[length++] = (char)c;
	}
	name[length] = '\0';
	const char *value = r->options->variable(r->options->variable_context, name);
	if (value)
		put_text(r, value);
}

static bool octal_follows(const struct reading *r)
{
	return r->left.length && r->left.at[0] >= '0' && r->left.at[0] <= '7';
}

/* \ddd: up to three digits, of which one is read. */
static void read_octal(struct reading *r, uint8_t first)
{
	unsigned value = first - '0';

	for (int i = 0; i < 2 && octal_follows(r); i++)
		value = value * 8 + (take(r) - '0');
	char c = (char)(value & 0xFF);
	if (c == '\0' && !r->sending)
		return;
	if (c == '\0' || c == SCRIPT_MARK)
		put_literal(r, c);
	else
		script_put(r->out, c);
}

static void read_number(struct reading *r, const char *number, char letter)
{
	if (r->sending && number) {
		put_text(r, number);
	} else {
		script_put(r->out, SCRIPT_MARK);
		script_put(r->out, letter);
	}
}

/* Those that stand for one character in both directions; 0: it is another. */
static char same_in_both(uint8_t letter)
{
	static const char letters[] = "bnrst", meant[] = "\b\n\r \t";
	const char *found = letter ? strchr(letters, letter) : NULL;
	return found ? meant[found - letters] : '\0';
}

static void read_letter(struct reading *r, uint8_t c)
{
	switch (c) {
	case 'c':
		if (r->sending && !r->left.length)
			r->add_return = false;
		else
			script_put(r->out, 'c');
		break;
	case 'q':
		r->quiet = true;
		break;
	case 'T':
		read_number(r, r->options->phone, 'T');
		break;
	case 'U':
		read_number(r, r->options->phone2, 'U');
		break;
	case 'N':
		put_literal(r, r->sending ? '\0' : 'N');
		break;
	default: /* pauses and breaks: the mark that makes them a literal is theirs here */
		put_literal(r, (char)c);
		break;
	}
}

static void read_escape(struct reading *r)
{
	if (!r->left.length) { /* the last character of all */
		if (r->sending)
			put_literal(r, SCRIPT_MARK);
		return;
	}
	uint8_t c = take(r);
	char plain = same_in_both(c);
	if (plain)
		script_put(r->out, plain);
	else if (c >= '0' && c <= '7')
		read_octal(r, c);
	else
		read_letter(r, c);
}

static void read_all(struct reading *r)
{
	while (r->left.length) {
		uint8_t c = take(r);
		if (c == '^')
			read_control(r);
		else if (c == '$' && r->options->variable)
			read_variable(r);
		else if (c == '\\')
			read_escape(r);
		else
			script_put(r->out, (char)c);
	}
}

void script_expected(struct bytes word, const struct chat_script_options *options,
		     struct script_pool *out)
{
	struct reading r = {.left = word, .options = options, .out = out};

	read_all(&r);
}

bool script_sent(struct bytes word, const struct chat_script_options *options,
		 struct script_pool *out)
{
	struct reading r = {
		.left = word, .options = options, .out = out, .sending = true, .add_return = true};

	read_all(&r);
	if (r.add_return)
		script_put(out, '\r');
	return r.quiet;
}

bool script_reply(struct bytes word, const struct chat_script_options *options,
		  struct script_pool *out)
{
	static const char eot[] = "^D\\c", line_break[] = "\\K\\c";

	if (script_word_is(word, "EOT"))
		word = bytes_of(eot, sizeof eot - 1);
	else if (script_word_is(word, "BREAK"))
		word = bytes_of(line_break, sizeof line_break - 1);
	return script_sent(word, options, out);
}
