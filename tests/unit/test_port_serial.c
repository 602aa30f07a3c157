/* SPDX-License-Identifier: MIT */
/*
 * The libserialport back-end without a serial port.
 *
 * libserialport takes a device that has an entry in /sys/class/tty and whose
 * modem lines can be read. So each test here runs in a mount namespace of its
 * own where a pseudo-terminal has such an entry, and this program defines
 * ioctl() itself (libserialport finds this one, too) to answer for a UART's
 * modem lines, queue and counters. All else is the real library on a real tty.
 *
 * In the same namespace /dev is one of ours, for names that must not exist for
 * others.
 */
#define _GNU_SOURCE

#include "src/port.h"

#include "pty_testing.h"

#include <errno.h>
#include <libgen.h>
#include <linux/serial.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>

/* ---- the UART ---- */

static struct {
	bool present;
	int lines; /* TIOCM_... */
	int outq;
	struct serial_icounter_struct counts;
	int closing_wait; /* what was set; 0: nothing was */
	int cleared;      /* lines that were ever taken down */
} uart;

int ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;
	va_start(arguments, request);
	void *at = va_arg(arguments, void *);
	va_end(arguments);
	if (uart.present && request == TIOCMGET)
		*(int *)at = uart.lines;
	else if (uart.present && request == TIOCMBIS)
		uart.lines |= *(int *)at;
	else if (uart.present && request == TIOCMBIC)
		uart.cleared |= *(int *)at, uart.lines &= ~*(int *)at;
	else if (uart.present && request == TIOCGSERIAL)
		*(struct serial_struct *)at = (struct serial_struct){.closing_wait = 3000};
	else if (uart.present && request == TIOCSSERIAL)
		uart.closing_wait = ((struct serial_struct *)at)->closing_wait;
	else if (uart.present && request == TIOCOUTQ)
		*(int *)at = uart.outq;
	else if (uart.present && request == TIOCGICOUNT)
		*(struct serial_icounter_struct *)at = uart.counts;
	else
		return (int)syscall(SYS_ioctl, fd, request, at);
	return 0;
}

/* ---- the namespace ---- */

static struct pty pty;
static struct port_error error;

static bool enter_namespace(void)
{
	return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

/* An entry for the pty in a /sys/class/tty of our own. */
static void register_device(void)
{
	char link[128], target[128];
	ck_assert_int_eq(mount("tmpfs", "/sys/class/tty", "tmpfs", 0, NULL), 0);
	ck_assert_int_eq(mkdir("/sys/class/tty/pts", 0755), 0);
	snprintf(link, sizeof link, "/sys/class/tty/pts/%s", basename(pty.path));
	snprintf(target, sizeof target, "../../devices/platform/serial8250/tty/%s",
		 basename(pty.path));
	ck_assert_int_eq(symlink(target, link), 0);
}

static void setup(void)
{
	ck_assert(enter_namespace());
	pty = pty_new();
	register_device();
	uart.present = true;
	uart.lines = TIOCM_DTR | TIOCM_RTS;
}

static struct port *open_with(struct port_config config)
{
	config.device = config.device ? config.device : pty.path;
	config.stop_bits = config.stop_bits ? config.stop_bits : 1;
	struct port *port = port_open(&config, &error);
	ck_assert_msg(port != NULL, "%s", error.text);
	return port;
}

static struct port *open_plain(void)
{
	struct port *port = open_with((struct port_config){0});
	ck_assert_str_eq(port_backend(port), "libserialport");
	return port;
}

static struct termios settings(void)
{
	struct termios t;
	memset(&t, 0, sizeof t);
	ck_assert_int_eq(tcgetattr(pty.master, &t), 0);
	return t;
}

START_TEST(modem_lines)
{
	static const struct {
		int tiocm, port;
	} cases[] = {
		{0, 0},
		{TIOCM_CTS, PORT_CTS},
		{TIOCM_DSR, PORT_DSR},
		{TIOCM_RI, PORT_RI},
		{TIOCM_CD, PORT_DCD},
		{TIOCM_DTR | TIOCM_RTS, 0},
		{TIOCM_CTS | TIOCM_CD, PORT_CTS | PORT_DCD},
	};
	struct port *port = open_plain();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uart.lines = cases[i].tiocm;
		ck_assert_int_eq(port_modem_lines(port), cases[i].port);
	}
	port_close(port);
}
END_TEST

START_TEST(dtr_is_set_alone)
{
	struct port *port = open_plain();
	ck_assert(port_set_dtr(port, false));
	ck_assert_int_eq(uart.lines, TIOCM_RTS);
	ck_assert(port_set_dtr(port, true));
	ck_assert_int_eq(uart.lines, TIOCM_RTS | TIOCM_DTR);
	ck_assert(!port_set_break(port, true)); /* what is behind it is a pseudo-terminal */
	port_close(port);
}
END_TEST

START_TEST(queue_and_counters)
{
	struct port_icounts counts;
	struct port *port = open_plain();
	uart.outq = 123;
	ck_assert_int_eq(port_outq(port), 123);
	uart.counts = (struct serial_icounter_struct){
		.overrun = 1, .buf_overrun = 10, .frame = 2, .parity = 3, .brk = 4};
	ck_assert(port_icounts(port, &counts));
	ck_assert_uint_eq(counts.overruns, 11);
	ck_assert_uint_eq(counts.framing, 2);
	ck_assert_uint_eq(counts.parity, 3);
	ck_assert_uint_eq(counts.breaks, 4);
	uart.outq = 0;
	port_close(port);
}
END_TEST

START_TEST(it_is_opened_without_waiting_and_not_inherited)
{
	struct port *port = open_plain();
	ck_assert_int_ne(fcntl(port_fd(port), F_GETFL) & O_NONBLOCK, 0);
	ck_assert_int_ne(fcntl(port_fd(port), F_GETFD) & FD_CLOEXEC, 0);
	port_close(port);
}
END_TEST

START_TEST(B082_raw_and_B081_restored)
{
	struct termios before = settings();
	before.c_iflag = BRKINT | PARMRK | ISTRIP | ICRNL | IXON | IXANY | INPCK;
	before.c_cflag &= ~(tcflag_t)(HUPCL | CLOCAL);
	before.c_cc[VMIN] = 7;
	ck_assert_int_eq(tcsetattr(pty.master, TCSANOW, &before), 0);
	before = settings();

	struct port *port = open_with((struct port_config){.baud = 19200});
	struct termios t = settings();
	ck_assert_uint_eq(t.c_iflag, IGNBRK | IGNPAR);
	ck_assert_uint_eq(t.c_oflag, 0);
	ck_assert_uint_eq(t.c_lflag, 0);
	ck_assert_uint_eq(t.c_cflag & (CSIZE | CSTOPB | CLOCAL | CREAD | HUPCL | CRTSCTS),
			  CS8 | CLOCAL | CREAD);
	ck_assert_uint_eq(cfgetospeed(&t), B19200);
	ck_assert_uint_eq(t.c_cc[VMIN], 1);
	port_close(port);

	struct termios after = settings();
	ck_assert_uint_eq(after.c_iflag, before.c_iflag);
	ck_assert_uint_eq(after.c_oflag, before.c_oflag);
	ck_assert_uint_eq(after.c_cflag, before.c_cflag);
	ck_assert_uint_eq(after.c_lflag, before.c_lflag);
	ck_assert_mem_eq(after.c_cc, before.c_cc, sizeof after.c_cc);
}
END_TEST

START_TEST(formats)
{
	struct port *port = open_with((struct port_config){
		.flow = PORT_FLOW_RTSCTS, .stop_bits = 2, .parity = PORT_PARITY_ODD});
	ck_assert_str_eq(port_backend(port), "libserialport");
	struct termios t = settings();
	ck_assert_uint_ne(t.c_cflag & CRTSCTS, 0);
	ck_assert_uint_ne(t.c_cflag & CSTOPB, 0);
	ck_assert_uint_ne(t.c_cflag & PARODD, 0);
	port_close(port);

	port = open_with((struct port_config){.flow = PORT_FLOW_XONXOFF});
	ck_assert_str_eq(port_backend(port), "libserialport");
	t = settings();
	ck_assert_uint_eq(t.c_cflag & CRTSCTS, 0);
	ck_assert_uint_eq(t.c_iflag & (IXON | IXOFF | IXANY), IXON | IXOFF);
	port_close(port);
}
END_TEST

/* 9600 has a constant, 31250 and 1500001 do not. */
START_TEST(B087_any_rate)
{
	static const uint32_t rates[] = {110, 9600, 31250, 230400, 1500001};
	struct port *port = open_with((struct port_config){.baud = rates[_i]});
	ck_assert_str_eq(port_backend(port), "libserialport");
	port_close(port); /* opening compared what was set with what was asked for */
}
END_TEST

START_TEST(B088_no_line_is_taken_down)
{
	struct port *port = open_with((struct port_config){.baud = 9600, .flow = PORT_FLOW_RTSCTS});
	port_close(port);
	port_close(open_plain());
	ck_assert_int_eq(uart.cleared, 0);
}
END_TEST

/* Output that flushing cannot reach: closing must not wait 30 s for it. */
START_TEST(closing_does_not_wait_for_output)
{
	struct port *port = open_plain();
	port_close(port);
	ck_assert_int_eq(uart.closing_wait, 0); /* not touched without need: it outlives us */
	port = open_plain();
	uart.outq = 17;
	port_close(port);
	ck_assert_int_eq(uart.closing_wait, ASYNC_CLOSING_WAIT_NONE);
}
END_TEST

START_TEST(bytes_and_the_end)
{
	uint8_t at[256], out[256];
	struct port *port = open_plain();
	for (unsigned i = 0; i < 256; i++)
		out[i] = (uint8_t)i;
	ck_assert_int_eq(port_read(port, at, sizeof at), 0);
	ck_assert_int_eq(port_write(port, bytes_of(out, 256)), 256);
	for (size_t got = 0; got < 256;) {
		ssize_t n = read(pty.master, at + got, 256 - got);
		ck_assert_int_gt(n, 0);
		got += (size_t)n;
	}
	ck_assert_mem_eq(at, out, 256);
	ck_assert_int_eq(write(pty.master, "\x11\x13\r", 3), 3);
	struct pollfd ready = {.fd = port_fd(port), .events = POLLIN};
	ck_assert_int_eq(poll(&ready, 1, 5000), 1);
	ck_assert_int_eq(port_read(port, at, sizeof at), 3);
	ck_assert_mem_eq(at, "\x11\x13\r", 3);
	close(pty.master);
	ck_assert_int_eq(port_read(port, at, sizeof at), -1);
	ck_assert_int_eq(port_write(port, bytes_of("x", 1)), -1);
	port_close(port);
}
END_TEST

START_TEST(B089_it_is_locked)
{
	int other = open(pty.path, O_RDWR | O_NOCTTY);
	struct port_config config = {.device = pty.path, .stop_bits = 1};
	struct port *port = open_plain();
	ck_assert_int_eq(flock(other, LOCK_EX | LOCK_NB), -1);
	ck_assert_int_eq(errno, EWOULDBLOCK);
	ck_assert_ptr_null(port_open(&config, &error));
	ck_assert_int_eq(error.status, PORT_IN_USE);
	port_close(port);
	ck_assert_int_eq(flock(other, LOCK_EX | LOCK_NB), 0);
	ck_assert_ptr_null(port_open(&config, &error));
	ck_assert_int_eq(error.status, PORT_IN_USE);
	close(other);
	port_close(open_plain());
}
END_TEST

/* The library wants modem lines; a device with an entry but without them is a tty all the same. */
START_TEST(B086_without_modem_lines_it_is_opened_through_termios)
{
	uart.present = false;
	struct port *port = open_with((struct port_config){.baud = 38400});
	ck_assert_str_eq(port_backend(port), "termios");
	ck_assert_int_eq(port_modem_lines(port), -1);
	ck_assert(!port_set_dtr(port, false));
	port_close(port);
}
END_TEST

START_TEST(a_call_out_name_of_old_is_the_port)
{
	char kept[] = "/tmp/test_serialXXXXXX";
	ck_assert_ptr_nonnull(mkdtemp(kept));
	ck_assert_int_eq(mount("/dev/pts", kept, NULL, MS_BIND, NULL), 0);
	ck_assert_int_eq(mount("tmpfs", "/dev", "tmpfs", 0, NULL), 0);
	ck_assert_int_eq(mkdir("/dev/pts", 0755), 0);
	ck_assert_int_eq(mount(kept, "/dev/pts", NULL, MS_MOVE, NULL), 0);
	rmdir(kept);
	ck_assert_int_eq(symlink(pty.path, "/dev/ttyS7"), 0);

	struct port *port = open_with((struct port_config){.device = "/dev/cua7"});
	ck_assert_int_gt(port_write(port, bytes_of("x", 1)), 0);
	port_close(port);
	struct port_config config = {.device = "/dev/cua8", .stop_bits = 1};
	ck_assert_ptr_null(port_open(&config, &error));
	ck_assert_int_eq(error.status, PORT_NO_DEVICE);
}
END_TEST

/* ---- TIOCEXCL, which pseudo-terminals are spared: on a virtual console ---- */

static const char console[] = "/dev/tty63";

START_TEST(B089_exclusive_use_is_marked_and_respected)
{
	int other = open(console, O_RDWR | O_NOCTTY | O_NONBLOCK);
	if (other < 0) {
		printf("skipped exclusive use: no %s here\n", console);
		return;
	}
	uart.present = false;
	int exclusive = 0;
	struct port_config config = {.device = console, .stop_bits = 1};
	struct port *port = open_with(config);
	ck_assert_int_eq(ioctl(other, TIOCGEXCL, &exclusive), 0);
	ck_assert_int_eq(exclusive, 1);
	port_close(port);
	ck_assert_int_eq(ioctl(other, TIOCGEXCL, &exclusive), 0);
	ck_assert_int_eq(exclusive, 0);

	/* Marked by another that does not use flock(): root could open it, and must not. */
	ck_assert_int_eq(ioctl(other, TIOCEXCL, NULL), 0);
	ck_assert_ptr_null(port_open(&config, &error));
	ck_assert_int_eq(error.status, PORT_IN_USE);
	ck_assert_int_eq(ioctl(other, TIOCGEXCL, &exclusive), 0);
	ck_assert_int_eq(exclusive, 1); /* and its mark stays */
	ck_assert_int_eq(ioctl(other, TIOCNXCL, NULL), 0);
	close(other);
}
END_TEST

/* Asked in a child, so that the tests themselves start outside. */
static bool can_enter_namespace(void)
{
	int status = 1;
	pid_t pid = fork();
	if (pid == 0)
		_exit(enter_namespace() ? 0 : 1);
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

int main(void)
{
	enum { SKIPPED = 77 };
	if (!can_enter_namespace()) {
		printf("skipped: a mount namespace cannot be made (root is needed)\n");
		return SKIPPED;
	}
	Suite *suite = suite_create("port_serial");
	TCase *tcase = tcase_create("libserialport");
	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_test(tcase, modem_lines);
	tcase_add_test(tcase, dtr_is_set_alone);
	tcase_add_test(tcase, queue_and_counters);
	tcase_add_test(tcase, it_is_opened_without_waiting_and_not_inherited);
	tcase_add_test(tcase, B082_raw_and_B081_restored);
	tcase_add_test(tcase, formats);
	tcase_add_loop_test(tcase, B087_any_rate, 0, 5);
	tcase_add_test(tcase, B088_no_line_is_taken_down);
	tcase_add_test(tcase, closing_does_not_wait_for_output);
	tcase_add_test(tcase, bytes_and_the_end);
	tcase_add_test(tcase, B089_it_is_locked);
	tcase_add_test(tcase, B086_without_modem_lines_it_is_opened_through_termios);
	tcase_add_test(tcase, a_call_out_name_of_old_is_the_port);
	tcase_add_test(tcase, B089_exclusive_use_is_marked_and_respected);
	suite_add_tcase(suite, tcase);

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed;
}
