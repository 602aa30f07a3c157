/* SPDX-License-Identifier: MIT */
/*
 * Lines that come and go: nothing that had not started is lost, nothing comes
 * twice, what is left waits in order and is accounted for.
 */
#include "tests/unit/stripe_testing.h"

/* --- by hand: a stripe whose lines are asked one at a time --- */

enum { MTU = 900, FLOWS = 1024, POOL = 600 };

static const sb_time T0 = 1000 * SB_SEC;

static struct packet_pool *pool;
static struct tiers *queue;
static struct stripe *stripe;
static struct line_clock clocks[2];

static size_t encoded_length(const void *encap, struct bytes packet)
{
	(void)encap;
	return packet.length + 2;
}

static void set_up(void)
{
	pool = packet_pool_new(POOL, MTU);
	queue = tiers_new(&(struct tiers_config){.queue = {
							 .pool = pool,
							 .flows = FLOWS,
							 .quantum = MTU,
							 .limit_packets = POOL,
							 .limit_bytes = POOL * MTU,
							 .target = 1000 * SB_SEC,
							 .interval = 2000 * SB_SEC,
						 }});
	stripe = stripe_new(&(struct stripe_config){.pool = pool, .queue = queue, .mtu = MTU});
	ck_assert(pool && queue && stripe);
}

/* Whatever a test did, every packet is back in the pool at the end. */
static void tear_down(void)
{
	unsigned n = 0;

	stripe_free(stripe);
	tiers_free(queue);
	while (packet_get(pool))
		n++;
	ck_assert_uint_eq(n, POOL);
	packet_pool_free(pool);
}

static void line_up(unsigned line, uint32_t bps, sb_time now)
{
	line_clock_init(&clocks[line], bps, 10, now);
	stripe_line_up(stripe, line,
		       &(struct stripe_line){
			       .clock = &clocks[line],
			       .encoded_length = encoded_length,
		       },
		       now);
}

/* A packet of the one flow, IPv4 and UDP, with its number. */
static void put_of(uint8_t number, uint32_t length, sb_time now)
{
	struct packet *p = packet_get(pool);

	memset(p->data, 0, length);
	p->data[0] = 0x45;
	p->data[9] = 17;
	p->data[28] = number;
	p->length = length;
	tiers_enqueue(queue, now, p);
}

static void put(uint8_t number, sb_time now)
{
	put_of(number, MTU, now);
}

static int number(const struct packet *p)
{
	return p->data[28];
}

/* Asks the line, which then has sent the frame whole; the packet's number, or -1. */
static int pull(unsigned line, sb_time now)
{
	struct packet *p = stripe_pull(stripe, line, now);
	int n;

	if (!p)
		return -1;
	n = number(p);
	line_clock_sent(&clocks[line], now, p->length + 2);
	packet_put(pool, p);
	return n;
}

/*
 * Puts 1..n and lets a fast line ask for three of them. Two go as a new flow's
 * do, out of turn; with the third, packets are bound to both lines.
 */
static void bind_to_two_lines(int n, sb_time now)
{
	line_up(0, 57600, now);
	line_up(1, 14400, now);
	for (int i = 1; i <= n; i++)
		put((uint8_t)i, now);
	for (int i = 1; i <= 3; i++)
		ck_assert_int_eq(pull(0, now + i * 150 * SB_MS), i);
	ck_assert_uint_gt(stripe_bound_bytes(stripe), 2 * MTU);
}

START_TEST(without_a_line_packets_stay_in_the_queue)
{
	for (int i = 1; i <= 10; i++)
		put((uint8_t)i, T0);
	ck_assert(stripe_rate(stripe) == 0);
	ck_assert_int_eq(stripe_oldest(stripe), SB_NEVER);
	ck_assert_uint_eq(stripe_expire(stripe, SB_NEVER), 0);
	ck_assert_uint_eq(tiers_packets(queue), 10);
	line_up(0, 9600, T0 + SB_SEC);
	ck_assert(stripe_rate(stripe) == 960);
	for (int i = 1; i <= 10; i++)
		ck_assert_int_eq(pull(0, T0 + i * SB_SEC), i);
	ck_assert_uint_eq(stripe_bound_bytes(stripe), 0);
}
END_TEST

/* All that was bound to either line comes out of the other one, in order. */
START_TEST(what_was_bound_goes_to_the_line_that_is_left)
{
	const unsigned left = 1 - (unsigned)_i;
	sb_time now = T0;

	bind_to_two_lines(12, T0);
	stripe_line_down(stripe, (unsigned)_i);
	for (int i = 4; i <= 12; i++)
		ck_assert_int_eq(pull(left, now += SB_SEC), i);
	ck_assert_int_eq(pull(left, now += SB_SEC), -1);
	ck_assert_uint_eq(stripe_bound_bytes(stripe), 0);
	ck_assert_int_eq(stripe_oldest(stripe), SB_NEVER);
}
END_TEST

START_TEST(a_line_that_comes_back_has_nothing_bound)
{
	bind_to_two_lines(12, T0);
	stripe_line_down(stripe, 0);
	stripe_line_down(stripe, 1);
	ck_assert_int_eq(stripe_deadline(stripe, 1), SB_NEVER);
	line_up(1, 14400, T0 + SB_SEC);
	ck_assert_int_eq(stripe_deadline(stripe, 1), SB_NEVER);
	for (int i = 4; i <= 12; i++)
		ck_assert_int_eq(pull(1, T0 + i * SB_SEC), i);
	ck_assert_uint_eq(stripe_bound_bytes(stripe), 0);
}
END_TEST

START_TEST(returned_packet_goes_first)
{
	struct packet *cut;

	bind_to_two_lines(12, T0);
	cut = stripe_pull(stripe, 0, T0 + SB_SEC);
	ck_assert_int_eq(number(cut), 4);
	stripe_line_unsent(stripe, 0, 500);
	stripe_line_down(stripe, 0);
	stripe_return(stripe, cut);
	for (int i = 4; i <= 12; i++)
		ck_assert_int_eq(pull(1, T0 + i * SB_SEC), i);
}
END_TEST

START_TEST(returned_packet_waits_for_a_line)
{
	struct packet *p;

	line_up(0, 9600, T0);
	put(1, T0);
	put(2, T0);
	p = stripe_pull(stripe, 0, T0);
	stripe_line_down(stripe, 0);
	stripe_return(stripe, p);
	ck_assert_uint_ge(stripe_bound_bytes(stripe), MTU);
	ck_assert_int_eq(stripe_oldest(stripe), T0);
	line_up(1, 9600, T0 + SB_SEC);
	ck_assert_int_eq(pull(1, T0 + SB_SEC), 1);
	ck_assert_int_eq(pull(1, T0 + 3 * SB_SEC), 2);
}
END_TEST

/* Those that are too old go, wherever they stand; the others stay, in order. */
START_TEST(expire_drops_the_older_ones_only)
{
	struct packet *young, *old;

	line_up(0, 57600, T0);
	put(1, T0);
	old = stripe_pull(stripe, 0, T0);
	put(2, T0 + SB_SEC);
	young = stripe_pull(stripe, 0, T0 + SB_SEC);
	stripe_line_down(stripe, 0);
	stripe_return(stripe, old);
	stripe_return(stripe, young); /* before the older one */
	ck_assert_int_eq(stripe_oldest(stripe), T0);
	ck_assert_uint_eq(stripe_expire(stripe, T0), 0);
	ck_assert_uint_eq(stripe_expire(stripe, T0 + 1), 1);
	ck_assert_int_eq(stripe_oldest(stripe), T0 + SB_SEC);
	ck_assert_uint_eq(stripe_bound_bytes(stripe), MTU);
	line_up(1, 57600, T0 + 2 * SB_SEC);
	ck_assert_int_eq(pull(1, T0 + 2 * SB_SEC), 2);
	ck_assert_int_eq(pull(1, T0 + 3 * SB_SEC), -1);
	ck_assert_uint_eq(stripe_bound_bytes(stripe), 0);
}
END_TEST

/* What is expired is not what later packets of the flow wait for, and more can be returned. */
START_TEST(after_expiry_all_goes_on)
{
	const sb_time now = T0 + 10 * SB_SEC;

	bind_to_two_lines(12, T0);
	stripe_line_down(stripe, 0);
	stripe_line_down(stripe, 1);
	ck_assert_uint_gt(stripe_expire(stripe, SB_NEVER), 1);
	ck_assert_uint_eq(stripe_bound_bytes(stripe), 0);
	ck_assert_int_eq(stripe_oldest(stripe), SB_NEVER);
	tiers_expire(queue, SB_NEVER);
	bind_to_two_lines(12, now);
	stripe_line_down(stripe, 0);
	for (int i = 4; i <= 12; i++)
		ck_assert_int_eq(pull(1, now + i * SB_SEC), i);
}
END_TEST

/* A short sparse packet waits for the line that has the long one before it. */
START_TEST(sparse_packet_does_not_overtake_its_own_flow)
{
	line_up(1, 14400, T0);
	put(1, T0);
	ck_assert_int_eq(pull(1, T0), 1);
	line_up(0, 57600, T0);
	put_of(2, 100, T0);
	ck_assert_int_eq(pull(0, T0), -1);
	ck_assert_int_eq(pull(1, T0 + 600 * SB_MS), 2);
}
END_TEST

/* --- in the world --- */

/* B099: a line that flaps 20 times; only what was on its wire whole is lost, nothing twice. */
START_TEST(B099_flapping_line)
{
	struct world_config config = busy_set(&rate_sets[_i / 2], 576, 2);
	const unsigned flapping = (unsigned)_i % 2;
	struct world *w;
	struct world_flow all;

	config.total = 1000;
	w = world_new(&config);
	for (int flap = 0; flap < 20; flap++) {
		sb_time from = flap * 2 * SB_SEC;

		world_run(w, from + 1337 * SB_MS + flap * 11 * SB_MS);
		world_line_down(w, flapping);
		world_run(w, from + 1700 * SB_MS + flap * 13 * SB_MS);
		world_line_up(w, flapping);
	}
	world_run(w, 2000 * SB_SEC);
	all = all_flows(world_result(w));
	ck_assert_uint_eq(all.sent, 2000);
	ck_assert_uint_eq(all.arrived + world_result(w)->lost, 2000);
	ck_assert_uint_le(world_result(w)->lost, 20 * 2);
	ck_assert_uint_eq(world_result(w)->twice, 0);
	ck_assert_uint_eq(world_waiting(w), 0);
	world_free(w);
}
END_TEST

/* E2: a line that leaves in the middle of a transfer and is not cut takes no packet with it. */
START_TEST(E2_a_line_leaves_without_loss)
{
	struct world_config config = busy_set(&rate_sets[_i / 2], 576, 2);
	const unsigned leaving = (unsigned)_i % 2;
	struct world *w;
	struct world_flow all;

	config.total = 500;
	w = world_new(&config);
	world_run(w, 5137 * SB_MS);
	world_line_leave(w, leaving);
	world_run(w, 2000 * SB_SEC);
	all = all_flows(world_result(w));
	ck_assert_uint_eq(all.sent, 1000);
	ck_assert_uint_eq(all.arrived, 1000);
	ck_assert_uint_eq(world_result(w)->lost, 0);
	ck_assert_uint_eq(world_result(w)->twice, 0);
	ck_assert_uint_eq(world_waiting(w), 0);
	ck_assert_uint_le(all.out_of_order, 10); /* the cut frame, behind those on other lines */
	world_free(w);
}
END_TEST

/* All lines go and come again; what waited meanwhile arrives. */
START_TEST(all_lines_gone_for_a_while)
{
	struct world_config config = busy_set(&rate_sets[_i], 576, 2);
	struct world *w;
	struct world_flow all;

	config.total = 300;
	w = world_new(&config);
	world_run(w, 3137 * SB_MS);
	for (unsigned i = 0; i < config.line_count; i++)
		world_line_leave(w, i);
	world_run(w, 20 * SB_SEC);
	ck_assert_uint_gt(world_waiting(w), 20 * 576);
	for (unsigned i = config.line_count; i-- > 0;)
		world_line_up(w, i);
	world_run(w, 2000 * SB_SEC);
	all = all_flows(world_result(w));
	ck_assert_uint_eq(all.arrived, 600);
	ck_assert_uint_eq(world_result(w)->twice, 0);
	ck_assert_uint_eq(world_waiting(w), 0);
	world_free(w);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("stripe_loss");
	TCase *by_hand = add_case(s, "by hand"), *world = add_case(s, "world");

	tcase_add_checked_fixture(by_hand, set_up, tear_down);
	tcase_add_test(by_hand, without_a_line_packets_stay_in_the_queue);
	tcase_add_loop_test(by_hand, what_was_bound_goes_to_the_line_that_is_left, 0, 2);
	tcase_add_test(by_hand, a_line_that_comes_back_has_nothing_bound);
	tcase_add_test(by_hand, returned_packet_goes_first);
	tcase_add_test(by_hand, returned_packet_waits_for_a_line);
	tcase_add_test(by_hand, expire_drops_the_older_ones_only);
	tcase_add_test(by_hand, after_expiry_all_goes_on);
	tcase_add_test(by_hand, sparse_packet_does_not_overtake_its_own_flow);
	tcase_add_loop_test(world, B099_flapping_line, 0, 2 * SETS);
	tcase_add_loop_test(world, E2_a_line_leaves_without_loss, 0, 2 * SETS);
	tcase_add_loop_test(world, all_lines_gone_for_a_while, 0, SETS);
	return s;
}

int main(void)
{
	return run_suite(suite());
}
