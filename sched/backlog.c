/* SPDX-License-Identifier: MIT */
#include "sched/backlog.h"

#include <assert.h>
#include <stdlib.h>

bool backlog_init(struct backlog *b, struct packet_pool *pool, struct tiers *queue)
{
	*b = (struct backlog){
		.pool = pool,
		.queue = queue,
		.waiting = calloc(tiers_flows(queue), sizeof(*b->waiting)),
	};
	return b->waiting;
}

void backlog_free(struct backlog *b)
{
	if (b->waiting)
		backlog_expire(b, SB_NEVER);
	free(b->waiting);
}

bool backlog_is_empty(const struct backlog *b)
{
	return !b->returned && !b->head;
}

static void set_head(struct backlog *b, struct packet *p)
{
	b->head = p;
	if (!p)
		return;
	p->order = b->order++;
	b->waiting[p->flow]++;
}

/* A sparse packet that is there to be seen waits for another line. */
static struct packet *dequeue(struct backlog *b, sb_time now)
{
	if (backlog_peek_sparse(b, now))
		return tiers_dequeue_bulk(b->queue, now);
	return tiers_dequeue(b->queue, now);
}

struct packet *backlog_next(struct backlog *b, sb_time now)
{
	if (b->returned)
		return b->returned;
	if (!b->head)
		set_head(b, dequeue(b, now));
	return b->head;
}

struct packet *backlog_take(struct backlog *b)
{
	struct packet *p = b->returned ? b->returned : b->head;

	if (!p)
		return NULL;
	if (p == b->head)
		b->head = NULL;
	else
		b->returned = p->next;
	p->next = NULL;
	b->waiting[p->flow]--;
	return p;
}

static struct packet *take_returned_for(struct backlog *b, packet_filter *may, const void *context)
{
	struct packet **at = &b->returned, *p;

	while (*at && !may(context, *at))
		at = &(*at)->next;
	p = *at;
	if (!p)
		return NULL;
	*at = p->next;
	p->next = NULL;
	b->waiting[p->flow]--;
	return p;
}

struct packet *backlog_take_for(struct backlog *b, sb_time now, packet_filter *may,
				const void *context)
{
	struct packet *p = take_returned_for(b, may, context);

	assert(!b->head);
	if (p)
		return p;
	p = tiers_dequeue_for(b->queue, now, may, context);
	if (p)
		p->order = b->order++;
	return p;
}

struct packet *backlog_peek_sparse(struct backlog *b, sb_time now)
{
	return tiers_peek_sparse(b->queue, now, b->waiting);
}

struct packet *backlog_take_sparse(struct backlog *b, sb_time now, struct packet *shown)
{
	shown->order = b->order++;
	return tiers_dequeue_sparse(b->queue, now, shown);
}

void backlog_queue_sparse(struct backlog *b, sb_time now, struct packet *shown)
{
	assert(backlog_is_empty(b));
	set_head(b, tiers_dequeue_sparse(b->queue, now, shown));
}

static bool is_returned(const struct backlog *b, const struct packet *p)
{
	const struct packet *r = b->returned;

	while (r && r != p)
		r = r->next;
	return r;
}

static void insert(struct backlog *b, struct packet *p)
{
	struct packet **at = &b->returned;

	while (*at && packet_order_before((*at)->order, p->order))
		at = &(*at)->next;
	p->next = *at;
	*at = p;
	b->waiting[p->flow]++;
}

void backlog_return(struct backlog *b, struct packet *p)
{
	if (is_returned(b, p))
		packet_put(b->pool, p);
	else
		insert(b, p);
}

void backlog_adopt(struct backlog *b, struct packet *p)
{
	if (!is_returned(b, p))
		p->order = (b->returned ? b->returned->order : b->order) - 1;
	backlog_return(b, p);
}

static void drop(struct backlog *b, struct packet *p)
{
	b->waiting[p->flow]--;
	packet_put(b->pool, p);
}

static uint32_t expire_returned(struct backlog *b, sb_time before)
{
	struct packet **at = &b->returned;
	uint32_t dropped = 0;

	while (*at) {
		struct packet *p = *at;

		if (p->arrived >= before) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		drop(b, p);
		dropped++;
	}
	return dropped;
}

uint32_t backlog_expire(struct backlog *b, sb_time before)
{
	uint32_t dropped = expire_returned(b, before);

	if (!b->head || b->head->arrived >= before)
		return dropped;
	drop(b, b->head);
	b->head = NULL;
	return dropped + 1;
}

sb_time backlog_oldest(const struct backlog *b)
{
	sb_time oldest = b->head ? b->head->arrived : SB_NEVER;

	for (const struct packet *p = b->returned; p; p = p->next)
		oldest = sb_time_min(oldest, p->arrived);
	return oldest;
}

uint32_t backlog_bytes(const struct backlog *b)
{
	uint32_t bytes = b->head ? b->head->length : 0;

	for (const struct packet *p = b->returned; p; p = p->next)
		bytes += p->length;
	return bytes;
}

uint32_t backlog_packets(const struct backlog *b)
{
	uint32_t packets = b->head != NULL;

	for (const struct packet *p = b->returned; p; p = p->next)
		packets++;
	return packets;
}
