/* SPDX-License-Identifier: MIT */
/*
 * A port that does what a test says, with a descriptor that polls truly:
 * readable while there is something to read or after a hang-up, writable while
 * there is room.
 */
#ifndef SRC_PORT_SCRIPT_H
#define SRC_PORT_SCRIPT_H

#include "src/port.h"

/* Without modem lines, outq or counts, with unlimited room; NULL: a system failure. */
struct port *port_script_new(void);

/* What the far end sends. It must fit a socket's buffer: up to some 100 KB unread. */
void port_script_feed(struct port *, struct bytes);
/* The port takes so many more characters, at most `chunk` in one write. */
void port_script_limit(struct port *, size_t room, size_t chunk);
/* All that was written and not forgotten, viewed until the next write. */
struct bytes port_script_written(const struct port *);
void port_script_forget(struct port *);

/* Whether it is ready; so it is at first. Its descriptor polls as always. */
void port_script_set_ready(struct port *, bool);

/* After what is already fed, reads and, at once, writes answer that the device is gone. */
void port_script_hang_up(struct port *);

/* Without modem lines (below 0) there is no DTR either, and no break. */
void port_script_set_modem_lines(struct port *, int lines);
void port_script_set_outq(struct port *, int characters);
void port_script_set_icounts(struct port *, const struct port_icounts *);
/* As it was last set; on at first, as after opening a tty. */
bool port_script_dtr(const struct port *);
bool port_script_break(const struct port *);

#endif
