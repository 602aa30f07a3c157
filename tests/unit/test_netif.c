/* SPDX-License-Identifier: MIT */
/*
 * Addresses and routes of an interface, each test in a network namespace of its
 * own; what came of it is read back with ip(8). "other" is an interface of
 * somebody else's.
 */
#define _GNU_SOURCE

#include "netns_testing.h"
#include "src/netif.h"
#include "src/tun.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static char text[160];
static struct tun tun, other;
static struct netif *netif;

__attribute__((format(printf, 1, 2))) static void run(const char *format, ...)
{
	char command[256];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(command, sizeof command, format, arguments);
	va_end(arguments);
	ck_assert_msg(system(command) == 0, "%s", command);
}

/* What a command says, until the next call. */
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

static void setup(void)
{
	netns_setup();
	ck_assert_int_eq(tun_open(&other, "other", text, sizeof text), TUN_OK);
	ck_assert_int_eq(tun_open(&tun, "sb0", text, sizeof text), TUN_OK);
	netif = netif_open("sb0", text, sizeof text);
	ck_assert_msg(netif != NULL, "%s", text);
	run("ip link set other up");
}

static void teardown(void)
{
	netif_close(netif);
	tun_close(&tun);
	tun_close(&other);
}

static void close_netif(void)
{
	netif_close(netif);
	netif = NULL;
}

static struct netif_address address(int family, const char *local, const char *peer, uint8_t prefix)
{
	struct netif_address a = {.family = family, .has_peer = peer != NULL, .prefix = prefix};
	ck_assert_int_eq(inet_pton(family, local, &a.local), 1);
	ck_assert(!peer || inet_pton(family, peer, &a.peer) == 1);
	return a;
}

static enum netif_status add(struct netif_address a)
{
	text[0] = '\0';
	return netif_add_address(netif, &a, text, sizeof text);
}

static enum netif_status add_default(int family, uint32_t metric)
{
	text[0] = '\0';
	return netif_add_default_route(netif, family, metric, 200, text, sizeof text);
}

static void up(void)
{
	ck_assert_msg(netif_set_up(netif, true, text, sizeof text) == NETIF_OK, "%s", text);
}

/* ---- link ---- */

START_TEST(there_must_be_an_interface)
{
	ck_assert_ptr_null(netif_open("sb9", text, sizeof text));
	ck_assert_ptr_nonnull(strstr(text, "sb9"));
	netif_close(NULL);
}
END_TEST

START_TEST(mtu)
{
	ck_assert_int_eq(netif_set_mtu(netif, 1006, text, sizeof text), NETIF_OK);
	says("ip link show sb0", "mtu 1006 ");
	ck_assert_int_eq(netif_set_mtu(netif, 20, text, sizeof text), NETIF_FAILED);
	ck_assert_ptr_nonnull(strstr(text, "MTU"));
	says("ip link show sb0", "mtu 1006 ");
}
END_TEST

START_TEST(up_and_down)
{
	up();
	says("ip link show sb0", ",UP,");
	ck_assert_int_eq(netif_set_up(netif, false, text, sizeof text), NETIF_OK);
	says_nothing("ip link show up dev sb0");
}
END_TEST

/* Each packet of the kernel's own would cost a slow line its time. */
START_TEST(no_link_local_address_is_invented)
{
	says("ip -d link show sb0", "addrgenmode none");
	up();
	says_nothing("ip -6 addr show dev sb0");
	ck_assert_ptr_null(strstr(output_of("ip -d link show other"), "addrgenmode none"));
}
END_TEST

START_TEST(without_permission)
{
	if (setresuid(65534, 65534, 65534) != 0)
		return; /* in a user namespace there is nobody else to be */
	ck_assert_int_eq(netif_set_mtu(netif, 600, text, sizeof text), NETIF_NO_PERMISSION);
	ck_assert_ptr_nonnull(strstr(text, "CAP_NET_ADMIN"));
	ck_assert_int_eq(add(address(AF_INET, "10.0.0.1", NULL, 24)), NETIF_NO_PERMISSION);
	ck_assert_int_eq(add_default(AF_INET, 5), NETIF_NO_PERMISSION);
}
END_TEST

/* ---- addresses ---- */

START_TEST(addresses_with_and_without_a_peer)
{
	up();
	ck_assert_int_eq(add(address(AF_INET, "10.0.0.1", "10.0.0.2", 32)), NETIF_OK);
	ck_assert_int_eq(add(address(AF_INET, "192.168.7.1", NULL, 24)), NETIF_OK);
	ck_assert_int_eq(add(address(AF_INET6, "fd00::1", "fd00::2", 128)), NETIF_OK);
	ck_assert_int_eq(add(address(AF_INET6, "fd07::1", NULL, 64)), NETIF_OK);
	says("ip -4 addr show sb0", "inet 10.0.0.1 peer 10.0.0.2/32 ");
	says("ip -4 addr show sb0", "inet 192.168.7.1/24 ");
	says("ip -6 addr show sb0", "inet6 fd00::1 peer fd00::2/128 scope global nodad");
	says("ip -6 addr show sb0", "inet6 fd07::1/64 scope global nodad");
	close_netif();
	says_nothing("ip addr show dev sb0 scope global to 0/0");
	says_nothing("ip -6 addr show dev sb0");
}
END_TEST

START_TEST(an_address_of_another_interface_is_in_use)
{
	run("ip addr add 10.0.0.1 peer 10.0.0.9 dev other");
	run("ip addr add fd00::1/64 nodad dev other");
	run("ip addr add fd01::1 peer fd01::2 nodad dev other");
	ck_assert_int_eq(add(address(AF_INET, "10.0.0.1", "10.0.0.2", 32)), NETIF_IN_USE);
	ck_assert_str_eq(text, "the address is on other already");
	ck_assert_int_eq(add(address(AF_INET6, "fd00::1", NULL, 64)), NETIF_IN_USE);
	ck_assert_int_eq(add(address(AF_INET6, "fd01::1", NULL, 64)), NETIF_IN_USE);
	/* The peers of another's addresses are not its own. */
	ck_assert_int_eq(add(address(AF_INET, "10.0.0.9", NULL, 32)), NETIF_OK);
	close_netif();
	says("ip addr show other", "inet 10.0.0.1 peer 10.0.0.9/32 ");
}
END_TEST

START_TEST(many_addresses_elsewhere_are_all_looked_at)
{
	run("i=1; while [ $i -lt 250 ]; do echo addr add 10.9.0.$i/32 dev other; i=$((i+1)); done |"
	    " ip -batch -");
	ck_assert_int_eq(add(address(AF_INET, "10.9.0.249", NULL, 32)), NETIF_IN_USE);
	ck_assert_int_eq(add(address(AF_INET, "10.9.0.250", NULL, 32)), NETIF_OK);
}
END_TEST

START_TEST(an_address_that_was_there_stays)
{
	run("ip addr add 10.0.0.1 peer 10.0.0.2 dev sb0");
	ck_assert_int_eq(add(address(AF_INET, "10.0.0.1", "10.0.0.2", 32)), NETIF_OK);
	close_netif();
	says("ip addr show sb0", "inet 10.0.0.1 peer 10.0.0.2/32 ");
}
END_TEST

START_TEST(B094_without_a_peer_none_is_invented)
{
	up();
	ck_assert_int_eq(add(address(AF_INET, "10.0.0.1", NULL, 32)), NETIF_OK);
	ck_assert_int_eq(add_default(AF_INET, 0), NETIF_OK);
	ck_assert_ptr_null(strstr(output_of("ip addr show sb0"), "peer"));
	says("ip route show default", "default dev sb0 proto static scope link");
	ck_assert_ptr_null(strstr(output_of("ip route show default"), "via"));
	says("ip route get 8.8.8.8", "8.8.8.8 dev sb0 src 10.0.0.1");
}
END_TEST

/* ---- default routes ---- */

START_TEST(B092_a_default_route_comes_and_goes)
{
	up();
	ck_assert_int_eq(add_default(AF_INET, 300), NETIF_OK);
	ck_assert_int_eq(add_default(AF_INET6, 300), NETIF_OK);
	says("ip -4 route show default", "default dev sb0 proto static scope link metric 300");
	says("ip -6 route show default", "default dev sb0 proto static metric 300");
	close_netif();
	says_nothing("ip -4 route show default");
	says_nothing("ip -6 route show default");
}
END_TEST

START_TEST(B092_one_of_the_same_metric_is_left_alone)
{
	static const uint32_t metrics[] = {0, 100};
	up();
	run("ip route add default dev other metric %u", metrics[_i]);
	ck_assert_int_eq(add_default(AF_INET, metrics[_i]), NETIF_EXISTS);
	ck_assert_uint_gt(strlen(text), 0);
	close_netif();
	says("ip -4 route show default", "default dev other");
}
END_TEST

START_TEST(B092_the_same_for_ipv6)
{
	up();
	run("ip -6 route add default dev other metric 1024");
	ck_assert_int_eq(add_default(AF_INET6, 1024), NETIF_EXISTS);
	ck_assert_int_eq(add_default(AF_INET6, 0), NETIF_EXISTS); /* the kernel's default */
	ck_assert_int_eq(add_default(AF_INET6, 2000), NETIF_OK);
	close_netif();
	says("ip -6 route show default", "default dev other metric 1024");
	ck_assert_ptr_null(strstr(output_of("ip -6 route show default"), "sb0"));
}
END_TEST

START_TEST(B092_beside_one_of_another_metric)
{
	up();
	run("ip route add default dev other metric 100");
	ck_assert_int_eq(add_default(AF_INET, 50), NETIF_OK);
	says("ip route show default", "default dev sb0 proto static scope link metric 50");
	says("ip route show default", "default dev other scope link metric 100");
	close_netif();
	says("ip route show default", "default dev other scope link metric 100");
	ck_assert_ptr_null(strstr(output_of("ip route show default"), "sb0"));
}
END_TEST

/* An administrator replaced ours by one of the same metric: that one is not ours to remove. */
START_TEST(B092_a_replaced_route_is_left_alone)
{
	up();
	ck_assert_int_eq(add_default(AF_INET, 50), NETIF_OK);
	run("ip route replace default dev other metric 50");
	close_netif();
	says("ip route show default", "default dev other scope link metric 50");
}
END_TEST

static void add_with_route(struct netif_address a)
{
	ck_assert_int_eq(add(a), NETIF_OK);
	ck_assert_msg(netif_add_peer_route(netif, &a, 1500, text, sizeof text) == NETIF_OK, "%s",
		      text);
}

START_TEST(the_route_to_the_peer_holds_retransmissions_back)
{
	up();
	add_with_route(address(AF_INET, "10.0.0.1", "10.0.0.2", 32));
	add_with_route(address(AF_INET, "192.168.7.1", NULL, 24));
	add_with_route(address(AF_INET6, "fd00::1", "fd00::2", 128));
	add_with_route(address(AF_INET6, "fd07::1", NULL, 64));
	says("ip route show 10.0.0.2", "src 10.0.0.1 rto_min lock 1.5s");
	says("ip route show 192.168.7.0/24", "src 192.168.7.1 rto_min lock 1.5s");
	says("ip -6 route show fd00::2", "rto_min lock 1.5s");
	says("ip -6 route show fd07::/64", "rto_min lock 1.5s");
	add_with_route(
		address(AF_INET, "10.0.0.9", NULL, 32)); /* leads nowhere: no route, no error */
	ck_assert_int_eq(add_default(AF_INET, 7), NETIF_OK);
	says("ip route show default", "metric 7 rto_min lock ");
	close_netif(); /* the addresses take their routes along */
	says_nothing("ip -4 route show");
	says_nothing("ip -6 route show dev sb0");
}
END_TEST

/* Others have a route to the same place: theirs stays, during and after. */
START_TEST(routes_of_others_stay)
{
	run("ip addr add 192.168.7.5/24 dev other");
	up();
	add_with_route(address(AF_INET, "192.168.7.77", NULL, 24));
	says("ip route show 192.168.7.0/24 dev other", "192.168.7.5");
	says("ip route show 192.168.7.0/24 dev sb0", "192.168.7.77");
	close_netif();
	says("ip route show 192.168.7.0/24 dev other", "192.168.7.5");
	says_nothing("ip -4 route show dev sb0");
}
END_TEST

/* The first address stays the default source. */
START_TEST(two_addresses_of_one_network)
{
	up();
	add_with_route(address(AF_INET, "10.1.0.1", NULL, 24));
	add_with_route(address(AF_INET, "10.1.0.2", NULL, 24));
	add_with_route(address(AF_INET6, "fd01::1", NULL, 64));
	add_with_route(address(AF_INET6, "fd01::2", NULL, 64));
	says("ip route get 10.1.0.99", "src 10.1.0.1");
}
END_TEST

START_TEST(a_route_needs_the_interface_up)
{
	ck_assert_int_eq(add_default(AF_INET, 0), NETIF_FAILED);
	ck_assert_ptr_nonnull(strstr(text, "down"));
}
END_TEST

/* The interface went first, and with it all that was added. */
START_TEST(closing_after_the_interface_is_gone)
{
	up();
	ck_assert_int_eq(add(address(AF_INET, "10.0.0.1", "10.0.0.2", 32)), NETIF_OK);
	ck_assert_int_eq(add_default(AF_INET, 0), NETIF_OK);
	tun_close(&tun);
	close_netif();
	says_nothing("ip route show default");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("netif");
	TCase *link = tcase_create("link");
	tcase_add_checked_fixture(link, setup, teardown);
	tcase_add_test(link, there_must_be_an_interface);
	tcase_add_test(link, mtu);
	tcase_add_test(link, up_and_down);
	tcase_add_test(link, no_link_local_address_is_invented);
	tcase_add_test(link, without_permission);
	suite_add_tcase(suite, link);

	TCase *addresses = tcase_create("addresses");
	tcase_add_checked_fixture(addresses, setup, teardown);
	tcase_add_test(addresses, addresses_with_and_without_a_peer);
	tcase_add_test(addresses, an_address_of_another_interface_is_in_use);
	tcase_add_test(addresses, many_addresses_elsewhere_are_all_looked_at);
	tcase_add_test(addresses, an_address_that_was_there_stays);
	tcase_add_test(addresses, B094_without_a_peer_none_is_invented);
	suite_add_tcase(suite, addresses);

	TCase *routes = tcase_create("routes");
	tcase_add_checked_fixture(routes, setup, teardown);
	tcase_add_test(routes, B092_a_default_route_comes_and_goes);
	tcase_add_loop_test(routes, B092_one_of_the_same_metric_is_left_alone, 0, 2);
	tcase_add_test(routes, B092_the_same_for_ipv6);
	tcase_add_test(routes, B092_beside_one_of_another_metric);
	tcase_add_test(routes, B092_a_replaced_route_is_left_alone);
	tcase_add_test(routes, the_route_to_the_peer_holds_retransmissions_back);
	tcase_add_test(routes, routes_of_others_stay);
	tcase_add_test(routes, two_addresses_of_one_network);
	tcase_add_test(routes, a_route_needs_the_interface_up);
	tcase_add_test(routes, closing_after_the_interface_is_gone);
	suite_add_tcase(suite, routes);
	return netns_run(suite);
}
