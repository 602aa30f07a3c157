/* SPDX-License-Identifier: MIT */
/*
 * A bundle's one long queue: what it is made for, and how it follows the lines.
 *
 * CoDel's target is one for all lines together (src/plan.c), since together they empty the queue:
 * at least three times what a frame takes of them all, where 1.5 and no less than 5 ms would do. A
 * tier that gets a part of the rate has longer ones (sched/tiers.c).
 */
#define _DEFAULT_SOURCE
#include "src/bundle_state.h"
#include "src/entropy.h"
#include "src/plan.h"
#include "src/text.h"

#include <string.h>

enum {
	FLOWS = 1024,
	QUEUE_PACKETS = 1024,
	SPARE_LINES = 16,     /* that may be added later, and remember what they sent */
	BOUND_PACKETS = 1024, /* more than a horizon holds */
};

/* But for the seed. */
static struct tiers_config queue_config(const struct bundle *b)
{
	const struct config *config = b->config;
	struct plan_queue plan = plan_queue(config->mtu, NULL, 0); /* until lines are up */
	uint64_t most = config->queue_bytes ? config->queue_bytes : QUEUE_PACKETS * config->mtu;
	struct tiers_config c = {
		.limit_time = config->queue_time,
		.scheme = config->scheme,
		.wash = config->wash,
	};

	c.queue = (struct fq_codel_config){
		.pool = b->pool,
		.flows = FLOWS,
		.quantum = config->mtu,
		.limit_packets = QUEUE_PACKETS,
		.limit_bytes = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX,
		.target = plan.target,
		.interval = plan.interval,
		.ecn = config->ecn,
	};
	memcpy(c.tiers, config->tiers, sizeof(c.tiers));
	return c;
}

bool bundle_queue_make(struct bundle *b)
{
	const struct config *config = b->config;
	size_t lines = config->line_count > SPARE_LINES ? config->line_count : SPARE_LINES;
	size_t packets = QUEUE_PACKETS + BOUND_PACKETS + LINE_SENT * lines;
	struct tiers_config c;

	b->pool = packet_pool_new(packets, config_largest_mtu(config));
	if (!b->pool)
		return false;
	c = queue_config(b);
	c.queue.seed = entropy_u32(NULL);
	b->queue = tiers_new(&c);
	return b->queue;
}

void bundle_queue_reconfigure(struct bundle *b)
{
	struct tiers_config c = queue_config(b);

	tiers_configure(b->queue, &c);
}

void bundle_queue_tune(struct bundle *b)
{
	double rates[CONFIG_MAX_LINES], sum = spread_rate(&b->spread);
	char target[TEXT_UNIT_SIZE], interval[TEXT_UNIT_SIZE];
	struct plan_queue plan;
	unsigned n = 0;

	if (sum == b->rate || sum == 0)
		return;
	b->rate = sum;
	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++)
		if (b->in_spread[i])
			rates[n++] = b->lines[i]->clock.bps / b->lines[i]->clock.bits_per_char;
	plan = plan_queue(b->mtu, rates, n);
	log_say(b->log, LOG_DEBUG, "queue: %.0f B/s together, target %s, interval %s", sum,
		text_time(target, plan.target), text_time(interval, plan.interval));
	tiers_set_target(b->queue, plan.target, plan.interval);
	tiers_set_rate(b->queue, (uint64_t)sum);
}
