/* SPDX-License-Identifier: MIT */
/*
 * The reader of such files, on top of inih.
 *
 * inih takes a line apart; how lines come about is left to whoever supplies them, and that is
 * done here, so that a file means the same whatever inih was built to do:
 *
 * - Its buffer usually holds 200 characters. A longer line is handed over in pieces, those after
 * the first with white space ahead, which is how inih is told that a value goes on.
 * - It strips white space from each piece, and takes one for a comment that begins as such. Where
 *   that would happen, a mark stands for the character.
 * - It may take ` ;` within a value for a comment. A mark stands for such a semicolon.
 * - It says nothing of a section without keys. Behind each header a key is put, which is a mark.
 * - Of what it cannot make anything of, it tells the first line only. So it gets to see only what
 *   is a header or has a `=`.
 *
 * Marks are control characters, which are refused in the file itself.
 */
#define _DEFAULT_SOURCE
#include "src/config_ini.h"

#include <errno.h>
#include <ini.h>
#include <string.h>

enum {
	TEXT_SIZE = 4096,  /* of a line with those that it goes on in */
	NAME_LONGEST = 45, /* of sections and keys; inih cuts them at 49 */
	WRONG_MAX = 20,    /* a file that is something else is not told line by line */
	MARK_FIRST = 1,
};
static const char header_mark[] = "\010";
static const char marked[] = ";# \t"; /* by the characters from MARK_FIRST on */
static const char byte_order_mark[] = "\xEF\xBB\xBF";

struct reader {
	FILE *file;
	ini_listener *listener;
	void *context;
	unsigned lines;       /* read so far */
	unsigned line;        /* where the text began */
	char text[TEXT_SIZE]; /* a line, as a whole */
	size_t length, at;    /* and how much of it was handed over */
	bool header_said;
	bool has_item; /* a key whose value may go on */
	char key[TEXT_SIZE], value[TEXT_SIZE];
	unsigned wrong;
	bool ended;
};

static void tell(struct reader *r, struct ini_item item)
{
	r->listener(r->context, &item);
}

static void tell_wrong(struct reader *r, unsigned line, const char *what)
{
	if (++r->wrong == WRONG_MAX)
		what = "too much is wrong; the rest is not read";
	r->ended |= r->wrong == WRONG_MAX;
	tell(r, (struct ini_item){.kind = INI_WRONG, .line = line, .value = what});
}

/* --- lines ---------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Appends one line of the file to the text, without its end; false: there is none. */
static bool read_line(struct reader *r, const char **wrong)
{
	int c = getc(r->file);
	if (c == EOF)
		return false;
	r->lines++;
	for (; c != EOF && c != '\n'; c = getc(r->file)) {
		if (r->length == TEXT_SIZE - 1)
			*wrong = "longer than 4095 characters";
		else if ((c < ' ' && c != '\t' && c != '\r') || c == 0x7F)
			*wrong = c ? "a control character" : "a NUL character: this is no text";
		else
			r->text[r->length++] = (char)c;
		r->ended |= c == 0;
		if (r->ended)
			break;
	}
	while (r->length && (r->text[r->length - 1] == '\r'))
		r->length--;
	r->text[r->length] = '\0';
	return true;
}

/* What was read from `from` on ends in a backslash, and is no comment. Takes it away. */
static bool goes_on(struct reader *r, size_t from)
{
	if (r->length == from || r->text[r->length - 1] != '\\' || strchr("#;", r->text[0]))
		return false;
	r->text[--r->length] = '\0';
	return true;
}

static void strip_front(struct reader *r, size_t from)
{
	size_t blanks = strspn(r->text + from, " \t");
	memmove(r->text + from, r->text + from + blanks, r->length - from - blanks + 1);
	r->length -= blanks;
}

static void strip_byte_order_mark(struct reader *r)
{
	size_t n = strlen(byte_order_mark);
	if (r->lines != 1 || strncmp(r->text, byte_order_mark, n) != 0)
		return;
	memmove(r->text, r->text + n, r->length - n + 1);
	r->length -= n;
}

static char mark_of(char c)
{
	const char *found = c ? strchr(marked, c) : NULL;
	return found ? (char)(MARK_FIRST + (found - marked)) : c;
}

static void mark_semicolons(struct reader *r)
{
	for (size_t i = 1; i < r->length; i++) {
		if (r->text[i] == ';' && is_blank(r->text[i - 1]))
			r->text[i] = mark_of(';');
	}
}

/* The next line that is one, with those that it goes on in; false: there is no more. */
static bool read_text(struct reader *r)
{
	const char *wrong = NULL;
	r->length = r->at = 0;
	if (r->ended || !read_line(r, &wrong))
		return false;
	r->line = r->lines;
	strip_byte_order_mark(r);
	strip_front(r, 0);
	for (size_t from = 0; goes_on(r, from);) {
		from = r->length;
		if (!read_line(r, &wrong))
			break;
		strip_front(r, from);
	}
	mark_semicolons(r);
	if (wrong) {
		r->length = 0;
		tell_wrong(r, r->line, wrong);
	}
	return true;
}

/* --- for inih ----------------------------------------------------------------------------------
 */

static bool is_header(const struct reader *r)
{
	return r->text[0] == '[';
}

static const char *wrong_header(struct reader *r)
{
	char *end = strchr(r->text, ']');
	if (!end)
		return "a section is [bundle] or [line NAME]: the ] is missing";
	if (end - r->text > NAME_LONGEST)
		return "a section is [bundle] or [line NAME], not something that long";
	const char *behind = end + 1 + strspn(end + 1, " \t");
	if (*behind && !strchr("#;", *behind) && *behind != mark_of(';'))
		return "what stands behind the ]?";
	end[1] = '\0';
	r->length = (size_t)(end - r->text) + 1;
	return NULL;
}

static const char *wrong_key(const struct reader *r)
{
	size_t length = strcspn(r->text, "=:");
	return r->text[length] == '=' && length <= NAME_LONGEST
		       ? NULL
		       : "neither [section] nor key = value";
}

/* The item is complete when a new line begins. */
static void end_item(struct reader *r)
{
	if (r->has_item)
		tell(r,
		     (struct ini_item){
			     .kind = INI_KEY, .line = r->line, .key = r->key, .value = r->value});
	r->has_item = r->header_said = false;
}

static void refuse_text(struct reader *r, const char *wrong)
{
	bool header = is_header(r);
	r->length = 0;
	tell_wrong(r, r->line, wrong);
	if (header)
		tell(r, (struct ini_item){.kind = INI_SECTION, .line = r->line});
}

/* The next line that inih is to see. */
static bool next_text(struct reader *r)
{
	do {
		end_item(r);
		if (!read_text(r))
			return false;
		if (r->length == 0 || strchr("#;", r->text[0])) {
			r->length = 0;
			continue;
		}
		const char *wrong = is_header(r) ? wrong_header(r) : wrong_key(r);
		if (wrong)
			refuse_text(r, wrong);
	} while (r->length == 0);
	return true;
}

static char *put(char *to, size_t room, const char *text, size_t length)
{
	size_t fits = length < room ? length : room - 1;
	memcpy(to, text, fits);
	to[fits] = '\0';
	return to;
}

/* What would be lost, or mean something, at the ends of a piece. */
static void mark_ends(char *piece, size_t length, bool first, bool last)
{
	if (!first)
		piece[0] = mark_of(piece[0]);
	if (!last && is_blank(piece[length - 1]))
		piece[length - 1] = mark_of(piece[length - 1]);
}

/* fgets() as inih wants it. */
static char *supply(char *to, int size, void *context)
{
	enum { END = 3 }; /* inih may want to see the line's end */
	struct reader *r = context;
	size_t room = (size_t)size - END;
	if (r->length && is_header(r) && r->at == r->length && !r->header_said) {
		r->header_said = true;
		snprintf(to, (size_t)size, "%s=", header_mark);
		return to;
	}
	if (r->at == r->length && !next_text(r))
		return NULL;
	bool first = r->at == 0;
	size_t blank = !first, rest = r->length - r->at;
	size_t n = rest < room - blank ? rest : room - blank;
	to[0] = ' ';
	put(to + blank, n + 1, r->text + r->at, n);
	mark_ends(to + blank, n, first, n == rest);
	r->at += n;
	return to;
}

static void unmark(char *text)
{
	for (; *text; text++) {
		if (*text >= MARK_FIRST && *text < MARK_FIRST + (char)strlen(marked))
			*text = marked[*text - MARK_FIRST];
	}
}

static void begin_item(struct reader *r, const char *key, const char *value)
{
	r->has_item = true;
	put(r->key, sizeof(r->key), key, strlen(key));
	put(r->value, sizeof(r->value), value, strlen(value));
	unmark(r->key);
	unmark(r->value);
}

/* What inih made of a line, or of a piece of one. */
static int heed(void *context, const char *section, const char *key, const char *value)
{
	struct reader *r = context;
	size_t length = strlen(r->value);
	if (strcmp(key, header_mark) == 0) {
		tell(r,
		     (struct ini_item){.kind = INI_SECTION, .line = r->line, .section = section});
	} else if (!r->has_item) {
		begin_item(r, key, value);
	} else {
		put(r->value + length, sizeof(r->value) - length, value, strlen(value));
		unmark(r->value + length);
	}
	return 1;
}

void ini_read(FILE *file, ini_listener *listener, void *context)
{
	struct reader r = {.file = file, .listener = listener, .context = context};
	ini_parse_stream(supply, &r, heed, &r);
	if (ferror(file))
		tell_wrong(&r, r.lines, strerror(errno));
}
