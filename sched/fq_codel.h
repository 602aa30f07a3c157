/* SPDX-License-Identifier: MIT */
/*
 * FlowQueue-CoDel (RFC 8290 over RFC 8289): the one long queue of the program.
 *
 * Flows are kept apart by hash, each in any of eight queues as CAKE has it
 * (fq_codel_ways.c), and served by deficit round robin, sparse ones first; in each
 * flow CoDel decides at dequeue, by how long packets have waited, which to mark or
 * drop. Bounded in packets and bytes; when full, the fattest flow loses from its
 * head.
 *
 * What differs from RFC 8290, for lines where one packet takes a second:
 *
 *  - CoDel keeps its hands off a flow that has at most one quantum left behind
 *    the packet in question (RFC 8289's "less than one MTU" test, but per flow),
 *    and off sparse flows.
 *  - A flow is *sparse* while it has lately sent less than its fair share: each
 *    flow has a debt in bytes that grows with what it sends and drains at
 *    rate / (flows with a backlog + 1), and one that starts to have a backlog is
 *    sparse when its debt is at most one quantum, until it is more. A flow whose
 *    queue runs empty is forgotten at once but for this debt. RFC 8290 instead
 *    makes it wait at the end of the old flows, which at one round per second
 *    would keep a ping flow among the bulk for ever; and without the debt a flow
 *    that always has just one packet waiting would take the line for itself.
 *    Until a rate is set, no debt outlasts the queue.
 *  - Packets with an urgent DSCP (ip_is_urgent) count for less: their flow is
 *    sparse up to half of the rate.
 *  - However many flows are sparse, together they leave the others at least a
 *    fifth of what is dequeued.
 *  - A flow of at most one quantum is not fat: where all are thin, the arriving
 *    packet's flow loses.
 *
 * The queue owns enqueued packets and puts those that it drops back into the
 * pool. Time is an argument everywhere and never runs backwards. About 100 KB
 * for 1024 flows, nothing allocated but by fq_codel_new.
 */
#ifndef SCHED_FQ_CODEL_H
#define SCHED_FQ_CODEL_H

#include "sched/packet.h"

struct fq_codel_config {
	struct packet_pool *pool; /* borrowed; must outlive the queue */
	uint32_t flows;           /* their queues, a power of two, 8 or more; 1024 */
	uint32_t quantum;         /* bytes a flow sends per round: the MTU */
	uint32_t limit_packets;   /* of the whole queue */
	uint32_t limit_bytes;
	sb_time target;      /* duration; acceptable standing wait */
	sb_time interval;    /* duration; a worst-case RTT */
	bool ecn;            /* mark ECN-capable packets instead of dropping */
	uint32_t seed;       /* perturbs the flow hash */
	uint32_t first_flow; /* packet->flow counts from here; 0 */
};

/* Whether the caller may take the packet. */
typedef bool packet_filter(const void *context, const struct packet *);

struct fq_codel_counters {
	uint64_t enqueued_packets, enqueued_bytes;
	uint64_t dequeued_packets, dequeued_bytes;
	uint64_t codel_drops;     /* by CoDel's law */
	uint64_t ecn_marks;       /* instead of a drop */
	uint64_t overlimit_drops; /* the queue was full */
	uint64_t expired_drops;   /* by fq_codel_expire */
	uint64_t new_flows;       /* times a flow went from empty to backlogged */
	/* As CAKE's way_inds, way_miss and way_cols. */
	uint64_t way_hits;   /* packets whose flow has another queue than the first to look at */
	uint64_t way_misses; /* whose flow had none, and got one that was idle */
	uint64_t collisions; /* that went to a queue where another flow's wait: all were busy */
};

struct fq_codel;

struct fq_codel *fq_codel_new(const struct fq_codel_config *); /* NULL: out of memory */
void fq_codel_free(struct fq_codel *);                         /* puts queued packets back */

/* What the lines carry together, bytes per second, from now on: the drain of the debts. */
void fq_codel_set_rate(struct fq_codel *, sb_time now, uint64_t bytes_per_sec);
/* The lines changed. */
void fq_codel_set_target(struct fq_codel *, sb_time target, sb_time interval);
void fq_codel_set_ecn(struct fq_codel *, bool);

/*
 * Takes the packet over (arrived := now, flow := its queue's index). When the
 * queue is full others are dropped for it, or in the end it itself.
 */
void fq_codel_enqueue(struct fq_codel *, sb_time now, struct packet *);

/* The next packet, as a rule a sparse flow's, or NULL when empty. The caller owns it. */
struct packet *fq_codel_dequeue(struct fq_codel *, sb_time now);

/*
 * The next one whose flow's head the filter accepts (NULL: any). Flows that it passes over lose
 * nothing: no turn, no deficit, and CoDel does not see them. NULL: there is none.
 */
struct packet *fq_codel_dequeue_for(struct fq_codel *, sb_time now, packet_filter *,
				    const void *context);

/* The next one of a flow that is not sparse, or NULL: for who has just left a sparse one waiting.
 */
struct packet *fq_codel_dequeue_bulk(struct fq_codel *, sb_time now);

/*
 * The head of the sparse flow that waits longest, skipping flows for which
 * blocked[flow] is not 0 (blocked may be NULL). NULL: there is none, or sparse
 * flows have gone first for so long that the next packet is another's. The
 * packet stays queued.
 */
struct packet *fq_codel_peek_sparse(struct fq_codel *, sb_time now, const uint16_t *blocked);
/* Takes out the packet that peek_sparse just showed. The caller owns it. */
struct packet *fq_codel_dequeue_sparse(struct fq_codel *, sb_time now, const struct packet *shown);

/*
 * For who bounds several queues together. Which flow is to lose when a packet of `arriving` fills
 * them: the fattest, or `arriving` where none is fatter.
 */
uint32_t fq_codel_fattest(const struct fq_codel *, uint32_t arriving);
uint32_t fq_codel_flow_bytes(const struct fq_codel *, uint32_t flow);
/* Drops its head; it has one. */
void fq_codel_shed(struct fq_codel *, uint32_t flow);

/* Drops every packet that arrived before `before` (there was no line for it). */
void fq_codel_expire(struct fq_codel *, sb_time before);
sb_time fq_codel_oldest(const struct fq_codel *); /* arrival, or SB_NEVER */

uint32_t fq_codel_packets(const struct fq_codel *);
uint32_t fq_codel_bytes(const struct fq_codel *);
uint32_t fq_codel_sparse_flows(const struct fq_codel *); /* with a backlog; */
uint32_t fq_codel_bulk_flows(const struct fq_codel *);
const struct fq_codel_counters *fq_codel_counters(const struct fq_codel *);

#endif
