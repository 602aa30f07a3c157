/* SPDX-License-Identifier: MIT */
/* A line whose port is open and not ready: a connection that is being made, a program that starts.
 */
#define _DEFAULT_SOURCE
#include "tests/unit/line_testing.h"

static void open_waiting(void)
{
	ports[0].waits = true;
	ck_assert(line_open(&line, NULL, now));
	heed_events();
}

static void become_ready(void)
{
	port_script_set_ready(ports[0].port, true);
	line_writable(&line, now);
	heed_events();
}

START_TEST(it_is_opening_until_its_port_is_ready)
{
	open_waiting();
	ck_assert_int_eq(line.state, LINE_OPENING);
	ck_assert(line.wants_write); /* or nobody would see that it is ready */
	line_writable(&line, now);   /* not yet */
	ck_assert(!tick_until(now + 10 * SB_SEC));
	ck_assert_int_eq(line.state, LINE_OPENING);
	ck_assert(!line_asks(&line, now));
	ck_assert_uint_eq(port_wrote(0).length, 0);

	become_ready();
	ck_assert_int_eq(line.state, LINE_UP);
	ck_assert(!line.wants_write);
	ck_assert(line_asks(&line, now));
	ck_assert_uint_eq(line.counters.downs, 0);
}
END_TEST

/* What is read first shows it as well as that it can be written to. */
START_TEST(what_arrives_at_once_is_received)
{
	struct packet *p = new_packet();
	struct bytes got;

	open_waiting();
	port_script_set_ready(ports[0].port, true);
	feed(encoded(p));
	ck_assert_int_eq(line.state, LINE_OPENING); /* its events are not heeded yet */
	ck_assert(receive(&got));
	assert_octets(got, packet_bytes(p));
	heed_events();
	ck_assert_int_eq(line.state, LINE_UP);
	packet_put(pool, p);
}
END_TEST

START_TEST(one_that_comes_to_nothing_is_tried_again)
{
	open_waiting();
	port_script_hang_up(ports[0].port);
	line_read(&line, now);
	ck_assert_int_eq(line.state, LINE_DOWN);
	ck_assert_str_eq(line.reason, "hung up");
	ck_assert_uint_eq(line.counters.downs, 0); /* it never was up */
	ck_assert(!line.wants_write);
	ck_assert_int_gt(line.retry_at, now);

	now = line.retry_at;
	ports[0].waits = false;
	open_line();
}
END_TEST

START_TEST(it_can_be_closed_meanwhile)
{
	open_waiting();
	if (_i)
		line_end(&line, now, "told to");
	else
		line_close(&line, now, "told to");
	ck_assert_int_eq(line.state, LINE_DOWN);
	ck_assert_str_eq(line.reason, "told to");
	ck_assert_ptr_null(ports[0].port);
	now = line.retry_at;
	ports[0].waits = false;
	open_line();
}
END_TEST

START_TEST(another_encapsulation_waits_too)
{
	open_waiting();
	line_set_encap(&line, encap_slip.new(&(struct encap_config){.config = &all}),
		       bytes_of(NULL, 0), now);
	heed_events();
	ck_assert_int_eq(line.state, LINE_OPENING);
	become_ready();
	ck_assert_int_eq(line.state, LINE_UP);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("line_ready");
	TCase *tcase = new_case(suite, "ready");

	tcase_add_test(tcase, it_is_opening_until_its_port_is_ready);
	tcase_add_test(tcase, what_arrives_at_once_is_received);
	tcase_add_test(tcase, one_that_comes_to_nothing_is_tried_again);
	tcase_add_loop_test(tcase, it_can_be_closed_meanwhile, 0, 2);
	tcase_add_test(tcase, another_encapsulation_waits_too);

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed;
}
