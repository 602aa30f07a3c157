/* SPDX-License-Identifier: MIT */
/*
 * HDLC-like framing on the wire: frames that are whole, byte for byte.
 */
#include "tests/unit/hdlc_testing.h"

/* The five examples of RFC 1662 section 4.2, as they stand in a frame. */
START_TEST(transparency_examples)
{
	struct bytes frame = hex("7e 7d 03 11 13");
	assert_octets(encode(ACCM_DEFAULT, HDLC_FCS_NONE, frame),
		      hex("7e 7d 5e 7d 5d 7d 23 7d 31 7d 33 7e"));
	assert_octets(encode(0, HDLC_FCS_NONE, frame), hex("7e 7d 5e 7d 5d 03 11 13 7e"));
}
END_TEST

START_TEST(fcs_32_on_the_wire)
{
	struct bytes frame = hex("ff 03 00 21 68 65 6c 6c 6f");
	struct bytes wire = hex("7e ff 03 00 21 68 65 6c 6c 6f 0e 98 0b 1d 7e");
	assert_octets(encode(0, HDLC_FCS_32, frame), wire);

	struct hdlc_decoder *d = decoder_new(MRU_FRAME, HDLC_FCS_32, 0);
	frames_clear(&got);
	feed(d, wire);
	ck_assert_uint_eq(got.count, 1);
	assert_octets(got.at[0], frame);
	hdlc_decoder_free(d);
}
END_TEST

static const char echo_request_pfc[] =
	"ff 03 21 45 00 00 1c 00 01 00 00 40 01 66 de 0a 00 00 01 0a 00 00 02 08 00 f7 ff "
	"00 00 00 00";

/* Whether a header is compressed is not the framing's business: it passes. */
START_TEST(B017_compressed_headers)
{
	struct bytes frame = hex(echo_request_pfc);
	assert_decodes_to(hex("7e ff 03 21 45 00 00 1c 00 01 00 00 40 01 66 de 0a 00 00 01 0a 00 "
			      "00 02 08 00 f7 ff 00 00 00 00 99 7c 7e"),
			  frame);
	assert_decodes_to(hex("7e 21 45 00 00 1c 00 01 00 00 40 01 66 de 0a 00 00 01 0a 00 00 02 "
			      "08 00 f7 ff 00 00 00 00 e5 33 7e"),
			  bytes_skip(frame, 2));
}
END_TEST

START_TEST(B018_escaped_first_octet)
{
	static uint8_t frame[64] = {0x00};
	struct bytes rest = bytes_skip(hex(echo_request_pfc), 2);
	memcpy(frame + 1, rest.at, rest.length);

	struct bytes wire = hex("7e 7d 20 21 45 7d 20 7d 20 7d 3c 7d 20 7d 21 7d 20 7d 20 40 7d 21 "
				"66 de 7d 2a 7d 20 7d 20 7d 21 7d 2a 7d 20 7d 20 7d 22 7d 28 7d 20 "
				"f7 ff 7d 20 7d 20 7d 20 7d 20 66 f7 7e");
	assert_decodes_to(wire, bytes_of(frame, 1 + rest.length));
	assert_octets(encode(ACCM_DEFAULT, HDLC_FCS_16, bytes_of(frame, 1 + rest.length)), wire);
}
END_TEST

START_TEST(B022_lcp_under_the_default_map)
{
	struct bytes frame =
		hex("ff 03 c0 21 01 03 00 19 02 06 00 0a 00 00 07 02 08 02 05 06 73 77 "
		    "bd a1 03 05 c2 23 05");
	struct bytes wire = hex("7e ff 7d 23 c0 21 7d 21 7d 23 7d 20 7d 39 7d 22 7d 26 7d 20 7d 2a "
				"7d 20 7d 20 7d 27 7d 22 7d 28 7d 22 7d 25 7d 26 73 77 bd a1 7d 23 "
				"7d 25 c2 23 7d 25 b1 7d 2b 7e");
	assert_octets(encode(ACCM_DEFAULT, HDLC_FCS_16, frame), wire);
	assert_decodes_to(wire, frame);
}
END_TEST

START_TEST(B022_data_under_xon_xoff_only)
{
	struct bytes frame =
		hex("ff 03 00 21 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 "
		    "12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f");
	assert_octets(encode(0x000a0000, HDLC_FCS_16, frame),
		      hex("7e ff 03 00 21 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 7d 31 "
			  "12 7d 33 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f f8 b6 7e"));
}
END_TEST

START_TEST(B023_reject_of_the_accm_option)
{
	struct bytes frame = hex("ff 03 c0 21 04 01 00 0a 02 06 00 00 00 00");
	struct bytes wire = hex("7e ff 7d 23 c0 21 7d 24 7d 21 7d 20 7d 2a 7d 22 7d 26 7d 20 7d 20 "
				"7d 20 7d 20 e3 e7 7e");
	assert_octets(encode(ACCM_DEFAULT, HDLC_FCS_16, frame), wire);
	assert_decodes_to(wire, frame);
}
END_TEST

START_TEST(B024_flag_and_escape_inside_an_option)
{
	struct bytes frame = hex("ff 03 c0 21 04 01 00 0a 63 06 7e 7d 11 13");
	struct bytes wire = hex("7e ff 7d 23 c0 21 7d 24 7d 21 7d 20 7d 2a 63 7d 26 7d 5e 7d 5d 7d "
				"31 7d 33 8a 41 7e");
	assert_octets(encode(ACCM_DEFAULT, HDLC_FCS_16, frame), wire);
	assert_decodes_to(wire, frame);
	assert_decodes_to(encode(0, HDLC_FCS_16, frame), frame);
}
END_TEST

/* Lengths inside the packet mean nothing to the framing: it hands on what came. */
START_TEST(B030_lying_lengths_pass_as_they_are)
{
	assert_decodes_to(hex("7e ff 03 3d 30 31 e1 7e"), hex("ff 03 3d 30"));
	assert_decodes_to(hex("7e ff 03 c0 21 01 01 00 ff 01 04 05 dc 2b 6e 7e"),
			  hex("ff 03 c0 21 01 01 00 ff 01 04 05 dc"));
	assert_decodes_to(hex("7e ff 03 c0 21 01 01 00 03 6e c1 7e"),
			  hex("ff 03 c0 21 01 01 00 03"));
}
END_TEST

/* All 256 octets once: two flags, the escapes, and the FCS 30 3c or 29 05 8c 73. */
START_TEST(E13_exact_wire_length_of_all_octets)
{
	static const struct {
		uint32_t accm;
		size_t none, fcs16, fcs32;
	} expected[] = {
		{0x00000000, 260, 262, 264},
		{0x000a0000, 262, 264, 266},
		{0x200a0000, 263, 265, 267},
		{0xffffffff, 292, 294, 297},
	};
	uint8_t all[256];
	for (size_t i = 0; i < sizeof all; i++)
		all[i] = (uint8_t)i;
	struct bytes frame = bytes_of(all, sizeof all);

	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		uint32_t accm = expected[i].accm;
		ck_assert_uint_eq(encode(accm, HDLC_FCS_NONE, frame).length, expected[i].none);
		ck_assert_uint_eq(encode(accm, HDLC_FCS_16, frame).length, expected[i].fcs16);
		ck_assert_uint_eq(encode(accm, HDLC_FCS_32, frame).length, expected[i].fcs32);
		assert_decodes_to(encode(accm, HDLC_FCS_16, frame), frame);
	}
}
END_TEST

/* Random data: 2 octets of 256 cost one more with ACCM 0, and 34 with the default. */
START_TEST(B112_expansion_counts)
{
	uint8_t data[4 * 256];
	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (uint8_t)i;
	struct bytes frame = bytes_of(data, sizeof data);
	ck_assert_uint_eq(encode(0, HDLC_FCS_NONE, frame).length, 1024 + 4 * 2 + 2);
	ck_assert_uint_eq(encode(ACCM_DEFAULT, HDLC_FCS_NONE, frame).length, 1024 + 4 * 34 + 2);
}
END_TEST

START_TEST(the_opening_flag_may_be_shared)
{
	struct asyncmap map = asyncmap_from_accm(0);
	struct hdlc_encoding e = {.map = &map, .fcs = HDLC_FCS_16, .opening_flag = true};
	uint8_t memory[64];
	struct buf out = buf_over(memory, sizeof memory);

	hdlc_encode(&out, &e, hex("ff 03 3d 30"));
	e.opening_flag = false;
	hdlc_encode(&out, &e, hex("ff 03 3d 30"));
	assert_octets(buf_bytes(&out), hex("7e ff 03 3d 30 31 e1 7e ff 03 3d 30 31 e1 7e"));
	decode(buf_bytes(&out));
	ck_assert_uint_eq(got.count, 2);
}
END_TEST

/* Behind one octet already there, into every capacity; nothing is written past it. */
static void assert_whole_or_nothing(enum hdlc_fcs fcs, struct bytes frame)
{
	struct asyncmap map = asyncmap_from_accm(ACCM_DEFAULT);
	struct hdlc_encoding e = {.map = &map, .fcs = fcs, .opening_flag = true};
	size_t whole = 1 + hdlc_encoded_length(&e, frame);
	uint8_t memory[24];

	for (size_t capacity = 0; capacity < sizeof memory; capacity++) {
		bool fits = capacity >= whole;
		memset(memory, 0xee, sizeof memory);
		struct buf out = buf_over(memory, capacity);
		buf_append(&out, bytes_of("x", 1));
		hdlc_encode(&out, &e, frame);
		ck_assert_int_eq(out.overflow, !fits);
		ck_assert_uint_eq(out.length, fits ? whole : capacity > 0);
		for (size_t i = out.length; i < sizeof memory; i++)
			ck_assert_uint_eq(memory[i], 0xee);
	}
}

/* Among them the worst case: all octets are escaped, and of the FCS-16, 16 07, too. */
START_TEST(a_frame_that_does_not_fit_is_not_begun)
{
	static const char *const frame[] = {"ff 45 46", "ff 03 3d 7e", "7e 7d 7e 00", "01 01"};
	for (size_t i = 0; i < sizeof frame / sizeof frame[0]; i++)
		for (size_t j = 0; j < 3; j++)
			assert_whole_or_nothing(every_fcs[j], hex(frame[i]));
}
END_TEST

static TCase *wire_case(void)
{
	TCase *c = tcase_create("on the wire");
	tcase_add_test(c, transparency_examples);
	tcase_add_test(c, fcs_32_on_the_wire);
	tcase_add_test(c, B017_compressed_headers);
	tcase_add_test(c, B018_escaped_first_octet);
	tcase_add_test(c, B022_lcp_under_the_default_map);
	tcase_add_test(c, B022_data_under_xon_xoff_only);
	tcase_add_test(c, B023_reject_of_the_accm_option);
	tcase_add_test(c, B024_flag_and_escape_inside_an_option);
	tcase_add_test(c, B030_lying_lengths_pass_as_they_are);
	tcase_add_test(c, B112_expansion_counts);
	tcase_add_test(c, E13_exact_wire_length_of_all_octets);
	tcase_add_test(c, the_opening_flag_may_be_shared);
	tcase_add_test(c, a_frame_that_does_not_fit_is_not_begun);
	return c;
}

int main(void)
{
	Suite *suite = suite_create("hdlc");
	suite_add_tcase(suite, wire_case());
	return run_suite(suite);
}
