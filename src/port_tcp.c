/* SPDX-License-Identifier: MIT */
/*
 * A TCP connection as a port: `tcp:HOST:PORT`, a terminal server's raw port.
 *
 * It is made in stages, and nothing waits meanwhile (port_ready):
 *
 *   LOOKING_UP  a name is looked up by a process of its own (port_child.h), since getaddrinfo()
 *               may take as long as it likes; our descriptor is a pipe that the answer comes
 *               through. A numeric address begins with the next stage.
 *   CONNECTING  to one address after the other, until one answers
 *   CONNECTED
 *   GONE        none does; or the connection has ended
 *
 * Of what is written little waits here: TCP_NOTSENT_LOWAT makes it would-block when the peer's
 * window is shut. The small buffer that would do the same on a local socket (SO_SNDBUF) would hold
 * what was sent and not acknowledged, too, and so cut the throughput of a long way.
 * SIOCOUTQNSD tells what was not sent, which is what a tty's driver tells; SIOCOUTQ
 * counts what is under way besides.
 *
 * A peer that vanishes is noticed after GIVE_UP_SECONDS, whether anything was to be sent or not.
 */
#define _GNU_SOURCE

#include "src/port_child.h"
#include "src/port_internal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	MAX_ADDRESSES = 7, /* so that an answer is written to a pipe in one piece */
	HOST_SIZE = 256,
	UNSENT_BYTES = 256,
	SYN_RETRIES = 3, /* 15 to 20 s to each address */
	IDLE_SECONDS = 15,
	PROBE_SECONDS = 5,
	PROBES = 3,
	GIVE_UP_SECONDS = IDLE_SECONDS + PROBES * PROBE_SECONDS,
};

enum stage { LOOKING_UP, CONNECTING, CONNECTED, GONE };

struct answer {
	int error; /* of getaddrinfo() */
	unsigned count;
	struct sockaddr_storage at[MAX_ADDRESSES];
};
static_assert(sizeof(struct answer) <= PIPE_BUF, "written in one piece");

struct tcp {
	enum stage stage;
	struct answer host;
	unsigned tried;
	int why; /* errno of the last attempt, or of the end; 0: end of file */
	char reason[96];
};

static struct tcp *tcp_of(const struct port *port)
{
	return port->state;
}

/* ---- addresses ---- */

struct address {
	char host[HOST_SIZE];
	const char *service;
	int pipe;
};

/* "HOST:PORT" or "[HOST]:PORT". */
static bool split(struct address *a, const char *text)
{
	const char *colon = strrchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : 0;
	if (length >= 2 && text[0] == '[' && text[length - 1] == ']') {
		text++;
		length -= 2;
	} else if (memchr(text, ':', length)) {
		return false; /* an IPv6 address without brackets could be anything */
	}
	if (length == 0 || length >= sizeof a->host)
		return false;
	memcpy(a->host, text, length);
	a->host[length] = '\0';
	a->service = colon + 1;
	char *end;
	unsigned long number = strtoul(a->service, &end, 10);
	return a->service[0] >= '0' && a->service[0] <= '9' && !*end && number > 0 &&
	       number <= UINT16_MAX;
}

static void look_up(const struct address *a, int flags, struct answer *answer)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | flags};
	struct addrinfo *list = NULL;
	*answer = (struct answer){.error = getaddrinfo(a->host, a->service, &hints, &list)};
	if (answer->error)
		return;
	for (struct addrinfo *i = list; i && answer->count < MAX_ADDRESSES; i = i->ai_next)
		memcpy(&answer->at[answer->count++], i->ai_addr, i->ai_addrlen);
	freeaddrinfo(list);
}

/* In a process of its own. */
static void answer_pipe(void *at)
{
	const struct address *a = at;
	struct answer answer;
	look_up(a, AI_ADDRCONFIG, &answer);
	(void)!write(a->pipe, &answer, sizeof answer);
}

static bool start_look_up(struct port *port, struct address *a)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return false;
	a->pipe = ends[1];
	bool started = port_child_start(answer_pipe, a, &ends[1], 1);
	int why = errno;
	close(ends[1]);
	port->fd = ends[0];
	errno = why;
	return started;
}

/* ---- connecting ---- */

static void set(int fd, int level, int option, int value)
{
	setsockopt(fd, level, option, &value, sizeof value);
}

static void set_options(int fd)
{
	set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	set(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, UNSENT_BYTES);
	set(fd, IPPROTO_TCP, TCP_SYNCNT, SYN_RETRIES);
	set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	set(fd, IPPROTO_TCP, TCP_KEEPIDLE, IDLE_SECONDS);
	set(fd, IPPROTO_TCP, TCP_KEEPINTVL, PROBE_SECONDS);
	set(fd, IPPROTO_TCP, TCP_KEEPCNT, PROBES);
}

static socklen_t size_of(const struct sockaddr_storage *at)
{
	return at->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

/* Its socket on the way to that address, or -1. */
static int begin(const struct sockaddr_storage *at)
{
	int fd = socket(at->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	set_options(fd);
	if (connect(fd, (const struct sockaddr *)at, size_of(at)) == 0 || errno == EINPROGRESS)
		return fd;
	int why = errno;
	close(fd);
	errno = why;
	return -1;
}

/* The new descriptor is made before the old one goes, so that its number is another. */
static void use(struct port *port, int fd)
{
	if (port->fd >= 0)
		close(port->fd);
	port->fd = fd;
}

/* On to the next address. */
static void connect_next(struct port *port)
{
	struct tcp *t = tcp_of(port);
	t->stage = GONE;
	while (t->stage == GONE && t->tried < t->host.count) {
		int fd = begin(&t->host.at[t->tried++]);
		t->why = errno;
		if (fd < 0)
			continue;
		use(port, fd);
		set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, GIVE_UP_SECONDS * 1000);
		t->stage = CONNECTING;
	}
}

/* ---- the stages ---- */

static void heed_answer(struct port *port)
{
	struct tcp *t = tcp_of(port);
	ssize_t n = read(port->fd, &t->host, sizeof t->host);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n != sizeof t->host) /* the process came to grief */
		t->host = (struct answer){.error = EAI_FAIL};
	connect_next(port); /* of none when there was an error */
}

static void heed_connection(struct port *port)
{
	struct tcp *t = tcp_of(port);
	struct sockaddr_storage peer;
	socklen_t size = sizeof t->why;
	if (getsockopt(port->fd, SOL_SOCKET, SO_ERROR, &t->why, &size) < 0 || t->why) {
		connect_next(port);
		return;
	}
	size = sizeof peer;
	if (getpeername(port->fd, (struct sockaddr *)&peer, &size) == 0)
		t->stage = CONNECTED;
}

static bool tcp_ready(struct port *port)
{
	struct tcp *t = tcp_of(port);
	if (t->stage == LOOKING_UP)
		heed_answer(port);
	else if (t->stage == CONNECTING)
		heed_connection(port);
	return t->stage == CONNECTED;
}

static ssize_t ended(struct port *port)
{
	tcp_of(port)->why = errno;
	tcp_of(port)->stage = GONE;
	return -1;
}

/* What reading and writing answer when there is no connection. */
static ssize_t wait_or_gone(const struct port *port)
{
	return tcp_of(port)->stage == GONE ? -1 : 0;
}

static ssize_t tcp_read(struct port *port, void *at, size_t capacity)
{
	if (!tcp_ready(port))
		return wait_or_gone(port);
	ssize_t n = port_socket_read(port->fd, at, capacity);
	return n < 0 ? ended(port) : n;
}

static ssize_t tcp_write(struct port *port, struct bytes out)
{
	if (!tcp_ready(port))
		return wait_or_gone(port);
	ssize_t n = port_socket_write(port->fd, out);
	return n < 0 ? ended(port) : n;
}

static int tcp_outq(struct port *port)
{
	int unsent;
	if (tcp_of(port)->stage != CONNECTED || ioctl(port->fd, SIOCOUTQNSD, &unsent) < 0)
		return 0;
	return unsent;
}

static int tcp_modem_lines(struct port *port)
{
	(void)port;
	return -1;
}

static bool tcp_icounts(struct port *port, struct port_icounts *counts)
{
	(void)port, (void)counts;
	return false;
}

static const char *why(const struct tcp *t)
{
	if (t->host.error)
		return gai_strerror(t->host.error);
	switch (t->why) {
	case 0:
		return "the peer closed the connection";
	case ECONNREFUSED:
		return "connection refused";
	case ETIMEDOUT:
		return "the peer does not answer";
	default:
		return strerror(t->why);
	}
}

static const char *tcp_reason(const struct port *port)
{
	struct tcp *t = tcp_of(port);
	snprintf(t->reason, sizeof t->reason, "%s%s", t->host.error ? "host not found: " : "",
		 why(t));
	return t->reason;
}

static void tcp_close(struct port *port)
{
	if (port->fd >= 0)
		close(port->fd);
	free(port->state);
}

static const struct port_ops port_tcp_ops = {
	.name = "tcp",
	.read = tcp_read,
	.write = tcp_write,
	.outq = tcp_outq,
	.modem_lines = tcp_modem_lines,
	.icounts = tcp_icounts,
	.ready = tcp_ready,
	.reason = tcp_reason,
	.close = tcp_close,
};

static struct port *make(void)
{
	struct port *port = calloc(1, sizeof *port);
	struct tcp *t = calloc(1, sizeof *t);
	if (!port || !t) {
		free(port);
		free(t);
		return NULL;
	}
	*port = (struct port){.ops = &port_tcp_ops, .fd = -1, .state = t};
	return port;
}

/* The first stage, which one that is. */
static bool start(struct port *port, struct address *a, struct port_error *error)
{
	struct tcp *t = tcp_of(port);
	look_up(a, AI_NUMERICHOST, &t->host);
	if (t->host.error) {
		t->host = (struct answer){0};
		return start_look_up(port, a) ||
		       port_refuse(error, PORT_FAILED, "its host cannot be looked up: %s",
				   strerror(errno));
	}
	connect_next(port);
	return t->stage != GONE || port_refuse(error, PORT_NO_DEVICE, "%s", why(t));
}

struct port *port_tcp_open(const char *address, struct port_error *error)
{
	struct address a = {.pipe = -1};
	struct port *port = make();
	*error = (struct port_error){.status = PORT_OK};
	if (!port)
		port_refuse(error, PORT_FAILED, "out of memory");
	else if (!split(&a, address))
		port_refuse(error, PORT_BAD_SETTING,
			    "no address: write tcp:HOST:PORT, or tcp:[ADDRESS]:PORT for IPv6");
	else
		start(port, &a, error);
	if (!port || error->status == PORT_OK)
		return port;
	tcp_close(port);
	free(port);
	return NULL;
}
