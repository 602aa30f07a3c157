/* SPDX-License-Identifier: MIT */
/* Which kind of port a name means, and what all kinds have in common. */
#define _DEFAULT_SOURCE

#include "src/port_internal.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>

bool port_refuse(struct port_error *error, enum port_status status, const char *format, ...)
{
	va_list arguments;
	error->status = status;
	va_start(arguments, format);
	vsnprintf(error->text, sizeof error->text, format, arguments);
	va_end(arguments);
	return false;
}

static const char command_prefix[] = "exec:";

bool port_is_command(const char *device)
{
	return strncmp(device, command_prefix, sizeof command_prefix - 1) == 0;
}

struct port *port_open(const struct port_config *config, struct port_error *error)
{
	static const struct {
		const char *prefix;
		struct port *(*open)(const char *, struct port_error *);
	} kinds[] = {{command_prefix, port_exec_open}, {"tcp:", port_tcp_open}};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		size_t length = strlen(kinds[i].prefix);
		if (strncmp(config->device, kinds[i].prefix, length) == 0)
			return kinds[i].open(config->device + length, error);
	}
	return port_device_open(config, error);
}

void port_close(struct port *port)
{
	if (!port)
		return;
	if (port->is_device) {
		port_device_close(port);
		return;
	}
	port->ops->close(port);
	free(port);
}

int port_fd(const struct port *port)
{
	return port->fd;
}

const char *port_backend(const struct port *port)
{
	return port->ops->name;
}

bool port_ready(struct port *port)
{
	return !port->ops->ready || port->ops->ready(port);
}

const char *port_reason(const struct port *port)
{
	return port->ops->reason ? port->ops->reason(port) : "hung up";
}

ssize_t port_read(struct port *port, void *at, size_t capacity)
{
	assert(capacity > 0);
	return port->ops->read(port, at, capacity);
}

ssize_t port_write(struct port *port, struct bytes out)
{
	return out.length ? port->ops->write(port, out) : 0;
}

void port_discard(struct port *port)
{
	tcflush(port->fd, TCOFLUSH); /* what is no tty refuses */
}

int port_outq(struct port *port)
{
	return port->ops->outq(port);
}

int port_modem_lines(struct port *port)
{
	return port->ops->modem_lines(port);
}

bool port_icounts(struct port *port, struct port_icounts *counts)
{
	return port->ops->icounts(port, counts);
}

bool port_set_dtr(struct port *port, bool on)
{
	return port->ops->set_dtr && port->ops->set_dtr(port, on);
}

bool port_set_break(struct port *port, bool on)
{
	return port->ops->set_break && port->ops->set_break(port, on);
}
