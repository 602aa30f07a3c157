/* SPDX-License-Identifier: MIT */
/*
 * The listening socket, and who connects.
 *
 * The kernel tells who is at the other end (SO_PEERCRED, SO_PEERGROUPS): what was so when they
 * called connect(). So the socket may be open to all, and reading needs no right.
 */
#define _GNU_SOURCE
#include "src/control_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	LISTEN_FDS_START = 3, /* SD_LISTEN_FDS_START */
	BACKLOG = 64,
	GROUPS_MOST = 256, /* of a peer that are looked at */
};

/* --- one that is handed over --- */

static bool is_for_us(void)
{
	const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");

	return pid && count && strtol(pid, NULL, 10) == getpid() && strtol(count, NULL, 10) >= 1;
}

static bool is_listening(int fd)
{
	int listens = 0, domain = 0;
	socklen_t size = sizeof(listens);

	return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens &&
	       getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX;
}

int control_socket_inherit(void)
{
	bool ours = is_for_us();

	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	if (!ours || !is_listening(LISTEN_FDS_START))
		return -1;
	if (fcntl(LISTEN_FDS_START, F_SETFD, FD_CLOEXEC) != 0 ||
	    fcntl(LISTEN_FDS_START, F_SETFL, O_NONBLOCK) != 0)
		return -1;
	return LISTEN_FDS_START;
}

/* --- one of our own --- */

/* What is being opened, and room to say what is wrong. */
struct opening {
	struct sockaddr_un address;
	enum control_socket_status status;
	char *why;
	size_t why_size;
};

static bool refuse(struct opening *o, enum control_socket_status status, const char *what,
		   const char *why)
{
	o->status = status;
	snprintf(o->why, o->why_size, "%s%s%s", what, *what ? ": " : "", why);
	return false;
}

static bool refuse_errno(struct opening *o, const char *what)
{
	bool may_not = errno == EACCES || errno == EPERM || errno == EROFS;

	return refuse(o, may_not ? CONTROL_SOCKET_NO_PERMISSION : CONTROL_SOCKET_FAILED, what,
		      strerror(errno));
}

static int make_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/* The last directory of the path, which everybody may enter whatever our umask. */
static bool make_directory(struct opening *o)
{
	char directory[sizeof(o->address.sun_path)];
	const char *slash = strrchr(o->address.sun_path, '/');

	if (!slash || slash == o->address.sun_path)
		return true;
	snprintf(directory, sizeof(directory), "%.*s", (int)(slash - o->address.sun_path),
		 o->address.sun_path);
	if (mkdir(directory, 0755) == 0)
		return chmod(directory, 0755) == 0 || refuse_errno(o, directory);
	return errno == EEXIST || refuse_errno(o, directory);
}

/* Nobody listens at what is there: a program that was killed could not take it away. */
static bool is_stale(struct opening *o)
{
	int fd = make_socket();
	bool stale;

	if (fd < 0)
		return false;
	stale = connect(fd, (const struct sockaddr *)&o->address, sizeof(o->address)) != 0 &&
		errno == ECONNREFUSED;
	close(fd);
	return stale;
}

static bool clear_path(struct opening *o)
{
	const char *path = o->address.sun_path;
	struct stat st;

	if (lstat(path, &st) != 0)
		return errno == ENOENT || refuse_errno(o, "");
	if (!S_ISSOCK(st.st_mode))
		return refuse(o, CONTROL_SOCKET_IN_USE, "", "there is a file, which is no socket");
	if (!is_stale(o))
		return refuse(o, CONTROL_SOCKET_IN_USE, "", "another program listens there");
	return unlink(path) == 0 || refuse_errno(o, "");
}

/* Any user may connect: what they may do is another matter. */
static bool bind_socket(struct opening *o, int fd, gid_t group)
{
	const char *path = o->address.sun_path;

	if (bind(fd, (const struct sockaddr *)&o->address, sizeof(o->address)) != 0)
		return refuse_errno(o, "");
	if (group != (gid_t)-1 && chown(path, (uid_t)-1, group) != 0)
		return refuse_errno(o, "giving it to the control group");
	if (chmod(path, 0666) != 0 || listen(fd, BACKLOG) != 0)
		return refuse_errno(o, "");
	return true;
}

static bool fill_address(struct opening *o, const char *path)
{
	size_t length = strlen(path);

	o->address.sun_family = AF_UNIX;
	if (length >= sizeof(o->address.sun_path))
		return refuse(o, CONTROL_SOCKET_FAILED, "",
			      "the path of a socket has at most 107 characters");
	memcpy(o->address.sun_path, path, length + 1);
	return true;
}

int control_socket_open(const char *path, gid_t group, enum control_socket_status *status,
			char *why, size_t why_size)
{
	struct opening o = {.why = why, .why_size = why_size};
	int fd = -1;

	if (fill_address(&o, path) && make_directory(&o) && clear_path(&o)) {
		fd = make_socket();
		if (fd < 0)
			refuse_errno(&o, "");
	}
	if (fd >= 0 && !bind_socket(&o, fd, group)) {
		close(fd);
		fd = -1;
	}
	*status = o.status;
	return fd;
}

void control_socket_close(int fd, const char *path)
{
	close(fd);
	unlink(path);
}

/* --- who connects --- */

static bool is_member(int fd, gid_t first, gid_t group)
{
	gid_t groups[GROUPS_MOST];
	socklen_t size = sizeof(groups);

	if (group == (gid_t)-1)
		return false;
	if (first == group)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) != 0)
		return false;
	for (size_t i = 0; i < size / sizeof(groups[0]); i++)
		if (groups[i] == group)
			return true;
	return false;
}

bool control_peer_of(int fd, gid_t group, struct control_peer *peer)
{
	struct ucred who;
	socklen_t size = sizeof(who);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0)
		return false;
	*peer = (struct control_peer){.uid = who.uid, .pid = who.pid, .right = CONTROL_READ};
	if (who.uid == 0 || who.uid == geteuid())
		peer->right = CONTROL_OWN;
	else if (is_member(fd, who.gid, group))
		peer->right = CONTROL_CHANGE;
	return true;
}
