/* SPDX-License-Identifier: MIT */
/*
 * The control socket. A client that does not read its answers is dropped: what
 * it did not take would have to wait somewhere, and the cables cannot.
 */
#define _GNU_SOURCE
#include "src/nullmodem/control.h"
#include "src/nullmodem/listener.h"
#include "src/nullmodem/report.h"
#include "src/nullmodem/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS_MAX = 8, LINE_SIZE = 512 };

struct client {
	struct control *control;
	struct source source;
	int fd; /* -1: free */
	char line[LINE_SIZE];
	size_t length;
	bool overlong; /* the line did not fit: its rest is skipped */
};

struct control {
	struct network *network;
	const char *path;
	int fd;
	struct source source;
	struct client clients[CLIENTS_MAX];
};

/* ---- commands: NULL, or why not, in `text` ---- */

struct request {
	struct network *network;
	sb_time now;
	char *words[4];
	unsigned count;
	struct spec_error error;
};

static const char *do_hangup(struct request *r, struct cable *c)
{
	sb_time length;
	if (r->count == 2) {
		cable_hang_up(c, r->now, SB_NEVER);
		return NULL;
	}
	if (!parse_time(r->words[2], &length))
		return "FOR is not a time";
	cable_hang_up(c, r->now, r->now + length);
	return NULL;
}

static const char *do_return(struct request *r, struct cable *c)
{
	cable_return(c, r->now);
	return NULL;
}

static const char *do_drop(struct request *r, struct cable *c)
{
	return cable_drop_call(c, r->now) ? NULL : "that cable has no modem";
}

static const char *do_phone(struct request *r)
{
	return r->count == 2 ? phone_book_add(&r->network->book, r->words[1])
			     : "wrong number of words";
}

static const char *do_set(struct request *r, struct cable *c)
{
	return cable_set(c, r->words[2], r->now, &r->error) ? NULL : r->error.text;
}

static const struct command {
	const char *name;
	unsigned least, most; /* words */
	const char *(*run)(struct request *, struct cable *);
} commands[] = {
	{"hangup", 2, 3, do_hangup},
	{"return", 2, 2, do_return},
	{"drop", 2, 2, do_drop},
	{"set", 3, 3, do_set},
};

static const char *run_command(struct request *r)
{
	if (strcmp(r->words[0], "phone") == 0)
		return do_phone(r);
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		const struct command *command = &commands[i];
		if (strcmp(r->words[0], command->name) != 0)
			continue;
		if (r->count < command->least || r->count > command->most)
			return "wrong number of words";
		struct cable *c = network_find(r->network, r->words[1]);
		return c ? command->run(r, c) : "no such cable";
	}
	return "no such command; there are hangup, return, drop, set, phone, report";
}

static void split_words(struct request *r, char *line)
{
	char *state;
	for (char *w = strtok_r(line, " \t\r", &state); w; w = strtok_r(NULL, " \t\r", &state)) {
		if (r->count == sizeof r->words / sizeof *r->words)
			return;
		r->words[r->count++] = w;
	}
}

/* The answer to a line, with its newline; to be freed. */
static char *answer(struct control *control, char *line)
{
	struct request r = {.network = control->network, .now = loop_now(control->network->loop)};
	char *text = NULL;
	int n;
	split_words(&r, line);
	if (r.count == 0) {
		n = asprintf(&text, "error: empty line\n");
	} else if (strcmp(r.words[0], "report") == 0) {
		char *json = report_json(r.network);
		n = json ? asprintf(&text, "%s\n", json) : -1;
		free(json);
	} else {
		const char *why = run_command(&r);
		n = why ? asprintf(&text, "error: %s\n", why) : asprintf(&text, "ok\n");
	}
	return n < 0 ? NULL : text;
}

/* ---- clients ---- */

static void drop(struct client *c)
{
	close(c->fd);
	c->fd = -1;
}

/* False: the client is to be dropped. */
static bool reply(struct client *c, const char *text)
{
	size_t length = strlen(text);
	return send(c->fd, text, length, MSG_NOSIGNAL) == (ssize_t)length;
}

static bool obey_line(struct client *c, char *line)
{
	if (c->overlong) {
		c->overlong = false;
		return reply(c, "error: line too long\n");
	}
	char *text = answer(c->control, line);
	bool sent = text && reply(c, text);
	free(text);
	return sent;
}

static bool obey_lines(struct client *c)
{
	char *line = c->line;
	char *newline;
	while ((newline = memchr(line, '\n', c->length - (size_t)(line - c->line)))) {
		*newline = '\0';
		if (!obey_line(c, line))
			return false;
		line = newline + 1;
	}
	c->length -= (size_t)(line - c->line);
	memmove(c->line, line, c->length);
	if (c->length == sizeof c->line) {
		c->overlong = true;
		c->length = 0;
	}
	return true;
}

static void on_client(void *owner, uint32_t events)
{
	(void)events;
	struct client *c = owner;
	while (c->fd >= 0) {
		ssize_t n = read(c->fd, c->line + c->length, sizeof c->line - c->length);
		if (n < 0 && errno == EAGAIN)
			return;
		if (n > 0)
			c->length += (size_t)n;
		if (n <= 0 || !obey_lines(c))
			drop(c);
	}
}

static struct client *free_client(struct control *control)
{
	for (unsigned i = 0; i < CLIENTS_MAX; i++)
		if (control->clients[i].fd < 0)
			return &control->clients[i];
	return NULL;
}

static void on_connection(void *owner, uint32_t events)
{
	(void)events;
	struct control *control = owner;
	int fd;
	while ((fd = accept4(control->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		struct client *c = free_client(control);
		if (!c) {
			close(fd);
			continue;
		}
		*c = (struct client){.control = control, .source = {on_client, c}, .fd = fd};
		if (!loop_add(control->network->loop, fd, EPOLLIN | EPOLLRDHUP, &c->source))
			drop(c);
	}
}

struct control *control_open(const char *path, struct network *network)
{
	struct control *control = calloc(1, sizeof *control);
	if (!control)
		return NULL;
	control->network = network;
	control->path = path;
	control->source = (struct source){on_connection, control};
	for (unsigned i = 0; i < CLIENTS_MAX; i++)
		control->clients[i].fd = -1;
	control->fd = listener_open(path);
	if (control->fd >= 0 && loop_add(network->loop, control->fd, EPOLLIN, &control->source))
		return control;
	control_close(control);
	return NULL;
}

void control_close(struct control *control)
{
	if (!control)
		return;
	for (unsigned i = 0; i < CLIENTS_MAX; i++)
		if (control->clients[i].fd >= 0)
			drop(&control->clients[i]);
	if (control->fd >= 0)
		listener_close(control->fd, control->path);
	free(control);
}
