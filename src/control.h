/* SPDX-License-Identifier: MIT */
/*
 * The control socket, by which serialbundlectl talks to a running program: one JSON
 * object per line each way.
 *
 *   {"command": "status"}                                  {"ok": true, "version": 1, ...}
 *   {"command": "enslave", "line": "/dev/ttyS1:14400"}     {"ok": true, "message": "..."}
 *   {"command": "down", "line": "ttyS7"}                   {"ok": false, "error": "EINVAL",
 *                                                           "message": "..."}
 *   {"command": "monitor"}                                 {"ok": true}, then an object per event
 *
 * "version": 1 may stand in a request; another number is refused. The commands are those of
 * control_commands.c; what "status" answers is described by status.schema.json.
 *
 * Everybody may read. Who may change things is told by the credentials of the peer, not by
 * the socket's mode: root, the user that the program runs as, and members of --control-group.
 * What makes the program run or read files of the client's choice is for the first two alone.
 *
 * No client holds anything up: sockets never block, one request is served at a time and the lines
 * have the rest, a client has at most one answer waiting, and one that lets more
 * events wait than its buffer holds is dropped.
 */
#ifndef SRC_CONTROL_H
#define SRC_CONTROL_H

#include "src/exchange.h"

struct ev_loop;
struct control_server;

/* What the program lends it: all borrowed, to outlive it. */
struct control_host {
	const struct config *config; /* as it is now; may be overwritten in place by a reload */
	struct log *log;
	struct ev_loop *loop;
	struct exchange *exchange;
	const sb_time *now; /* the reading of the clock of this wake-up */
	/* What SIGHUP does; the text says what came of it. NULL: there is no file to read. */
	void (*reload)(void *context, struct exchange_answer *);
	void *context;
};

/*
 * Listens at config->control, or at the socket that the service manager handed over
 * (LISTEN_FDS). A directory of the path that is not there is made; the socket of a program that has
 * ended is replaced. NULL: it was said in the log why, and *status is the exit status: a socket
 * on which somebody listens is EXIT_IN_USE. With neither path nor a socket handed over, one is
 * returned that nobody can reach, so that its owner need not ask.
 */
struct control_server *control_server_new(const struct control_host *, enum exit_status *status);
/* Closes all clients, and takes the socket away if it was made here. */
void control_server_free(struct control_server *);

/* Tells those who monitor. */
void control_server_tell(struct control_server *, const struct exchange_event *);

#endif
