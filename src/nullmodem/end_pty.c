/* SPDX-License-Identifier: MIT */
/*
 * An end that is a pseudo-terminal; its path is a symbolic link to the slave.
 *
 * Back-pressure. A pty swallows 20480 bytes before its writer notices anything,
 * a third of a minute at 9600. But a tty that was stopped by tcflow(TCOOFF)
 * takes nothing and polls unwritable, whatever else its user sets; and the one
 * who stops may be another who has it open. So nullmodem keeps the slave open
 * and stopped whenever the cable's buffer is full. What a user pushes between
 * the moment at which that happens and the stop, a wake-up later, stays in the
 * pty and is read when there is room: see nullmodem(1), LIMITS.
 *
 * Holding the slave has a price: nothing says that a user has closed it, so
 * inotify does (presence.h). When the last one has left, what it had not read
 * is thrown away, and so is all that arrives while nobody is there, as a UART
 * does that is not open. The settings stay, as a serial port's do.
 */
#define _GNU_SOURCE
#include "src/nullmodem/end_impl.h"
#include "src/nullmodem/tty_speed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

static bool points_to(const char *path, const char *target)
{
	char now[64];
	ssize_t n = readlink(path, now, sizeof now);
	return n == (ssize_t)strlen(target) && memcmp(now, target, (size_t)n) == 0;
}

/* Never over anything but a symbolic link: PATH may be a mistyped device or file. */
static bool make_link(const struct end *e, char *text, size_t text_size)
{
	struct stat st;
	if (lstat(e->path, &st) == 0 && !S_ISLNK(st.st_mode)) {
		errno = EEXIST;
		return end_fail(text, text_size, e->path);
	}
	char fresh[160];
	snprintf(fresh, sizeof fresh, "%s.%ld", e->path, (long)getpid());
	unlink(fresh);
	if (symlink(e->pts, fresh) < 0)
		return end_fail(text, text_size, e->path);
	if (rename(fresh, e->path) < 0) {
		end_fail(text, text_size, e->path);
		unlink(fresh);
		return false;
	}
	return true;
}

static void remove_link(const struct end *e)
{
	if (e->pts[0] && points_to(e->path, e->pts))
		unlink(e->path);
}

static bool open_slave(struct end *e)
{
	e->slave = open(e->pts, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	return e->slave >= 0;
}

/* From the first moment: a tty that starts with echo answers the first frame with itself. */
static bool make_raw(int tty)
{
	struct termios raw;
	if (tcgetattr(tty, &raw) < 0)
		return false;
	cfmakeraw(&raw);
	raw.c_cflag |= CREAD | CLOCAL;
	return tcsetattr(tty, TCSANOW, &raw) == 0;
}

static void on_left(void *owner)
{
	struct end *e = owner;
	tcflush(e->fd, TCOFLUSH); /* on its way to the slave's input queue */
	tcflush(e->slave, TCIFLUSH);
	ioctl(e->slave, TIOCNXCL);
	e->left = true;
	e->host.changed(e->host.owner);
}

static bool open_pty(struct end *e)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (master < 0)
		return false;
	return end_attach_fd(e, master) && grantpt(master) == 0 && unlockpt(master) == 0 &&
	       ptsname_r(master, e->pts, sizeof e->pts) == 0 && open_slave(e) && make_raw(e->slave);
}

static bool pty_open(struct end *e, char *text, size_t text_size)
{
	if (!open_pty(e))
		return end_fail(text, text_size, "no pseudo-terminal");
	/* Without inotify's resources an end counts as always open. */
	e->watch = (struct watch){.left = on_left, .owner = e};
	e->watched = e->host.presence && presence_add(e->host.presence, e->pts, &e->watch);
	return make_link(e, text, text_size);
}

static void pty_close(struct end *e)
{
	remove_link(e);
	e->pts[0] = '\0';
	if (e->watched)
		presence_remove(e->host.presence, &e->watch);
	e->watched = false;
	end_drop_fd(e);
	if (e->slave >= 0)
		close(e->slave);
	e->slave = -1;
}

/*
 * Somebody called vhangup() on the slave, as getty does: our descriptor is dead
 * too, the master is not. Who does that sets the terminal up anew; we do not.
 */
static void reopen_slave(struct end *e)
{
	if (e->slave >= 0)
		close(e->slave);
	open_slave(e);
}

static void pty_hold(struct end *e, bool hold)
{
	int action = hold ? TCOOFF : TCOON;
	if (tcflow(e->slave, action) == 0)
		return;
	reopen_slave(e);
	tcflow(e->slave, action);
}

static void pty_lost(struct end *e)
{
	reopen_slave(e);
	if (e->held)
		pty_hold(e, true);
}

static uint32_t pty_speed(const struct end *e)
{
	return tty_speed(e->slave);
}

const struct end_ops end_pty_ops = {pty_open, pty_close, pty_hold, pty_lost, pty_speed};
