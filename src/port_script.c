/* SPDX-License-Identifier: MIT */
/*
 * The scripted port.
 *
 * Its descriptor is one end of a socket pair. What the far end sends goes
 * through the pair. What is written is kept in memory instead, and the
 * pair's other direction serves only to make poll() tell the truth: it is
 * stuffed full while there is no room.
 */
#define _DEFAULT_SOURCE

#include "src/port_script.h"
#include "src/port_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct script {
	int far;
	size_t room, chunk;
	uint8_t *written;
	size_t length, capacity;
	int lines, outq;
	bool hung_up, has_counts;
	bool dtr, breaking;
	bool waits; /* it is not ready */
	struct port_icounts counts;
};

static struct script *script_of(const struct port *port)
{
	return port->state;
}

static ssize_t script_read(struct port *port, void *at, size_t capacity)
{
	ssize_t n = recv(port->fd, at, capacity, MSG_DONTWAIT);
	if (n > 0)
		return n;
	return n == 0 ? -1 : 0;
}

/* Makes the descriptor writable or not. */
static void show_room(struct port *port)
{
	uint8_t stuff[4096] = {0};
	if (script_of(port)->room == 0)
		while (send(port->fd, stuff, sizeof stuff, MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
			;
	else
		while (recv(script_of(port)->far, stuff, sizeof stuff, MSG_DONTWAIT) > 0)
			;
}

static void keep(struct script *s, struct bytes more)
{
	if (s->length + more.length > s->capacity) {
		s->capacity = 2 * (s->length + more.length);
		s->written = realloc(s->written, s->capacity);
		assert(s->written);
	}
	memcpy(s->written + s->length, more.at, more.length);
	s->length += more.length;
}

static ssize_t script_write(struct port *port, struct bytes out)
{
	struct script *s = script_of(port);
	if (s->hung_up)
		return -1;
	if (out.length > s->chunk)
		out.length = s->chunk;
	if (out.length > s->room)
		out.length = s->room;
	if (out.length == 0)
		return 0;
	keep(s, out);
	if (s->room != SIZE_MAX)
		s->room -= out.length;
	show_room(port);
	return (ssize_t)out.length;
}

static int script_outq(struct port *port)
{
	return script_of(port)->outq;
}

static int script_modem_lines(struct port *port)
{
	return script_of(port)->lines;
}

static bool script_icounts(struct port *port, struct port_icounts *counts)
{
	*counts = script_of(port)->counts;
	return script_of(port)->has_counts;
}

static bool script_ready(struct port *port)
{
	return !script_of(port)->waits;
}

static bool script_set_dtr(struct port *port, bool on)
{
	if (script_of(port)->lines < 0)
		return false;
	script_of(port)->dtr = on;
	return true;
}

static bool script_set_break(struct port *port, bool on)
{
	if (script_of(port)->lines < 0)
		return false;
	script_of(port)->breaking = on;
	return true;
}

static void script_close(struct port *port)
{
	struct script *s = script_of(port);
	close(port->fd);
	close(s->far);
	free(s->written);
	free(s);
}

static const struct port_ops port_script_ops = {
	.name = "script",
	.read = script_read,
	.write = script_write,
	.outq = script_outq,
	.modem_lines = script_modem_lines,
	.icounts = script_icounts,
	.ready = script_ready,
	.set_dtr = script_set_dtr,
	.set_break = script_set_break,
	.close = script_close,
};

struct port *port_script_new(void)
{
	int ends[2];
	struct port *port = calloc(1, sizeof *port);
	struct script *s = calloc(1, sizeof *s);
	if (!port || !s ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends)) {
		free(port);
		free(s);
		return NULL;
	}
	*s = (struct script){
		.far = ends[1],
		.room = SIZE_MAX,
		.chunk = SIZE_MAX,
		.lines = -1,
		.outq = -1,
		.dtr = true,
	};
	port->ops = &port_script_ops;
	port->fd = ends[0];
	port->state = s;
	return port;
}

void port_script_feed(struct port *port, struct bytes in)
{
	ssize_t n = send(script_of(port)->far, in.at, in.length, MSG_NOSIGNAL);
	assert(n == (ssize_t)in.length);
	(void)n;
}

void port_script_limit(struct port *port, size_t room, size_t chunk)
{
	script_of(port)->room = room;
	script_of(port)->chunk = chunk;
	show_room(port);
}

struct bytes port_script_written(const struct port *port)
{
	return bytes_of(script_of(port)->written, script_of(port)->length);
}

void port_script_forget(struct port *port)
{
	script_of(port)->length = 0;
}

void port_script_set_ready(struct port *port, bool ready)
{
	script_of(port)->waits = !ready;
}

void port_script_hang_up(struct port *port)
{
	script_of(port)->hung_up = true;
	shutdown(script_of(port)->far, SHUT_WR);
}

void port_script_set_modem_lines(struct port *port, int lines)
{
	script_of(port)->lines = lines;
}

void port_script_set_outq(struct port *port, int characters)
{
	script_of(port)->outq = characters;
}

void port_script_set_icounts(struct port *port, const struct port_icounts *counts)
{
	script_of(port)->counts = *counts;
	script_of(port)->has_counts = true;
}

bool port_script_dtr(const struct port *port)
{
	return script_of(port)->dtr;
}

bool port_script_break(const struct port *port)
{
	return script_of(port)->breaking;
}
