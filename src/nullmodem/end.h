/* SPDX-License-Identifier: MIT */
/*
 * One end of a cable: what a user's program opens as its serial port.
 *
 * Either a pseudo-terminal (end_pty.c) or a unix socket (end_unix.c). Nothing
 * here blocks, waits or paces.
 */
#ifndef NULLMODEM_END_H
#define NULLMODEM_END_H

#include "src/nullmodem/loop.h"
#include "src/nullmodem/presence.h"

#include "serialbundle/bytes.h"

struct end_host {
	struct loop *loop;
	struct presence *presence;
	void (*changed)(
		void *owner); /* something can be read or written, or somebody came or left */
	void *owner;
};

struct end;

/* `text` as on the command line: PATH or unix:PATH. NULL: out of memory. */
struct end *end_new(const char *text, const struct end_host *);
void end_free(struct end *); /* also closes it */

/* Makes it exist under its path. False, with text, when that cannot be. */
bool end_open(struct end *, char *text, size_t text_size);
/* Hangs up on whoever has it open and removes its path. */
void end_close(struct end *);

/* Bytes from the user; 0 when none wait. */
size_t end_read(struct end *, void *at, size_t capacity);
/* True while more may be had from end_read. */
bool end_is_readable(const struct end *);
/* Lets the user write, or (as far as the kind of end allows) makes it wait. */
void end_hold(struct end *, bool hold);
bool end_is_held(const struct end *);

/* Bytes for the user; how many were taken. */
size_t end_write(struct end *, struct bytes);
/* Whether anybody has it open. */
bool end_is_attached(struct end *);
/* Whether the last who had it open has left since this was asked before. */
bool end_was_left(struct end *);
/* The speed that its users have set, in baud; 0: not known. */
uint32_t end_speed(const struct end *);

#endif
