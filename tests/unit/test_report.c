/* SPDX-License-Identifier: MIT */
/* The live status and the summary, against texts written by hand. */
#include "src/report.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 64 };

static char text[REPORT_SIZE];

#define ck_assert_has(part)                                                                        \
	ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in\n%s", part, text)

static struct report_flow flow(uint64_t packets, uint64_t bytes, double mean, double peak)
{
	return (struct report_flow){
		.packets = packets,
		.rates = {.over_2s = mean,
			  .over_10s = mean,
			  .over_40s = mean,
			  .peak = peak,
			  .mean = mean,
			  .total = bytes},
	};
}

static struct report_line up_line(const char *name, uint32_t bps, uint64_t bytes)
{
	return (struct report_line){
		.name = name,
		.state = "up",
		.up = true,
		.bps = bps,
		.out = flow(1234, bytes, 2799, 2880),
		.in = flow(345, 340000, 310, 1100),
		.since = 3725 * SB_SEC,
		.loss_out = -1,
		.loss_in = -1,
	};
}

static struct report report_of(const struct report_line *lines, unsigned count, unsigned up)
{
	return (struct report){
		.ifname = "sb0",
		.uptime = 3725 * SB_SEC,
		.lines = lines,
		.line_count = count,
		.lines_up = up,
	};
}

START_TEST(summary_of_lines_that_do_well)
{
	struct report_line lines[] = {up_line("ttyS0", 28800, 2000000),
				      up_line("ttyS1", 14400, 1000000)};
	struct report r = report_of(lines, 2, 2);
	lines[0].measured_bps = 28790.4;
	r.out = flow(2468, 3000000, 4198, 4300);
	r.in = flow(690, 680000, 620, 2200);
	r.verdict = (struct verdict){VERDICT_LINE, "the lines are 98 % busy"};
	r.queue_packets = 13;
	r.queue_bytes = 12100;
	r.queue_age = 900 * SB_MS;
	r.ecn_marks = 12;
	size_t n = report_summary(&r, text, sizeof(text));
	ck_assert_uint_eq(n, strlen(text));
	ck_assert_str_eq(
		text,
		"sb0: running for 1 h 02 min, 2 of 2 lines up, limit: line\n"
		"\n"
		"line     state          bps measured share      packets   bytes  mean/s  peak/s\n"
		"ttyS0    up           28800    28790  67 % out     1234 2.00 MB 2.80 kB 2.88 kB\n"
		"                                           in       345  340 kB   310 B 1.10 kB\n"
		"ttyS1    up           14400        -  33 % out     1234 1.00 MB 2.80 kB 2.88 kB\n"
		"                                           in       345  340 kB   310 B 1.10 kB\n"
		"sb0                   43200    43190       out     2468 3.00 MB 4.20 kB 4.30 kB\n"
		"                                           in       690  680 kB   620 B 2.20 kB\n"
		"\n"
		"out      4.20 kB/s, 4.20 kB/s, 4.20 kB/s in the last 2, 10, 40 s\n"
		"in       620 B/s, 620 B/s, 620 B/s in the last 2, 10, 40 s\n"
		"queue    13 packets, 12.1 kB, oldest 900 ms; ECN marks: 12\n"
		"drops    none\n"
		"limit    line: the lines are 98 % busy\n");
}
END_TEST

START_TEST(summary_says_what_went_wrong)
{
	struct report_line line = up_line("ttyS0", 28800, 1000);
	line.state = "no carrier";
	line.up = false;
	line.reason = "carrier lost";
	line.downs = 3;
	line.since = 12 * SB_SEC;
	line.cut = 2;
	line.out.call_bytes = 700;
	line.in.call_bytes = 80;
	for (int i = 0; i < REPORT_ERRORS; i++)
		line.errors[i] = (uint64_t)i + 1;
	struct report r = report_of(&line, 1, 0);
	for (int i = 0; i < REPORT_DROPS; i++)
		r.drops[i] = (uint64_t)i + 1;
	r.verdict.limit = VERDICT_HOST;
	report_summary(&r, text, sizeof(text));
	ck_assert_has("0 of 1 lines up, limit: host\n");
	ck_assert_has(
		"         errors: bad framing 1, bad FCS 2, too long 3, not IP 4, bad length 5,\n"
		"         bad checksum 6, compressed 7, unknown protocol 8, UART overruns 9,\n"
		"         UART framing 10, UART parity 11, breaks 12\n");
	ck_assert_has("         no carrier for 12.0 s; times down: 3, last: carrier lost\n"
		      "         last call: out 700 B, in 80 B; frames cut short: 2\n");
	ck_assert_has("drops    CoDel 1, queue full 2, no line in time 3, no buffer 4, not IP 5,\n"
		      "         not agreed with the peer 6, refused by the kernel 7\n");
}
END_TEST

/* A line whose encapsulation measures nothing has no row for it. */
START_TEST(summary_of_what_a_link_measured)
{
	struct report_line line = up_line("ttyS0", 28800, 1000);
	struct report r = report_of(&line, 1, 1);
	report_summary(&r, text, sizeof(text));
	ck_assert_ptr_null(strstr(text, "echo"));
	ck_assert_ptr_null(strstr(text, "lost"));
	line.rtt_least = 31 * SB_MS;
	line.rtt_smoothed = 40 * SB_MS;
	line.rtt_most = 1200 * SB_MS;
	report_summary(&r, text, sizeof(text));
	ck_assert_has("         echo 40.0 ms, from 31.0 ms to 1.20 s\n");
	line.loss_out = 0.0123;
	line.loss_in = 0;
	report_summary(&r, text, sizeof(text));
	ck_assert_has("         echo 40.0 ms, from 31.0 ms to 1.20 s; lost 1.2 % out, 0.0 % in\n");
	line.rtt_most = 0;
	report_summary(&r, text, sizeof(text));
	ck_assert_has("         lost 1.2 % out, 0.0 % in\n");
	ck_assert_ptr_null(strstr(text, "echo"));
}
END_TEST

/* Of packets over several links: said once anything was lost. */
START_TEST(summary_of_fragments_that_were_lost)
{
	struct report_line line = up_line("ttyS0", 28800, 1000);
	struct report r = report_of(&line, 1, 1);
	r.reassembles = true;
	r.reassembly = (struct reassembly_counters){.fragments = 9000, .late = 7};
	report_summary(&r, text, sizeof(text));
	ck_assert_ptr_null(strstr(text, "pieces"));
	r.reassembly.lost = 1531;
	r.reassembly.lost_by_time = 4;
	r.reassembly.broken = 2;
	r.reassembly.overflows = 301;
	report_summary(&r, text, sizeof(text));
	ck_assert_has("drops    none\n"
		      "pieces   lost 1531, by time 4, late 7, packets broken 2, window full 301\n"
		      "limit ");
}
END_TEST

/* Packets whose fate was not known when the line left. */
START_TEST(summary_of_a_line_that_left_packets)
{
	struct report_line line = up_line("ttyS0", 28800, 1000);
	struct report r = report_of(&line, 1, 1);
	line.downs = 1;
	report_summary(&r, text, sizeof(text));
	ck_assert_has("frames cut short: 0\n");
	line.sent_again = 7;
	report_summary(&r, text, sizeof(text));
	ck_assert_has("frames cut short: 0, sent again: 7\n");
}
END_TEST

START_TEST(summary_of_lines_in_no_bundle)
{
	struct report_line line = {.name = "ttyS0", .state = "opening", .bps = 28800};
	struct report r = report_of(&line, 1, 0);
	r.ifname = "";
	report_summary(&r, text, sizeof(text));
	ck_assert_has("lines without a bundle, after 1 h 02 min\n");
	ck_assert_has("ttyS0    opening");
	ck_assert_ptr_null(strstr(text, "drops"));
}
END_TEST

/* What is up again has both: the totals of its life and those since it came back. */
START_TEST(B120_totals_of_the_call_and_of_the_life)
{
	struct report_line line = up_line("ttyS0", 28800, 3000000);
	line.downs = 2;
	line.reason = "the device is gone";
	line.out.call_bytes = 1000000;
	line.in.call_bytes = 50;
	struct report r = report_of(&line, 1, 1);
	report_summary(&r, text, sizeof(text));
	ck_assert_has("out     1234 3.00 MB");
	ck_assert_has("up for 1 h 02 min; times down: 2, last: the device is gone\n"
		      "         this call: out 1.00 MB, in 50 B;");
}
END_TEST

/* Nothing is up and nothing was sent: zeros, and no figure that is not one. */
START_TEST(B119_nothing_up_is_zero)
{
	struct report_line lines[2] = {
		{.name = "ttyS0", .state = "down", .bps = 28800},
		{.name = "ttyS1", .state = "down", .bps = 14400},
	};
	struct report r = report_of(lines, 2, 0);
	report_summary(&r, text, sizeof(text));
	ck_assert_has("ttyS0    down         28800        -   0 % out        0     0 B     0 B     "
		      "0 B\n");
	ck_assert_has("sb0                       0        -       out        0     0 B     0 B     "
		      "0 B\n");
	ck_assert_has("limit: nothing\n");
	ck_assert_ptr_null(strstr(text, "nan"));
	ck_assert_ptr_null(strstr(text, "inf"));
	report_status(&r, text, sizeof(text));
	ck_assert_str_eq(text,
			 "sb0: 0/2 up, out 0 B/s, in 0 B/s, queue 0 B | ttyS0 down, ttyS1 down");
}
END_TEST

START_TEST(B119_one_of_three_up_counts_alone)
{
	struct report_line lines[3] = {
		{.name = "a", .state = "down", .bps = 28800},
		up_line("b", 14400, 1000),
		{.name = "c", .state = "down", .bps = 9600},
	};
	struct report r = report_of(lines, 3, 1);
	report_summary(&r, text, sizeof(text));
	ck_assert_has("b        up           14400        - 100 % out");
	ck_assert_has("sb0                   14400        -       out");
}
END_TEST

START_TEST(status_is_one_line)
{
	struct report_line lines[] = {up_line("ttyS0", 28800, 2000000),
				      {.name = "ttyS1", .state = "no carrier", .bps = 14400}};
	struct report r = report_of(lines, 2, 1);
	r.out.rates.over_2s = 4200;
	r.in.rates.over_2s = 309.6;
	r.queue_bytes = 12100;
	r.queue_age = 900 * SB_MS;
	size_t n = report_status(&r, text, sizeof(text));
	ck_assert_uint_eq(n, strlen(text));
	ck_assert_str_eq(text, "sb0: 1/2 up, out 4.20 kB/s, in 310 B/s, queue 12.1 kB 900 ms | "
			       "ttyS0 2.80 kB/s, ttyS1 no carrier");
}
END_TEST

/* Columns stay where they are whatever stands in them. */
START_TEST(tables_are_aligned_and_80_columns_wide)
{
	struct report_line lines[] = {
		up_line("ttyUSB10", 230400, 123456789012),
		up_line("a_name_of_the_greatest_length_3", 1000000000, 5),
	};
	lines[0].out.packets = 99999999;
	lines[1].measured_bps = 999999999;
	memset(lines[1].errors, 0xFF, sizeof(lines[1].errors));
	struct report r = report_of(lines, 2, 2);
	memset(r.drops, 0xFF, sizeof(r.drops));
	r.out = flow(99999999, 123456789012, 123456789, 123456789);
	report_summary(&r, text, sizeof(text));
	unsigned rows = 0;
	for (char *row = strtok(text, "\n"); row; row = strtok(NULL, "\n")) {
		ck_assert_uint_lt(strlen(row), 80);
		if (strlen(row) < 60)
			continue;
		if (strncmp(row + 43, "out ", 4) == 0 || strncmp(row + 43, "in  ", 4) == 0) {
			ck_assert_uint_eq(strlen(row), 79);
			rows++;
		}
	}
	ck_assert_uint_eq(rows, 6);
}
END_TEST

START_TEST(untrusted_text_is_made_harmless)
{
	struct report_line line = up_line("tty\033[2J", 28800, 1);
	line.downs = 1;
	line.reason = "modem says \"BUSY\r\n\x9B"
		      "31m\"";
	struct report r = report_of(&line, 1, 1);
	r.ifname = "sb\a0";
	report_summary(&r, text, sizeof(text));
	ck_assert_has("sb?0: running");
	ck_assert_has("tty?[2J ");
	ck_assert_has("last: modem says \"BUSY???31m\"\n");
	report_status(&r, text, sizeof(text));
	ck_assert_has("| tty?[2J ");
}
END_TEST

/* Whatever the room: within it, ended by NUL, and the beginning of the whole. */
START_TEST(too_little_room_cuts_and_no_more)
{
	static char whole[REPORT_SIZE];
	struct report_line lines[] = {up_line("ttyS0", 28800, 1), up_line("ttyS1", 28800, 1)};
	struct report r = report_of(lines, 2, 2);
	size_t all = report_summary(&r, whole, sizeof(whole));
	for (size_t room = 1; room <= all + 2; room++) {
		memset(text, 'X', sizeof(text));
		size_t n = report_summary(&r, text, room);
		ck_assert_uint_eq(n, room <= all ? room - 1 : all);
		ck_assert_int_eq(strncmp(text, whole, n), 0);
		ck_assert_int_eq(text[n], '\0');
		ck_assert_int_eq(text[room], 'X');
	}
	text[0] = 'X';
	ck_assert_uint_eq(report_summary(&r, text, 0), 0);
	ck_assert_int_eq(text[0], 'X');
}
END_TEST

START_TEST(summary_of_the_most_lines_fits)
{
	static struct report_line lines[MANY];
	static char reason[400];
	memset(reason, 'r', sizeof(reason) - 1);
	for (int i = 0; i < MANY; i++) {
		lines[i] =
			up_line("a_name_of_the_greatest_length_3", 1000000000, UINT64_MAX / MANY);
		lines[i].downs = UINT32_MAX;
		lines[i].reason = reason;
		lines[i].cut = UINT64_MAX;
		memset(lines[i].errors, 0xFF, sizeof(lines[i].errors));
	}
	struct report r = report_of(lines, MANY, MANY);
	size_t n = report_summary(&r, text, sizeof(text));
	ck_assert_uint_lt(n, sizeof(text) - 1);
	ck_assert_int_eq(text[n - 1], '\n');
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("report");
	TCase *t = tcase_create("report");
	tcase_add_test(t, summary_of_lines_that_do_well);
	tcase_add_test(t, summary_says_what_went_wrong);
	tcase_add_test(t, summary_of_what_a_link_measured);
	tcase_add_test(t, summary_of_fragments_that_were_lost);
	tcase_add_test(t, summary_of_a_line_that_left_packets);
	tcase_add_test(t, summary_of_lines_in_no_bundle);
	tcase_add_test(t, B120_totals_of_the_call_and_of_the_life);
	tcase_add_test(t, B119_nothing_up_is_zero);
	tcase_add_test(t, B119_one_of_three_up_counts_alone);
	tcase_add_test(t, status_is_one_line);
	tcase_add_test(t, tables_are_aligned_and_80_columns_wide);
	tcase_add_test(t, untrusted_text_is_made_harmless);
	tcase_add_test(t, too_little_room_cuts_and_no_more);
	tcase_add_test(t, summary_of_the_most_lines_fits);
	suite_add_tcase(suite, t);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
