/* SPDX-License-Identifier: MIT */
/* Listening unix sockets, and what to do about the ones that are there already. */
#define _GNU_SOURCE
#include "src/nullmodem/listener.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int make_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/* Makes the path free, if that is right. */
static bool clear_path(const struct sockaddr_un *address)
{
	struct stat st;
	if (lstat(address->sun_path, &st) < 0)
		return errno == ENOENT;
	if (!S_ISSOCK(st.st_mode)) {
		errno = EEXIST;
		return false;
	}
	int fd = make_socket();
	if (fd < 0)
		return false;
	bool stale =
		connect(fd, (const void *)address, sizeof *address) < 0 && errno == ECONNREFUSED;
	close(fd);
	if (stale)
		return unlink(address->sun_path) == 0;
	errno = EADDRINUSE;
	return false;
}

int listener_open(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof address.sun_path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(address.sun_path, path);
	if (!clear_path(&address))
		return -1;
	int fd = make_socket();
	if (fd < 0)
		return -1;
	if (bind(fd, (const void *)&address, sizeof address) == 0 && listen(fd, 8) == 0)
		return fd;
	int why = errno;
	close(fd);
	errno = why;
	return -1;
}

void listener_close(int fd, const char *path)
{
	close(fd);
	unlink(path);
}
