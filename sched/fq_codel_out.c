/* SPDX-License-Identifier: MIT */
/*
 * What goes out: sparse flows first, then by deficit round robin, judged by CoDel.
 *
 * Starvation. New flows without end (a port scan, say) are all sparse, and
 * together could keep the bulk from ever having its turn. So bulk keeps a fifth:
 * `overtaken` counts the sparse bytes that went ahead of a waiting bulk flow,
 * every bulk byte takes back OVERTAKE of them, and when OVERTAKE quanta have
 * gone ahead, bulk is next. A few sparse flows never notice.
 *
 * Who may not take every packet passes over flows by their heads. Those keep their place in the
 * round, their deficit and what CoDel knows of them, as if they had not been there; the others take
 * turns among themselves.
 */
#include "sched/fq_codel_state.h"

#include <assert.h>

#include "sched/ip.h"

enum { OVERTAKE = 4 }; /* sparse bytes per byte of bulk */

/* Which packets may be taken: all that there are when it is all zero. */
struct wanted {
	const uint16_t *blocked; /* per flow: not 0, not this one */
	packet_filter *filter;
	const void *context;
};
static const struct wanted any = {0};

static bool is_wanted(const struct fq_codel *q, const struct flow *f, const struct wanted *w)
{
	return (!w->blocked || !w->blocked[fq_codel_index_of(q, f)]) &&
	       (!w->filter || w->filter(w->context, f->first));
}

static struct flow *longest_waiting_sparse(const struct fq_codel *q, const struct wanted *w)
{
	struct flow *best = NULL;

	for (struct flow *f = q->sparse.first; f; f = f->next)
		if ((!best || f->first->arrived < best->first->arrived) && is_wanted(q, f, w))
			best = f;
	return best;
}

static bool sparse_goes_first(const struct fq_codel *q)
{
	return q->sparse.first && (!q->bulk.first || q->overtaken < OVERTAKE * q->quantum);
}

/* Not without end: bulk that nobody wants is not overtaken. */
static void overtake(struct fq_codel *q, uint32_t bytes)
{
	if (!q->bulk.first)
		q->overtaken = 0;
	else if (q->overtaken < OVERTAKE * q->quantum)
		q->overtaken += bytes;
}

/* Charges before it looks again: one that has used up its quantum turns bulk. */
static struct packet *take_sparse(struct fq_codel *q, struct flow *f)
{
	struct packet *p = fq_codel_sent(q, f, fq_codel_pop(q, f));

	overtake(q, p->length);
	if (f->first && fq_codel_has_debt(q, f)) {
		flow_list_remove(&q->sparse, f);
		fq_codel_join_bulk(q, f);
	}
	return p;
}

static void begin_round(struct fq_codel *q, struct flow *f)
{
	f->deficit += (int32_t)q->quantum;
	flow_list_remove(&q->bulk, f);
	flow_list_put_last(&q->bulk, f);
}

/* Once through the list: the first that is wanted and has something left of its quantum. */
static struct flow *bulk_in_round(struct fq_codel *q, const struct wanted *w, bool *is_any)
{
	struct flow *f = q->bulk.first, *next = f;

	for (uint32_t n = q->bulk.length; n; n--, f = next) {
		next = f->next;
		if (!is_wanted(q, f, w))
			continue;
		if (f->deficit > 0)
			return f;
		*is_any = true;
		begin_round(q, f);
	}
	return NULL;
}

/* Deficit round robin over those that are wanted; NULL: none is. */
static struct flow *next_bulk(struct fq_codel *q, const struct wanted *w)
{
	struct flow *f;
	bool is_any;

	do {
		is_any = false;
		f = bulk_in_round(q, w, &is_any);
	} while (!f && is_any);
	return f;
}

static bool mark(struct fq_codel *q, struct packet *p)
{
	if (!q->ecn || !ip_set_ce(p->data, p->length))
		return false;
	p->measured_by = NULL;
	q->counters.ecn_marks++;
	return true;
}

/*
 * What CoDel picks and cannot be marked is dropped; there is always another behind it. NULL: that
 * one is not wanted.
 */
static struct packet *pop_judged(struct fq_codel *q, struct flow *f, const struct wanted *w)
{
	struct packet *p = fq_codel_pop(q, f);

	while (codel_pick(&f->codel, &q->codel, q->now, q->now - p->arrived, f->bytes)) {
		if (mark(q, p))
			break;
		packet_put(q->pool, p);
		q->counters.codel_drops++;
		if (!is_wanted(q, f, w))
			return NULL;
		p = fq_codel_pop(q, f);
	}
	return p;
}

static struct packet *take_from_bulk(struct fq_codel *q, struct flow *f, const struct wanted *w)
{
	struct packet *p = pop_judged(q, f, w);

	if (!p)
		return NULL;
	fq_codel_sent(q, f, p);
	const uint32_t taken_back = OVERTAKE * p->length;
	f->deficit -= (int32_t)p->length;
	q->turn = f;
	q->overtaken -= q->overtaken < taken_back ? q->overtaken : taken_back;
	return p;
}

static struct packet *take_bulk(struct fq_codel *q, const struct wanted *w)
{
	struct packet *p = NULL;
	struct flow *f;

	while (!p && (f = next_bulk(q, w)))
		p = take_from_bulk(q, f, w);
	return p;
}

static struct packet *take(struct fq_codel *q, const struct wanted *w)
{
	struct flow *sparse = longest_waiting_sparse(q, w);
	struct packet *p;

	if (sparse && sparse_goes_first(q))
		return take_sparse(q, sparse);
	p = take_bulk(q, w);
	return p || !sparse ? p : take_sparse(q, sparse);
}

struct packet *fq_codel_dequeue(struct fq_codel *q, sb_time now)
{
	fq_codel_advance(q, now);
	return take(q, &any);
}

struct packet *fq_codel_dequeue_for(struct fq_codel *q, sb_time now, packet_filter *filter,
				    const void *context)
{
	const struct wanted w = {.filter = filter, .context = context};

	fq_codel_advance(q, now);
	return take(q, &w);
}

struct packet *fq_codel_dequeue_bulk(struct fq_codel *q, sb_time now)
{
	fq_codel_advance(q, now);
	return take_bulk(q, &any);
}

struct packet *fq_codel_peek_sparse(struct fq_codel *q, sb_time now, const uint16_t *blocked)
{
	const struct wanted w = {.blocked = blocked};

	fq_codel_advance(q, now);
	const struct flow *f = sparse_goes_first(q) ? longest_waiting_sparse(q, &w) : NULL;
	return f ? f->first : NULL;
}

struct packet *fq_codel_dequeue_sparse(struct fq_codel *q, sb_time now, const struct packet *shown)
{
	struct flow *f = fq_codel_flow_at(q, shown->flow);

	assert(f->sparse && f->first == shown);
	fq_codel_advance(q, now);
	return take_sparse(q, f);
}
