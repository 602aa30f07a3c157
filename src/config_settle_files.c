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

bool settle_limits(struct settling *s)
{
	const struct config *c = s->config;
	if (c->line_count > c->max_lines)
		return settle_refuse(s, "max-lines", " %u: there are %u", c->max_lines,
				     c->line_count);
	if (c->min_lines > c->max_lines)
		return settle_refuse(s, "min-lines", " %u: more than --max-lines %u", c->min_lines,
				     c->max_lines);
	return true;
}

static bool check_program(struct settling *s, const char *option, const char *path)
{
	return !*path || access(path, X_OK) == 0 ||
	       settle_refuse(s, option, " %s: %s", path, strerror(errno));
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
			fine = settle_refuse_line(s, &c->lines[i], ": %s", why);
		if (fine && c->verbosity && c->lines[i].modem.chat[0])
			warn_of_secret(s, c->lines[i].modem.chat);
	}
	return fine;
}
