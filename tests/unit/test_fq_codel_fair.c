/* SPDX-License-Identifier: MIT */
/* Who gets how much, and who goes first: long runs on a slow line with a fake clock. */
#include <stdlib.h>

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

static struct sender *add_bulk(size_t size)
{
	return world_add(&w, (struct sender){.may_wait = 5, .fixed_size = size});
}

/* One packet at a time at this part of the line's rate, blocked while one waits. */
static struct sender *add_constant(size_t size, double part)
{
	return world_add(&w, (struct sender){
				     .may_wait = 1,
				     .fixed_size = size,
				     .period = (sb_time)((double)size * SB_SEC / RATE / part),
			     });
}

static struct sender *add_ping(void)
{
	return world_add(&w, (struct sender){
				     .may_wait = 100,
				     .fixed_size = ECHO_SIZE,
				     .period = 200 * SB_MS,
			     });
}

static size_t mixed_size(struct sender *s)
{
	static const size_t sizes[] = {40, 576, 300, 28, 552, 137};

	return sizes[(s->sent_packets + s->waiting) % (sizeof sizes / sizeof *sizes)];
}

/* (sum x)^2 / (n sum x^2): 1 when all are equal, 1/n when one has all. */
static double jain_index(void)
{
	double sum = 0, squares = 0;

	for (unsigned i = 0; i < w.count; i++) {
		const double x = (double)w.senders[i].sent_bytes;
		sum += x;
		squares += x * x;
	}
	return sum * sum / (w.count * squares);
}

START_TEST(backlogged_flows_share_alike_whatever_their_packets)
{
	add_bulk(MTU);
	add_bulk(40);
	add_bulk(300);
	world_add(&w, (struct sender){.may_wait = 30, .size = mixed_size});
	world_run(&w, 120 * SB_SEC);
	ck_assert_double_ge(jain_index(), 0.98);
}
END_TEST

static void check_even(const struct sender *a, const struct sender *b)
{
	const double ratio = (double)a->sent_bytes / (double)b->sent_bytes;
	ck_assert_double_eq_tol(ratio, 1.0, 0.05);
}

/* The first seconds are the new sender's, while it is taken for a sparse one. */
static void settle_then_run(sb_time duration)
{
	world_run(&w, 5 * SB_SEC);
	for (unsigned i = 0; i < w.count; i++) {
		w.senders[i].sent_bytes = 0;
		w.senders[i].not_sparse = 0;
		w.senders[i].sent_packets = 0;
	}
	world_run(&w, duration);
}

START_TEST(one_packet_at_a_time_does_not_take_the_line)
{
	struct sender *constant = add_constant(MTU, 0.9);
	struct sender *bulk = add_bulk(MTU);
	settle_then_run(300 * SB_SEC);
	check_even(constant, bulk);
	ck_assert_uint_gt(constant->not_sparse, constant->sent_packets * 9 / 10);
}
END_TEST

START_TEST(nor_with_small_packets)
{
	struct sender *eager = world_add(&w, (struct sender){.may_wait = 1, .fixed_size = 100});
	struct sender *bulk = add_bulk(MTU);
	settle_then_run(300 * SB_SEC);
	check_even(eager, bulk);
}
END_TEST

START_TEST(nor_with_bursts_that_overdraw_its_quantum)
{
	/* Two at a time, and no more before both are sent. The first leaves it 6 bytes. */
	unsigned taken[2] = {0}, waiting = 0;
	for (int i = 0; i < 2000; i++) {
		world_send(&w, 1, MTU);
		if (waiting == 0)
			for (; waiting < 2; waiting++)
				world_send(&w, 0, MTU - 6);
		const int flow = world_take(&w);
		taken[flow]++;
		waiting -= flow == 0;
		w.now += SB_SEC * MTU / RATE;
	}
	ck_assert_double_eq_tol((double)taken[0] / taken[1], 1.0, 0.05);
}
END_TEST

START_TEST(a_sparse_flow_never_has_more_than_its_share)
{
	for (int percent = 5; percent <= 90; percent += 5) {
		end_world();
		start_world();
		struct sender *constant = add_constant(150, percent / 100.0);
		add_bulk(MTU);
		add_bulk(MTU);
		settle_then_run(120 * SB_SEC);
		ck_assert_double_le((double)constant->sent_bytes / (RATE * 120.0), 0.35);
	}
}
END_TEST

START_TEST(a_ping_among_four_bulk_flows_is_always_sparse)
{
	for (int i = 0; i < 4; i++)
		add_bulk(MTU);
	world_run(&w, 5 * SB_SEC); /* until they count as bulk */
	struct sender *ping = add_ping();
	world_run(&w, 600 * SB_SEC);
	ck_assert_uint_ge(ping->sent_packets, 2999);
	ck_assert_uint_eq(ping->not_sparse, 0);
	/* It waits for the packet that is being sent and for nothing else. */
	ck_assert_int_le(ping->longest_wait, MTU * SB_SEC / RATE);
}
END_TEST

START_TEST(a_backlogged_flow_is_sparse_for_one_quantum)
{
	for (int i = 0; i < 10; i++)
		world_send(&w, 0, MTU / 2);
	/* Half a quantum, a quantum: not yet more than one. The third is. */
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(world_sparse(&w), 0);
		ck_assert_int_eq(world_take(&w), 0);
	}
	for (int i = 0; i < 1000; i++) {
		ck_assert_int_eq(world_sparse(&w), -1);
		world_send(&w, 0, MTU / 2);
		ck_assert_int_eq(world_take(&w), 0);
	}
	/* Not even when its debt is long gone. */
	w.now += 3600 * SB_SEC;
	ck_assert_int_eq(world_sparse(&w), -1);
}
END_TEST

START_TEST(an_hour_of_bulk_is_soon_forgotten)
{
	struct sender *bulk = add_bulk(MTU);
	world_run(&w, 3600 * SB_SEC);
	bulk->may_wait = 0;
	while (world_take(&w) >= 0)
		;
	/* Two quanta at most, draining at half the rate down to one. */
	world_send(&w, 0, ECHO_SIZE);
	ck_assert_int_eq(world_sparse(&w), -1);
	ck_assert_int_eq(world_take(&w), 0);
	w.now += 2 * SB_SEC * (MTU + 1) / RATE;
	world_send(&w, 0, ECHO_SIZE);
	ck_assert_int_eq(world_sparse(&w), 0);
}
END_TEST

/* Whether flow 0 is among the sparse ones. */
static bool zero_is_sparse(void)
{
	uint16_t seen[1024] = {0};
	const struct packet *p;

	while ((p = fq_codel_peek_sparse(w.queue, w.now, seen))) {
		if (flow_of(p) == 0)
			return true;
		seen[p->flow] = 1;
	}
	return false;
}

START_TEST(debts_drain_slower_the_more_flows_wait)
{
	for (unsigned others = 1; others <= 6; others++) {
		for (int late = -1; late <= 1; late += 2) {
			end_world();
			start_world();
			world_send(&w, 0, MTU);
			world_send(&w, 0, MTU);
			while (world_take(&w) >= 0) /* now it owes two quanta */
				;
			for (unsigned flow = 1; flow <= others; flow++)
				world_send(&w, flow, ECHO_SIZE);
			/* One of them drains at rate / (n + 1). */
			w.now += (others + 1) * SB_SEC * MTU / RATE + late * SB_US;
			world_send(&w, 0, ECHO_SIZE);
			ck_assert_int_eq(zero_is_sparse(), late > 0);
		}
	}
}
END_TEST

START_TEST(without_a_rate_every_first_packet_is_sparse)
{
	fq_codel_set_rate(w.queue, w.now, 0);
	for (int i = 0; i < 100; i++) {
		world_send(&w, 0, MTU);
		ck_assert_int_eq(world_sparse(&w), 0);
		ck_assert_int_eq(world_take(&w), 0);
	}
}
END_TEST

START_TEST(a_port_scan_leaves_bulk_its_fifth)
{
	struct sender *bulk = add_bulk(MTU);
	world_add(&w, (struct sender){
			      .may_wait = POOL - 100,
			      .fixed_size = 40,
			      .period = SB_SEC * 40 / RATE / 2,
			      .scans = true,
		      });
	world_run(&w, 30 * SB_SEC);
	ck_assert_double_ge((double)bulk->sent_bytes / (30.0 * RATE), 0.19);
	/* Its five packets each have five quanta to wait for, and the last one's rest. */
	ck_assert_int_le(bulk->longest_wait, 6 * 5 * SB_SEC * MTU / RATE);
}
END_TEST

START_TEST(thin_flows_that_fill_the_queue_do_not_shut_bulk_out)
{
	struct fq_codel_config config = world_config(w.pool);
	config.limit_packets = 64;
	fq_codel_free(w.queue);
	w.queue = fq_codel_new(&config);
	fq_codel_set_rate(w.queue, w.now, RATE);

	/* Twice the line's rate in new flows, and once in bulk. */
	uint64_t bulk_bytes = 0;
	const sb_time end = w.now + 60 * SB_SEC;
	unsigned scanned = 0;
	for (sb_time scan = w.now, bulk = w.now, line = w.now; w.now < end;) {
		w.now = sb_time_min(scan, sb_time_min(bulk, line));
		if (w.now == scan) {
			world_send(&w, 1 + scanned++ % 20000, 40);
			scan += SB_SEC * 40 / RATE / 2;
		} else if (w.now == bulk) {
			world_send(&w, 0, MTU);
			bulk += SB_SEC * MTU / RATE;
		} else {
			struct packet *p = fq_codel_dequeue(w.queue, w.now);
			line += (p ? p->length : 40) * SB_SEC / RATE;
			if (!p)
				continue;
			bulk_bytes += flow_of(p) == 0 ? p->length : 0;
			packet_put(w.pool, p);
		}
	}
	ck_assert_double_ge((double)bulk_bytes / (60.0 * RATE), 0.15);
}
END_TEST

static Suite *fair_suite(void)
{
	Suite *s = suite_create("fq_codel_fair");

	TCase *shares = tcase_create("shares");
	tcase_add_checked_fixture(shares, start_world, end_world);
	tcase_add_test(shares, backlogged_flows_share_alike_whatever_their_packets);
	tcase_add_test(shares, one_packet_at_a_time_does_not_take_the_line);
	tcase_add_test(shares, nor_with_small_packets);
	tcase_add_test(shares, nor_with_bursts_that_overdraw_its_quantum);
	tcase_add_test(shares, a_sparse_flow_never_has_more_than_its_share);
	suite_add_tcase(s, shares);

	TCase *sparse = tcase_create("sparse");
	tcase_add_checked_fixture(sparse, start_world, end_world);
	tcase_add_test(sparse, a_ping_among_four_bulk_flows_is_always_sparse);
	tcase_add_test(sparse, a_backlogged_flow_is_sparse_for_one_quantum);
	tcase_add_test(sparse, an_hour_of_bulk_is_soon_forgotten);
	tcase_add_test(sparse, debts_drain_slower_the_more_flows_wait);
	tcase_add_test(sparse, without_a_rate_every_first_packet_is_sparse);
	suite_add_tcase(s, sparse);

	TCase *starvation = tcase_create("starvation");
	tcase_add_checked_fixture(starvation, start_world, end_world);
	tcase_add_test(starvation, a_port_scan_leaves_bulk_its_fifth);
	tcase_add_test(starvation, thin_flows_that_fill_the_queue_do_not_shut_bulk_out);
	suite_add_tcase(s, starvation);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(fair_suite());

	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
