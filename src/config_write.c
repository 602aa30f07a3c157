/* SPDX-License-Identifier: MIT */
/*
 * What runs, as a file that makes it run again.
 *
 * By the tables that files are read by: a key is written when its value is another one than
 * what is there without it, and each giver says the value as its taker wants it.
 */
#define _DEFAULT_SOURCE
#include "src/config_write.h"

#include "src/config_keys.h"
#include "src/config_options.h"

#include <string.h>

enum { COLUMNS = 100 };

void config_write_key(FILE *to, const char *key, const char *value)
{
	size_t length = strlen(value), at = 0;
	size_t room = COLUMNS - strlen(key) - strlen(" = \\");
	fprintf(to, "%s = ", key);
	while (length - at > room) {
		size_t n = room;
		while (n > 1 && (value[at + n] == ' ' || value[at + n - 1] == '\\'))
			n--; /* white space at the begin of a line does not count */
		fprintf(to, "%.*s\\\n    ", (int)n, value + at);
		at += n;
	}
	bool last = length && value[length - 1] == '\\'; /* would make it go on */
	fprintf(to, "%s%s\n", value + at, last ? "\\\n" : "");
}

/* Number n, or "" when there is none. */
static bool value_of(const struct config *c, const struct option_row *row, unsigned n,
		     char to[static CONFIG_TEXT_SIZE])
{
	bool has = row->give(c, row, n, to);
	if (!has)
		*to = '\0';
	return has;
}

static void write_option(const struct config *c, const struct option_row *row, FILE *to)
{
	char value[CONFIG_TEXT_SIZE], usual[CONFIG_TEXT_SIZE];
	for (unsigned n = 0; value_of(c, row, n, value); n++) {
		value_of(&config_defaults, row, n, usual);
		if (row->made_up || strcmp(value, usual) != 0)
			config_write_key(to, row->name, value);
	}
}

static void write_bundle(const struct config *c, FILE *to)
{
	const struct option_group *group;
	const struct option_row *row;
	fprintf(to, "[bundle]\n");
	for (size_t i = 0; (row = config_option_at(i, &group)); i++) {
		if (row->give && (!group->ppp || config_ppp_lines(c)))
			write_option(c, row, to);
	}
}

static void write_line(const struct line_config *line, FILE *to)
{
	char value[CONFIG_TEXT_SIZE], usual[CONFIG_TEXT_SIZE];
	const struct line_key *key;
	fprintf(to, "\n[line %s]\n", line->name);
	if (line->encap)
		fprintf(to, "%s = yes\n", line->encap->name);
	for (size_t k = 0; (key = config_key_at(k)); k++) {
		key->give(line, key, value);
		key->give(&config_line_defaults, key, usual);
		if (strcmp(key->name, "name") != 0 && strcmp(value, usual) != 0)
			config_write_key(to, key->name, value);
	}
}

void config_write(const struct config *c, FILE *to)
{
	write_bundle(c, to);
	for (unsigned i = 0; i < c->line_count; i++)
		write_line(&c->lines[i], to);
}
