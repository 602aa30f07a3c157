/* SPDX-License-Identifier: MIT */
/*
 * Who proves itself on a link, to whom and how, and what comes of it when it does not.
 */
#include "tests/unit/link_peer.h"
#include "tests/unit/link_testing.h"

static struct pair p;
static struct end *const a = &p.end[0], *const b = &p.end[1];
static struct peer peer;

static const struct secret others_secret = {"alice", "*", "another", NULL};
static const struct secrets others_secrets = {&others_secret, 1};

/* A is alice, B wants to know it. */
static void set_up(void)
{
	pair_init(&p, 3840, 3);
	a->config.auth.name = "alice";
	b->config.auth.name = "bob";
	for (int i = 0; i < 2; i++) {
		p.end[i].config.auth.pap_secrets = &alices_secrets;
		p.end[i].config.auth.chap_secrets = &alices_secrets;
	}
}

static void tear_down(void)
{
	pair_free(&p);
}

static void assert_alice_is_known(void)
{
	pair_start(&p);
	ck_assert(pair_comes_up(&p, 10 * SB_SEC));
	ck_assert_str_eq(link_agreed(b->link)->peer_name, "alice");
	ck_assert_ptr_eq(link_agreed(b->link)->peer_secret, &alices_secret);
	ck_assert(link_agreed(a->link)->we_proved);
	ck_assert(!link_agreed(b->link)->we_proved);
	ck_assert_str_eq(link_agreed(a->link)->peer_name, "");
	ck_assert_uint_eq(a->events_count, 1);
	ck_assert_uint_eq(b->events_count, 1);
}

START_TEST(by_pap)
{
	b->config.require_pap = true;
	assert_alice_is_known();
}
END_TEST

START_TEST(by_chap)
{
	b->config.require_chap = true;
	assert_alice_is_known();
}
END_TEST

START_TEST(by_the_one_that_both_do)
{
	b->config.require_chap = b->config.require_pap = true;
	a->config.refuse_chap = true;
	assert_alice_is_known();
}
END_TEST

START_TEST(both_ways)
{
	static const struct secret both[] = {{"alice", "bob", "one", NULL},
					     {"bob", "alice", "two", NULL}};
	static const struct secrets secrets = {both, 2};

	for (int i = 0; i < 2; i++)
		p.end[i].config.auth.chap_secrets = p.end[i].config.auth.pap_secrets = &secrets;
	a->config.require_chap = true;
	b->config.require_pap = true;
	a->config.auth.remote_name = "bob";
	b->config.auth.remote_name = "alice";
	pair_start(&p);
	ck_assert(pair_comes_up(&p, 10 * SB_SEC));
	ck_assert_str_eq(link_agreed(b->link)->peer_name, "alice");
	ck_assert_str_eq(link_agreed(a->link)->peer_name, "bob");
}
END_TEST

static void assert_refused(void)
{
	pair_start(&p);
	pair_run(&p, 10 * SB_SEC);
	assert_last_event(a, LINK_EVENT_DOWN, LINK_WE_WERE_REFUSED);
	assert_last_event(b, LINK_EVENT_DOWN, LINK_PEER_REFUSED);
	ck_assert_uint_eq(a->events_count, 1);
	ck_assert_uint_eq(b->events_count, 1);
	ck_assert_int_eq(link_phase(a->link), LINK_DEAD);
	ck_assert_int_eq(link_phase(b->link), LINK_DEAD);
}

START_TEST(a_wrong_secret)
{
	b->config.require_pap = _i == 0;
	b->config.require_chap = _i == 1;
	a->config.auth.pap_secrets = a->config.auth.chap_secrets = &others_secrets;
	assert_refused();
}
END_TEST

START_TEST(a_peer_without_a_secret)
{
	b->config.require_chap = true;
	a->config.auth.chap_secrets = &no_secrets;
	pair_start(&p);
	pair_run(&p, 10 * SB_SEC);
	assert_last_event(b, LINK_EVENT_DOWN, LINK_NO_AUTH_AGREEMENT);
	ck_assert_uint_eq(b->events_count, 1);
}
END_TEST

START_TEST(no_packet_passes_before)
{
	b->config.require_chap = true;
	pair_start(&p);
	for (int i = 0; i < 200 && link_phase(b->link) != LINK_AUTHENTICATE; i++)
		pair_step(&p);
	ck_assert_int_eq(link_phase(b->link), LINK_AUTHENTICATE);
	struct bytes in = hex("7e 21 45 00 00 1c 00 01 00 00 40 01 66 de 0a 00 00 01 0a 00 00 02 "
			      "08 00 f7 ff 00 00 00 00 e5 33 7e");
	struct link_packet packet;
	struct link_counters counters;
	ck_assert(!link_next(b->link, p.now, &in, &packet));
	link_count(b->link, &counters);
	ck_assert_uint_eq(counters.wrong_phase, 1);
	ck_assert_uint_eq(b->events_count, 0);
}
END_TEST

START_TEST(challenged_again_while_up)
{
	b->config.require_chap = true;
	b->config.auth.rechallenge = 20 * SB_SEC;
	b->config.keepalive.max_silent = 0; /* which would find out as well */
	assert_alice_is_known();
	pair_run(&p, 100 * SB_SEC);
	ck_assert_uint_eq(b->events_count, 1);
	ck_assert(is_up(a) && is_up(b));
	p.wire[0].cut = true;
	pair_run(&p, 55 * SB_SEC);
	assert_last_event(b, LINK_EVENT_DOWN, LINK_AUTH_SILENT);
}
END_TEST

/* The peer wants CHAP, then says nothing. */
START_TEST(B053_no_password_after_a_silent_challenge)
{
	peer_init(&peer);
	peer.config.auth.name = "alice";
	peer.config.auth.pap_secrets = peer.config.auth.chap_secrets = &alices_secrets;
	peer_start(&peer);
	peer_agrees(&peer);
	peer_says(&peer, "ff 03 c0 21 01 01 00 09 03 05 c2 23 05");
	assert_hears(&peer, "ff 03 c0 21 02 01 00 09 03 05 c2 23 05");
	for (int i = 0; i < 60; i++) {
		pass_time(&peer, SB_SEC);
		struct bytes frame = peer_hears(&peer);
		ck_assert(!frame.length || frame.at[2] != 0xc0 || frame.at[3] != 0x23);
	}
	ck_assert_uint_eq(peer.ups, 0);
	peer_end(&peer);
}
END_TEST

START_TEST(B054_a_challenge_out_of_the_blue)
{
	peer_init(&peer);
	peer.config.auth.name = "alice";
	peer.config.auth.pap_secrets = peer.config.auth.chap_secrets = &alices_secrets;
	peer_opens(&peer);
	peer_says_wire(&peer, "7e ff 03 c2 23 01 01 00 16 10 00 01 02 03 04 05 06 07 08 09 0a 0b "
			      "0c 0d 0e 0f 78 54 d0 7e");
	assert_hears_nothing(&peer);
	ck_assert_uint_eq(peer.downs, 0);
	pass_time(&peer, 60 * SB_SEC);
	assert_hears_nothing(&peer);
	peer_end(&peer);
}
END_TEST

/* The digest of the case, where the challenge was agreed to. */
START_TEST(B054_the_same_challenge_agreed_to)
{
	peer_init(&peer);
	peer.config.auth.name = "alice";
	peer.config.auth.remote_name = "bob";
	peer.config.auth.pap_secrets = peer.config.auth.chap_secrets = &alices_secrets;
	peer_start(&peer);
	peer_agrees(&peer);
	peer_says(&peer, "ff 03 c0 21 01 01 00 09 03 05 c2 23 05");
	assert_hears(&peer, "ff 03 c0 21 02 01 00 09 03 05 c2 23 05");
	peer_says_wire(&peer, "7e ff 03 c2 23 01 01 00 16 10 00 01 02 03 04 05 06 07 08 09 0a 0b "
			      "0c 0d 0e 0f 78 54 d0 7e");
	assert_hears(&peer, "ff 03 c2 23 02 01 00 1a 10 74 0e 86 46 3b da 3a 4d 70 17 d6 e0 fb a0 "
			    "69 9d 61 6c 69 63 65");
	peer_end(&peer);
}
END_TEST

/* Nobody asked for it, neither of us nor of the peer. */
START_TEST(a_password_out_of_the_blue)
{
	peer_init(&peer);
	peer_opens(&peer);
	peer_says(&peer, "ff 03 c0 23 01 01 00 12 05 61 6c 69 63 65 06 73 65 63 72 65 74");
	assert_hears_nothing(&peer);
	ck_assert_str_eq(link_agreed(peer.link)->peer_name, "");
	ck_assert_uint_ge(counters_of(&peer).bad_packets, 1);
	peer_end(&peer);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("link_auth");
	TCase *t = tcase_create("two links");
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, by_pap);
	tcase_add_test(t, by_chap);
	tcase_add_test(t, by_the_one_that_both_do);
	tcase_add_test(t, both_ways);
	tcase_add_loop_test(t, a_wrong_secret, 0, 2);
	tcase_add_test(t, a_peer_without_a_secret);
	tcase_add_test(t, no_packet_passes_before);
	tcase_add_test(t, challenged_again_while_up);
	suite_add_tcase(s, t);

	t = tcase_create("scripted");
	tcase_add_test(t, B053_no_password_after_a_silent_challenge);
	tcase_add_test(t, B054_a_challenge_out_of_the_blue);
	tcase_add_test(t, B054_the_same_challenge_agreed_to);
	tcase_add_test(t, a_password_out_of_the_blue);
	suite_add_tcase(s, t);
	return run_suite(s);
}
