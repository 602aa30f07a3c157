/* SPDX-License-Identifier: MIT */
/* The connection to a running serialbundle: a line out, a line in. */
#define _DEFAULT_SOURCE
#include "src/ctl/client.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { PIECE_SIZE = 64 * 1024, LINE_MOST = 16 * 1024 * 1024, ANSWER_S = 10 };

struct ctl_client {
	int fd;
	bool lost;
	char *in; /* what was read and not used yet */
	size_t length, size;
};

__attribute__((format(printf, 2, 3))) static void say(struct ctl_why *why, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why->text, sizeof(why->text), format, arguments);
	va_end(arguments);
}

/* --- which socket --- */

static bool fill_address(struct sockaddr_un *a, const char *path)
{
	size_t length = strlen(path);

	*a = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (length >= sizeof(a->sun_path))
		return false;
	memcpy(a->sun_path, path, length + 1);
	return true;
}

static bool is_alive(const char *path)
{
	struct sockaddr_un address;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool alive = fd >= 0 && fill_address(&address, path) &&
		     connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0;

	if (fd >= 0)
		close(fd);
	return alive;
}

static bool is_socket_name(const char *name)
{
	size_t length = strlen(name);

	return length > strlen(".sock") && strcmp(name + length - strlen(".sock"), ".sock") == 0;
}

/* What was found so far: how many live ones, the first of them, and all their names. */
struct search {
	unsigned count;
	char path[CTL_PATH_SIZE];
	char names[CTL_WHY_SIZE / 2];
};

static void look_at(struct search *s, const char *directory, const char *name)
{
	char path[CTL_PATH_SIZE];
	size_t length = strlen(s->names);

	if (!is_socket_name(name) ||
	    snprintf(path, sizeof(path), "%s/%s", directory, name) >= (int)sizeof(path) ||
	    !is_alive(path))
		return;
	if (s->count++ == 0)
		memcpy(s->path, path, sizeof(path));
	snprintf(s->names + length, sizeof(s->names) - length, "%s%.*s", length ? ", " : "",
		 (int)(strlen(name) - strlen(".sock")), name);
}

static void search(struct search *s, const char *directory)
{
	DIR *d = opendir(directory);

	for (const struct dirent *e; d && (e = readdir(d));)
		look_at(s, directory, e->d_name);
	if (d)
		closedir(d);
}

enum ctl_exit ctl_find(const char *directory, const char *bundle, char path[static CTL_PATH_SIZE],
		       struct ctl_why *why)
{
	struct search s = {0};

	if (*bundle) {
		if (snprintf(path, CTL_PATH_SIZE, "%s/%s.sock", directory, bundle) < CTL_PATH_SIZE)
			return CTL_FINE;
		say(why, "the name '%s' is too long", bundle);
		return CTL_USAGE;
	}
	search(&s, directory);
	if (s.count == 0)
		say(why, "no serialbundle is running that has a socket in %s", directory);
	else if (s.count > 1)
		say(why, "there are several (%s): say which with -b NAME", s.names);
	memcpy(path, s.path, sizeof(s.path));
	return s.count == 0 ? CTL_NO_DAEMON : s.count > 1 ? CTL_USAGE : CTL_FINE;
}

/* --- the connection --- */

static int connect_to(const char *path, struct ctl_why *why)
{
	struct timeval patience = {.tv_sec = ANSWER_S};
	struct sockaddr_un address;
	int fd;

	if (!fill_address(&address, path)) {
		say(why, "%s: the path of a socket has at most %zu characters", path,
		    sizeof(address.sun_path) - 1);
		return -1;
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) == 0 &&
	    connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	say(why, "%s: %s", path, errno == ECONNREFUSED ? "nobody listens there" : strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

struct ctl_client *ctl_connect(const char *path, struct ctl_why *why)
{
	int fd = connect_to(path, why);
	struct ctl_client *c = fd < 0 ? NULL : calloc(1, sizeof(*c));

	if (c) {
		c->fd = fd;
	} else if (fd >= 0) {
		close(fd);
		say(why, "out of memory");
	}
	return c;
}

void ctl_close(struct ctl_client *c)
{
	if (!c)
		return;
	close(c->fd);
	free(c->in);
	free(c);
}

int ctl_fd(const struct ctl_client *c)
{
	return c->fd;
}

bool ctl_is_lost(const struct ctl_client *c)
{
	return c->lost;
}

static bool lose(struct ctl_client *c, struct ctl_why *why, const char *reason)
{
	c->lost = true;
	say(why, "%s", reason);
	return false;
}

/* Waits for more, this long; 0: for ever. */
static bool read_more(struct ctl_client *c, int seconds, struct ctl_why *why)
{
	struct timeval patience = {.tv_sec = seconds};
	ssize_t n;

	if (c->size - c->length < PIECE_SIZE) {
		char *in = c->size < LINE_MOST ? realloc(c->in, c->size + 2 * PIECE_SIZE) : NULL;

		if (!in)
			return lose(c, why, "an answer without an end");
		c->in = in;
		c->size += 2 * PIECE_SIZE;
	}
	setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	do
		n = recv(c->fd, c->in + c->length, c->size - c->length, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return lose(c, why, errno == EAGAIN ? "no answer" : strerror(errno));
	c->length += (size_t)n;
	return n > 0 || lose(c, why, "the connection was closed");
}

static void used(struct ctl_client *c, size_t n)
{
	c->length -= n;
	memmove(c->in, c->in + n, c->length);
}

static json_t *read_object(struct ctl_client *c, int seconds, struct ctl_why *why)
{
	char *end;
	json_t *object;

	while (!(end = c->length ? memchr(c->in, '\n', c->length) : NULL))
		if (!read_more(c, seconds, why))
			return NULL;
	object = json_loadb(c->in, (size_t)(end - c->in), 0, NULL);
	used(c, (size_t)(end - c->in) + 1);
	if (!object)
		lose(c, why, "an answer that is no JSON");
	return object;
}

/* --- requests --- */

static bool send_all(struct ctl_client *c, const char *at, size_t length, struct ctl_why *why)
{
	while (length) {
		ssize_t n = send(c->fd, at, length, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return lose(c, why, strerror(errno));
		at += n;
		length -= (size_t)n;
	}
	return true;
}

bool ctl_send(struct ctl_client *c, const json_t *request, struct ctl_why *why)
{
	char *text = json_dumps(request, JSON_COMPACT);
	bool sent = text ? send_all(c, text, strlen(text), why) && send_all(c, "\n", 1, why)
			 : lose(c, why, "out of memory");

	free(text);
	return sent;
}

static json_t *receive(struct ctl_client *c, int seconds, struct ctl_why *why)
{
	json_t *answer = read_object(c, seconds, why);
	const char *message;

	if (!answer || json_is_true(json_object_get(answer, "ok")))
		return answer;
	message = json_string_value(json_object_get(answer, "message"));
	say(why, "%s", message ? message : "refused");
	json_decref(answer);
	return NULL;
}

json_t *ctl_receive(struct ctl_client *c, struct ctl_why *why)
{
	return receive(c, ANSWER_S, why);
}

/* Who was refused for want of a place reads why, though nothing could be sent any more. */
json_t *ctl_request(struct ctl_client *c, const json_t *request, struct ctl_why *why)
{
	bool sent = ctl_send(c, request, why);

	return receive(c, sent ? ANSWER_S : 1, why);
}

json_t *ctl_ask(struct ctl_client *c, const char *name, struct ctl_why *why)
{
	json_t *request = json_pack("{s:s}", "command", name);
	json_t *answer = ctl_request(c, request, why);

	json_decref(request);
	return answer;
}

json_t *ctl_next(struct ctl_client *c, struct ctl_why *why)
{
	return read_object(c, 0, why);
}

ssize_t ctl_read(struct ctl_client *c, void *to, size_t size, struct ctl_why *why)
{
	size_t n;

	if (c->length == 0 && !read_more(c, 0, why))
		return strcmp(why->text, "the connection was closed") == 0 ? 0 : -1;
	n = c->length < size ? c->length : size;
	memcpy(to, c->in, n);
	used(c, n);
	return (ssize_t)n;
}
