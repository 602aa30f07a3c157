/* SPDX-License-Identifier: MIT */
/*
 * Aim. What is interactive, what is not, and what has time each wait in a queue of their own, an
 * fq_codel; the DSCP says in which. A tier that has something to send gets at least its share of
 * what the lines carry; within it, the more urgent tier goes first; what a tier leaves of its share
 * the others use; and none is starved, whatever the shares are. While all packets are of one tier
 * it is as if there were no others.
 *
 * Terms. Time is measured in bytes taken out, of whole IP packets, whatever the lines' rate is: so
 * shares are exact for any number of lines that come and go, and there is no rate to be wrong
 * about. Only ceilings need one. w_i is the share of tier i in parts of W; W is 1000, or the sum
 * of the w_i where that is more, and each w_i at least 1.
 *
 * Guarantee. Each tier has a credit in bytes: every byte that is taken out, of whichever tier, adds
 * w_i / W to each credit, and costs the tier that it is of one byte. A tier whose credit is above
 * zero is within its share, and of these the most urgent is served. A tier that is not used
 * keeps a credit of one quantum at most: enough for a few small packets to go at once, not enough
 * to hold the others up for long. Nor does a tier lose credit by having a packet only now and then
 * when others have many: going first gains it time, never bytes (fq_codel.c, "Debts"). As the
 * credits of tiers that all have a backlog sum up to no more than at the start, each of them
 * is owed a few quanta at most, and is served.
 *
 * Excess. Where no tier that has a backlog has credit, others have left theirs, or less than all
 * was given out. Such bytes cost no credit. They are shared by start-time fair queueing
 * (Goyal, Vin, Cheng 1996): each tier has a tag that grows by 1/w_i with each byte of excess, the
 * least tag is served, and one that begins to have a backlog has its tag set to at least the
 * one that is being served. So excess is divided as the shares are.
 *
 * Sparse flows go ahead of the rest of all tiers, the more urgent tier's first, while their tier is
 * within its share or would be the next anyway; within their tier they are bounded as fq_codel
 * has it. Thus a flood of small flows in one tier takes nothing from another's share.
 *
 * Ceilings. A tier with one may not send before `free_at`, which each of its packets moves on by
 * its time at that rate; it lags behind by a quantum at most, so that a line that asks a moment
 * late loses nothing. Its packets then wait while the lines are idle, and the owner is told until
 * when.
 *
 * What tiers know of the rate. A flow's fair share, and what CoDel takes for a standing queue,
 * depend on what its tier gets: R w_i / (the sum of w_j with a backlog, and w_i). So debts drain at
 * that rate, and target and interval are longer by R over that. A packet at a sixth of the rate
 * takes six times as long, and three of them are still no queue.
 *
 * Bound. All tiers together, in packets, in bytes, and in time at the rate that there is. The
 * flow that is the fattest of all loses from its head.
 */
#include "sched/tiers.h"

#include "sched/ip.h"

#include <assert.h>
#include <stdlib.h>

enum {
	WHOLE = 1000,
	OWED = 8,           /* quanta of credit, at most */
	LEAST_PACKETS = 32, /* may wait, however slow the lines: TCP starts with 10 */
};

struct one_tier {
	struct fq_codel *queue;
	int64_t credit;  /* bytes times W */
	double tag;      /* of excess: bytes over w */
	sb_time free_at; /* instant, by its ceiling */
	uint64_t rate;   /* bytes per second that it gets, with others as they are */
	sb_time peak_delay, average_delay, base_delay;
	uint32_t max_packet;
	bool backlogged;
};

struct tiers {
	struct tiers_config config;
	struct one_tier tiers[TIERS];
	int64_t share[TIERS], whole; /* w, W */
	double virtual_time;         /* the tag of what was taken last as excess */
	sb_time now;                 /* of the last call */
	uint64_t rate;               /* bytes per second; 0: not known yet */
	sb_time target, interval;
};

/* --- which tier --- */

enum { I = TIER_INTERACTIVE, E = TIER_BEST_EFFORT, K = TIER_BULK };

/*
 * As cake's diffserv3, with two class selectors more (RFC 4594: real-time interactive, signalling).
 * Bulk: LE (1), CS1 (8). Interactive: TOS "low delay" (4), CS4 (32), CS5 (40), VOICE-ADMIT (44),
 * EF (46), CS6 (48), CS7 (56).
 */
static const uint8_t diffserv3[64] = {
	E, K, E, E, I, E, E, E, /* 0 */
	K, E, E, E, E, E, E, E, /* 8 */
	E, E, E, E, E, E, E, E, /* 16 */
	E, E, E, E, E, E, E, E, /* 24 */
	I, E, E, E, E, E, E, E, /* 32 */
	I, E, E, E, I, E, I, E, /* 40 */
	I, E, E, E, E, E, E, E, /* 48 */
	I, E, E, E, E, E, E, E, /* 56 */
};

/* By the class selector alone (RFC 2474 section 4.2.2), whatever the other three bits are. */
static const uint8_t precedence[8] = {E, K, E, E, I, I, I, I};

static enum tier tier_for(enum tier_scheme scheme, struct bytes packet)
{
	switch (scheme) {
	case TIERS_DIFFSERV3:
		return (enum tier)diffserv3[ip_dscp(packet)];
	case TIERS_PRECEDENCE:
		return (enum tier)precedence[ip_dscp(packet) >> 3];
	case TIERS_BESTEFFORT:
		break;
	}
	return TIER_BEST_EFFORT;
}

const char *tier_name(enum tier i)
{
	static const char *const names[TIERS] = {"interactive", "best effort", "bulk"};

	return names[i];
}

/* --- sets of tiers, a bit each --- */

static unsigned bit(enum tier i)
{
	return 1u << i;
}

static uint64_t ceiling_rate(const struct tiers *t, enum tier i)
{
	uint32_t ceiling = t->config.tiers[i].ceiling;

	return ceiling ? t->rate * ceiling / WHOLE : t->rate;
}

static bool has_ceiling(const struct tiers *t, enum tier i)
{
	uint32_t ceiling = t->config.tiers[i].ceiling;

	return ceiling && ceiling < WHOLE && ceiling_rate(t, i);
}

/* Those that have something and may send it. */
static unsigned ready(const struct tiers *t)
{
	unsigned set = 0;

	for (enum tier i = 0; i < TIERS; i++)
		if (t->tiers[i].backlogged && (!has_ceiling(t, i) || t->tiers[i].free_at <= t->now))
			set |= bit(i);
	return set;
}

static enum tier least_tag(const struct tiers *t, unsigned set)
{
	enum tier least = TIERS;

	for (enum tier i = 0; i < TIERS; i++)
		if (set & bit(i) && (least == TIERS || t->tiers[i].tag < t->tiers[least].tag))
			least = i;
	return least;
}

/* The next of the set by what each is owed; TIERS: it is empty. */
static enum tier next_of(const struct tiers *t, unsigned set)
{
	for (enum tier i = 0; i < TIERS; i++)
		if (set & bit(i) && t->tiers[i].credit > 0)
			return i;
	return least_tag(t, set);
}

/* --- what they get --- */

/* Of the rate, as long as the others that have a backlog have it. */
static uint64_t rate_of(const struct tiers *t, enum tier i)
{
	int64_t sum = t->share[i];
	uint64_t rate;

	for (enum tier k = 0; k < TIERS; k++)
		if (k != i && t->tiers[k].backlogged)
			sum += t->share[k];
	rate = t->rate * (uint64_t)t->share[i] / (uint64_t)sum;
	if (has_ceiling(t, i) && ceiling_rate(t, i) < rate)
		rate = ceiling_rate(t, i);
	return rate || !t->rate ? rate : 1;
}

static sb_time stretched(const struct tiers *t, enum tier i, sb_time duration)
{
	uint64_t rate = t->tiers[i].rate;

	return rate == t->rate ? duration
			       : (sb_time)((double)duration * (double)t->rate / (double)rate);
}

static void tune(struct tiers *t, enum tier i)
{
	struct one_tier *one = &t->tiers[i];

	one->rate = rate_of(t, i);
	fq_codel_set_rate(one->queue, t->now, one->rate);
	fq_codel_set_target(one->queue, stretched(t, i, t->target), stretched(t, i, t->interval));
}

static void tune_all(struct tiers *t)
{
	for (enum tier i = 0; i < TIERS; i++)
		tune(t, i);
}

static int64_t allowance(const struct tiers *t)
{
	return t->whole * t->config.queue.quantum;
}

static void forget_past(struct tiers *t)
{
	for (enum tier i = 0; i < TIERS; i++)
		t->tiers[i].credit = allowance(t);
}

/* Which tiers have a backlog may have changed. With none there is nobody to be fair to. */
static void settle(struct tiers *t)
{
	bool changed = false;

	for (enum tier i = 0; i < TIERS; i++) {
		struct one_tier *one = &t->tiers[i];
		bool backlogged = fq_codel_packets(one->queue) > 0;

		if (backlogged == one->backlogged)
			continue;
		changed = true;
		one->backlogged = backlogged;
		if (backlogged && one->tag < t->virtual_time)
			one->tag = t->virtual_time;
	}
	if (!changed)
		return;
	if (!tiers_packets(t))
		forget_past(t);
	tune_all(t);
}

/* --- bytes taken out --- */

static void earn(struct tiers *t, uint32_t bytes)
{
	for (enum tier i = 0; i < TIERS; i++) {
		struct one_tier *one = &t->tiers[i];
		int64_t most = one->backlogged ? OWED * allowance(t) : allowance(t);

		one->credit += t->share[i] * bytes;
		if (one->credit > most)
			one->credit = most;
	}
}

static void pay(struct tiers *t, enum tier i, uint32_t bytes)
{
	struct one_tier *one = &t->tiers[i];

	if (one->credit > 0) {
		one->credit -= t->whole * bytes;
		return;
	}
	if (t->virtual_time < one->tag)
		t->virtual_time = one->tag;
	one->tag += (double)bytes / (double)t->share[i];
}

static sb_time time_for(uint32_t bytes, uint64_t rate)
{
	return (sb_time)((double)bytes * (double)SB_SEC / (double)rate);
}

static void heed_ceiling(struct tiers *t, enum tier i, uint32_t bytes)
{
	uint64_t rate = ceiling_rate(t, i);
	sb_time least = t->now - time_for(t->config.queue.quantum, rate);

	t->tiers[i].free_at = sb_time_max(t->tiers[i].free_at, least) + time_for(bytes, rate);
}

/* As cake does: towards the sample by a quarter one way, by a 256th the other. */
static void follow(sb_time *value, sb_time sample, unsigned shift)
{
	*value += (sample - *value) / (sb_time)(1u << shift);
}

static void note_delay(struct one_tier *one, sb_time delay)
{
	follow(&one->average_delay, delay, 8);
	follow(&one->peak_delay, delay, delay > one->peak_delay ? 2 : 8);
	follow(&one->base_delay, delay, delay < one->base_delay ? 2 : 8);
}

/* Its bytes change, and so what it takes on a wire. */
static void wash(struct packet *p)
{
	if (ip_clear_dscp(p->data, p->length))
		p->measured_by = NULL;
}

static struct packet *taken(struct tiers *t, enum tier i, struct packet *p)
{
	pay(t, i, p->length);
	earn(t, p->length);
	if (has_ceiling(t, i))
		heed_ceiling(t, i, p->length);
	note_delay(&t->tiers[i], t->now - p->arrived);
	if (t->config.wash)
		wash(p);
	settle(t);
	return p;
}

/* --- in --- */

static uint64_t limit_bytes(const struct tiers *t)
{
	const struct fq_codel_config *q = &t->config.queue;
	double in_time = (double)t->rate * (double)t->config.limit_time / (double)SB_SEC;
	uint64_t least = (uint64_t)LEAST_PACKETS * q->quantum;

	if (!t->rate || !t->config.limit_time || in_time >= q->limit_bytes)
		return q->limit_bytes;
	return in_time > (double)least  ? (uint64_t)in_time
	       : least < q->limit_bytes ? least
					: q->limit_bytes;
}

static bool over_limit(const struct tiers *t)
{
	return tiers_packets(t) > t->config.queue.limit_packets || tiers_bytes(t) > limit_bytes(t);
}

/* As fq_codel does with one queue: thin flows do not lose, but that of the packet that came. */
static void shed(struct tiers *t, enum tier arrived_in, uint32_t arriving)
{
	enum tier in = arrived_in;
	uint32_t flow = fq_codel_fattest(t->tiers[in].queue, arriving);
	uint32_t bytes = fq_codel_flow_bytes(t->tiers[in].queue, flow);

	for (enum tier i = 0; i < TIERS; i++) {
		const struct fq_codel *q = t->tiers[i].queue;
		uint32_t other = fq_codel_fattest(q, i * t->config.queue.flows);

		if (i == arrived_in || fq_codel_flow_bytes(q, other) <= bytes ||
		    fq_codel_flow_bytes(q, other) <= t->config.queue.quantum)
			continue;
		in = i;
		flow = other;
		bytes = fq_codel_flow_bytes(q, other);
	}
	fq_codel_shed(t->tiers[in].queue, flow);
}

void tiers_enqueue(struct tiers *t, sb_time now, struct packet *p)
{
	enum tier i = tier_for(t->config.scheme, packet_bytes(p));
	struct one_tier *one = &t->tiers[i];
	uint32_t flow;

	t->now = now;
	if (p->length > one->max_packet)
		one->max_packet = p->length;
	fq_codel_enqueue(one->queue, now, p);
	flow = p->flow;
	while (over_limit(t))
		shed(t, i, flow);
	settle(t);
}

/* --- out --- */

/*
 * The tier whose sparse flows may go ahead: of those that are within their share, or the next
 * anyway, the first that has any.
 */
static struct packet *peek_sparse(struct tiers *t, const uint16_t *blocked, enum tier *of)
{
	unsigned set = ready(t);
	enum tier next = next_of(t, set);

	for (enum tier i = 0; i < TIERS; i++) {
		struct packet *p = NULL;

		if (set & bit(i) && (i == next || t->tiers[i].credit > 0))
			p = fq_codel_peek_sparse(t->tiers[i].queue, t->now, blocked);
		*of = i;
		if (p)
			return p;
	}
	return NULL;
}

struct packet *tiers_peek_sparse(struct tiers *t, sb_time now, const uint16_t *blocked)
{
	enum tier of;

	t->now = now;
	return peek_sparse(t, blocked, &of);
}

struct packet *tiers_dequeue_sparse(struct tiers *t, sb_time now, const struct packet *shown)
{
	enum tier i = (enum tier)(shown->flow / t->config.queue.flows);

	t->now = now;
	return taken(t, i, fq_codel_dequeue_sparse(t->tiers[i].queue, now, shown));
}

struct packet *tiers_dequeue(struct tiers *t, sb_time now)
{
	enum tier i;

	t->now = now;
	if (!peek_sparse(t, NULL, &i))
		i = next_of(t, ready(t));
	return i == TIERS ? NULL : taken(t, i, fq_codel_dequeue(t->tiers[i].queue, now));
}

struct packet *tiers_dequeue_bulk(struct tiers *t, sb_time now)
{
	t->now = now;
	for (unsigned set = ready(t), i; set; set &= ~bit(i)) {
		i = next_of(t, set);
		struct packet *p = fq_codel_dequeue_bulk(t->tiers[i].queue, now);
		if (p)
			return taken(t, i, p);
	}
	return NULL;
}

struct packet *tiers_dequeue_for(struct tiers *t, sb_time now, packet_filter *filter,
				 const void *context)
{
	t->now = now;
	for (unsigned set = ready(t), i; set; set &= ~bit(i)) {
		i = next_of(t, set);
		struct packet *p = fq_codel_dequeue_for(t->tiers[i].queue, now, filter, context);
		if (p)
			return taken(t, i, p);
	}
	return NULL;
}

/* --- all of it --- */

void tiers_expire(struct tiers *t, sb_time before)
{
	for (enum tier i = 0; i < TIERS; i++)
		fq_codel_expire(t->tiers[i].queue, before);
	settle(t);
}

sb_time tiers_oldest(const struct tiers *t)
{
	sb_time oldest = SB_NEVER;

	for (enum tier i = 0; i < TIERS; i++)
		if (t->tiers[i].backlogged)
			oldest = sb_time_min(oldest, fq_codel_oldest(t->tiers[i].queue));
	return oldest;
}

uint32_t tiers_packets(const struct tiers *t)
{
	uint32_t packets = 0;

	for (enum tier i = 0; i < TIERS; i++)
		packets += fq_codel_packets(t->tiers[i].queue);
	return packets;
}

uint32_t tiers_bytes(const struct tiers *t)
{
	uint32_t bytes = 0;

	for (enum tier i = 0; i < TIERS; i++)
		bytes += fq_codel_bytes(t->tiers[i].queue);
	return bytes;
}

sb_time tiers_deadline(const struct tiers *t)
{
	sb_time due = SB_NEVER;

	for (enum tier i = 0; i < TIERS; i++)
		if (t->tiers[i].backlogged && has_ceiling(t, i) && t->tiers[i].free_at > t->now)
			due = sb_time_min(due, t->tiers[i].free_at);
	return due;
}

/* --- counters --- */

void tiers_count(const struct tiers *t, enum tier i, sb_time now, struct tier_counters *c)
{
	const struct one_tier *one = &t->tiers[i];

	(void)now;
	*c = (struct tier_counters){
		.queue = *fq_codel_counters(one->queue),
		.thresh = t->rate * (uint64_t)t->share[i] / (uint64_t)t->whole,
		.target = stretched(t, i, t->target),
		.interval = stretched(t, i, t->interval),
		.peak_delay = one->peak_delay,
		.average_delay = one->average_delay,
		.base_delay = one->base_delay,
		.backlog_bytes = fq_codel_bytes(one->queue),
		.backlog_packets = fq_codel_packets(one->queue),
		.sparse_flows = fq_codel_sparse_flows(one->queue),
		.bulk_flows = fq_codel_bulk_flows(one->queue),
		.max_packet = one->max_packet,
		.way_hits = fq_codel_counters(one->queue)->collisions,
	};
}

static void add(struct fq_codel_counters *to, const struct fq_codel_counters *c)
{
	to->enqueued_packets += c->enqueued_packets;
	to->enqueued_bytes += c->enqueued_bytes;
	to->dequeued_packets += c->dequeued_packets;
	to->dequeued_bytes += c->dequeued_bytes;
	to->codel_drops += c->codel_drops;
	to->ecn_marks += c->ecn_marks;
	to->overlimit_drops += c->overlimit_drops;
	to->expired_drops += c->expired_drops;
	to->new_flows += c->new_flows;
	to->collisions += c->collisions;
}

struct fq_codel_counters tiers_total(const struct tiers *t)
{
	struct fq_codel_counters sum = {0};

	for (enum tier i = 0; i < TIERS; i++)
		add(&sum, fq_codel_counters(t->tiers[i].queue));
	return sum;
}

/* --- set-up --- */

void tiers_set_rate(struct tiers *t, uint64_t bytes_per_sec)
{
	t->rate = bytes_per_sec;
	tune_all(t);
}

void tiers_set_target(struct tiers *t, sb_time target, sb_time interval)
{
	assert(target > 0 && interval > 0);
	t->target = target;
	t->interval = interval;
	tune_all(t);
}

/* A tier without a share has the least there is: nothing is to wait for ever. */
static void set_shares(struct tiers *t)
{
	int64_t sum = 0;

	for (enum tier i = 0; i < TIERS; i++) {
		uint32_t share = t->config.tiers[i].share;

		assert(share <= WHOLE && t->config.tiers[i].ceiling <= WHOLE);
		t->share[i] = share ? share : 1;
		sum += t->share[i];
	}
	t->whole = sum > WHOLE ? sum : WHOLE;
	forget_past(t);
}

void tiers_configure(struct tiers *t, const struct tiers_config *c)
{
	t->config.scheme = c->scheme;
	t->config.wash = c->wash;
	t->config.limit_time = c->limit_time;
	t->config.queue.limit_bytes = c->queue.limit_bytes;
	t->config.queue.limit_packets = c->queue.limit_packets;
	for (enum tier i = 0; i < TIERS; i++) {
		t->config.tiers[i] = c->tiers[i];
		fq_codel_set_ecn(t->tiers[i].queue, c->queue.ecn);
	}
	set_shares(t);
	tune_all(t);
}

/* The bound is of all together, and kept here. */
static struct fq_codel *make_queue(const struct fq_codel_config *c, enum tier i)
{
	struct fq_codel_config one = *c;

	one.limit_packets = one.limit_bytes = UINT32_MAX;
	one.first_flow = i * c->flows;
	return fq_codel_new(&one);
}

struct tiers *tiers_new(const struct tiers_config *c)
{
	struct tiers *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->config = *c;
	t->target = c->queue.target;
	t->interval = c->queue.interval;
	for (enum tier i = 0; i < TIERS; i++) {
		t->tiers[i].queue = make_queue(&c->queue, i);
		if (!t->tiers[i].queue) {
			tiers_free(t);
			return NULL;
		}
	}
	set_shares(t);
	return t;
}

void tiers_free(struct tiers *t)
{
	if (!t)
		return;
	for (enum tier i = 0; i < TIERS; i++)
		fq_codel_free(t->tiers[i].queue);
	free(t);
}

uint32_t tiers_flows(const struct tiers *t)
{
	return TIERS * t->config.queue.flows;
}
