/* SPDX-License-Identifier: MIT */
/*
 * The modes with one copy of each packet: which line gets what, over lines that ask by their
 * clocks; and what becomes of packets when lines or the mode change.
 */
#include "tests/unit/policy_testing.h"

#include "sched/xmit_hash.h"

#define RR(n)  ((struct mode_config){.mode = MODE_BALANCE_RR, .packets_per_line = (n)})
#define BACKUP ((struct mode_config){.mode = MODE_ACTIVE_BACKUP})
#define XOR(h) ((struct mode_config){.mode = MODE_BALANCE_XOR, .hash = (h)})
#define TLB    ((struct mode_config){.mode = MODE_BALANCE_TLB, .tlb_dynamic_lb = true})

/* --- balance-rr --- */

START_TEST(B1_lines_have_turns_of_so_many_packets)
{
	unsigned each = (unsigned)_i;

	lines_up(3);
	set_mode(RR(each));
	put(60, 1);
	run(10 * SB_SEC);
	ck_assert_uint_eq(w.count, 60);
	for (unsigned i = 0; i < w.count; i++) {
		ck_assert_uint_eq(w.log[i].line, i / each % 3);
		ck_assert_uint_eq(w.log[i].sequence, i);
		ck_assert(!w.log[i].plain && w.log[i].begin && w.log[i].end);
	}
	ck_assert_uint_eq(assert_flow_in_order(0, 0), 60);
}
END_TEST

START_TEST(out_of_turn_there_is_nothing)
{
	lines_up(3);
	set_mode(RR(1));
	put(4, 1);
	ck_assert(!ask(1) && !ask(2));
	ck_assert(ask(0));
	ck_assert(!ask(0) && !ask(2));
	ck_assert(ask(1) && ask(2) && ask(0));
}
END_TEST

/* 115200, 57600 and 9600: in strict order all the same, at three times the slowest's pace. */
START_TEST(the_slowest_line_sets_the_pace)
{
	line_up(0, (struct a_line){.bps = 115200});
	line_up(1, (struct a_line){.bps = 57600});
	line_up(2, (struct a_line){.bps = 9600});
	set_mode(RR(1));
	put(300, 1);
	run(20 * SB_SEC);
	for (unsigned i = 0; i < w.count; i++)
		ck_assert_uint_eq(w.log[i].line, i % 3);
	ck_assert_double_ge(w.count, 3 * 20 * 960.0 / (400 + HEADER) - 1);
	ck_assert_double_le(w.count, 3 * (20 * 960.0 / (400 + HEADER) + 2)); /* begun */
	ck_assert_double_eq_tol(policy_rate(w.policy), 3 * 960.0, 1e-6);
}
END_TEST

/* Each line a third of 9000, give or take 5 standard deviations; and so after each line. */
START_TEST(with_0_packets_each_goes_over_any_line)
{
	unsigned after[3][3] = {0};

	lines_up(3);
	set_mode(RR(0));
	for (unsigned i = 0; i < 90; i++) {
		put(100, 1);
		run(5 * SB_SEC);
	}
	ck_assert_uint_eq(w.count, 9000);
	for (unsigned i = 1; i < w.count; i++)
		after[w.log[i - 1].line][w.log[i].line]++;
	for (unsigned i = 0; i < 9; i++)
		ck_assert_double_eq_tol(after[i / 3][i % 3], 1000, 5 * 30);
}
END_TEST

/* It does not ask, although it is its turn: until it has been taken down. */
START_TEST(a_line_that_leaves_in_its_turn_is_passed_over)
{
	lines_up(3);
	set_mode(RR(1));
	put(40, 1);
	w.stuck[1] = true;
	run(SB_SEC);
	ck_assert_uint_eq(w.count, 1);
	line_down(1);
	run(10 * SB_SEC);
	ck_assert_uint_eq(w.count, 40);
	ck_assert_uint_eq(sent_by(2), 20);
	ck_assert_uint_eq(sent_by(0), 20);
	w.stuck[1] = false;
	line_up(1, (struct a_line){.bps = BPS});
	put(30, 1);
	run(10 * SB_SEC);
	ck_assert_uint_eq(sent_by(1), 10);
	ck_assert_uint_eq(assert_flow_in_order(0, 0), 70);
}
END_TEST

/* It is up, but not to be sent over: the others have its turns. */
START_TEST(a_line_that_may_not_send_has_no_turn)
{
	lines_up(3);
	set_mode(RR(1));
	policy_set_active(w.policy, 6);
	put(4, 1);
	ck_assert(!ask(0) && ask(1) && ask(2) && !ask(0) && ask(1));
	policy_set_active(w.policy, 3);
	ck_assert(!ask(2) && ask(0));
}
END_TEST

/* Of lines that take no fragments the packets have no numbers. */
START_TEST(without_fragments_there_are_no_numbers)
{
	line_up(0, (struct a_line){.bps = BPS, .whole = true});
	line_up(1, (struct a_line){.bps = BPS});
	set_mode(RR(1));
	put(10, 1);
	run(2 * SB_SEC);
	for (unsigned i = 0; i < 10; i++) {
		ck_assert(w.log[i].plain == (i % 2 == 0));
		ck_assert(w.log[i].plain || w.log[i].sequence == i / 2);
	}
}
END_TEST

/* --- active-backup --- */

START_TEST(B2_one_line_carries_all)
{
	lines_up(3);
	set_mode(BACKUP);
	policy_set_active(w.policy, 1u << 1);
	put(50, 5);
	run(10 * SB_SEC);
	ck_assert_uint_eq(sent_by(1), 50);
	ck_assert_uint_eq(w.count, 50);
	ck_assert(w.log[7].plain);
	ck_assert_double_eq_tol(policy_rate(w.policy), BPS / 10.0, 1e-6);
}
END_TEST

/* What was under way goes first over the other one. */
START_TEST(B2_another_takes_over)
{
	lines_up(2);
	set_mode(BACKUP);
	policy_set_active(w.policy, 1);
	put(40, 1);
	run(SB_SEC);
	unsigned before = w.count;

	ck_assert_uint_eq(sent_by(0), before);
	line_lost(0);
	run(SB_SEC);
	ck_assert_uint_eq(w.count, before); /* until somebody says which */
	policy_set_active(w.policy, 2);
	run(10 * SB_SEC);
	ck_assert_uint_eq(sent_by(1), w.count - before);
	ck_assert_uint_eq(w.log[before].number, w.log[before - 1].number);
	ck_assert_uint_eq(w.log[w.count - 1].number, 39);
	ck_assert_uint_eq(w.count, 41);
}
END_TEST

/* --- balance-xor, 802.3ad --- */

START_TEST(B3_a_flow_is_on_one_line_for_a_hundred_thousand_packets)
{
	lines_up(4);
	set_mode(XOR(XMIT_LAYER34));
	for (unsigned i = 0; i < 100; i++) {
		for (unsigned k = 0; k < 1000; k++)
			put_sized(7, 40);
		while (ask(0) || ask(1) || ask(2) || ask(3))
			;
	}
	ck_assert_uint_eq(w.count, 100000);
	for (unsigned i = 1; i < w.count; i++)
		ck_assert_uint_eq(w.log[i].line, w.log[0].line);
	ck_assert_uint_eq(assert_flow_in_order(7, 0), 100000);
}
END_TEST

static unsigned line_by_hash(unsigned flow, enum xmit_hash policy, unsigned lines)
{
	uint8_t p[40];

	udp4_write(p, sizeof p, 1000 + flow, 80, ECN_NOT_ECT);
	return xmit_hash(policy, bytes_of(p, sizeof p)) % lines;
}

START_TEST(B3_the_hash_is_modulo_the_lines)
{
	lines_up(3);
	set_mode(XOR(XMIT_LAYER34));
	put(300, 30);
	run(20 * SB_SEC);
	ck_assert_uint_eq(w.count, 300);
	for (unsigned i = 0; i < w.count; i++) {
		ck_assert_uint_eq(w.log[i].line, line_by_hash(w.log[i].flow, XMIT_LAYER34, 3));
		ck_assert(w.log[i].plain);
	}
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_gt(sent_by(i), 30);
}
END_TEST

/* One line for all between two hosts, by addresses alone. */
START_TEST(B3_layer2_has_one_line_for_a_pair_of_hosts)
{
	lines_up(3);
	set_mode(XOR(XMIT_LAYER2));
	put(100, 20);
	run(20 * SB_SEC);
	ck_assert_uint_eq(sent_by(line_by_hash(0, XMIT_LAYER2, 3)), 100);
}
END_TEST

/* Two of four lines are left, then a third comes back: nothing is lost, each where it belongs. */
START_TEST(lines_that_leave_move_the_flows)
{
	lines_up(4);
	set_mode(XOR(XMIT_LAYER34));
	put(400, 20);
	run(SB_SEC);
	line_down(0);
	line_down(2);
	unsigned before = w.count;

	run(5 * SB_SEC);
	for (unsigned i = before; i < w.count; i++)
		ck_assert_uint_eq(w.log[i].line,
				  1 + 2 * line_by_hash(w.log[i].flow, XMIT_LAYER34, 2));
	line_up(0, (struct a_line){.bps = BPS});
	run(30 * SB_SEC);
	ck_assert_uint_eq(w.count, 400);
	for (unsigned i = 0; i < 20; i++)
		ck_assert_uint_eq(assert_flow_in_order(i, 0), 20);
}
END_TEST

/* Lines 1 and 3 are the active aggregator; the others stand by until it is another one. */
START_TEST(B5_only_the_active_group_sends)
{
	lines_up(4);
	set_mode((struct mode_config){.mode = MODE_8023AD, .hash = XMIT_LAYER34});
	policy_set_active(w.policy, 1u << 1 | 1u << 3);
	put(200, 20);
	run(20 * SB_SEC);
	for (unsigned i = 0; i < w.count; i++)
		ck_assert_uint_eq(w.log[i].line,
				  1 + 2 * line_by_hash(w.log[i].flow, XMIT_LAYER34, 2));
	ck_assert_double_eq_tol(policy_rate(w.policy), 2 * BPS / 10.0, 1e-6);
	policy_set_active(w.policy, 1u << 2);
	put(20, 20);
	run(20 * SB_SEC);
	ck_assert_uint_eq(sent_by(2), 20);
	ck_assert_uint_eq(w.count, 220);
}
END_TEST

/* A datagram and fragments between the same ports; by addresses alone they stay together. */
START_TEST(B101_fragments_may_be_on_another_line)
{
	unsigned lines[2] = {0};

	lines_up(2);
	set_mode(XOR(_i ? XMIT_LAYER23 : XMIT_LAYER34));
	for (unsigned i = 0; i < 2; i++) {
		struct packet *p = packet_get(w.pool);

		p->length = 100;
		udp4_write(p->data, p->length, 1026, 80, ECN_NOT_ECT);
		put16(p->data + 6, i ? 0x2000 : 0);
		ipv4_write_checksum(p->data);
		tiers_enqueue(w.queue, w.now, p);
		run(SB_SEC);
		lines[i] = w.log[i].line;
	}
	ck_assert_uint_eq(w.count, 2);
	if (_i) {
		ck_assert_uint_eq(lines[0], lines[1]);
		return;
	}
	ck_assert_uint_eq(lines[0], 0);
	ck_assert_uint_eq(lines[1], 1);
}
END_TEST

/* --- balance-tlb, balance-alb --- */

/* Each flow a packet in so many milliseconds. */
static void offer(const unsigned *periods, unsigned flows, sb_time duration)
{
	for (sb_time end = w.now + duration; w.now < end;) {
		for (unsigned i = 0; i < flows; i++)
			if (w.now / SB_MS % periods[i] == 0)
				put_sized(i, 400);
		run(SB_MS);
	}
}

START_TEST(B6_the_faster_line_gets_the_heavier_flow)
{
	unsigned light_first = (unsigned)_i;
	unsigned periods[2] = {light_first ? 400 : 100, light_first ? 100 : 400};

	line_up(0, (struct a_line){.bps = 14400});
	line_up(1, (struct a_line){.bps = 57600});
	set_mode(TLB);
	offer(periods, 2, 25 * SB_SEC);
	w.count = 0;
	offer(periods, 2, 20 * SB_SEC);
	ck_assert_uint_eq(line_of_flow(light_first), 1);
	for (unsigned i = 0; i < w.count; i++)
		ck_assert_uint_eq(w.log[i].line, line_of_flow(w.log[i].flow));
}
END_TEST

/* Bytes over the line, of all, in 1/1000. */
static unsigned part_of(unsigned line)
{
	double bytes = 0, all = 0;

	for (unsigned i = 0; i < w.count; i++) {
		all += w.log[i].length;
		bytes += w.log[i].line == line ? w.log[i].length : 0;
	}
	return (unsigned)(1000 * bytes / all + 0.5);
}

/* 40 flows of 1 to 4 packets in 2 s; over 4:2:1 the load is 4:2:1, to 3 % of the whole. */
START_TEST(B6_load_follows_speed)
{
	unsigned periods[40];

	for (unsigned i = 0; i < 40; i++)
		periods[i] = 2000 / (i % 4 + 1);
	line_up(0, (struct a_line){.bps = 115200});
	line_up(1, (struct a_line){.bps = 57600});
	line_up(2, (struct a_line){.bps = 28800});
	set_mode(TLB);
	offer(periods, 40, 25 * SB_SEC);
	w.count = 0;
	offer(periods, 40, 30 * SB_SEC);
	ck_assert_double_eq_tol(part_of(0), 1000 * 4 / 7.0, 30);
	ck_assert_double_eq_tol(part_of(1), 1000 * 2 / 7.0, 30);
	ck_assert_double_eq_tol(part_of(2), 1000 * 1 / 7.0, 30);
}
END_TEST

/* Flows of which nothing is known yet are not all put on one line. */
START_TEST(B6_new_flows_count_for_something)
{
	lines_up(2);
	set_mode(TLB);
	put(2, 2);
	ck_assert(ask(1) && ask(0));
	ck_assert(!ask(1) && !ask(0));
}
END_TEST

/* Two of a weight, whichever came first, stay on the line that they have. */
START_TEST(B6_equals_keep_their_lines)
{
	static const unsigned periods[2] = {200, 200};
	unsigned line;

	lines_up(2);
	set_mode(TLB);
	put_sized((unsigned)_i, 400);
	put_sized(!_i, 400);
	ck_assert(ask(0) && ask(1));
	line = line_of_flow(0);
	offer(periods, 2, 35 * SB_SEC);
	ck_assert_uint_eq(line_of_flow(0), line);
	ck_assert_uint_eq(policy_counters(w.policy).moves, 0);
}
END_TEST

/* What is in balance stays where it is. */
START_TEST(B6_flows_do_not_move_for_nothing)
{
	static const unsigned periods[6] = {200, 200, 200, 400, 400, 400};

	lines_up(2);
	set_mode(TLB);
	offer(periods, 6, 25 * SB_SEC);
	uint64_t moves = policy_counters(w.policy).moves;

	offer(periods, 6, 60 * SB_SEC);
	ck_assert_uint_eq(policy_counters(w.policy).moves, moves);
}
END_TEST

/* The peer's wishes replace the speeds, and are taken back. */
START_TEST(B7_load_follows_the_shares_that_the_peer_asks_for)
{
	static const uint32_t shares[STRIPE_MAX_LINES] = {1, 3, 0};
	unsigned periods[40];

	for (unsigned i = 0; i < 40; i++)
		periods[i] = 4000;
	lines_up(3);
	set_mode((struct mode_config){.mode = MODE_BALANCE_ALB, .tlb_dynamic_lb = true});
	policy_set_shares(w.policy, shares);
	offer(periods, 40, 12 * SB_SEC);
	w.count = 0;
	offer(periods, 40, 20 * SB_SEC);
	ck_assert_double_eq_tol(part_of(0), 250, 30); /* in whole flows */
	ck_assert_double_eq_tol(part_of(1), 750, 30);
	ck_assert_uint_eq(part_of(2), 0);
	ck_assert_double_eq_tol(policy_rate(w.policy), 2 * BPS / 10.0, 1e-6);
	policy_set_shares(w.policy, NULL);
	offer(periods, 40, 12 * SB_SEC);
	w.count = 0;
	offer(periods, 40, 20 * SB_SEC);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_double_eq_tol(part_of(i), 333, 30);
}
END_TEST

/* A wish that nothing be sent at all is none. */
START_TEST(shares_of_0_alone_are_no_shares)
{
	static const uint32_t shares[STRIPE_MAX_LINES] = {0, 0, 5};

	lines_up(2);
	set_mode(TLB);
	policy_set_shares(w.policy, shares);
	put(20, 2);
	run(5 * SB_SEC);
	ck_assert_uint_eq(sent_by(0), 10);
	ck_assert_uint_eq(sent_by(1), 10);
}
END_TEST

START_TEST(B7_flows_of_a_line_that_leaves_move_and_come_back)
{
	static const unsigned periods[8] = {400, 400, 400, 400, 400, 400, 400, 400};

	lines_up(2);
	set_mode(TLB);
	offer(periods, 8, 12 * SB_SEC);
	ck_assert_uint_gt(sent_by(1), 0);
	line_down(1);
	uint64_t moves = policy_counters(w.policy).moves;

	w.count = 0;
	offer(periods, 8, 5 * SB_SEC);
	ck_assert_uint_eq(sent_by(0), w.count);
	ck_assert_uint_eq(policy_counters(w.policy).moves, moves + 4);
	line_up(1, (struct a_line){.bps = BPS});
	w.count = 0;
	offer(periods, 8, 2 * SB_SEC);
	ck_assert_double_eq_tol(part_of(1), 500, 20);
}
END_TEST

START_TEST(without_dynamic_lb_the_hash_decides)
{
	lines_up(3);
	set_mode((struct mode_config){.mode = MODE_BALANCE_TLB, .hash = XMIT_LAYER34});
	put(300, 30);
	run(20 * SB_SEC);
	ck_assert_uint_eq(w.count, 300);
	for (unsigned i = 0; i < w.count; i++)
		ck_assert_uint_eq(w.log[i].line, line_by_hash(w.log[i].flow, XMIT_LAYER34, 3));
}
END_TEST

/* --- packets that the peer does not take whole --- */

static const struct mode_config each_mode[] = {
	{.mode = MODE_BALANCE_RR, .packets_per_line = 1},
	{.mode = MODE_ACTIVE_BACKUP},
	{.mode = MODE_BALANCE_XOR, .hash = XMIT_LAYER34},
	{.mode = MODE_8023AD, .hash = XMIT_LAYER34},
	{.mode = MODE_BALANCE_TLB, .tlb_dynamic_lb = true},
	{.mode = MODE_BALANCE_ALB, .hash = XMIT_LAYER34},
};
enum { EACH_MODE = sizeof each_mode / sizeof *each_mode };

/* Pieces of 576 - 6 bytes at most, all on one line, with numbers that rise by one. */
START_TEST(a_small_mru_cuts_packets)
{
	uint32_t sequence = 100, offset = 0;
	unsigned line = 0;

	for (unsigned i = 0; i < 3; i++)
		line_up(i, (struct a_line){.bps = BPS, .mru = 576});
	set_mode(each_mode[_i]);
	policy_set_sequence(w.policy, sequence);
	for (unsigned i = 0; i < 12; i++)
		put_sized(i % 3, 1400);
	run(20 * SB_SEC);
	ck_assert_uint_eq(w.count, 36);
	ck_assert_uint_eq(policy_sequence(w.policy), 136);
	for (unsigned s = 0; s < 36; s++) {
		unsigned i = 0;

		while (w.log[i].sequence != sequence + s)
			i++;
		ck_assert(!w.log[i].plain && w.log[i].length <= 570);
		ck_assert(w.log[i].begin == (s % 3 == 0) && w.log[i].end == (s % 3 == 2));
		offset = w.log[i].begin ? 0 : offset;
		line = w.log[i].begin ? w.log[i].line : line;
		ck_assert_uint_eq(w.log[i].offset, offset);
		ck_assert_uint_eq(w.log[i].line, line);
		offset += w.log[i].length;
		ck_assert(!w.log[i].end || offset == 1400);
	}
}
END_TEST

/* With one piece gone the line leaves: the whole goes over another. */
START_TEST(a_packet_that_is_cut_comes_back_whole)
{
	line_up(0, (struct a_line){.bps = BPS, .mru = 576});
	set_mode(each_mode[_i]);
	put_sized(0, 1400);
	ck_assert_int_eq(policy_deadline(w.policy, 0), SB_NEVER);
	ck_assert(ask(0));
	ck_assert(policy_has_piece(w.policy, 0));
	ck_assert_int_eq(policy_deadline(w.policy, 0), 0);
	ck_assert_uint_eq(policy_bound_packets(w.policy), 1);
	ck_assert_uint_eq(policy_bound_bytes(w.policy), 1400 - w.log[0].length);
	line_lost(0);
	ck_assert_uint_eq(policy_bound_packets(w.policy), 1);
	ck_assert_uint_eq(policy_bound_bytes(w.policy), 1400);
	line_up(1, (struct a_line){.bps = BPS});
	ck_assert(ask(1));
	ck_assert_uint_eq(w.log[1].length, 1400);
	ck_assert(!ask(1));
}
END_TEST

/* The mode changes after the first piece, or the line is no active one any more: the rest goes. */
START_TEST(a_packet_that_is_cut_is_finished)
{
	line_up(0, (struct a_line){.bps = BPS, .mru = 576});
	line_up(1, (struct a_line){.bps = BPS, .mru = 576});
	set_mode(BACKUP);
	policy_set_active(w.policy, 1);
	put_sized(0, 1400);
	ck_assert(ask(0));
	if (_i == EACH_MODE)
		set_mode((struct mode_config){.mode = MODE_BROADCAST});
	else
		set_mode(each_mode[_i]);
	policy_set_active(w.policy, 2);
	ck_assert(ask(0) && ask(0));
	ck_assert(w.log[2].end && w.log[2].sequence == w.log[0].sequence + 2);
	ck_assert(!ask(0) && !ask(1));
}
END_TEST

/* --- what changes --- */

/* Lines come and go at random, all in flight comes back: each packet once more than it was lost. */
START_TEST(lines_come_and_go_in_each_mode)
{
	uint64_t random = 7;
	unsigned lost = 0;

	lines_up(3);
	set_mode(each_mode[_i]);
	for (unsigned n = 0; n < 200; n++) {
		unsigned i = (unsigned)random_below(&random, 3);

		put(3, 5);
		if (w.up[i]) {
			lost += w.last[i] != NULL;
			line_lost(i);
		} else {
			line_up(i, (struct a_line){.bps = BPS});
		}
		run((sb_time)random_below(&random, 300) * SB_MS);
	}
	for (unsigned i = 0; i < 3; i++)
		if (!w.up[i])
			line_up(i, (struct a_line){.bps = BPS});
	run(60 * SB_SEC);
	ck_assert_uint_eq(w.count, 600 + lost);
	ck_assert_uint_gt(lost, 20);
	ck_assert_uint_eq(policy_bound_packets(w.policy), 0);
}
END_TEST

/* From each mode to each other and on, while traffic runs: nothing is lost or sent twice. */
START_TEST(modes_change_while_traffic_runs)
{
	lines_up(3);
	for (unsigned i = 0; i < EACH_MODE; i++) {
		set_mode(each_mode[_i]);
		put(40, 4);
		run(300 * SB_MS);
		set_mode(each_mode[i]);
		put(40, 4);
		run(300 * SB_MS);
	}
	run(30 * SB_SEC);
	ck_assert_uint_eq(w.count, 80 * EACH_MODE);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(assert_flow_in_order(i, 0), 20 * EACH_MODE);
}
END_TEST

/* What another engine had out of the queue goes first, in order; what this one has is given up. */
START_TEST(packets_are_adopted_and_surrendered_in_order)
{
	struct packet *p, *taken[3];

	lines_up(2);
	set_mode(each_mode[_i]);
	put(8, 1);
	for (unsigned i = 0; i < 3; i++)
		taken[i] = tiers_dequeue(w.queue, w.now);
	for (unsigned i = 3; i-- > 0;)
		policy_adopt(w.policy, taken[i]);
	ck_assert_uint_eq(policy_bound_packets(w.policy), 3);
	ck_assert_uint_eq(policy_bound_bytes(w.policy), 1200);
	ck_assert_int_eq(policy_oldest(w.policy), w.now);
	for (unsigned i = 0; i < 3; i++) {
		p = policy_surrender(w.policy);
		ck_assert_ptr_eq(p, taken[i]);
	}
	ck_assert_ptr_null(policy_surrender(w.policy));
	for (unsigned i = 3; i-- > 0;)
		policy_adopt(w.policy, taken[i]);
	run(10 * SB_SEC);
	ck_assert_uint_eq(assert_flow_in_order(0, 0), 8);
}
END_TEST

START_TEST(E12_what_waits_for_a_line_expires)
{
	lines_up(1);
	set_mode(BACKUP);
	put(1, 1);
	ck_assert(ask(0));
	line_lost(0);
	ck_assert_int_eq(policy_oldest(w.policy), w.now);
	ck_assert_uint_eq(policy_expire(w.policy, w.now), 0);
	ck_assert_uint_eq(policy_expire(w.policy, w.now + 1), 1);
	ck_assert_int_eq(policy_oldest(w.policy), SB_NEVER);
	ck_assert_uint_eq(policy_bound_packets(w.policy), 0);
}
END_TEST

/* Two lines may each bring back what was sent in pieces: it goes once. */
START_TEST(a_packet_comes_back_once)
{
	struct packet *p;

	lines_up(1);
	set_mode(BACKUP);
	put(1, 1);
	p = tiers_dequeue(w.queue, w.now);
	packet_hold(p);
	policy_adopt(w.policy, p);
	policy_return(w.policy, p);
	run(SB_SEC);
	ck_assert_uint_eq(w.count, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("policy");
	TCase *rr = world_case(suite, "balance-rr"), *backup = world_case(suite, "active-backup");
	TCase *hash = world_case(suite, "balance-xor"), *tlb = world_case(suite, "balance-tlb");
	TCase *cut = world_case(suite, "cut"), *change = world_case(suite, "change");

	tcase_add_loop_test(rr, B1_lines_have_turns_of_so_many_packets, 1, 4);
	tcase_add_test(rr, out_of_turn_there_is_nothing);
	tcase_add_test(rr, the_slowest_line_sets_the_pace);
	tcase_add_test(rr, with_0_packets_each_goes_over_any_line);
	tcase_add_test(rr, a_line_that_leaves_in_its_turn_is_passed_over);
	tcase_add_test(rr, a_line_that_may_not_send_has_no_turn);
	tcase_add_test(rr, without_fragments_there_are_no_numbers);
	tcase_add_test(backup, B2_one_line_carries_all);
	tcase_add_test(backup, B2_another_takes_over);
	tcase_add_test(hash, B3_a_flow_is_on_one_line_for_a_hundred_thousand_packets);
	tcase_add_test(hash, B3_the_hash_is_modulo_the_lines);
	tcase_add_test(hash, B3_layer2_has_one_line_for_a_pair_of_hosts);
	tcase_add_test(hash, lines_that_leave_move_the_flows);
	tcase_add_test(hash, B5_only_the_active_group_sends);
	tcase_add_loop_test(hash, B101_fragments_may_be_on_another_line, 0, 2);
	tcase_add_loop_test(tlb, B6_the_faster_line_gets_the_heavier_flow, 0, 2);
	tcase_add_test(tlb, B6_load_follows_speed);
	tcase_add_test(tlb, B6_new_flows_count_for_something);
	tcase_add_loop_test(tlb, B6_equals_keep_their_lines, 0, 2);
	tcase_add_test(tlb, B6_flows_do_not_move_for_nothing);
	tcase_add_test(tlb, B7_load_follows_the_shares_that_the_peer_asks_for);
	tcase_add_test(tlb, shares_of_0_alone_are_no_shares);
	tcase_add_test(tlb, B7_flows_of_a_line_that_leaves_move_and_come_back);
	tcase_add_test(tlb, without_dynamic_lb_the_hash_decides);
	tcase_add_loop_test(cut, a_small_mru_cuts_packets, 0, EACH_MODE);
	tcase_add_loop_test(cut, a_packet_that_is_cut_comes_back_whole, 0, EACH_MODE);
	tcase_add_loop_test(cut, a_packet_that_is_cut_is_finished, 0, EACH_MODE + 1);
	tcase_add_loop_test(change, lines_come_and_go_in_each_mode, 0, EACH_MODE);
	tcase_add_loop_test(change, modes_change_while_traffic_runs, 0, EACH_MODE);
	tcase_add_loop_test(change, packets_are_adopted_and_surrendered_in_order, 0, EACH_MODE);
	tcase_add_test(change, E12_what_waits_for_a_line_expires);
	tcase_add_test(change, a_packet_comes_back_once);
	return run_suite(suite);
}
