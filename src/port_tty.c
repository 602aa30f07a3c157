/* SPDX-License-Identifier: MIT */
/*
 * A port on any tty: pseudo-terminals, and what libserialport does not take.
 *
 * A pseudo-terminal has no modem lines, no error counters and no honest queue
 * length (it always says 0): these are facts for the owner, not errors.
 */
#define _DEFAULT_SOURCE

#include "src/port_internal.h"
#include "src/port_settings.h"

#include <errno.h>
#include <linux/serial.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* EIO, ENXIO and the like: what was behind the tty is gone. */
static ssize_t would_block_or_gone(void)
{
	return errno == EAGAIN || errno == EINTR ? 0 : -1;
}

/* A read of 0 is a hang-up, since VMIN is 1. */
ssize_t port_tty_read(struct port *port, void *at, size_t capacity)
{
	ssize_t n = read(port->fd, at, capacity);
	if (n > 0)
		return n;
	return n == 0 ? -1 : would_block_or_gone();
}

ssize_t port_tty_write(struct port *port, struct bytes out)
{
	ssize_t n = write(port->fd, out.at, out.length);
	return n >= 0 ? n : would_block_or_gone();
}

static bool tty_set_speed(struct port *port, uint32_t baud)
{
	return tty_settings_set_speed(port->fd, baud);
}

static int tty_outq(struct port *port)
{
	int n;
	return !port->pty && ioctl(port->fd, TIOCOUTQ, &n) == 0 ? n : -1;
}

static int tty_modem_lines(struct port *port)
{
	int on;
	if (ioctl(port->fd, TIOCMGET, &on) < 0)
		return -1;
	return (on & TIOCM_CTS ? PORT_CTS : 0) | (on & TIOCM_DSR ? PORT_DSR : 0) |
	       (on & TIOCM_RI ? PORT_RI : 0) | (on & TIOCM_CD ? PORT_DCD : 0);
}

bool port_tty_icounts(struct port *port, struct port_icounts *counts)
{
	struct serial_icounter_struct c;
	if (ioctl(port->fd, TIOCGICOUNT, &c) < 0)
		return false;
	*counts = (struct port_icounts){
		.overruns = (uint32_t)c.overrun + (uint32_t)c.buf_overrun,
		.framing = (uint32_t)c.frame,
		.parity = (uint32_t)c.parity,
		.breaks = (uint32_t)c.brk,
	};
	return true;
}

/* A pseudo-terminal has none (ENOTTY). */
bool port_tty_set_dtr(struct port *port, bool on)
{
	int dtr = TIOCM_DTR;
	return ioctl(port->fd, on ? TIOCMBIS : TIOCMBIC, &dtr) == 0;
}

/* A pseudo-terminal says yes, and does nothing. */
bool port_tty_set_break(struct port *port, bool on)
{
	return !port->pty && ioctl(port->fd, on ? TIOCSBRK : TIOCCBRK) == 0;
}

static void tty_close(struct port *port)
{
	close(port->fd);
}

const struct port_ops port_tty_ops = {
	.name = "termios",
	.set_speed = tty_set_speed,
	.read = port_tty_read,
	.write = port_tty_write,
	.outq = tty_outq,
	.modem_lines = tty_modem_lines,
	.icounts = port_tty_icounts,
	.set_dtr = port_tty_set_dtr,
	.set_break = port_tty_set_break,
	.close = tty_close,
};
