/* SPDX-License-Identifier: MIT */
/*
 * The configuration file: [bundle] with the options, [line NAME] with the keys of a line, and
 * files that are included.
 *
 * All that is wrong is said, and the reading goes on, so that one look at the messages is enough.
 * An option that the command line has is checked here, and goes nowhere.
 */
#define _DEFAULT_SOURCE
#include "src/config_options.h"

#include "src/config_ini.h"
#include "src/config_line.h"

#include <assert.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 8, FILES_MAX = 256, SECTION_SIZE = 64 };

struct config_names {
	char *name[FILES_MAX];
	unsigned count;
};

enum section { SECTION_NONE, SECTION_BUNDLE, SECTION_LINE, SECTION_WRONG };

/* What is known of a file while it is read, on the way from the first one to it. */
struct file {
	const struct file *includer; /* or NULL */
	const char *name;
	dev_t device;
	ino_t inode;
	unsigned depth;
	struct file_reading *reading;
	enum section section;
	struct line_reading line; /* in SECTION_LINE */
	struct config_place line_place;
	unsigned line_errors; /* voice->errors when it began */
};

struct file_reading {
	struct config_args *args;
	const struct config_args *commanded;
	struct config_args aside; /* for values that go nowhere */
	struct config nowhere;
	struct line_config surplus; /* a line too many, or one whose name is taken */
};

static void read_one(struct file_reading *, const struct file *includer, struct config_place from,
		     const char *path);

/* --- [bundle] ----------------------------------------------------------------------------------
 */

/* The command line says the same, or the contrary. */
static bool is_commanded(const struct file_reading *r, const struct option_row *row)
{
	const struct config_loose *said = &r->commanded->loose;
	return config_find_given(said, row->name) ||
	       (row->rival && config_find_given(said, row->rival));
}

static void check_only(struct file_reading *r, const struct option_row *row,
		       const struct option_group *group, const char *value)
{
	r->nowhere = config_defaults;
	r->aside = (struct config_args){
		.config = &r->nowhere, .voice = r->args->voice, .place = r->args->place};
	config_option_set(&r->aside, row, group, value);
}

static void set_option(struct file_reading *r, const char *key, const char *value)
{
	struct config_args *args = r->args;
	const struct option_group *group;
	const struct option_row *row = config_option_named(key, &group);
	const char *foreign = row ? NULL : config_option_foreign(key);
	const char *nearest = row ? NULL : config_option_near(key);
	const struct config_given *before = row ? config_find_given(&args->loose, row->name) : NULL;
	if (foreign)
		config_complain(args->voice, args->place, "%s: %s", key, foreign);
	else if (!row && nearest)
		config_complain(args->voice, args->place, "unknown key '%s' (did you mean '%s'?)",
				key, nearest);
	else if (!row)
		config_complain(args->voice, args->place, "unknown key '%s' (see --help)", key);
	else if (row->only_command)
		config_complain(args->voice, args->place, "%s: only on the command line", key);
	else if (is_commanded(r, row))
		check_only(r, row, group, value);
	else if (before && !row->repeats)
		config_complain(args->voice, args->place, "%s is given twice, first at %s:%u", key,
				before->place.file, before->place.line);
	else
		config_option_set(args, row, group, value);
}

/* --- [line NAME] -------------------------------------------------------------------------------
 */

static void said_of_line(struct file *f, bool fine)
{
	if (!fine)
		config_complain(f->reading->args->voice, f->reading->args->place, "%s",
				f->reading->args->why);
}

/* Room for a line; one that has none is read all the same. */
static struct line_config *line_room(struct file_reading *r)
{
	struct config *c = r->args->config;
	if (c->line_count == CONFIG_MAX_LINES) {
		config_complain(r->args->voice, r->args->place, "more than %d lines",
				CONFIG_MAX_LINES);
		return &r->surplus;
	}
	r->args->loose.line_places[c->line_count].line = r->args->place;
	return &c->lines[c->line_count++];
}

static bool name_is_free(struct file_reading *r, const char *name)
{
	const struct config *c = r->args->config;
	for (unsigned i = 0; i < c->line_count; i++) {
		const struct config_place *p = &r->args->loose.line_places[i].line;
		if (strcmp(c->lines[i].name, name) == 0)
			return config_complain(r->args->voice, r->args->place,
					       "line %s is at %s:%u already", name, p->file,
					       p->line);
	}
	return true;
}

static void begin_line(struct file *f, const char *name)
{
	struct config_args *args = f->reading->args;
	f->section = SECTION_LINE;
	f->line_errors = args->voice->errors;
	struct line_config *line =
		name_is_free(f->reading, name) ? line_room(f->reading) : &f->reading->surplus;
	f->line_place = args->place;
	config_line_begin(&f->line, line, args->why, sizeof(args->why));
	f->line.in_file = true;
	said_of_line(f, config_line_set(&f->line, "name", name));
}

static void set_line_key(struct file *f, const char *key, const char *value)
{
	struct file_reading *r = f->reading;
	said_of_line(f, config_line_set(&f->line, key, value));
	if (f->line.line != &r->surplus && strcmp(key, "chat") == 0)
		r->args->loose.line_places[f->line.line - r->args->config->lines].chat =
			r->args->place;
}

/* What its keys make together is of interest only when each of them is right. */
static void end_section(struct file *f)
{
	struct config_args *args = f->reading->args;
	if (f->section == SECTION_LINE && args->voice->errors == f->line_errors &&
	    !config_line_end(&f->line))
		config_complain(args->voice, f->line_place, "%s", args->why);
}

/* "[ line north ]": its words, with one space between them. */
static void split_header(const char *header, char word[static SECTION_SIZE],
			 char name[static SECTION_SIZE])
{
	static_assert(SECTION_SIZE == 64, "the format says so");
	*word = *name = '\0';
	sscanf(header, " %63[^ \t] %63[^\n]", word, name);
	size_t length = strlen(name);
	while (length && strchr(" \t", name[length - 1]))
		name[--length] = '\0';
}

static void begin_section(struct file *f, const char *header)
{
	struct config_args *args = f->reading->args;
	char word[SECTION_SIZE], name[SECTION_SIZE];
	end_section(f);
	f->section = SECTION_WRONG;
	if (!header)
		return;
	split_header(header, word, name);
	if (strcmp(word, "bundle") == 0 && !*name)
		f->section = SECTION_BUNDLE;
	else if (strcmp(word, "line") == 0 && *name)
		begin_line(f, name);
	else if (strcmp(word, "line") == 0)
		config_complain(args->voice, args->place, "a line needs a name: [line NAME]");
	else
		config_complain(args->voice, args->place,
				"unknown section [%s] (there are [bundle] and [line NAME])",
				header);
}

/* --- include -----------------------------------------------------------------------------------
 */

/* Relative to the directory of the file that includes it; a directory stands for its *.conf. */
static bool include_pattern(const struct file *f, const char *path, char to[static PATH_MAX])
{
	const char *slash = *path == '/' ? NULL : strrchr(f->name, '/');
	int at = snprintf(to, PATH_MAX, "%.*s%s", slash ? (int)(slash + 1 - f->name) : 0, f->name,
			  path);
	struct stat s;
	if (at > 0 && at < PATH_MAX && stat(to, &s) == 0 && S_ISDIR(s.st_mode))
		at += snprintf(to + at, PATH_MAX - (size_t)at, "/*.conf");
	return at > 0 && at < PATH_MAX;
}

static void read_matches(struct file *f, const char *pattern)
{
	struct config_place from = f->reading->args->place;
	glob_t found = {0};
	int result = glob(pattern, GLOB_ERR, NULL, &found);
	if (result != 0 && result != GLOB_NOMATCH)
		config_complain(f->reading->args->voice, from, "include %s: %s", pattern,
				result == GLOB_NOSPACE ? "out of memory" : strerror(errno));
	for (size_t i = 0; result == 0 && i < found.gl_pathc; i++)
		read_one(f->reading, f, from, found.gl_pathv[i]);
	globfree(&found);
}

/* A name without wildcards has to be there. */
static void include(struct file *f, const char *path)
{
	struct config_args *args = f->reading->args;
	char pattern[PATH_MAX];
	if (!*path || !include_pattern(f, path, pattern))
		config_complain(args->voice, args->place, "include %s: expected a file name",
				*path ? path : "''");
	else if (strpbrk(pattern, "*?["))
		read_matches(f, pattern);
	else
		read_one(f->reading, f, args->place, pattern);
}

/* --- a file ------------------------------------------------------------------------------------
 */

static void heed_key(struct file *f, const char *key, const char *value)
{
	struct config_args *args = f->reading->args;
	if (f->section == SECTION_LINE)
		set_line_key(f, key, value);
	else if (f->section != SECTION_WRONG && strcmp(key, "include") == 0)
		include(f, value);
	else if (f->section == SECTION_BUNDLE)
		set_option(f->reading, key, value);
	else if (f->section == SECTION_NONE)
		config_complain(args->voice, args->place, "%s stands before any [section]", key);
}

static void heed(void *context, const struct ini_item *item)
{
	struct file *f = context;
	struct config_args *args = f->reading->args;
	args->place = (struct config_place){f->name, item->line};
	switch (item->kind) {
	case INI_WRONG:
		config_complain(args->voice, args->place, "%s", item->value);
		break;
	case INI_SECTION:
		begin_section(f, item->section);
		break;
	case INI_KEY:
		heed_key(f, item->key, item->value);
		break;
	}
}

static bool includes_itself(const struct file *f)
{
	for (const struct file *up = f->includer; up; up = up->includer) {
		if (up->device == f->device && up->inode == f->inode)
			return true;
	}
	return false;
}

/* For places, which outlive the reading. NULL: too many. */
static const char *keep_name(struct config_args *args, const char *path)
{
	struct config_names *names = args->names;
	char *copy = names->count < FILES_MAX ? strdup(path) : NULL;
	if (copy)
		names->name[names->count++] = copy;
	return copy;
}

static void read_stream(struct file *f, struct config_place from, FILE *stream)
{
	struct config_args *args = f->reading->args;
	struct stat s;
	if (fstat(fileno(stream), &s) == 0) {
		f->device = s.st_dev;
		f->inode = s.st_ino;
	}
	if (includes_itself(f)) {
		config_complain(args->voice, from, "include %s: it includes itself", f->name);
		return;
	}
	ini_read(stream, heed, f);
	end_section(f);
}

static void read_one(struct file_reading *r, const struct file *includer, struct config_place from,
		     const char *path)
{
	struct config_args *args = r->args;
	const char *what = includer ? "include " : "";
	struct file f = {.includer = includer, .reading = r};
	f.depth = includer ? includer->depth + 1 : 0;
	f.name = f.depth < DEPTH_MAX ? keep_name(args, path) : NULL;
	if (!f.name) {
		config_complain(args->voice, from, "include %s: too many files, or too deep", path);
		return;
	}
	FILE *stream = fopen(path, "re");
	if (stream)
		read_stream(&f, from, stream);
	else
		config_complain(args->voice, from, "%s%s: %s", what, path, strerror(errno));
	if (stream)
		fclose(stream);
	args->place = from;
}

bool config_file_read(struct config_args *args, const struct config_args *commanded,
		      const char *path)
{
	unsigned errors = args->voice->errors;
	struct file_reading *r = calloc(1, sizeof(*r));
	args->names = calloc(1, sizeof(*args->names));
	if (r && args->names) {
		r->args = args;
		r->commanded = commanded;
		read_one(r, NULL, (struct config_place){0}, path);
	} else {
		config_complain(args->voice, (struct config_place){0}, "out of memory");
	}
	free(r);
	return args->voice->errors == errors;
}

void config_file_forget(struct config_args *args)
{
	for (unsigned i = 0; args->names && i < args->names->count; i++)
		free(args->names->name[i]);
	free(args->names);
	args->names = NULL;
}
