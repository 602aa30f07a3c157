/* SPDX-License-Identifier: MIT */
/*
 * The configuration over the control socket: a value of it, told or changed, and all of it as a
 * file. A line's name means its keys; a bundle's, or none, the options.
 */
#define _DEFAULT_SOURCE
#include "src/control_commands.h"

#include "src/config_change.h"
#include "src/config_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* What a name means: a line, or all of it (EXCHANGE_NO_LINE). False: it means nothing here. */
static bool find_meant(const struct control_call *c, const char *name, unsigned *line)
{
	*line = *name ? exchange_find_line(c->host->exchange, name) : EXCHANGE_NO_LINE;
	return !*name || *line != EXCHANGE_NO_LINE || control_bundle(c, name) != EXCHANGE_NO_BUNDLE;
}

json_t *control_set(struct control_call *c)
{
	const char *name = control_text(c, "name"), *key = control_text(c, "what");
	const char *value = control_text(c, "value");
	struct exchange_answer a = {0};
	unsigned line;

	if (!find_meant(c, name, &line))
		return control_neither(name);
	if (line == EXCHANGE_NO_LINE && config_change_is_for_root(key) &&
	    c->peer->right < CONTROL_OWN)
		return control_error(EPERM, "%s: only root may set that", key);
	if (line != EXCHANGE_NO_LINE)
		exchange_set_line(c->host->exchange, line, key, value, *c->host->now, &a);
	else
		exchange_set_option(c->host->exchange, key, value, *c->host->now, &a);
	return control_answer(&a);
}

/* Names of files may be any bytes; JSON's texts may not. */
static json_t *or_why(json_t *answer)
{
	return answer ? answer : control_error(EINVAL, "it is no UTF-8 text, and cannot be told");
}

json_t *control_get(struct control_call *c)
{
	const char *name = control_text(c, "name"), *key = control_text(c, "what");
	const struct exchange *x = c->host->exchange;
	char value[CONFIG_TEXT_SIZE];
	unsigned line;
	bool is;

	if (!find_meant(c, name, &line))
		return control_neither(name);
	if (line != EXCHANGE_NO_LINE && config_tells_secrets(key) &&
	    c->peer->right < CONTROL_CHANGE)
		return control_error(EPERM, "%s: only who may change it may see it", key);
	if (line != EXCHANGE_NO_LINE)
		is = config_tell_line(exchange_line_config(x, line), key, value);
	else
		is = config_tell_option(exchange_config(x), key, value);
	if (!is)
		return control_error(EINVAL, "'%s' is no %s that can be told", key,
				     line == EXCHANGE_NO_LINE ? "option" : "key of a line");
	return or_why(json_pack("{s:b, s:s, s:s}", "ok", 1, "message", value, "value", value));
}

json_t *control_show_config(struct control_call *c)
{
	char *text = NULL;
	size_t length;
	FILE *f = open_memstream(&text, &length);
	json_t *answer;

	if (!f)
		return NULL;
	config_write(exchange_config(c->host->exchange), f);
	fclose(f);
	answer = or_why(json_pack("{s:b, s:s}", "ok", 1, "config", text));
	free(text);
	return answer;
}
