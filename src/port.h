/* SPDX-License-Identifier: MIT */
/*
 * A port: the device under a line, behind a few operations.
 *
 * Back-ends: real serial ports through libserialport (port_serial.c), pseudo-
 * terminals and other ttys that libserialport does not take (port_tty.c), programs
 * and TCP connections (port_exec.c, port_tcp.c), and a scripted one for tests
 * (port_script.c). port_open() chooses. Nothing here
 * blocks: not opening (no wait for carrier), not closing (unsent output is
 * thrown away).
 *
 * While open the device is ours alone: a lock file (LCK..name, FHS/UUCP form),
 * flock() and, except on pseudo-terminals, TIOCEXCL. Its settings are saved at
 * open and restored at close.
 */
#ifndef SRC_PORT_H
#define SRC_PORT_H

#include "serialbundle/bytes.h"

#include <sys/types.h>

enum port_flow { PORT_FLOW_NONE, PORT_FLOW_RTSCTS, PORT_FLOW_XONXOFF };
enum port_parity { PORT_PARITY_NONE, PORT_PARITY_EVEN, PORT_PARITY_ODD };

struct port_config {
	/* A path (/dev/cuaN is taken as /dev/ttySN), "tcp:HOST:PORT", "exec:COMMAND", or
	   "usb:VVVV:PPPP[:SERIAL[:INTERFACE]]": a serial adapter wherever it is plugged in. */
	const char *device;
	uint32_t baud; /* 0: leave the speed as it is */
	enum port_flow flow;
	enum port_parity parity;
	unsigned stop_bits;   /* 1 or 2 */
	const char *lock_dir; /* NULL or "": no lock file */
};

enum port_status {
	PORT_OK = 0,
	PORT_NO_DEVICE, /* no such file, or nothing behind it */
	PORT_NOT_A_TTY,
	PORT_IN_USE, /* locked, or opened exclusively, by another */
	PORT_NO_PERMISSION,
	PORT_BAD_SETTING, /* the driver refuses this speed or format */
	PORT_FAILED,      /* any other system error */
};

/* Why a call failed, as a sentence without the device's name and full stop. */
struct port_error {
	enum port_status status;
	char text[160];
};

enum { /* port_modem_lines */
       PORT_CTS = 1,
       PORT_DSR = 2,
       PORT_RI = 4,
       PORT_DCD = 8,
};

struct port_icounts {
	uint32_t overruns, framing, parity, breaks;
};

struct port;

struct port *port_open(const struct port_config *, struct port_error *); /* NULL: see error */
void port_close(struct port *);
/* Whether opening the device starts a program. */
bool port_is_command(const char *device);

/* To poll; owned by the port. It may be another one after each call, until the port is ready. */
int port_fd(const struct port *);
const char *port_backend(const struct port *); /* "libserialport", "termios", "exec", ... */
/*
 * Goes on with what opening began (tcp: looks its host up, then connects): true when that is done.
 * Until then nothing can be written; watch it for reading and writing both.
 */
bool port_ready(struct port *);
/* Why it is gone, as a clause: "hung up", or what the back-end knows better. */
const char *port_reason(const struct port *);

/*
 * Bytes moved; 0 when it would block; -1 when the device is gone (hang-up, end
 * of file, error): close it.
 */
ssize_t port_read(struct port *, void *at, size_t capacity);
ssize_t port_write(struct port *, struct bytes);

/* Throws away what the driver holds unsent, where it can. */
void port_discard(struct port *);
/* Characters waiting in the driver, or -1 where the driver does not tell the truth. */
int port_outq(struct port *);
/* The set of PORT_CTS.. lines that are on, or -1 where there are none (ptys, sockets). */
int port_modem_lines(struct port *);
bool port_icounts(struct port *, struct port_icounts *); /* false: not known here */
/* Data Terminal Ready, by which a modem is told to hang up. False: there is no such line here. */
bool port_set_dtr(struct port *, bool on);
/* Begins or ends a break. False: this port cannot. */
bool port_set_break(struct port *, bool on);

#endif
