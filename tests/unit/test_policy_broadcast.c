/* SPDX-License-Identifier: MIT */
/*
 * Broadcast: each packet over every line; and what the peer's reassembly makes of numbered
 * copies, and of balance-rr, over lines that lose.
 */
#include "tests/unit/policy_testing.h"

#include "ppp/reassembly.h"

static const struct mode_config broadcast = {.mode = MODE_BROADCAST};

/* --- the sender --- */

START_TEST(B4_each_packet_goes_over_each_line_with_one_number)
{
	unsigned seen[LINES] = {0};

	lines_up(3);
	set_mode(broadcast);
	put(50, 3);
	run(10 * SB_SEC);
	ck_assert_uint_eq(w.count, 150);
	for (unsigned i = 0; i < w.count; i++) {
		ck_assert(!w.log[i].plain && w.log[i].begin && w.log[i].end);
		ck_assert_uint_eq(w.log[i].sequence, seen[w.log[i].line]++);
	}
	ck_assert_uint_eq(policy_counters(w.policy).copies, 100);
	ck_assert_uint_eq(policy_counters(w.policy).copies_dropped, 0);
	ck_assert_double_eq_tol(policy_rate(w.policy), BPS / 10.0, 1e-6);
}
END_TEST

/* A line that takes no fragments gets the same packets, without numbers. */
START_TEST(B105_a_line_without_numbers_brings_duplicates)
{
	line_up(0, (struct a_line){.bps = BPS});
	line_up(1, (struct a_line){.bps = BPS, .whole = true});
	set_mode(broadcast);
	put(20, 1);
	run(10 * SB_SEC);
	ck_assert_uint_eq(sent_by(0), 20);
	ck_assert_uint_eq(sent_by(1), 20);
	for (unsigned i = 0; i < w.count; i++)
		ck_assert(w.log[i].plain == (w.log[i].line == 1));
}
END_TEST

/* Cut the same for both, though one would take it whole: a number means the same on each. */
START_TEST(pieces_are_the_same_on_all_lines)
{
	line_up(0, (struct a_line){.bps = BPS});
	line_up(1, (struct a_line){.bps = BPS, .mru = 576});
	set_mode(broadcast);
	for (unsigned i = 0; i < 6; i++)
		put_sized(0, 1400);
	run(10 * SB_SEC);
	ck_assert_uint_eq(w.count, 36);
	for (unsigned i = 0; i < w.count; i++) {
		ck_assert_uint_eq(w.log[i].sequence / 3, w.log[i].number);
		ck_assert(w.log[i].begin == (w.log[i].sequence % 3 == 0));
		ck_assert(w.log[i].end == (w.log[i].sequence % 3 == 2));
		ck_assert(w.log[i].length <= 570);
	}
}
END_TEST

/* The fast line goes at its own pace; what the slow one brings is never older than LAG frames. */
START_TEST(a_slow_line_loses_its_oldest_copies)
{
	unsigned fast = 0;

	line_up(0, (struct a_line){.bps = 115200});
	line_up(1, (struct a_line){.bps = 9600});
	set_mode(broadcast);
	for (unsigned i = 0; i < 200; i++)
		put_sized(0, 1400);
	run(10 * SB_SEC);
	ck_assert_uint_ge(sent_by(0), 10 * 11520 / (1400 + HEADER));
	ck_assert_uint_ge(sent_by(1), 10 * 960 / (1400 + HEADER));
	run(30 * SB_SEC);
	for (unsigned i = 0; i < w.count; i++) {
		if (w.log[i].line == 0)
			fast = w.log[i].number;
		else
			ck_assert_uint_le(fast - w.log[i].number, 2);
	}
	ck_assert_uint_eq(sent_by(0), 200);
	ck_assert_uint_eq(policy_counters(w.policy).copies_dropped, 200 - sent_by(1));
	ck_assert_uint_eq(w.log[w.count - 1].number, 199);
}
END_TEST

/* --- what comes back --- */

/* The other one has it, or will send it: nothing is sent again. */
START_TEST(what_others_carry_is_not_sent_again)
{
	lines_up(2);
	set_mode(broadcast);
	put(3, 1);
	ck_assert(ask(0));
	if (_i)
		ck_assert(ask(1));
	line_lost(0);
	ck_assert_uint_eq(policy_bound_packets(w.policy), !_i);
	run(5 * SB_SEC);
	ck_assert_uint_eq(sent_by(1), 3);
	ck_assert_uint_eq(w.count, 4);
}
END_TEST

/* Neither has got it through: it goes over the third when that comes, once. */
START_TEST(what_nobody_carries_is_sent_again)
{
	lines_up(2);
	set_mode(broadcast);
	put(3, 1);
	ck_assert(ask(0));
	line_lost(0);
	line_lost(1);
	ck_assert_uint_eq(policy_bound_packets(w.policy), 1);
	line_up(2, (struct a_line){.bps = BPS});
	run(5 * SB_SEC);
	ck_assert_uint_eq(sent_by(2), 3);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(w.log[1 + i].number, i);
}
END_TEST

/* It may have arrived, and would have another number: not while there is another line at all. */
START_TEST(what_may_have_arrived_is_not_sent_again)
{
	lines_up(1);
	set_mode(broadcast);
	put(2, 1);
	ck_assert(ask(0));
	line_up(1, (struct a_line){.bps = BPS}); /* it never had a copy of the first */
	line_lost(0);
	run(5 * SB_SEC);
	ck_assert_uint_eq(w.count, 2);
	ck_assert_uint_eq(w.log[1].number, 1);
}
END_TEST

/* There were no copies when it was sent. Once there are, it is as others are. */
START_TEST(what_another_mode_sent_is_sent_again)
{
	lines_up(2);
	set_mode((struct mode_config){.mode = MODE_ACTIVE_BACKUP});
	put(1, 1);
	ck_assert(ask(0));
	set_mode(broadcast);
	line_lost(0);
	ck_assert_uint_eq(policy_bound_packets(w.policy), 1);
	line_up(2, (struct a_line){.bps = BPS});
	ck_assert(ask(1) && ask(2));
	line_lost(2);
	ck_assert_uint_eq(policy_bound_packets(w.policy), 0);
}
END_TEST

/* The slow line has dropped its copy of the first packet: it goes again, and the second does not.
 */
START_TEST(what_a_line_dropped_it_does_not_carry)
{
	struct packet *first;

	lines_up(2);
	set_mode(broadcast);
	for (unsigned i = 0; i < 3; i++)
		put_sized(0, 1400);
	ck_assert(ask(0));
	first = packet_hold(w.last[0]);
	ck_assert(ask(0) && ask(0));
	ck_assert_uint_eq(policy_counters(w.policy).copies_dropped, 1);
	line_lost(0);
	policy_return(w.policy, first);
	ck_assert_uint_eq(policy_bound_packets(w.policy), 2); /* and the last, which is owed */
	run(5 * SB_SEC);
	ck_assert_uint_eq(sent_by(1), 3);
	ck_assert_uint_eq(w.log[5].number, 0);
}
END_TEST

/* Copies that wait when the mode changes were sent already, by another line. */
START_TEST(another_mode_drops_the_copies)
{
	lines_up(2);
	set_mode(broadcast);
	put(4, 1);
	ck_assert(ask(0) && ask(0));
	set_mode((struct mode_config){.mode = MODE_ACTIVE_BACKUP});
	ck_assert_int_eq(policy_deadline(w.policy, 1), SB_NEVER);
	ck_assert_uint_eq(policy_bound_packets(w.policy), 0);
	ck_assert(ask(1) && ask(1));
	ck_assert_uint_eq(w.log[2].number, 2);
	ck_assert_uint_eq(w.log[3].number, 3);
	set_mode(broadcast);
	put(1, 1);
	ck_assert(ask(0) && ask(1));
	ck_assert_uint_eq(w.log[4].number, 4);
	ck_assert_uint_eq(w.log[5].number, 4);
}
END_TEST

/* --- with the receiver --- */

enum { MOST = 4000, MRRU = 1500, FRAME = 1000 };

/* A peer behind the lines, which lose a part of the frames. */
struct peer {
	struct reassembly *reassembly;
	unsigned lost_permille[LINES];
	uint64_t random;
	unsigned next[LINES]; /* of the log, per line */
	unsigned arrived[MOST], lines_lost[MOST], out_of_order, last;
	sb_time first_at[MOST]; /* instant at which a copy first came */
	sb_time longest;        /* from that to its delivery */
};

static struct peer *peer_new(unsigned lines, sb_time least_wait)
{
	struct peer *p = calloc(1, sizeof(*p));

	ck_assert_ptr_nonnull(p);
	p->reassembly = reassembly_new(&(struct reassembly_config){
		.mrru = MRRU,
		.window = 1024,
		.buffer = 64 * MRRU,
		.least_wait = least_wait,
		.most_wait = 5 * SB_SEC,
	});
	ck_assert_ptr_nonnull(p->reassembly);
	for (unsigned i = 0; i < lines; i++)
		reassembly_link_up(p->reassembly, i, w.now);
	return p;
}

static void peer_free(struct peer *p)
{
	reassembly_free(p->reassembly);
	free(p);
}

static void delivered(struct peer *p, struct bytes packet)
{
	unsigned number = (unsigned)packet.at[0] << 8 | packet.at[1];

	p->arrived[number]++;
	p->out_of_order += number < p->last;
	p->last = number;
	p->longest = sb_time_max(p->longest, w.now - p->first_at[number]);
}

static void take_out(struct peer *p)
{
	struct bytes packet;

	while (reassembly_next(p->reassembly, w.now, &packet))
		delivered(p, packet);
}

/* A whole packet, of which two bytes say which: all that a receiver needs here. */
static void come(struct peer *p, const struct entry *e)
{
	uint8_t space[16];
	struct buf fragment = buf_over(space, sizeof(space));

	mp_header_put(
		&fragment,
		&(struct mp_header){.begin = e->begin, .end = e->end, .sequence = e->sequence},
		false);
	buf_put(&fragment, (uint8_t)(e->number >> 8));
	buf_put(&fragment, (uint8_t)e->number);
	if (!p->first_at[e->number])
		p->first_at[e->number] = w.now;
	ck_assert(reassembly_input(p->reassembly, e->line, w.now, buf_bytes(&fragment)));
	take_out(p);
}

/* What has left the line by now, or is lost there. */
static void bring(struct peer *p, unsigned line)
{
	for (; p->next[line] < w.count; p->next[line]++) {
		const struct entry *e = &w.log[p->next[line]];

		if (e->line != line)
			continue;
		if (e->arrives > w.now)
			return;
		if (random_below(&p->random, 1000) < p->lost_permille[line])
			p->lines_lost[e->number]++;
		else
			come(p, e);
	}
}

static void run_with(struct peer *p, unsigned lines, sb_time duration)
{
	for (sb_time end = w.now + duration; w.now < end;) {
		run(SB_MS);
		for (unsigned i = 0; i < lines; i++)
			bring(p, i);
		if (w.now >= reassembly_deadline(p->reassembly))
			take_out(p);
	}
}

/* Packets of one flow, as many as the fastest line carries. */
static void keep_busy(struct peer *p, unsigned lines, unsigned count)
{
	for (unsigned sent = 0; sent < count;) {
		while (sent < count && tiers_packets(w.queue) < 10) {
			put_sized(0, FRAME);
			sent++;
		}
		run_with(p, lines, 50 * SB_MS);
	}
	run_with(p, lines, 20 * SB_SEC);
}

/*
 * 20 % of the frames lost on each of two lines: 4 % of 4000 packets, give or take 5 standard
 * deviations (62), and exactly those that were lost on both. Those that came wait for another
 * one's second copy for no longer than that may be late: LAG frames, one on the wire, one more
 * that tells that it is lost.
 */
START_TEST(B4_two_lossy_lines_lose_what_both_lose)
{
	struct peer *p = peer_new(2, 10 * SB_SEC);
	unsigned lost = 0;

	lines_up(2);
	set_mode(broadcast);
	p->lost_permille[0] = p->lost_permille[1] = 200;
	keep_busy(p, 2, MOST);
	for (unsigned i = 0; i < MOST; i++) {
		ck_assert_uint_eq(p->arrived[i], p->lines_lost[i] < 2);
		lost += !p->arrived[i];
	}
	ck_assert_double_eq_tol(lost, MOST * 0.04, 62);
	ck_assert_uint_eq(p->out_of_order, 0);
	ck_assert_uint_eq(reassembly_counters(p->reassembly)->lost, lost);
	ck_assert_uint_gt(reassembly_counters(p->reassembly)->late, MOST / 2);
	ck_assert_int_le(p->longest, 5 * (FRAME + HEADER) * SB_SEC / (BPS / 10));
	peer_free(p);
}
END_TEST

/* Over three lines, one of them losing 20 %: each packet once. */
START_TEST(B105_duplicates_are_dropped)
{
	struct peer *p = peer_new(3, 100 * SB_MS);

	lines_up(3);
	set_mode(broadcast);
	p->lost_permille[1] = 200;
	keep_busy(p, 3, 1000);
	for (unsigned i = 0; i < 1000; i++)
		ck_assert_uint_eq(p->arrived[i], 1);
	ck_assert_uint_eq(p->out_of_order, 0);
	ck_assert_uint_eq(reassembly_counters(p->reassembly)->lost, 0);
	peer_free(p);
}
END_TEST

/*
 * A line twelve times slower that loses nothing, and a fast one that loses 5 %: what is lost is
 * waited for as long as the slow one may bring it, its LAG and the frame on its wire.
 */
START_TEST(a_slow_copy_is_waited_for_within_bounds)
{
	struct peer *p = peer_new(2, 10 * SB_SEC);

	line_up(0, (struct a_line){.bps = 115200});
	line_up(1, (struct a_line){.bps = 9600});
	set_mode(broadcast);
	p->lost_permille[0] = 50;
	keep_busy(p, 2, 1000);
	for (unsigned i = 0; i < 1000; i++)
		ck_assert_uint_le(p->arrived[i], 1);
	ck_assert_uint_eq(p->out_of_order, 0);
	ck_assert_int_le(p->longest, 5 * (FRAME + HEADER) * SB_SEC / 960);
	peer_free(p);
}
END_TEST

/* Turns over 33600 and 9600: with numbers the peer has the order back, at twice the slower rate. */
START_TEST(B102_numbers_restore_the_order_of_turns)
{
	struct peer *p = peer_new(2, 10 * SB_SEC);
	sb_time begun = w.now;

	line_up(0, (struct a_line){.bps = 33600});
	line_up(1, (struct a_line){.bps = 9600});
	set_mode((struct mode_config){.mode = MODE_BALANCE_RR, .packets_per_line = 1});
	keep_busy(p, 2, 100);
	for (unsigned i = 0; i < 100; i++)
		ck_assert_uint_eq(p->arrived[i], 1);
	ck_assert_uint_eq(p->out_of_order, 0);
	for (unsigned i = 0; i < w.count; i++)
		ck_assert_int_le(w.log[i].arrives - begun, 52 * (FRAME + HEADER) * SB_SEC / 960);
	peer_free(p);
}
END_TEST

/* Without them arrival is the order, and packets are overtaken. */
START_TEST(B102_without_numbers_turns_reorder)
{
	unsigned overtaken = 0;

	line_up(0, (struct a_line){.bps = 33600, .whole = true});
	line_up(1, (struct a_line){.bps = 9600, .whole = true});
	set_mode((struct mode_config){.mode = MODE_BALANCE_RR, .packets_per_line = 1});
	for (unsigned i = 0; i < 100; i++)
		put_sized(0, FRAME);
	run(60 * SB_SEC);
	ck_assert_uint_eq(w.count, 100);
	for (unsigned i = 1; i < w.count; i++)
		overtaken += w.log[i].arrives < w.log[i - 1].arrives;
	ck_assert_uint_ge(overtaken, 40);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("policy_broadcast");
	TCase *sender = world_case(suite, "sender"), *back = world_case(suite, "back");
	TCase *receiver = world_case(suite, "receiver");

	tcase_add_test(sender, B4_each_packet_goes_over_each_line_with_one_number);
	tcase_add_test(sender, B105_a_line_without_numbers_brings_duplicates);
	tcase_add_test(sender, pieces_are_the_same_on_all_lines);
	tcase_add_test(sender, a_slow_line_loses_its_oldest_copies);
	tcase_add_loop_test(back, what_others_carry_is_not_sent_again, 0, 2);
	tcase_add_test(back, what_nobody_carries_is_sent_again);
	tcase_add_test(back, what_may_have_arrived_is_not_sent_again);
	tcase_add_test(back, what_another_mode_sent_is_sent_again);
	tcase_add_test(back, what_a_line_dropped_it_does_not_carry);
	tcase_add_test(back, another_mode_drops_the_copies);
	tcase_add_test(receiver, B4_two_lossy_lines_lose_what_both_lose);
	tcase_add_test(receiver, B105_duplicates_are_dropped);
	tcase_add_test(receiver, a_slow_copy_is_waited_for_within_bounds);
	tcase_add_test(receiver, B102_numbers_restore_the_order_of_turns);
	tcase_add_test(receiver, B102_without_numbers_turns_reorder);
	return run_suite(suite);
}
