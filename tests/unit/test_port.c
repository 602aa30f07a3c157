/* SPDX-License-Identifier: MIT */
/* Ports on pseudo-terminals. */
#define _GNU_SOURCE

#include "src/port.h"

#include "pty_testing.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>

static struct port_error error;

static struct port_config config_for(const char *device)
{
	return (struct port_config){.device = device, .stop_bits = 1};
}

static struct port *open_plain(const char *device)
{
	struct port_config config = config_for(device);
	struct port *port = port_open(&config, &error);
	ck_assert_msg(port != NULL, "%s: %s", device, error.text);
	return port;
}

static void refused(const char *device, enum port_status status)
{
	struct port_config config = config_for(device);
	ck_assert_ptr_null(port_open(&config, &error));
	ck_assert_msg(error.status == status, "%s: status %d, %s", device, error.status,
		      error.text);
	ck_assert_uint_gt(strlen(error.text), 0);
}

/* The slave's settings, seen from the master side. */
static struct termios settings_of(const struct pty *pty)
{
	struct termios t;
	memset(&t, 0, sizeof t);
	ck_assert_int_eq(tcgetattr(pty->master, &t), 0);
	return t;
}

/* Everything on that alters, swallows or answers characters. */
static struct termios hostile(const struct pty *pty)
{
	struct termios t = settings_of(pty);
	t.c_iflag = BRKINT | PARMRK | ISTRIP | INLCR | ICRNL | IXON | IXOFF | IXANY | IUCLC | INPCK;
	t.c_oflag = OPOST | ONLCR | OLCUC | OCRNL;
	t.c_lflag = ISIG | ICANON | ECHO | ECHOE | ECHOCTL | IEXTEN;
	t.c_cflag &= ~(tcflag_t)CLOCAL;
	t.c_cflag |= HUPCL | CSTOPB;
	t.c_cc[VMIN] = 7;
	t.c_cc[VTIME] = 3;
	t.c_cc[VSTART] = 'q';
	t.c_cc[VSTOP] = 's';
	ck_assert_int_eq(cfsetspeed(&t, B4800), 0);
	ck_assert_int_eq(tcsetattr(pty->master, TCSANOW, &t), 0);
	return settings_of(pty);
}

/* ---- which devices ---- */

START_TEST(what_is_no_tty_is_refused)
{
	char dir[] = "/tmp/test_portXXXXXX", fifo[64];
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(fifo, sizeof fifo, "%s/fifo", dir);
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);

	refused("/nonexistent/ttyS0", PORT_NO_DEVICE);
	refused("/dev/null/x", PORT_NO_DEVICE);
	refused(dir, PORT_NOT_A_TTY);
	refused(fifo, PORT_NOT_A_TTY);
	refused("/dev/null", PORT_NOT_A_TTY);

	unlink(fifo);
	rmdir(dir);
}
END_TEST

START_TEST(a_pty_is_opened_through_termios)
{
	struct pty pty = pty_new();
	struct port *port = open_plain(pty.path);
	ck_assert_str_eq(port_backend(port), "termios");
	ck_assert_int_eq(error.status, PORT_OK);
	ck_assert_int_ne(fcntl(port_fd(port), F_GETFD) & FD_CLOEXEC, 0);
	port_close(port);
}
END_TEST

START_TEST(without_permission_it_says_so)
{
	struct pty pty = pty_new();
	ck_assert_int_eq(chmod(pty.path, 0), 0);
	if (getuid() == 0)
		ck_assert_int_eq(setresuid(65534, 65534, 65534), 0);
	refused(pty.path, PORT_NO_PERMISSION);
}
END_TEST

/* ---- settings ---- */

START_TEST(B080_open_does_not_wait_for_carrier)
{
	struct pty pty = pty_new();
	hostile(&pty);
	struct port *port = open_plain(pty.path);
	ck_assert_int_ne(fcntl(port_fd(port), F_GETFL) & O_NONBLOCK, 0);
	ck_assert_uint_ne(settings_of(&pty).c_cflag & CLOCAL, 0);
	port_close(port);
}
END_TEST

static void same_settings(const struct termios *a, const struct termios *b)
{
	ck_assert_uint_eq(a->c_iflag, b->c_iflag);
	ck_assert_uint_eq(a->c_oflag, b->c_oflag);
	ck_assert_uint_eq(a->c_cflag, b->c_cflag);
	ck_assert_uint_eq(a->c_lflag, b->c_lflag);
	ck_assert_uint_eq(cfgetospeed(a), cfgetospeed(b));
	ck_assert_mem_eq(a->c_cc, b->c_cc, sizeof a->c_cc);
}

START_TEST(B081_settings_are_restored)
{
	struct pty pty = pty_new();
	struct termios before = hostile(&pty);
	struct port_config config = config_for(pty.path);
	config.baud = 115200;
	config.flow = PORT_FLOW_RTSCTS;
	struct port *port = port_open(&config, &error);
	ck_assert_msg(port != NULL, "%s", error.text);
	struct termios during = settings_of(&pty);
	ck_assert_uint_ne(during.c_lflag, before.c_lflag);
	ck_assert_uint_ne(during.c_cflag & CRTSCTS, 0);
	port_close(port);
	struct termios after = settings_of(&pty);
	same_settings(&before, &after);
}
END_TEST

START_TEST(B081_settings_are_restored_when_opening_fails_late)
{
	struct pty pty = pty_new();
	struct termios before = hostile(&pty);
	ck_assert_int_eq(cfsetspeed(&before, B0), 0);
	ck_assert_int_eq(tcsetattr(pty.master, TCSANOW, &before), 0);
	before = settings_of(&pty);
	refused(pty.path, PORT_BAD_SETTING); /* no speed in it, none asked for */
	struct termios after = settings_of(&pty);
	same_settings(&before, &after);
}
END_TEST

/*
 * What was hung up cannot be set by those who had it open, so its settings are ours until it is
 * opened again: the next one must not take them for those to restore.
 */
START_TEST(B081_settings_are_restored_after_a_hang_up)
{
	uint8_t c;
	struct pty pty = pty_new();
	struct termios before = hostile(&pty);
	struct port *port = open_plain(pty.path);
	int other = open(pty.path, O_RDWR | O_NOCTTY);
	ck_assert_int_ge(other, 0);
	if (ioctl(other, TIOCVHANGUP) < 0) {
		printf("skipped hang-up: %s\n", strerror(errno));
		return;
	}
	ck_assert_int_eq(port_read(port, &c, 1), -1);
	ck_assert_str_eq(port_reason(port), "hung up");
	port_close(port);
	struct termios after = settings_of(&pty);
	same_settings(&before, &after);
	port_close(open_plain(pty.path));
	after = settings_of(&pty);
	same_settings(&before, &after);
	close(other);
}
END_TEST

/* One direction: all values, byte for byte, in order. */
static void all_values(uint8_t out[static 256])
{
	for (unsigned i = 0; i < 256; i++)
		out[i] = (uint8_t)i;
}

static void read_all(int fd, struct port *port, uint8_t *in, size_t length)
{
	for (size_t got = 0; got < length;) {
		struct pollfd ready = {.fd = port ? port_fd(port) : fd, .events = POLLIN};
		ck_assert_int_eq(poll(&ready, 1, 5000), 1);
		ssize_t n = port ? port_read(port, in + got, length - got)
				 : read(fd, in + got, length - got);
		ck_assert_int_ge(n, port ? 0 : 1);
		got += (size_t)n;
	}
}

START_TEST(B082_all_values_pass_both_ways)
{
	static const enum port_flow flows[] = {PORT_FLOW_NONE, PORT_FLOW_RTSCTS};
	uint8_t out[256], in[256];
	struct pty pty = pty_new();
	hostile(&pty);
	struct port_config config = config_for(pty.path);
	config.flow = flows[_i];
	struct port *port = port_open(&config, &error);
	ck_assert_msg(port != NULL, "%s", error.text);
	all_values(out);

	ck_assert_int_eq(port_write(port, bytes_of(out, sizeof out)), sizeof out);
	read_all(pty.master, NULL, in, sizeof in);
	ck_assert_mem_eq(in, out, sizeof out);

	ck_assert_int_eq(write(pty.master, out, sizeof out), sizeof out);
	read_all(-1, port, in, sizeof in);
	ck_assert_mem_eq(in, out, sizeof out);

	uint8_t echo;
	fcntl(pty.master, F_SETFL, O_NONBLOCK);
	ck_assert_int_eq(read(pty.master, &echo, 1), -1); /* nothing came back */
	port_close(port);
}
END_TEST

/* No pseudo-terminal can send a break or a parity error: the flags that treat them. */
START_TEST(B082_breaks_and_damaged_characters_are_dropped)
{
	struct pty pty = pty_new();
	hostile(&pty);
	struct port *port = open_plain(pty.path);
	struct termios t = settings_of(&pty);
	ck_assert_uint_eq(t.c_iflag, IGNBRK | IGNPAR);
	ck_assert_uint_eq(t.c_oflag, 0);
	ck_assert_uint_eq(t.c_lflag, 0);
	ck_assert_uint_eq(t.c_cflag & CSIZE, CS8);
	ck_assert_uint_eq(t.c_cflag & CSTOPB, 0);
	port_close(port);
}
END_TEST

START_TEST(xonxoff_is_just_that)
{
	struct pty pty = pty_new();
	hostile(&pty);
	struct port_config config = config_for(pty.path);
	config.flow = PORT_FLOW_XONXOFF;
	config.stop_bits = 2;
	struct port *port = port_open(&config, &error);
	ck_assert_msg(port != NULL, "%s", error.text);
	struct termios t = settings_of(&pty);
	ck_assert_uint_eq(t.c_iflag, IGNBRK | IGNPAR | IXON | IXOFF); /* no IXANY */
	ck_assert_uint_eq(t.c_cc[VSTART], 0x11);
	ck_assert_uint_eq(t.c_cc[VSTOP], 0x13);
	ck_assert_uint_ne(t.c_cflag & CSTOPB, 0);
	port_close(port);
}
END_TEST

START_TEST(B088_hang_up_on_close_stays_as_it_was)
{
	struct pty pty = pty_new();
	struct termios t = settings_of(&pty);
	tcflag_t wanted = _i ? HUPCL : 0;
	t.c_cflag = (t.c_cflag & ~(tcflag_t)HUPCL) | wanted;
	ck_assert_int_eq(tcsetattr(pty.master, TCSANOW, &t), 0);
	struct port *port = open_plain(pty.path);
	ck_assert_uint_eq(settings_of(&pty).c_cflag & HUPCL, wanted);
	port_close(port);
	ck_assert_uint_eq(settings_of(&pty).c_cflag & HUPCL, wanted);
}
END_TEST

/* ---- reading, writing, facts ---- */

enum { TRANSFER = 32 * 1024 };

START_TEST(B083_a_slow_reader_gets_every_byte_once)
{
	static uint8_t out[TRANSFER], in[TRANSFER];
	struct pty pty = pty_new();
	struct port *port = open_plain(pty.path);
	size_t sent = 0, got = 0;
	unsigned refusals = 0;
	fill_random(out, sizeof out);
	while (got < sizeof in) {
		ssize_t n = port_write(port, bytes_of(out + sent, sizeof out - sent));
		ck_assert_int_ge(n, 0);
		sent += (size_t)n;
		refusals += n == 0 && sent < sizeof out;
		n = read(pty.master, in + got, 100 < sizeof in - got ? 100 : sizeof in - got);
		ck_assert_int_gt(n, 0);
		got += (size_t)n;
	}
	ck_assert_uint_eq(sent, sizeof out);
	ck_assert_mem_eq(in, out, sizeof out);
	ck_assert_uint_gt(refusals, 0); /* or nothing was tested */
	port_close(port);
}
END_TEST

START_TEST(an_empty_port_is_not_a_dead_one)
{
	struct pty pty = pty_new();
	uint8_t c;
	struct port *port = open_plain(pty.path);
	ck_assert_int_eq(port_read(port, &c, 1), 0);
	ck_assert_int_eq(write(pty.master, "x", 1), 1);
	read_all(-1, port, &c, 1);
	ck_assert_int_eq(c, 'x');
	ck_assert_int_eq(port_read(port, &c, 1), 0);
	port_close(port);
}
END_TEST

START_TEST(a_closed_far_side_is_gone)
{
	struct pty pty = pty_new();
	uint8_t c;
	struct port *port = open_plain(pty.path);
	close(pty.master);
	ck_assert_int_eq(port_read(port, &c, 1), -1);
	ck_assert_int_eq(port_write(port, bytes_of("x", 1)), -1);
	ck_assert_int_eq(port_read(port, &c, 1), -1);
	port_close(port);
}
END_TEST

/* What the master side has not buffered yet is not sent by the next owner. */
START_TEST(closing_throws_unsent_output_away)
{
	static uint8_t out[TRANSFER], in[TRANSFER];
	struct pty pty = pty_new();
	struct port *port = open_plain(pty.path);
	size_t sent = 0, got = 0;
	ssize_t n;
	while ((n = port_write(port, bytes_of(out, sizeof out))) > 0)
		sent += (size_t)n;
	port_close(port);
	while ((n = read(pty.master, in, sizeof in)) > 0)
		got += (size_t)n;
	ck_assert_uint_lt(got, sent);
}
END_TEST

START_TEST(B086_a_pty_has_no_modem_lines_and_that_is_no_error)
{
	struct pty pty = pty_new();
	struct port_icounts counts;
	struct port *port = open_plain(pty.path);
	ck_assert_int_eq(port_modem_lines(port), -1);
	ck_assert(!port_icounts(port, &counts));
	ck_assert_int_gt(port_write(port, bytes_of("unread", 6)), 0);
	ck_assert_int_eq(port_outq(port), -1); /* not the kernel's 0 */
	port_close(port);
}
END_TEST

/* ---- ours alone ---- */

static void in_use_by(const char *device, pid_t pid)
{
	char who[64];
	refused(device, PORT_IN_USE);
	snprintf(who, sizeof who, "held by pid %d (", (int)pid);
	ck_assert_msg(strstr(error.text, who) != NULL, "%s", error.text);
}

/* A child that opens the device (as a port, or with flock alone) and holds it until killed. */
static pid_t holder(const struct pty *pty, bool as_port)
{
	int ready[2];
	char c;
	ck_assert_int_eq(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct port_config config = config_for(pty->path);
		bool ok = as_port ? port_open(&config, &error) != NULL
				  : flock(open(pty->path, O_RDWR | O_NOCTTY), LOCK_EX) == 0;
		if (ok && write(ready[1], "r", 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return pid;
}

static void kill_holder(pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

START_TEST(B089_another_process_has_it)
{
	struct pty pty = pty_new();
	pid_t pid = holder(&pty, _i);
	in_use_by(pty.path, pid);
	kill_holder(pid);
	port_close(open_plain(pty.path));
}
END_TEST

/* A killed owner leaves nothing behind that would keep users other than root out. */
START_TEST(B089_a_killed_owner_does_not_block_a_pty)
{
	struct pty pty = pty_new();
	ck_assert_int_eq(chmod(pty.path, 0666), 0);
	if (getuid() == 0)
		ck_assert_int_eq(setresuid(65534, 65534, 65534), 0);
	kill_holder(holder(&pty, true));
	port_close(open_plain(pty.path));
}
END_TEST

START_TEST(B089_the_same_process_cannot_open_it_twice)
{
	struct pty pty = pty_new();
	struct port *port = open_plain(pty.path);
	struct termios during = settings_of(&pty);
	refused(pty.path, PORT_IN_USE);
	ck_assert_ptr_nonnull(strstr(error.text, "this process"));
	struct termios after = settings_of(&pty); /* the refused one restored nothing */
	same_settings(&during, &after);
	port_close(port);
	port_close(open_plain(pty.path));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("port");
	TCase *device = tcase_create("device");
	tcase_add_test(device, what_is_no_tty_is_refused);
	tcase_add_test(device, a_pty_is_opened_through_termios);
	tcase_add_test(device, without_permission_it_says_so);
	suite_add_tcase(suite, device);

	TCase *settings = tcase_create("settings");
	tcase_add_test(settings, B080_open_does_not_wait_for_carrier);
	tcase_add_test(settings, B081_settings_are_restored);
	tcase_add_test(settings, B081_settings_are_restored_when_opening_fails_late);
	tcase_add_test(settings, B081_settings_are_restored_after_a_hang_up);
	tcase_add_loop_test(settings, B082_all_values_pass_both_ways, 0, 2);
	tcase_add_test(settings, B082_breaks_and_damaged_characters_are_dropped);
	tcase_add_test(settings, xonxoff_is_just_that);
	tcase_add_loop_test(settings, B088_hang_up_on_close_stays_as_it_was, 0, 2);
	suite_add_tcase(suite, settings);

	TCase *bytes = tcase_create("bytes");
	tcase_add_test(bytes, B083_a_slow_reader_gets_every_byte_once);
	tcase_add_test(bytes, an_empty_port_is_not_a_dead_one);
	tcase_add_test(bytes, a_closed_far_side_is_gone);
	tcase_add_test(bytes, closing_throws_unsent_output_away);
	tcase_add_test(bytes, B086_a_pty_has_no_modem_lines_and_that_is_no_error);
	suite_add_tcase(suite, bytes);

	TCase *ours = tcase_create("ours alone");
	tcase_add_loop_test(ours, B089_another_process_has_it, 0, 2);
	tcase_add_test(ours, B089_a_killed_owner_does_not_block_a_pty);
	tcase_add_test(ours, B089_the_same_process_cannot_open_it_twice);
	suite_add_tcase(suite, ours);

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed;
}
