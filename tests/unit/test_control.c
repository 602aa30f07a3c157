/* SPDX-License-Identifier: MIT */
/*
 * Control protocols: how they open, with packets lost and late.
 */
#include "tests/unit/control_fake.h"

/* --- opening --- */

START_TEST(peers_request_first)
{
	peer_says(CODE_CONFIGURE_REQUEST, 9, "01 04 00 07");
	we_say(CODE_CONFIGURE_ACK, 9, "01 04 00 07");
	assert_state(STATE_ACK_SENT);
	assert_happened(0);
	peer_says(CODE_CONFIGURE_ACK, 1, "01 04 00 07");
	assert_happened(CONTROL_UP);
	ck_assert_int_eq(fake.acked, 1);
	ck_assert_int_eq(fake.begun, 1);
	ck_assert_int_eq(control_deadline(&control), SB_NEVER);
}
END_TEST

START_TEST(our_ack_first)
{
	peer_says(CODE_CONFIGURE_ACK, 1, "01 04 00 07");
	assert_state(STATE_ACK_RCVD);
	peer_says(CODE_CONFIGURE_REQUEST, 9, "");
	we_say(CODE_CONFIGURE_ACK, 9, "");
	assert_happened(CONTROL_UP);
}
END_TEST

START_TEST(peer_is_naked_and_gives_in)
{
	peer_says(CODE_CONFIGURE_REQUEST, 1, "01 04 00 08");
	we_say(CODE_CONFIGURE_NAK, 1, "01 04 00 07");
	peer_says(CODE_CONFIGURE_REQUEST, 2, "01 04 00 07");
	we_say(CODE_CONFIGURE_ACK, 2, "01 04 00 07");
}
END_TEST

/* A Reject goes first, with only what is rejected, as it came and in its order. */
START_TEST(reject_before_nak)
{
	peer_says(CODE_CONFIGURE_REQUEST, 1, "05 03 ff 01 04 00 08 02 02");
	we_say(CODE_CONFIGURE_REJECT, 1, "05 03 ff 02 02");
}
END_TEST

START_TEST(we_are_naked_and_give_in)
{
	peer_says(CODE_CONFIGURE_NAK, 1, "01 04 00 09");
	we_say(CODE_CONFIGURE_REQUEST, 2, "01 04 00 09");
	peer_says(CODE_CONFIGURE_REJECT, 2, "01 04 00 09");
	we_say(CODE_CONFIGURE_REQUEST, 3, "");
	peer_says(CODE_CONFIGURE_ACK, 3, "");
	assert_state(STATE_ACK_RCVD);
}
END_TEST

START_TEST(B036_two_packets_in_one_read)
{
	peer_says(CODE_CONFIGURE_ACK, 1, "01 04 00 07");
	peer_says(CODE_CONFIGURE_REQUEST, 2, "02 02");
	peer_says(CODE_CONFIGURE_REQUEST, 3, "");
	we_say(CODE_CONFIGURE_REJECT, 2, "02 02");
	we_say(CODE_CONFIGURE_ACK, 3, "");
	assert_happened(CONTROL_UP);
}
END_TEST

/* Passive in Stopped: RFC 1661 section 4.1, note [p]. */
START_TEST(peer_begins_after_we_gave_up)
{
	pass(30 * SB_SEC);
	assert_happened(CONTROL_FINISHED);
	outbox_clear(&box);
	peer_says(CODE_CONFIGURE_REQUEST, 1, "");
	we_say(CODE_CONFIGURE_REQUEST, 2, "01 04 00 07");
	we_say(CODE_CONFIGURE_ACK, 1, "");
	assert_state(STATE_ACK_SENT);
	ck_assert_int_eq(fake.begun, 2);
	ck_assert_int_eq(control.end, CONTROL_NO_END);
}
END_TEST

/* --- lost and late --- */

START_TEST(unanswered_request_goes_out_again_with_its_identifier)
{
	pass(3 * SB_SEC);
	we_say(CODE_CONFIGURE_REQUEST, 1, "01 04 00 07");
	peer_says(CODE_CONFIGURE_ACK, 1, "01 04 00 07");
	assert_state(STATE_ACK_RCVD);
}
END_TEST

START_TEST(answered_request_goes_out_again_with_another)
{
	peer_says(CODE_CONFIGURE_ACK, 1, "01 04 00 07");
	pass(3 * SB_SEC);
	we_say(CODE_CONFIGURE_REQUEST, 2, "01 04 00 07");
}
END_TEST

START_TEST(B035_timer_runs_in_ack_rcvd)
{
	pass(2 * SB_SEC);
	peer_says(CODE_CONFIGURE_ACK, 1, "01 04 00 07");
	pass(3 * SB_SEC - 1);
	assert_state(STATE_ACK_RCVD);
	we_say_nothing();
	pass(1);
	assert_state(STATE_REQ_SENT);
	we_say(CODE_CONFIGURE_REQUEST, 2, "01 04 00 07");
}
END_TEST

START_TEST(answers_to_no_question)
{
	assert_stray(CODE_CONFIGURE_ACK, 2);
	assert_stray(CODE_CONFIGURE_NAK, 0);
	assert_stray(CODE_CONFIGURE_REJECT, 255);
	peer_says(CODE_CONFIGURE_ACK, 1, "01 04 00 07");
	assert_stray(CODE_CONFIGURE_ACK, 1);
	assert_stray(CODE_CONFIGURE_NAK, 1);
	peer_says(CODE_CONFIGURE_REQUEST, 1, "");
	outbox_clear(&box);
	assert_happened(CONTROL_UP);
	assert_stray(CODE_CONFIGURE_ACK, 1);
	assert_stray(CODE_CONFIGURE_REJECT, 1);
}
END_TEST

/* It came up after we spoke: it hears us before our Ack, and does not wait for the timer. */
START_TEST(request_again_for_a_peer_that_was_not_there)
{
	pass(100 * SB_MS);
	peer_says(CODE_CONFIGURE_REQUEST, 5, "");
	we_say(CODE_CONFIGURE_REQUEST, 1, "01 04 00 07");
	we_say(CODE_CONFIGURE_ACK, 5, "");
	ck_assert_int_eq(control_deadline(&control), now + 3 * SB_SEC);
	peer_says(CODE_CONFIGURE_REQUEST, 6, "");
	we_say(CODE_CONFIGURE_ACK, 6, "");
	we_say_nothing();
}
END_TEST

START_TEST(request_again_only_once)
{
	pass(SB_SEC);
	peer_says(CODE_CONFIGURE_REQUEST, 5, "02 02");
	we_say(CODE_CONFIGURE_REQUEST, 1, "01 04 00 07");
	we_say(CODE_CONFIGURE_REJECT, 5, "02 02");
	pass(SB_SEC);
	peer_says(CODE_CONFIGURE_REQUEST, 6, "02 02");
	we_say(CODE_CONFIGURE_REJECT, 6, "02 02");
	we_say_nothing();
}
END_TEST

START_TEST(request_again_in_each_negotiation)
{
	peer_says(CODE_CONFIGURE_REQUEST, 5, "02 02");
	outbox_clear(&box);
	control_down(&control, now);
	control_up(&control, now);
	outbox_clear(&box);
	pass(SB_SEC);
	peer_says(CODE_CONFIGURE_REQUEST, 5, "");
	we_say(CODE_CONFIGURE_REQUEST, 2, "01 04 00 07");
	we_say(CODE_CONFIGURE_ACK, 5, "");
}
END_TEST

START_TEST(request_not_again_when_it_is_young)
{
	pass(SB_MS - 1);
	peer_says(CODE_CONFIGURE_REQUEST, 5, "");
	we_say(CODE_CONFIGURE_ACK, 5, "");
	we_say_nothing();
}
END_TEST

START_TEST(request_not_again_when_it_has_an_answer)
{
	peer_says(CODE_CONFIGURE_ACK, 1, "01 04 00 07");
	pass(SB_SEC);
	peer_says(CODE_CONFIGURE_REQUEST, 5, "02 02");
	we_say(CODE_CONFIGURE_REJECT, 5, "02 02");
	we_say_nothing();
}
END_TEST

/* The last of our requests is out; then the peer comes: it gets all its time. */
START_TEST(a_late_peer_is_not_given_up)
{
	pass(29 * SB_SEC);
	outbox_clear(&box);
	peer_says(CODE_CONFIGURE_REQUEST, 5, "02 02");
	pass(20 * SB_SEC);
	assert_state(STATE_REQ_SENT);
	assert_happened(0);
}
END_TEST

/* RFC 1661 section 4.1: no end, while nothing was open. */
START_TEST(terminate_request_before_it_is_open)
{
	peer_says(CODE_TERMINATE_REQUEST, 3, "");
	we_say(CODE_TERMINATE_ACK, 3, "");
	assert_state(STATE_REQ_SENT);
	assert_happened(0);
	ck_assert_int_eq(control.end, CONTROL_NO_END);
}
END_TEST

START_TEST(opened_and_closed_unseen)
{
	control_init(&control, &fake_kind, &fake, &box, &usual_timers);
	control_open(&control, now);
	control_close(&control, now);
	assert_happened(CONTROL_FINISHED);
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
	Suite *suite = suite_create("control");

	add_case(suite, "opening", fake_start,
		 (const TTest *[]){
			 peers_request_first,
			 our_ack_first,
			 peer_is_naked_and_gives_in,
			 reject_before_nak,
			 we_are_naked_and_give_in,
			 B036_two_packets_in_one_read,
			 peer_begins_after_we_gave_up,
			 NULL,
		 });
	add_case(suite, "lost and late", fake_start,
		 (const TTest *[]){
			 unanswered_request_goes_out_again_with_its_identifier,
			 answered_request_goes_out_again_with_another,
			 B035_timer_runs_in_ack_rcvd,
			 answers_to_no_question,
			 request_again_for_a_peer_that_was_not_there,
			 request_again_only_once,
			 request_again_in_each_negotiation,
			 request_not_again_when_it_is_young,
			 terminate_request_before_it_is_open,
			 opened_and_closed_unseen,
			 request_not_again_when_it_has_an_answer,
			 a_late_peer_is_not_given_up,
			 NULL,
		 });
	return run_suite(suite);
}
