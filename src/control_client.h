/* SPDX-License-Identifier: MIT */
/*
 * One client of the control socket: a bounded buffer each way, over a socket that never
 * blocks. No event loop here: it says what it waits for.
 */
#ifndef SRC_CONTROL_CLIENT_H
#define SRC_CONTROL_CLIENT_H

#include "src/control_request.h"

/* Beyond what the socket holds, of events that a monitor has not taken. */
enum { CONTROL_EVENTS_SIZE = 64 * 1024 };

struct control_client {
	int fd; /* -1: free */
	struct control_peer peer;
	bool monitors;
	bool ended;       /* it will send no more */
	double active_at; /* instant of the loop's clock: the last request, or the start */

	char in[CONTROL_REQUEST_SIZE];
	size_t in_length;
	char *out; /* what the socket has not taken yet, or NULL */
	size_t out_start, out_length;
};

/* Takes over the socket. */
void control_client_open(struct control_client *, int fd, const struct control_peer *, double now);
void control_client_close(struct control_client *);

/* Each: false when the client is to be dropped. */
bool control_client_read(struct control_client *);
bool control_client_write(struct control_client *);
/* Adds what is to be sent, as one line. An answer may be long, events together may not. */
bool control_client_answer(struct control_client *, const json_t *);
bool control_client_tell(struct control_client *, const char *event, size_t length);

/* A whole line has come, and what was sent before has been taken. */
bool control_client_asks(const struct control_client *);
/* That line, without its end; valid until control_client_next. */
struct bytes control_client_request(const struct control_client *);
/* It was dealt with. */
void control_client_next(struct control_client *);
/* Its buffer is full, and there is no end of the line in it. */
bool control_client_is_too_long(const struct control_client *);
/* It has sent all it will, and has all it asked for. */
bool control_client_is_done(const struct control_client *);

/* What it waits for. */
bool control_client_wants_read(const struct control_client *);
static inline bool control_client_wants_write(const struct control_client *c)
{
	return c->out_length > 0;
}

/* The line of text that a value is sent as; to be freed. NULL: out of memory. */
char *control_line(const json_t *, size_t *length);

#endif
