/* SPDX-License-Identifier: MIT */
/* Cables, quantities and timetables from text. */
#include <check.h>

#include "src/nullmodem/spec.h"
#include "src/nullmodem/units.h"

/* ---- quantities ---- */

static const struct {
	const char *text;
	sb_time ns;
} times[] = {
	{"0", 0},
	{"3", 3 * SB_SEC},
	{"250ms", 250 * SB_MS},
	{"1.5s", 1500 * SB_MS},
	{".5ms", 500 * SB_US},
	{"10us", 10 * SB_US},
	{"7ns", 7},
	{"2m", 120 * SB_SEC},
	{"1h", 3600 * SB_SEC},
};

START_TEST(times_are_read)
{
	sb_time t;
	ck_assert(parse_time(times[_i].text, &t));
	ck_assert_int_eq(t, times[_i].ns);
}
END_TEST

static const char *const not_times[] = {"",      "s",        "-1s",        "+1s", "1x",
					" 1s",   "1s ",      "inf",        "nan", "0x10",
					"1e400", "300000h0", "9999999999h"};

START_TEST(no_times)
{
	sb_time t;
	ck_assert(!parse_time(not_times[_i], &t));
}
END_TEST

START_TEST(sizes)
{
	uint64_t v;
	ck_assert(parse_size("64", &v) && v == 64);
	ck_assert(parse_size("64K", &v) && v == 65536);
	ck_assert(parse_size("300k", &v) && v == 307200);
	ck_assert(parse_size("1M", &v) && v == 1048576);
	ck_assert(!parse_size("K", &v));
	ck_assert(!parse_size("1.5K", &v));
	ck_assert(!parse_size("1KB", &v));
	ck_assert(!parse_size("18446744073709551615K", &v));
	ck_assert(!parse_size("18446744073709551616", &v));
}
END_TEST

START_TEST(probabilities)
{
	double p;
	ck_assert(parse_probability("1e-5", &p) && p > 0.99e-5 && p < 1.01e-5);
	ck_assert(parse_probability("0", &p) && p <= 0);
	ck_assert(parse_probability("1", &p) && p >= 1);
	ck_assert(!parse_probability("1.1", &p));
	ck_assert(!parse_probability("-0.1", &p));
	ck_assert(!parse_probability("5%", &p));
	ck_assert(!parse_probability("nan", &p));
}
END_TEST

/* ---- cables ---- */

static struct cable_spec parsed(const char *text)
{
	struct cable_spec spec;
	struct spec_error error = {""};
	ck_assert_msg(spec_parse(&spec, text, 3, &error), "%s: %s", text, error.text);
	return spec;
}

START_TEST(a_cable_has_defaults)
{
	struct cable_spec s = parsed("/tmp/a,unix:/tmp/b");
	ck_assert_str_eq(s.name, "cable3");
	ck_assert_str_eq(s.end[0], "/tmp/a");
	ck_assert_str_eq(s.end[1], "unix:/tmp/b");
	for (unsigned d = AB; d <= BA; d++) {
		ck_assert_uint_eq(s.wire[d].bps, 0);
		ck_assert_uint_eq(s.wire[d].bits_per_char, 10);
		ck_assert_uint_eq(s.wire[d].buffer, 64);
		ck_assert_int_eq(s.wire[d].delay, 0);
	}
	ck_assert_uint_eq(s.hangups.count, 0);
	ck_assert_str_eq(s.record, "");
}
END_TEST

START_TEST(keys_go_to_both_ways_or_to_one)
{
	struct cable_spec s = parsed("a,b,name=x,bps=28800,ab.bps=33600,bits=11,ba.buffer=64K,"
				     "ab.delay=250ms,drop=0.25,ba.byte-errors=0.5,bit-errors=1,"
				     "burst=16,ab.stop=1,ab.receiver=1M,hangup=10s+2s,hangup=every:"
				     "60s+5s,record=/tmp/x.rec");
	ck_assert_str_eq(s.name, "x");
	ck_assert_uint_eq(s.wire[AB].bps, 33600);
	ck_assert_uint_eq(s.wire[BA].bps, 28800);
	ck_assert_uint_eq(s.wire[AB].bits_per_char, 11);
	ck_assert_uint_eq(s.wire[BA].bits_per_char, 11);
	ck_assert_uint_eq(s.wire[AB].buffer, 64);
	ck_assert_uint_eq(s.wire[BA].buffer, 65536);
	ck_assert_int_eq(s.wire[AB].delay, 250 * SB_MS);
	ck_assert_int_eq(s.wire[BA].delay, 0);
	ck_assert_double_eq(s.wire[AB].noise.drop, 0.25);
	ck_assert_double_eq(s.wire[AB].noise.byte_errors, 0);
	ck_assert_double_eq(s.wire[BA].noise.byte_errors, 0.5);
	ck_assert_double_eq(s.wire[BA].noise.bit_errors, 1);
	ck_assert_uint_eq(s.wire[BA].burst, 16);
	ck_assert_uint_eq(s.wire[AB].stop, 1);
	ck_assert_uint_eq(s.wire[BA].stop, 0);
	ck_assert_uint_eq(s.wire[AB].receiver, 1 << 20);
	ck_assert_uint_eq(s.wire[BA].receiver, 0);
	ck_assert_uint_eq(s.hangups.count, 2);
	ck_assert_str_eq(s.record, "/tmp/x.rec");
}
END_TEST

START_TEST(cells_have_keys)
{
	struct cable_spec s =
		parsed("a,b,bps=16309000,ba.bps=2544000,cells=atm,overhead=40,ba.overhead=-14,"
		       "buffer=300ms,buffer-full=drop,ba.buffer-full=wait");
	ck_assert_uint_eq(s.wire[AB].bps, 16309000);
	ck_assert_uint_eq(s.wire[BA].bps, 2544000);
	ck_assert_uint_eq(s.wire[AB].cells, WIRE_CELLS_ATM);
	ck_assert_int_eq(s.wire[AB].overhead, 40);
	ck_assert_int_eq(s.wire[BA].overhead, -14);
	ck_assert_int_eq(s.wire[AB].buffer_time, 300 * SB_MS);
	ck_assert_uint_eq(s.wire[AB].full, WIRE_FULL_DROPS);
	ck_assert_uint_eq(s.wire[BA].full, WIRE_FULL_WAITS);
	struct spec_error error;
	ck_assert(spec_set(&s, "buffer=64K", &error));
	ck_assert_int_eq(s.wire[AB].buffer_time, 0);
	ck_assert(!spec_set(&s, "cells=none", &error));
	ck_assert_ptr_nonnull(strstr(error.text, "stay where they are"));
}
END_TEST

START_TEST(modems_have_keys)
{
	struct cable_spec s = parsed(
		"a,b,modem=yes,a.init=e0 s0=1,connect-text=28800/ARQ V34,a.noise=7,b.slow=200ms,"
		"b.ath=no-carrier,a.dte=38400,number=5551234,a.number=5550000,answers-after=3s,"
		"ring-every=1s,train=500ms,drop-call=random:1m");
	ck_assert(spec_has_modem(&s));
	ck_assert(s.modem[0].present && s.modem[1].present);
	ck_assert_str_eq(s.modem[0].hayes.profile, "E0S0=1");
	ck_assert_str_eq(s.modem[1].hayes.profile, "");
	ck_assert_str_eq(s.modem[1].hayes.connect, "28800/ARQ V34");
	ck_assert_uint_eq(s.modem[0].hayes.noise, 7);
	ck_assert_uint_eq(s.modem[1].hayes.noise, 0);
	ck_assert_int_eq(s.modem[1].hayes.slow, 200 * SB_MS);
	ck_assert_int_eq(s.modem[0].hayes.on_hook, HAYES_SAYS_OK);
	ck_assert_int_eq(s.modem[1].hayes.on_hook, HAYES_SAYS_NO_CARRIER);
	ck_assert_uint_eq(s.modem[0].dte, 38400);
	ck_assert_str_eq(s.telephone.number[0], "5550000");
	ck_assert_str_eq(s.telephone.number[1], "5551234");
	ck_assert_int_eq(s.telephone.answers_after, 3 * SB_SEC);
	ck_assert_int_eq(s.telephone.ring_every, SB_SEC);
	ck_assert_int_eq(s.telephone.train, 500 * SB_MS);
	ck_assert_int_eq(s.telephone.drops, TELEPHONE_DROPS_RANDOM);
	ck_assert_int_eq(s.telephone.drop_time, 60 * SB_SEC);
	s = parsed("a,b,a.modem=yes,b.number=1,noise=5");
	ck_assert(s.modem[0].present && !s.modem[1].present);
	s = parsed("a,b");
	ck_assert(!spec_has_modem(&s));
}
END_TEST

START_TEST(what_may_change_of_a_modem)
{
	struct cable_spec s = parsed("a,b,a.modem=yes,drop-call=every:10s");
	struct spec_error error;
	ck_assert(spec_set(&s, "connect-text=9600", &error));
	ck_assert(spec_set(&s, "drop-call=no", &error));
	ck_assert(spec_set(&s, "a.number=", &error));
	ck_assert(!spec_set(&s, "a.modem=no", &error));
	ck_assert_ptr_nonnull(strstr(error.text, "modems and cells stay where they are"));
	ck_assert(!spec_set(&s, "b.noise=3", &error));
	ck_assert_int_eq(s.telephone.drops, TELEPHONE_KEEPS);
}
END_TEST

static const struct {
	const char *text, *why;
} wrongs[] = {
	{"", "an end is missing"},
	{"a", "an end is missing"},
	{"a,", "an end is missing"},
	{",b", "an end is missing"},
	{"a,unix:", "an end is missing"},
	{"a,a", "both ends are the same"},
	{"a,bps=300", "not an end"},
	{"a,b,bps", "not key=value"},
	{"a,b,=1", "not key=value"},
	{"a,b,", NULL}, /* a comma too many is no harm */
	{"a,b,speed=1", "speed=1: no such key"},
	{"a,b,cd.bps=300", "no such key"},
	{"a,b,bps=fast", "bps=fast: not a number"},
	{"a,b,bps=10", "below 50"},
	{"a,b,bps=-300", "not a number"},
	{"a,b,bps=2000000000", "out of range"},
	{"a,b,bits=7", "out of range"},
	{"a,b,bits=13", "out of range"},
	{"a,b,buffer=0", "out of range"},
	{"a,b,buffer=64X", "neither a size nor a time"},
	{"a,b,buffer=0ms", "neither a size nor a time"},
	{"a,b,buffer=17M", "out of range"},
	{"a,b,bps=300,buffer=2m", "out of range"},
	{"a,b,buffer=300ms", "a time takes a rate"},
	{"a,b,bps=1000000000,buffer=1s", "more than"},
	{"a,b,buffer-full=stop", "no such word"},
	{"a,b,cells=atm", "they take a rate"},
	{"a,b,bps=9600,cells=ptm", "no such word"},
	{"a,b,bps=100000000,cells=atm,delay=1s", "of cells under way"},
	{"a,b,overhead=257", "out of range"},
	{"a,b,overhead=-65", "out of range"},
	{"a,b,overhead=few", "not a number"},
	{"a,b,overhead=-", "not a number"},
	{"a,b,receiver=much", "not a size"},
	{"a,b,receiver=17M", "out of range"},
	{"a,b,delay=soon", "not a time"},
	{"a,b,delay=2m", "out of range"},
	{"a,b,bps=1000000000,delay=60s", "characters under way"},
	{"a,b,drop=2", "not a probability"},
	{"a,b,name=", "not a word"},
	{"a,b,record=", "not a path"},
	{"a,b,ab.record=x", "no such key"},
	{"a,b,name=two words", "not a word"},
	{"a,b,hangup=10s", "not AT+FOR"},
	{"a,b,hangup=+2s", "not AT+FOR"},
	{"a,b,hangup=1s+0s", "takes no time"},
	{"a,b,hangup=every:5s+5s", "longer than its period"},
	{"a,b,modem=perhaps", "modem=perhaps: not yes or no"},
	{"a,b,a.noise=3", "no a.modem=yes"},
	{"a,b,a.modem=yes,b.init=E0", "no b.modem=yes"},
	{"a,b,modem=yes,init=E0DT1", "not a row of settings"},
	{"a,b,modem=yes,number=home", "not a telephone number"},
	{"a,b,modem=yes,noise=100000", "out of range"},
	{"a,b,modem=yes,ath=no", "not ok, no-carrier or nothing"},
	{"a,b,modem=yes,slow=very", "not a time"},
	{"a,b,modem=yes,dte=fast", "not a number"},
	{"a,b,modem=yes,ring-every=0", "out of range"},
	{"a,b,modem=yes,drop-call=10s", "not after:TIME"},
	{"a,b,modem=yes,drop-call=every:0", "out of range"},
	{"a,b,modem=yes,drop-call=random:x", "not a time"},
	{"a,b,modem=yes,a.train=3s", "no such key"},
	{"a,b,modem=yes,c.noise=3", "no such key"},
};

START_TEST(wrong_cables_say_why)
{
	struct cable_spec spec;
	struct spec_error error = {""};
	bool ok = spec_parse(&spec, wrongs[_i].text, 0, &error);
	ck_assert_int_eq(ok, wrongs[_i].why == NULL);
	if (!ok)
		ck_assert_msg(strstr(error.text, wrongs[_i].why), "%s: %s", wrongs[_i].text,
			      error.text);
}
END_TEST

START_TEST(a_setting_that_is_wrong_changes_nothing)
{
	struct cable_spec s = parsed("a,b,bps=9600");
	struct spec_error error;
	ck_assert(spec_set(&s, "ab.bps=19200", &error));
	ck_assert_uint_eq(s.wire[AB].bps, 19200);
	ck_assert_uint_eq(s.wire[BA].bps, 9600);
	ck_assert(!spec_set(&s, "bps=20", &error));
	ck_assert(!spec_set(&s, "name=other", &error));
	ck_assert(!spec_set(&s, "record=/tmp/x", &error));
	ck_assert(!spec_set(&s, "bps", &error));
	ck_assert_uint_eq(s.wire[AB].bps, 19200);
	ck_assert_uint_eq(s.wire[BA].bps, 9600);
}
END_TEST

/* ---- timetables ---- */

START_TEST(an_outage_is_from_at_for_its_length)
{
	struct timetable t = {0};
	ck_assert_ptr_null(timetable_add(&t, "10s+2s"));
	ck_assert_int_eq(timetable_next(&t, 0), 10 * SB_SEC);
	ck_assert(!timetable_is_out(&t, 0, 10 * SB_SEC - 1));
	ck_assert(timetable_is_out(&t, 0, 10 * SB_SEC));
	ck_assert_int_eq(timetable_next(&t, 10 * SB_SEC), 12 * SB_SEC);
	ck_assert(timetable_is_out(&t, 0, 12 * SB_SEC - 1));
	ck_assert(!timetable_is_out(&t, 0, 12 * SB_SEC));
	ck_assert_int_eq(timetable_next(&t, 12 * SB_SEC), SB_NEVER);
}
END_TEST

START_TEST(a_periodic_outage_comes_again_and_again)
{
	struct timetable t = {0};
	ck_assert_ptr_null(timetable_add(&t, "every:60s+5s"));
	ck_assert(!timetable_is_out(&t, 0, 0));
	ck_assert_int_eq(timetable_next(&t, 0), 60 * SB_SEC);
	ck_assert(timetable_is_out(&t, 0, 6000 * SB_SEC));
	ck_assert(!timetable_is_out(&t, 0, 6005 * SB_SEC));
	ck_assert_int_eq(timetable_next(&t, 6001 * SB_SEC), 6005 * SB_SEC);
	ck_assert_int_eq(timetable_next(&t, 6005 * SB_SEC), 6060 * SB_SEC);
}
END_TEST

START_TEST(an_outage_that_was_ended_early_stays_ended)
{
	struct timetable t = {0};
	ck_assert_ptr_null(timetable_add(&t, "every:10s+5s"));
	sb_time returned = 11 * SB_SEC;
	ck_assert(!timetable_is_out(&t, returned, 12 * SB_SEC));
	ck_assert(timetable_is_out(&t, returned, 20 * SB_SEC));
}
END_TEST

START_TEST(overlapping_outages_join)
{
	struct timetable t = {0};
	ck_assert_ptr_null(timetable_add(&t, "1s+3s"));
	ck_assert_ptr_null(timetable_add(&t, "2s+4s"));
	for (int s = 0; s < 8; s++)
		ck_assert_int_eq(timetable_is_out(&t, 0, s * SB_SEC), s >= 1 && s < 6);
}
END_TEST

START_TEST(the_timetable_has_an_end)
{
	struct timetable t = {0};
	for (int i = 0; i < OUTAGE_MAX; i++)
		ck_assert_ptr_null(timetable_add(&t, "1s+1s"));
	ck_assert_ptr_nonnull(timetable_add(&t, "1s+1s"));
}
END_TEST

static void add_text(Suite *s)
{
	TCase *t = tcase_create("quantities");
	tcase_add_loop_test(t, times_are_read, 0, sizeof times / sizeof *times);
	tcase_add_loop_test(t, no_times, 0, sizeof not_times / sizeof *not_times);
	tcase_add_test(t, sizes);
	tcase_add_test(t, probabilities);
	suite_add_tcase(s, t);

	t = tcase_create("cables");
	tcase_add_test(t, a_cable_has_defaults);
	tcase_add_test(t, keys_go_to_both_ways_or_to_one);
	tcase_add_test(t, cells_have_keys);
	tcase_add_test(t, modems_have_keys);
	tcase_add_test(t, what_may_change_of_a_modem);
	tcase_add_loop_test(t, wrong_cables_say_why, 0, sizeof wrongs / sizeof *wrongs);
	tcase_add_test(t, a_setting_that_is_wrong_changes_nothing);
	suite_add_tcase(s, t);
}

static void add_timetables(Suite *s)
{
	TCase *t = tcase_create("timetables");
	tcase_add_test(t, an_outage_is_from_at_for_its_length);
	tcase_add_test(t, a_periodic_outage_comes_again_and_again);
	tcase_add_test(t, an_outage_that_was_ended_early_stays_ended);
	tcase_add_test(t, overlapping_outages_join);
	tcase_add_test(t, the_timetable_has_an_end);
	suite_add_tcase(s, t);
}

int main(void)
{
	Suite *s = suite_create("nullmodem spec");
	add_text(s);
	add_timetables(s);
	SRunner *runner = srunner_create(s);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
