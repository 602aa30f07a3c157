/* SPDX-License-Identifier: MIT */
/*
 * Spreading by the bonding modes (mode.h): a packet stays in the one long queue until a
 * line asks that the mode allows it. policy.c opens with how each mode decides.
 *
 * The same verbs as sched/stripe.h and sched/multilink.h. Packets are numbered (RFC
 * 1990) where that restores an order or tells duplicates, which is in balance-rr and
 * broadcast, on lines that take fragments; else they go plain, and only one that the peer's MRU
 * does not take whole is cut, into pieces that all go over the one line.
 */
#ifndef SCHED_POLICY_H
#define SCHED_POLICY_H

#include "sched/mode.h"
#include "sched/multilink.h"

struct policy_config {
	struct packet_pool *pool; /* borrowed */
	struct tiers *queue;      /* borrowed; this is its only reader while it is in use */
	uint32_t mtu;             /* bytes */
	uint32_t (*random)(void *context);
	void *random_context;
};

struct policy_counters {
	uint64_t moves;          /* balance-tlb, -alb: flows that went to another line */
	uint64_t copies;         /* of broadcast, besides the first of each packet */
	uint64_t copies_dropped; /* the line was too far behind the others */
};

struct policy;

struct policy *policy_new(const struct policy_config *); /* NULL: out of memory */
void policy_free(struct policy *);
/* May change while lines are up: packets under way stay where they are. */
void policy_set_mode(struct policy *, const struct mode_config *);
/*
 * The lines that may send, a bit each, of those that are up: the active one, or those of the
 * active aggregator. All ones at first.
 */
void policy_set_active(struct policy *, uint64_t lines);
/*
 * What the peer asked for (balance-alb at its end): shares of what it receives per line, any
 * scale; used instead of the rates by balance-tlb and balance-alb. NULL: nothing any more.
 */
void policy_set_shares(struct policy *, const uint32_t shares[STRIPE_MAX_LINES]);
/* The numbers go on from here. */
void policy_set_sequence(struct policy *, uint32_t sequence);
uint32_t policy_sequence(const struct policy *);

void policy_line_up(struct policy *, unsigned line, const struct stripe_line *,
		    bool takes_fragments, sb_time now);
void policy_line_down(struct policy *, unsigned line);
void policy_line_unsent(struct policy *, unsigned line, size_t characters);
bool policy_pull(struct policy *, unsigned line, sb_time now, struct piece *);
void policy_return(struct policy *, struct packet *);
void policy_adopt(struct policy *, struct packet *);
struct packet *policy_surrender(struct policy *);
/* Whether a packet went over the line in part: until the rest has gone it had better not leave. */
bool policy_has_piece(const struct policy *, unsigned line);
sb_time policy_deadline(const struct policy *, unsigned line);
uint32_t policy_expire(struct policy *, sb_time before);
sb_time policy_oldest(const struct policy *);
double policy_rate(const struct policy *); /* of the lines that may send */
uint32_t policy_bound_bytes(const struct policy *);
uint32_t policy_bound_packets(const struct policy *);
struct policy_counters policy_counters(const struct policy *);

#endif
