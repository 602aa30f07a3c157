/* SPDX-License-Identifier: MIT */
/*
 * What holds for any lines and any load, in the simulated world: random sets of lines, rates up to
 * 100:1, random sizes, flows and shares of tiers; whole packets and multilink.
 */
#include "tests/unit/multilink_testing.h"

#include <math.h>

enum { VARIETIES = 6, MOST_LINES = 6, SMALL_MTU = 296, IN_FLIGHT = 400, MIXED_IN_FLIGHT = 1600 };
enum { PER_TIER = 4, MIXED_FLOWS = PER_TIER * TIERS };

static const uint8_t tos_of_tier[TIERS] = {46 << 2, 0, 8 << 2};

static uint32_t random_state;

/* xorshift32; below n. */
static uint32_t random_below(uint32_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return random_state % n;
}

/* A load of random lines: two 10:1 or 100:1 at least, the others between them. */
struct variety {
	struct world_line lines[MOST_LINES];
	unsigned count;
	uint8_t tos[MIXED_FLOWS];
	struct tier_config tiers[TIERS];
	struct world_config config;
};

static void choose_lines(struct variety *v, double least, double most)
{
	v->count = 2 + random_below(MOST_LINES - 1);
	for (unsigned i = 0; i < v->count; i++) {
		double part = i < 2 ? i : random_below(1001) / 1000.0;

		v->lines[i] = (struct world_line){
			.bps = (uint32_t)(most * pow(least / most, part)),
		};
	}
}

/* Even ones are whole packets, odd ones multilink. */
static void choose(struct variety *v, int i, unsigned flows)
{
	*v = (struct variety){0};
	random_state = 77 + (uint32_t)i / 2 * 977;
	choose_lines(v, 1200, i / 2 % 2 ? 120000 : 12000);
	v->config = i % 2 ? busy_multilink(v->lines, v->count, SMALL_MTU, flows)
			  : busy_lines(v->lines, v->count, SMALL_MTU, flows);
	v->config.window = IN_FLIGHT / flows;
	v->config.seed = random_state;
}

/* --- lines --- */

/* What the line carried of what it could in that time. */
static double fullness(const struct world *w, const struct world_line *line, unsigned i,
		       sb_time length)
{
	double could = line->bps / 10.0 * (double)length / (double)SB_SEC;

	return (double)world_result(w)->line_characters[i] / could;
}

static void assert_full(const struct world *w, const struct variety *v, sb_time length,
			double least)
{
	for (unsigned i = 0; i < v->count; i++) {
		ck_assert_double_ge(fullness(w, &v->lines[i], i, length), least);
		ck_assert_double_le(fullness(w, &v->lines[i], i, length), 1.005);
	}
}

/* Work is conserved on each of them, so that none is starved and shares are those of the rates. */
START_TEST(lines_are_full_and_each_has_its_share)
{
	struct variety v;
	struct world *w;

	choose(&v, _i, 1 + (unsigned)_i / 2 % 4);
	w = world_after(&v.config, 100 * SB_SEC);
	assert_shares(w, v.lines, v.count, 0.01);
	assert_full(w, &v, 100 * SB_SEC, 0.96);
	ck_assert_uint_eq(world_result(w)->twice, 0);
	world_free(w);
}
END_TEST

static struct world *world_of_all_sizes(struct variety *v)
{
	v->config.least = 60;
	return world_after(&v->config, 60 * SB_SEC);
}

START_TEST(numbered_packets_of_all_sizes_fill_the_lines_too)
{
	struct variety v;
	struct world *w;

	choose(&v, 2 * _i + 1, 1 + (unsigned)_i % 4);
	w = world_of_all_sizes(&v);
	assert_shares(w, v.lines, v.count, 0.01);
	assert_full(w, &v, 60 * SB_SEC, 0.99);
	world_free(w);
}
END_TEST

/* Nothing but waiting keeps these in order: a line may spend a part of its time on that. */
START_TEST(whole_packets_of_all_sizes_starve_no_line)
{
	struct variety v;
	struct world *w;

	choose(&v, 4 * _i, 1 + (unsigned)_i % 4);
	w = world_of_all_sizes(&v);
	assert_shares(w, v.lines, v.count, 0.05);
	assert_full(w, &v, 60 * SB_SEC, 0.75);
	ck_assert_double_le(part_out_of_order(w), 0.01);
	world_free(w);
}
END_TEST

/* --- tiers --- */

static void choose_tiers(struct variety *v)
{
	uint32_t rest = 1000;

	for (unsigned t = 0; t < TIERS; t++) {
		uint32_t share = t + 1 < TIERS ? 50 + random_below(rest - 50 * (TIERS - t)) : rest;

		v->tiers[t] = (struct tier_config){.share = share, .ceiling = 1000};
		rest -= share;
	}
	for (unsigned f = 0; f < MIXED_FLOWS; f++)
		v->tos[f] = tos_of_tier[f % TIERS];
	v->config.tiers = v->tiers;
	v->config.window = MIXED_IN_FLIGHT / MIXED_FLOWS;
	v->config.bulk_tos = v->tos;
}

static double bytes_of_tier(const struct world *w, unsigned t)
{
	double bytes = 0;

	for (unsigned f = t; f < MIXED_FLOWS; f += TIERS)
		bytes += (double)world_result(w)->flows[f].bytes;
	return bytes;
}

/* Jain's index: 1 when all are equal, 1/n when one has everything. */
static double fairness_in_tier(const struct world *w, unsigned t)
{
	double sum = bytes_of_tier(w, t), squares = 0;

	for (unsigned f = t; f < MIXED_FLOWS; f += TIERS) {
		double bytes = (double)world_result(w)->flows[f].bytes;

		squares += bytes * bytes;
	}
	return sum * sum / (PER_TIER * squares);
}

/* Whatever the lines and the shares are; no flow of any tier is starved. */
START_TEST(A1_tiers_have_their_shares_and_flows_theirs)
{
	struct variety v;
	struct world *w;
	double all = 0;

	choose(&v, _i, MIXED_FLOWS);
	choose_tiers(&v);
	w = world_after(&v.config, 200 * SB_SEC);
	for (unsigned t = 0; t < TIERS; t++)
		all += bytes_of_tier(w, t);
	for (unsigned t = 0; t < TIERS; t++) {
		double error = bytes_of_tier(w, t) / all - v.tiers[t].share / 1000.0;

		ck_assert_double_le(fabs(error), 0.01);
		ck_assert_double_ge(fairness_in_tier(w, t), 0.98);
	}
	assert_full(w, &v, 200 * SB_SEC, 0.95);
	world_free(w);
}
END_TEST

/* A1: beside bulk of the other tiers an EF ping waits for the lead, one frame and itself. */
START_TEST(A1_an_EF_ping_beside_all_others)
{
	const struct rate_set *set = &rate_sets[_i];
	const struct tier_config tiers[TIERS] = {{333, 1000}, {500, 1000}, {167, 1000}};
	static const uint8_t tos[] = {0, 8 << 2, 0, 8 << 2};
	struct world_config config = busy_set(set, 576, 4);
	struct world *w;

	config.tiers = tiers;
	config.bulk_tos = tos;
	config.ping_every = 200 * SB_MS;
	config.ping_tos = 46 << 2;
	w = world_after(&config, 60 * SB_SEC);
	ck_assert_int_le(world_ping_percentile(w, 95),
			 (128 + 576 + 2 * 86) * 10 * SB_SEC / set->lines[0].bps + 15 * SB_MS);
	ck_assert_double_ge(world_efficiency(w), 0.9);
	world_free(w);
}
END_TEST

/* --- multilink, as it is with whole packets (test_stripe.c) --- */

START_TEST(B097_neither_line_is_flooded_by_multilink)
{
	const struct world_line lines[] = {{.bps = 9600}, {.bps = 9600}};
	struct world_config config = busy_multilink(lines, 2, 576, 1);
	struct world *w;

	config.period = (sb_time)(585 * SB_SEC / (1920 * 0.9));
	w = world_new(&config);
	for (sb_time t = 50 * SB_MS; t <= 10 * SB_SEC; t += 50 * SB_MS) {
		world_run(w, t);
		ck_assert_uint_le(world_waiting(w), 2 * 576);
	}
	ck_assert_uint_le(world_result(w)->line_frames[0], 2);
	ck_assert_uint_le(world_result(w)->line_frames[1], 2);
	assert_shares(w, lines, 2, 0.05);
	world_free(w);
}
END_TEST

START_TEST(B106_multilink_is_never_below_the_best_line)
{
	const struct world_line lines[] = {
		{.bps = 33600, .delay = 150 * SB_MS},
		{.bps = 2400, .delay = 1800 * SB_MS},
	};
	struct world_config config = busy_multilink(lines, 2, 576, 1);
	struct world *one, *two;

	config.window = 60;
	two = world_after(&config, 60 * SB_SEC);
	config.line_count = 1;
	one = world_after(&config, 60 * SB_SEC);
	ck_assert_uint_ge(world_result(two)->bulk_bytes, world_result(one)->bulk_bytes * 95 / 100);
	world_free(one);
	world_free(two);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sched_properties");
	TCase *lines = add_case(s, "lines"), *tiers = add_case(s, "tiers");

	tcase_add_loop_test(lines, lines_are_full_and_each_has_its_share, 0, 2 * VARIETIES);
	tcase_add_loop_test(lines, numbered_packets_of_all_sizes_fill_the_lines_too, 0, VARIETIES);
	tcase_add_loop_test(lines, whole_packets_of_all_sizes_starve_no_line, 0, VARIETIES / 2);
	tcase_add_test(lines, B097_neither_line_is_flooded_by_multilink);
	tcase_add_test(lines, B106_multilink_is_never_below_the_best_line);
	tcase_add_loop_test(tiers, A1_tiers_have_their_shares_and_flows_theirs, 0, 2 * VARIETIES);
	tcase_add_loop_test(tiers, A1_an_EF_ping_beside_all_others, 0, SETS);
	return s;
}

int main(void)
{
	return run_suite(suite());
}
