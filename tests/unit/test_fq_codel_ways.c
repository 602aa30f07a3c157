/* SPDX-License-Identifier: MIT */
/* Which queue a flow gets: its own as long as there is one, and the same when it comes back. */
#include "tests/unit/fq_codel_testing.h"

enum { WAYS = 8, SET_OF_ALL = WAYS, SEEDS = 1000, MOST = 32 };

static void use_flows(uint32_t flows, uint32_t seed)
{
	struct fq_codel_config config = world_config(w.pool);

	config.flows = flows;
	config.seed = seed;
	use_config(config);
}

/* Where it looks first, of a queue of `flows` with the seed of world_config. */
static uint32_t home_of(unsigned flow, uint32_t flows)
{
	struct packet *p = make_packet(w.pool, flow, MTU, ECN_ECT0);
	const uint32_t hash = ip_flow_hash(packet_bytes(p), world_config(w.pool).seed);

	packet_put(w.pool, p);
	return hash & (flows - 1);
}

/* Sends one and gives the queue that it went to. */
static uint32_t placed(unsigned flow, unsigned n)
{
	struct packet *p = make_packet(w.pool, flow, 100, ECN_ECT0);

	number(p, n);
	fq_codel_enqueue(w.queue, w.now, p);
	return p->flow;
}

/* The queue of each; false: two have the same. */
static bool place_all(const unsigned flows[], uint32_t places[], unsigned n)
{
	bool different = true;

	for (unsigned i = 0; i < n; i++) {
		places[i] = placed(flows[i], 0);
		for (unsigned k = 0; k < i; k++)
			different &= places[i] != places[k];
	}
	return different;
}

static void take_all(void)
{
	while (take_number() >= 0)
		;
}

/* So long that nobody owes anything. */
static void forgive(void)
{
	w.now += 60 * SB_SEC;
}

/* Flows whose homes are in the first set of 1024 queues, every other one's the fifth. */
static void find_of_first_set(unsigned found[], unsigned n)
{
	unsigned flow = 0;

	for (unsigned i = 0; i < n; flow++) {
		const uint32_t home = home_of(flow, 1024);
		if (home < WAYS && (i % 2 || home == 5))
			found[i++] = flow;
	}
}

START_TEST(eight_of_a_set_have_a_queue_each)
{
	unsigned flows[WAYS];
	uint32_t places[WAYS];

	find_of_first_set(flows, WAYS);
	ck_assert(place_all(flows, places, WAYS));
	unsigned elsewhere = 0;
	for (unsigned i = 0; i < WAYS; i++) {
		ck_assert_uint_lt(places[i], WAYS);
		ck_assert_uint_eq(placed(flows[i], 1), places[i]);
		elsewhere += places[i] != home_of(flows[i], 1024);
	}
	ck_assert_uint_ge(elsewhere, WAYS / 2 - 1); /* of four only one has its home */
	ck_assert_uint_eq(counters()->way_misses, WAYS);
	ck_assert_uint_eq(counters()->way_hits, elsewhere);
	ck_assert_uint_eq(counters()->collisions, 0);
	check_sum();
}
END_TEST

START_TEST(the_first_of_a_set_is_at_home)
{
	for (unsigned flow = 0; flow < 20; flow++) {
		use_flows(1024, 1);
		ck_assert_uint_eq(placed(flow, 0), home_of(flow, 1024));
		ck_assert_uint_eq(placed(flow, 0), home_of(flow, 1024));
		ck_assert_uint_eq(counters()->way_hits, 0);
		ck_assert_uint_eq(counters()->way_misses, 1);
	}
}
END_TEST

/* What they get is what they would get if no two hashes were alike. */
START_TEST(few_flows_never_collide)
{
	unsigned flows[MOST];
	uint32_t places[MOST];

	for (unsigned i = 0; i < MOST; i++)
		flows[i] = i;
	for (uint32_t seed = 0; seed < SEEDS; seed++) {
		use_flows(1024, seed * 2654435761u);
		ck_assert(place_all(flows, places, (unsigned)_i));
		ck_assert_uint_eq(counters()->collisions, 0);
		ck_assert_uint_eq(fq_codel_sparse_flows(w.queue), (unsigned)_i);
	}
}
END_TEST

START_TEST(eight_bulk_flows_of_a_set_share_alike)
{
	unsigned bytes[WAYS] = {0};

	use_flows(SET_OF_ALL, 1);
	for (unsigned i = 0; i < 200; i++)
		for (unsigned flow = 0; flow < WAYS; flow++)
			world_send(&w, flow, 200 + 50 * flow);
	for (unsigned i = 0; i < 800; i++) {
		struct packet *p = fq_codel_dequeue(w.queue, w.now);
		bytes[flow_of(p)] += p->length;
		w.now += SB_SEC * p->length / RATE;
		packet_put(w.pool, p);
	}
	for (unsigned flow = 0; flow < WAYS; flow++) {
		ck_assert_uint_ge(bytes[flow], bytes[0] - 4 * MTU);
		ck_assert_uint_le(bytes[flow], bytes[0] + 4 * MTU);
	}
	ck_assert_uint_gt(bytes[0], 30 * MTU);
}
END_TEST

/* --- all eight are busy --- */

/* Eight with a packet each, and a ninth, whose home is returned. */
static uint32_t fill_and_be_guest(void)
{
	use_flows(SET_OF_ALL, 1);
	for (unsigned flow = 0; flow < WAYS; flow++)
		placed(flow, 1);
	ck_assert_uint_eq(counters()->collisions, 0);
	const uint32_t home = home_of(WAYS, SET_OF_ALL);
	ck_assert_uint_eq(placed(WAYS, 1), home);
	ck_assert_uint_eq(counters()->collisions, 1);
	return home;
}

START_TEST(the_ninth_is_a_guest_at_home)
{
	const uint32_t home = fill_and_be_guest();

	ck_assert_uint_eq(placed(WAYS, 2), home);
	ck_assert_uint_eq(counters()->collisions, 2);
	ck_assert_uint_eq(counters()->way_misses, WAYS);
	ck_assert_uint_eq(fq_codel_flow_bytes(w.queue, home), 300);
	take_all();
	check_sum();
}
END_TEST

START_TEST(the_host_stays_in_its_queue)
{
	const uint32_t home = fill_and_be_guest();
	unsigned hosts = 0;

	for (unsigned flow = 0; flow < WAYS; flow++)
		hosts += placed(flow, 2) == home;
	ck_assert_uint_eq(hosts, 1);
	ck_assert_uint_eq(counters()->collisions, 1);
}
END_TEST

/* Or its later packets would overtake the earlier ones. */
START_TEST(a_guest_stays_while_it_waits)
{
	const uint32_t home = fill_and_be_guest();
	struct packet *p = fq_codel_dequeue(w.queue, w.now);

	if (p->flow == home) { /* the host's; the next one is another's */
		packet_put(w.pool, p);
		p = fq_codel_dequeue(w.queue, w.now);
	}
	const uint32_t idle = p->flow;
	packet_put(w.pool, p);
	ck_assert_uint_ne(idle, home);
	ck_assert_uint_eq(fq_codel_flow_bytes(w.queue, idle), 0);
	ck_assert_uint_eq(placed(WAYS, 2), home);
	for (unsigned last = 0; fq_codel_packets(w.queue);) {
		p = fq_codel_dequeue(w.queue, w.now);
		if (flow_of(p) == WAYS)
			ck_assert_uint_eq(number_of(p), ++last);
		packet_put(w.pool, p);
	}
}
END_TEST

START_TEST(then_it_gets_a_queue_of_its_own)
{
	fill_and_be_guest();
	take_all();
	ck_assert_uint_lt(placed(WAYS, 2), WAYS);
	ck_assert_uint_eq(counters()->collisions, 1);
	ck_assert_uint_eq(counters()->way_misses, WAYS + 1);
}
END_TEST

/* Dropped, or expired: guests are gone then as well. */
START_TEST(guests_that_are_dropped_are_gone)
{
	for (int expire = 0; expire < 2; expire++) {
		const uint32_t home = fill_and_be_guest();

		if (expire)
			fq_codel_expire(w.queue, SB_NEVER);
		while (fq_codel_flow_bytes(w.queue, home))
			fq_codel_shed(w.queue, home);
		placed(WAYS, 2);
		ck_assert_uint_eq(counters()->collisions, 1);
		check_sum();
	}
}
END_TEST

/* --- who comes back --- */

/* One flow sends until it owes, and what it sent is gone; gives its queue. */
static uint32_t run_into_debt(unsigned flow)
{
	uint32_t place = 0;

	for (unsigned i = 0; i < 2 * MTU / 100; i++)
		place = placed(flow, i);
	take_all();
	return place;
}

START_TEST(one_that_owes_finds_its_queue_and_its_debt)
{
	use_flows(SET_OF_ALL, 1);
	const uint32_t place = run_into_debt(0);

	/* three times as many as there are queues, one at a time */
	for (unsigned flow = 1; flow <= 3 * WAYS; flow++) {
		ck_assert_uint_ne(placed(flow, 0), place);
		ck_assert_uint_eq(fq_codel_sparse_flows(w.queue), 1);
		take_all();
	}
	ck_assert_uint_eq(placed(0, 0), place);
	ck_assert_uint_eq(fq_codel_bulk_flows(w.queue), 1);
	ck_assert_uint_eq(counters()->collisions, 0);
}
END_TEST

START_TEST(one_that_owes_nothing_is_forgotten_in_time)
{
	use_flows(SET_OF_ALL, 1);
	const uint32_t place = run_into_debt(0);
	unsigned there = 0;

	forgive();
	for (unsigned flow = 1; flow <= WAYS; flow++)
		there += placed(flow, 0) == place;
	ck_assert_uint_eq(there, 1);
	ck_assert_uint_eq(fq_codel_sparse_flows(w.queue), WAYS);
	take_all();
	forgive();
	placed(0, 0);
	ck_assert_uint_eq(fq_codel_sparse_flows(w.queue), 1);
}
END_TEST

/* The queues of those that have long been clear are taken first. */
START_TEST(the_last_to_leave_is_remembered_longest)
{
	uint32_t places[WAYS];

	use_flows(SET_OF_ALL, 1);
	for (unsigned flow = 0; flow < WAYS; flow++) {
		places[flow] = placed(flow, 0);
		take_all();
		forgive();
	}
	for (unsigned flow = 0; flow < WAYS; flow++)
		ck_assert_uint_eq(placed(100 + flow, 0), places[flow]);
}
END_TEST

/* Nobody is rid of its debt, nor takes on a great one, while there is another queue. */
START_TEST(of_debts_the_least_is_taken_over)
{
	use_flows(SET_OF_ALL, 1);
	const uint32_t place = placed(0, 0);

	take_all();
	for (unsigned flow = 1; flow < WAYS; flow++)
		run_into_debt(flow);
	ck_assert_uint_eq(placed(WAYS, 0), place);
	ck_assert_uint_eq(fq_codel_sparse_flows(w.queue), 1);
}
END_TEST

static Suite *ways_suite(void)
{
	Suite *s = suite_create("fq_codel_ways");

	TCase *own = tcase_create("own");
	tcase_add_checked_fixture(own, start_world, end_world);
	tcase_add_test(own, eight_of_a_set_have_a_queue_each);
	tcase_add_test(own, the_first_of_a_set_is_at_home);
	tcase_add_loop_test(own, few_flows_never_collide, WAYS, WAYS + 1);
	tcase_add_loop_test(own, few_flows_never_collide, MOST, MOST + 1);
	tcase_add_test(own, eight_bulk_flows_of_a_set_share_alike);
	suite_add_tcase(s, own);

	TCase *guests = tcase_create("guests");
	tcase_add_checked_fixture(guests, start_world, end_world);
	tcase_add_test(guests, the_ninth_is_a_guest_at_home);
	tcase_add_test(guests, the_host_stays_in_its_queue);
	tcase_add_test(guests, a_guest_stays_while_it_waits);
	tcase_add_test(guests, then_it_gets_a_queue_of_its_own);
	tcase_add_test(guests, guests_that_are_dropped_are_gone);
	suite_add_tcase(s, guests);

	TCase *back = tcase_create("back");
	tcase_add_checked_fixture(back, start_world, end_world);
	tcase_add_test(back, one_that_owes_finds_its_queue_and_its_debt);
	tcase_add_test(back, one_that_owes_nothing_is_forgotten_in_time);
	tcase_add_test(back, the_last_to_leave_is_remembered_longest);
	tcase_add_test(back, of_debts_the_least_is_taken_over);
	suite_add_tcase(s, back);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(ways_suite());

	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
