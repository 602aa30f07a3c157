/* SPDX-License-Identifier: MIT */
/* What a policy is made of; for policy*.c alone. */
#ifndef SCHED_POLICY_STATE_H
#define SCHED_POLICY_STATE_H

#include "sched/backlog.h"
#include "sched/balance.h"
#include "sched/lane.h"
#include "sched/policy.h"

struct policy {
	struct policy_config config;
	struct mode_config mode;
	struct backlog backlog;
	struct balance balance;
	struct policy_counters counters;
	uint64_t active;      /* as told */
	uint32_t sequence;    /* of the next piece that is numbered */
	unsigned turn;        /* balance-rr: whose it is, if that may send */
	uint32_t left;        /* packets of it */
	uint32_t copies_from; /* order: of the first packet since the mode is broadcast */
	bool has_shares;
	uint32_t shares[STRIPE_MAX_LINES];
	struct sender {
		struct lane lane;
		bool takes_fragments;
		uint32_t carries_from; /* order: no copy of this packet, or later, was dropped */
	} senders[STRIPE_MAX_LINES];
};

static inline struct lane *policy_lane(struct policy *po, unsigned line)
{
	return &po->senders[line].lane;
}
/* Of the lines that are up and active. */
static inline bool policy_may_send(const struct policy *po, unsigned line)
{
	return po->senders[line].lane.up && po->active >> line & 1;
}
/* Whether a piece of its first packet has gone, of which a peer waits for the rest. */
static inline bool lane_is_mid_packet(const struct lane *l)
{
	return l->count && lane_peek(l, 0)->offset > 0;
}

#endif
