/* SPDX-License-Identifier: MIT */
/*
 * Talking to a running serialbundle: src/control.h says what. Calls wait for the answer, but
 * never longer than some seconds.
 */
#ifndef SRC_CTL_CLIENT_H
#define SRC_CTL_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Exit statuses of serialbundlectl(1). */
enum ctl_exit {
	CTL_FINE = 0,
	CTL_FAILED = 1,    /* the program refused, or did not answer */
	CTL_USAGE = 2,     /* the command line */
	CTL_NO_DAEMON = 3, /* nobody to talk to */
};

#define CTL_DIRECTORY "/run/serialbundle"

enum { CTL_PATH_SIZE = 108, CTL_WHY_SIZE = 400 };

/* A sentence for people, without full stop; "" : all is well. */
struct ctl_why {
	char text[CTL_WHY_SIZE];
};

/*
 * The socket of the bundle, NAME.sock in the directory; without a name, the only one on which
 * somebody listens. Else CTL_NO_DAEMON or CTL_USAGE, and why.
 */
enum ctl_exit ctl_find(const char *directory, const char *bundle, char path[static CTL_PATH_SIZE],
		       struct ctl_why *);

struct ctl_client;

/* NULL: nobody listens there, or we may not; why. */
struct ctl_client *ctl_connect(const char *path, struct ctl_why *);
void ctl_close(struct ctl_client *);
/* To poll, between requests. */
int ctl_fd(const struct ctl_client *);

/*
 * The answer, with "ok": true. NULL: refused, or the connection is of no use any more
 * (ctl_is_lost); why. The answer is the caller's, and so is the request still.
 */
json_t *ctl_request(struct ctl_client *, const json_t *request, struct ctl_why *);
/* The two halves of it, for who has more to do than wait: when ctl_fd can be read, the answer
 * comes. */
bool ctl_send(struct ctl_client *, const json_t *request, struct ctl_why *);
json_t *ctl_receive(struct ctl_client *, struct ctl_why *);
/* The same for {"command": name} alone. */
json_t *ctl_ask(struct ctl_client *, const char *name, struct ctl_why *);
bool ctl_is_lost(const struct ctl_client *);

/* The next event, after "monitor"; waits for it. NULL: the connection has ended. */
json_t *ctl_next(struct ctl_client *, struct ctl_why *);
/* Bytes of a stream that follows an answer; waits for some. 0: it has ended; -1: why. */
ssize_t ctl_read(struct ctl_client *, void *to, size_t size, struct ctl_why *);

#endif
