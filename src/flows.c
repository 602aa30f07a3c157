/* SPDX-License-Identifier: MIT */
/*
 * A table that is searched from one end to the other: 64 pairs, told apart first by a
 * hash of both addresses, so that a packet costs some 64 comparisons of a word, which is little
 * beside writing it to a wire. A pair keeps its place, and its total, until it
 * is the one that has been quiet for longest and another needs the place.
 */
#include "src/flows.h"

#include "src/ip_view.h"

#include <stdlib.h>

struct flow {
	uint32_t hash;
	sb_time last_packet; /* instant */
	struct flow_pair pair;
	struct meter out, in;
};

struct flows {
	unsigned count;
	struct flow flows[FLOWS_MAX];
};

struct flows *flows_new(sb_time now)
{
	(void)now;
	return calloc(1, sizeof(struct flows));
}

void flows_free(struct flows *f)
{
	free(f);
}

/* FNV-1a. */
static uint32_t hash_of(uint32_t hash, struct bytes b)
{
	for (size_t i = 0; i < b.length; i++)
		hash = (hash ^ b.at[i]) * 16777619u;
	return hash;
}

static bool is_pair(const struct flow *f, uint32_t hash, struct bytes local, struct bytes remote)
{
	return f->hash == hash && (f->pair.version == 4) == (local.length == 4) &&
	       memcmp(f->pair.local, local.at, local.length) == 0 &&
	       memcmp(f->pair.remote, remote.at, remote.length) == 0;
}

/* A free place, or the quietest one's. */
static struct flow *make_room(struct flows *f)
{
	struct flow *quiet = &f->flows[0];

	if (f->count < FLOWS_MAX)
		return &f->flows[f->count++];
	for (unsigned i = 1; i < f->count; i++)
		if (f->flows[i].last_packet < quiet->last_packet)
			quiet = &f->flows[i];
	return quiet;
}

static struct flow *begin(struct flows *f, sb_time now, uint32_t hash, struct bytes local,
			  struct bytes remote)
{
	struct flow *new = make_room(f);

	*new = (struct flow){.hash = hash, .pair.version = local.length == 4 ? 4 : 6};
	memcpy(new->pair.local, local.at, local.length);
	memcpy(new->pair.remote, remote.at, remote.length);
	meter_init(&new->out, now);
	meter_init(&new->in, now);
	return new;
}

static struct flow *find(struct flows *f, sb_time now, struct bytes local, struct bytes remote)
{
	uint32_t hash = hash_of(hash_of(2166136261u, local), remote);

	for (unsigned i = 0; i < f->count; i++)
		if (is_pair(&f->flows[i], hash, local, remote))
			return &f->flows[i];
	return begin(f, now, hash, local, remote);
}

void flows_add(struct flows *f, sb_time now, struct bytes packet, bool out)
{
	struct ip_view v;
	struct flow *flow;

	if (!ip_view_of(packet, &v))
		return;
	flow = out ? find(f, now, v.from, v.to) : find(f, now, v.to, v.from);
	flow->last_packet = now;
	++*(out ? &flow->pair.packets_out : &flow->pair.packets_in);
	meter_add(out ? &flow->out : &flow->in, now, packet.length);
}

/* Of those that are equally busy the one that ever moved more. */
static int busiest_first(const void *a, const void *b)
{
	const struct flow_pair *p = a, *q = b;
	double ours = p->out.over_10s + p->in.over_10s, others = q->out.over_10s + q->in.over_10s;
	uint64_t our_total = p->out.total + p->in.total, other_total = q->out.total + q->in.total;

	if (ours != others)
		return ours < others ? 1 : -1;
	return our_total < other_total ? 1 : our_total > other_total ? -1 : 0;
}

unsigned flows_read(struct flows *f, sb_time now, struct flow_pair to[static FLOWS_MAX])
{
	for (unsigned i = 0; i < f->count; i++) {
		struct flow *flow = &f->flows[i];

		to[i] = flow->pair;
		to[i].out = meter_read(&flow->out, now);
		to[i].in = meter_read(&flow->in, now);
	}
	qsort(to, f->count, sizeof(*to), busiest_first);
	return f->count;
}
