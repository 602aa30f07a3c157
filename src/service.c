/* SPDX-License-Identifier: MIT */
/*
 * The service manager's protocol is sd_notify(3)'s: READY once, RELOADING and READY around a
 * reload, WATCHDOG while the event loop goes round, STATUS when it changed.
 */
#define _DEFAULT_SOURCE
#include "src/service.h"

#include "src/clock.h"
#include "src/control.h"
#include "src/hooks.h"
#include "src/notify.h"

#include <errno.h>
#include <ev.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_SIZE = 128, WRONG_SIZE = 320 };
static const double status_every_s = 1;

struct service {
	struct service_host host;
	struct config *fresh; /* what was read again; its memory */
	struct control_server *control;
	struct hooks *hooks;
	struct ev_timer watchdog, status;
	char said[STATUS_SIZE];                   /* to the service manager */
	char wrong[WRONG_SIZE], note[WRONG_SIZE]; /* first in what was read */
};

/* --- the service manager --- */

static void on_watchdog(struct ev_loop *loop, struct ev_timer *w, int revents)
{
	(void)loop, (void)w, (void)revents;
	notify_send("WATCHDOG=1", NULL);
}

/* WATCHDOG_USEC is for us if WATCHDOG_PID says so, or nothing (sd_watchdog_enabled(3)). */
static double watchdog_seconds(void)
{
	const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");

	if (!usec || (pid && strtol(pid, NULL, 10) != (long)getpid()))
		return 0;
	return (double)strtoull(usec, NULL, 10) / 1e6;
}

static void start_watchdog(struct service *s)
{
	double every = watchdog_seconds() / 2;

	ev_timer_init(&s->watchdog, on_watchdog, every, every);
	if (every > 0)
		ev_timer_start(s->host.loop, &s->watchdog);
}

/* Lines that are up in all bundles, of all lines. */
static void count_lines(struct service *s, unsigned *up, unsigned *all)
{
	struct report_line lines[CONFIG_MAX_LINES];
	struct report r;

	*up = *all = 0;
	for (unsigned k = 0; k <= EXCHANGE_NO_BUNDLE; k++) {
		if (!exchange_report(s->host.exchange, k, *s->host.now, &r, lines))
			continue;
		*up += r.lines_up;
		*all += r.line_count;
	}
}

static void on_status(struct ev_loop *loop, struct ev_timer *w, int revents)
{
	struct service *s = w->data;
	char text[STATUS_SIZE];
	unsigned up, all;

	(void)loop, (void)revents;
	count_lines(s, &up, &all);
	snprintf(text, sizeof(text), "%u of %u lines up", up, all);
	if (strcmp(text, s->said) == 0)
		return;
	memcpy(s->said, text, sizeof(text));
	notify_send(NULL, text);
}

/* Only where somebody listens: an idle program sleeps. */
static void start_status(struct service *s)
{
	ev_timer_init(&s->status, on_status, 0, status_every_s);
	s->status.data = s;
	if (getenv("NOTIFY_SOCKET"))
		ev_timer_start(s->host.loop, &s->status);
}

/* --- changes --- */

static void keep_first(char to[static WRONG_SIZE], const char *text)
{
	static const char more[] = "...";

	if (to[0])
		return;
	snprintf(to, WRONG_SIZE, "%.*s", WRONG_SIZE - 1, text);
	if (strlen(text) >= WRONG_SIZE)
		memcpy(to + WRONG_SIZE - sizeof(more), more, sizeof(more));
}

static void say_wrong(void *context, const struct config_message *m)
{
	struct service *s = context;

	log_say(s->host.log, m->is_note ? LOG_INFO : LOG_ERROR, "%s", m->text);
	keep_first(m->is_note ? s->note : s->wrong, m->text);
}

static void say_reloading(void)
{
	char text[64];

	snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
		 (uint64_t)clock_now() / 1000);
	notify_send(text, NULL);
}

static void reconfigure(struct service *s, struct exchange_answer *answer)
{
	size_t length;

	exchange_reconfigure(s->host.exchange, s->fresh, *s->host.now, answer);
	length = strlen(answer->text);
	if (s->note[0])
		snprintf(answer->text + length, sizeof(answer->text) - length, "; %s", s->note);
}

static void reload(void *context, struct exchange_answer *answer)
{
	struct service *s = context;
	const struct service_host *h = &s->host;

	say_reloading();
	s->wrong[0] = s->note[0] = '\0';
	if (config_read_again(h->config, h->argc, h->argv, s->fresh, say_wrong, s)) {
		reconfigure(s, answer);
	} else {
		answer->error = EINVAL;
		snprintf(answer->text, sizeof(answer->text), "nothing has changed: %s", s->wrong);
	}
	log_say(h->log, answer->error ? LOG_ERROR : LOG_INFO, "reload: %s", answer->text);
	notify_send("READY=1", NULL);
}

void service_reload(struct service *s)
{
	struct exchange_answer answer = {0};

	if (s->host.config->file[0])
		reload(s, &answer);
	exchange_retry_now(s->host.exchange, *s->host.now);
}

/* --- what happened --- */

static const char *command_of(const struct service *s, const struct exchange_event *e)
{
	const struct config *c = exchange_config(s->host.exchange);

	for (unsigned i = 0; i < c->line_count; i++)
		if (strcmp(c->lines[i].name, e->line_name) == 0)
			return c->lines[i].command;
	return "";
}

void service_run(struct service *s)
{
	struct exchange_event e;

	while (exchange_event(s->host.exchange, &e)) {
		control_server_tell(s->control, &e);
		hooks_heed(s->hooks, &e, command_of(s, &e));
	}
}

bool service_is_busy(const struct service *s)
{
	return hooks_are_busy(s->hooks);
}

/* --- its life --- */

void service_begin(struct service *s)
{
	notify_send("READY=1", NULL);
	start_watchdog(s);
	start_status(s);
}

void service_end(struct service *s)
{
	ev_timer_stop(s->host.loop, &s->status); /* its word would be the last one */
	notify_send("STOPPING=1", NULL);
}

static enum exit_status set_up(struct service *s)
{
	const struct service_host *h = &s->host;
	enum exit_status status = EXIT_FAILED;
	const struct control_host control = {
		.config = exchange_config(h->exchange),
		.log = h->log,
		.loop = h->loop,
		.exchange = h->exchange,
		.now = h->now,
		.reload = h->config->file[0] ? reload : NULL,
		.context = s,
	};

	s->fresh = malloc(sizeof(*s->fresh));
	s->hooks = hooks_new(exchange_config(h->exchange), h->log, h->loop);
	if (!s->fresh || !s->hooks) {
		log_say(h->log, LOG_ERROR, "out of memory");
		return EXIT_FAILED;
	}
	s->control = control_server_new(&control, &status);
	return s->control ? EXIT_FINE : status;
}

struct service *service_new(const struct service_host *host, enum exit_status *status)
{
	struct service *s = calloc(1, sizeof(*s));

	if (!s) {
		log_say(host->log, LOG_ERROR, "out of memory");
		*status = EXIT_FAILED;
		return NULL;
	}
	s->host = *host;
	*status = set_up(s);
	if (*status == EXIT_FINE)
		return s;
	service_free(s);
	return NULL;
}

void service_free(struct service *s)
{
	if (!s)
		return;
	ev_timer_stop(s->host.loop, &s->watchdog);
	ev_timer_stop(s->host.loop, &s->status);
	control_server_free(s->control);
	hooks_free(s->hooks);
	free(s->fresh);
	free(s);
}
