/* SPDX-License-Identifier: MIT */
/*
 * The pool is one block of equal slots and a list of the free ones, last in
 * first out: the slot used a moment ago is the one still in the cache. Slots join
 * the list when they are put back for the first time.
 *
 * A free packet carries an impossible length, so that putting one back twice
 * is caught at the second time and not when two holders write into one slot.
 */
#include "sched/packet.h"

#include <assert.h>
#include <stdalign.h>
#include <stdlib.h>

static const uint32_t FREE = UINT32_MAX; /* in packet.length */

struct packet_pool {
	struct packet *free;
	size_t size;   /* bytes that fit in one packet */
	size_t stride; /* from slot to slot */
	size_t count;
	size_t fresh; /* slots from here on were never out: their pages are not touched */
	unsigned char *slots;
};

static size_t slot_stride(size_t size)
{
	const size_t align = alignof(struct packet);

	return (sizeof(struct packet) + size + align - 1) / align * align;
}

static struct packet *slot(const struct packet_pool *pool, size_t i)
{
	return (void *)(pool->slots + i * pool->stride);
}

#ifndef NDEBUG
static bool is_slot(const struct packet_pool *pool, const struct packet *p)
{
	const uintptr_t offset = (uintptr_t)p - (uintptr_t)pool->slots;

	return offset < pool->count * pool->stride && offset % pool->stride == 0;
}
#endif

struct packet_pool *packet_pool_new(size_t count, size_t size)
{
	assert(count > 0 && size > 0 && size < FREE);
	struct packet_pool *pool = malloc(sizeof *pool);
	if (!pool)
		return NULL;
	*pool = (struct packet_pool){.size = size, .stride = slot_stride(size), .count = count};
	pool->slots = calloc(count, pool->stride);
	if (!pool->slots) {
		free(pool);
		return NULL;
	}
	return pool;
}

void packet_pool_free(struct packet_pool *pool)
{
	if (!pool)
		return;
	free(pool->slots);
	free(pool);
}

struct packet *packet_get(struct packet_pool *pool)
{
	struct packet *p = pool->free;

	if (p)
		pool->free = p->next;
	else if (pool->fresh < pool->count)
		p = slot(pool, pool->fresh++);
	else
		return NULL;
	p->next = NULL;
	p->length = 0;
	p->holders = 1;
	return p;
}

void packet_put(struct packet_pool *pool, struct packet *p)
{
	assert(is_slot(pool, p));
	assert(p->length != FREE && p->holders > 0);
	if (--p->holders)
		return;
	p->length = FREE;
	p->next = pool->free;
	pool->free = p;
}

size_t packet_pool_size(const struct packet_pool *pool)
{
	return pool->size;
}
