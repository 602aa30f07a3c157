/* SPDX-License-Identifier: MIT */
/* Which packets are of one flow, and how well the hash keeps flows apart. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "sched/ip.h"
#include "tests/unit/ip_packets.h"

static const uint32_t seed = 0x5eed;

static uint32_t hash(const uint8_t *at, size_t length)
{
	return ip_flow_hash(bytes_of(at, length), seed);
}

#define verdict(array, length) ip_check(bytes_of(array, length))

START_TEST(a_flow_is_addresses_protocol_and_ports)
{
	uint8_t p[40], same[600];
	udp4_write(p, sizeof p, 1026, 80, 0);
	udp4_write(same, sizeof same, 1026, 80, ECN_ECT0);
	same[5] = 77; /* identification */
	same[8] = 3;  /* time to live */
	memset(same + 28, 0xa5, sizeof same - 28);
	ck_assert_uint_eq(hash(p, sizeof p), hash(same, sizeof same));

	static const int matters[] = {9, 12, 15, 16, 19, 20, 21, 22, 23};
	for (size_t i = 0; i < sizeof matters / sizeof *matters; i++) {
		uint8_t other[sizeof p];
		memcpy(other, p, sizeof p);
		other[matters[i]] ^= 1;
		ck_assert_uint_ne(hash(p, sizeof p), hash(other, sizeof p));
	}
}
END_TEST

START_TEST(ipv6_flow_is_addresses_protocol_and_ports)
{
	uint8_t p[60];
	ipv6_write(p, sizeof p, 6, 0);
	static const int matters[] = {6, 8, 11, 15, 23, 24, 31, 39, 40, 41, 42, 43};
	for (size_t i = 0; i < sizeof matters / sizeof *matters; i++) {
		uint8_t other[sizeof p];
		memcpy(other, p, sizeof p);
		other[matters[i]] ^= 0x10;
		ck_assert_uint_ne(hash(p, sizeof p), hash(other, sizeof p));
	}
}
END_TEST

START_TEST(ports_lie_behind_ipv4_options)
{
	uint8_t p[48], q[48];
	udp4_write(p, sizeof p, 0, 0, 0);
	p[0] = 0x46;
	memcpy(q, p, sizeof p);
	q[20] = 9; /* an option */
	ck_assert_uint_eq(hash(p, sizeof p), hash(q, sizeof q));
	q[24] = 9; /* a port */
	ck_assert_uint_ne(hash(p, sizeof p), hash(q, sizeof q));
}
END_TEST

START_TEST(an_impossible_ipv4_header_has_no_ports)
{
	uint8_t p[28], q[28];
	for (unsigned words = 0; words < 5; words++) {
		udp4_write(p, sizeof p, 1026, 80, ECN_ECT0);
		p[0] = (uint8_t)(0x40 | words);
		memcpy(q, p, sizeof p);
		q[1] ^= 1; /* what lies where the ports would be */
		q[5] ^= 1;
		q[11] ^= 1;
		ck_assert_uint_eq(hash(p, sizeof p), hash(q, sizeof q));
	}
}
END_TEST

/* Fragment f of a datagram of three: more-fragments and offset as RFC 791 lays them out. */
static void fragment4_write(uint8_t *at, size_t length, int f)
{
	static const unsigned flags_and_offset[3] = {0x2000, 0x2000 | 185, 370};

	udp4_write(at, length, 1026, 80, 0);
	if (f > 0)
		memset(at + 20, 0xee, length - 20); /* no UDP header in these */
	put16(at + 6, flags_and_offset[f]);
	ipv4_write_checksum(at);
}

START_TEST(B101_fragments_of_a_datagram_are_one_flow)
{
	uint8_t whole[100], dont_fragment[100], first[100], later[100], last[100];
	udp4_write(whole, sizeof whole, 1026, 80, 0);
	memcpy(dont_fragment, whole, sizeof whole);
	put16(dont_fragment + 6, 0x4000);
	fragment4_write(first, sizeof first, 0);
	fragment4_write(later, sizeof later, 1);
	fragment4_write(last, sizeof last, 2);
	ck_assert_uint_eq(hash(first, sizeof first), hash(later, sizeof later));
	ck_assert_uint_eq(hash(first, sizeof first), hash(last, sizeof last));
	/* As stated in the header: without ports, so not in the flow of whole packets. */
	ck_assert_uint_ne(hash(first, sizeof first), hash(whole, sizeof whole));
	ck_assert_uint_eq(hash(dont_fragment, sizeof whole), hash(whole, sizeof whole));
}
END_TEST

/* fd00::1 to fd00::2 through these extension headers, then UDP 1026 to 80. */
static size_t extended6_write(uint8_t *at, unsigned first, const uint8_t *headers, size_t length)
{
	const size_t total = 40 + length + 8;

	ipv6_write(at, total, first, 0);
	if (length)
		memcpy(at + 40, headers, length);
	put16(at + 40 + length, 1026);
	put16(at + 40 + length + 2, 80);
	return total;
}

START_TEST(B101_extension_headers_are_walked)
{
	uint8_t plain[48], p[256];
	extended6_write(plain, 17, NULL, 0);
	static const uint8_t hop_routing_destination[] = {
		43, 0, 1, 4, 0, 0, 0, 0,               /* hop-by-hop, 8 bytes */
		60, 1, 0, 0, 0, 0, 0, 0, [16 + 7] = 0, /* routing, 16 bytes */
		17, 0, 1, 4, 0, 0, 0, 0,               /* destination, 8 bytes */
	};
	size_t n = extended6_write(p, 0, hop_routing_destination, sizeof hop_routing_destination);
	ck_assert_uint_eq(hash(p, n), hash(plain, sizeof plain));

	static const uint8_t authentication[24] = {17, 4}; /* (4 + 2) words */
	n = extended6_write(p, 51, authentication, sizeof authentication);
	ck_assert_uint_eq(hash(p, n), hash(plain, sizeof plain));

	static const uint8_t atomic[8] = {17, 0, 0, 0, 1, 2, 3, 4};
	n = extended6_write(p, 44, atomic, sizeof atomic);
	ck_assert_uint_eq(hash(p, n), hash(plain, sizeof plain));
}
END_TEST

START_TEST(B101_ipv6_fragments_of_a_datagram_are_one_flow)
{
	/* The first has a destination header before UDP, the others are in the midst of it. */
	static const uint8_t first[] = {60, 0, 0, 1, 1, 2, 3, 4, 17, 0, 1, 4, 0, 0, 0, 0};
	static const uint8_t later[] = {60, 0, 5, 0xa9, 1, 2, 3, 4, 0xee, 0xee, 0xee, 0xee};
	static const uint8_t last[] = {60, 0, 0xb, 0x50, 1, 2, 3, 4, 0xdd, 0xdd, 0xdd, 0xdd};
	uint8_t p[100], q[100];
	size_t n = extended6_write(p, 44, first, sizeof first);
	size_t m = extended6_write(q, 44, later, sizeof later);
	ck_assert_uint_eq(hash(p, n), hash(q, m));
	m = extended6_write(q, 44, last, sizeof last);
	ck_assert_uint_eq(hash(p, n), hash(q, m));
}
END_TEST

START_TEST(an_endless_chain_of_extensions_ends)
{
	uint8_t p[40 + 65495 / 8 * 8];
	ipv6_write(p, sizeof p, 60, 0);
	for (size_t at = 40; at < sizeof p; at += 8)
		p[at] = 60;
	const uint32_t h = hash(p, sizeof p);
	for (size_t n = 1; n <= 20; n++) {
		uint8_t *udp = p + 40 + 8 * n;
		udp[-8] = 17;
		udp[0] = 99; /* a port, if they get that far */
		ck_assert_int_eq(hash(p, sizeof p) == h, n > 8);
		udp[-8] = udp[0] = 60;
	}
}
END_TEST

static void icmp4_write(uint8_t *at, unsigned type, unsigned identifier)
{
	ipv4_write(at, 84, 1, 0);
	at[20] = (uint8_t)type;
	put16(at + 24, identifier);
}

START_TEST(echoes_are_told_apart_by_identifier)
{
	uint8_t a[84], b[84];
	icmp4_write(a, 8, 1);
	icmp4_write(b, 8, 1);
	b[27] = 9; /* sequence number */
	ck_assert_uint_eq(hash(a, 84), hash(b, 84));
	icmp4_write(b, 8, 2);
	ck_assert_uint_ne(hash(a, 84), hash(b, 84));
	icmp4_write(a, 0, 1);
	icmp4_write(b, 0, 2);
	ck_assert_uint_ne(hash(a, 84), hash(b, 84));

	uint8_t c[60], d[60];
	ipv6_write(c, sizeof c, 58, 0);
	ipv6_write(d, sizeof d, 58, 0);
	c[40] = d[40] = 128;
	put16(c + 44, 1);
	put16(d + 44, 2);
	ck_assert_uint_ne(hash(c, sizeof c), hash(d, sizeof d));
}
END_TEST

START_TEST(B101_an_icmp_error_is_a_flow_of_its_own)
{
	uint8_t a[84], b[84], udp[84];
	icmp4_write(a, 3, 0);
	icmp4_write(b, 3, 1400); /* the next-hop MTU lies where an identifier would */
	udp4_write(a + 28, 56, 1026, 80, 0);
	udp4_write(b + 28, 56, 9, 9, 0);
	udp4_write(udp, sizeof udp, 1026, 80, 0);
	ck_assert_uint_eq(hash(a, 84), hash(b, 84));
	ck_assert_uint_ne(hash(a, 84), hash(udp, 84));
}
END_TEST

START_TEST(what_is_not_ip_is_one_flow)
{
	uint8_t p[40];
	const uint32_t none = hash(NULL, 0);
	ipv4_write(p, sizeof p, 17, 0);
	ck_assert_uint_eq(hash(p, 19), none);
	ck_assert_uint_ne(hash(p, 20), none);
	p[0] = 0x60;
	ck_assert_uint_eq(hash(p, 39), none);
	p[0] = 0x11;
	ck_assert_uint_eq(hash(p, 40), none);
}
END_TEST

/* In a heap block of just that size, so that the sanitizer sees one byte too many. */
static void hash_and_check_exactly(const uint8_t *at, size_t length)
{
	uint8_t *copy = malloc(length ? length : 1);
	ck_assert_ptr_nonnull(copy);
	memcpy(copy, at, length);
	ck_assert_uint_eq(hash(copy, length), hash(at, length));
	ck_assert_int_eq(verdict(copy, length), verdict(at, length));
	ck_assert_int_eq(ip_set_ce(copy, length), length >= 20 && at[0] >> 4 == 4 && at[1] & 3);
	free(copy);
}

START_TEST(a_packet_cut_anywhere_is_safe)
{
	static const uint8_t headers[] = {43, 0, 1, 4, 0, 0, 0, 0, 51, 0, 0, 0, 0, 0, 0, 0,
					  44, 4, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0,
					  0,  0, 0, 0, 0, 0, 0, 0, 17, 0, 0, 0, 1, 2, 3, 4};
	uint8_t p[128];
	const size_t n = extended6_write(p, 0, headers, sizeof headers);
	for (size_t length = 0; length <= n; length++)
		hash_and_check_exactly(p, length);
	icmp4_write(p, 8, 1);
	for (size_t length = 0; length <= 84; length++)
		hash_and_check_exactly(p, length);
	for (unsigned words = 0; words < 16; words++) {
		udp4_write(p, 84, 1, 2, ECN_ECT0);
		p[0] = (uint8_t)(0x40 | words);
		for (size_t length = 0; length <= 84; length++)
			hash_and_check_exactly(p, length);
	}
}
END_TEST

START_TEST(every_bit_of_a_flow_stirs_half_of_the_hash)
{
	enum { BITS = 12 * 8, FLOWS = 200 };
	for (int bit = 0; bit < BITS; bit++) {
		int changed = 0;
		for (unsigned flow = 0; flow < FLOWS; flow++) {
			uint8_t p[28];
			udp4_write(p, sizeof p, 1024 + flow, 80, 0);
			const uint32_t before = hash(p, sizeof p);
			p[12 + bit / 8] ^= (uint8_t)(1u << bit % 8);
			for (uint32_t x = before ^ hash(p, sizeof p); x; x &= x - 1)
				changed++;
		}
		/* 6400 fair coins: the standard deviation of their share is 0.6 %. */
		ck_assert_double_eq_tol(changed / (32.0 * FLOWS), 0.5, 0.05);
	}
}
END_TEST

START_TEST(neighbouring_flows_spread_over_the_buckets)
{
	enum { BUCKETS = 1024, FLOWS = 16 * BUCKETS };
	static unsigned in_bucket[BUCKETS];
	for (unsigned flow = 0; flow < FLOWS; flow++) {
		uint8_t p[28];
		udp4_write(p, sizeof p, 1024 + flow, 80, 0);
		in_bucket[hash(p, sizeof p) % BUCKETS]++;
	}
	double chi2 = 0;
	for (int i = 0; i < BUCKETS; i++)
		chi2 += pow((double)in_bucket[i] - 16, 2) / 16;
	/* 1023 degrees of freedom: mean 1023, standard deviation 45. */
	ck_assert_double_eq_tol(chi2, 1023, 5 * 45);
}
END_TEST

START_TEST(who_collides_under_one_seed_does_not_under_others)
{
	enum { BUCKETS = 1024, SEEDS = 1024 };
	uint8_t a[28], b[28];
	udp4_write(a, sizeof a, 1, 80, 0);
	unsigned port = 2;
	do
		udp4_write(b, sizeof b, port++, 80, 0);
	while ((hash(a, 28) ^ hash(b, 28)) % BUCKETS);

	int together = 0;
	for (uint32_t s = 0; s < SEEDS; s++)
		together += (ip_flow_hash(bytes_of(a, 28), s) ^ ip_flow_hash(bytes_of(b, 28), s)) %
				    BUCKETS ==
			    0;
	ck_assert_int_le(together, 8); /* 1 expected */
}
END_TEST

static Suite *ip_flow_suite(void)
{
	Suite *s = suite_create("ip_flow");

	TCase *flow = tcase_create("flow");
	tcase_add_test(flow, a_flow_is_addresses_protocol_and_ports);
	tcase_add_test(flow, ipv6_flow_is_addresses_protocol_and_ports);
	tcase_add_test(flow, ports_lie_behind_ipv4_options);
	tcase_add_test(flow, an_impossible_ipv4_header_has_no_ports);
	tcase_add_test(flow, B101_fragments_of_a_datagram_are_one_flow);
	tcase_add_test(flow, B101_extension_headers_are_walked);
	tcase_add_test(flow, B101_ipv6_fragments_of_a_datagram_are_one_flow);
	tcase_add_test(flow, B101_an_icmp_error_is_a_flow_of_its_own);
	tcase_add_test(flow, an_endless_chain_of_extensions_ends);
	tcase_add_test(flow, echoes_are_told_apart_by_identifier);
	tcase_add_test(flow, what_is_not_ip_is_one_flow);
	tcase_add_test(flow, a_packet_cut_anywhere_is_safe);
	suite_add_tcase(s, flow);

	TCase *hashing = tcase_create("hash");
	tcase_add_test(hashing, every_bit_of_a_flow_stirs_half_of_the_hash);
	tcase_add_test(hashing, neighbouring_flows_spread_over_the_buckets);
	tcase_add_test(hashing, who_collides_under_one_seed_does_not_under_others);
	suite_add_tcase(s, hashing);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(ip_flow_suite());

	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
