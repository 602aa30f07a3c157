/* SPDX-License-Identifier: MIT */
/* Calls that come in. */
#include "tests/unit/dialler_testing.h"

static void wait_for_calls(unsigned rings)
{
	config.scripts = 0;
	config.answer = rings ? script_of("ABORT 'NO CARRIER' '' ATA CONNECT") : NULL;
	config.answer_rings = rings;
	create();
	start(true);
	says("\r\nOK\r\n");
	assert_happened("DTR on 'ATZ.'");
	ck_assert_int_eq(dialler_state(dialler), DIALLER_WAITING);
	ck_assert_int_eq(dialler_deadline(dialler), SB_NEVER);
	modem_lines(false, false);
}

START_TEST(rings_are_counted)
{
	wait_for_calls(3);
	for (int i = 0; i < 2; i++, pass(6 * SB_SEC))
		says("\r\nRING\r\n");
	assert_happened("rings rings");
	says("\r\nRING\r\n");
	assert_happened("rings 'ATA.'");
	ck_assert_int_eq(dialler_state(dialler), DIALLER_WAITING);
	says("\r\nCONNECT 28800\r\n~");
	assert_happened("connected");
	ck_assert_uint_eq(connected.bps, 28800);
	ck_assert_uint_eq(dialler_rest(dialler).length, 1);
}
END_TEST

START_TEST(rings_far_apart_are_two_calls)
{
	wait_for_calls(2);
	says("\r\nRING\r\n");
	pass(8001 * SB_MS);
	says("\r\nRING\r\n");
	pass(8001 * SB_MS);
	says("\r\nRING\r\n");
	assert_happened("rings rings rings");
	pass(8 * SB_SEC);
	says("\r\nRING\r\n");
	assert_happened("rings 'ATA.'");
}
END_TEST

START_TEST(the_caller_is_told)
{
	static const char *const ways[] = {"\r\nNMBR=5551234\r\n", "\r\nNMBR = 5551234\r\n",
					   "\r\nDATE=0101\r\nTIME=1200\r\nNMBR=5551234\r\n"};

	wait_for_calls(2);
	says("\r\nRING\r\n");
	says(ways[_i]);
	assert_happened("rings");
	pass(4 * SB_SEC);
	says("\r\nRING\r\n");
	assert_happened("rings5551234 'ATA.'");
	says("\r\nNO CARRIER\r\n");
	pass(SB_SEC);
	assert_happened("failed: no carrier DTR off idle 0.0");
}
END_TEST

START_TEST(a_callers_number_can_be_anything)
{
	static char text[300] = "\r\nNMBR=";

	wait_for_calls(3);
	memset(text + 7, 0xfe, 280);
	says("\r\nRING\r\n");
	says(text);
	says("\r\nRING\r\n");
	what_happened();
	says("\r\nNO CARRIER\r\n");
	pass(20 * SB_SEC);
	says("\r\nNMBR\r\nNMBR=\r\nRING\r\n");
	assert_happened("rings");
}
END_TEST

/* By the word and by the line RI, each ring is one. */
START_TEST(RI_and_the_word_are_one_ring)
{
	wait_for_calls(3);
	for (int i = 0; i < 3; i++) {
		modem_lines(false, true);
		pass(100 * SB_MS);
		says("\r\nRING\r\n");
		pass(1900 * SB_MS);
		modem_lines(false, false);
		pass(4 * SB_SEC);
	}
	assert_happened("rings rings rings 'ATA.'");
}
END_TEST

START_TEST(RI_alone_will_do)
{
	wait_for_calls(2);
	for (int i = 0; i < 2; i++) {
		modem_lines(false, true);
		pass(2 * SB_SEC);
		modem_lines(false, false);
		pass(4 * SB_SEC);
	}
	assert_happened("rings rings 'ATA.'");
}
END_TEST

START_TEST(a_caller_that_gives_up_is_forgotten)
{
	wait_for_calls(2);
	says("\r\nRING\r\n\r\nNO CARRIER\r\n\r\nRING\r\n");
	assert_happened("rings rings");
	pass(3600 * SB_SEC);
	ck_assert_int_eq(dialler_state(dialler), DIALLER_WAITING);
}
END_TEST

START_TEST(an_answer_that_fails_is_over_in_time)
{
	config.dial_timeout = 30 * SB_SEC;
	wait_for_calls(1);
	says("\r\nRING\r\n");
	pass(30 * SB_SEC);
	assert_happened("rings 'ATA.' failed: no modem answers DTR off");
	pass(SB_SEC);
	ck_assert_int_eq(dialler_state(dialler), DIALLER_IDLE);
}
END_TEST

/* --- it answers by itself --- */

START_TEST(auto_answer_says_connect)
{
	wait_for_calls(0);
	says("\r\nRING\r\n");
	pass(2 * SB_SEC);
	says("\r\nCARRIER 14400\r\n\r\nCONNECT 38400\r\n\xc0\x45");
	assert_happened("rings connected");
	ck_assert_uint_eq(connected.bps, 14400);
	ck_assert_uint_eq(dialler_rest(dialler).length, 2);
}
END_TEST

START_TEST(a_silent_modem_raises_the_carrier)
{
	wait_for_calls(0);
	modem_lines(true, false);
	pass(1900 * SB_MS);
	assert_happened("");
	pass(200 * SB_MS);
	assert_happened("connected");
	modem_lines(false, false);
	assert_happened("over: the carrier was lost DTR off");
}
END_TEST

START_TEST(B078_a_carrier_that_flaps_is_no_call)
{
	wait_for_calls(0);
	for (int i = 0; i < 5; i++) {
		modem_lines(true, false);
		pass(200 * SB_MS);
		modem_lines(false, false);
		pass(200 * SB_MS);
	}
	pass(60 * SB_SEC);
	assert_happened("");
	ck_assert_int_eq(dialler_state(dialler), DIALLER_WAITING);
	says("\r\nRING\r\n\r\nCONNECT 2400\r\n");
	assert_happened("rings connected");
}
END_TEST

START_TEST(a_storm_of_rings_is_bounded)
{
	static const char ring[] = "RING\r\n";
	char storm[6000] = "";

	wait_for_calls(0);
	for (size_t n = 0; n + sizeof ring < sizeof storm; n += strlen(ring))
		memcpy(storm + n, ring, sizeof ring);
	dialler_input(dialler, now, bytes_of(storm, strlen(storm)));
	dialler_hang_up(dialler, now, now, DIALLER_FINE);
	drain();
	pass(SB_SEC);
	ck_assert_int_eq(dialler_state(dialler), DIALLER_IDLE);
	ck_assert_ptr_nonnull(strstr(what_happened(), "DTR off idle"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dialler_ring");
	TCase *ring = new_case(suite, "ring"), *by_itself = new_case(suite, "by itself");

	tcase_add_test(ring, rings_are_counted);
	tcase_add_test(ring, rings_far_apart_are_two_calls);
	tcase_add_loop_test(ring, the_caller_is_told, 0, 3);
	tcase_add_test(ring, a_callers_number_can_be_anything);
	tcase_add_test(ring, RI_and_the_word_are_one_ring);
	tcase_add_test(ring, RI_alone_will_do);
	tcase_add_test(ring, a_caller_that_gives_up_is_forgotten);
	tcase_add_test(ring, an_answer_that_fails_is_over_in_time);
	tcase_add_test(by_itself, auto_answer_says_connect);
	tcase_add_test(by_itself, a_silent_modem_raises_the_carrier);
	tcase_add_test(by_itself, B078_a_carrier_that_flaps_is_no_call);
	tcase_add_test(by_itself, a_storm_of_rings_is_bounded);
	return run_suite(suite);
}
