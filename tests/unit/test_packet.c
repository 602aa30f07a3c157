/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <signal.h>
#include <stdalign.h>
#include <stdlib.h>

#include "sched/packet.h"

enum { COUNT = 5, SIZE = 601 };

static struct packet_pool *pool;

static void make_pool(void)
{
	pool = packet_pool_new(COUNT, SIZE);
	ck_assert_ptr_nonnull(pool);
}

static void free_pool(void)
{
	packet_pool_free(pool);
}

START_TEST(gives_count_packets_and_then_none)
{
	for (int i = 0; i < COUNT; i++)
		ck_assert_ptr_nonnull(packet_get(pool));
	ck_assert_ptr_null(packet_get(pool));
	ck_assert_uint_eq(packet_pool_size(pool), SIZE);
}
END_TEST

START_TEST(a_packet_starts_empty_and_alone)
{
	struct packet *p = packet_get(pool);
	p->length = 77;
	p->next = p;
	packet_put(pool, p);
	ck_assert_ptr_eq(packet_get(pool), p);
	ck_assert_uint_eq(p->length, 0);
	ck_assert_ptr_null(p->next);
}
END_TEST

START_TEST(the_last_put_back_is_the_first_out)
{
	struct packet *a = packet_get(pool);
	struct packet *b = packet_get(pool);
	packet_put(pool, a);
	packet_put(pool, b);
	ck_assert_ptr_eq(packet_get(pool), b);
	ck_assert_ptr_eq(packet_get(pool), a);
}
END_TEST

START_TEST(packets_are_aligned_and_do_not_overlap)
{
	struct packet *held[COUNT];
	for (int i = 0; i < COUNT; i++) {
		held[i] = packet_get(pool);
		ck_assert_uint_eq((uintptr_t)held[i] % alignof(struct packet), 0);
		held[i]->length = SIZE;
		memset(held[i]->data, i + 1, SIZE);
	}
	for (int i = 0; i < COUNT; i++) {
		const struct bytes b = packet_bytes(held[i]);
		ck_assert_uint_eq(b.length, SIZE);
		for (size_t at = 0; at < b.length; at++)
			ck_assert_uint_eq(b.at[at], (unsigned)i + 1);
	}
}
END_TEST

START_TEST(freeing_nothing_is_nothing)
{
	packet_pool_free(NULL);
}
END_TEST

#ifndef NDEBUG
START_TEST(putting_back_twice_aborts)
{
	struct packet *p = packet_get(pool);
	packet_put(pool, p);
	packet_put(pool, p);
}
END_TEST

START_TEST(putting_back_a_stranger_aborts)
{
	struct packet stranger = {.length = 0};
	packet_put(pool, &stranger);
}
END_TEST
#endif

static Suite *packet_suite(void)
{
	Suite *s = suite_create("packet");

	TCase *use = tcase_create("use");
	tcase_add_checked_fixture(use, make_pool, free_pool);
	tcase_add_test(use, gives_count_packets_and_then_none);
	tcase_add_test(use, a_packet_starts_empty_and_alone);
	tcase_add_test(use, the_last_put_back_is_the_first_out);
	tcase_add_test(use, packets_are_aligned_and_do_not_overlap);
	tcase_add_test(use, freeing_nothing_is_nothing);
	suite_add_tcase(s, use);
#ifndef NDEBUG
	TCase *misuse = tcase_create("misuse");
	tcase_add_checked_fixture(misuse, make_pool, free_pool);
	tcase_add_test_raise_signal(misuse, putting_back_twice_aborts, SIGABRT);
	tcase_add_test_raise_signal(misuse, putting_back_a_stranger_aborts, SIGABRT);
	suite_add_tcase(s, misuse);
#endif
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(packet_suite());

	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
