/* SPDX-License-Identifier: MIT */
/*
 * The network layer with a peer whose words are written out: what it answers, and
 * what it tells its owner.
 */
#include "ppp/network.h"

#include "tests/unit/control_testing.h"

#define OURS "03 06 0a 00 00 01"

static struct network *network;
static sb_time now;

static uint32_t no_dice(void *context)
{
	(void)context;
	return 4;
}

static void begin(uint32_t local, uint32_t remote, bool ipv6)
{
	struct network_config config = {
		.ipv4 = true,
		.ipv6 = ipv6,
		.local = local,
		.remote = remote,
		.local_id = {[7] = 1},
		.timers = usual_timers,
		.random = no_dice,
	};
	now = 1000 * SB_SEC;
	network = network_new(&config);
	ck_assert_ptr_nonnull(network);
	network_lower_up(network, now);
}

static void end(void)
{
	network_free(network);
	network = NULL;
}

static void says(uint16_t protocol, uint8_t code, uint8_t identifier, const char *data)
{
	ck_assert(network_input(network, now, protocol, packet_hex(code, identifier, data)));
}

static void hears(uint16_t protocol, uint8_t code, uint8_t identifier, const char *data)
{
	uint8_t memory[PPP_DEFAULT_MRU];
	struct buf out = buf_over(memory, sizeof memory);
	uint16_t got;

	ck_assert(network_output(network, &got, &out));
	ck_assert_uint_eq(got, protocol);
	assert_octets(buf_bytes(&out), packet_hex(code, identifier, data));
}

static void assert_event(int kind, enum network_reason reason)
{
	struct network_event event;

	ck_assert(network_event(network, &event));
	ck_assert_int_eq(event.kind, kind);
	ck_assert_str_eq(network_reason_text(event.reason), network_reason_text(reason));
}

static void assert_no_event(void)
{
	struct network_event event;

	ck_assert(!network_event(network, &event));
}

static void up_v4(void)
{
	begin(0x0a000001, 0, false);
	hears(PPP_IPCP, CODE_CONFIGURE_REQUEST, 1, OURS);
	says(PPP_IPCP, CODE_CONFIGURE_REQUEST, 1, "");
	hears(PPP_IPCP, CODE_CONFIGURE_ACK, 1, "");
	says(PPP_IPCP, CODE_CONFIGURE_ACK, 1, OURS);
	assert_event(NETWORK_IPV4_UP, NETWORK_FINE);
	ck_assert(network_ipv4_is_up(network));
}

START_TEST(B036_both_in_one_read)
{
	begin(0x0a000001, 0, true);
	says(PPP_IPCP, CODE_CONFIGURE_REQUEST, 7, "03 06 0a 00 00 02");
	says(PPP_IPV6CP, CODE_CONFIGURE_REQUEST, 8, "01 0a 00 00 00 00 00 00 00 02");
	hears(PPP_IPCP, CODE_CONFIGURE_REQUEST, 1, OURS);
	hears(PPP_IPV6CP, CODE_CONFIGURE_REQUEST, 1, "01 0a 00 00 00 00 00 00 00 01");
	hears(PPP_IPCP, CODE_CONFIGURE_ACK, 7, "03 06 0a 00 00 02");
	hears(PPP_IPV6CP, CODE_CONFIGURE_ACK, 8, "01 0a 00 00 00 00 00 00 00 02");
	says(PPP_IPCP, CODE_CONFIGURE_ACK, 1, OURS);
	says(PPP_IPV6CP, CODE_CONFIGURE_ACK, 1, "01 0a 00 00 00 00 00 00 00 01");
	assert_event(NETWORK_IPV4_UP, NETWORK_FINE);
	assert_event(NETWORK_IPV6_UP, NETWORK_FINE);
	assert_no_event();
}
END_TEST

START_TEST(other_protocols_are_not_its_own)
{
	up_v4();
	struct bytes request = packet_hex(CODE_CONFIGURE_REQUEST, 1, "");
	ck_assert(!network_input(network, now, 0x80fd, request));
	ck_assert(!network_input(network, now, PPP_IP, request));
	ck_assert(!network_input(network, now, PPP_IPV6CP, request)); /* not wanted */
	assert_no_event();
}
END_TEST

START_TEST(peer_does_not_know_the_protocol)
{
	begin(0x0a000001, 0, true);
	network_rejected(network, now, PPP_IPV6CP);
	assert_event(NETWORK_IPV6_DOWN, NETWORK_PEER_REJECTED);
	assert_no_event();
	network_rejected(network, now, PPP_IPV6CP);
	network_rejected(network, now, PPP_IP);
	network_rejected(network, now, 0x80fd);
	assert_no_event();
}
END_TEST

static void ask_until_no_reply(uint8_t identifier)
{
	for (int i = 0; i < 10; i++) {
		hears(PPP_IPCP, CODE_CONFIGURE_REQUEST, identifier, OURS);
		assert_no_event();
		now = network_deadline(network);
		network_tick(network, now);
	}
	assert_event(NETWORK_IPV4_DOWN, NETWORK_NO_REPLY);
	assert_no_event();
	ck_assert_int_eq(network_deadline(network), SB_NEVER);
}

START_TEST(B045_no_reply_time_and_again)
{
	begin(0x0a000001, 0, false);
	ask_until_no_reply(1);
	network_lower_down(network, now);
	assert_no_event();
	network_lower_up(network, now);
	ask_until_no_reply(2);
}
END_TEST

START_TEST(B045_peer_begins_after_no_reply)
{
	begin(0x0a000001, 0, false);
	ask_until_no_reply(1);
	says(PPP_IPCP, CODE_CONFIGURE_REQUEST, 1, "");
	hears(PPP_IPCP, CODE_CONFIGURE_REQUEST, 2, OURS);
}
END_TEST

START_TEST(B037_renegotiated)
{
	up_v4();
	says(PPP_IPCP, CODE_CONFIGURE_REQUEST, 2, "03 06 0a 00 00 02");
	ck_assert(!network_ipv4_is_up(network));
	says(PPP_IPCP, CODE_CONFIGURE_ACK, 2, OURS);
	ck_assert(network_ipv4_is_up(network));
	assert_event(NETWORK_IPV4_DOWN, NETWORK_FINE);
	assert_event(NETWORK_IPV4_UP, NETWORK_FINE);
	assert_no_event();
	ck_assert_uint_eq(network_ipv4(network)->remote, 0x0a000002);
}
END_TEST

START_TEST(lower_down_and_up)
{
	up_v4();
	says(PPP_IPCP, CODE_TERMINATE_REQUEST + 9, 1, ""); /* an answer to which nobody waits */
	network_lower_down(network, now);
	assert_event(NETWORK_IPV4_DOWN, NETWORK_LOWER_DOWN);
	assert_no_event();
	network_lower_up(network, now);
	hears(PPP_IPCP, CODE_CONFIGURE_REQUEST, 2, OURS);
}
END_TEST

START_TEST(up_that_is_over_is_not_told)
{
	begin(0x0a000001, 0, false);
	says(PPP_IPCP, CODE_CONFIGURE_REQUEST, 1, "");
	says(PPP_IPCP, CODE_CONFIGURE_ACK, 1, OURS);
	network_lower_down(network, now);
	assert_event(NETWORK_IPV4_DOWN, NETWORK_LOWER_DOWN);
	assert_no_event();
}
END_TEST

START_TEST(peer_closes)
{
	up_v4();
	says(PPP_IPCP, CODE_TERMINATE_REQUEST, 5, "");
	hears(PPP_IPCP, CODE_TERMINATE_ACK, 5, "");
	assert_event(NETWORK_IPV4_DOWN, NETWORK_PEER_CLOSED);
	now = network_deadline(network);
	network_tick(network, now);
	assert_no_event();
	says(PPP_IPCP, CODE_CONFIGURE_REQUEST, 6, "");
	hears(PPP_IPCP, CODE_CONFIGURE_REQUEST, 2, OURS);
}
END_TEST

START_TEST(we_close)
{
	up_v4();
	network_close(network, now);
	hears(PPP_IPCP, CODE_TERMINATE_REQUEST, 2, "");
	assert_event(NETWORK_IPV4_DOWN, NETWORK_WE_CLOSED);
	says(PPP_IPCP, CODE_TERMINATE_ACK, 2, "");
	assert_no_event();
	ck_assert_int_eq(network_deadline(network), SB_NEVER);
	network_lower_down(network, now);
	network_lower_up(network, now);
	hears(PPP_IPCP, CODE_CONFIGURE_REQUEST, 3, OURS);
}
END_TEST

/* No dispute without end: once it failed, the peer is told that we are closed. */
START_TEST(B039_no_agreement)
{
	begin(0x0a000001, 0x0a000002, false);
	hears(PPP_IPCP, CODE_CONFIGURE_REQUEST, 1, OURS);
	for (uint8_t i = 1; i <= 11; i++) {
		uint8_t memory[64];
		struct buf out = buf_over(memory, sizeof memory);
		uint16_t protocol;
		assert_no_event();
		says(PPP_IPCP, CODE_CONFIGURE_NAK, i, "03 06 0b 00 00 01");
		ck_assert(network_output(network, &protocol, &out) == (i < 11));
	}
	assert_event(NETWORK_IPV4_DOWN, NETWORK_NO_AGREEMENT);
	assert_no_event();
	says(PPP_IPCP, CODE_CONFIGURE_REQUEST, 9, "");
	hears(PPP_IPCP, CODE_TERMINATE_ACK, 9, "");
	network_lower_down(network, now);
	assert_no_event();
	network_lower_up(network, now);
	hears(PPP_IPCP, CODE_CONFIGURE_REQUEST, 12, OURS);
}
END_TEST

/* The 0 that asks for an address, acknowledged: we have none. */
START_TEST(address_0_is_acknowledged)
{
	begin(0, 0, false);
	says(PPP_IPCP, CODE_CONFIGURE_REQUEST, 1, "");
	says(PPP_IPCP, CODE_CONFIGURE_ACK, 1, "03 06 00 00 00 00");
	ck_assert(!network_ipv4_is_up(network));
	assert_event(NETWORK_IPV4_DOWN, NETWORK_NO_AGREEMENT);
	hears(PPP_IPCP, CODE_CONFIGURE_REQUEST, 1, "03 06 00 00 00 00");
	hears(PPP_IPCP, CODE_CONFIGURE_ACK, 1, "");
	hears(PPP_IPCP, CODE_TERMINATE_REQUEST, 2, "");
	says(PPP_IPCP, CODE_TERMINATE_ACK, 2, "");
	assert_no_event();
}
END_TEST

static void add_case(Suite *suite, const char *name, const TTest *const *tests)
{
	TCase *test_case = tcase_create(name);

	tcase_add_checked_fixture(test_case, NULL, end);
	tcase_set_timeout(test_case, 60); /* sanitizers on a busy machine */
	for (; *tests; tests++)
		tcase_add_test(test_case, *tests);
	suite_add_tcase(suite, test_case);
}

int main(void)
{
	Suite *suite = suite_create("network");

	add_case(suite, "events",
		 (const TTest *[]){
			 B036_both_in_one_read,
			 other_protocols_are_not_its_own,
			 peer_does_not_know_the_protocol,
			 B045_no_reply_time_and_again,
			 B045_peer_begins_after_no_reply,
			 B037_renegotiated,
			 lower_down_and_up,
			 up_that_is_over_is_not_told,
			 peer_closes,
			 we_close,
			 B039_no_agreement,
			 address_0_is_acknowledged,
			 NULL,
		 });
	return run_suite(suite);
}
