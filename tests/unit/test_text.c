/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
#include "src/text.h"

#include "serialbundle/time.h"

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

static const struct {
	const char *text, *clean;
} dirty[] = {
	{"", ""},
	{"ttyS0: no carrier", "ttyS0: no carrier"},
	{"one\ntwo\r\tthree", "one?two??three"},
	{"\033[2Jgone\177", "?[2Jgone?"},
	{"Stra\xC3\x9F"
	 "e \xE2\x82\xAC \xF0\x9F\x93\x9E",
	 "Stra\xC3\x9F"
	 "e \xE2\x82\xAC \xF0\x9F\x93\x9E"},
	{"\xC2\x9B"
	 "31m",
	 "??31m"}, /* CSI as U+009B */
	{"\x9B"
	 "31m",
	 "?31m"},                                   /* CSI as a byte */
	{"\xC0\xAF", "??"},                         /* overlong '/' */
	{"\xE0\x80\x9B", "???"},                    /* overlong CSI */
	{"\xED\xA0\x80", "???"},                    /* a surrogate */
	{"\xF4\x90\x80\x80", "????"},               /* above U+10FFFF */
	{"cut \xE2\x82", "cut ??"},                 /* ends within a character */
	{"\xE2\x82\xE2\x82\xAC", "??\xE2\x82\xAC"}, /* the next one survives */
};

START_TEST(clean_lets_only_printable_characters_through)
{
	char text[64];
	strcpy(text, dirty[_i].text);
	text_clean(text);
	ck_assert_str_eq(text, dirty[_i].clean);
}
END_TEST

START_TEST(clean_leaves_no_control_whatever_the_byte)
{
	for (int a = 1; a < 256; a++) {
		bool harmless = true;
		for (int b = 1; b < 256; b++) {
			char text[] = {(char)a, (char)b, '\0'};
			text_clean(text);
			unsigned char x = (unsigned char)text[0], y = (unsigned char)text[1];
			harmless &= x >= 0x20 && x != 0x7F && y >= 0x20 && y != 0x7F;
			harmless &= !(x == 0xC2 && y < 0xA0) && !(x >= 0x80 && x < 0xA0);
		}
		ck_assert_msg(harmless, "after byte %d", a);
	}
}
END_TEST

START_TEST(cut_counts_characters)
{
	ck_assert_uint_eq(text_cut("abc", 0), 0);
	ck_assert_uint_eq(text_cut("abc", 2), 2);
	ck_assert_uint_eq(text_cut("abc", 9), 3);
	ck_assert_uint_eq(text_cut("\xC3\x9F\xE2\x82\xAC!", 2), 5);
}
END_TEST

static const struct {
	uint64_t bytes;
	const char *text;
} sizes[] = {
	{0, "0 B"},          {999, "999 B"},          {1000, "1.00 kB"},       {9994, "9.99 kB"},
	{9995, "10.0 kB"},   {99949, "99.9 kB"},      {99950, "100 kB"},       {999499, "999 kB"},
	{999500, "1.00 MB"}, {1234567890, "1.23 GB"}, {UINT64_MAX, "18.4 EB"},
};

START_TEST(bytes_have_three_digits)
{
	char text[TEXT_UNIT_SIZE];
	ck_assert_str_eq(text_bytes(text, sizes[_i].bytes), sizes[_i].text);
}
END_TEST

static const struct {
	int64_t ns;
	const char *text;
} times[] = {
	{-1, "0 ms"},
	{0, "0 ms"},
	{12345 * SB_US, "12.3 ms"},
	{999 * SB_MS, "999 ms"},
	{999600 * SB_US, "1.00 s"},
	{59900 * SB_MS, "59.9 s"},
	{60 * SB_SEC, "1 min 00 s"},
	{65 * SB_SEC, "1 min 05 s"},
	{3599 * SB_SEC, "59 min 59 s"},
	{3725 * SB_SEC, "1 h 02 min"},
	{86400 * SB_SEC, "1 d 00 h"},
	{INT64_MAX, "106751 d 23 h"},
};

START_TEST(times_have_two_units_from_a_minute_on)
{
	char text[TEXT_UNIT_SIZE];
	ck_assert_str_eq(text_time(text, times[_i].ns), times[_i].text);
}
END_TEST

START_TEST(nearest_takes_slips_and_nothing_else)
{
	static const char *const words[] = {"bps", "baud", "bits", "parity"};
	ck_assert_str_eq(text_nearest("bauds", words, 4), "baud");
	ck_assert_str_eq(text_nearest("bit", words, 4), "bits");
	ck_assert_str_eq(text_nearest("paritty", words, 4), "parity");
	ck_assert_str_eq(text_nearest("prity", words, 4), "parity");
	ck_assert_ptr_null(text_nearest("colour", words, 4));
	ck_assert_ptr_null(text_nearest("x", words, 4));
	ck_assert_ptr_null(text_nearest("", words, 4));
	ck_assert_ptr_null(
		text_nearest("a word that is longer than any word that there could be", words, 4));
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("text");
	TCase *safe = tcase_create("safe to show");
	tcase_add_loop_test(safe, clean_lets_only_printable_characters_through, 0, COUNT(dirty));
	tcase_add_test(safe, clean_leaves_no_control_whatever_the_byte);
	tcase_add_test(safe, cut_counts_characters);
	suite_add_tcase(s, safe);
	TCase *units = tcase_create("units");
	tcase_add_loop_test(units, bytes_have_three_digits, 0, COUNT(sizes));
	tcase_add_loop_test(units, times_have_two_units_from_a_minute_on, 0, COUNT(times));
	suite_add_tcase(s, units);
	TCase *words = tcase_create("words");
	tcase_add_test(words, nearest_takes_slips_and_nothing_else);
	suite_add_tcase(s, words);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(suite());
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
