/* SPDX-License-Identifier: MIT */
/*
 * Ports on a UART's own driver: $SERIALBUNDLE_UART is the device, and without one there is nothing
 * to be tested. It is used in loopback, where the chip joins its outputs to its inputs:
 * DTR to DSR, RTS to CTS, OUT2 to DCD, and what is sent to what is received.
 */
#define _GNU_SOURCE

#include "src/port.h"

#include <check.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { /* asm/termios.h, which does not go with termios.h */
       OUT2 = 0x4000,
       LOOP = 0x8000,
       PATIENCE_MS = 10000,
};

static const char *device;
static struct port_error error;
static int beside; /* another descriptor of the same UART */
static struct termios original;

static void output(int bits, bool on)
{
	ck_assert_int_eq(ioctl(beside, on ? TIOCMBIS : TIOCMBIC, &bits), 0);
}

static struct termios settings(void)
{
	struct termios t;
	memset(&t, 0, sizeof t);
	ck_assert_int_eq(tcgetattr(beside, &t), 0);
	return t;
}

static void hang_up_on_close(bool on)
{
	struct termios t = settings();
	t.c_cflag &= ~(tcflag_t)HUPCL;
	t.c_cflag |= on ? HUPCL : 0;
	ck_assert_int_eq(tcsetattr(beside, TCSANOW, &t), 0);
}

static void open_beside(void)
{
	beside = open(device, O_RDWR | O_NOCTTY | O_NONBLOCK);
	ck_assert_int_ge(beside, 0);
	output(LOOP | OUT2, true);
}

static void setup(void)
{
	open_beside();
	original = settings();
}

static void teardown(void)
{
	tcsetattr(beside, TCSANOW, &original);
	output(LOOP, false);
	output(OUT2, true);
	close(beside);
}

static struct port *open_uart(void)
{
	struct port_config config = {.device = device, .baud = 115200, .stop_bits = 1};
	struct port *port = port_open(&config, &error);
	ck_assert_msg(port != NULL, "%s: %s", device, error.text);
	ck_assert_str_eq(port_backend(port), "libserialport");
	return port;
}

START_TEST(dtr_is_lowered_and_raised)
{
	struct port *port = open_uart();
	ck_assert_int_eq(port_modem_lines(port) & PORT_DSR, PORT_DSR);
	ck_assert(port_set_dtr(port, false));
	ck_assert_int_eq(port_modem_lines(port) & (PORT_DSR | PORT_CTS), PORT_CTS);
	ck_assert(port_set_dtr(port, true));
	ck_assert_int_eq(port_modem_lines(port) & PORT_DSR, PORT_DSR);
	port_close(port);
}
END_TEST

START_TEST(carrier_is_seen)
{
	struct port *port = open_uart();
	ck_assert_int_eq(port_modem_lines(port) & PORT_DCD, PORT_DCD);
	output(OUT2, false);
	ck_assert_int_eq(port_modem_lines(port) & PORT_DCD, 0);
	output(OUT2, true);
	ck_assert_int_eq(port_modem_lines(port) & PORT_DCD, PORT_DCD);
	port_close(port);
}
END_TEST

/* The byte at a time, since the chip's FIFO is what loses in loopback when it is not read. */
START_TEST(B082_bytes_come_back)
{
	struct port *port = open_uart();
	for (unsigned value = 0; value < 256; value++) {
		uint8_t out = (uint8_t)value, in = 0;
		struct pollfd ready = {.fd = port_fd(port), .events = POLLIN};
		ck_assert_int_eq(port_write(port, bytes_of(&out, 1)), 1);
		ck_assert_int_eq(poll(&ready, 1, PATIENCE_MS), 1);
		ck_assert_int_eq(port_read(port, &in, 1), 1);
		ck_assert_uint_eq(in, out);
	}
	port_close(port);
}
END_TEST

START_TEST(a_break_begins_and_ends)
{
	struct port *port = open_uart();
	ck_assert(port_set_break(port, true));
	ck_assert(port_set_break(port, false));
	port_close(port);
}
END_TEST

START_TEST(B088_opening_and_closing_move_no_line)
{
	int before = 0, during = 0, after = 0;
	hang_up_on_close(false);
	ck_assert_int_eq(ioctl(beside, TIOCMGET, &before), 0);
	struct port *port = open_uart();
	ck_assert_int_eq(ioctl(beside, TIOCMGET, &during), 0);
	port_close(port);
	ck_assert_int_eq(ioctl(beside, TIOCMGET, &after), 0);
	ck_assert_int_eq(during, before);
	ck_assert_int_eq(after, before);
}
END_TEST

/* What the driver last told the chip, without opening the port: opening raises DTR. */
static bool driver_has_dtr(void)
{
	char line[256], start[8];
	bool dtr = false;
	FILE *file = fopen("/proc/tty/driver/serial", "r");
	ck_assert_ptr_nonnull(file);
	snprintf(start, sizeof start, "%s:", device + strcspn(device, "0123456789"));
	while (fgets(line, sizeof line, file))
		if (strncmp(line, start, strlen(start)) == 0)
			dtr = strstr(line, "DTR") != NULL;
	fclose(file);
	return dtr;
}

/* The last close drops DTR when it was so before, and only then. */
START_TEST(B088_hang_up_on_close_stays_as_it_was)
{
	hang_up_on_close(_i);
	struct port *port = open_uart();
	close(beside);
	ck_assert(driver_has_dtr());
	port_close(port);
	ck_assert_int_eq(driver_has_dtr(), !_i);
	open_beside();
	ck_assert_int_eq((settings().c_cflag & HUPCL) != 0, _i);
}
END_TEST

START_TEST(B081_settings_are_restored_after_a_hang_up)
{
	char c;
	struct termios before = settings(), after;
	cfsetspeed(&before, B4800);
	before.c_lflag |= ICANON | ECHO;
	ck_assert_int_eq(tcsetattr(beside, TCSANOW, &before), 0);
	for (int i = 0; i < 2; i++) {
		struct port *port = open_uart();
		after = settings();
		ck_assert_uint_eq(after.c_lflag & (ICANON | ECHO), 0);
		ck_assert_int_eq(ioctl(beside, TIOCVHANGUP), 0);
		ck_assert_int_eq(port_read(port, &c, 1), -1);
		close(beside); /* hung up as well */
		port_close(port);
		open_beside();
		after = settings();
		ck_assert_uint_eq(cfgetospeed(&after), B4800);
		ck_assert_uint_eq(after.c_lflag & (ICANON | ECHO), ICANON | ECHO);
	}
}
END_TEST

int main(void)
{
	enum { SKIPPED = 77 };
	device = getenv("SERIALBUNDLE_UART");
	if (!device) {
		printf("skipped: no UART to test ($SERIALBUNDLE_UART)\n");
		return SKIPPED;
	}
	Suite *suite = suite_create("port_uart");
	TCase *tcase = tcase_create("uart");
	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, dtr_is_lowered_and_raised);
	tcase_add_test(tcase, carrier_is_seen);
	tcase_add_test(tcase, B082_bytes_come_back);
	tcase_add_test(tcase, a_break_begins_and_ends);
	tcase_add_test(tcase, B088_opening_and_closing_move_no_line);
	tcase_add_loop_test(tcase, B088_hang_up_on_close_stays_as_it_was, 0, 2);
	tcase_add_test(tcase, B081_settings_are_restored_after_a_hang_up);
	suite_add_tcase(suite, tcase);

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed;
}
