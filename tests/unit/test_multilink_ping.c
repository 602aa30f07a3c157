/* SPDX-License-Identifier: MIT */
/*
 * Multilink, bulk and a ping: how long a sparse packet waits, what it costs the bulk,
 * and that no packet overtakes its own flow.
 */
#include "tests/unit/multilink_testing.h"

static struct world_config loaded(const struct rate_set *set, uint32_t mtu, unsigned flows,
				  sb_time every)
{
	struct world_config config = busy_multilink_set(set, mtu, flows);

	config.ping_every = every;
	return config;
}

/* The first packets of new flows all go first: a ping among them waits for long. */
static struct world *settled(const struct world_config *config, sb_time length)
{
	struct world *w = world_new(config);

	world_run(w, 40 * SB_SEC);
	world_restart_score(w);
	world_run(w, 40 * SB_SEC + length);
	return w;
}

static double settled_efficiency(const struct world_config *config, sb_time length)
{
	struct world *w = settled(config, length);
	double efficiency = world_efficiency(w);

	world_free(w);
	return efficiency;
}

static const uint32_t mtus[] = {900, 1500};
static const unsigned flow_counts[] = {1, 4};
static const sb_time intervals[] = {200 * SB_MS, SB_SEC};
enum { VARIANTS = 8 };

static struct world_config variant(int i)
{
	return loaded(&multilink_sets[i / VARIANTS], mtus[i / 4 % 2], flow_counts[i / 2 % 2],
		      intervals[i % 2]);
}

/* The lead twice (what the port has, and what is sooner elsewhere), a piece, the ping itself. */
static sb_time ping_bound(const struct world_config *c)
{
	return (2 * 64 + 84 + SIM_PLAIN_OVERHEAD) * 10 * SB_SEC / c->lines[0].bps +
	       c->max_fragment_delay + 10 * SB_MS;
}

START_TEST(a_ping_waits_for_one_piece)
{
	struct world_config config = variant(_i);
	struct world *w = settled(&config, 120 * SB_SEC);

	ck_assert_int_le(world_ping_percentile(w, 95), ping_bound(&config));
	assert_sound(w);
	world_free(w);
}
END_TEST

/* Of what it has alone; the efficiency leaves out what the pings take. */
START_TEST(bulk_keeps_its_part)
{
	struct world_config config = variant(_i);
	double beside = settled_efficiency(&config, 120 * SB_SEC), alone;

	config.ping_every = 0;
	alone = settled_efficiency(&config, 120 * SB_SEC);
	ck_assert_double_ge(beside, 0.90 * alone);
}
END_TEST

/* The figures asked for: 28800 + 14400, there and back, the way back idle. */
START_TEST(modem_pair_round_trip)
{
	const struct world_line *lines = multilink_sets[2].lines;
	struct world_config config = loaded(&multilink_sets[2], mtus[_i], 1, 200 * SB_MS);
	struct world *w = settled(&config, 120 * SB_SEC);
	sb_time back = (84 + SIM_PLAIN_OVERHEAD) * 10 * SB_SEC / lines[0].bps;
	double all_bytes = (28800 + 14400) / 10.0 * 120;

	ck_assert_int_le(world_ping_percentile(w, 95) + back, 150 * SB_MS);
	ck_assert_double_ge((double)world_result(w)->bulk_bytes, 0.85 * all_bytes);
	world_free(w);
}
END_TEST

/* Voice, 30 % of all, beside eight bulk flows: three times its fair share. */
static sb_time voice_wait(uint8_t tos)
{
	struct world_config config = loaded(&multilink_sets[2], 900, 8, 160 * SB_MS);
	struct world *w;
	sb_time wait;

	config.ping_size = 200;
	config.ping_tos = tos;
	w = settled(&config, 120 * SB_SEC);
	assert_sound(w);
	ck_assert_double_ge(world_efficiency(w), 0.90);
	wait = world_ping_percentile(w, 95);
	world_free(w);
	return wait;
}

START_TEST(urgent_packets_need_not_be_few)
{
	enum { EF = 46 << 2 };

	ck_assert_int_le(voice_wait(EF), 200 * SB_MS);
	ck_assert_int_gt(voice_wait(0), 500 * SB_MS);
}
END_TEST

/* Only the line that carries them cuts its frames. */
START_TEST(other_lines_go_on_with_whole_packets)
{
	struct world_config config = loaded(&multilink_sets[_i], 900, 1, 200 * SB_MS);
	struct world *w = settled(&config, 120 * SB_SEC);
	const struct world_result *r = world_result(w);
	unsigned short_ones = 0;

	for (unsigned i = 0; i < config.line_count; i++) {
		short_ones += r->longest_piece[i] <= config.max_fragment_delay;
	}
	ck_assert_uint_eq(short_ones, 1);
	world_free(w);
}
END_TEST

/* And only while they come. */
START_TEST(cutting_ends_with_the_pings)
{
	struct world_config config = loaded(&multilink_sets[_i], 900, 1, 30 * SB_SEC);
	struct world *w = settled(&config, 290 * SB_SEC);
	const struct world_result *r = world_result(w);

	ck_assert_double_le(r->pieces, 1.3 * all_flows(r).arrived);
	world_free(w);
}
END_TEST

/* Bursts, and packets that take a fast line 100 ms: they go over several lines and keep order. */
START_TEST(bursts_of_a_sparse_flow_keep_their_order)
{
	struct world_config config = loaded(&multilink_sets[_i], 900, 2, 2 * SB_SEC);
	struct world *w;

	config.ping_burst = 5;
	config.ping_size = 250;
	w = settled(&config, 120 * SB_SEC);
	ck_assert_uint_gt(world_result(w)->ping_count, 5 * 55);
	assert_sound(w);
	world_free(w);
}
END_TEST

/* A bound of 0 is none: then a ping waits for a whole frame, and nothing is cut for it. */
START_TEST(without_a_bound_nothing_is_cut)
{
	struct world_config config = loaded(&multilink_sets[2], 900, 1, 200 * SB_MS);
	struct world *w;

	config.max_fragment_delay = 0;
	w = settled(&config, 120 * SB_SEC);
	ck_assert_double_ge(world_efficiency(w), 0.98);
	ck_assert_double_le(world_result(w)->pieces, 1.02 * packets_in_pieces(world_result(w)));
	ck_assert_int_gt(world_ping_percentile(w, 95), 250 * SB_MS);
	world_free(w);
}
END_TEST

/* --- by hand --- */

START_TEST(a_sparse_packet_goes_plain_between_pieces)
{
	struct piece piece;
	struct hand h;
	sb_time now = HAND_T0;

	hand_set_up(&h, 1, 28800);
	for (int i = 0; i < 4; i++)
		hand_put(&h, 1, 1500, now);
	for (int i = 0; i < 2; i++) /* the flow's debt is more than a quantum then */
		ck_assert(hand_pull(&h, 0, now += 600 * SB_MS, &piece));
	hand_put(&h, 2, 84, now += 600 * SB_MS);
	ck_assert(hand_pull(&h, 0, now, &piece));
	ck_assert(piece.plain && piece.packet && piece.begin && piece.end);
	ck_assert_uint_eq(piece.length, 84);
	/* 144 characters in 50 ms, 9 of them around the data */
	ck_assert(hand_pull(&h, 0, now += 600 * SB_MS, &piece));
	ck_assert(!piece.plain && piece.begin && !piece.end);
	ck_assert_uint_le(piece.length, 135);
	ck_assert_uint_ge(piece.length, 120);
	hand_put(&h, 2, 84, now += 600 * SB_MS);
	ck_assert(hand_pull(&h, 0, now, &piece));
	ck_assert(piece.plain);
	ck_assert(hand_pull(&h, 0, now + 600 * SB_MS, &piece));
	ck_assert(!piece.plain && !piece.begin);
	hand_tear_down(&h);
}
END_TEST

/* Its first packet is cut over both lines, one of which is busy for long: the second follows. */
START_TEST(a_plain_packet_does_not_overtake_numbered_ones_of_its_flow)
{
	struct piece first, second;
	struct hand h;

	hand_set_up(&h, 2, 9600);
	hand_put(&h, 1, 400, HAND_T0);
	ck_assert(hand_pull(&h, 0, HAND_T0, &first));
	ck_assert(!first.plain && !first.end);
	hand_put(&h, 1, 40, HAND_T0 + SB_MS);
	ck_assert(hand_pull(&h, 0, HAND_T0 + 240 * SB_MS, &second) ||
		  hand_pull(&h, 1, HAND_T0 + 240 * SB_MS, &second));
	ck_assert(!second.plain);
	hand_tear_down(&h);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("multilink_ping");
	TCase *wait = add_case(s, "loaded"), *cost = add_case(s, "cost");
	TCase *order = add_case(s, "order"), *hand = add_case(s, "by hand");

	tcase_add_loop_test(wait, a_ping_waits_for_one_piece, 0, MULTILINK_SETS * VARIANTS);
	tcase_add_loop_test(wait, modem_pair_round_trip, 0, 2);
	tcase_add_test(wait, urgent_packets_need_not_be_few);
	tcase_add_test(wait, without_a_bound_nothing_is_cut);
	tcase_add_loop_test(cost, bulk_keeps_its_part, 0, MULTILINK_SETS * VARIANTS);
	tcase_add_loop_test(cost, other_lines_go_on_with_whole_packets, 0, MULTILINK_SETS);
	tcase_add_loop_test(cost, cutting_ends_with_the_pings, 0, 3);
	tcase_add_loop_test(order, bursts_of_a_sparse_flow_keep_their_order, 0, MULTILINK_SETS);
	tcase_add_test(hand, a_sparse_packet_goes_plain_between_pieces);
	tcase_add_test(hand, a_plain_packet_does_not_overtake_numbered_ones_of_its_flow);
	return s;
}

int main(void)
{
	return run_suite(suite());
}
