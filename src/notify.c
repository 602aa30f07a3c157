/* SPDX-License-Identifier: MIT */
/*
 * sd_notify(3)'s protocol: one datagram of VARIABLE=value lines to the unix
 * socket that NOTIFY_SOCKET names. A name that begins with @ is in the abstract
 * name space (unix(7)): the @ stands for a NUL byte, and the address ends with
 * the name, not with a NUL. Messages are rare, so the socket lives for one.
 */
#define _DEFAULT_SOURCE
#include "src/notify.h"

#include "src/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { STATUS_SIZE = 256, MESSAGE_SIZE = STATUS_SIZE + 64 };

/* The address's length, or 0 when the name is neither a path nor abstract, or too long. */
static socklen_t make_address(struct sockaddr_un *to, const char *name)
{
	size_t length = strlen(name);
	bool abstract = *name == '@';
	if ((!abstract && *name != '/') || length < 2 || length >= sizeof(to->sun_path))
		return 0;
	*to = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(to->sun_path, name, length);
	if (abstract)
		to->sun_path[0] = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + !abstract);
}

static bool send_to(const char *name, const char *message, size_t length)
{
	struct sockaddr_un address;
	socklen_t address_length = make_address(&address, name);
	if (!address_length)
		return false;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	ssize_t n = sendto(fd, message, length, MSG_DONTWAIT | MSG_NOSIGNAL,
			   (const struct sockaddr *)&address, address_length);
	close(fd);
	return n == (ssize_t)length;
}

enum notify_result notify_send(const char *state, const char *status)
{
	const char *name = getenv("NOTIFY_SOCKET");
	char line[STATUS_SIZE], message[MESSAGE_SIZE];
	if (!name || !*name)
		return NOTIFY_NOBODY;
	snprintf(line, sizeof(line), "%s", status ? status : "");
	text_clean(line); /* a newline in it would be the next variable */
	int n = snprintf(message, sizeof(message), "%s%s%s%s", state ? state : "",
			 state && status ? "\n" : "", status ? "STATUS=" : "", line);
	if (n < 0 || (size_t)n >= sizeof(message))
		return NOTIFY_FAILED;
	return send_to(name, message, (size_t)n) ? NOTIFY_SENT : NOTIFY_FAILED;
}
