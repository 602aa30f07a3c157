/* SPDX-License-Identifier: MIT */
/*
 * B074: hanging up, with modems that heed DTR or do not, answer OK, NO CARRIER, both, or nothing.
 * Whatever they do, it ends, in bounded time.
 */
#include "tests/unit/dialler_testing.h"

#define LONGEST (10 * SB_SEC)

START_TEST(dtr_is_low_for_half_a_second)
{
	create();
	connect_now(true);
	pass(60 * SB_SEC);
	hang_up(DIALLER_FINE);
	ck_assert_int_eq(dialler_state(dialler), DIALLER_HANGING_UP);
	pass(499 * SB_MS);
	assert_happened("DTR off");
	pass(SB_MS);
	assert_happened("idle 5.0");
	ck_assert_int_eq(dialler_state(dialler), DIALLER_IDLE);
}
END_TEST

START_TEST(dtr_works_when_the_carrier_falls)
{
	sb_time falls = (_i + 1) * 100 * SB_MS; /* before the half second, and after it */

	create();
	dial(true);
	modem_lines(true, false);
	says("CONNECT 9600\r\n");
	pass(60 * SB_SEC);
	what_happened();
	hang_up(DIALLER_FINE);
	pass(falls);
	modem_lines(false, false);
	pass(sb_time_max(500 * SB_MS - falls, 0));
	assert_happened("DTR off idle 5.0");
}
END_TEST

START_TEST(a_modem_that_ignores_dtr_is_escaped)
{
	create();
	dial(true);
	modem_lines(true, false);
	says("CONNECT 9600\r\n");
	what_happened();
	hang_up(DIALLER_FINE);
	pass(1900 * SB_MS);
	assert_happened("DTR off");
	pass(200 * SB_MS);
	assert_happened("DTR on");
	pass(SB_SEC);
	assert_happened("'+++'");
	pass(SB_SEC);
	says("\r\nOK\r\n");
	assert_happened("'ATH.'");
	modem_lines(false, false);
	says("\r\nOK\r\n");
	assert_happened("idle 5.0");
}
END_TEST

/* The guard time runs from the last character that the modem gets, not from when we stop. */
START_TEST(without_dtr_there_is_silence_before_and_behind)
{
	create();
	connect_now(false);
	dialler_hang_up(dialler, now, now + 800 * SB_MS, DIALLER_FINE);
	drain();
	pass(1800 * SB_MS);
	assert_happened("");
	pass(200 * SB_MS);
	assert_happened("'+++'");
	pass(SB_SEC);
	assert_happened("");
	says("\r\nOK\r\n");
	assert_happened("'ATH.'");
	says("\r\nOK\r\n");
	assert_happened("idle 5.0");
}
END_TEST

/* What it answers to +++, and to ATH; and what is sent. */
static const struct {
	const char *escape, *ath;
	bool at_once; /* else a short wait for what may follow, or a long one for nothing */
} answers[] = {
	{"\r\nOK\r\n", "ATH\r\r\nOK\r\n", true},
	{"+++\r\nOK\r\n", "\r\nNO CARRIER\r\n\r\nOK\r\n", true},
	{"\r\nOK\r\n", "\r\nOK\r\n\r\nNO CARRIER\r\n", true},
	{"\r\nOK\r\n", "\r\nNO CARRIER\r\n", false},
	{"\r\nNO CARRIER\r\n", "\r\nOK\r\n", true},
	{"\r\nNO CARRIER\r\n", "\r\nERROR\r\n", true},
	{"0\r", "0\r", true},
	{"0\r", "3\r0\r", true},
	{"OK\n", "OK\n", true},
	{"~\xff}#\xc0! data of the peer OK~\r\nOK\r\n", "\r\nOK\r\n", true},
};

START_TEST(answers_come_in_any_order)
{
	create();
	connect_now(false);
	hang_up(DIALLER_FINE);
	pass(1200 * SB_MS);
	assert_happened("'+++'");
	says(answers[_i].escape);
	assert_happened("'ATH.'");
	says(answers[_i].ath);
	assert_happened(answers[_i].at_once ? "idle 5.0" : "");
	pass(SB_SEC);
	ck_assert_int_eq(dialler_state(dialler), DIALLER_IDLE);
}
END_TEST

START_TEST(no_answer_at_all_ends_too)
{
	sb_time from;

	create();
	connect_now(_i);
	modem_lines(_i, false); /* the carrier stays on, come what may */
	from = now;
	hang_up(DIALLER_FINE);
	pass(LONGEST);
	assert_happened(_i ? "DTR off DTR on '+++' 'ATH.' idle 5.0" : "'+++' 'ATH.' idle 5.0");
	ck_assert_int_le(now - from, LONGEST);
}
END_TEST

/* After BUSY and its kin the modem takes commands: there is nothing to escape from. */
START_TEST(a_modem_that_gave_up_by_itself_takes_ath)
{
	create();
	dial(false);
	says("\r\nBUSY\r\n");
	assert_happened("failed: busy 'ATH.'");
	says("\r\nOK\r\n");
	assert_happened("idle 5.0");
}
END_TEST

START_TEST(but_it_is_not_relied_on)
{
	create();
	dial(false);
	says("\r\nNO CARRIER\r\n");
	pass(LONGEST);
	assert_happened("failed: no carrier 'ATH.' '+++' 'ATH.' idle 5.0");
}
END_TEST

/* It may be dialling still, or be connected without a word. */
START_TEST(after_a_time_limit_the_state_is_unknown)
{
	create();
	dial(false);
	pass(45 * SB_SEC);
	assert_happened("failed: no connection in time");
	pass(1200 * SB_MS);
	assert_happened("'+++'");
}
END_TEST

START_TEST(an_attempt_can_be_ended)
{
	create();
	start(true);
	what_happened();
	hang_up(DIALLER_FINE);
	says("\r\nOK\r\n"); /* too late */
	pass(SB_SEC);
	assert_happened("DTR off idle 5.0");
}
END_TEST

START_TEST(ends_come_once)
{
	create();
	connect_now(true);
	hang_up(DIALLER_FINE);
	hang_up(DIALLER_REFUSED);
	modem_lines(false, false);
	says("\r\nNO CARRIER\r\n");
	pass(SB_SEC);
	hang_up(DIALLER_FINE);
	pass(SB_SEC);
	assert_happened("DTR off idle 5.0");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dialler_ladder");
	TCase *ladder = new_case(suite, "B074");

	tcase_add_test(ladder, dtr_is_low_for_half_a_second);
	tcase_add_loop_test(ladder, dtr_works_when_the_carrier_falls, 0, 12);
	tcase_add_test(ladder, a_modem_that_ignores_dtr_is_escaped);
	tcase_add_test(ladder, without_dtr_there_is_silence_before_and_behind);
	tcase_add_loop_test(ladder, answers_come_in_any_order, 0,
			    sizeof answers / sizeof answers[0]);
	tcase_add_loop_test(ladder, no_answer_at_all_ends_too, 0, 2);
	tcase_add_test(ladder, a_modem_that_gave_up_by_itself_takes_ath);
	tcase_add_test(ladder, but_it_is_not_relied_on);
	tcase_add_test(ladder, after_a_time_limit_the_state_is_unknown);
	tcase_add_test(ladder, an_attempt_can_be_ended);
	tcase_add_test(ladder, ends_come_once);
	return run_suite(suite);
}
