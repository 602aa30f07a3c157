/* SPDX-License-Identifier: MIT */
/*
 * HDLC-like framing as a stream: every cut gives the same frames, random frames come
 * back (against an encoder written down a second time here), damaged ones never do.
 */
#include "tests/unit/hdlc_testing.h"

static struct frames want;

/* --- cuts --- */

static struct hdlc_counters decode_cut(struct frames *f, struct bytes wire, size_t first,
				       size_t every)
{
	struct hdlc_decoder *d = decoder_new(40, HDLC_FCS_16, 0x000a0000);
	frames_clear(f);
	collect(f, next, d, wire, first, every);
	struct hdlc_counters counters = *hdlc_decoder_counters(d);
	hdlc_decoder_free(d);
	return counters;
}

static void assert_cut_alike(struct bytes wire, size_t first, size_t every,
			     struct hdlc_counters whole)
{
	struct hdlc_counters cut = decode_cut(&got, wire, first, every);
	assert_same_frames(&got, &want);
	ck_assert_mem_eq(&cut, &whole, sizeof whole);
}

/* LCP, IPCP and data with shared flags, among text, aborts, runts, XOFFs and a giant. */
static struct bytes eventful_stream(void)
{
	static const char *const piece[] = {
		"4f 4b 0d 0a",
		"7e ff 7d 23 c0 21 7d 24 7d 21 7d 20 7d 2a 63 7d 26 7d 5e 7d 5d 7d 31 7d 33 8a 41 "
		"7e",
		"ff 03 80 21 01 01 00 16 03 06 c0 a8 01 c8 81 06 00 00 00 00 82 06 00 00 00 00 fd "
		"b8 7e",
		"21 45 00 00 1c 00 01 00 00 40 01 66 de 0a 00 00 01 0a 00 00 02 08 00 f7 ff 00 00 "
		"00 "
		"00 e5 33 7e",
		"7e 7d 7e ff 03 7e ff 03 c0 7d 7e ff 03 3d 30 31 e2 7e",
		"ff 13 03 3d 7d 11 10 31 e1 7e 01 02 7d 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 "
		"12 "
		"14 15 16 17 18 19 1a 1b 1c 1d 1e 1f 20 21 22 23 24 25 26 27 28 29 7d 2a 2b 2c 2d "
		"2e 2f 30 31 32 33 7d "
		"7e",
		GOOD_WIRE,
		"ff 03 3d",
	};
	struct buf out = buf_over(wire_memory, sizeof wire_memory);
	for (size_t i = 0; i < sizeof piece / sizeof piece[0]; i++)
		buf_append(&out, hex(piece[i]));
	return buf_bytes(&out);
}

START_TEST(B027_every_cut_of_a_stream)
{
	struct bytes wire = eventful_stream();
	struct hdlc_counters whole = decode_cut(&want, wire, 0, wire.length);

	ck_assert_uint_eq(want.count, 5);
	ck_assert_uint_eq(whole.aborts, 2);
	ck_assert_uint_eq(whole.runts, 1);
	ck_assert_uint_eq(whole.bad_fcs, 1);
	ck_assert_uint_eq(whole.too_long, 1);
	ck_assert_uint_eq(whole.removed, 2);
	for (size_t cut = 1; cut < wire.length; cut++) {
		assert_cut_alike(wire, cut, wire.length, whole);
		assert_cut_alike(wire, 0, cut, whole);
	}
}
END_TEST

/* --- properties --- */

struct sample {
	uint32_t accm;
	enum hdlc_fcs fcs;
	bool opening_flag;
	struct bytes frame;
	uint8_t memory[300];
};

static void sample_draw(struct sample *s, uint64_t *seed)
{
	static const uint32_t accm[] = {0, 0x000a0000, 0x200a0000, ACCM_DEFAULT};
	size_t n = 2 + random_below(seed, sizeof s->memory - 1);
	uint64_t r = next_random(seed);

	s->accm = r & 1 ? accm[r >> 1 & 3] : (uint32_t)(r >> 32);
	s->fcs = every_fcs[random_below(seed, 3)];
	s->opening_flag = r >> 3 & 1;
	random_fill(seed, s->memory, n, hex("7e 7d 5e 5d 00 11 13 1f 20 ff"));
	s->frame = bytes_of(s->memory, n);
}

static size_t reference_octet(uint8_t *to, uint8_t octet, uint32_t accm, const bool extra[256])
{
	bool control = octet < 32 && (accm & UINT32_C(1) << octet);
	if (octet != '~' && octet != '}' && !control && !extra[octet]) {
		to[0] = octet;
		return 1;
	}
	to[0] = '}';
	to[1] = octet & 0x20 ? octet - 0x20 : octet + 0x20;
	return 2;
}

/* The FCS by long division (RFC 1662 C.1): `width` bits of remainder, inverted. */
static uint32_t reference_fcs(struct bytes frame, int width, uint32_t polynomial)
{
	uint32_t fcs = 0xffffffff >> (32 - width);
	for (size_t i = 0; i < frame.length * 8; i++) {
		uint32_t bit = frame.at[i / 8] >> i % 8 & 1;
		fcs = (fcs ^ bit) & 1 ? fcs >> 1 ^ polynomial : fcs >> 1;
	}
	return ~fcs;
}

static struct bytes reference_encode(const struct sample *s, const bool extra[256], uint8_t *to)
{
	size_t n = 0;
	uint32_t fcs = s->fcs == HDLC_FCS_16   ? reference_fcs(s->frame, 16, 0x8408)
		       : s->fcs == HDLC_FCS_32 ? reference_fcs(s->frame, 32, 0xedb88320)
					       : 0;
	if (s->opening_flag)
		to[n++] = '~';
	for (size_t i = 0; i < s->frame.length; i++)
		n += reference_octet(to + n, s->frame.at[i], s->accm, extra);
	for (int i = 0; i < (int)s->fcs; i++, fcs >>= 8)
		n += reference_octet(to + n, fcs & 0xff, s->accm, extra);
	to[n++] = '~';
	return bytes_of(to, n);
}

START_TEST(random_frames_survive_any_cut)
{
	static struct sample s;
	static uint8_t expected[2 * sizeof s.memory + 10];
	uint64_t seed = 6;

	for (int round = 0; round < 1000; round++) {
		sample_draw(&s, &seed);
		bool extra[256] = {false};
		struct asyncmap map = asyncmap_from_accm(s.accm);
		for (int i = 0; i < 3; i++) {
			uint8_t c = (uint8_t)next_random(&seed);
			extra[c] |= asyncmap_add(&map, c);
		}
		struct hdlc_encoding e = {&map, s.fcs, s.opening_flag};
		struct bytes wire = encode_with(&e, s.frame);
		assert_octets(wire, reference_encode(&s, extra, expected));

		struct hdlc_decoder *d = decoder_new(s.frame.length, s.fcs, s.accm);
		frames_clear(&got);
		feed(d, hex("7e"));
		collect(&got, next, d, wire, random_below(&seed, 99), 1 + random_below(&seed, 99));
		ck_assert_uint_eq(got.count, 1);
		assert_octets(got.at[0], s.frame);
		ck_assert_uint_eq(faults(hdlc_decoder_counters(d)), 0);
		ck_assert_uint_eq(hdlc_decoder_counters(d)->removed, 0);
		hdlc_decoder_free(d);
	}
}
END_TEST

/* Three frames between spare flags, to be damaged anywhere. */
static struct bytes three_frames(struct sample s[3], uint32_t accm, enum hdlc_fcs fcs)
{
	struct asyncmap map = asyncmap_from_accm(accm);
	struct hdlc_encoding e = {.map = &map, .fcs = fcs};
	struct buf out = buf_over(wire_memory, sizeof wire_memory);

	buf_append(&out, hex("7e 7e"));
	for (int i = 0; i < 3; i++) {
		s[i].frame.length = s[i].frame.length % 24 + 2;
		hdlc_encode(&out, &e, s[i].frame);
	}
	buf_append(&out, hex("7e"));
	return buf_bytes(&out);
}

/* What came is some of what was sent, in order; what is missing was counted. */
static void assert_none_wrong(const struct sample s[3], const struct hdlc_counters *c)
{
	size_t sent = 0;
	for (size_t i = 0; i < got.count; i++) {
		while (sent < 3 && !same_octets(got.at[i], s[sent].frame))
			sent++;
		ck_assert_uint_lt(sent, 3);
		sent++;
	}
	if (got.count < 3)
		ck_assert_uint_ge(faults(c), 1);
}

static void damage_and_decode(struct sample s[3], uint32_t accm, enum hdlc_fcs fcs, uint64_t *seed)
{
	struct bytes wire = three_frames(s, accm, fcs);

	for (size_t at = 0; at < wire.length; at++) {
		uint8_t saved = wire_memory[at];
		wire_memory[at] ^= (uint8_t)(1 + random_below(seed, 255));
		struct hdlc_decoder *d = decoder_new(MRU_FRAME, fcs, accm);
		frames_clear(&got);
		feed(d, wire);
		ck_assert_uint_ge(got.count, 1);
		assert_none_wrong(s, hdlc_decoder_counters(d));
		hdlc_decoder_free(d);
		wire_memory[at] = saved;
	}
}

START_TEST(a_damaged_byte_never_makes_a_wrong_frame)
{
	static struct sample s[3];
	uint64_t seed = 7;

	for (int round = 0; round < 50; round++) {
		for (int i = 0; i < 3; i++)
			sample_draw(&s[i], &seed);
		damage_and_decode(s, s[0].accm, HDLC_FCS_16, &seed);
		damage_and_decode(s, s[0].accm, HDLC_FCS_32, &seed);
	}
}
END_TEST

static TCase *properties_case(void)
{
	TCase *c = tcase_create("cuts and properties");
	tcase_set_timeout(c, 60);
	tcase_add_test(c, B027_every_cut_of_a_stream);
	tcase_add_test(c, random_frames_survive_any_cut);
	tcase_add_test(c, a_damaged_byte_never_makes_a_wrong_frame);
	return c;
}

int main(void)
{
	Suite *suite = suite_create("hdlc stream");
	suite_add_tcase(suite, properties_case());
	return run_suite(suite);
}
