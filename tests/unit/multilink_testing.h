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

#endif
