/* SPDX-License-Identifier: MIT */
/*
 * The server of the control socket.
 *
 * Lines come first: a request that has arrived waits for its turn, of which
 * there is one at a time and not another for TURN_S, going round the clients; so whatever they ask
 * and however fast, they get a small part of the processor. Reading goes on only until there is a
 * whole request, so one who floods is held up by the socket.
 *
 * When all places are taken, a newcomer gets that of the client which was idle for longest, or,
 * if the newcomer may change things, of one that may not: no one can lock root out.
 */
#define _GNU_SOURCE
#include "src/control.h"

#include "src/clock.h"
#include "src/control_client.h"
#include "src/control_commands.h"

#include <errno.h>
#include <ev.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS_MAX = 64, CAPTURE_HEAD = 64 /* a file header of libpcap takes 24 */ };

#define TURN_S  0.002 /* between two requests: what one takes is some tenths of a millisecond */
#define PAUSE_S 1.0   /* without descriptors there is no use in accepting at once again */

struct place {
	struct control_server *control;
	struct control_client client;
	struct ev_io io;
	int events;    /* what io waits for; 0: it is stopped */
	bool captures; /* a capture is sent to it, under `name` */
	bool failed;   /* to be dropped in its turn */
	char name[32]; /* of that capture */
	uint8_t head[CAPTURE_HEAD];
	size_t head_length;
};

struct control_server {
	struct control_host host;
	sb_time start; /* instant */
	gid_t group;   /* whose members may change things, or -1 */
	char path[CONFIG_DEVICE_SIZE];
	int fd;         /* -1: nobody can reach us */
	bool inherited; /* the socket is the service manager's */
	struct ev_io accept;
	struct ev_timer turn, pause;
	double served_at; /* instant of the loop's clock: the last request */
	unsigned next;    /* whose turn it is */
	unsigned long captures;
	struct place places[CLIENTS_MAX];
};

/* --- a client comes and goes --- */

static void drop(struct place *p)
{
	struct exchange_answer a;
	bool captured = p->captures;

	ev_io_stop(p->control->host.loop, &p->io);
	control_client_close(&p->client);
	p->events = 0;
	p->captures = p->failed = false;
	if (captured)
		exchange_capture_stop(p->control->host.exchange, p->name, &a);
}

/* Waits for what the client waits for. */
static void watch(struct place *p)
{
	struct ev_loop *loop = p->control->host.loop;
	int events = (control_client_wants_read(&p->client) ? EV_READ : 0) |
		     (control_client_wants_write(&p->client) ? EV_WRITE : 0);

	if (events == p->events)
		return;
	if (p->events)
		ev_io_stop(loop, &p->io);
	p->events = events;
	if (!events)
		return;
	ev_io_set(&p->io, p->client.fd, events);
	ev_io_start(loop, &p->io);
}

static void settle(struct place *p, bool good)
{
	if (good)
		watch(p);
	else
		drop(p);
}

static void refuse(int fd, int error, const char *why)
{
	json_t *answer = control_error(error, "%s", why);
	size_t length;
	char *text = control_line(answer, &length);

	if (text && send(fd, text, length, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		(void)errno; /* it would only have been a courtesy */
	free(text);
	json_decref(answer);
}

static bool is_idle(const struct place *p)
{
	return !p->client.monitors && !p->captures && !control_client_asks(&p->client);
}

/* The one that has to leave for a newcomer, or NULL. */
static struct place *least_needed(struct control_server *c, const struct control_peer *newcomer)
{
	struct place *found = NULL;

	for (unsigned i = 0; i < CLIENTS_MAX; i++) {
		struct place *p = &c->places[i];
		bool may_go = is_idle(p) || (newcomer->right > CONTROL_READ &&
					     p->client.peer.right == CONTROL_READ);

		if (may_go && (!found || p->client.active_at < found->client.active_at))
			found = p;
	}
	return found;
}

static struct place *free_place(struct control_server *c, const struct control_peer *newcomer)
{
	struct place *p;

	for (unsigned i = 0; i < CLIENTS_MAX; i++)
		if (c->places[i].client.fd < 0)
			return &c->places[i];
	p = least_needed(c, newcomer);
	if (!p)
		return NULL;
	if (!control_client_wants_write(&p->client))
		refuse(p->client.fd, EBUSY, "too many clients: this one was idle for longest");
	drop(p);
	return p;
}

static void admit(struct control_server *c, int fd)
{
	struct control_peer peer;
	struct place *p;

	if (!control_peer_of(fd, c->group, &peer)) {
		close(fd);
		return;
	}
	p = free_place(c, &peer);
	if (!p) {
		refuse(fd, EBUSY, "too many clients, and none of them is idle");
		close(fd);
		return;
	}
	control_client_open(&p->client, fd, &peer, ev_now(c->host.loop));
	watch(p);
}

static void on_connection(struct ev_loop *loop, struct ev_io *w, int revents)
{
	struct control_server *c = w->data;
	int fd = accept4(c->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	(void)revents;
	if (fd >= 0) {
		admit(c, fd);
	} else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
		ev_io_stop(loop, &c->accept);
		ev_timer_set(&c->pause, PAUSE_S, 0);
		ev_timer_start(loop, &c->pause);
	}
}

static void on_pause(struct ev_loop *loop, struct ev_timer *w, int revents)
{
	struct control_server *c = w->data;

	(void)revents;
	ev_io_start(loop, &c->accept);
}

/* --- requests --- */

static bool needs_turn(const struct place *p)
{
	return p->client.fd >= 0 && (p->failed || control_client_asks(&p->client));
}

/* The next turn is as soon as may be. */
static void ask_for_turn(struct control_server *c)
{
	double wait = c->served_at + TURN_S - ev_now(c->host.loop);

	if (ev_is_active(&c->turn))
		return;
	ev_timer_set(&c->turn, wait > 0 ? wait : 0, 0);
	ev_timer_start(c->host.loop, &c->turn);
}

/* A capture begins while it is asked for, and stands behind the answer. */
static bool keep_head(struct place *p, struct bytes b)
{
	if (b.length > sizeof(p->head) - p->head_length)
		return false;
	memcpy(p->head + p->head_length, b.at, b.length);
	p->head_length += b.length;
	return true;
}

/* Called in the midst of the exchange's work: a client that is of no use is dropped later. */
static bool send_capture(void *context, struct bytes b)
{
	struct place *p = context;

	if (!p->captures)
		return keep_head(p, b);
	if (!p->failed && control_client_tell(&p->client, (const char *)b.at, b.length)) {
		watch(p);
		return true;
	}
	p->failed = true;
	ask_for_turn(p->control);
	return false;
}

/* What was captured has left: the client gets what it has not taken yet, and the end. */
static void end_capture(void *context)
{
	struct place *p = context;

	if (!p->captures)
		return;
	p->captures = p->client.monitors = false;
	p->client.ended = true;
	p->failed |= control_client_is_done(&p->client);
	ask_for_turn(p->control);
}

static bool begin_streams(struct place *p, const struct control_stream *s)
{
	p->client.monitors |= s->events || s->captures;
	if (!s->captures)
		return true;
	p->captures = true;
	return control_client_tell(&p->client, (const char *)p->head, p->head_length);
}

static bool obey(struct place *p)
{
	struct control_server *c = p->control;
	struct control_stream stream = {.capture = {send_capture, end_capture, p}};
	struct control_call call = {
		.host = &c->host,
		.peer = &p->client.peer,
		.uptime = *c->host.now - c->start,
		.stream = &stream,
	};
	json_t *answer;
	bool sent;

	p->head_length = 0;
	snprintf(stream.name, sizeof(stream.name), "client %lu", ++c->captures);
	memcpy(p->name, stream.name, sizeof(p->name));
	answer = control_obey(&call, control_client_request(&p->client));
	sent = answer && control_client_answer(&p->client, answer);
	json_decref(answer);
	sent = sent && begin_streams(p, &stream);
	control_client_next(&p->client);
	return sent && !control_client_is_done(&p->client);
}

static void serve(struct place *p)
{
	double now = ev_now(p->control->host.loop);

	p->control->served_at = p->client.active_at = now;
	settle(p, !p->failed && !p->captures && obey(p)); /* no answers in a capture */
}

static void on_turn(struct ev_loop *loop, struct ev_timer *w, int revents)
{
	struct control_server *c = w->data;

	(void)loop, (void)revents;
	for (unsigned n = 0; n < CLIENTS_MAX; n++) {
		struct place *p = &c->places[c->next++ % CLIENTS_MAX];

		if (!needs_turn(p))
			continue;
		serve(p);
		break;
	}
	for (unsigned i = 0; i < CLIENTS_MAX; i++)
		if (needs_turn(&c->places[i]))
			ask_for_turn(c);
}

static bool heed(struct place *p, int revents)
{
	struct control_client *client = &p->client;

	if (revents & EV_WRITE && !control_client_write(client))
		return false;
	if (revents & EV_READ && control_client_wants_read(client) && !control_client_read(client))
		return false;
	if (!control_client_is_too_long(client))
		return true;
	refuse(client->fd, EMSGSIZE, "a request has at most 4095 characters");
	return false;
}

static void on_client(struct ev_loop *loop, struct ev_io *w, int revents)
{
	struct place *p = w->data;

	(void)loop;
	settle(p, heed(p, revents));
	if (needs_turn(p))
		ask_for_turn(p->control);
}

/* --- events --- */

void control_server_tell(struct control_server *c, const struct exchange_event *e)
{
	json_t *event = control_event_json(e, clock_wall() / SB_MS);
	size_t length;
	char *text = control_line(event, &length);

	for (unsigned i = 0; text && i < CLIENTS_MAX; i++) {
		struct place *p = &c->places[i];

		if (p->client.fd >= 0 && p->client.monitors && !p->captures)
			settle(p, control_client_tell(&p->client, text, length));
	}
	free(text);
	json_decref(event);
}

/* --- set-up --- */

static enum exit_status exit_of(enum control_socket_status s)
{
	switch (s) {
	case CONTROL_SOCKET_OK:
		return EXIT_FINE;
	case CONTROL_SOCKET_IN_USE:
		return EXIT_IN_USE;
	case CONTROL_SOCKET_NO_PERMISSION:
		return EXIT_PERMISSION;
	case CONTROL_SOCKET_FAILED:
		break;
	}
	return EXIT_FAILED;
}

static enum exit_status find_group(struct control_server *c)
{
	const char *name = c->host.config->control_group;
	const struct group *group = *name ? getgrnam(name) : NULL;

	c->group = group ? group->gr_gid : (gid_t)-1;
	if (group || !*name)
		return EXIT_FINE;
	log_say(c->host.log, LOG_ERROR, "--control-group %s: there is no such group", name);
	return EXIT_USAGE;
}

static enum exit_status open_socket(struct control_server *c)
{
	enum control_socket_status status;
	char why[160];

	c->fd = control_socket_inherit();
	c->inherited = c->fd >= 0;
	if (c->inherited || !c->path[0])
		return EXIT_FINE;
	c->fd = control_socket_open(c->path, c->group, &status, why, sizeof(why));
	if (c->fd >= 0)
		return EXIT_FINE;
	log_say(c->host.log, LOG_ERROR, "--control %s: %s", c->path, why);
	return exit_of(status);
}

static void init_places(struct control_server *c)
{
	for (unsigned i = 0; i < CLIENTS_MAX; i++) {
		struct place *p = &c->places[i];

		p->control = c;
		p->client.fd = -1;
		ev_init(&p->io, on_client);
		p->io.data = p;
	}
}

static void init_watches(struct control_server *c)
{
	ev_io_init(&c->accept, on_connection, c->fd, EV_READ);
	ev_init(&c->turn, on_turn);
	ev_init(&c->pause, on_pause);
	c->accept.data = c->turn.data = c->pause.data = c;
	if (c->fd >= 0)
		ev_io_start(c->host.loop, &c->accept);
}

struct control_server *control_server_new(const struct control_host *host, enum exit_status *status)
{
	struct control_server *c = calloc(1, sizeof(*c));

	*status = EXIT_FAILED;
	if (!c) {
		log_say(host->log, LOG_ERROR, "out of memory for the control socket");
		return NULL;
	}
	c->host = *host;
	c->start = *host->now;
	snprintf(c->path, sizeof(c->path), "%s", host->config->control);
	*status = find_group(c);
	if (*status == EXIT_FINE)
		*status = open_socket(c);
	if (*status != EXIT_FINE) {
		free(c);
		return NULL;
	}
	init_places(c);
	init_watches(c);
	return c;
}

void control_server_free(struct control_server *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < CLIENTS_MAX; i++)
		if (c->places[i].client.fd >= 0)
			drop(&c->places[i]);
	ev_io_stop(c->host.loop, &c->accept);
	ev_timer_stop(c->host.loop, &c->turn);
	ev_timer_stop(c->host.loop, &c->pause);
	if (c->inherited)
		close(c->fd);
	else if (c->fd >= 0)
		control_socket_close(c->fd, c->path);
	free(c);
}
