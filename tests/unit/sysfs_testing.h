/* SPDX-License-Identifier: MIT */
/*
 * Adapters that are not there: each test in a mount namespace of its own, with a /sys/class/tty
 * and a /dev that it fills as the kernel would. Only root can make one.
 */
#ifndef TESTS_SYSFS_TESTING_H
#define TESTS_SYSFS_TESTING_H

#include "pty_testing.h"

#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

struct adapter {
	const char *tty;                                                   /* "ttyUSB0" */
	const char *place;                                                 /* on the bus: "1-1" */
	const char *vendor, *product_id, *manufacturer, *product, *serial; /* serial NULL: none */
	int interface;
};

static inline bool sysfs_enter(void)
{
	return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

/* Asked in a child, so that the tests themselves start outside. */
static inline bool sysfs_can_enter(void)
{
	int status = 1;
	pid_t pid = fork();
	if (pid == 0)
		_exit(sysfs_enter() ? 0 : 1);
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static inline void sysfs_setup(void)
{
	char kept[] = "/tmp/test_sysfsXXXXXX";
	ck_assert(sysfs_enter());
	ck_assert_int_eq(mount("tmpfs", "/sys/class/tty", "tmpfs", 0, NULL), 0);
	ck_assert_ptr_nonnull(mkdtemp(kept));
	ck_assert_int_eq(mount("/dev/pts", kept, NULL, MS_BIND, NULL), 0);
	ck_assert_int_eq(mount("tmpfs", "/dev", "tmpfs", 0, NULL), 0);
	ck_assert_int_eq(mkdir("/dev/pts", 0755), 0);
	ck_assert_int_eq(mount(kept, "/dev/pts", NULL, MS_MOVE, NULL), 0);
	rmdir(kept);
	ck_assert_int_eq(symlink("pts/ptmx", "/dev/ptmx"), 0);
}

static inline void sysfs_write(const char *directory, const char *name, const char *text)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", directory, name);
	FILE *file = fopen(path, "w");
	ck_assert_msg(file != NULL, "%s", path);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

static inline void sysfs_mkdir(const char *path)
{
	char command[600];
	snprintf(command, sizeof command, "mkdir -p '%s'", path);
	ck_assert_int_eq(system(command), 0);
}

/* As for an adapter of usb-serial: the tty hangs below a port, that below an interface. */
static inline void sysfs_plug(const struct adapter *a)
{
	char device[128], interface[256], tty[400], link[128], number[8];
	snprintf(device, sizeof device, "/sys/class/tty/.devices/usb1/%s", a->place);
	snprintf(interface, sizeof interface, "%s/%s:1.%d", device, a->place, a->interface);
	snprintf(tty, sizeof tty, "%s/%s/tty/%s", interface, a->tty, a->tty);
	sysfs_mkdir(tty);
	sysfs_write(device, "busnum", "1\n");
	sysfs_write(device, "devnum", "4\n");
	sysfs_write(device, "idVendor", a->vendor);
	sysfs_write(device, "idProduct", a->product_id);
	sysfs_write(device, "manufacturer", a->manufacturer);
	sysfs_write(device, "product", a->product);
	if (a->serial)
		sysfs_write(device, "serial", a->serial);
	snprintf(number, sizeof number, "%02x\n", (unsigned)a->interface);
	sysfs_write(interface, "bInterfaceNumber", number);
	snprintf(link, sizeof link, "/sys/class/tty/%s", a->tty);
	ck_assert_int_eq(symlink(tty + sizeof "/sys/class/tty", link), 0);
	strncat(tty, "/device", sizeof tty - strlen(tty) - 1);
	snprintf(link, sizeof link, "../../../%s", a->tty);
	ck_assert_int_eq(symlink(link, tty), 0);
}

static inline void sysfs_unplug(const struct adapter *a)
{
	char path[128];
	snprintf(path, sizeof path, "/sys/class/tty/%s", a->tty);
	ck_assert_int_eq(unlink(path), 0);
	snprintf(path, sizeof path, "/dev/%s", a->tty);
	unlink(path);
}

/* A UART of the machine; type 0: the driver has a name for it, and there is no chip. */
static inline void sysfs_add_uart(const char *tty, const char *type)
{
	char path[128], device[160];
	snprintf(path, sizeof path, "/sys/class/tty/.devices/platform/serial8250/tty/%s", tty);
	sysfs_mkdir(path);
	sysfs_write(path, "type", type);
	snprintf(device, sizeof device, "%s/device", path);
	ck_assert_int_eq(symlink("../../../serial8250", device), 0);
	snprintf(device, sizeof device, "/sys/class/tty/%s", tty);
	ck_assert_int_eq(symlink(path + sizeof "/sys/class/tty", device), 0);
}

#endif
