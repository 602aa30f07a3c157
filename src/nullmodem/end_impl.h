/* SPDX-License-Identifier: MIT */
/* What the kinds of end share; only for end.c, end_pty.c and end_unix.c. */
#ifndef NULLMODEM_END_IMPL_H
#define NULLMODEM_END_IMPL_H

#include "src/nullmodem/end.h"

#include <sys/types.h>

struct end_ops {
	bool (*open)(struct end *, char *text, size_t text_size);
	void (*close)(struct end *);
	void (*hold)(struct end *, bool hold);
	void (*lost)(struct end *); /* fd reported end of file or an error */
	uint32_t (*speed)(const struct end *);
};

struct end {
	const struct end_ops *ops;
	const char *path; /* without unix: */
	struct end_host host;
	int fd; /* the pty's master, the socket of the client; -1: none */
	struct source source;
	bool readable, writable; /* edges seen and not used up yet */
	bool held;
	bool left; /* and nobody has asked yet */

	/* pty */
	int slave;
	char pts[32];
	struct watch watch;
	bool watched;

	/* unix */
	int listener;
	struct source listener_source;
	bool peer_closed; /* the client will send no more */

	char text[]; /* as given */
};

extern const struct end_ops end_pty_ops, end_unix_ops;

/* Starts to use the non-blocking fd for data. */
bool end_attach_fd(struct end *, int fd);
void end_drop_fd(struct end *);
/* snprintf "doing: strerror(errno)"; returns false. */
bool end_fail(char *text, size_t text_size, const char *doing);

#endif
