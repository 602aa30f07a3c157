/* SPDX-License-Identifier: MIT */
/*
 * Who has a device open, through inotify.
 *
 * nullmodem holds every pseudo-terminal open itself, so the kernel never tells
 * it that a user has left. An open is in the queue before open(2) returns to
 * the user: after presence_poll nobody who could already have written or read
 * is missed.
 */
#ifndef NULLMODEM_PRESENCE_H
#define NULLMODEM_PRESENCE_H

#include "src/nullmodem/loop.h"

struct presence;

struct watch {
	int id;
	int openers;
	void (*left)(void *owner); /* the last opener closed it */
	void *owner;
};

struct presence *presence_new(struct loop *); /* NULL: see errno */
void presence_free(struct presence *);

/* From now on counts the opens of `path`; the watch stays at its address. False: see errno. */
bool presence_add(struct presence *, const char *path, struct watch *);
void presence_remove(struct presence *, struct watch *);
/* Catches up with what happened. */
void presence_poll(struct presence *);

#endif
