/* SPDX-License-Identifier: MIT */
/*
 * Which characters a map escapes, and which it may not.
 */
#include "ppp/asyncmap.h"
#include "tests/unit/codec_testing.h"

static size_t count(const struct asyncmap *map)
{
	size_t n = 0;
	for (unsigned c = 0; c < 256; c++)
		n += asyncmap_has(map, (uint8_t)c);
	return n;
}

START_TEST(flag_and_escape_are_in_every_map)
{
	struct asyncmap map = asyncmap_from_accm(0);
	ck_assert(asyncmap_has(&map, 0x7d));
	ck_assert(asyncmap_has(&map, 0x7e));
	ck_assert_uint_eq(count(&map), 2);
}
END_TEST

START_TEST(default_map_has_all_controls)
{
	struct asyncmap map = asyncmap_from_accm(ACCM_DEFAULT);
	for (unsigned c = 0; c < 0x20; c++)
		ck_assert(asyncmap_has(&map, (uint8_t)c));
	ck_assert_uint_eq(count(&map), 34);
}
END_TEST

/* The least significant bit of the ACCM is character 0; RFC 1662 section 7.1. */
START_TEST(each_bit_is_its_character)
{
	for (int c = 0; c < 32; c++) {
		struct asyncmap map = asyncmap_from_accm(UINT32_C(1) << c);
		ck_assert(asyncmap_has(&map, (uint8_t)c));
		ck_assert_uint_eq(count(&map), 3);
	}
}
END_TEST

START_TEST(B022_xon_xoff_only)
{
	struct asyncmap map = asyncmap_from_accm(0x000a0000);
	ck_assert(asyncmap_has(&map, 0x11));
	ck_assert(asyncmap_has(&map, 0x13));
	ck_assert_uint_eq(count(&map), 4);
}
END_TEST

static bool may_be_escaped(unsigned c)
{
	return c != 0x5e && (c < 0x20 || c > 0x3f);
}

START_TEST(add_takes_what_may_be_escaped)
{
	for (unsigned c = 0; c < 256; c++) {
		struct asyncmap map = asyncmap_from_accm(0);
		size_t others = 2 - (c == 0x7d || c == 0x7e);

		ck_assert_int_eq(asyncmap_add(&map, (uint8_t)c), may_be_escaped(c));
		ck_assert_int_eq(asyncmap_has(&map, (uint8_t)c), may_be_escaped(c));
		ck_assert_uint_eq(count(&map), others + may_be_escaped(c));
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("asyncmap");
	TCase *negotiated = tcase_create("negotiated");
	TCase *added = tcase_create("added");

	tcase_add_test(negotiated, flag_and_escape_are_in_every_map);
	tcase_add_test(negotiated, default_map_has_all_controls);
	tcase_add_test(negotiated, each_bit_is_its_character);
	tcase_add_test(negotiated, B022_xon_xoff_only);
	suite_add_tcase(suite, negotiated);

	tcase_add_test(added, add_takes_what_may_be_escaped);
	suite_add_tcase(suite, added);
	return run_suite(suite);
}
