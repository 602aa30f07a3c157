/* SPDX-License-Identifier: MIT */
/*
 * What a dialogue tells: transcript, reports, text for the user, and never a secret.
 */
#include "tests/unit/chat_testing.h"

#define MASK "\?\?\?\?\?\?"

static struct talk t;

static void end(void)
{
	talk_end(&t);
}

/* --- results --- */

START_TEST(each_ABORT_has_its_result)
{
	char words[40 * 16] = "", said[16];

	for (int i = 0; i < 50; i++)
		snprintf(words + strlen(words), sizeof words - strlen(words), "ABORT|no%02d|", i);
	snprintf(words + strlen(words), sizeof words - strlen(words), "OK|x");
	talk_begin(&t, words);
	snprintf(said, sizeof said, "no%02d", _i);
	talk_hear(&t, said);
	ck_assert_int_eq(t.result, CHAT_ABORTED + _i);
}
END_TEST

START_TEST(too_many_ABORTs_are_an_error)
{
	char words[60 * 16] = "";

	for (int i = 0; i < 51; i++)
		snprintf(words + strlen(words), sizeof words - strlen(words), "ABORT|no%02d|", i);
	snprintf(words + strlen(words), sizeof words - strlen(words), "|AT");
	talk_begin(&t, words);
	ck_assert_int_eq(t.result, CHAT_IO_ERROR);
	ck_assert_told(&t, "finished 2 too many ABORT strings");
	ck_assert_sent(&t, "");
}
END_TEST

START_TEST(a_cleared_ABORT_makes_room_and_moves_the_others)
{
	talk_begin(&t, "ABORT|A|ABORT|B|ABORT|C|CLR_ABORT|B|ABORT|D|OK|x");
	talk_hear(&t, "B");
	ck_assert_int_eq(t.result, -1);
	talk_hear(&t, "C");
	ck_assert_int_eq(t.result, CHAT_ABORTED + 1);
	ck_assert_told(&t, "log clear abort on (B)");
	ck_assert_told(&t, "log Failed (C)");
}
END_TEST

START_TEST(the_port_or_the_user_may_end_it)
{
	talk_begin(&t, "REPORT|CONN|OK|x");
	talk_hear(&t, "CONNECT 24");
	chat_stop(t.chat, t.now, CHAT_IO_ERROR, "the port has gone");
	ck_assert(chat_has_ended(t.chat));
	talk_drain(&t);
	ck_assert_told(&t, "report CONNECT 24");
	ck_assert_told(&t, "finished 2 the port has gone");
}
END_TEST

/* --- the transcript --- */

START_TEST(the_transcript_is_that_of_chat)
{
	talk_begin(&t, "ABORT|BUSY|TIMEOUT|3||AT^A|OK-\\KX-OK|ATD\\c");
	talk_hear(&t, "AT\r\r\nhm\t\x7f\r\n\n");
	talk_wait(&t, 3 * SB_SEC);
	talk_wait(&t, SB_SEC);
	talk_hear(&t, "OK");
	ck_assert_str_eq(t.events, "log abort on (BUSY)\n"
				   "log timeout set to 3 seconds\n"
				   "log send (AT^A^M)\n"
				   "log expect (OK)\n"
				   "log AT^M^M\n"
				   "log hm\t^?^M\n"
				   "log \n"
				   "log alarm\n"
				   "log send (\\KX^M)\n"
				   "break \n"
				   "log expect (OK)\n"
				   "log OK\n"
				   "log  -- got it\n"
				   "log send (ATD)\n"
				   "finished 0 \n");
}
END_TEST

START_TEST(long_lines_are_cut_at_80)
{
	char said[161];

	memset(said, 'a', 160);
	said[160] = '\0';
	talk_begin(&t, "OK|x");
	talk_hear(&t, said);
	talk_hear(&t, "b\r\n");
	said[80] = '\0';
	char wanted[512];
	snprintf(wanted, sizeof wanted, "log expect (OK)\nlog %s\nlog %s\nlog b^M\n", said, said);
	ck_assert_str_eq(t.events, wanted);
}
END_TEST

/* The modem has much to say, and the owner fetches nothing for a while. */
START_TEST(nothing_is_lost_when_nobody_fetches)
{
	char said[1001] = "", wanted[8192] = "log expect (OK)\n";

	for (int i = 0; i < 100; i++) {
		snprintf(said + strlen(said), 9, "line %02d\n", i);
		snprintf(wanted + strlen(wanted), 16, "log line %02d\n", i);
	}
	talk_begin(&t, "OK|x");
	struct bytes in = bytes_of(said, strlen(said));
	for (int i = 0; i < 5; i++)
		chat_input(t.chat, t.now, &in);
	ck_assert_uint_gt(in.length, 0);
	ck_assert_uint_lt(in.length, strlen(said));
	talk_drain(&t);
	talk_hear_bytes(&t, in.at, in.length);
	ck_assert_str_eq(t.events, wanted);
}
END_TEST

/* Steps wait for room as well; the deadline says that there is something to do. */
START_TEST(steps_wait_for_room)
{
	char words[4096] = "";
	struct chat_event e;
	int said = 0;

	for (int i = 0; i < 100; i++)
		snprintf(words + strlen(words), sizeof words - strlen(words), "SAY|%d\\c|", i);
	snprintf(words + strlen(words), sizeof words - strlen(words), "OK|x");
	talk_begin(&t, words);
	chat_start(t.chat, t.now);
	ck_assert_int_le(chat_deadline(t.chat), t.now);
	for (int i = 0; i < 20; i++) {
		chat_tick(t.chat, t.now);
		while (chat_event(t.chat, &e))
			if (e.kind == CHAT_SAY)
				ck_assert_int_eq(atoi(e.text), said++);
	}
	ck_assert_int_gt(chat_deadline(t.chat), t.now);
	ck_assert_int_eq(said, 100);
}
END_TEST

/* --- secrets --- */

START_TEST(B056_a_secret_is_not_shown)
{
	talk_begin(&t, "REPORT|name|ogin:|me|ssword:|hush|PIN|\\q1\\p234|end|\\c");
	talk_hear(&t, "login:");
	talk_hear(&t, "me\r\nPassword:");
	talk_hear(&t, "hush\r\nname is hush!\r\nPIN");
	talk_wait(&t, SB_SEC);
	talk_hear(&t, "1234 1234\r\nend");
	ck_assert_int_eq(t.result, CHAT_FINE);
	ck_assert_str_eq(t.sent, "me\rhush\r1234\r");
	ck_assert_not_told(&t, "hush");
	ck_assert_not_told(&t, "234");
	ck_assert_told(&t, "log send (me^M)");
	ck_assert_told(&t, "log send (" MASK ")");
	ck_assert_told(&t, "log name is " MASK "!^M");
	ck_assert_told(&t, "report name is " MASK "!");
	ck_assert_told(&t, "log " MASK " " MASK "^M");
}
END_TEST

START_TEST(B056_a_files_text_is_not_shown)
{
	static const char text[] = "hush\\c\n";

	talk_begin(&t, "|@/etc/secret|end|\\c");
	ck_assert_told(&t, "file /etc/secret");
	ck_assert_int_eq(chat_deadline(t.chat), SB_NEVER);
	chat_file(t.chat, t.now, bytes_of(text, sizeof text - 1));
	talk_drain(&t);
	ck_assert_sent(&t, "hush");
	talk_hear(&t, "hush\r\nend");
	ck_assert_not_told(&t, "hush");
}
END_TEST

/* Words as short as that are everywhere. */
START_TEST(what_is_too_short_is_no_secret)
{
	talk_begin(&t, "word:|me|end|\\c");
	talk_hear(&t, "word:");
	talk_hear(&t, "some time\nend");
	ck_assert_told(&t, "log send (" MASK ")");
	ck_assert_told(&t, "log some time");
}
END_TEST

/* --- files --- */

START_TEST(a_file_that_cannot_be_read_ends_it)
{
	talk_begin(&t, "|@/etc/secret|end|\\c");
	chat_file(t.chat, t.now, bytes_of(NULL, 0));
	talk_drain(&t);
	ck_assert_int_eq(t.result, CHAT_BAD_SCRIPT);
	ck_assert_sent(&t, "");
}
END_TEST

START_TEST(a_file_has_its_limit)
{
	static char text[5000];

	memset(text, 'a', sizeof text);
	talk_begin(&t, "|@x|end|\\c");
	chat_file(t.chat, t.now, bytes_of(text, 1023));
	talk_drain(&t);
	ck_assert_uint_eq(strlen(t.sent), 1024);
	talk_end(&t);
	talk_begin(&t, "|@x|end|\\c");
	chat_file(t.chat, t.now, bytes_of(text, sizeof text));
	talk_drain(&t);
	ck_assert_int_eq(t.result, CHAT_BAD_SCRIPT);
}
END_TEST

START_TEST(an_empty_file_is_an_empty_word)
{
	talk_begin(&t, "|@x|end|\\c");
	chat_file(t.chat, t.now, bytes_of("", 0));
	talk_drain(&t);
	ck_assert_sent(&t, "\r");
}
END_TEST

/* --- REPORT --- */

START_TEST(a_report_goes_to_the_end_of_its_line)
{
	talk_begin(&t, "REPORT|CONNECT|REPORT|RING|CONNECT|\\c|end|x");
	talk_hear(&t, "RING\r\nCONNECT 28800/ARQ\tV34");
	ck_assert_told(&t, "report RING");
	talk_hear(&t, "\r\nCONNECT 2\r\nend");
	ck_assert_told(&t, "report CONNECT 28800/ARQ");
	ck_assert_not_told(&t, "report CONNECT 2\n");
}
END_TEST

/* The rate is wanted, though the script is done; a second of silence ends the wait. */
START_TEST(the_last_report_is_waited_for)
{
	talk_begin(&t, "REPORT|CONNECT|CONNECT|\\c");
	talk_hear(&t, "CONNECT 2");
	ck_assert_int_eq(t.result, -1);
	talk_wait(&t, 900 * SB_MS);
	talk_hear(&t, "40");
	talk_wait(&t, 900 * SB_MS);
	talk_hear(&t, "0\r\n~");
	ck_assert_told(&t, "report CONNECT 2400");
	ck_assert_int_eq(t.result, CHAT_FINE);
	ck_assert_left(&t, "\n~");
	talk_end(&t);
	talk_begin(&t, "REPORT|CONNECT|CONNECT|\\c");
	talk_hear(&t, "CONNECT 2");
	talk_wait(&t, SB_SEC);
	ck_assert_told(&t, "report CONNECT 2");
	ck_assert_int_eq(t.result, CHAT_FINE);
}
END_TEST

START_TEST(a_long_report_is_cut)
{
	talk_begin(&t, "REPORT|a|a|\\c");
	for (int i = 0; i < 300; i++)
		talk_hear(&t, "a");
	ck_assert_int_eq(t.result, CHAT_FINE);
	char *report = strstr(t.events, "\nreport ");
	ck_assert_ptr_nonnull(report);
	ck_assert_uint_eq(strcspn(report + 1, "\n"), strlen("report ") + CHAT_TEXT_SIZE - 1);
}
END_TEST

START_TEST(a_cleared_report_is_none)
{
	talk_begin(&t, "REPORT|A|CLR_REPORT|A|CLR_REPORT|A|end|x");
	talk_hear(&t, "A1\r\nend");
	ck_assert_not_told(&t, "\nreport");
}
END_TEST

/* --- SAY, ECHO, HANGUP --- */

START_TEST(the_user_is_told)
{
	talk_begin(&t, "SAY|Dialling\\d...\\n\\c|HANGUP|OFF|SAY|a\\\\b|HANGUP|ON|a|b");
	ck_assert_told(&t, "say Dialling...\n");
	ck_assert_told(&t, "hangup off");
	ck_assert_told(&t, "say a\\b\r");
	ck_assert_told(&t, "hangup on");
}
END_TEST

START_TEST(echo_begins_and_ends_where_it_says)
{
	talk_begin(&t, "a|1|ECHO|ON|b|2|ECHO|OFF|c|3");
	talk_hear(&t, "one a two\r\n\x01\tb three c");
	ck_assert_told(&t, "echo  two\n");
	ck_assert_told(&t, "echo ^A^Ib");
	ck_assert_not_told(&t, "echo one");
	ck_assert_not_told(&t, "echo  three");
}
END_TEST

START_TEST(echo_ends_with_a_line)
{
	talk_begin_with(&t, "end|x", (struct chat_config){.echo = true});
	talk_hear(&t, "the end");
	ck_assert_told(&t, "echo \n");
	talk_end(&t);
	talk_begin_with(&t, "end|x", (struct chat_config){.echo = true});
	for (int i = 0; i < 1000; i++)
		talk_hear(&t, "0123456789");
	talk_hear(&t, "end");
	ck_assert_int_eq(t.result, CHAT_FINE);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("chat_tell");
	TCase *all = tcase_create("telling");

	tcase_add_checked_fixture(all, NULL, end);
	tcase_add_loop_test(all, each_ABORT_has_its_result, 0, 50);
	tcase_add_test(all, too_many_ABORTs_are_an_error);
	tcase_add_test(all, a_cleared_ABORT_makes_room_and_moves_the_others);
	tcase_add_test(all, the_port_or_the_user_may_end_it);
	tcase_add_test(all, the_transcript_is_that_of_chat);
	tcase_add_test(all, long_lines_are_cut_at_80);
	tcase_add_test(all, nothing_is_lost_when_nobody_fetches);
	tcase_add_test(all, steps_wait_for_room);
	tcase_add_test(all, B056_a_secret_is_not_shown);
	tcase_add_test(all, B056_a_files_text_is_not_shown);
	tcase_add_test(all, what_is_too_short_is_no_secret);
	tcase_add_test(all, a_file_that_cannot_be_read_ends_it);
	tcase_add_test(all, a_file_has_its_limit);
	tcase_add_test(all, an_empty_file_is_an_empty_word);
	tcase_add_test(all, a_report_goes_to_the_end_of_its_line);
	tcase_add_test(all, the_last_report_is_waited_for);
	tcase_add_test(all, a_long_report_is_cut);
	tcase_add_test(all, a_cleared_report_is_none);
	tcase_add_test(all, the_user_is_told);
	tcase_add_test(all, echo_begins_and_ends_where_it_says);
	tcase_add_test(all, echo_ends_with_a_line);
	suite_add_tcase(suite, all);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
