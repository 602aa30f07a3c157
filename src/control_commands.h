/* SPDX-License-Identifier: MIT */
/* What can be asked for over the control socket. */
#ifndef SRC_CONTROL_COMMANDS_H
#define SRC_CONTROL_COMMANDS_H

#include "src/control.h"
#include "src/control_request.h"

/* A request that is being answered. */
struct control_call {
	const struct control_host *host;
	const struct control_peer *peer;
	const json_t *request;
	sb_time uptime; /* duration since the program began */
	struct control_stream *stream;
};

/* What a client gets from now on, unasked; to be set by a command. */
struct control_stream {
	bool events;                 /* all that happens, a line each */
	struct capture_sink capture; /* given: what takes a capture, */
	char name[32];               /* and what that is called */
	bool captures;               /* there is one */
};

/* --- for control_*.c: what is meant, what is said --- */

const char *control_text(const struct control_call *, const char *member);
json_t *control_answer(const struct exchange_answer *);
json_t *control_no_line(const char *name);
json_t *control_neither(const char *name);
/*
 * EXCHANGE_NO_BUNDLE: no interface has this name. Nothing named: the one bundle there is, unless
 * peers have one each.
 */
unsigned control_bundle(const struct control_call *, const char *name);

/* control_set.c: the configuration as it is, and changes of it. */
json_t *control_set(struct control_call *);
json_t *control_get(struct control_call *);
json_t *control_show_config(struct control_call *);

/* Ends with a row without a name. */
extern const struct control_command control_commands[];

/* The answer to a line of a client; NULL: out of memory. All but `request` of the call is given. */
json_t *control_obey(struct control_call *, struct bytes line);

/* A command with a file of its own: control_shaper.c. */
json_t *control_show_shaper(struct control_call *);

/* What happened, for those who monitor. */
json_t *control_event_json(const struct exchange_event *, int64_t wall_ms);

#endif
