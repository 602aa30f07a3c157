/* SPDX-License-Identifier: MIT */
/* How tiers share the lines: guarantees, excess, priority, ceilings; and that nobody is starved. */
#include "tests/unit/tiers_testing.h"

/* Of each tier a flow that always has a backlog. */
static void saturate(unsigned set)
{
	for (unsigned i = 0; i < TIERS; i++)
		if (set & 1u << i)
			senders[i] = (struct sender){.dscp = dscp_of_tier[i], .keeps = 20};
}

static void use_shares(uint32_t interactive, uint32_t best_effort, uint32_t bulk)
{
	struct tiers_config c = plain_config();

	c.tiers[TIER_INTERACTIVE].share = interactive;
	c.tiers[TIER_BEST_EFFORT].share = best_effort;
	c.tiers[TIER_BULK].share = bulk;
	use(c);
}

/* --- shares --- */

START_TEST(each_gets_its_share)
{
	saturate(7);
	run(600 * SB_SEC);
	assert_near(part_of(EF), 0.333, 0.01);
	assert_near(part_of(CS0), 0.5, 0.01);
	assert_near(part_of(CS1), 0.167, 0.01);
}
END_TEST

static uint32_t random_share(void)
{
	return random_below(4) ? 1 + random_below(1000) : random_below(20);
}

/* More than all is in proportion; a tier with nothing gets a thousandth. */
START_TEST(random_shares_are_kept_within_1_percent)
{
	random_state += (uint32_t)_i;
	const uint32_t shares[TIERS] = {random_share(), random_share(), random_share()};
	const unsigned set = 1 + random_below(7);
	double sum = 0;

	use_shares(shares[0], shares[1], shares[2]);
	saturate(set);
	run(600 * SB_SEC);
	for (unsigned i = 0; i < TIERS; i++)
		sum += set & 1u << i ? shares[i] ? shares[i] : 1 : 0;
	for (unsigned i = 0; i < TIERS; i++)
		if (set & 1u << i)
			assert_near(part_of(dscp_of_tier[i]), (shares[i] ? shares[i] : 1) / sum,
				    0.01);
}
END_TEST

/* The line is never idle while anything waits, whoever it is. */
START_TEST(what_one_leaves_the_others_use)
{
	saturate(1u << _i);
	run(600 * SB_SEC);
	assert_near(sum_bytes(), 600.0 * RATE, MTU);
}
END_TEST

START_TEST(two_divide_the_share_of_the_third)
{
	saturate(1u << TIER_BEST_EFFORT | 1u << TIER_BULK);
	run(600 * SB_SEC);
	assert_near(part_of(CS0), 500.0 / 667, 0.01);
}
END_TEST

START_TEST(unguaranteed_rate_is_divided_too)
{
	use_shares(100, 200, 100);
	saturate(7);
	run(600 * SB_SEC);
	assert_near(part_of(EF), 0.25, 0.01);
	assert_near(part_of(CS0), 0.5, 0.01);
}
END_TEST

/* --- priority --- */

START_TEST(within_its_share_interactive_goes_first)
{
	saturate(1u << TIER_BEST_EFFORT | 1u << TIER_BULK);
	run(60 * SB_SEC);
	for (unsigned i = 0; i < 20; i++) {
		put(EF, 9, 100);
		ck_assert_int_eq(take(), 9);
		run(SB_SEC); /* 432 bytes in a second are less than a third */
	}
}
END_TEST

/* One that comes back for each packet that went gains no more by it than by waiting. */
START_TEST(coming_and_going_takes_no_others_share)
{
	saturate(1u << TIER_BEST_EFFORT | 1u << TIER_BULK);
	senders[0] = (struct sender){.dscp = EF, .keeps = 1, .size = MTU};
	run(600 * SB_SEC);
	assert_near(part_of(EF), 0.333, 0.01);
	assert_near(part_of(CS0), 0.5, 0.01);
}
END_TEST

/* New flows without end are all sparse, and still only one tier's. */
START_TEST(a_flood_of_sparse_flows_takes_no_others_share)
{
	unsigned scanned = 0;
	double others = 0, flood = 0;

	saturate(1u << TIER_BEST_EFFORT | 1u << TIER_BULK);
	while (now < 1600 * SB_SEC) {
		offer(TIER_BEST_EFFORT);
		offer(TIER_BULK);
		while (counted(TIER_INTERACTIVE).backlog_packets < 50)
			put(EF, 100 + scanned++ % 60000, 60);
		const struct packet *shown = tiers_peek_sparse(tiers, now, NULL);
		struct packet *p =
			shown ? tiers_dequeue_sparse(tiers, now, shown) : tiers_dequeue(tiers, now);
		now += (sb_time)p->length * SB_SEC / RATE;
		if (p->length == 60 && p->data[1] >> 2 == EF)
			flood += 60;
		else
			others += p->length, senders[flow_of(p)].waiting--;
		packet_put(pool, p);
	}
	assert_near(flood / (flood + others), 0.333, 0.01);
}
END_TEST

/*
 * However little is left for it, a packet goes out: at a 2001st of the rate it earns what its last
 * one cost, before its turn comes the three quanta that all had at the start, and what the two
 * others may have overdrawn.
 */
START_TEST(no_tier_is_starved)
{
	use_shares(1000, 1000, 0);
	saturate(3);
	senders[2] = (struct sender){.dscp = CS1, .keeps = 1, .size = MTU};
	run(7200 * SB_SEC);
	ck_assert_uint_ge(senders[2].packets, 25);
	ck_assert_int_le(senders[2].longest, 6 * 2001 * SB_SEC * MTU / RATE);
}
END_TEST

static sb_time longest_wait_of_pings(unsigned dscp)
{
	run(60 * SB_SEC);
	for (unsigned i = 0; i < 100; i++) {
		now += (sb_time)random_below(100) * SB_MS;
		put(dscp, 12, 84);
		senders[12].waiting = 1;
		run(SB_SEC);
	}
	ck_assert_uint_eq(senders[12].packets, 100);
	return senders[12].longest;
}

/* A1: whatever the others do, it goes as soon as the line is free. */
START_TEST(A1_an_EF_ping_goes_first)
{
	saturate(1u << TIER_BEST_EFFORT | 1u << TIER_BULK);
	ck_assert_int_eq(longest_wait_of_pings(EF), 0);
}
END_TEST

/* In a tier that uses all of its share it waits for the tier's next turn. */
START_TEST(a_ping_waits_for_its_tiers_turn)
{
	const int turns[TIERS] = {3, 2, 6};

	saturate(7);
	ck_assert_int_le(longest_wait_of_pings(dscp_of_tier[_i]),
			 (turns[_i] + 3) * SB_SEC * MTU / RATE);
}
END_TEST

/* A1: Jain's index. */
START_TEST(A1_four_flows_of_a_tier_are_equal)
{
	double sum = 0, squares = 0;

	saturate(7);
	for (unsigned i = 4; i < 8; i++)
		senders[i] = (struct sender){.dscp = dscp_of_tier[_i], .keeps = 3 * i};
	senders[_i].keeps = 0;
	run(600 * SB_SEC);
	for (unsigned i = 4; i < 8; i++) {
		sum += (double)senders[i].bytes;
		squares += (double)senders[i].bytes * (double)senders[i].bytes;
	}
	ck_assert_double_ge(sum * sum / (4 * squares), 0.98);
}
END_TEST

/* --- ceilings --- */

static void use_ceiling(enum tier i, uint32_t ceiling)
{
	struct tiers_config c = plain_config();

	c.tiers[i].ceiling = ceiling;
	use(c);
}

START_TEST(a_ceiling_is_hard_though_the_line_is_idle)
{
	use_ceiling((enum tier)_i, 300);
	saturate(1u << _i);
	run(600 * SB_SEC);
	assert_near(sum_bytes() / (600.0 * RATE), 0.3, 0.003);
}
END_TEST

START_TEST(what_is_above_a_ceiling_goes_to_the_others)
{
	use_ceiling(TIER_BEST_EFFORT, 200);
	saturate(7);
	run(600 * SB_SEC);
	assert_near(sum_bytes(), 600.0 * RATE, MTU);
	assert_near(part_of(CS0), 0.2, 0.01);
	assert_near(part_of(EF), 0.8 * 333 / 500, 0.01);
}
END_TEST

/* After an hour without a packet it has an hour's worth of nothing. */
START_TEST(a_ceiling_saves_up_one_quantum)
{
	use_ceiling(TIER_BULK, 100);
	for (unsigned i = 0; i < 10; i++)
		put(CS1, 1, MTU);
	now += 3600 * SB_SEC;
	ck_assert_int_eq(take(), 1);
	ck_assert_int_eq(take(), 1);
	ck_assert_int_eq(take(), -1);
	ck_assert_ptr_null(tiers_peek_sparse(tiers, now, NULL));
	ck_assert_int_eq(tiers_deadline(tiers), now + SB_SEC * MTU * 10 / RATE);
}
END_TEST

START_TEST(there_is_a_deadline_only_for_those_that_wait_at_a_ceiling)
{
	ck_assert_int_eq(tiers_deadline(tiers), SB_NEVER);
	put(CS1, 1, MTU);
	ck_assert_int_eq(tiers_deadline(tiers), SB_NEVER);
	use_ceiling(TIER_BULK, 100);
	for (unsigned i = 0; i < 3; i++)
		put(CS1, 1, MTU);
	ck_assert_int_eq(tiers_deadline(tiers), SB_NEVER);
	while (take() >= 0)
		;
	ck_assert_int_gt(tiers_deadline(tiers), now);
	now = tiers_deadline(tiers);
	ck_assert_int_eq(take(), 1);
	ck_assert_int_eq(tiers_deadline(tiers), SB_NEVER);
}
END_TEST

/* Nobody knows then what a tenth of the rate is. */
START_TEST(without_a_rate_there_is_no_ceiling)
{
	use_ceiling(TIER_BULK, 100);
	tiers_set_rate(tiers, 0);
	for (unsigned i = 0; i < 10; i++)
		put(CS1, 1, MTU);
	for (unsigned i = 0; i < 10; i++)
		ck_assert_int_eq(take(), 1);
}
END_TEST

/* --- new shares --- */

/* A tier with a thousandth, which may just have had its part of the excess, gets a quarter. */
START_TEST(new_shares_count_at_once)
{
	struct tiers_config c = plain_config();

	use_shares(500, 500, 0);
	saturate(1u << TIER_BEST_EFFORT | 1u << TIER_BULK);
	run((600 + 12 * _i) * SB_SEC);
	c.tiers[TIER_INTERACTIVE].share = c.tiers[TIER_BULK].share = 250;
	tiers_configure(tiers, &c);
	restart_score();
	run(60 * SB_SEC);
	assert_near(part_of(CS1), 250.0 / 750, 0.01);
}
END_TEST

/* The packet that took minutes at the old one does not have the next wait for them. */
START_TEST(a_new_ceiling_counts_at_once)
{
	struct tiers_config c = plain_config();

	use_ceiling(TIER_BULK, 1);
	for (unsigned i = 0; i < 3; i++)
		put(CS1, 1, MTU);
	ck_assert_int_eq(take(), 1);
	ck_assert_int_eq(take(), 1);
	ck_assert_int_eq(take(), -1);
	c.tiers[TIER_BULK].ceiling = 500;
	tiers_configure(tiers, &c);
	ck_assert_int_eq(take(), 1);
}
END_TEST

/* --- for who may not take every packet --- */

static bool is_not_urgent(const void *context, const struct packet *p)
{
	(void)context;
	return p->data[1] >> 2 != EF;
}

static struct packet *take_not_urgent(void)
{
	return tiers_dequeue_for(tiers, now, is_not_urgent, NULL);
}

START_TEST(tiers_that_may_not_go_are_passed_over)
{
	struct packet *p;

	put(EF, 1, MTU);
	ck_assert_ptr_null(take_not_urgent());
	put(CS0, 2, MTU);
	p = take_not_urgent();
	ck_assert_uint_eq(flow_of(p), 2);
	packet_put(pool, p);
	ck_assert_int_eq(take(), 1);
}
END_TEST

/* A tier that waits for a slow line, while others have a fast one, is owed no more than 8 quanta.
 */
START_TEST(what_a_tier_that_waits_is_owed_has_an_end)
{
	struct packet *p;
	unsigned in_a_row = 0;

	senders[0] = (struct sender){.dscp = EF, .keeps = 100, .size = MTU};
	senders[1] = (struct sender){.dscp = CS0, .keeps = 100, .size = MTU};
	for (unsigned i = 0; i < 1000; i++) {
		offer(0);
		offer(1);
		p = take_not_urgent();
		note_sent(p);
		packet_put(pool, p);
	}
	while (take() == 0)
		in_a_row++;
	ck_assert_uint_le(in_a_row, 8 * 1000 / (1000 - 333) + 1);
	ck_assert_uint_ge(in_a_row, 8);
}
END_TEST

static Suite *share_suite(void)
{
	Suite *s = suite_create("tiers_share");
	TCase *c = add_case(s, "shares");

	tcase_add_test(c, each_gets_its_share);
	tcase_add_loop_test(c, random_shares_are_kept_within_1_percent, 0, 24);
	tcase_add_loop_test(c, what_one_leaves_the_others_use, 0, TIERS);
	tcase_add_test(c, two_divide_the_share_of_the_third);
	tcase_add_test(c, unguaranteed_rate_is_divided_too);

	c = add_case(s, "priority");
	tcase_add_test(c, within_its_share_interactive_goes_first);
	tcase_add_test(c, coming_and_going_takes_no_others_share);
	tcase_add_test(c, a_flood_of_sparse_flows_takes_no_others_share);
	tcase_add_test(c, no_tier_is_starved);
	tcase_add_test(c, A1_an_EF_ping_goes_first);
	tcase_add_loop_test(c, a_ping_waits_for_its_tiers_turn, 0, TIERS);
	tcase_add_loop_test(c, A1_four_flows_of_a_tier_are_equal, 0, TIERS);

	c = add_case(s, "ceilings");
	tcase_add_loop_test(c, a_ceiling_is_hard_though_the_line_is_idle, 0, TIERS);
	tcase_add_test(c, what_is_above_a_ceiling_goes_to_the_others);
	tcase_add_test(c, a_ceiling_saves_up_one_quantum);
	tcase_add_test(c, there_is_a_deadline_only_for_those_that_wait_at_a_ceiling);
	tcase_add_test(c, without_a_rate_there_is_no_ceiling);

	c = add_case(s, "changes");
	tcase_add_loop_test(c, new_shares_count_at_once, 0, 8);
	tcase_add_test(c, a_new_ceiling_counts_at_once);

	c = add_case(s, "filter");
	tcase_add_test(c, tiers_that_may_not_go_are_passed_over);
	tcase_add_test(c, what_a_tier_that_waits_is_owed_has_an_end);
	return s;
}

int main(void)
{
	return run_suite(share_suite());
}
