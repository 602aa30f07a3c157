/* SPDX-License-Identifier: MIT */
/* A line that stops: its port takes no characters, or it has no carrier. */
#define _DEFAULT_SOURCE
#include "tests/unit/line_testing.h"

/* --- stalls --- */

enum { STALL_MS = 600 };

/* A frame is begun, and the port is full. */
static struct packet *block(void)
{
	struct packet *p = new_packet();

	open_line();
	port_script_limit(ports[0].port, 40, SIZE_MAX);
	load(p);
	send_part();
	ck_assert(line.wants_write);
	return p;
}

START_TEST(a_port_that_takes_nothing_stalls_the_line)
{
	sb_time start = now;
	struct packet *p = block();

	ck_assert(!tick_until(start + STALL_MS * SB_MS - 1));
	ck_assert_int_eq(line.state, LINE_UP);
	ck_assert_int_eq(line_deadline(&line, now), start + STALL_MS * SB_MS);
	ck_assert(tick_until(start + STALL_MS * SB_MS));
	ck_assert_int_eq(line.state, LINE_STALLED);
	ck_assert_str_eq(line.reason, "the port takes no characters");
	ck_assert_ptr_nonnull(line.port);
	ck_assert(line.wants_write);
	ck_assert_int_eq(line_deadline(&line, now), SB_NEVER);
	ck_assert_ptr_eq(line_give_up(&line, now), p);
	ck_assert_uint_eq(line.counters.cut_frames, 1);
	ck_assert_uint_eq(line.counters.downs, 1);
	packet_put(pool, p);
}
END_TEST

/* 512 characters at 50 bps are more than the 0.6 s. */
START_TEST(a_slow_line_has_more_time)
{
	sb_time limit = 512 * 10 * SB_SEC / 50, start = now;

	line.config.bps = 50;
	block();
	tick_until(start + limit - 1);
	ck_assert_int_eq(line.state, LINE_UP);
	tick_until(start + limit);
	ck_assert_int_eq(line.state, LINE_STALLED);
}
END_TEST

START_TEST(a_stalled_line_returns_when_it_is_writable_with_a_new_frame)
{
	struct packet *p = block();

	tick_until(now + STALL_MS * SB_MS);
	ck_assert_ptr_eq(line_give_up(&line, now), p);
	port_script_limit(ports[0].port, SIZE_MAX, SIZE_MAX);
	line_writable(&line, now);
	ck_assert_int_eq(line.state, LINE_UP);
	ck_assert(!line.wants_write);
	load(p);
	ck_assert(send_whole());
	assert_octets(bytes_skip(port_wrote(0), 40), encoded(p));
	ck_assert_uint_eq(port_wrote(0).at[40], SLIP_END);
	ck_assert_uint_eq(line.counters.packets_out, 1);
	packet_put(pool, p);
}
END_TEST

/* The port is found writable in the same turn of the loop in which the time is over. */
START_TEST(a_port_that_takes_characters_at_the_last_moment_does_not_stall)
{
	block();
	now += 2 * STALL_MS * SB_MS;
	port_script_limit(ports[0].port, 10, SIZE_MAX);
	line_writable(&line, now);
	ck_assert(!tick());
	ck_assert_int_eq(line.state, LINE_UP);
	line_send(&line, now);
	ck_assert(line.wants_write);
	ck_assert_int_eq(line_deadline(&line, now), now + STALL_MS * SB_MS);
}
END_TEST

START_TEST(a_stalled_line_that_hangs_up_is_down_once)
{
	block();
	tick_until(now + STALL_MS * SB_MS);
	port_script_hang_up(ports[0].port);
	line_read(&line, now);
	ck_assert_int_eq(line.state, LINE_DOWN);
	ck_assert_str_eq(line.reason, "hung up");
	ck_assert_uint_eq(line.counters.downs, 1);
	ck_assert(!line.wants_write);
}
END_TEST

/* A UART whose modem holds CTS off: it would take more, but keeps what it has. */
static struct packet *hold_cts(void)
{
	struct packet *p = new_packet();

	ports[0].outq = 0;
	open_line();
	load(p);
	send_part();
	ck_assert(!line.wants_write);
	port_script_set_outq(ports[0].port, (int)port_wrote(0).length);
	return p;
}

START_TEST(a_driver_that_keeps_what_it_has_stalls_the_line)
{
	sb_time start = now;
	size_t taken;

	hold_cts();
	tick_until(start + STALL_MS * SB_MS);
	ck_assert_int_eq(line.state, LINE_UP); /* it begins when the clock first misses room */
	taken = port_wrote(0).length;
	ck_assert_uint_le(taken, 64);
	tick_until(start + (STALL_MS + 100) * SB_MS);
	ck_assert_int_eq(line.state, LINE_STALLED);
	ck_assert_uint_eq(port_wrote(0).length, taken);
	tick_until(now + 10 * SB_SEC);
	ck_assert_int_eq(line.state, LINE_STALLED);
}
END_TEST

START_TEST(a_line_returns_when_its_driver_holds_fewer)
{
	struct packet *p = hold_cts();

	tick_until(now + 2 * STALL_MS * SB_MS);
	ck_assert_int_eq(line.state, LINE_STALLED);
	line_give_up(&line, now);
	port_script_set_outq(ports[0].port, 10);
	tick_until(now + 100 * SB_MS);
	ck_assert_int_eq(line.state, LINE_UP);
	port_script_set_outq(ports[0].port, 0);
	port_script_forget(ports[0].port);
	load(p);
	ck_assert(send_whole());
	assert_octets(port_wrote(0), encoded(p));
	packet_put(pool, p);
}
END_TEST

START_TEST(a_driver_that_moves_slowly_does_not_stall)
{
	hold_cts();
	for (int held = 200; held > 100; held--) { /* more than the lead: there is no room at all */
		port_script_set_outq(ports[0].port, held);
		tick_until(now + SB_SEC / 2);
		ck_assert_int_eq(line.state, LINE_UP);
	}
	for (int held = 63; held > 0; held--) {
		port_script_set_outq(ports[0].port, held);
		tick_until(now + SB_SEC / 2);
		ck_assert_int_eq(line.state, LINE_UP);
	}
}
END_TEST

/* --- carrier --- */

enum { LOOK_MS = 100 };

static void carrier(bool on)
{
	port_script_set_modem_lines(ports[0].port, PORT_CTS | (on ? PORT_DCD : 0));
}

static void open_with_modem_lines(int lines)
{
	ports[0].modem_lines = lines;
	open_line();
}

START_TEST(a_carrier_that_was_never_seen_is_ignored)
{
	open_with_modem_lines(PORT_CTS);
	ck_assert(!tick_until(now + 10 * SB_SEC));
	ck_assert_int_eq(line.state, LINE_UP);
}
END_TEST

START_TEST(B086_a_port_without_modem_lines_is_not_looked_at)
{
	open_with_modem_lines(-1);
	ck_assert_int_eq(line_deadline(&line, now), SB_NEVER);
	now += 10 * SB_SEC;
	ck_assert(!tick());
	ck_assert_int_eq(line.state, LINE_UP);
}
END_TEST

/* On at the opening, or coming on later: seen is seen. */
START_TEST(a_carrier_that_is_lost_takes_the_line_out)
{
	struct packet *p = new_packet();

	open_with_modem_lines(_i ? PORT_CTS : PORT_CTS | PORT_DCD);
	carrier(true);
	ck_assert(!tick_until(now + SB_SEC));
	load(p);
	send_part();
	carrier(false);
	ck_assert(tick_until(now + LOOK_MS * SB_MS));
	ck_assert_int_eq(line.state, LINE_NO_CARRIER);
	ck_assert_str_eq(line.reason, "no carrier");
	ck_assert_str_eq(line_state_name(line.state), "no carrier");
	ck_assert_ptr_nonnull(line.port);
	ck_assert_ptr_eq(line_give_up(&line, now), p);
	packet_put(pool, p);
	carrier(true);
	ck_assert(tick_until(now + LOOK_MS * SB_MS));
	ck_assert_int_eq(line.state, LINE_UP);
}
END_TEST

START_TEST(B078_each_flap_is_counted_and_none_sticks)
{
	open_with_modem_lines(PORT_CTS);
	for (int i = 0; i < 5; i++) {
		carrier(true);
		tick_until(now + 200 * SB_MS);
		ck_assert_int_eq(line.state, LINE_UP);
		carrier(false);
		tick_until(now + 200 * SB_MS);
		ck_assert_int_eq(line.state, LINE_NO_CARRIER);
	}
	carrier(true);
	tick_until(now + 200 * SB_MS);
	ck_assert_int_eq(line.state, LINE_UP);
	ck_assert_uint_eq(line.counters.downs, 5);
	ck_assert_uint_eq(line.counters.openings, 1);
}
END_TEST

START_TEST(the_next_call_has_to_show_its_own_carrier)
{
	open_with_modem_lines(PORT_DCD);
	line_close(&line, now, "hung up");
	open_with_modem_lines(0);
	ck_assert(!tick_until(now + 10 * SB_SEC));
	ck_assert_int_eq(line.state, LINE_UP);
}
END_TEST

/* Blocked, then without carrier, then writable, then with carrier: nothing is left of the block. */
START_TEST(a_block_does_not_outlast_the_loss_of_carrier)
{
	ports[0].modem_lines = PORT_DCD;
	block();
	carrier(false);
	tick_until(now + LOOK_MS * SB_MS);
	ck_assert_int_eq(line.state, LINE_NO_CARRIER);
	line_give_up(&line, now);
	line_writable(&line, now);
	tick_until(now + 5 * SB_SEC);
	carrier(true);
	tick_until(now + LOOK_MS * SB_MS);
	ck_assert_int_eq(line.state, LINE_UP);
	tick_until(now + 5 * SB_SEC);
	ck_assert_int_eq(line.state, LINE_UP);
}
END_TEST

START_TEST(a_block_that_lasts_is_timed_anew)
{
	sb_time back;

	ports[0].modem_lines = PORT_DCD;
	block();
	carrier(false);
	tick_until(now + 5 * SB_SEC);
	line_give_up(&line, now);
	carrier(true);
	back = now;
	tick_until(back + STALL_MS * SB_MS);
	ck_assert_int_eq(line.state, LINE_UP);
	tick_until(back + (STALL_MS + LOOK_MS) * SB_MS);
	ck_assert_int_eq(line.state, LINE_STALLED);
	ck_assert(line.wants_write);
}
END_TEST

static void add_stalls(Suite *suite)
{
	TCase *stalls = new_case(suite, "stalls");

	tcase_add_test(stalls, a_port_that_takes_nothing_stalls_the_line);
	tcase_add_test(stalls, a_slow_line_has_more_time);
	tcase_add_test(stalls, a_stalled_line_returns_when_it_is_writable_with_a_new_frame);
	tcase_add_test(stalls, a_port_that_takes_characters_at_the_last_moment_does_not_stall);
	tcase_add_test(stalls, a_stalled_line_that_hangs_up_is_down_once);
	tcase_add_test(stalls, a_driver_that_keeps_what_it_has_stalls_the_line);
	tcase_add_test(stalls, a_line_returns_when_its_driver_holds_fewer);
	tcase_add_test(stalls, a_driver_that_moves_slowly_does_not_stall);
}

static void add_carrier(Suite *suite)
{
	TCase *carriers = new_case(suite, "carrier");

	tcase_add_test(carriers, a_carrier_that_was_never_seen_is_ignored);
	tcase_add_test(carriers, B086_a_port_without_modem_lines_is_not_looked_at);
	tcase_add_loop_test(carriers, a_carrier_that_is_lost_takes_the_line_out, 0, 2);
	tcase_add_test(carriers, B078_each_flap_is_counted_and_none_sticks);
	tcase_add_test(carriers, the_next_call_has_to_show_its_own_carrier);
	tcase_add_test(carriers, a_block_does_not_outlast_the_loss_of_carrier);
	tcase_add_test(carriers, a_block_that_lasts_is_timed_anew);
}

int main(void)
{
	Suite *suite = suite_create("line_stall");

	add_stalls(suite);
	add_carrier(suite);
	return run_suite(suite);
}
