/* SPDX-License-Identifier: MIT */
/*
 * Checks on the programs that are run, the scripts that are followed, and how many lines there may
 * be: what is wrong with them is better said now than when the first call is due.
 */
#define _DEFAULT_SOURCE
#include "src/config_checks.h"

#include "src/line_scripts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INTERPRETER_SIZE = 256 }; /* with NUL; Linux takes no longer one */

bool settle_limits(struct settling *s)
{
	const struct config *c = s->config;
	if (c->line_count > c->max_lines)
		return settle_refuse(s, "max-lines", " %u: there are %u", c->max_lines,
				     c->line_count);
	if (c->min_lines > c->max_lines)
		return settle_refuse(s, "min-lines", " %u: more than --max-lines %u", c->min_lines,
				     c->max_lines);
	if (c->min_lines > c->line_count && !c->answer && c->verbosity)
		config_remark(s->voice,
			      "--min-lines %u: the interface has no carrier with only %u line%s",
			      c->min_lines, c->line_count, c->line_count == 1 ? "" : "s");
	return true;
}

/* What a script begins with, "#!/bin/sh -e" for one; "": it is another kind of program. */
static void read_interpreter(const char *path, char to[static INTERPRETER_SIZE])
{
	FILE *file = fopen(path, "re");
	char line[INTERPRETER_SIZE + 64] = "";
	*to = '\0';
	if (file && fgets(line, sizeof(line), file) && strncmp(line, "#!", 2) == 0) {
		const char *name = line + 2 + strspn(line + 2, " \t");
		snprintf(to, INTERPRETER_SIZE, "%.*s", (int)strcspn(name, " \t\r\n"), name);
	}
	if (file)
		fclose(file);
}

static bool check_program(struct settling *s, const char *option, const char *path)
{
	char interpreter[INTERPRETER_SIZE];
	struct stat status;
	if (!*path)
		return true;
	if (access(path, X_OK) != 0 || stat(path, &status) != 0)
		return settle_refuse(s, option, " %s: %s", path, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return settle_refuse(s, option, " %s: is no program", path);
	read_interpreter(path, interpreter);
	return !*interpreter || access(interpreter, X_OK) == 0 ||
	       settle_refuse(s, option, " %s: its interpreter %s: %s", path, interpreter,
			     strerror(errno));
}

bool settle_programs(struct settling *s)
{
	const struct config *c = s->config;
	bool fine = check_program(s, "ip-up", c->ip_up);
	fine &= check_program(s, "ip-down", c->ip_down);
	fine &= check_program(s, "line-up", c->line_up);
	return fine & check_program(s, "line-down", c->line_down);
}

/* What is sent unseen is marked by \q in a script; others should not see it there either. */
static void warn_of_secret(struct settling *s, const char *path)
{
	char line[1024];
	struct stat status;
	bool secret = false;
	FILE *file = fopen(path, "re");
	while (file && !secret && fgets(line, sizeof(line), file))
		secret = strstr(line, "\\q") != NULL;
	if (secret && fstat(fileno(file), &status) == 0 && status.st_mode & (S_IRGRP | S_IROTH))
		config_remark(s->voice, "%s: there is a secret in it, and others may read it",
			      path);
	if (file)
		fclose(file);
}

static bool refuse_script(struct settling *s, const struct line_config *line, const char *why)
{
	struct config_place place = s->loose->line_places[line - s->config->lines].chat;
	return place.file ? config_complain(s->voice, place, "chat %s", why)
			  : settle_refuse_line(s, line, ": %s", why);
}

bool settle_scripts(struct settling *s)
{
	const struct config *c = s->config;
	bool fine = true;
	for (unsigned i = 0; i < c->line_count; i++) {
		struct line_scripts scripts;
		char why[CONFIG_WHY_SIZE];
		if (!c->lines[i].modem.present)
			continue;
		if (line_scripts_read(&scripts, &c->lines[i].modem, why, sizeof(why)))
			line_scripts_free(&scripts);
		else
			fine = refuse_script(s, &c->lines[i], why);
		if (fine && c->verbosity && c->lines[i].modem.chat[0])
			warn_of_secret(s, c->lines[i].modem.chat);
	}
	return fine;
}
