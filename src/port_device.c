/* SPDX-License-Identifier: MIT */
/*
 * A serial port, or what stands for one, is opened in steps that each either go well or say why
 * not:
 *
 *  1. the name: USB ids, aliases and symbolic links resolved, so that all names of a
 *     device lead to one lock;
 *  2. the UUCP lock file, read only: a device that another program holds is
 *     not even opened, for opening raises DTR;
 *  3. open, without waiting for a carrier (O_NONBLOCK) and without becoming
 *     its session's terminal (O_NOCTTY);
 *  4. flock() and the lock file: from here on it is ours;
 *  5. settings saved, libserialport or plain termios chosen, TIOCEXCL, settings
 *     made and compared with what was asked for.
 *
 * Closing undoes what was done, in reverse, from whatever step was reached.
 *
 * flock() is what decides among programs that use it: it ends with the process,
 * however that ends, and stops root too. TIOCEXCL makes open() fail for all
 * others but root; for root's sake the mark is also looked at. It is not
 * used on pseudo-terminals, where it would outlive a killed process for as
 * long as the master side is open.
 *
 * The kernel raises DTR and RTS at open, whoever opens, and drops them at
 * the last close when HUPCL is set, which stays as it was found.
 */
#define _DEFAULT_SOURCE

#include "src/port_internal.h"
#include "src/port_settings.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

enum { /* Documentation/admin-guide/devices.txt of Linux */
       MAJOR_LEGACY_PTY_SLAVE = 3,
       MAJOR_PTY_SLAVE_FIRST = 136,
       MAJOR_PTY_SLAVE_LAST = 143,
};

static bool refuse_in_use(struct port_error *error, pid_t holder)
{
	char who[80];
	port_lock_describe(holder, who, sizeof who);
	return port_refuse(error, PORT_IN_USE, "in use, %s", who);
}

static bool refuse_errno(struct port_error *error, const char *doing)
{
	switch (errno) {
	case ENOENT:
	case ENOTDIR:
		return port_refuse(error, PORT_NO_DEVICE, "no such device");
	case ENXIO:
	case ENODEV:
	case EIO:
		return port_refuse(error, PORT_NO_DEVICE, "there is no hardware behind it");
	case EACCES:
	case EPERM:
		return port_refuse(error, PORT_NO_PERMISSION, "no permission to read and write it");
	case EBUSY:
		return refuse_in_use(error, LOCK_UNKNOWN);
	default:
		return port_refuse(error, PORT_FAILED, "%s: %s", doing, strerror(errno));
	}
}

/* /dev/cua0, the call-out name of old, is /dev/ttyS0 opened without waiting for carrier. */
static void replace_alias(char name[static PATH_MAX], const char *device)
{
	static const char cua[] = "/dev/cua";
	const char *number = device + sizeof cua - 1;
	bool is_cua = strncmp(device, cua, sizeof cua - 1) == 0 && isdigit((unsigned char)*number);
	snprintf(name, PATH_MAX, "%s%s", is_cua ? "/dev/ttyS" : "", is_cua ? number : device);
}

/* The name itself. */
bool port_find(char path[static PATH_MAX], const char *device, struct port_error *error)
{
	static const char usb[] = "usb:";
	char name[PATH_MAX];
	if (strncmp(device, usb, sizeof usb - 1) != 0)
		replace_alias(name, device);
	else if (!port_usb_find(name, device + sizeof usb - 1, error))
		return false;
	return realpath(name, path) || refuse_errno(error, "cannot be found");
}

/* Step 1. Also keeps FIFOs, files and directories from being opened at all. */
static bool find_device(struct port *port, const struct port_config *config,
			struct port_error *error)
{
	struct stat st;
	if (!port_find(port->path, config->device, error))
		return false;
	if (stat(port->path, &st) < 0)
		return refuse_errno(error, "cannot be found");
	if (!S_ISCHR(st.st_mode))
		return port_refuse(error, PORT_NOT_A_TTY, "not a serial port or other tty");
	unsigned number = major(st.st_rdev);
	port->pty = number == MAJOR_LEGACY_PTY_SLAVE ||
		    (number >= MAJOR_PTY_SLAVE_FIRST && number <= MAJOR_PTY_SLAVE_LAST);
	return true;
}

/* Step 2; the path of the lock file, or "" for none. */
static bool check_lock_file(const struct port *port, const struct port_config *config,
			    char path[static PATH_MAX], struct port_error *error)
{
	path[0] = '\0';
	if (!config->lock_dir || !config->lock_dir[0])
		return true;
	if (!port_lock_path(path, config->lock_dir, port->path))
		return port_refuse(error, PORT_FAILED, "the lock file's name is too long");
	pid_t holder = port_lock_file_holder(path);
	return holder == LOCK_FREE || refuse_in_use(error, holder);
}

/* Step 3. */
static bool open_device(struct port *port, struct port_error *error)
{
	port->fd = open(port->path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (port->fd < 0)
		return refuse_errno(error, "cannot be opened");
	if (isatty(port->fd))
		return true;
	if (errno == EIO) /* how the 8250 driver answers for a port that is not there */
		return refuse_errno(error, "");
	return port_refuse(error, PORT_NOT_A_TTY, "not a serial port or other tty");
}

static bool take_flock(struct port *port, struct port_error *error)
{
	struct stat device;
	port->guarded = flock(port->fd, LOCK_EX | LOCK_NB) == 0;
	if (port->guarded)
		return true;
	if (errno != EWOULDBLOCK)
		return refuse_errno(error, "cannot be locked");
	pid_t holder = fstat(port->fd, &device) == 0 ? port_flock_holder(&device) : LOCK_FREE;
	return refuse_in_use(error, holder == LOCK_FREE ? LOCK_UNKNOWN : holder);
}

/* On a UART the mark goes with its last user, so if it is set there is one. */
static bool check_exclusive(struct port *port, struct port_error *error)
{
	int taken = 0;
	if (port->pty || ioctl(port->fd, TIOCGEXCL, &taken) < 0 || !taken)
		return true;
	port->guarded = false;
	return refuse_in_use(error, LOCK_UNKNOWN);
}

/* Step 4. */
static bool guard_device(struct port *port, const char *lock_path, struct port_error *error)
{
	if (!take_flock(port, error) || !check_exclusive(port, error))
		return false;
	if (!lock_path[0])
		return true;
	pid_t holder = port_lock_take(&port->lock, lock_path);
	return holder == LOCK_FREE || refuse_in_use(error, holder);
}

/* libserialport opens the device once more: locked again after that, and marked only then. */
static bool choose_back_end(struct port *port, struct port_error *error)
{
	port_serial_adopt(port);
	if (!take_flock(port, error))
		return false;
	if (!port->pty)
		ioctl(port->fd, TIOCEXCL); /* where a driver has none, flock() is enough */
	return true;
}

/* Step 5. */
static bool set_up(struct port *port, const struct port_config *config, struct port_error *error)
{
	port->saved = tty_settings_save(port->fd);
	if (!port->saved)
		return refuse_errno(error, "its settings cannot be read");
	if (!choose_back_end(port, error))
		return false;
	if (config->baud && !port->ops->set_speed(port, config->baud))
		return port_refuse(error, PORT_BAD_SETTING, "the driver refuses %u baud: %s",
				   config->baud, strerror(errno));
	if (!tty_settings_set_mode(port->fd, config, port->saved))
		return refuse_errno(error, "its settings cannot be changed");
	error->status = PORT_BAD_SETTING;
	return tty_settings_agree(port->fd, config, port->pty, error->text, sizeof error->text);
}

struct port *port_device_open(const struct port_config *config, struct port_error *error)
{
	char lock_path[PATH_MAX];
	struct port *port = calloc(1, sizeof *port);
	if (!port) {
		port_refuse(error, PORT_FAILED, "out of memory");
		return NULL;
	}
	assert(config->stop_bits == 1 || config->stop_bits == 2);
	port->ops = &port_tty_ops;
	port->fd = -1;
	port->is_device = true;
	if (find_device(port, config, error) && check_lock_file(port, config, lock_path, error) &&
	    open_device(port, error) && guard_device(port, lock_path, error) &&
	    set_up(port, config, error)) {
		*error = (struct port_error){.status = PORT_OK};
		return port;
	}
	port_device_close(port);
	return NULL;
}

/*
 * Throws unsent output away. A driver that keeps some all the same (USB
 * adapters held by CTS) would make close() wait for it, 30 s by default; then,
 * and only then, that wait is switched off.
 */
static void discard_output(int fd)
{
	int left = 0;
	struct serial_struct serial;
	tcflush(fd, TCOFLUSH);
	if (ioctl(fd, TIOCOUTQ, &left) < 0 || left == 0 || ioctl(fd, TIOCGSERIAL, &serial) < 0)
		return;
	serial.closing_wait = ASYNC_CLOSING_WAIT_NONE;
	ioctl(fd, TIOCSSERIAL, &serial);
}

/* False: the settings are still ours, since nothing can be done by way of this descriptor. */
static bool leave_device(struct port *port)
{
	discard_output(port->fd);
	bool restored = !port->saved || tty_settings_restore(port->fd, port->saved);
	if (!port->pty)
		ioctl(port->fd, TIOCNXCL);
	return restored;
}

static bool is_device(int fd, const struct stat *device)
{
	struct stat st;
	return fstat(fd, &st) == 0 && st.st_ino == device->st_ino && st.st_dev == device->st_dev;
}

/*
 * A port that was hung up is there as before, by another descriptor; without this, the next
 * opening would take our own settings for those to restore. One that was unplugged is not, and what
 * has its name now is left alone.
 */
static void restore_anew(const struct port *port, const struct stat *device)
{
	int fd = open(port->path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	if (is_device(fd, device) && flock(fd, LOCK_EX | LOCK_NB) == 0)
		tty_settings_restore(fd, port->saved);
	close(fd);
}

/* From whatever step was reached. */
void port_device_close(struct port *port)
{
	struct stat device;
	bool hung_up = port->guarded && !leave_device(port) && fstat(port->fd, &device) == 0;
	if (port->fd >= 0)
		port->ops->close(port);
	if (hung_up)
		restore_anew(port, &device);
	free(port->saved);
	port_lock_release(&port->lock);
	free(port);
}
