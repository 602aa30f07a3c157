/* SPDX-License-Identifier: MIT */
/* What the tests of the stripe share: the sets of lines, and worlds made of them. */
#ifndef TESTS_UNIT_STRIPE_TESTING_H
#define TESTS_UNIT_STRIPE_TESTING_H

#include <check.h>
#include <stdlib.h>

#include "tests/sim/world.h"

/* Rates in bps; the fastest is the first. */
struct rate_set {
	const char *name;
	unsigned count;
	struct world_line lines[4];
};

static const struct rate_set rate_sets[] = {
	{"28800+14400", 2, {{.bps = 28800}, {.bps = 14400}}},
	{"57600+14400", 2, {{.bps = 57600}, {.bps = 14400}}},
	{"115200+9600", 2, {{.bps = 115200}, {.bps = 9600}}},
	{"33600+9600", 2, {{.bps = 33600}, {.bps = 9600}}},
	{"28800+28800", 2, {{.bps = 28800}, {.bps = 28800}}},
	{"115200+57600+9600", 3, {{.bps = 115200}, {.bps = 57600}, {.bps = 9600}}},
	{"4x9600", 4, {{.bps = 9600}, {.bps = 9600}, {.bps = 9600}, {.bps = 9600}}},
};
enum { SETS = sizeof rate_sets / sizeof *rate_sets, TWO_LINE_SETS = 5 };

/* `flows` closed loops that keep the lines busy; wake-ups are late by 150 us. */
static inline struct world_config busy_lines(const struct world_line *lines, unsigned count,
					     uint32_t mtu, unsigned flows)
{
	return (struct world_config){
		.lines = lines,
		.line_count = count,
		.mtu = mtu,
		.lateness = 150 * SB_US,
		.bulk_flows = flows,
		.window = 40 / flows,
		.ack_delay = 5 * SB_MS,
		.seed = 7,
	};
}

static inline struct world_config busy_set(const struct rate_set *set, uint32_t mtu,
					   unsigned flows)
{
	return busy_lines(set->lines, set->count, mtu, flows);
}

/* A world after `length`, its first 10 s not scored. */
static inline struct world *world_after(const struct world_config *config, sb_time length)
{
	struct world *w = world_new(config);

	world_run(w, 10 * SB_SEC);
	world_restart_score(w);
	world_run(w, 10 * SB_SEC + length);
	return w;
}

static inline double efficiency_of(const struct world_config *config, sb_time length)
{
	struct world *w = world_after(config, length);
	double efficiency = world_efficiency(w);

	world_free(w);
	return efficiency;
}

static inline struct world_flow all_flows(const struct world_result *r)
{
	struct world_flow all = {0};

	for (unsigned i = 0; i < WORLD_MAX_FLOWS; i++) {
		all.sent += r->flows[i].sent;
		all.arrived += r->flows[i].arrived;
		all.out_of_order += r->flows[i].out_of_order;
		all.far_behind += r->flows[i].far_behind;
		all.bytes += r->flows[i].bytes;
	}
	return all;
}

static inline double part_out_of_order(const struct world *w)
{
	const struct world_flow all = all_flows(world_result(w));

	ck_assert_uint_gt(all.arrived, 0);
	return (double)all.out_of_order / all.arrived;
}

/* The line's part of all characters handed over, less its part of the rates. */
static inline double share_error(const struct world *w, const struct world_line *lines,
				 unsigned count, unsigned line)
{
	const struct world_result *r = world_result(w);
	double characters = 0, bps = 0;

	for (unsigned i = 0; i < count; i++) {
		characters += (double)r->line_characters[i];
		bps += lines[i].bps;
	}
	return (double)r->line_characters[line] / characters - lines[line].bps / bps;
}

static inline void assert_shares(const struct world *w, const struct world_line *lines,
				 unsigned count, double tolerance)
{
	for (unsigned i = 0; i < count; i++) {
		ck_assert_double_le(share_error(w, lines, count, i), tolerance);
		ck_assert_double_ge(share_error(w, lines, count, i), -tolerance);
	}
}

/* Simulated minutes take a second at most, but not on every machine. */
static inline TCase *add_case(Suite *s, const char *name)
{
	TCase *c = tcase_create(name);

	tcase_set_timeout(c, 60);
	suite_add_tcase(s, c);
	return c;
}

static inline int run_suite(Suite *s)
{
	SRunner *runner = srunner_create(s);
	int failed;

	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
