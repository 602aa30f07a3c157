/* SPDX-License-Identifier: MIT */
/*
 * Control protocols with a peer that is broken or means harm: what is not right
 * is dropped and counted, and whatever it says, it ends, and costs no more than
 * it sent.
 */
#include "tests/unit/control_fake.h"

/* The state and the outbox stay as they are, the packet is counted. */
static void assert_is_bad(struct bytes packet)
{
	uint64_t before = control.counters.bad_packets;
	uint8_t *copy = malloc(packet.length);

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, packet.at, packet.length);
	control_input(&control, now, bytes_of(copy, packet.length));
	free(copy);
	ck_assert_uint_eq(control.counters.bad_packets, before + 1);
	assert_state(STATE_REQ_SENT);
	assert_happened(0);
	we_say_nothing();
}

START_TEST(B031_option_length_0_or_1)
{
	assert_is_bad(hex("01 01 00 08 05 00 00 00"));
	assert_is_bad(hex("01 01 00 08 05 01 00 00"));
	assert_is_bad(hex("01 01 00 08 05 05 00 00"));
	assert_is_bad(hex("01 01 00 05 05"));
	assert_is_bad(hex("03 01 00 08 01 00 00 00"));
	assert_is_bad(hex("04 01 00 08 01 01 00 00"));
}
END_TEST

START_TEST(length_field_that_disagrees)
{
	assert_is_bad(hex("01"));
	assert_is_bad(hex("01 01 00"));
	assert_is_bad(hex("01 01 00 03"));
	assert_is_bad(hex("01 01 00 ff 05 04 05 dc"));
	assert_is_bad(hex("07 01 00 04"));
}
END_TEST

START_TEST(padding_is_ignored)
{
	control_input(&control, now, hex("02 01 00 08 01 04 00 07 00 00 00"));
	assert_state(STATE_ACK_RCVD);
}
END_TEST

/* RFC 1661 section 5.2: the options of an Ack match those of the request exactly. */
START_TEST(ack_of_what_we_did_not_ask)
{
	assert_is_bad(packet_hex(CODE_CONFIGURE_ACK, 1, ""));
	assert_is_bad(packet_hex(CODE_CONFIGURE_ACK, 1, "01 04 00 08"));
	assert_is_bad(packet_hex(CODE_CONFIGURE_ACK, 1, "01 04 00 07 02 02"));
	ck_assert_int_eq(fake.acked, 0);
}
END_TEST

START_TEST(reject_of_what_we_did_not_ask)
{
	assert_is_bad(packet_hex(CODE_CONFIGURE_REJECT, 1, "01 04 00 08"));
	assert_is_bad(packet_hex(CODE_CONFIGURE_REJECT, 1, "02 02"));
	assert_is_bad(packet_hex(CODE_CONFIGURE_REJECT, 1, "01 04 00 07 01 04 00 07"));
}
END_TEST

START_TEST(request_longer_than_any_answer)
{
	static uint8_t options[1498];

	for (size_t i = 0; i < sizeof options; i += 2)
		options[i + 1] = 2;
	assert_is_bad(packet_of(CODE_CONFIGURE_REQUEST, 1, bytes_of(options, 1498)));
}
END_TEST

/* Naks would be twice as long as these options are: they do not fit, so all are rejected. */
START_TEST(option_flood)
{
	static uint8_t options[1496];

	for (size_t i = 0; i < sizeof options; i += 2) {
		options[i] = FAKE_NUMBER;
		options[i + 1] = 2;
	}
	for (int i = 0; i < 4; i++)
		control_input(&control, now,
			      packet_of(CODE_CONFIGURE_REQUEST, 1, bytes_of(options, 1496)));
	for (int i = 0; i < 4; i++)
		assert_octets(taken_from(&box, FAKE_PROTOCOL),
			      packet_of(CODE_CONFIGURE_REJECT, 1, bytes_of(options, 1496)));
}
END_TEST

/* What is last heard of each peer; its identifier is then that of our next request. */
static uint8_t identifier_of_last(void)
{
	uint8_t identifier = 0;

	while (box.count) {
		struct bytes packet = taken_from(&box, FAKE_PROTOCOL);
		if (packet.at[0] == CODE_CONFIGURE_REQUEST)
			identifier = packet.at[1];
	}
	return identifier;
}

/* The peer refuses each of our requests in the same words. */
static unsigned refusals_until_the_end(uint8_t code, const char *options)
{
	uint8_t identifier = 1;
	unsigned n;

	for (n = 0; control.state != STATE_STOPPED; n++) {
		ck_assert_uint_lt(n, 20);
		peer_says(code, identifier, options);
		identifier = identifier_of_last();
	}
	return n;
}

START_TEST(B039_same_nak_for_ever)
{
	fake.stubborn = true;
	ck_assert_uint_eq(refusals_until_the_end(CODE_CONFIGURE_NAK, "01 04 00 08"), 11);
	assert_happened(CONTROL_FINISHED);
	ck_assert_int_eq(control.end, CONTROL_NO_AGREEMENT);
}
END_TEST

START_TEST(B039_nak_of_nothing_for_ever)
{
	ck_assert_uint_eq(refusals_until_the_end(CODE_CONFIGURE_NAK, ""), 11);
	ck_assert_int_eq(control.end, CONTROL_NO_AGREEMENT);
}
END_TEST

START_TEST(B039_reject_of_what_we_need)
{
	fake.stubborn = true;
	ck_assert_uint_eq(refusals_until_the_end(CODE_CONFIGURE_REJECT, "01 04 00 07"), 1);
	ck_assert_int_eq(control.end, CONTROL_NO_AGREEMENT);
}
END_TEST

START_TEST(B039_rejected_option_is_not_sent_again)
{
	peer_says(CODE_CONFIGURE_REJECT, 1, "01 04 00 07");
	we_say(CODE_CONFIGURE_REQUEST, 2, "");
	pass(3 * SB_SEC);
	we_say(CODE_CONFIGURE_REQUEST, 2, "");
}
END_TEST

/* Five Naks, then Rejects, then the end: RFC 1661 section 4.6, Max-Failure. */
START_TEST(B039_peer_that_heeds_no_nak)
{
	for (uint8_t i = 0; i < 10; i++) {
		peer_says(CODE_CONFIGURE_REQUEST, i, "01 04 00 08");
		if (i < 5)
			we_say(CODE_CONFIGURE_NAK, i, "01 04 00 07");
		else
			we_say(CODE_CONFIGURE_REJECT, i, "01 04 00 08");
		assert_happened(0);
	}
	peer_says(CODE_CONFIGURE_REQUEST, 10, "01 04 00 08");
	assert_happened(CONTROL_FINISHED);
	ck_assert_int_eq(control.end, CONTROL_NO_AGREEMENT);
	we_say_nothing();
}
END_TEST

START_TEST(B039_counts_begin_anew_with_an_ack)
{
	for (uint8_t i = 0; i < 30; i++)
		peer_says(CODE_CONFIGURE_REQUEST, i, i % 6 == 5 ? "" : "01 04 00 08");
	ck_assert_int_eq(control.end, CONTROL_NO_END);
}
END_TEST

START_TEST(B039_refusals_are_counted_anew_after_an_ack)
{
	uint8_t identifier = 1;

	for (int i = 0; i < 20; i++) {
		peer_says(CODE_CONFIGURE_NAK, identifier, "01 04 00 08");
		identifier = identifier_of_last();
		if (i % 8 != 7)
			continue;
		peer_says(CODE_CONFIGURE_ACK, identifier, "01 04 00 08");
		assert_state(STATE_ACK_RCVD);
		pass(3 * SB_SEC);
		identifier = identifier_of_last();
	}
	ck_assert_int_eq(control.end, CONTROL_NO_END);
}
END_TEST

/* More than the outbox takes, unread: it is dropped, as a line would. */
START_TEST(flood_while_the_line_stalls)
{
	for (int i = 0; i < 1000; i++)
		peer_says(14, (uint8_t)i, "00 01 02 03 04 05 06 07");
	ck_assert_uint_eq(box.count, OUTBOX_PACKETS);
	ck_assert_uint_eq(box.dropped, 1000 - OUTBOX_PACKETS);
}
END_TEST

/* Any packets at all: every one costs at most two, and deadlines lie ahead and near. */
START_TEST(any_packets)
{
	uint64_t seed = 99;

	for (int i = 0; i < 20000; i++) {
		uint8_t octets[16];
		random_fill(&seed, octets, sizeof octets,
			    hex("00 01 02 04 05 07 08 0c 00 00 00 04"));
		octets[0] %= 16;
		octets[2] = 0;
		octets[1] = random_below(&seed, 2) ? octets[1] : control.ours.identifier;
		outbox_clear(&box);
		control_input(&control, now,
			      bytes_of(octets, 1 + random_below(&seed, sizeof octets)));
		ck_assert_uint_le(box.count, 2);
		control_happened(&control);
		if (random_below(&seed, 8) == 0)
			pass((sb_time)random_below(&seed, 4000) * SB_MS);
		sb_time deadline = control_deadline(&control);
		ck_assert(deadline == SB_NEVER || deadline <= now + usual_timers.restart);
		if (control.state < STATE_CLOSING)
			peer_says(CODE_CONFIGURE_REQUEST, 1, "");
	}
	ck_assert_int_gt(fake.begun, 100);
	ck_assert_int_gt(fake.acked, 10);
}
END_TEST

static void add_case(Suite *suite, const char *name, const TTest *const *tests)
{
	TCase *test_case = tcase_create(name);

	tcase_add_checked_fixture(test_case, fake_start, NULL);
	tcase_set_timeout(test_case, 60); /* sanitizers on a busy machine */
	for (; *tests; tests++)
		tcase_add_test(test_case, *tests);
	suite_add_tcase(suite, test_case);
}

int main(void)
{
	Suite *suite = suite_create("control, harm");

	add_case(suite, "malformed",
		 (const TTest *[]){
			 B031_option_length_0_or_1,
			 length_field_that_disagrees,
			 padding_is_ignored,
			 ack_of_what_we_did_not_ask,
			 reject_of_what_we_did_not_ask,
			 request_longer_than_any_answer,
			 NULL,
		 });
	add_case(suite, "no agreement",
		 (const TTest *[]){
			 B039_same_nak_for_ever,
			 B039_nak_of_nothing_for_ever,
			 B039_reject_of_what_we_need,
			 B039_rejected_option_is_not_sent_again,
			 B039_peer_that_heeds_no_nak,
			 B039_counts_begin_anew_with_an_ack,
			 B039_refusals_are_counted_anew_after_an_ack,
			 NULL,
		 });
	add_case(suite, "floods",
		 (const TTest *[]){
			 option_flood,
			 flood_while_the_line_stalls,
			 any_packets,
			 NULL,
		 });
	return run_suite(suite);
}
