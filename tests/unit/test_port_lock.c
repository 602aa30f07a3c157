/* SPDX-License-Identifier: MIT */
/* UUCP lock files: case B089 in all its parts, alone and through port_open(). */
#define _GNU_SOURCE

#include "src/port.h"
#include "src/port_lock.h"

#include "pty_testing.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static char dir[] = "/tmp/test_lockXXXXXX";
static char path[PATH_MAX];
static struct port_lock lock;
static struct pty pty;

static void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
	pty = pty_new();
	ck_assert(port_lock_path(path, dir, pty.path));
}

/* Also: no temporary file may be left. */
static void teardown(void)
{
	unlink(path);
	ck_assert_msg(rmdir(dir) == 0, "%s: %s", dir, strerror(errno));
}

/* For what root would be allowed to do; the directory and the pty go along. */
static void become_nobody(void)
{
	enum { NOBODY = 65534 };
	if (getuid() != 0)
		return;
	ck_assert_int_eq(chown(dir, NOBODY, NOBODY), 0);
	ck_assert_int_eq(chown(pty.path, NOBODY, NOBODY), 0);
	ck_assert_int_eq(setresuid(NOBODY, NOBODY, NOBODY), 0);
}

static void put(const void *content, size_t length)
{
	FILE *file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(content, 1, length, file), length);
	ck_assert_int_eq(fclose(file), 0);
}

static void put_pid(pid_t pid)
{
	char text[16];
	snprintf(text, sizeof text, "%10d\n", (int)pid);
	put(text, 11);
}

/* A process that is there as long as the test, and one that was. */
static pid_t live_pid(void)
{
	pid_t pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

static pid_t dead_pid(void)
{
	pid_t pid = live_pid();
	end(pid);
	return pid;
}

static void age(time_t seconds)
{
	struct timespec then[2];
	clock_gettime(CLOCK_REALTIME, &then[0]);
	then[0].tv_sec -= seconds;
	then[1] = then[0];
	ck_assert_int_eq(utimensat(AT_FDCWD, path, then, AT_SYMLINK_NOFOLLOW), 0);
}

static void assert_ours(void)
{
	char text[32] = "", expected[32];
	struct stat st;
	snprintf(expected, sizeof expected, "%10d\n", (int)getpid());
	ck_assert_int_eq(lstat(path, &st), 0);
	ck_assert(S_ISREG(st.st_mode));
	FILE *file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fread(text, 1, sizeof text, file), 11);
	fclose(file);
	ck_assert_str_eq(text, expected);
}

static void taken(void)
{
	ck_assert_int_eq(port_lock_file_holder(path), LOCK_FREE);
	ck_assert_int_eq(port_lock_take(&lock, path), LOCK_FREE);
	ck_assert_str_eq(lock.path, path);
	assert_ours();
	port_lock_release(&lock);
	ck_assert_int_ne(access(path, F_OK), 0);
}

/* Respected, and still there afterwards. */
static void respected(pid_t holder)
{
	struct stat before, after;
	ck_assert_int_eq(lstat(path, &before), 0);
	ck_assert_int_eq(port_lock_file_holder(path), holder);
	ck_assert_int_eq(port_lock_take(&lock, path), holder);
	ck_assert_str_eq(lock.path, "");
	port_lock_release(&lock);
	ck_assert_int_eq(lstat(path, &after), 0);
	ck_assert_uint_eq(before.st_ino, after.st_ino);
}

START_TEST(names)
{
	static const char *const cases[][2] = {
		{"/dev/ttyS0", "/l/LCK..ttyS0"},
		{"/dev/pts/5", "/l/LCK..pts_5"},
		{"/dev/a/b/c", "/l/LCK..a_b_c"},
		{"/tmp/x/y", "/l/LCK..y"},
	};
	char name[PATH_MAX], *longest = calloc(1, PATH_MAX);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		ck_assert(port_lock_path(name, "/l", cases[i][0]));
		ck_assert_str_eq(name, cases[i][1]);
	}
	memset(longest, 'x', PATH_MAX - 5);
	ck_assert(!port_lock_path(name, "/l", longest));
	free(longest);
}
END_TEST

START_TEST(B089_none)
{
	taken();
}
END_TEST

/* It has ended, but its parent does not ask how: there are programs that never do. */
START_TEST(B089_zombie_pid)
{
	siginfo_t info;
	pid_t pid = live_pid();
	put_pid(pid);
	respected(pid);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	ck_assert_int_eq(kill(pid, 0), 0); /* one could think it lives */
	taken();
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

START_TEST(B089_dead_pid)
{
	put_pid(dead_pid());
	taken();
}
END_TEST

START_TEST(B089_our_own_pid)
{
	put_pid(getpid());
	taken();
}
END_TEST

START_TEST(B089_live_pid)
{
	pid_t pid = live_pid();
	put_pid(pid);
	respected(pid);
	end(pid);
	taken();
}
END_TEST

/* pid 1 belongs to another user here: kill() answers EPERM, and that is alive. */
START_TEST(B089_live_pid_of_another_user)
{
	put_pid(1);
	ck_assert_int_eq(chmod(dir, 0777), 0);
	pid_t pid = fork();
	if (pid == 0)
		_exit((getuid() == 0 && setresuid(65534, 65534, 65534) != 0) ||
		      port_lock_take(&lock, path) != 1);
	int status;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

static void put_between(const char *before, pid_t pid, const char *after)
{
	char text[32];
	int length = snprintf(text, sizeof text, "%s%d%s", before, (int)pid, after);
	put(text, (size_t)length);
}

START_TEST(B089_other_forms_of_a_pid)
{
	static const char *const around[][2] = {
		{"", ""}, {"", "\n"}, {"  ", "  \n"}, {"0000", "\n"}};
	pid_t live = live_pid(), dead = dead_pid();
	put_between(around[_i][0], live, around[_i][1]);
	respected(live);
	put_between(around[_i][0], dead, around[_i][1]);
	taken();
	end(live);
}
END_TEST

START_TEST(B089_binary_pid)
{
	pid_t live = live_pid(), dead = dead_pid();
	put(&live, sizeof live);
	respected(live);
	put(&dead, sizeof dead);
	taken();
	end(live);
}
END_TEST

/* Created but not yet written, perhaps; after a while it is only left over. */
START_TEST(B089_no_pid_in_it)
{
	static const char *const contents[] = {"",     "\n",  "garbage\n",
					       "-5\n", "0\n", "99999999999\n"};
	put(contents[_i], strlen(contents[_i]));
	respected(LOCK_UNKNOWN);
	age(60);
	taken();
}
END_TEST

START_TEST(B089_unreadable)
{
	become_nobody();
	put_pid(dead_pid());
	ck_assert_int_eq(chmod(path, 0), 0);
	respected(LOCK_UNKNOWN);
}
END_TEST

START_TEST(B089_dangling_symlink)
{
	ck_assert_int_eq(symlink("nowhere", path), 0);
	taken();
}
END_TEST

/* A link to a live lock is a lock; the file behind it is never written. */
START_TEST(B089_symlink_to_a_lock)
{
	char target[PATH_MAX + 8];
	pid_t live = live_pid();
	snprintf(target, sizeof target, "%s.target", path);
	put_pid(live);
	ck_assert_int_eq(rename(path, target), 0);
	ck_assert_int_eq(symlink(target, path), 0);
	respected(live);
	end(live);
	struct stat before, after;
	ck_assert_int_eq(stat(target, &before), 0);
	taken();
	ck_assert_int_eq(stat(target, &after), 0);
	ck_assert_uint_eq(before.st_ino, after.st_ino);
	ck_assert_int_eq(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
	unlink(target);
}
END_TEST

START_TEST(only_our_own_lock_is_removed)
{
	ck_assert_int_eq(port_lock_take(&lock, path), LOCK_FREE);
	pid_t child = fork();
	if (child == 0) {
		port_lock_release(&lock); /* a forked child is not the owner */
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	assert_ours();
	pid_t live = live_pid();
	put_pid(live); /* another thought it stale */
	port_lock_release(&lock);
	ck_assert_int_eq(access(path, F_OK), 0);
	end(live);
}
END_TEST

START_TEST(descriptions)
{
	char text[64];
	port_lock_describe(LOCK_UNKNOWN, text, sizeof text);
	ck_assert_str_eq(text, "held by another process");
	port_lock_describe(getpid(), text, sizeof text);
	ck_assert_str_eq(text, "held by this process already");
	pid_t live = live_pid();
	char expected[64];
	snprintf(expected, sizeof expected, "held by pid %d (%s)", (int)live,
		 program_invocation_short_name);
	port_lock_describe(live, text, sizeof text);
	ck_assert_str_eq(text, expected);
	end(live);
}
END_TEST

/* ---- through port_open() ---- */

static struct port_error error;

static struct port *open_in(const char *device, const char *lock_dir)
{
	struct port_config config = {.device = device, .stop_bits = 1, .lock_dir = lock_dir};
	return port_open(&config, &error);
}

START_TEST(B089_a_port_has_its_lock_file_while_open)
{
	put_pid(dead_pid());
	struct port *port = open_in(pty.path, dir);
	ck_assert_msg(port != NULL, "%s", error.text);
	assert_ours();
	ck_assert_ptr_null(open_in(pty.path, dir));
	ck_assert_int_eq(error.status, PORT_IN_USE);
	assert_ours(); /* the refused one did not take it away */
	port_close(port);
	ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

START_TEST(B089_a_live_lock_file_is_respected_and_named)
{
	char expected[64];
	pid_t live = live_pid();
	put_pid(live);
	ck_assert_ptr_null(open_in(pty.path, dir));
	ck_assert_int_eq(error.status, PORT_IN_USE);
	snprintf(expected, sizeof expected, "in use, held by pid %d (%s)", (int)live,
		 program_invocation_short_name);
	ck_assert_str_eq(error.text, expected);
	end(live);
	port_close(open_in(pty.path, dir));
}
END_TEST

/* All find the same stale lock file at once: one gets the port, and the file is its. */
START_TEST(B089_a_race_has_one_winner)
{
	enum { RACERS = 8 };
	int go[2], done[2];
	pid_t racers[RACERS], winner = 0;
	put_pid(dead_pid());
	ck_assert_int_eq(pipe(go), 0);
	ck_assert_int_eq(pipe(done), 0);
	for (int i = 0; i < RACERS; i++) {
		racers[i] = fork();
		if (racers[i] == 0) {
			char c;
			close(go[1]);
			ssize_t started = read(go[0], &c, 1); /* its end is the start */
			pid_t won = started == 0 && open_in(pty.path, dir) ? getpid() : 0;
			if (write(done[1], &won, sizeof won) == sizeof won)
				for (;;)
					pause(); /* alive, so that its lock is */
			_exit(1);
		}
	}
	close(go[0]);
	close(go[1]);
	for (int i = 0; i < RACERS; i++) {
		pid_t won;
		ck_assert_int_eq(read(done[0], &won, sizeof won), sizeof won);
		ck_assert(won == 0 || winner == 0);
		winner = won ? won : winner;
	}
	ck_assert_int_gt(winner, 0);
	ck_assert_int_eq(port_lock_file_holder(path), winner);
	for (int i = 0; i < RACERS; i++)
		end(racers[i]);
}
END_TEST

START_TEST(a_symbolic_link_is_locked_by_what_it_leads_to)
{
	char name[PATH_MAX];
	snprintf(name, sizeof name, "%s/a0", dir);
	ck_assert_int_eq(symlink(pty.path, name), 0);
	struct port *port = open_in(name, dir);
	ck_assert_msg(port != NULL, "%s", error.text);
	assert_ours(); /* LCK..pts_N, not LCK..a0 */
	ck_assert_ptr_null(open_in(pty.path, dir));
	ck_assert_int_eq(error.status, PORT_IN_USE);
	port_close(port);
	unlink(name);
}
END_TEST

/* Not that it is the root directory. */
START_TEST(an_empty_lock_directory_is_none)
{
	char in_root[PATH_MAX];
	ck_assert(port_lock_path(in_root, "", pty.path));
	unlink(in_root); /* an earlier version's */
	struct port *port = open_in(pty.path, "");
	ck_assert_msg(port != NULL, "%s", error.text);
	ck_assert_int_eq(access(in_root, F_OK), -1);
	port_close(port);
}
END_TEST

START_TEST(without_a_lock_directory_it_goes_on)
{
	struct port *port = open_in(pty.path, "/nonexistent/lock");
	ck_assert_msg(port != NULL, "%s", error.text);
	ck_assert_ptr_null(open_in(pty.path, NULL));
	ck_assert_int_eq(error.status, PORT_IN_USE);
	port_close(port);

	ck_assert_int_eq(chmod(dir, 0555), 0);
	become_nobody();
	port = open_in(pty.path, dir);
	ck_assert_msg(port != NULL, "%s", error.text);
	port_close(port);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("port_lock");
	TCase *file = tcase_create("file");
	tcase_add_checked_fixture(file, setup, teardown);
	tcase_add_test(file, names);
	tcase_add_test(file, B089_none);
	tcase_add_test(file, B089_dead_pid);
	tcase_add_test(file, B089_zombie_pid);
	tcase_add_test(file, B089_our_own_pid);
	tcase_add_test(file, B089_live_pid);
	tcase_add_test(file, B089_live_pid_of_another_user);
	tcase_add_loop_test(file, B089_other_forms_of_a_pid, 0, 4);
	tcase_add_test(file, B089_binary_pid);
	tcase_add_loop_test(file, B089_no_pid_in_it, 0, 6);
	tcase_add_test(file, B089_unreadable);
	tcase_add_test(file, B089_dangling_symlink);
	tcase_add_test(file, B089_symlink_to_a_lock);
	tcase_add_test(file, only_our_own_lock_is_removed);
	tcase_add_test(file, descriptions);
	suite_add_tcase(suite, file);

	TCase *port = tcase_create("port");
	tcase_add_checked_fixture(port, setup, teardown);
	tcase_add_test(port, B089_a_port_has_its_lock_file_while_open);
	tcase_add_test(port, B089_a_live_lock_file_is_respected_and_named);
	tcase_add_test(port, B089_a_race_has_one_winner);
	tcase_add_test(port, a_symbolic_link_is_locked_by_what_it_leads_to);
	tcase_add_test(port, an_empty_lock_directory_is_none);
	tcase_add_test(port, without_a_lock_directory_it_goes_on);
	suite_add_tcase(suite, port);

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed;
}
