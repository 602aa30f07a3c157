/* SPDX-License-Identifier: MIT */
/*
 * What comes in, and which of its flows are sparse; fq_codel_ways.c has which queue a flow
 * gets, and fq_codel_out.c what goes out.
 *
 * Flows hang in two lists, RFC 8290's new and old ones, here by what is meant:
 *
 *   idle ──▶ sparse ──▶ bulk      a packet comes; the debt exceeds a quantum
 *     ╰───────────────▶ bulk      a packet comes and the debt is there already
 *   sparse, bulk ──▶ idle         the queue runs empty
 *
 * so a flow that always has a backlog stays bulk, whatever becomes of its debt.
 *
 * Debts. All debts drain at the same pace, so one number does for all of them:
 * `drained`, the bytes that have drained from any debt since the beginning. A
 * flow keeps the value of it at which its own debt is gone (`clear_at`), and its
 * debt now is the difference. With n flows backlogged the pace is rate / (n + 1):
 * a flow that stays sparse beside n others sends at most its fair share. Going
 * first gains it time, never bytes.
 *
 * Urgent packets, so marked by their DSCP, make less debt: a stream of voice stays
 * sparse up to half of the rate, however many others share the rest. A flow that
 * always has a backlog gains nothing by the mark, for it is bulk as soon as it owes a
 * quantum.
 *
 * A debt is capped at two quanta, so that an hour of bulk is forgotten within
 * seconds. Two is the least that works: who sends packets of up to a quantum
 * faster than debts drain is at the cap after each of them, and more than a
 * quantum is left when the next one comes.
 *
 * Cost: everything is O(1) but for the scans over the sparse flows (which waits
 * longest), over the backlogged flows (which is fattest, and only when full) and
 * over all of them in fq_codel_expire and fq_codel_oldest.
 */
#include "sched/fq_codel_state.h"

#include <assert.h>
#include <stdlib.h>

#include "sched/ip.h"

enum { DEBT_CAP = 2 }; /* quanta */

static const double URGENT_SHARE = 0.5;

static uint32_t backlogged(const struct fq_codel *q)
{
	return q->sparse.length + q->bulk.length;
}

struct flow *fq_codel_flow_at(const struct fq_codel *q, uint32_t flow)
{
	assert(flow - q->first_flow <= q->flow_mask);
	return &q->flows[flow - q->first_flow];
}

uint32_t fq_codel_index_of(const struct fq_codel *q, const struct flow *f)
{
	return q->first_flow + (uint32_t)(f - q->flows);
}

/* Debts. */

void fq_codel_advance(struct fq_codel *q, sb_time now)
{
	assert(now >= q->now);
	const double bytes = (double)q->rate * (double)(now - q->now) / (double)SB_SEC;
	const uint32_t flows = backlogged(q) ? backlogged(q) : 1;

	q->drained += bytes / (flows + 1.0);
	q->now = now;
}

bool fq_codel_has_debt(const struct fq_codel *q, const struct flow *f)
{
	return f->clear_at - q->drained > q->quantum;
}

static void charge(struct fq_codel *q, struct flow *f, double bytes)
{
	const double cap = q->drained + (double)DEBT_CAP * q->quantum;
	const double debt_free = f->clear_at > q->drained ? f->clear_at : q->drained;

	f->clear_at = debt_free + bytes < cap ? debt_free + bytes : cap;
}

/* An urgent packet counts for as much less as makes half of the rate its flow's fair share. */
static double cost(const struct fq_codel *q, const struct packet *p)
{
	const double pace = 1 / (backlogged(q) + 1.0);

	return pace < URGENT_SHARE && ip_is_urgent(packet_bytes(p))
		       ? p->length * pace / URGENT_SHARE
		       : p->length;
}

/* Which list. */

/*
 * A flow that ran empty before its turn was over goes on with it if no other has
 * had its turn since: a sender that is always one packet ahead gets its whole
 * quantum. Else it waits, and what it overdrew stays overdrawn.
 */
void fq_codel_join_bulk(struct fq_codel *q, struct flow *f)
{
	f->sparse = false;
	if (q->turn == f && f->deficit > 0) {
		flow_list_put_first(&q->bulk, f);
		return;
	}
	f->deficit = (int32_t)q->quantum + (f->deficit < 0 ? f->deficit : 0);
	flow_list_put_last(&q->bulk, f);
}

static void join_sparse(struct fq_codel *q, struct flow *f)
{
	f->sparse = true;
	flow_list_put_last(&q->sparse, f);
}

/* Idle no more. Without a rate nothing would drain, so there are no old debts then. */
static void join(struct fq_codel *q, struct flow *f)
{
	q->counters.new_flows++;
	if (q->rate > 0 && fq_codel_has_debt(q, f))
		fq_codel_join_bulk(q, f);
	else
		join_sparse(q, f);
}

static void leave(struct fq_codel *q, struct flow *f)
{
	flow_list_remove(f->sparse ? &q->sparse : &q->bulk, f);
	codel_empty(&f->codel);
}

/* Packets in and out of a flow. */

static void push(struct fq_codel *q, struct flow *f, struct packet *p)
{
	flow_push(f, p);
	q->packets++;
	q->bytes += p->length;
}

struct packet *fq_codel_pop(struct fq_codel *q, struct flow *f)
{
	struct packet *p = flow_pop(f);

	fq_codel_guest_leaves(q, f, p);
	q->packets--;
	q->bytes -= p->length;
	if (!f->first)
		leave(q, f);
	return p;
}

static void drop(struct fq_codel *q, struct flow *f, uint64_t *counter)
{
	packet_put(q->pool, fq_codel_pop(q, f));
	++*counter;
}

struct packet *fq_codel_sent(struct fq_codel *q, struct flow *f, struct packet *p)
{
	charge(q, f, cost(q, p));
	q->counters.dequeued_packets++;
	q->counters.dequeued_bytes += p->length;
	return p;
}

/* Enqueue. */

static struct flow *fatter_in(const struct fq_codel *q, const struct flow_list *list,
			      struct flow *best)
{
	for (struct flow *f = list->first; f; f = f->next)
		if (f->bytes > q->quantum && f->bytes > best->bytes)
			best = f;
	return best;
}

/*
 * The flow to lose a packet when one of `arriving` fills the queue: RFC 8290
 * section 4.1 says the fattest. But one of at most a quantum is not fat: when
 * hundreds of thin flows fill the queue, a bulk flow down to its last packet
 * would be the fattest of them and never get that one through. Then `arriving` loses.
 */
static struct flow *fattest(const struct fq_codel *q, struct flow *arriving)
{
	return fatter_in(q, &q->bulk, fatter_in(q, &q->sparse, arriving));
}

static bool over_limit(const struct fq_codel *q)
{
	return q->packets > q->limit_packets || q->bytes > q->limit_bytes;
}

void fq_codel_enqueue(struct fq_codel *q, sb_time now, struct packet *p)
{
	struct flow *f = fq_codel_place(q, ip_flow_hash(packet_bytes(p), q->seed));

	fq_codel_advance(q, now);
	p->arrived = now;
	p->measured_by = NULL;
	p->flow = fq_codel_index_of(q, f);
	q->counters.enqueued_packets++;
	q->counters.enqueued_bytes += p->length;
	if (!f->first)
		join(q, f);
	push(q, f, p);
	/*
	 * One at a time. RFC 8290 takes out up to 64 at once to save scans, but here
	 * that would be a minute's traffic.
	 */
	while (over_limit(q))
		drop(q, fattest(q, f), &q->counters.overlimit_drops);
}

uint32_t fq_codel_fattest(const struct fq_codel *q, uint32_t arriving)
{
	return fq_codel_index_of(q, fattest(q, fq_codel_flow_at(q, arriving)));
}

uint32_t fq_codel_flow_bytes(const struct fq_codel *q, uint32_t flow)
{
	return fq_codel_flow_at(q, flow)->bytes;
}

void fq_codel_shed(struct fq_codel *q, uint32_t flow)
{
	drop(q, fq_codel_flow_at(q, flow), &q->counters.overlimit_drops);
}

/* The whole queue. */

static void expire_list(struct fq_codel *q, const struct flow_list *list, sb_time before)
{
	for (struct flow *f = list->first, *next; f; f = next) {
		next = f->next;
		while (f->first && f->first->arrived < before)
			drop(q, f, &q->counters.expired_drops);
	}
}

void fq_codel_expire(struct fq_codel *q, sb_time before)
{
	expire_list(q, &q->sparse, before);
	expire_list(q, &q->bulk, before);
}

static sb_time oldest_in(const struct flow_list *list)
{
	sb_time oldest = SB_NEVER;

	for (const struct flow *f = list->first; f; f = f->next)
		oldest = sb_time_min(oldest, f->first->arrived);
	return oldest;
}

sb_time fq_codel_oldest(const struct fq_codel *q)
{
	return sb_time_min(oldest_in(&q->sparse), oldest_in(&q->bulk));
}

void fq_codel_set_rate(struct fq_codel *q, sb_time now, uint64_t bytes_per_sec)
{
	fq_codel_advance(q, now);
	q->rate = bytes_per_sec;
}

void fq_codel_set_ecn(struct fq_codel *q, bool ecn)
{
	q->ecn = ecn;
}

void fq_codel_set_target(struct fq_codel *q, sb_time target, sb_time interval)
{
	assert(target > 0 && interval > 0);
	q->codel.target = target;
	q->codel.interval = interval;
}

uint32_t fq_codel_packets(const struct fq_codel *q)
{
	return q->packets;
}

uint32_t fq_codel_bytes(const struct fq_codel *q)
{
	return q->bytes;
}

uint32_t fq_codel_sparse_flows(const struct fq_codel *q)
{
	return q->sparse.length;
}

uint32_t fq_codel_bulk_flows(const struct fq_codel *q)
{
	return q->bulk.length;
}

const struct fq_codel_counters *fq_codel_counters(const struct fq_codel *q)
{
	return &q->counters;
}

static void check_config(const struct fq_codel_config *c)
{
	assert(c->pool);
	assert(c->flows >= FQ_CODEL_WAYS && (c->flows & (c->flows - 1)) == 0);
	assert(c->quantum > 0 && c->quantum <= INT32_MAX / 4);
	assert(c->limit_packets > 0 && c->limit_bytes > 0);
	(void)c;
}

struct fq_codel *fq_codel_new(const struct fq_codel_config *c)
{
	check_config(c);
	struct fq_codel *q = malloc(sizeof *q);
	if (!q)
		return NULL;
	*q = (struct fq_codel){
		.pool = c->pool,
		.flows = calloc(c->flows, sizeof *q->flows),
		.first_flow = c->first_flow,
		.flow_mask = c->flows - 1,
		.seed = c->seed,
		.quantum = c->quantum,
		.limit_packets = c->limit_packets,
		.limit_bytes = c->limit_bytes,
		.ecn = c->ecn,
		.codel = {.mtu = c->quantum},
	};
	fq_codel_set_target(q, c->target, c->interval);
	if (!q->flows) {
		free(q);
		return NULL;
	}
	return q;
}

void fq_codel_free(struct fq_codel *q)
{
	if (!q)
		return;
	fq_codel_expire(q, SB_NEVER);
	free(q->flows);
	free(q);
}
