/* SPDX-License-Identifier: MIT */
/*
 * Few packets on an idle bundle: cut when that is sooner, whole when not, and
 * never slower than over the fastest line alone.
 */
#include "tests/unit/multilink_testing.h"

/* Pings of that size and nothing else, one in 2 s. */
static struct world_config idle_lines(const struct world_line *lines, unsigned count, uint32_t size)
{
	struct world_config config = busy_multilink(lines, count, 1500, 1);

	config.bulk_flows = 0;
	config.lateness = 0;
	config.ping_every = 2 * SB_SEC;
	config.ping_size = size;
	return config;
}

/* One way. */
static sb_time ping_time(const struct world_line *lines, unsigned count, uint32_t size)
{
	struct world_config config = idle_lines(lines, count, size);
	struct world *w = world_new(&config);
	sb_time time;

	world_run(w, 60 * SB_SEC);
	assert_sound(w);
	ck_assert_uint_ge(world_result(w)->ping_count, 25);
	time = world_ping_percentile(w, 100);
	world_free(w);
	return time;
}

START_TEST(a_thousand_bytes_over_four_lines)
{
	const struct world_line lines[] = {
		{.bps = 9600}, {.bps = 9600}, {.bps = 9600}, {.bps = 9600}};

	ck_assert_double_le((double)ping_time(lines, 4, 1000),
			    0.30 * (double)ping_time(lines, 1, 1000));
}
END_TEST

/* (P + n h)/R, but for the last byte of each piece. */
START_TEST(large_packets_take_the_time_of_all_lines_together)
{
	const struct rate_set *set = &multilink_sets[_i];
	double rate = 0, limit;

	for (unsigned i = 0; i < set->count; i++)
		rate += set->lines[i].bps / 10.0;
	limit = (1400 + set->count * SIM_FRAGMENT_OVERHEAD) / rate * (double)SB_SEC;
	ck_assert_double_le((double)ping_time(set->lines, set->count, 1400), 1.02 * limit + SB_MS);
}
END_TEST

/* Of any size: a bundle is no slower than its fastest line. */
START_TEST(small_packets_are_no_slower_than_on_the_fastest_line)
{
	const struct rate_set *set = &multilink_sets[_i];
	static const uint32_t sizes[] = {44, 64, 84, 100, 150, 250, 500};

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		ck_assert_int_le(ping_time(set->lines, set->count, sizes[i]),
				 ping_time(set->lines, 1, sizes[i]));
}
END_TEST

/* A delay of 300 ms on the second line: nothing that is sooner without it goes there. */
START_TEST(a_far_line_is_left_out)
{
	const struct world_line lines[] = {{.bps = 28800}, {.bps = 28800, .delay = 300 * SB_MS}};

	ck_assert_int_le(ping_time(lines, 2, 500), ping_time(lines, 1, 500));
}
END_TEST

/* --- by hand --- */

static void put_and_pull_all(unsigned lines, uint32_t length, uint32_t shares[])
{
	struct hand h;
	struct piece piece;

	hand_set_up(&h, lines, 9600);
	hand_put(&h, 1, length, HAND_T0);
	for (unsigned i = 0; i < lines; i++) {
		ck_assert(hand_pull(&h, i, HAND_T0, &piece));
		ck_assert(!piece.plain);
		shares[i] = piece.length;
	}
	hand_tear_down(&h);
}

START_TEST(pieces_are_consecutive_and_make_up_the_packet)
{
	uint32_t shares[4], sum = 0;
	struct piece piece;
	struct hand h;

	hand_set_up(&h, 4, 9600);
	hand_put(&h, 1, 1000, HAND_T0);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert(hand_pull(&h, i, HAND_T0, &piece));
		ck_assert_uint_eq(piece.sequence, i);
		ck_assert_uint_eq(piece.offset, sum);
		ck_assert_int_eq(piece.begin, i == 0);
		ck_assert_int_eq(piece.end, i == 3);
		shares[i] = piece.length;
		sum += piece.length;
	}
	ck_assert_uint_eq(sum, 1000);
	ck_assert_uint_eq(shares[0], 250);
	for (unsigned i = 0; i < 4; i++)
		ck_assert(!hand_pull(&h, i, HAND_T0 + SB_SEC, &piece));
	hand_tear_down(&h);
}
END_TEST

/* What one line is busy with counts. */
START_TEST(a_busy_line_gets_less)
{
	struct piece piece;
	struct hand h;

	hand_set_up(&h, 2, 9600);
	line_clock_sent(&h.clocks[1], HAND_T0, 480); /* for 500 ms */
	hand_put(&h, 1, 1000, HAND_T0);
	ck_assert(hand_pull(&h, 0, HAND_T0, &piece));
	ck_assert_uint_eq(piece.length, 740);
	ck_assert(hand_pull(&h, 1, HAND_T0 + 500 * SB_MS, &piece));
	ck_assert_uint_eq(piece.length, 260);
	hand_tear_down(&h);
}
END_TEST

/* The other one will have it sooner: this one gets nothing, and is to ask again. */
START_TEST(a_line_that_would_be_later_gets_nothing)
{
	struct piece piece;
	struct hand h;

	hand_set_up(&h, 2, 9600);
	multilink_line_down(h.multilink, 0);
	hand_line_up(&h, 0, 115200);
	line_clock_sent(&h.clocks[0], HAND_T0, 64);
	hand_put(&h, 1, 60, HAND_T0);
	ck_assert(!hand_pull(&h, 1, HAND_T0, &piece));
	ck_assert_int_gt(multilink_deadline(h.multilink, 1), HAND_T0);
	ck_assert_int_lt(multilink_deadline(h.multilink, 1), HAND_T0 + 100 * SB_MS);
	ck_assert(hand_pull(&h, 0, HAND_T0 + 5 * SB_MS, &piece));
	ck_assert_uint_eq(piece.length, 60);
	hand_tear_down(&h);
}
END_TEST

/* The peer of a line takes no more than so much in a frame. */
START_TEST(pieces_fit_the_mru)
{
	struct piece piece;
	struct hand h;
	uint32_t sum = 0;

	hand_set_up(&h, 1, 9600);
	multilink_line_down(h.multilink, 0);
	h.mru = 296;
	hand_line_up(&h, 0, 9600);
	hand_put(&h, 1, 1000, HAND_T0);
	for (uint32_t n = 0; sum < 1000; n++) {
		ck_assert(hand_pull(&h, 0, HAND_T0 + n * SB_SEC, &piece));
		ck_assert_uint_le(piece.length, 296 - 6);
		ck_assert_uint_eq(piece.sequence, n);
		ck_assert_int_eq(piece.end, sum + piece.length == 1000);
		sum += piece.length;
	}
	ck_assert_uint_eq(sum, 1000);
	hand_tear_down(&h);
}
END_TEST

START_TEST(no_piece_is_too_small_to_be_of_use)
{
	for (uint32_t length = 64; length <= 500; length += 4) {
		uint32_t shares[2];

		put_and_pull_all(2, length, shares);
		ck_assert_uint_ge(shares[0], 31);
		ck_assert_uint_ge(shares[1], 31);
		ck_assert_uint_eq(shares[0] + shares[1], length);
	}
}
END_TEST

/* --- heartbeat --- */

START_TEST(a_quiet_line_sends_empty_fragments_while_there_is_traffic)
{
	struct piece piece;
	struct hand h;
	sb_time at;

	hand_set_up(&h, 2, 9600);
	multilink_set_heartbeat(h.multilink, SB_SEC);
	ck_assert_int_eq(multilink_deadline(h.multilink, 0), SB_NEVER);
	multilink_heard(h.multilink, HAND_T0);
	at = multilink_deadline(h.multilink, 0);
	ck_assert_int_eq(at, HAND_T0 + SB_SEC);
	ck_assert(!hand_pull(&h, 0, at - 1, &piece));
	ck_assert(hand_pull(&h, 0, at, &piece));
	ck_assert(!piece.packet && piece.begin && piece.end && !piece.plain);
	ck_assert_uint_eq(piece.sequence, 0);
	ck_assert(hand_pull(&h, 1, at, &piece));
	ck_assert_uint_eq(piece.sequence, 1);
	/* the traffic is over before the next one would be due */
	ck_assert_int_eq(multilink_deadline(h.multilink, 0), SB_NEVER);
	ck_assert(!hand_pull(&h, 0, at + 10 * SB_SEC, &piece));
	hand_tear_down(&h);
}
END_TEST

START_TEST(a_line_that_sends_needs_no_heartbeat)
{
	struct world_config config = busy_multilink_set(&multilink_sets[_i], 900, 2);
	struct world *w = world_after(&config, 60 * SB_SEC);

	ck_assert_uint_eq(world_result(w)->empty_pieces, 0);
	world_free(w);
}
END_TEST

START_TEST(numbers_begin_again_with_a_new_bundle)
{
	struct piece piece;
	struct hand h;

	hand_set_up(&h, 1, 9600);
	hand_put(&h, 1, 500, HAND_T0);
	ck_assert(hand_pull(&h, 0, HAND_T0, &piece));
	multilink_line_down(h.multilink, 0);
	multilink_restart(h.multilink);
	hand_line_up(&h, 0, 9600);
	hand_put(&h, 2, 500, HAND_T0 + SB_SEC);
	ck_assert(hand_pull(&h, 0, HAND_T0 + SB_SEC, &piece));
	ck_assert(piece.plain || piece.sequence == 0);
	hand_tear_down(&h);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("multilink_cut");
	TCase *idle = add_case(s, "idle"), *hand = add_case(s, "by hand");
	TCase *beat = add_case(s, "heartbeat");

	tcase_add_test(idle, a_thousand_bytes_over_four_lines);
	tcase_add_loop_test(idle, large_packets_take_the_time_of_all_lines_together, 0,
			    MULTILINK_SETS);
	tcase_add_loop_test(idle, small_packets_are_no_slower_than_on_the_fastest_line, 0,
			    MULTILINK_SETS);
	tcase_add_test(idle, a_far_line_is_left_out);
	tcase_add_test(hand, pieces_are_consecutive_and_make_up_the_packet);
	tcase_add_test(hand, a_busy_line_gets_less);
	tcase_add_test(hand, a_line_that_would_be_later_gets_nothing);
	tcase_add_test(hand, pieces_fit_the_mru);
	tcase_add_test(hand, no_piece_is_too_small_to_be_of_use);
	tcase_add_test(beat, a_quiet_line_sends_empty_fragments_while_there_is_traffic);
	tcase_add_loop_test(beat, a_line_that_sends_needs_no_heartbeat, 0, MULTILINK_SETS);
	tcase_add_test(beat, numbers_begin_again_with_a_new_bundle);
	return s;
}

int main(void)
{
	return run_suite(suite());
}
