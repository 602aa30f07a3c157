/* SPDX-License-Identifier: MIT */
/* What port.c and the back-ends share: the object and the table of operations. */
#ifndef SRC_PORT_INTERNAL_H
#define SRC_PORT_INTERNAL_H

#include "src/port.h"
#include "src/port_lock.h"

#include <limits.h>

struct tty_settings;

/* What a back-end does. Contracts as in port.h; all but name may assume an open port. */
struct port_ops {
	const char *name;
	bool (*set_speed)(struct port *, uint32_t baud); /* of ttys only; false: errno says why */
	ssize_t (*read)(struct port *, void *at, size_t capacity);
	ssize_t (*write)(struct port *, struct bytes);
	int (*outq)(struct port *);
	int (*modem_lines)(struct port *);
	bool (*icounts)(struct port *, struct port_icounts *);
	bool (*ready)(struct port *);               /* NULL: it is, once open */
	const char *(*reason)(const struct port *); /* NULL: it knows none */
	bool (*set_dtr)(struct port *, bool on);    /* NULL: there is no such line */
	bool (*set_break)(struct port *, bool on);  /* NULL: it cannot */
	void (*close)(struct port *);               /* closes fd and frees state */
};

struct port {
	const struct port_ops *ops;
	int fd;
	void *state; /* the back-end's own */

	/* Of ttys only. */
	bool is_device;
	char path[PATH_MAX]; /* the device, symbolic links resolved */
	bool pty;            /* a pseudo-terminal's slave side */
	bool guarded;        /* flock() is ours, so what follows is ours to undo */
	struct tty_settings *saved;
	struct port_lock lock;
};

extern const struct port_ops port_tty_ops;

/* Fills in the reason; false, for the caller to return. */
__attribute__((format(printf, 3, 4))) bool port_refuse(struct port_error *, enum port_status,
						       const char *format, ...);

/* A tty by any of its names, in the form that is its only one; false: see error. */
bool port_find(char path[static PATH_MAX], const char *device, struct port_error *);

/* A tty; the other is what port_close() is for it. */
struct port *port_device_open(const struct port_config *, struct port_error *);
void port_device_close(struct port *);

/* What stands behind "exec:" and "tcp:" in a device's name; as port_open(). */
struct port *port_exec_open(const char *command, struct port_error *);
struct port *port_tcp_open(const char *address, struct port_error *);

/* The device that "VVVV:PPPP[:SERIAL[:INTERFACE]]" is at the moment; false: see error. */
bool port_usb_find(char path[static PATH_MAX], const char *ids, struct port_error *);

/*
 * Hands the port, open as a plain tty, over to libserialport; false when that
 * does not want it. Either way flock() is to be taken again.
 */
bool port_serial_adopt(struct port *);

/* read(), write() and TIOCGICOUNT, DTR and break on a tty, as port.h wants them; for both tty
 * back-ends. */
ssize_t port_tty_read(struct port *, void *at, size_t capacity);
ssize_t port_tty_write(struct port *, struct bytes);
bool port_tty_icounts(struct port *, struct port_icounts *);
bool port_tty_set_dtr(struct port *, bool on);
bool port_tty_set_break(struct port *, bool on);

/* The same of a socket; after -1 errno is 0 for an end of file. */
ssize_t port_socket_read(int fd, void *at, size_t capacity);
ssize_t port_socket_write(int fd, struct bytes);

#endif
