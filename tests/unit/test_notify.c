/* SPDX-License-Identifier: MIT */
/* Against sockets as a service manager has them: by path, and abstract. */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "src/notify.h"

#include <check.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static char directory[] = "/tmp/test_notify.XXXXXX";
static int manager = -1;

/* Listens under this name ('@...' for an abstract one) and sets NOTIFY_SOCKET to it. */
static void listen_at(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(name);
	ck_assert_uint_le(length, sizeof(address.sun_path));
	memcpy(address.sun_path, name, length);
	if (*name == '@')
		address.sun_path[0] = '\0';
	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	ck_assert_int_eq(bind(manager, (struct sockaddr *)&address,
			      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)),
			 0);
	setenv("NOTIFY_SOCKET", name, 1);
}

/* The next datagram, or "". A unix datagram is there when sendto() has returned. */
static const char *received(void)
{
	static char text[1024];
	ssize_t n = recv(manager, text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

static void set_up(void)
{
	ck_assert_ptr_nonnull(mkdtemp(directory));
}

static void tear_down(void)
{
	char path[64];
	snprintf(path, sizeof(path), "%s/notify", directory);
	unlink(path);
	rmdir(directory);
}

static void listen_in_directory(void)
{
	char path[64];
	snprintf(path, sizeof(path), "%s/notify", directory);
	listen_at(path);
}

START_TEST(says_what_it_is_told)
{
	listen_in_directory();
	ck_assert_int_eq(notify_send("READY=1", NULL), NOTIFY_SENT);
	ck_assert_str_eq(received(), "READY=1");
	ck_assert_int_eq(notify_send(NULL, "2 of 2 lines up"), NOTIFY_SENT);
	ck_assert_str_eq(received(), "STATUS=2 of 2 lines up");
	ck_assert_int_eq(notify_send("STOPPING=1", "told to stop"), NOTIFY_SENT);
	ck_assert_str_eq(received(), "STOPPING=1\nSTATUS=told to stop");
	ck_assert_str_eq(received(), "");
}
END_TEST

START_TEST(reaches_abstract_sockets)
{
	char name[64];
	snprintf(name, sizeof(name), "@test_notify/%ld", (long)getpid());
	listen_at(name);
	ck_assert_int_eq(notify_send("READY=1", NULL), NOTIFY_SENT);
	ck_assert_str_eq(received(), "READY=1");
}
END_TEST

START_TEST(status_cannot_become_another_variable)
{
	listen_in_directory();
	ck_assert_int_eq(notify_send(NULL, "no carrier\nMAINPID=1"), NOTIFY_SENT);
	ck_assert_str_eq(received(), "STATUS=no carrier?MAINPID=1");
}
END_TEST

START_TEST(long_status_is_cut)
{
	static char status[5000];
	memset(status, 'x', sizeof(status) - 1);
	listen_in_directory();
	ck_assert_int_eq(notify_send("READY=1", status), NOTIFY_SENT);
	const char *text = received();
	ck_assert_int_eq(strncmp(text, "READY=1\nSTATUS=xxx", 18), 0);
	ck_assert_uint_eq(strlen(text), strlen("READY=1\nSTATUS=") + 255);
}
END_TEST

START_TEST(nobody_asked)
{
	unsetenv("NOTIFY_SOCKET");
	ck_assert_int_eq(notify_send("READY=1", NULL), NOTIFY_NOBODY);
	setenv("NOTIFY_SOCKET", "", 1);
	ck_assert_int_eq(notify_send("READY=1", NULL), NOTIFY_NOBODY);
}
END_TEST

START_TEST(wrong_names_fail)
{
	char name[200] = "/";
	static const char *const names[] = {"relative/path", "@", "/", "/nowhere/there/is/none",
					    "vsock:2:1234"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		setenv("NOTIFY_SOCKET", names[i], 1);
		ck_assert_int_eq(notify_send("READY=1", NULL), NOTIFY_FAILED);
	}
	memset(name + 1, 'x', sizeof(name) - 2); /* longer than an address */
	setenv("NOTIFY_SOCKET", name, 1);
	ck_assert_int_eq(notify_send("READY=1", NULL), NOTIFY_FAILED);
	*name = '@';
	setenv("NOTIFY_SOCKET", name, 1);
	ck_assert_int_eq(notify_send("READY=1", NULL), NOTIFY_FAILED);
}
END_TEST

/* The queue of the socket is full: the message is lost, and nothing waits. */
START_TEST(manager_that_does_not_read_holds_nobody_up)
{
	listen_in_directory();
	alarm(10);
	int sent = 0;
	while (sent < 10000 && notify_send(NULL, "again") == NOTIFY_SENT)
		sent++;
	ck_assert_int_gt(sent, 0);
	ck_assert_int_lt(sent, 10000);
	ck_assert_str_eq(received(), "STATUS=again");
	ck_assert_int_eq(notify_send(NULL, "room"), NOTIFY_SENT);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("notify");
	TCase *t = tcase_create("notify");
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, says_what_it_is_told);
	tcase_add_test(t, reaches_abstract_sockets);
	tcase_add_test(t, status_cannot_become_another_variable);
	tcase_add_test(t, long_status_is_cut);
	tcase_add_test(t, nobody_asked);
	tcase_add_test(t, wrong_names_fail);
	tcase_add_test(t, manager_that_does_not_read_holds_nobody_up);
	suite_add_tcase(suite, t);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
