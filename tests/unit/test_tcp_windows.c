/* SPDX-License-Identifier: MIT */
/* Connections written by hand, and whether they wait for their receiver. */
#include "src/tcp_windows.h"

#include "tests/unit/ip_packets.h"

#include <check.h>
#include <stdlib.h>

enum { FIN = 1, SYN = 2, RST = 4, ACK = 16 };
enum { NO_SCALE = -1, MSS = 1000 };
static const sb_time begin = 5 * SB_SEC;

static struct tcp_windows *windows;

static void set_up(void)
{
	windows = tcp_windows_new(begin);
	ck_assert_ptr_nonnull(windows);
}

static void tear_down(void)
{
	tcp_windows_free(windows);
}

struct segment {
	bool out;
	unsigned flags;
	uint32_t sequence, acknowledgement;
	unsigned window;
	size_t data;
	int scale;     /* of a SYN */
	unsigned port; /* the local one; the remote is 80 */
	bool ipv6;
};

static void put32(uint8_t *at, uint32_t value)
{
	put16(at, value >> 16);
	put16(at + 2, value & 0xffff);
}

static size_t write_tcp(uint8_t *at, const struct segment *s)
{
	unsigned port = s->port ? s->port : 5000;
	size_t header = s->flags & SYN && s->scale != NO_SCALE ? 28 : 20;

	memset(at, 0, header + s->data);
	put16(at, s->out ? port : 80);
	put16(at + 2, s->out ? 80 : port);
	put32(at + 4, s->sequence);
	put32(at + 8, s->acknowledgement);
	at[12] = (uint8_t)(header / 4 << 4);
	at[13] = (uint8_t)s->flags;
	put16(at + 14, s->window);
	if (header > 20) {
		at[20] = 1; /* nothing, then the scale, then the end of the list */
		at[21] = 3;
		at[22] = 3;
		at[23] = (uint8_t)s->scale;
	}
	return header + s->data;
}

static void pass(sb_time now, struct segment s)
{
	uint8_t packet[2000], address[16];
	size_t header = s.ipv6 ? 40 : 20, n = s.ipv6 ? 16 : 4;
	size_t length = header + write_tcp(packet + header, &s);
	uint8_t tcp[2000], *from = packet + (s.ipv6 ? 8 : 12);

	memcpy(tcp, packet + header, length - header);
	if (s.ipv6)
		ipv6_write(packet, length, 6, 0);
	else
		ipv4_write(packet, length, 6, 0);
	memcpy(packet + header, tcp, length - header);
	if (!s.out) {
		memcpy(address, from, n);
		memcpy(from, from + n, n);
		memcpy(from + n, address, n);
	}
	if (!s.ipv6)
		ipv4_write_checksum(packet);
	tcp_windows_add(windows, now, bytes_of(packet, length), s.out);
}

/* Ours says 1000, theirs 5000; the peer's windows are scaled by `scale`. */
static void shake_hands(sb_time now, int scale, bool ipv6)
{
	pass(now, (struct segment){true, SYN, 1000, 0, 64000, 0, scale, .ipv6 = ipv6});
	pass(now, (struct segment){false, SYN | ACK, 5000, 1001, 64000, 0, scale, .ipv6 = ipv6});
	pass(now, (struct segment){true, ACK, 1001, 5001, 64000, 0, 0, .ipv6 = ipv6});
}

static void send(sb_time now, uint32_t sequence, bool ipv6)
{
	pass(now, (struct segment){true, ACK, sequence, 5001, 64000, MSS, 0, .ipv6 = ipv6});
}

static void acknowledge(sb_time now, uint32_t upto, unsigned window, bool ipv6)
{
	pass(now, (struct segment){false, ACK, 5001, upto, window, 0, 0, .ipv6 = ipv6});
}

/* The share in the 2 s before. */
static double waited(sb_time now, bool out)
{
	return tcp_windows_read(windows, now, out).share;
}

START_TEST(a_sender_with_room_does_not_wait)
{
	bool ipv6 = _i;

	shake_hands(begin, 0, ipv6);
	for (uint32_t i = 0; i < 10; i++)
		send(begin, 1001 + i * MSS, ipv6);
	ck_assert_double_eq(waited(begin + 4 * SB_SEC, true), 0);
	ck_assert_double_eq(waited(begin + 4 * SB_SEC, false), 0);
}
END_TEST

/* 3600 bytes, and 3 segments of 1000 under way: 600 are less than a segment. */
START_TEST(a_full_window_makes_it_wait)
{
	bool ipv6 = _i;

	shake_hands(begin, 0, ipv6);
	send(begin, 1001, ipv6);
	acknowledge(begin, 2001, 3600, ipv6);
	send(begin, 2001, ipv6);
	send(begin, 3001, ipv6);
	ck_assert_double_eq(waited(begin + SB_SEC, true), 0);
	send(begin + SB_SEC, 4001, ipv6);
	ck_assert_double_eq_tol(waited(begin + 5 * SB_SEC, true), 1, .13);
	ck_assert_uint_eq(tcp_windows_read(windows, begin + 5 * SB_SEC, true).window, 3600);
	ck_assert_double_eq(waited(begin + 5 * SB_SEC, false), 0);
	acknowledge(begin + 5 * SB_SEC, 5001, 3600, ipv6);
	ck_assert_double_eq(waited(begin + 8 * SB_SEC, true), 0);
}
END_TEST

/* Half a second of each: so is the share. */
START_TEST(the_share_is_of_the_time)
{
	sb_time now = begin;
	uint32_t next = 1001;

	shake_hands(now, 0, false);
	for (unsigned i = 0; i < 20; i++) {
		acknowledge(now, next, MSS, false);
		now += SB_SEC / 2;
		send(now, next, false);
		next += MSS;
		now += SB_SEC / 2;
	}
	acknowledge(now, next, MSS, false);
	ck_assert_double_eq_tol(waited(now, true), .5, .13);
}
END_TEST

START_TEST(windows_are_scaled_but_in_a_syn)
{
	shake_hands(begin, 2, false);
	acknowledge(begin, 1001, 900, false); /* times four */
	send(begin, 1001, false);
	send(begin, 2001, false);
	ck_assert_double_eq(waited(begin + 2 * SB_SEC, true), 0);
	send(begin + 2 * SB_SEC, 3001, false);
	ck_assert_double_eq_tol(waited(begin + 5 * SB_SEC, true), 1, .13);
	ck_assert_uint_eq(tcp_windows_read(windows, begin + 5 * SB_SEC, true).window, 3600);
}
END_TEST

/* RFC 7323 section 2.2: only if both SYNs said so. */
START_TEST(a_scale_that_one_end_does_not_know_is_none)
{
	pass(begin, (struct segment){true, SYN, 1000, 0, 64000, 0, .scale = 7});
	pass(begin, (struct segment){false, SYN | ACK, 5000, 1001, 64000, 0, .scale = NO_SCALE});
	acknowledge(begin, 1001, 1500, false);
	send(begin, 1001, false);
	ck_assert_double_eq_tol(waited(begin + 4 * SB_SEC, true), 1, .13);
}
END_TEST

/* Of a connection that is older than we are only one window can be understood. */
START_TEST(a_closed_window_needs_no_handshake)
{
	send(begin, 70000, false);
	acknowledge(begin, 71000, 12, false); /* times what? */
	send(begin, 71000, false);
	ck_assert_double_eq(waited(begin + 3 * SB_SEC, true), 0);
	acknowledge(begin + 3 * SB_SEC, 72000, 0, false);
	ck_assert_double_eq_tol(waited(begin + 6 * SB_SEC, true), 1, .13);
	ck_assert_uint_eq(tcp_windows_read(windows, begin + 6 * SB_SEC, true).window, 0);
	acknowledge(begin + 6 * SB_SEC, 72000, 12, false);
	ck_assert_double_eq(waited(begin + 9 * SB_SEC, true), 0);
}
END_TEST

START_TEST(what_comes_in_waits_for_us)
{
	shake_hands(begin, 0, false);
	pass(begin, (struct segment){false, ACK, 5001, 1001, 64000, .data = MSS});
	pass(begin, (struct segment){true, ACK, 1001, 6001, 0, .data = 0});
	ck_assert_double_eq_tol(waited(begin + 4 * SB_SEC, false), 1, .13);
	ck_assert_double_eq(waited(begin + 4 * SB_SEC, true), 0);
}
END_TEST

START_TEST(sequence_numbers_wrap)
{
	pass(begin, (struct segment){true, SYN, 0xfffffc00, 0, 64000, 0, .scale = NO_SCALE});
	pass(begin,
	     (struct segment){false, SYN | ACK, 5000, 0xfffffc01, 64000, 0, .scale = NO_SCALE});
	send(begin, 0xfffffc01, false);
	send(begin, 0xffffffe9, false);
	acknowledge(begin, 0xffffffe9, 64000, false);
	ck_assert_double_eq(waited(begin + 2 * SB_SEC, true), 0);
	acknowledge(begin + 2 * SB_SEC, 0xffffffe9 + MSS, 0, false);
	ck_assert_double_eq_tol(waited(begin + 5 * SB_SEC, true), 1, .13);
}
END_TEST

/* Over several lines an acknowledgement may be overtaken by a later one. */
START_TEST(an_old_acknowledgement_is_not_heeded)
{
	shake_hands(begin, 0, false);
	send(begin, 1001, false);
	send(begin, 2001, false);
	acknowledge(begin, 3001, 64000, false);
	acknowledge(begin, 2001, 0, false);
	ck_assert_double_eq(waited(begin + 3 * SB_SEC, true), 0);
}
END_TEST

static const unsigned ends[] = {RST, SYN};

START_TEST(a_connection_that_is_over_does_not_wait)
{
	shake_hands(begin, 0, false);
	send(begin, 1001, false);
	acknowledge(begin, 2001, 0, false);
	ck_assert_double_eq_tol(waited(begin + 4 * SB_SEC, true), 1, .13);
	pass(begin + 4 * SB_SEC,
	     (struct segment){true, ends[_i], 9000, 0, 64000, 0, .scale = NO_SCALE});
	ck_assert_double_eq(waited(begin + 7 * SB_SEC, true), 0);
}
END_TEST

/* Probes of a closed window come at up to 120 s; one that is silent for longer has ended. */
START_TEST(a_connection_that_fell_silent_does_not_wait)
{
	shake_hands(begin, 0, false);
	send(begin, 1001, false);
	acknowledge(begin, 2001, 0, false);
	ck_assert_double_eq_tol(waited(begin + 120 * SB_SEC, true), 1, .13);
	waited(begin + 140 * SB_SEC, true);
	ck_assert_double_eq(waited(begin + 143 * SB_SEC, true), 0);
}
END_TEST

/* However many there are: one that waits is forgotten with its wait. */
START_TEST(many_connections)
{
	shake_hands(begin, 0, false);
	send(begin, 1001, false);
	acknowledge(begin, 2001, 0, false);
	for (unsigned i = 1; i <= 1000; i++)
		pass(begin + i, (struct segment){true, ACK, 1, 1, 1000, MSS, .port = 6000 + i});
	waited(begin + SB_SEC, true);
	ck_assert_double_eq(waited(begin + 4 * SB_SEC, true), 0);
}
END_TEST

START_TEST(junk_is_not_looked_at)
{
	uint8_t packet[60];

	for (unsigned n = 0; n < 4096; n++) {
		ipv4_write(packet, sizeof packet, 6, 0);
		for (size_t i = 20; i < sizeof packet; i++)
			packet[i] = (uint8_t)rand();
		packet[32] = (uint8_t)n; /* the header's length */
		packet[33] = (uint8_t)(n >> 8 << 1);
		if (n % 3 == 0)
			packet[6] = 0x20; /* a fragment */
		ipv4_write_checksum(packet);
		tcp_windows_add(windows, begin, bytes_of(packet, sizeof packet), n % 2);
		tcp_windows_add(windows, begin, bytes_of(packet, n % 60), n % 2);
	}
	ck_assert_double_ge(waited(begin + SB_SEC, true), 0);
	ck_assert_double_le(waited(begin + SB_SEC, true), 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tcp_windows");
	TCase *tests = tcase_create("tcp_windows");
	SRunner *runner = srunner_create(suite);

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_loop_test(tests, a_sender_with_room_does_not_wait, 0, 2);
	tcase_add_loop_test(tests, a_full_window_makes_it_wait, 0, 2);
	tcase_add_test(tests, the_share_is_of_the_time);
	tcase_add_test(tests, windows_are_scaled_but_in_a_syn);
	tcase_add_test(tests, a_scale_that_one_end_does_not_know_is_none);
	tcase_add_test(tests, a_closed_window_needs_no_handshake);
	tcase_add_test(tests, what_comes_in_waits_for_us);
	tcase_add_test(tests, sequence_numbers_wrap);
	tcase_add_test(tests, an_old_acknowledgement_is_not_heeded);
	tcase_add_loop_test(tests, a_connection_that_is_over_does_not_wait, 0, 2);
	tcase_add_test(tests, a_connection_that_fell_silent_does_not_wait);
	tcase_add_test(tests, many_connections);
	tcase_add_test(tests, junk_is_not_looked_at);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
