/* SPDX-License-Identifier: MIT */
/*
 * Link quality reports between two ends whose packets get lost as the test says.
 */
#include "ppp/lqr.h"
#include "tests/unit/codec_testing.h"

enum { REPORT_SIZE = 48, PACKET = 100, OVERHEAD = 7 };

struct end {
	struct lqr lqr;
	struct lqr_counts counts;
};

static struct end a, b;

static void open_ends(void)
{
	a = b = (struct end){0};
	lqr_stop(&a.lqr);
	lqr_stop(&b.lqr);
}

/* b sends reports, a answers: a asked for them. */
static void start(sb_time every)
{
	lqr_start(&a.lqr, 0xaaaaaaaa, 0, 0);
	lqr_start(&b.lqr, 0xbbbbbbbb, every, 0);
}

/* Packets of PACKET octets, of which some arrive. */
static void pass(struct end *from, struct end *to, unsigned sent, unsigned got)
{
	from->counts.out_packets += sent;
	from->counts.out_octets += sent * PACKET;
	to->counts.in_packets += got;
	to->counts.in_octets += got * PACKET;
	to->counts.in_errors += sent - got;
}

/* True: a report went out, and reached the other end unless it is lost. */
static bool report(struct end *from, struct end *to, sb_time now, bool arrives)
{
	uint8_t memory[REPORT_SIZE];
	struct buf packet = buf_over(memory, sizeof(memory));
	if (!lqr_output(&from->lqr, now, &from->counts, &packet))
		return false;
	ck_assert(!packet.overflow);
	ck_assert_uint_eq(packet.length, REPORT_SIZE);
	from->counts.out_packets++;
	from->counts.out_octets += REPORT_SIZE + OVERHEAD;
	if (arrives) {
		to->counts.in_packets++;
		to->counts.in_octets += REPORT_SIZE + OVERHEAD;
		lqr_input(&to->lqr, now, buf_bytes(&packet), &to->counts);
	}
	return true;
}

/* b's report, and a's answer. */
static void exchange(sb_time now)
{
	ck_assert(report(&b, &a, now, true));
	ck_assert(report(&a, &b, now, true));
}

static void assert_near(double got, double want)
{
	ck_assert_double_eq_tol(got, want, 1e-9);
}

START_TEST(packet_is_as_the_rfc_has_it)
{
	static const char first[] = "0badcafe 00000000 00000000 00000000"
				    "00000000 00000000 00000000 00000000"
				    "00000000 00000001 00000008 0000006f";
	uint8_t memory[REPORT_SIZE];
	struct buf packet = buf_over(memory, sizeof(memory));
	struct lqr_counts counts = {.out_packets = 7, .out_octets = 56};
	lqr_start(&a.lqr, 0x0badcafe, SB_SEC, 0);
	ck_assert(lqr_output(&a.lqr, 0, &counts, &packet));
	assert_octets(buf_bytes(&packet), hex(first));
}
END_TEST

START_TEST(what_the_peer_said_is_told_back)
{
	static const char said[] = "bbbbbbbb 00000001 00000002 00000003"
				   "00000004 00000005 00000006 00000007"
				   "00000008 80000009 8000000a 8000000b";
	static const char answer[] = "aaaaaaaa 80000009 8000000a 8000000b"
				     "00000001 0000000c 0000000d 0000000e"
				     "0000000f 00000001 00000011 00000058";
	struct lqr_counts then = {
		.in_packets = 12, .in_discards = 13, .in_errors = 14, .in_octets = 15};
	struct lqr_counts now = {.in_packets = 999, .out_packets = 16, .out_octets = 33};
	uint8_t memory[REPORT_SIZE];
	struct buf packet = buf_over(memory, sizeof(memory));
	lqr_start(&a.lqr, 0xaaaaaaaa, 0, 0);
	lqr_input(&a.lqr, 5, hex(said), &then);
	ck_assert(lqr_output(&a.lqr, 5, &now, &packet));
	assert_octets(buf_bytes(&packet), hex(answer));
}
END_TEST

START_TEST(nothing_is_known_before_there_are_two)
{
	start(SB_SEC);
	exchange(0);
	ck_assert_double_lt(a.lqr.loss_in, 0);
	ck_assert_double_lt(a.lqr.loss_out, 0);
	ck_assert_double_lt(b.lqr.loss_in, 0);
	ck_assert_double_lt(b.lqr.loss_out, 0);
	ck_assert_double_lt(a.lqr.rate_out, 0);
}
END_TEST

START_TEST(a_good_line_loses_nothing)
{
	start(SB_SEC);
	for (sb_time now = 0; now < 4 * SB_SEC; now += SB_SEC) {
		pass(&a, &b, 30, 30);
		pass(&b, &a, 50, 50);
		exchange(now);
	}
	assert_near(a.lqr.loss_in, 0);
	assert_near(a.lqr.loss_out, 0);
	assert_near(b.lqr.loss_in, 0);
	assert_near(b.lqr.loss_out, 0);
	assert_near(b.lqr.rate_out, 50 * PACKET + REPORT_SIZE + OVERHEAD);
	assert_near(a.lqr.rate_out, 30 * PACKET + REPORT_SIZE + OVERHEAD);
}
END_TEST

/* The report itself is one of the packets: 79 and 1 make 80. */
START_TEST(losses_of_each_direction_are_seen_by_both_ends)
{
	start(SB_SEC);
	for (sb_time now = 0; now < 4 * SB_SEC; now += SB_SEC) {
		pass(&a, &b, 79, 59);
		pass(&b, &a, 99, 89);
		exchange(now);
	}
	assert_near(a.lqr.loss_out, 20.0 / 80);
	assert_near(b.lqr.loss_in, 20.0 / 80);
	assert_near(a.lqr.loss_in, 10.0 / 100);
	assert_near(b.lqr.loss_out, 10.0 / 100);
}
END_TEST

START_TEST(a_loss_is_of_the_last_interval)
{
	start(SB_SEC);
	exchange(0);
	pass(&b, &a, 9, 0);
	exchange(SB_SEC);
	assert_near(a.lqr.loss_in, 0.9);
	pass(&b, &a, 9, 9);
	exchange(2 * SB_SEC);
	assert_near(a.lqr.loss_in, 0);
}
END_TEST

START_TEST(a_lost_report_is_a_lost_packet_and_no_more)
{
	start(SB_SEC);
	exchange(0);
	exchange(SB_SEC);
	pass(&b, &a, 4, 4);
	ck_assert(report(&b, &a, 2 * SB_SEC, false));
	ck_assert(!report(&a, &b, 2 * SB_SEC, true)); /* nothing to answer */
	pass(&b, &a, 4, 4);
	exchange(3 * SB_SEC);
	assert_near(a.lqr.loss_in, 1.0 / 10);
	exchange(4 * SB_SEC);
	assert_near(b.lqr.loss_out, 0);
}
END_TEST

START_TEST(reports_of_ours_that_never_arrive_leave_our_loss_unknown)
{
	lqr_start(&a.lqr, 0xaaaaaaaa, SB_SEC, 0);
	lqr_start(&b.lqr, 0xbbbbbbbb, SB_SEC, 0);
	for (sb_time now = 0; now < 4 * SB_SEC; now += SB_SEC) {
		pass(&b, &a, 9, 9);
		ck_assert(report(&b, &a, now, true));
		ck_assert(report(&a, &b, now, false));
	}
	ck_assert_double_lt(a.lqr.loss_out, 0);
	assert_near(a.lqr.loss_in, 0);
}
END_TEST

START_TEST(what_was_before_the_first_report_counts_for_nothing)
{
	a.counts.out_packets = 1000; /* sent to another peer, say */
	start(SB_SEC);
	exchange(0);
	exchange(SB_SEC);
	ck_assert_double_lt(a.lqr.loss_out, 0);
	exchange(2 * SB_SEC);
	assert_near(a.lqr.loss_out, 0);
}
END_TEST

START_TEST(a_rate_lasts_while_the_peer_hears_no_reports)
{
	lqr_start(&a.lqr, 0xaaaaaaaa, SB_SEC, 0);
	lqr_start(&b.lqr, 0xbbbbbbbb, SB_SEC, 0);
	sb_time now = 0;
	for (; now < 4 * SB_SEC; now += SB_SEC)
		exchange(now);
	assert_near(a.lqr.rate_out, REPORT_SIZE + OVERHEAD);
	ck_assert(report(&a, &b, now, false));
	ck_assert(report(&b, &a, now, true));
	ck_assert(report(&b, &a, now + SB_SEC, true));
	assert_near(a.lqr.rate_out, REPORT_SIZE + OVERHEAD);
}
END_TEST

START_TEST(counters_wrap_around)
{
	a.counts.out_packets = b.counts.in_packets = UINT32_MAX - 50;
	b.counts.out_octets = a.counts.in_octets = UINT32_MAX - 50;
	start(SB_SEC);
	for (sb_time now = 0; now < 4 * SB_SEC; now += SB_SEC) {
		pass(&a, &b, 39, 29);
		pass(&b, &a, 9, 9);
		exchange(now);
	}
	assert_near(a.lqr.loss_out, 0.25);
	assert_near(b.lqr.loss_in, 0.25);
	assert_near(b.lqr.rate_out, 9 * PACKET + REPORT_SIZE + OVERHEAD);
}
END_TEST

START_TEST(reports_go_when_their_time_has_come)
{
	start(5 * SB_SEC);
	ck_assert_int_eq(lqr_deadline(&b.lqr), 0);
	ck_assert_int_eq(lqr_deadline(&a.lqr), SB_NEVER);
	ck_assert(!report(&a, &b, 0, true));
	ck_assert(report(&b, &a, 0, true));
	ck_assert(!report(&b, &a, 0, true));
	ck_assert_int_eq(lqr_deadline(&b.lqr), 5 * SB_SEC);
	ck_assert_int_eq(lqr_deadline(&a.lqr), 0); /* an answer is owed */
	ck_assert(report(&a, &b, 0, true));
	ck_assert_int_eq(lqr_deadline(&a.lqr), SB_NEVER);
	ck_assert_int_eq(lqr_deadline(&b.lqr), 5 * SB_SEC); /* an answer is not answered */
	ck_assert(!report(&b, &a, 5 * SB_SEC - 1, true));
	ck_assert(report(&b, &a, 5 * SB_SEC, true));
}
END_TEST

START_TEST(stopped_it_is_silent)
{
	start(SB_SEC);
	lqr_stop(&b.lqr);
	ck_assert_int_eq(lqr_deadline(&b.lqr), SB_NEVER);
	ck_assert(!report(&b, &a, 10 * SB_SEC, true));
}
END_TEST

START_TEST(short_and_looped_ones_are_bad)
{
	uint8_t memory[REPORT_SIZE];
	struct buf packet = buf_over(memory, sizeof(memory));
	start(SB_SEC);
	ck_assert(lqr_output(&b.lqr, 0, &b.counts, &packet));
	lqr_input(&a.lqr, 0, bytes_of(memory, REPORT_SIZE - 1), &a.counts);
	lqr_input(&a.lqr, 0, bytes_of(NULL, 0), &a.counts);
	lqr_input(&b.lqr, 0, buf_bytes(&packet), &b.counts);
	ck_assert_uint_eq(a.lqr.bad, 2);
	ck_assert_uint_eq(b.lqr.bad, 1);
	ck_assert_uint_eq(a.lqr.received + b.lqr.received, 0);
	ck_assert_int_eq(lqr_deadline(&a.lqr), SB_NEVER); /* and not answered */
}
END_TEST

/* A peer that begins to count anew; more that seems to arrive than was sent. */
START_TEST(nonsense_is_no_loss)
{
	start(SB_SEC);
	pass(&b, &a, 20, 20);
	exchange(0);
	b.counts.out_packets = 0;
	exchange(SB_SEC);
	ck_assert_double_lt(a.lqr.loss_in, 0);
	pass(&b, &a, 1, 10);
	exchange(2 * SB_SEC);
	assert_near(a.lqr.loss_in, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("lqr");
	TCase *losses = tcase_create("losses"), *reports = tcase_create("reports");
	tcase_add_checked_fixture(losses, open_ends, NULL);
	tcase_add_test(losses, nothing_is_known_before_there_are_two);
	tcase_add_test(losses, a_good_line_loses_nothing);
	tcase_add_test(losses, losses_of_each_direction_are_seen_by_both_ends);
	tcase_add_test(losses, a_loss_is_of_the_last_interval);
	tcase_add_test(losses, a_lost_report_is_a_lost_packet_and_no_more);
	tcase_add_test(losses, reports_of_ours_that_never_arrive_leave_our_loss_unknown);
	tcase_add_test(losses, what_was_before_the_first_report_counts_for_nothing);
	tcase_add_test(losses, a_rate_lasts_while_the_peer_hears_no_reports);
	tcase_add_test(losses, counters_wrap_around);
	tcase_add_test(losses, nonsense_is_no_loss);
	suite_add_tcase(suite, losses);
	tcase_add_checked_fixture(reports, open_ends, NULL);
	tcase_add_test(reports, packet_is_as_the_rfc_has_it);
	tcase_add_test(reports, what_the_peer_said_is_told_back);
	tcase_add_test(reports, reports_go_when_their_time_has_come);
	tcase_add_test(reports, stopped_it_is_silent);
	tcase_add_test(reports, short_and_looped_ones_are_bad);
	suite_add_tcase(suite, reports);
	return run_suite(suite);
}
