/* SPDX-License-Identifier: MIT */
/*
 * The commands: a row each, and a function that says in the words of exchange.h what
 * the request asks for. The members of a request were checked by the row before.
 */
#define _DEFAULT_SOURCE
#include "src/control_commands.h"

#include "src/clock.h"
#include "src/config_line.h"
#include "src/status_json.h"
#include "src/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

const char *control_text(const struct control_call *c, const char *member)
{
	return control_request_text(c->request, member);
}

json_t *control_answer(const struct exchange_answer *a)
{
	char text[sizeof(a->text)];

	if (a->error)
		return control_error(a->error, "%s", a->text);
	snprintf(text, sizeof(text), "%s", a->text);
	text_clean(text);
	return control_ok(text[0] ? text : NULL);
}

/* --- what is meant --- */

/* EXCHANGE_NO_BUNDLE: no interface has this name. */
static unsigned find_bundle(const struct control_call *c, const char *name)
{
	struct report_line lines[CONFIG_MAX_LINES];
	struct report r;

	for (unsigned k = 0; k < EXCHANGE_MAX_BUNDLES; k++)
		if (exchange_report(c->host->exchange, k, *c->host->now, &r, lines) &&
		    strcmp(r.ifname, name) == 0)
			return k;
	return EXCHANGE_NO_BUNDLE;
}

unsigned control_bundle(const struct control_call *c, const char *name)
{
	if (*name)
		return find_bundle(c, name);
	return c->host->config->answer ? EXCHANGE_NO_BUNDLE : 0;
}

json_t *control_no_line(const char *name)
{
	return control_error(EINVAL, "%s: not a member: there is no such line", name);
}

json_t *control_neither(const char *name)
{
	if (*name)
		return control_error(EINVAL, "%s: there is no line or bundle of this name", name);
	return control_error(EINVAL, "which line or bundle? there may be several");
}

/* --- reading --- */

static bool add_reports(json_t *document, const struct control_call *c)
{
	struct exchange *x = c->host->exchange;
	struct report_line lines[CONFIG_MAX_LINES];
	struct flow_pair flows[FLOWS_MAX];
	struct report r;

	for (unsigned k = 0; k <= EXCHANGE_NO_BUNDLE; k++)
		if (exchange_report(x, k, *c->host->now, &r, lines) &&
		    !status_json_add(document, &r, flows,
				     exchange_flows(x, k, *c->host->now, flows)))
			return false;
	return true;
}

static json_t *do_status(struct control_call *c)
{
	json_t *document = status_json(&(struct status_program){
		.version = SERIALBUNDLE_VERSION,
		.pid = getpid(),
		.wall_ms = clock_wall() / SB_MS,
		.uptime = c->uptime,
		.answers = c->host->config->answer,
	});

	if (document && add_reports(document, c) &&
	    json_object_set_new(document, "ok", json_true()) == 0)
		return document;
	json_decref(document);
	return NULL;
}

static json_t *do_monitor(struct control_call *c)
{
	c->stream->events = true;
	return control_ok(NULL);
}

static json_t *do_version(struct control_call *c)
{
	(void)c;
	return json_pack("{s:b, s:i, s:s}", "ok", 1, "version", CONTROL_VERSION, "program",
			 SERIALBUNDLE_VERSION);
}

/* --- lines --- */

/* What makes us run a program or read a file is not for everybody who may add a line. */
static bool is_harmless(const struct line_config *l)
{
	return strncmp(l->device, "exec:", strlen("exec:")) != 0 && !l->command[0] &&
	       !l->modem.chat[0];
}

static json_t *do_enslave(struct control_call *c)
{
	const struct config *config = c->host->config;
	struct exchange_answer a = {0};
	struct line_config line;
	char why[200];

	if (!config_line_parse(&line, control_text(c, "line"), why, sizeof(why)))
		return control_error(EINVAL, "%s", why);
	if (!is_harmless(&line) && c->peer->right < CONTROL_OWN)
		return control_error(EPERM,
				     "%s: a line that runs a program or reads a script is "
				     "for root to add",
				     line.name);
	if (!line.encap && !config->answer && config->line_count)
		line.encap = config->lines[0].encap;
	else if (!line.encap && !config->answer)
		line.encap = &encap_slip;
	exchange_add_line(c->host->exchange, &line, *c->host->now, &a);
	return control_answer(&a);
}

/* Does it to the line that is named. */
static json_t *with_line(struct control_call *c, void (*what)(struct exchange *, unsigned, sb_time,
							      struct exchange_answer *))
{
	const char *name = control_text(c, "line");
	unsigned line = exchange_find_line(c->host->exchange, name);
	struct exchange_answer a = {0};

	if (line == EXCHANGE_NO_LINE)
		return control_no_line(name);
	what(c->host->exchange, line, *c->host->now, &a);
	return control_answer(&a);
}

static json_t *do_emancipate(struct control_call *c)
{
	return with_line(c, exchange_remove_line);
}

static json_t *do_hang_up(struct control_call *c)
{
	return with_line(c, exchange_hang_up_line);
}

static json_t *do_dial(struct control_call *c)
{
	return with_line(c, exchange_dial_line);
}

static json_t *enable(struct control_call *c, bool on)
{
	const char *name = control_text(c, "name");
	unsigned line = *name ? exchange_find_line(c->host->exchange, name) : EXCHANGE_NO_LINE;
	unsigned bundle = line == EXCHANGE_NO_LINE ? control_bundle(c, name) : EXCHANGE_NO_BUNDLE;
	struct exchange_answer a = {0};

	if (line != EXCHANGE_NO_LINE)
		exchange_enable_line(c->host->exchange, line, on, *c->host->now, &a);
	else if (bundle != EXCHANGE_NO_BUNDLE)
		exchange_enable_bundle(c->host->exchange, bundle, on, *c->host->now, &a);
	else
		return control_neither(name);
	return control_answer(&a);
}

static json_t *do_up(struct control_call *c)
{
	return enable(c, true);
}

static json_t *do_down(struct control_call *c)
{
	return enable(c, false);
}

/* --- the program --- */

static json_t *do_log(struct control_call *c)
{
	static const char *const words[] = {"error", "warning", "info", "debug"};
	const char *word = control_text(c, "level");

	for (size_t i = 0; i < COUNT(words); i++) {
		if (strcmp(words[i], word) != 0)
			continue;
		log_set_level(c->host->log, (enum log_level)i);
		return control_ok(NULL);
	}
	return control_error(EINVAL, "%s: a level is error, warning, info or debug", word);
}

static json_t *do_reload(struct control_call *c)
{
	struct exchange_answer a = {0};

	if (!c->host->reload)
		return control_error(EINVAL, "there is no file to read: it runs without --config");
	c->host->reload(c->host->context, &a);
	return control_answer(&a);
}

/* --- captures --- */

static json_t *do_capture_start(struct control_call *c)
{
	const char *name = control_text(c, "line");
	unsigned line = *name ? exchange_find_line(c->host->exchange, name) : EXCHANGE_NO_LINE;
	struct exchange_answer a = {0};

	if (*name && line == EXCHANGE_NO_LINE)
		return control_no_line(name);
	exchange_capture_start(c->host->exchange, control_text(c, "file"), line, &a);
	return control_answer(&a);
}

static json_t *do_capture_stop(struct control_call *c)
{
	struct exchange_answer a = {0};

	exchange_capture_stop(c->host->exchange, control_text(c, "file"), &a);
	return control_answer(&a);
}

/* Behind the answer the capture itself follows, as a file has it. */
static json_t *do_capture_stream(struct control_call *c)
{
	const char *name = control_text(c, "name");
	unsigned line = *name ? exchange_find_line(c->host->exchange, name) : EXCHANGE_NO_LINE;
	unsigned bundle = line == EXCHANGE_NO_LINE ? control_bundle(c, name) : EXCHANGE_NO_BUNDLE;
	struct exchange_answer a = {0};

	if (line == EXCHANGE_NO_LINE && bundle == EXCHANGE_NO_BUNDLE)
		return control_neither(name);
	exchange_capture_stream(c->host->exchange, &c->stream->capture, c->stream->name, bundle,
				line, &a);
	c->stream->captures = a.error == 0;
	return control_answer(&a);
}

const struct control_command control_commands[] = {
	{"status", CONTROL_READ, do_status, {{0}}},
	{"monitor", CONTROL_READ, do_monitor, {{0}}},
	{"version", CONTROL_READ, do_version, {{0}}},
	{"show-shaper", CONTROL_READ, control_show_shaper, {{"name", CONTROL_TEXT, true}}},
	{"enslave", CONTROL_CHANGE, do_enslave, {{"line", CONTROL_TEXT, false}}},
	{"emancipate", CONTROL_CHANGE, do_emancipate, {{"line", CONTROL_TEXT, false}}},
	{"up", CONTROL_CHANGE, do_up, {{"name", CONTROL_TEXT, true}}},
	{"down", CONTROL_CHANGE, do_down, {{"name", CONTROL_TEXT, true}}},
	{"dial", CONTROL_CHANGE, do_dial, {{"line", CONTROL_TEXT, false}}},
	{"hangup", CONTROL_CHANGE, do_hang_up, {{"line", CONTROL_TEXT, false}}},
	{"set",
	 CONTROL_CHANGE,
	 control_set,
	 {{"name", CONTROL_TEXT, true},
	  {"what", CONTROL_TEXT, false},
	  {"value", CONTROL_TEXT, false}}},
	{"get",
	 CONTROL_READ,
	 control_get,
	 {{"name", CONTROL_TEXT, true}, {"what", CONTROL_TEXT, false}}},
	{"show-config", CONTROL_CHANGE, control_show_config, {{0}}},
	{"log", CONTROL_CHANGE, do_log, {{"level", CONTROL_TEXT, false}}},
	{"reload", CONTROL_CHANGE, do_reload, {{0}}},
	{"capture-start",
	 CONTROL_OWN,
	 do_capture_start,
	 {{"file", CONTROL_TEXT, false}, {"line", CONTROL_TEXT, true}}},
	{"capture-stop", CONTROL_OWN, do_capture_stop, {{"file", CONTROL_TEXT, false}}},
	{"capture-stream", CONTROL_CHANGE, do_capture_stream, {{"name", CONTROL_TEXT, true}}},
	{NULL, CONTROL_READ, NULL, {{0}}},
};

/* --- rights --- */

static json_t *refuse_right(const struct control_call *c, const struct control_command *command)
{
	const char *group = c->host->config->control_group;

	if (command->right == CONTROL_OWN || !*group)
		return control_error(EPERM, "%s: only root may do that", command->name);
	return control_error(EPERM, "%s: only root and members of the group %s may do that",
			     command->name, group);
}

/* Who changes what is worth a line in the log, ahead of what comes of it. */
static void say(const struct control_call *c, const struct control_command *command)
{
	char words[256] = "";

	if (command->right == CONTROL_READ)
		return;
	for (unsigned i = 0; i < CONTROL_MEMBERS && command->members[i].name; i++) {
		const char *word = control_text(c, command->members[i].name);
		size_t length = strlen(words);

		snprintf(words + length, sizeof(words) - length, "%s%s", *word ? " " : "", word);
	}
	log_say(c->host->log, LOG_INFO, "control: user %u: %s%s", (unsigned)c->peer->uid,
		command->name, words);
}

static json_t *obey(struct control_call *c, const struct control_command *command)
{
	if (c->peer->right < command->right)
		return refuse_right(c, command);
	say(c, command);
	return command->run(c);
}

json_t *control_obey(struct control_call *c, struct bytes line)
{
	const struct control_command *command;
	json_t *answer, *request = control_request_parse(line, control_commands, &command, &answer);

	if (!request)
		return answer;
	c->request = request;
	answer = obey(c, command);
	json_decref(request);
	return answer;
}
