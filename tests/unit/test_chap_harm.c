/* SPDX-License-Identifier: MIT */
/*
 * CHAP with a peer that means harm, or knows no better.
 */
#include "tests/unit/auth_testing.h"

START_TEST(a_reflected_challenge_is_not_answered)
{
	end_start(&bob, 0, CHAP, CHAP);
	struct bytes ours = end_sent(&bob);
	end_hears(&bob, 0, PPP_CHAP, ours);
	ck_assert(end_is_quiet(&bob));
	ck_assert_uint_eq(auth_bad_packets(bob.auth), 1);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_GOING_ON);
}
END_TEST

START_TEST(a_challenge_reflected_once_up_is_not_answered)
{
	end_start(&alice, 0, CHAP, CHAP);
	end_start(&bob, 0, CHAP, CHAP);
	struct ppp_packet challenge = end_says(&bob, PPP_CHAP, CHAP_CHALLENGE);
	uint8_t copy[64];
	struct chap_value asked;
	ck_assert(chap_take_value(challenge.data, &asked));
	memcpy(copy, asked.value.at, asked.value.length);
	auth_tick(bob.auth, 3 * SB_SEC);
	ends_talk(&alice, &bob, 3 * SB_SEC);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_DONE);
	uint64_t bad = auth_bad_packets(bob.auth);
	end_hears(&bob, 4 * SB_SEC, PPP_CHAP,
		  chap_value_packet(CHAP_CHALLENGE, 77, bytes_of(copy, asked.value.length),
				    text("alice")));
	ck_assert(end_is_quiet(&bob));
	ck_assert_uint_eq(auth_bad_packets(bob.auth), bad + 1);
}
END_TEST

/* We answer what LCP agreed to, and nothing else. */
START_TEST(B054_a_challenge_that_nobody_agreed_to_is_not_answered)
{
	end_start(&alice, 0, NONE, NONE);
	end_hears(&alice, 0, PPP_CHAP, hex("01 01 0016 10 000102030405060708090a0b0c0d0e0f 41"));
	ck_assert(end_is_quiet(&alice));
	ck_assert_int_eq(auth_result(alice.auth), AUTH_DONE);
	ck_assert_uint_eq(auth_bad_packets(alice.auth), 1);
	end_start(&alice, 0, AUTH_PAP, NONE);
	end_says(&alice, PPP_PAP, PAP_REQUEST);
	end_hears(&alice, 0, PPP_CHAP, hex("01 01 0016 10 000102030405060708090a0b0c0d0e0f 41"));
	ck_assert(end_is_quiet(&alice));
}
END_TEST

/* A Success before we answered anything would prove nothing, and asks for no trust. */
/* Even a right one. */
START_TEST(a_response_to_another_challenge_is_dropped)
{
	end_start(&bob, 0, NONE, CHAP);
	struct ppp_packet other = end_says(&bob, PPP_CHAP, CHAP_CHALLENGE);
	other.identifier++;
	end_hears(&bob, 0, PPP_CHAP, chap_response(&other, "secret", "alice"));
	ck_assert(end_is_quiet(&bob));
	ck_assert_uint_eq(auth_bad_packets(bob.auth), 1);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_GOING_ON);
}
END_TEST

/* One that has failed goes on neither to prove anything nor to judge. */
START_TEST(after_a_failure_there_is_no_going_on)
{
	end_start(&bob, 0, CHAP, CHAP);
	struct bytes challenge = chap_value_packet(CHAP_CHALLENGE, 1, hex("aabb"), text("nobody"));
	struct ppp_packet ours = end_says(&bob, PPP_CHAP, CHAP_CHALLENGE);
	struct bytes response = chap_response(&ours, "secret", "alice");
	end_hears(&bob, 0, PPP_CHAP, challenge); /* there is no secret for that */
	ck_assert_int_eq(auth_result(bob.auth), AUTH_WE_FAILED);
	end_hears(&bob, 0, PPP_CHAP, response);
	end_hears(&bob, 0, PPP_CHAP,
		  chap_value_packet(CHAP_CHALLENGE, 2, hex("aabb"), text("alice")));
	ck_assert(end_is_quiet(&bob));
	ck_assert_int_eq(auth_result(bob.auth), AUTH_WE_FAILED);
	ck_assert_int_eq(auth_deadline(bob.auth), SB_NEVER);
}
END_TEST

/* The verdict on an earlier challenge is none on this one. */
START_TEST(after_a_failure_a_later_response_is_not_answered)
{
	bob.config.rechallenge = 60 * SB_SEC;
	end_start(&alice, 0, CHAP, CHAP);
	end_start(&bob, 0, CHAP, CHAP);
	ends_talk(&alice, &bob, 0);
	auth_tick(bob.auth, 60 * SB_SEC);
	struct ppp_packet again = end_says(&bob, PPP_CHAP, CHAP_CHALLENGE);
	struct bytes guess = chap_response(&again, "guessed", "alice");
	end_hears(&bob, 60 * SB_SEC, PPP_CHAP,
		  chap_value_packet(CHAP_CHALLENGE, 9, hex("aabb"), text("nobody")));
	ck_assert_int_eq(auth_result(bob.auth), AUTH_WE_FAILED);
	end_hears(&bob, 60 * SB_SEC, PPP_CHAP, guess);
	ck_assert(end_is_quiet(&bob));
}
END_TEST

START_TEST(results_of_no_question_are_dropped)
{
	end_start(&alice, 0, CHAP, NONE);
	for (unsigned id = 0; id < 256; id++) {
		end_hears(&alice, 0, PPP_CHAP, chap_result(CHAP_SUCCESS, (uint8_t)id));
		end_hears(&alice, 0, PPP_CHAP, chap_result(CHAP_FAILURE, (uint8_t)id));
	}
	ck_assert_int_eq(auth_result(alice.auth), AUTH_GOING_ON);
	end_hears(&alice, 0, PPP_CHAP,
		  chap_value_packet(CHAP_CHALLENGE, 5, hex("aabb"), text("bob")));
	end_says(&alice, PPP_CHAP, CHAP_RESPONSE);
	end_hears(&alice, 0, PPP_CHAP, chap_result(CHAP_SUCCESS, 6));
	end_hears(&alice, 0, PPP_CHAP, chap_result((enum chap_code)9, 5));
	ck_assert_int_eq(auth_result(alice.auth), AUTH_GOING_ON);
	ck_assert_uint_eq(auth_bad_packets(alice.auth), 514);
	end_hears(&alice, 0, PPP_CHAP, chap_result(CHAP_SUCCESS, 5));
	ck_assert_int_eq(auth_result(alice.auth), AUTH_DONE);
}
END_TEST

START_TEST(B055_lengths_that_lead_out_of_the_packet)
{
	end_start(&bob, 0, CHAP, CHAP);
	struct ppp_packet challenge = end_says(&bob, PPP_CHAP, CHAP_CHALLENGE);
	struct buf short_response = test_packet();
	ppp_packet_put_header(&short_response, CHAP_RESPONSE, challenge.identifier, 2);
	buf_append(&short_response, hex("ff 41"));
	end_hears(&bob, 0, PPP_CHAP, buf_bytes(&short_response));
	end_hears(&bob, 0, PPP_CHAP, hex("01 02 0006 ff 41"));
	end_hears(&bob, 0, PPP_CHAP, hex("01 02 0004"));
	end_hears(&bob, 0, PPP_CHAP, hex("01 02 0003"));
	end_hears(&bob, 0, PPP_CHAP, hex("01 02 ffff 01 41"));
	end_hears(&bob, 0, PPP_CHAP, hex("01"));
	end_hears(&bob, 0, PPP_CHAP, hex(""));
	ck_assert_uint_eq(auth_bad_packets(bob.auth), 7);
	ck_assert(end_is_quiet(&bob));
	ck_assert_int_eq(auth_result(bob.auth), AUTH_GOING_ON);
}
END_TEST

START_TEST(B055_names_of_256_and_more)
{
	static char long_name[1024];
	memset(long_name, 'n', sizeof(long_name) - 1);
	end_start(&alice, 0, CHAP, NONE);
	end_hears(&alice, 0, PPP_CHAP,
		  chap_value_packet(CHAP_CHALLENGE, 1, hex("aabb"), bytes_of(long_name, 256)));
	ck_assert(end_is_quiet(&alice));
	ck_assert_uint_eq(auth_bad_packets(alice.auth), 1);
	end_hears(&alice, 0, PPP_CHAP,
		  chap_value_packet(CHAP_CHALLENGE, 1, hex("aabb"), bytes_of("bob\0x", 5)));
	ck_assert(end_is_quiet(&alice));
	ck_assert_uint_eq(auth_bad_packets(alice.auth), 2);

	end_start(&bob, 0, NONE, CHAP);
	struct ppp_packet challenge = end_says(&bob, PPP_CHAP, CHAP_CHALLENGE);
	end_hears(&bob, 0, PPP_CHAP, chap_response(&challenge, "secret", long_name));
	end_says(&bob, PPP_CHAP, CHAP_FAILURE);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_PEER_FAILED);
}
END_TEST

START_TEST(B055_secrets_and_names_as_long_as_can_be)
{
	static char name[256], secret[257];
	memset(name, 'n', 255);
	memset(secret, 's', 256);
	const struct secret row[] = {{name, name, secret, NULL}};
	const struct secrets secrets = {row, 1};
	alice.config.name = bob.config.name = name;
	alice.config.chap_secrets = bob.config.chap_secrets = &secrets;
	end_start(&alice, 0, CHAP, NONE);
	end_start(&bob, 0, NONE, CHAP);
	ends_talk(&alice, &bob, 0);
	ck_assert_int_eq(auth_result(alice.auth), AUTH_DONE);
	ck_assert_int_eq(auth_result(bob.auth), AUTH_DONE);
	ck_assert_str_eq(auth_peer_name(bob.auth), name);
}
END_TEST

START_TEST(a_digest_that_is_cut_or_longer_is_wrong)
{
	static const size_t lengths[] = {1, 15, 17};
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct chap_value asked;
		uint8_t digest[CHAP_DIGEST_SIZE + 1] = {0};
		end_start(&bob, 0, NONE, CHAP);
		struct ppp_packet challenge = end_says(&bob, PPP_CHAP, CHAP_CHALLENGE);
		ck_assert(chap_take_value(challenge.data, &asked));
		chap_digest(challenge.identifier, "secret", asked.value, digest);
		end_hears(&bob, 0, PPP_CHAP,
			  chap_value_packet(CHAP_RESPONSE, challenge.identifier,
					    bytes_of(digest, lengths[i]), text("alice")));
		end_says(&bob, PPP_CHAP, CHAP_FAILURE);
		ck_assert_int_eq(auth_result(bob.auth), AUTH_PEER_FAILED);
	}
}
END_TEST

/* Whatever comes: no crash, no proof, and no more answers than questions. */
START_TEST(noise_proves_nothing)
{
	uint64_t state = 1;
	end_start(&bob, 0, CHAP, CHAP);
	uint8_t identifier = end_says(&bob, PPP_CHAP, CHAP_CHALLENGE).identifier;
	const uint8_t liked[] = {0, 1, 2, 3, 4, 5, 6, 16, 255, identifier};
	for (unsigned i = 0; i < 20000; i++) {
		uint8_t packet[64];
		size_t length = random_below(&state, sizeof(packet));
		random_fill(&state, packet, length, bytes_of(liked, sizeof(liked)));
		end_hears(&bob, 0, i & 1 ? PPP_CHAP : PPP_PAP, bytes_of(packet, length));
		ck_assert_int_ne(auth_result(bob.auth), AUTH_DONE);
		end_sent(&bob);
		ck_assert(end_is_quiet(&bob));
	}
	ck_assert_str_eq(auth_peer_name(bob.auth), "");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("chap_harm");
	TCase *harm = ends_case(suite, "harm");
	tcase_add_test(harm, a_reflected_challenge_is_not_answered);
	tcase_add_test(harm, a_challenge_reflected_once_up_is_not_answered);
	tcase_add_test(harm, B054_a_challenge_that_nobody_agreed_to_is_not_answered);
	tcase_add_test(harm, a_response_to_another_challenge_is_dropped);
	tcase_add_test(harm, after_a_failure_there_is_no_going_on);
	tcase_add_test(harm, after_a_failure_a_later_response_is_not_answered);
	tcase_add_test(harm, results_of_no_question_are_dropped);
	tcase_add_test(harm, B055_lengths_that_lead_out_of_the_packet);
	tcase_add_test(harm, B055_names_of_256_and_more);
	tcase_add_test(harm, B055_secrets_and_names_as_long_as_can_be);
	tcase_add_test(harm, a_digest_that_is_cut_or_longer_is_wrong);
	tcase_add_test(harm, noise_proves_nothing);
	return run_suite(suite);
}
