/* SPDX-License-Identifier: MIT */
/* Listening unix stream sockets. */
#ifndef NULLMODEM_LISTENER_H
#define NULLMODEM_LISTENER_H

/*
 * A non-blocking socket listening at `path`, or -1 with errno. The left-over
 * socket of a program that has died is replaced; anything else that exists
 * there is EEXIST or, when somebody listens, EADDRINUSE.
 */
int listener_open(const char *path);
void listener_close(int fd, const char *path); /* and removes the path */

#endif
