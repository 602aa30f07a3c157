/* SPDX-License-Identifier: MIT */
/* Adapters found by what they are. */
#define _GNU_SOURCE

#include "src/port.h"

#include "sysfs_testing.h"

static const struct adapter first = {"ttyUSB0",           "1-1",       "0403\n", "6001\n", "FTDI\n",
				     "FT232R USB UART\n", "A600XYZ\n", 0};
static const struct adapter second = {
	"ttyUSB1", "1-2", "0403\n", "6001\n", "FTDI\n", "FT232R USB UART\n", "A700ABC\n", 0};
static const struct adapter other = {"ttyUSB2",        "1-3",      "10c4\n", "ea60\n",
				     "Silicon Labs\n", "CP2102\n", NULL,     0};
static const struct adapter double_0 = {"ttyUSB3", "1-4",          "0403\n", "6010\n",
					"FTDI\n",  "Dual RS232\n", NULL,     0};
static const struct adapter double_1 = {"ttyUSB4", "1-4",          "0403\n", "6010\n",
					"FTDI\n",  "Dual RS232\n", NULL,     1};

static struct port_error error;

/* The adapter's device is a pseudo-terminal, by the name of which one can tell. */
static struct pty plug(const struct adapter *a)
{
	char path[64];
	struct pty pty = pty_new();
	sysfs_plug(a);
	snprintf(path, sizeof path, "/dev/%s", a->tty);
	ck_assert_int_eq(symlink(pty.path, path), 0);
	return pty;
}

static struct port *try_open(const char *device)
{
	struct port_config config = {.device = device, .baud = 9600, .stop_bits = 1};
	return port_open(&config, &error);
}

static void leads_to(const char *device, const struct pty *pty)
{
	char c = 0;
	struct port *port = try_open(device);
	ck_assert_msg(port != NULL, "%s: %s", device, error.text);
	ck_assert_int_eq(port_write(port, bytes_of("x", 1)), 1);
	ck_assert_int_eq(read(pty->master, &c, 1), 1);
	ck_assert_int_eq(c, 'x');
	port_close(port);
}

static void refused(const char *device, enum port_status status, const char *text)
{
	ck_assert_ptr_null(try_open(device));
	ck_assert_msg(error.status == status, "%s: status %d, %s", device, error.status,
		      error.text);
	ck_assert_msg(strstr(error.text, text) != NULL, "%s: %s", device, error.text);
}

START_TEST(one_of_its_kind_is_found_by_its_ids)
{
	struct pty a = plug(&first), c = plug(&other);
	leads_to("usb:0403:6001", &a);
	leads_to("usb:10c4:ea60", &c);
	leads_to("usb:10C4:EA60", &c);
	leads_to("usb:0403:6001:A600XYZ", &a);
	leads_to("usb:0403:6001::0", &a);
}
END_TEST

START_TEST(several_of_a_kind_are_told_apart_by_serial_number)
{
	struct pty a = plug(&first), b = plug(&second);
	leads_to("usb:0403:6001:A600XYZ", &a);
	leads_to("usb:0403:6001:A700ABC", &b);
	refused("usb:0403:6001:A800", PORT_NO_DEVICE, "no such adapter");
	refused("usb:0403:6001", PORT_NO_DEVICE, "2 fit: ");
	ck_assert_ptr_nonnull(strstr(error.text, "ttyUSB0 (serial number A600XYZ, interface 0)"));
	ck_assert_ptr_nonnull(strstr(error.text, "ttyUSB1 (serial number A700ABC, interface 0)"));
}
END_TEST

START_TEST(ports_of_one_adapter_are_told_apart_by_interface)
{
	struct pty a = plug(&double_0), b = plug(&double_1);
	leads_to("usb:0403:6010::0", &a);
	leads_to("usb:0403:6010::1", &b);
	refused("usb:0403:6010::2", PORT_NO_DEVICE, "no such adapter");
	refused("usb:0403:6010", PORT_NO_DEVICE, "ttyUSB4 (serial number none, interface 1)");
}
END_TEST

START_TEST(one_that_was_plugged_in_again_is_found_under_another_number)
{
	struct adapter again = first;
	again.tty = "ttyUSB7";
	again.place = "1-5";
	refused("usb:0403:6001:A600XYZ", PORT_NO_DEVICE, "no such adapter");
	struct pty pty = plug(&first);
	leads_to("usb:0403:6001:A600XYZ", &pty);
	sysfs_unplug(&first);
	refused("usb:0403:6001:A600XYZ", PORT_NO_DEVICE, "no such adapter");
	struct pty anew = plug(&again);
	leads_to("usb:0403:6001:A600XYZ", &anew);
}
END_TEST

START_TEST(only_usb_ports_count)
{
	sysfs_add_uart("ttyS0", "4\n");
	struct pty pty = plug(&first);
	leads_to("usb:0403:6001", &pty);
}
END_TEST

static const char *const wrong[] = {
	"usb:",
	"usb:0403",
	"usb:0403:",
	"usb:403:6001",
	"usb:0403:601",
	"usb:0403:60011",
	"usb:04g3:6001",
	"usb:0403-6001",
	"usb:0403:6001:A:x",
	"usb:0403:6001:A:1x",
	"usb:0403:6001:A:-1",
	"usb:0403:6001:A:256",
	"usb:0403:6001:A:1:2",
};

START_TEST(what_are_no_ids_is_refused)
{
	refused(wrong[_i], PORT_BAD_SETTING, "usb:VVVV:PPPP");
}
END_TEST

int main(void)
{
	enum { SKIPPED = 77 };
	if (!sysfs_can_enter()) {
		printf("skipped: a mount namespace cannot be made (root is needed)\n");
		return SKIPPED;
	}
	Suite *suite = suite_create("port_usb");
	TCase *tcase = tcase_create("usb");
	tcase_add_checked_fixture(tcase, sysfs_setup, NULL);
	tcase_add_test(tcase, one_of_its_kind_is_found_by_its_ids);
	tcase_add_test(tcase, several_of_a_kind_are_told_apart_by_serial_number);
	tcase_add_test(tcase, ports_of_one_adapter_are_told_apart_by_interface);
	tcase_add_test(tcase, one_that_was_plugged_in_again_is_found_under_another_number);
	tcase_add_test(tcase, only_usb_ports_count);
	tcase_add_loop_test(tcase, what_are_no_ids_is_refused, 0, sizeof wrong / sizeof *wrong);
	suite_add_tcase(suite, tcase);

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed;
}
