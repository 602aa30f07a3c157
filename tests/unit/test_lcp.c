/* SPDX-License-Identifier: MIT */
/*
 * LCP, octet by octet: what it answers to the requests of all kinds of peers.
 */
#include "tests/unit/link_peer.h"

static struct peer p;

static void set_up(void)
{
	peer_init(&p);
}

static void tear_down(void)
{
	peer_end(&p);
}

/* --- what we answer --- */

/* A request of these options, and the answer's code and options. */
struct exchange {
	const char *asked;
	uint8_t code;
	const char *answer;
};

static void assert_answer(const struct exchange *x)
{
	peer_says_lcp(&p, CODE_CONFIGURE_REQUEST, IDENTIFIER, hex(x->asked));
	assert_hears_lcp(&p, x->code, IDENTIFIER, hex(x->answer));
}

/* Each to a link of its own that has said its request. */
static void assert_answers(const struct exchange *x, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		p.random = 0xdeadbeef;
		peer_start(&p);
		peer_hears(&p);
		assert_answer(&x[i]);
		if (i + 1 < count)
			peer_end(&p);
	}
}
#define ASSERT_ANSWERS(table) assert_answers(table, sizeof(table) / sizeof((table)[0]))

START_TEST(answers_to_each_option)
{
	static const struct exchange table[] = {
		{"", CODE_CONFIGURE_ACK, ""},
		{"01 04 05 dc", CODE_CONFIGURE_ACK, "01 04 05 dc"},
		{"01 04 00 80", CODE_CONFIGURE_ACK, "01 04 00 80"},
		{"01 04 00 7f", CODE_CONFIGURE_NAK, "01 04 00 80"},
		{"01 04 00 00", CODE_CONFIGURE_NAK, "01 04 00 80"},
		{"01 03 05", CODE_CONFIGURE_NAK, "01 04 05 dc"},
		{"02 06 00 0a 00 00", CODE_CONFIGURE_ACK, "02 06 00 0a 00 00"},
		{"02 05 00 0a 00", CODE_CONFIGURE_NAK, "02 06 ff ff ff ff"},
		{"05 06 00 00 00 00", CODE_CONFIGURE_NAK, "05 06 de ad be f0"},
		{"05 06 12 34 56 78", CODE_CONFIGURE_ACK, "05 06 12 34 56 78"},
		{"07 02 08 02", CODE_CONFIGURE_REJECT, "07 02 08 02"}, /* off */
		{"09 03 04", CODE_CONFIGURE_ACK, "09 03 04"},
		{"09 03 01", CODE_CONFIGURE_ACK, "09 03 01"},
		{"09 03 06", CODE_CONFIGURE_NAK, "09 03 04"},
		{"09 03 00", CODE_CONFIGURE_NAK, "09 03 02"},
		{"13 03 00", CODE_CONFIGURE_ACK, "13 03 00"},
		{"13 17 01 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13",
		 CODE_CONFIGURE_ACK,
		 "13 17 01 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13"},
		/* what nobody here knows: numbered mode, callback, discriminator, classes, elision
		 */
		{"0b 04 00 00", CODE_CONFIGURE_REJECT, "0b 04 00 00"},
		{"0d 03 06", CODE_CONFIGURE_REJECT, "0d 03 06"},
		{"17 04 00 01", CODE_CONFIGURE_REJECT, "17 04 00 01"},
		{"1a 03 00 1b 04 02 01", CODE_CONFIGURE_REJECT, "1a 03 00 1b 04 02 01"},
	};
	ASSERT_ANSWERS(table);
}
END_TEST

START_TEST(answers_with_all_features_on)
{
	static const struct exchange table[] = {
		{"07 02 08 02 11 04 05 dc 12 02", CODE_CONFIGURE_ACK,
		 "07 02 08 02 11 04 05 dc 12 02"},
		{"11 04 00 00", CODE_CONFIGURE_NAK, "11 04 05 dc"},
		{"04 08 c0 25 00 00 00 64", CODE_CONFIGURE_ACK, "04 08 c0 25 00 00 00 64"},
		{"04 04 c0 27", CODE_CONFIGURE_NAK, "04 08 c0 25 00 00 00 00"},
		{"07 03 00", CODE_CONFIGURE_NAK, "07 02"},
	};
	p.config.pfc = p.config.acfc = p.config.multilink = p.config.short_sequence = true;
	p.config.quality_period = 10 * SB_SEC;
	ASSERT_ANSWERS(table);
}
END_TEST

/* Reject goes before Nak, Nak before Ack; each lists its own alone, in their order. */
START_TEST(the_worst_verdict_is_the_answer)
{
	static const struct exchange table[] = {
		{"01 04 05 dc 01 04 00 01 0d 03 06 05 06 01 02 03 04 1b 04 02 01",
		 CODE_CONFIGURE_REJECT, "0d 03 06 1b 04 02 01"},
		{"01 04 00 01 05 06 01 02 03 04 09 03 00", CODE_CONFIGURE_NAK,
		 "01 04 00 80 09 03 02"},
	};
	ASSERT_ANSWERS(table);
}
END_TEST

START_TEST(B040_only_what_is_wrong_is_rejected)
{
	static const struct exchange table[] = {
		{"01 04 05 dc 04 08 c0 25 00 00 00 64 05 06 01 02 03 04", CODE_CONFIGURE_REJECT,
		 "04 08 c0 25 00 00 00 64"},
	};
	peer_start(&p);
	peer_hears(&p);
	peer_says_wire(&p, "7e ff 03 c0 21 01 05 00 0c 04 08 c0 25 00 00 00 64 6a da 7e");
	assert_hears(&p, "ff 03 c0 21 04 05 00 0c 04 08 c0 25 00 00 00 64");
	assert_answer(&table[0]);
}
END_TEST

START_TEST(B051_multilink_off)
{
	peer_start(&p);
	peer_hears(&p);
	peer_says_wire(&p, "7e ff 03 c0 21 01 02 00 1b 01 04 05 dc 11 04 06 40 13 09 03 02 00 00 "
			   "00 00 01 05 06 de ad be ef d7 5a 7e");
	assert_hears(&p, "ff 03 c0 21 04 02 00 08 11 04 06 40");
	/* the peer leaves it out; by chance it has our magic number */
	peer_says(&p, "ff 03 c0 21 01 03 00 0f 13 09 03 02 00 00 00 00 01 12 02");
	assert_hears(&p, "ff 03 c0 21 04 03 00 06 12 02");
}
END_TEST

START_TEST(B024_what_is_rejected_is_stuffed)
{
	peer_start(&p);
	peer_hears(&p);
	peer_says(&p, "ff 03 c0 21 01 01 00 0a 63 06 7e 7d 11 13");
	assert_hears(&p, "ff 03 c0 21 04 01 00 0a 63 06 7e 7d 11 13");
	assert_octets(p.wire, hex("7e ff 7d 23 c0 21 7d 24 7d 21 7d 20 7d 2a 63 7d 26 7d 5e 7d 5d "
				  "7d 31 7d 33 8a 41 7e"));
}
END_TEST

START_TEST(B030_lengths_that_lie)
{
	peer_start(&p);
	peer_hears(&p);
	peer_says_wire(&p, "7e ff 03 3d 30 31 e1 7e");
	peer_says_wire(&p, "7e ff 03 c0 21 01 01 00 ff 01 04 05 dc 2b 6e 7e");
	peer_says_wire(&p, "7e ff 03 c0 21 01 01 00 03 6e c1 7e");
	assert_hears_nothing(&p);
	ck_assert_uint_eq(counters_of(&p).bad_packets, 2);
	ck_assert_uint_eq(counters_of(&p).wrong_phase, 1);
}
END_TEST

START_TEST(B031_options_of_no_length)
{
	peer_start(&p);
	peer_hears(&p);
	peer_says_wire(&p, "7e ff 03 c0 21 01 01 00 08 05 00 00 00 85 b2 7e");
	peer_says_wire(&p, "7e ff 03 c0 21 01 01 00 08 05 01 00 00 59 e8 7e");
	assert_hears_nothing(&p);
	ck_assert_uint_eq(counters_of(&p).bad_packets, 2);
}
END_TEST

START_TEST(values_that_stay_wrong_are_rejected)
{
	static const struct exchange nak = {"01 04 00 01", CODE_CONFIGURE_NAK, "01 04 00 80"};
	static const struct exchange reject = {"01 04 00 01", CODE_CONFIGURE_REJECT, "01 04 00 01"};
	peer_start(&p);
	peer_hears(&p);
	for (unsigned i = 0; i < p.config.timers.max_failure; i++)
		assert_answer(&nak);
	for (unsigned i = 0; i < p.config.timers.max_failure; i++)
		assert_answer(&reject);
	peer_says_lcp(&p, CODE_CONFIGURE_REQUEST, IDENTIFIER, hex("01 04 00 01"));
	assert_hears_nothing(&p);
	ck_assert_int_eq(p.last.kind, LINK_EVENT_DOWN);
	ck_assert_int_eq(p.last.reason, LINK_NO_AGREEMENT);
}
END_TEST

/* --- how we prove ourselves --- */

static void as_alice(void)
{
	p.config.auth.name = "alice";
	p.config.auth.pap_secrets = p.config.auth.chap_secrets = &alices_secrets;
}

#define B022_WIRE                                                                                  \
	"7e ff 7d 23 c0 21 7d 21 7d 23 7d 20 7d 39 7d 22 7d 26 7d 20 7d 2a 7d 20 7d 20 7d 27 7d "  \
	"22 7d 28 7d 22 7d 25 7d 26 73 77 bd a1 7d 23 7d 25 c2 23 7d 25 b1 7d 2b 7e"

START_TEST(B022_nak_names_the_other_method)
{
	as_alice();
	p.config.refuse_chap = p.config.pfc = p.config.acfc = true;
	peer_start(&p);
	peer_hears(&p);
	peer_says_wire(&p, B022_WIRE);
	assert_hears(&p, "ff 03 c0 21 03 03 00 08 03 04 c0 23");
}
END_TEST

START_TEST(B022_only_what_was_asked_for_is_escaped)
{
	uint8_t memory[256];
	struct buf out = buf_over(memory, sizeof memory);

	as_alice();
	p.config.pfc = p.config.acfc = true;
	peer_start(&p);
	peer_agrees(&p);
	peer_says_wire(&p, B022_WIRE);
	assert_hears(&p, "ff 03 c0 21 02 03 00 19 02 06 00 0a 00 00 07 02 08 02 05 06 73 77 bd a1 "
			 "03 05 c2 23 05");
	/* CHAP: challenge, response, success */
	peer_says(&p, "ff 03 c2 23 01 01 00 08 01 aa 62 6f");
	ck_assert_uint_gt(peer_hears(&p).length, 0);
	ck_assert_uint_eq(p.ups, 0);
	peer_says(&p, "ff 03 c2 23 03 01 00 04");
	ck_assert_uint_eq(p.ups, 1);

	link_encode(p.link, PPP_IP, bytes_of(NULL, 0),
		    hex("00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 14 15 16 17 "
			"18 19 1a 1b 1c 1d 1e 1f 7d 7e"),
		    &out);
	ck_assert_mem_eq(out.at,
			 hex("21 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 7d 31 12 7d 33 "
			     "14 15 16 17 18 19 1a 1b 1c 1d 1e 1f 7d 5d 7d 5e")
				 .at,
			 39);
	/* LCP's codes 1 to 7 stay as they were */
	link_close(p.link, p.now);
	assert_hears(&p, "ff 03 c0 21 05 02 00 04");
	assert_octets(bytes_of(p.wire.at, 17),
		      hex("7e ff 7d 23 c0 21 7d 25 7d 22 7d 20 7d 24 59 28 7e"));
}
END_TEST

START_TEST(what_we_cannot_do_is_rejected)
{
	static const struct exchange table[] = {
		{"03 04 c0 23", CODE_CONFIGURE_REJECT, "03 04 c0 23"},
		{"03 05 c2 23 05", CODE_CONFIGURE_REJECT, "03 05 c2 23 05"},
		{"03 04 c2 27", CODE_CONFIGURE_REJECT, "03 04 c2 27"},
	};
	ASSERT_ANSWERS(table);
}
END_TEST

START_TEST(methods_we_have)
{
	static const struct exchange table[] = {
		{"03 04 c0 23", CODE_CONFIGURE_ACK, "03 04 c0 23"},
		{"03 05 c2 23 05", CODE_CONFIGURE_ACK, "03 05 c2 23 05"},
		{"03 05 c2 23 81", CODE_CONFIGURE_NAK, "03 05 c2 23 05"}, /* MS-CHAP-V2 */
		{"03 04 c2 27", CODE_CONFIGURE_NAK, "03 05 c2 23 05"},    /* EAP */
		{"03 02", CODE_CONFIGURE_NAK, "03 05 c2 23 05"},
	};
	as_alice();
	ASSERT_ANSWERS(table);
}
END_TEST

START_TEST(a_peer_that_insists_and_leaves)
{
	peer_start(&p);
	peer_agrees(&p);
	peer_says(&p, "ff 03 c0 21 01 01 00 08 03 04 c0 23");
	assert_hears(&p, "ff 03 c0 21 04 01 00 08 03 04 c0 23");
	for (unsigned i = 1; i <= 2 * p.config.timers.max_failure; i++)
		peer_says(&p, "ff 03 c0 21 01 01 00 08 03 04 c0 23");
	ck_assert_int_eq(p.last.kind, LINK_EVENT_DOWN);
	ck_assert_int_eq(p.last.reason, LINK_NO_AUTH_AGREEMENT);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("lcp");
	TCase *t;

	t = tcase_create("options");
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, answers_to_each_option);
	tcase_add_test(t, answers_with_all_features_on);
	tcase_add_test(t, the_worst_verdict_is_the_answer);
	tcase_add_test(t, B040_only_what_is_wrong_is_rejected);
	tcase_add_test(t, B051_multilink_off);
	tcase_add_test(t, B024_what_is_rejected_is_stuffed);
	tcase_add_test(t, B030_lengths_that_lie);
	tcase_add_test(t, B031_options_of_no_length);
	tcase_add_test(t, values_that_stay_wrong_are_rejected);
	suite_add_tcase(s, t);

	t = tcase_create("authentication");
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, B022_nak_names_the_other_method);
	tcase_add_test(t, B022_only_what_was_asked_for_is_escaped);
	tcase_add_test(t, what_we_cannot_do_is_rejected);
	tcase_add_test(t, methods_we_have);
	tcase_add_test(t, a_peer_that_insists_and_leaves);
	suite_add_tcase(s, t);
	return run_suite(s);
}
