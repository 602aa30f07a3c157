/* SPDX-License-Identifier: MIT */
/*
 * Lines that come and go under a multilink: nothing that had not started is lost,
 * nothing is sent twice, what is left waits in order, and the bundle goes on.
 */
#include "tests/unit/multilink_testing.h"

/* --- by hand --- */

/* Cuts packet 1 over all lines, and lets line 0 alone send its piece. */
static void cut_one(struct hand *h, unsigned lines, struct piece *piece)
{
	hand_set_up(h, lines, 9600);
	hand_put(h, 1, 1000, HAND_T0);
	ck_assert(hand_pull_held(h, 0, HAND_T0, piece));
	ck_assert_uint_eq(piece->length, 1000 / lines);
	ck_assert_uint_eq(multilink_bound_bytes(h->multilink), 1000 - piece->length);
	ck_assert_uint_eq(multilink_bound_packets(h->multilink), 1);
}

START_TEST(a_packet_with_a_piece_bound_to_it_goes_back_whole)
{
	struct piece piece;
	struct hand h;

	cut_one(&h, 4, &piece);
	packet_put(h.pool, piece.packet);
	multilink_line_down(h.multilink, 2);
	ck_assert_uint_eq(multilink_bound_bytes(h.multilink), 1000);
	ck_assert_uint_eq(multilink_bound_packets(h.multilink), 1);
	ck_assert_int_eq(multilink_oldest(h.multilink), HAND_T0);
	/* the pieces of lines 1 and 3 are not sent: what they get is the new cut */
	ck_assert(hand_pull(&h, 1, HAND_T0 + SB_SEC, &piece));
	ck_assert_uint_ge(piece.sequence, 4);
	ck_assert_uint_gt(piece.length, 300);
	hand_tear_down(&h);
}
END_TEST

/* What other lines have does not concern it. */
START_TEST(packets_without_a_piece_there_stay_where_they_are)
{
	struct piece piece;
	struct hand h;

	cut_one(&h, 2, &piece);
	packet_put(h.pool, piece.packet);
	multilink_line_down(h.multilink, 0);
	ck_assert(hand_pull(&h, 1, HAND_T0 + SB_MS, &piece));
	ck_assert_uint_eq(piece.length, 500);
	ck_assert(piece.end && piece.sequence == 1);
	hand_tear_down(&h);
}
END_TEST

/* Two ports give the same packet back, each its own piece. */
START_TEST(one_that_comes_back_twice_is_queued_once)
{
	struct piece first, second, piece;
	struct hand h;
	sb_time now = HAND_T0 + SB_SEC;
	uint32_t sum = 0;

	cut_one(&h, 3, &first);
	ck_assert(hand_pull_held(&h, 1, HAND_T0, &second));
	ck_assert_ptr_eq(first.packet, second.packet);
	multilink_line_down(h.multilink, 0);
	multilink_return(h.multilink, first.packet);
	multilink_line_down(h.multilink, 1);
	multilink_return(h.multilink, second.packet);
	ck_assert_uint_eq(multilink_bound_bytes(h.multilink), 1000);
	ck_assert_uint_eq(multilink_bound_packets(h.multilink), 1);
	while (hand_pull(&h, 2, now, &piece)) {
		sum += piece.length;
		now += 2 * SB_SEC;
	}
	ck_assert_uint_eq(sum, 1000);
	hand_tear_down(&h);
}
END_TEST

/* The piece in the port fails while another of its packet is bound: that one is not sent. */
START_TEST(a_returned_packet_takes_its_bound_pieces_along)
{
	struct piece first, piece;
	struct hand h;
	uint32_t sum = 0;
	sb_time now = HAND_T0;

	cut_one(&h, 2, &first);
	multilink_line_down(h.multilink, 0);
	multilink_return(h.multilink, first.packet);
	while (hand_pull(&h, 1, now += 2 * SB_SEC, &piece)) {
		ck_assert_int_eq(piece.begin, sum == 0);
		sum += piece.length;
	}
	ck_assert_uint_eq(sum, 1000);
	ck_assert(piece.end);
	hand_tear_down(&h);
}
END_TEST

/* In order, before all others. */
START_TEST(what_came_back_goes_first_and_in_order)
{
	struct piece piece, held[3];
	struct hand h;

	hand_set_up(&h, 4, 9600);
	for (uint8_t i = 1; i <= 8; i++)
		hand_put(&h, i, (uint32_t)(500 + i), HAND_T0);
	for (unsigned i = 0; i < 3; i++)
		ck_assert(hand_pull_held(&h, i, HAND_T0, &held[i]));
	for (unsigned i = 3; i-- > 0;) {
		multilink_line_down(h.multilink, i);
		multilink_return(h.multilink, held[i].packet);
	}
	ck_assert_uint_eq(multilink_bound_packets(h.multilink), 3);
	for (uint32_t i = 1; i <= 3; i++) {
		ck_assert(hand_pull(&h, 3, HAND_T0 + i * SB_SEC, &piece));
		ck_assert_uint_eq(piece.length, 500 + i);
	}
	hand_tear_down(&h);
}
END_TEST

START_TEST(what_waits_too_long_is_dropped)
{
	struct piece first;
	struct hand h;

	cut_one(&h, 2, &first);
	multilink_line_down(h.multilink, 0);
	multilink_return(h.multilink, first.packet);
	multilink_line_down(h.multilink, 1);
	ck_assert_uint_eq(multilink_expire(h.multilink, HAND_T0), 0);
	ck_assert_int_eq(multilink_oldest(h.multilink), HAND_T0);
	ck_assert_uint_eq(multilink_expire(h.multilink, HAND_T0 + 1), 1);
	ck_assert_int_eq(multilink_oldest(h.multilink), SB_NEVER);
	ck_assert_uint_eq(multilink_bound_bytes(h.multilink), 0);
	hand_tear_down(&h);
}
END_TEST

START_TEST(surrendered_packets_come_whole_in_order_once)
{
	struct piece piece;
	struct packet *p;
	struct hand h;

	cut_one(&h, 4, &piece);
	packet_put(h.pool, piece.packet);
	p = multilink_surrender(h.multilink);
	ck_assert(p && p->length == 1000);
	packet_put(h.pool, p);
	ck_assert_ptr_null(multilink_surrender(h.multilink));
	ck_assert_uint_eq(multilink_bound_bytes(h.multilink), 0);
	hand_tear_down(&h);
}
END_TEST

START_TEST(freed_with_pieces_bound)
{
	struct piece piece;
	struct hand h;

	cut_one(&h, 4, &piece);
	packet_put(h.pool, piece.packet);
	hand_tear_down(&h);
}
END_TEST

START_TEST(rate_is_that_of_the_lines_that_are_up)
{
	struct hand h;

	hand_set_up(&h, 3, 9600);
	ck_assert(multilink_rate(h.multilink) == 3 * 960);
	multilink_line_down(h.multilink, 1);
	ck_assert(multilink_rate(h.multilink) == 2 * 960);
	for (unsigned i = 0; i <= 2; i += 2)
		multilink_line_down(h.multilink, i);
	ck_assert(multilink_rate(h.multilink) == 0);
	hand_tear_down(&h);
}
END_TEST

/* --- in the world --- */

static struct world *running(const struct rate_set *set, unsigned flows, sb_time ping)
{
	struct world_config config = busy_multilink_set(set, 900, flows);

	config.ping_every = ping;
	return world_after(&config, 20 * SB_SEC);
}

/* A line leaves, its frames go through; it comes back; every line in turn. */
START_TEST(leaving_lines_lose_nothing)
{
	const struct rate_set *set = &multilink_sets[_i];
	struct world *w = running(set, 2, 700 * SB_MS);
	sb_time now = 30 * SB_SEC;

	for (unsigned i = 0; i < set->count; i++) {
		world_line_leave(w, i);
		world_run(w, now += 10 * SB_SEC);
		world_line_up(w, i);
		world_run(w, now += 20 * SB_SEC);
	}
	ck_assert_uint_eq(world_result(w)->lost, 0);
	ck_assert_uint_eq(world_result(w)->twice, 0);
	ck_assert_uint_eq(world_result(w)->numbers_fell, 0);
	world_restart_score(w);
	world_run(w, now + 60 * SB_SEC);
	ck_assert_double_ge(world_efficiency(w), 0.90);
	ck_assert_uint_eq(world_result(w)->given_up, 0);
	world_free(w);
}
END_TEST

/* Cut: what was on the wire is lost, at most two frames; the others go on at their full rate. */
START_TEST(a_cut_line_costs_what_was_on_it)
{
	const struct rate_set *set = &multilink_sets[_i / 2];
	unsigned cut = _i % 2 ? set->count - 1 : 0;
	struct world *w = running(set, 1, 0);
	double rest = 0, all = 0;

	for (unsigned i = 0; i < set->count; i++) {
		all += set->lines[i].bps;
		rest += i == cut ? 0 : set->lines[i].bps;
	}
	world_line_down(w, cut);
	world_run(w, 45 * SB_SEC);
	ck_assert_uint_le(world_result(w)->lost, 2);
	ck_assert_uint_eq(world_result(w)->twice, 0);
	world_restart_score(w);
	world_run(w, 105 * SB_SEC);
	ck_assert_double_ge(world_efficiency(w), 0.97 * rest / all);
	ck_assert_uint_eq(world_result(w)->given_up, 0);
	world_free(w);
}
END_TEST

/* All leave, in either order, and come back in either order. */
START_TEST(all_lines_leave_and_return)
{
	const struct rate_set *set = &multilink_sets[_i / 4];
	const bool leave_reversed = _i % 4 / 2, return_reversed = _i % 2;
	struct world *w = running(set, 2, 0);
	const unsigned n = set->count;
	sb_time now = 30 * SB_SEC;

	for (unsigned i = 0; i < n; i++) {
		world_line_leave(w, leave_reversed ? n - 1 - i : i);
		world_run(w, now += 3 * SB_SEC);
	}
	ck_assert_uint_gt(world_waiting(w), 0);
	for (unsigned i = 0; i < n; i++) {
		world_line_up(w, return_reversed ? n - 1 - i : i);
		world_run(w, now += 3 * SB_SEC);
	}
	ck_assert_uint_eq(world_result(w)->lost, 0);
	ck_assert_uint_eq(world_result(w)->twice, 0);
	world_run(w, now += 10 * SB_SEC);
	world_restart_score(w);
	world_run(w, now + 60 * SB_SEC);
	ck_assert_double_ge(world_efficiency(w), 0.97);
	ck_assert_uint_eq(world_result(w)->given_up, 0);
	world_free(w);
}
END_TEST

/* Lines that flap: every packet that was sent has arrived in the end, or was on a cut wire. */
START_TEST(every_packet_is_accounted_for)
{
	const struct rate_set *set = &multilink_sets[_i];
	struct world_config config = busy_multilink_set(set, 900, 4);
	struct world *w;
	struct world_flow all;
	sb_time now = 0;

	config.total = 40;
	config.least = 60;
	w = world_new(&config);
	for (unsigned k = 0; k < 20; k++) {
		unsigned line = k % set->count;

		world_run(w, now += 400 * SB_MS);
		if (k % 3)
			world_line_down(w, line);
		else
			world_line_leave(w, line);
		world_run(w, now += 150 * SB_MS);
		world_line_up(w, line);
	}
	world_run(w, now + 200 * SB_SEC);
	all = all_flows(world_result(w));
	ck_assert_uint_eq(all.sent, 160);
	ck_assert_uint_eq(world_result(w)->twice, 0);
	ck_assert_uint_eq(world_waiting(w), 0);
	ck_assert_uint_ge(all.arrived + world_result(w)->lost, all.sent);
	world_free(w);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("multilink_loss");
	TCase *hand = add_case(s, "by hand"), *lines = add_case(s, "lines come and go");

	tcase_add_test(hand, a_packet_with_a_piece_bound_to_it_goes_back_whole);
	tcase_add_test(hand, packets_without_a_piece_there_stay_where_they_are);
	tcase_add_test(hand, one_that_comes_back_twice_is_queued_once);
	tcase_add_test(hand, a_returned_packet_takes_its_bound_pieces_along);
	tcase_add_test(hand, what_came_back_goes_first_and_in_order);
	tcase_add_test(hand, what_waits_too_long_is_dropped);
	tcase_add_test(hand, surrendered_packets_come_whole_in_order_once);
	tcase_add_test(hand, freed_with_pieces_bound);
	tcase_add_test(hand, rate_is_that_of_the_lines_that_are_up);
	tcase_add_loop_test(lines, leaving_lines_lose_nothing, 0, MULTILINK_SETS);
	tcase_add_loop_test(lines, a_cut_line_costs_what_was_on_it, 0, 2 * MULTILINK_SETS);
	tcase_add_loop_test(lines, all_lines_leave_and_return, 0, 4 * MULTILINK_SETS);
	tcase_add_loop_test(lines, every_packet_is_accounted_for, 0, MULTILINK_SETS);
	return s;
}

int main(void)
{
	return run_suite(suite());
}
