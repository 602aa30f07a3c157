/* SPDX-License-Identifier: MIT */
/*
 * Control packets waiting to be pulled: a bounded queue of whole packets, first
 * in first out. One that does not fit is dropped and counted, as the line might
 * have done: every PPP protocol sends again what matters.
 */
#ifndef PPP_OUTBOX_H
#define PPP_OUTBOX_H

#include "serialbundle/bytes.h"

enum {
	OUTBOX_PACKETS = 16,
	OUTBOX_BYTES = 8192, /* of all packets together; the largest is a reject of an MRU */
};

struct outbox {
	struct {
		uint16_t protocol;
		uint16_t length;
	} packets[OUTBOX_PACKETS]; /* a ring; the bytes lie one after the other in `store` */
	unsigned first, count;
	size_t used; /* bytes of store */
	uint64_t dropped;
	uint8_t store[OUTBOX_BYTES];
};

void outbox_clear(struct outbox *);
/* False: dropped, there is no room. */
bool outbox_put(struct outbox *, uint16_t protocol, struct bytes packet);
/* The next packet appended to `to` and taken out; false: there is none. */
bool outbox_take(struct outbox *, uint16_t *protocol, struct buf *to);
static inline bool outbox_empty(const struct outbox *o)
{
	return o->count == 0;
}

#endif
