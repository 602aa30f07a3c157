/* SPDX-License-Identifier: MIT */
/*
 * Options as octets.
 */
#include "ppp/option.h"

#include "tests/unit/codec_testing.h"

/* In a heap block of its own: reading past it meets the address sanitizer. */
static void assert_is_whole(const char *text, bool whole)
{
	struct bytes options = hex(text);
	uint8_t *copy = malloc(options.length);

	ck_assert(copy || !options.length);
	if (options.length)
		memcpy(copy, options.at, options.length);
	ck_assert_msg(options_are_whole(bytes_of(copy, options.length)) == whole, "%s", text);
	free(copy);
}

START_TEST(one_after_the_other)
{
	struct bytes in = hex("01 04 05 dc 07 02 05 06 73 77 bd a1");
	struct option o;

	ck_assert(option_next(&in, &o));
	ck_assert_uint_eq(o.type, 1);
	ck_assert_uint_eq(option_u16(&o), 1500);
	ck_assert(option_next(&in, &o));
	ck_assert_uint_eq(o.type, 7);
	ck_assert_uint_eq(o.data.length, 0);
	ck_assert(option_next(&in, &o));
	ck_assert_uint_eq(option_u32(&o), 0x7377bda1);
	assert_octets(o.whole, hex("05 06 73 77 bd a1"));
	ck_assert(!option_next(&in, &o));
	ck_assert_uint_eq(in.length, 0);
}
END_TEST

/* What is left of it is told from the end. */
START_TEST(B031_a_length_that_cannot_be)
{
	static const char *const cut[] = {
		"05 00 00 00", "05 01 00 00", "05 05 00 00", "05", "01 04 05 dc 05 00", "05 ff",
	};
	for (size_t i = 0; i < sizeof cut / sizeof cut[0]; i++) {
		struct bytes in = hex(cut[i]);
		struct option o;
		assert_is_whole(cut[i], false);
		while (option_next(&in, &o))
			;
		ck_assert_uint_gt(in.length, 0);
	}
}
END_TEST

START_TEST(whole_ones)
{
	assert_is_whole("", true);
	assert_is_whole("07 02", true);
	assert_is_whole("01 04 05 dc 07 02 08 02", true);
}
END_TEST

START_TEST(put)
{
	uint8_t memory[32];
	struct buf out = buf_over(memory, sizeof memory);

	option_put_u16(&out, 1, 0x1234);
	option_put_flag(&out, 7);
	option_put_u32(&out, 5, 0xdeadbeef);
	option_put(&out, 19, hex("00 aa bb"));
	assert_octets(buf_bytes(&out), hex("01 04 12 34 07 02 05 06 de ad be ef 13 05 00 aa bb"));
}
END_TEST

START_TEST(put_without_room)
{
	uint8_t memory[5];
	struct buf out = buf_over(memory, sizeof memory);

	option_put_u32(&out, 5, 1);
	ck_assert(out.overflow);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("option");
	TCase *reading = tcase_create("reading");
	TCase *writing = tcase_create("writing");

	tcase_add_test(reading, one_after_the_other);
	tcase_add_test(reading, B031_a_length_that_cannot_be);
	tcase_add_test(reading, whole_ones);
	suite_add_tcase(suite, reading);
	tcase_add_test(writing, put);
	tcase_add_test(writing, put_without_room);
	suite_add_tcase(suite, writing);
	return run_suite(suite);
}
