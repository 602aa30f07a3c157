/* SPDX-License-Identifier: MIT */
/*
 * The commands: a row each. Most are a request with the words of the command line
 * in it, and the answer's message; others show what they got in a way of their own.
 */
#define _DEFAULT_SOURCE
#include "src/ctl/commands.h"

#include "src/ctl/bonding_text.h"
#include "src/ctl/document.h"
#include "src/ctl/metrics.h"
#include "src/ctl/shaper_text.h"
#include "src/ctl/status_text.h"
#include "src/ctl/top.h"
#include "src/ports_list.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const lock_dir = "/run/lock";

enum ctl_exit ctl_fail(const struct ctl_why *why)
{
	fprintf(stderr, "serialbundlectl: %s\n", why->text);
	return CTL_FAILED;
}

/* Which socket the options mean. False: it was said why not, and *e is the exit status. */
static bool path_of(const struct ctl_options *o, char path[static PATH_MAX], enum ctl_exit *e)
{
	struct ctl_why why = {0};

	*e = CTL_FINE;
	if (*o->socket)
		snprintf(path, PATH_MAX, "%s", o->socket);
	else
		*e = ctl_find(CTL_DIRECTORY, o->bundle, path, &why);
	if (*e != CTL_FINE)
		ctl_fail(&why);
	return *e == CTL_FINE;
}

struct ctl_client *ctl_open(const struct ctl_options *o, enum ctl_exit *e)
{
	struct ctl_why why = {0};
	char path[PATH_MAX];
	struct ctl_client *c;

	if (!path_of(o, path, e))
		return NULL;
	c = ctl_connect(path, &why);
	if (c)
		return c;
	*e = CTL_NO_DAEMON;
	ctl_fail(&why);
	return NULL;
}

static void print_json(const struct ctl_options *o, const json_t *value)
{
	json_dumpf(value, stdout,
		   JSON_REAL_PRECISION(10) | (o->pretty ? JSON_INDENT(2) : JSON_COMPACT));
	putchar('\n');
}

/* Takes over the request. NULL: it was said why, and *e is the exit status. */
static json_t *request(const struct ctl_options *o, json_t *request, enum ctl_exit *e)
{
	struct ctl_client *c = ctl_open(o, e);
	struct ctl_why why = {0};
	json_t *answer = c ? ctl_request(c, request, &why) : NULL;

	if (c && !answer)
		*e = ctl_fail(&why);
	ctl_close(c);
	json_decref(request);
	return answer;
}

static json_t *request_of(const char *command)
{
	return json_pack("{s:s}", "command", command);
}

/* False: it is no text that JSON can hold. */
static bool set_word(json_t *request, const char *member, const char *word)
{
	if (json_object_set_new(request, member, json_string(word)) == 0)
		return true;
	fprintf(stderr, "serialbundlectl: '%s' is no UTF-8 text\n", word);
	return false;
}

static enum ctl_exit show_message(const struct ctl_options *o, json_t *request_made)
{
	enum ctl_exit e;
	json_t *answer = request(o, request_made, &e);
	const char *message = json_string_value(json_object_get(answer, "message"));

	if (answer && o->json)
		print_json(o, answer);
	else if (message && *message)
		puts(message);
	json_decref(answer);
	return e;
}

/* --- what is no more than a request --- */

static enum ctl_exit do_plain(const struct ctl_options *o, const struct ctl_command *command,
			      char *words[], unsigned count)
{
	json_t *r = request_of(command->name);

	for (unsigned i = 0; i < count; i++) {
		if (set_word(r, command->members[i], words[i]))
			continue;
		json_decref(r);
		return CTL_USAGE;
	}
	return show_message(o, r);
}

/* "log level debug" and "log debug". */
static enum ctl_exit do_log(const struct ctl_options *o, const struct ctl_command *command,
			    char *words[], unsigned count)
{
	if (count == 2 && strcmp(words[0], "level") != 0) {
		fprintf(stderr, "usage: serialbundlectl log %s\n", command->usage);
		return CTL_USAGE;
	}
	return do_plain(o, command, words + count - 1, 1);
}

/* [NAME] and the rest: "set mode balance-rr", "set a0 bps 28800", "get a0 bps". */
static enum ctl_exit do_named(const struct ctl_options *o, const struct ctl_command *command,
			      char *words[], unsigned count)
{
	struct ctl_command unnamed = *command;

	if (count == command->most)
		return do_plain(o, command, words, count);
	for (unsigned i = 0; i < count; i++)
		unnamed.members[i] = command->members[i + 1];
	return do_plain(o, &unnamed, words, count);
}

/* --- reading --- */

static enum ctl_exit do_status(const struct ctl_options *o, const struct ctl_command *command,
			       char *words[], unsigned count)
{
	enum ctl_exit e;
	json_t *answer = request(o, request_of(command->name), &e);

	(void)words, (void)count;
	json_object_del(answer, "ok");
	if (answer && o->json)
		print_json(o, answer);
	else if (answer && o->bonding)
		bonding_text(answer, stdout);
	else if (answer)
		status_text(answer, o->colour, stdout);
	json_decref(answer);
	return e;
}

static void show_answer(const struct ctl_options *o, json_t *answer,
			void (*text)(const json_t *, FILE *))
{
	json_object_del(answer, "ok");
	if (answer && o->json)
		print_json(o, answer);
	else if (answer)
		text(answer, stdout);
	json_decref(answer);
}

static enum ctl_exit show_shaper(const struct ctl_options *o, const char *name)
{
	json_t *r = request_of("show-shaper");
	enum ctl_exit e = CTL_USAGE;

	if (!*name || set_word(r, "name", name))
		show_answer(o, request(o, r, &e), shaper_text);
	else
		json_decref(r);
	return e;
}

static void config_text(const json_t *answer, FILE *to)
{
	const char *text = json_string_value(json_object_get(answer, "config"));

	fputs(text ? text : "", to);
}

/* shaper [LINE|BUNDLE], config */
static enum ctl_exit do_show(const struct ctl_options *o, const struct ctl_command *command,
			     char *words[], unsigned count)
{
	enum ctl_exit e;

	if (strcmp(words[0], "shaper") == 0)
		return show_shaper(o, count > 1 ? words[1] : "");
	if (strcmp(words[0], "config") == 0 && count == 1) {
		show_answer(o, request(o, request_of("show-config"), &e), config_text);
		return e;
	}
	fprintf(stderr, "usage: serialbundlectl show %s\n", command->usage);
	return CTL_USAGE;
}

static enum ctl_exit do_metrics(const struct ctl_options *o, const struct ctl_command *command,
				char *words[], unsigned count)
{
	enum ctl_exit e;
	json_t *answer = request(o, request_of("status"), &e);

	(void)command, (void)words, (void)count;
	if (answer)
		metrics_text(answer, stdout);
	json_decref(answer);
	return e;
}

static enum ctl_exit do_version(const struct ctl_options *o, const struct ctl_command *command,
				char *words[], unsigned count)
{
	enum ctl_exit e;
	json_t *answer = request(o, request_of(command->name), &e);
	const char *version = json_string_value(json_object_get(answer, "program"));

	(void)words, (void)count;
	if (answer && o->json)
		print_json(o, answer);
	else if (version)
		printf("serialbundle %s is running\n", version);
	json_decref(answer);
	return e;
}

static void show_event(const struct ctl_options *o, const json_t *event)
{
	if (o->json)
		print_json(o, event);
	else
		event_text(event, o->colour, stdout);
	fflush(stdout);
}

static enum ctl_exit do_monitor(const struct ctl_options *o, const struct ctl_command *command,
				char *words[], unsigned count)
{
	enum ctl_exit e;
	struct ctl_client *c = ctl_open(o, &e);
	struct ctl_why why = {0};
	json_t *answer = c ? ctl_ask(c, command->name, &why) : NULL;

	(void)words, (void)count;
	if (answer)
		for (json_t *event; (event = ctl_next(c, &why)); json_decref(event))
			show_event(o, event);
	json_decref(answer);
	ctl_close(c);
	return c ? ctl_fail(&why) : e;
}

static enum ctl_exit do_top(const struct ctl_options *o, const struct ctl_command *command,
			    char *words[], unsigned count)
{
	enum ctl_exit e;
	char path[PATH_MAX];

	(void)command, (void)words, (void)count;
	return path_of(o, path, &e) ? ctl_top(path, o->colour) : e;
}

/* --- ports --- */

/* Which of them are lines of the running program; without one, none is. */
static void name_lines(const struct ctl_options *o, struct ports_row *rows, size_t count)
{
	struct ctl_why why = {0};
	char path[PATH_MAX];
	struct ctl_client *c = NULL;
	json_t *answer = NULL, *line;
	size_t i;

	if (*o->socket)
		snprintf(path, sizeof(path), "%s", o->socket);
	if (*o->socket || ctl_find(CTL_DIRECTORY, o->bundle, path, &why) == CTL_FINE)
		c = ctl_connect(path, &why);
	if (c)
		answer = ctl_ask(c, "status", &why);
	json_array_foreach(json_object_get(answer, "lines"), i, line)
		ports_list_name_line(rows, count, word(line, "device"), word(line, "name"));
	json_decref(answer);
	ctl_close(c);
}

static json_t *text_or_null(const char *text)
{
	json_t *value = *text ? json_string(text) : NULL;

	return value ? value : json_null();
}

static json_t *id_or_null(int id)
{
	return id > 0 ? json_sprintf("%04x", (unsigned)id) : json_null();
}

static json_t *port_json(const struct ports_row *r)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "device",
			 text_or_null(r->device), "description", text_or_null(r->description),
			 "transport", text_or_null(r->transport), "by_id", text_or_null(r->by_id),
			 "vendor_id", id_or_null(r->vendor_id), "product_id",
			 id_or_null(r->product_id), "interface",
			 r->interface >= 0 ? json_integer(r->interface) : json_null(),
			 "manufacturer", text_or_null(r->manufacturer), "product",
			 text_or_null(r->product), "serial", text_or_null(r->serial), "held_by",
			 text_or_null(r->held_by), "line", text_or_null(r->line));
}

static void print_ports_json(const struct ctl_options *o, const struct ports_row *rows,
			     size_t count)
{
	json_t *ports = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(ports, port_json(&rows[i]));
	print_json(o, ports);
	json_decref(ports);
}

static enum ctl_exit do_ports(const struct ctl_options *o, const struct ctl_command *command,
			      char *words[], unsigned count)
{
	static struct ports_row rows[PORTS_MAX];
	char text[64 * 1024];
	size_t n = ports_list(rows, lock_dir);

	(void)command, (void)words, (void)count;
	name_lines(o, rows, n);
	if (o->json) {
		print_ports_json(o, rows, n);
	} else {
		ports_list_text(rows, n, text, sizeof(text));
		fputs(text, stdout);
	}
	return CTL_FINE;
}

/* --- captures --- */

/* The program has another working directory. */
static json_t *capture_request(const char *command, const char *file)
{
	char path[2 * PATH_MAX], here[PATH_MAX];
	bool relative = *file != '/' && getcwd(here, sizeof(here));
	json_t *r = request_of(command);

	snprintf(path, sizeof(path), "%s%s%s", relative ? here : "", relative ? "/" : "", file);
	if (set_word(r, "file", path))
		return r;
	json_decref(r);
	return NULL;
}

static enum ctl_exit copy_stream(struct ctl_client *c)
{
	struct ctl_why why = {0};
	char piece[4096];
	ssize_t n;

	while ((n = ctl_read(c, piece, sizeof(piece), &why)) > 0)
		if (fwrite(piece, 1, (size_t)n, stdout) < (size_t)n || fflush(stdout) != 0)
			return CTL_FINE; /* whoever read it has seen enough */
	return n < 0 ? ctl_fail(&why) : CTL_FINE;
}

static enum ctl_exit capture_stream(const struct ctl_options *o, const char *name)
{
	enum ctl_exit e;
	struct ctl_client *c = ctl_open(o, &e);
	struct ctl_why why = {0};
	json_t *r = request_of("capture-stream"), *answer = NULL;

	if (*name)
		set_word(r, "name", name);
	if (c)
		answer = ctl_request(c, r, &why);
	if (answer)
		e = copy_stream(c);
	else if (c)
		e = ctl_fail(&why);
	json_decref(answer);
	json_decref(r);
	ctl_close(c);
	return e;
}

static enum ctl_exit capture_file(const struct ctl_options *o, const char *command,
				  const char *file, const char *line)
{
	json_t *r = capture_request(command, file);

	if (!r || (*line && !set_word(r, "line", line))) {
		json_decref(r);
		return CTL_USAGE;
	}
	return show_message(o, r);
}

/* start FILE [LINE], stop FILE, - [NAME] */
static enum ctl_exit do_capture(const struct ctl_options *o, const struct ctl_command *command,
				char *words[], unsigned count)
{
	const char *what = words[0], *last = count == 3 ? words[2] : "";

	if (strcmp(what, "-") == 0 && count <= 2)
		return capture_stream(o, count == 2 ? words[1] : "");
	if (strcmp(what, "start") == 0 && count >= 2)
		return capture_file(o, "capture-start", words[1], last);
	if (strcmp(what, "stop") == 0 && count == 2)
		return capture_file(o, "capture-stop", words[1], "");
	fprintf(stderr, "usage: serialbundlectl capture %s\n", command->usage);
	return CTL_USAGE;
}

const struct ctl_command ctl_commands[] = {
	{"status", 0, 0, do_status, "[--bonding]", "how bundles and lines are", {0}},
	{"show",
	 1,
	 2,
	 do_show,
	 "shaper [LINE|BUNDLE] | config",
	 "what is assumed of lines; all of it, as a file",
	 {0}},
	{"monitor", 0, 0, do_monitor, "", "what happens, as it happens", {0}},
	{"top", 0, 0, do_top, "", "what passes, and what limits it, each second", {0}},
	{"metrics", 0, 0, do_metrics, "", "counters and states, for Prometheus", {0}},
	{"ports", 0, 0, do_ports, "", "the serial ports of this machine", {0}},
	{"enslave",
	 1,
	 1,
	 do_plain,
	 "LINE",
	 "add a line: DEVICE:BPS[@BAUD][,key=value...]",
	 {"line"}},
	{"emancipate", 1, 1, do_plain, "LINE", "remove a line, losing nothing", {"line"}},
	{"up", 0, 1, do_plain, "[LINE|BUNDLE]", "let it come up, at once", {"name"}},
	{"down", 0, 1, do_plain, "[LINE|BUNDLE]", "take it down, to stay so", {"name"}},
	{"dial", 1, 1, do_plain, "LINE", "call now", {"line"}},
	{"hangup", 1, 1, do_plain, "LINE", "end the call; it is tried again as usual", {"line"}},
	{"set",
	 2,
	 3,
	 do_named,
	 "[LINE|BUNDLE] KEY VALUE",
	 "change it while it runs, as in the file",
	 {"name", "what", "value"}},
	{"get", 1, 2, do_named, "[LINE|BUNDLE] KEY", "what it is now", {"name", "what"}},
	{"capture",
	 1,
	 3,
	 do_capture,
	 "start FILE [LINE] | stop FILE | - [LINE|BUNDLE]",
	 "write what passes to a file, or to standard output",
	 {0}},
	{"log", 1, 2, do_log, "[level] error|warning|info|debug", "how much it says", {"level"}},
	{"reload", 0, 0, do_plain, "", "read the configuration file again", {0}},
	{"version", 0, 0, do_version, "", "of the program that runs", {0}},
	{0},
};
