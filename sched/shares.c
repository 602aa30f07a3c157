/* SPDX-License-Identifier: MIT */
/*
 * Aim. A tier that has something to send gets at least its share of what the lines carry; within
 * it, the more urgent tier goes first; what a tier leaves of its share the others use; and none is
 * starved, whatever the shares are.
 *
 * Terms. Time is measured in bytes sent, of whole IP packets, whatever the lines' rate is: so
 * shares are exact for any number of lines that come and go, and there is no rate to be wrong
 * about. Only ceilings need one. w_i is the weight of tier i, its share in parts of W; W is 1000,
 * or the sum of the w_i where that is more, and each w_i is at least 1.
 *
 * Guarantee. Each tier has a credit in bytes: every byte that is sent, of whichever tier, adds w_i
 * / W to each credit, and costs the tier that it is of one byte. A tier whose credit is above zero
 * is owed something, and of these the most urgent is served. A tier that has nothing to send keeps
 * a credit of one quantum at most: enough for a few small packets to go at once, not enough to hold
 * the others up for long. It does not matter whether a tier always has a backlog or just one packet
 * each time: going first gains it time, never bytes. As the credits of tiers that all wait sum up
 * to no more than at the start, none is owed more than five quanta.
 *
 * Excess. Where no tier that waits is owed anything, others have left their shares, or less than
 * all was given out. Such bytes cost no credit. They are divided by start-time fair queueing
 * (Goyal, Vin and Cheng, 1996): each tier has a tag that grows by 1/w_i with each byte of excess,
 * the least tag is served, and one that begins to wait has its tag set to at least the one that is
 * being served. So excess goes to those that wait as their shares are to each other.
 *
 * Ceilings. A tier with one may not send before `free_at`, which each of its packets moves on by
 * its time at that rate. That lags behind by a quantum at most, so that a line that asks a moment
 * late loses nothing. Its packets then wait while lines are idle, and the owner is told until when.
 */
#include "sched/shares.h"

#include <assert.h>

enum {
	WHOLE = 1000,
	OWED = 8, /* quanta of credit, at most: a tier may wait for a line that others do not need
		   */
};

/* --- ceilings --- */

static uint64_t ceiling_rate(const struct shares *s, enum tier i)
{
	return s->of[i].ceiling ? s->rate * s->of[i].ceiling / WHOLE : 0;
}

static bool is_at_ceiling(const struct shares *s, enum tier i, sb_time now)
{
	return ceiling_rate(s, i) && s->of[i].free_at > now;
}

static sb_time time_for(int64_t bytes, uint64_t rate)
{
	return (sb_time)((double)bytes * (double)SB_SEC / (double)rate);
}

static void heed_ceiling(struct shares *s, enum tier i, uint32_t bytes, sb_time now)
{
	uint64_t rate = ceiling_rate(s, i);
	sb_time lag = rate ? time_for(s->allowance / s->whole, rate) : 0;

	if (rate)
		s->of[i].free_at = sb_time_max(s->of[i].free_at, now - lag) + time_for(bytes, rate);
}

sb_time shares_deadline(const struct shares *s, sb_time now)
{
	sb_time due = SB_NEVER;

	for (enum tier i = 0; i < TIERS; i++)
		if (s->waiting & tier_bit(i) && is_at_ceiling(s, i, now))
			due = sb_time_min(due, s->of[i].free_at);
	return due;
}

/* --- who is next --- */

unsigned shares_ready(const struct shares *s, sb_time now)
{
	unsigned set = s->waiting;

	for (enum tier i = 0; i < TIERS; i++)
		if (is_at_ceiling(s, i, now))
			set &= ~tier_bit(i);
	return set;
}

bool shares_is_owed(const struct shares *s, enum tier i)
{
	return s->of[i].credit > 0;
}

static enum tier least_tag(const struct shares *s, unsigned set)
{
	enum tier least = TIERS;

	for (enum tier i = 0; i < TIERS; i++)
		if (set & tier_bit(i) && (least == TIERS || s->of[i].tag < s->of[least].tag))
			least = i;
	return least;
}

enum tier shares_next(const struct shares *s, unsigned set)
{
	for (enum tier i = 0; i < TIERS; i++)
		if (set & tier_bit(i) && shares_is_owed(s, i))
			return i;
	return least_tag(s, set);
}

/* --- what was sent --- */

static void earn(struct shares *s, enum tier i, uint32_t bytes)
{
	int64_t most = s->waiting & tier_bit(i) ? OWED * s->allowance : s->allowance;

	s->of[i].credit += s->of[i].weight * bytes;
	if (s->of[i].credit > most)
		s->of[i].credit = most;
}

static void pay(struct shares *s, enum tier i, uint32_t bytes)
{
	struct share *one = &s->of[i];

	if (shares_is_owed(s, i)) {
		one->credit -= s->whole * bytes;
		return;
	}
	if (s->virtual_time < one->tag)
		s->virtual_time = one->tag;
	one->tag += (double)bytes / (double)one->weight;
}

void shares_spend(struct shares *s, enum tier i, uint32_t bytes, sb_time now)
{
	pay(s, i, bytes);
	for (enum tier k = 0; k < TIERS; k++)
		earn(s, k, bytes);
	heed_ceiling(s, i, bytes, now);
}

/* --- what they get --- */

uint64_t shares_rate(const struct shares *s, enum tier i)
{
	uint64_t ceiling = ceiling_rate(s, i), rate;
	int64_t sum = s->of[i].weight;

	for (enum tier k = 0; k < TIERS; k++)
		if (k != i && s->waiting & tier_bit(k))
			sum += s->of[k].weight;
	rate = s->rate * (uint64_t)s->of[i].weight / (uint64_t)sum;
	if (ceiling && ceiling < rate)
		rate = ceiling;
	return rate || !s->rate ? rate : 1;
}

uint64_t shares_guaranteed(const struct shares *s, enum tier i)
{
	return s->rate * (uint64_t)s->of[i].weight / (uint64_t)s->whole;
}

/* --- who waits --- */

static void forget_past(struct shares *s)
{
	s->virtual_time = 0;
	for (enum tier i = 0; i < TIERS; i++) {
		s->of[i].credit = s->allowance;
		s->of[i].tag = 0;
	}
}

/* While none waits there is nobody to be fair to. */
void shares_set_waiting(struct shares *s, unsigned set)
{
	for (enum tier i = 0; i < TIERS; i++)
		if (set & ~s->waiting & tier_bit(i) && s->of[i].tag < s->virtual_time)
			s->of[i].tag = s->virtual_time;
	s->waiting = set;
	if (!set)
		forget_past(s);
}

/* --- set-up --- */

void shares_configure(struct shares *s, const struct tier_config c[static TIERS], uint32_t quantum)
{
	int64_t sum = 0;

	for (enum tier i = 0; i < TIERS; i++) {
		assert(c[i].share <= WHOLE && c[i].ceiling <= WHOLE);
		s->of[i].weight = c[i].share ? c[i].share : 1;
		s->of[i].ceiling = c[i].ceiling < WHOLE ? c[i].ceiling : 0;
		s->of[i].free_at = 0;
		sum += s->of[i].weight;
	}
	s->whole = sum > WHOLE ? sum : WHOLE;
	s->allowance = s->whole * quantum;
	forget_past(s);
}
