/* SPDX-License-Identifier: MIT */
/*
 * SLIP on the wire, byte for byte; and what becomes of damaged and odd streams.
 */
#include "tests/unit/slip_testing.h"

/* --- on the wire --- */

START_TEST(B001_every_special_byte_on_the_wire)
{
	struct bytes packet = hex("c0 db dc dd bd");
	assert_octets(encode(packet), hex("c0 db dc db dd dc dd bd c0"));
	assert_round_trip(packet);
}
END_TEST

START_TEST(B001_every_byte_alone)
{
	for (unsigned c = 0; c < 256; c++) {
		uint8_t byte = (uint8_t)c;
		assert_round_trip(bytes_of(&byte, 1));
	}
}
END_TEST

START_TEST(B001_every_pair_of_odd_bytes)
{
	struct bytes odd = hex("c0 db dc dd 00 0a 11 13 bd");
	for (size_t i = 0; i < odd.length; i++)
		for (size_t j = 0; j < odd.length; j++) {
			uint8_t pair[] = {odd.at[i], odd.at[j]};
			assert_round_trip(bytes_of(pair, sizeof pair));
		}
}
END_TEST

START_TEST(B002_one_pass)
{
	assert_octets(encode(hex("db c0 db")), hex("c0 db dd db dc db dd c0"));
	assert_round_trip(hex("db c0 db"));
}
END_TEST

/* The wire costs two bytes for each of these, and the two ENDs. */
START_TEST(B112_worst_case_is_twice_and_two)
{
	uint8_t packet[MTU];
	memset(packet, SLIP_END, sizeof packet);
	ck_assert_uint_eq(slip_encoded_length(bytes_of(packet, MTU)), 2 * MTU + 2);
	assert_round_trip(bytes_of(packet, MTU));
	memset(packet, SLIP_ESC_END, sizeof packet);
	ck_assert_uint_eq(slip_encoded_length(bytes_of(packet, MTU)), MTU + 2);
}
END_TEST

START_TEST(B112_random_costs_two_in_256)
{
	uint8_t packet[4 * 256];
	for (size_t i = 0; i < sizeof packet; i++)
		packet[i] = (uint8_t)i;
	ck_assert_uint_eq(slip_encoded_length(bytes_of(packet, sizeof packet)), 1024 + 4 * 2 + 2);
}
END_TEST

/* Behind one octet already there, into every capacity; nothing is written past it. */
static void assert_whole_or_nothing(struct bytes packet)
{
	size_t whole = 1 + slip_encoded_length(packet);
	uint8_t memory[16];

	for (size_t capacity = 0; capacity < sizeof memory; capacity++) {
		memset(memory, 0xee, sizeof memory);
		struct buf out = buf_over(memory, capacity);
		buf_append(&out, bytes_of("x", 1));
		slip_encode(&out, packet);
		ck_assert_int_eq(out.overflow, capacity < whole);
		ck_assert_uint_eq(out.length, capacity < whole ? capacity > 0 : whole);
		for (size_t i = out.length; i < sizeof memory; i++)
			ck_assert_uint_eq(memory[i], 0xee);
	}
}

START_TEST(a_packet_that_does_not_fit_is_not_begun)
{
	assert_whole_or_nothing(hex("45 00 01 02 03"));
	assert_whole_or_nothing(hex("45 c0 db 00"));
	assert_whole_or_nothing(hex("c0 db c0 db"));
}
END_TEST

START_TEST(an_empty_packet_is_two_ends)
{
	assert_octets(encode(bytes_of(NULL, 0)), hex("c0 c0"));
}
END_TEST

/* --- damaged and odd streams --- */

START_TEST(B004_maximum_frame_length)
{
	static const char *const wire[] = {
		"c0 01 02 03 04 c0 45 c0",       /* exactly the maximum */
		"c0 01 02 03 db dc c0 45 c0",    /* the same, ending in an escape pair */
		"c0 01 02 03 04 05 c0 45 c0",    /* one more */
		"c0 01 02 03 04 db dd c0 45 c0", /* one more, an escape pair */
		"c0 01 02 03 04 05 06 07 db 08 09 db c0 45 c0", /* and on, one fault only */
	};
	for (size_t i = 0; i < sizeof wire / sizeof wire[0]; i++) {
		bool fits = i < 2;
		struct bytes w = hex(wire[i]);
		struct slip_counters counters = decode_cut(&got, 4, w, 0, w.length);
		ck_assert_uint_eq(got.count, fits ? 2 : 1);
		assert_octets(got.at[got.count - 1], hex("45"));
		ck_assert_uint_eq(counters.too_long, !fits);
		ck_assert_uint_eq(counters.bad_escapes, 0);
	}
}
END_TEST

START_TEST(B004_maximum_frame_length_in_full)
{
	uint8_t packet[MTU + 1];
	memset(packet, 0x45, sizeof packet);
	assert_round_trip(bytes_of(packet, MTU));

	struct slip_counters counters = decode(encode(bytes_of(packet, MTU + 1)));
	ck_assert_uint_eq(got.count, 0);
	ck_assert_uint_eq(counters.too_long, 1);
	packet[MTU] = SLIP_END;
	counters = decode(encode(bytes_of(packet, MTU + 1)));
	ck_assert_uint_eq(got.count, 0);
	ck_assert_uint_eq(counters.too_long, 1);
}
END_TEST

START_TEST(B007_a_bad_escape_drops_its_frame_only)
{
	struct slip_counters counters = decode(hex("c0 45 db 41 00 c0 45 01 c0"));
	ck_assert_uint_eq(got.count, 1);
	assert_octets(got.at[0], hex("45 01"));
	ck_assert_uint_eq(counters.bad_escapes, 1);
}
END_TEST

/* The END behind an ESC is still an END: the next frame begins there. */
START_TEST(B007_escape_before_end)
{
	struct slip_counters counters = decode(hex("c0 45 db c0 45 02 c0 db c0 45 03 c0"));
	ck_assert_uint_eq(got.count, 2);
	assert_octets(got.at[0], hex("45 02"));
	assert_octets(got.at[1], hex("45 03"));
	ck_assert_uint_eq(counters.bad_escapes, 2);
}
END_TEST

START_TEST(B007_escaped_escape_is_no_escape)
{
	struct slip_counters counters = decode(hex("c0 45 db db dc c0 45 04 c0"));
	ck_assert_uint_eq(got.count, 1);
	assert_octets(got.at[0], hex("45 04"));
	ck_assert_uint_eq(counters.bad_escapes, 1);
}
END_TEST

START_TEST(B011_empty_frames_are_nothing)
{
	struct slip_counters counters = decode(hex("c0 c0 c0 45 05 c0 c0"));
	ck_assert_uint_eq(got.count, 1);
	assert_octets(got.at[0], hex("45 05"));
	ck_assert_uint_eq(counters.frames, 1);
	ck_assert_uint_eq(counters.bad_escapes + counters.too_long, 0);
}
END_TEST

START_TEST(B011_no_leading_end)
{
	decode(hex("45 06 c0 45 07 c0"));
	ck_assert_uint_eq(got.count, 2);
	assert_octets(got.at[0], hex("45 06"));
	assert_octets(got.at[1], hex("45 07"));
}
END_TEST

/* What stood before the first END is a frame of its own, for the IP check to drop. */
START_TEST(B014_attached_in_mid_frame)
{
	decode(hex("11 22 33 c0 c0 45 08 c0"));
	ck_assert_uint_eq(got.count, 2);
	assert_octets(got.at[0], hex("11 22 33"));
	assert_octets(got.at[1], hex("45 08"));
	ck_assert_uint_eq(encode(hex("45")).at[0], SLIP_END);
}
END_TEST

START_TEST(B015_modem_text_is_no_frame)
{
	struct slip_counters counters = decode(hex("0d 0a 4f 4b 0d 0a 52 49 4e 47 0d 0a"));
	ck_assert_uint_eq(got.count, 0);
	ck_assert_uint_eq(counters.frames, 0);
}
END_TEST

static void feed(struct slip_decoder *d, struct bytes wire)
{
	collect(&got, next, d, wire, 0, wire.length);
}

/* In each state: collecting, behind an ESC, dropping. Counters stay. */
START_TEST(reset_forgets_the_frame_in_progress)
{
	static const char *const begun[] = {"c0 45 00", "c0 45 00 db", "c0 45 00 db 00"};

	for (size_t i = 0; i < sizeof begun / sizeof begun[0]; i++) {
		struct slip_decoder *d = slip_decoder_new(MTU);
		frames_clear(&got);
		feed(d, hex("c0 46 c0"));
		feed(d, hex(begun[i]));
		slip_decoder_reset(d);
		feed(d, hex("dc 47 c0"));
		ck_assert_uint_eq(got.count, 2);
		assert_octets(got.at[1], hex("dc 47"));
		ck_assert_uint_eq(slip_decoder_counters(d)->frames, 2);
		slip_decoder_free(d);
	}
}
END_TEST

START_TEST(two_decoders_do_not_meet)
{
	struct slip_decoder *a = slip_decoder_new(MTU), *b = slip_decoder_new(MTU);
	frames_clear(&got);
	feed(a, hex("c0 41 db"));
	feed(b, hex("42 c0"));
	feed(a, hex("dc c0"));
	assert_octets(got.at[0], hex("42"));
	assert_octets(got.at[1], hex("41 c0"));
	ck_assert_uint_eq(slip_decoder_counters(b)->frames, 1);
	slip_decoder_free(a);
	slip_decoder_free(b);
}
END_TEST

static TCase *wire_case(void)
{
	TCase *c = tcase_create("on the wire");
	tcase_add_test(c, B001_every_special_byte_on_the_wire);
	tcase_add_test(c, B001_every_byte_alone);
	tcase_add_test(c, B001_every_pair_of_odd_bytes);
	tcase_add_test(c, B002_one_pass);
	tcase_add_test(c, B112_worst_case_is_twice_and_two);
	tcase_add_test(c, B112_random_costs_two_in_256);
	tcase_add_test(c, a_packet_that_does_not_fit_is_not_begun);
	tcase_add_test(c, an_empty_packet_is_two_ends);
	return c;
}

static TCase *damage_case(void)
{
	TCase *c = tcase_create("damaged and odd streams");
	tcase_add_test(c, B004_maximum_frame_length);
	tcase_add_test(c, B004_maximum_frame_length_in_full);
	tcase_add_test(c, B007_a_bad_escape_drops_its_frame_only);
	tcase_add_test(c, B007_escape_before_end);
	tcase_add_test(c, B007_escaped_escape_is_no_escape);
	tcase_add_test(c, B011_empty_frames_are_nothing);
	tcase_add_test(c, B011_no_leading_end);
	tcase_add_test(c, B014_attached_in_mid_frame);
	tcase_add_test(c, B015_modem_text_is_no_frame);
	tcase_add_test(c, reset_forgets_the_frame_in_progress);
	tcase_add_test(c, two_decoders_do_not_meet);
	return c;
}

int main(void)
{
	Suite *suite = suite_create("slip");
	suite_add_tcase(suite, wire_case());
	suite_add_tcase(suite, damage_case());
	return run_suite(suite);
}
