/* SPDX-License-Identifier: MIT */
/*
 * CHAP: packets and digests, then who proves what to whom.
 */
#include "tests/unit/auth_testing.h"

/* --- packets --- */

static const char challenge_000f[] = "10 00010203 04050607 08090a0b 0c0d0e0f";

START_TEST(B054_digest)
{
	uint8_t digest[CHAP_DIGEST_SIZE];
	chap_digest(1, "secret", bytes_skip(hex(challenge_000f), 1), digest);
	assert_octets(bytes_of(digest, sizeof(digest)), hex("740e86463bda3a4d7017d6e0fba0699d"));
}
END_TEST

START_TEST(B055_value_size_beyond_the_packet)
{
	struct chap_value value;
	ck_assert(!chap_take_value(hex("ff 41"), &value));
	ck_assert(!chap_take_value(hex("02 41"), &value));
	ck_assert(!chap_take_value(hex(""), &value));
	ck_assert(!chap_take_value(hex("00 41"), &value)); /* "one octet or more" */
	ck_assert(chap_take_value(hex("01 41"), &value));
	assert_octets(value.value, hex("41"));
	ck_assert_uint_eq(value.name.length, 0);
}
END_TEST

START_TEST(value_packet_is_as_the_rfc_has_it)
{
	struct bytes packet = chap_value_packet(CHAP_CHALLENGE, 1, hex("aabb"), text("bob"));
	assert_octets(packet, hex("01 01 000a 02 aabb 626f62"));
	assert_octets(chap_result(CHAP_FAILURE, 9), hex("04 09 0004"));
}
END_TEST

/* --- two ends --- */

START_TEST(one_way)
{
	end_start(&alice, 0, CHAP, NONE);
	end_start(&bob, 0, NONE, CHAP);
	ck_assert_int_eq(auth_result(alice.auth), AUTH_GOING_ON);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_GOING_ON);
	ends_talk(&alice, &bob, 0);
	ck_assert_int_eq(auth_result(alice.auth), AUTH_DONE);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_DONE);
	ck_assert_str_eq(auth_peer_name(bob.auth), "alice");
	ck_assert_ptr_eq(auth_peer_secret(bob.auth), &test_rows[0]);
	ck_assert_str_eq(auth_peer_name(alice.auth), "");
	ck_assert_int_eq(auth_deadline(alice.auth), SB_NEVER);
	ck_assert_int_eq(auth_deadline(bob.auth), SB_NEVER);
}
END_TEST

START_TEST(both_ways)
{
	end_start(&alice, 0, CHAP, CHAP);
	end_start(&bob, 0, CHAP, CHAP);
	ends_talk(&alice, &bob, 0);
	ck_assert_int_eq(auth_result(alice.auth), AUTH_DONE);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_DONE);
	ck_assert_str_eq(auth_peer_name(alice.auth), "bob");
	ck_assert_str_eq(auth_peer_name(bob.auth), "alice");
}
END_TEST

START_TEST(a_wrong_secret_fails_both_ends)
{
	static const struct secret guess[] = {{"alice", "bob", "guessed", NULL}};
	alice.config.chap_secrets = &(struct secrets){guess, 1};
	end_start(&alice, 0, CHAP, NONE);
	end_start(&bob, 0, NONE, CHAP);
	ends_talk(&alice, &bob, 0);
	ck_assert_int_eq(auth_result(alice.auth), AUTH_WE_FAILED);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_PEER_FAILED);
	ck_assert_str_eq(auth_peer_name(bob.auth), "");
	ck_assert_ptr_null(auth_peer_secret(bob.auth));
}
END_TEST

START_TEST(a_stranger_fails)
{
	static const struct secret row[] = {{"mallory", "*", "secret", NULL}};
	alice.config.name = "mallory";
	alice.config.chap_secrets = &(struct secrets){row, 1};
	end_start(&alice, 0, CHAP, NONE);
	end_start(&bob, 0, NONE, CHAP);
	ends_talk(&alice, &bob, 0);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_PEER_FAILED);
}
END_TEST

START_TEST(without_a_secret_nothing_is_answered)
{
	alice.config.chap_secrets = &(struct secrets){NULL, 0};
	ck_assert(!auth_can(&alice.config, CHAP));
	ck_assert(auth_can(&bob.config, CHAP));
	end_start(&alice, 0, CHAP, NONE);
	end_start(&bob, 0, NONE, CHAP);
	ends_talk(&alice, &bob, 0);
	ck_assert_int_eq(auth_result(alice.auth), AUTH_WE_FAILED);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_GOING_ON);
}
END_TEST

START_TEST(the_name_we_have_for_the_peer_finds_our_secret)
{
	alice.config.remote_name = "bob";
	end_start(&alice, 0, CHAP, NONE);
	end_hears(&alice, 0, PPP_CHAP,
		  chap_value_packet(CHAP_CHALLENGE, 1, bytes_skip(hex(challenge_000f), 1),
				    text("nas17.example")));
	struct ppp_packet response = end_says(&alice, PPP_CHAP, CHAP_RESPONSE);
	assert_octets(response.data, hex("10 740e86463bda3a4d7017d6e0fba0699d 616c696365"));
}
END_TEST

START_TEST(a_peer_without_a_name_has_the_one_we_gave_it)
{
	bob.config.remote_name = "alice";
	end_start(&bob, 0, NONE, CHAP);
	struct ppp_packet challenge = end_says(&bob, PPP_CHAP, CHAP_CHALLENGE);
	end_hears(&bob, 0, PPP_CHAP, chap_response(&challenge, "secret", ""));
	ck_assert_int_eq(auth_result(bob.auth), AUTH_DONE);
	ck_assert_str_eq(auth_peer_name(bob.auth), "alice");
}
END_TEST

/* --- lost packets --- */

START_TEST(a_challenge_is_sent_until_answered)
{
	end_start(&bob, 0, NONE, CHAP);
	struct bytes first = end_sent(&bob);
	uint8_t copy[64];
	ck_assert_uint_lt(first.length, sizeof(copy));
	memcpy(copy, first.at, first.length);
	ck_assert_int_eq(auth_deadline(bob.auth), 3 * SB_SEC);
	auth_tick(bob.auth, 3 * SB_SEC - 1);
	ck_assert(end_is_quiet(&bob));
	auth_tick(bob.auth, 3 * SB_SEC);
	assert_octets(end_sent(&bob), bytes_of(copy, first.length)); /* a late answer holds */
	ck_assert_uint_eq(end_left_alone(&bob, 29 * SB_SEC), 8);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_GOING_ON);
	ck_assert_uint_eq(end_left_alone(&bob, 1000 * SB_SEC), 0);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_NO_ANSWER);
	ck_assert_int_eq(auth_deadline(bob.auth), SB_NEVER);
}
END_TEST

START_TEST(a_lost_success_is_told_again)
{
	end_start(&alice, 0, CHAP, NONE);
	end_start(&bob, 0, NONE, CHAP);
	end_hears(&alice, 0, PPP_CHAP, end_sent(&bob));
	end_hears(&bob, 0, PPP_CHAP, end_sent(&alice));
	end_says(&bob, PPP_CHAP, CHAP_SUCCESS); /* and is lost */
	ck_assert_int_eq(auth_deadline(alice.auth), 3 * SB_SEC);
	auth_tick(alice.auth, 3 * SB_SEC);
	ends_talk(&alice, &bob, 3 * SB_SEC);
	ck_assert_int_eq(auth_result(alice.auth), AUTH_DONE);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_DONE);
}
END_TEST

/* RFC 1994 section 4.2: else names and secrets could be tried out. */
START_TEST(a_second_answer_gets_the_verdict_on_the_first)
{
	end_start(&bob, 0, NONE, CHAP);
	struct ppp_packet challenge = end_says(&bob, PPP_CHAP, CHAP_CHALLENGE);
	struct bytes right = chap_response(&challenge, "secret", "alice");
	struct bytes wrong = chap_response(&challenge, "guessed", "alice");
	end_hears(&bob, 0, PPP_CHAP, wrong);
	end_says(&bob, PPP_CHAP, CHAP_FAILURE);
	end_hears(&bob, 0, PPP_CHAP, right);
	end_says(&bob, PPP_CHAP, CHAP_FAILURE);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_PEER_FAILED);

	end_start(&bob, 0, NONE, CHAP);
	challenge = end_says(&bob, PPP_CHAP, CHAP_CHALLENGE);
	right = chap_response(&challenge, "secret", "alice");
	wrong = chap_response(&challenge, "guessed", "alice");
	end_hears(&bob, 0, PPP_CHAP, right);
	end_says(&bob, PPP_CHAP, CHAP_SUCCESS);
	end_hears(&bob, 0, PPP_CHAP, wrong);
	end_says(&bob, PPP_CHAP, CHAP_SUCCESS);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_DONE);
}
END_TEST

START_TEST(B053_a_silent_peer_is_not_told_the_password)
{
	end_start(&alice, 0, CHAP, NONE);
	ck_assert(end_is_quiet(&alice));
	ck_assert_uint_eq(end_left_alone(&alice, 1000 * SB_SEC), 0);
	ck_assert_int_eq(auth_result(alice.auth), AUTH_NO_ANSWER);
}
END_TEST

/* --- once up --- */

static void both_are_up(sb_time rechallenge)
{
	bob.config.rechallenge = rechallenge;
	end_start(&alice, 0, CHAP, NONE);
	end_start(&bob, 0, NONE, CHAP);
	ends_talk(&alice, &bob, 0);
	ck_assert_int_eq(auth_result(alice.auth), AUTH_DONE);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_DONE);
}

START_TEST(the_peer_is_challenged_again_by_another_value)
{
	end_start(&bob, 0, NONE, CHAP);
	struct ppp_packet first = end_says(&bob, PPP_CHAP, CHAP_CHALLENGE);
	struct bytes asked = first.data;
	uint8_t copy[64];
	memcpy(copy, asked.at, asked.length);
	auth_free(bob.auth);
	bob.auth = NULL;

	both_are_up(60 * SB_SEC);
	ck_assert_int_eq(auth_deadline(bob.auth), 60 * SB_SEC);
	auth_tick(bob.auth, 60 * SB_SEC);
	struct ppp_packet second = end_says(&bob, PPP_CHAP, CHAP_CHALLENGE);
	ck_assert_uint_ne(second.identifier, first.identifier);
	ck_assert_uint_eq(second.data.length, asked.length);
	ck_assert_mem_ne(second.data.at, copy, asked.length);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_DONE);
	end_hears(&bob, 61 * SB_SEC, PPP_CHAP, chap_response(&second, "secret", "alice"));
	end_says(&bob, PPP_CHAP, CHAP_SUCCESS);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_DONE);
	ck_assert_int_eq(auth_deadline(bob.auth), 121 * SB_SEC);
}
END_TEST

START_TEST(two_ends_go_on_for_days)
{
	both_are_up(60 * SB_SEC);
	for (sb_time now = 60 * SB_SEC; now < 48 * 3600 * SB_SEC; now += 60 * SB_SEC) {
		auth_tick(bob.auth, now);
		ends_talk(&alice, &bob, now);
		ck_assert_int_eq(auth_result(alice.auth), AUTH_DONE);
		ck_assert_int_eq(auth_result(bob.auth), AUTH_DONE);
		ck_assert_int_eq(auth_deadline(bob.auth), now + 60 * SB_SEC);
	}
}
END_TEST

START_TEST(a_wrong_answer_later_fails)
{
	both_are_up(60 * SB_SEC);
	auth_tick(bob.auth, 60 * SB_SEC);
	struct ppp_packet again = end_says(&bob, PPP_CHAP, CHAP_CHALLENGE);
	end_hears(&bob, 60 * SB_SEC, PPP_CHAP, chap_response(&again, "guessed", "alice"));
	end_says(&bob, PPP_CHAP, CHAP_FAILURE);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_PEER_FAILED);
}
END_TEST

START_TEST(another_name_later_fails)
{
	both_are_up(60 * SB_SEC);
	auth_tick(bob.auth, 60 * SB_SEC);
	struct ppp_packet again = end_says(&bob, PPP_CHAP, CHAP_CHALLENGE);
	end_hears(&bob, 60 * SB_SEC, PPP_CHAP, chap_response(&again, "third", "carol"));
	end_says(&bob, PPP_CHAP, CHAP_FAILURE);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_PEER_FAILED);
}
END_TEST

START_TEST(silence_later_fails)
{
	both_are_up(60 * SB_SEC);
	ck_assert_uint_eq(end_left_alone(&bob, 1000 * SB_SEC), 10);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_NO_ANSWER);
}
END_TEST

/* A lost Success of a later challenge: the peer would ask again if it minded. */
START_TEST(a_later_answer_that_nobody_confirms_does_no_harm)
{
	both_are_up(60 * SB_SEC);
	auth_tick(bob.auth, 60 * SB_SEC);
	end_hears(&alice, 60 * SB_SEC, PPP_CHAP, end_sent(&bob));
	end_left_alone(&alice, 1000 * SB_SEC);
	ck_assert_int_eq(auth_result(alice.auth), AUTH_DONE);
	ck_assert_int_eq(auth_deadline(alice.auth), SB_NEVER);
}
END_TEST

START_TEST(a_failure_later_fails)
{
	both_are_up(60 * SB_SEC);
	auth_tick(bob.auth, 60 * SB_SEC);
	end_hears(&alice, 60 * SB_SEC, PPP_CHAP, end_sent(&bob));
	uint8_t identifier = end_says(&alice, PPP_CHAP, CHAP_RESPONSE).identifier;
	end_hears(&alice, 60 * SB_SEC, PPP_CHAP, chap_result(CHAP_FAILURE, identifier));
	ck_assert_int_eq(auth_result(alice.auth), AUTH_WE_FAILED);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("chap");
	TCase *packets = ends_case(suite, "packets");
	tcase_add_test(packets, B054_digest);
	tcase_add_test(packets, B055_value_size_beyond_the_packet);
	tcase_add_test(packets, value_packet_is_as_the_rfc_has_it);
	TCase *ends = ends_case(suite, "two ends");
	tcase_add_test(ends, one_way);
	tcase_add_test(ends, both_ways);
	tcase_add_test(ends, a_wrong_secret_fails_both_ends);
	tcase_add_test(ends, a_stranger_fails);
	tcase_add_test(ends, without_a_secret_nothing_is_answered);
	tcase_add_test(ends, the_name_we_have_for_the_peer_finds_our_secret);
	tcase_add_test(ends, a_peer_without_a_name_has_the_one_we_gave_it);
	TCase *lost = ends_case(suite, "lost packets");
	tcase_add_test(lost, a_challenge_is_sent_until_answered);
	tcase_add_test(lost, a_lost_success_is_told_again);
	tcase_add_test(lost, a_second_answer_gets_the_verdict_on_the_first);
	tcase_add_test(lost, B053_a_silent_peer_is_not_told_the_password);
	TCase *once = ends_case(suite, "once up");
	tcase_add_test(once, the_peer_is_challenged_again_by_another_value);
	tcase_add_test(once, two_ends_go_on_for_days);
	tcase_add_test(once, a_wrong_answer_later_fails);
	tcase_add_test(once, another_name_later_fails);
	tcase_add_test(once, silence_later_fails);
	tcase_add_test(once, a_later_answer_that_nobody_confirms_does_no_harm);
	tcase_add_test(once, a_failure_later_fails);
	return run_suite(suite);
}
