/* SPDX-License-Identifier: MIT */
/*
 * Requests, which come from programs of any user, so that nothing in them is believed. What is
 * not known is refused: a misspelt member would be a change that was not made.
 */
#define _DEFAULT_SOURCE
#include "src/control_request.h"

#include "src/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { COMMANDS_MOST = 64, MESSAGE_SIZE = 400 };

/* --- answers --- */

static const char *error_name(int error)
{
	switch (error) {
	case EINVAL:
		return "EINVAL";
	case EPERM:
		return "EPERM";
	case EACCES:
		return "EACCES";
	case ENOSPC:
		return "ENOSPC";
	case ENOENT:
		return "ENOENT";
	case EBUSY:
		return "EBUSY";
	case EMSGSIZE:
		return "EMSGSIZE";
	case EPROTONOSUPPORT:
		return "EPROTONOSUPPORT";
	case EOPNOTSUPP:
		return "EOPNOTSUPP";
	case ENOMEM:
		return "ENOMEM";
	default:
		return "EIO";
	}
}

json_t *control_ok(const char *message)
{
	return message ? json_pack("{s:b, s:s}", "ok", 1, "message", message)
		       : json_pack("{s:b}", "ok", 1);
}

json_t *control_error(int error, const char *format, ...)
{
	char message[MESSAGE_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	text_clean(message);
	return json_pack("{s:b, s:s, s:s}", "ok", 0, "error", error_name(error), "message",
			 message);
}

/* --- requests --- */

const char *control_request_text(const json_t *request, const char *name)
{
	const char *text = json_string_value(json_object_get(request, name));

	return text ? text : "";
}

json_int_t control_request_number(const json_t *request, const char *name)
{
	return json_integer_value(json_object_get(request, name));
}

static json_t *refuse_name(const char *name, const struct control_command table[])
{
	const char *names[COMMANDS_MOST], *nearest;
	size_t n = 0;

	for (; table[n].name && n < COMMANDS_MOST; n++)
		names[n] = table[n].name;
	nearest = text_nearest(name, names, n);
	if (nearest)
		return control_error(EINVAL, "there is no command '%s' (did you mean '%s'?)", name,
				     nearest);
	return control_error(EINVAL, "there is no command '%s'", name);
}

static const struct control_command *find(const char *name, const struct control_command table[])
{
	for (; table->name; table++)
		if (strcmp(table->name, name) == 0)
			return table;
	return NULL;
}

static const struct control_member *member_of(const struct control_command *c, const char *name)
{
	for (unsigned i = 0; i < CONTROL_MEMBERS && c->members[i].name; i++)
		if (strcmp(c->members[i].name, name) == 0)
			return &c->members[i];
	return NULL;
}

static bool is_of_type(const json_t *value, const struct control_member *m)
{
	return m->type == CONTROL_TEXT ? json_is_string(value) : json_is_integer(value);
}

/* NULL: every member that is there belongs to the command. */
static json_t *check_given(json_t *request, const struct control_command *c)
{
	const char *name;
	json_t *value;

	json_object_foreach(request, name, value)
	{
		const struct control_member *m = member_of(c, name);

		if (strcmp(name, "command") == 0 || strcmp(name, "version") == 0)
			continue;
		if (!m)
			return control_error(EINVAL, "%s: there is nothing called '%s'", c->name,
					     name);
		if (!is_of_type(value, m))
			return control_error(EINVAL, "%s: '%s' is a %s", c->name, name,
					     m->type == CONTROL_TEXT ? "text" : "whole number");
	}
	return NULL;
}

static json_t *check_missing(const json_t *request, const struct control_command *c)
{
	for (unsigned i = 0; i < CONTROL_MEMBERS && c->members[i].name; i++)
		if (!c->members[i].optional && !json_object_get(request, c->members[i].name))
			return control_error(EINVAL, "%s: '%s' is missing", c->name,
					     c->members[i].name);
	return NULL;
}

static json_t *check_version(const json_t *request)
{
	const json_t *version = json_object_get(request, "version");

	if (!version ||
	    (json_is_integer(version) && json_integer_value(version) == CONTROL_VERSION))
		return NULL;
	return control_error(EPROTONOSUPPORT, "this program speaks version %d alone",
			     CONTROL_VERSION);
}

static json_t *check(json_t *request, const struct control_command table[],
		     const struct control_command **command)
{
	const char *name = json_string_value(json_object_get(request, "command"));
	json_t *wrong = check_version(request);

	if (wrong)
		return wrong;
	if (!name)
		return control_error(EINVAL, "a request is an object with a \"command\"");
	*command = find(name, table);
	if (!*command)
		return refuse_name(name, table);
	wrong = check_given(request, *command);
	return wrong ? wrong : check_missing(request, *command);
}

json_t *control_request_parse(struct bytes line, const struct control_command table[],
			      const struct control_command **command, json_t **answer)
{
	json_error_t error;
	json_t *request =
		json_loadb((const char *)line.at, line.length, JSON_REJECT_DUPLICATES, &error);

	*answer = request ? check(request, table, command)
			  : control_error(EINVAL, "not JSON: %s", error.text);
	if (!*answer)
		return request;
	json_decref(request);
	return NULL;
}
