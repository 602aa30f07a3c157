/* SPDX-License-Identifier: MIT */
/*
 * Checks on the programs that are run, the scripts that are followed, and how many lines there may
 * be: what is wrong with them is better said now than when the first call is due.
 */
#define _DEFAULT_SOURCE
#include "src/config_checks.h"

#include "src/modem/script.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SCRIPT_SIZE_MAX = 65536 };

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

/* The whole file, or NULL and errno. */
static char *read_script(const char *path, size_t *length)
{
	FILE *file = fopen(path, "re");
	char *text = file ? malloc(SCRIPT_SIZE_MAX) : NULL;
	*length = text ? fread(text, 1, SCRIPT_SIZE_MAX, file) : 0;
	int error = errno;
	bool failed = !text || ferror(file);
	if (file)
		fclose(file);
	if (!failed)
		return text;
	free(text);
	errno = error;
	return NULL;
}

static bool parse_script(struct settling *s, const struct line_config *line, const char *text,
			 size_t length)
{
	const struct modem_config *m = &line->modem;
	struct chat_script_options options = {.phone = m->number_count ? m->numbers[0] : NULL};
	struct chat_script_error error = {0};
	struct bytes bytes = {(const uint8_t *)text, length};
	struct chat_script *script = chat_script_parse(bytes, &options, &error);
	if (!script)
		return config_complain(s->voice, (struct config_place){m->chat, error.line}, "%s",
				       error.text[0] ? error.text : "out of memory");
	chat_script_free(script);
	return true;
}

static bool check_script(struct settling *s, const struct line_config *line)
{
	size_t length;
	char *text = read_script(line->modem.chat, &length);
	if (!text)
		return settle_refuse_line(s, line, ": chat=%s: %s", line->modem.chat,
					  strerror(errno));
	bool fine = length < SCRIPT_SIZE_MAX
			    ? parse_script(s, line, text, length)
			    : settle_refuse_line(s, line, ": chat=%s: longer than any script",
						 line->modem.chat);
	free(text);
	return fine;
}

bool settle_scripts(struct settling *s)
{
	const struct config *c = s->config;
	bool fine = true;
	for (unsigned i = 0; i < c->line_count; i++) {
		if (c->lines[i].modem.chat[0])
			fine &= check_script(s, &c->lines[i]);
	}
	return fine;
}
