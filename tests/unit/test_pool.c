/* SPDX-License-Identifier: MIT */
/* Addresses for callers: who gets which, who gets it back, who gets none. */
#include "src/pool.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS(...)   ((const char *const[]){__VA_ARGS__, NULL})
#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

enum { FIRST = 0x0A000002 }; /* 10.0.0.2 */

static struct pool *pool;

/* 10.0.0.2 and the `count` from there on. */
static void begin(uint32_t count, uint32_t own)
{
	pool = pool_new(&(struct pool_config){.first = FIRST, .count = count, .own = own});
	ck_assert_ptr_nonnull(pool);
}

static void teardown(void)
{
	pool_free(pool);
	pool = NULL;
}

static uint32_t take(const char *name)
{
	return pool_take(pool, name, NULL);
}

START_TEST(each_caller_has_its_own)
{
	begin(3, 0);
	ck_assert_uint_eq(take("a"), FIRST);
	ck_assert_uint_eq(take("b"), FIRST + 1);
	ck_assert_uint_eq(take(""), FIRST + 2);
	ck_assert_uint_eq(take("d"), 0);
	pool_release(pool, FIRST + 1);
	ck_assert_uint_eq(take("d"), FIRST + 1);
}
END_TEST

START_TEST(the_same_name_twice_has_two)
{
	begin(3, 0);
	ck_assert_uint_eq(take("a"), FIRST);
	ck_assert_uint_eq(take("a"), FIRST + 1);
}
END_TEST

START_TEST(who_comes_back_has_the_same_as_before)
{
	begin(4, 0);
	ck_assert_uint_eq(take("a"), FIRST);
	ck_assert_uint_eq(take("b"), FIRST + 1);
	pool_release(pool, FIRST);
	pool_release(pool, FIRST + 1);
	ck_assert_uint_eq(take("c"), FIRST + 2); /* theirs are spared while there are others */
	ck_assert_uint_eq(take("b"), FIRST + 1);
	ck_assert_uint_eq(take("a"), FIRST);
}
END_TEST

START_TEST(the_one_that_left_first_is_forgotten_first)
{
	begin(2, 0);
	take("a");
	take("b");
	pool_release(pool, FIRST + 1);
	pool_release(pool, FIRST);
	ck_assert_uint_eq(take("c"), FIRST + 1);
	ck_assert_uint_eq(take("b"), FIRST);
	ck_assert_uint_eq(take("a"), 0);
}
END_TEST

START_TEST(callers_without_a_name_have_no_memory_in_common)
{
	begin(2, 0);
	take("");
	pool_release(pool, FIRST);
	ck_assert_uint_eq(take(""), FIRST + 1);
}
END_TEST

START_TEST(our_own_address_is_spared)
{
	begin(3, FIRST + 1);
	ck_assert_uint_eq(take("a"), FIRST);
	ck_assert_uint_eq(take("b"), FIRST + 2);
	ck_assert_uint_eq(take("c"), 0);
	ck_assert_uint_eq(pool_take(pool, "d", WORDS("10.0.0.3")), 0);
}
END_TEST

/* More callers than the table remembers, one after the other, and the range is larger still. */
START_TEST(memory_is_bounded)
{
	char name[16];
	begin(65536, 0);
	uint32_t kept = take("kept"), last = 0;
	for (unsigned i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "%u", i);
		last = take(name);
		ck_assert_uint_ne(last, 0);
		ck_assert_uint_ne(last, kept);
		pool_release(pool, last);
	}
	ck_assert_uint_eq(take("1999"), last);
}
END_TEST

/* --- words behind a secret ------------------------------------------------------------------ */

START_TEST(own_address_by_the_secrets_row)
{
	begin(2, 0);
	ck_assert_uint_eq(pool_take(pool, "a", WORDS("192.168.0.7")), 0xC0A80007);
	ck_assert_uint_eq(pool_take(pool, "b", WORDS("192.168.0.7")), 0); /* held, and no other */
	ck_assert_uint_eq(pool_take(pool, "b", WORDS("192.168.0.7", "*")), FIRST);
	pool_release(pool, 0xC0A80007);
	ck_assert_uint_eq(pool_take(pool, "b", WORDS("192.168.0.7", "*")), 0xC0A80007);
}
END_TEST

START_TEST(of_several_own_ones_the_first_free)
{
	begin(0, 0);
	const char *const *words = WORDS("10.1.0.1", "10.1.0.2/32");
	ck_assert_uint_eq(pool_take(pool, "a", words), 0x0A010001);
	ck_assert_uint_eq(pool_take(pool, "a", words), 0x0A010002);
	ck_assert_uint_eq(pool_take(pool, "a", words), 0);
}
END_TEST

START_TEST(an_own_one_in_the_range_is_not_given_to_others)
{
	begin(2, 0);
	ck_assert_uint_eq(pool_take(pool, "a", WORDS("10.0.0.2")), FIRST);
	ck_assert_uint_eq(take("b"), FIRST + 1);
	ck_assert_uint_eq(take("c"), 0);
}
END_TEST

START_TEST(words_choose_from_the_range)
{
	begin(14, 0);
	ck_assert_uint_eq(pool_take(pool, "a", WORDS("10.0.0.8/30")), FIRST + 6);
	ck_assert_uint_eq(pool_take(pool, "b", WORDS("!10.0.0.2", "!10.0.0.3", "*")), FIRST + 2);
	ck_assert_uint_eq(pool_take(pool, "c", WORDS("*")), FIRST);
	ck_assert_uint_eq(pool_take(pool, "d", WORDS("-")), 0);
	ck_assert_uint_eq(pool_take(pool, "e", WORDS("-", "*")), 0);
	ck_assert_uint_eq(pool_take(pool, "f", WORDS("10.9.0.0/16")), 0);
}
END_TEST

START_TEST(an_earlier_address_must_be_allowed_still)
{
	begin(3, 0);
	take("a");
	pool_release(pool, FIRST);
	ck_assert_uint_eq(pool_take(pool, "a", WORDS("!10.0.0.2", "*")), FIRST + 1);
}
END_TEST

static const struct {
	const char *words[3];
	uint32_t address;
	bool allowed;
} allowances[] = {
	{{"*"}, FIRST, true},
	{{"-"}, FIRST, false},
	{{"-", "*"}, FIRST, false},
	{{"10.0.0.2"}, FIRST, true},
	{{"10.0.0.2"}, FIRST + 1, false},
	{{"10.0.0.0/24"}, FIRST, true},
	{{"10.0.0.99/24"}, FIRST, true},
	{{"10.0.1.0/24"}, FIRST, false},
	{{"0.0.0.0/0"}, FIRST, true},
	{{"!10.0.0.2", "*"}, FIRST, false},
	{{"!10.0.0.2", "*"}, FIRST + 1, true},
	{{"*", "!10.0.0.2"}, FIRST, true}, /* the first that fits */
	{{"!*", "10.0.0.2"}, FIRST, false},
	{{"!10.0.0.0/24"}, FIRST + 256, false}, /* nothing says yes */
	{{NULL}, FIRST, false},
	{{"10.0.0.0/33"}, FIRST, false},
	{{"10.0.0.0/"}, FIRST, false},
	{{"10.0.0.0/24+"}, FIRST, false},
	{{"10.0.0.2x"}, FIRST, false},
	{{"a-name-that-is-longer-than-any-address"}, FIRST, false},
	{{""}, FIRST, false},
	{{"!"}, FIRST, false},
};

START_TEST(words_allow)
{
	ck_assert_int_eq(pool_allows(allowances[_i].words, allowances[_i].address),
			 allowances[_i].allowed);
}
END_TEST

START_TEST(no_words_allow_nothing)
{
	ck_assert(!pool_allows(NULL, FIRST));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pool");
	TCase *range = tcase_create("range");
	tcase_add_checked_fixture(range, NULL, teardown);
	tcase_add_test(range, each_caller_has_its_own);
	tcase_add_test(range, the_same_name_twice_has_two);
	tcase_add_test(range, who_comes_back_has_the_same_as_before);
	tcase_add_test(range, the_one_that_left_first_is_forgotten_first);
	tcase_add_test(range, callers_without_a_name_have_no_memory_in_common);
	tcase_add_test(range, our_own_address_is_spared);
	tcase_add_test(range, memory_is_bounded);
	suite_add_tcase(suite, range);

	TCase *words = tcase_create("words");
	tcase_add_checked_fixture(words, NULL, teardown);
	tcase_add_test(words, own_address_by_the_secrets_row);
	tcase_add_test(words, of_several_own_ones_the_first_free);
	tcase_add_test(words, an_own_one_in_the_range_is_not_given_to_others);
	tcase_add_test(words, words_choose_from_the_range);
	tcase_add_test(words, an_earlier_address_must_be_allowed_still);
	tcase_add_loop_test(words, words_allow, 0, COUNT(allowances));
	tcase_add_test(words, no_words_allow_nothing);
	suite_add_tcase(suite, words);

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
