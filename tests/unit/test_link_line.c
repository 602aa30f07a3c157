/* SPDX-License-Identifier: MIT */
/*
 * Links on lines that are long, noisy, of seven bits, that echo or are no PPP lines
 * at all; and with peers that mean harm.
 */
#include "tests/unit/link_peer.h"
#include "tests/unit/link_testing.h"

static struct pair p;
static struct end *const a = &p.end[0], *const b = &p.end[1];
static struct peer peer;

static void set_up(void)
{
	pair_init(&p, 3840, 1);
}

static void tear_down(void)
{
	pair_free(&p);
}

/* --- long --- */

/*
 * The first request is the one that is agreed to, before any timer has run down: a
 * second one goes out when the peer's comes, in case it had not heard the first.
 */
START_TEST(a_round_trip_of_two_seconds)
{
	p.wire[0].delay = p.wire[1].delay = SB_SEC;
	pair_start(&p);
	ck_assert(pair_comes_up(&p, 2200 * SB_MS));
	for (int i = 0; i < 2; i++)
		ck_assert_uint_le(p.end[i].frames[CODE_CONFIGURE_REQUEST], 2);
	pair_run(&p, 60 * SB_SEC);
	ck_assert_uint_eq(a->events_count, 1);
	ck_assert_uint_eq(b->events_count, 1);
}
END_TEST

/* One end begins while the other's request is on its way or was lost. */
START_TEST(one_end_begins_later)
{
	p.wire[0].delay = p.wire[1].delay = SB_SEC;
	a->link = link_new(&a->config);
	b->link = link_new(&b->config);
	link_lower_up(a->link, p.now);
	pair_run(&p, _i * 100 * SB_MS);
	link_lower_up(b->link, p.now);
	ck_assert(pair_comes_up(&p, 9 * SB_SEC));
	pair_run(&p, 20 * SB_SEC);
	ck_assert(is_up(a) && is_up(b));
}
END_TEST

/* --- noisy --- */

/* E25: a try is a negotiation. */
START_TEST(up_in_ten_tries_with_every_hundredth_character_damaged)
{
	for (uint64_t seed = 0; seed < 100; seed++) {
		bool up = false;
		pair_init(&p, 3840, seed);
		p.wire[0].damage = p.wire[1].damage = 0.01;
		pair_start(&p);
		for (int tries = 0; tries < 10 && !up; tries++) {
			if (tries) {
				link_open(a->link, p.now);
				link_open(b->link, p.now);
			}
			up = pair_comes_up(&p, 31 * SB_SEC);
		}
		ck_assert_msg(up, "seed %d", (int)seed);
		if (seed < 99)
			pair_free(&p);
	}
}
END_TEST

static void assert_no_link(unsigned seconds)
{
	pair_start(&p);
	pair_run(&p, seconds * SB_SEC);
	assert_last_event(a, LINK_EVENT_DOWN, LINK_NO_REPLY);
	assert_last_event(b, LINK_EVENT_DOWN, LINK_NO_REPLY);
}

START_TEST(B028_a_line_of_seven_bits)
{
	struct link_counters counters;

	p.wire[0].mask = p.wire[1].mask = 0x7F;
	assert_no_link(40);
	link_count(a->link, &counters);
	ck_assert_uint_eq(counters.hdlc.bad_fcs + counters.hdlc.aborts, counters.eight_bit_unclean);
	ck_assert_uint_ge(counters.eight_bit_unclean, 10);
}
END_TEST

START_TEST(a_noisy_line_has_its_eighth_bit)
{
	struct link_counters counters;

	pair_start(&p);
	ck_assert(pair_comes_up(&p, 5 * SB_SEC));
	a->traffic.length = b->traffic.length = 200;
	p.wire[0].damage = p.wire[1].damage = 0.003;
	pair_run(&p, 30 * SB_SEC);
	link_count(a->link, &counters);
	ck_assert_uint_gt(counters.hdlc.bad_fcs, 50);
	ck_assert_uint_eq(counters.eight_bit_unclean, 0);
}
END_TEST

/* The octets of the case: our request comes back without its eighth bits, then as it was. */
START_TEST(B028_our_request_comes_back_without_its_eighth_bits)
{
	peer_init(&peer);
	peer_start(&peer);
	ck_assert_uint_gt(peer_hears(&peer).length, 0);
	assert_octets(peer.wire, hex("7e ff 7d 23 c0 21 7d 21 7d 21 7d 20 7d 30 7d 22 7d 26 7d 20 "
				     "7d 20 7d 20 7d 20 7d 25 7d 26 de ad be ef 41 8e 7e"));
	for (int i = 1; i <= 3; i++) {
		peer_says_wire(&peer,
			       "7e 7f 7d 23 40 21 7d 21 7d 21 7d 20 7d 30 7d 22 7d 26 7d 20 7d 20 "
			       "7d 20 7d 20 7d 25 7d 26 5e 2d 3e 6f 41 0e 7e");
		ck_assert_uint_eq(counters_of(&peer).eight_bit_unclean, i);
		ck_assert_uint_eq(counters_of(&peer).hdlc.bad_fcs, i);
	}
	assert_hears_nothing(&peer);
	peer_says_octets(&peer, peer.wire);
	ck_assert_uint_eq(counters_of(&peer).loops, 1);
	ck_assert_uint_eq(counters_of(&peer).eight_bit_unclean, 3);
	peer_end(&peer);
}
END_TEST

START_TEST(B029_telnet_doubles_ff)
{
	struct link_counters counters;

	p.wire[0].doubles_ff = p.wire[1].doubles_ff = true;
	assert_no_link(40);
	link_count(a->link, &counters);
	ck_assert_uint_ge(counters.hdlc.bad_fcs, 10);
	ck_assert_uint_eq(counters.eight_bit_unclean, 0);
}
END_TEST

/* Transform B of the case: telnet's options before the first frame. */
START_TEST(B029_telnet_options_at_the_start)
{
	struct bytes in = hex("ff fb 00 ff fd 03");
	struct link_packet packet;

	pair_start(&p);
	ck_assert(!link_next(a->link, p.now, &in, &packet));
	ck_assert(pair_comes_up(&p, 5 * SB_SEC));
}
END_TEST

/* --- looped --- */

START_TEST(B038_a_looped_line)
{
	p.looped = true;
	pair_start(&p);
	pair_run(&p, 2 * SB_SEC);
	for (int i = 0; i < 2; i++) {
		assert_last_event(&p.end[i], LINK_EVENT_DOWN, LINK_LOOPED_BACK);
		ck_assert_uint_eq(p.end[i].events_count, 1);
		ck_assert_int_eq(link_phase(p.end[i].link), LINK_DEAD);
		ck_assert_uint_le(p.end[i].frames[CODE_CONFIGURE_REQUEST], 3);
		ck_assert_uint_le(p.end[i].frames[CODE_TERMINATE_REQUEST], 1);
	}
	pair_run(&p, 100 * SB_SEC);
	ck_assert_uint_eq(a->events_count, 1);
	link_close(a->link, p.now);
	note_events(&p, a);
	assert_last_event(a, LINK_EVENT_DOWN, LINK_WE_CLOSED);
}
END_TEST

/* A modem falls back to its command mode and echoes, while data flows. */
START_TEST(a_loop_in_the_midst_of_traffic)
{
	pair_start(&p);
	ck_assert(pair_comes_up(&p, 5 * SB_SEC));
	a->traffic.length = 500;
	pair_run(&p, 20 * SB_SEC);
	p.looped = true;
	pair_run(&p, 45 * SB_SEC);
	ck_assert_uint_eq(count_events(a, LINK_EVENT_DOWN), 1);
	ck_assert_int_eq(a->events[a->events_count - 1].reason, LINK_LOOPED_BACK);
}
END_TEST

/* --- framing --- */

START_TEST(B026_aborts_and_short_frames)
{
	peer_init(&peer);
	peer_start(&peer);
	peer_agrees(&peer);
	peer_says_wire(&peer, "7e ff 03 c0 21 01 7d 7e");
	peer_says_wire(&peer, "7e 7e");
	peer_says_wire(&peer, "7e ff 7e");
	peer_says_wire(&peer, "7e ff 03 7e");
	peer_says_wire(&peer, "7e 7d 7e");
	assert_hears_nothing(&peer);
	ck_assert_uint_eq(counters_of(&peer).hdlc.bad_fcs, 0);
	ck_assert_uint_eq(counters_of(&peer).hdlc.aborts, 2);
	peer_says(&peer, "ff 03 c0 21 01 01 00 04");
	assert_hears(&peer, "ff 03 c0 21 02 01 00 04");
	/* the line goes in the midst of a frame and comes back with a flag */
	peer_says_wire(&peer, "7e ff 03 c0 21 01");
	link_lower_down(peer.link, peer.now);
	link_lower_up(peer.link, peer.now);
	peer_says_wire(&peer, "7e");
	peer_agrees(&peer);
	assert_hears_nothing(&peer);
	peer_end(&peer);
}
END_TEST

/* What a peer says in a life, from its Ack of our request on. */
static struct bytes words(uint8_t *memory, size_t size)
{
	struct buf out = buf_over(memory, size);
	const struct asyncmap map = asyncmap_from_accm(ACCM_DEFAULT);
	static const struct {
		uint16_t protocol;
		const char *data;
	} said[] = {
		{PPP_LCP, "02 01 00 10 02 06 00 00 00 00 05 06 de ad be ef"},
		{PPP_LCP, "01 01 00 0a 05 06 01 02 03 04"},
		{PPP_IPCP, "01 01 00 0a 03 06 0a 00 00 01"},
		{PPP_IP, "45 00 00 1c 00 01 00 00 40 01 66 de 0a 00 00 01 0a 00 00 02 08 00"},
		{PPP_LCP, "09 05 00 08 01 02 03 04"},
		{PPP_IP, "45 7e 7d 11"},
		{0x80FD, "01 01 00 04"},
	};

	for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
		struct hdlc_encoding e = {.map = &map, .fcs = HDLC_FCS_16, .opening_flag = i == 0};
		uint8_t head[] = {0xFF, 0x03, (uint8_t)(said[i].protocol >> 8),
				  (uint8_t)said[i].protocol};
		struct bytes pieces[] = {bytes_of(head, sizeof head), hex(said[i].data)};
		hdlc_encode_pieces(&out, &e, pieces, 2);
	}
	ck_assert(!out.overflow);
	return buf_bytes(&out);
}

/* Packets for the owner, and all that the link says. */
static size_t hear_in_pieces(struct bytes wire, size_t first, size_t every, uint8_t *memory,
			     size_t size)
{
	struct buf heard = buf_over(memory, size);

	peer_init(&peer);
	peer_start(&peer);
	ck_assert_uint_gt(peer_hears(&peer).length, 0);
	for (size_t n = first; wire.length; n = every) {
		n = n < wire.length ? n : wire.length;
		peer_says_octets(&peer, bytes_of(wire.at, n));
		wire = bytes_skip(wire, n);
		if (peer.packet.data.length)
			buf_append(&heard, peer.packet.data);
		peer.packet.data.length = 0;
	}
	ck_assert_uint_eq(peer.ups, 1);
	for (struct bytes frame; (frame = peer_hears(&peer)).length;)
		buf_append(&heard, frame);
	ck_assert(!heard.overflow);
	buf_put(&heard, (uint8_t)peer.packets);
	peer_end(&peer);
	return heard.length;
}

START_TEST(B027_any_cut_gives_the_same)
{
	uint8_t memory[1024], cut[2048], every_octet[2048];
	struct bytes wire = words(memory, sizeof memory);
	size_t wanted = hear_in_pieces(wire, 1, 1, every_octet, sizeof every_octet);

	ck_assert_uint_eq(every_octet[wanted - 1], 4);
	for (size_t at = 1; at < wire.length; at++) {
		hear_in_pieces(wire, at, wire.length, cut, sizeof cut);
		ck_assert_uint_eq(peer.packets, 4);
		ck_assert_uint_eq(peer.ups, 1);
	}
}
END_TEST

START_TEST(B017_compressed_though_rejected)
{
	peer_init(&peer);
	peer_opens(&peer);
	peer_says_wire(&peer, "7e ff 03 21 45 00 00 1c 00 01 00 00 40 01 66 de 0a 00 00 01 0a 00 "
			      "00 02 08 00 f7 ff 00 00 00 00 99 7c 7e");
	peer_says_wire(&peer, "7e 21 45 00 00 1c 00 01 00 00 40 01 66 de 0a 00 00 01 0a 00 00 02 "
			      "08 00 f7 ff 00 00 00 00 e5 33 7e");
	ck_assert_uint_eq(peer.packets, 2);
	ck_assert_uint_eq(peer.packet.protocol, PPP_IP);
	ck_assert_uint_eq(peer.packet.data.length, 28);
	ck_assert_uint_eq(peer.packet.data.at[0], 0x45);
	ck_assert(!link_coding(peer.link)->pfc && !link_coding(peer.link)->acfc);
	peer_end(&peer);
}
END_TEST

START_TEST(B018_the_first_octet_is_escaped)
{
	peer_init(&peer);
	peer_opens(&peer);
	peer_says_wire(&peer, "7e 7d 20 21 45 7d 20 7d 20 7d 3c 7d 20 7d 21 7d 20 7d 20 40 7d 21 "
			      "66 de 7d 2a 7d 20 7d 20 7d 21 7d 2a 7d 20 7d 20 7d 22 7d 28 7d 20 "
			      "f7 ff 7d 20 7d 20 7d 20 7d 20 66 f7 7e");
	ck_assert_uint_eq(peer.packets, 1);
	ck_assert_uint_eq(peer.packet.protocol, PPP_IP);
	ck_assert_uint_eq(peer.packet.data.length, 28);
	peer_end(&peer);
}
END_TEST

/* --- hostile --- */

/* As fast as a line can: requests, echoes, words; answered within bounds, and no event is lost. */
START_TEST(a_flood_of_all_kinds)
{
	static const char *const frames[] = {
		"ff 03 c0 21 09 01 00 08 01 02 03 04",
		"ff 03 c0 21 0c 01 00 0a 01 02 03 04 68 69",
		"ff 03 c0 21 08 01 00 06 80 57",
		"ff 03 c0 21 0f 01 00 04",
		"ff 03 c0 21 05 01 00 04",
		"ff 03 c0 21 01 01 00 0a 05 06 01 02 03 04",
		"ff 03 80 fd 01 01 00 04",
	};
	unsigned answers = 0;

	peer_init(&peer);
	peer_opens(&peer);
	for (unsigned i = 0; i < 7000; i++)
		peer_says(&peer, frames[i % 7]);
	while (peer_hears(&peer).length)
		answers++;
	ck_assert_uint_le(answers, OUTBOX_PACKETS);
	peer_end(&peer);
}
END_TEST

/* The peer knows what we will say, and comes and goes within one read. */
START_TEST(up_and_down_in_one_read)
{
	uint8_t memory[1 << 16];
	struct buf out = buf_over(memory, sizeof memory);
	struct link_event e;

	peer_init(&peer);
	peer_opens(&peer);
	for (unsigned i = 0; i < 7; i++) {
		struct asyncmap map = asyncmap_from_accm(ACCM_DEFAULT);
		struct hdlc_encoding coding = {.map = &map, .fcs = HDLC_FCS_16};
		uint8_t request[] = {0xff, 3, 0xc0, 0x21, 1, (uint8_t)(9 + i), 0, 10,
				     5,    6, 1,    2,    3, (uint8_t)i};
		uint8_t ack[] = {
			0xff, 3, 0xc0, 0x21, 2,    (uint8_t)(2 + i),       0, 16, 2, 6, 0, 0, 0, 0,
			5,    6, 0xde, 0xad, 0xbe, (uint8_t)(0xf1 + 2 * i)};
		hdlc_encode(&out, &coding, bytes_of(request, sizeof request));
		hdlc_encode(&out, &coding, bytes_of(ack, sizeof ack));
	}
	struct bytes in = buf_bytes(&out);
	struct link_packet packet;
	ck_assert(!link_next(peer.link, peer.now, &in, &packet));
	ck_assert(link_event(peer.link, &e));
	ck_assert_int_eq(e.kind, LINK_EVENT_DOWN);
	ck_assert_int_eq(e.reason, LINK_RENEGOTIATED);
	ck_assert(link_event(peer.link, &e));
	ck_assert_int_eq(e.kind, LINK_EVENT_UP);
	ck_assert(!link_event(peer.link, &e));
	peer_end(&peer);
}
END_TEST

START_TEST(noise)
{
	uint64_t random = 7;
	uint8_t octets[512];

	peer_init(&peer);
	peer_opens(&peer);
	for (int i = 0; i < 2000; i++) {
		random_fill(&random, octets, sizeof octets, hex("7e 7d ff 03 c0 21 00 01"));
		peer_says_octets(&peer, bytes_of(octets, sizeof octets));
		while (peer_hears(&peer).length)
			;
	}
	ck_assert_int_eq(link_phase(peer.link), LINK_NETWORK);
	peer_end(&peer);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("link_line");
	TCase *t = tcase_create("lines");
	tcase_set_timeout(t, 110);
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, a_round_trip_of_two_seconds);
	tcase_add_loop_test(t, one_end_begins_later, 0, 35);
	tcase_add_test(t, up_in_ten_tries_with_every_hundredth_character_damaged);
	tcase_add_test(t, B028_a_line_of_seven_bits);
	tcase_add_test(t, a_noisy_line_has_its_eighth_bit);
	tcase_add_test(t, B029_telnet_doubles_ff);
	tcase_add_test(t, B029_telnet_options_at_the_start);
	tcase_add_test(t, B038_a_looped_line);
	tcase_add_test(t, a_loop_in_the_midst_of_traffic);
	suite_add_tcase(s, t);

	t = tcase_create("scripted");
	tcase_add_test(t, B028_our_request_comes_back_without_its_eighth_bits);
	tcase_add_test(t, B026_aborts_and_short_frames);
	tcase_add_test(t, B027_any_cut_gives_the_same);
	tcase_add_test(t, B017_compressed_though_rejected);
	tcase_add_test(t, B018_the_first_octet_is_escaped);
	suite_add_tcase(s, t);

	t = tcase_create("hostile");
	tcase_set_timeout(t, 110);
	tcase_add_test(t, a_flood_of_all_kinds);
	tcase_add_test(t, up_and_down_in_one_read);
	tcase_add_test(t, noise);
	suite_add_tcase(s, t);
	return run_suite(s);
}
