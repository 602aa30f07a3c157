/* SPDX-License-Identifier: MIT */
/*
 * Multilink in the simulated world, bulk alone: all lines full, each carrying its
 * share, packets whole, and everything in order at the other end.
 */
#include "tests/unit/multilink_testing.h"

static const uint32_t mtus[] = {296, 900, 1500};
static const unsigned flow_counts[] = {1, 4};
enum { VARIANTS = 6 }; /* of MTU and number of flows */

static struct world_config variant(int i)
{
	return busy_multilink_set(&multilink_sets[i / VARIANTS], mtus[i / 2 % 3],
				  flow_counts[i % 2]);
}

/* A clearly slower line shares its packets with another, if they are large. */
static double most_pieces(const struct world_config *c)
{
	bool slow_line = c->lines[0].bps >= 4 * c->lines[c->line_count - 1].bps;

	return slow_line && c->mtu >= 900 ? 2.02 : 1.02;
}

/* The limit is one multilink header and frame for each packet. */
START_TEST(saturated_lines_are_full_in_share_and_in_order)
{
	const struct world_config config = variant(_i);
	struct world *w = world_after(&config, 120 * SB_SEC);
	const struct world_result *r = world_result(w);

	ck_assert_double_ge(world_efficiency(w), 0.98);
	ck_assert_double_le(world_efficiency(w), 1.01);
	assert_shares(w, config.lines, config.line_count, 0.02);
	assert_sound(w);
	ck_assert_uint_ge(r->pieces, all_flows(r).arrived - config.window * config.bulk_flows);
	ck_assert_double_le(r->pieces, most_pieces(&config) * all_flows(r).arrived);
	ck_assert_uint_eq(r->plain_pieces, 0);
	world_free(w);
}
END_TEST

/* A TCP that has just begun, or has lost something, has few packets under way. */
START_TEST(small_windows_fill_the_lines)
{
	static const unsigned windows[] = {2, 3, 4, 6, 8, 12, 16};
	struct world_config config = busy_multilink_set(&multilink_sets[_i], 900, 1);

	for (unsigned i = 0; i < sizeof(windows) / sizeof(*windows); i++) {
		config.window = windows[i];
		ck_assert_double_ge(efficiency_of(&config, 60 * SB_SEC), 0.97);
	}
}
END_TEST

/* Sizes that differ must not leave lines dry either. */
START_TEST(mixed_sizes_fill_the_lines)
{
	struct world_config config = busy_multilink_set(&multilink_sets[_i], 900, 4);
	const struct world_line *lines = config.lines;
	struct world *w;

	config.least = 100;
	w = world_after(&config, 60 * SB_SEC);
	/* the overhead is that of packets of 500 bytes on average */
	ck_assert_double_ge(world_efficiency(w), 0.97);
	assert_shares(w, lines, config.line_count, 0.02);
	assert_sound(w);
	world_free(w);
}
END_TEST

static struct world_line many[WORLD_MAX_LINES];

static struct world_config many_lines(unsigned window)
{
	struct world_config config;

	for (unsigned i = 0; i < WORLD_MAX_LINES; i++)
		many[i].bps = 38400;
	config = busy_multilink(many, WORLD_MAX_LINES, 900, 1);
	config.window = window;
	return config;
}

START_TEST(thirty_two_lines)
{
	struct world_config config = many_lines(80);
	struct world *w = world_after(&config, 30 * SB_SEC);

	ck_assert_double_ge(world_efficiency(w), 0.98);
	assert_shares(w, many, WORLD_MAX_LINES, 0.02);
	assert_sound(w);
	world_free(w);
}
END_TEST

/* With fewer packets under way than lines, whole ones would leave some of them dry. */
START_TEST(few_packets_still_use_all_lines)
{
	struct world_config config = many_lines(20);
	double efficiency;

	efficiency = efficiency_of(&config, 30 * SB_SEC);
	ck_assert_double_ge(efficiency, 0.80);
}
END_TEST

/* A ping now and then must not tip a busy bundle into cutting for good. */
START_TEST(a_ping_does_not_make_it_cut_all_packets)
{
	struct world_config config = many_lines(80);
	struct world *w;

	config.ping_every = 200 * SB_MS;
	w = world_after(&config, 30 * SB_SEC);
	ck_assert_double_ge(world_efficiency(w), 0.97);
	assert_sound(w);
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
	ck_assert_double_ge(world_efficiency(w), 0.96);
	assert_sound(w);
	world_free(w);
}
END_TEST

/* A line with 300 ms more on its way holds the order back, not the lines. */
START_TEST(unequal_delays)
{
	const struct world_line lines[] = {{.bps = 28800}, {.bps = 28800, .delay = 300 * SB_MS}};
	const struct world_config config = busy_multilink(lines, 2, 900, 1);
	struct world *w = world_after(&config, 60 * SB_SEC);

	ck_assert_double_ge(world_efficiency(w), 0.98);
	assert_sound(w);
	world_free(w);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("multilink");
	TCase *full = add_case(s, "full"), *large = add_case(s, "many lines");
	TCase *odd = add_case(s, "late and far");

	tcase_add_loop_test(full, saturated_lines_are_full_in_share_and_in_order, 0,
			    MULTILINK_SETS * VARIANTS);
	tcase_add_loop_test(full, small_windows_fill_the_lines, 0, MULTILINK_SETS);
	tcase_add_loop_test(full, mixed_sizes_fill_the_lines, 0, MULTILINK_SETS);
	tcase_add_test(large, thirty_two_lines);
	tcase_add_test(large, few_packets_still_use_all_lines);
	tcase_add_test(large, a_ping_does_not_make_it_cut_all_packets);
	tcase_add_loop_test(odd, hiccups_cost_little, 0, MULTILINK_SETS * VARIANTS);
	tcase_add_test(odd, unequal_delays);
	return s;
}

int main(void)
{
	return run_suite(suite());
}
