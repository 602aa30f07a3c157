/* SPDX-License-Identifier: MIT */
/*
 * A message to the child is an address, one from it an address, a 0, and its name, or
 * none. When it does not keep up the asking is tried again later.
 */
#define _DEFAULT_SOURCE
#include "src/ctl/top_names.h"

#include "src/text.h"

#include <netdb.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAMES = 256, ADDRESS_SIZE = 48, NAME_SIZE = 256 };

struct name {
	char address[ADDRESS_SIZE]; /* "" : none here yet */
	char name[NAME_SIZE];       /* "" : not known, or there is none */
};

struct top_names {
	pid_t child;
	int fd;
	unsigned next; /* where a new one goes, the oldest's place */
	struct name names[NAMES];
};

/* --- the child --- */

static void look_up(const char *address, char name[static NAME_SIZE])
{
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST}, *found;

	name[0] = '\0';
	if (getaddrinfo(address, NULL, &hints, &found) != 0)
		return;
	if (getnameinfo(found->ai_addr, found->ai_addrlen, name, NAME_SIZE, NULL, 0, NI_NAMEREQD) !=
	    0)
		name[0] = '\0';
	freeaddrinfo(found);
}

static _Noreturn void serve(int fd)
{
	char message[ADDRESS_SIZE + NAME_SIZE];
	ssize_t n;

	while ((n = recv(fd, message, ADDRESS_SIZE - 1, 0)) > 0) {
		size_t length = (size_t)n + 1;

		message[n] = '\0';
		look_up(message, message + length);
		length += strlen(message + length);
		if (send(fd, message, length, MSG_NOSIGNAL) < 0)
			break;
	}
	_exit(0);
}

/* --- the parent --- */

struct top_names *top_names_new(void)
{
	struct top_names *n = calloc(1, sizeof(*n));
	int fds[2];

	if (!n || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0) {
		free(n);
		return NULL;
	}
	n->child = fork();
	if (n->child == 0) {
		close(fds[0]);
		serve(fds[1]);
	}
	close(fds[1]);
	n->fd = fds[0];
	if (n->child > 0)
		return n;
	close(n->fd);
	free(n);
	return NULL;
}

void top_names_free(struct top_names *n)
{
	if (!n)
		return;
	close(n->fd);
	kill(n->child, SIGKILL); /* it may wait for an answer for a long time yet */
	waitpid(n->child, NULL, 0);
	free(n);
}

int top_names_fd(const struct top_names *n)
{
	return n->fd;
}

static struct name *find(struct top_names *n, const char *address)
{
	for (unsigned i = 0; i < NAMES; i++)
		if (n->names[i].address[0] && strcmp(n->names[i].address, address) == 0)
			return &n->names[i];
	return NULL;
}

void top_names_read(struct top_names *n)
{
	char message[ADDRESS_SIZE + NAME_SIZE];
	ssize_t got = recv(n->fd, message, sizeof(message) - 1, MSG_DONTWAIT);
	struct name *name;

	if (got <= 0)
		return;
	message[got] = '\0';
	name = find(n, message);
	if (!name || strlen(message) + 1 > (size_t)got)
		return;
	snprintf(name->name, sizeof(name->name), "%s", message + strlen(message) + 1);
	text_clean(name->name);
}

static void ask(struct top_names *n, const char *address)
{
	struct name *name = &n->names[n->next];
	size_t length = strlen(address);

	if (length == 0 || length >= ADDRESS_SIZE ||
	    send(n->fd, address, length, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return;
	*name = (struct name){0};
	memcpy(name->address, address, length + 1);
	n->next = (n->next + 1) % NAMES;
}

const char *top_names_get(struct top_names *n, const char *address)
{
	const struct name *name = find(n, address);

	if (!name)
		ask(n, address);
	return name && name->name[0] ? name->name : NULL;
}
