/* SPDX-License-Identifier: MIT */
/*
 * PAP: packets, then who proves what to whom.
 */
#include "tests/unit/auth_testing.h"

/* --- packets --- */

START_TEST(packets_are_as_the_rfc_has_them)
{
	assert_octets(pap_request(7, "alice", "pw"), hex("01 07 000d 05 616c696365 02 7077"));
	assert_octets(pap_reply(PAP_ACK, 7), hex("02 07 0005 00"));
}
END_TEST

START_TEST(B055_lengths_of_fields)
{
	struct pap_request request;
	ck_assert(!pap_take_request(hex("ff 41"), &request));
	ck_assert(!pap_take_request(hex("01 41"), &request));
	ck_assert(!pap_take_request(hex("01 41 01"), &request));
	ck_assert(!pap_take_request(hex("01"), &request));
	ck_assert(!pap_take_request(hex(""), &request));
	ck_assert(pap_take_request(hex("01 41 00"), &request));
	assert_octets(request.name, hex("41"));
	ck_assert_uint_eq(request.password.length, 0);
	ck_assert(pap_take_request(hex("00 02 7077"), &request));
	ck_assert_uint_eq(request.name.length, 0);
	assert_octets(request.password, hex("7077"));
}
END_TEST

/* --- two ends --- */

START_TEST(one_way)
{
	end_start(&alice, 0, PAP, NONE);
	end_start(&bob, 0, NONE, PAP);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_GOING_ON);
	ends_talk(&alice, &bob, 0);
	ck_assert_int_eq(auth_result(alice.auth), AUTH_DONE);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_DONE);
	ck_assert_str_eq(auth_peer_name(bob.auth), "alice");
	ck_assert_ptr_eq(auth_peer_secret(bob.auth), &test_rows[0]);
	ck_assert_int_eq(auth_deadline(alice.auth), SB_NEVER);
	ck_assert_int_eq(auth_deadline(bob.auth), SB_NEVER);
}
END_TEST

START_TEST(pap_one_way_and_chap_the_other)
{
	end_start(&alice, 0, PAP, AUTH_CHAP_MD5);
	end_start(&bob, 0, AUTH_CHAP_MD5, PAP);
	ends_talk(&alice, &bob, 0);
	ck_assert_int_eq(auth_result(alice.auth), AUTH_DONE);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_DONE);
	ck_assert_str_eq(auth_peer_name(alice.auth), "bob");
	ck_assert_str_eq(auth_peer_name(bob.auth), "alice");
}
END_TEST

START_TEST(a_wrong_password_fails_both_ends)
{
	static const struct secret guess[] = {{"alice", "bob", "guessed", NULL}};
	alice.config.pap_secrets = &(struct secrets){guess, 1};
	end_start(&alice, 0, PAP, NONE);
	end_start(&bob, 0, NONE, PAP);
	ends_talk(&alice, &bob, 0);
	ck_assert_int_eq(auth_result(alice.auth), AUTH_WE_FAILED);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_PEER_FAILED);
	ck_assert_str_eq(auth_peer_name(bob.auth), "");
}
END_TEST

START_TEST(nobody_has_no_password)
{
	static const struct secret row[] = {{"", "bob", "", NULL}};
	bob.config.pap_secrets = &(struct secrets){row, 1};
	end_start(&bob, 0, NONE, PAP);
	end_hears(&bob, 0, PPP_PAP, pap_request(1, "", ""));
	end_says(&bob, PPP_PAP, PAP_NAK);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_PEER_FAILED);
}
END_TEST

/* As Debian's pap-secrets has it. */
START_TEST(an_empty_secret_lets_nobody_in)
{
	static const struct secret row[] = {{"*", "bob", "", NULL}};
	bob.config.pap_secrets = &(struct secrets){row, 1};
	end_start(&bob, 0, NONE, PAP);
	end_hears(&bob, 0, PPP_PAP, pap_request(1, "alice", ""));
	end_says(&bob, PPP_PAP, PAP_NAK);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_PEER_FAILED);
}
END_TEST

START_TEST(a_secret_of_chap_is_never_told_in_the_clear)
{
	alice.config.pap_secrets = &(struct secrets){NULL, 0};
	ck_assert(!auth_can(&alice.config, PAP));
	ck_assert(auth_can(&alice.config, CHAP));
	end_start(&alice, 0, PAP, NONE);
	ck_assert(end_is_quiet(&alice));
	ck_assert_int_eq(auth_result(alice.auth), AUTH_WE_FAILED);
}
END_TEST

START_TEST(a_guess_after_a_wrong_one_does_not_help)
{
	end_start(&bob, 0, NONE, PAP);
	end_hears(&bob, 0, PPP_PAP, pap_request(1, "alice", "guessed"));
	end_says(&bob, PPP_PAP, PAP_NAK);
	end_hears(&bob, 0, PPP_PAP, pap_request(2, "alice", "secret"));
	end_says(&bob, PPP_PAP, PAP_NAK);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_PEER_FAILED);
}
END_TEST

/* --- lost packets --- */

START_TEST(a_request_is_sent_until_answered)
{
	end_start(&alice, 0, PAP, NONE);
	uint8_t identifier = end_says(&alice, PPP_PAP, PAP_REQUEST).identifier;
	auth_tick(alice.auth, 3 * SB_SEC);
	ck_assert_uint_eq(end_says(&alice, PPP_PAP, PAP_REQUEST).identifier, identifier);
	ck_assert_uint_eq(end_left_alone(&alice, 29 * SB_SEC), 8);
	ck_assert_int_eq(auth_result(alice.auth), AUTH_GOING_ON);
	end_left_alone(&alice, 1000 * SB_SEC);
	ck_assert_int_eq(auth_result(alice.auth), AUTH_NO_ANSWER);
}
END_TEST

START_TEST(a_peer_that_asks_for_nothing_is_waited_for_in_vain)
{
	end_start(&bob, 0, NONE, PAP);
	ck_assert_uint_eq(end_left_alone(&bob, 29 * SB_SEC), 0);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_GOING_ON);
	end_left_alone(&bob, 1000 * SB_SEC);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_NO_ANSWER);
}
END_TEST

/* RFC 1334 section 2.2.1 */
START_TEST(a_lost_ack_is_told_again)
{
	end_start(&bob, 0, NONE, PAP);
	end_hears(&bob, 0, PPP_PAP, pap_request(1, "alice", "secret"));
	end_says(&bob, PPP_PAP, PAP_ACK);
	end_hears(&bob, 3 * SB_SEC, PPP_PAP, pap_request(2, "alice", "secret"));
	ck_assert_uint_eq(end_says(&bob, PPP_PAP, PAP_ACK).identifier, 2);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_DONE);
}
END_TEST

/* Some have no message, and not even its length. */
START_TEST(an_ack_without_a_message_counts)
{
	end_start(&alice, 0, PAP, NONE);
	uint8_t identifier = end_says(&alice, PPP_PAP, PAP_REQUEST).identifier;
	struct buf ack = test_packet();
	ppp_packet_put_header(&ack, PAP_ACK, identifier, 0);
	end_hears(&alice, 0, PPP_PAP, buf_bytes(&ack));
	ck_assert_int_eq(auth_result(alice.auth), AUTH_DONE);
}
END_TEST

START_TEST(answers_to_something_else_are_dropped)
{
	end_start(&alice, 0, PAP, NONE);
	uint8_t identifier = end_says(&alice, PPP_PAP, PAP_REQUEST).identifier;
	end_hears(&alice, 0, PPP_PAP, pap_reply(PAP_ACK, (uint8_t)(identifier + 1)));
	end_hears(&alice, 0, PPP_PAP, pap_reply(PAP_NAK, (uint8_t)(identifier + 1)));
	end_hears(&alice, 0, PPP_PAP, pap_reply((enum pap_code)4, identifier));
	ck_assert_int_eq(auth_result(alice.auth), AUTH_GOING_ON);
	ck_assert_uint_eq(auth_bad_packets(alice.auth), 3);
	end_hears(&alice, 0, PPP_PAP, pap_reply(PAP_ACK, identifier));
	end_hears(&alice, 0, PPP_PAP, pap_reply(PAP_NAK, identifier)); /* too late */
	ck_assert_int_eq(auth_result(alice.auth), AUTH_DONE);
}
END_TEST

/* --- a peer that means harm --- */

START_TEST(B054_no_password_without_agreement)
{
	end_start(&alice, 0, NONE, NONE);
	ck_assert(end_is_quiet(&alice));
	end_hears(&alice, 0, PPP_PAP, pap_reply(PAP_NAK, 1));
	end_hears(&alice, 0, PPP_PAP, pap_request(1, "bob", "other secret"));
	ck_assert(end_is_quiet(&alice));
	ck_assert_uint_eq(end_left_alone(&alice, 1000 * SB_SEC), 0);
	ck_assert_uint_eq(auth_bad_packets(alice.auth), 2);
	ck_assert_int_eq(auth_result(alice.auth), AUTH_DONE);
}
END_TEST

/* The peer is to prove itself by CHAP, and tells a right password instead. */
START_TEST(a_password_in_place_of_chap_is_dropped)
{
	end_start(&bob, 0, NONE, AUTH_CHAP_MD5);
	end_says(&bob, PPP_CHAP, CHAP_CHALLENGE);
	end_hears(&bob, 0, PPP_PAP, pap_request(1, "alice", "secret"));
	ck_assert(end_is_quiet(&bob));
	ck_assert_int_eq(auth_result(bob.auth), AUTH_GOING_ON);
}
END_TEST

START_TEST(B055_lengths_that_lead_out_of_the_packet)
{
	end_start(&bob, 0, NONE, PAP);
	end_hears(&bob, 0, PPP_PAP, hex("01 01 0006 ff 41"));
	end_hears(&bob, 0, PPP_PAP, hex("01 01 000a 05 616c696365"));
	end_hears(&bob, 0, PPP_PAP, hex("01 01 0100 00 00"));
	ck_assert_uint_eq(auth_bad_packets(bob.auth), 3);
	ck_assert(end_is_quiet(&bob));
	ck_assert_int_eq(auth_result(bob.auth), AUTH_GOING_ON);
}
END_TEST

static struct secret long_row(size_t password_length)
{
	static char name[256], password[257];
	memset(name, 'n', 255);
	memset(password, 'p', password_length);
	password[password_length] = '\0';
	return (struct secret){name, "*", password, NULL};
}

START_TEST(B055_fields_of_255)
{
	const struct secret row = long_row(255);
	alice.config.name = row.client;
	alice.config.pap_secrets = bob.config.pap_secrets = &(struct secrets){&row, 1};
	end_start(&alice, 0, PAP, NONE);
	end_start(&bob, 0, NONE, PAP);
	ends_talk(&alice, &bob, 0);
	ck_assert_int_eq(auth_result(alice.auth), AUTH_DONE);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_DONE);
}
END_TEST

START_TEST(B055_a_password_of_256_cannot_be_told)
{
	const struct secret row = long_row(256);
	alice.config.name = row.client;
	alice.config.pap_secrets = alice.config.chap_secrets = &(struct secrets){&row, 1};
	ck_assert(!auth_can(&alice.config, PAP));
	ck_assert(auth_can(&alice.config, AUTH_CHAP_MD5));
	end_start(&alice, 0, PAP, NONE);
	ck_assert(end_is_quiet(&alice));
	ck_assert_int_eq(auth_result(alice.auth), AUTH_WE_FAILED);
}
END_TEST

START_TEST(after_a_failure_nobody_is_judged)
{
	bob.config.chap_secrets = &(struct secrets){NULL, 0};
	end_start(&bob, 0, CHAP, PAP);
	end_hears(&bob, 0, PPP_CHAP,
		  chap_value_packet(CHAP_CHALLENGE, 1, hex("aabb"), text("alice")));
	ck_assert_int_eq(auth_result(bob.auth), AUTH_WE_FAILED);
	end_hears(&bob, 0, PPP_PAP, pap_request(1, "alice", "secret"));
	ck_assert(end_is_quiet(&bob));
}
END_TEST

/* --- a link that comes and goes --- */

START_TEST(a_failure_is_forgotten_when_it_starts_anew)
{
	end_start(&bob, 0, NONE, PAP);
	end_hears(&bob, 0, PPP_PAP, pap_request(1, "alice", "guessed"));
	end_says(&bob, PPP_PAP, PAP_NAK);
	auth_stop(bob.auth);
	auth_start(bob.auth, SB_SEC, NONE, PAP);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_GOING_ON);
	end_hears(&bob, SB_SEC, PPP_PAP, pap_request(2, "alice", "secret"));
	end_says(&bob, PPP_PAP, PAP_ACK);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_DONE);
}
END_TEST

START_TEST(stopped_it_knows_nobody_and_starts_anew)
{
	end_start(&bob, 0, NONE, PAP);
	end_hears(&bob, 0, PPP_PAP, pap_request(1, "alice", "secret"));
	end_says(&bob, PPP_PAP, PAP_ACK);
	auth_stop(bob.auth);
	ck_assert_str_eq(auth_peer_name(bob.auth), "");
	ck_assert_ptr_null(auth_peer_secret(bob.auth));
	ck_assert_int_eq(auth_deadline(bob.auth), SB_NEVER);
	end_hears(&bob, 0, PPP_PAP, pap_request(2, "alice", "secret"));
	ck_assert(end_is_quiet(&bob));
	auth_start(bob.auth, SB_SEC, NONE, PAP);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_GOING_ON);
	end_hears(&bob, SB_SEC, PPP_PAP, pap_request(3, "carol", "third"));
	end_says(&bob, PPP_PAP, PAP_ACK);
	ck_assert_str_eq(auth_peer_name(bob.auth), "carol");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pap");
	TCase *packets = ends_case(suite, "packets");
	tcase_add_test(packets, packets_are_as_the_rfc_has_them);
	tcase_add_test(packets, B055_lengths_of_fields);
	TCase *ends = ends_case(suite, "two ends");
	tcase_add_test(ends, one_way);
	tcase_add_test(ends, pap_one_way_and_chap_the_other);
	tcase_add_test(ends, a_wrong_password_fails_both_ends);
	tcase_add_test(ends, nobody_has_no_password);
	tcase_add_test(ends, an_empty_secret_lets_nobody_in);
	tcase_add_test(ends, a_secret_of_chap_is_never_told_in_the_clear);
	tcase_add_test(ends, a_guess_after_a_wrong_one_does_not_help);
	TCase *lost = ends_case(suite, "lost packets");
	tcase_add_test(lost, a_request_is_sent_until_answered);
	tcase_add_test(lost, a_peer_that_asks_for_nothing_is_waited_for_in_vain);
	tcase_add_test(lost, a_lost_ack_is_told_again);
	tcase_add_test(lost, an_ack_without_a_message_counts);
	tcase_add_test(lost, answers_to_something_else_are_dropped);
	TCase *harm = ends_case(suite, "harm");
	tcase_add_test(harm, B054_no_password_without_agreement);
	tcase_add_test(harm, a_password_in_place_of_chap_is_dropped);
	tcase_add_test(harm, B055_lengths_that_lead_out_of_the_packet);
	tcase_add_test(harm, B055_fields_of_255);
	tcase_add_test(harm, B055_a_password_of_256_cannot_be_told);
	tcase_add_test(harm, after_a_failure_nobody_is_judged);
	TCase *life = ends_case(suite, "life");
	tcase_add_test(life, a_failure_is_forgotten_when_it_starts_anew);
	tcase_add_test(life, stopped_it_knows_nobody_and_starts_anew);
	return run_suite(suite);
}
