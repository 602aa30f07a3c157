/* SPDX-License-Identifier: MIT */
/* Programs as ports: real ones, run by the real shell. */
#define _GNU_SOURCE

#include "src/port.h"

#include "pty_testing.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { PATIENCE_MS = 10000 };

static struct port_error error;

static struct port *open_command(const char *device)
{
	struct port_config config = {.device = device, .baud = 9600, .stop_bits = 1};
	struct port *port = port_open(&config, &error);
	ck_assert_msg(port != NULL, "%s: %s", device, error.text);
	ck_assert_str_eq(port_backend(port), "exec");
	ck_assert_int_eq(error.status, PORT_OK);
	return port;
}

static void wait_readable(int fd)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	ck_assert_int_eq(poll(&ready, 1, PATIENCE_MS), 1);
}

/* As the line does: watched until it is. False: it is gone. */
static bool becomes_ready(struct port *port)
{
	char c;
	while (!port_ready(port)) {
		if (port_read(port, &c, 1) < 0)
			return false;
		struct pollfd either = {.fd = port_fd(port), .events = POLLIN | POLLOUT};
		ck_assert_int_eq(poll(&either, 1, PATIENCE_MS), 1);
	}
	return true;
}

/* What the command says, until it has said so much or is gone; its length. */
static size_t read_some(struct port *port, void *at, size_t length)
{
	size_t got = 0;
	while (got < length) {
		wait_readable(port_fd(port));
		ssize_t n = port_read(port, (char *)at + got, length - got);
		if (n < 0)
			break;
		got += (size_t)n;
	}
	return got;
}

static void expect(struct port *port, const char *text)
{
	char said[256] = "";
	ck_assert_uint_eq(read_some(port, said, strlen(text)), strlen(text));
	ck_assert_str_eq(said, text);
}

/* The process id that the command says first, as five digits or more and a line feed. */
static pid_t read_pid(struct port *port)
{
	char said[16] = "";
	for (size_t n = 0; n < sizeof said - 1 && !strchr(said, '\n'); n++)
		ck_assert_uint_eq(read_some(port, said + n, 1), 1);
	pid_t pid = (pid_t)atoi(said);
	ck_assert_int_gt(pid, 1);
	return pid;
}

static void ends_because(struct port *port, const char *reason)
{
	char c;
	ck_assert_uint_eq(read_some(port, &c, 1), 0);
	ck_assert_str_eq(port_reason(port), reason);
	ck_assert_int_eq(port_read(port, &c, 1), -1);
	ck_assert_str_eq(port_reason(port), reason);
}

START_TEST(bytes_of_all_values_pass_both_ways)
{
	uint8_t out[4096], in[4096];
	struct port *port = open_command("exec:cat");
	size_t sent = 0, got = 0;
	fill_random(out, sizeof out);
	ck_assert(becomes_ready(port));
	while (got < sizeof in) {
		ssize_t n = port_write(port, bytes_of(out + sent, sizeof out - sent));
		ck_assert_int_ge(n, 0);
		sent += (size_t)n;
		struct pollfd ready = {.fd = port_fd(port), .events = POLLIN};
		ck_assert_int_ge(poll(&ready, 1, PATIENCE_MS), 1);
		n = port_read(port, in + got, sizeof in - got);
		ck_assert_int_ge(n, 0);
		got += (size_t)n;
	}
	ck_assert_mem_eq(in, out, sizeof out);
	ck_assert_int_eq(port_read(port, in, 1), 0); /* empty is not gone */
	port_close(port);
}
END_TEST

START_TEST(it_has_neither_modem_lines_nor_a_queue)
{
	struct port_icounts counts;
	struct port *port = open_command("exec:cat");
	ck_assert_int_eq(port_modem_lines(port), -1);
	ck_assert_int_eq(port_outq(port), -1);
	ck_assert(!port_icounts(port, &counts));
	ck_assert(!port_set_dtr(port, false));
	ck_assert(!port_set_break(port, true));
	ck_assert_int_ne(fcntl(port_fd(port), F_GETFD) & FD_CLOEXEC, 0);
	port_close(port);
}
END_TEST

static const struct {
	const char *device, *reason;
} ends[] = {
	{"exec:exit 3", "the command ended with exit status 3"},
	{"exec:exit 0", "the command ended with exit status 0"},
	{"exec:kill -9 $$", "the command was ended by signal 9"},
	{"exec:/nonexistent/program 2>/dev/null", "the command was not found (exit status 127)"},
	{"exec:sleep 1000 & exit 4", "the command ended with exit status 4"},
};

START_TEST(its_end_is_told_with_the_reason)
{
	struct port *port = open_command(ends[_i].device);
	ends_because(port, ends[_i].reason);
	ck_assert_int_eq(port_write(port, bytes_of("x", 1)), -1);
	port_close(port);
}
END_TEST

/* What cannot do what it was meant to ends at once, and was no line. */
START_TEST(one_that_ends_at_once_was_never_ready)
{
	struct port *port = open_command(ends[_i].device);
	ck_assert(!becomes_ready(port));
	ck_assert_str_eq(port_reason(port), ends[_i].reason);
	port_close(port);
}
END_TEST

START_TEST(what_it_said_before_its_end_is_read)
{
	struct port *port = open_command("exec:echo last words; read go; exit 1");
	ck_assert(becomes_ready(port));
	ck_assert_int_eq(port_write(port, bytes_of("go\n", 3)), 3);
	expect(port, "last words\n");
	ends_because(port, "the command ended with exit status 1");
	port_close(port);
}
END_TEST

START_TEST(a_command_that_reads_nothing_holds_little)
{
	static uint8_t out[65536];
	struct port *port = open_command("exec:exec sleep 1000");
	size_t sent = 0;
	ssize_t n;
	ck_assert_int_eq(port_write(port, bytes_of(out, 64)), 0); /* not ready */
	ck_assert(becomes_ready(port));
	while ((n = port_write(port, bytes_of(out, 64))) > 0)
		sent += (size_t)n;
	ck_assert_int_eq(n, 0);
	ck_assert_uint_gt(sent, 0);
	ck_assert_uint_le(sent, 1024); /* a second at 9600 bps */
	port_close(port);
}
END_TEST

/* A pidfd, to wait for the end of one that is not our child. */
static int pidfd_of(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	ck_assert_msg(fd >= 0, "pid %d: %s", (int)pid, strerror(errno));
	return fd;
}

static const char *const stubborn[] = {
	"exec:echo $$; exec sleep 1000",
	"exec:trap '' HUP TERM; echo $$; while :; do sleep 1000; done",
	"exec:echo $$; kill -STOP $$",
};

static double seconds_since(const struct timespec *start)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

START_TEST(closing_ends_it_and_does_not_wait)
{
	struct timespec start;
	struct port *port = open_command(stubborn[_i]);
	int end = pidfd_of(read_pid(port));
	clock_gettime(CLOCK_MONOTONIC, &start);
	port_close(port);
	ck_assert_double_lt(seconds_since(&start), 0.5); /* the stubborn one takes 2 s to die */
	wait_readable(end);
	close(end);
}
END_TEST

/* The shell before it has no trap, and is gone at once. */
START_TEST(what_a_shell_runs_has_time_to_end_too)
{
	char log[] = "/tmp/test_port_exec.XXXXXX", device[256], said[16] = "";
	int file = mkstemp(log);
	ck_assert_int_ge(file, 0);
	snprintf(device, sizeof device,
		 "exec:sh -c 'trap \"sleep 0.3; echo done >%s; exit\" HUP; trap \"\" TERM; "
		 "echo $$; while :; do sleep 0.1; done'; exit 1",
		 log);
	struct port *port = open_command(device);
	int end = pidfd_of(read_pid(port));
	port_close(port);
	wait_readable(end);
	ck_assert_int_eq(read(file, said, sizeof said), 5);
	ck_assert_str_eq(said, "done\n");
	unlink(log);
	close(file);
	close(end);
}
END_TEST

START_TEST(it_ends_with_us_however_we_end)
{
	int pid_pipe[2];
	ck_assert_int_eq(pipe(pid_pipe), 0);
	pid_t us = fork();
	if (us == 0) {
		pid_t pid = read_pid(open_command("exec:echo $$; exec sleep 1000"));
		if (write(pid_pipe[1], &pid, sizeof pid) == sizeof pid)
			pause();
		_exit(1);
	}
	pid_t command;
	ck_assert_int_eq(read(pid_pipe[0], &command, sizeof command), sizeof command);
	int end = pidfd_of(command);
	kill(us, SIGKILL);
	ck_assert_int_eq(waitpid(us, NULL, 0), us);
	wait_readable(end);
	close(end);
}
END_TEST

/* The event loop waits for any child (hooks are some), and must meet none of ours. */
START_TEST(it_leaves_no_child_and_no_descriptor)
{
	struct port *port = open_command("exec:cat");
	int most = dup(port_fd(port));
	close(most);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
	port_close(port);
	port = open_command("exec:true");
	ends_because(port, "the command ended with exit status 0");
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	port_close(port);
	int now = dup(STDIN_FILENO);
	ck_assert_int_le(now, most);
	close(now);
}
END_TEST

/* Of descriptors, signals and session it gets what a command from a shell would. */
START_TEST(it_starts_as_from_a_shell)
{
	sigset_t some;
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&some);
	sigaddset(&some, SIGHUP);
	sigprocmask(SIG_BLOCK, &some, NULL);
	int leaked = dup(STDIN_FILENO); /* not close-on-exec */
	struct port *port = open_command(
		"exec:echo /proc/self/fd/* | tr ' ' '\\n' | grep -c fd/; "
		"grep -E 'Sig(Blk|Ign)' /proc/self/status | tr -d '\\t\\n'; "
		"[ $(cut -d ' ' -f 5 /proc/$$/stat) = $$ ] && echo ' leader'; read end");
	/* 0, 1, 2, and the directory itself; dash adds none to the glob. */
	char said[256] = "";
	while (!strstr(said, "leader\n"))
		ck_assert_uint_eq(read_some(port, said + strlen(said), 1), 1);
	ck_assert_msg(strstr(said, "SigBlk:0000000000000000SigIgn:0000000000000000 leader"), "%s",
		      said);
	ck_assert_msg(said[0] >= '3' && said[0] <= '4' && said[1] == '\n', "%s", said);
	close(leaked);
	port_close(port);
}
END_TEST

START_TEST(no_command_is_refused)
{
	struct port_config config = {.device = _i ? "exec:  " : "exec:", .stop_bits = 1};
	ck_assert_ptr_null(port_open(&config, &error));
	ck_assert_int_eq(error.status, PORT_BAD_SETTING);
	ck_assert_uint_gt(strlen(error.text), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("port_exec");
	TCase *tcase = tcase_create("exec");
	tcase_set_timeout(tcase, 30);
	tcase_add_test(tcase, bytes_of_all_values_pass_both_ways);
	tcase_add_test(tcase, it_has_neither_modem_lines_nor_a_queue);
	tcase_add_loop_test(tcase, its_end_is_told_with_the_reason, 0, sizeof ends / sizeof *ends);
	tcase_add_loop_test(tcase, one_that_ends_at_once_was_never_ready, 0,
			    sizeof ends / sizeof *ends);
	tcase_add_test(tcase, what_it_said_before_its_end_is_read);
	tcase_add_test(tcase, a_command_that_reads_nothing_holds_little);
	tcase_add_loop_test(tcase, closing_ends_it_and_does_not_wait, 0,
			    sizeof stubborn / sizeof *stubborn);
	tcase_add_test(tcase, what_a_shell_runs_has_time_to_end_too);
	tcase_add_test(tcase, it_ends_with_us_however_we_end);
	tcase_add_test(tcase, it_leaves_no_child_and_no_descriptor);
	tcase_add_test(tcase, it_starts_as_from_a_shell);
	tcase_add_loop_test(tcase, no_command_is_refused, 0, 2);
	suite_add_tcase(suite, tcase);

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed;
}
