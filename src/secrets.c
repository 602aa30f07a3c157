/* SPDX-License-Identifier: MIT */
/*
 * Secrets files.
 *
 * A file is read whole, and its words are put into one block of memory together with
 * the rows that point to them, so that all of it is wiped at the end in one go and
 * nothing is left where a growing array had been. The size of the text
 * bounds all of them: a row takes six characters or more, a word two, and only a secret
 * of another file (@/path) is longer than it looks.
 *
 * Words are pppd's (getword() there): they end at white space or a #, which begins
 * a comment; in "quotes" or 'quotes' they have both. A backslash takes the next
 * character's meaning away, or gives it one: \s is a space, \n, \t and so on are C's,
 * \101 is octal, \x41 hexadecimal; before the end of a line it joins this one and the
 * next.
 */
#define _POSIX_C_SOURCE 200809L
#include "src/secrets.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FILE_MAX = 1 << 20, /* bytes; a thousand times the secrets that anybody has */
	WORD_MAX = 1023,    /* bytes */
	OTHERS = S_IRWXG | S_IRWXO,
};

struct secrets_file {
	struct secrets table;
	size_t size; /* of the whole block */
	struct secret *rows;
	const char **addresses_end; /* of the lists, each ended by a NULL */
	char *text_end;             /* of the words, one after the other */
};

/* Where an error is told, once. */
struct reader {
	const char *path;
	char *why;
	size_t why_size;
};

struct scanner {
	const struct reader *reader;
	const char *at, *end;
	unsigned line;
};

/* --- reading a file --- */

static bool complain(const struct reader *r, const char *what)
{
	snprintf(r->why, r->why_size, "%s: %s", r->path, what);
	return false;
}

static bool complain_line(const struct scanner *s, const char *what)
{
	snprintf(s->reader->why, s->reader->why_size, "%s:%u: %s", s->reader->path, s->line, what);
	return false;
}

static bool is_private(const struct reader *r, const struct stat *file)
{
	if (!S_ISREG(file->st_mode))
		return complain(r, "not a regular file");
	if (file->st_mode & OTHERS) {
		snprintf(r->why, r->why_size,
			 "%s: others than its owner have access to these secrets (mode %04o): "
			 "chmod 600 makes them private",
			 r->path, (unsigned)file->st_mode & 07777);
		return false;
	}
	return file->st_size <= FILE_MAX || complain(r, "too large for a file of secrets");
}

/* Wiped and freed. */
static void forget(char *text, size_t size)
{
	if (text)
		secret_wipe(text, size);
	free(text);
}

/* Up to `size` bytes; the file may be shorter by now. */
static bool read_all(const struct reader *r, int fd, char *text, size_t size, size_t *length)
{
	ssize_t n;
	*length = 0;
	while (*length < size && (n = read(fd, text + *length, size - *length)) != 0) {
		if (n > 0)
			*length += (size_t)n;
		else if (errno != EINTR)
			return complain(r, strerror(errno));
	}
	return true;
}

/* The file as one block, to be forgotten with *length; NULL: said why. */
static char *read_file(const struct reader *r, size_t *length)
{
	int fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat file;
	char *text = NULL;
	if (fd < 0 && errno == EACCES) {
		complain(r, "Permission denied: it is another user's; --pap-secrets and "
			    "--chap-secrets name files of your own");
	} else if (fd < 0 || fstat(fd, &file) != 0) {
		complain(r, strerror(errno));
	} else if (is_private(r, &file)) {
		text = malloc((size_t)file.st_size + 1);
		if (!text) {
			complain(r, "out of memory");
		} else if (!read_all(r, fd, text, (size_t)file.st_size, length)) {
			forget(text, (size_t)file.st_size);
			text = NULL;
		}
	}
	if (fd >= 0)
		close(fd);
	return text;
}

/* --- words --- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* A backslash and the end of a line, which count for nothing. */
static bool skip_joint(struct scanner *s)
{
	if (s->end - s->at < 2 || s->at[0] != '\\' || s->at[1] != '\n')
		return false;
	s->at += 2;
	s->line++;
	return true;
}

static void skip_comment(struct scanner *s)
{
	while (s->at < s->end && *s->at != '\n')
		s->at++;
}

/* To the next word of this line: false, there is none. */
static bool find_word(struct scanner *s)
{
	for (; s->at < s->end; s->at++) {
		while (skip_joint(s))
			;
		if (s->at == s->end || !is_blank(*s->at))
			break;
	}
	if (s->at < s->end && *s->at == '#')
		skip_comment(s);
	return s->at < s->end && *s->at != '\n';
}

/* To the next word of any line: false, there is none. */
static bool find_row(struct scanner *s)
{
	while (!find_word(s)) {
		if (s->at == s->end)
			return false;
		s->at++;
		s->line++;
	}
	return true;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

static char take_number(struct scanner *s, int base, int digits_max)
{
	unsigned value = 0;
	for (; digits_max && s->at < s->end && digit_of(*s->at) < base; digits_max--)
		value = value * (unsigned)base + (unsigned)digit_of(*s->at++);
	return (char)(unsigned char)value;
}

/* What stands behind a backslash. */
static char take_escape(struct scanner *s)
{
	static const char names[] = "abfnrst", values[] = "\a\b\f\n\r \t";
	if (digit_of(*s->at) < 8)
		return take_number(s, 8, 3);
	char c = *s->at++;
	if (c == 'x' && s->at < s->end && digit_of(*s->at) < 16)
		return take_number(s, 16, 2);
	const char *name = c ? strchr(names, c) : NULL;
	return name ? values[name - names] : c;
}

/* Takes the word's next character; false: the word has ended. */
static bool take_character(struct scanner *s, char quote, char *c)
{
	while (skip_joint(s))
		;
	if (s->at == s->end ||
	    (quote ? *s->at == quote : is_blank(*s->at) || *s->at == '\n' || *s->at == '#'))
		return false;
	if (*s->at == '\n')
		s->line++;
	*c = *s->at++;
	if (*c == '\\' && s->at < s->end)
		*c = take_escape(s);
	return true;
}

/* Appends the word at *to, with a NUL, and moves *to. There is room for WORD_MAX and the NUL. */
static bool take_word(struct scanner *s, char **to)
{
	const char *start = *to;
	char quote = *s->at == '"' || *s->at == '\'' ? *s->at++ : '\0', c;
	while (take_character(s, quote, &c)) {
		if (*to - start == WORD_MAX)
			return complain_line(s, "a word is too long");
		if (c == '\0')
			return complain_line(s, "a NUL in a word");
		*(*to)++ = c;
	}
	if (quote && s->at == s->end)
		return complain_line(s, "a quote is not closed");
	if (quote)
		s->at++;
	*(*to)++ = '\0';
	return true;
}

/* --- rows --- */

/* The first word of another file. */
static bool take_secret_of(struct secrets_file *f, const char *path, const struct reader *parent,
			   const char **secret)
{
	struct reader reader = {path, parent->why, parent->why_size};
	size_t length;
	char *text = read_file(&reader, &length);
	if (!text)
		return false;
	struct scanner s = {&reader, text, text + length, 1};
	*secret = f->text_end;
	bool good = find_row(&s) ? take_word(&s, &f->text_end)
				 : complain(&reader, "there is no secret in it");
	forget(text, length);
	return good;
}

/* The words that are left on the line; NULL: none. */
static bool take_addresses(struct secrets_file *f, struct scanner *s, const char *const **list)
{
	*list = NULL;
	if (!find_word(s))
		return true;
	*list = f->addresses_end;
	do {
		*f->addresses_end++ = f->text_end;
		if (!take_word(s, &f->text_end))
			return false;
	} while (find_word(s));
	*f->addresses_end++ = NULL;
	return true;
}

static bool take_row(struct secrets_file *f, struct scanner *s)
{
	const char *words[3]; /* client, server, secret */
	struct secret *row = &f->rows[f->table.count];
	for (size_t i = 0; i < 3; i++) {
		if (!find_word(s))
			return complain_line(s, "a row has a client, a server and a secret");
		words[i] = f->text_end;
		if (!take_word(s, &f->text_end))
			return false;
	}
	if (words[2][0] == '@' && words[2][1] == '/' &&
	    !take_secret_of(f, words[2] + 1, s->reader, &words[2]))
		return false;
	*row = (struct secret){.client = words[0], .server = words[1], .secret = words[2]};
	f->table.count++;
	return take_addresses(f, s, &row->addresses);
}

static size_t count(const char *text, size_t length, char c)
{
	size_t n = 0;
	for (size_t i = 0; i < length; i++)
		n += text[i] == c;
	return n;
}

/* Room for all that the text may have. */
static struct secrets_file *make_block(const char *text, size_t length)
{
	size_t rows = length / 6 + 1; /* "a b c" and the end of the line */
	size_t addresses = length / 2 + 1 + rows;
	size_t bytes = length + 1 + count(text, length, '@') * (WORD_MAX + 1);
	size_t size = sizeof(struct secrets_file) + rows * sizeof(struct secret) +
		      addresses * sizeof(char *) + bytes;
	struct secrets_file *f = calloc(1, size);
	if (!f)
		return NULL;
	f->size = size;
	f->rows = (struct secret *)(f + 1);
	f->addresses_end = (const char **)(f->rows + rows);
	f->text_end = (char *)(f->addresses_end + addresses);
	f->table.rows = f->rows;
	return f;
}

struct secrets_file *secrets_read(const char *path, char *why, size_t why_size)
{
	const struct reader reader = {path, why, why_size};
	size_t length;
	char *text = read_file(&reader, &length);
	if (!text)
		return NULL;
	struct scanner s = {&reader, text, text + length, 1};
	struct secrets_file *f = make_block(text, length);
	bool good = f || complain(&reader, "out of memory");
	while (good && find_row(&s))
		good = take_row(f, &s);
	forget(text, length);
	if (good)
		return f;
	secrets_free(f);
	return NULL;
}

const struct secrets *secrets_rows(const struct secrets_file *f)
{
	return &f->table;
}

void secrets_free(struct secrets_file *f)
{
	if (f)
		secret_wipe(f, f->size);
	free(f);
}
