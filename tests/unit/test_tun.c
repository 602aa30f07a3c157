/* SPDX-License-Identifier: MIT */
/* The TUN device, each test in a network namespace of its own. */
#define _GNU_SOURCE

#include "netns_testing.h"
#include "src/netif.h"
#include "src/tun.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>

enum { MTU = 1500 };

static char text[160];
static struct tun tun;

static void setup(void)
{
	netns_setup();
	ck_assert_msg(tun_open(&tun, "sb%d", text, sizeof text) == TUN_OK, "%s", text);
}

/* The interface up, with 10.1.1.1 and fd00::1 to a peer .2 each. */
static struct netif *raise_interface(void)
{
	struct netif_address v4 = {.family = AF_INET, .prefix = 32, .has_peer = true};
	struct netif_address v6 = {.family = AF_INET6, .prefix = 128, .has_peer = true};
	inet_pton(AF_INET, "10.1.1.1", &v4.local);
	inet_pton(AF_INET, "10.1.1.2", &v4.peer);
	inet_pton(AF_INET6, "fd00::1", &v6.local);
	inet_pton(AF_INET6, "fd00::2", &v6.peer);
	struct netif *netif = netif_open(tun.name, text, sizeof text);
	ck_assert_ptr_nonnull(netif);
	ck_assert_int_eq(netif_set_mtu(netif, MTU, text, sizeof text), NETIF_OK);
	ck_assert_int_eq(netif_set_up(netif, true, text, sizeof text), NETIF_OK);
	ck_assert_int_eq(netif_add_address(netif, &v4, text, sizeof text), NETIF_OK);
	ck_assert_int_eq(netif_add_address(netif, &v6, text, sizeof text), NETIF_OK);
	ck_assert_int_eq(netif_add_peer_route(netif, &v4, 200, text, sizeof text), NETIF_OK);
	ck_assert_int_eq(netif_add_peer_route(netif, &v6, 200, text, sizeof text), NETIF_OK);
	return netif;
}

START_TEST(a_pattern_gives_the_first_free_name)
{
	struct tun second;
	ck_assert_str_eq(tun.name, "sb0");
	ck_assert_int_ne(fcntl(tun.fd, F_GETFL) & O_NONBLOCK, 0);
	ck_assert_int_ne(fcntl(tun.fd, F_GETFD) & FD_CLOEXEC, 0);
	ck_assert_int_eq(tun_open(&second, "sb%d", text, sizeof text), TUN_OK);
	ck_assert_str_eq(second.name, "sb1");
	tun_close(&second);
	tun_close(&tun);
	ck_assert_int_eq(tun.fd, -1);
	ck_assert_uint_eq(if_nametoindex("sb0"), 0); /* gone with its descriptor */
	tun_close(&tun);
}
END_TEST

START_TEST(a_name_that_is_taken)
{
	static const char *const names[] = {"sb0", "lo"};
	struct tun second;
	ck_assert_int_eq(tun_open(&second, names[_i], text, sizeof text), TUN_NAME_TAKEN);
	ck_assert_int_eq(second.fd, -1);
	ck_assert_ptr_nonnull(strstr(text, names[_i]));
	tun_close(&tun);
}
END_TEST

/* ip tuntap add, by an administrator beforehand. */
START_TEST(a_persistent_tun_is_used)
{
	ck_assert_int_eq(ioctl(tun.fd, TUNSETPERSIST, 1), 0);
	tun_close(&tun);
	ck_assert_uint_ne(if_nametoindex("sb0"), 0);
	ck_assert_msg(tun_open(&tun, "sb0", text, sizeof text) == TUN_OK, "%s", text);
	ck_assert_str_eq(tun.name, "sb0");
	tun_close(&tun);
	ck_assert_uint_ne(if_nametoindex("sb0"), 0);
}
END_TEST

START_TEST(names_that_cannot_be)
{
	static const char *const names[] = {"", "a-name-of-16-chr", "a/b", "."};
	struct tun second;
	ck_assert_int_eq(tun_open(&second, names[_i], text, sizeof text), TUN_FAILED);
	ck_assert_int_eq(second.fd, -1);
	ck_assert_uint_gt(strlen(text), 0);
	tun_close(&tun);
}
END_TEST

START_TEST(without_permission)
{
	struct tun second;
	if (setresuid(65534, 65534, 65534) != 0)
		return; /* in a user namespace there is nobody else to be */
	ck_assert_int_eq(tun_open(&second, "sb%d", text, sizeof text), TUN_NO_PERMISSION);
	ck_assert_int_eq(second.fd, -1);
	tun_close(&tun);
}
END_TEST

START_TEST(without_a_driver)
{
	struct tun second;
	ck_assert_int_eq(unshare(CLONE_NEWNS), 0);
	ck_assert_int_eq(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	ck_assert_int_eq(mount("tmpfs", "/dev/net", "tmpfs", 0, NULL), 0);
	ck_assert_int_eq(tun_open(&second, "sb%d", text, sizeof text), TUN_MISSING);
	ck_assert_ptr_nonnull(strstr(text, "/dev/net/tun"));
	tun_close(&tun);
}
END_TEST

/* ---- packets ---- */

static uint16_t checksum(const uint8_t *at, size_t length)
{
	uint32_t sum = 0;
	for (size_t i = 0; i < length; i += 2)
		sum += (uint32_t)at[i] << 8 | at[i + 1];
	while (sum >> 16)
		sum = (sum & 0xFFFF) + (sum >> 16);
	return htons((uint16_t)~sum);
}

enum { PORT = 4000 };

/* A UDP socket on the near address, and the far one. */
struct end {
	int fd;
	struct sockaddr_storage near, far;
	socklen_t size;
};

static struct end udp_end(int family)
{
	struct end end = {.fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
	ck_assert_int_ge(end.fd, 0);
	if (family == AF_INET) {
		struct sockaddr_in *near = (void *)&end.near, *far = (void *)&end.far;
		*near = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(PORT)};
		*far = *near;
		inet_pton(AF_INET, "10.1.1.1", &near->sin_addr);
		inet_pton(AF_INET, "10.1.1.2", &far->sin_addr);
		end.size = sizeof *near;
	} else {
		struct sockaddr_in6 *near = (void *)&end.near, *far = (void *)&end.far;
		*near = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(PORT)};
		*far = *near;
		inet_pton(AF_INET6, "fd00::1", &near->sin6_addr);
		inet_pton(AF_INET6, "fd00::2", &far->sin6_addr);
		end.size = sizeof *near;
	}
	ck_assert_int_eq(bind(end.fd, (void *)&end.near, end.size), 0);
	return end;
}

/* The kernel finishes a new IPv6 address in its own time; until then there is no way. */
static void send_far(const struct end *end, const uint8_t *payload, size_t length)
{
	ssize_t n;
	do
		n = sendto(end->fd, payload, length, 0, (const void *)&end->far, end->size);
	while (n < 0 && errno == ENETUNREACH && poll(NULL, 0, 1) == 0);
	ck_assert_msg(n == (ssize_t)length, "%s", strerror(errno));
}

/* The next packet for that protocol number, past anything the kernel says by itself. */
static size_t next_udp(uint8_t *at, size_t capacity)
{
	for (;;) {
		struct pollfd ready = {.fd = tun.fd, .events = POLLIN};
		ck_assert_int_eq(poll(&ready, 1, 5000), 1);
		ssize_t n = tun_read(&tun, at, capacity);
		ck_assert_int_gt(n, 0);
		if ((at[0] >> 4 == 4 && at[9] == IPPROTO_UDP) ||
		    (at[0] >> 4 == 6 && at[6] == IPPROTO_UDP))
			return (size_t)n;
	}
}

/* A packet of exactly the MTU goes out whole, starting with the IP version, nothing before it. */
START_TEST(B090_a_packet_of_the_mtu_is_read_whole)
{
	static const struct {
		int family;
		size_t header;
	} cases[] = {{AF_INET, 20 + 8}, {AF_INET6, 40 + 8}};
	uint8_t payload[MTU] = {0}, at[2048];
	struct netif *netif = raise_interface();
	struct end end = udp_end(cases[_i].family);
	size_t length = MTU - cases[_i].header;
	memset(payload, 0xA5, length);
	send_far(&end, payload, length);
	ck_assert_uint_eq(next_udp(at, sizeof at), MTU);
	ck_assert_int_eq(at[0] >> 4, cases[_i].family == AF_INET ? 4 : 6);
	ck_assert_mem_eq(at + cases[_i].header, payload, length);
	ck_assert_int_eq(tun_read(&tun, at, sizeof at), 0);
	close(end.fd);
	netif_close(netif);
	tun_close(&tun);
}
END_TEST

/* The answer to what was just read: addresses swapped, so both checksums stay right. */
static void turn_round(uint8_t *packet)
{
	size_t size = packet[0] >> 4 == 4 ? 4 : 16, at = packet[0] >> 4 == 4 ? 12 : 8;
	uint8_t source[16];
	memcpy(source, packet + at, size);
	memcpy(packet + at, packet + at + size, size);
	memcpy(packet + at + size, source, size);
}

/* Writes until it arrives: the kernel takes some ms to take up a new IPv6 address. */
static ssize_t deliver(struct bytes packet, int fd, uint8_t *at, size_t size)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint8_t copy[2048];
	memcpy(copy, packet.at, packet.length);
	for (int tries = 0; tries < 200; tries++) {
		ck_assert(tun_write(&tun, bytes_of(copy, packet.length)));
		if (poll(&p, 1, 10) == 1)
			return recv(fd, at, size, MSG_DONTWAIT);
	}
	return -1;
}

START_TEST(B090_a_packet_of_the_mtu_is_written_whole)
{
	uint8_t payload[MTU], at[2048];
	struct netif *netif = raise_interface();
	struct end end = udp_end(_i ? AF_INET6 : AF_INET);
	size_t length = MTU - (_i ? 48 : 28);
	memset(payload, 0x5A, sizeof payload);
	send_far(&end, payload, length);
	size_t n = next_udp(at, sizeof at);
	turn_round(at);
	ck_assert_int_eq(deliver(bytes_of(at, n), end.fd, at, sizeof at), length);
	ck_assert_mem_eq(at, payload, length);
	close(end.fd);
	netif_close(netif);
	tun_close(&tun);
}
END_TEST

START_TEST(B090_junk_is_refused_and_does_no_harm)
{
	uint8_t at[64];
	struct netif *netif = raise_interface();
	tun_write(&tun, bytes_of("foo", 3)); /* 0x66: IP version 6 to the driver, dropped later */
	ck_assert(!tun_write(&tun, bytes_of("", 0)));
	ck_assert(!tun_write(&tun, bytes_of("\x00\x00\x08\x00", 4))); /* packet information */
	ck_assert(!tun_write(&tun, bytes_of("\xC0", 1)));
	ck_assert_int_ge(tun_read(&tun, at, sizeof at), 0);

	struct ip header = {.ip_v = 4, .ip_hl = 5, .ip_ttl = 64, .ip_p = IPPROTO_UDP};
	header.ip_len = htons(sizeof header);
	inet_pton(AF_INET, "10.1.1.2", &header.ip_src);
	inet_pton(AF_INET, "10.1.1.1", &header.ip_dst);
	header.ip_sum = checksum((uint8_t *)&header, sizeof header);
	ck_assert(tun_write(&tun, bytes_of(&header, sizeof header)));
	netif_close(netif);
	tun_close(&tun);
}
END_TEST

START_TEST(a_deleted_interface_is_gone)
{
	uint8_t at[64];
	struct tun second;
	ck_assert_int_eq(tun_read(&tun, at, sizeof at), 0);
	ck_assert(!tun_write(&tun, bytes_of("\x45", 1))); /* down */
	ck_assert_int_eq(tun_open(&second, "sb7", text, sizeof text), TUN_OK);
	ck_assert_int_eq(system("ip link delete sb7"), 0);
	ck_assert_int_eq(tun_read(&second, at, sizeof at), -1);
	ck_assert(!tun_write(&second, bytes_of("\x45", 1)));
	tun_close(&second);
	tun_close(&tun);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tun");
	TCase *open = tcase_create("open");
	tcase_add_checked_fixture(open, setup, NULL);
	tcase_add_test(open, a_pattern_gives_the_first_free_name);
	tcase_add_loop_test(open, a_name_that_is_taken, 0, 2);
	tcase_add_test(open, a_persistent_tun_is_used);
	tcase_add_loop_test(open, names_that_cannot_be, 0, 4);
	tcase_add_test(open, without_permission);
	tcase_add_test(open, without_a_driver);
	suite_add_tcase(suite, open);

	TCase *packets = tcase_create("packets");
	tcase_add_checked_fixture(packets, setup, NULL);
	tcase_add_loop_test(packets, B090_a_packet_of_the_mtu_is_read_whole, 0, 2);
	tcase_add_loop_test(packets, B090_a_packet_of_the_mtu_is_written_whole, 0, 2);
	tcase_add_test(packets, B090_junk_is_refused_and_does_no_harm);
	tcase_add_test(packets, a_deleted_interface_is_gone);
	suite_add_tcase(suite, packets);
	return netns_run(suite);
}
