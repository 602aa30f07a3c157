/* SPDX-License-Identifier: MIT */
/*
 * The dialogue, with a clock that a test moves: what waits, what ends it, and what is left
 * for the link. That it does what chat(8) does is shown by tests/interop/chat.
 */
#include "tests/unit/chat_testing.h"

static struct talk t;

static void end(void)
{
	talk_end(&t);
}

/* --- sending and pausing --- */

START_TEST(words_go_back_and_forth)
{
	talk_begin(&t, "ABORT|BUSY||ATZ|OK|ATD|CONNECT|\\c");
	ck_assert_sent(&t, "ATZ\r");
	talk_hear(&t, "ATZ\r\r\nOK");
	ck_assert_sent(&t, "ATD\r");
	ck_assert_int_eq(t.result, -1);
	talk_hear(&t, "\r\nCONNECT 2400\r\n");
	ck_assert_int_eq(t.result, CHAT_FINE);
	ck_assert_sent(&t, "");
	ck_assert_left(&t, " 2400\r\n");
}
END_TEST

START_TEST(pauses_and_breaks_are_kept)
{
	talk_begin(&t, "|\\dAT\\p\\pD\\Kx|OK|\\c");
	ck_assert_sent(&t, "");
	talk_wait(&t, SB_SEC - 1);
	ck_assert_sent(&t, "");
	talk_wait(&t, 1);
	ck_assert_sent(&t, "AT");
	talk_wait(&t, 199 * SB_MS);
	ck_assert_sent(&t, "");
	talk_wait(&t, SB_MS);
	ck_assert_sent(&t, "D");
	ck_assert_told(&t, "break ");
	talk_wait(&t, 499 * SB_MS);
	ck_assert_sent(&t, "");
	talk_wait(&t, SB_MS);
	ck_assert_sent(&t, "x\r");
}
END_TEST

START_TEST(output_goes_into_any_room)
{
	talk_begin(&t, "a|0123456789\\N\\\\|b|c");
	t.room = 1;
	talk_hear(&t, "a");
	ck_assert_sent(&t, "0123456789@\\\r");
	struct buf none = buf_over(NULL, 0);
	ck_assert(!chat_output(t.chat, t.now, &none));
	talk_hear(&t, "b");
	ck_assert_sent(&t, "c\r");
	ck_assert_int_eq(t.result, CHAT_FINE);
}
END_TEST

START_TEST(a_script_of_nothing_ends_at_once)
{
	talk_begin(&t, "");
	ck_assert_int_eq(t.result, CHAT_FINE);
	ck_assert_int_eq(chat_deadline(t.chat), SB_NEVER);
}
END_TEST

/* A pause at the very end needs nobody to fetch anything. */
START_TEST(a_pause_at_the_end_ends)
{
	talk_begin(&t, "|a\\d\\c");
	ck_assert_sent(&t, "a");
	ck_assert_int_eq(t.result, -1);
	talk_wait(&t, SB_SEC);
	ck_assert_int_eq(t.result, CHAT_FINE);
}
END_TEST

START_TEST(it_may_be_had_again)
{
	talk_begin(&t, "ABORT|BUSY|TIMEOUT|5|OK|\\qhush|end|\\c");
	talk_hear(&t, "BUSY");
	ck_assert_int_eq(t.result, CHAT_ABORTED);
	for (int i = 0; i < 3; i++) {
		t.result = -1;
		t.left_length = 0;
		chat_start(t.chat, t.now);
		talk_drain(&t);
		talk_hear(&t, "OK");
		ck_assert_sent(&t, "hush\r");
		talk_wait(&t, 5 * SB_SEC);
		ck_assert_int_eq(t.result, CHAT_TIMED_OUT);
	}
}
END_TEST

/* --- time --- */

/* The expect's, from its beginning to its end, and not from character to character. */
START_TEST(B067_timeout_counts_the_whole_expect)
{
	static const char connect[] = "CONNECT";

	talk_begin(&t, "TIMEOUT|2|CONNECT|x");
	for (size_t i = 0; i < 6; i++) {
		talk_wait(&t, 300 * SB_MS);
		talk_hear_bytes(&t, connect + i, 1);
	}
	ck_assert_int_eq(t.result, -1);
	talk_wait(&t, 199 * SB_MS);
	ck_assert_int_eq(t.result, -1);
	talk_wait(&t, SB_MS);
	ck_assert_int_eq(t.result, CHAT_TIMED_OUT);
	ck_assert_told(&t, "finished 3 CONNECT");
}
END_TEST

START_TEST(timeout_holds_until_it_is_changed)
{
	talk_begin(&t, "a|1|TIMEOUT|7|b|2|c|3");
	talk_wait(&t, 44 * SB_SEC); /* 45 s without TIMEOUT */
	talk_hear(&t, "a");
	ck_assert_int_eq(chat_deadline(t.chat), t.now + 7 * SB_SEC);
	talk_wait(&t, 6 * SB_SEC);
	talk_hear(&t, "b");
	ck_assert_int_eq(chat_deadline(t.chat), t.now + 7 * SB_SEC);
}
END_TEST

START_TEST(the_owner_sets_the_first_timeout)
{
	talk_begin_with(&t, "a|1", (struct chat_config){.timeout = 3 * SB_SEC});
	ck_assert_int_eq(chat_deadline(t.chat), t.now + 3 * SB_SEC);
	talk_end(&t);
	talk_begin_with(&t, "a|1", (struct chat_config){.timeout = SB_NEVER});
	ck_assert_int_eq(chat_deadline(t.chat), SB_NEVER);
	chat_tick(t.chat, t.now + 1000000 * SB_SEC);
	ck_assert(!chat_has_ended(t.chat));
}
END_TEST

START_TEST(a_reply_is_sent_when_nothing_comes)
{
	talk_begin(&t, "TIMEOUT|3|ogin:-BREAK-ogin:--ogin:|me");
	talk_wait(&t, 3 * SB_SEC);
	ck_assert_told(&t, "break ");
	talk_wait(&t, SB_SEC / 2); /* the break itself */
	talk_wait(&t, 3 * SB_SEC);
	ck_assert_sent(&t, "\r");
	talk_hear(&t, "login:");
	ck_assert_sent(&t, "me\r");
	ck_assert_int_eq(t.result, CHAT_FINE);
}
END_TEST

/* --- matching --- */

START_TEST(B067_beginnings_within_beginnings_and_across_reads)
{
	talk_begin(&t, "ABORT|NO CARRIER|OK|1|CONCONNECT|2|x|3");
	talk_hear(&t, "OO");
	talk_hear(&t, "K");
	ck_assert_sent(&t, "1\r");
	talk_hear(&t, "CONCON");
	talk_hear(&t, "CONNECT");
	ck_assert_sent(&t, "2\r");
	talk_hear(&t, "NO CAR");
	talk_hear(&t, "NO CARRIER");
	ck_assert_int_eq(t.result, CHAT_ABORTED);
	ck_assert_told(&t, "finished 4 NO CARRIER");
}
END_TEST

/* An expect begins with what comes next. */
START_TEST(a_string_does_not_reach_back)
{
	talk_begin(&t, "ABORT|OCA|NO|1|OCARRIER|2");
	talk_hear(&t, "NOCA");
	ck_assert_sent(&t, "1\r");
	talk_hear(&t, "RRIER");
	ck_assert_int_eq(t.result, -1);
	talk_hear(&t, "OCARRIER");
	ck_assert_int_eq(t.result, CHAT_ABORTED);
}
END_TEST

/* Wherever what was heard is shortened. */
START_TEST(a_string_may_come_late)
{
	for (int before = 2040; before < 2060; before++) {
		talk_begin(&t, "CONNECT|x");
		for (int i = 0; i < before; i++)
			talk_hear(&t, "a");
		talk_hear(&t, "CONNECT");
		ck_assert_int_eq(t.result, CHAT_FINE);
		if (before < 2059)
			talk_end(&t);
	}
}
END_TEST

START_TEST(eight_bits_are_seven)
{
	talk_begin(&t, "OK|x");
	talk_hear(&t, "\xcf\xcb");
	ck_assert_int_eq(t.result, CHAT_FINE);
}
END_TEST

START_TEST(a_chain_that_begins_with_nothing_has_come)
{
	talk_begin(&t, "-b-c|d");
	ck_assert_sent(&t, "d\r");
	ck_assert_int_eq(t.result, CHAT_FINE);
}
END_TEST

START_TEST(a_string_may_be_as_long_as_the_script_allows)
{
	char words[1100];
	memset(words, 'a', 1024);
	memcpy(words + 1024, "|x", 3);
	talk_begin(&t, words);
	for (int i = 0; i < 2100; i++)
		talk_hear(&t, i % 1000 == 999 ? "b" : "a");
	ck_assert_int_eq(t.result, -1);
	words[1024] = '\0';
	talk_hear(&t, words);
	ck_assert_int_eq(t.result, CHAT_FINE);
}
END_TEST

/* Every way to cut it gives the same. */
START_TEST(how_it_is_read_does_not_matter)
{
	static const char said[] =
		"ATZ\r\r\nOK\r\nNO CARNO\r\nCONNECT 9600\r\nogin: me\r\nword:rest";
	char whole[sizeof t.events] = "";

	for (size_t cut = 0; cut < sizeof said; cut++) {
		talk_begin(&t, "ABORT|NO CARRIER|REPORT|CONNECT||ATZ|OK|ATD|CONNECT|\\c|ogin:|me|"
			       "word:|hush");
		talk_hear_bytes(&t, said, cut);
		talk_hear_bytes(&t, said + cut, sizeof said - 1 - cut);
		ck_assert_int_eq(t.result, CHAT_FINE);
		ck_assert_left(&t, "rest");
		if (!whole[0])
			memcpy(whole, t.events, sizeof whole);
		ck_assert_str_eq(t.events, whole);
		if (cut + 1 < sizeof said)
			talk_end(&t);
	}
}
END_TEST

/* --- what came too early, and what is not for us --- */

/* A line that is opened may still hold the end of the last call. */
START_TEST(B068_what_came_before_the_first_word_is_stale)
{
	struct bytes stale = bytes_of("\r\nNO CARRIER\r\n", 14);
	struct chat_script_error error;
	static const char *const words[] = {"ABORT", "NO CARRIER", "", "AT", "OK", "x"};

	memset(&t, 0, sizeof t);
	t.result = -1;
	t.room = 4096;
	t.script = chat_script_from_words(words, 6, NULL, &error);
	t.chat = chat_new(&(struct chat_config){.script = t.script});
	chat_start(t.chat, 0);
	chat_input(t.chat, 0, &stale);
	ck_assert_uint_eq(stale.length, 0);
	talk_drain(&t);
	ck_assert_sent(&t, "AT\r");
	talk_hear(&t, "OK");
	ck_assert_int_eq(t.result, CHAT_FINE);
}
END_TEST

START_TEST(B068_an_echo_of_half_the_first_word_is_not)
{
	talk_begin(&t, "|AT\\dX|AT|\\c");
	talk_hear(&t, "AT");
	talk_wait(&t, SB_SEC);
	ck_assert_sent(&t, "ATX\r");
	ck_assert_int_eq(t.result, CHAT_FINE);
}
END_TEST

/* As chat(8): who does not want that says ATE0. */
START_TEST(B068_an_echo_is_looked_at_for_ABORT)
{
	talk_begin(&t, "ABORT|BUSY|ABORT|ERROR||ATDTERROR1|CONNECT|\\c");
	talk_hear(&t, "ATDTERROR1\r");
	ck_assert_int_eq(t.result, CHAT_ABORTED + 1);
}
END_TEST

START_TEST(what_comes_while_it_sends_is_heard_later)
{
	talk_begin(&t, "a|AT\\dX|AT|\\c|X|\\c|X|end");
	talk_hear(&t, "a");
	ck_assert_sent(&t, "AT");
	talk_hear(&t, "AT");
	ck_assert_left(&t, "AT");
	talk_wait(&t, SB_SEC);
	ck_assert_sent(&t, "X\r");
	ck_assert_left(&t, "");
	talk_hear(&t, "XX~more");
	ck_assert_sent(&t, "end\r");
	ck_assert_left(&t, "~more");
}
END_TEST

START_TEST(what_comes_with_the_last_string_is_the_links)
{
	talk_begin(&t, "word:|hush\\d");
	talk_hear(&t, "word:\x7e\x7f");
	ck_assert_left(&t, "\x7e\x7f");
	talk_wait(&t, SB_SEC);
	ck_assert_int_eq(t.result, CHAT_FINE);
	ck_assert_left(&t, "\x7e\x7f");
}
END_TEST

START_TEST(after_the_end_nothing_is_taken)
{
	struct bytes in = bytes_of("abc", 3);

	talk_begin(&t, "a|");
	talk_hear(&t, "a");
	chat_input(t.chat, t.now, &in);
	ck_assert_uint_eq(in.length, 3);
	struct buf out = buf_over(t.left, sizeof t.left);
	ck_assert(!chat_output(t.chat, t.now, &out));
	chat_tick(t.chat, t.now + 1000 * SB_SEC);
	chat_stop(t.chat, t.now, CHAT_IO_ERROR, "gone");
	struct chat_event e;
	ck_assert(!chat_event(t.chat, &e));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("chat");
	TCase *all = tcase_create("dialogue");

	tcase_add_checked_fixture(all, NULL, end);
	tcase_add_test(all, words_go_back_and_forth);
	tcase_add_test(all, pauses_and_breaks_are_kept);
	tcase_add_test(all, output_goes_into_any_room);
	tcase_add_test(all, a_script_of_nothing_ends_at_once);
	tcase_add_test(all, a_pause_at_the_end_ends);
	tcase_add_test(all, it_may_be_had_again);
	tcase_add_test(all, B067_timeout_counts_the_whole_expect);
	tcase_add_test(all, timeout_holds_until_it_is_changed);
	tcase_add_test(all, the_owner_sets_the_first_timeout);
	tcase_add_test(all, a_reply_is_sent_when_nothing_comes);
	tcase_add_test(all, B067_beginnings_within_beginnings_and_across_reads);
	tcase_add_test(all, a_string_does_not_reach_back);
	tcase_add_test(all, a_string_may_come_late);
	tcase_add_test(all, eight_bits_are_seven);
	tcase_add_test(all, a_chain_that_begins_with_nothing_has_come);
	tcase_add_test(all, a_string_may_be_as_long_as_the_script_allows);
	tcase_add_test(all, how_it_is_read_does_not_matter);
	tcase_add_test(all, B068_what_came_before_the_first_word_is_stale);
	tcase_add_test(all, B068_an_echo_of_half_the_first_word_is_not);
	tcase_add_test(all, B068_an_echo_is_looked_at_for_ABORT);
	tcase_add_test(all, what_comes_while_it_sends_is_heard_later);
	tcase_add_test(all, what_comes_with_the_last_string_is_the_links);
	tcase_add_test(all, after_the_end_nothing_is_taken);
	suite_add_tcase(suite, all);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
