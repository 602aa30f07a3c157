/* SPDX-License-Identifier: MIT */
/* Who talks with whom: hand-written packets against sums done by hand. */
#include "src/flows.h"

#include "tests/unit/ip_packets.h"

#include <check.h>
#include <stdlib.h>

enum { TICKS = 100 }; /* per second */
static const sb_time begin = 777 * SB_MS;

static struct flows *flows;
static struct flow_pair pairs[FLOWS_MAX];

static void set_up(void)
{
	flows = flows_new(begin);
	ck_assert_ptr_nonnull(flows);
}

static void tear_down(void)
{
	flows_free(flows);
}

/* Between 10.0.0.local and 10.0.0.remote. */
static void add4(sb_time now, unsigned local, unsigned remote, size_t length, bool out)
{
	uint8_t packet[1500];

	ipv4_write(packet, length, 17, 0);
	packet[15] = (uint8_t)(out ? local : remote);
	packet[19] = (uint8_t)(out ? remote : local);
	ipv4_write_checksum(packet);
	flows_add(flows, now, bytes_of(packet, length), out);
}

static void add6(sb_time now, size_t length, bool out)
{
	uint8_t packet[1500], address[16];

	ipv6_write(packet, length, 17, 0);
	if (!out) {
		memcpy(address, packet + 8, 16);
		memcpy(packet + 8, packet + 24, 16);
		memcpy(packet + 24, address, 16);
	}
	flows_add(flows, now, bytes_of(packet, length), out);
}

/* A packet of that length each tick; the time afterwards. */
static sb_time load(sb_time now, unsigned seconds, unsigned remote, size_t length, bool out)
{
	for (unsigned i = 0; i < seconds * TICKS; i++) {
		add4(now, 1, remote, length, out);
		now += SB_SEC / TICKS;
	}
	return now;
}

START_TEST(three_averages_total_and_peak)
{
	sb_time now = load(begin, 30, 2, 100, true);

	now = load(now, 8, 2, 200, true);
	now = load(now, 2, 2, 50, true);
	ck_assert_uint_eq(flows_read(flows, now, pairs), 1);
	ck_assert_double_eq_tol(pairs[0].out.over_2s, 50 * TICKS, 1e-6);
	ck_assert_double_eq_tol(pairs[0].out.over_10s, (8 * 200 + 2 * 50) / 10. * TICKS, 1e-6);
	ck_assert_double_eq_tol(pairs[0].out.over_40s, (30 * 100 + 8 * 200 + 2 * 50) / 40. * TICKS,
				1e-6);
	ck_assert_double_eq_tol(pairs[0].out.peak, 200 * TICKS, 1e-6);
	ck_assert_uint_eq(pairs[0].out.total, (30 * 100 + 8 * 200 + 2 * 50) * TICKS);
	ck_assert_uint_eq(pairs[0].packets_out, 40 * TICKS);
	ck_assert_double_eq(pairs[0].in.over_2s, 0);
	ck_assert_uint_eq(pairs[0].in.total, 0);
}
END_TEST

START_TEST(both_directions_are_one_pair)
{
	static const uint8_t local[4] = {10, 0, 0, 1}, remote[4] = {10, 0, 0, 9};

	add4(begin, 1, 9, 500, true);
	add4(begin, 1, 9, 40, false);
	add4(begin, 1, 9, 40, false);
	ck_assert_uint_eq(flows_read(flows, begin + SB_SEC, pairs), 1);
	ck_assert_uint_eq(pairs[0].version, 4);
	ck_assert_mem_eq(pairs[0].local, local, 4);
	ck_assert_mem_eq(pairs[0].remote, remote, 4);
	ck_assert_uint_eq(pairs[0].out.total, 500);
	ck_assert_uint_eq(pairs[0].in.total, 80);
	ck_assert_uint_eq(pairs[0].packets_out, 1);
	ck_assert_uint_eq(pairs[0].packets_in, 2);
}
END_TEST

/* An address of IPv6 may begin with the bytes of one of IPv4. */
START_TEST(the_versions_are_told_apart)
{
	uint8_t four[40], six[40];

	ipv6_write(six, sizeof six, 17, 0);
	memset(six + 8, 0, 32);
	ipv4_write(four, sizeof four, 17, 0);
	memset(four + 12, 0, 8);
	ipv4_write_checksum(four);
	flows_add(flows, begin, bytes_of(six, sizeof six), true);
	flows_add(flows, begin, bytes_of(four, sizeof four), true);
	add6(begin, 1000, true);
	add6(begin, 100, false);
	ck_assert_uint_eq(flows_read(flows, begin + SB_SEC, pairs), 3);
	ck_assert_uint_eq(pairs[0].version, 6);
	ck_assert_uint_eq(pairs[0].local[15], 1);
	ck_assert_uint_eq(pairs[0].remote[15], 2);
	ck_assert_uint_eq(pairs[0].out.total, 1000);
	ck_assert_uint_eq(pairs[0].in.total, 100);
	ck_assert_uint_ne(pairs[1].version, pairs[2].version);
}
END_TEST

/* All fragments of a packet are the same two hosts'. */
START_TEST(fragments_count)
{
	uint8_t packet[500];

	ipv4_write(packet, sizeof packet, 17, 0);
	packet[6] = 0x20; /* more fragments */
	ipv4_write_checksum(packet);
	flows_add(flows, begin, bytes_of(packet, sizeof packet), true);
	put16(packet + 6, 480 / 8);
	ipv4_write_checksum(packet);
	flows_add(flows, begin, bytes_of(packet, sizeof packet), true);
	ck_assert_uint_eq(flows_read(flows, begin + SB_SEC, pairs), 1);
	ck_assert_uint_eq(pairs[0].out.total, 1000);
}
END_TEST

START_TEST(junk_is_not_counted)
{
	uint8_t packet[100];

	flows_add(flows, begin, bytes_of(NULL, 0), true);
	memset(packet, 0xff, sizeof packet);
	flows_add(flows, begin, bytes_of(packet, sizeof packet), true);
	ipv4_write(packet, sizeof packet, 17, 0);
	for (size_t n = 0; n < sizeof packet; n++)
		flows_add(flows, begin, bytes_of(packet, n), n % 2);
	packet[12] ^= 1; /* its checksum is wrong now */
	flows_add(flows, begin, bytes_of(packet, sizeof packet), true);
	ipv6_write(packet, sizeof packet, 17, 0);
	for (size_t n = 0; n < sizeof packet; n++)
		flows_add(flows, begin, bytes_of(packet, n), n % 2);
	ck_assert_uint_eq(flows_read(flows, begin + SB_SEC, pairs), 0);
}
END_TEST

START_TEST(the_busiest_of_the_last_seconds_come_first)
{
	sb_time now = load(begin, 20, 2, 1000, true); /* once; then only: */

	for (unsigned i = 0; i < 20 * TICKS; i++, now += SB_SEC / TICKS) {
		add4(now, 1, 3, 60, true);
		add4(now, 1, 4, 50, false);
		add4(now, 1, 4, 50, true);
	}
	ck_assert_uint_eq(flows_read(flows, now, pairs), 3);
	ck_assert_uint_eq(pairs[0].remote[3], 4);
	ck_assert_uint_eq(pairs[1].remote[3], 3);
	ck_assert_uint_eq(pairs[2].remote[3], 2);
	ck_assert_uint_eq(pairs[2].out.total, 20 * TICKS * 1000);
}
END_TEST

/* Of equals the one with more behind it: the order is the same each time. */
START_TEST(the_order_of_equals_is_theirs_by_total)
{
	for (unsigned i = 0; i < 20; i++)
		add4(begin, 1, i, 40 + 7 * i % 20, true);
	ck_assert_uint_eq(flows_read(flows, begin + 60 * SB_SEC, pairs), 20);
	for (unsigned i = 1; i < 20; i++)
		ck_assert_uint_ge(pairs[i - 1].out.total, pairs[i].out.total);
}
END_TEST

/* Many strangers pass; who speaks again and again keeps its place, and its total. */
START_TEST(the_quietest_makes_room)
{
	sb_time now = begin;

	add4(now, 1, 254, 100, true); /* and never again */
	for (unsigned i = 0; i < 1000; i++, now += 10 * SB_MS) {
		add4(now, 1, 2, 100, true);
		add4(now, 2 + i / 200, i % 200, 40, false);
	}
	ck_assert_uint_eq(flows_read(flows, now, pairs), FLOWS_MAX);
	ck_assert_uint_eq(pairs[0].remote[3], 2);
	ck_assert_uint_eq(pairs[0].out.total, 1000 * 100);
	for (unsigned i = 0; i < FLOWS_MAX; i++)
		ck_assert_uint_ne(pairs[i].remote[3], 254);
}
END_TEST

START_TEST(two_tables_know_nothing_of_each_other)
{
	struct flows *other = flows_new(begin);

	add4(begin, 1, 2, 100, true);
	ck_assert_uint_eq(flows_read(other, begin, pairs), 0);
	ck_assert_uint_eq(flows_read(flows, begin, pairs), 1);
	flows_free(other);
	flows_free(NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("flows");
	TCase *tests = tcase_create("flows");
	SRunner *runner = srunner_create(suite);

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, three_averages_total_and_peak);
	tcase_add_test(tests, both_directions_are_one_pair);
	tcase_add_test(tests, the_versions_are_told_apart);
	tcase_add_test(tests, fragments_count);
	tcase_add_test(tests, junk_is_not_counted);
	tcase_add_test(tests, the_busiest_of_the_last_seconds_come_first);
	tcase_add_test(tests, the_order_of_equals_is_theirs_by_total);
	tcase_add_test(tests, the_quietest_makes_room);
	tcase_add_test(tests, two_tables_know_nothing_of_each_other);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
