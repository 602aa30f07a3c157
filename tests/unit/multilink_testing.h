/* SPDX-License-Identifier: MIT */
/* What the tests of multilink share: sets of lines, and worlds of multilink made of them. */
#ifndef TESTS_UNIT_MULTILINK_TESTING_H
#define TESTS_UNIT_MULTILINK_TESTING_H

#include "tests/sim/sender.h"
#include "tests/unit/stripe_testing.h"

/* Rates in bps; the fastest is the first. */
static const struct rate_set multilink_sets[] = {
	{"2x38400", 2, {{.bps = 38400}, {.bps = 38400}}},
	{"4x38400", 4, {{.bps = 38400}, {.bps = 38400}, {.bps = 38400}, {.bps = 38400}}},
	{"28800+14400", 2, {{.bps = 28800}, {.bps = 14400}}},
	{"57600+14400", 2, {{.bps = 57600}, {.bps = 14400}}},
	{"115200+9600", 2, {{.bps = 115200}, {.bps = 9600}}},
	{"4x9600", 4, {{.bps = 9600}, {.bps = 9600}, {.bps = 9600}, {.bps = 9600}}},
};
enum { MULTILINK_SETS = sizeof multilink_sets / sizeof *multilink_sets };

/* As busy_lines, by multilink, with the defaults of the program. */
static inline struct world_config busy_multilink(const struct world_line *lines, unsigned count,
						 uint32_t mtu, unsigned flows)
{
	struct world_config config = busy_lines(lines, count, mtu, flows);

	config.multilink = true;
	config.max_fragment_delay = 50 * SB_MS;
	config.heartbeat = SB_SEC;
	return config;
}

static inline struct world_config busy_multilink_set(const struct rate_set *set, uint32_t mtu,
						     unsigned flows)
{
	return busy_multilink(set->lines, set->count, mtu, flows);
}

/* What holds whatever the lines do, as long as none is cut. */
static inline void assert_sound(const struct world *w)
{
	const struct world_result *r = world_result(w);

	ck_assert_uint_eq(r->numbers_fell, 0);
	ck_assert_uint_eq(r->given_up, 0);
	ck_assert_uint_eq(r->twice, 0);
	ck_assert_uint_eq(r->lost, 0);
	ck_assert_uint_eq(all_flows(r).out_of_order, 0);
	ck_assert_uint_eq(r->pings_out_of_order, 0);
}

static inline uint32_t packets_in_pieces(const struct world_result *r)
{
	return all_flows(r).arrived + r->ping_count - r->plain_pieces;
}

/* --- by hand: a multilink whose lines are asked one at a time --- */

enum { HAND_MTU = 1500, HAND_FLOWS = 1024, HAND_POOL = 64 };
#define HAND_T0 (1000 * SB_SEC)

struct hand {
	struct packet_pool *pool;
	struct tiers *queue;
	struct multilink *multilink;
	struct line_clock clocks[4];
	uint32_t mru;
};

static inline size_t hand_plain_length(const void *coding, struct bytes packet)
{
	(void)coding;
	return packet.length + SIM_PLAIN_OVERHEAD;
}

static inline void hand_line_up(struct hand *h, unsigned line, uint32_t bps)
{
	line_clock_init(&h->clocks[line], bps, 10, HAND_T0);
	multilink_line_up(h->multilink, line,
			  &(struct stripe_line){
				  .clock = &h->clocks[line],
				  .encoded_length = hand_plain_length,
				  .fragment_overhead = SIM_FRAGMENT_OVERHEAD,
				  .mru = h->mru,
			  },
			  HAND_T0);
}

/* No heartbeat; sparse packets bound the others' pieces to 50 ms. */
static inline void hand_set_up(struct hand *h, unsigned lines, uint32_t bps)
{
	*h = (struct hand){.pool = packet_pool_new(HAND_POOL, HAND_MTU)};
	h->queue = tiers_new(&(struct tiers_config){.queue = {
							    .pool = h->pool,
							    .flows = HAND_FLOWS,
							    .quantum = HAND_MTU,
							    .limit_packets = HAND_POOL,
							    .limit_bytes = HAND_POOL * HAND_MTU,
							    .target = 1000 * SB_SEC,
							    .interval = 2000 * SB_SEC,
						    }});
	tiers_set_rate(h->queue, lines * bps / 10);
	h->multilink = multilink_new(&(struct multilink_config){
		.pool = h->pool,
		.queue = h->queue,
		.mtu = HAND_MTU,
		.max_fragment_delay = 50 * SB_MS,
	});
	ck_assert(h->pool && h->queue && h->multilink);
	for (unsigned i = 0; i < lines; i++)
		hand_line_up(h, i, bps);
}

/* Whatever a test did, every packet is back in the pool at the end. */
static inline void hand_tear_down(struct hand *h)
{
	unsigned n = 0;

	multilink_free(h->multilink);
	tiers_free(h->queue);
	while (packet_get(h->pool))
		n++;
	ck_assert_uint_eq(n, HAND_POOL);
	packet_pool_free(h->pool);
}

/* A packet of that flow, IPv4 and UDP. */
static inline void hand_put(struct hand *h, uint8_t flow, uint32_t length, sb_time now)
{
	struct packet *p = packet_get(h->pool);

	ck_assert(p && length >= 28);
	memset(p->data, 0, length);
	p->data[0] = 0x45;
	p->data[9] = 17;
	p->data[21] = flow;
	p->length = length;
	tiers_enqueue(h->queue, now, p);
}

static inline size_t hand_characters(const struct piece *piece)
{
	return piece->length + (piece->plain ? SIM_PLAIN_OVERHEAD : SIM_FRAGMENT_OVERHEAD);
}

/* Asks the line, whose port takes nothing of the frame yet: the packet is held. */
static inline bool hand_pull_held(struct hand *h, unsigned line, sb_time now, struct piece *piece)
{
	if (!multilink_pull(h->multilink, line, now, piece))
		return false;
	multilink_line_unsent(h->multilink, line, hand_characters(piece));
	return true;
}

/* Asks the line, which then has sent the frame whole. */
static inline bool hand_pull(struct hand *h, unsigned line, sb_time now, struct piece *piece)
{
	if (!hand_pull_held(h, line, now, piece))
		return false;
	multilink_line_unsent(h->multilink, line, 0);
	line_clock_sent(&h->clocks[line], now, hand_characters(piece));
	if (piece->packet)
		packet_put(h->pool, piece->packet);
	return true;
}

#endif
