/* SPDX-License-Identifier: MIT */
/* What a queue is made of; for fq_codel*.c alone, and not installed. */
#ifndef SCHED_FQ_CODEL_STATE_H
#define SCHED_FQ_CODEL_STATE_H

#include "sched/flow.h"
#include "sched/fq_codel.h"

enum { FQ_CODEL_WAYS = 8 }; /* queues that a flow may have one of */

struct fq_codel {
	struct packet_pool *pool;
	struct flow *flows;
	uint32_t first_flow, flow_mask;
	uint32_t seed;
	uint32_t quantum;
	uint32_t limit_packets, limit_bytes;
	bool ecn;
	struct codel_params codel;

	struct flow_list sparse, bulk;
	const struct flow *turn; /* the bulk flow served last */
	uint32_t overtaken;      /* sparse bytes */
	uint32_t packets, bytes; /* queued */

	sb_time now;    /* of the last call */
	uint64_t rate;  /* bytes per second; 0: not known yet */
	double drained; /* bytes */
	struct fq_codel_counters counters;
};

struct flow *fq_codel_flow_at(const struct fq_codel *, uint32_t flow);
uint32_t fq_codel_index_of(const struct fq_codel *, const struct flow *);
/* The queue for a packet of this hash, which goes there; it is counted. fq_codel_ways.c */
struct flow *fq_codel_place(struct fq_codel *, uint32_t hash);
/* The packet has just left: if it was a guest there is one fewer. */
void fq_codel_guest_leaves(const struct fq_codel *, struct flow *, const struct packet *);
/* Debts drain until now. */
void fq_codel_advance(struct fq_codel *, sb_time now);
/* Whether it owes more than a quantum. */
bool fq_codel_has_debt(const struct fq_codel *, const struct flow *);
/* From no list. */
void fq_codel_join_bulk(struct fq_codel *, struct flow *);
/* The flow's head; it leaves its list with the last. */
struct packet *fq_codel_pop(struct fq_codel *, struct flow *);
/* Its flow owes for it, and it is counted. */
struct packet *fq_codel_sent(struct fq_codel *, struct flow *, struct packet *);

#endif
