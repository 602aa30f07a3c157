/* SPDX-License-Identifier: MIT */
/* Behind the waist: what is detected is told once, with all that the link is to get. */
#define _DEFAULT_SOURCE
#include "tests/unit/codec_testing.h"
#include "tests/unit/ip_packets.h"

#include "slip/slip.h"
#include "src/encap.h"

#define LCP_FRAME "7e ff 7d 23 c0 21 7d 21 7d 21 7d 20 7d 24 d1 b5 7e" /* a request of nothing */

static const struct encap_kind *const kind = &encap_detect;
static struct encap *encap;
static const sb_time now = 1000 * SB_SEC;

static void set_up(void)
{
	encap = kind->new (&(struct encap_config){0});
	ck_assert_ptr_nonnull(encap);
	kind->lower_up(encap, now);
}

static void tear_down(void)
{
	kind->free(encap);
}

/* All is taken, and no packet comes of it. */
static void feed(struct bytes in)
{
	struct encap_packet p;

	ck_assert(!kind->next(encap, now, &in, &p));
	ck_assert_uint_eq(in.length, 0);
}

static void assert_undecided(void)
{
	struct encap_event e;

	ck_assert(!kind->event(encap, &e));
}

/* Told, once: that kind, and these characters to be received again. */
static void assert_detected(const struct encap_kind *what, struct bytes replay)
{
	struct encap_event e;

	ck_assert(kind->event(encap, &e));
	ck_assert_int_eq(e.kind, ENCAP_DETECTED);
	ck_assert_ptr_eq(e.detected, what);
	assert_octets(e.replay, replay);
	ck_assert(!kind->event(encap, &e));
}

static struct bytes slip_packet(void)
{
	static uint8_t memory[256], packet[60];
	struct buf out = buf_over(memory, sizeof memory);

	ipv4_write(packet, sizeof packet, 17, ECN_NOT_ECT);
	slip_encode(&out, bytes_of(packet, sizeof packet));
	return buf_bytes(&out);
}

START_TEST(nothing_is_known_at_first)
{
	struct encap_counters c;
	uint8_t memory[16];
	struct buf out = buf_over(memory, sizeof memory);

	assert_undecided();
	feed(bytes_of("\r\nCONNECT 28800\r\n", 17));
	assert_undecided();
	ck_assert(!encap_output(encap, now, &out));
	ck_assert_ptr_null(encap_agreed(encap));
	ck_assert_int_eq(encap_deadline(encap), SB_NEVER);
	ck_assert_int_eq(kind->notice(encap), ENCAP_NOTHING);
	kind->count(encap, &c);
	ck_assert_uint_eq(c.frames_in, 0);
	ck_assert_double_lt(c.loss_in, 0);
}
END_TEST

/* The link's frame from its beginning, in whatever pieces it came; not what was before it. */
START_TEST(B076_ppp_is_received_from_its_first_frame)
{
	struct bytes frame = hex(LCP_FRAME), from_ff = bytes_skip(frame, 1);
	struct encap_event e;

	feed(bytes_of("login: ", 7));
	feed(bytes_of(frame.at, (size_t)_i));
	if ((size_t)_i < frame.length)
		feed(bytes_skip(frame, (size_t)_i));
	ck_assert(kind->event(encap, &e));
	ck_assert_ptr_eq(e.detected, &encap_ppp);
	/* Its first flag is of no use to the link, which begins outside of any frame. */
	while (e.replay.length && e.replay.at[0] == 0x7e)
		e.replay = bytes_skip(e.replay, 1);
	assert_octets(e.replay, from_ff);
}
END_TEST

START_TEST(slip_is_received_from_its_first_packet)
{
	feed(slip_packet());
	assert_detected(&encap_slip, slip_packet());
}
END_TEST

/* What comes until somebody asks is the link's as well. */
START_TEST(all_that_follows_is_kept_until_it_is_told)
{
	uint8_t memory[512];
	struct buf all = buf_over(memory, sizeof memory);

	for (int i = 0; i < 3; i++) {
		feed(slip_packet());
		buf_append(&all, slip_packet());
	}
	assert_detected(&encap_slip, buf_bytes(&all));
}
END_TEST

/* A flood: kept as far as the line can receive it again. */
START_TEST(no_more_is_kept_than_a_line_reads)
{
	static uint8_t flood[4096];
	struct encap_event e;

	memset(flood, 'x', sizeof flood);
	feed(slip_packet());
	feed(bytes_of(flood, sizeof flood));
	ck_assert(kind->event(encap, &e));
	ck_assert_uint_eq(e.replay.length, 4096);
	assert_octets(bytes_of(e.replay.at, slip_packet().length), slip_packet());
	ck_assert_uint_eq(e.replay.at[4095], 'x');
}
END_TEST

START_TEST(B077_windows_is_answered)
{
	uint8_t memory[16];
	struct buf out = buf_over(memory, sizeof memory);

	feed(bytes_of("CLIENT", 6));
	ck_assert(encap_output(encap, now, &out));
	assert_octets(buf_bytes(&out), bytes_of("CLIENTSERVER", 12));
	ck_assert(!encap_output(encap, now, &out));
	assert_undecided();
}
END_TEST

/* The line was down in between: half a frame from before is none of the next caller's. */
START_TEST(the_next_call_is_judged_anew)
{
	struct bytes frame = hex(LCP_FRAME);
	struct encap_event e;

	feed(bytes_of(frame.at, _i ? frame.length : 5));
	kind->lower_down(encap, now);
	assert_undecided();
	kind->lower_up(encap, now);
	feed(bytes_skip(frame, 5));
	assert_undecided();
	feed(slip_packet());
	ck_assert(kind->event(encap, &e));
	ck_assert_ptr_eq(e.detected, &encap_slip);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("encap_detect");
	TCase *tcase = tcase_create("detect");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, nothing_is_known_at_first);
	tcase_add_loop_test(tcase, B076_ppp_is_received_from_its_first_frame, 0, 18);
	tcase_add_test(tcase, slip_is_received_from_its_first_packet);
	tcase_add_test(tcase, all_that_follows_is_kept_until_it_is_told);
	tcase_add_test(tcase, no_more_is_kept_than_a_line_reads);
	tcase_add_test(tcase, B077_windows_is_answered);
	tcase_add_loop_test(tcase, the_next_call_is_judged_anew, 0, 2);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
