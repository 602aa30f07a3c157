/* SPDX-License-Identifier: MIT */
/* Packets through a bundle, while its lines come and go. */
#define _DEFAULT_SOURCE
#include "tests/unit/exchange_world.h"

enum { FAST = 115200, SLOW = 9600 };

/* --- traffic --- */

START_TEST(packets_go_over_the_lines_unchanged)
{
	unsigned over[2] = {0};

	world_start(2, FAST);
	for (unsigned i = 0; i < 200; i += 10) {
		kernel_sends(i, i + 10);
		world_run(SB_SEC);
		over[0] += peer_receives(0);
		over[1] += peer_receives(1);
	}
	assert_arrived_once(0, 200);
	ck_assert_uint_gt(over[0], 50);
	ck_assert_uint_gt(over[1], 50);
	world_end();
}
END_TEST

START_TEST(packets_come_from_the_lines_unchanged)
{
	unsigned got = 0;

	world_start(2, FAST);
	for (unsigned i = 0; i < 200; i += 10) {
		peer_sends(0, i, i + 5);
		peer_sends(1, i + 5, i + 10);
		world_run(10 * SB_MS);
		got += kernel_receives();
	}
	ck_assert_uint_eq(got, 200);
	assert_arrived_once(0, 200);
	world_end();
}
END_TEST

/* A kernel that is too busy to take them is no reason to wait. */
START_TEST(packets_that_the_kernel_does_not_take_are_counted)
{
	unsigned taken;

	world_start(1, FAST);
	for (unsigned i = 0; i < 1000; i += 50) {
		peer_sends(0, i, i + 50);
		world_run(100 * SB_MS);
	}
	taken = kernel_receives();
	ck_assert_uint_gt(taken, 10);
	ck_assert_uint_lt(taken, 1000);
	ck_assert_uint_eq(world_report()->drops[REPORT_DROP_REFUSED], 1000 - taken);
	ck_assert_uint_eq(w.report.in.packets, 1000);
	world_end();
}
END_TEST

START_TEST(B090_junk_from_the_interface_is_counted)
{
	uint8_t long_packet[MTU + 1];
	struct bytes p = packet_of(0);

	ipv4_write(long_packet, MTU + 1, 17, ECN_NOT_ECT);
	world_start(1, FAST);
	kernel_sends_bytes(bytes_of("foo", 3));
	kernel_sends_bytes(bytes_of("\x00\x00\x08\x00", 4)); /* packet information */
	kernel_sends_bytes(bytes_of(p.at, p.length - 1));
	kernel_sends_bytes(bytes_of(long_packet, MTU + 1));
	world_run(SB_SEC);
	ck_assert_uint_eq(port_wrote(0).length, 0);
	ck_assert_uint_eq(world_report()->drops[REPORT_DROP_NOT_IP], 4);
	ck_assert_uint_eq(w.report.out.packets, 0);
	kernel_sends(0, 1);
	world_run(SB_SEC);
	ck_assert_uint_eq(peer_receives(0), 1);
	world_end();
}
END_TEST

START_TEST(an_interface_that_is_gone_is_told)
{
	world_start(1, FAST);
	world_turn();
	tun_close(&w.tun);
	ck_assert(!exchange_tun_readable(w.exchange, 0, w.now));
	world_end();
}
END_TEST

/* --- lines that go --- */

/* What was on its wire, and what was bound to it, goes over the other: each once. */
START_TEST(E2_packets_of_a_line_that_hangs_up_go_over_the_other)
{
	world_start(2, SLOW);
	kernel_sends(1, 11);
	world_run(150 * SB_MS);
	unplug(0);
	world_run(20 * SB_SEC);
	peer_receives(1);
	assert_arrived_once(1, 11);
	world_report();
	ck_assert_uint_eq(w.lines[0].cut, 1);
	ck_assert_uint_eq(w.lines[0].downs, 1);
	ck_assert_uint_eq(w.lines[1].downs, 0);
	ck_assert_uint_eq(w.lines[0].out.packets + w.lines[1].out.packets, 10);
	world_end();
}
END_TEST

START_TEST(B099_a_line_that_flaps_loses_nothing)
{
	unsigned sent = 0;

	world_start(2, FAST);
	for (int i = 0; i < 20; i++) {
		kernel_sends(sent, sent + 5);
		sent += 5;
		world_run((10 + i) * SB_MS);
		unplug(0);
		world_run(SB_SEC);
		port_is_back(0);
		world_run(SB_SEC);
		ck_assert_ptr_nonnull(ports[0].port);
	}
	peer_receives(0);
	peer_receives(1);
	assert_arrived_once(0, sent);
	ck_assert_uint_eq(world_report()->lines_up, 2);
	ck_assert_uint_eq(w.lines[0].downs, 20);
	world_end();
}
END_TEST

START_TEST(a_stalled_line_gives_its_packets_to_the_other_and_returns)
{
	world_start(2, FAST);
	port_script_limit(ports[0].port, 100, SIZE_MAX);
	kernel_sends(1, 11);
	world_run(3 * SB_SEC);
	ck_assert_uint_eq(world_report()->lines_up, 1);
	ck_assert_str_eq(w.lines[0].state, "stalled");
	port_script_forget(ports[0].port);
	port_script_limit(ports[0].port, SIZE_MAX, SIZE_MAX);
	kernel_sends(11, 21);
	world_run(3 * SB_SEC);
	ck_assert_uint_eq(world_report()->lines_up, 2);
	ck_assert_uint_eq(port_wrote(0).at[0], SLIP_END);
	ck_assert_uint_gt(peer_receives(0), 0);
	peer_receives(1);
	assert_arrived_once(1, 21);
	world_end();
}
END_TEST

START_TEST(B083_a_port_that_takes_few_characters_at_a_time)
{
	world_start(1, FAST);
	port_script_limit(ports[0].port, 0, 7);
	kernel_sends(1, 6);
	for (int i = 0; i < 1000; i++) {
		world_run(10 * SB_MS);
		port_script_limit(ports[0].port, 11, 7);
	}
	ck_assert_uint_eq(peer_receives(0), 5);
	assert_arrived_once(1, 6);
	ck_assert_uint_eq(world_report()->lines[0].downs, 0);
	world_end();
}
END_TEST

START_TEST(B078_a_line_without_carrier_is_not_used)
{
	world_new(2, FAST, LOG_ERROR);
	ports[0].modem_lines = PORT_DCD;
	ck_assert_int_eq(exchange_start(w.exchange, w.now), EXIT_FINE);
	for (unsigned i = 0; i < 100; i += 10) {
		port_script_set_modem_lines(ports[0].port, 0);
		world_run(200 * SB_MS);
		ck_assert_uint_eq(world_report()->lines_up, 1);
		kernel_sends(i, i + 5);
		world_run(SB_SEC);
		ck_assert_uint_eq(port_wrote(0).length, 0);
		port_script_set_modem_lines(ports[0].port, PORT_DCD);
		world_run(200 * SB_MS);
		ck_assert_uint_eq(world_report()->lines_up, 2);
		kernel_sends(i + 5, i + 10);
		world_run(SB_SEC);
		ck_assert_uint_gt(peer_receives(0), 0);
	}
	peer_receives(1);
	assert_arrived_once(0, 100);
	ck_assert_uint_eq(world_report()->lines[0].downs, 10);
	world_end();
}
END_TEST

/* It comes back with its port still full: there is nothing to do for it until that changes. */
START_TEST(a_line_may_return_blocked)
{
	world_configure(2, SLOW);
	world_line(0, FAST);
	world_create(LOG_ERROR);
	ports[0].modem_lines = PORT_DCD;
	ck_assert_int_eq(exchange_start(w.exchange, w.now), EXIT_FINE);
	port_script_limit(ports[0].port, 10, SIZE_MAX);
	kernel_sends(1, 30);
	world_run(95 * SB_MS);
	ck_assert(exchange_watch_line(w.exchange, 0).wants_write);
	port_script_set_modem_lines(ports[0].port, 0);
	world_run(10 * SB_MS);
	ck_assert_uint_eq(world_report()->lines_up, 1);
	port_script_set_modem_lines(ports[0].port, PORT_DCD);
	world_run(100 * SB_MS);
	ck_assert_uint_eq(world_report()->lines_up, 2);
	world_run(5 * SB_SEC);
	ck_assert_str_eq(world_report()->lines[0].state, "stalled");
	world_end();
}
END_TEST

/* --- no line at all --- */

START_TEST(E12_without_a_line_packets_are_held_then_counted)
{
	world_start(2, FAST);
	unplug(0);
	unplug(1);
	world_run(SB_SEC);
	kernel_sends(0, 10);
	world_run(HOLD_S * SB_SEC - 1);
	ck_assert_uint_eq(world_report()->lines_up, 0);
	ck_assert_uint_eq(w.report.drops[REPORT_DROP_NO_LINE], 0);
	ck_assert_uint_eq(w.report.queue_packets, 10);
	world_run(1);
	ck_assert_uint_eq(world_report()->drops[REPORT_DROP_NO_LINE], 10);
	ck_assert_uint_eq(w.report.queue_bytes, 0);
	port_is_back(0);
	port_is_back(1);
	world_run(SB_SEC);
	kernel_sends(10, 20);
	world_run(SB_SEC);
	peer_receives(0);
	peer_receives(1);
	assert_arrived_once(10, 20);
	ck_assert_uint_eq(world_report()->drops[REPORT_DROP_NO_LINE], 10);
	world_end();
}
END_TEST

START_TEST(B093_packets_wait_for_a_line)
{
	world_start(1, FAST);
	unplug(0);
	world_run(SB_SEC);
	kernel_sends(0, 10);
	world_run((HOLD_S - 1) * SB_SEC);
	port_is_back(0);
	world_run(SB_SEC - 1);
	peer_receives(0);
	assert_arrived_once(0, 10);
	world_end();
}
END_TEST

/* Among them the one that was cut, which waits elsewhere than the others. */
START_TEST(E12_the_packet_in_progress_is_held_and_counted_too)
{
	world_start(1, SLOW);
	kernel_sends(1, 6);
	world_run(20 * SB_MS);
	unplug(0);
	world_run(HOLD_S * SB_SEC);
	ck_assert_uint_eq(world_report()->drops[REPORT_DROP_NO_LINE], 5);
	ck_assert_uint_eq(w.report.queue_bytes, 0);
	ck_assert_int_eq(w.report.queue_age, 0);
	world_end();
}
END_TEST

/* It is the time without a line that counts, not the time a slow line took before. */
START_TEST(an_old_packet_survives_a_short_outage)
{
	world_start(1, 300);
	kernel_sends(1, 5);
	world_run(2 * HOLD_S * SB_SEC);
	unplug(0);
	world_run((HOLD_S - 1) * SB_SEC);
	ck_assert_int_gt(world_report()->queue_age, HOLD_S * SB_SEC);
	port_is_back(0);
	world_run(120 * SB_SEC);
	peer_receives(0);
	assert_arrived_once(1, 5);
	ck_assert_uint_eq(world_report()->drops[REPORT_DROP_NO_LINE], 0);
	world_end();
}
END_TEST

static TCase *new_case(Suite *suite, const char *name)
{
	TCase *tcase = tcase_create(name);

	suite_add_tcase(suite, tcase);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("exchange");
	TCase *traffic = new_case(suite, "traffic"), *gone = new_case(suite, "gone");
	TCase *none = new_case(suite, "no line");

	tcase_add_test(traffic, packets_go_over_the_lines_unchanged);
	tcase_add_test(traffic, packets_come_from_the_lines_unchanged);
	tcase_add_test(traffic, packets_that_the_kernel_does_not_take_are_counted);
	tcase_add_test(traffic, B090_junk_from_the_interface_is_counted);
	tcase_add_test(traffic, an_interface_that_is_gone_is_told);
	tcase_add_test(gone, E2_packets_of_a_line_that_hangs_up_go_over_the_other);
	tcase_add_test(gone, B099_a_line_that_flaps_loses_nothing);
	tcase_add_test(gone, a_stalled_line_gives_its_packets_to_the_other_and_returns);
	tcase_add_test(gone, B083_a_port_that_takes_few_characters_at_a_time);
	tcase_add_test(gone, a_line_may_return_blocked);
	tcase_add_test(gone, B078_a_line_without_carrier_is_not_used);
	tcase_add_test(none, E12_without_a_line_packets_are_held_then_counted);
	tcase_add_test(none, B093_packets_wait_for_a_line);
	tcase_add_test(none, E12_the_packet_in_progress_is_held_and_counted_too);
	tcase_add_test(none, an_old_packet_survives_a_short_outage);
	return run_suite(suite);
}
