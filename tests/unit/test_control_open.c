/* SPDX-License-Identifier: MIT */
/*
 * Control protocols: how they stay open, and how they end.
 */
#include "tests/unit/control_fake.h"

/* --- open --- */

START_TEST(B037_peer_begins_anew)
{
	peer_says(CODE_CONFIGURE_REQUEST, 0x31, "01 04 00 08");
	assert_happened(CONTROL_DOWN);
	assert_state(STATE_REQ_SENT);
	ck_assert_int_eq(fake.begun, 2);
	we_say(CODE_CONFIGURE_REQUEST, 2, "01 04 00 07");
	we_say(CODE_CONFIGURE_NAK, 0x31, "01 04 00 07");
	peer_says(CODE_CONFIGURE_REQUEST, 0x32, "");
	peer_says(CODE_CONFIGURE_ACK, 2, "01 04 00 07");
	assert_happened(CONTROL_UP);
}
END_TEST

START_TEST(B037_down_and_up_in_one_read)
{
	peer_says(CODE_CONFIGURE_REQUEST, 0x31, "01 04 00 07");
	peer_says(CODE_CONFIGURE_ACK, 2, "01 04 00 07");
	assert_happened(CONTROL_DOWN | CONTROL_UP);
}
END_TEST

START_TEST(B037_up_that_nobody_saw_is_not_told)
{
	fake_start();
	peer_says(CODE_CONFIGURE_REQUEST, 1, "");
	peer_says(CODE_CONFIGURE_ACK, 1, "01 04 00 07");
	peer_says(CODE_TERMINATE_REQUEST, 2, "");
	assert_happened(CONTROL_DOWN);
}
END_TEST

START_TEST(B037_the_same_request_five_times)
{
	for (int i = 0; i < 5; i++) {
		pass(200 * SB_MS);
		peer_says(CODE_CONFIGURE_REQUEST, 0x30, "01 04 00 07");
		we_say(CODE_CONFIGURE_ACK, 0x30, "01 04 00 07");
	}
	assert_happened(CONTROL_ASKED_AGAIN);
	we_say_nothing();
	ck_assert_int_eq(fake.begun, 1);
}
END_TEST

/* Same identifier, other options: no repetition. And one long after is none either. */
START_TEST(B037_the_same_identifier_only)
{
	peer_says(CODE_CONFIGURE_REQUEST, 0x30, "");
	assert_happened(CONTROL_DOWN);
}
END_TEST

START_TEST(B037_the_same_request_long_after)
{
	pass(9 * SB_SEC);
	peer_says(CODE_CONFIGURE_REQUEST, 0x30, "01 04 00 07");
	assert_happened(CONTROL_DOWN);
}
END_TEST

START_TEST(unknown_code_is_rejected)
{
	peer_says(14, 0x55, "01 02 03");
	we_say(CODE_CODE_REJECT, 1, "0e 55 00 07 01 02 03");
	peer_says(0, 0x56, "");
	we_say(CODE_CODE_REJECT, 2, "00 56 00 04");
	assert_happened(0);
	assert_state(STATE_OPENED);
}
END_TEST

START_TEST(B046_rejected_packet_is_cut_short)
{
	static uint8_t data[1400];

	control_input(&control, now, packet_of(14, 1, bytes_of(data, sizeof data)));
	ck_assert_uint_eq(taken_from(&box, FAKE_PROTOCOL).length, 4 + 64);
}
END_TEST

START_TEST(code_of_its_own)
{
	peer_says(9, 1, "00 00 00 00");
	ck_assert_int_eq(fake.packets, 1);
	we_say_nothing();
}
END_TEST

START_TEST(code_reject_of_what_can_be_missed)
{
	peer_says(CODE_CODE_REJECT, 1, "0c 01 00 04");
	peer_says(CODE_CODE_REJECT, 2, "00 01 00 04");
	peer_says(CODE_CODE_REJECT, 3, "08 01 00 04");
	assert_happened(0);
	assert_state(STATE_OPENED);
}
END_TEST

/* --- the end --- */

START_TEST(B045_silence_ends)
{
	pass(30 * SB_SEC - 1);
	assert_happened(0);
	pass(1);
	assert_happened(CONTROL_FINISHED);
	ck_assert_int_eq(control.end, CONTROL_NO_REPLY);
	ck_assert_int_eq(control_deadline(&control), SB_NEVER);
	ck_assert_uint_eq(box.count, 9); /* and the first, taken at once */
}
END_TEST

START_TEST(we_close)
{
	control_close(&control, now);
	assert_happened(CONTROL_DOWN);
	we_say(CODE_TERMINATE_REQUEST, 2, "");
	peer_says(CODE_TERMINATE_ACK, 2, "");
	assert_happened(CONTROL_FINISHED);
	ck_assert_int_eq(control.end, CONTROL_WE_CLOSED);
	peer_says(CODE_CONFIGURE_REQUEST, 7, "");
	we_say(CODE_TERMINATE_ACK, 7, "");
	assert_happened(0);
}
END_TEST

START_TEST(we_close_unanswered)
{
	control_close(&control, now);
	pass(6 * SB_SEC);
	assert_happened(CONTROL_DOWN | CONTROL_FINISHED);
	ck_assert_int_eq(control.end, CONTROL_WE_CLOSED);
	ck_assert_uint_eq(box.count, 2);
}
END_TEST

START_TEST(peer_closes)
{
	peer_says(CODE_TERMINATE_REQUEST, 8, "62 79 65");
	assert_happened(CONTROL_DOWN);
	we_say(CODE_TERMINATE_ACK, 8, "");
	pass(3 * SB_SEC);
	assert_happened(CONTROL_FINISHED);
	ck_assert_int_eq(control.end, CONTROL_PEER_CLOSED);
	we_say_nothing();
}
END_TEST

START_TEST(code_reject_of_what_cannot)
{
	peer_says(CODE_CODE_REJECT, 1, "02 01 00 04");
	assert_happened(CONTROL_DOWN);
	ck_assert_int_eq(control.end, CONTROL_PEER_REJECTED);
	we_say(CODE_TERMINATE_REQUEST, 2, "");
	peer_says(CODE_TERMINATE_ACK, 2, "");
	assert_happened(CONTROL_FINISHED);
}
END_TEST

START_TEST(protocol_reject)
{
	fake_start();
	control_protocol_rejected(&control, now);
	assert_happened(CONTROL_FINISHED);
	ck_assert_int_eq(control.end, CONTROL_PEER_REJECTED);
	ck_assert_int_eq(control_deadline(&control), SB_NEVER);
}
END_TEST

START_TEST(down_and_up_begin_anew)
{
	control_down(&control, now);
	assert_happened(CONTROL_DOWN);
	peer_says(CODE_CONFIGURE_REQUEST, 1, "");
	we_say_nothing();
	control_up(&control, now);
	ck_assert_int_eq(fake.begun, 2);
	we_say(CODE_CONFIGURE_REQUEST, 2, "01 04 00 07");
	assert_stray(CODE_CONFIGURE_ACK, 1);
}
END_TEST

static void add_case(Suite *suite, const char *name, void (*setup)(void), const TTest *const *tests)
{
	TCase *test_case = tcase_create(name);

	tcase_add_checked_fixture(test_case, setup, NULL);
	for (; *tests; tests++)
		tcase_add_test(test_case, *tests);
	suite_add_tcase(suite, test_case);
}

int main(void)
{
	Suite *suite = suite_create("control, open");

	add_case(suite, "open", fake_opened,
		 (const TTest *[]){
			 B037_peer_begins_anew,
			 B037_down_and_up_in_one_read,
			 B037_up_that_nobody_saw_is_not_told,
			 B037_the_same_request_five_times,
			 B037_the_same_identifier_only,
			 B037_the_same_request_long_after,
			 unknown_code_is_rejected,
			 B046_rejected_packet_is_cut_short,
			 code_of_its_own,
			 code_reject_of_what_can_be_missed,
			 we_close,
			 we_close_unanswered,
			 peer_closes,
			 code_reject_of_what_cannot,
			 protocol_reject,
			 down_and_up_begin_anew,
			 NULL,
		 });
	add_case(suite, "silence", fake_start, (const TTest *[]){B045_silence_ends, NULL});
	return run_suite(suite);
}
