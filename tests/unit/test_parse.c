/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
#include "src/parse.h"

#include <arpa/inet.h>
#include <check.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

/* What a parser must not touch when it says no. */
enum { UNTOUCHED = 4711 };

static const struct {
	const char *text;
	bool fine;
	uint64_t value;
} numbers[] = {
	{"0", true, 0},
	{"42", true, 42},
	{"0042", true, 42},
	{"100", true, 100},
	{"101", false, 0},
	{"", false, 0},
	{"-1", false, 0},
	{"+1", false, 0},
	{" 1", false, 0},
	{"1 ", false, 0},
	{"0x10", false, 0},
	{"1.0", false, 0},
	{"18446744073709551616", false, 0}, /* 2^64 */
	{"18446744073709551658", false, 0}, /* 2^64 + 42 */
};

START_TEST(number_is_digits_within_its_limits)
{
	uint64_t value = UNTOUCHED;
	ck_assert_int_eq(parse_number(numbers[_i].text, 0, 100, &value), numbers[_i].fine);
	ck_assert_uint_eq(value, numbers[_i].fine ? numbers[_i].value : UNTOUCHED);
}
END_TEST

static const struct {
	const char *text;
	bool fine;
	uint64_t bps;
} rates[] = {
	{"50", true, 50},
	{"28800", true, 28800},
	{"57.6k", true, 57600},
	{"134.5", false, 0}, /* no whole number of bits */
	{"0.0576M", true, 57600},
	{"1M", true, 1000000},
	{"1.000M", true, 1000000},
	{"1G", true, 1000000000},
	{"9600bit", true, 9600},
	{"57.6kbit", true, 57600},
	{"2mbit", true, 2000000},
	{"2Mbit", true, 2000000},
	{"1gbit", true, 1000000000},
	{"kbit", false, 0},
	{"49", false, 0},
	{"1000000001", false, 0},
	{"0", false, 0},
	{"", false, 0},
	{"k", false, 0},
	{".5k", false, 0},
	{"5.k", false, 0},
	{"1.2.3k", false, 0},
	{"28800bps", false, 0},
	{"28 800", false, 0},
	{"28800K", false, 0},
	{"1e3", false, 0},
	{"99999999999999999999", false, 0},
	{"18446744073709551615M", false, 0},
	{"0.00000000000000000000001k", false, 0},
};

START_TEST(rate_is_a_whole_number_of_bits_per_second)
{
	uint64_t bps = UNTOUCHED;
	ck_assert_int_eq(parse_rate(rates[_i].text, 50, 1000000000, &bps), rates[_i].fine);
	ck_assert_uint_eq(bps, rates[_i].fine ? rates[_i].bps : UNTOUCHED);
}
END_TEST

static const struct {
	const char *text;
	bool fine;
	sb_time time;
} times[] = {
	{"0", true, 0},
	{"0s", true, 0},
	{"250ms", true, 250 * SB_MS},
	{"1.5s", true, 1500 * SB_MS},
	{"10s", true, 10 * SB_SEC},
	{"2min", true, 120 * SB_SEC},
	{"1h", true, 3600 * SB_SEC},
	{"20us", true, 20 * SB_US},
	{"3601s", false, 0},
	{"2h", false, 0},
	{"10", false, 0}, /* seconds? milliseconds? */
	{"00", false, 0},
	{"-1s", false, 0},
	{"s", false, 0},
	{"10 s", false, 0},
	{"10m", false, 0},
	{"18446744073709551615h", false, 0},
};

START_TEST(time_has_a_unit)
{
	sb_time time = UNTOUCHED;
	ck_assert_int_eq(parse_time(times[_i].text, 3600 * SB_SEC, &time), times[_i].fine);
	ck_assert_int_eq(time, times[_i].fine ? times[_i].time : UNTOUCHED);
}
END_TEST

static const struct {
	const char *text;
	bool fine;
	int family, prefix;
	const char *bare;
	bool host;
} addresses[] = {
	{"10.9.0.1", true, AF_INET, PARSE_NO_PREFIX, "10.9.0.1", true},
	{"198.67.33.239/24", true, AF_INET, 24, "198.67.33.239", true},
	{"10.0.0.1/32", true, AF_INET, 32, "10.0.0.1", true},
	{"fd00::1", true, AF_INET6, PARSE_NO_PREFIX, "fd00::1", true},
	{"fe80::2/64", true, AF_INET6, 64, "fe80::2", true},
	{"fd00::1/128", true, AF_INET6, 128, "fd00::1", true},
	{"0.0.0.0", true, AF_INET, PARSE_NO_PREFIX, "0.0.0.0", false},
	{"127.0.0.1", true, AF_INET, PARSE_NO_PREFIX, "127.0.0.1", false},
	{"224.0.0.1", true, AF_INET, PARSE_NO_PREFIX, "224.0.0.1", false},
	{"255.255.255.255", true, AF_INET, PARSE_NO_PREFIX, "255.255.255.255", false},
	{"::", true, AF_INET6, PARSE_NO_PREFIX, "::", false},
	{"::1", true, AF_INET6, PARSE_NO_PREFIX, "::1", false},
	{"ff02::1", true, AF_INET6, PARSE_NO_PREFIX, "ff02::1", false},
	{"::ffff:10.0.0.1", true, AF_INET6, PARSE_NO_PREFIX, "::ffff:10.0.0.1", false},
	{"10.0.0.1/0", false, 0, 0, NULL, false},
	{"10.0.0.1/33", false, 0, 0, NULL, false},
	{"10.0.0.1/", false, 0, 0, NULL, false},
	{"10.0.0.1/24/24", false, 0, 0, NULL, false},
	{"fd00::1/129", false, 0, 0, NULL, false},
	{"/24", false, 0, 0, NULL, false},
	{"", false, 0, 0, NULL, false},
	{"10.0.0", false, 0, 0, NULL, false},
	{"10.0.0.256", false, 0, 0, NULL, false},
	{"10.0.0.01", false, 0, 0, NULL, false}, /* octal to some */
	{"host.example", false, 0, 0, NULL, false},
	{"fd00::1%eth0", false, 0, 0, NULL, false},
	{"fd00:0000:0000:0000:0000:0000:0000:0000:0000:0001/64", false, 0, 0, NULL, false},
};

START_TEST(address_is_numeric_with_or_without_prefix)
{
	struct netif_address address = {.family = UNTOUCHED};
	int prefix = UNTOUCHED;
	char bare[INET6_ADDRSTRLEN];
	ck_assert_int_eq(parse_address(addresses[_i].text, &address, &prefix), addresses[_i].fine);
	if (!addresses[_i].fine) {
		ck_assert_int_eq(address.family, UNTOUCHED);
		ck_assert_int_eq(prefix, UNTOUCHED);
		return;
	}
	ck_assert_int_eq(address.family, addresses[_i].family);
	ck_assert_int_eq(prefix, addresses[_i].prefix);
	inet_ntop(address.family, &address.local, bare, sizeof(bare));
	ck_assert_str_eq(bare, addresses[_i].bare);
	ck_assert_int_eq(parse_is_host(&address), addresses[_i].host);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("parse");
	TCase *values = tcase_create("values");
	tcase_add_loop_test(values, number_is_digits_within_its_limits, 0, COUNT(numbers));
	tcase_add_loop_test(values, rate_is_a_whole_number_of_bits_per_second, 0, COUNT(rates));
	tcase_add_loop_test(values, time_has_a_unit, 0, COUNT(times));
	suite_add_tcase(s, values);
	TCase *internet = tcase_create("addresses");
	tcase_add_loop_test(internet, address_is_numeric_with_or_without_prefix, 0,
			    COUNT(addresses));
	suite_add_tcase(s, internet);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(suite());
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
