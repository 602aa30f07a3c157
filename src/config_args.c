/* SPDX-License-Identifier: MIT */
/*
 * The command line, by getopt_long() and the tables of options.
 */
#define _DEFAULT_SOURCE
#include "src/config_options.h"

#include "src/config_line.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum {
	OPTION_BASE = 256, /* getopt's values for rows without a letter */
	SPELLINGS = 2 * CONFIG_MAX_NAMES,
	SPELLING_SIZE = 32,
};

/* Each name is in it a second time as bonding has it, with underscores. */
struct getopt_tables {
	struct option longs[SPELLINGS + 1];
	unsigned count;
	char underscored[CONFIG_MAX_NAMES][SPELLING_SIZE];
	char shorts[2 * CONFIG_MAX_GIVEN + 2];
};

static int how_it_takes(const struct option_row *row)
{
	if (row->is_flag)
		return optional_argument;
	return !row->value          ? no_argument
	       : *row->value == '[' ? optional_argument
				    : required_argument;
}

static const char *underscored(struct getopt_tables *t, const char *name)
{
	char *to = t->underscored[t->count / 2];
	assert(strlen(name) < SPELLING_SIZE);
	for (size_t i = 0; i <= strlen(name); i++)
		to[i] = name[i] == '-' ? '_' : name[i];
	return to;
}

static void add_names(struct getopt_tables *t, const struct option_row *row, int takes, int value)
{
	struct option o = {.has_arg = takes, .val = value};
	for (size_t k = 0; (o.name = config_option_name(row, k)); k++) {
		assert(t->count < SPELLINGS);
		const char *second = underscored(t, o.name);
		t->longs[t->count++] = o;
		o.name = second;
		t->longs[t->count++] = o;
	}
}

static void make_tables(struct getopt_tables *t)
{
	const struct option_group *group;
	const struct option_row *row;
	*t = (struct getopt_tables){.shorts = ":"};
	for (size_t i = 0, at = 1; (row = config_option_at(i, &group)); i++) {
		int takes = how_it_takes(row);
		assert(i < CONFIG_MAX_GIVEN);
		add_names(t, row, takes, OPTION_BASE + (int)i);
		if (row->letter)
			t->shorts[at++] = row->letter;
		if (row->letter && takes == required_argument)
			t->shorts[at++] = ':';
	}
}

static const struct option_row *find_row(int value, const struct option_group **group)
{
	const struct option_row *row;
	for (size_t i = 0; (row = config_option_at(i, group)); i++) {
		if (value == OPTION_BASE + (int)i || (value && value == row->letter))
			return row;
	}
	return NULL;
}

/* What getopt stumbled over: an option that is none, or one with or without a value. */
static bool refuse_option(struct config_args *args, int result, const char *text)
{
	const struct option_group *group;
	const struct option_row *row = find_row(optopt, &group);
	if (row && result == ':')
		return config_complain(args->voice, args->place, "--%s needs a value: %s",
				       row->name, row->form);
	if (row)
		return config_complain(args->voice, args->place, "--%s takes no value", row->name);
	if (optopt)
		return config_complain(args->voice, args->place,
				       "unknown option '-%c' (see --help)", optopt);
	char word[64];
	text += strspn(text, "-");
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(text, "="), text);
	const char *foreign = config_option_foreign(word);
	if (foreign)
		return config_complain(args->voice, args->place, "--%s: %s", word, foreign);
	const char *nearest = config_option_near(word);
	return config_complain(args->voice, args->place, "unknown option '--%s' (%s%s%s)", word,
			       nearest ? "did you mean '--" : "see --help", nearest ? nearest : "",
			       nearest ? "'?" : "");
}

static bool add_line(struct config_args *args, const char *text)
{
	struct config *c = args->config;
	if (c->line_count == CONFIG_MAX_LINES)
		return config_complain(args->voice, args->place, "%s: more than %d lines", text,
				       CONFIG_MAX_LINES);
	args->loose.line_places[c->line_count].line = args->place;
	return config_line_parse(&c->lines[c->line_count++], text, args->why, sizeof(args->why)) ||
	       config_complain(args->voice, args->place, "%s", args->why);
}

static bool add_word(struct config_args *args, const char *text)
{
	if (args->task != TASK_IMPORT)
		return add_line(args, text);
	if (args->source)
		return config_complain(args->voice, args->place, "--import: one FILE, not also %s",
				       text);
	args->source = text;
	return true;
}

bool config_args_read(struct config_args *args, int argc, char *argv[])
{
	struct getopt_tables tables;
	const struct option_group *group;
	make_tables(&tables);
	optind = 0; /* glibc's and musl's way to begin anew */
	opterr = 0;
	for (;;) {
		int result = getopt_long(argc, argv, tables.shorts, tables.longs, NULL);
		if (result == -1)
			break;
		if (result == '?' || result == ':')
			return refuse_option(args, result, argv[optind - 1]);
		const struct option_row *row = find_row(result, &group);
		if (!config_option_set(args, row, group, optarg))
			return false;
		if (args->task == TASK_DONE)
			return true;
	}
	for (int i = optind; i < argc; i++) {
		if (!add_word(args, argv[i]))
			return false;
	}
	return true;
}
