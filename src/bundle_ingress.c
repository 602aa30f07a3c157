/* SPDX-License-Identifier: MIT */
/*
 * Shaping what a peer sends that cannot be asked (A16).
 *
 * Two of our kind ask each other for rates (bundle_shape.h). With any other peer one thing is left:
 * what has come is handed to the host no faster than shape-in says, out of a queue with flow
 * queueing and CoDel. Below the rate of the lines the senders behind the peer then meet their
 * bottleneck here, where flows are kept apart and waits are short, and not in a queue of the
 * peer's. A packet takes the time that it would on a line of that rate.
 */
#define _DEFAULT_SOURCE
#include "src/bundle_shape.h"
#include "src/bundle_state.h"
#include "src/entropy.h"
#include "src/line_shape.h"
#include "src/plan.h"

enum { INGRESS_FLOWS = 256, INGRESS_PACKETS = 512 };
#define BURST (10 * SB_MS) /* what is missed for longer is lost */

/* --- its rate --- */

static unsigned first_line(const struct bundle *b)
{
	unsigned i = 0;

	while (i < CONFIG_MAX_LINES && !b->in_spread[i])
		i++;
	return i;
}

/* Of all lines, if any of them is to be held back and the peer does not do it; else 0. */
static uint64_t wanted_bps(const struct bundle *b)
{
	uint64_t sum = 0;
	bool any = false;

	for (unsigned i = 0; i < CONFIG_MAX_LINES && !b->vendor.up; i++) {
		uint32_t wish = b->in_spread[i] ? bundle_rate_wish(b, i) : 0;

		if (b->in_spread[i])
			sum += wish ? wish : line_bps(b->lines[i]);
		any |= wish > 0;
	}
	return any ? sum : 0;
}

static sb_time time_of(const struct bundle *b, struct bytes packet)
{
	unsigned i = first_line(b);
	struct stripe_line terms;
	double bits = 8.0 * (double)packet.length;

	if (i < CONFIG_MAX_LINES) {
		terms = line_terms(b->lines[i]);
		bits = (double)terms.encoded_length(terms.coding, packet) *
		       terms.clock->bits_per_char;
	}
	return (sb_time)(bits * (double)SB_SEC / (double)b->ingress.bps);
}

/* --- the queue --- */

static bool make_queue(struct bundle *b)
{
	struct bundle_ingress *in = &b->ingress;

	in->pool = packet_pool_new(INGRESS_PACKETS, config_largest_mtu(b->config));
	if (in->pool)
		in->queue = fq_codel_new(&(struct fq_codel_config){
			.pool = in->pool,
			.flows = INGRESS_FLOWS,
			.quantum = b->mtu,
			.limit_packets = INGRESS_PACKETS - 1,
			.limit_bytes = UINT32_MAX,
			.target = 5 * SB_MS, /* until the rate is known */
			.interval = 100 * SB_MS,
			.ecn = b->config->ecn,
			.seed = entropy_u32(NULL),
		});
	return in->queue;
}

void bundle_ingress_free(struct bundle *b)
{
	fq_codel_free(b->ingress.queue);
	packet_pool_free(b->ingress.pool);
	b->ingress = (struct bundle_ingress){0};
}

bool bundle_ingress_takes(struct bundle *b, struct bytes packet, sb_time now)
{
	struct bundle_ingress *in = &b->ingress;
	struct packet *p;

	if (!in->bps || packet.length > packet_pool_size(in->pool))
		return false;
	p = packet_get(in->pool);
	if (!p)
		return false; /* never: the queue holds fewer */
	memcpy(p->data, packet.at, packet.length);
	p->length = (uint32_t)packet.length;
	fq_codel_enqueue(in->queue, now, p);
	return true;
}

static void hand_over(struct bundle *b, struct packet *p, sb_time now)
{
	bundle_hand_over(b, packet_bytes(p), now);
	packet_put(b->ingress.pool, p);
}

/* --- time --- */

static void set_rate(struct bundle *b, uint64_t bps, sb_time now)
{
	struct bundle_ingress *in = &b->ingress;
	double chars_per_sec = (double)bps / 10;
	struct plan_queue plan = plan_queue(b->mtu, &chars_per_sec, 1);

	in->bps = bps;
	fq_codel_set_rate(in->queue, now, bps / 10);
	fq_codel_set_target(in->queue, plan.target, plan.interval);
}

static void flush(struct bundle *b, sb_time now)
{
	struct packet *p;

	b->ingress.bps = 0;
	while (b->ingress.queue && (p = fq_codel_dequeue(b->ingress.queue, now)))
		hand_over(b, p, now);
}

static void drain(struct bundle *b, sb_time now)
{
	struct bundle_ingress *in = &b->ingress;
	struct packet *p;

	while (in->free_at <= now && (p = fq_codel_dequeue(in->queue, now))) {
		in->free_at = sb_time_max(in->free_at, now - BURST) + time_of(b, packet_bytes(p));
		hand_over(b, p, now);
	}
}

void bundle_ingress_run(struct bundle *b, sb_time now)
{
	struct bundle_ingress *in = &b->ingress;
	uint64_t bps = wanted_bps(b);

	if (!bps || (!in->queue && !make_queue(b))) {
		flush(b, now);
		return;
	}
	if (bps != in->bps)
		set_rate(b, bps, now);
	drain(b, now);
}

sb_time bundle_ingress_deadline(const struct bundle *b)
{
	const struct bundle_ingress *in = &b->ingress;

	return in->queue && fq_codel_packets(in->queue) ? in->free_at : SB_NEVER;
}
