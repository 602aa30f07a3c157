/* SPDX-License-Identifier: MIT */
/*
 * nullmodem: null-modem cables in software, to test what runs over serial lines.
 *
 *   options, spec    text to data
 *   wire, noise, outage    what a line does, as arithmetic on a time given
 *   hayes, telephone, phone_book    what modems do, and what is between them
 *   end, station, way, circuit, cable, network    file descriptors to and from wires
 *   loop, presence, control, report    the rest of the world
 *
 * It shares no code with what it judges.
 */
#define _GNU_SOURCE
#include "src/nullmodem/control.h"
#include "src/nullmodem/options.h"
#include "src/nullmodem/report.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

struct program {
	struct options options;
	struct network network;
	struct control *control;
	int signals;
	struct source signal_source;
};

static void complain(const char *what, const char *why)
{
	fprintf(stderr, "nullmodem: %s: %s\n", what, why);
}

/* ---- signals ---- */

static void toggle_hang_up(struct network *n)
{
	sb_time now = loop_now(n->loop);
	bool hung_up = false;
	for (unsigned i = 0; i < n->count; i++)
		hung_up |= cable_is_hung_up(n->cables[i], now);
	for (unsigned i = 0; i < n->count; i++) {
		if (hung_up)
			cable_return(n->cables[i], now);
		else
			cable_hang_up(n->cables[i], now, SB_NEVER);
	}
}

static void report_now(struct program *p)
{
	const struct options *o = &p->options;
	bool nowhere = !o->report && !o->json;
	if (!report_write(&p->network, nowhere ? "-" : o->report, o->json))
		complain("report", strerror(errno));
}

static void on_signal(void *owner, uint32_t events)
{
	(void)events;
	struct program *p = owner;
	struct signalfd_siginfo info;
	while (read(p->signals, &info, sizeof info) == sizeof info) {
		if (info.ssi_signo == SIGUSR1)
			report_now(p);
		else if (info.ssi_signo == SIGUSR2)
			toggle_hang_up(&p->network);
		else
			p->network.stopping = true;
	}
}

/* Before anything exists that a signal could leave behind. */
static bool block_signals(struct program *p)
{
	static const int taken[] = {SIGUSR1, SIGUSR2, SIGINT, SIGTERM, SIGHUP};
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		sigaddset(&set, taken[i]);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	p->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return p->signals >= 0;
}

static bool take_signals(struct program *p)
{
	p->signal_source = (struct source){on_signal, p};
	return p->signals >= 0 && loop_add(p->network.loop, p->signals, EPOLLIN, &p->signal_source);
}

/* ---- life ---- */

static bool run_before_others(void)
{
	struct sched_param param = {.sched_priority = 1};
	return sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &param) == 0;
}

static bool say_ready(const struct options *o)
{
	char pid[32];
	snprintf(pid, sizeof pid, "%ld\n", (long)getpid());
	if (o->ready && !report_replace_file(o->ready, pid)) {
		complain(o->ready, strerror(errno));
		return false;
	}
	if (!o->quiet) {
		puts("nullmodem: ready");
		fflush(stdout);
	}
	return true;
}

/* Each step says what went wrong. */
static bool start(struct program *p)
{
	const struct options *o = &p->options;
	char text[320];
	if (o->ready)
		report_remove_file(o->ready); /* of an earlier run */
	if (!block_signals(p)) {
		complain("signals", strerror(errno));
		return false;
	}
	if (!network_open(&p->network, o, text, sizeof text)) {
		fprintf(stderr, "nullmodem: %s\n", text);
		return false;
	}
	if (!take_signals(p)) {
		complain("signals", strerror(errno));
		return false;
	}
	if (o->control && !(p->control = control_open(o->control, &p->network))) {
		complain(o->control, strerror(errno));
		return false;
	}
	if (o->realtime && !run_before_others())
		complain("--realtime has no effect", strerror(errno));
	return say_ready(o);
}

static bool run(struct program *p)
{
	const struct options *o = &p->options;
	if (!network_run(&p->network, o->duration)) {
		complain("wait", strerror(errno));
		return false;
	}
	if (!report_write(&p->network, o->report, o->json)) {
		complain("report", strerror(errno));
		return false;
	}
	return true;
}

static void stop(struct program *p)
{
	if (p->options.ready)
		report_remove_file(p->options.ready);
	control_close(p->control);
	network_close(&p->network);
	if (p->signals >= 0)
		close(p->signals);
}

int main(int argc, char *argv[])
{
	static struct program program = {.signals = -1};
	switch (options_parse(&program.options, argc, argv)) {
	case OPTIONS_DONE:
		return EXIT_FINE;
	case OPTIONS_WRONG:
		return EXIT_USAGE;
	case OPTIONS_RUN:
		break;
	}
	bool ok = start(&program) && run(&program);
	stop(&program);
	return ok ? EXIT_FINE : EXIT_FAILED;
}
