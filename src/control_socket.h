/* SPDX-License-Identifier: MIT */
/* The listening socket of the control connection, and who is at the other end of one. */
#ifndef SRC_CONTROL_SOCKET_H
#define SRC_CONTROL_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum control_socket_status {
	CONTROL_SOCKET_OK = 0,
	CONTROL_SOCKET_IN_USE, /* somebody listens there, or it is no socket */
	CONTROL_SOCKET_NO_PERMISSION,
	CONTROL_SOCKET_FAILED,
};

/*
 * One that the service manager handed over (sd_listen_fds(3)'s protocol), or -1: none. Asked
 * once: the environment says so no more afterwards, since it is not meant for our children.
 */
int control_socket_inherit(void);

/*
 * A new one at the path, never blocking, to which everybody may connect; it belongs to the
 * group, unless that is -1. Its directory is made if it is not there; a socket on which nobody
 * listens any more is replaced. Else -1, *status, and why as a clause.
 */
int control_socket_open(const char *path, gid_t group, enum control_socket_status *status,
			char *why, size_t why_size);
void control_socket_close(int fd, const char *path);

/* What a client may do; each includes those before. */
enum control_right {
	CONTROL_READ,
	CONTROL_CHANGE, /* how lines and bundles go */
	CONTROL_OWN,    /* make us run programs and read files */
};

struct control_peer {
	uid_t uid;
	pid_t pid;
	enum control_right right;
};

/* Of a connected socket. False: it is gone. group: members of it may change things; -1: none. */
bool control_peer_of(int fd, gid_t group, struct control_peer *);

#endif
