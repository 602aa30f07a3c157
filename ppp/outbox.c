/* SPDX-License-Identifier: MIT */
/*
 * Control packets waiting to be pulled. The bytes of the first one are at the
 * start of the store, and taking it moves the rest down: there are few, and they
 * seldom wait for more than the line.
 */
#include "ppp/outbox.h"

#include <assert.h>

void outbox_clear(struct outbox *o)
{
	o->first = o->count = 0;
	o->used = 0;
}

bool outbox_put(struct outbox *o, uint16_t protocol, struct bytes packet)
{
	assert(packet.length > 0);
	if (o->count == OUTBOX_PACKETS || packet.length > OUTBOX_BYTES - o->used) {
		o->dropped++;
		return false;
	}
	unsigned slot = (o->first + o->count++) % OUTBOX_PACKETS;
	o->packets[slot].protocol = protocol;
	o->packets[slot].length = (uint16_t)packet.length;
	memcpy(o->store + o->used, packet.at, packet.length);
	o->used += packet.length;
	return true;
}

bool outbox_take(struct outbox *o, uint16_t *protocol, struct buf *to)
{
	if (outbox_empty(o))
		return false;
	size_t length = o->packets[o->first].length;
	*protocol = o->packets[o->first].protocol;
	buf_append(to, bytes_of(o->store, length));
	o->used -= length;
	memmove(o->store, o->store + length, o->used);
	o->first = (o->first + 1) % OUTBOX_PACKETS;
	o->count--;
	return true;
}
