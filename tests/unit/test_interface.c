/* SPDX-License-Identifier: MIT */
/*
 * The interface as the host sees it, while addresses come and go; each test in a
 * network namespace of its own, read back with ip(8). What is said goes to stderr and
 * is read back, too.
 */
#define _GNU_SOURCE

#include "src/interface.h"
#include "tests/unit/netns_testing.h"
#include "tests/unit/output_testing.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

static struct config config;
static struct interface interface;
static struct tun other; /* somebody else's */
static struct log *logger;
static struct output said_output;
static char said[4096];

static const struct network_ipv4 both = {.local = 0x0A000001, .remote = 0x0A000002};
static const struct network_ipv6 ids = {.local_id = {0, 0, 0, 0, 0, 0, 0, 1},
					.remote_id = {2, 0, 0, 0, 0, 0, 0, 9}};

static const char *output_of(const char *command)
{
	static char output[4096];
	FILE *pipe = popen(command, "r");
	ck_assert_ptr_nonnull(pipe);
	output[fread(output, 1, sizeof output - 1, pipe)] = '\0';
	pclose(pipe);
	return output;
}

static void says(const char *command, const char *part)
{
	const char *output = output_of(command);
	ck_assert_msg(strstr(output, part) != NULL, "%s: %s is not in: %s", command, part, output);
}

static void says_nothing(const char *command)
{
	ck_assert_str_eq(output_of(command), "");
}

static void run(const char *command)
{
	ck_assert_msg(system(command) == 0, "%s", command);
}

/* What the log has said since the last call. */
static const char *log_text(void)
{
	output_end(&said_output, said, sizeof(said));
	said_output = output_begin(STDERR_FILENO);
	return said;
}

static void open_with(const char *const words[])
{
	char *argv[16] = {(char *)"serialbundle"};
	int argc = 1;
	for (; words[argc - 1]; argc++)
		argv[argc] = (char *)words[argc - 1];
	ck_assert_int_eq(config_from_args(&config, argc, argv), CONFIG_RUN);
	ck_assert_int_eq(interface_open(&interface, &config, logger), EXIT_FINE);
	ck_assert_str_eq(interface.tun.name, "sb0");
}

#define OPEN(...) open_with((const char *const[]){__VA_ARGS__, NULL})

static void setup(void)
{
	netns_setup();
	logger = log_new(LOG_DEBUG);
	said_output = output_begin(STDERR_FILENO);
	char text[160];
	ck_assert_int_eq(tun_open(&other, "other", text, sizeof(text)), TUN_OK);
	run("ip link set other up");
}

static void teardown(void)
{
	interface_close(&interface);
	tun_close(&other);
	log_free(logger);
	output_end(&said_output, said, sizeof(said));
}

/* --- IPv4 ------------------------------------------------------------------------------------- */

START_TEST(addresses_come_and_go)
{
	OPEN("--ppp", "--default-route", "x:9600");
	says_nothing("ip -4 addr show dev sb0");
	interface_set_ipv4(&interface, &both);
	says("ip -4 addr show sb0", "inet 10.0.0.1 peer 10.0.0.2/32 ");
	says("ip route show 10.0.0.2",
	     "dev sb0 proto static scope link src 10.0.0.1 rto_min lock ");
	says("ip route show default", "default dev sb0 ");
	interface_clear_ipv4(&interface);
	says_nothing("ip -4 addr show dev sb0");
	says_nothing("ip route show dev sb0");
	interface_clear_ipv4(&interface); /* no harm */
}
END_TEST

START_TEST(B092_the_default_route_returns_with_the_link)
{
	OPEN("--ppp", "--default-route=70", "x:9600");
	run("ip route add default dev other metric 7");
	for (int i = 0; i < 3; i++) {
		interface_set_ipv4(&interface, &both);
		says("ip route show default dev sb0", "metric 70");
		interface_clear_ipv4(&interface);
		says_nothing("ip route show default dev sb0");
		says("ip route show default", "default dev other scope link metric 7");
	}
}
END_TEST

START_TEST(B092_anothers_default_route_stays)
{
	OPEN("--ppp", "--default-route=70", "x:9600");
	run("ip route add default dev other metric 70");
	interface_set_ipv4(&interface, &both);
	ck_assert_ptr_nonnull(strstr(log_text(), "there is a default route with this metric"));
	says("ip -4 addr show sb0", "inet 10.0.0.1 peer 10.0.0.2/32 "); /* all the same */
	interface_clear_ipv4(&interface);
	says("ip route show default", "default dev other scope link metric 70");
}
END_TEST

START_TEST(other_addresses_replace_those_before)
{
	struct network_ipv4 next = {.local = 0x0A000005, .remote = 0x0A000006};
	OPEN("--ppp", "x:9600");
	interface_set_ipv4(&interface, &both);
	interface_set_ipv4(&interface, &next);
	says("ip -4 addr show sb0", "inet 10.0.0.5 peer 10.0.0.6/32 ");
	ck_assert_ptr_null(strstr(output_of("ip -4 addr show sb0"), "10.0.0.1"));
}
END_TEST

/* Connections over the interface live on when the link came back with the same. */
START_TEST(the_same_addresses_again_change_nothing)
{
	OPEN("--ppp", "x:9600");
	interface_set_ipv4(&interface, &both);
	run("ip route add 192.0.2.0/24 via 10.0.0.2");
	log_text();
	interface_set_ipv4(&interface, &both);
	says("ip route show 192.0.2.0/24", "via 10.0.0.2");
	ck_assert_str_eq(log_text(), "");
}
END_TEST

START_TEST(B094_a_peer_without_an_address)
{
	struct network_ipv4 lone = {.local = 0x0A000001};
	OPEN("--ppp", "--default-route", "x:9600");
	for (int i = 0; i < 2; i++) {
		interface_set_ipv4(&interface, &lone);
		says("ip -4 addr show sb0", "inet 10.0.0.1/32 ");
		ck_assert_ptr_null(strstr(output_of("ip -4 addr show sb0"), "peer"));
		says("ip route show", "default dev sb0 ");
		bool told = strstr(log_text(), "the peer tells no address of its own") != NULL;
		ck_assert_int_eq(told, i == 0); /* once */
		interface_clear_ipv4(&interface);
	}
}
END_TEST

/* As on an answering host, where each interface has the same address of ours. */
START_TEST(our_address_may_be_on_other_interfaces)
{
	OPEN("--ppp", "x:9600");
	run("ip addr add 10.0.0.1/24 dev other");
	interface_set_ipv4(&interface, &both);
	says("ip -4 addr show sb0", "inet 10.0.0.1 peer 10.0.0.2/32 ");
	says("ip route get 10.0.0.2", "dev sb0");
	interface_clear_ipv4(&interface);
	says("ip -4 addr show other", "inet 10.0.0.1/24 ");
}
END_TEST

/* With SLIP lines in the bundle the address is there before any peer is. */
START_TEST(a_fixed_address_outlives_the_negotiated_one)
{
	OPEN("--local=10.0.0.1", "--remote=10.0.0.2", "--default-route", "x:9600", "y:9600,ppp");
	says("ip -4 addr show sb0", "inet 10.0.0.1 peer 10.0.0.2/32 ");
	interface_set_ipv4(&interface, &both);
	says("ip route show default", "default dev sb0 ");
	interface_clear_ipv4(&interface);
	says("ip -4 addr show sb0", "inet 10.0.0.1 peer 10.0.0.2/32 ");
	says("ip route show default", "default dev sb0 ");
	says("ip route show 10.0.0.2", "dev sb0");
	ck_assert_str_eq(strstr(log_text(), "default route") ? said : "", "");
}
END_TEST

START_TEST(what_cannot_be_set_is_said)
{
	struct network_ipv4 bad = {.local = 0xE0000001, .remote = 0x0A000002}; /* multicast */
	OPEN("--ppp", "x:9600");
	run("ip link delete sb0"); /* somebody did */
	interface_set_ipv4(&interface, &bad);
	ck_assert_ptr_nonnull(strstr(log_text(), "sb0: "));
	interface_set_mtu(&interface, 700);
	ck_assert_ptr_nonnull(strstr(log_text(), "sb0: "));
	interface_clear_ipv4(&interface);
}
END_TEST

/* --- name servers -------------------------------------------------------------------------------
 */

START_TEST(name_servers_are_told_and_written)
{
	struct network_ipv4 v4 = both;
	v4.dns[0] = 0x08080808;
	v4.dns[1] = 0x01010101;
	OPEN("--ppp", "--ask-dns", "--resolv=resolv.test", "x:9600");
	interface_set_ipv4(&interface, &both);
	ck_assert_ptr_null(strstr(log_text(), "name servers"));
	ck_assert_int_ne(access("resolv.test", F_OK), 0); /* none, no file */
	interface_set_ipv4(&interface, &v4);
	ck_assert_ptr_nonnull(strstr(log_text(), "sb0: name servers 8.8.8.8 1.1.1.1\n"));
	ck_assert_str_eq(output_of("cat resolv.test"), "nameserver 8.8.8.8\nnameserver 1.1.1.1\n");
	v4.dns[0] = 0;
	interface_set_ipv4(&interface, &v4);
	ck_assert_str_eq(output_of("cat resolv.test; ls resolv.test.*"), "nameserver 1.1.1.1\n");
	unlink("resolv.test");
}
END_TEST

START_TEST(name_servers_that_cannot_be_written)
{
	struct network_ipv4 v4 = both;
	v4.dns[0] = 0x08080808;
	OPEN("--ppp", "--ask-dns", "--resolv=/nowhere/x", "x:9600");
	interface_set_ipv4(&interface, &v4);
	ck_assert_ptr_nonnull(strstr(log_text(), "/nowhere/x: No such file or directory; the name "
						 "servers are not written\n"));
	says("ip -4 addr show sb0", "inet 10.0.0.1 ");
}
END_TEST

/* --- IPv6
 * ----------------------------------------------------------------------------------------- */

START_TEST(ipv6_is_link_local_by_the_identifiers)
{
	OPEN("--ppp", "--ipv6", "--default-route", "x:9600");
	interface_set_ipv4(&interface, &both);
	interface_set_ipv6(&interface, &ids);
	says("ip -6 addr show sb0", "inet6 fe80::1/64 scope link");
	says("ip -6 route show fe80::/64 dev sb0", "rto_min lock");
	says("ip -6 route show default", "default dev sb0");
	says("ip -6 route get fe80::200:0:0:9 dev sb0", "dev sb0");
	interface_clear_ipv4(&interface); /* each goes by itself */
	says("ip -6 addr show sb0", "inet6 fe80::1/64 scope link");
	interface_clear_ipv6(&interface);
	says_nothing("ip -6 addr show dev sb0");
	says_nothing("ip -6 route show dev sb0");
}
END_TEST

START_TEST(a_fixed_ipv6_address_beside_it)
{
	OPEN("--ppp", "--local=fd00::1/64", "--default-route", "x:9600");
	interface_set_ipv6(&interface, &ids);
	says("ip -6 addr show sb0", "inet6 fd00::1/64 ");
	interface_clear_ipv6(&interface);
	says("ip -6 addr show sb0", "inet6 fd00::1/64 ");
	says("ip -6 route show default", "default dev sb0");
	ck_assert_ptr_null(strstr(log_text(), "default route"));
}
END_TEST

/* --- MTU and carrier
 * ------------------------------------------------------------------------------ */

START_TEST(the_mtu_follows_the_peer)
{
	OPEN("--ppp", "x:9600");
	says("ip link show sb0", "mtu 1500 ");
	interface_set_mtu(&interface, 576);
	says("ip link show sb0", "mtu 576 ");
	ck_assert_str_eq(log_text(), "");
	interface_set_mtu(&interface, 1500);
	says("ip link show sb0", "mtu 1500 ");
}
END_TEST

START_TEST(B091_a_small_mtu_ends_ipv6_with_a_warning)
{
	OPEN("--ppp", "--ipv6", "x:9600");
	interface_set_ipv6(&interface, &ids);
	interface_set_mtu(&interface, 1279);
	ck_assert_ptr_nonnull(strstr(log_text(), "no more IPv6, which needs an MTU of 1280"));
	interface_clear_ipv6(&interface);
	interface_set_ipv6(&interface, &ids);
	ck_assert_ptr_nonnull(strstr(log_text(),
				     "no IPv6, which needs an MTU of 1280; the peer takes"
				     " 1279"));
	interface_set_mtu(&interface, 1280);
	interface_set_ipv6(&interface, &ids);
	says("ip -6 addr show sb0", "inet6 fe80::1/64 scope link");
}
END_TEST

START_TEST(B091_fixed_ipv6_addresses_return_with_the_mtu)
{
	OPEN("--ppp", "--local=fd00::1/64", "--default-route", "x:9600");
	for (int i = 0; i < 40; i++) {
		interface_set_mtu(&interface, 600);
		says_nothing("ip -6 addr show dev sb0");
		interface_set_mtu(&interface, 1500);
		says("ip -6 addr show sb0", "inet6 fd00::1/64 ");
		says("ip -6 route show default", "default dev sb0");
	}
	interface_set_mtu(&interface, 1400);
	says("ip -6 addr show sb0", "inet6 fd00::1/64 ");
}
END_TEST

START_TEST(B093_no_carrier_while_nothing_is_behind)
{
	OPEN("--ppp", "--ipv6", "--default-route", "x:9600");
	says("ip link show sb0", "UP,LOWER_UP");
	interface_set_carrier(&interface, false);
	says("ip link show sb0", "NO-CARRIER");
	says("ip link show sb0", ",UP"); /* the administrator's side of it */
	/* What is set meanwhile works as soon as there is carrier. */
	interface_set_ipv4(&interface, &both);
	interface_set_ipv6(&interface, &ids);
	interface_set_carrier(&interface, true);
	says("ip link show sb0", "UP,LOWER_UP");
	says("ip route get 10.0.0.2", "dev sb0");
	says("ip -6 route get fe80::200:0:0:9 dev sb0", "dev sb0");
	says("ip route get 8.8.8.8", "dev sb0 src 10.0.0.1");
	/* Lost for a while: addresses and routes are still there. */
	interface_set_carrier(&interface, false);
	says("ip link show sb0", "NO-CARRIER");
	interface_set_carrier(&interface, true);
	says("ip route get 10.0.0.2", "dev sb0");
	says("ip -6 addr show sb0", "inet6 fe80::1/64 scope link");
	says("ip -6 route show default", "default dev sb0");
}
END_TEST

START_TEST(closing_takes_all_away)
{
	OPEN("--ppp", "--ipv6", "--default-route", "--local=fd00::1", "x:9600");
	interface_set_ipv4(&interface, &both);
	interface_set_ipv6(&interface, &ids);
	interface_close(&interface);
	ck_assert_ptr_null(strstr(output_of("ip link show"), "sb0"));
	says_nothing("ip route");
	ck_assert_int_eq(interface.tun.fd, -1);
	interface_close(&interface);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("interface");
	TCase *ipv4 = tcase_create("IPv4");
	tcase_add_checked_fixture(ipv4, setup, teardown);
	tcase_add_test(ipv4, addresses_come_and_go);
	tcase_add_test(ipv4, B092_the_default_route_returns_with_the_link);
	tcase_add_test(ipv4, B092_anothers_default_route_stays);
	tcase_add_test(ipv4, other_addresses_replace_those_before);
	tcase_add_test(ipv4, the_same_addresses_again_change_nothing);
	tcase_add_test(ipv4, B094_a_peer_without_an_address);
	tcase_add_test(ipv4, our_address_may_be_on_other_interfaces);
	tcase_add_test(ipv4, a_fixed_address_outlives_the_negotiated_one);
	tcase_add_test(ipv4, what_cannot_be_set_is_said);
	tcase_add_test(ipv4, name_servers_are_told_and_written);
	tcase_add_test(ipv4, name_servers_that_cannot_be_written);
	suite_add_tcase(suite, ipv4);

	TCase *rest = tcase_create("IPv6, MTU, carrier");
	tcase_add_checked_fixture(rest, setup, teardown);
	tcase_add_test(rest, ipv6_is_link_local_by_the_identifiers);
	tcase_add_test(rest, a_fixed_ipv6_address_beside_it);
	tcase_add_test(rest, the_mtu_follows_the_peer);
	tcase_add_test(rest, B091_a_small_mtu_ends_ipv6_with_a_warning);
	tcase_add_test(rest, B091_fixed_ipv6_addresses_return_with_the_mtu);
	tcase_add_test(rest, B093_no_carrier_while_nothing_is_behind);
	tcase_add_test(rest, closing_takes_all_away);
	suite_add_tcase(suite, rest);
	return netns_run(suite);
}
