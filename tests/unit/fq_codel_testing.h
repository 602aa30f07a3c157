/* SPDX-License-Identifier: MIT */
/* One world for a test program, and packets that are told apart by their number. */
#ifndef TESTS_UNIT_FQ_CODEL_TESTING_H
#define TESTS_UNIT_FQ_CODEL_TESTING_H

#include <stdlib.h>

#include "sched/ip.h"
#include "tests/unit/queue_world.h"

static struct world w;

static inline void start_world(void)
{
	world_start(&w, RATE);
}

static inline void end_world(void)
{
	world_end(&w);
}

static inline void use_config(struct fq_codel_config config)
{
	fq_codel_free(w.queue);
	w.queue = fq_codel_new(&config);
	ck_assert_ptr_nonnull(w.queue);
	fq_codel_set_rate(w.queue, w.now, RATE);
}

static inline const struct fq_codel_counters *counters(void)
{
	return fq_codel_counters(w.queue);
}

static inline void check_sum(void)
{
	const struct fq_codel_counters *c = counters();
	const uint64_t drops = c->codel_drops + c->overlimit_drops + c->expired_drops;

	ck_assert_uint_eq(c->enqueued_packets,
			  c->dequeued_packets + drops + fq_codel_packets(w.queue));
	ck_assert_uint_ge(c->enqueued_bytes, c->dequeued_bytes + fq_codel_bytes(w.queue));
	ck_assert(drops > 0 || c->enqueued_bytes == c->dequeued_bytes + fq_codel_bytes(w.queue));
	ck_assert_int_eq(fq_codel_packets(w.queue) == 0, fq_codel_bytes(w.queue) == 0);
	ck_assert_int_eq(fq_codel_packets(w.queue) == 0, fq_codel_oldest(w.queue) == SB_NEVER);
}

/* Tells packets of one flow apart: the IPv4 identification. */
static inline void number(struct packet *p, unsigned n)
{
	put16(p->data + 4, n);
	ipv4_write_checksum(p->data);
}

static inline unsigned number_of(const struct packet *p)
{
	return (unsigned)(p->data[4] << 8 | p->data[5]);
}

static inline void send_numbered(unsigned flow, size_t size, unsigned ecn, unsigned n)
{
	struct packet *p = make_packet(w.pool, flow, size, ecn);

	number(p, n);
	fq_codel_enqueue(w.queue, w.now, p);
}

/* The next packet's number, and it goes back; -1 when there is none. */
static inline int take_number(void)
{
	struct packet *p = fq_codel_dequeue(w.queue, w.now);

	if (!p)
		return -1;
	const int n = (int)number_of(p);
	ck_assert_int_eq(ip_check(packet_bytes(p)), IP_OK);
	packet_put(w.pool, p);
	return n;
}

#endif
