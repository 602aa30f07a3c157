/* SPDX-License-Identifier: MIT */
/*
 * The serial ports that the kernel knows, and what USB says of them.
 *
 * libserialport has a list, too (sp_list_ports); but that opens UARTs to find out whether they
 * are there, which raises their DTR: a modem somewhere would answer a question about another port.
 * So names come from /sys/class/tty, and libserialport is asked about each.
 */
#ifndef SRC_PORT_NAMES_H
#define SRC_PORT_NAMES_H

#include <dirent.h>
#include <libserialport.h>
#include <limits.h>
#include <stdbool.h>

struct port_names {
	DIR *directory; /* NULL: there is none */
};

void port_names_begin(struct port_names *);
/* The next one that has hardware behind it; sp_free_port() it. NULL: no more. */
struct sp_port *port_names_next(struct port_names *);
void port_names_end(struct port_names *);

/* Which of the adapter's interfaces a USB port is; -1: not known. */
int port_names_interface(const struct sp_port *);

#endif
