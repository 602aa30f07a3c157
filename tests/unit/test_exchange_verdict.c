/* SPDX-License-Identifier: MIT */
/* What limits a bundle, and who talks over it, as a whole exchange comes to know it. */
#define _DEFAULT_SOURCE
#include "tests/unit/exchange_world.h"

enum { FAST = 115200, SLOW = 9600, TCP = 6, SYN = 2, ACK = 16 };

#define ck_assert_limit(expected)                                                                  \
	do {                                                                                       \
		const struct verdict *v_ = &world_report()->verdict;                               \
		ck_assert_msg(v_->limit == (expected), "%s: %s", verdict_word(v_->limit),          \
			      v_->why);                                                            \
	} while (0)

static const char *why(void)
{
	return world_report()->verdict.why;
}

#define ck_assert_why(part)                                                                        \
	ck_assert_msg(strstr(why(), part) != NULL, "no \"%s\" in \"%s\"", part, why())

/* Three times of what two slow lines carry, all the time. */
static void flood(unsigned seconds)
{
	for (unsigned i = 0; i < seconds * 20; i++) {
		kernel_sends(i % NUMBERS, i % NUMBERS + 1);
		world_run(SB_SEC / 20);
	}
}

START_TEST(a_flood_is_the_queues)
{
	world_start(2, SLOW);
	flood(30);
	ck_assert_limit(VERDICT_QUEUE);
	ck_assert_why("does not slow down");
	world_run(60 * SB_SEC);
	ck_assert_limit(VERDICT_NOTHING);
	world_end();
}
END_TEST

START_TEST(N20_a_port_that_is_held_off_is_the_peers)
{
	world_start(2, SLOW);
	port_script_limit(ports[1].port, 0, 1);
	kernel_sends(0, 60);
	world_run(3 * SB_SEC);
	ck_assert_uint_eq(world_report()->lines_up, 1);
	ck_assert_limit(VERDICT_PEER);
	ck_assert_why("tty1 has taken nothing for ");
	port_script_limit(ports[1].port, 1 << 20, 1 << 20);
	world_run(3 * SB_SEC);
	ck_assert_uint_eq(world_report()->lines_up, 2);
	ck_assert_limit(VERDICT_LINE);
	world_end();
}
END_TEST

/* What it had lost before we looked is not ours; then it is, for as long as it goes on. */
START_TEST(E24_overruns_are_the_hosts)
{
	struct port_icounts counts = {.overruns = 1000};

	world_start(2, FAST);
	port_script_set_icounts(ports[1].port, &counts);
	world_run(2 * SB_SEC);
	kernel_sends(0, 1);
	world_run(2 * SB_SEC);
	ck_assert_limit(VERDICT_NOTHING);
	for (unsigned i = 1; i <= 5; i++) {
		counts.overruns += 4;
		port_script_set_icounts(ports[1].port, &counts);
		kernel_sends(i, i + 1);
		world_run(SB_SEC);
	}
	ck_assert_limit(VERDICT_HOST);
	ck_assert_why("UART of tty1");
	for (unsigned i = 6; i <= 26; i++) {
		kernel_sends(i, i + 1);
		world_run(SB_SEC);
	}
	ck_assert_limit(VERDICT_NOTHING);
	world_end();
}
END_TEST

START_TEST(no_line_is_the_lines)
{
	world_start(2, FAST);
	port_refuses(0, PORT_NO_DEVICE, "gone"), port_refuses(1, PORT_NO_DEVICE, "gone");
	port_script_hang_up(ports[0].port), port_script_hang_up(ports[1].port);
	world_run(SB_SEC);
	ck_assert_limit(VERDICT_LINE);
	ck_assert_why("none of its 2 lines is up");
	world_end();
}
END_TEST

/* --- TCP --- */

static uint8_t segment[100];

static struct bytes tcp(bool out, unsigned flags, unsigned sequence, unsigned acknowledgement,
			unsigned window, size_t data)
{
	size_t length = 40 + data;

	ipv4_write(segment, length, TCP, ECN_NOT_ECT);
	if (!out) { /* 10.0.0.2 to 10.0.0.1 */
		segment[15] = 2;
		segment[19] = 1;
		ipv4_write_checksum(segment);
	}
	put16(segment + (out ? 20 : 22), 5000);
	put16(segment + (out ? 22 : 20), 80);
	put16(segment + 26, sequence);
	put16(segment + 30, acknowledgement);
	segment[32] = 5 << 4;
	segment[33] = (uint8_t)flags;
	put16(segment + 34, window);
	return bytes_of(segment, length);
}

static void peer_sends_bytes(struct bytes p)
{
	uint8_t at[300];
	struct buf out = buf_over(at, sizeof at);

	slip_encode(&out, p);
	port_script_feed(ports[0].port, buf_bytes(&out));
	world_run(100 * SB_MS);
}

static void shake_hands(unsigned window_of_peer)
{
	kernel_sends_bytes(tcp(true, SYN, 1, 0, 60000, 0));
	peer_sends_bytes(tcp(false, SYN | ACK, 1, 2, window_of_peer, 0));
	kernel_sends_bytes(tcp(true, ACK, 2, 2, 60000, 0));
}

START_TEST(N20_a_window_that_is_used_up_is_the_peers)
{
	world_start(1, FAST);
	shake_hands(100);
	kernel_sends_bytes(tcp(true, ACK, 2, 2, 60000, 60));
	world_run(3 * SB_SEC);
	ck_assert_limit(VERDICT_PEER);
	ck_assert_why("takes 100 B at a time");
	peer_sends_bytes(tcp(false, ACK, 2, 62, 5000, 0));
	world_run(3 * SB_SEC);
	ck_assert_limit(VERDICT_NOTHING);
	world_end();
}
END_TEST

START_TEST(B13_a_program_here_that_does_not_read_is_the_hosts)
{
	world_start(1, FAST);
	shake_hands(60000);
	peer_sends_bytes(tcp(false, ACK, 2, 2, 60000, 60));
	kernel_sends_bytes(tcp(true, ACK, 2, 62, 0, 0));
	world_run(3 * SB_SEC);
	ck_assert_limit(VERDICT_HOST);
	ck_assert_why("a program here does not read");
	world_end();
}
END_TEST

/* --- flows --- */

START_TEST(flows_are_of_both_directions)
{
	struct flow_pair flows[FLOWS_MAX];

	world_start(1, FAST);
	kernel_sends_bytes(tcp(true, ACK, 2, 2, 60000, 60));
	peer_sends_bytes(tcp(false, ACK, 2, 62, 60000, 0));
	kernel_sends_bytes(tcp(true, ACK, 62, 2, 60000, 60));
	world_run(SB_SEC);
	ck_assert_uint_eq(exchange_flows(w.exchange, 0, w.now, flows), 1);
	ck_assert_uint_eq(flows[0].local[3], 1);
	ck_assert_uint_eq(flows[0].remote[3], 2);
	ck_assert_uint_eq(flows[0].out.total, 200);
	ck_assert_uint_eq(flows[0].in.total, 40);
	world_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("exchange_verdict");
	TCase *tests = tcase_create("verdict");
	SRunner *runner = srunner_create(suite);

	tcase_add_test(tests, a_flood_is_the_queues);
	tcase_add_test(tests, N20_a_port_that_is_held_off_is_the_peers);
	tcase_add_test(tests, E24_overruns_are_the_hosts);
	tcase_add_test(tests, no_line_is_the_lines);
	tcase_add_test(tests, N20_a_window_that_is_used_up_is_the_peers);
	tcase_add_test(tests, B13_a_program_here_that_does_not_read_is_the_hosts);
	tcase_add_test(tests, flows_are_of_both_directions);
	tcase_set_timeout(tests, 60);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
