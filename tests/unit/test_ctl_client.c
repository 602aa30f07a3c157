/* SPDX-License-Identifier: MIT */
/* The other side of the control socket, against a server that says what the test wants. */
#define _GNU_SOURCE
#include "src/ctl/client.h"

#include "src/control_socket.h"

#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { NO_GROUP = -1 };

static char directory[64], path[CTL_PATH_SIZE];
static struct ctl_why why;

static void set_up(void)
{
	strcpy(directory, "/tmp/test_ctl.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	why.text[0] = '\0';
}

static void tear_down(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", directory);
	ck_assert_int_eq(system(command), 0);
}

static int listen_as(const char *name)
{
	enum control_socket_status status;
	char text[160], where[128];

	snprintf(where, sizeof(where), "%s/%s", directory, name);
	return control_socket_open(where, (gid_t)NO_GROUP, &status, text, sizeof(text));
}

/* --- which socket --- */

START_TEST(a_bundle_has_its_socket)
{
	char expected[128];

	snprintf(expected, sizeof(expected), "%s/isp.sock", directory);
	ck_assert_int_eq(ctl_find(directory, "isp", path, &why), CTL_FINE);
	ck_assert_str_eq(path, expected);
}
END_TEST

START_TEST(the_only_one_that_lives_is_found)
{
	char expected[128];
	int dead = listen_as("old.sock"), alive = listen_as("new.sock"), no = listen_as("other");

	close(dead);
	snprintf(expected, sizeof(expected), "%s/new.sock", directory);
	ck_assert_int_eq(ctl_find(directory, "", path, &why), CTL_FINE);
	ck_assert_str_eq(path, expected);
	close(alive);
	close(no);
}
END_TEST

START_TEST(of_several_one_must_be_named)
{
	int one = listen_as("one.sock"), two = listen_as("two.sock");

	ck_assert_int_eq(ctl_find(directory, "", path, &why), CTL_USAGE);
	ck_assert_ptr_nonnull(strstr(why.text, "-b NAME"));
	ck_assert_ptr_nonnull(strstr(why.text, "one"));
	ck_assert_ptr_nonnull(strstr(why.text, "two"));
	close(one);
	close(two);
}
END_TEST

START_TEST(none_is_said)
{
	ck_assert_int_eq(ctl_find(directory, "", path, &why), CTL_NO_DAEMON);
	ck_assert_int_eq(ctl_find("/none/such", "", path, &why), CTL_NO_DAEMON);
	ck_assert_ptr_nonnull(strstr(why.text, "/none/such"));
}
END_TEST

START_TEST(nobody_listens)
{
	char longest[200];
	int fd = listen_as("socket");

	close(fd);
	snprintf(path, sizeof(path), "%s/socket", directory);
	ck_assert_ptr_null(ctl_connect(path, &why));
	ck_assert_ptr_nonnull(strstr(why.text, "nobody listens there"));
	snprintf(path, sizeof(path), "%s/none", directory);
	ck_assert_ptr_null(ctl_connect(path, &why));
	ck_assert_ptr_nonnull(strstr(why.text, "No such file"));
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	ck_assert_ptr_null(ctl_connect(longest, &why));
	ck_assert_ptr_nonnull(strstr(why.text, "at most 107"));
}
END_TEST

/* --- a conversation --- */

/* A server for one client: it answers this to its first line, whatever that is, and ends. */
struct server {
	int fd;
	const char *says;
	char heard[200];
	pthread_t thread;
};

static void *serve(void *context)
{
	struct server *s = context;
	int client = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);
	size_t n = 0;

	while (n < sizeof(s->heard) - 1 && recv(client, s->heard + n, 1, 0) == 1)
		if (s->heard[n++] == '\n')
			break;
	for (size_t length = strlen(s->says), at = 0; at < length;) {
		ssize_t sent = send(client, s->says + at, length - at, MSG_NOSIGNAL);

		if (sent < 0)
			break;
		at += (size_t)sent;
	}
	close(client);
	return NULL;
}

static struct ctl_client *converse(struct server *s, const char *says)
{
	struct ctl_client *c;

	*s = (struct server){.fd = listen_as("socket"), .says = says};
	ck_assert_int_ge(s->fd, 0); /* connected before the thread accepts: it need not wait */
	snprintf(path, sizeof(path), "%s/socket", directory);
	c = ctl_connect(path, &why);
	ck_assert_msg(c != NULL, "%s", why.text);
	ck_assert_int_eq(pthread_create(&s->thread, NULL, serve, s), 0);
	return c;
}

static void end(struct server *s, struct ctl_client *c)
{
	ck_assert_int_eq(pthread_join(s->thread, NULL), 0);
	ctl_close(c);
	close(s->fd);
}

START_TEST(an_answer)
{
	struct server s;
	struct ctl_client *c = converse(&s, "{\"ok\":true,\"n\":7}\n{\"event\":1}\n");
	json_t *answer = ctl_ask(c, "status", &why), *event;

	ck_assert_msg(answer != NULL, "%s", why.text);
	ck_assert_int_eq(json_integer_value(json_object_get(answer, "n")), 7);
	ck_assert_str_eq(s.heard, "{\"command\":\"status\"}\n");
	event = ctl_next(c, &why);
	ck_assert_int_eq(json_integer_value(json_object_get(event, "event")), 1);
	ck_assert(!ctl_is_lost(c));
	ck_assert_ptr_null(ctl_next(c, &why));
	ck_assert(ctl_is_lost(c));
	ck_assert_str_eq(why.text, "the connection was closed");
	json_decref(answer);
	json_decref(event);
	end(&s, c);
}
END_TEST

START_TEST(a_refusal)
{
	struct server s;
	struct ctl_client *c = converse(&s, "{\"ok\":false,\"message\":\"no such line\"}\n");

	ck_assert_ptr_null(ctl_ask(c, "down", &why));
	ck_assert_str_eq(why.text, "no such line");
	ck_assert(!ctl_is_lost(c));
	end(&s, c);
}
END_TEST

START_TEST(an_answer_that_is_none)
{
	static const char *const answers[] = {"what?\n", "", "{\"ok\":true"};
	struct server s;
	struct ctl_client *c = converse(&s, answers[_i]);

	ck_assert_ptr_null(ctl_ask(c, "status", &why));
	ck_assert(ctl_is_lost(c));
	ck_assert_str_ne(why.text, "");
	end(&s, c);
}
END_TEST

START_TEST(a_long_answer)
{
	enum { LONG = 3 * 1024 * 1024 };
	char *text = malloc(LONG + 64);
	struct server s;
	struct ctl_client *c;
	json_t *answer;
	size_t n;

	ck_assert_ptr_nonnull(text);
	n = (size_t)sprintf(text, "{\"ok\":true,\"words\":\"");

	memset(text + n, 'w', LONG);
	strcpy(text + n + LONG, "\"}\n");
	c = converse(&s, text);
	answer = ctl_ask(c, "status", &why);
	ck_assert_msg(answer != NULL, "%s", why.text);
	ck_assert_uint_eq(json_string_length(json_object_get(answer, "words")), LONG);
	json_decref(answer);
	end(&s, c);
	free(text);
}
END_TEST

START_TEST(a_stream_behind_an_answer)
{
	struct server s;
	struct ctl_client *c = converse(&s, "{\"ok\":true}\nABCDEF");
	json_t *answer = ctl_ask(c, "capture-stream", &why);
	char piece[4] = "", all[16] = "";
	ssize_t n;

	ck_assert_ptr_nonnull(answer);
	while ((n = ctl_read(c, piece, sizeof(piece), &why)) > 0)
		strncat(all, piece, (size_t)n);
	ck_assert_int_eq(n, 0);
	ck_assert_str_eq(all, "ABCDEF");
	json_decref(answer);
	end(&s, c);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ctl_client");
	TCase *tests = tcase_create("ctl_client");
	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, a_bundle_has_its_socket);
	tcase_add_test(tests, the_only_one_that_lives_is_found);
	tcase_add_test(tests, of_several_one_must_be_named);
	tcase_add_test(tests, none_is_said);
	tcase_add_test(tests, nobody_listens);
	tcase_add_test(tests, an_answer);
	tcase_add_test(tests, a_refusal);
	tcase_add_loop_test(tests, an_answer_that_is_none, 0, 3);
	tcase_add_test(tests, a_long_answer);
	tcase_add_test(tests, a_stream_behind_an_answer);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
