/* SPDX-License-Identifier: MIT */
/* The scripted port keeps to its own contract, and to that of port.h. */
#define _GNU_SOURCE

#include "src/port.h"
#include "src/port_script.h"

#include "pty_testing.h"

#include <poll.h>

enum { TRANSFER = 32 * 1024 };

static short polled(struct port *port)
{
	struct pollfd p = {.fd = port_fd(port), .events = POLLIN | POLLOUT};
	ck_assert_int_ge(poll(&p, 1, 0), 0);
	return p.revents & (POLLIN | POLLOUT);
}

START_TEST(a_script_reads_what_is_fed)
{
	uint8_t at[8];
	struct port *port = port_script_new();
	ck_assert_str_eq(port_backend(port), "script");
	ck_assert_int_eq(polled(port), POLLOUT);
	ck_assert_int_eq(port_read(port, at, sizeof at), 0);
	port_script_feed(port, bytes_of("abc", 3));
	ck_assert_int_eq(polled(port), POLLIN | POLLOUT);
	ck_assert_int_eq(port_read(port, at, 2), 2);
	port_script_hang_up(port);
	ck_assert_int_eq(port_write(port, bytes_of("x", 1)), -1);
	ck_assert_int_eq(port_read(port, at + 2, 6), 1);
	ck_assert_mem_eq(at, "abc", 3);
	ck_assert_int_eq(port_read(port, at, 1), -1);
	port_close(port);
}
END_TEST

START_TEST(B083_a_script_takes_what_it_has_room_for)
{
	static uint8_t out[TRANSFER];
	struct port *port = port_script_new();
	size_t sent = 0;
	unsigned refusals = 0;
	fill_random(out, sizeof out);
	port_script_limit(port, 0, 7);
	ck_assert_int_eq(polled(port), 0);
	while (sent < sizeof out) {
		ssize_t n = port_write(port, bytes_of(out + sent, sizeof out - sent));
		ck_assert_int_le(n, 7);
		ck_assert_int_ge(n, 0);
		sent += (size_t)n;
		if (n > 0)
			continue;
		refusals++;
		ck_assert_int_eq(polled(port), 0);
		port_script_limit(port, 1000, 7);
		ck_assert_int_eq(polled(port), POLLOUT);
	}
	ck_assert_uint_eq(refusals, (TRANSFER + 999) / 1000);
	struct bytes written = port_script_written(port);
	ck_assert_uint_eq(written.length, sizeof out);
	ck_assert_mem_eq(written.at, out, sizeof out);
	port_script_forget(port);
	ck_assert_uint_eq(port_script_written(port).length, 0);
	port_close(port);
}
END_TEST

START_TEST(a_script_has_the_facts_it_is_given)
{
	struct port *port = port_script_new();
	struct port_icounts counts;
	ck_assert_int_eq(port_modem_lines(port), -1);
	ck_assert_int_eq(port_outq(port), -1);
	ck_assert(!port_icounts(port, &counts));
	port_script_set_modem_lines(port, PORT_DCD | PORT_CTS);
	port_script_set_outq(port, 42);
	port_script_set_icounts(port, &(struct port_icounts){.overruns = 3, .breaks = 1});
	ck_assert_int_eq(port_modem_lines(port), PORT_DCD | PORT_CTS);
	ck_assert_int_eq(port_outq(port), 42);
	ck_assert(port_icounts(port, &counts));
	ck_assert_uint_eq(counts.overruns, 3);
	ck_assert_uint_eq(counts.breaks, 1);
	port_close(port);
}
END_TEST

START_TEST(a_script_has_dtr_and_break_where_it_has_modem_lines)
{
	struct port *port = port_script_new();
	ck_assert(!port_set_dtr(port, false));
	ck_assert(!port_set_break(port, true));
	ck_assert(port_script_dtr(port));
	ck_assert(!port_script_break(port));
	port_script_set_modem_lines(port, 0);
	ck_assert(port_set_dtr(port, false));
	ck_assert(port_set_break(port, true));
	ck_assert(!port_script_dtr(port));
	ck_assert(port_script_break(port));
	ck_assert(port_set_dtr(port, true));
	ck_assert(port_set_break(port, false));
	ck_assert(port_script_dtr(port));
	ck_assert(!port_script_break(port));
	port_close(port);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("port_script");
	TCase *script = tcase_create("script");
	tcase_add_test(script, a_script_reads_what_is_fed);
	tcase_add_test(script, B083_a_script_takes_what_it_has_room_for);
	tcase_add_test(script, a_script_has_the_facts_it_is_given);
	tcase_add_test(script, a_script_has_dtr_and_break_where_it_has_modem_lines);
	suite_add_tcase(suite, script);

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed;
}
