/* SPDX-License-Identifier: MIT */
/*
 * The stripe in the simulated world: that all lines are busy to the full, that
 * each carries its share, and that a ping waits for little.
 */
#include "tests/unit/stripe_testing.h"

static const uint32_t mtus[] = {296, 900};
static const unsigned flow_counts[] = {1, 4};
enum { VARIANTS = 4 }; /* of MTU and number of flows */

static struct world_config variant(int i)
{
	return busy_set(&rate_sets[i / VARIANTS], mtus[i / 2 % 2], flow_counts[i % 2]);
}

/* --- saturated --- */

/* What waits in a port is the lead. */
static void assert_ports_not_deep(const struct world *w, const struct world_config *c)
{
	const uint32_t slowest_bps = c->lines[c->line_count - 1].bps;

	ck_assert_int_le(world_result(w)->deepest, 65 * 10 * SB_SEC / slowest_bps);
	for (unsigned i = 0; i < c->line_count; i++)
		ck_assert_uint_le(world_result(w)->line_frames[i], 2);
}

START_TEST(saturated_lines_are_full_in_share_and_in_order)
{
	const struct world_config config = variant(_i);
	struct world *w = world_after(&config, 60 * SB_SEC);

	ck_assert_double_ge(world_efficiency(w), 0.99);
	ck_assert_double_le(world_efficiency(w), 1.01);
	ck_assert_double_le(part_out_of_order(w), 0.002);
	assert_shares(w, config.lines, config.line_count, 0.01);
	assert_ports_not_deep(w, &config);
	ck_assert_uint_eq(world_result(w)->twice, 0);
	world_free(w);
}
END_TEST

/* One wake-up in 200 comes 20 ms late, more than the lead of a fast line. */
START_TEST(hiccups_cost_little)
{
	struct world_config config = variant(_i);
	struct world *w;

	config.hiccup = 20 * SB_MS;
	w = world_after(&config, 60 * SB_SEC);
	ck_assert_double_ge(world_efficiency(w), 0.97);
	ck_assert_double_le(part_out_of_order(w), 0.025);
	world_free(w);
}
END_TEST

/* --- a ping beside bulk --- */

/* 128: the lead of two lines' worth; an MTU frame on the wire; two pings. */
static sb_time ping_bound(const struct world_config *c)
{
	return (128 + (sb_time)c->mtu + 2 * 86) * 10 * SB_SEC / c->lines[0].bps + 15 * SB_MS;
}

/*
 * 3.5:1: frames of two lines that never find a phase far enough from each other may,
 * beside a ping, wait for order again and again.
 */
static bool ratio_is_odd(const struct world_config *c)
{
	return c->lines[0].bps % c->lines[1].bps != 0;
}

START_TEST(ping_waits_for_one_frame)
{
	struct world_config config = variant(_i);
	struct world *w;

	config.ping_every = 200 * SB_MS;
	w = world_after(&config, 60 * SB_SEC);
	ck_assert_uint_ge(world_result(w)->ping_count, 295);
	ck_assert_int_le(world_ping_percentile(w, 95), ping_bound(&config));
	ck_assert_double_ge(world_efficiency(w), ratio_is_odd(&config) ? 0.9 : 0.98);
	ck_assert_double_le(part_out_of_order(w), 0.02);
	ck_assert_uint_eq(world_result(w)->pings_out_of_order, 0);
	world_free(w);
}
END_TEST

/* The same bound holds on many lines, but a ping there takes more of each. */
START_TEST(ping_on_more_lines)
{
	struct world_config config = variant(TWO_LINE_SETS * VARIANTS + _i);
	struct world *w;

	config.ping_every = 200 * SB_MS;
	w = world_after(&config, 60 * SB_SEC);
	ck_assert_int_le(world_ping_percentile(w, 95), ping_bound(&config));
	ck_assert_double_ge(world_efficiency(w), 0.96);
	ck_assert_double_le(part_out_of_order(w), 0.02);
	world_free(w);
}
END_TEST

/* E8: with nothing else to do, a second line makes a ping no slower. */
START_TEST(E8_idle_ping_is_as_fast_with_two_lines)
{
	struct world_config config = {
		.lines = rate_sets[_i].lines,
		.line_count = 1,
		.mtu = 900,
		.ping_every = SB_SEC,
		.seed = 7,
	};
	struct world *one = world_after(&config, 60 * SB_SEC);
	struct world *two;

	config.line_count = 2;
	two = world_after(&config, 60 * SB_SEC);
	ck_assert_uint_eq(world_result(two)->ping_count, 60);
	ck_assert_int_eq(world_ping_percentile(two, 100), world_ping_percentile(one, 100));
	ck_assert_int_le(world_ping_percentile(two, 100),
			 90 * 10 * SB_SEC / config.lines[0].bps + SB_MS);
	world_free(one);
	world_free(two);
}
END_TEST

/* --- shares --- */

/* E6: wildly different rates, each its share, none starved; alone and with many flows. */
START_TEST(E6_saturated_80_20)
{
	const struct world_config config = busy_set(&rate_sets[1], 576, _i);
	struct world *w = world_after(&config, 60 * SB_SEC);

	assert_shares(w, config.lines, 2, 0.02);
	world_free(w);
}
END_TEST

/* E6, lightly loaded: just more than the window that fills the lines. */
START_TEST(E6_light_80_20)
{
	struct world_config config = busy_set(&rate_sets[1], 576, 1);
	struct world *w;

	config.window = 8;
	w = world_after(&config, 120 * SB_SEC);
	assert_shares(w, config.lines, 2, 0.02);
	world_free(w);
}
END_TEST

/* E23: n equal lines carry n times what one does. */
START_TEST(E23_equal_lines_add_up)
{
	struct world_line lines[4];
	struct world_config config;

	for (unsigned i = 0; i < 4; i++)
		lines[i] = (struct world_line){.bps = 28800};
	config = busy_lines(lines, (unsigned)_i, 576, 2);
	ck_assert_double_ge(efficiency_of(&config, 60 * SB_SEC), 0.99);
}
END_TEST

START_TEST(E23_thirty_two_fast_lines)
{
	struct world_line lines[WORLD_MAX_LINES];
	struct world_config config;
	struct world *w;

	for (unsigned i = 0; i < WORLD_MAX_LINES; i++)
		lines[i] = (struct world_line){.bps = 115200};
	config = busy_lines(lines, WORLD_MAX_LINES, 900, 4);
	config.window = 30;
	w = world_new(&config);
	world_run(w, SB_SEC);
	world_restart_score(w);
	world_run(w, 3 * SB_SEC);
	ck_assert_double_ge(world_efficiency(w), 0.98);
	assert_shares(w, lines, WORLD_MAX_LINES, 0.01);
	ck_assert_double_le(part_out_of_order(w), 0.03); /* nothing waits for order here */
	world_free(w);
}
END_TEST

/* B097: a steady 90 % over equal lines floods neither of them. */
START_TEST(B097_neither_line_is_flooded)
{
	const struct world_line lines[] = {{.bps = 9600}, {.bps = 9600}};
	struct world_config config = busy_lines(lines, 2, 576, 1);
	struct world *w;

	config.period = (sb_time)(578 * SB_SEC / (1920 * 0.9));
	w = world_new(&config);
	for (sb_time t = 50 * SB_MS; t <= 10 * SB_SEC; t += 50 * SB_MS) {
		world_run(w, t);
		ck_assert_uint_le(world_waiting(w), 576);
	}
	ck_assert_uint_le(world_result(w)->line_frames[0], 2);
	ck_assert_uint_le(world_result(w)->line_frames[1], 2);
	ck_assert_uint_ge(all_flows(world_result(w)).arrived, 28);
	assert_shares(w, lines, 2, 0.05);
	world_free(w);
}
END_TEST

/* B106: a line that is slow and far never makes the sum less than the best line alone. */
START_TEST(B106_never_below_the_best_line)
{
	const struct world_line lines[] = {
		{.bps = 33600, .delay = 150 * SB_MS},
		{.bps = 2400, .delay = 1800 * SB_MS},
	};
	struct world_config config = busy_lines(lines, 2, mtus[_i], 1);
	struct world *one, *two;

	config.window = 60;
	two = world_after(&config, 60 * SB_SEC);
	config.line_count = 1;
	one = world_after(&config, 60 * SB_SEC);
	ck_assert_uint_ge(world_result(two)->bulk_bytes, world_result(one)->bulk_bytes * 95 / 100);
	ck_assert_double_ge(world_efficiency(two), 0.97);
	ck_assert_double_le(part_out_of_order(two), 0.002);
	world_free(one);
	world_free(two);
}
END_TEST

/* B102: one stream over unequal lines gets the sum of them, none of it taken for lost. */
START_TEST(B102_one_stream_gets_the_sum)
{
	const struct world_config config = busy_set(&rate_sets[3], 1500, 1);
	struct world *w = world_after(&config, 60 * SB_SEC);

	ck_assert_double_ge(world_efficiency(w), 0.98);
	ck_assert_uint_eq(all_flows(world_result(w)).far_behind, 0);
	world_free(w);
}
END_TEST

/* --- two of them --- */

START_TEST(two_stripes_do_not_disturb_one_another)
{
	struct world_config config = busy_set(&rate_sets[0], 576, 2);
	const struct world_config other = busy_set(&rate_sets[5], 296, 3);
	struct world *alone, *a, *b;

	config.ping_every = 200 * SB_MS;
	alone = world_new(&config);
	world_run(alone, 20 * SB_SEC);
	a = world_new(&config);
	b = world_new(&other);
	for (sb_time t = 0; t <= 20 * SB_SEC; t += 13 * SB_MS) {
		world_run(a, t);
		world_run(b, t);
	}
	world_run(a, 20 * SB_SEC);
	ck_assert_uint_gt(world_result(b)->bulk_bytes, 100000);
	ck_assert_mem_eq(world_result(a), world_result(alone), sizeof(struct world_result));
	world_free(alone);
	world_free(a);
	world_free(b);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("stripe");
	TCase *busy = add_case(s, "busy"), *pings = add_case(s, "pings");
	TCase *shares = add_case(s, "shares"), *two = add_case(s, "two");

	tcase_add_loop_test(busy, saturated_lines_are_full_in_share_and_in_order, 0,
			    SETS * VARIANTS);
	tcase_add_loop_test(busy, hiccups_cost_little, 0, SETS * VARIANTS);
	tcase_add_loop_test(pings, ping_waits_for_one_frame, 0, TWO_LINE_SETS * VARIANTS);
	tcase_add_loop_test(pings, ping_on_more_lines, 0, (SETS - TWO_LINE_SETS) * VARIANTS);
	tcase_add_loop_test(pings, E8_idle_ping_is_as_fast_with_two_lines, 0, TWO_LINE_SETS);
	tcase_add_loop_test(shares, E6_saturated_80_20, 1, 5);
	tcase_add_test(shares, E6_light_80_20);
	tcase_add_loop_test(shares, E23_equal_lines_add_up, 1, 5);
	tcase_add_test(shares, E23_thirty_two_fast_lines);
	tcase_add_test(shares, B097_neither_line_is_flooded);
	tcase_add_loop_test(shares, B106_never_below_the_best_line, 0, 2);
	tcase_add_test(shares, B102_one_stream_gets_the_sum);
	tcase_add_test(two, two_stripes_do_not_disturb_one_another);
	return s;
}

int main(void)
{
	return run_suite(suite());
}
