/* SPDX-License-Identifier: MIT */
/*
 * Stripe, multilink and policy taking turns. Lines of both kinds come and go by hand, modes change,
 * and each line is asked in turn; a receiver puts the numbered pieces together. Whatever changes,
 * each packet arrives once, and in order as far as lines of equal rate can tell.
 */
#define _DEFAULT_SOURCE
#include "src/spread.h"

#include "tests/unit/codec_testing.h"
#include "tests/unit/ip_packets.h"

enum { MTU = 1500, POOL = 128, FLOWS = 64, LINES = 4, BPS = 38400, PIECES = 1024, HEADER = 6 };

struct arrived_piece {
	bool there, begin, end;
	unsigned number;
	size_t offset, length;
};

static struct packet_pool *pool;
static struct tiers *queue;
static struct spread spread;
static struct line_clock clocks[LINES];
static bool up[LINES];
static sb_time now;
static unsigned put_in;                       /* numbers below have been */
static struct arrived_piece numbered[PIECES]; /* by sequence */
static struct {
	unsigned number;
	sb_time at; /* instant of its arrival */
} plain[POOL];
static unsigned plain_count;

/* --- the world --- */

static uint64_t random_state;

static uint32_t random_of(void *context)
{
	return (uint32_t)next_random(context);
}

static void set_up(void)
{
	now = 1000 * SB_SEC;
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
	ck_assert(pool && queue);
	ck_assert(spread_init(&spread, &(struct spread_config){
					       .pool = pool,
					       .queue = queue,
					       .mtu = MTU,
					       .max_fragment_delay = 50 * SB_MS,
					       .random = random_of,
					       .random_context = &random_state,
				       }));
	tiers_set_rate(queue, 2 * BPS / 10);
}

/* All that was not sent goes back into the pool as well. */
static void tear_down(void)
{
	unsigned count = 0;

	spread_free(&spread);
	tiers_free(queue);
	while (packet_get(pool))
		count++;
	ck_assert_uint_eq(count, POOL);
	packet_pool_free(pool);
}

static size_t encoded_length(const void *coding, struct bytes packet)
{
	(void)coding;
	return packet.length + HEADER;
}

enum kind { WHOLE, FRAGMENTS };

static void line_up_at(unsigned i, enum kind kind, uint32_t bps)
{
	line_clock_init(&clocks[i], bps, 10, now);
	spread_line_up(&spread, i,
		       &(struct stripe_line){.clock = &clocks[i],
					     .encoded_length = encoded_length,
					     .fragment_overhead = HEADER + 4,
					     .mru = kind == FRAGMENTS ? MTU : 0},
		       kind == FRAGMENTS, now);
	up[i] = true;
}

static void line_up(unsigned i, enum kind kind)
{
	line_up_at(i, kind, BPS);
}

static void line_down(unsigned i)
{
	spread_line_down(&spread, i, now);
	up[i] = false;
}

/* All of one flow. */
static void put(unsigned count)
{
	for (; count; count--) {
		struct packet *p = packet_get(pool);

		ck_assert_ptr_nonnull(p);
		p->length = 400 + put_in % 5 * 200;
		udp4_write(p->data, p->length, 1, 2, ECN_NOT_ECT);
		put16(p->data + 28, put_in++);
		tiers_enqueue(queue, now, p);
	}
}

static unsigned number_of(const struct packet *p)
{
	return (unsigned)(p->data[28] << 8 | p->data[29]);
}

/* In order of arrival; of two at the same time, in that of their numbers. */
static void note_plain(unsigned number, sb_time at)
{
	unsigned i = plain_count++;

	for (;
	     i && (plain[i - 1].at > at || (plain[i - 1].at == at && plain[i - 1].number > number));
	     i--)
		plain[i] = plain[i - 1];
	plain[i].number = number;
	plain[i].at = at;
}

static bool same_piece(const struct arrived_piece *a, const struct arrived_piece *b)
{
	return a->number == b->number && a->offset == b->offset && a->length == b->length;
}

static void note(const struct piece *piece, sb_time at)
{
	if (piece->plain) {
		note_plain(number_of(piece->packet), at);
		return;
	}
	const struct arrived_piece came = {
		.there = true,
		.begin = piece->begin,
		.end = piece->end,
		.number = number_of(piece->packet),
		.offset = piece->offset,
		.length = piece->length,
	};
	struct arrived_piece *a = &numbered[piece->sequence];

	ck_assert_uint_lt(piece->sequence, PIECES);
	ck_assert(!a->there || (spread.mode.mode == MODE_BROADCAST && same_piece(a, &came)));
	*a = came;
}

/* The line's next frame, if there is one for it now: in the port's hands, not sent yet. */
static bool pull(unsigned i, struct piece *piece)
{
	if (!up[i] || now < line_clock_wake(&clocks[i]) || !spread_pull(&spread, i, now, piece))
		return false;
	spread_line_unsent(&spread, i, piece->length + HEADER);
	return true;
}

static void sent_but_held(unsigned i, const struct piece *piece)
{
	spread_line_unsent(&spread, i, 0);
	line_clock_sent(&clocks[i], now, piece->length + HEADER);
}

static void sent(unsigned i, const struct piece *piece)
{
	sent_but_held(i, piece);
	note(piece, clocks[i].busy_until);
	packet_put(pool, piece->packet);
}

/* Lets the lines send, for so long or until there is nothing to send. */
static void run(sb_time duration)
{
	struct piece piece;

	for (sb_time end = now + duration; now < end; now += 5 * SB_MS)
		for (unsigned i = 0; i < LINES; i++)
			if (pull(i, &piece))
				sent(i, &piece);
}

/* --- what arrived --- */

/* From the first piece of a packet on: true, it is whole. */
static bool is_whole(unsigned sequence)
{
	size_t have = 0;
	unsigned number = numbered[sequence].number;

	for (; sequence < PIECES && numbered[sequence].there; sequence++) {
		const struct arrived_piece *a = &numbered[sequence];

		if (a->number != number || a->offset != have || a->begin != (have == 0))
			return false;
		have += a->length;
		if (a->end)
			return have == 400 + number % 5 * 200;
	}
	return false;
}

/* The numbered ones that are whole, in the order of their numbers. */
static unsigned assembled(unsigned numbers[static POOL])
{
	unsigned count = 0;

	for (unsigned i = 0; i < PIECES; i++)
		if (numbered[i].there && numbered[i].begin && is_whole(i))
			numbers[count++] = numbered[i].number;
	return count;
}

static void assert_rises(unsigned before, unsigned number)
{
	ck_assert_msg(before < number, "%u after %u", number, before);
}

/* All that was put in has arrived, each once, and in order if it has a number. */
static void assert_all_once(void)
{
	unsigned numbers[POOL], count = assembled(numbers), times[POOL] = {0};

	for (unsigned i = 0; i < count; i++)
		times[numbers[i]]++;
	for (unsigned i = 0; i < plain_count; i++)
		times[plain[i].number]++;
	for (unsigned i = 0; i < put_in; i++)
		ck_assert_msg(times[i] == 1, "%u arrived %u times", i, times[i]);
	for (unsigned i = 1; i < count; i++)
		assert_rises(numbers[i - 1], numbers[i]);
}

/* Those without numbers as well. Not when lines leave with packets on their wires. */
static void assert_all_in_order(void)
{
	assert_all_once();
	for (unsigned i = 1; i < plain_count; i++)
		assert_rises(plain[i - 1].number, plain[i].number);
}

/* --- which one --- */

START_TEST(numbers_are_used_only_while_all_lines_take_them)
{
	line_up(0, FRAGMENTS);
	line_up(1, FRAGMENTS);
	ck_assert_int_eq(spread.engine, SPREAD_NUMBERED);
	line_up(2, WHOLE);
	ck_assert_int_eq(spread.engine, SPREAD_WHOLE);
	line_down(0);
	ck_assert_int_eq(spread.engine, SPREAD_WHOLE);
	line_up(0, FRAGMENTS);
	line_down(2);
	ck_assert_int_eq(spread.engine, SPREAD_NUMBERED);
	line_down(0);
	line_down(1);
	line_up(3, WHOLE);
	ck_assert_int_eq(spread.engine, SPREAD_WHOLE);
	ck_assert_double_eq_tol(spread_rate(&spread), BPS / 10.0, 1e-6);
}
END_TEST

START_TEST(each_kind_alone_carries_all)
{
	for (unsigned i = 0; i < 3; i++)
		line_up(i, _i ? FRAGMENTS : WHOLE);
	put(60);
	run(30 * SB_SEC);
	assert_all_in_order();
	ck_assert_uint_eq(plain_count, _i ? 0 : 60);
}
END_TEST

/* After any number of frames another kind of line comes, and later goes. */
START_TEST(packets_are_kept_when_it_changes)
{
	line_up(0, FRAGMENTS);
	line_up(1, FRAGMENTS);
	put(40);
	run(50 * SB_MS * _i);
	line_up(2, WHOLE);
	run(50 * SB_MS * _i);
	line_down(2);
	run(30 * SB_SEC);
	assert_all_in_order();
}
END_TEST

/* It changes all the time, with packets bound to lines of either kind. */
START_TEST(packets_are_kept_when_it_changes_often)
{
	line_up(0, FRAGMENTS);
	line_up(1, FRAGMENTS);
	for (unsigned n = 0; n < 40; n++) {
		put(2);
		line_up(2, WHOLE);
		run(10 * SB_MS * (_i + 1));
		line_down(2);
		run(10 * SB_MS * (_i + 1));
	}
	run(30 * SB_SEC);
	assert_all_once();
}
END_TEST

/* In the middle of all that, a line of fragments flaps. */
START_TEST(packets_are_kept_when_lines_of_both_kinds_come_and_go)
{
	uint64_t random = (uint64_t)_i;

	line_up(0, FRAGMENTS);
	for (unsigned n = 0; n < 60; n++) {
		unsigned i = 1 + (unsigned)random_below(&random, 3);

		put(1);
		if (up[i])
			line_down(i);
		else
			line_up(i, i == 3 ? WHOLE : FRAGMENTS);
		run((sb_time)random_below(&random, 300) * SB_MS);
	}
	run(60 * SB_SEC);
	assert_all_once();
}
END_TEST

/* --- modes --- */

static const struct mode_config modes[] = {
	{.mode = MODE_BALANCE_RR, .packets_per_line = 1},
	{.mode = MODE_BALANCE_RR, .packets_per_line = 0},
	{.mode = MODE_ACTIVE_BACKUP},
	{.mode = MODE_BALANCE_XOR, .hash = XMIT_LAYER34},
	{.mode = MODE_BROADCAST},
	{.mode = MODE_8023AD, .hash = XMIT_LAYER23},
	{.mode = MODE_BALANCE_TLB, .tlb_dynamic_lb = true},
	{.mode = MODE_BALANCE_ALB},
	{.mode = MODE_EARLIEST},
};
enum { MODE_COUNT = sizeof modes / sizeof *modes, EARLIEST = MODE_COUNT - 1 };

static void set_mode(unsigned m)
{
	spread_set_mode(&spread, &modes[m], now);
}

START_TEST(each_mode_carries_all)
{
	set_mode((unsigned)_i);
	ck_assert_int_eq(spread.engine, _i == EARLIEST ? SPREAD_WHOLE : SPREAD_POLICY);
	for (unsigned i = 0; i < 3; i++)
		line_up(i, FRAGMENTS);
	ck_assert_int_eq(spread.engine, _i == EARLIEST ? SPREAD_NUMBERED : SPREAD_POLICY);
	ck_assert_double_gt(spread_rate(&spread), 0);
	if (modes[_i].mode == MODE_ACTIVE_BACKUP)
		spread_set_active(&spread, 2); /* as the election has it: there is one */
	put(40);
	run(60 * SB_SEC);
	assert_all_in_order();
}
END_TEST

/* Back to `earliest` it is the lines that decide, as before. */
START_TEST(earliest_comes_back_as_the_lines_have_it)
{
	line_up(0, FRAGMENTS);
	set_mode(0);
	line_up(1, _i ? WHOLE : FRAGMENTS);
	ck_assert_int_eq(spread.engine, SPREAD_POLICY);
	set_mode(EARLIEST);
	ck_assert_int_eq(spread.engine, _i ? SPREAD_WHOLE : SPREAD_NUMBERED);
	set_mode(0);
	line_down(0);
	line_down(1);
	set_mode(EARLIEST);
	line_up(2, FRAGMENTS);
	ck_assert_int_eq(spread.engine, SPREAD_NUMBERED);
}
END_TEST

/* From any mode to any other, with packets waiting, bound and on wires: each arrives once. */
START_TEST(packets_are_kept_when_the_mode_changes)
{
	unsigned from = (unsigned)_i / MODE_COUNT, to = (unsigned)_i % MODE_COUNT;

	for (unsigned i = 0; i < 3; i++)
		line_up(i, FRAGMENTS);
	for (unsigned n = 0; n < 12; n++) {
		put(8);
		set_mode(from);
		run(10 * SB_MS * (n * 7 % 30));
		set_mode(to);
		run(10 * SB_MS * (n * 11 % 30));
	}
	run(120 * SB_SEC);
	assert_all_once();
}
END_TEST

/* While lines of both kinds come and go. */
START_TEST(packets_are_kept_when_modes_and_lines_change)
{
	uint64_t random = (uint64_t)_i;

	line_up(0, FRAGMENTS);
	for (unsigned n = 0; n < 80; n++) {
		unsigned i = 1 + (unsigned)random_below(&random, 3);
		unsigned m = (unsigned)random_below(&random, MODE_COUNT);

		put(1);
		if (up[i])
			line_down(i);
		else
			line_up(i, FRAGMENTS);
		set_mode(m);
		run((sb_time)random_below(&random, 300) * SB_MS);
	}
	set_mode(EARLIEST);
	run(60 * SB_SEC);
	assert_all_once();
}
END_TEST

/* From one that numbers to the other and back there is no gap, so the peer waits for nothing. */
START_TEST(numbers_go_on_over_changes)
{
	unsigned last = PIECES;

	line_up(0, FRAGMENTS);
	line_up(1, FRAGMENTS);
	for (unsigned n = 0; n < 6; n++) {
		set_mode(n % 2 ? EARLIEST : (unsigned)_i);
		put(6);
		run(20 * SB_SEC);
	}
	while (!numbered[last - 1].there)
		last--;
	for (unsigned i = 0; i < last; i++)
		ck_assert_msg(numbered[i].there, "%u is missing of %u", i, last);
	assert_all_once();
	line_down(0);
	line_down(1);
	spread_restart(&spread);
	numbered[0].there = false;
	line_up(0, FRAGMENTS);
	put(1);
	run(SB_SEC);
	ck_assert(numbered[0].there);
}
END_TEST

/* No line is idle for the lack of a word: only the active one sends, and then another. */
START_TEST(active_lines_are_passed_on)
{
	struct piece piece;

	set_mode(2);
	line_up(0, FRAGMENTS);
	line_up(1, FRAGMENTS);
	spread_set_active(&spread, 2);
	put(2);
	ck_assert(!pull(0, &piece));
	ck_assert(pull(1, &piece));
	sent(1, &piece);
	spread_set_active(&spread, 1);
	ck_assert(pull(0, &piece));
	sent(0, &piece);
	ck_assert_double_eq_tol(spread_rate(&spread), BPS / 10.0, 1e-6);
}
END_TEST

/* All that the peer wants comes over line 1. */
START_TEST(shares_are_passed_on)
{
	static const uint32_t shares[STRIPE_MAX_LINES] = {0, 1};
	struct piece piece;

	set_mode(6);
	line_up(0, FRAGMENTS);
	line_up(1, FRAGMENTS);
	spread_set_shares(&spread, shares);
	put(2);
	ck_assert(!pull(0, &piece));
	ck_assert(pull(1, &piece));
	sent(1, &piece);
}
END_TEST

/* Sent by another engine whose order means nothing here, it is not taken for a copy. */
START_TEST(a_packet_of_earliest_comes_back_to_broadcast)
{
	struct piece piece;

	line_up(0, FRAGMENTS);
	line_up(1, FRAGMENTS);
	put(1);
	ck_assert(pull(0, &piece));
	while (!piece.end) { /* the other one's piece */
		ck_assert(pull(1, &piece));
		sent_but_held(1, &piece);
	}
	now += SB_MS;
	set_mode(4);
	line_down(0);
	spread_return(&spread, piece.packet);
	ck_assert_uint_eq(spread_bound_packets(&spread), 1);
	memset(numbered, 0, sizeof(numbered));
	run(5 * SB_SEC);
	packet_put(pool, piece.packet);
	assert_all_once();
}
END_TEST

START_TEST(a_last_word_has_the_next_number)
{
	struct piece piece, last;

	set_mode((unsigned)_i);
	line_up(0, FRAGMENTS);
	line_up(1, WHOLE);
	ck_assert(!spread_parting(&spread, 0, &last));
	spread_set_heartbeat(&spread, SB_SEC);
	ck_assert(!spread_parting(&spread, 1, &last));
	ck_assert(spread_parting(&spread, 0, &last));
	ck_assert(!last.packet && last.begin && last.end);
	ck_assert_uint_eq(last.sequence, 0);
	set_mode(4);
	put(1);
	ck_assert(pull(0, &piece));
	ck_assert_uint_eq(piece.sequence, 1);
	sent(0, &piece);
}
END_TEST

/* --- what comes back --- */

/* Sent by one, it comes back to the other, and goes first. */
START_TEST(a_packet_comes_back_after_the_change)
{
	struct piece first;

	line_up(0, _i ? FRAGMENTS : WHOLE);
	put(5);
	ck_assert(pull(0, &first));
	ck_assert_uint_eq(number_of(first.packet), 0);
	line_up(1, _i ? WHOLE : FRAGMENTS);
	line_down(0);
	spread_return(&spread, first.packet);
	ck_assert_int_eq(spread.engine, _i ? SPREAD_WHOLE : SPREAD_NUMBERED);
	run(30 * SB_SEC);
	assert_all_in_order();
}
END_TEST

/* Both lines that had a piece of it leave, one after the other: it waits once. */
START_TEST(a_packet_may_come_back_from_two_lines)
{
	struct piece piece[2];

	line_up(0, FRAGMENTS);
	line_up(1, FRAGMENTS);
	put(1);
	ck_assert(pull(0, &piece[0]));
	ck_assert(pull(1, &piece[1]));
	ck_assert_ptr_eq(piece[0].packet, piece[1].packet);
	put(3);
	if (_i)
		line_up(2, WHOLE);
	line_down(0);
	spread_return(&spread, piece[0].packet);
	line_down(1);
	spread_return(&spread, piece[1].packet);
	ck_assert_uint_eq(spread_bound_packets(&spread), 1);
	if (!_i)
		line_up(2, FRAGMENTS);
	run(30 * SB_SEC);
	assert_all_in_order();
}
END_TEST

/* Several at once, as a line gives them up: last first. */
START_TEST(packets_come_back_in_order)
{
	struct piece piece[3];

	line_up(0, FRAGMENTS);
	put(8);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert(pull(0, &piece[i]));
		ck_assert(piece[i].begin && piece[i].end);
		sent_but_held(0, &piece[i]);
		now = clocks[0].busy_until;
	}
	line_up(1, _i ? WHOLE : FRAGMENTS);
	line_down(0);
	for (unsigned i = 3; i-- > 0;)
		spread_return(&spread, piece[i].packet);
	run(30 * SB_SEC);
	assert_all_in_order();
}
END_TEST

/* --- the rest --- */

START_TEST(E12_what_waits_expires_whichever_is_in_use)
{
	struct piece piece;

	line_up(0, _i ? FRAGMENTS : WHOLE);
	put(1);
	ck_assert(pull(0, &piece));
	ck_assert_int_eq(spread_oldest(&spread), SB_NEVER);
	line_down(0);
	spread_return(&spread, piece.packet);
	ck_assert_uint_eq(spread_bound_packets(&spread), 1);
	ck_assert_uint_eq(spread_bound_bytes(&spread), 400);
	ck_assert_int_eq(spread_oldest(&spread), now);
	ck_assert_uint_eq(spread_expire(&spread, now), 0);
	ck_assert_uint_eq(spread_expire(&spread, now + 1), 1);
	ck_assert_uint_eq(spread_bound_packets(&spread), 0);
	ck_assert_int_eq(spread_oldest(&spread), SB_NEVER);
}
END_TEST

START_TEST(numbers_begin_anew_when_told)
{
	struct piece piece;

	line_up(0, FRAGMENTS);
	put(3);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert(pull(0, &piece));
		ck_assert_uint_eq(piece.sequence, i);
		sent(0, &piece);
		now = clocks[0].busy_until;
	}
	line_down(0);
	spread_restart(&spread);
	line_up(0, FRAGMENTS);
	ck_assert(pull(0, &piece));
	ck_assert_uint_eq(piece.sequence, 0);
	packet_put(pool, piece.packet);
}
END_TEST

/* The fast line has a long frame in hand, so the next packet is sooner over the slow one. */
START_TEST(a_frame_in_hand_counts_after_the_change)
{
	struct piece first, second;

	line_up(0, FRAGMENTS);
	put(2);
	ck_assert(pull(0, &first));
	spread_line_unsent(&spread, 0, 2000);
	line_up_at(1, WHOLE, BPS / 2);
	ck_assert(pull(1, &second));
	ck_assert_uint_eq(number_of(second.packet), 1);
	sent(0, &first);
	sent(1, &second);
}
END_TEST

static TCase *new_case(Suite *suite, const char *name)
{
	TCase *tcase = tcase_create(name);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	suite_add_tcase(suite, tcase);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("spread");
	TCase *which = new_case(suite, "which"), *back = new_case(suite, "back");
	TCase *rest = new_case(suite, "rest"), *mode = new_case(suite, "modes");

	tcase_add_test(which, numbers_are_used_only_while_all_lines_take_them);
	tcase_add_loop_test(which, each_kind_alone_carries_all, 0, 2);
	tcase_add_loop_test(which, packets_are_kept_when_it_changes, 0, 20);
	tcase_add_loop_test(which, packets_are_kept_when_it_changes_often, 0, 10);
	tcase_add_loop_test(which, packets_are_kept_when_lines_of_both_kinds_come_and_go, 0, 20);
	tcase_add_loop_test(mode, each_mode_carries_all, 0, MODE_COUNT);
	tcase_add_loop_test(mode, earliest_comes_back_as_the_lines_have_it, 0, 2);
	tcase_add_loop_test(mode, packets_are_kept_when_the_mode_changes, 0,
			    MODE_COUNT * MODE_COUNT);
	tcase_add_loop_test(mode, packets_are_kept_when_modes_and_lines_change, 0, 10);
	tcase_add_loop_test(mode, numbers_go_on_over_changes, 0, EARLIEST);
	tcase_add_test(mode, active_lines_are_passed_on);
	tcase_add_test(mode, shares_are_passed_on);
	tcase_add_test(mode, a_packet_of_earliest_comes_back_to_broadcast);
	tcase_add_loop_test(mode, a_last_word_has_the_next_number, 0, EARLIEST);
	tcase_add_loop_test(back, a_packet_comes_back_after_the_change, 0, 2);
	tcase_add_loop_test(back, a_packet_may_come_back_from_two_lines, 0, 2);
	tcase_add_loop_test(back, packets_come_back_in_order, 0, 2);
	tcase_add_loop_test(rest, E12_what_waits_expires_whichever_is_in_use, 0, 2);
	tcase_add_test(rest, numbers_begin_anew_when_told);
	tcase_add_test(rest, a_frame_in_hand_counts_after_the_change);
	return run_suite(suite);
}
