/* SPDX-License-Identifier: MIT */
/*
 * How packets are spread over a bundle's lines. In the mode `earliest` by multilink
 * (sched/multilink.h) while all lines that are up can carry its fragments, else whole and in order
 * of arrival (sched/stripe.h); in the others by a policy (sched/policy.h). What waits moves from
 * one to the other, and numbers go on.
 */
#ifndef SRC_SPREAD_H
#define SRC_SPREAD_H

#include "sched/policy.h"

struct spread_config {
	struct packet_pool *pool; /* borrowed */
	struct tiers *queue;      /* borrowed */
	uint32_t mtu;
	sb_time max_fragment_delay;
	uint32_t (*random)(void *context); /* of balance-rr with 0 packets per line */
	void *random_context;
};

enum spread_engine { SPREAD_WHOLE, SPREAD_NUMBERED, SPREAD_POLICY };

struct spread {
	struct packet_pool *pool;
	struct stripe *whole;
	struct multilink *numbered;
	struct policy *policy;
	enum spread_engine engine; /* which of them is in use */
	sb_time engine_since;      /* instant */
	struct mode_config mode;   /* earliest at first */
	sb_time heartbeat;
	struct spread_line {
		bool up, takes_fragments;
		struct stripe_line line;
		size_t unsent;
	} lines[STRIPE_MAX_LINES];
};

bool spread_init(struct spread *, const struct spread_config *); /* false: out of memory */
void spread_free(struct spread *);

void spread_line_up(struct spread *, unsigned line, const struct stripe_line *,
		    bool takes_fragments, sb_time now);
void spread_line_down(struct spread *, unsigned line, sb_time now);
/* Sequence numbers begin at zero again: a new bundle. No line is up. */
void spread_restart(struct spread *);
/* Of empty fragments, a duration; 0: never. */
void spread_set_heartbeat(struct spread *, sb_time);
/* What waits goes on as the new mode has it. */
void spread_set_mode(struct spread *, const struct mode_config *, sb_time now);
/* As in sched/policy.h; they count in its modes alone. */
void spread_set_active(struct spread *, uint64_t lines);
void spread_set_shares(struct spread *, const uint32_t shares[STRIPE_MAX_LINES]);
struct policy_counters spread_counters(const struct spread *);
/* Whether pieces are bound to the line that have their numbers: it had better send them. */
bool spread_has_piece(const struct spread *, unsigned line);
/* The rest as in sched/multilink.h. */
void spread_line_unsent(struct spread *, unsigned line, size_t characters);
bool spread_pull(struct spread *, unsigned line, sb_time now, struct piece *);
bool spread_parting(struct spread *, unsigned line, struct piece *);
void spread_return(struct spread *, struct packet *);
void spread_heard(struct spread *, sb_time now);
sb_time spread_deadline(const struct spread *, unsigned line);
uint32_t spread_expire(struct spread *, sb_time before);
sb_time spread_oldest(const struct spread *);
double spread_rate(const struct spread *);
uint32_t spread_bound_bytes(const struct spread *);
uint32_t spread_bound_packets(const struct spread *);

#endif
