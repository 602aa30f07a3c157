/* SPDX-License-Identifier: MIT */
/* What goes in comes out, is dropped for a stated reason, or is still there. */
#include <stdlib.h>

#include "sched/ip.h"
#include "tests/unit/queue_world.h"

static struct world w;

static void start_world(void)
{
	world_start(&w, RATE);
}

static void end_world(void)
{
	world_end(&w);
}

static void use_config(struct fq_codel_config config)
{
	fq_codel_free(w.queue);
	w.queue = fq_codel_new(&config);
	ck_assert_ptr_nonnull(w.queue);
	fq_codel_set_rate(w.queue, RATE);
}

static const struct fq_codel_counters *counters(void)
{
	return fq_codel_counters(w.queue);
}

static void check_sum(void)
{
	const struct fq_codel_counters *c = counters();
	const uint64_t drops = c->codel_drops + c->overlimit_drops + c->expired_drops;

	ck_assert_uint_eq(c->enqueued_packets,
			  c->dequeued_packets + drops + fq_codel_packets(w.queue));
	ck_assert_uint_ge(c->enqueued_bytes, c->dequeued_bytes + fq_codel_bytes(w.queue));
	ck_assert(drops > 0 || c->enqueued_bytes == c->dequeued_bytes + fq_codel_bytes(w.queue));
	ck_assert_int_eq(fq_codel_packets(w.queue) == 0, fq_codel_bytes(w.queue) == 0);
	ck_assert_int_eq(fq_codel_packets(w.queue) == 0, fq_codel_oldest(w.queue) == SB_NEVER);
}

/* Tells packets of one flow apart: the IPv4 identification. */
static void number(struct packet *p, unsigned n)
{
	put16(p->data + 4, n);
	ipv4_write_checksum(p->data);
}

static unsigned number_of(const struct packet *p)
{
	return (unsigned)(p->data[4] << 8 | p->data[5]);
}

static void send_numbered(unsigned flow, size_t size, unsigned ecn, unsigned n)
{
	struct packet *p = make_packet(w.pool, flow, size, ecn);

	number(p, n);
	fq_codel_enqueue(w.queue, w.now, p);
}

/* The next packet's number, and it goes back; -1 when there is none. */
static int take_number(void)
{
	struct packet *p = fq_codel_dequeue(w.queue, w.now);

	if (!p)
		return -1;
	const int n = (int)number_of(p);
	ck_assert_int_eq(ip_check(packet_bytes(p)), IP_OK);
	packet_put(w.pool, p);
	return n;
}

/* order */

START_TEST(an_empty_queue_has_nothing)
{
	ck_assert_ptr_null(fq_codel_dequeue(w.queue, w.now));
	ck_assert_ptr_null(fq_codel_peek_sparse(w.queue, w.now, NULL));
	ck_assert_int_eq(fq_codel_oldest(w.queue), SB_NEVER);
	check_sum();
}
END_TEST

START_TEST(a_flow_keeps_its_order)
{
	for (unsigned i = 0; i < 100; i++)
		send_numbered(7, MTU, ECN_ECT0, i);
	for (int i = 0; i < 100; i++) {
		ck_assert_int_eq(take_number(), i);
		w.now += SB_SEC * MTU / RATE;
	}
	ck_assert_int_eq(take_number(), -1);
	check_sum();
}
END_TEST

/* Two flows that are bulk, each with packets waiting. */
static void make_two_bulk_flows(void)
{
	for (int i = 0; i < 10; i++) {
		world_send(&w, 0, MTU);
		world_send(&w, 1, MTU);
	}
	while (world_sparse(&w) >= 0)
		world_take(&w);
}

START_TEST(bulk_flows_take_turns)
{
	make_two_bulk_flows();
	for (int i = 0; i < 4; i++) {
		ck_assert_int_eq(world_take(&w), 0);
		ck_assert_int_eq(world_take(&w), 1);
	}
}
END_TEST

START_TEST(sparse_goes_before_bulk)
{
	make_two_bulk_flows();
	world_send(&w, 2, 100);
	ck_assert_int_eq(world_take(&w), 2);
	ck_assert_int_eq(world_take(&w), 0);
}
END_TEST

START_TEST(among_sparse_flows_the_longest_waiting_goes_first)
{
	world_send(&w, 5, 100);
	w.now += SB_MS;
	world_send(&w, 6, 100);
	w.now += SB_MS;
	world_send(&w, 5, 100);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(world_sparse(&w), i == 1 ? 6 : 5);
		ck_assert_int_eq(world_take(&w), i == 1 ? 6 : 5);
	}
}
END_TEST

START_TEST(what_peek_shows_dequeue_sparse_gives)
{
	make_two_bulk_flows();
	world_send(&w, 2, 100);
	const uint32_t before = fq_codel_packets(w.queue);
	const struct packet *shown = fq_codel_peek_sparse(w.queue, w.now, NULL);
	ck_assert_uint_eq(fq_codel_packets(w.queue), before);
	w.now += SB_SEC;
	struct packet *p = fq_codel_dequeue_sparse(w.queue, w.now, shown);
	ck_assert_ptr_eq(p, shown);
	ck_assert_int_eq(p->arrived, w.now - SB_SEC);
	packet_put(w.pool, p);
	check_sum();
}
END_TEST

START_TEST(a_blocked_flow_is_not_shown)
{
	uint16_t blocked[1024] = {0};
	world_send(&w, 2, 100);
	w.now += SB_MS;
	world_send(&w, 3, 100);
	const struct packet *p = fq_codel_peek_sparse(w.queue, w.now, blocked);
	ck_assert_uint_eq(flow_of(p), 2);
	blocked[p->flow] = 1;
	p = fq_codel_peek_sparse(w.queue, w.now, blocked);
	ck_assert_uint_eq(flow_of(p), 3);
	blocked[p->flow] = 3;
	ck_assert_ptr_null(fq_codel_peek_sparse(w.queue, w.now, blocked));
	ck_assert_int_eq(world_take(&w), 2); /* dequeue does not mind */
}
END_TEST

/* limits */

START_TEST(the_fattest_flow_loses_from_its_head)
{
	struct fq_codel_config config = world_config(w.pool);
	config.limit_packets = 6;
	use_config(config);
	for (unsigned i = 0; i < 5; i++)
		send_numbered(0, MTU, ECN_NOT_ECT, i);
	send_numbered(1, 100, ECN_NOT_ECT, 50);
	send_numbered(2, 100, ECN_NOT_ECT, 60);
	ck_assert_uint_eq(fq_codel_packets(w.queue), 6);
	ck_assert_uint_eq(counters()->overlimit_drops, 1);
	ck_assert_int_eq(take_number(), 1); /* 0 is gone */
	check_sum();
}
END_TEST

START_TEST(bytes_are_limited_too)
{
	struct fq_codel_config config = world_config(w.pool);
	config.limit_bytes = 4 * MTU;
	use_config(config);
	for (unsigned i = 0; i < 100; i++) {
		send_numbered(i % 3, 30 + 5 * i, ECN_NOT_ECT, i);
		ck_assert_uint_le(fq_codel_bytes(w.queue), 4 * MTU);
		check_sum();
	}
}
END_TEST

START_TEST(a_packet_beyond_the_limit_itself_is_dropped)
{
	struct fq_codel_config config = world_config(w.pool);
	config.limit_bytes = 100;
	use_config(config);
	world_send(&w, 0, 101);
	ck_assert_uint_eq(fq_codel_packets(w.queue), 0);
	ck_assert_uint_eq(counters()->overlimit_drops, 1);
	world_send(&w, 0, 100);
	ck_assert_int_eq(world_take(&w), 0);
	check_sum();
}
END_TEST

START_TEST(expiry_drops_what_came_before)
{
	for (unsigned i = 0; i < 30; i++) {
		send_numbered(i % 4, 100, ECN_NOT_ECT, i);
		w.now += SB_SEC;
	}
	const sb_time first = w.now - 30 * SB_SEC;
	ck_assert_int_eq(fq_codel_oldest(w.queue), first);
	fq_codel_expire(w.queue, first);
	ck_assert_uint_eq(counters()->expired_drops, 0);
	fq_codel_expire(w.queue, first + 10 * SB_SEC);
	ck_assert_uint_eq(counters()->expired_drops, 10);
	ck_assert_int_eq(fq_codel_oldest(w.queue), first + 10 * SB_SEC);
	check_sum();
	ck_assert_int_eq(take_number(), 10);
	fq_codel_expire(w.queue, SB_NEVER);
	ck_assert_int_eq(take_number(), -1);
	check_sum();
}
END_TEST

START_TEST(freeing_puts_packets_back)
{
	for (int i = 0; i < POOL; i++)
		world_send(&w, (unsigned)i % 50, 60);
	ck_assert_ptr_null(packet_get(w.pool));
	use_config(world_config(w.pool));
	for (int i = 0; i < POOL; i++)
		ck_assert_ptr_nonnull(packet_get(w.pool));
	fq_codel_free(NULL);
}
END_TEST

START_TEST(another_seed_puts_flows_elsewhere)
{
	unsigned moved = 0;
	for (unsigned flow = 0; flow < 100; flow++) {
		uint32_t index[2];
		for (uint32_t seed = 0; seed < 2; seed++) {
			struct fq_codel_config config = world_config(w.pool);
			config.seed = seed;
			use_config(config);
			world_send(&w, flow, 100);
			index[seed] = fq_codel_peek_sparse(w.queue, w.now, NULL)->flow;
		}
		moved += index[0] != index[1];
	}
	ck_assert_uint_ge(moved, 95);
}
END_TEST

/* CoDel */

static const sb_time packet_time = SB_SEC * MTU / RATE;

/* A flow that never has fewer than ten packets waiting; takes n at the line's rate. */
static void stand_for(unsigned ecn, int n)
{
	for (int i = 0; i < n; i++) {
		while (fq_codel_packets(w.queue) < 10)
			send_numbered(0, MTU, ecn, 0);
		ck_assert_int_eq(take_number(), 0);
		check_sum();
		w.now += packet_time;
	}
}

START_TEST(a_standing_queue_is_dropped_from)
{
	stand_for(ECN_NOT_ECT, 200);
	ck_assert_uint_gt(counters()->codel_drops, 20);
	ck_assert_uint_eq(counters()->ecn_marks, 0);
}
END_TEST

START_TEST(with_ecn_marks_replace_drops)
{
	stand_for(ECN_ECT0, 200);
	ck_assert_uint_gt(counters()->ecn_marks, 20);
	ck_assert_uint_eq(counters()->codel_drops, 0);
}
END_TEST

START_TEST(ecn_can_be_switched_off)
{
	struct fq_codel_config config = world_config(w.pool);
	config.ecn = false;
	use_config(config);
	stand_for(ECN_ECT0, 200);
	ck_assert_uint_eq(counters()->ecn_marks, 0);
	ck_assert_uint_gt(counters()->codel_drops, 20);
}
END_TEST

START_TEST(drops_follow_the_law)
{
	/* Packets of 1 ms each, 5 and 100 ms: the first wait above target is at 5 ms. */
	struct fq_codel_config config = world_config(w.pool);
	config.target = 5 * SB_MS;
	config.interval = 100 * SB_MS;
	use_config(config);
	static const int at_ms[] = {105, 205, 276, 334, 384, 429, 469, 507};
	for (int i = 0; i < 2000; i++)
		world_send(&w, 0, MTU);
	const sb_time start = w.now;
	for (unsigned dropped = 0; dropped < sizeof at_ms / sizeof *at_ms; w.now += SB_MS) {
		ck_assert_int_eq(world_take(&w), 0);
		ck_assert_uint_eq(counters()->codel_drops, 0);
		ck_assert_int_le((w.now - start) / SB_MS, at_ms[dropped]);
		if (counters()->ecn_marks == dropped)
			continue;
		ck_assert_int_eq((w.now - start) / SB_MS, at_ms[dropped]);
		dropped++;
	}
}
END_TEST

START_TEST(a_short_wait_is_never_dropped)
{
	/* Each packet waits just less than target, with a backlog behind it. */
	const sb_time target = world_config(w.pool).target;
	for (int i = 0; i < 500; i++) {
		for (int k = 0; k < 20; k++)
			send_numbered(0, MTU, ECN_NOT_ECT, 0);
		w.now += target - 1;
		while (take_number() >= 0)
			;
	}
	ck_assert_uint_eq(counters()->codel_drops, 0);
}
END_TEST

START_TEST(a_sparse_flow_is_never_dropped)
{
	for (int i = 0; i < 500; i++) {
		send_numbered(0, 40, ECN_NOT_ECT, 0);
		w.now += 60 * SB_SEC;
		ck_assert_int_eq(take_number(), 0);
	}
	ck_assert_uint_eq(counters()->codel_drops, 0);
}
END_TEST

START_TEST(a_new_target_counts_at_once)
{
	fq_codel_set_target(w.queue, 3600 * SB_SEC, 7200 * SB_SEC);
	stand_for(ECN_NOT_ECT, 200);
	ck_assert_uint_eq(counters()->codel_drops, 0);
	fq_codel_set_target(w.queue, 3 * packet_time, 6 * packet_time);
	stand_for(ECN_NOT_ECT, 200);
	ck_assert_uint_gt(counters()->codel_drops, 20);
}
END_TEST

/* A flow's first n packets come in one burst, over 9600 b/s. */
static void burst_at_9600(int n, sb_time target, sb_time interval)
{
	const sb_time t = SB_SEC * MTU / 960;
	struct fq_codel_config config = world_config(w.pool);
	config.target = target;
	config.interval = interval;
	use_config(config);
	fq_codel_set_rate(w.queue, 960);
	for (int i = 0; i < n; i++)
		send_numbered(0, MTU, ECN_NOT_ECT, (unsigned)i);
	for (int i = 0; i < n; i++, w.now += t)
		ck_assert_int_eq(take_number(), i);
	ck_assert_int_eq(take_number(), -1);
	ck_assert_uint_eq(counters()->codel_drops, 0);
}

START_TEST(A14_at_9600_the_first_packets_of_a_flow_are_not_dropped)
{
	/* The least target that is allowed, 1.5 T, and an initial window of RFC 3390. */
	burst_at_9600(4, 900 * SB_MS, 900 * SB_MS + 95 * SB_MS);
	/* 3 T and twice that, and the ten segments of RFC 6928. */
	burst_at_9600(10, 1800 * SB_MS, 3600 * SB_MS);
}
END_TEST

/* all of it, at random */

static uint32_t random_state;

/* xorshift32; below n. */
static uint32_t random_below(uint32_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return random_state % n;
}

enum { FLOWS = 12, HELD = 40 };

struct play {
	unsigned sent[FLOWS];     /* number of the last packet sent */
	unsigned received[FLOWS]; /* and of the last received */
	struct packet *held[HELD];
	uint16_t bound[1024]; /* of those held, as the stripe would count */
};

static void play_send(struct play *play)
{
	struct packet *p = packet_get(w.pool);

	if (!p)
		return;
	const unsigned flow = random_below(FLOWS);
	packet_put(w.pool, p);
	send_numbered(flow, 28 + random_below(MTU - 27), random_below(4), ++play->sent[flow]);
}

/* Holds a packet that came out, in place of one that it lets go. */
static void play_hold(struct play *play, struct packet *p)
{
	if (!p)
		return;
	const unsigned flow = flow_of(p);
	ck_assert_uint_gt(number_of(p), play->received[flow]);
	play->received[flow] = number_of(p);
	ck_assert_int_eq(ip_check(packet_bytes(p)), IP_OK);
	ck_assert_int_le(p->arrived, w.now);

	struct packet **place = &play->held[random_below(HELD)];
	if (*place) {
		play->bound[(*place)->flow]--;
		packet_put(w.pool, *place);
	}
	*place = p;
	play->bound[p->flow]++;
}

static void play_sparse(struct play *play)
{
	const struct packet *p = fq_codel_peek_sparse(w.queue, w.now, play->bound);

	if (!p)
		return;
	ck_assert_uint_eq(play->bound[p->flow], 0);
	play_hold(play, fq_codel_dequeue_sparse(w.queue, w.now, p));
}

static void play_expire(void)
{
	const sb_time before = w.now - random_below(30) * SB_SEC;

	fq_codel_expire(w.queue, before);
	ck_assert_int_ge(fq_codel_oldest(w.queue), before);
}

static void play_change(void)
{
	const sb_time target = (1 + random_below(2000)) * SB_MS;

	fq_codel_set_rate(w.queue, random_below(3) ? random_below(10000) : 0);
	fq_codel_set_target(w.queue, target, 2 * target);
}

static void play_step(struct play *play)
{
	const uint32_t dice = random_below(100);

	w.now += random_below(3) ? 0 : random_below(300) * SB_MS;
	if (dice < 55)
		play_send(play);
	else if (dice < 80)
		play_hold(play, fq_codel_dequeue(w.queue, w.now));
	else if (dice < 97)
		play_sparse(play);
	else if (dice < 99)
		play_change();
	else
		play_expire();
}

START_TEST(whatever_is_done_the_sums_are_right)
{
	struct play play = {0};
	struct fq_codel_config config = world_config(w.pool);
	config.limit_packets = 100;
	config.limit_bytes = 100 * MTU / 3;
	config.flows = 8; /* so that flows share queues */
	use_config(config);
	random_state = 0x9e3779b9u + (uint32_t)_i;
	for (int i = 0; i < 10000; i++) {
		play_step(&play);
		check_sum();
		ck_assert_uint_le(fq_codel_packets(w.queue), config.limit_packets);
		ck_assert_uint_le(fq_codel_bytes(w.queue), config.limit_bytes);
	}
	ck_assert_uint_gt(counters()->codel_drops, 0);
	ck_assert_uint_gt(counters()->ecn_marks, 0);
	ck_assert_uint_gt(counters()->overlimit_drops, 0);
	ck_assert_uint_gt(counters()->expired_drops, 0);

	/* Nothing has leaked: all are in the queue, held, or in the pool. */
	fq_codel_expire(w.queue, SB_NEVER);
	int total = 0;
	for (int i = 0; i < HELD; i++)
		total += play.held[i] != NULL;
	while (packet_get(w.pool))
		total++;
	ck_assert_int_eq(total, POOL);
}
END_TEST

static Suite *fq_codel_suite(void)
{
	Suite *s = suite_create("fq_codel");

	TCase *order = tcase_create("order");
	tcase_add_checked_fixture(order, start_world, end_world);
	tcase_add_test(order, an_empty_queue_has_nothing);
	tcase_add_test(order, a_flow_keeps_its_order);
	tcase_add_test(order, bulk_flows_take_turns);
	tcase_add_test(order, sparse_goes_before_bulk);
	tcase_add_test(order, among_sparse_flows_the_longest_waiting_goes_first);
	tcase_add_test(order, what_peek_shows_dequeue_sparse_gives);
	tcase_add_test(order, a_blocked_flow_is_not_shown);
	tcase_add_test(order, another_seed_puts_flows_elsewhere);
	suite_add_tcase(s, order);

	TCase *limits = tcase_create("limits");
	tcase_add_checked_fixture(limits, start_world, end_world);
	tcase_add_test(limits, the_fattest_flow_loses_from_its_head);
	tcase_add_test(limits, bytes_are_limited_too);
	tcase_add_test(limits, a_packet_beyond_the_limit_itself_is_dropped);
	tcase_add_test(limits, expiry_drops_what_came_before);
	tcase_add_test(limits, freeing_puts_packets_back);
	suite_add_tcase(s, limits);

	TCase *codel = tcase_create("codel");
	tcase_add_checked_fixture(codel, start_world, end_world);
	tcase_add_test(codel, a_standing_queue_is_dropped_from);
	tcase_add_test(codel, with_ecn_marks_replace_drops);
	tcase_add_test(codel, ecn_can_be_switched_off);
	tcase_add_test(codel, drops_follow_the_law);
	tcase_add_test(codel, a_short_wait_is_never_dropped);
	tcase_add_test(codel, a_sparse_flow_is_never_dropped);
	tcase_add_test(codel, a_new_target_counts_at_once);
	tcase_add_test(codel, A14_at_9600_the_first_packets_of_a_flow_are_not_dropped);
	suite_add_tcase(s, codel);

	TCase *random = tcase_create("random");
	tcase_add_checked_fixture(random, start_world, end_world);
	tcase_add_loop_test(random, whatever_is_done_the_sums_are_right, 0, 4);
	suite_add_tcase(s, random);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(fq_codel_suite());

	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
