/* SPDX-License-Identifier: MIT */
/* The multilink header, bit by bit (RFC 1990 section 3, figures 2 and 3). */
#include <stdio.h>

#include "ppp/mp.h"
#include "tests/unit/codec_testing.h"

struct vector {
	struct mp_header header;
	const char *long_form, *short_form; /* NULL: the number has no short form */
};

static const struct vector vectors[] = {
	{{.begin = true, .sequence = 0}, "80 00 00 00", "80 00"},
	{{.end = true, .sequence = 1}, "40 00 00 01", "40 01"},
	{{.begin = true, .end = true, .sequence = 2}, "c0 00 00 02", "c0 02"},
	{{.sequence = 3}, "00 00 00 03", "00 03"},
	{{.begin = true, .sequence = 0xABC}, "80 00 0a bc", "8a bc"},
	{{.begin = true, .end = true, .sequence = 0xFFF}, "c0 00 0f ff", "cf ff"},
	{{.end = true, .sequence = 0x1000}, "40 00 10 00", NULL},
	{{.begin = true, .end = true, .sequence = 0xFFFFFF}, "c0 ff ff ff", NULL},
	{{.sequence = 0x123456}, "00 12 34 56", NULL},
};
enum { VECTORS = sizeof vectors / sizeof vectors[0] };

static struct bytes put(const struct mp_header *header, bool is_short)
{
	static uint8_t memory[MP_LONG_HEADER];
	struct buf to = buf_over(memory, sizeof memory);

	mp_header_put(&to, header, is_short);
	ck_assert(!to.overflow);
	return buf_bytes(&to);
}

static void assert_taken(const char *text, const struct mp_header *want, bool is_short)
{
	char with_data[64];
	struct mp_header got;

	ck_assert_int_lt(snprintf(with_data, sizeof with_data, "%s 00 21", text), 64);
	struct bytes fragment = hex(with_data);
	ck_assert(mp_header_take(&fragment, &got, is_short));
	ck_assert(got.begin == want->begin && got.end == want->end);
	ck_assert_uint_eq(got.sequence, want->sequence);
	assert_octets(fragment, hex("00 21"));
}

START_TEST(header_in_both_forms)
{
	const struct vector *v = &vectors[_i];

	assert_octets(put(&v->header, false), hex(v->long_form));
	assert_taken(v->long_form, &v->header, false);
	if (!v->short_form)
		return;
	assert_octets(put(&v->header, true), hex(v->short_form));
	assert_taken(v->short_form, &v->header, true);
}
END_TEST

START_TEST(numbers_are_sent_modulo_their_bits)
{
	const struct mp_header header = {.begin = true, .sequence = UINT32_C(0xFF123ABC)};

	assert_octets(put(&header, false), hex("80 12 3a bc"));
	assert_octets(put(&header, true), hex("8a bc"));
}
END_TEST

START_TEST(a_header_alone_is_whole)
{
	struct mp_header header;
	struct bytes null_fragment = hex("c0 00 00 07"), short_null = hex("c0 07");

	ck_assert(mp_header_take(&null_fragment, &header, false));
	ck_assert_uint_eq(null_fragment.length, 0);
	ck_assert(mp_header_take(&short_null, &header, true));
	ck_assert_uint_eq(short_null.length, 0);
}
END_TEST

/* Every bit that MUST be zero, and what is in front of it left alone. */
START_TEST(reserved_bits)
{
	for (unsigned bit = 0; bit < 6; bit++) {
		uint8_t octets[5] = {(uint8_t)(0xC0 | 1u << bit), 0, 0, 1, 0x21};
		struct mp_header header;
		struct bytes fragment = bytes_of(octets, sizeof octets);
		ck_assert(!mp_header_take(&fragment, &header, false));
		ck_assert_ptr_eq(fragment.at, octets);
		ck_assert_uint_eq(fragment.length, sizeof octets);
		ck_assert(mp_header_take(&fragment, &header, true) == (bit < 4));
	}
}
END_TEST

/* The frame ff 03 3d 30, its FCS good: one octet after the protocol field. */
START_TEST(B030_cut_headers)
{
	static const char *const cut[] = {"", "30", "80", "80 00", "80 00 00"};

	for (size_t i = 0; i < sizeof cut / sizeof cut[0]; i++) {
		struct mp_header header;
		struct bytes fragment = hex(cut[i]);
		ck_assert(!mp_header_take(&fragment, &header, false));
		ck_assert(mp_header_take(&fragment, &header, true) == (i >= 3));
	}
}
END_TEST

START_TEST(a_full_buffer_overflows)
{
	uint8_t memory[MP_LONG_HEADER];
	const struct mp_header header = {.begin = true, .sequence = 5};

	for (size_t room = 0; room < MP_LONG_HEADER; room++) {
		struct buf to = buf_over(memory, room);
		mp_header_put(&to, &header, false);
		ck_assert(to.overflow);
		to = buf_over(memory, room);
		mp_header_put(&to, &header, true);
		ck_assert(to.overflow == (room < MP_SHORT_HEADER));
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mp");
	TCase *header = tcase_create("header");

	suite_add_tcase(suite, header);
	tcase_add_loop_test(header, header_in_both_forms, 0, VECTORS);
	tcase_add_test(header, numbers_are_sent_modulo_their_bits);
	tcase_add_test(header, a_header_alone_is_whole);
	tcase_add_test(header, reserved_bits);
	tcase_add_test(header, B030_cut_headers);
	tcase_add_test(header, a_full_buffer_overflows);
	return run_suite(suite);
}
