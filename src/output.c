/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
#include "src/output.h"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

/* A pipe that is writable takes PIPE_BUF bytes without blocking (pipe(7)). */
bool output_put(int fd, const char *text, size_t length, int wait_ms)
{
	while (length > 0) {
		struct pollfd p = {.fd = fd, .events = POLLOUT};
		size_t piece = length < PIPE_BUF ? length : PIPE_BUF;
		ssize_t n;

		if (poll(&p, 1, wait_ms) != 1 || !(p.revents & POLLOUT))
			return false;
		n = write(fd, text, piece);
		if (n <= 0)
			return false;
		text += n;
		length -= (size_t)n;
	}
	return true;
}
