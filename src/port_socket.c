/* SPDX-License-Identifier: MIT */
/* Reading and writing of ports that are sockets. */
#define _DEFAULT_SOURCE

#include "src/port_internal.h"

#include <errno.h>
#include <sys/socket.h>

static ssize_t would_block_or_gone(void)
{
	return errno == EAGAIN || errno == EINTR ? 0 : -1;
}

ssize_t port_socket_read(int fd, void *at, size_t capacity)
{
	ssize_t n = recv(fd, at, capacity, MSG_DONTWAIT);
	if (n > 0)
		return n;
	if (n < 0)
		return would_block_or_gone();
	errno = 0;
	return -1;
}

ssize_t port_socket_write(int fd, struct bytes out)
{
	ssize_t n = send(fd, out.at, out.length, MSG_DONTWAIT | MSG_NOSIGNAL);
	return n >= 0 ? n : would_block_or_gone();
}
