/* SPDX-License-Identifier: MIT */
/*
 * The event loop around the bundle. Every wake-up goes the same way:
 *
 *   check    read the clock, once
 *   io       TUN and lines are readable or writable: tell the bundle
 *   prepare  let the bundle do what is due, watch what it wants watched, and set
 *            the timer to its next deadline
 *
 * The timer is a timerfd, since libev's own are as coarse as a millisecond, and a
 * fast line's lead is three.
 */
#define _GNU_SOURCE
#include "src/app.h"

#include "src/clock.h"
#include "src/exchange.h"
#include "src/log.h"
#include "src/output.h"
#include "src/report.h"
#include "src/service.h"

#include <errno.h>
#include <ev.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum {
	REALTIME_PRIORITY = 10,
	SUMMARY_WAIT_MS = 500, /* for a slow reader, at the end */
};
static const double status_every_s = 1;

struct watch { /* of a line's port, or of a bundle's TUN */
	struct ev_io io;
	unsigned number; /* of the line, or the bundle */
	int fd;          /* -1 when not watched */
	int events;
	uint32_t opening; /* which one of its */
};

struct app {
	int argc;
	char **argv;
	const struct config *config;
	struct log *log;
	struct exchange *exchange;
	struct service *service;
	struct ev_loop *loop;
	sb_time now; /* of this wake-up */
	int timer_fd;
	sb_time timer_at; /* what it is set to, or SB_NEVER */
	struct ev_check check;
	struct ev_prepare prepare;
	struct ev_io timer_io;
	struct ev_signal interrupt, terminate, hangup, user1;
	struct ev_timer status;
	struct watch lines[CONFIG_MAX_LINES], tuns[EXCHANGE_MAX_BUNDLES];
	bool stopping;
	enum exit_status outcome;
};

/* --- reports --- */

/* As of this wake-up: time never runs backwards for the meters. */
static void print_summary(struct app *a, int wait_ms)
{
	struct report_line lines[CONFIG_MAX_LINES];
	struct report report;
	char *text = malloc(REPORT_SIZE);
	bool read = true;

	if (!text) {
		log_say(a->log, LOG_ERROR, "out of memory for the summary");
		return;
	}
	log_status(a->log, NULL); /* it would stand in the way */
	for (unsigned k = 0; read && k <= EXCHANGE_NO_BUNDLE; k++)
		if (exchange_report(a->exchange, k, a->now, &report, lines))
			read = output_put(STDOUT_FILENO, text,
					  report_summary(&report, text, REPORT_SIZE), wait_ms);
	if (!read)
		log_say(a->log, LOG_WARN, "the summary was not read, and is left out");
	free(text);
}

static void show_status(struct app *a)
{
	struct report_line lines[CONFIG_MAX_LINES];
	struct report report;
	char text[REPORT_STATUS_SIZE];

	if (!exchange_report(a->exchange, 0, a->now, &report, lines))
		return;
	report_status(&report, text, sizeof(text));
	log_status(a->log, text);
}

/* --- what happens --- */

static void on_check(struct ev_loop *loop, struct ev_check *w, int revents)
{
	struct app *a = w->data;

	(void)loop, (void)revents;
	a->now = clock_now();
}

static void on_tun(struct ev_loop *loop, struct ev_io *w, int revents)
{
	struct watch *watch = (struct watch *)w;
	struct app *a = w->data;

	(void)loop, (void)revents;
	if (exchange_tun_readable(a->exchange, watch->number, a->now))
		return;
	log_say(a->log, LOG_ERROR, "%s: the interface is gone", exchange_name(a->exchange));
	a->outcome = EXIT_FAILED;
	ev_break(a->loop, EVBREAK_ALL);
}

static void on_timer(struct ev_loop *loop, struct ev_io *w, int revents)
{
	struct app *a = w->data;
	uint64_t times;

	(void)loop, (void)revents;
	if (read(a->timer_fd, &times, sizeof(times)) == sizeof(times))
		a->timer_at = SB_NEVER;
}

static void on_line(struct ev_loop *loop, struct ev_io *w, int revents)
{
	struct watch *watch = (struct watch *)w;
	struct app *a = w->data;

	(void)loop;
	if (revents & EV_WRITE)
		exchange_line_writable(a->exchange, watch->number, a->now);
	if (revents & EV_READ)
		exchange_line_readable(a->exchange, watch->number, a->now);
}

/* Links are ended in an orderly way; who says it twice does not want to wait. */
static void on_stop(struct ev_loop *loop, struct ev_signal *w, int revents)
{
	struct app *a = w->data;

	(void)revents;
	if (a->stopping)
		ev_break(loop, EVBREAK_ALL);
	a->stopping = true;
	service_end(a->service);
	exchange_end(a->exchange, a->now);
}

static void on_hangup(struct ev_loop *loop, struct ev_signal *w, int revents)
{
	struct app *a = w->data;

	(void)loop, (void)revents;
	service_reload(a->service);
}

static void on_user1(struct ev_loop *loop, struct ev_signal *w, int revents)
{
	(void)loop, (void)revents;
	print_summary(w->data, 0);
}

static void on_status(struct ev_loop *loop, struct ev_timer *w, int revents)
{
	(void)loop, (void)revents;
	show_status(w->data);
}

/* --- what is watched --- */

static void watch_again(struct app *a, struct watch *watch, const struct exchange_watch *what)
{
	int events = (what->wants_read ? EV_READ : 0) | (what->wants_write ? EV_WRITE : 0);

	if (what->fd == watch->fd && events == watch->events && what->openings == watch->opening)
		return;
	if (watch->fd >= 0)
		ev_io_stop(a->loop, &watch->io);
	watch->fd = what->fd;
	watch->events = events;
	watch->opening = what->openings;
	if (what->fd < 0 || !events)
		return;
	ev_io_set(&watch->io, what->fd, events);
	ev_io_start(a->loop, &watch->io);
}

static void watch_all(struct app *a)
{
	struct exchange_watch what;

	for (unsigned i = 0; i < exchange_line_count(a->exchange); i++) {
		what = exchange_watch_line(a->exchange, i);
		watch_again(a, &a->lines[i], &what);
	}
	for (unsigned k = 0; k < EXCHANGE_MAX_BUNDLES; k++) {
		what = exchange_watch_tun(a->exchange, k);
		watch_again(a, &a->tuns[k], &what);
	}
}

static void set_timer(struct app *a, sb_time at)
{
	struct itimerspec t = {0};

	if (at == a->timer_at)
		return;
	a->timer_at = at;
	if (at != SB_NEVER) {
		at = sb_time_max(at, 1); /* 0 would disarm it */
		t.it_value.tv_sec = at / SB_SEC;
		t.it_value.tv_nsec = at % SB_SEC;
	}
	timerfd_settime(a->timer_fd, TFD_TIMER_ABSTIME, &t, NULL);
}

static void on_prepare(struct ev_loop *loop, struct ev_prepare *w, int revents)
{
	struct app *a = w->data;

	(void)revents;
	exchange_run(a->exchange, a->now);
	service_run(a->service);
	watch_all(a);
	set_timer(a, exchange_deadline(a->exchange, a->now));
	if (a->stopping && exchange_has_ended(a->exchange) && !service_is_busy(a->service))
		ev_break(loop, EVBREAK_ALL);
}

static void init_watches(struct app *a, struct watch *watches, unsigned n,
			 void (*on)(struct ev_loop *, struct ev_io *, int))
{
	for (unsigned i = 0; i < n; i++) {
		watches[i].number = i;
		watches[i].fd = -1;
		ev_init(&watches[i].io, on);
		watches[i].io.data = a;
	}
}

static void start_signal(struct app *a, struct ev_signal *w,
			 void (*on)(struct ev_loop *, struct ev_signal *, int), int number)
{
	ev_signal_init(w, on, number);
	w->data = a;
	ev_signal_start(a->loop, w);
}

static void start_watching(struct app *a)
{
	ev_check_init(&a->check, on_check);
	ev_set_priority(&a->check, EV_MAXPRI); /* the clock is read before anything else runs */
	ev_prepare_init(&a->prepare, on_prepare);
	ev_io_init(&a->timer_io, on_timer, a->timer_fd, EV_READ);
	a->check.data = a->prepare.data = a->timer_io.data = a;
	ev_check_start(a->loop, &a->check);
	ev_prepare_start(a->loop, &a->prepare);
	ev_io_start(a->loop, &a->timer_io);
	start_signal(a, &a->interrupt, on_stop, SIGINT);
	start_signal(a, &a->terminate, on_stop, SIGTERM);
	start_signal(a, &a->hangup, on_hangup, SIGHUP);
	start_signal(a, &a->user1, on_user1, SIGUSR1);
	init_watches(a, a->lines, CONFIG_MAX_LINES, on_line);
	init_watches(a, a->tuns, EXCHANGE_MAX_BUNDLES, on_tun);
	if (!log_is_terminal(a->log) || a->config->verbosity == 0)
		return;
	ev_timer_init(&a->status, on_status, status_every_s, status_every_s);
	a->status.data = a;
	ev_timer_start(a->loop, &a->status);
}

/* --- set-up --- */

static enum exit_status open_loop(struct app *a)
{
	a->loop = ev_loop_new(EVFLAG_AUTO);
	a->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	a->timer_at = SB_NEVER;
	if (a->loop && a->timer_fd >= 0)
		return EXIT_FINE;
	log_say(a->log, LOG_ERROR, "no event loop: %s", strerror(errno));
	return EXIT_FAILED;
}

static void go_realtime(struct app *a)
{
	struct sched_param p = {.sched_priority = REALTIME_PRIORITY};

	if (a->config->realtime && sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &p) != 0)
		log_say(a->log, LOG_WARN, "no real-time scheduling: %s; going on without",
			strerror(errno));
}

static enum exit_status set_up(struct app *a)
{
	enum exit_status e = open_loop(a);

	if (e != EXIT_FINE)
		return e;
	a->now = clock_now();
	a->exchange = exchange_new(a->config, a->log, a->now, &e);
	if (!a->exchange)
		return e;
	a->service = service_new(
		&(struct service_host){
			.argc = a->argc,
			.argv = a->argv,
			.config = a->config,
			.log = a->log,
			.loop = a->loop,
			.exchange = a->exchange,
			.now = &a->now,
		},
		&e);
	return a->service ? exchange_start(a->exchange, a->now) : e;
}

static void tear_down(struct app *a)
{
	service_free(a->service);
	exchange_free(a->exchange);
	if (a->timer_fd >= 0)
		close(a->timer_fd);
	if (a->loop)
		ev_loop_destroy(a->loop);
	log_free(a->log);
}

static void run(struct app *a)
{
	start_watching(a);
	go_realtime(a);
	if (a->config->answer)
		log_say(a->log, LOG_INFO, "ready to answer on %u lines", a->config->line_count);
	else
		log_say(a->log, LOG_INFO, "%s: ready", exchange_name(a->exchange));
	service_begin(a->service);
	ev_run(a->loop, 0);
	log_status(a->log, NULL);
	if (a->config->verbosity > 0)
		print_summary(a, SUMMARY_WAIT_MS);
}

enum exit_status app_run(const struct config *config, int argc, char *argv[])
{
	static const enum log_level levels[] = {LOG_WARN, LOG_INFO, LOG_DEBUG};
	struct app *a = calloc(1, sizeof(*a));
	enum exit_status outcome;

	if (a)
		a->log = log_new(levels[config->verbosity]);
	if (!a || !a->log) {
		fputs("serialbundle: out of memory\n", stderr);
		free(a);
		return EXIT_FAILED;
	}
	signal(SIGPIPE, SIG_IGN); /* a reader of our output, or of a capture, may leave */
	signal(SIGXFSZ, SIG_IGN);
	a->config = config;
	a->argc = argc;
	a->argv = argv;
	a->timer_fd = -1;
	a->outcome = set_up(a);
	if (a->outcome == EXIT_FINE)
		run(a);
	outcome = a->outcome;
	tear_down(a);
	free(a);
	return outcome;
}
