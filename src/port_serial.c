/* SPDX-License-Identifier: MIT */
/*
 * A port through libserialport: real UARTs and USB adapters.
 *
 * libserialport opens, sets the speed, and reads modem lines and queue length.
 * Two things are not left to it. Bytes go through read() and write(), because
 * its non-blocking read answers 0 both for "nothing yet" and for "unplugged".
 * The mode is set by port_settings.c as for any tty: version 0.1.1 writes
 * CRTSCTS into the wrong word, so that RTS/CTS is silently off, sets IXANY with
 * XON/XOFF, and turns HUPCL on.
 */
#define _DEFAULT_SOURCE

#include "src/port_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <libserialport.h>
#include <sys/file.h>
#include <unistd.h>

static bool serial_set_speed(struct port *port, uint32_t baud)
{
	enum sp_return result = sp_set_baudrate(port->state, (int)baud);
	errno = result == SP_ERR_FAIL ? sp_last_error_code() : EINVAL;
	return result == SP_OK;
}

static int serial_outq(struct port *port)
{
	enum sp_return n = sp_output_waiting(port->state);
	return n >= 0 ? (int)n : -1;
}

static int serial_modem_lines(struct port *port)
{
	enum sp_signal on;
	if (sp_get_signals(port->state, &on) != SP_OK)
		return -1;
	return (on & SP_SIG_CTS ? PORT_CTS : 0) | (on & SP_SIG_DSR ? PORT_DSR : 0) |
	       (on & SP_SIG_RI ? PORT_RI : 0) | (on & SP_SIG_DCD ? PORT_DCD : 0);
}

static void serial_close(struct port *port)
{
	sp_close(port->state);
	sp_free_port(port->state);
}

static const struct port_ops port_serial_ops = {
	.name = "libserialport",
	.set_speed = serial_set_speed,
	.read = port_tty_read,
	.write = port_tty_write,
	.outq = serial_outq,
	.modem_lines = serial_modem_lines,
	.icounts = port_tty_icounts,
	.set_dtr = port_tty_set_dtr,
	.set_break = port_tty_set_break,
	.close = serial_close,
};

/*
 * sp_open() opens the device once more and, from version 0.1.2 on, locks it
 * with flock() itself: so ours is let go, and it is for the caller to lock the
 * new descriptor. The old one is closed only after the new one is open, since
 * a last close would drop DTR.
 */
bool port_serial_adopt(struct port *port)
{
	struct sp_port *sp;
	if (sp_get_port_by_name(port->path, &sp) != SP_OK)
		return false;
	flock(port->fd, LOCK_UN);
	if (sp_open(sp, SP_MODE_READ_WRITE) != SP_OK) {
		sp_free_port(sp);
		return false;
	}
	close(port->fd);
	port->ops = &port_serial_ops;
	port->state = sp;
	sp_get_port_handle(sp, &port->fd);
	fcntl(port->fd, F_SETFD, FD_CLOEXEC);
	return true;
}
