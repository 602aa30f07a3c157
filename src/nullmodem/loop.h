/* SPDX-License-Identifier: MIT */
/*
 * The only clock and the only wait: epoll, edge-triggered, with a timer good to
 * microseconds (poll's milliseconds are 12 characters at 115200).
 */
#ifndef NULLMODEM_LOOP_H
#define NULLMODEM_LOOP_H

#include "serialbundle/time.h"

#include <stdbool.h>
#include <sys/epoll.h>

/* Who is told about a file descriptor. Lives at least as long as that is open. */
struct source {
	void (*ready)(void *owner, uint32_t events);
	void *owner;
};

struct loop;

struct loop *loop_new(void); /* NULL: see errno */
void loop_free(struct loop *);

/* Edge-triggered: read until it would block. Closing the fd ends it. */
bool loop_add(struct loop *, int fd, uint32_t events, struct source *);

/* Time since loop_restart, as read when the last wait ended. */
sb_time loop_now(const struct loop *);
/* The time this very moment, to see what something cost. */
sb_time loop_read_clock(const struct loop *);
/* Time starts at 0 here. */
void loop_restart(struct loop *);
/* Tells the sources what happened, or returns when it is `deadline`; false: see errno. */
bool loop_wait(struct loop *, sb_time deadline);

#endif
