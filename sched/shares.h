/* SPDX-License-Identifier: MIT */
/*
 * Which tier is next, when several have something to send and each is owed its share. shares.c
 * opens with how. Internal to sched/; not installed.
 */
#ifndef SCHED_SHARES_H
#define SCHED_SHARES_H

#include "sched/tiers.h"

struct share {
	int64_t weight;
	uint32_t ceiling; /* in 1/1000 of the rate; 0: none */
	int64_t credit;   /* bytes times `whole` */
	double tag;       /* of excess: bytes over weight */
	sb_time free_at;  /* instant, by its ceiling */
};

struct shares {
	struct share of[TIERS];
	int64_t whole;       /* what the weights are parts of */
	int64_t allowance;   /* a quantum of credit */
	unsigned waiting;    /* tiers that have something to send, a bit each */
	double virtual_time; /* the tag of what was taken last as excess */
	uint64_t rate;       /* bytes per second; 0: not known, and no ceiling counts */
};

static inline unsigned tier_bit(enum tier i)
{
	return 1u << i;
}

/* All zero before the first time. The past is forgotten. */
void shares_configure(struct shares *, const struct tier_config[static TIERS], uint32_t quantum);
void shares_set_waiting(struct shares *, unsigned set);
/* Those that wait and may send. */
unsigned shares_ready(const struct shares *, sb_time now);
/* Which of the set is next; TIERS: it is empty. */
enum tier shares_next(const struct shares *, unsigned set);
/* Whether the tier has had less than its share. */
bool shares_is_owed(const struct shares *, enum tier);
/* So much of the tier's was sent. */
void shares_spend(struct shares *, enum tier, uint32_t bytes, sb_time now);
/* Bytes per second: its part of the rate beside those that wait; */
uint64_t shares_rate(const struct shares *, enum tier);
/* and what it has whoever waits. */
uint64_t shares_guaranteed(const struct shares *, enum tier);
/* When the first of those that wait at their ceilings may send; SB_NEVER: none does. */
sb_time shares_deadline(const struct shares *, sb_time now);

#endif
