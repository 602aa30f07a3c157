/* SPDX-License-Identifier: MIT */
/*
 * Which queue a packet goes to.
 *
 * Queues are in sets of eight, and a flow may have any of its set's, as lines of a cache are
 * found: up to eight flows never share one, whatever their hashes, and a hundred hardly ever. The
 * hash names the set and in it the flow's home, which is looked at first. Each queue remembers the
 * hash of the flow that it serves, while it is idle too, so that who comes back finds its debt. In
 * this order:
 *
 *   1. the queue that remembers the flow;
 *   2. its home, if guests (see 4) have packets there;
 *   3. an idle queue: the one whose debt is gone for longest or, if all have some, is the least.
 *      So those never used are first, and those lately used are remembered. A debt that is left
 *      stays with the queue: no flow gains by driving out another;
 *   4. its home, as a guest, for all eight are busy. That is a collision.
 *
 * A flow's packets are never in two queues at once, or the later ones might overtake. A busy queue
 * remembers its own flow, whoever is a guest there. And where a guest went once it goes again, free
 * queues or not, until the last guest's packet has left; 2 is for that. A flow that has nothing
 * waiting may be sent to its home by this while there are free queues, but only while nine of one
 * set are, or lately were, busy.
 */
#include "sched/fq_codel_state.h"

#include "sched/ip.h"

static struct flow *home_of(const struct fq_codel *q, uint32_t hash)
{
	return &q->flows[hash & q->flow_mask];
}

/* Of the set that begins at `set`: the i-th from `home` on. */
static struct flow *way(struct flow *set, const struct flow *home, uint32_t i)
{
	return &set[((uint32_t)(home - set) + i) % FQ_CODEL_WAYS];
}

static struct flow *remembering(struct flow *set, const struct flow *home, uint32_t hash)
{
	for (uint32_t i = 0; i < FQ_CODEL_WAYS; i++)
		if (way(set, home, i)->hash == hash)
			return way(set, home, i);
	return NULL;
}

static struct flow *longest_clear(struct flow *set, const struct flow *home)
{
	struct flow *best = NULL;

	for (uint32_t i = 0; i < FQ_CODEL_WAYS; i++) {
		struct flow *f = way(set, home, i);
		if (!f->first && (!best || f->clear_at < best->clear_at))
			best = f;
	}
	return best;
}

static struct flow *be_guest(struct fq_codel *q, struct flow *home)
{
	q->counters.collisions++;
	home->guests++;
	return home;
}

struct flow *fq_codel_place(struct fq_codel *q, uint32_t hash)
{
	struct flow *home = home_of(q, hash);
	struct flow *set = home - (home - q->flows) % FQ_CODEL_WAYS;
	struct flow *f = remembering(set, home, hash);

	if (f) {
		q->counters.way_hits += f != home;
		return f;
	}
	f = home->guests ? NULL : longest_clear(set, home);
	if (!f)
		return be_guest(q, home);
	q->counters.way_misses++;
	f->hash = hash;
	return f;
}

void fq_codel_guest_leaves(const struct fq_codel *q, struct flow *f, const struct packet *p)
{
	if (f->guests && ip_flow_hash(packet_bytes(p), q->seed) != f->hash)
		f->guests--;
}
