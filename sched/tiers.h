/* SPDX-License-Identifier: MIT */
/*
 * The one long queue of the program: three tiers by DSCP, fq_codel in each. shares.c
 * opens with how they share the lines.
 *
 * The verbs are those of fq_codel.h. packet->flow is unique over all tiers.
 */
#ifndef SCHED_TIERS_H
#define SCHED_TIERS_H

#include "sched/fq_codel.h"

enum tier { TIER_INTERACTIVE, TIER_BEST_EFFORT, TIER_BULK, TIERS };

/* Which DSCPs go where. */
enum tier_scheme { TIERS_BESTEFFORT, TIERS_DIFFSERV3, TIERS_PRECEDENCE };
enum tier tier_of(enum tier_scheme, struct bytes packet);

struct tier_config {
	uint32_t share;   /* guaranteed, in 1/1000 of the rate, while it has something to send */
	uint32_t ceiling; /* in 1/1000: no more than that, even of an idle line; 0, 1000: all */
};

struct tiers_config {
	struct fq_codel_config queue; /* of all: `flows` in each tier, limits together */
	/* Duration: no more than what the lines carry in that time waits, or a few packets; 0: any
	 */
	sb_time limit_time;
	enum tier_scheme scheme;
	struct tier_config tiers[TIERS];
	bool wash; /* the DSCP is cleared when it has been heeded */
};

struct tiers;

struct tiers *tiers_new(const struct tiers_config *); /* NULL: out of memory */
void tiers_free(struct tiers *);
uint32_t tiers_flows(const struct tiers *); /* packet->flow is below */
/* Pool, flows, quantum and seed stay. Packets that wait stay in the tier that they are in. */
void tiers_configure(struct tiers *, const struct tiers_config *);
void tiers_set_rate(struct tiers *, uint64_t bytes_per_sec);
/* Of a tier that has the lines for itself; they grow as others take their part. */
void tiers_set_target(struct tiers *, sb_time target, sb_time interval);

void tiers_enqueue(struct tiers *, sb_time now, struct packet *);
struct packet *tiers_dequeue(struct tiers *, sb_time now);
struct packet *tiers_dequeue_bulk(struct tiers *, sb_time now);
struct packet *tiers_peek_sparse(struct tiers *, sb_time now, const uint16_t *blocked);
struct packet *tiers_dequeue_sparse(struct tiers *, sb_time now, const struct packet *shown);
/* As fq_codel_dequeue_for: flows, and tiers, whose heads are not accepted are passed over. */
struct packet *tiers_dequeue_for(struct tiers *, sb_time now, packet_filter *, const void *context);

void tiers_expire(struct tiers *, sb_time before);
sb_time tiers_oldest(const struct tiers *);
uint32_t tiers_packets(const struct tiers *);
uint32_t tiers_bytes(const struct tiers *);
/* The instant from which a tier at its ceiling may send again, or SB_NEVER. */
sb_time tiers_deadline(const struct tiers *);

/* As cake prints them, each tier for itself. */
struct tier_counters {
	struct fq_codel_counters queue;
	uint64_t thresh; /* bytes per second that are its share now */
	sb_time target, interval;
	sb_time peak_delay, average_delay, base_delay; /* decaying, as cake's pk, av, sp */
	uint32_t backlog_bytes, backlog_packets;
	uint32_t sparse_flows, bulk_flows, max_packet, quantum;
};
void tiers_count(const struct tiers *, enum tier, struct tier_counters *);
struct fq_codel_counters tiers_total(const struct tiers *);
const char *tier_name(enum tier); /* "interactive" */

#endif
