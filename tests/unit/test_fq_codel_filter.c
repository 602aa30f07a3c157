/* SPDX-License-Identifier: MIT */
/* Dequeueing for who may not take every packet: what is passed over loses nothing by it. */
#include "tests/unit/fq_codel_testing.h"

/* Flows, a bit each; and how often it was asked. */
struct set {
	unsigned flows;
	unsigned *asked;
};

static bool is_in(const void *context, const struct packet *p)
{
	const struct set *s = context;

	if (s->asked)
		++*s->asked;
	return s->flows >> flow_of(p) & 1;
}

/* The flow of the next packet of the set, -1 when there is none. */
static int take_of(unsigned flows)
{
	const struct set set = {.flows = flows};
	struct packet *p = fq_codel_dequeue_for(w.queue, w.now, is_in, &set);
	const int flow = p ? (int)flow_of(p) : -1;

	if (p)
		packet_put(w.pool, p);
	return flow;
}

/* Bulk flows with about so many packets each, all of which have sent three. */
static void make_bulk(unsigned flows, unsigned packets)
{
	for (unsigned i = 0; i < packets + 3; i++)
		for (unsigned flow = 0; flow < flows; flow++)
			world_send(&w, flow, MTU);
	for (unsigned i = 0; i < 3 * flows; i++)
		world_take(&w);
	ck_assert_uint_eq(fq_codel_bulk_flows(w.queue), flows);
}

START_TEST(only_what_is_accepted_comes_out)
{
	make_bulk(4, 10);
	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(take_of(1u << 2), 2);
	const int first = take_of(1u << 1 | 1u << 3);
	ck_assert(first == 1 || first == 3);
	ck_assert_int_eq(take_of(1u << 1 | 1u << 3), 4 - first);
	ck_assert_int_eq(take_of(1u << 1 | 1u << 3), first);
	ck_assert_int_eq(take_of(1u << 7), -1);
	check_sum();
}
END_TEST

START_TEST(each_flow_keeps_its_order)
{
	const struct set odd = {.flows = 0xaa};
	unsigned last[8] = {0};

	for (unsigned i = 1; i <= 80; i++)
		send_numbered(i % 8, MTU, ECN_ECT0, i);
	for (unsigned i = 0; i < 40; i++) {
		struct packet *p = fq_codel_dequeue_for(w.queue, w.now, is_in, &odd);

		ck_assert_uint_gt(number_of(p), last[flow_of(p)]);
		last[flow_of(p)] = number_of(p);
		packet_put(w.pool, p);
	}
	ck_assert_int_eq(take_of(0xaa), -1);
	ck_assert_uint_eq(fq_codel_packets(w.queue), 40);
}
END_TEST

/* A sparse one that may go is taken, though another that may not has waited longer. */
START_TEST(sparse_flows_are_passed_over_too)
{
	make_bulk(2, 5);
	world_send(&w, 4, ECHO_SIZE);
	w.now += SB_MS;
	world_send(&w, 5, ECHO_SIZE);
	ck_assert_int_eq(take_of(1u << 5 | 1u << 0), 5);
	ck_assert_int_eq(take_of(1u << 5 | 1u << 0), 0);
	ck_assert_int_eq(world_sparse(&w), 4);
}
END_TEST

/* Bulk whose turn it would be, after much sparse, but that may not go, holds nothing up. */
START_TEST(sparse_goes_when_bulk_may_not)
{
	make_bulk(1, 3);
	for (unsigned flow = 2; flow < 14; flow++)
		world_send(&w, flow, MTU);
	for (unsigned i = 0; i < 12; i++)
		ck_assert_int_ge(take_of(~1u), 2);
	ck_assert_int_eq(take_of(~1u), -1);
	ck_assert_int_eq(world_take(&w), 0);
}
END_TEST

/* Asking in vain, between any two packets, changes nothing of what comes out, nor of the counts. */
START_TEST(who_is_passed_over_loses_nothing)
{
	int order[2][300];
	struct fq_codel_counters counts[2];
	const unsigned keeps[] = {40, 25, 12, 30};

	end_world();
	for (int vain = 0; vain < 2; vain++) {
		start_world();
		for (unsigned i = 0; i < 300; i++) {
			for (unsigned flow = 0; flow < 4; flow++)
				if (i % 60 < keeps[flow])
					world_send(&w, flow, 100 + 97 * ((i + flow) % 5));
			for (int n = 0; vain && n < 3; n++)
				ck_assert_int_eq(take_of(1u << 5), -1);
			order[vain][i] = world_take(&w);
			w.now += SB_SEC * MTU / RATE;
		}
		counts[vain] = *counters();
		end_world();
	}
	ck_assert_mem_eq(order[0], order[1], sizeof(order[0]));
	ck_assert_mem_eq(&counts[0], &counts[1], sizeof(counts[0]));
	ck_assert_uint_gt(counts[0].ecn_marks, 0);
	start_world();
}
END_TEST

/* Among those accepted it is round robin in bytes, whatever is between them. */
START_TEST(those_accepted_share_alike)
{
	const struct set set = {.flows = 0x2b};
	unsigned waiting[8] = {0};
	double bytes[8] = {0};

	for (unsigned i = 0; i < 4000; i++) {
		for (unsigned flow = 0; flow < 8; flow++)
			for (; waiting[flow] < 20; waiting[flow]++)
				world_send(&w, flow, 100 + 59 * flow);
		struct packet *p = i % 3 ? fq_codel_dequeue_for(w.queue, w.now, is_in, &set)
					 : fq_codel_dequeue(w.queue, w.now);

		waiting[flow_of(p)]--;
		bytes[flow_of(p)] += p->length;
		w.now += SB_SEC * p->length / RATE;
		packet_put(w.pool, p);
	}
	for (unsigned flow = 0; flow < 8; flow++)
		if (set.flows >> flow & 1) {
			ck_assert_double_ge(bytes[flow], bytes[0] * 0.95);
			ck_assert_double_le(bytes[flow], bytes[0] * 1.05);
		}
	ck_assert_double_gt(bytes[0], 100 * MTU);
}
END_TEST

START_TEST(it_asks_about_each_flow_a_few_times_at_most)
{
	unsigned asked = 0;
	const struct set none = {.asked = &asked}, all = {.flows = ~0u, .asked = &asked};

	make_bulk(20, 5);
	ck_assert_ptr_null(fq_codel_dequeue_for(w.queue, w.now, is_in, &none));
	ck_assert_uint_eq(asked, 20);
	asked = 0;
	for (unsigned i = 0; i < 20; i++)
		packet_put(w.pool, fq_codel_dequeue_for(w.queue, w.now, is_in, &all));
	ck_assert_uint_le(asked, 3 * 20);
}
END_TEST

/* --- packets of one flow that not everybody may take --- */

static bool is_even(const void *context, const struct packet *p)
{
	(void)context;
	return number_of(p) % 2 == 0;
}

/* When CoDel drops the one that may go, the next one, which may not, stays where it is. */
START_TEST(what_stands_behind_a_drop_is_looked_at_anew)
{
	struct fq_codel_config config = world_config(w.pool);
	unsigned drops = 0, received = 0;

	config.ecn = false;
	use_config(config);
	for (unsigned i = 0; i < 1000; i++)
		send_numbered(1, MTU, ECN_NOT_ECT, i);
	while (fq_codel_packets(w.queue)) {
		struct packet *p = fq_codel_dequeue_for(w.queue, w.now, is_even, NULL);

		drops += !p && counters()->codel_drops > drops;
		if (!p)
			p = fq_codel_dequeue(w.queue, w.now);
		else
			ck_assert_uint_eq(number_of(p) % 2, 0);
		ck_assert_ptr_nonnull(p);
		packet_put(w.pool, p);
		received++;
		w.now += 200 * SB_MS;
		check_sum();
	}
	ck_assert_uint_gt(drops, 0);
	ck_assert_uint_eq(received + counters()->codel_drops, 1000);
}
END_TEST

static Suite *filter_suite(void)
{
	Suite *s = suite_create("fq_codel_filter");
	TCase *c = tcase_create("filter");

	tcase_add_checked_fixture(c, start_world, end_world);
	tcase_add_test(c, only_what_is_accepted_comes_out);
	tcase_add_test(c, each_flow_keeps_its_order);
	tcase_add_test(c, sparse_flows_are_passed_over_too);
	tcase_add_test(c, sparse_goes_when_bulk_may_not);
	tcase_add_test(c, who_is_passed_over_loses_nothing);
	tcase_add_test(c, those_accepted_share_alike);
	tcase_add_test(c, it_asks_about_each_flow_a_few_times_at_most);
	tcase_add_test(c, what_stands_behind_a_drop_is_looked_at_anew);
	suite_add_tcase(s, c);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(filter_suite());

	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
