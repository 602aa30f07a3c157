/* SPDX-License-Identifier: MIT */
/*
 * The transmit hashes, worked out by hand from the formulas of the kernel's bonding
 * documentation, and which line that makes of so many.
 */
#include "sched/xmit_hash.h"

#include <check.h>
#include <stdlib.h>

#include "tests/unit/ip_packets.h"

enum { ROOM = 256, UDP = 17, TCP = 6, ICMP = 1, ICMPV6 = 58, IPIP = 4, SIT = 41, GRE = 47 };

struct made {
	size_t length;
	uint8_t at[ROOM];
};

static uint32_t hash_of(enum xmit_hash policy, const struct made *m)
{
	uint8_t *exact = malloc(m->length ? m->length : 1); /* reading beyond it is seen */
	uint32_t hash;

	ck_assert_ptr_nonnull(exact);
	memcpy(exact, m->at, m->length);
	hash = xmit_hash(policy, bytes_of(exact, m->length));
	free(exact);
	return hash;
}

static void addresses4(struct made *m, uint32_t from, uint32_t to)
{
	put16(m->at + 12, from >> 16);
	put16(m->at + 14, from & 0xffff);
	put16(m->at + 16, to >> 16);
	put16(m->at + 18, to & 0xffff);
	ipv4_write_checksum(m->at);
}

/* 10.0.0.1 to 10.0.0.2. */
static struct made ports4(unsigned protocol, unsigned from, unsigned to)
{
	struct made m = {.length = 100};

	udp4_write(m.at, m.length, from, to, ECN_NOT_ECT);
	m.at[9] = (uint8_t)protocol;
	ipv4_write_checksum(m.at);
	return m;
}

/* As above, but a part of a longer datagram, whose first bytes look like ports. */
static struct made fragment4(unsigned offset_and_flags)
{
	struct made m = ports4(UDP, 1026, 80);

	put16(m.at + 6, offset_and_flags);
	ipv4_write_checksum(m.at);
	return m;
}

/* fd00::1 to fd00::2, with ports behind `extensions` bytes of headers, the first of which is
 * `next`. */
static struct made ports6(unsigned next, const uint8_t *extensions, size_t length)
{
	struct made m = {.length = 100};

	ipv6_write(m.at, m.length, next, ECN_NOT_ECT);
	if (length)
		memcpy(m.at + 40, extensions, length);
	put16(m.at + 40 + length, 1026);
	put16(m.at + 42 + length, 80);
	return m;
}

/* The packet in another, from 192.0.2.1 to 192.0.2.77, with a header of its own between. */
static struct made in_tunnel(unsigned protocol, const uint8_t *header, size_t length,
			     const struct made *packet)
{
	struct made m = {.length = 20 + length + packet->length};

	ck_assert_uint_le(m.length, ROOM);
	ipv4_write(m.at, m.length, protocol, ECN_NOT_ECT);
	addresses4(&m, 0xc0000201, 0xc000024d);
	if (length)
		memcpy(m.at + 20, header, length);
	memcpy(m.at + 20 + length, packet->at, packet->length);
	return m;
}

/* --- the formulas --- */

/* 0x01 ^ 0x02 ^ 0x0800 */
START_TEST(layer2_is_addresses_and_type)
{
	struct made m = ports4(UDP, 1026, 80), n = ports4(TCP, 7, 9);

	ck_assert_uint_eq(hash_of(XMIT_LAYER2, &m), 0x0803);
	ck_assert_uint_eq(hash_of(XMIT_LAYER2, &n), 0x0803);
	addresses4(&m, 0x0a000001, 0x0a00000a);
	ck_assert_uint_eq(hash_of(XMIT_LAYER2, &m), 0x080b);
	m = ports6(UDP, NULL, 0);
	ck_assert_uint_eq(hash_of(XMIT_LAYER2, &m), 0x86de);
}
END_TEST

/*
 * 192.168.1.5 to 10.9.8.7: 0x05 ^ 0x07 ^ 0x0800 = 0x0802; c0a80105 ^ 0a090807 = caa10902;
 * together caa10100; ^ 0000caa1 = caa1cba1; ^ 00caa1cb = ca6b6a6a.
 */
START_TEST(layer23_folds_the_addresses_in)
{
	struct made m = ports4(TCP, 1026, 80);

	addresses4(&m, 0xc0a80105, 0x0a090807);
	ck_assert_uint_eq(hash_of(XMIT_LAYER23, &m), 0xca6b6a6a);
}
END_TEST

/*
 * The same with ports 40000 and 443: 9c4001bb ^ caa10902 = 56e108b9; ^ 000056e1 = 56e15e58;
 * ^ 0056e15e = 56b7bf06; halved 2b5bdf83.
 */
START_TEST(layer34_folds_the_ports_in_and_drops_a_bit)
{
	struct made m = ports4(TCP, 40000, 443);

	addresses4(&m, 0xc0a80105, 0x0a090807);
	ck_assert_uint_eq(hash_of(XMIT_LAYER34, &m), 0x2b5bdf83);
}
END_TEST

/* fd00::1 and fd00::2 fold to fd000001 and fd000002: 3, as 10.0.0.1 and 10.0.0.2 do. */
START_TEST(ipv6_addresses_are_folded_first)
{
	struct made six = ports6(UDP, NULL, 0), four = ports4(UDP, 1026, 80);

	ck_assert_uint_eq(hash_of(XMIT_LAYER34, &six), hash_of(XMIT_LAYER34, &four));
	memset(six.at + 12, 0xff, 4); /* one more word of the source */
	ck_assert_uint_ne(hash_of(XMIT_LAYER34, &six), hash_of(XMIT_LAYER34, &four));
}
END_TEST

START_TEST(the_source_stands_for_a_source_mac)
{
	struct made m = ports4(UDP, 1026, 80);

	ck_assert_uint_eq(hash_of(XMIT_VLAN_SRCMAC, &m), 0x0a000001);
	addresses4(&m, 0x0a000001, 0xc0a80105);
	ck_assert_uint_eq(hash_of(XMIT_VLAN_SRCMAC, &m), 0x0a000001);
}
END_TEST

/* --- what has ports --- */

/*
 * UDP 10.0.0.1:1026 to 10.0.0.2:80. Whole: 04020050 ^ 3 = 04020053, folded 04060655, halved
 * 0203032a: line 0 of 2. A fragment: 3, halved 1: line 1. By addresses alone both are on one.
 */
START_TEST(B101_fragments_are_on_another_line_than_whole_datagrams)
{
	struct made whole = ports4(UDP, 1026, 80);
	struct made first = fragment4(0x2000), later = fragment4(0x00b9);

	ck_assert_uint_eq(hash_of(XMIT_LAYER34, &whole), 0x0203032a);
	ck_assert_uint_eq(hash_of(XMIT_LAYER34, &whole) % 2, 0);
	ck_assert_uint_eq(hash_of(XMIT_LAYER34, &first) % 2, 1);
	ck_assert_uint_eq(hash_of(XMIT_LAYER34, &later) % 2, 1);
	ck_assert_uint_eq(hash_of(XMIT_LAYER23, &whole), hash_of(XMIT_LAYER23, &first));
	ck_assert_uint_eq(hash_of(XMIT_LAYER23, &whole), hash_of(XMIT_LAYER23, &later));
}
END_TEST

/* Neither an echo nor an error about the flow has ports, though there is something in their place.
 */
START_TEST(B101_icmp_has_no_ports)
{
	struct made echo = ports4(ICMP, 0x0800, 0x1234), error = ports4(ICMP, 0x0303, 0x1234);
	struct made six = ports6(ICMPV6, NULL, 0);

	ck_assert_uint_eq(hash_of(XMIT_LAYER34, &echo), 1);
	ck_assert_uint_eq(hash_of(XMIT_LAYER34, &error), 1);
	ck_assert_uint_eq(hash_of(XMIT_LAYER34, &six), 1);
}
END_TEST

START_TEST(B101_ports_are_found_behind_extension_headers)
{
	static const uint8_t hop_by_hop[8] = {UDP, 0, 1, 4};
	static const uint8_t whole[8] = {UDP};
	static const uint8_t part[8] = {UDP, 0, 0x05, 0xc9};
	struct made bare = ports6(UDP, NULL, 0);
	struct made m = ports6(0, hop_by_hop, sizeof hop_by_hop);
	struct made atomic = ports6(44, whole, sizeof whole);
	struct made fragment = ports6(44, part, sizeof part);

	ck_assert_uint_eq(hash_of(XMIT_LAYER34, &bare), 0x0203032a);
	ck_assert_uint_eq(hash_of(XMIT_LAYER34, &m), 0x0203032a);
	ck_assert_uint_eq(hash_of(XMIT_LAYER34, &atomic), 0x0203032a);
	ck_assert_uint_eq(hash_of(XMIT_LAYER34, &fragment), 1);
}
END_TEST

/* --- tunnels --- */

/* Ports of the inner packet, addresses too; the outer ones stand for the MACs: 01 ^ 4d ^ 0800. */
static void assert_seen_inside(const struct made *tunnel)
{
	struct made inner = ports4(UDP, 1026, 80);
	uint32_t folded = 0x084c ^ 3;

	folded ^= folded >> 16;
	folded ^= folded >> 8;
	ck_assert_uint_eq(hash_of(XMIT_ENCAP34, tunnel), hash_of(XMIT_LAYER34, &inner));
	ck_assert_uint_eq(hash_of(XMIT_ENCAP23, tunnel), folded);
}

/* c0000201 ^ c000024d = 4c, halved 26. */
static void assert_not_seen_inside(const struct made *tunnel)
{
	ck_assert_uint_eq(hash_of(XMIT_ENCAP34, tunnel), 0x26);
	ck_assert_uint_eq(hash_of(XMIT_ENCAP34, tunnel), hash_of(XMIT_LAYER34, tunnel));
	ck_assert_uint_eq(hash_of(XMIT_ENCAP23, tunnel), hash_of(XMIT_LAYER23, tunnel));
}

START_TEST(encap_looks_into_ip_in_ip)
{
	struct made inner = ports4(UDP, 1026, 80), m = in_tunnel(IPIP, NULL, 0, &inner);

	assert_seen_inside(&m);
	ck_assert_uint_eq(hash_of(XMIT_LAYER34, &m), 0x26);
}
END_TEST

START_TEST(encap_looks_into_6in4)
{
	struct made inner = ports6(UDP, NULL, 0), m = in_tunnel(SIT, NULL, 0, &inner);

	assert_seen_inside(&m);
}
END_TEST

/* With every set of optional fields. */
START_TEST(encap_looks_into_gre)
{
	uint8_t header[16] = {0};
	size_t length = 4 + 4 * (size_t)(!!(_i & 4) + !!(_i & 2) + !!(_i & 1));
	struct made inner = ports4(UDP, 1026, 80), m;

	put16(header, (_i & 4 ? 0x8000u : 0) | (_i & 2 ? 0x2000u : 0) | (_i & 1 ? 0x1000u : 0));
	put16(header + 2, 0x0800);
	m = in_tunnel(GRE, header, length, &inner);
	assert_seen_inside(&m);
}
END_TEST

START_TEST(encap_looks_into_ipv6_in_gre)
{
	static const uint8_t header[4] = {0, 0, 0x86, 0xdd};
	struct made inner = ports6(UDP, NULL, 0), m = in_tunnel(GRE, header, 4, &inner);

	assert_seen_inside(&m);
}
END_TEST

START_TEST(encap_looks_into_tunnels_in_tunnels)
{
	static const uint8_t header[4] = {0, 0, 0x08, 0x00};
	struct made inner = ports4(UDP, 1026, 80), middle = in_tunnel(IPIP, NULL, 0, &inner);
	struct made m = in_tunnel(GRE, header, 4, &middle);

	assert_seen_inside(&m);
}
END_TEST

/* PPP in GRE (version 1), source routes, a protocol that is not IP, fragments of a tunnel. */
START_TEST(encap_takes_no_other_thing_for_a_packet)
{
	static const uint8_t headers[][4] = {
		{0x00, 0x01, 0x08, 0x00}, {0x40, 0x00, 0x08, 0x00}, {0x00, 0x00, 0x65, 0x58}};
	struct made inner = ports4(UDP, 1026, 80), m;

	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
		m = in_tunnel(GRE, headers[i], 4, &inner);
		assert_not_seen_inside(&m);
	}
	m = in_tunnel(IPIP, NULL, 0, &inner);
	put16(m.at + 6, 0x2000);
	assert_not_seen_inside(&m);
}
END_TEST

/* At any length: nothing is read beyond the bytes there are. */
START_TEST(a_packet_may_be_cut_off_anywhere)
{
	static const uint8_t header[16] = {0xb0, 0, 0x86, 0xdd};
	static const uint8_t hop_by_hop[8] = {UDP, 0, 1, 4};
	struct made inner = ports6(0, hop_by_hop, 8), whole = in_tunnel(GRE, header, 16, &inner);
	uint32_t seen = 0;

	for (size_t length = 0; length <= whole.length; length++) {
		struct made m = whole;

		m.length = length;
		for (enum xmit_hash h = XMIT_LAYER2; h < XMIT_HASHES; h++)
			seen |= hash_of(h, &m);
		if (length < 20)
			ck_assert_uint_eq(seen, 0);
	}
	ck_assert_uint_eq(hash_of(XMIT_ENCAP34, &whole), 0x0203032a);
	inner.length = 0;
	ck_assert_uint_eq(hash_of(XMIT_ENCAP34, &inner), 0);
}
END_TEST

/* --- names --- */

START_TEST(modes_have_names_and_numbers)
{
	static const char *const names[] = {"balance-rr",  "active-backup", "balance-xor",
					    "broadcast",   "802.3ad",       "balance-tlb",
					    "balance-alb", "earliest"};
	char number[2] = "0";
	enum mode m;

	for (unsigned i = 0; i < MODES; i++) {
		number[0] = (char)('0' + i);
		ck_assert_str_eq(mode_name((enum mode)i), names[i]);
		ck_assert(mode_named(names[i], &m) && m == i);
		ck_assert(mode_named(number, &m) == (i < MODE_EARLIEST));
		ck_assert(i == MODE_EARLIEST || m == i);
	}
	ck_assert(!mode_named("", &m) && !mode_named("balance", &m) && !mode_named("00", &m) &&
		  !mode_named("-1", &m) && !mode_named("8", &m));
}
END_TEST

START_TEST(hashes_have_names)
{
	static const char *const names[] = {"layer2",   "layer2+3", "layer3+4",
					    "encap2+3", "encap3+4", "vlan+srcmac"};
	enum xmit_hash h;

	for (unsigned i = 0; i < XMIT_HASHES; i++) {
		ck_assert_str_eq(xmit_hash_name((enum xmit_hash)i), names[i]);
		ck_assert(xmit_hash_named(names[i], &h) && h == i);
	}
	ck_assert(!xmit_hash_named("layer4", &h) && !xmit_hash_named("", &h));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("xmit_hash");
	TCase *tcase = tcase_create("xmit_hash");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, layer2_is_addresses_and_type);
	tcase_add_test(tcase, layer23_folds_the_addresses_in);
	tcase_add_test(tcase, layer34_folds_the_ports_in_and_drops_a_bit);
	tcase_add_test(tcase, ipv6_addresses_are_folded_first);
	tcase_add_test(tcase, the_source_stands_for_a_source_mac);
	tcase_add_test(tcase, B101_fragments_are_on_another_line_than_whole_datagrams);
	tcase_add_test(tcase, B101_icmp_has_no_ports);
	tcase_add_test(tcase, B101_ports_are_found_behind_extension_headers);
	tcase_add_test(tcase, encap_looks_into_ip_in_ip);
	tcase_add_test(tcase, encap_looks_into_6in4);
	tcase_add_loop_test(tcase, encap_looks_into_gre, 0, 8);
	tcase_add_test(tcase, encap_looks_into_ipv6_in_gre);
	tcase_add_test(tcase, encap_looks_into_tunnels_in_tunnels);
	tcase_add_test(tcase, encap_takes_no_other_thing_for_a_packet);
	tcase_add_test(tcase, a_packet_may_be_cut_off_anywhere);
	tcase_add_test(tcase, modes_have_names_and_numbers);
	tcase_add_test(tcase, hashes_have_names);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
