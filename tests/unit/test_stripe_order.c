/* SPDX-License-Identifier: MIT */
/*
 * Order of arrival where it is hard to keep: lines of different delay, packets
 * of mixed sizes, floods of tiny ones, bursts of a sparse flow.
 */
#include "tests/unit/stripe_testing.h"

#include "sched/member.h"

static void assert_every_packet_once(const struct world *w, uint32_t flows, uint32_t total)
{
	const struct world_result *r = world_result(w);

	for (uint32_t i = 0; i < flows; i++) {
		ck_assert_uint_eq(r->flows[i].sent, total);
		ck_assert_uint_eq(r->flows[i].arrived, total);
	}
	ck_assert_uint_eq(r->twice, 0);
	ck_assert_uint_eq(world_waiting(w), 0);
}

/* --- delay --- */

static const sb_time delays[][2] = {
	{0, 300 * SB_MS}, {300 * SB_MS, 0}, {50 * SB_MS, 60 * SB_MS}, {SB_SEC, 20 * SB_MS}};
enum { DELAYS = sizeof delays / sizeof *delays };

START_TEST(lines_of_different_delay_keep_order)
{
	const struct world_line lines[] = {
		{.bps = 28800, .delay = delays[_i][0]},
		{.bps = 28800, .delay = delays[_i][1]},
	};
	struct world_config config = busy_lines(lines, 2, 576, 1);
	struct world *w;

	config.window = 80;
	w = world_after(&config, 60 * SB_SEC);
	ck_assert_double_ge(world_efficiency(w), 0.99);
	ck_assert_double_le(part_out_of_order(w), 0.002);
	world_free(w);
}
END_TEST

/* --- sizes --- */

/*
 * 100,000 packets of 44 to 900 bytes of four flows over three lines; on the fast
 * ones a frame's turn is shorter than timers are exact, and nothing waits for order.
 */
static const struct mixed_set {
	struct world_line lines[3];
	double most_late; /* part of the packets */
} mixed_sets[] = {
	{{{.bps = 115200}, {.bps = 57600}, {.bps = 14400}}, 0.02},
	{{{.bps = 3686400}, {.bps = 1843200}, {.bps = 460800}}, 0.2},
};

START_TEST(mixed_sizes_arrive_once_and_mostly_in_order)
{
	const struct mixed_set *set = &mixed_sets[_i];
	struct world_config config = busy_lines(set->lines, 3, 900, 4);
	struct world *w;

	config.least = 44;
	config.total = 25000;
	w = world_new(&config);
	world_run(w, 20000 * SB_SEC);
	assert_every_packet_once(w, 4, 25000);
	ck_assert_double_le(part_out_of_order(w), set->most_late);
	world_free(w);
}
END_TEST

/* Each set of lines: half of a line's time may go to order, and mostly far less does. */
START_TEST(mixed_sizes_of_flows_fill_the_lines)
{
	struct world_config config = busy_set(&rate_sets[_i], 900, 4);
	struct world *w;

	config.least = 44;
	config.window = 25;
	w = world_after(&config, 50 * SB_SEC);
	ck_assert_double_ge(world_efficiency(w), 0.93);
	ck_assert_double_le(part_out_of_order(w), 0.02);
	world_free(w);
}
END_TEST

/* One flow alone has no other's packets to fill the gaps; order comes first. */
START_TEST(mixed_sizes_of_one_flow_keep_order)
{
	struct world_config config = busy_set(&rate_sets[_i], 900, 1);
	struct world *w;

	config.least = 44;
	config.window = 100;
	w = world_after(&config, 50 * SB_SEC);
	ck_assert_double_ge(world_efficiency(w), 0.67);
	ck_assert_double_le(part_out_of_order(w), 0.02);
	world_free(w);
}
END_TEST

/* --- tiny packets --- */

/*
 * While a slow line sends one frame a fast one could send more tiny packets than
 * it has slots. What finds no slot waits; it is not given to the slow line.
 */
START_TEST(full_slots_hold_binding_up)
{
	const struct world_line lines[] = {{.bps = 230400}, {.bps = 2400}};
	struct world_config config = busy_lines(lines, 2, 1500, 1);
	struct world *w;

	config.least = config.most = 44;
	config.window = 1500;
	w = world_after(&config, 10 * SB_SEC);
	ck_assert_uint_ge(world_result(w)->bound, MEMBER_SLOTS * 44);
	ck_assert_double_le(part_out_of_order(w), 0.01);
	/* 46 characters on the wire for 44 bytes; it scores by full packets. */
	ck_assert_double_ge(world_efficiency(w), 0.98 * 44 / 46);
	world_free(w);
}
END_TEST

/* --- bursts of a sparse flow --- */

/* A packet that waits for a line, bound or not, is not overtaken by its own flow's next. */
START_TEST(sparse_bursts_keep_order)
{
	struct world_config config = busy_set(&rate_sets[_i], 900, 2);
	struct world *w;

	config.ping_every = 700 * SB_MS;
	config.ping_burst = 5;
	w = world_after(&config, 300 * SB_SEC);
	ck_assert_uint_ge(world_result(w)->ping_count, 2000);
	ck_assert_uint_le(world_result(w)->pings_out_of_order, world_result(w)->ping_count / 200);
	world_free(w);
}
END_TEST

/* --- flows that are sparse at times --- */

/*
 * With two packets on their way a flow's queue runs empty and it is sparse anew
 * while a packet of it waits, bound or not; that one must not be overtaken.
 */
static const struct {
	unsigned set, flows;
} at_times[] = {{1, 4}, {2, 8}, {3, 4}};
enum { AT_TIMES = sizeof at_times / sizeof *at_times };

START_TEST(flows_sparse_at_times_keep_order)
{
	struct world_config config =
		busy_set(&rate_sets[at_times[_i].set], 900, at_times[_i].flows);
	struct world *w;

	config.window = 2;
	w = world_after(&config, 200 * SB_SEC);
	ck_assert_uint_le(all_flows(world_result(w)).out_of_order, 16);
	world_free(w);
}
END_TEST

/* --- the end --- */

/* The last packet gets through though nothing new comes that would wake the lines. */
START_TEST(last_packet_is_not_forgotten)
{
	struct world_config config = busy_set(&rate_sets[_i / 10], 900, 1);
	struct world *w;

	config.least = 44;
	config.total = 15 + (uint32_t)(_i % 10);
	config.window = config.total;
	config.seed = (uint32_t)_i + 1;
	w = world_new(&config);
	world_run(w, 60 * SB_SEC);
	assert_every_packet_once(w, 1, config.total);
	world_free(w);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("stripe_order");
	TCase *delay = add_case(s, "delay"), *sizes = add_case(s, "sizes");
	TCase *tiny = add_case(s, "tiny"), *sparse = add_case(s, "sparse");
	TCase *end = add_case(s, "end");

	tcase_add_loop_test(delay, lines_of_different_delay_keep_order, 0, DELAYS);
	tcase_add_loop_test(sizes, mixed_sizes_arrive_once_and_mostly_in_order, 0, 2);
	tcase_add_loop_test(sizes, mixed_sizes_of_flows_fill_the_lines, 0, SETS);
	tcase_add_loop_test(sizes, mixed_sizes_of_one_flow_keep_order, 0, SETS);
	tcase_add_test(tiny, full_slots_hold_binding_up);
	tcase_add_loop_test(sparse, sparse_bursts_keep_order, 0, SETS);
	tcase_add_loop_test(sparse, flows_sparse_at_times_keep_order, 0, AT_TIMES);
	tcase_add_loop_test(end, last_packet_is_not_forgotten, 0, SETS * 10);
	return s;
}

int main(void)
{
	return run_suite(suite());
}
