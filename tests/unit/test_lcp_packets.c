/* SPDX-License-Identifier: MIT */
/*
 * The packets that LCP alone has, and magic numbers that come back.
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

static void set_up_open(void)
{
	set_up();
	peer_opens(&p);
}

/* --- packets of LCP's own --- */

START_TEST(echo_and_discard)
{
	peer_says(&p, "ff 03 c0 21 09 33 00 0b 01 02 03 04 61 62 63");
	assert_hears(&p, "ff 03 c0 21 0a 33 00 0b de ad be ef 61 62 63");
	peer_says(&p, "ff 03 c0 21 0b 34 00 08 01 02 03 04");
	peer_says(&p, "ff 03 c0 21 09 35 00 07 01 02 03"); /* no room for a magic number */
	assert_hears_nothing(&p);
	ck_assert_uint_eq(counters_of(&p).bad_packets, 1);
}
END_TEST

START_TEST(nothing_of_that_before_opened)
{
	peer_start(&p);
	peer_hears(&p);
	peer_says(&p, "ff 03 c0 21 09 33 00 08 01 02 03 04");
	peer_says(&p, "ff 03 c0 21 0c 33 00 0a 01 02 03 04 68 69");
	peer_says(&p, "ff 03 c0 21 08 33 00 06 c0 21");
	peer_says(&p, "ff 03 80 fd 01 01 00 0a 12 06 00 00 00 00");
	assert_hears_nothing(&p);
	ck_assert_int_eq(link_phase(p.link), LINK_ESTABLISH);
}
END_TEST

START_TEST(unknown_codes_are_rejected)
{
	peer_start(&p);
	peer_hears(&p);
	peer_says(&p, "ff 03 c0 21 0e 33 00 06 61 62");
	assert_hears(&p, "ff 03 c0 21 07 01 00 0a 0e 33 00 06 61 62");
}
END_TEST

START_TEST(identification_and_time)
{
	peer_says(&p, "ff 03 c0 21 0c 01 00 12 01 02 03 04 4d 61 78 0a 20 1b 54 4e 54 00");
	ck_assert_int_eq(p.last.kind, LINK_EVENT_IDENTIFIED);
	ck_assert_str_eq(link_agreed(p.link)->peer_identity, "Max TNT");
	ck_assert_uint_eq(link_agreed(p.link)->remaining_s, UINT32_MAX);
	peer_says(&p, "ff 03 c0 21 0d 01 00 0c 01 02 03 04 00 00 0e 10");
	ck_assert_uint_eq(link_agreed(p.link)->remaining_s, 3600);
	peer_says(&p, "ff 03 c0 21 0d 01 00 0b 01 02 03 04 00 00 0e");
	ck_assert_uint_eq(counters_of(&p).bad_packets, 1);
}
END_TEST

START_TEST(a_long_identification_is_cut)
{
	uint8_t frame[4 + 4 + 200];
	struct buf text = buf_over(frame, sizeof frame);

	buf_append(&text, hex("01 02 03 04"));
	for (int i = 0; i < 200; i++)
		buf_put(&text, 'x');
	peer_says_lcp(&p, CODE_IDENTIFICATION, IDENTIFIER, buf_bytes(&text));
	ck_assert_uint_eq(strlen(link_agreed(p.link)->peer_identity), LINK_IDENTITY_SIZE - 1);
}
END_TEST

START_TEST(ours_is_told_once)
{
	p.config.identity = "serialbundle";
	peer_opens(&p);
	assert_hears(&p, "ff 03 c0 21 0c 01 00 14 de ad be ef 73 65 72 69 61 6c 62 75 6e 64 6c 65");
	pass_time(&p, 100 * SB_SEC);
	assert_hears_nothing(&p);
}
END_TEST

/* A peer of long ago, without Identification. */
START_TEST(a_rejected_code_is_no_loss)
{
	peer_says(&p, "ff 03 c0 21 07 01 00 0c 0c 01 00 08 de ad be ef");
	ck_assert_uint_eq(p.downs, 0);
	peer_says(&p, "ff 03 c0 21 07 02 00 08 01 01 00 04");
	ck_assert_int_eq(p.last.reason, LINK_PEER_REJECTED);
}
END_TEST

START_TEST(B046_a_peer_that_asks_on)
{
	unsigned rejects = 0;

	for (int i = 0; i < 20; i++) {
		peer_says_wire(&p, "7e ff 03 80 fd 01 01 00 0a 12 06 00 00 00 00 2c a2 7e");
		ck_assert_uint_eq(p.packets, i + 1);
		link_reject(p.link, p.now, p.packet.protocol, p.packet.data);
		struct bytes frame = peer_hears(&p);
		rejects += frame.length > 0;
		if (i == 0)
			assert_octets(frame, hex("ff 03 c0 21 08 01 00 10 80 fd 01 01 00 0a 12 06 "
						 "00 00 00 00"));
		pass_time(&p, 3 * SB_SEC);
	}
	ck_assert_uint_eq(rejects, 5); /* of 60 s, every fourth time */
	ck_assert_uint_eq(counters_of(&p).unknown_protocol, 20);
}
END_TEST

START_TEST(B046_a_peer_of_many_protocols)
{
	unsigned rejects = 0;

	for (uint32_t protocol = 0x80F1; protocol < 0x8FFF; protocol += 0x12) {
		link_reject(p.link, p.now, (uint16_t)(protocol | 1), hex("01 01 00 04"));
		while (peer_hears(&p).length)
			rejects++;
		pass_time(&p, 100 * SB_MS);
	}
	ck_assert_uint_gt(rejects, 8);
	ck_assert_uint_le(rejects, 24); /* 21 seconds */
}
END_TEST

START_TEST(a_protocol_reject_fits_the_peer)
{
	uint8_t packet[1500] = {1};

	peer_says(&p, "ff 03 c0 21 01 02 00 08 01 04 02 40"); /* 576 */
	peer_agrees(&p);
	ck_assert_uint_eq(peer_hears(&p).at[4], CODE_CONFIGURE_ACK);
	link_reject(p.link, p.now, 0x80fd, bytes_of(packet, sizeof packet));
	ck_assert_uint_eq(peer_hears(&p).length, 4 + 576);
	peer_says_lcp(&p, CODE_ECHO_REQUEST, IDENTIFIER, bytes_of(packet, 1400));
	ck_assert_uint_eq(peer_hears(&p).length, 4 + 576);
}
END_TEST

START_TEST(what_the_peer_rejects)
{
	peer_says(&p, "ff 03 c0 21 08 01 00 0a 80 57 01 01 00 04");
	ck_assert_int_eq(p.last.kind, LINK_EVENT_PROTOCOL_REJECTED);
	ck_assert_uint_eq(p.last.protocol, 0x8057);
	peer_says(&p, "ff 03 c0 21 08 01 00 05 80");
	ck_assert_uint_eq(counters_of(&p).bad_packets, 1);
	peer_says(&p, "ff 03 c0 21 08 01 00 06 c0 21");
	ck_assert_int_eq(p.last.reason, LINK_PEER_REJECTED);
}
END_TEST

/* RFC 1990 section 2: over the bundle LCP does not negotiate. */
START_TEST(packets_that_came_in_fragments)
{
	link_lcp(p.link, p.now, hex("05 01 00 04"));
	link_lcp(p.link, p.now, hex("01 09 00 04"));
	link_lcp(p.link, p.now, hex("0c 01 00 0a 01 02 03 04 68 69"));
	link_lcp(p.link, p.now, bytes_of(NULL, 0));
	note(&p);
	assert_hears_nothing(&p);
	ck_assert_uint_eq(p.downs, 0);
	link_lcp(p.link, p.now, hex("09 07 00 08 01 02 03 04"));
	assert_hears(&p, "ff 03 c0 21 0a 07 00 08 de ad be ef");
	link_lcp(p.link, p.now, hex("08 01 00 06 80 57"));
	note(&p);
	ck_assert_int_eq(p.last.kind, LINK_EVENT_PROTOCOL_REJECTED);
}
END_TEST

/* --- who is not heard --- */

/* With a keep-alive, which has asked once and got its answer. */
static void open_with_keepalive(const char *identity)
{
	set_up();
	p.config.keepalive.interval = 10 * SB_SEC;
	p.config.identity = identity;
	peer_opens(&p);
	if (*identity)
		peer_hears(&p);
	pass_time(&p, 0);
	assert_hears(&p, *identity ? "ff 03 c0 21 09 02 00 08 de ad be ef"
				   : "ff 03 c0 21 09 01 00 08 de ad be ef");
	peer_says(&p, *identity ? "ff 03 c0 21 0a 02 00 08 01 02 03 04"
				: "ff 03 c0 21 0a 01 00 08 01 02 03 04");
}

START_TEST(words_of_a_peer_that_hears_nothing)
{
	open_with_keepalive("");
	pass_time(&p, SB_SEC);
	peer_says(&p, "ff 03 c0 21 0b 44 00 13 01 02 03 04 75 6e 68 65 61 72 64 00 00 02 bc");
	ck_assert_int_eq(p.last.kind, LINK_EVENT_SILENT);
	ck_assert_int_eq(p.last.reason, LINK_UNHEARD);
	ck_assert_int_eq(p.last.since, p.now - 700 * SB_MS);
	pass_time(&p, 0);
	assert_hears(&p, "ff 03 c0 21 09 02 00 08 de ad be ef");
	peer_says(&p, "ff 03 c0 21 09 45 00 08 01 02 03 04"); /* that alone does not do */
	ck_assert_int_eq(p.last.kind, LINK_EVENT_SILENT);
	peer_says(&p, "ff 03 c0 21 0a 02 00 08 01 02 03 04");
	ck_assert_int_eq(p.last.kind, LINK_EVENT_HEARD);
}
END_TEST

static const char *const no_such_words[] = {
	"ff 03 c0 21 0b 44 00 12 01 02 03 04 75 6e 68 65 61 72 64 00 00 02",    /* cut */
	"ff 03 c0 21 0b 44 00 13 01 02 03 05 75 6e 68 65 61 72 64 00 00 02 bc", /* whose? */
	"ff 03 c0 21 0b 44 00 13 01 02 03 04 75 6e 68 65 61 72 74 00 00 02 bc",
	"ff 03 c0 21 0b 44 00 13 de ad be ef 75 6e 68 65 61 72 64 00 00 02 bc", /* our own */
	"ff 03 c0 21 09 44 00 13 01 02 03 04 75 6e 68 65 61 72 64 00 00 02 bc",
	"ff 03 c0 21 0b 44 00 08 01 02 03 04",
};

START_TEST(words_that_are_none)
{
	open_with_keepalive("");
	peer_says(&p, no_such_words[_i]);
	ck_assert_int_eq(p.last.kind, LINK_EVENT_UP);
}
END_TEST

/* Over which link they came nobody knows. */
START_TEST(words_over_the_bundle)
{
	open_with_keepalive("");
	link_lcp(p.link, p.now, hex("0b 44 00 13 01 02 03 04 75 6e 68 65 61 72 64 00 00 02 bc"));
	note(&p);
	ck_assert_int_eq(p.last.kind, LINK_EVENT_UP);
}
END_TEST

START_TEST(our_words_when_nothing_is_heard)
{
	open_with_keepalive("serialbundle 1");
	peer_says(&p,
		  "ff 03 c0 21 0c 01 00 16 01 02 03 04 73 65 72 69 61 6c 62 75 6e 64 6c 65 20 32");
	pass_time(&p, 10 * SB_SEC);
	assert_hears(&p, "ff 03 c0 21 09 03 00 08 de ad be ef");
	pass_time(&p, 300 * SB_MS);
	ck_assert_int_eq(p.last.kind, LINK_EVENT_SILENT);
	ck_assert_int_eq(p.last.reason, LINK_SILENT);
	assert_hears(&p, "ff 03 c0 21 0b 04 00 13 de ad be ef 75 6e 68 65 61 72 64 00 00 28 3c");
	assert_hears_nothing(&p);
	pass_time(&p, 200 * SB_MS);
	/* before the request: who hears both at once knows that it is not heard */
	assert_hears(&p, "ff 03 c0 21 0b 05 00 13 de ad be ef 75 6e 68 65 61 72 64 00 00 29 04");
	assert_hears(&p, "ff 03 c0 21 09 06 00 08 de ad be ef");
	peer_says(&p, "ff 03 c0 21 0a 06 00 08 01 02 03 04");
	ck_assert_int_eq(p.last.kind, LINK_EVENT_HEARD);
}
END_TEST

/* --- loops --- */

START_TEST(B038_our_own_request_comes_back)
{
	peer_start(&p);
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_eq(p.downs, 0);
		ck_assert_uint_gt(peer_hears(&p).length, 0);
		peer_says_octets(&p, p.wire); /* the request */
		ck_assert_uint_gt(peer_hears(&p).length, 0);
		if (i < 2)
			peer_says_octets(&p, p.wire); /* our Nak of it */
	}
	ck_assert_int_eq(p.last.kind, LINK_EVENT_DOWN);
	ck_assert_int_eq(p.last.reason, LINK_LOOPED_BACK);
	ck_assert_uint_eq(counters_of(&p).loops, 3);
}
END_TEST

START_TEST(B038_the_request_of_the_case)
{
	p.config.pfc = p.config.acfc = true;
	p.random = 0xeedf8a51;
	peer_start(&p);
	assert_hears(&p, "ff 03 c0 21 01 01 00 14 02 06 00 00 00 00 05 06 ee df 8a 51 07 02 08 02");
	peer_says(&p, "ff 03 c0 21 01 39 00 14 02 06 00 00 00 00 05 06 ee df 8a 51 07 02 08 02");
	assert_hears(&p, "ff 03 c0 21 03 39 00 0a 05 06 ee df 8a 52");
}
END_TEST

START_TEST(a_loop_while_open)
{
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_eq(p.downs, 0);
		peer_says(&p, "ff 03 c0 21 09 33 00 08 de ad be ef");
	}
	ck_assert_int_eq(p.last.reason, LINK_LOOPED_BACK);
	assert_hears(&p, "ff 03 c0 21 05 02 00 04"); /* but no reply to ourselves */
}
END_TEST

START_TEST(two_peers_with_one_number_part)
{
	peer_start(&p);
	assert_hears(&p, "ff 03 c0 21 01 01 00 10 02 06 00 00 00 00 05 06 de ad be ef");
	peer_says(&p, "ff 03 c0 21 01 01 00 0a 05 06 de ad be ef");
	assert_hears(&p, "ff 03 c0 21 03 01 00 0a 05 06 de ad be f0");
	peer_says(&p, "ff 03 c0 21 01 02 00 0a 05 06 de ad be f0");
	assert_hears(&p, "ff 03 c0 21 02 02 00 0a 05 06 de ad be f0");
	ck_assert_uint_eq(p.downs, 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("lcp_packets");
	TCase *t;

	t = tcase_create("opened");
	tcase_add_checked_fixture(t, set_up_open, tear_down);
	tcase_add_test(t, echo_and_discard);
	tcase_add_test(t, identification_and_time);
	tcase_add_test(t, a_long_identification_is_cut);
	tcase_add_test(t, a_rejected_code_is_no_loss);
	tcase_add_test(t, B046_a_peer_that_asks_on);
	tcase_add_test(t, B046_a_peer_of_many_protocols);
	tcase_add_test(t, a_protocol_reject_fits_the_peer);
	tcase_add_test(t, what_the_peer_rejects);
	tcase_add_test(t, packets_that_came_in_fragments);
	tcase_add_test(t, a_loop_while_open);
	suite_add_tcase(s, t);

	t = tcase_create("unheard");
	tcase_add_checked_fixture(t, NULL, tear_down);
	tcase_add_test(t, words_of_a_peer_that_hears_nothing);
	tcase_add_loop_test(t, words_that_are_none, 0,
			    sizeof no_such_words / sizeof no_such_words[0]);
	tcase_add_test(t, words_over_the_bundle);
	tcase_add_test(t, our_words_when_nothing_is_heard);
	suite_add_tcase(s, t);

	t = tcase_create("before");
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, nothing_of_that_before_opened);
	tcase_add_test(t, unknown_codes_are_rejected);
	tcase_add_test(t, ours_is_told_once);
	tcase_add_test(t, B038_our_own_request_comes_back);
	tcase_add_test(t, B038_the_request_of_the_case);
	tcase_add_test(t, two_peers_with_one_number_part);
	suite_add_tcase(s, t);
	return run_suite(s);
}
