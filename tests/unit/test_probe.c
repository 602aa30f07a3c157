/* SPDX-License-Identifier: MIT */
/* Probes of a line: what is asked, what counts as an answer, and what silence means. */
#define _DEFAULT_SOURCE
#include <check.h>
#include <stdlib.h>

#include "sched/ip.h"
#include "src/probe.h"
#include "tests/unit/suite_testing.h"

static const sb_time T0 = 1000 * SB_SEC;
static const uint32_t OURS = 0x0A090001, PEERS = 0x0A090002; /* 10.9.0.1, 10.9.0.2 */

enum { ID = 0xBEEF, NONCE = 0x12345678, ROUND_TRIP_MS = 50 };

static struct probe_config config;
static struct probe probe;
static sb_time now;

static void set_up(void)
{
	config = (struct probe_config){
		.interval = SB_SEC, .missed_max = 2, .validate = PROBE_VALIDATE_FILTER};
	now = T0;
	probe_start(&probe, &config, ID, NONCE, now);
}

static void refresh_checksum(uint8_t *at, size_t n, size_t field)
{
	uint32_t sum = 0;

	at[field] = at[field + 1] = 0;
	for (size_t i = 0; i < n; i += 2)
		sum += (uint32_t)at[i] << 8 | at[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	at[field] = (uint8_t)(~sum >> 8);
	at[field + 1] = (uint8_t)~sum;
}

/* The request that is due now, as the host at the other end would answer it. */
static bool take_request(uint8_t reply[static PROBE_SIZE])
{
	struct buf b = buf_over(reply, PROBE_SIZE);
	uint8_t source[4];

	probe_tick(&probe, now);
	if (!probe_output(&probe, OURS, PEERS, &b))
		return false;
	ck_assert_uint_eq(b.length, PROBE_SIZE);
	memcpy(source, reply + 12, 4);
	memmove(reply + 12, reply + 16, 4);
	memcpy(reply + 16, source, 4);
	reply[20] = 0;
	refresh_checksum(reply, 20, 10);
	refresh_checksum(reply + 20, PROBE_SIZE - 20, 2);
	return true;
}

static void mend(uint8_t reply[static PROBE_SIZE])
{
	refresh_checksum(reply, 20, 10);
	refresh_checksum(reply + 20, PROBE_SIZE - 20, 2);
}

static bool input(const uint8_t reply[static PROBE_SIZE])
{
	return probe_input(&probe, now, bytes_of(reply, PROBE_SIZE));
}

/* One interval: asked, and answered or not. */
static void round_of(bool answered)
{
	uint8_t reply[PROBE_SIZE];

	now = probe_deadline(&probe);
	ck_assert(take_request(reply));
	now += ROUND_TRIP_MS * SB_MS;
	if (answered)
		ck_assert(input(reply));
}

START_TEST(a_request_is_an_echo_request_that_asks_for_precedence)
{
	uint8_t at[PROBE_SIZE];
	struct buf b = buf_over(at, sizeof(at));

	probe_tick(&probe, now);
	ck_assert(probe_output(&probe, OURS, PEERS, &b));
	struct bytes packet = buf_bytes(&b);
	struct ip_parts ip;
	ck_assert_int_eq(ip_check(packet), IP_OK);
	ck_assert(ip_is_urgent(packet));
	ck_assert(ip_take_apart(packet, &ip));
	ck_assert_mem_eq(ip.source.at, "\x0A\x09\x00\x01", 4);
	ck_assert_mem_eq(ip.destination.at, "\x0A\x09\x00\x02", 4);
	ck_assert_uint_eq(ip.protocol, 1);
	ck_assert_uint_eq(ip.payload.length, 12);
	ck_assert_mem_eq(ip.payload.at, "\x08\x00", 2);
	ck_assert_mem_eq(ip.payload.at + 4, "\xBE\xEF\x00\x01\x12\x34\x56\x78", 8);
	refresh_checksum(at + 20, 12, 2);
	ck_assert_mem_eq(at, packet.at, PROBE_SIZE); /* it was right already */
	ck_assert(!probe_output(&probe, OURS, PEERS, &b));
}
END_TEST

START_TEST(a_line_that_answers_stays)
{
	for (int i = 0; i < 1000; i++) {
		round_of(true);
		ck_assert(!probe.silent);
	}
	ck_assert_uint_eq(probe.requests, 1000);
	ck_assert_uint_eq(probe.replies, 1000);
	ck_assert_int_eq(now, T0 + 999 * SB_SEC + ROUND_TRIP_MS * SB_MS);
}
END_TEST

START_TEST(missed_max_in_a_row_are_silence)
{
	for (unsigned most = 1; most < 5; most++) {
		set_up();
		config.missed_max = most;
		round_of(true);
		for (unsigned i = 0; i < most; i++) {
			round_of(false);
			ck_assert(!probe.silent);
		}
		now = probe_deadline(&probe);
		probe_tick(&probe, now);
		ck_assert(probe.silent);
		ck_assert_int_eq(probe.alive_at, T0 + ROUND_TRIP_MS * SB_MS);
	}
}
END_TEST

START_TEST(the_very_first_counts_too)
{
	round_of(false);
	round_of(false);
	now = probe_deadline(&probe);
	probe_tick(&probe, now);
	ck_assert(probe.silent);
}
END_TEST

START_TEST(one_missed_now_and_then_is_none)
{
	for (int i = 0; i < 100; i++) {
		round_of(i % 2);
		ck_assert(!probe.silent);
	}
}
END_TEST

START_TEST(an_answer_brings_it_back_at_once)
{
	for (int i = 0; i < 10; i++)
		round_of(false);
	ck_assert(probe.silent);
	round_of(true);
	ck_assert(!probe.silent);
	round_of(false);
	ck_assert(!probe.silent);
}
END_TEST

START_TEST(a_late_answer_counts)
{
	uint8_t late[PROBE_SIZE], next[PROBE_SIZE];

	ck_assert(take_request(late));
	now = probe_deadline(&probe);
	ck_assert(take_request(next));
	now += SB_SEC / 2;
	ck_assert(input(late));
	ck_assert_uint_eq(probe.replies, 1);
	now = probe_deadline(&probe);
	probe_tick(&probe, now);
	ck_assert_uint_eq(probe.missed, 0);
}
END_TEST

START_TEST(an_answer_counts_once_but_is_nobody_elses)
{
	uint8_t reply[PROBE_SIZE];

	ck_assert(take_request(reply));
	now += SB_MS;
	ck_assert(input(reply));
	for (int i = 0; i < 5; i++) {
		now = probe_deadline(&probe);
		uint8_t unused[PROBE_SIZE];
		ck_assert(take_request(unused));
		now += SB_MS;
		ck_assert(input(reply)); /* a line that repeats the past is dead */
	}
	ck_assert_uint_eq(probe.replies, 1);
	ck_assert(probe.silent);
}
END_TEST

START_TEST(one_of_long_ago_does_not_count)
{
	uint8_t old[PROBE_SIZE];

	ck_assert(take_request(old));
	for (int i = 0; i < 32; i++)
		round_of(false);
	ck_assert(input(old));
	ck_assert_uint_eq(probe.replies, 0);
	ck_assert(probe.silent);
}
END_TEST

START_TEST(sequence_numbers_wrap)
{
	for (uint32_t i = 0; i < 0x10010; i++)
		round_of(true);
	ck_assert_uint_eq(probe.replies, 0x10010);
}
END_TEST

/* What is spoilt in a reply, and whether it is still taken for ours. */
static const struct {
	const char *what;
	unsigned at;
} spoilt[] = {
	{"a request, our own echo", 20}, {"another identifier", 24},  {"another nonce", 31},
	{"another source", 15},          {"another destination", 19}, {"another protocol", 9},
};

START_TEST(what_is_not_ours_goes_to_the_host)
{
	uint8_t reply[PROBE_SIZE];

	ck_assert(take_request(reply));
	now += SB_MS;
	reply[spoilt[_i].at] ^= 8;
	mend(reply);
	ck_assert_msg(!input(reply), "%s", spoilt[_i].what);
	ck_assert_uint_eq(probe.replies, 0);
	reply[spoilt[_i].at] ^= 8;
	mend(reply);
	ck_assert(input(reply));
}
END_TEST

START_TEST(a_damaged_one_goes_to_the_host)
{
	uint8_t reply[PROBE_SIZE];

	ck_assert(take_request(reply));
	reply[23] ^= 1;
	ck_assert(!input(reply));
}
END_TEST

START_TEST(any_bytes_at_all_are_looked_at)
{
	uint8_t reply[PROBE_SIZE];

	ck_assert(take_request(reply));
	for (size_t n = 0; n < PROBE_SIZE; n++) {
		uint8_t *cut = malloc(n ? n : 1); /* so that the sanitizer sees its end */
		memcpy(cut, reply, n);
		ck_assert(!probe_input(&probe, now, bytes_of(cut, n)));
		free(cut);
	}
	for (unsigned i = 0; i < 100000; i++) {
		uint8_t noise[PROBE_SIZE];
		memcpy(noise, reply, sizeof(noise));
		for (unsigned k = 0; k < 3; k++)
			noise[random() % PROBE_SIZE] = (uint8_t)random();
		if (memcmp(noise, reply, PROBE_SIZE) == 0)
			continue;
		probe_input(&probe, now, bytes_of(noise, sizeof(noise)));
	}
}
END_TEST

START_TEST(without_validation_the_identifier_is_enough)
{
	uint8_t reply[PROBE_SIZE];

	config.validate = PROBE_VALIDATE_NONE;
	ck_assert(take_request(reply));
	reply[31] ^= 1;
	mend(reply);
	ck_assert(input(reply));
	ck_assert_uint_eq(probe.replies, 1);
}
END_TEST

/* N-arp: noise on a dead line. */
static bool survives_noise(enum probe_validate validate)
{
	config.validate = validate;
	for (int i = 0; i < 10; i++) {
		round_of(false);
		probe_heard(&probe, now + 300 * SB_MS);
	}
	return !probe.silent;
}

START_TEST(N_arp_noise_keeps_a_dead_line_up_without_filter)
{
	ck_assert(survives_noise(PROBE_VALIDATE_NONE));
	set_up();
	ck_assert(survives_noise(PROBE_VALIDATE_ALL));
}
END_TEST

START_TEST(N_arp_with_filter_it_does_not)
{
	ck_assert(!survives_noise(PROBE_VALIDATE_FILTER));
}
END_TEST

START_TEST(what_was_heard_before_the_request_is_no_answer)
{
	config.validate = PROBE_VALIDATE_ALL;
	probe_heard(&probe, now + 10 * SB_MS);
	sb_time heard = now + 10 * SB_MS;
	for (int i = 0; i < 3; i++) {
		round_of(false);
		probe_heard(&probe, heard); /* told again at each wake-up */
	}
	ck_assert(probe.silent);
}
END_TEST

START_TEST(a_request_that_does_not_leave_is_not_missed)
{
	for (int i = 0; i < 10; i++) {
		now = probe_deadline(&probe);
		probe_tick(&probe, now);
		ck_assert(!probe.silent);
	}
	uint8_t reply[PROBE_SIZE];
	ck_assert(take_request(reply));
	ck_assert_uint_eq(probe.requests, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("probe");
	TCase *tests = new_case(suite, "probe");
	SRunner *runner = srunner_create(suite);

	tcase_add_checked_fixture(tests, set_up, NULL);
	tcase_add_test(tests, a_request_is_an_echo_request_that_asks_for_precedence);
	tcase_add_test(tests, a_line_that_answers_stays);
	tcase_add_test(tests, missed_max_in_a_row_are_silence);
	tcase_add_test(tests, the_very_first_counts_too);
	tcase_add_test(tests, one_missed_now_and_then_is_none);
	tcase_add_test(tests, an_answer_brings_it_back_at_once);
	tcase_add_test(tests, a_late_answer_counts);
	tcase_add_test(tests, an_answer_counts_once_but_is_nobody_elses);
	tcase_add_test(tests, one_of_long_ago_does_not_count);
	tcase_add_test(tests, sequence_numbers_wrap);
	tcase_add_loop_test(tests, what_is_not_ours_goes_to_the_host, 0,
			    sizeof(spoilt) / sizeof(*spoilt));
	tcase_add_test(tests, a_damaged_one_goes_to_the_host);
	tcase_add_test(tests, any_bytes_at_all_are_looked_at);
	tcase_add_test(tests, without_validation_the_identifier_is_enough);
	tcase_add_test(tests, N_arp_noise_keeps_a_dead_line_up_without_filter);
	tcase_add_test(tests, N_arp_with_filter_it_does_not);
	tcase_add_test(tests, what_was_heard_before_the_request_is_no_answer);
	tcase_add_test(tests, a_request_that_does_not_leave_is_not_missed);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
