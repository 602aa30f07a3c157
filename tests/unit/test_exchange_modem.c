/* SPDX-License-Identifier: MIT */
/* Modems in exchanges: lines that sleep, what is told, an end that hangs up. */
#define _DEFAULT_SOURCE
#include "tests/unit/modem_world.h"

#include <errno.h>

enum { BPS = 28800 };
#define DELAY (50 * SB_MS)

static bool comes_up(unsigned lines, sb_time within)
{
	for (sb_time end = w.now + within; w.now < end; modem_world_run(SB_SEC))
		if (lines_up(0) == lines && lines_up(1) == lines)
			return true;
	return false;
}

/* An event of that kind of side 0 with this in its text; those before it are gone. */
static bool was_told(enum exchange_event_kind kind, const char *text)
{
	struct exchange_event e;

	while (exchange_event(w.side[0].exchange, &e))
		if (e.kind == kind && strstr(e.text, text))
			return true;
	return false;
}

static const char *state_of(unsigned line)
{
	report_of(0, 0);
	return w.side[0].lines[line].state;
}

START_TEST(lines_are_dialled_and_one_bundle)
{
	modem_world_new(3, BPS, DELAY, 0, _i);
	modem_world_run(SB_SEC);
	ck_assert_str_eq(state_of(0), "dialling");
	ck_assert(comes_up(3, 60 * SB_SEC));
	ck_assert(was_told(EXCHANGE_LINE_SAID, "dialling 5551234"));
	ck_assert(was_told(EXCHANGE_LINE_SAID, "ATDT5551234"));
	ck_assert(was_told(EXCHANGE_LINE_SAID, "connected at 28800 bps"));
	ck_assert(was_told(EXCHANGE_LINE_UP, ""));
	side_sends(0, 6);
	side_sends(1, 6);
	modem_world_run(60 * SB_SEC);
	assert_all_once();
	modem_world_end();
}
END_TEST

/* Echo-Requests pass all the time: they are not what the line is there for. */
START_TEST(B093_a_line_that_sleeps_is_woken_by_a_packet)
{
	modem_world_configure(1, BPS, DELAY, 0, false);
	w.side[0].config.lines[0].modem.idle = 60 * SB_SEC;
	side_start(0);
	side_start(1);
	ck_assert(comes_up(1, 60 * SB_SEC));
	side_sends(0, 1);
	modem_world_run(50 * SB_SEC);
	ck_assert_uint_eq(lines_up(0), 1);
	modem_world_run(20 * SB_SEC);
	ck_assert_str_eq(state_of(0), "down");
	ck_assert_str_eq(w.side[0].lines[0].reason, "nothing passed for the idle time");
	modem_world_run(3600 * SB_SEC);
	ck_assert_str_eq(state_of(0), "down");
	ck_assert_uint_eq(telephone_stats(calls[0].telephone).dialled, 1);
	ck_assert(host_of(0)->carrier);
	side_sends(0, 1);
	modem_world_run(SB_SEC);
	ck_assert_str_eq(state_of(0), "dialling");
	ck_assert(comes_up(1, 60 * SB_SEC));
	side_sends(0, 1);
	modem_world_run(20 * SB_SEC);
	ck_assert_uint_eq(host_of(1)->arrived[2], 1);
	ck_assert_uint_eq(telephone_stats(calls[0].telephone).dialled, 2);
	modem_world_end();
}
END_TEST

/* B070, B074: whatever it is doing, an end leaves no call behind. */
START_TEST(B070_all_is_hung_up_at_the_end)
{
	modem_world_new(2, BPS, DELAY, 0, _i % 2);
	modem_world_run(_i / 2 * 7 * SB_SEC + SB_SEC);
	exchange_end(w.side[0].exchange, w.now);
	for (sb_time end = w.now + 12 * SB_SEC;
	     w.now < end && !exchange_has_ended(w.side[0].exchange);)
		modem_world_run(200 * SB_MS);
	ck_assert(exchange_has_ended(w.side[0].exchange));
	modem_world_run(10 * SB_SEC);
	for (unsigned n = 0; n < 2; n++) {
		ck_assert_int_eq((int)telephone_phase(calls[n].telephone), TELEPHONE_IDLE);
		ck_assert_ptr_null(ports[2 * n].port);
	}
	modem_world_end();
}
END_TEST

static struct exchange_answer told;

static const char *dial(unsigned side, unsigned line)
{
	exchange_dial_line(w.side[side].exchange, line, w.now, &told);
	return told.text;
}

START_TEST(who_is_told_to_dial_says_what_it_does)
{
	modem_world_configure(1, BPS, DELAY, 0, true);
	w.side[0].config.lines[0].enabled = false;
	side_start(0);
	side_start(1);
	modem_world_run(SB_SEC);
	ck_assert_str_eq(state_of(0), "down");
	ck_assert_ptr_nonnull(strstr(dial(0, 0), ": calling"));
	modem_world_run(SB_SEC);
	ck_assert_str_eq(state_of(0), "dialling");
	ck_assert_ptr_nonnull(strstr(dial(0, 0), ": calling already"));
	ck_assert(comes_up(1, 60 * SB_SEC));
	ck_assert_ptr_nonnull(strstr(dial(0, 0), ": online already"));
	ck_assert_int_eq(told.error, 0);
	ck_assert_ptr_nonnull(strstr(dial(1, 0), "no number to call"));
	ck_assert_int_eq(told.error, EINVAL);
	exchange_hang_up_line(w.side[0].exchange, 0, w.now, &told);
	ck_assert_ptr_nonnull(strstr(dial(0, 0), ": calling, once it has hung up"));
	ck_assert_int_eq(told.error, 0);
	modem_world_run(5 * SB_SEC);
	ck_assert_str_eq(state_of(0), "dialling");
	ck_assert_uint_eq(telephone_stats(calls[0].telephone).dialled, 2);
	modem_world_end();
}
END_TEST

/* It is dialled no more. */
START_TEST(a_line_that_is_removed_does_not_say_that_it_is_dialled_again)
{
	modem_world_new(1, BPS, DELAY, 0, _i);
	ck_assert(comes_up(1, 60 * SB_SEC));
	exchange_remove_line(w.side[0].exchange, 0, w.now, &told);
	modem_world_run(20 * SB_SEC);
	ck_assert(!was_told(EXCHANGE_LINE_SAID, "dialled again"));
	ck_assert_uint_eq(exchange_find_line(w.side[0].exchange, "tty0"), EXCHANGE_NO_LINE);
	ck_assert_int_eq((int)telephone_phase(calls[0].telephone), TELEPHONE_IDLE);
	modem_world_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("exchange_modem");
	TCase *modems = tcase_create("modems");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(modems, 60);
	tcase_add_loop_test(modems, lines_are_dialled_and_one_bundle, 0, 2);
	tcase_add_test(modems, B093_a_line_that_sleeps_is_woken_by_a_packet);
	tcase_add_loop_test(modems, B070_all_is_hung_up_at_the_end, 0, 10);
	tcase_add_test(modems, who_is_told_to_dial_says_what_it_does);
	tcase_add_loop_test(modems, a_line_that_is_removed_does_not_say_that_it_is_dialled_again, 0,
			    2);
	suite_add_tcase(suite, modems);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed;
}
