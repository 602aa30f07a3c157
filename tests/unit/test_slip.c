/* SPDX-License-Identifier: MIT */
/*
 * SLIP: wire vectors, damaged frames, every cut of a stream, and random packets
 * against an encoder written down a second time here.
 */
#include "slip/slip.h"
#include "tests/unit/codec_testing.h"

enum { MTU = 1006 };

static struct frames got, want;
static uint8_t wire_memory[1 << 18];

static bool next(void *decoder, struct bytes *in, struct bytes *frame)
{
	return slip_decoder_next(decoder, in, frame);
}

/* Decodes a stream with a new decoder, cut as told; the counters it ended with. */
static struct slip_counters decode_cut(struct frames *f, size_t max_frame, struct bytes wire,
				       size_t first, size_t every)
{
	struct slip_decoder *d = slip_decoder_new(max_frame);
	ck_assert_ptr_nonnull(d);
	frames_clear(f);
	collect(f, next, d, wire, first, every);
	struct slip_counters counters = *slip_decoder_counters(d);
	slip_decoder_free(d);
	return counters;
}

static struct slip_counters decode(struct bytes wire)
{
	return decode_cut(&got, MTU, wire, 0, wire.length);
}

static struct bytes encode(struct bytes packet)
{
	struct buf out = buf_over(wire_memory, sizeof wire_memory);
	slip_encode(&out, packet);
	ck_assert(!out.overflow);
	ck_assert_uint_eq(out.length, slip_encoded_length(packet));
	return buf_bytes(&out);
}

static void assert_round_trip(struct bytes packet)
{
	struct slip_counters counters = decode(encode(packet));
	ck_assert_uint_eq(got.count, 1);
	assert_octets(got.at[0], packet);
	ck_assert_uint_eq(counters.frames, 1);
	ck_assert_uint_eq(counters.bytes, packet.length);
	ck_assert_uint_eq(counters.bad_escapes + counters.too_long, 0);
}

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

/* --- cuts --- */

static void assert_cut_alike(struct bytes wire, size_t first, size_t every,
			     struct slip_counters whole)
{
	struct slip_counters cut = decode_cut(&got, 8, wire, first, every);
	assert_same_frames(&got, &want);
	ck_assert_mem_eq(&cut, &whole, sizeof whole);
}

START_TEST(B010_every_cut_of_every_vector)
{
	static const char *const wire[] = {
		"c0 db dc db dd dc dd bd c0 c0 45 db db dc c0 45 04 c0",
		"c0 c0 c0 45 01 02 03 04 05 06 db dc c0 45 01 02 03 04 05 06 07 db dd c0 45 c0",
		"11 22 33 c0 db c0 45 db 41 00 c0 45 c0 45 db c0 45 01 c0 c0",
		"45 06 c0 45 07 c0 01 02 03 04 05 06 07 08 09 db db c0 45 08 c0 45",
	};
	for (size_t i = 0; i < sizeof wire / sizeof wire[0]; i++) {
		struct bytes w = hex(wire[i]);
		struct slip_counters whole = decode_cut(&want, 8, w, 0, w.length);
		ck_assert_uint_ge(want.count, 2);
		for (size_t cut = 1; cut < w.length; cut++) {
			assert_cut_alike(w, cut, w.length, whole);
			assert_cut_alike(w, 0, cut, whole);
		}
	}
}
END_TEST

/* One read of each size, with a frame across every edge where a short length wraps. */
START_TEST(B009_chunk_sizes_around_8_and_16_bits)
{
	static const size_t size[] = {255, 256, 257, 300, 4096, 65535, 65536, 65537};
	static uint8_t stream[2 * 65537];
	struct buf out = buf_over(stream, sizeof stream);
	uint64_t seed = 4;
	uint8_t packet[700];

	while (out.capacity - out.length > 2 * sizeof packet + 2) {
		size_t n = 240 + random_below(&seed, sizeof packet - 240);
		random_fill(&seed, packet, n, hex("c0 db dc dd"));
		slip_encode(&out, bytes_of(packet, n));
	}
	struct slip_counters whole = decode_cut(&want, MTU, buf_bytes(&out), 0, out.length);
	ck_assert_uint_gt(want.count, 150);
	for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
		struct slip_counters cut = decode_cut(&got, MTU, buf_bytes(&out), 0, size[i]);
		assert_same_frames(&got, &want);
		ck_assert_mem_eq(&cut, &whole, sizeof whole);
	}
}
END_TEST

START_TEST(B009_frame_across_offset_256_of_one_read)
{
	uint8_t stream[4096];
	memset(stream, SLIP_END, sizeof stream);
	memset(stream + 250, 0x45, 50);
	decode(bytes_of(stream, sizeof stream));
	ck_assert_uint_eq(got.count, 1);
	assert_octets(got.at[0], bytes_of(stream + 250, 50));
}
END_TEST

/* --- properties --- */

/* RFC 1055's send_packet, byte for byte. */
static struct bytes reference_encode(struct bytes packet, uint8_t *memory)
{
	size_t n = 0;
	memory[n++] = 0300;
	for (size_t i = 0; i < packet.length; i++)
		switch (packet.at[i]) {
		case 0300:
			memory[n++] = 0333;
			memory[n++] = 0334;
			break;
		case 0333:
			memory[n++] = 0333;
			memory[n++] = 0335;
			break;
		default:
			memory[n++] = packet.at[i];
		}
	memory[n++] = 0300;
	return bytes_of(memory, n);
}

START_TEST(random_packets_survive_any_cut)
{
	uint64_t seed = 5;
	uint8_t packet[300], expected[2 * sizeof packet + 2];

	for (int round = 0; round < 1000; round++) {
		size_t n = 1 + random_below(&seed, sizeof packet);
		random_fill(&seed, packet, n, hex("c0 db dc dd"));
		struct bytes wire = encode(bytes_of(packet, n));
		assert_octets(wire, reference_encode(bytes_of(packet, n), expected));
		decode_cut(&got, n, wire, random_below(&seed, n), 1 + random_below(&seed, n));
		ck_assert_uint_eq(got.count, 1);
		assert_octets(got.at[0], bytes_of(packet, n));
	}
}
END_TEST

/*
 * SLIP cannot see a changed data byte. But whatever byte of a stream changes, the
 * frame after the next END is untouched, and a frame is missing only if it was
 * counted or joined to its neighbour.
 */
START_TEST(a_damaged_byte_is_over_at_the_next_frame)
{
	struct bytes good = hex("c0 45 db dc 01 c0 c0 46 db dd 02 c0 c0 47 03 c0");
	size_t last = 12; /* the END that begins the last frame */
	uint8_t stream[16];

	for (size_t at = 0; at < last; at++)
		for (unsigned value = 0; value < 256; value++) {
			memcpy(stream, good.at, sizeof stream);
			stream[at] = (uint8_t)value;
			struct slip_counters counters = decode(bytes_of(stream, sizeof stream));
			ck_assert_uint_ge(got.count, 1);
			assert_octets(got.at[got.count - 1], hex("47 03"));
			if (got.count < 2)
				ck_assert_uint_ge(counters.bad_escapes, 1);
		}
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

static TCase *cuts_case(void)
{
	TCase *c = tcase_create("cuts");
	tcase_set_timeout(c, 60);
	tcase_add_test(c, B009_chunk_sizes_around_8_and_16_bits);
	tcase_add_test(c, B009_frame_across_offset_256_of_one_read);
	tcase_add_test(c, B010_every_cut_of_every_vector);
	return c;
}

static TCase *properties_case(void)
{
	TCase *c = tcase_create("properties");
	tcase_set_timeout(c, 60);
	tcase_add_test(c, random_packets_survive_any_cut);
	tcase_add_test(c, a_damaged_byte_is_over_at_the_next_frame);
	return c;
}

int main(void)
{
	Suite *suite = suite_create("slip");
	suite_add_tcase(suite, wire_case());
	suite_add_tcase(suite, damage_case());
	suite_add_tcase(suite, cuts_case());
	suite_add_tcase(suite, properties_case());
	return run_suite(suite);
}
