/* SPDX-License-Identifier: MIT */
/*
 * Aim. What is interactive, what is not, and what has time each wait in a queue of their own, an
 * fq_codel; the DSCP says in which (tier_scheme.c), and shares.c which one is next. While all
 * packets are of one tier it is as if there were no others.
 *
 * Sparse flows go ahead of the rest of all tiers, the more urgent tier's first, while their tier
 * has had less than its share or would be the next anyway; within their tier they are bounded as
 * fq_codel has it. So a flood of small flows in one tier takes nothing from another's share.
 *
 * Rate. A flow's fair share, and what CoDel takes for a standing queue, depend on what its tier
 * gets of the rate R: r = R w / (the sum of the weights of those that wait, and w). So debts drain
 * at that rate, and target and interval are longer by R/r. A packet at a sixth of the rate takes
 * six times as long, and three of them are still no queue.
 *
 * Bound. All tiers together, in packets, in bytes, and in time at the rate that there is; when a
 * line leaves, what waits already is not dropped for that. The flow that is the fattest of all
 * loses from its head. Where none is fat that of the packet that came loses, until it has nothing:
 * so a bound that is set lower takes nothing from thin flows, but lets nothing in before it holds.
 *
 * Cost. A few additions per packet besides the queue's own work; when a tier begins or ends to wait
 * the rates are divided anew.
 */
#include "sched/tiers.h"

#include "sched/ip.h"
#include "sched/shares.h"

#include <assert.h>
#include <stdlib.h>

enum { LEAST_PACKETS = 32 }; /* may wait, however slow the lines: TCP starts with 10 */

struct one_tier {
	struct fq_codel *queue;
	sb_time peak_delay, average_delay, base_delay;
	uint32_t max_packet;
};

struct tiers {
	struct tiers_config config;
	struct one_tier tiers[TIERS];
	struct shares shares;
	sb_time now; /* of the last call */
	sb_time target, interval;
	uint64_t limit_rate; /* of the bound in time: bytes per second, that or more */
};

/* --- what they get --- */

/* From the whole rate to what the tier gets of it. */
static sb_time stretched(const struct tiers *t, enum tier i, sb_time duration)
{
	uint64_t all = t->shares.rate, rate = shares_rate(&t->shares, i);

	return rate == all ? duration : (sb_time)((double)duration * (double)all / (double)rate);
}

static void tune(struct tiers *t)
{
	for (enum tier i = 0; i < TIERS; i++) {
		struct fq_codel *q = t->tiers[i].queue;

		fq_codel_set_rate(q, t->now, shares_rate(&t->shares, i));
		fq_codel_set_target(q, stretched(t, i, t->target), stretched(t, i, t->interval));
	}
}

static unsigned waiting(const struct tiers *t)
{
	unsigned set = 0;

	for (enum tier i = 0; i < TIERS; i++)
		if (fq_codel_packets(t->tiers[i].queue))
			set |= tier_bit(i);
	return set;
}

/* Packets came or went. */
static void settle(struct tiers *t)
{
	unsigned set = waiting(t);

	if (set == t->shares.waiting)
		return;
	shares_set_waiting(&t->shares, set);
	tune(t);
}

/* --- a packet that was taken out --- */

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
	shares_spend(&t->shares, i, p->length, t->now);
	note_delay(&t->tiers[i], t->now - p->arrived);
	if (t->config.wash)
		wash(p);
	settle(t);
	return p;
}

/* --- in --- */

static uint64_t limit_bytes(const struct tiers *t, uint64_t rate)
{
	const struct fq_codel_config *q = &t->config.queue;
	double in_time = (double)rate * (double)t->config.limit_time / (double)SB_SEC;
	uint64_t least = (uint64_t)LEAST_PACKETS * q->quantum;

	if (!rate || !t->config.limit_time || in_time >= q->limit_bytes)
		return q->limit_bytes;
	return in_time > (double)least  ? (uint64_t)in_time
	       : least < q->limit_bytes ? least
					: q->limit_bytes;
}

static bool over_limit(const struct tiers *t)
{
	return tiers_packets(t) > t->config.queue.limit_packets ||
	       tiers_bytes(t) > limit_bytes(t, t->limit_rate);
}

/* A lower rate counts when what waits, which came when there was more, is within its bound. */
static void heed_lower_rate(struct tiers *t)
{
	if (tiers_bytes(t) <= limit_bytes(t, t->shares.rate))
		t->limit_rate = t->shares.rate;
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
	enum tier i = tier_of(t->config.scheme, packet_bytes(p));
	struct one_tier *one = &t->tiers[i];
	uint32_t flow;

	t->now = now;
	if (p->length > one->max_packet)
		one->max_packet = p->length;
	heed_lower_rate(t);
	fq_codel_enqueue(one->queue, now, p);
	flow = p->flow;
	while (over_limit(t) && fq_codel_flow_bytes(one->queue, flow))
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
	unsigned set = shares_ready(&t->shares, t->now);
	enum tier next = shares_next(&t->shares, set);

	for (enum tier i = 0; i < TIERS; i++) {
		struct packet *p = NULL;

		if (set & tier_bit(i) && (i == next || shares_is_owed(&t->shares, i)))
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
		i = shares_next(&t->shares, shares_ready(&t->shares, now));
	return i == TIERS ? NULL : taken(t, i, fq_codel_dequeue(t->tiers[i].queue, now));
}

struct packet *tiers_dequeue_bulk(struct tiers *t, sb_time now)
{
	t->now = now;
	for (unsigned set = shares_ready(&t->shares, now), i; set; set &= ~tier_bit(i)) {
		i = shares_next(&t->shares, set);
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
	for (unsigned set = shares_ready(&t->shares, now), i; set; set &= ~tier_bit(i)) {
		i = shares_next(&t->shares, set);
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
		if (t->shares.waiting & tier_bit(i))
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
	return shares_deadline(&t->shares, t->now);
}

/* --- counters --- */

void tiers_count(const struct tiers *t, enum tier i, struct tier_counters *c)
{
	const struct one_tier *one = &t->tiers[i];

	*c = (struct tier_counters){
		.queue = *fq_codel_counters(one->queue),
		.thresh = shares_guaranteed(&t->shares, i),
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
		.quantum = t->config.queue.quantum,
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
	to->way_hits += c->way_hits;
	to->way_misses += c->way_misses;
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
	t->shares.rate = bytes_per_sec;
	if (bytes_per_sec > t->limit_rate)
		t->limit_rate = bytes_per_sec;
	tune(t);
}

void tiers_set_target(struct tiers *t, sb_time target, sb_time interval)
{
	assert(target > 0 && interval > 0);
	t->target = target;
	t->interval = interval;
	tune(t);
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
	shares_configure(&t->shares, t->config.tiers, t->config.queue.quantum);
	tune(t);
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
	shares_configure(&t->shares, t->config.tiers, t->config.queue.quantum);
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
