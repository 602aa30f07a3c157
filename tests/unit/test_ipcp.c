/* SPDX-License-Identifier: MIT */
/*
 * IPCP: addresses and name servers, in the words of the peer. 10.0.0.1 is ours,
 * 10.0.0.2 the peer's.
 */
#include "ppp/ipcp.h"

#include "tests/unit/control_testing.h"

#define OURS       "03 06 0a 00 00 01"
#define PEERS      "03 06 0a 00 00 02"
#define ADDRESS_0  "03 06 00 00 00 00"
#define DNS_1      "81 06 0a 00 00 35"
#define DNS_1_ZERO "81 06 00 00 00 00"
#define DNS_2_ZERO "83 06 00 00 00 00"

enum {
	REQUEST = CODE_CONFIGURE_REQUEST,
	ACK = CODE_CONFIGURE_ACK,
	NAK = CODE_CONFIGURE_NAK,
	REJECT = CODE_CONFIGURE_REJECT,
};

static struct network_config config;
static struct ipcp ipcp;

static void start(struct network_config c)
{
	config = c;
	ipcp_init(&ipcp, &config);
	bench_start(&ipcp_kind, &ipcp);
}

static const struct network_config both_known = {.local = 0x0a000001, .remote = 0x0a000002};
static const struct network_config only_ours = {.local = 0x0a000001};

static void assert_remote(uint32_t remote)
{
	ck_assert_uint_eq(ipcp.agreed.remote, remote);
}

/* --- the peer's request --- */

START_TEST(addresses_that_fit)
{
	start(both_known);
	bench_hears(REQUEST, 1, OURS);
	bench_says(REQUEST, 1, PEERS);
	bench_hears(ACK, 1, PEERS);
	bench_says(ACK, 1, OURS);
	ck_assert(bench_is_open());
	ck_assert_uint_eq(ipcp.agreed.local, 0x0a000001);
	assert_remote(0x0a000002);
}
END_TEST

START_TEST(peer_asks_and_is_given_one)
{
	start(both_known);
	bench_hears(REQUEST, 1, OURS);
	bench_says(REQUEST, 1, ADDRESS_0);
	bench_hears(NAK, 1, PEERS);
	bench_says(REQUEST, 2, PEERS);
	bench_hears(ACK, 2, PEERS);
}
END_TEST

START_TEST(peer_asks_and_there_is_none)
{
	start(only_ours);
	bench_hears(REQUEST, 1, OURS);
	bench_says(REQUEST, 1, ADDRESS_0);
	bench_hears(REJECT, 1, ADDRESS_0);
}
END_TEST

START_TEST(peer_claims_another)
{
	start(both_known);
	bench_hears(REQUEST, 1, OURS);
	bench_says(REQUEST, 1, "03 06 c0 a8 00 09");
	bench_hears(NAK, 1, PEERS);
}
END_TEST

START_TEST(peer_is_believed)
{
	struct network_config c = both_known;

	c.accept_remote = true;
	start(c);
	bench_hears(REQUEST, 1, OURS);
	bench_says(REQUEST, 1, "03 06 c0 a8 00 09");
	bench_hears(ACK, 1, "03 06 c0 a8 00 09");
	assert_remote(0xc0a80009);
}
END_TEST

START_TEST(peer_knows_its_own)
{
	start(only_ours);
	bench_hears(REQUEST, 1, OURS);
	bench_says(REQUEST, 1, PEERS);
	bench_hears(ACK, 1, PEERS);
	assert_remote(0x0a000002);
}
END_TEST

/* Five Naks, a Reject, and then it leaves the address out: ours stands. */
START_TEST(B039_peer_that_insists)
{
	start(both_known);
	bench_hears(REQUEST, 1, OURS);
	for (uint8_t i = 0; i < 5; i++) {
		bench_says(REQUEST, i, "03 06 c0 a8 00 09");
		bench_hears(NAK, i, PEERS);
	}
	bench_says(REQUEST, 5, "03 06 c0 a8 00 09");
	bench_hears(REJECT, 5, "03 06 c0 a8 00 09");
	bench_says(REQUEST, 6, "");
	bench_hears(ACK, 6, "");
	assert_remote(0x0a000002);
}
END_TEST

START_TEST(B039_empty_request_after_our_nak)
{
	start(both_known);
	bench_hears(REQUEST, 1, OURS);
	bench_says(REQUEST, 1, ADDRESS_0);
	bench_hears(NAK, 1, PEERS);
	bench_says(REQUEST, 2, "");
	bench_hears(ACK, 2, "");
	assert_remote(0x0a000002);
}
END_TEST

/* What it claimed in a request that was refused for something else does not count. */
START_TEST(B094_peer_gives_no_address)
{
	start(only_ours);
	bench_hears(REQUEST, 1, OURS);
	bench_says(REQUEST, 1, PEERS " 02 06 00 2d 0f 01");
	bench_hears(REJECT, 1, "02 06 00 2d 0f 01");
	bench_says(REQUEST, 2, "");
	bench_hears(ACK, 2, "");
	bench_says(ACK, 1, OURS);
	ck_assert(bench_is_open());
	assert_remote(0);
}
END_TEST

/* The last request that was acknowledged is what counts. */
START_TEST(B094_peer_takes_its_address_back)
{
	start(only_ours);
	bench_hears(REQUEST, 1, OURS);
	bench_says(REQUEST, 1, PEERS);
	bench_hears(ACK, 1, PEERS);
	bench_says(REQUEST, 2, "");
	bench_hears(ACK, 2, "");
	assert_remote(0);
}
END_TEST

START_TEST(compression_and_old_addresses_are_rejected)
{
	start(both_known);
	bench_hears(REQUEST, 1, OURS);
	bench_says(REQUEST, 1, "02 06 00 2d 0f 01 " PEERS " 01 0a 0a 00 00 02 0a 00 00 01");
	bench_hears(REJECT, 1, "02 06 00 2d 0f 01 01 0a 0a 00 00 02 0a 00 00 01");
}
END_TEST

/* The capture of the case: an ISDN router's address, DNS and NBNS, those 0. */
START_TEST(B042_name_servers_of_zero)
{
	start(only_ours);
	bench_hears(REQUEST, 1, OURS);
	bench_says(REQUEST, 1, "03 06 c0 a8 01 c8 81 06 00 00 00 00 82 06 00 00 00 00");
	bench_hears(REJECT, 1, "81 06 00 00 00 00 82 06 00 00 00 00");
	bench_says(REQUEST, 2, "03 06 c0 a8 01 c8");
	bench_hears(ACK, 2, "03 06 c0 a8 01 c8");
}
END_TEST

START_TEST(B042_one_name_server_to_give)
{
	struct network_config c = both_known;

	c.give_dns[0] = 0x0a000035;
	start(c);
	bench_hears(REQUEST, 1, OURS);
	bench_says(REQUEST, 1, PEERS " " DNS_1_ZERO " " DNS_2_ZERO);
	bench_hears(REJECT, 1, DNS_2_ZERO);
	bench_says(REQUEST, 2, PEERS " " DNS_1_ZERO);
	bench_hears(NAK, 2, DNS_1);
	bench_says(REQUEST, 3, PEERS " " DNS_1);
	bench_hears(ACK, 3, PEERS " " DNS_1);
}
END_TEST

/* RFC 1661 section 6: a Nak has the length that would do. */
START_TEST(address_of_a_wrong_length)
{
	start(both_known);
	bench_hears(REQUEST, 1, OURS);
	bench_says(REQUEST, 1, "03 04 0a 00");
	bench_hears(NAK, 1, PEERS);
	bench_says(REQUEST, 2, "81 02");
	bench_hears(REJECT, 2, "81 02");
}
END_TEST

/* --- ours --- */

START_TEST(we_ask_and_are_given_one)
{
	start((struct network_config){0});
	bench_hears(REQUEST, 1, ADDRESS_0);
	bench_says(NAK, 1, OURS);
	bench_hears(REQUEST, 2, OURS);
	bench_says(ACK, 2, OURS);
	ck_assert_uint_eq(ipcp.agreed.local, 0x0a000001);
}
END_TEST

START_TEST(we_stay_with_ours)
{
	start(both_known);
	bench_hears(REQUEST, 1, OURS);
	bench_says(NAK, 1, "03 06 c0 a8 00 09");
	bench_hears(REQUEST, 2, OURS);
}
END_TEST

START_TEST(we_believe_the_peer)
{
	struct network_config c = both_known;

	c.accept_local = true;
	start(c);
	bench_hears(REQUEST, 1, OURS);
	bench_says(NAK, 1, ADDRESS_0);
	bench_hears(REQUEST, 2, OURS);
	bench_says(NAK, 2, "03 06 c0 a8 00 09");
	bench_hears(REQUEST, 3, "03 06 c0 a8 00 09");
}
END_TEST

START_TEST(B039_same_nak_twenty_times)
{
	start(both_known);
	for (uint8_t i = 1; i <= 11; i++) {
		bench_hears(REQUEST, i, OURS);
		bench_says(NAK, i, "03 06 c0 a8 00 09");
	}
	bench_hears_nothing();
	ck_assert_int_eq(bench.control.end, CONTROL_NO_AGREEMENT);
}
END_TEST

START_TEST(our_address_rejected_is_known_all_the_same)
{
	struct network_config c = both_known;

	c.accept_local = true;
	start(c);
	bench_hears(REQUEST, 1, OURS);
	bench_says(REJECT, 1, OURS);
	bench_hears(REQUEST, 2, "");
	bench_says(NAK, 2, "03 06 c0 a8 00 09");
	bench_hears(REQUEST, 3, "");
	ck_assert_uint_eq(ipcp.agreed.local, 0x0a000001);
}
END_TEST

START_TEST(our_question_rejected_is_the_end)
{
	start((struct network_config){0});
	bench_hears(REQUEST, 1, ADDRESS_0);
	bench_says(REJECT, 1, ADDRESS_0);
	bench_hears_nothing();
	ck_assert_int_eq(bench.control.end, CONTROL_NO_AGREEMENT);
}
END_TEST

static void start_asking_dns(void)
{
	struct network_config c = both_known;

	c.ask_dns = true;
	start(c);
	bench_hears(REQUEST, 1, OURS " " DNS_1_ZERO " " DNS_2_ZERO);
}

START_TEST(B039_rejected_name_servers_are_not_asked_again)
{
	start_asking_dns();
	bench_says(REJECT, 1, DNS_1_ZERO " " DNS_2_ZERO);
	bench_hears(REQUEST, 2, OURS);
	bench_says(NAK, 2, DNS_1);
	bench_hears(REQUEST, 3, OURS);
	ck_assert_uint_eq(ipcp.agreed.dns[0], 0);
}
END_TEST

START_TEST(name_servers_are_given)
{
	start_asking_dns();
	bench_says(NAK, 1, DNS_1 " 83 06 0a 00 00 36");
	bench_hears(REQUEST, 2, OURS " " DNS_1 " 83 06 0a 00 00 36");
	ck_assert_uint_eq(ipcp.agreed.dns[0], 0x0a000035);
	ck_assert_uint_eq(ipcp.agreed.dns[1], 0x0a000036);
}
END_TEST

START_TEST(name_server_given_and_taken_back)
{
	start_asking_dns();
	bench_says(NAK, 1, DNS_1);
	bench_hears(REQUEST, 2, OURS " " DNS_1 " " DNS_2_ZERO);
	bench_says(REJECT, 2, DNS_1);
	bench_hears(REQUEST, 3, OURS " " DNS_2_ZERO);
	ck_assert_uint_eq(ipcp.agreed.dns[0], 0);
}
END_TEST

START_TEST(B042_name_server_of_zero_in_a_nak)
{
	start_asking_dns();
	bench_says(NAK, 1, DNS_1 " " DNS_2_ZERO);
	bench_hears(REQUEST, 2, OURS " " DNS_1);
}
END_TEST

/* A new negotiation knows nothing of the last one's answers. */
START_TEST(anew)
{
	start_asking_dns();
	bench_says(REJECT, 1, OURS " " DNS_1_ZERO " " DNS_2_ZERO);
	bench_hears(REQUEST, 2, "");
	control_down(&bench.control, bench.now);
	control_up(&bench.control, bench.now);
	bench_hears(REQUEST, 3, OURS " " DNS_1_ZERO " " DNS_2_ZERO);
}
END_TEST

static void add_case(Suite *suite, const char *name, const TTest *const *tests)
{
	TCase *test_case = tcase_create(name);

	for (; *tests; tests++)
		tcase_add_test(test_case, *tests);
	suite_add_tcase(suite, test_case);
}

int main(void)
{
	Suite *suite = suite_create("ipcp");

	add_case(suite, "the peer's request",
		 (const TTest *[]){
			 addresses_that_fit,
			 peer_asks_and_is_given_one,
			 peer_asks_and_there_is_none,
			 peer_claims_another,
			 peer_is_believed,
			 peer_knows_its_own,
			 B039_peer_that_insists,
			 B039_empty_request_after_our_nak,
			 B094_peer_gives_no_address,
			 B094_peer_takes_its_address_back,
			 compression_and_old_addresses_are_rejected,
			 B042_name_servers_of_zero,
			 B042_one_name_server_to_give,
			 address_of_a_wrong_length,
			 NULL,
		 });
	add_case(suite, "ours",
		 (const TTest *[]){
			 we_ask_and_are_given_one,
			 we_stay_with_ours,
			 we_believe_the_peer,
			 B039_same_nak_twenty_times,
			 our_address_rejected_is_known_all_the_same,
			 our_question_rejected_is_the_end,
			 B039_rejected_name_servers_are_not_asked_again,
			 name_servers_are_given,
			 name_server_given_and_taken_back,
			 B042_name_server_of_zero_in_a_nak,
			 anew,
			 NULL,
		 });
	return run_suite(suite);
}
