/* SPDX-License-Identifier: MIT */
#include "src/capture_set.h"

#include <check.h>
#include <stdio.h>

/* A reader that has had enough after so many pieces, the file's header being one. */
struct reader {
	unsigned pieces, enough;
};

static struct reader readers[CAPTURE_SET_MAX];
static struct capture_set set;
static struct log *log_to;
static const uint8_t packet[] = {0x45, 0, 0, 4};

static bool take(void *context, struct bytes b)
{
	struct reader *r = context;
	ck_assert_uint_gt(b.length, 0);
	return ++r->pieces < r->enough;
}

static void add(unsigned i, unsigned enough)
{
	char path[16];
	snprintf(path, sizeof(path), "r%u", i);
	readers[i] = (struct reader){.enough = enough};
	struct capture *c = capture_open_sink(&(struct capture_sink){take, NULL, &readers[i]}, path,
					      CAPTURE_RAW_IP, 100);
	ck_assert_ptr_nonnull(c);
	ck_assert(capture_set_has_room(&set));
	capture_set_add(&set, c);
}

static void send_one(void)
{
	capture_set_packet(&set, log_to, true, bytes_of(packet, sizeof(packet)));
}

static void set_up(void)
{
	set = (struct capture_set){0};
	log_to = log_new(LOG_ERROR);
	for (unsigned i = 0; i < CAPTURE_SET_MAX; i++)
		add(i, 1000);
}

static void tear_down(void)
{
	capture_set_close_all(&set);
	ck_assert_uint_eq(set.count, 0);
	log_free(log_to);
}

START_TEST(each_gets_each_packet_once)
{
	ck_assert(!capture_set_has_room(&set));
	send_one();
	send_one();
	for (unsigned i = 0; i < CAPTURE_SET_MAX; i++)
		ck_assert_uint_eq(readers[i].pieces, 3);
}
END_TEST

/* Whichever it is: the others miss nothing and get nothing twice. */
START_TEST(one_that_fails_leaves_alone)
{
	readers[_i].enough = 2;
	send_one();
	ck_assert_uint_eq(set.count, CAPTURE_SET_MAX - 1);
	send_one();
	for (int i = 0; i < CAPTURE_SET_MAX; i++)
		ck_assert_uint_eq(readers[i].pieces, i == _i ? 2 : 3);
}
END_TEST

START_TEST(all_may_fail_at_once)
{
	for (unsigned i = 0; i < CAPTURE_SET_MAX; i++)
		readers[i].enough = 2;
	send_one();
	ck_assert_uint_eq(set.count, 0);
	send_one();
}
END_TEST

START_TEST(closed_by_name)
{
	ck_assert_uint_eq(capture_set_close(&set, "r1"), 1);
	ck_assert_uint_eq(capture_set_close(&set, "r1"), 0);
	ck_assert_uint_eq(capture_set_close(&set, "r"), 0);
	send_one();
	ck_assert_uint_eq(readers[0].pieces, 2);
	ck_assert_uint_eq(readers[1].pieces, 1);
	ck_assert_uint_eq(readers[3].pieces, 2);
	add(1, 1000);
	send_one();
	ck_assert_uint_eq(readers[1].pieces, 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("capture_set");
	TCase *test = tcase_create("captures");
	tcase_add_checked_fixture(test, set_up, tear_down);
	tcase_add_test(test, each_gets_each_packet_once);
	tcase_add_loop_test(test, one_that_fails_leaves_alone, 0, CAPTURE_SET_MAX);
	tcase_add_test(test, all_may_fail_at_once);
	tcase_add_test(test, closed_by_name);
	suite_add_tcase(suite, test);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
