/* SPDX-License-Identifier: MIT */
/*
 * LCP, octet by octet: what it asks for, after what the peer said to it before.
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

/* --- what we ask for --- */

static void as_server(void)
{
	p.config.auth.name = "bob";
	p.config.auth.pap_secrets = p.config.auth.chap_secrets = &alices_secrets;
}

START_TEST(everything_is_asked_for)
{
	p.config.mru = 1000;
	p.config.accm = 0x000a0000;
	p.config.pfc = p.config.acfc = p.config.multilink = p.config.short_sequence = true;
	p.config.fcs = 4;
	p.config.mrru = 1600;
	p.config.quality_period = 10 * SB_SEC;
	p.config.endpoint = (struct endpoint){3, 6, {2, 0, 0, 0, 0, 1}};
	p.config.require_chap = true;
	peer_start(&p);
	assert_hears(&p, "ff 03 c0 21 01 01 00 37 01 04 03 e8 02 06 00 0a 00 00 03 05 c2 23 05 04 "
			 "08 c0 25 00 00 03 e8 05 06 de ad be ef 07 02 08 02 09 03 04 11 04 06 40 "
			 "12 02 13 09 03 02 00 00 00 00 01");
}
END_TEST

/* The answer to our first request, and the options of our second. */
struct after {
	uint8_t code;
	const char *answer;
	const char *next;
};

static void assert_next_requests(const struct after *x, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		p.random = 0xdeadbeef;
		peer_start(&p);
		peer_hears(&p);
		peer_says_lcp(&p, x[i].code, 1, hex(x[i].answer));
		assert_hears_lcp(&p, CODE_CONFIGURE_REQUEST, 2, hex(x[i].next));
		if (i + 1 < count)
			peer_end(&p);
	}
}
#define ASSERT_NEXT_REQUESTS(table) assert_next_requests(table, sizeof(table) / sizeof((table)[0]))

START_TEST(what_a_nak_changes)
{
	static const struct after table[] = {
		{CODE_CONFIGURE_NAK, "01 04 02 40",
		 "01 04 02 40 02 06 00 00 00 00 05 06 de ad be ef 09 03 04 11 04 05 dc"},
		/* more than we asked for: 1500 always; not beyond */
		{CODE_CONFIGURE_NAK, "01 04 05 dc",
		 "01 04 05 dc 02 06 00 00 00 00 05 06 de ad be ef 09 03 04 11 04 05 dc"},
		{CODE_CONFIGURE_NAK, "01 04 ff ff 11 04 ff ff",
		 "01 04 05 dc 02 06 00 00 00 00 05 06 de ad be ef 09 03 04 11 04 05 dc"},
		{CODE_CONFIGURE_NAK, "01 04 00 01 11 04 03 e8",
		 "01 04 00 80 02 06 00 00 00 00 05 06 de ad be ef 09 03 04 11 04 03 e8"},
		{CODE_CONFIGURE_NAK, "02 06 00 0a 00 00",
		 "01 04 03 e8 02 06 00 0a 00 00 05 06 de ad be ef 09 03 04 11 04 05 dc"},
		{CODE_CONFIGURE_NAK, "05 06 00 00 00 01",
		 "01 04 03 e8 02 06 00 00 00 00 05 06 de ad be f0 09 03 04 11 04 05 dc"},
		{CODE_CONFIGURE_NAK, "09 03 02",
		 "01 04 03 e8 02 06 00 00 00 00 05 06 de ad be ef 09 03 02 11 04 05 dc"},
		{CODE_CONFIGURE_NAK, "09 03 03",
		 "01 04 03 e8 02 06 00 00 00 00 05 06 de ad be ef 11 04 05 dc"},
		/* hints of what we did not ask for, and values that cannot be */
		{CODE_CONFIGURE_NAK, "07 02 12 02 63 02 01 03 00",
		 "01 04 03 e8 02 06 00 00 00 00 05 06 de ad be ef 09 03 04 11 04 05 dc"},
	};
	p.config.mru = 1000;
	p.config.fcs = 4;
	p.config.multilink = true;
	ASSERT_NEXT_REQUESTS(table);
}
END_TEST

START_TEST(B023_what_was_rejected_is_not_asked_for_again)
{
	static const struct after table[] = {
		{CODE_CONFIGURE_REJECT, "02 06 00 00 00 00",
		 "05 06 de ad be ef 07 02 08 02 11 04 05 dc 12 02"},
		{CODE_CONFIGURE_REJECT, "05 06 de ad be ef 07 02 08 02",
		 "02 06 00 00 00 00 11 04 05 dc 12 02"},
		{CODE_CONFIGURE_REJECT, "12 02",
		 "02 06 00 00 00 00 05 06 de ad be ef 07 02 08 02 11 04 05 dc"},
		/* B063: without an MRRU there are no short numbers */
		{CODE_CONFIGURE_REJECT, "11 04 05 dc",
		 "02 06 00 00 00 00 05 06 de ad be ef 07 02 08 02"},
	};
	p.config.pfc = p.config.acfc = p.config.multilink = p.config.short_sequence = true;
	ASSERT_NEXT_REQUESTS(table);
}
END_TEST

START_TEST(of_two_methods_the_peer_chooses)
{
	static const struct after table[] = {
		{CODE_CONFIGURE_NAK, "03 04 c0 23",
		 "02 06 00 00 00 00 03 04 c0 23 05 06 de ad be ef"},
		{CODE_CONFIGURE_NAK, "03 04 c2 27",
		 "02 06 00 00 00 00 03 04 c0 23 05 06 de ad be ef"},
	};
	as_server();
	p.config.require_chap = p.config.require_pap = true;
	ASSERT_NEXT_REQUESTS(table);
}
END_TEST

static void assert_no_auth_agreement(const char *answer)
{
	peer_start(&p);
	assert_hears(&p,
		     "ff 03 c0 21 01 01 00 15 02 06 00 00 00 00 03 05 c2 23 05 05 06 de ad be ef");
	peer_says(&p, answer);
	ck_assert_int_eq(p.last.kind, LINK_EVENT_DOWN);
	ck_assert_int_eq(p.last.reason, LINK_NO_AUTH_AGREEMENT);
	ck_assert_int_eq(link_phase(p.link), LINK_DEAD);
}

START_TEST(a_peer_that_will_not_prove_itself)
{
	as_server();
	p.config.require_chap = true;
	assert_no_auth_agreement("ff 03 c0 21 04 01 00 09 03 05 c2 23 05");
}
END_TEST

START_TEST(a_peer_that_knows_only_another_method)
{
	as_server();
	p.config.require_chap = true;
	assert_no_auth_agreement("ff 03 c0 21 03 01 00 08 03 04 c0 23");
}
END_TEST

/* --- what comes of it --- */

START_TEST(B023_without_the_option_the_default_map_holds)
{
	p.config.receive_all = false;
	peer_start(&p);
	assert_hears(&p, "ff 03 c0 21 01 01 00 10 02 06 00 00 00 00 05 06 de ad be ef");
	peer_says(&p, "ff 03 c0 21 04 01 00 0a 02 06 00 00 00 00");
	peer_agrees(&p);
	peer_says(&p, "ff 03 c0 21 01 01 00 04");
	assert_hears(&p, "ff 03 c0 21 02 01 00 04");
	ck_assert_uint_eq(p.ups, 1);
	/* the same packet with characters that the line put in, and all its own escaped */
	peer_says_wire(&p, "7e 11 ff 7d 23 13 7d 20 21 68 65 6c 6c 6f fe 03 94 7e");
	ck_assert_uint_eq(counters_of(&p).hdlc.bad_fcs, 1);
	ck_assert_uint_eq(counters_of(&p).hdlc.removed, 3);
	peer_says(&p, "ff 03 00 21 00 01 11 13");
	ck_assert_uint_eq(p.packets, 1);
	/* and so we send, since the peer asked for nothing either */
	uint8_t memory[64];
	struct buf out = buf_over(memory, sizeof memory);
	link_encode(p.link, PPP_IP, bytes_of(NULL, 0), hex("11 13"), &out);
	ck_assert_mem_eq(out.at, hex("ff 7d 23 7d 20 21 7d 31 7d 33").at, 10);
}
END_TEST

START_TEST(B050_the_peers_mru)
{
	static const struct {
		const char *request;
		uint16_t mru;
	} table[] = {
		{"7e ff 03 c0 21 01 06 00 08 01 04 06 40 c4 72 7e", 1600},
	};
	peer_start(&p);
	peer_agrees(&p);
	peer_says_wire(&p, table[0].request);
	ck_assert_uint_eq(link_agreed(p.link)->peer_mru, table[0].mru);
	ck_assert_uint_eq(link_agreed(p.link)->mru, 1500);
}
END_TEST

/* Anew, with each of these in the peer's request. */
START_TEST(B050_the_peers_mru_changes)
{
	static const struct {
		const char *request;
		uint16_t mru;
	} table[] = {
		{"ff 03 c0 21 01 02 00 08 01 04 02 40", 576},
		{"ff 03 c0 21 01 03 00 04", 1500},
		{"ff 03 c0 21 01 04 00 08 01 04 05 d4", 1492},
		{"ff 03 c0 21 01 05 00 08 01 04 05 a2", 1442},
	};
	peer_opens(&p);
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		peer_says(&p, table[i].request);
		ck_assert_int_eq(p.last.kind, LINK_EVENT_DOWN);
		ck_assert_int_eq(p.last.reason, LINK_RENEGOTIATED);
		peer_agrees(&p);
		ck_assert_uint_eq(peer_hears(&p).at[4], CODE_CONFIGURE_ACK);
		ck_assert_uint_eq(p.ups, i + 2);
		ck_assert_uint_eq(link_agreed(p.link)->peer_mru, table[i].mru);
	}
}
END_TEST

START_TEST(B063_multilink_rejected)
{
	p.config.multilink = true;
	p.config.endpoint = (struct endpoint){1, 1, {7}};
	peer_start(&p);
	p.random = 0;
	assert_hears(&p, "ff 03 c0 21 01 01 00 18 02 06 00 00 00 00 05 06 de ad be ef 11 04 05 dc "
			 "13 04 01 07");
	/* the case has another identifier and another MRRU than ours: no answer to our request */
	peer_says_wire(&p, "7e ff 03 c0 21 04 03 00 08 11 04 06 40 a7 d6 7e");
	assert_hears_nothing(&p);
	peer_says(&p, "ff 03 c0 21 04 01 00 08 11 04 05 dc");
	peer_agrees(&p);
	peer_says(&p, "ff 03 c0 21 01 01 00 08 11 04 05 dc");
	assert_hears(&p, "ff 03 c0 21 02 01 00 08 11 04 05 dc");
	ck_assert_uint_eq(p.ups, 1);
	ck_assert(!link_agreed(p.link)->multilink);
	/* fragments were not agreed to */
	peer_says(&p, "ff 03 00 3d c0 00 00 00 21 45");
	ck_assert_uint_eq(p.packets, 0);
	assert_hears(&p, "ff 03 c0 21 08 01 00 0c 00 3d c0 00 00 00 21 45");
}
END_TEST

/* The rejected MRRU is 1600 here, as the case has it. */
START_TEST(B063_verbatim)
{
	p.config.multilink = true;
	p.config.mrru = 1600;
	peer_start(&p);
	peer_hears(&p);
	for (int i = 0; i < 2; i++) { /* two Naks bring our identifier to the case's 3 */
		peer_says(&p, i ? "ff 03 c0 21 03 02 00 0a 05 06 00 00 00 01"
				: "ff 03 c0 21 03 01 00 0a 05 06 00 00 00 01");
		ck_assert_uint_eq(peer_hears(&p).at[5], i + 2);
	}
	peer_says_wire(&p, "7e ff 03 c0 21 04 03 00 08 11 04 06 40 a7 d6 7e");
	assert_hears(&p, "ff 03 c0 21 01 04 00 10 02 06 00 00 00 00 05 06 de ad be f1");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("lcp_requests");
	TCase *t;

	t = tcase_create("requests");
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, everything_is_asked_for);
	tcase_add_test(t, what_a_nak_changes);
	tcase_add_test(t, B023_what_was_rejected_is_not_asked_for_again);
	tcase_add_test(t, of_two_methods_the_peer_chooses);
	tcase_add_test(t, a_peer_that_will_not_prove_itself);
	tcase_add_test(t, a_peer_that_knows_only_another_method);
	suite_add_tcase(s, t);

	t = tcase_create("what comes of it");
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, B023_without_the_option_the_default_map_holds);
	tcase_add_test(t, B050_the_peers_mru);
	tcase_add_test(t, B050_the_peers_mru_changes);
	tcase_add_test(t, B063_multilink_rejected);
	tcase_add_test(t, B063_verbatim);
	suite_add_tcase(s, t);
	return run_suite(s);
}
