/* SPDX-License-Identifier: MIT */
/*
 * Two links with one another: up, what they agreed to, down, and up again.
 */
#include "tests/unit/link_testing.h"

static struct pair p;
static struct end *const a = &p.end[0], *const b = &p.end[1];

static void set_up(void)
{
	pair_init(&p, 3840, 1);
}

static void tear_down(void)
{
	pair_free(&p);
}

static void start_and_come_up(void)
{
	pair_start(&p);
	ck_assert(pair_comes_up(&p, 10 * SB_SEC));
	pair_run(&p, SB_SEC / 2);
}

/* --- what is agreed --- */

START_TEST(both_come_up_with_all_they_want)
{
	start_and_come_up();
	for (int i = 0; i < 2; i++) {
		const struct link_agreed *agreed = link_agreed(p.end[i].link);
		ck_assert_uint_eq(p.end[i].events_count, 1);
		assert_event(&p.end[i], 0, LINK_EVENT_UP, LINK_FINE);
		ck_assert(agreed->multilink && !agreed->short_in && !agreed->short_out);
		ck_assert_uint_eq(agreed->mru, 1500);
		ck_assert_uint_eq(agreed->peer_mru, 1500);
		ck_assert_uint_eq(agreed->peer_mrru, 1500);
		ck_assert(agreed->peer_has_endpoint);
		ck_assert_uint_eq(agreed->peer_endpoint.class, 3);
		ck_assert_mem_eq(agreed->peer_endpoint.address, "\2\0\0\0\0\1", 6);
		ck_assert_str_eq(agreed->peer_name, "");
		ck_assert(!agreed->we_proved && !agreed->peer_secret);
		ck_assert(link_coding(p.end[i].link)->pfc && link_coding(p.end[i].link)->acfc);
		ck_assert(!asyncmap_has(&link_coding(p.end[i].link)->map, 0x11));
	}
}
END_TEST

START_TEST(each_direction_has_its_own)
{
	a->config.mru = 576;
	a->config.accm = 0x000a0000;
	a->config.pfc = false;
	a->config.mrru = 2000;
	start_and_come_up();
	ck_assert_uint_eq(link_agreed(b->link)->peer_mru, 576);
	ck_assert_uint_eq(link_agreed(a->link)->mru, 576);
	ck_assert_uint_eq(link_agreed(b->link)->mru, 1500);
	ck_assert_uint_eq(link_agreed(b->link)->peer_mrru, 2000);
	ck_assert(asyncmap_has(&link_coding(b->link)->map, 0x11));
	ck_assert(!asyncmap_has(&link_coding(a->link)->map, 0x11));
	ck_assert(!link_coding(b->link)->pfc && !link_coding(a->link)->pfc);
}
END_TEST

START_TEST(multilink_needs_both)
{
	b->config.multilink = false;
	start_and_come_up();
	ck_assert(!link_agreed(a->link)->multilink);
	ck_assert(!link_agreed(b->link)->multilink);
	ck_assert(link_agreed(b->link)->peer_has_endpoint);
}
END_TEST

START_TEST(short_numbers_need_both)
{
	a->config.short_sequence = true;
	start_and_come_up();
	ck_assert(!link_agreed(a->link)->short_in && !link_agreed(b->link)->short_out);
	pair_free(&p);

	set_up();
	a->config.short_sequence = b->config.short_sequence = true;
	start_and_come_up();
	ck_assert(link_agreed(a->link)->short_in && link_agreed(a->link)->short_out);
	ck_assert(link_agreed(b->link)->short_in && link_agreed(b->link)->short_out);
}
END_TEST

static void assert_traffic_passes(void)
{
	a->traffic.length = b->traffic.length = 400;
	pair_run(&p, 5 * SB_SEC);
	a->traffic.length = b->traffic.length = 0;
	pair_run(&p, SB_SEC);
	ck_assert_uint_gt(a->sent, 30);
	ck_assert_uint_gt(b->sent, 30);
	ck_assert_uint_eq(a->got, b->sent);
	ck_assert_uint_eq(b->got, a->sent);
}

START_TEST(every_fcs)
{
	static const uint8_t alternatives[] = {0, 1, 2, 4};
	struct link_counters counters;

	a->config.fcs = alternatives[_i];
	start_and_come_up();
	ck_assert_int_eq(link_coding(b->link)->fcs, _i == 0 ? HDLC_FCS_16 : alternatives[_i] & 6);
	ck_assert_int_eq(link_coding(a->link)->fcs, HDLC_FCS_16);
	assert_traffic_passes();
	link_count(a->link, &counters);
	ck_assert_uint_eq(counters.hdlc.bad_fcs + counters.unknown_protocol, 0);

	/* LCP is understood with its 16 bits, whatever was agreed to */
	link_lower_down(b->link, p.now);
	link_lower_up(b->link, p.now);
	ck_assert(pair_comes_up(&p, 20 * SB_SEC));
	ck_assert_uint_eq(count_events(a, LINK_EVENT_DOWN), 1);
	link_close(b->link, p.now);
	pair_run(&p, SB_SEC);
	assert_last_event(b, LINK_EVENT_DOWN, LINK_WE_CLOSED);
}
END_TEST

/* Damage in frames with an FCS that the link judges by itself. */
START_TEST(a_long_fcs_finds_damage)
{
	struct link_counters counters;

	a->config.fcs = b->config.fcs = 4;
	start_and_come_up();
	p.wire[0].damage = p.wire[1].damage = 0.001;
	a->traffic.length = b->traffic.length = 400;
	pair_run(&p, 20 * SB_SEC);
	link_count(a->link, &counters);
	ck_assert_uint_gt(counters.hdlc.bad_fcs, 20);
	ck_assert_uint_gt(counters.hdlc.frames, 50);
	ck_assert_uint_lt(a->got, b->sent);
}
END_TEST

START_TEST(what_is_escaped_besides)
{
	ck_assert(asyncmap_add(&a->config.escape, 0xFF));
	start_and_come_up();
	ck_assert(asyncmap_has(&link_coding(a->link)->map, 0xFF));
	ck_assert(!asyncmap_has(&link_coding(b->link)->map, 0xFF));
	assert_traffic_passes();
}
END_TEST

START_TEST(names_are_told)
{
	a->config.identity = "serialbundle 0.1";
	start_and_come_up();
	assert_last_event(b, LINK_EVENT_IDENTIFIED, LINK_FINE);
	ck_assert_str_eq(link_agreed(b->link)->peer_identity, "serialbundle 0.1");
	ck_assert_str_eq(link_agreed(a->link)->peer_identity, "");
}
END_TEST

START_TEST(lengths_are_as_announced)
{
	uint8_t memory[4096], data[1500];
	struct link_counters before;

	start_and_come_up();
	link_count(a->link, &before);
	for (size_t length = 4; length <= sizeof data - 4; length += 37) {
		for (size_t i = 0; i < length; i++)
			data[i] = (uint8_t)next_random(&a->random);
		struct bytes head = bytes_of("\x00\x11\x7e\x7d", length % 5),
			     rest = bytes_of(data, length);
		struct buf out = buf_over(memory, sizeof memory);
		link_encode(a->link, PPP_MP, head, rest, &out);
		ck_assert_uint_eq(out.length,
				  link_encoded_length(link_coding(a->link), PPP_MP, head, rest));
		struct bytes in = buf_bytes(&out);
		struct link_packet packet;
		ck_assert(link_next(b->link, p.now, &in, &packet));
		ck_assert_uint_eq(packet.protocol, PPP_MP);
		ck_assert_uint_eq(packet.data.length, head.length + rest.length);
		ck_assert_mem_eq(packet.data.at, head.at, head.length);
		ck_assert_mem_eq(packet.data.at + head.length, data, length);
	}
	ck_assert_uint_eq(link_overhead(link_coding(a->link), PPP_IP), 4);   /* 21, FCS, flag */
	ck_assert_uint_eq(link_overhead(link_coding(a->link), PPP_IPCP), 5); /* 80 21 */
}
END_TEST

/* --- down --- */

START_TEST(closed_by_us)
{
	start_and_come_up();
	link_close(a->link, p.now);
	ck_assert_int_eq(link_phase(a->link), LINK_TERMINATE);
	pair_run(&p, SB_SEC / 2);
	assert_last_event(a, LINK_EVENT_DOWN, LINK_WE_CLOSED);
	ck_assert_int_eq(link_phase(a->link), LINK_DEAD);
	assert_last_event(b, LINK_EVENT_DOWN, LINK_PEER_TERMINATED);
	pair_run(&p, 10 * SB_SEC);
	ck_assert_int_eq(link_phase(b->link), LINK_DEAD);
	ck_assert_uint_eq(count_events(a, LINK_EVENT_DOWN), 1);
	ck_assert_uint_eq(count_events(b, LINK_EVENT_DOWN), 1);
}
END_TEST

START_TEST(closed_without_an_answer)
{
	start_and_come_up();
	p.wire[0].cut = true;
	link_close(a->link, p.now);
	pair_run(&p, 5 * SB_SEC);
	ck_assert_uint_eq(count_events(a, LINK_EVENT_DOWN), 0);
	pair_run(&p, 2 * SB_SEC);
	assert_last_event(a, LINK_EVENT_DOWN, LINK_WE_CLOSED);
	ck_assert_uint_eq(a->frames[CODE_TERMINATE_REQUEST], 2);
}
END_TEST

START_TEST(closed_before_it_was_up)
{
	pair_start(&p);
	p.wire[0].cut = true;
	pair_run(&p, SB_SEC);
	link_close(a->link, p.now);
	pair_run(&p, 7 * SB_SEC);
	assert_last_event(a, LINK_EVENT_DOWN, LINK_WE_CLOSED);
}
END_TEST

START_TEST(closed_while_there_is_no_line)
{
	pair_start(&p);
	link_lower_down(a->link, p.now);
	link_close(a->link, p.now);
	note_events(&p, a);
	assert_last_event(a, LINK_EVENT_DOWN, LINK_WE_CLOSED);
}
END_TEST

START_TEST(the_line_goes)
{
	start_and_come_up();
	link_lower_down(a->link, p.now);
	note_events(&p, a);
	assert_last_event(a, LINK_EVENT_DOWN, LINK_LOWER_DOWN);
	ck_assert_int_eq(link_phase(a->link), LINK_DEAD);
	ck_assert_int_eq(link_deadline(a->link), SB_NEVER);
	link_lower_down(a->link, p.now); /* again: nothing */
	note_events(&p, a);
	ck_assert_uint_eq(a->events_count, 2);
	/* what still comes is nobody's */
	struct bytes in = hex("7e ff 7d 23 c0 21 7d 21 7d 21 7d 20 7d 24 7e");
	struct link_packet packet;
	ck_assert(!link_next(a->link, p.now, &in, &packet));
	ck_assert_uint_eq(in.length, 0);
}
END_TEST

/* B037 */
START_TEST(B037_a_peer_that_restarts)
{
	start_and_come_up();
	link_lower_down(b->link, p.now);
	link_lower_up(b->link, p.now);
	ck_assert(pair_comes_up(&p, 10 * SB_SEC));
	pair_run(&p, SB_SEC);
	ck_assert(is_up(a) && is_up(b));
	ck_assert_uint_eq(a->events_count, 3);
	assert_event(a, 1, LINK_EVENT_DOWN, LINK_RENEGOTIATED);
	assert_event(a, 2, LINK_EVENT_UP, LINK_FINE);
	assert_traffic_passes();
}
END_TEST

START_TEST(opened_again_on_the_same_line)
{
	start_and_come_up();
	link_close(a->link, p.now);
	pair_run(&p, SB_SEC);
	link_open(a->link, p.now);
	ck_assert(pair_comes_up(&p, 10 * SB_SEC));
	assert_last_event(a, LINK_EVENT_UP, LINK_FINE);
	link_open(a->link, p.now); /* it is */
	pair_run(&p, SB_SEC);
	ck_assert_uint_eq(count_events(a, LINK_EVENT_UP), 2);
	assert_traffic_passes();
}
END_TEST

START_TEST(no_reply_then_opened_again)
{
	pair_start(&p);
	p.wire[0].cut = p.wire[1].cut = true;
	pair_run(&p, 29 * SB_SEC);
	ck_assert_uint_eq(a->events_count, 0);
	pair_run(&p, 2 * SB_SEC);
	assert_last_event(a, LINK_EVENT_DOWN, LINK_NO_REPLY);
	ck_assert_uint_eq(a->frames[CODE_CONFIGURE_REQUEST], 10);
	p.wire[0].cut = p.wire[1].cut = false;
	link_open(a->link, p.now);
	ck_assert(pair_comes_up(&p, 10 * SB_SEC));
}
END_TEST

START_TEST(a_passive_end_lets_the_peer_speak_first)
{
	a->config.passive = true;
	pair_start(&p);
	p.wire[1].cut = true;
	pair_run(&p, 20 * SB_SEC);
	ck_assert_uint_eq(a->frames[CODE_CONFIGURE_REQUEST], 0);
	ck_assert_int_eq(link_phase(a->link), LINK_ESTABLISH);
	p.wire[1].cut = false;
	ck_assert(pair_comes_up(&p, 10 * SB_SEC));
}
END_TEST

START_TEST(two_passive_ends_wait_and_close)
{
	a->config.passive = b->config.passive = true;
	pair_start(&p);
	pair_run(&p, 60 * SB_SEC);
	ck_assert_uint_eq(a->events_count, 0);
	link_close(a->link, p.now);
	ck_assert_int_eq(link_phase(a->link), LINK_DEAD);
	ck_assert_int_eq(link_phase(b->link), LINK_ESTABLISH);
	pair_run(&p, SB_SEC);
	assert_last_event(a, LINK_EVENT_DOWN, LINK_WE_CLOSED);
}
END_TEST

/* Network packets come before the phase for them. */
START_TEST(packets_before_their_phase)
{
	struct link_counters counters;
	struct bytes in = hex("7e 21 45 00 00 1c 00 01 00 00 40 01 66 de 0a 00 00 01 0a 00 00 02 "
			      "08 00 f7 ff 00 00 00 00 e5 33 7e");
	struct link_packet packet;

	a->config.receive_all = true;
	pair_start(&p);
	ck_assert(!link_next(a->link, p.now, &in, &packet));
	link_count(a->link, &counters);
	ck_assert_uint_eq(counters.wrong_phase, 1);
	ck_assert_uint_eq(counters.hdlc.frames, 1);
}
END_TEST

START_TEST(quality_is_reported)
{
	struct link_counters counters;

	a->config.quality_period = b->config.quality_period = 2 * SB_SEC;
	a->traffic = (struct traffic){.length = 100, .every = 100 * SB_MS};
	start_and_come_up();
	link_count(a->link, &counters);
	ck_assert(counters.loss_out < 0);
	pair_run(&p, 20 * SB_SEC);
	link_count(a->link, &counters);
	ck_assert(counters.loss_out == 0);
	p.wire[0].damage = 0.002; /* of frames of 110 characters a fifth */
	pair_run(&p, 60 * SB_SEC);
	link_count(a->link, &counters);
	ck_assert(counters.loss_out > 0.05 && counters.loss_out < 0.4);
	link_count(b->link, &counters);
	ck_assert(counters.loss_in > 0.05 && counters.loss_in < 0.4);
}
END_TEST

START_TEST(quality_is_for_those_who_do_it)
{
	struct link_counters counters;

	a->config.quality_period = 2 * SB_SEC;
	start_and_come_up();
	pair_run(&p, 20 * SB_SEC);
	link_count(a->link, &counters);
	ck_assert(counters.loss_out < 0 && counters.loss_in < 0);
	ck_assert_uint_eq(counters.hdlc.bad_fcs + counters.unknown_protocol, 0);
}
END_TEST

START_TEST(every_reason_has_a_text)
{
	pair_start(&p);
	for (int i = 0; i < LINK_REASONS; i++)
		ck_assert_uint_gt(strlen(link_reason_text((enum link_reason)i)), 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("link");
	TCase *t = tcase_create("agreed");
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, both_come_up_with_all_they_want);
	tcase_add_test(t, each_direction_has_its_own);
	tcase_add_test(t, multilink_needs_both);
	tcase_add_test(t, short_numbers_need_both);
	tcase_add_loop_test(t, every_fcs, 0, 4);
	tcase_add_test(t, a_long_fcs_finds_damage);
	tcase_add_test(t, what_is_escaped_besides);
	tcase_add_test(t, names_are_told);
	tcase_add_test(t, lengths_are_as_announced);
	tcase_add_test(t, packets_before_their_phase);
	tcase_add_test(t, quality_is_reported);
	tcase_add_test(t, quality_is_for_those_who_do_it);
	suite_add_tcase(s, t);

	t = tcase_create("down and up");
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, closed_by_us);
	tcase_add_test(t, closed_without_an_answer);
	tcase_add_test(t, closed_before_it_was_up);
	tcase_add_test(t, closed_while_there_is_no_line);
	tcase_add_test(t, the_line_goes);
	tcase_add_test(t, B037_a_peer_that_restarts);
	tcase_add_test(t, opened_again_on_the_same_line);
	tcase_add_test(t, no_reply_then_opened_again);
	tcase_add_test(t, a_passive_end_lets_the_peer_speak_first);
	tcase_add_test(t, two_passive_ends_wait_and_close);
	tcase_add_test(t, every_reason_has_a_text);
	suite_add_tcase(s, t);
	return run_suite(s);
}
