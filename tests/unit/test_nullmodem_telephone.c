/* SPDX-License-Identifier: MIT */
/* The telephone line and its book: who is rung, when there is a carrier, when it is lost. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "src/nullmodem/telephone.h"

static struct telephone_config config;
static struct phone_book book;
static struct telephone *line;
static sb_time now;

static void set_up(void)
{
	config = (struct telephone_config){
		.answers_after = SB_SEC, .ring_every = 6 * SB_SEC, .train = 2 * SB_SEC};
	book = (struct phone_book){.count = 0};
	now = 3 * SB_SEC;
	line = telephone_new(&config, &book, 1);
	ck_assert_ptr_nonnull(line);
}

static void tear_down(void)
{
	telephone_free(line);
}

static void wait_for(sb_time duration)
{
	sb_time end = now + duration;
	while (telephone_deadline(line) <= end) {
		now = sb_time_max(now, telephone_deadline(line));
		telephone_tick(line, now);
		ck_assert(telephone_deadline(line) > now);
	}
	now = end;
}

static void event(unsigned side, int kind)
{
	struct telephone_event e;
	ck_assert(telephone_event(line, &e));
	ck_assert_int_eq((int)e.kind, kind);
	ck_assert_uint_eq(e.side, side);
}

static void no_event(void)
{
	struct telephone_event e;
	ck_assert(!telephone_event(line, &e));
}

static void both(int kind)
{
	event(0, kind);
	event(1, kind);
	no_event();
}

/* A modem at b answers the call of a modem at a. */
static void connect(void)
{
	telephone_dial(line, now, 0, "1");
	event(1, TELEPHONE_RINGS);
	event(0, TELEPHONE_RINGBACK);
	telephone_answer(line, now, 1);
	wait_for(config.train);
	both(TELEPHONE_CARRIER);
}

/* ---- calls ---- */

START_TEST(rings_until_it_is_answered)
{
	telephone_dial(line, now, 0, "1");
	for (int i = 0; i < 3; i++) {
		event(1, TELEPHONE_RINGS);
		event(0, TELEPHONE_RINGBACK);
		no_event();
		wait_for(6 * SB_SEC);
	}
	event(1, TELEPHONE_RINGS);
	event(0, TELEPHONE_RINGBACK);
	ck_assert_int_eq(telephone_phase(line), TELEPHONE_RINGING);
	telephone_answer(line, now, 0); /* who called cannot */
	ck_assert_int_eq(telephone_phase(line), TELEPHONE_RINGING);
	telephone_answer(line, now, 1);
	wait_for(2 * SB_SEC - 1);
	no_event();
	wait_for(1);
	both(TELEPHONE_CARRIER);
	ck_assert_int_eq(telephone_phase(line), TELEPHONE_THROUGH);
	wait_for(3600 * SB_SEC);
	no_event();
}
END_TEST

START_TEST(either_end_hangs_up)
{
	for (unsigned side = 0; side < 2; side++) {
		connect();
		telephone_hang_up(line, now, side);
		event(!side, TELEPHONE_SILENCE);
		no_event();
		telephone_hang_up(line, now, side);
		telephone_hang_up(line, now, !side);
		no_event();
	}
	ck_assert_uint_eq(telephone_stats(line).connected, 2);
	ck_assert_uint_eq(telephone_stats(line).dropped, 0);
}
END_TEST

START_TEST(stops_ringing_when_the_caller_gives_up)
{
	telephone_dial(line, now, 1, "1");
	event(0, TELEPHONE_RINGS);
	event(1, TELEPHONE_RINGBACK);
	telephone_hang_up(line, now, 0); /* is not in the call */
	no_event();
	telephone_hang_up(line, now, 1);
	event(0, TELEPHONE_SILENCE);
	telephone_answer(line, now, 0); /* too late */
	wait_for(60 * SB_SEC);
	no_event();
	ck_assert_int_eq(telephone_phase(line), TELEPHONE_IDLE);
}
END_TEST

START_TEST(is_busy_for_who_calls_at_the_same_time)
{
	telephone_dial(line, now, 0, "1");
	event(1, TELEPHONE_RINGS);
	event(0, TELEPHONE_RINGBACK);
	telephone_dial(line, now, 1, "2");
	event(1, TELEPHONE_BUSY);
	telephone_hang_up(line, now, 1);
	no_event();
	ck_assert_int_eq(telephone_phase(line), TELEPHONE_RINGING);
}
END_TEST

START_TEST(loses_the_call_while_training)
{
	telephone_dial(line, now, 0, "1");
	event(1, TELEPHONE_RINGS);
	event(0, TELEPHONE_RINGBACK);
	telephone_answer(line, now, 1);
	telephone_drop(line, now);
	both(TELEPHONE_SILENCE);
	wait_for(60 * SB_SEC);
	no_event();
}
END_TEST

START_TEST(a_server_answers_while_somebody_listens)
{
	telephone_set_server(line, 1, true, true);
	telephone_dial(line, now, 0, "1");
	wait_for(3 * SB_SEC - 1);
	event(1, TELEPHONE_RINGS);
	event(0, TELEPHONE_RINGBACK);
	no_event();
	wait_for(1);
	both(TELEPHONE_CARRIER);
	telephone_hang_up(line, now, 0);
	event(1, TELEPHONE_SILENCE);

	telephone_set_server(line, 1, true, false);
	telephone_dial(line, now, 0, "1");
	wait_for(20 * SB_SEC);
	ck_assert_int_eq(telephone_phase(line), TELEPHONE_RINGING);
	telephone_set_server(line, 1, true, true);
	wait_for(6 * SB_SEC + config.train);
	ck_assert_int_eq(telephone_phase(line), TELEPHONE_THROUGH);
}
END_TEST

/* ---- numbers ---- */

START_TEST(an_end_with_a_number_has_no_other)
{
	strcpy(config.number[1], "5551234");
	telephone_dial(line, now, 0, "5551235");
	no_event();
	ck_assert_int_eq(telephone_phase(line), TELEPHONE_IDLE);
	telephone_dial(line, now, 0, "5551234");
	event(1, TELEPHONE_RINGS);
}
END_TEST

static const struct {
	const char *entry;
	int event; /* -1: none */
} outcomes[] = {
	{"1=busy", TELEPHONE_BUSY},
	{"1=no-answer", TELEPHONE_RINGBACK},
	{"1=no-carrier", -1},
	{"1=no-dialtone", TELEPHONE_NO_TONE},
};

START_TEST(the_book_decides)
{
	ck_assert_ptr_null(phone_book_add(&book, outcomes[_i].entry));
	telephone_dial(line, now, 0, "1");
	if (outcomes[_i].event >= 0)
		event(0, outcomes[_i].event);
	no_event();
	telephone_hang_up(line, now, 0);
	no_event();
	ck_assert_ptr_null(phone_book_add(&book, "1=answers"));
	ck_assert_uint_eq(book.count, 1);
	connect();
	ck_assert_uint_eq(telephone_stats(line).dialled, 2);
}
END_TEST

static const char *const no_entries[] = {
	"",       "1",        "=busy",    "1=",
	"1=free", "one=busy", "1-2=busy", "12345678901234567890123456789012=busy",
};

START_TEST(what_is_no_entry_of_the_book)
{
	ck_assert_ptr_nonnull(phone_book_add(&book, no_entries[_i]));
	ck_assert_uint_eq(book.count, 0);
}
END_TEST

START_TEST(the_book_is_full_some_time)
{
	char entry[] = "100=busy";
	for (int i = 0; i < PHONE_BOOK_MAX; i++) {
		entry[1] = (char)('0' + i / 10);
		entry[2] = (char)('0' + i % 10);
		ck_assert_ptr_null(phone_book_add(&book, entry));
	}
	ck_assert_ptr_null(phone_book_add(&book, "100=no-answer"));
	ck_assert_ptr_nonnull(phone_book_add(&book, "2=busy"));
	ck_assert_int_eq(phone_book_find(&book, "100"), PHONE_NO_ANSWER);
	ck_assert_int_eq(phone_book_find(&book, "163"), PHONE_BUSY);
	ck_assert_int_eq(phone_book_find(&book, "2"), PHONE_ANSWERS);
}
END_TEST

/* ---- drops ---- */

START_TEST(drops_after_a_time_in_each_call)
{
	config.drops = TELEPHONE_DROPS_AFTER;
	config.drop_time = 10 * SB_SEC;
	for (unsigned i = 1; i <= 3; i++) {
		connect();
		wait_for(10 * SB_SEC - 1);
		no_event();
		wait_for(1);
		both(TELEPHONE_SILENCE);
		ck_assert_uint_eq(telephone_stats(line).dropped, i);
		wait_for(i * SB_SEC);
	}
}
END_TEST

START_TEST(drops_at_multiples_whatever_call_there_is)
{
	config.drops = TELEPHONE_DROPS_EVERY;
	config.drop_time = 10 * SB_SEC;
	connect(); /* at 5 s */
	ck_assert_int_eq(telephone_deadline(line), 10 * SB_SEC);
	wait_for(5 * SB_SEC);
	both(TELEPHONE_SILENCE);
	wait_for(8 * SB_SEC);
	connect(); /* at 20 s */
	ck_assert_int_eq(telephone_deadline(line), 30 * SB_SEC);
}
END_TEST

/* Of an exponential distribution: mean, and as many beyond twice the mean as there should be. */
START_TEST(drops_at_random)
{
	enum { CALLS = 20000 };
	double sum = 0;
	int long_ones = 0;
	config.drops = TELEPHONE_DROPS_RANDOM;
	config.drop_time = 60 * SB_SEC;
	for (int i = 0; i < CALLS; i++) {
		connect();
		double length = (double)(telephone_deadline(line) - now) / (double)config.drop_time;
		sum += length;
		long_ones += length > 2;
		telephone_hang_up(line, now, 0);
		event(1, TELEPHONE_SILENCE);
	}
	/* five standard deviations of each */
	ck_assert_double_eq_tol(sum / CALLS, 1, 5 / sqrt(CALLS));
	double p = exp(-2);
	ck_assert_double_eq_tol((double)long_ones / CALLS, p, 5 * sqrt(p * (1 - p) / CALLS));
}
END_TEST

START_TEST(drops_when_told)
{
	telephone_drop(line, now);
	no_event();
	connect();
	telephone_drop(line, now);
	both(TELEPHONE_SILENCE);
	telephone_drop(line, now);
	no_event();
	ck_assert_uint_eq(telephone_stats(line).dropped, 1);
	connect();
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("nullmodem: the telephone");
	TCase *t = tcase_create("telephone");
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, rings_until_it_is_answered);
	tcase_add_test(t, either_end_hangs_up);
	tcase_add_test(t, stops_ringing_when_the_caller_gives_up);
	tcase_add_test(t, is_busy_for_who_calls_at_the_same_time);
	tcase_add_test(t, loses_the_call_while_training);
	tcase_add_test(t, a_server_answers_while_somebody_listens);
	tcase_add_test(t, an_end_with_a_number_has_no_other);
	tcase_add_loop_test(t, the_book_decides, 0, sizeof outcomes / sizeof *outcomes);
	tcase_add_loop_test(t, what_is_no_entry_of_the_book, 0,
			    sizeof no_entries / sizeof *no_entries);
	tcase_add_test(t, the_book_is_full_some_time);
	tcase_add_test(t, drops_after_a_time_in_each_call);
	tcase_add_test(t, drops_at_multiples_whatever_call_there_is);
	tcase_add_test(t, drops_at_random);
	tcase_add_test(t, drops_when_told);
	suite_add_tcase(s, t);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(suite());
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
