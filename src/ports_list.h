/* SPDX-License-Identifier: MIT */
/*
 * The serial ports of this machine as people know them: what it says on the adapter, not only
 * the number that it got; and who has it.
 *
 * No port is opened to find out, for that raises DTR. Pseudo-terminals are not listed.
 */
#ifndef SRC_PORTS_LIST_H
#define SRC_PORTS_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum {
	PORTS_MAX = 64,
	PORTS_NAME_SIZE = 64,
	PORTS_TEXT_SIZE = 96,
	PORTS_LINK_SIZE = 256,
};

/* "" is what is not known, or does not apply. */
struct ports_row {
	char device[PORTS_NAME_SIZE];      /* "/dev/ttyUSB0" */
	char description[PORTS_TEXT_SIZE]; /* "FT232R USB UART", "ttyS0" */
	const char *transport;             /* "native", "USB", "Bluetooth" */
	char by_id[PORTS_LINK_SIZE];       /* "/dev/serial/by-id/..." */

	/* Of USB adapters. */
	int vendor_id, product_id; /* 0: not known, or none */
	int interface;             /* -1: not known, or none */
	char manufacturer[PORTS_TEXT_SIZE], product[PORTS_TEXT_SIZE], serial[PORTS_TEXT_SIZE];

	/* Who has it, by flock() and by the lock file: a pid, or of port_lock.h LOCK_FREE,
	   LOCK_UNKNOWN. */
	pid_t holder;
	char held_by[PORTS_TEXT_SIZE]; /* "pid 123 (pppd)"; "" : free */
	char line[PORTS_NAME_SIZE];    /* of ours, which: see ports_list_name_line */
};

/*
 * Sorted by device; their number, at most PORTS_MAX. lock_dir: of lock files; NULL or "": none are looked
 * at.
 */
size_t ports_list(struct ports_row rows[static PORTS_MAX], const char *lock_dir);
/* Notes that the device, by any of its names, is the one of our line of that name. */
void ports_list_name_line(struct ports_row *, size_t count, const char *device, const char *line);

/*
 * A table for people, one row each, cut off where the text is full; its length. No ports at all
 * are one line that says so.
 */
size_t ports_list_text(const struct ports_row *, size_t count, char *text, size_t size);

#endif
