/* SPDX-License-Identifier: MIT */
/*
 * B076: the far end speaks PPP where a login was waited for.
 */
#include "tests/unit/chat_testing.h"

static struct talk t;

static void end(void)
{
	talk_end(&t);
}

static const struct frame {
	const char *bytes;
	size_t length;
} frames[] = {
	{"\x7e\xff\x7d\x23\xc0\x21", 6},
	{"\x7e\xff\x03\xc0\x21", 5},
	{"\xff\x03\xc0\x21", 4},
	{"\x7e\x7d\xdf\x7d\x23\x7d\xe0\x7d\x01", 9},
	{"\x7e\xff\x7d\x23\x7d\xe0\x21", 7},
};

/* However it is cut; what the owner has of it in the end is all of it. */
START_TEST(B076_ppp_ends_it_well)
{
	const struct frame *f = &frames[_i];

	for (size_t cut = 0; cut <= f->length; cut++) {
		talk_begin_with(&t, "ogin:|me|word:|x", (struct chat_config){.stop_at_ppp = true});
		talk_hear(&t, "Welcome ~ \xff\x7e\xff}");
		talk_hear_bytes(&t, f->bytes, cut);
		talk_hear_bytes(&t, f->bytes + cut, f->length - cut);
		ck_assert_told(&t, "ppp ");
		ck_assert_int_eq(t.result, CHAT_FINE);
		struct bytes replay = chat_replay(t.chat);
		ck_assert_uint_eq(replay.length + t.left_length, f->length);
		ck_assert_uint_eq(replay.length, cut == f->length ? 0 : cut);
		ck_assert_mem_eq(t.left, f->bytes + replay.length, t.left_length);
		if (replay.length)
			ck_assert_mem_eq(replay.at, f->bytes, replay.length);
		if (cut < f->length)
			talk_end(&t);
	}
}
END_TEST

START_TEST(B076_only_when_asked_for)
{
	talk_begin(&t, "ogin:|me");
	talk_hear_bytes(&t, frames[_i].bytes, frames[_i].length);
	ck_assert_int_eq(t.result, -1);
	ck_assert_left(&t, "");
}
END_TEST

static const struct frame others[] = {
	{"\x7e\xff\x03\xc0\x22", 5},
	{"\x7e\xff\x03\x80\x21", 5},
	{"\x7e\xff\x7d\x7d\x03\xc0\x21", 7},
	{"~~~~}}}}}}}}}}}}}}}}}}}}}", 25},
	{"\xff\xff\x03\xc0", 4},
	{"\xc0\x45\x10\xff\x04\xc0\x21", 7},
};

START_TEST(B076_other_things_are_no_ppp)
{
	talk_begin_with(&t, "ogin:|me", (struct chat_config){.stop_at_ppp = true});
	talk_hear_bytes(&t, others[_i].bytes, others[_i].length);
	ck_assert_int_eq(t.result, -1);
	talk_hear(&t, "login:");
	ck_assert_int_eq(t.result, CHAT_FINE);
	ck_assert_sent(&t, "me\r");
}
END_TEST

/* The line of a REPORT is not waited for then. */
START_TEST(B076_a_report_that_has_begun_is_told)
{
	talk_begin_with(&t, "REPORT|CONNECT|ogin:|me", (struct chat_config){.stop_at_ppp = true});
	talk_hear(&t, "CONNECT 2400");
	talk_hear_bytes(&t, frames[0].bytes, frames[0].length);
	ck_assert_int_eq(t.result, CHAT_FINE);
	ck_assert_uint_eq(t.left_length, frames[0].length);
	ck_assert_ptr_nonnull(strstr(t.events, "report CONNECT 2400"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("chat_ppp");
	TCase *all = tcase_create("ppp");

	tcase_add_checked_fixture(all, NULL, end);
	tcase_add_loop_test(all, B076_ppp_ends_it_well, 0, sizeof frames / sizeof *frames);
	tcase_add_loop_test(all, B076_only_when_asked_for, 0, sizeof frames / sizeof *frames);
	tcase_add_loop_test(all, B076_other_things_are_no_ppp, 0, sizeof others / sizeof *others);
	tcase_add_test(all, B076_a_report_that_has_begun_is_told);
	suite_add_tcase(suite, all);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
