/* SPDX-License-Identifier: MIT */
/*
 * Which row of the secrets is whose, and comparing them.
 */
#include "ppp/secret.h"
#include "tests/unit/codec_testing.h"

static const struct secret rows[] = {
	{"*", "*", "any", NULL},
	{"alice", "*", "alice's", NULL},
	{"*", "isp", "the isp's", NULL},
	{"alice", "isp", "theirs", NULL},
	{"alice", "isp", "too late", NULL},
	{"bob", "isp", "bob's", NULL},
};

static const char *found(const char *client, const char *server, size_t first, size_t count)
{
	const struct secret *row =
		secret_find(&(struct secrets){rows + first, count}, client, server);
	return row ? row->secret : "none";
}

START_TEST(exact_names_count_more)
{
	ck_assert_str_eq(found("alice", "isp", 0, 6), "theirs");
	ck_assert_str_eq(found("alice", "work", 0, 6), "alice's");
	ck_assert_str_eq(found("carol", "isp", 0, 6), "the isp's");
	ck_assert_str_eq(found("carol", "work", 0, 6), "any");
	ck_assert_str_eq(found("bob", "isp", 0, 6), "bob's");
	ck_assert_str_eq(found("alice", "isp", 0, 3), "the isp's"); /* the server's more */
}
END_TEST

START_TEST(names_of_others_are_none)
{
	ck_assert_str_eq(found("carol", "isp", 3, 3), "none");
	ck_assert_str_eq(found("alice", "work", 3, 3), "none");
	ck_assert_str_eq(found("alic", "isp", 3, 3), "none");
	ck_assert_str_eq(found("alice", "isp", 0, 0), "none");
	ck_assert_ptr_null(secret_find(NULL, "alice", "isp"));
}
END_TEST

/* PAP is told before the peer says who it is. */
START_TEST(a_server_without_a_name_is_any)
{
	ck_assert_str_eq(found("bob", "", 3, 3), "bob's");
	ck_assert_str_eq(found("alice", "", 3, 3), "theirs");
	ck_assert_str_eq(found("carol", "", 3, 3), "none");
}
END_TEST

START_TEST(a_client_without_a_name_is_nobody)
{
	static const struct secret unnamed[] = {{"", "isp", "trap", NULL}};
	ck_assert_str_eq(found("", "isp", 3, 3), "none");
	ck_assert_str_eq(found("", "isp", 0, 6), "the isp's");
	ck_assert_ptr_null(secret_find(&(struct secrets){unnamed, 1}, "", "isp"));
}
END_TEST

static bool equal(const char *a, const char *b)
{
	return secret_equal(bytes_of(a, strlen(a)), bytes_of(b, strlen(b)));
}

START_TEST(secrets_are_compared_whole)
{
	ck_assert(equal("secret", "secret"));
	ck_assert(equal("", ""));
	ck_assert(!equal("secret", "secreT"));
	ck_assert(!equal("Secret", "secret"));
	ck_assert(!equal("secre", "secret"));
	ck_assert(!equal("secret", "secre"));
	ck_assert(!equal("", "secret"));
	ck_assert(!equal("secret", ""));
	ck_assert(!secret_equal(bytes_of("a\0", 2), bytes_of("a", 1)));
}
END_TEST

START_TEST(wiping_leaves_zeroes_and_the_neighbours)
{
	char memory[] = "<secret>";
	secret_wipe(memory + 1, 6);
	ck_assert_mem_eq(memory, "<\0\0\0\0\0\0>", 8);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("secret");
	TCase *find = tcase_create("find"), *handling = tcase_create("handling");
	tcase_add_test(find, exact_names_count_more);
	tcase_add_test(find, names_of_others_are_none);
	tcase_add_test(find, a_server_without_a_name_is_any);
	tcase_add_test(find, a_client_without_a_name_is_nobody);
	suite_add_tcase(suite, find);
	tcase_add_test(handling, secrets_are_compared_whole);
	tcase_add_test(handling, wiping_leaves_zeroes_and_the_neighbours);
	suite_add_tcase(suite, handling);
	return run_suite(suite);
}
