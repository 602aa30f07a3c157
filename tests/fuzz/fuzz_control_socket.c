/* SPDX-License-Identifier: MIT */
/*
 * Any program sends anything to the control socket. Input: a byte that says how it is cut, then
 * what is sent.
 *
 * Whatever the pieces, the same requests are found. Each is refused with an answer that is
 * JSON and says why, or it has the members that its command asks for and no others.
 */
#define _GNU_SOURCE
#include "src/control_client.h"

#include "tests/fuzz/cuts.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct control_command table[] = {
	{"status", CONTROL_READ, NULL, {{0}}},
	{"set",
	 CONTROL_CHANGE,
	 NULL,
	 {{"name", CONTROL_TEXT, true}, {"value", CONTROL_TEXT, false}}},
	{"count", CONTROL_OWN, NULL, {{"number", CONTROL_NUMBER, false}}},
	{NULL, CONTROL_READ, NULL, {{0}}},
};

static void require_refusal(const json_t *answer)
{
	char *text = json_dumps(answer, JSON_COMPACT);

	REQUIRE(answer && text && json_is_false(json_object_get(answer, "ok")));
	REQUIRE(json_string_length(json_object_get(answer, "error")) > 1);
	REQUIRE(json_string_length(json_object_get(answer, "message")) > 1);
	REQUIRE(!strchr(text, '\n'));
	free(text);
}

static void require_sense(json_t *request, const struct control_command *command)
{
	size_t known = 1 + !!json_object_get(request, "version");

	REQUIRE(strcmp(control_request_text(request, "command"), command->name) == 0);
	for (unsigned i = 0; i < CONTROL_MEMBERS && command->members[i].name; i++) {
		const struct control_member *m = &command->members[i];
		const json_t *value = json_object_get(request, m->name);

		REQUIRE(value || m->optional);
		known += value != NULL;
		REQUIRE(!value ||
			(m->type == CONTROL_TEXT ? json_is_string(value) : json_is_integer(value)));
	}
	REQUIRE(json_object_size(request) == known);
}

static void obey(struct bytes line)
{
	const struct control_command *command = NULL;
	json_t *answer, *request = control_request_parse(line, table, &command, &answer);

	REQUIRE(!memchr(line.at, '\n', line.length));
	REQUIRE((request == NULL) == (answer != NULL));
	if (request)
		require_sense(request, command);
	else
		require_refusal(answer);
	json_decref(request);
	json_decref(answer);
}

/* How many requests there are in it, sent in pieces of at most `most`; it stops at a long one. */
static unsigned requests(struct bytes in, size_t most, bool look)
{
	struct control_peer peer = {.right = CONTROL_READ};
	struct control_client client;
	unsigned count = 0;
	int ends[2];

	REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
	control_client_open(&client, ends[0], &peer, 0);
	while (in.length && !control_client_is_too_long(&client)) {
		size_t n = in.length < most ? in.length : most;

		REQUIRE(send(ends[1], in.at, n, 0) == (ssize_t)n);
		in = bytes_skip(in, n);
		for (size_t read = 0; read < n && !control_client_is_too_long(&client);) {
			size_t before = client.in_length;

			REQUIRE(control_client_wants_read(&client) && control_client_read(&client));
			read += client.in_length - before;
			for (; control_client_asks(&client); control_client_next(&client), count++)
				if (look)
					obey(control_client_request(&client));
		}
	}
	control_client_close(&client);
	close(ends[1]);
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	struct bytes in = bytes_of(data + 1, size - 1);
	unsigned whole = requests(in, SIZE_MAX, true);

	REQUIRE(whole == requests(in, 1 + data[0], false));
	return 0;
}
