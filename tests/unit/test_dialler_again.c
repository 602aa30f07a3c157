/* SPDX-License-Identifier: MIT */
/* B072, B078: when a call is tried again, by what became of the last ones. */
#include "tests/unit/dialler_testing.h"

/* An attempt that ends with those words of the modem; the back-off that follows, in 0.1 s. */
static int attempt(const char *words)
{
	const char *text, *idle;

	dial(true);
	says(words);
	pass(SB_SEC);
	ck_assert_int_eq(dialler_state(dialler), DIALLER_IDLE);
	text = what_happened();
	idle = strstr(text, "idle ");
	ck_assert_ptr_nonnull(idle);
	return (int)(10 * atof(idle + strlen("idle ")) + 0.5);
}

/* A call that lasts so long; and how it ends: LOST: by the carrier. */
static int call(sb_time lasts, enum dialler_reason reason)
{
	const char *text, *idle;

	dial(true);
	modem_lines(true, false);
	says("CONNECT 28800\r\n");
	pass(lasts);
	if (reason == DIALLER_LOST)
		modem_lines(false, false);
	else
		hang_up(reason);
	modem_lines(false, false);
	pass(SB_SEC);
	ck_assert_int_eq(dialler_state(dialler), DIALLER_IDLE);
	text = what_happened();
	idle = strstr(text, "idle ");
	ck_assert_ptr_nonnull(idle);
	return (int)(10 * atof(idle + strlen("idle ")) + 0.5);
}

/* Each doubles, up to a cap of its own. */
static const struct {
	const char *words;
	int first, cap; /* 0.1 s */
} backoffs[] = {
	{"BUSY\r\n", 50, 600},        {"NO CARRIER\r\n", 50, 3000}, {"NO DIALTONE\r\n", 100, 3000},
	{"NO ANSWER\r\n", 100, 3000}, {"ERROR\r\n", 100, 3000},
};

START_TEST(B072_each_reason_has_its_own_delays)
{
	int expected = backoffs[_i].first;

	create();
	for (int i = 0; i < 12; i++) {
		ck_assert_int_eq(attempt(backoffs[_i].words), expected);
		expected = 2 * expected < backoffs[_i].cap ? 2 * expected : backoffs[_i].cap;
	}
	ck_assert_uint_eq(dialler_failures(dialler), 12);
	dialler_forget_failures(dialler);
	ck_assert_uint_eq(dialler_failures(dialler), 0);
	ck_assert_int_eq(attempt(backoffs[_i].words), backoffs[_i].first);
}
END_TEST

/* A peer that says no each time: later and later, up to the cap, and no sooner for calls between.
 */
START_TEST(B072_refusals_grow_to_a_cap)
{
	static const int expected[] = {300, 600, 1200, 2400, 3000, 3000, 3000};

	create();
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		ck_assert_int_eq(call(8 * SB_SEC, DIALLER_REFUSED), expected[i]);
		ck_assert_int_eq(call(8 * SB_SEC, DIALLER_LOST), 10);
	}
	call(2 * 60 * SB_SEC, DIALLER_LOST); /* it let us in */
	ck_assert_int_eq(call(8 * SB_SEC, DIALLER_REFUSED), 300);
}
END_TEST

START_TEST(B072_lost_after_ten_seconds_is_a_short_delay_after_an_hour_none)
{
	create();
	for (int i = 0; i < 30; i++)
		ck_assert_int_eq(call(10 * SB_SEC, DIALLER_LOST), 10);
	ck_assert_int_eq(call(3600 * SB_SEC, DIALLER_LOST), 0);
	ck_assert_int_eq(call(10 * SB_SEC, DIALLER_LOST), 10);
}
END_TEST

START_TEST(B078_a_carrier_that_drops_at_once_again_and_again)
{
	static const int expected[] = {10, 20, 40, 80, 160, 320, 600, 600};

	create();
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		ck_assert_int_eq(call(200 * SB_MS, DIALLER_LOST), expected[i]);
		ck_assert_uint_eq(dialler_failures(dialler), i + 1);
	}
	call(10 * SB_SEC, DIALLER_LOST);
	ck_assert_uint_eq(dialler_failures(dialler), 0);
}
END_TEST

START_TEST(a_call_forgives_what_failed)
{
	create();
	attempt("BUSY\r\n");
	attempt("BUSY\r\n");
	ck_assert_int_eq(call(60 * SB_SEC, DIALLER_FINE), 50);
	ck_assert_int_eq(attempt("BUSY\r\n"), 50);
}
END_TEST

START_TEST(after_limits_there_is_the_hold_off)
{
	config.hold_off = 120 * SB_SEC;
	create();
	ck_assert_int_eq(call(60 * SB_SEC, DIALLER_IDLE_LIMIT), 1200);
	ck_assert_int_eq(call(60 * SB_SEC, DIALLER_TIME_LIMIT), 1200);
	ck_assert_int_eq(attempt("BUSY\r\n"), 50);
	config.hold_off = 0;
	ck_assert(dialler_reconfigure(dialler, &config));
	ck_assert_int_eq(call(60 * SB_SEC, DIALLER_TIME_LIMIT), 0);
}
END_TEST

/* pppd's maxfail ends the program; here there is a pause, and it begins anew. */
START_TEST(B072_after_so_many_attempts_there_is_a_pause)
{
	config.attempts = 3;
	config.hold_off = 1800 * SB_SEC;
	create();
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(attempt("BUSY\r\n"), 50);
		ck_assert_int_eq(attempt("BUSY\r\n"), 100);
		ck_assert_int_eq(attempt("BUSY\r\n"), 18000);
		ck_assert_uint_eq(dialler_failures(dialler), 0);
	}
	config.hold_off = 0;
	ck_assert(dialler_reconfigure(dialler, &config));
	attempt("BUSY\r\n");
	attempt("BUSY\r\n");
	ck_assert_int_eq(attempt("BUSY\r\n"), 3000);
}
END_TEST

START_TEST(numbers_are_called_in_turn)
{
	static const char *const words[] = {"BUSY\r\n", "NO ANSWER\r\n", "NO CARRIER\r\n"};
	/* a round of them is one failure */
	static const int expected[] = {50, 100, 50, 100, 200, 100, 200, 400, 200};

	config.scripts = 3;
	config.script[1] = script_of("ABORT 'NO ANSWER' '' ATDT2 CONNECT");
	config.script[2] = script_of("ABORT 'NO CARRIER' '' ATDT3 CONNECT");
	config.number[1] = "2";
	config.number[2] = "3";
	create();
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		char number[8];

		snprintf(number, sizeof number, "%zu", i % 3 + 1);
		ck_assert_str_eq(dialler_number(dialler), number);
		ck_assert_int_eq(attempt(words[i % 3]), expected[i]);
	}
	attempt("BUSY\r\n");
	ck_assert_str_eq(dialler_number(dialler), "2");
	call(60 * SB_SEC, DIALLER_LOST);
	ck_assert_str_eq(dialler_number(dialler), "2"); /* the one that answers */
}
END_TEST

START_TEST(jitter_keeps_modems_apart)
{
	static const struct {
		uint32_t chance;
		int expected;
	} cases[] = {{0, 37}, {UINT32_MAX / 2, 50}, {UINT32_MAX, 63}};

	config.jitter = 0.25;
	create();
	for (size_t i = 0; i < 3; i++) {
		chance = cases[i].chance;
		dialler_forget_failures(dialler);
		ck_assert_int_le(abs(attempt("BUSY\r\n") - cases[i].expected), 1);
	}
}
END_TEST

START_TEST(a_longest_delay_below_the_first_is_the_first)
{
	config.redial = 20 * SB_SEC;
	config.redial_longest = 10 * SB_SEC;
	create();
	ck_assert_int_eq(attempt("NO CARRIER\r\n"), 200);
	ck_assert_int_eq(attempt("NO CARRIER\r\n"), 200);
}
END_TEST

/* --- who waits is ready for the next one --- */

static void wait_for_calls(void)
{
	config.scripts = 0;
	config.answer = script_of("ABORT 'NO CARRIER' '' ATA CONNECT");
	config.answer_rings = 1;
	create();
}

START_TEST(B078_who_answers_is_never_locked_up)
{
	wait_for_calls();
	for (int i = 0; i < 20; i++) {
		start(true);
		says("\r\nOK\r\n");
		modem_lines(false, false);
		says("RING\r\n");
		modem_lines(true, false);
		says("CONNECT 28800\r\n");
		pass(200 * SB_MS);
		modem_lines(false, false);
		pass(SB_SEC);
		assert_happened("DTR on 'ATZ.' rings 'ATA.' connected over: the carrier was lost "
				"DTR off idle 0.0");
	}
}
END_TEST

START_TEST(a_modem_that_is_not_there_is_asked_less_and_less_often)
{
	static const char *const expected[] = {"idle 5.0",  "idle 10.0", "idle 20.0",
					       "idle 40.0", "idle 60.0", "idle 60.0"};

	wait_for_calls();
	for (size_t i = 0; i < 6; i++) {
		start(true);
		pass(5 * SB_SEC);
		ck_assert_ptr_nonnull(strstr(what_happened(), expected[i]));
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dialler_again");
	TCase *again = new_case(suite, "again");

	tcase_add_loop_test(again, B072_each_reason_has_its_own_delays, 0,
			    sizeof backoffs / sizeof backoffs[0]);
	tcase_add_test(again, B072_refusals_grow_to_a_cap);
	tcase_add_test(again, B072_lost_after_ten_seconds_is_a_short_delay_after_an_hour_none);
	tcase_add_test(again, B078_a_carrier_that_drops_at_once_again_and_again);
	tcase_add_test(again, a_call_forgives_what_failed);
	tcase_add_test(again, after_limits_there_is_the_hold_off);
	tcase_add_test(again, B072_after_so_many_attempts_there_is_a_pause);
	tcase_add_test(again, numbers_are_called_in_turn);
	tcase_add_test(again, jitter_keeps_modems_apart);
	tcase_add_test(again, a_longest_delay_below_the_first_is_the_first);
	tcase_add_test(again, B078_who_answers_is_never_locked_up);
	tcase_add_test(again, a_modem_that_is_not_there_is_asked_less_and_less_often);
	return run_suite(suite);
}
