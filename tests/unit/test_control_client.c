/* SPDX-License-Identifier: MIT */
/* A client's two buffers, over a socket pair. */
#define _GNU_SOURCE
#include "src/control_client.h"

#include <check.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static struct control_client client;
static int user; /* the other end */

static void set_up(void)
{
	struct control_peer peer = {.right = CONTROL_READ};
	int ends[2], size = 4096;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	ck_assert_int_eq(setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)), 0);
	control_client_open(&client, ends[0], &peer, 0);
	user = ends[1];
}

static void tear_down(void)
{
	if (client.fd >= 0)
		control_client_close(&client);
	close(user);
}

static void user_sends(const char *text)
{
	ck_assert_int_eq(send(user, text, strlen(text), 0), (ssize_t)strlen(text));
}

static void assert_request(const char *text)
{
	struct bytes line;

	ck_assert(control_client_asks(&client));
	line = control_client_request(&client);
	ck_assert_uint_eq(line.length, strlen(text));
	ck_assert_int_eq(memcmp(line.at, text, line.length), 0);
	control_client_next(&client);
}

/* All that the user has got by now; how much. */
static size_t user_receives(void)
{
	char at[4096];
	size_t sum = 0;
	ssize_t n;

	while ((n = recv(user, at, sizeof(at), 0)) > 0)
		sum += (size_t)n;
	return sum;
}

START_TEST(a_request_in_pieces)
{
	user_sends("{\"comm");
	ck_assert(control_client_read(&client));
	ck_assert(!control_client_asks(&client));
	ck_assert(control_client_wants_read(&client));
	user_sends("and\":1}\nnext\nhalf");
	ck_assert(control_client_read(&client));
	ck_assert(!control_client_wants_read(&client));
	assert_request("{\"command\":1}");
	assert_request("next");
	ck_assert(!control_client_asks(&client));
	ck_assert(control_client_wants_read(&client));
	user_sends("\n");
	ck_assert(control_client_read(&client));
	assert_request("half");
}
END_TEST

START_TEST(a_line_without_an_end)
{
	static char text[CONTROL_REQUEST_SIZE + 1];

	memset(text, 'x', sizeof(text) - 1);
	user_sends(text);
	ck_assert(control_client_read(&client));
	ck_assert(control_client_is_too_long(&client));
	ck_assert(!control_client_asks(&client));
}
END_TEST

START_TEST(the_longest_line)
{
	static char text[CONTROL_REQUEST_SIZE + 1];

	memset(text, 'x', sizeof(text) - 1);
	text[CONTROL_REQUEST_SIZE - 1] = '\n';
	user_sends(text);
	ck_assert(control_client_read(&client));
	ck_assert(!control_client_is_too_long(&client));
	ck_assert_uint_eq(control_client_request(&client).length, CONTROL_REQUEST_SIZE - 1);
}
END_TEST

/* As printf '...' | socat does: it closes its side, and wants the answer all the same. */
START_TEST(an_end_behind_a_request)
{
	json_t *answer = json_pack("{s:b}", "ok", 1);

	user_sends("{}\n");
	ck_assert_int_eq(shutdown(user, SHUT_WR), 0);
	ck_assert(control_client_read(&client));
	assert_request("{}");
	ck_assert(control_client_answer(&client, answer));
	ck_assert(!control_client_read(&client)); /* now that is seen */
	ck_assert_uint_eq(user_receives(), strlen("{\"ok\":true}\n"));
	json_decref(answer);
}
END_TEST

START_TEST(an_end_in_half_a_request)
{
	user_sends("{\"command\"");
	ck_assert(control_client_read(&client));
	ck_assert_int_eq(shutdown(user, SHUT_WR), 0);
	ck_assert(!control_client_read(&client));
}
END_TEST

START_TEST(who_only_monitors_and_ends_is_done)
{
	client.monitors = true;
	ck_assert_int_eq(shutdown(user, SHUT_WR), 0);
	ck_assert(!control_client_read(&client));
}
END_TEST

START_TEST(B118_an_answer_that_is_not_read_waits_alone)
{
	json_t *answer = json_object();
	static char words[100001];
	size_t expected, received;

	memset(words, 'w', sizeof(words) - 1);
	json_object_set_new(answer, "words", json_string(words));
	user_sends("one\ntwo\n");
	ck_assert(control_client_read(&client));
	assert_request("one");
	ck_assert(control_client_answer(&client, answer));
	ck_assert(control_client_wants_write(&client));
	ck_assert(!control_client_asks(&client)); /* though "two" is there */
	expected = strlen("{\"words\":\"\"}\n") + sizeof(words) - 1;
	for (received = 0; received < expected; received += user_receives())
		ck_assert(!control_client_wants_write(&client) || control_client_write(&client));
	ck_assert_uint_eq(received, expected);
	assert_request("two");
	json_decref(answer);
}
END_TEST

START_TEST(B118_a_monitor_that_does_not_read_is_given_up)
{
	char event[1000];
	unsigned told = 0;

	memset(event, 'e', sizeof(event));
	for (; told < 1000 && control_client_tell(&client, event, sizeof(event)); told++)
		ck_assert_uint_le(client.out_length, CONTROL_EVENTS_SIZE);
	ck_assert_uint_ge(told, CONTROL_EVENTS_SIZE / sizeof(event));
	ck_assert_uint_lt(told, 1000);
}
END_TEST

START_TEST(who_is_gone_is_dropped)
{
	json_t *answer = json_object();

	close(user);
	ck_assert(!control_client_answer(&client, answer));
	ck_assert(!control_client_read(&client));
	user = socket(AF_UNIX, SOCK_STREAM, 0);
	json_decref(answer);
}
END_TEST

START_TEST(numbers_are_as_long_as_they_must_be)
{
	json_t *value = json_pack("{s:f, s:i}", "rate", 3544.2, "n", 7);
	size_t length;
	char *text = control_line(value, &length);

	ck_assert_uint_eq(length, strlen("{\"rate\":3544.2,\"n\":7}\n"));
	ck_assert_int_eq(memcmp(text, "{\"rate\":3544.2,\"n\":7}\n", length), 0);
	ck_assert_ptr_null(control_line(NULL, &length));
	free(text);
	json_decref(value);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("control_client");
	TCase *tests = tcase_create("control_client");
	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, a_request_in_pieces);
	tcase_add_test(tests, a_line_without_an_end);
	tcase_add_test(tests, the_longest_line);
	tcase_add_test(tests, an_end_behind_a_request);
	tcase_add_test(tests, an_end_in_half_a_request);
	tcase_add_test(tests, who_only_monitors_and_ends_is_done);
	tcase_add_test(tests, B118_an_answer_that_is_not_read_waits_alone);
	tcase_add_test(tests, B118_a_monitor_that_does_not_read_is_given_up);
	tcase_add_test(tests, who_is_gone_is_dropped);
	tcase_add_test(tests, numbers_are_as_long_as_they_must_be);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
