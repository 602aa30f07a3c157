/* SPDX-License-Identifier: MIT */
/* What passes for an IP packet, and marking one. */
#include <check.h>
#include <stdlib.h>

#include "sched/ip.h"
#include "tests/unit/ip_packets.h"

#define verdict(array, length) ip_check(bytes_of(array, length))

/* The well-known example 192.168.0.1 to 192.168.0.199, UDP, without its payload. */
static const uint8_t real_header[] = {0x45, 0x00, 0x00, 0x14, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11,
				      0xb8, 0xc0, 0xc0, 0xa8, 0x00, 0x01, 0xc0, 0xa8, 0x00, 0xc7};

START_TEST(a_real_ipv4_header_is_good)
{
	ck_assert_int_eq(verdict(real_header, sizeof real_header), IP_OK);
}
END_TEST

START_TEST(ipv4_of_every_length_is_exact)
{
	uint8_t p[129];
	for (size_t length = 20; length < sizeof p; length++) {
		ipv4_write(p, length, 17, 0);
		ck_assert_int_eq(verdict(p, length), IP_OK);
		ck_assert_int_eq(verdict(p, length - 1), IP_BAD_LENGTH);
		ck_assert_int_eq(verdict(p, length + 1), IP_BAD_LENGTH);
	}
}
END_TEST

START_TEST(ipv4_options_are_part_of_the_header)
{
	uint8_t p[60];
	ipv4_write(p, sizeof p, 17, 0);
	for (unsigned words = 5; words <= 15; words++) {
		p[0] = (uint8_t)(0x40 | words);
		memset(p + 20, 0x5a, 40);
		ipv4_write_checksum(p);
		ck_assert_int_eq(verdict(p, sizeof p), IP_OK);
		p[words * 4 - 1] ^= 1;
		ck_assert_int_eq(verdict(p, sizeof p), IP_BAD_CHECKSUM);
	}
}
END_TEST

START_TEST(ipv4_header_length_must_fit)
{
	uint8_t p[60]; /* room for the longest header's checksum */
	for (unsigned words = 0; words < 16; words++) {
		ipv4_write(p, sizeof p, 17, 0);
		put16(p + 2, 24);
		p[0] = (uint8_t)(0x40 | words);
		ipv4_write_checksum(p);
		ck_assert_int_eq(verdict(p, 24), words == 5 || words == 6 ? IP_OK : IP_BAD_LENGTH);
	}
}
END_TEST

START_TEST(every_flipped_bit_of_an_ipv4_header_is_found)
{
	for (size_t bit = 0; bit < 8 * sizeof real_header; bit++) {
		uint8_t p[sizeof real_header];
		memcpy(p, real_header, sizeof p);
		p[bit / 8] ^= (uint8_t)(1u << bit % 8);
		ck_assert_int_ne(verdict(p, sizeof p), IP_OK);
	}
}
END_TEST

START_TEST(ipv6_of_every_length_is_exact)
{
	uint8_t p[129];
	for (size_t length = 40; length < sizeof p; length++) {
		ipv6_write(p, length, 59, 0);
		ck_assert_int_eq(verdict(p, length), IP_OK);
		ck_assert_int_eq(verdict(p, length - 1), IP_BAD_LENGTH);
		ck_assert_int_eq(verdict(p, length + 1), IP_BAD_LENGTH);
	}
}
END_TEST

START_TEST(a_jumbogram_is_refused)
{
	/* RFC 2675: payload length 0, its real length in a hop-by-hop option. */
	uint8_t p[40 + 8 + 100];
	ipv6_write(p, sizeof p, 0, 0);
	put16(p + 4, 0);
	const uint8_t jumbo[8] = {59, 0, 0xc2, 4, 0, 0, 0, 108};
	memcpy(p + 40, jumbo, sizeof jumbo);
	ck_assert_int_eq(verdict(p, sizeof p), IP_BAD_LENGTH);
}
END_TEST

START_TEST(only_versions_4_and_6_are_ip)
{
	uint8_t p[40];
	ipv4_write(p, sizeof p, 17, 0);
	for (unsigned version = 0; version < 16; version++) {
		p[0] = (uint8_t)(version << 4 | 5);
		ck_assert_int_eq(verdict(p, sizeof p) == IP_NOT_IP, version != 4 && version != 6);
	}
}
END_TEST

START_TEST(B014_garbage_from_mid_frame_is_not_ip)
{
	const uint8_t garbage[] = {0x11, 0x22, 0x33};
	ck_assert_int_eq(verdict(garbage, 3), IP_NOT_IP);
	/* Mid-frame bytes that happen to begin like a header. */
	uint8_t p[60];
	ipv4_write(p, sizeof p, 17, 0);
	p[7] = 0x45;
	ck_assert_int_ne(verdict(p + 7, sizeof p - 7), IP_OK);
}
END_TEST

START_TEST(B090_junk_and_nothing_are_not_ip)
{
	const uint8_t junk[] = {0x66, 0x6f, 0x6f};
	ck_assert_int_eq(verdict(junk, 3), IP_BAD_LENGTH);
	ck_assert_int_eq(verdict(junk, 0), IP_NOT_IP);
	ck_assert_int_eq(verdict(NULL, 0), IP_NOT_IP);
}
END_TEST

/* Whether marking gives what changing the bits and summing anew gives. */
static bool marked_as_from_scratch(unsigned id, unsigned ecn)
{
	uint8_t p[20], expected[20];

	ipv4_write(p, sizeof p, 17, 0xb8 | ecn);
	put16(p + 4, id);
	ipv4_write_checksum(p);
	memcpy(expected, p, sizeof p);
	expected[1] |= 3;
	ipv4_write_checksum(expected);
	return ip_set_ce(p, sizeof p) && memcmp(p, expected, sizeof p) == 0;
}

START_TEST(marking_mends_the_checksum_whatever_it_is)
{
	/* Every identification makes every checksum, the corners 0000 and ffff too. */
	unsigned wrong = 0;
	for (unsigned id = 0; id < 0x10000; id++)
		for (unsigned ecn = ECN_ECT1; ecn <= ECN_CE; ecn++)
			wrong += !marked_as_from_scratch(id, ecn);
	ck_assert_uint_eq(wrong, 0);
}
END_TEST

START_TEST(ipv6_marking_touches_two_bits)
{
	uint8_t p[40], expected[40];
	for (unsigned ecn = ECN_ECT1; ecn <= ECN_CE; ecn++) {
		ipv6_write(p, sizeof p, 59, ecn);
		p[0] = 0x6b;
		p[1] |= 0x8f;
		memcpy(expected, p, sizeof p);
		expected[1] = 0xbf;
		ck_assert(ip_set_ce(p, sizeof p));
		ck_assert_mem_eq(p, expected, sizeof p);
	}
}
END_TEST

START_TEST(who_does_not_know_ecn_is_not_marked)
{
	uint8_t p[40], before[40];
	ipv4_write(p, sizeof p, 17, 0xb8);
	memcpy(before, p, sizeof p);
	ck_assert(!ip_set_ce(p, sizeof p));
	ck_assert_mem_eq(p, before, sizeof p);
	ipv6_write(p, sizeof p, 59, ECN_NOT_ECT);
	memcpy(before, p, sizeof p);
	ck_assert(!ip_set_ce(p, sizeof p));
	ck_assert_mem_eq(p, before, sizeof p);
}
END_TEST

START_TEST(what_is_too_short_is_not_marked)
{
	uint8_t p[40];
	ipv4_write(p, sizeof p, 17, ECN_ECT0);
	ck_assert(!ip_set_ce(p, 19));
	ipv6_write(p, sizeof p, 59, ECN_ECT0);
	ck_assert(!ip_set_ce(p, 39));
	ck_assert(!ip_set_ce(p, 0));
	p[0] = 0x50;
	ck_assert(!ip_set_ce(p, sizeof p));
	ck_assert_uint_eq(p[1], ECN_ECT0 << 4);
}
END_TEST

/* --- urgency --- */

static bool is_urgent_dscp(unsigned dscp)
{
	return dscp == 40 || dscp == 44 || dscp == 46 || dscp == 48 || dscp == 56;
}

START_TEST(urgent_is_what_the_dscp_says)
{
	uint8_t v4[28], v6[48];
	const unsigned ecn = (unsigned)_i;

	for (unsigned dscp = 0; dscp < 64; dscp++) {
		ipv4_write(v4, sizeof v4, 17, dscp << 2 | ecn);
		ck_assert_int_eq(ip_is_urgent(bytes_of(v4, sizeof v4)), is_urgent_dscp(dscp));
		ipv6_write(v6, sizeof v6, 17, 0);
		v6[0] = (uint8_t)(0x60 | dscp >> 2);
		v6[1] = (uint8_t)((dscp & 3) << 6 | ecn << 4 | 0x0f);
		ck_assert_int_eq(ip_is_urgent(bytes_of(v6, sizeof v6)), is_urgent_dscp(dscp));
	}
}
END_TEST

START_TEST(what_is_too_short_or_not_ip_is_not_urgent)
{
	uint8_t at[40] = {0x45, 46 << 2};

	for (size_t n = 0; n < 20; n++)
		ck_assert(!ip_is_urgent(bytes_of(at, n)));
	ck_assert(ip_is_urgent(bytes_of(at, 20)));
	at[0] = 0x55;
	ck_assert(!ip_is_urgent(bytes_of(at, 40)));
	at[0] = 0x6b; /* EF is 0xb8: b in the first byte, 8 in the second */
	at[1] = 0x80;
	ck_assert(!ip_is_urgent(bytes_of(at, 39)));
	ck_assert(ip_is_urgent(bytes_of(at, 40)));
}
END_TEST

static Suite *ip_suite(void)
{
	Suite *s = suite_create("ip");

	TCase *check = tcase_create("check");
	tcase_add_test(check, a_real_ipv4_header_is_good);
	tcase_add_test(check, ipv4_of_every_length_is_exact);
	tcase_add_test(check, ipv4_options_are_part_of_the_header);
	tcase_add_test(check, ipv4_header_length_must_fit);
	tcase_add_test(check, every_flipped_bit_of_an_ipv4_header_is_found);
	tcase_add_test(check, ipv6_of_every_length_is_exact);
	tcase_add_test(check, a_jumbogram_is_refused);
	tcase_add_test(check, only_versions_4_and_6_are_ip);
	tcase_add_test(check, B014_garbage_from_mid_frame_is_not_ip);
	tcase_add_test(check, B090_junk_and_nothing_are_not_ip);
	suite_add_tcase(s, check);

	TCase *ecn = tcase_create("ecn");
	tcase_add_test(ecn, marking_mends_the_checksum_whatever_it_is);
	tcase_add_test(ecn, ipv6_marking_touches_two_bits);
	tcase_add_test(ecn, who_does_not_know_ecn_is_not_marked);
	tcase_add_test(ecn, what_is_too_short_is_not_marked);
	suite_add_tcase(s, ecn);

	TCase *urgent = tcase_create("urgent");
	tcase_add_loop_test(urgent, urgent_is_what_the_dscp_says, 0, 4);
	tcase_add_test(urgent, what_is_too_short_or_not_ip_is_not_urgent);
	suite_add_tcase(s, urgent);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(ip_suite());

	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
