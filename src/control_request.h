/* SPDX-License-Identifier: MIT */
/*
 * A request of the control connection: one line of JSON, checked against the form of its
 * command. And the answers: objects with "ok".
 */
#ifndef SRC_CONTROL_REQUEST_H
#define SRC_CONTROL_REQUEST_H

#include "serialbundle/bytes.h"
#include "src/control_socket.h"

#include <jansson.h>

enum {
	CONTROL_VERSION = 1,
	CONTROL_REQUEST_SIZE = 4096, /* the longest line, with its end */
	CONTROL_MEMBERS = 4,         /* of a request, besides "command" and "version" */
};

/* What may stand in a request. */
struct control_member {
	const char *name; /* NULL: no more */
	enum { CONTROL_TEXT, CONTROL_NUMBER } type;
	bool optional;
};

struct control_call;

struct control_command {
	const char *name;
	enum control_right right; /* that it takes */
	json_t *(*run)(struct control_call *);
	struct control_member members[CONTROL_MEMBERS];
};

/*
 * The request of a line, and its command in the table, which ends with a row without a name.
 * NULL: *answer says why. Each of them is the caller's.
 */
json_t *control_request_parse(struct bytes line, const struct control_command table[],
			      const struct control_command **command, json_t **answer);

/* A member of a request that was parsed; "" or 0 when it is not there. */
const char *control_request_text(const json_t *request, const char *name);
json_int_t control_request_number(const json_t *request, const char *name);

/* {"ok": true, "message": ...}; without a message when it is NULL. */
json_t *control_ok(const char *message);
/* {"ok": false, "error": "EINVAL", "message": ...} */
__attribute__((format(printf, 2, 3))) json_t *control_error(int error, const char *format, ...);

#endif
