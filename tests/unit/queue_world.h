/* SPDX-License-Identifier: MIT */
/*
 * A queue in a small world: a pool, a fake clock, senders and one line of a given
 * rate that takes the next packet whenever it has sent the last one.
 */
#ifndef TESTS_UNIT_QUEUE_WORLD_H
#define TESTS_UNIT_QUEUE_WORLD_H

#include <check.h>

#include "sched/fq_codel.h"
#include "tests/unit/ip_packets.h"

enum {
	MTU = 576,
	RATE = 4320,     /* bytes per second: 28800 + 14400 b/s at 8N1 */
	POOL = 8192,     /* packets */
	ECHO_SIZE = 86,  /* bytes, a ping */
	PORT_BASE = 1000 /* of sender 0 */
};

/* One that always has as many packets waiting as it may, or else one each period. */
struct sender {
	sb_time period; /* 0: a packet whenever it may */
	unsigned may_wait;
	size_t (*size)(struct sender *);
	size_t fixed_size; /* when size is NULL */
	bool scans;        /* each packet is a new flow */
	unsigned dscp;
	/* what became of it */
	sb_time next;
	unsigned waiting;
	uint64_t sent_bytes, sent_packets;
	sb_time longest_wait;
	unsigned not_sparse; /* packets that were not sparse when they came */
};

struct world {
	struct packet_pool *pool;
	struct fq_codel *queue;
	sb_time now;
	sb_time line_free;
	struct sender senders[8];
	unsigned count;
};

static inline struct fq_codel_config world_config(struct packet_pool *pool)
{
	return (struct fq_codel_config){
		.pool = pool,
		.flows = 1024,
		.quantum = MTU,
		.limit_packets = POOL,
		.limit_bytes = POOL * MTU,
		.target = 3 * SB_SEC * MTU / RATE,
		.interval = 6 * SB_SEC * MTU / RATE,
		.ecn = true,
		.seed = 1,
	};
}

static inline void world_start(struct world *w, uint64_t rate)
{
	*w = (struct world){.now = 1000 * SB_SEC};
	w->pool = packet_pool_new(POOL, MTU);
	ck_assert_ptr_nonnull(w->pool);
	const struct fq_codel_config config = world_config(w->pool);
	w->queue = fq_codel_new(&config);
	ck_assert_ptr_nonnull(w->queue);
	fq_codel_set_rate(w->queue, w->now, rate);
}

static inline void world_end(struct world *w)
{
	fq_codel_free(w->queue);
	packet_pool_free(w->pool);
}

static inline struct packet *make_packet(struct packet_pool *pool, unsigned flow, size_t size,
					 unsigned ecn)
{
	struct packet *p = packet_get(pool);

	ck_assert_ptr_nonnull(p);
	p->length = (uint32_t)size;
	udp4_write(p->data, size, PORT_BASE + flow, 80, ecn);
	return p;
}

static inline unsigned flow_of(const struct packet *p)
{
	return (unsigned)(p->data[20] << 8 | p->data[21]) - PORT_BASE;
}

static inline void world_send(struct world *w, unsigned flow, size_t size)
{
	fq_codel_enqueue(w->queue, w->now, make_packet(w->pool, flow, size, ECN_ECT0));
}

/* The next packet's flow, -1 when there is none. */
static inline int world_take(struct world *w)
{
	struct packet *p = fq_codel_dequeue(w->queue, w->now);

	if (!p)
		return -1;
	const int flow = (int)flow_of(p);
	packet_put(w->pool, p);
	return flow;
}

/* The flow of the sparse packet that waits longest, -1 when there is none. */
static inline int world_sparse(struct world *w)
{
	const struct packet *p = fq_codel_peek_sparse(w->queue, w->now, NULL);

	return p ? (int)flow_of(p) : -1;
}

static inline struct sender *world_add(struct world *w, struct sender s)
{
	s.next = w->now;
	w->senders[w->count] = s;
	return &w->senders[w->count++];
}

static inline void sender_offer(struct world *w, unsigned i)
{
	struct sender *s = &w->senders[i];

	while (s->next <= w->now && s->waiting < s->may_wait) {
		const unsigned scanned = s->scans ? (unsigned)(s->sent_packets + s->waiting) : 0;
		const size_t size = s->size ? s->size(s) : s->fixed_size;
		fq_codel_enqueue(
			w->queue, w->now,
			make_packet(w->pool, i + 8 * scanned, size, s->dscp << 2 | ECN_ECT0));
		s->not_sparse += world_sparse(w) != (int)(i + 8 * scanned);
		s->waiting++;
		s->next = w->now + s->period;
	}
}

/* The line sends the next packet, as the stripe takes them: sparse ones as such. */
static inline void line_take(struct world *w)
{
	const struct packet *shown = fq_codel_peek_sparse(w->queue, w->now, NULL);
	struct packet *p = shown ? fq_codel_dequeue_sparse(w->queue, w->now, shown)
				 : fq_codel_dequeue(w->queue, w->now);

	ck_assert(!shown || p == shown);
	if (!p)
		return;
	struct sender *s = &w->senders[flow_of(p) % 8];
	s->waiting--;
	s->sent_packets++;
	s->sent_bytes += p->length;
	s->longest_wait = sb_time_max(s->longest_wait, w->now - p->arrived);
	w->line_free = w->now + (sb_time)p->length * SB_SEC / RATE;
	packet_put(w->pool, p);
}

/* From one thing that happens to the next. */
static inline void world_step(struct world *w)
{
	sb_time next = SB_NEVER;

	for (unsigned i = 0; i < w->count; i++)
		sender_offer(w, i);
	if (w->line_free <= w->now)
		line_take(w);
	for (unsigned i = 0; i < w->count; i++)
		if (w->senders[i].waiting < w->senders[i].may_wait)
			next = sb_time_min(next, w->senders[i].next);
	if (fq_codel_packets(w->queue))
		next = sb_time_min(next, w->line_free);
	w->now = sb_time_max(next, w->now);
}

static inline void world_run(struct world *w, sb_time duration)
{
	const sb_time end = w->now + duration;

	while (w->now < end)
		world_step(w);
}

#endif
