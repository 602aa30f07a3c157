/* SPDX-License-Identifier: MIT */
/* What the kinds of end have in common: one non-blocking fd, read and written by edges. */
#include "src/nullmodem/end_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void on_ready(void *owner, uint32_t events)
{
	struct end *e = owner;
	if (events & ~(uint32_t)EPOLLOUT)
		e->readable = true;
	if (events & EPOLLOUT)
		e->writable = true;
	if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
		e->peer_closed = true;
	e->host.changed(e->host.owner);
}

struct end *end_new(const char *text, const struct end_host *host)
{
	static const char prefix[] = "unix:";
	size_t length = strlen(text) + 1;
	struct end *e = calloc(1, sizeof *e + length);
	if (!e)
		return NULL;
	memcpy(e->text, text, length);
	bool is_unix = strncmp(text, prefix, sizeof prefix - 1) == 0;
	e->path = is_unix ? e->text + sizeof prefix - 1 : e->text;
	e->ops = is_unix ? &end_unix_ops : &end_pty_ops;
	e->host = *host;
	e->source = (struct source){on_ready, e};
	e->fd = e->slave = e->listener = -1;
	return e;
}

void end_free(struct end *e)
{
	if (!e)
		return;
	end_close(e);
	free(e);
}

bool end_fail(char *text, size_t text_size, const char *doing)
{
	snprintf(text, text_size, "%s: %s", doing, strerror(errno));
	return false;
}

bool end_attach_fd(struct end *e, int fd)
{
	e->fd = fd;
	e->readable = e->writable = true;
	e->peer_closed = false;
	return loop_add(e->host.loop, fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP, &e->source);
}

void end_drop_fd(struct end *e)
{
	if (e->fd >= 0)
		close(e->fd);
	e->left |= e->fd >= 0;
	e->fd = -1;
	e->readable = e->writable = false;
}

bool end_open(struct end *e, char *text, size_t text_size)
{
	e->held = e->left = false;
	if (e->ops->open(e, text, text_size))
		return true;
	end_close(e);
	return false;
}

void end_close(struct end *e)
{
	e->ops->close(e);
}

static bool would_block(void)
{
	return errno == EAGAIN || errno == EINTR;
}

/* A short read took all there was: the next byte gives a new edge, an end of file does not. */
size_t end_read(struct end *e, void *at, size_t capacity)
{
	if (e->fd < 0)
		return 0;
	ssize_t n = read(e->fd, at, capacity);
	if (n > 0) {
		e->readable = (size_t)n == capacity || e->peer_closed;
		return (size_t)n;
	}
	bool lost = n == 0 || !would_block();
	e->readable = false;
	if (lost)
		e->ops->lost(e);
	return 0;
}

bool end_is_readable(const struct end *e)
{
	return e->readable;
}

void end_hold(struct end *e, bool hold)
{
	if (e->held != hold)
		e->ops->hold(e, hold);
	e->held = hold;
}

bool end_is_held(const struct end *e)
{
	return e->held;
}

/* An error here shows in end_read too, which deals with it. */
size_t end_write(struct end *e, struct bytes b)
{
	if (!e->writable)
		return 0;
	ssize_t n = write(e->fd, b.at, b.length);
	if (n < (ssize_t)b.length)
		e->writable = false;
	return n > 0 ? (size_t)n : 0;
}

bool end_is_attached(struct end *e)
{
	if (e->fd < 0)
		return false;
	if (!e->watched || e->watch.openers > 0)
		return true;
	presence_poll(e->host.presence);
	return e->watch.openers > 0;
}

bool end_was_left(struct end *e)
{
	if (e->watched)
		presence_poll(e->host.presence);
	bool left = e->left;
	e->left = false;
	return left;
}

uint32_t end_speed(const struct end *e)
{
	return e->ops->speed(e);
}
