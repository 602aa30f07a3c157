/* SPDX-License-Identifier: MIT */
/* A line opens, receives and sends, and is opened again. */
#define _DEFAULT_SOURCE
#include "tests/unit/line_testing.h"

/* --- opening --- */

START_TEST(opening_is_tried_again_later_and_later)
{
	static const int delays_ms[] = {100, 200, 400, 800, 1000, 1000};

	port_refuses(0, PORT_NO_DEVICE, "no such device");
	ck_assert_int_eq(line_deadline(&line, now), now);
	for (size_t i = 0; i < sizeof delays_ms / sizeof delays_ms[0]; i++) {
		ck_assert(!line_open(&line, NULL, now));
		ck_assert_int_eq(line.state, LINE_DOWN);
		ck_assert_int_eq(line_deadline(&line, now), now + delays_ms[i] * SB_MS);
		now = line_deadline(&line, now);
	}
	ck_assert_int_eq(line.refusal.status, PORT_NO_DEVICE);
	ck_assert_str_eq(line.refusal.text, "no such device");
	ck_assert_uint_eq(line.counters.openings, 0);
	port_is_back(0);
	open_line();
	ck_assert_int_eq(line.refusal.status, PORT_OK);
	ck_assert_uint_eq(line.counters.openings, 1);
	ck_assert_uint_eq(line.counters.downs, 0);
}
END_TEST

/* Each try is a new program, which says on our standard error why it fails. */
START_TEST(a_command_that_fails_is_tried_less_and_less_often)
{
	sb_time start = now;
	unsigned tries;

	strcpy(line.config.device, "exec:0");
	for (tries = 0; now < start + 600 * SB_SEC; tries++) {
		open_line();
		port_script_hang_up(ports[0].port);
		line_read(&line, now);
		ck_assert_int_eq(line.state, LINE_DOWN);
		ck_assert_int_le(line_deadline(&line, now), now + 30 * SB_SEC);
		now = line_deadline(&line, now);
	}
	ck_assert_uint_ge(tries, 20);
	ck_assert_uint_le(tries, 30); /* 9 until half a minute is reached, then two a minute */
	open_line();
	now += SB_SEC;
	line_close(&line, now, "hung up");
	ck_assert_int_eq(line_deadline(&line, now), now + 100 * SB_MS);
}
END_TEST

START_TEST(a_line_that_was_up_for_a_while_is_tried_again_soon)
{
	port_refuses(0, PORT_NO_DEVICE, "no such device");
	for (int i = 0; i < 5; i++, now = line_deadline(&line, now))
		ck_assert(!line_open(&line, NULL, now));
	port_is_back(0);
	open_line();
	now += SB_SEC;
	line_close(&line, now, "hung up");
	ck_assert_int_eq(line_deadline(&line, now), now + 100 * SB_MS);
}
END_TEST

/* B072 for a port: one that opens and hangs up at once is not opened ten times a second. */
START_TEST(B072_a_line_that_hangs_up_at_once_is_tried_later_and_later)
{
	static const int delays_ms[] = {100, 200, 400, 800, 1000, 1000};

	for (size_t i = 0; i < sizeof delays_ms / sizeof delays_ms[0]; i++) {
		open_line();
		port_script_hang_up(ports[0].port);
		line_read(&line, now);
		ck_assert_int_eq(line.state, LINE_DOWN);
		ck_assert_int_eq(line_deadline(&line, now), now + delays_ms[i] * SB_MS);
		now = line_deadline(&line, now);
	}
	ck_assert_uint_eq(line.counters.downs, 6);
}
END_TEST

START_TEST(the_reason_is_that_of_the_outage)
{
	port_refuses(0, PORT_IN_USE, "in use, by another program");
	line_open(&line, NULL, now);
	ck_assert_str_eq(line.reason, "in use, by another program");
	port_refuses(0, PORT_NO_DEVICE, "no such device");
	line_open(&line, NULL, now);
	ck_assert_str_eq(line.reason, "no such device");
	port_is_back(0);
	open_line();
	port_script_hang_up(ports[0].port);
	line_read(&line, now);
	port_refuses(0, PORT_NO_DEVICE, "no such device");
	line_open(&line, NULL, now);
	ck_assert_str_eq(line.reason, "hung up");
	ck_assert_str_eq(line.refusal.text, "no such device");
	ck_assert_str_eq(line_state_name(line.state), "down");
}
END_TEST

START_TEST(opening_again_starts_afresh)
{
	struct packet *p = new_packet();
	struct bytes wire = encoded(p), packet;

	open_line();
	feed(bytes_of(wire.at, 200));
	ck_assert(!receive(&packet));
	port_script_hang_up(ports[0].port);
	line_read(&line, now);
	ck_assert_int_eq(line.state, LINE_DOWN);
	ck_assert_ptr_null(line.port);
	line_read(&line, now);
	now += SB_SEC;
	open_line();
	feed(bytes_skip(wire, 1)); /* without its first END, it would be the rest of the other */
	ck_assert(receive(&packet));
	assert_octets(packet, packet_bytes(p));
	ck_assert_uint_eq(line.counters.openings, 2);
	ck_assert_uint_eq(line.counters.packets_in, 1);
	ck_assert_uint_eq(line.call_in, 200);
	ck_assert_uint_eq(meter_read(&line.in, now).total, 200 + wire.length - 1);
	packet_put(pool, p);
}
END_TEST

/* --- receiving --- */

START_TEST(packets_are_received_however_they_are_cut)
{
	struct packet *p = new_packet();
	struct bytes wire = encoded(p), packet;

	open_line();
	for (size_t i = 0; i < wire.length; i++) {
		feed(bytes_of(wire.at + i, 1));
		ck_assert_int_eq(receive(&packet), i == wire.length - 1);
	}
	assert_octets(packet, packet_bytes(p));
	ck_assert(!receive(&packet));
	packet_put(pool, p);
}
END_TEST

/* A far end that never stops does not keep the program from its other work. */
START_TEST(a_flood_is_read_in_turns)
{
	static uint8_t flood[20000];
	struct bytes packet;
	unsigned turns = 0;

	open_line();
	memset(flood, 0x55, sizeof flood);
	port_script_feed(ports[0].port, bytes_of(flood, sizeof flood));
	for (uint64_t total = 0; total < sizeof flood; turns++) {
		line_read(&line, now);
		ck_assert(!receive(&packet));
		ck_assert_uint_le(meter_read(&line.in, now).total - total, 4096);
		total = meter_read(&line.in, now).total;
	}
	ck_assert_uint_ge(turns, 5);
	ck_assert_int_eq(line.state, LINE_UP);
}
END_TEST

/* --- sending --- */

/* Of all that a program can write, as much as the fastest of serial ports would bring. */
START_TEST(a_flood_without_end_is_read_as_fast_as_a_port_would_be)
{
	static uint8_t flood[65536];
	const sb_time end = now + SB_SEC;
	struct bytes packet;
	uint64_t got;

	open_line();
	memset(flood, 0x55, sizeof flood);
	while (now < end) {
		port_script_feed(ports[0].port, bytes_of(flood, 4096));
		while (line_wants_read(&line) && now < end) {
			got = meter_read(&line.in, now).total;
			line_read(&line, now);
			ck_assert(!receive(&packet));
			if (meter_read(&line.in, now).total == got)
				break;
		}
		if (!line_wants_read(&line)) {
			ck_assert_int_gt(line_deadline(&line, now), now);
			now = line_deadline(&line, now);
			line_tick(&line, now);
		}
	}
	got = meter_read(&line.in, now).total;
	ck_assert_uint_ge(got, 1900000);
	ck_assert_uint_le(got, 2100000);
}
END_TEST

START_TEST(the_lead_is_kept)
{
	struct packet *p = new_packet();
	size_t lead = 64, length;

	open_line();
	load(p);
	length = line_unsent(&line);
	send_part();
	ck_assert_uint_eq(port_wrote(0).length, lead);
	send_part();
	ck_assert_uint_eq(port_wrote(0).length, lead);
	ck_assert_int_eq(line_deadline(&line, now), now + lead / 2 * 10 * SB_SEC / BPS);
	now = line_deadline(&line, now);
	send_part();
	ck_assert_uint_eq(port_wrote(0).length, lead + lead / 2);
	ck_assert_uint_eq(line_unsent(&line), length - port_wrote(0).length);
	ck_assert(send_whole());
	assert_octets(port_wrote(0), encoded(p));
	ck_assert(line_needs_frame(&line));
	ck_assert_uint_eq(line.counters.packets_out, 1);
	ck_assert_uint_eq(line.counters.cut_frames, 0);
	ck_assert_uint_eq(meter_read(&line.out, now).total, length);
	ck_assert_uint_eq(meter_read(&line.starved, now).total, 0);
	packet_put(pool, p);
}
END_TEST

START_TEST(a_packet_of_the_mtu_of_nothing_but_escapes)
{
	struct packet *p = packet_get(pool);

	open_line();
	p->length = MTU;
	memset(p->data, SLIP_ESC, MTU);
	load(p);
	ck_assert_uint_eq(line_unsent(&line), 2 * MTU + 2);
	ck_assert(send_whole());
	assert_octets(port_wrote(0), encoded(p));
	packet_put(pool, p);
}
END_TEST

/* Whatever the port takes at a time, and however often it is full. */
START_TEST(B083_a_port_that_takes_few_characters_at_a_time)
{
	struct packet *p = new_packet();
	bool done = false;
	size_t length, refusals = 0;

	open_line();
	port_script_limit(ports[0].port, 0, 7);
	load(p);
	length = line_unsent(&line);
	while (!done) {
		ck_assert_uint_eq(port_wrote(0).length, length - line_unsent(&line));
		ck_assert_ptr_eq(line.packet, p);
		done = send_whole();
		if (done)
			break;
		ck_assert(line.wants_write);
		ck_assert_uint_gt(line_unsent(&line), 0);
		port_script_limit(ports[0].port, 20, 7);
		refusals++;
		now += 20 * 10 * SB_SEC / BPS;
		line_writable(&line, now);
		ck_assert(!line.wants_write);
	}
	assert_octets(port_wrote(0), encoded(p));
	ck_assert_uint_gt(refusals, length / 20);
	ck_assert_uint_eq(meter_read(&line.starved, now).total, 0);
	packet_put(pool, p);
}
END_TEST

START_TEST(a_hang_up_in_mid_frame_gives_the_packet_back)
{
	struct packet *p = new_packet();

	open_line();
	load(p);
	send_part();
	port_script_hang_up(ports[0].port);
	ck_assert(!send_whole());
	ck_assert_int_eq(line.state, LINE_DOWN);
	ck_assert_str_eq(line.reason, "hung up");
	ck_assert_int_eq(line_deadline(&line, now), line.retry_at);
	ck_assert_ptr_eq(line_give_up(&line, now), p);
	ck_assert_ptr_null(line_give_up(&line, now));
	ck_assert_uint_eq(line.counters.cut_frames, 1);
	ck_assert_uint_eq(line.counters.packets_out, 0);
	ck_assert_uint_eq(line.counters.downs, 1);
	packet_put(pool, p);
}
END_TEST

START_TEST(a_frame_that_had_not_begun_is_not_cut)
{
	struct packet *p = new_packet();

	open_line();
	load(p);
	line_close(&line, now, "hung up");
	ck_assert_ptr_eq(line_give_up(&line, now), p);
	ck_assert_uint_eq(line.counters.cut_frames, 0);
	packet_put(pool, p);
}
END_TEST

/* Our own lateness is told from a port that is slow. */
START_TEST(E24_a_late_call_in_mid_frame_is_starving)
{
	struct packet *p = new_packet();

	open_line();
	load(p);
	line_send(&line, now);
	now = line.clock.busy_until + 30 * SB_MS;
	line_send(&line, now);
	ck_assert_uint_eq(meter_read(&line.starved, now).total, 30 * SB_MS);
}
END_TEST

START_TEST(E24_a_late_next_packet_is_not)
{
	struct packet *p = new_packet();

	open_line();
	load(p);
	ck_assert(send_whole());
	now = line.clock.busy_until + 30 * SB_MS;
	load(p);
	line_send(&line, now);
	ck_assert_uint_eq(meter_read(&line.starved, now).total, 0);
}
END_TEST

static void add_life(Suite *suite)
{
	TCase *opening = new_case(suite, "opening"), *receiving = new_case(suite, "receiving");

	tcase_add_test(opening, opening_is_tried_again_later_and_later);
	tcase_add_test(opening, a_command_that_fails_is_tried_less_and_less_often);
	tcase_add_test(opening, a_line_that_was_up_for_a_while_is_tried_again_soon);
	tcase_add_test(opening, B072_a_line_that_hangs_up_at_once_is_tried_later_and_later);
	tcase_add_test(opening, the_reason_is_that_of_the_outage);
	tcase_add_test(opening, opening_again_starts_afresh);
	tcase_add_test(receiving, packets_are_received_however_they_are_cut);
	tcase_add_test(receiving, a_flood_is_read_in_turns);
	tcase_add_test(receiving, a_flood_without_end_is_read_as_fast_as_a_port_would_be);
}

static void add_sending(Suite *suite)
{
	TCase *sending = new_case(suite, "sending");

	tcase_add_test(sending, the_lead_is_kept);
	tcase_add_test(sending, a_packet_of_the_mtu_of_nothing_but_escapes);
	tcase_add_test(sending, B083_a_port_that_takes_few_characters_at_a_time);
	tcase_add_test(sending, a_hang_up_in_mid_frame_gives_the_packet_back);
	tcase_add_test(sending, a_frame_that_had_not_begun_is_not_cut);
	tcase_add_test(sending, E24_a_late_call_in_mid_frame_is_starving);
	tcase_add_test(sending, E24_a_late_next_packet_is_not);
}

int main(void)
{
	Suite *suite = suite_create("line");

	add_life(suite);
	add_sending(suite);
	return run_suite(suite);
}
