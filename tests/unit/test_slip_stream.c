/* SPDX-License-Identifier: MIT */
/*
 * SLIP as a stream: every cut gives the same frames, random packets come back (against
 * an encoder written down a second time here), damage ends at the next frame.
 */
#include "tests/unit/slip_testing.h"

static struct frames want;

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
	Suite *suite = suite_create("slip stream");
	suite_add_tcase(suite, cuts_case());
	suite_add_tcase(suite, properties_case());
	return run_suite(suite);
}
