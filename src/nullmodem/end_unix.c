/* SPDX-License-Identifier: MIT */
/*
 * An end that is a unix stream socket, one client at a time: QEMU's serial
 * ports, socat.
 *
 * Back-pressure is not to read. How far ahead a client can be is its socket's
 * own send buffer, which only the client can make smaller.
 */
#define _GNU_SOURCE
#include "src/nullmodem/end_impl.h"
#include "src/nullmodem/listener.h"

#include <sys/socket.h>
#include <unistd.h>

static void take_client(struct end *e, int fd)
{
	bool busy = e->fd >= 0 && !e->peer_closed;
	if (busy) {
		close(fd);
		return;
	}
	end_drop_fd(e);
	if (!end_attach_fd(e, fd))
		end_drop_fd(e);
}

static void on_connection(void *owner, uint32_t events)
{
	(void)events;
	struct end *e = owner;
	int fd;
	while ((fd = accept4(e->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0)
		take_client(e, fd);
	e->host.changed(e->host.owner);
}

static bool unix_open(struct end *e, char *text, size_t text_size)
{
	e->listener = listener_open(e->path);
	if (e->listener < 0)
		return end_fail(text, text_size, e->path);
	e->listener_source = (struct source){on_connection, e};
	if (!loop_add(e->host.loop, e->listener, EPOLLIN, &e->listener_source))
		return end_fail(text, text_size, e->path);
	return true;
}

static void unix_close(struct end *e)
{
	end_drop_fd(e);
	if (e->listener < 0)
		return;
	listener_close(e->listener, e->path);
	e->listener = -1;
}

/* Whoever is not read from waits. */
static void unix_hold(struct end *e, bool hold)
{
	(void)e;
	(void)hold;
}

static uint32_t unix_speed(const struct end *e)
{
	(void)e;
	return 0;
}

const struct end_ops end_unix_ops = {unix_open, unix_close, unix_hold, end_drop_fd, unix_speed};
