/* SPDX-License-Identifier: MIT */
/* The list of ports: of a machine made up, as a table, and of this one. */
#define _GNU_SOURCE

#include "src/ports_list.h"

#include "src/port.h"
#include "src/port_lock.h"

#include "sysfs_testing.h"

#include <sys/file.h>

static struct ports_row rows[PORTS_MAX];

static const struct adapter ftdi = {"ttyUSB0",           "1-1",       "0403\n", "6001\n", "FTDI\n",
				    "FT232R USB UART\n", "A600XYZ\n", 0};
static const struct adapter bare = {"ttyUSB1", "1-2", "10c4\n", "ea60\n", "\n", "\n", NULL, 2};

static void touch(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0644);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

START_TEST(ports_are_told_as_people_know_them)
{
	sysfs_add_uart("ttyS0", "4\n");
	sysfs_plug(&ftdi);
	sysfs_plug(&bare);
	ck_assert_uint_eq(ports_list(rows, NULL), 3);

	ck_assert_str_eq(rows[0].device, "/dev/ttyS0");
	ck_assert_str_eq(rows[0].transport, "native");
	ck_assert_int_eq(rows[0].vendor_id, 0);
	ck_assert_int_eq(rows[0].interface, -1);

	ck_assert_str_eq(rows[1].device, "/dev/ttyUSB0");
	ck_assert_str_eq(rows[1].transport, "USB");
	ck_assert_str_eq(rows[1].description, "FT232R USB UART");
	ck_assert_int_eq(rows[1].vendor_id, 0x0403);
	ck_assert_int_eq(rows[1].product_id, 0x6001);
	ck_assert_int_eq(rows[1].interface, 0);
	ck_assert_str_eq(rows[1].manufacturer, "FTDI");
	ck_assert_str_eq(rows[1].serial, "A600XYZ");

	ck_assert_int_eq(rows[2].vendor_id, 0x10c4);
	ck_assert_int_eq(rows[2].interface, 2);
	ck_assert_str_eq(rows[2].serial, "");
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(rows[i].holder, LOCK_FREE);
		ck_assert_str_eq(rows[i].held_by, "");
		ck_assert_str_eq(rows[i].by_id, "");
	}
}
END_TEST

START_TEST(a_uart_without_a_chip_is_none)
{
	sysfs_add_uart("ttyS0", "4\n");
	sysfs_add_uart("ttyS1", "0\n");
	ck_assert_uint_eq(ports_list(rows, NULL), 1);
	ck_assert_str_eq(rows[0].device, "/dev/ttyS0");
}
END_TEST

START_TEST(numbers_are_sorted_as_numbers)
{
	sysfs_add_uart("ttyS10", "4\n");
	sysfs_add_uart("ttyS9", "4\n");
	ck_assert_uint_eq(ports_list(rows, NULL), 2);
	ck_assert_str_eq(rows[0].device, "/dev/ttyS9");
}
END_TEST

START_TEST(too_many_are_cut_off)
{
	char tty[16];
	for (int i = 0; i < PORTS_MAX + 3; i++) {
		snprintf(tty, sizeof tty, "ttyS%d", i);
		sysfs_add_uart(tty, "4\n");
	}
	ck_assert_uint_eq(ports_list(rows, NULL), PORTS_MAX);
}
END_TEST

START_TEST(its_name_by_id_is_found)
{
	static const char name[] = "/dev/serial/by-id/usb-FTDI_FT232R_USB_UART_A600XYZ-if00-port0";
	sysfs_plug(&ftdi);
	touch("/dev/ttyUSB0");
	sysfs_mkdir("/dev/serial/by-id");
	ck_assert_int_eq(symlink("../../ttyUSB9", "/dev/serial/by-id/dangling"), 0);
	ck_assert_int_eq(symlink("../../ttyUSB0", name), 0);
	ck_assert_uint_eq(ports_list(rows, NULL), 1);
	ck_assert_str_eq(rows[0].by_id, name);
}
END_TEST

/* A child that holds flock() on it until it is killed. */
static pid_t holder_of(const char *path)
{
	int ready[2];
	char c;
	ck_assert_int_eq(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0) {
		if (flock(open(path, O_RDONLY), LOCK_EX) == 0 && write(ready[1], "r", 1) == 1)
			pause();
		_exit(1);
	}
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	return pid;
}

START_TEST(who_has_it_is_told)
{
	char text[64];
	sysfs_plug(&ftdi);
	touch("/dev/ttyUSB0");
	pid_t pid = holder_of("/dev/ttyUSB0");
	ck_assert_uint_eq(ports_list(rows, NULL), 1);
	ck_assert_int_eq(rows[0].holder, pid);
	snprintf(text, sizeof text, "pid %d (test_ports_list)", (int)pid);
	ck_assert_str_eq(rows[0].held_by, text);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ck_assert_uint_eq(ports_list(rows, NULL), 1);
	ck_assert_int_eq(rows[0].holder, LOCK_FREE);
}
END_TEST

START_TEST(B089_a_lock_file_tells_it_too)
{
	char text[32];
	sysfs_plug(&ftdi);
	touch("/dev/ttyUSB0");
	sysfs_mkdir("/dev/lock");
	snprintf(text, sizeof text, "%10d\n", (int)getppid());
	sysfs_write("/dev/lock", "LCK..ttyUSB0", text);
	ck_assert_uint_eq(ports_list(rows, "/dev/lock"), 1);
	ck_assert_int_eq(rows[0].holder, getppid());
	ck_assert_uint_eq(ports_list(rows, NULL), 1);
	ck_assert_int_eq(rows[0].holder, LOCK_FREE);
}
END_TEST

START_TEST(a_line_of_ours_is_named_whatever_it_calls_its_port)
{
	static const char *const names[] = {"/dev/ttyUSB0", "/dev/modem", "usb:0403:6001"};
	sysfs_plug(&ftdi);
	sysfs_plug(&bare);
	touch("/dev/ttyUSB0");
	touch("/dev/ttyUSB1");
	ck_assert_int_eq(symlink("ttyUSB0", "/dev/modem"), 0);
	size_t count = ports_list(rows, NULL);
	ck_assert_uint_eq(count, 2);
	ports_list_name_line(rows, count, names[_i], "uplink");
	ports_list_name_line(rows, count, "/dev/nonexistent", "other");
	ports_list_name_line(rows, count, "tcp:host:23", "other");
	ck_assert_str_eq(rows[0].line, "uplink");
	ck_assert_str_eq(rows[1].line, "");
}
END_TEST

START_TEST(what_a_device_says_of_itself_is_printable)
{
	struct adapter evil = ftdi;
	evil.product = "\033[2Jgone\a\n";
	sysfs_plug(&evil);
	ck_assert_uint_eq(ports_list(rows, NULL), 1);
	ck_assert_str_eq(rows[0].product, "?[2Jgone?");
}
END_TEST

/* ---- the table ---- */

static const struct ports_row three[] = {
	{.device = "/dev/ttyS0", .description = "ttyS0", .transport = "native", .interface = -1},
	{.device = "/dev/ttyUSB0",
	 .description = "FT232R USB UART",
	 .transport = "USB",
	 .vendor_id = 0x0403,
	 .product_id = 0x6001,
	 .serial = "A600XYZ",
	 .holder = 708,
	 .held_by = "pid 708 (minicom)"},
	{.device = "/dev/ttyUSB1",
	 .description = "CP2102",
	 .transport = "USB",
	 .vendor_id = 0x10c4,
	 .product_id = 0xea60,
	 .holder = 709,
	 .held_by = "this process already",
	 .line = "uplink"},
};

static const char table[] = "PORT          DESCRIPTION      USB ID     SERIAL   USED BY\n"
			    "/dev/ttyS0    ttyS0            -          -        -\n"
			    "/dev/ttyUSB0  FT232R USB UART  0403:6001  A600XYZ  pid 708 (minicom)\n"
			    "/dev/ttyUSB1  CP2102           10c4:ea60  -        line uplink\n";

START_TEST(a_table_for_people)
{
	char text[1024];
	ck_assert_uint_eq(ports_list_text(three, 3, text, sizeof text), sizeof table - 1);
	ck_assert_str_eq(text, table);
	ports_list_text(three, 0, text, sizeof text);
	ck_assert_str_eq(text, "no serial ports\n");
}
END_TEST

START_TEST(a_small_text_is_cut_off)
{
	char text[sizeof table];
	for (size_t size = 1; size <= sizeof table; size++) {
		memset(text, '#', sizeof text);
		size_t length = ports_list_text(three, 3, text, size);
		ck_assert_uint_eq(length, size - 1);
		ck_assert_mem_eq(text, table, length);
		ck_assert_int_eq(text[length], '\0');
	}
}
END_TEST

START_TEST(this_machine_has_a_list)
{
	size_t count = ports_list(rows, "/run/lock");
	for (size_t i = 0; i < count; i++) {
		ck_assert_msg(strncmp(rows[i].device, "/dev/tty", 8) == 0, "%s", rows[i].device);
		ck_assert_ptr_nonnull(rows[i].transport);
	}
}
END_TEST

static TCase *made_up(void)
{
	TCase *tcase = tcase_create("made up");
	tcase_add_checked_fixture(tcase, sysfs_setup, NULL);
	tcase_add_test(tcase, ports_are_told_as_people_know_them);
	tcase_add_test(tcase, a_uart_without_a_chip_is_none);
	tcase_add_test(tcase, numbers_are_sorted_as_numbers);
	tcase_add_test(tcase, too_many_are_cut_off);
	tcase_add_test(tcase, its_name_by_id_is_found);
	tcase_add_test(tcase, who_has_it_is_told);
	tcase_add_test(tcase, B089_a_lock_file_tells_it_too);
	tcase_add_loop_test(tcase, a_line_of_ours_is_named_whatever_it_calls_its_port, 0, 3);
	tcase_add_test(tcase, what_a_device_says_of_itself_is_printable);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("ports_list");
	TCase *real = tcase_create("real");
	tcase_add_test(real, a_table_for_people);
	tcase_add_test(real, a_small_text_is_cut_off);
	tcase_add_test(real, this_machine_has_a_list);
	suite_add_tcase(suite, real);
	if (sysfs_can_enter())
		suite_add_tcase(suite, made_up());
	else
		printf("skipped those made up: no mount namespace (root is needed)\n");

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed;
}
