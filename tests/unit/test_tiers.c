/* SPDX-License-Identifier: MIT */
/* Which tier a packet waits in, what bounds them all, what is counted; and that one tier is as
 * none. */
#include "tests/unit/tiers_testing.h"

#include "sched/ip.h"

/* --- DSCP --- */

static enum tier tier_with(enum tier_scheme scheme, unsigned dscp, bool ipv6)
{
	uint8_t packet[60];

	if (ipv6) {
		ipv6_write(packet, sizeof(packet), 17, 0);
		packet[0] = (uint8_t)(0x60 | dscp >> 2);
		packet[1] = (uint8_t)(dscp << 6);
	} else {
		udp4_write(packet, sizeof(packet), 1, 2, dscp << 2 | ECN_CE);
	}
	return tier_of(scheme, bytes_of(packet, sizeof(packet)));
}

/* i: interactive, k: bulk. By hand, from the registry of code points. */
static const char *const interactive_and_bulk[] = {
	[TIERS_BESTEFFORT] = "................................................................",
	[TIERS_DIFFSERV3] = ".k..i...k.......................i.......i...i.i.i.......i.......",
	[TIERS_PRECEDENCE] = "........kkkkkkkk................iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii",
};

START_TEST(every_code_point_has_its_tier)
{
	const char *wanted = interactive_and_bulk[_i];

	ck_assert_uint_eq(strlen(wanted), 64);
	for (unsigned dscp = 0; dscp < 64; dscp++) {
		enum tier t = wanted[dscp] == 'i'   ? TIER_INTERACTIVE
			      : wanted[dscp] == 'k' ? TIER_BULK
						    : TIER_BEST_EFFORT;
		ck_assert_int_eq(tier_with((enum tier_scheme)_i, dscp, false), t);
		ck_assert_int_eq(tier_with((enum tier_scheme)_i, dscp, true), t);
	}
}
END_TEST

START_TEST(what_is_no_packet_is_best_effort)
{
	static const uint8_t bytes[] = {0x45, 0xb8, 0x60, 0xff};

	for (size_t n = 0; n <= sizeof(bytes); n++)
		ck_assert_int_eq(tier_of(TIERS_DIFFSERV3, bytes_of(bytes, n)), TIER_BEST_EFFORT);
}
END_TEST

START_TEST(each_waits_in_its_tier_under_a_number_of_its_own)
{
	for (unsigned i = 0; i < TIERS; i++) {
		struct packet *p = packet_of(dscp_of_tier[i], 1, MTU);

		tiers_enqueue(tiers, now, p);
		ck_assert_uint_eq(p->flow / FLOWS, i);
		ck_assert_uint_lt(p->flow, tiers_flows(tiers));
		ck_assert_uint_eq(counted((enum tier)i).backlog_packets, 1);
	}
	ck_assert_uint_eq(tiers_packets(tiers), 3);
	ck_assert_uint_eq(tiers_bytes(tiers), 3 * MTU);
	ck_assert_int_eq(tiers_oldest(tiers), now);
}
END_TEST

/* --- wash --- */

START_TEST(washed_packets_are_without_a_mark_and_whole)
{
	struct tiers_config c = plain_config();
	struct packet *p;

	c.wash = true;
	use(c);
	for (unsigned dscp = 0; dscp < 64; dscp++) {
		put(dscp, 3, 100);
		p = tiers_dequeue(tiers, now);
		ck_assert_uint_eq(p->data[1], ECN_ECT0);
		ck_assert_int_eq(ip_check(packet_bytes(p)), IP_OK);
		packet_put(pool, p);
	}
	ck_assert_uint_eq(counted(TIER_INTERACTIVE).queue.enqueued_packets, 7);
}
END_TEST

START_TEST(wash_of_IPv6_leaves_the_rest)
{
	uint8_t packet[48], clean[48];

	for (unsigned dscp = 0; dscp < 64; dscp++) {
		ipv6_write(packet, sizeof(packet), 17, ECN_CE);
		packet[1] |= 0x0a; /* flow label */
		memcpy(clean, packet, sizeof(clean));
		packet[0] |= (uint8_t)(dscp >> 2);
		packet[1] |= (uint8_t)(dscp << 6);
		ck_assert_int_eq(ip_clear_dscp(packet, sizeof(packet)), dscp != 0);
		ck_assert_mem_eq(packet, clean, sizeof(clean));
	}
}
END_TEST

/* --- one tier is as none --- */

static bool same(struct packet *a, struct packet *b)
{
	bool equal = a && b ? a->length == b->length && a->arrived == b->arrived &&
				      !memcmp(a->data, b->data, a->length)
			    : !a && !b;

	if (a)
		packet_put(pool, a);
	if (b)
		packet_put(pool, b);
	return equal;
}

/* A queue beside the tiers, and the same done to both. */
static void play_both(struct fq_codel *q)
{
	const struct packet *a, *b;

	now += random_below(3) ? 0 : random_below(300) * SB_MS;
	switch (random_below(9)) {
	case 0:
		ck_assert(same(tiers_dequeue_bulk(tiers, now), fq_codel_dequeue_bulk(q, now)));
		break;
	case 1:
	case 2:
		a = tiers_peek_sparse(tiers, now, NULL);
		b = fq_codel_peek_sparse(q, now, NULL);
		ck_assert_int_eq(a != NULL, b != NULL);
		if (a)
			ck_assert(same(tiers_dequeue_sparse(tiers, now, a),
				       fq_codel_dequeue_sparse(q, now, b)));
		break;
	case 3:
	case 4:
		ck_assert(same(tiers_dequeue(tiers, now), fq_codel_dequeue(q, now)));
		break;
	default: {
		uint32_t size = 28 + random_below(MTU - 27);
		unsigned flow = random_below(8), dscp = random_below(64) / 8;

		put(dscp == 1 || dscp == 4 ? 0 : dscp, flow, size);
		fq_codel_enqueue(q, now, packet_of(dscp == 1 || dscp == 4 ? 0 : dscp, flow, size));
	}
	}
	ck_assert_uint_eq(tiers_packets(tiers), fq_codel_packets(q));
	ck_assert_uint_eq(tiers_bytes(tiers), fq_codel_bytes(q));
	ck_assert_int_eq(tiers_oldest(tiers), fq_codel_oldest(q));
}

/* Shares, ceilings of others, bounds: nothing of it shows while all is best effort. */
START_TEST(unmarked_traffic_is_as_with_one_queue)
{
	struct tiers_config c = plain_config();
	struct fq_codel *q;

	random_state += (uint32_t)_i;
	c.queue.limit_packets = 100;
	c.queue.limit_bytes = 100 * MTU / 3;
	c.queue.target = 400 * SB_MS;
	c.queue.interval = 800 * SB_MS;
	c.tiers[TIER_INTERACTIVE].ceiling = 500;
	use(c);
	q = fq_codel_new(&c.queue);
	fq_codel_set_rate(q, now, RATE);
	for (unsigned i = 0; i < 20000; i++)
		play_both(q);
	struct fq_codel_counters sum = tiers_total(tiers);
	ck_assert_mem_eq(&sum, fq_codel_counters(q), sizeof(sum));
	ck_assert_uint_gt(sum.codel_drops + sum.ecn_marks, 0);
	ck_assert_uint_gt(sum.overlimit_drops, 0);
	fq_codel_free(q);
}
END_TEST

/* --- bounds --- */

START_TEST(all_tiers_together_are_bounded_in_bytes)
{
	struct tiers_config c = plain_config();

	c.queue.limit_bytes = 40 * MTU;
	use(c);
	for (unsigned i = 0; i < 60; i++) {
		put(dscp_of_tier[i % TIERS], i % TIERS, MTU);
		ck_assert_uint_le(tiers_bytes(tiers), 40 * MTU);
	}
	ck_assert_uint_eq(tiers_bytes(tiers), 40 * MTU);
	ck_assert_uint_eq(tiers_total(tiers).overlimit_drops, 20);
}
END_TEST

/* Nobody is pushed out by who fills the queue, in whatever tier that is. */
START_TEST(the_fattest_flow_of_all_tiers_loses)
{
	struct tiers_config c = plain_config();

	c.queue.limit_packets = 50;
	use(c);
	for (unsigned i = 0; i < 48; i++)
		put(dscp_of_tier[_i], 1, MTU);
	for (unsigned i = 0; i < 20; i++)
		put(dscp_of_tier[(_i + 1) % TIERS], i, 60);
	ck_assert_uint_eq(counted((enum tier)_i).queue.overlimit_drops, 18);
	ck_assert_uint_eq(tiers_total(tiers).overlimit_drops, 18);
}
END_TEST

/* Where all are thin, who comes loses. */
START_TEST(thin_flows_do_not_push_each_other_out)
{
	struct tiers_config c = plain_config();

	c.queue.limit_packets = 50;
	use(c);
	for (unsigned i = 0; i < 50; i++)
		put(CS0, i, 60);
	put(EF, 60, 60);
	ck_assert_uint_eq(counted(TIER_INTERACTIVE).queue.overlimit_drops, 1);
	ck_assert_uint_eq(tiers_packets(tiers), 50);
}
END_TEST

static void drain_to(uint32_t bytes)
{
	while (tiers_bytes(tiers) > bytes)
		packet_put(pool, tiers_dequeue(tiers, now));
}

static uint32_t bytes_that_fit(uint64_t rate)
{
	drain_to(0);
	tiers_set_rate(tiers, rate);
	for (unsigned i = 0; i < 1000; i++)
		put(dscp_of_tier[i % TIERS], i % TIERS, MTU);
	return tiers_bytes(tiers);
}

/* N6: five seconds' worth, and never less than TCP begins with. */
START_TEST(N6_what_waits_is_bounded_in_time)
{
	struct tiers_config c = plain_config();

	c.limit_time = 5 * SB_SEC;
	use(c);
	ck_assert_uint_le(bytes_that_fit(50000), 5 * 50000);
	ck_assert_uint_ge(tiers_bytes(tiers), 5 * 50000 - MTU);
	ck_assert_uint_eq(bytes_that_fit(120), 32 * MTU);
	c.queue.limit_bytes = 7 * MTU;
	tiers_configure(tiers, &c);
	ck_assert_uint_eq(bytes_that_fit(120), 7 * MTU);
	ck_assert_uint_eq(bytes_that_fit(0), 7 * MTU);
}
END_TEST

/* E2: a line leaves. */
START_TEST(what_waits_is_not_dropped_for_a_lower_rate)
{
	struct tiers_config c = plain_config();
	uint32_t full;

	c.limit_time = 5 * SB_SEC;
	use(c);
	full = bytes_that_fit(50000);
	tiers_set_rate(tiers, 20000);
	drain_to(full - 2 * MTU);
	put(EF, 60, MTU);
	ck_assert_uint_ge(tiers_bytes(tiers), full - 2 * MTU);
	drain_to(5 * 20000 - MTU);
	for (unsigned i = 0; i < 100; i++)
		put(EF, 60, MTU);
	ck_assert_uint_le(tiers_bytes(tiers), 5 * 20000);
}
END_TEST

/* --- delays --- */

/* A14: a packet of each tier may wait for one and a half of its own turns before CoDel minds. */
START_TEST(A14_target_follows_the_share)
{
	struct tiers_config c = plain_config();

	c.queue.target = 3 * SB_SEC * MTU / RATE;
	c.queue.interval = 2 * c.queue.target;
	use(c);
	ck_assert_int_eq(counted(TIER_BULK).target, c.queue.target);
	for (unsigned i = 0; i < TIERS; i++)
		put(dscp_of_tier[i], 1, MTU);
	for (unsigned i = 0; i < TIERS; i++) {
		struct tier_counters n = counted((enum tier)i);
		double rate = RATE * c.tiers[i].share / 1000.0;

		ck_assert_uint_eq(n.thresh, (uint64_t)(RATE * c.tiers[i].share / 1000));
		ck_assert_int_ge(n.target, (sb_time)(1.5 * MTU / rate * (double)SB_SEC));
		assert_near((double)n.target * rate / ((double)c.queue.target * RATE), 1, 0.01);
		ck_assert_int_le(n.interval - 2 * n.target, 2);
	}
	tiers_expire(tiers, SB_NEVER);
	ck_assert_int_eq(counted(TIER_BULK).target, c.queue.target);
	ck_assert_int_eq(counted(TIER_BULK).interval, c.queue.interval);
}
END_TEST

START_TEST(standing_queues_are_marked_in_each_tier)
{
	struct tiers_config c = plain_config();

	c.queue.target = 3 * SB_SEC * MTU / RATE;
	c.queue.interval = 2 * c.queue.target;
	use(c);
	for (unsigned i = 0; i < TIERS; i++)
		senders[i] = (struct sender){.dscp = dscp_of_tier[i], .keeps = 50, .size = MTU};
	run(300 * SB_SEC);
	for (unsigned i = 0; i < TIERS; i++) {
		ck_assert_uint_gt(counted((enum tier)i).queue.ecn_marks, 10);
		ck_assert_uint_eq(counted((enum tier)i).queue.codel_drops, 0);
	}
	c.queue.ecn = false;
	tiers_configure(tiers, &c);
	for (unsigned i = 0; i < 200; i++)
		take();
	ck_assert_uint_gt(tiers_total(tiers).codel_drops, 0);
}
END_TEST

/* --- counters --- */

START_TEST(each_tier_counts_for_itself)
{
	senders[0] = (struct sender){.dscp = CS1, .keeps = 10, .size = MTU};
	run(120 * SB_SEC);
	put(CS1, 5, 200);
	const struct tier_counters k = counted(TIER_BULK), e = counted(TIER_BEST_EFFORT);

	ck_assert_uint_eq(k.queue.dequeued_packets, senders[0].packets);
	ck_assert_uint_eq(k.queue.dequeued_bytes, senders[0].bytes);
	ck_assert_uint_eq(k.bulk_flows, 1);
	ck_assert_uint_eq(k.sparse_flows, 1);
	ck_assert_uint_eq(k.max_packet, MTU);
	ck_assert_uint_eq(k.queue.way_hits, 0);
	ck_assert_uint_eq(k.queue.way_misses, 2);
	ck_assert_uint_eq(k.queue.collisions, 0);
	/* ten packets ahead, of 0.133 s each */
	assert_near((double)k.average_delay / (double)SB_SEC, 9 * 0.1333, 0.1);
	ck_assert_int_ge(k.peak_delay, k.average_delay);
	ck_assert_int_le(k.base_delay, k.average_delay + SB_MS);
	ck_assert_uint_eq(e.queue.enqueued_packets, 0);
	ck_assert_int_eq(e.average_delay, 0);
	ck_assert_uint_eq(e.max_packet, 0);
}
END_TEST

START_TEST(flows_that_share_a_queue_are_counted)
{
	for (unsigned i = 0; i < 2 * FLOWS; i++)
		put(CS0, i, 60);
	const struct fq_codel_counters q = counted(TIER_BEST_EFFORT).queue;
	ck_assert_uint_eq(q.way_misses + q.collisions, 2 * FLOWS);
	ck_assert_uint_ge(q.collisions, FLOWS);
}
END_TEST

/* --- changes while packets wait --- */

START_TEST(a_new_scheme_is_for_new_packets)
{
	struct tiers_config c = plain_config();

	put(EF, 1, 100);
	put(CS1, 2, 100);
	c.scheme = TIERS_BESTEFFORT;
	tiers_configure(tiers, &c);
	put(EF, 3, 100);
	ck_assert_uint_eq(counted(TIER_BEST_EFFORT).backlog_packets, 1);
	ck_assert_int_eq(take(), 1);
	while (take() >= 0)
		;
	ck_assert_uint_eq(tiers_total(tiers).dequeued_packets, 3);
}
END_TEST

START_TEST(what_waited_too_long_is_dropped_in_all_tiers)
{
	for (unsigned i = 0; i < TIERS; i++)
		put(dscp_of_tier[i], 1, 100);
	now += SB_SEC;
	put(EF, 1, 100);
	tiers_expire(tiers, now);
	ck_assert_uint_eq(tiers_packets(tiers), 1);
	ck_assert_uint_eq(tiers_total(tiers).expired_drops, 3);
	ck_assert_int_eq(tiers_oldest(tiers), now);
}
END_TEST

/* More wait, all in thin flows, than the new bound allows: whoever comes loses, and nobody else. */
START_TEST(a_lower_bound_is_for_new_packets)
{
	struct tiers_config c = plain_config();

	for (unsigned i = 0; i < 50; i++)
		put(dscp_of_tier[i % TIERS], i, MTU);
	c.queue.limit_packets = 10;
	tiers_configure(tiers, &c);
	put(EF, 60, 60);
	ck_assert_uint_eq(tiers_packets(tiers), 50);
	ck_assert_uint_eq(tiers_total(tiers).overlimit_drops, 1);
	drain_to(9 * MTU);
	put(EF, 60, 60);
	ck_assert_uint_eq(tiers_packets(tiers), 10);
}
END_TEST

/* But a fat one is cut down to it. */
START_TEST(a_fat_flow_is_cut_to_a_lower_bound)
{
	struct tiers_config c = plain_config();

	for (unsigned i = 0; i < 50; i++)
		put(CS0, 1, MTU);
	c.queue.limit_packets = 10;
	tiers_configure(tiers, &c);
	put(EF, 60, 60);
	ck_assert_uint_eq(tiers_packets(tiers), 10);
	ck_assert_uint_eq(counted(TIER_INTERACTIVE).queue.overlimit_drops, 0);
}
END_TEST

static Suite *tiers_suite(void)
{
	Suite *s = suite_create("tiers");
	TCase *c = add_case(s, "DSCP");

	tcase_add_loop_test(c, every_code_point_has_its_tier, 0, TIERS_PRECEDENCE + 1);
	tcase_add_test(c, what_is_no_packet_is_best_effort);
	tcase_add_test(c, each_waits_in_its_tier_under_a_number_of_its_own);
	tcase_add_test(c, washed_packets_are_without_a_mark_and_whole);
	tcase_add_test(c, wash_of_IPv6_leaves_the_rest);

	c = add_case(s, "one tier");
	tcase_add_loop_test(c, unmarked_traffic_is_as_with_one_queue, 0, 8);

	c = add_case(s, "bounds");
	tcase_add_test(c, all_tiers_together_are_bounded_in_bytes);
	tcase_add_loop_test(c, the_fattest_flow_of_all_tiers_loses, 0, TIERS);
	tcase_add_test(c, thin_flows_do_not_push_each_other_out);
	tcase_add_test(c, N6_what_waits_is_bounded_in_time);
	tcase_add_test(c, what_waits_is_not_dropped_for_a_lower_rate);

	c = add_case(s, "delays and counters");
	tcase_add_test(c, A14_target_follows_the_share);
	tcase_add_test(c, standing_queues_are_marked_in_each_tier);
	tcase_add_test(c, each_tier_counts_for_itself);
	tcase_add_test(c, flows_that_share_a_queue_are_counted);

	c = add_case(s, "changes");
	tcase_add_test(c, a_new_scheme_is_for_new_packets);
	tcase_add_test(c, a_lower_bound_is_for_new_packets);
	tcase_add_test(c, a_fat_flow_is_cut_to_a_lower_bound);
	tcase_add_test(c, what_waited_too_long_is_dropped_in_all_tiers);
	return s;
}

int main(void)
{
	return run_suite(tiers_suite());
}
