/* SPDX-License-Identifier: MIT */
/*
 * HDLC-like framing on bad lines: what is dropped, under which name, and that the
 * next frame is whole; and what negotiation changes while it runs.
 */
#include <stdio.h>

#include "tests/unit/hdlc_testing.h"

/* --- damaged and odd streams --- */

/* The good frame follows whatever comes before it. */
static struct hdlc_counters decode_before_good(const char *wire)
{
	char text[512];
	int n = snprintf(text, sizeof text, "%s %s", wire, GOOD_WIRE);
	ck_assert_int_lt(n, (int)sizeof text);
	struct hdlc_counters counters = decode(hex(text));
	ck_assert_uint_eq(got.count, 1);
	assert_octets(got.at[0], hex(GOOD_FRAME));
	return counters;
}

START_TEST(B026_abort_is_no_fcs_error)
{
	struct hdlc_counters counters = decode_before_good("7e ff 03 c0 21 01 7d 7e");
	ck_assert_uint_eq(counters.aborts, 1);
	ck_assert_uint_eq(faults(&counters), 1);
	counters = decode_before_good("7e 7d 7e");
	ck_assert_uint_eq(counters.aborts, 1);
	ck_assert_uint_eq(faults(&counters), 1);
}
END_TEST

START_TEST(B026_empty_frames_are_nothing)
{
	struct hdlc_counters counters = decode_before_good("7e 7e 7e 7e");
	ck_assert_uint_eq(faults(&counters), 0);
}
END_TEST

START_TEST(B026_short_frames_are_runts)
{
	static const char *const wire[] = {"7e ff 7e", "7e ff 03 7e", "7e ff 03 c0 7e"};
	for (size_t i = 0; i < sizeof wire / sizeof wire[0]; i++) {
		struct hdlc_counters counters = decode_before_good(wire[i]);
		ck_assert_uint_eq(counters.runts, 1);
		ck_assert_uint_eq(faults(&counters), 1);
	}
}
END_TEST

/* Two octets and the FCS: the shortest frame, whatever the FCS. */
START_TEST(B026_shortest_frame_of_each_fcs)
{
	for (size_t i = 0; i < 3; i++) {
		struct hdlc_decoder *d = decoder_new(MRU_FRAME, every_fcs[i], 0);
		frames_clear(&got);
		feed(d, encode(0, every_fcs[i], hex("21")));
		ck_assert_uint_eq(got.count, 0);
		ck_assert_uint_eq(hdlc_decoder_counters(d)->runts, 1);
		feed(d, encode(0, every_fcs[i], hex("21 45")));
		ck_assert_uint_eq(got.count, 1);
		assert_octets(got.at[0], hex("21 45"));
		hdlc_decoder_free(d);
	}
}
END_TEST

/* Collecting, behind a 7D, and hunting; what follows up to the flag is not counted. */
START_TEST(B026_reset_in_mid_frame)
{
	static const char *const begun[] = {"7e ff 03 3d", "7e ff 03 7d", "ff 03"};

	for (size_t i = 0; i < sizeof begun / sizeof begun[0]; i++) {
		struct hdlc_decoder *d = decoder_new(MRU_FRAME, HDLC_FCS_16, 0);
		frames_clear(&got);
		feed(d, hex(begun[i]));
		hdlc_decoder_reset(d);
		feed(d, hex("30 31 7d e1 7e"));
		feed(d, hex(GOOD_WIRE));
		ck_assert_uint_eq(got.count, 1);
		assert_octets(got.at[0], hex(GOOD_FRAME));
		ck_assert_uint_eq(faults(hdlc_decoder_counters(d)), 0);
		hdlc_decoder_free(d);
	}
}
END_TEST

START_TEST(text_before_the_first_flag_is_not_counted)
{
	struct hdlc_counters counters = decode_before_good("0d 0a 43 4f 4e 4e 45 43 54 7d 0d 0a");
	ck_assert_uint_eq(faults(&counters), 0);
}
END_TEST

START_TEST(maximum_frame_length)
{
	static const char *const frame[] = {
		"ff 03 21 45",
		"ff 03 21 7e", /* exactly the maximum */
		"ff 03 21 45 00",
		"ff 03 21 45 7d",                /* one more, the second an escape */
		"ff 03 21 45 00 01 02 7d 7e 03", /* and on, one fault only */
	};
	for (size_t i = 0; i < sizeof frame / sizeof frame[0]; i++)
		for (size_t j = 0; j < 3; j++) {
			struct hdlc_decoder *d = decoder_new(4, every_fcs[j], 0);
			frames_clear(&got);
			feed(d, encode(0, every_fcs[j], hex(frame[i])));
			ck_assert_uint_eq(got.count, i < 2);
			ck_assert_uint_eq(hdlc_decoder_counters(d)->too_long, i >= 2);
			feed(d, encode(0, every_fcs[j], hex("ff 03")));
			assert_octets(got.at[got.count - 1], hex("ff 03"));
			ck_assert_uint_eq(faults(hdlc_decoder_counters(d)), i >= 2);
			hdlc_decoder_free(d);
		}
}
END_TEST

/* An abort cannot be told in a frame that was already dropped for its length. */
START_TEST(one_fault_for_one_frame)
{
	struct hdlc_counters counters =
		decode_with(4, 0, hex("7e 01 02 03 04 05 06 07 7d 7e " GOOD_WIRE));
	ck_assert_uint_eq(got.count, 1);
	ck_assert_uint_eq(counters.too_long, 1);
	ck_assert_uint_eq(faults(&counters), 1);
}
END_TEST

START_TEST(receive_map_removes_before_the_fcs)
{
	struct bytes wire = hex("7e 11 ff 13 03 3d 11 30 31 13 e1 11 7e 11 13 7e");
	struct hdlc_counters counters = decode_with(MRU_FRAME, 0x000a0000, wire);
	ck_assert_uint_eq(got.count, 1);
	assert_octets(got.at[0], hex(GOOD_FRAME));
	ck_assert_uint_eq(counters.removed, 7);
	ck_assert_uint_eq(faults(&counters), 0);

	counters = decode(wire);
	ck_assert_uint_eq(got.count, 0);
	ck_assert_uint_eq(counters.removed, 0);
	ck_assert_uint_eq(counters.bad_fcs, 1);
	ck_assert_uint_eq(counters.runts, 1);
}
END_TEST

/* RFC 1662 section 4.2 checks for the map first: the 7D still waits for its octet. */
START_TEST(receive_map_removes_behind_an_escape)
{
	struct bytes frame = hex("ff 03 c0 21 11 7e");
	struct bytes wire = encode(ACCM_DEFAULT, HDLC_FCS_16, frame);
	uint8_t noisy[128];
	struct buf out = buf_over(noisy, sizeof noisy);
	uint64_t escapes = 0;

	for (size_t i = 0; i < wire.length; i++) {
		buf_put(&out, wire.at[i]);
		if (wire.at[i] == HDLC_ESCAPE) {
			buf_put(&out, 0x13);
			escapes++;
		}
	}
	ck_assert_uint_ge(escapes, 3);
	struct hdlc_counters counters = decode_with(MRU_FRAME, ACCM_DEFAULT, buf_bytes(&out));
	ck_assert_uint_eq(got.count, 1);
	assert_octets(got.at[0], frame);
	ck_assert_uint_eq(counters.removed, escapes);
}
END_TEST

/* Whatever it is: also those no sender should escape, and 7D itself. */
START_TEST(an_escaped_octet_is_xored)
{
	for (unsigned c = 0; c < 256; c++) {
		if (c == HDLC_FLAG)
			continue;
		uint8_t wire[] = {0x7e, 0xff, 0x7d, (uint8_t)c, 0x7e};
		struct hdlc_decoder *d = decoder_new(MRU_FRAME, HDLC_FCS_NONE, 0);
		frames_clear(&got);
		feed(d, bytes_of(wire, sizeof wire));
		ck_assert_uint_eq(got.count, 1);
		ck_assert_uint_eq(got.at[0].length, 2);
		ck_assert_uint_eq(got.at[0].at[1], c ^ 0x20);
		hdlc_decoder_free(d);
	}
}
END_TEST

static const char conf_req[] =
	"7e ff 7d 23 c0 21 7d 21 7d 21 7d 20 7d 30 7d 22 7d 26 7d 20 7d 20 7d "
	"20 7d 20 7d 25 7d 26 de ad be ef 41 8e 7e";

START_TEST(B028_seven_bit_echo_shows_no_high_bits)
{
	struct hdlc_counters counters =
		decode(hex("7e 7f 7d 23 40 21 7d 21 7d 21 7d 20 7d 30 7d 22 7d 26 7d 20 7d 20 7d "
			   "20 7d 20 7d 25 7d 26 5e 2d 3e 6f 41 0e 7e"));
	ck_assert_uint_eq(got.count, 0);
	ck_assert_uint_eq(counters.bad_fcs, 1);
	ck_assert_uint_eq(counters.high_bits, 0);
}
END_TEST

START_TEST(B028_true_echo_is_a_frame)
{
	assert_decodes_to(hex(conf_req),
			  hex("ff 03 c0 21 01 01 00 10 02 06 00 00 00 00 05 06 de ad be ef"));
	ck_assert_uint_eq(decode(hex(conf_req)).high_bits, 7);
}
END_TEST

START_TEST(high_bits_are_counted_in_every_state)
{
	struct hdlc_counters counters = decode(hex("80 ff 7f 7e 7d ff 00 c0 7e 81"));
	ck_assert_uint_eq(counters.high_bits, 5);
}
END_TEST

START_TEST(B029_doubled_ff_is_an_fcs_error)
{
	struct hdlc_counters counters =
		decode(hex("7e ff ff 03 3d 30 31 e1 7e ff ff 03 3d 30 31 e1 7e"));
	ck_assert_uint_eq(got.count, 0);
	ck_assert_uint_eq(counters.bad_fcs, 2);
	counters = decode_before_good("ff fb 00 ff fd 03");
	ck_assert_uint_eq(faults(&counters), 0);
}
END_TEST

/* --- changes while running --- */

START_TEST(the_receive_map_changes_between_frames)
{
	struct hdlc_decoder *d = decoder_new(MRU_FRAME, HDLC_FCS_16, ACCM_DEFAULT);
	struct bytes frame = hex("ff 03 00 21 00 11 1f");
	struct bytes wire = encode(0, HDLC_FCS_16, frame);

	frames_clear(&got);
	feed(d, wire);
	ck_assert_uint_eq(got.count, 0);
	ck_assert_uint_eq(hdlc_decoder_counters(d)->removed, 5);
	hdlc_decoder_set_accm(d, 0);
	feed(d, wire);
	ck_assert_uint_eq(got.count, 1);
	assert_octets(got.at[0], frame);
	hdlc_decoder_free(d);
}
END_TEST

START_TEST(the_fcs_changes_between_frames)
{
	struct hdlc_decoder *d = decoder_new(8, HDLC_FCS_16, 0);
	struct bytes frame = hex("ff 03 00 21 00 11 1f 7e");

	frames_clear(&got);
	for (size_t i = 0; i < 3; i++) {
		hdlc_decoder_set_fcs(d, every_fcs[i]);
		feed(d, encode(0, every_fcs[i], frame));
		ck_assert_uint_eq(got.count, i + 1);
		assert_octets(got.at[i], frame);
	}
	ck_assert_uint_eq(faults(hdlc_decoder_counters(d)), 0);
	hdlc_decoder_free(d);
}
END_TEST

/* The frame in progress may already be longer than the new FCS allows. */
START_TEST(the_fcs_changes_in_mid_frame)
{
	struct hdlc_decoder *d = decoder_new(4, HDLC_FCS_32, 0);

	frames_clear(&got);
	feed(d, hex("7e 01 02 03 04 05 06 07 08"));
	hdlc_decoder_set_fcs(d, HDLC_FCS_16);
	feed(d, hex("09 7e " GOOD_WIRE));
	ck_assert_uint_eq(got.count, 1);
	assert_octets(got.at[0], hex(GOOD_FRAME));
	ck_assert_uint_eq(faults(hdlc_decoder_counters(d)), 0);

	feed(d, hex("ff 03 3d"));
	hdlc_decoder_set_fcs(d, HDLC_FCS_16); /* no change: nothing is lost */
	feed(d, hex("30 31 e1 7e"));
	ck_assert_uint_eq(got.count, 2);
	hdlc_decoder_free(d);
}
END_TEST

static TCase *damage_case(void)
{
	TCase *c = tcase_create("damaged and odd streams");
	tcase_add_test(c, B026_abort_is_no_fcs_error);
	tcase_add_test(c, B026_empty_frames_are_nothing);
	tcase_add_test(c, B026_short_frames_are_runts);
	tcase_add_test(c, B026_shortest_frame_of_each_fcs);
	tcase_add_test(c, B026_reset_in_mid_frame);
	tcase_add_test(c, B028_seven_bit_echo_shows_no_high_bits);
	tcase_add_test(c, B028_true_echo_is_a_frame);
	tcase_add_test(c, B029_doubled_ff_is_an_fcs_error);
	tcase_add_test(c, text_before_the_first_flag_is_not_counted);
	tcase_add_test(c, maximum_frame_length);
	tcase_add_test(c, one_fault_for_one_frame);
	tcase_add_test(c, receive_map_removes_before_the_fcs);
	tcase_add_test(c, receive_map_removes_behind_an_escape);
	tcase_add_test(c, an_escaped_octet_is_xored);
	tcase_add_test(c, high_bits_are_counted_in_every_state);
	return c;
}

static TCase *changes_case(void)
{
	TCase *c = tcase_create("changes while running");
	tcase_add_test(c, the_receive_map_changes_between_frames);
	tcase_add_test(c, the_fcs_changes_between_frames);
	tcase_add_test(c, the_fcs_changes_in_mid_frame);
	return c;
}

int main(void)
{
	Suite *suite = suite_create("hdlc damage");
	suite_add_tcase(suite, damage_case());
	suite_add_tcase(suite, changes_case());
	return run_suite(suite);
}
