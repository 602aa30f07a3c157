/* SPDX-License-Identifier: MIT */
/*
 * One client.
 *
 * What is sent goes to the socket at once, as far as that takes it; the rest is
 * kept. While something is kept no further request is looked at, nor read beyond the buffer: so a
 * client that asks and does not read has one answer here and one in its socket, and no more.
 * Events come unasked; for them there is a limit, behind which the client is given up.
 */
#define _GNU_SOURCE
#include "src/control_client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void control_client_open(struct control_client *c, int fd, const struct control_peer *peer,
			 double now)
{
	*c = (struct control_client){.fd = fd, .peer = *peer, .active_at = now};
}

void control_client_close(struct control_client *c)
{
	close(c->fd);
	free(c->out);
	c->out = NULL;
	c->out_length = 0;
	c->fd = -1;
}

/* --- in --- */

static const char *end_of_line(const struct control_client *c)
{
	return memchr(c->in, '\n', c->in_length);
}

bool control_client_read(struct control_client *c)
{
	ssize_t n = recv(c->fd, c->in + c->in_length, sizeof(c->in) - c->in_length, MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	c->in_length += (size_t)n;
	c->ended = n == 0;
	return !(c->ended && (c->monitors || control_client_is_done(c)));
}

bool control_client_asks(const struct control_client *c)
{
	return c->out_length == 0 && end_of_line(c);
}

struct bytes control_client_request(const struct control_client *c)
{
	return bytes_of(c->in, (size_t)(end_of_line(c) - c->in));
}

void control_client_next(struct control_client *c)
{
	size_t length = (size_t)(end_of_line(c) - c->in) + 1;

	c->in_length -= length;
	memmove(c->in, c->in + length, c->in_length);
}

bool control_client_is_too_long(const struct control_client *c)
{
	return c->in_length == sizeof(c->in) && !end_of_line(c);
}

bool control_client_wants_read(const struct control_client *c)
{
	return !c->ended && c->in_length < sizeof(c->in) && !end_of_line(c);
}

bool control_client_is_done(const struct control_client *c)
{
	return c->ended && c->out_length == 0 && !end_of_line(c);
}

/* --- out --- */

/* As much as the socket takes now, or -1: it is of no use any more. */
static ssize_t send_now(struct control_client *c, const char *at, size_t length)
{
	ssize_t n = send(c->fd, at, length, MSG_NOSIGNAL | MSG_DONTWAIT);

	return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : n;
}

bool control_client_write(struct control_client *c)
{
	ssize_t n = send_now(c, c->out + c->out_start, c->out_length);

	if (n < 0)
		return false;
	c->out_start += (size_t)n;
	c->out_length -= (size_t)n;
	if (c->out_length == 0) {
		free(c->out);
		c->out = NULL;
	}
	return !control_client_is_done(c);
}

/* Behind what is kept. */
static bool keep(struct control_client *c, const char *at, size_t length)
{
	char *out;

	if (length == 0)
		return true;
	if (c->out_length)
		memmove(c->out, c->out + c->out_start, c->out_length);
	c->out_start = 0;
	out = realloc(c->out, c->out_length + length);
	if (!out)
		return false;
	memcpy(out + c->out_length, at, length);
	c->out = out;
	c->out_length += length;
	return true;
}

static bool send_or_keep(struct control_client *c, const char *at, size_t length)
{
	ssize_t n = c->out_length ? 0 : send_now(c, at, length);

	return n >= 0 && keep(c, at + n, length - (size_t)n);
}

char *control_line(const json_t *value, size_t *length)
{
	char *text = value ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(10)) : NULL;

	if (!text)
		return NULL;
	*length = strlen(text);
	text[(*length)++] = '\n'; /* in place of the final NUL */
	return text;
}

bool control_client_answer(struct control_client *c, const json_t *answer)
{
	size_t length;
	char *text = control_line(answer, &length);
	bool kept = text && send_or_keep(c, text, length);

	free(text);
	return kept;
}

bool control_client_tell(struct control_client *c, const char *event, size_t length)
{
	return c->out_length + length <= CONTROL_EVENTS_SIZE && send_or_keep(c, event, length);
}
