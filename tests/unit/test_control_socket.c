/* SPDX-License-Identifier: MIT */
/* Listening sockets: whose they are, what is in their way, and who connects. */
#define _GNU_SOURCE
#include "src/control_socket.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, A_GROUP = 54321, ANOTHER_GROUP = 54322, NO_GROUP = -1 };

static char directory[64], path[80], why[160];
static enum control_socket_status status;

static void set_up(void)
{
	strcpy(directory, "/tmp/test_control.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	chmod(directory, 0755);
	snprintf(path, sizeof(path), "%s/socket", directory);
}

static void tear_down(void)
{
	unlink(path);
	rmdir(directory);
}

static int open_at(const char *where, gid_t group)
{
	why[0] = '\0';
	return control_socket_open(where, group, &status, why, sizeof(why));
}

static int connect_to(const char *where)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", where);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

START_TEST(everybody_may_connect)
{
	struct stat st;
	mode_t mask = umask(077);
	int fd = open_at(path, (gid_t)NO_GROUP), user;

	umask(mask);
	ck_assert_msg(fd >= 0, "%s", why);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0666);
	user = connect_to(path);
	ck_assert_int_ge(user, 0);
	close(user);
	control_socket_close(fd, path);
	ck_assert_int_eq(access(path, F_OK), -1);
}
END_TEST

START_TEST(its_directory_is_made)
{
	char deep[128], parent[100];
	struct stat st;
	mode_t mask = umask(077);
	int fd;

	snprintf(parent, sizeof(parent), "%s/run", directory);
	snprintf(deep, sizeof(deep), "%s/socket", parent);
	fd = open_at(deep, (gid_t)NO_GROUP);
	umask(mask);
	ck_assert_msg(fd >= 0, "%s", why);
	ck_assert_int_eq(stat(parent, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0755);
	control_socket_close(fd, deep);
	rmdir(parent);
}
END_TEST

START_TEST(a_socket_of_the_dead_is_replaced)
{
	int fd = open_at(path, (gid_t)NO_GROUP);

	close(fd); /* as kill -9 does: the name stays */
	ck_assert_int_eq(access(path, F_OK), 0);
	fd = open_at(path, (gid_t)NO_GROUP);
	ck_assert_msg(fd >= 0, "%s", why);
	control_socket_close(fd, path);
}
END_TEST

START_TEST(a_socket_of_the_living_is_not)
{
	int fd = open_at(path, (gid_t)NO_GROUP), user;

	ck_assert_int_eq(open_at(path, (gid_t)NO_GROUP), -1);
	ck_assert_int_eq(status, CONTROL_SOCKET_IN_USE);
	ck_assert_str_eq(why, "another program listens there");
	user = connect_to(path);
	ck_assert_int_ge(user, 0);
	close(user);
	control_socket_close(fd, path);
}
END_TEST

/* One that is too busy to accept is no less alive. */
START_TEST(a_socket_with_a_full_queue_is_alive)
{
	int fd = open_at(path, (gid_t)NO_GROUP), users[200], n = 0;

	listen(fd, 0);
	for (; n < 200; n++) {
		struct sockaddr_un address = {.sun_family = AF_UNIX};

		users[n] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
		snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
		if (connect(users[n], (struct sockaddr *)&address, sizeof(address)) != 0)
			break;
	}
	ck_assert_int_eq(errno, EAGAIN);
	ck_assert_int_eq(open_at(path, (gid_t)NO_GROUP), -1);
	ck_assert_int_eq(status, CONTROL_SOCKET_IN_USE);
	for (; n >= 0; n--)
		close(users[n]);
	control_socket_close(fd, path);
}
END_TEST

START_TEST(a_file_is_not_taken_away)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0600);

	close(fd);
	ck_assert_int_eq(open_at(path, (gid_t)NO_GROUP), -1);
	ck_assert_int_eq(status, CONTROL_SOCKET_IN_USE);
	ck_assert_str_eq(why, "there is a file, which is no socket");
	ck_assert_int_eq(access(path, F_OK), 0);
}
END_TEST

START_TEST(a_path_that_cannot_be)
{
	char longest[200];

	memset(longest, 'x', sizeof(longest));
	memcpy(longest, "/tmp/", 5);
	longest[sizeof(longest) - 1] = '\0';
	ck_assert_int_eq(open_at(longest, (gid_t)NO_GROUP), -1);
	ck_assert_int_eq(status, CONTROL_SOCKET_FAILED);
	ck_assert_int_eq(open_at("/proc/none/such/socket", (gid_t)NO_GROUP), -1);
	ck_assert_str_eq(why, "/proc/none/such: No such file or directory");
}
END_TEST

/* The connected end of a socket, as the server has it, of a client that is another user. */
static struct control_peer peer_of_client(uid_t uid, gid_t gid, gid_t more, gid_t group)
{
	int fd = open_at(path, (gid_t)NO_GROUP), client, said[2];
	struct control_peer peer;
	char byte;
	pid_t child;

	ck_assert_int_eq(pipe(said), 0);
	child = fork();
	if (child == 0) {
		close(said[0]);
		bool changed = setgroups(1, &more) == 0 && setgid(gid) == 0 && setuid(uid) == 0;

		_exit(changed && connect_to(path) >= 0 ? 0 : 1);
	}
	close(said[1]);
	ck_assert_int_eq(read(said[0], &byte, 1), 0); /* it has connected, and ended */
	close(said[0]);
	client = accept(fd, NULL, NULL);
	ck_assert_int_ge(client, 0);
	ck_assert(control_peer_of(client, group, &peer));
	ck_assert_int_eq(peer.pid, child);
	ck_assert_uint_eq(peer.uid, uid);
	waitpid(child, NULL, 0);
	close(client);
	control_socket_close(fd, path);
	return peer;
}

START_TEST(rights_are_those_of_the_user)
{
	if (geteuid() != 0)
		return; /* only root can be others */
	ck_assert_int_eq(peer_of_client(0, 0, 0, A_GROUP).right, CONTROL_OWN);
	ck_assert_int_eq(peer_of_client(NOBODY, NOBODY, NOBODY, A_GROUP).right, CONTROL_READ);
	ck_assert_int_eq(peer_of_client(NOBODY, A_GROUP, NOBODY, A_GROUP).right, CONTROL_CHANGE);
	ck_assert_int_eq(peer_of_client(NOBODY, NOBODY, A_GROUP, A_GROUP).right, CONTROL_CHANGE);
	ck_assert_int_eq(peer_of_client(NOBODY, NOBODY, ANOTHER_GROUP, A_GROUP).right,
			 CONTROL_READ);
	ck_assert_int_eq(peer_of_client(NOBODY, NOBODY, NOBODY, (gid_t)NO_GROUP).right,
			 CONTROL_READ);
}
END_TEST

START_TEST(the_socket_is_the_groups)
{
	struct stat st;
	int fd;

	if (geteuid() != 0)
		return;
	fd = open_at(path, A_GROUP);
	ck_assert_msg(fd >= 0, "%s", why);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_gid, A_GROUP);
	control_socket_close(fd, path);
}
END_TEST

/* --- handed over --- */

static void hand_over(int fd, const char *count, pid_t pid)
{
	char number[16];

	ck_assert_int_eq(dup2(fd, 3), 3);
	snprintf(number, sizeof(number), "%d", (int)pid);
	setenv("LISTEN_PID", number, 1);
	setenv("LISTEN_FDS", count, 1);
}

START_TEST(one_that_was_handed_over)
{
	int fd = open_at(path, (gid_t)NO_GROUP);

	hand_over(fd, "1", getpid());
	ck_assert_int_eq(control_socket_inherit(), 3);
	ck_assert_int_eq(fcntl(3, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	ck_assert_int_eq(fcntl(3, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
	ck_assert_ptr_null(getenv("LISTEN_FDS"));
	ck_assert_int_eq(control_socket_inherit(), -1);
}
END_TEST

START_TEST(what_was_handed_to_another)
{
	int fd = open_at(path, (gid_t)NO_GROUP);

	hand_over(fd, "1", getppid());
	ck_assert_int_eq(control_socket_inherit(), -1);
	ck_assert_ptr_null(getenv("LISTEN_PID"));
	hand_over(fd, "0", getpid());
	ck_assert_int_eq(control_socket_inherit(), -1);
}
END_TEST

START_TEST(what_does_not_listen)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), null = open("/dev/null", O_RDWR);

	hand_over(fd, "1", getpid());
	ck_assert_int_eq(control_socket_inherit(), -1);
	hand_over(null, "1", getpid());
	ck_assert_int_eq(control_socket_inherit(), -1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("control_socket");
	TCase *tests = tcase_create("control_socket");
	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, everybody_may_connect);
	tcase_add_test(tests, its_directory_is_made);
	tcase_add_test(tests, a_socket_of_the_dead_is_replaced);
	tcase_add_test(tests, a_socket_of_the_living_is_not);
	tcase_add_test(tests, a_socket_with_a_full_queue_is_alive);
	tcase_add_test(tests, a_file_is_not_taken_away);
	tcase_add_test(tests, a_path_that_cannot_be);
	tcase_add_test(tests, rights_are_those_of_the_user);
	tcase_add_test(tests, the_socket_is_the_groups);
	tcase_add_test(tests, one_that_was_handed_over);
	tcase_add_test(tests, what_was_handed_to_another);
	tcase_add_test(tests, what_does_not_listen);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
