/* SPDX-License-Identifier: MIT */
/*
 * A job is a program with its arguments and environment, kept as one block of
 * strings. Jobs stand in one list in the order of events; a job may start when no
 * other one with its key runs or stands before it, a key being a bundle or a line.
 *
 * A child is watched by a pidfd of its own, so this has nothing to do with other
 * children of the process, and needs no signal. Each leads a session: what it
 * started goes with it when its time is up, first by SIGTERM, soon by SIGKILL.
 */
#define _GNU_SOURCE
#include "src/hooks.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ev.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STRINGS = 40, BLOCK = 4096 };
static const double kill_after_s = 2; /* SIGTERM */

struct job {
	struct job *next;
	struct hooks *owner;
	unsigned key;
	const char *what;                  /* the option it is of, for messages */
	char whom[CONFIG_DEVICE_SIZE];     /* the line or the interface, likewise */
	char *words[STRINGS];              /* argv, NULL, environment, NULL: into block */
	unsigned word_count, environ_from; /* words[environ_from]: the first variable */
	char block[BLOCK];
	size_t used;
	bool too_long; /* something did not fit */
	bool is_command;

	pid_t pid; /* 0: waits */
	int pidfd;
	bool out_of_time;
	struct ev_io ends;
	struct ev_timer limit;
};

struct hooks {
	const struct config *config;
	struct log *log;
	struct ev_loop *loop;
	struct job *first;
	unsigned count;
};

/* --- a job's strings --- */

__attribute__((format(printf, 2, 3))) static void put(struct job *j, const char *format, ...)
{
	size_t room = BLOCK - j->used;
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(j->block + j->used, room, format, arguments);
	va_end(arguments);
	if (n < 0 || (size_t)n >= room || j->word_count + 2 > STRINGS) {
		j->too_long = true;
		return;
	}
	j->words[j->word_count++] = j->block + j->used;
	j->used += (size_t)n + 1;
}

static const char *ipv4(uint32_t address, char to[static INET_ADDRSTRLEN])
{
	struct in_addr a = {.s_addr = htonl(address)};

	return address ? inet_ntop(AF_INET, &a, to, INET_ADDRSTRLEN) : "";
}

/* Arguments as pppd gives them: interface, device, speed, local, remote, and ours for ipparam. */
static void put_arguments(struct job *j, const char *program, const struct exchange_event *e)
{
	char local[INET_ADDRSTRLEN], remote[INET_ADDRSTRLEN];

	put(j, "%s", program);
	put(j, "%s", e->ifname);
	put(j, "%s", e->device);
	put(j, "%" PRIu32, e->bps);
	put(j, "%s", ipv4(e->local, local));
	put(j, "%s", ipv4(e->remote, remote));
	put(j, "%s", e->line_name);
}

static void put_environment(struct job *j, const struct exchange_event *e)
{
	char address[INET_ADDRSTRLEN];

	put(j, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
	put(j, "SERIALBUNDLE_EVENT=%s", j->what);
	put(j, "SERIALBUNDLE_PID=%ld", (long)getpid());
	put(j, "IFNAME=%s", e->ifname);
	put(j, "interface=%s", e->ifname); /* DSLIP's word in commands */
	put(j, "DEVICE=%s", e->device);
	put(j, "LINKNAME=%s", e->line_name);
	put(j, "SPEED=%" PRIu32, e->bps);
	put(j, "IPLOCAL=%s", ipv4(e->local, address));
	put(j, "IPREMOTE=%s", ipv4(e->remote, address));
	put(j, "PEERNAME=%s", e->peer_name);
	put(j, "REASON=%s", e->text);
	put(j, "ORIG_UID=%ld", (long)getuid());
	for (unsigned i = 0; i < 2; i++)
		if (e->dns[i])
			put(j, "DNS%u=%s", i + 1, ipv4(e->dns[i], address));
	if (e->dns[0])
		put(j, "USEPEERDNS=1");
}

/* What pppd tells of a connection that is over. */
static void put_account(struct job *j, const struct exchange_event *e)
{
	put(j, "CONNECT_TIME=%.0f", floor(e->seconds));
	put(j, "BYTES_SENT=%" PRIu64, e->bytes_out);
	put(j, "BYTES_RCVD=%" PRIu64, e->bytes_in);
}

static bool is_over(enum exchange_event_kind kind)
{
	return kind == EXCHANGE_LINE_DOWN || kind == EXCHANGE_BUNDLE_DOWN;
}

/* --- the list --- */

static void drop(struct job *j)
{
	struct hooks *h = j->owner;
	struct job **at = &h->first;

	while (*at != j)
		at = &(*at)->next;
	*at = j->next;
	h->count--;
	if (j->pid) {
		ev_io_stop(h->loop, &j->ends);
		ev_timer_stop(h->loop, &j->limit);
		close(j->pidfd);
	}
	free(j);
}

static bool may_start(const struct hooks *h, const struct job *j)
{
	if (j->pid)
		return false;
	for (const struct job *k = h->first; k != j; k = k->next)
		if (k->key == j->key)
			return false;
	return true;
}

/* --- running --- */

/* A command is known by its text, not by the shell that runs it. */
static const char *name_of(const struct job *j)
{
	return j->words[j->is_command ? 2 : 0];
}

__attribute__((format(printf, 3, 4))) static void say(const struct job *j, enum log_level level,
						      const char *format, ...)
{
	char text[128];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	log_say(j->owner->log, level, "%s: %s: %s %s", j->whom, j->what, name_of(j), text);
}

static void say_end(const struct job *j, int status)
{
	if (j->out_of_time)
		say(j, LOG_WARN, "took longer than %.0f s and was ended",
		    (double)j->owner->config->hook_timeout / SB_SEC);
	else if (WIFSIGNALED(status))
		say(j, LOG_WARN, "was ended by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status))
		say(j, LOG_WARN, "failed: exit status %d", WEXITSTATUS(status));
	else
		say(j, LOG_DEBUG, "is done");
}

static void start_all(struct hooks *h);

static void on_end(struct ev_loop *loop, struct ev_io *w, int revents)
{
	struct job *j = w->data;
	struct hooks *h = j->owner;
	int status = 0;

	(void)loop, (void)revents;
	if (waitpid(j->pid, &status, WNOHANG) == 0)
		return;
	say_end(j, status);
	drop(j);
	start_all(h);
}

static void on_limit(struct ev_loop *loop, struct ev_timer *w, int revents)
{
	struct job *j = w->data;

	(void)revents;
	kill(-j->pid, j->out_of_time ? SIGKILL : SIGTERM);
	j->out_of_time = true;
	ev_timer_set(w, kill_after_s, 0);
	ev_timer_start(loop, w);
}

/* Our ignored signals are not its; its output is where our messages go. */
static int spawn(struct job *j)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t defaults, none;
	int error;

	sigemptyset(&none);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGXFSZ);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF |
						      POSIX_SPAWN_SETSIGMASK);
	error = posix_spawn(&j->pid, j->words[0], &files, &attributes, j->words,
			    &j->words[j->environ_from]);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return error;
}

/* Without a pidfd its end would not be seen. */
static bool start(struct job *j)
{
	struct hooks *h = j->owner;
	int error = spawn(j);

	if (error) {
		j->pid = 0;
		say(j, LOG_WARN, "was not started: %s", strerror(error));
		return false;
	}
	j->pidfd = pidfd_open(j->pid, 0);
	if (j->pidfd < 0) {
		say(j, LOG_WARN, "cannot be watched: %s", strerror(errno));
		kill(-j->pid, SIGKILL);
		waitpid(j->pid, NULL, 0);
		j->pid = 0;
		return false;
	}
	ev_io_init(&j->ends, on_end, j->pidfd, EV_READ);
	ev_timer_init(&j->limit, on_limit, (double)h->config->hook_timeout / SB_SEC, 0);
	j->ends.data = j->limit.data = j;
	ev_io_start(h->loop, &j->ends);
	ev_timer_start(h->loop, &j->limit);
	return true;
}

static void start_all(struct hooks *h)
{
	for (struct job *j = h->first, *next; j; j = next) {
		next = j->next;
		if (may_start(h, j) && !start(j))
			drop(j);
	}
}

/* --- what for --- */

static void append(struct hooks *h, struct job *j)
{
	struct job **end = &h->first;

	while (*end)
		end = &(*end)->next;
	*end = j;
	h->count++;
}

/* Lines and bundles alike have numbers below CONFIG_MAX_LINES. */
static unsigned key_of(const struct exchange_event *e)
{
	return e->line == EXCHANGE_NO_LINE ? CONFIG_MAX_LINES + e->bundle : e->line;
}

static const char *whom_of(const struct exchange_event *e)
{
	return e->line == EXCHANGE_NO_LINE ? e->ifname : e->line_name;
}

static struct job *make_job(struct hooks *h, const char *what, const struct exchange_event *e)
{
	struct job *j = h->count < HOOKS_MAX ? calloc(1, sizeof(*j)) : NULL;

	if (!j) {
		log_say(h->log, LOG_WARN, "%s: %s: left out, %u programs are running or waiting",
			whom_of(e), what, h->count);
		return NULL;
	}
	j->owner = h;
	j->key = key_of(e);
	j->what = what;
	snprintf(j->whom, sizeof(j->whom), "%s", whom_of(e));
	return j;
}

static void finish_job(struct job *j, const struct exchange_event *e)
{
	struct hooks *h = j->owner;

	j->environ_from = ++j->word_count; /* behind the NULL that ends the arguments */
	put_environment(j, e);
	if (is_over(e->kind))
		put_account(j, e);
	if (j->too_long) {
		log_say(h->log, LOG_WARN, "%s: %s: left out, its arguments are too long", j->whom,
			j->what);
		free(j);
		return;
	}
	append(h, j);
	start_all(h);
}

static void run_program(struct hooks *h, const char *what, const char *program,
			const struct exchange_event *e)
{
	struct job *j = program[0] ? make_job(h, what, e) : NULL;

	if (!j)
		return;
	put_arguments(j, program, e);
	finish_job(j, e);
}

static void run_command(struct hooks *h, const char *command, const struct exchange_event *e)
{
	struct job *j = command[0] ? make_job(h, "command", e) : NULL;

	if (!j)
		return;
	j->is_command = true;
	put(j, "/bin/sh");
	put(j, "-c");
	put(j, "%s", command);
	finish_job(j, e);
}

void hooks_heed(struct hooks *h, const struct exchange_event *e, const char *command)
{
	const struct config *c = h->config;

	switch (e->kind) {
	case EXCHANGE_LINE_UP:
		run_command(h, command, e);
		run_program(h, "line-up", c->line_up, e);
		break;
	case EXCHANGE_LINE_DOWN:
		run_program(h, "line-down", c->line_down, e);
		break;
	case EXCHANGE_BUNDLE_UP:
		run_program(h, "ip-up", c->ip_up, e);
		break;
	case EXCHANGE_BUNDLE_DOWN:
		run_program(h, "ip-down", c->ip_down, e);
		break;
	default:
		break;
	}
}

/* --- set-up --- */

struct hooks *hooks_new(const struct config *config, struct log *log, struct ev_loop *loop)
{
	struct hooks *h = calloc(1, sizeof(*h));

	if (h)
		*h = (struct hooks){.config = config, .log = log, .loop = loop};
	return h;
}

void hooks_free(struct hooks *h)
{
	if (!h)
		return;
	while (h->first)
		drop(h->first);
	free(h);
}

bool hooks_are_busy(const struct hooks *h)
{
	return h->first != NULL;
}
