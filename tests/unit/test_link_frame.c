/* SPDX-License-Identifier: MIT */
/*
 * Address, control, protocol and FCS around an information field, and frames whose
 * pieces lie in several places.
 */
#include "ppp/link_frame.h"
#include "tests/unit/hdlc_testing.h"

static const struct asyncmap nothing;

static struct bytes encoded(const struct link_coding *coding, uint16_t protocol, const char *head,
			    const char *data)
{
	struct buf out = buf_over(wire_memory, sizeof wire_memory);

	frame_encode(&out, coding, true, protocol, hex(head), hex(data));
	ck_assert(!out.overflow);
	ck_assert_uint_eq(out.length,
			  1 + link_encoded_length(coding, protocol, hex(head), hex(data)));
	return buf_bytes(&out);
}

START_TEST(headers_as_agreed)
{
	struct link_coding coding = frame_coding(0, &nothing);

	assert_octets(encoded(&coding, 0x003D, "", "30"), hex("7e ff 03 00 3d 30 b9 28 7e"));
	assert_decodes_to(encoded(&coding, PPP_IP, "45", "00"), hex("ff 03 00 21 45 00"));
	coding.acfc = true;
	assert_decodes_to(encoded(&coding, PPP_IP, "45", "00"), hex("00 21 45 00"));
	coding.pfc = true;
	assert_decodes_to(encoded(&coding, PPP_IP, "", "45 00"), hex("21 45 00"));
	assert_decodes_to(encoded(&coding, PPP_MP, "c0 00 00 01", "21 45"),
			  hex("3d c0 00 00 01 21 45"));
	assert_decodes_to(encoded(&coding, PPP_IPCP, "", "01 01 00 04"), hex("80 21 01 01 00 04"));
	assert_decodes_to(encoded(&coding, PPP_LCP, "", "09 01 00 04"),
			  hex("ff 03 c0 21 09 01 00 04")); /* never compressed */
	coding.acfc = false;
	assert_decodes_to(encoded(&coding, PPP_IP, "45 00", ""), hex("ff 03 21 45 00"));
}
END_TEST

START_TEST(escapes_are_added_to_the_map)
{
	struct asyncmap escape = {{0}};

	ck_assert(asyncmap_add(&escape, 0xFF));
	struct link_coding coding = frame_coding(0x000a0000, &escape);
	ck_assert(asyncmap_has(&coding.map, 0x11) && asyncmap_has(&coding.map, 0xFF));
	ck_assert(asyncmap_has(&coding.map, HDLC_FLAG) && asyncmap_has(&coding.map, HDLC_ESCAPE));
	ck_assert(!asyncmap_has(&coding.map, 0x00) && !asyncmap_has(&coding.map, 0xFE));
}
END_TEST

START_TEST(overhead)
{
	struct link_coding coding = frame_coding(0, &nothing);

	ck_assert_uint_eq(link_overhead(&coding, PPP_IP), 7); /* FF 03 00 21, FCS, flag */
	ck_assert_uint_eq(frame_octets(&coding, PPP_IP, 100), 106);
	coding.pfc = coding.acfc = true;
	ck_assert_uint_eq(link_overhead(&coding, PPP_IP), 4);
	ck_assert_uint_eq(link_overhead(&coding, PPP_LCP), 7);
	coding.fcs = HDLC_FCS_32;
	ck_assert_uint_eq(link_overhead(&coding, PPP_IP), 6);
}
END_TEST

/* The protocol, or 0 when there is none; the information field in *rest. */
static uint16_t protocol_of(const char *frame, struct bytes *rest)
{
	uint16_t protocol = 0;

	*rest = hex(frame);
	return frame_take_protocol(rest, &protocol) ? protocol : 0;
}

START_TEST(headers_of_all_kinds_are_understood)
{
	static const struct {
		const char *frame;
		uint16_t protocol;
		size_t rest;
	} table[] = {
		{"ff 03 00 21 45", PPP_IP, 1},
		{"ff 03 21 45", PPP_IP, 1},
		{"00 21 45", PPP_IP, 1},
		{"21 45", PPP_IP, 1},
		{"ff 03 c0 21 01", PPP_LCP, 1},
		{"c0 21 01", PPP_LCP, 1},
		{"ff 03 c0 21", PPP_LCP, 0},
		{"3d", PPP_MP, 0},
		{"ff 21", 0xFF, 1}, /* no control: a protocol nobody has */
		/* the second octet of a protocol is odd */
		{"00 20 45", 0, 0},
		{"ff 03 c0 22 01", 0, 0},
		{"ff 03", 0, 0},
		{"ff 03 c0", 0, 0},
		{"c0", 0, 0},
		{"", 0, 0},
	};
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		struct bytes rest;
		ck_assert_uint_eq(protocol_of(table[i].frame, &rest), table[i].protocol);
		if (table[i].protocol)
			ck_assert_uint_eq(rest.length, table[i].rest);
	}
}
END_TEST

/* A frame with an FCS of that kind behind it, as the decoder hands it out without judging it. */
static struct bytes with_fcs(enum hdlc_fcs fcs, struct bytes frame)
{
	struct bytes wire = encode(0, fcs, frame);
	struct hdlc_decoder *d = decoder_new(MRU_FRAME, HDLC_FCS_NONE, 0);

	frames_clear(&got);
	feed(d, wire);
	hdlc_decoder_free(d);
	ck_assert_uint_eq(got.count, 1);
	return got.at[0];
}

START_TEST(the_fcs_that_was_agreed_to)
{
	struct bytes data = hex("ff 03 00 21 68 65 6c 6c 6f"), frame;

	frame = with_fcs(HDLC_FCS_32, data);
	ck_assert(frame_take_fcs(&frame, HDLC_FCS_32));
	assert_octets(frame, data);
	frame = with_fcs(HDLC_FCS_16, data);
	ck_assert(!frame_take_fcs(&frame, HDLC_FCS_32));
	frame = with_fcs(HDLC_FCS_NONE, data);
	ck_assert(frame_take_fcs(&frame, HDLC_FCS_NONE));
	assert_octets(frame, data);
	frame = hex("ff 03");
	ck_assert(!frame_take_fcs(&frame, HDLC_FCS_32));
}
END_TEST

START_TEST(negotiation_has_the_default_fcs)
{
	struct bytes request = hex("ff 03 c0 21 01 01 00 04"),
		     echo = hex("ff 03 c0 21 09 01 00 04"), frame;

	frame = with_fcs(HDLC_FCS_16, request);
	ck_assert(frame_take_fcs(&frame, HDLC_FCS_32));
	assert_octets(frame, request);
	frame = with_fcs(HDLC_FCS_16, request);
	ck_assert(frame_take_fcs(&frame, HDLC_FCS_NONE));
	assert_octets(frame, request);
	frame = with_fcs(HDLC_FCS_16, echo);
	ck_assert(!frame_take_fcs(&frame, HDLC_FCS_32));
	frame = with_fcs(HDLC_FCS_32, echo);
	ck_assert(frame_take_fcs(&frame, HDLC_FCS_32));
	assert_octets(frame, echo);
}
END_TEST

START_TEST(negotiation_is_codes_1_to_7)
{
	static uint8_t packet[4];

	for (int code = 0; code < 256; code++) {
		packet[0] = (uint8_t)code;
		ck_assert(frame_is_negotiation(PPP_LCP, bytes_of(packet, 4)) ==
			  (code >= 1 && code <= 7));
		ck_assert(!frame_is_negotiation(PPP_IPCP, bytes_of(packet, 4)));
	}
	ck_assert(!frame_is_negotiation(PPP_LCP, bytes_of(NULL, 0)));
}
END_TEST

/* Pieces, empty ones too, are the frame that they make together, with every FCS and map. */
START_TEST(pieces_are_one_frame)
{
	static uint8_t memory[1 << 12];
	uint8_t octets[300];
	uint64_t random = 4;

	for (int i = 0; i < 2000; i++) {
		size_t length = 2 + random_below(&random, sizeof octets - 1);
		size_t first = random_below(&random, length + 1);
		size_t second = first + random_below(&random, length - first + 1);
		random_fill(&random, octets, length, hex("7e 7d 00 11"));
		struct bytes pieces[] = {bytes_of(octets, first),
					 bytes_of(octets + first, second - first),
					 bytes_of(octets + second, length - second)};
		struct asyncmap map = asyncmap_from_accm(i & 1 ? ACCM_DEFAULT : 0);
		struct hdlc_encoding e = {
			.map = &map, .fcs = every_fcs[i % 3], .opening_flag = i & 1};
		struct buf out = buf_over(memory, sizeof memory);
		hdlc_encode_pieces(&out, &e, pieces, 3);
		assert_octets(buf_bytes(&out), encode_with(&e, bytes_of(octets, length)));
		ck_assert_uint_eq(hdlc_encoded_length_of_pieces(&e, pieces, 3), out.length);

		struct buf tight = buf_over(memory, out.length - 1);
		hdlc_encode_pieces(&tight, &e, pieces, 3);
		ck_assert(tight.overflow && tight.length == 0);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("link_frame");
	TCase *t = tcase_create("frames");
	tcase_add_test(t, headers_as_agreed);
	tcase_add_test(t, escapes_are_added_to_the_map);
	tcase_add_test(t, overhead);
	tcase_add_test(t, headers_of_all_kinds_are_understood);
	tcase_add_test(t, the_fcs_that_was_agreed_to);
	tcase_add_test(t, negotiation_has_the_default_fcs);
	tcase_add_test(t, negotiation_is_codes_1_to_7);
	tcase_add_test(t, pieces_are_one_frame);
	suite_add_tcase(s, t);
	return run_suite(s);
}
