/* SPDX-License-Identifier: MIT */
/*
 * Packets in waiting: fixed storage, made once, handed from queue to line.
 *
 * A pool owns `count` packets of up to `size` bytes each; getting and putting
 * back is O(1) and allocates nothing. Slots that were never out cost address
 * space, not memory. Whoever holds a struct packet puts it back or hands it on;
 * `next` belongs to the one who queues it. A packet can have several holders: it
 * is free when the last has put it back.
 */
#ifndef SCHED_PACKET_H
#define SCHED_PACKET_H

#include "serialbundle/bytes.h"
#include "serialbundle/time.h"

/*
 * Characters that a packet takes on a wire. `coding` is all that it depends on
 * besides the packet; may be NULL.
 */
typedef size_t packet_length_on(const void *coding, struct bytes packet);

struct packet {
	struct packet *next;
	sb_time arrived; /* when it came in; CoDel's sojourn starts here */
	uint32_t holders;
	uint32_t flow;   /* set by fq_codel_enqueue: the index of its flow queue */
	uint32_t length; /* bytes used in data */
	uint32_t order;  /* in which it left the queue, modulo 2^32; for who spreads packets */
	/* the last answer to how long it is on a wire; forgotten when the bytes change */
	packet_length_on *measured_by; /* NULL: not measured */
	const void *measured_for;
	uint32_t characters;
	uint8_t data[];
};

struct packet_pool;

struct packet_pool *packet_pool_new(size_t count, size_t size);
void packet_pool_free(struct packet_pool *);     /* also of packets still out */
struct packet *packet_get(struct packet_pool *); /* NULL when all are out */
void packet_put(struct packet_pool *, struct packet *);
/* One more holder. */
static inline struct packet *packet_hold(struct packet *p)
{
	p->holders++;
	return p;
}
size_t packet_pool_size(const struct packet_pool *); /* bytes that fit in one */

/* Whether order a comes before b; they are never 2^31 apart. */
static inline bool packet_order_before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

static inline struct bytes packet_bytes(const struct packet *p)
{
	return bytes_of(p->data, p->length);
}

#endif
