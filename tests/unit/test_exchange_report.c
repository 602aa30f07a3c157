/* SPDX-License-Identifier: MIT */
/* How a bundle starts, what it says, and what its report shows. */
#define _DEFAULT_SOURCE
#include "tests/unit/exchange_world.h"
#include "tests/unit/output_testing.h"

enum { FAST = 115200, SLOW = 9600 };

/* --- starting --- */

static const struct {
	enum port_status line[3];
	enum exit_status start;
	unsigned lines_up;
} starts[] = {
	{{PORT_OK, PORT_OK, PORT_OK}, EXIT_FINE, 3},
	{{PORT_NO_DEVICE, PORT_OK, PORT_IN_USE}, EXIT_FINE, 1},
	{{PORT_IN_USE, PORT_NO_DEVICE, PORT_NO_PERMISSION}, EXIT_IN_USE, 0},
	{{PORT_NO_PERMISSION, PORT_FAILED, PORT_FAILED}, EXIT_PERMISSION, 0},
	{{PORT_OK, PORT_NOT_A_TTY, PORT_OK}, EXIT_NO_DEVICE, 1},
	{{PORT_NO_DEVICE, PORT_OK, PORT_BAD_SETTING}, EXIT_FAILED, 1},
};
enum { STARTS = sizeof starts / sizeof starts[0] };

START_TEST(starting_needs_one_line_and_none_that_will_never_do)
{
	world_new(3, FAST, LOG_ERROR);
	for (unsigned i = 0; i < 3; i++)
		port_refuses(i, starts[_i].line[i], "not for you");
	ck_assert_int_eq(exchange_start(w.exchange, w.now), starts[_i].start);
	ck_assert_uint_eq(world_report()->lines_up, starts[_i].lines_up);
	world_end();
}
END_TEST

START_TEST(B080_a_line_that_never_opens_delays_nothing)
{
	world_new(4, FAST, LOG_ERROR);
	port_refuses(2, PORT_NO_DEVICE, "no such device");
	ck_assert_int_eq(exchange_start(w.exchange, w.now), EXIT_FINE);
	for (unsigned i = 0; i < 100; i += 10) {
		kernel_sends(i, i + 10);
		world_run(SB_SEC);
	}
	peer_receives(0), peer_receives(1), peer_receives(3);
	assert_arrived_once(0, 100);
	ck_assert_uint_eq(world_report()->lines_up, 3);
	ck_assert_str_eq(w.lines[2].state, "down");
	ck_assert_str_eq(w.lines[2].reason, "no such device");
	/* At 0, .1, .3, .7, 1.5, 2.5, and so on each second. */
	ck_assert_uint_eq(ports[2].tries, 4 + 9);
	world_end();
}
END_TEST

START_TEST(lines_are_tried_at_once_when_asked)
{
	world_start(1, FAST);
	unplug(0);
	world_run(10 * SB_SEC);
	port_is_back(0);
	exchange_retry_now(w.exchange, w.now);
	ck_assert_int_le(exchange_deadline(w.exchange, w.now), w.now);
	world_turn();
	ck_assert_uint_eq(world_report()->lines_up, 1);
	ck_assert_uint_eq(exchange_watch_line(w.exchange, 0).openings, 2);
	ck_assert_int_eq(exchange_watch_line(w.exchange, 0).fd, port_fd(ports[0].port));
	world_end();
}
END_TEST

/* --- messages --- */

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
		n++;
	return n;
}

START_TEST(each_event_is_one_message)
{
	char text[4096];
	struct output out = output_begin(STDERR_FILENO);

	world_new(2, FAST, LOG_INFO);
	exchange_start(w.exchange, w.now);
	world_run(SB_SEC);
	unplug(0);
	world_run(10 * SB_SEC);
	port_refuses(0, PORT_IN_USE, "in use, by pid 1");
	world_run(10 * SB_SEC);
	world_report();
	ck_assert_str_eq(w.lines[0].reason, "hung up");
	port_is_back(0);
	world_run(SB_SEC);
	world_end();
	output_end(&out, text, sizeof text);
	ck_assert_uint_eq(count(text, "tty0: up, 115200 bps\n"), 2);
	ck_assert_uint_eq(count(text, "warning: tty0: down: hung up; 1 of 2 lines up\n"), 1);
	ck_assert_uint_eq(count(text, "tty0: no such device; trying again"), 1);
	ck_assert_uint_eq(count(text, "tty0: in use, by pid 1; trying again"), 1);
	ck_assert_uint_eq(count(text, "tty1: "), 1);
	ck_assert_uint_eq(count(text, "\n"), 6);
}
END_TEST

/* It is told at once that it stalls, and is in use all the same. */
START_TEST(line_that_is_held_by_its_downdelay_is_not_said_to_be_up)
{
	char text[4096];
	struct output out = output_begin(STDERR_FILENO);

	world_configure(2, FAST);
	w.config.monitor = (struct monitor_config){.miimon = 100 * SB_MS, .downdelay = 60 * SB_SEC};
	world_create(LOG_INFO);
	exchange_start(w.exchange, w.now);
	world_run(SB_SEC);
	port_script_limit(ports[0].port, 0, SIZE_MAX);
	kernel_sends(0, 10);
	world_run(10 * SB_SEC);
	ck_assert_uint_eq(world_report()->lines_up, 2);
	world_end();
	output_end(&out, text, sizeof text);
	ck_assert_uint_eq(count(text, "warning: tty0: stalled: "), 1);
	ck_assert_uint_eq(count(text, "; 1 of 2 lines up\n"), 1);
}
END_TEST

static const struct {
	const char *lock_dir;
	unsigned warnings;
} lock_dirs[] = {{"", 0}, {"/tmp", 0}, {"/nonexistent", 1}, {"/dev/null", 1}};
enum { LOCK_DIRS = sizeof lock_dirs / sizeof lock_dirs[0] };

START_TEST(lock_files_that_cannot_be_made_are_missed_once)
{
	char text[4096];
	struct output out = output_begin(STDERR_FILENO);

	world_configure(2, FAST);
	strcpy(w.config.lock_dir, lock_dirs[_i].lock_dir);
	world_create(LOG_WARN);
	exchange_start(w.exchange, w.now);
	world_run(SB_SEC);
	world_end();
	output_end(&out, text, sizeof text);
	ck_assert_uint_eq(count(text, "no lock files are made, since "), lock_dirs[_i].warnings);
	ck_assert_uint_eq(count(text, "\n"), lock_dirs[_i].warnings);
}
END_TEST

START_TEST(E11_compressed_headers_are_warned_of_once)
{
	char text[4096];
	struct output out = output_begin(STDERR_FILENO);

	world_new(2, FAST, LOG_WARN);
	exchange_start(w.exchange, w.now);
	for (int i = 0; i < 100; i++) {
		port_script_feed(ports[0].port, hex("c0 8b 12 34 56 78 c0"));
		world_run(10 * SB_MS);
	}
	port_script_feed(ports[1].port, hex("0d 0a 4f 4b 0d 0a"));
	world_run(10 * SB_MS);
	port_script_feed(ports[1].port, hex("0d 0a 4f 4b 0d 0a"));
	world_run(10 * SB_MS);
	ck_assert_uint_eq(world_report()->lines[0].errors[REPORT_COMPRESSED], 100);
	world_end();
	output_end(&out, text, sizeof text);
	ck_assert_uint_eq(count(text, "tty0: the peer compresses TCP headers (CSLIP)"), 1);
	ck_assert_uint_eq(count(text, "tty1: text is arriving instead of packets"), 1);
	ck_assert_uint_eq(count(text, "\n"), 2);
}
END_TEST

/* --- numbers --- */

static uint64_t bytes_between(unsigned from, unsigned to)
{
	uint64_t sum = 0;

	for (unsigned i = from; i < to; i++)
		sum += length_of(i);
	return sum;
}

START_TEST(what_goes_out_is_reported)
{
	uint64_t wrote[2];

	world_start(2, FAST);
	kernel_sends(0, 20);
	world_run(3 * SB_SEC);
	for (unsigned i = 0; i < 2; i++)
		wrote[i] = port_wrote(i).length;
	world_report();
	ck_assert_str_eq(w.report.ifname, "sb0");
	ck_assert_int_eq(w.report.uptime, 3 * SB_SEC);
	ck_assert_uint_eq(w.report.line_count, 2);
	ck_assert_uint_eq(w.report.out.packets, 20);
	ck_assert_uint_eq(w.report.out.rates.total, bytes_between(0, 20));
	ck_assert_uint_eq(w.report.queue_bytes, 0);
	ck_assert_int_eq(w.report.queue_age, 0);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_uint_eq(w.lines[i].out.rates.total, wrote[i]);
		ck_assert_uint_eq(w.lines[i].out.call_bytes, wrote[i]);
		ck_assert_uint_eq(w.lines[i].out.packets, peer_receives(i));
	}
	ck_assert_uint_eq(w.lines[0].out.packets + w.lines[1].out.packets, 20);
	for (unsigned i = 0; i < REPORT_DROPS; i++)
		ck_assert_uint_eq(w.report.drops[i], 0);
	world_end();
}
END_TEST

START_TEST(what_comes_in_is_reported)
{
	static const char junk[] = "c0 45 db 41 c0 15 c0 45 c0 70 00 c0 70 00 c0";

	world_start(2, FAST);
	peer_sends(1, 0, 20);
	port_script_feed(ports[1].port, hex(junk));
	port_script_set_icounts(ports[1].port, &(struct port_icounts){1, 2, 3, 4});
	world_run(SB_SEC);
	ck_assert_uint_eq(kernel_receives(), 20);
	world_report();
	ck_assert_uint_eq(w.report.in.packets, 20);
	ck_assert_uint_eq(w.report.in.rates.total, bytes_between(0, 20));
	ck_assert_uint_eq(w.lines[1].in.packets, 20);
	ck_assert_uint_eq(w.lines[0].in.packets, 0);
	static const uint64_t errors[REPORT_ERRORS] = {
		[REPORT_BAD_FRAMING] = 1, [REPORT_NOT_IP] = 1,  [REPORT_BAD_LENGTH] = 1,
		[REPORT_COMPRESSED] = 2,  [REPORT_OVERRUN] = 1, [REPORT_UART_FRAMING] = 2,
		[REPORT_UART_PARITY] = 3, [REPORT_BREAK] = 4,
	};
	for (unsigned i = 0; i < REPORT_ERRORS; i++) {
		ck_assert_uint_eq(w.lines[1].errors[i], errors[i]);
		ck_assert_uint_eq(w.lines[0].errors[i], 0);
	}
	world_end();
}
END_TEST

/* B120: by call and for the life of the program. */
START_TEST(B120_a_line_has_totals_of_the_call_and_of_all)
{
	uint64_t first, second;

	world_start(1, FAST);
	kernel_sends(0, 5);
	world_run(SB_SEC);
	first = port_wrote(0).length;
	unplug(0);
	world_run(SB_SEC);
	world_report();
	ck_assert(!w.lines[0].up);
	ck_assert_str_eq(w.lines[0].state, "down");
	ck_assert_str_eq(w.lines[0].reason, "hung up");
	ck_assert_int_eq(w.lines[0].since, SB_SEC);
	port_is_back(0);
	world_run(2 * SB_SEC);
	kernel_sends(5, 8);
	world_run(SB_SEC);
	second = port_wrote(0).length;
	world_report();
	ck_assert(w.lines[0].up);
	ck_assert_str_eq(w.lines[0].name, "tty0");
	ck_assert_str_eq(w.lines[0].state, "up");
	ck_assert_uint_eq(w.lines[0].bps, FAST);
	ck_assert_uint_eq(w.lines[0].downs, 1);
	ck_assert_uint_eq(w.lines[0].out.packets, 8);
	ck_assert_uint_eq(w.lines[0].out.rates.total, first + second);
	ck_assert_uint_eq(w.lines[0].out.call_bytes, second);
	world_end();
}
END_TEST

/* --- what limits the traffic --- */

/* Enough for some 30 s, less what CoDel takes out. */
static void backlog(void)
{
	for (unsigned i = 0; i < 100; i++)
		kernel_sends(i, i + 1);
}

START_TEST(E24_the_host_is_the_limit_when_the_loop_is_late)
{
	world_start(2, SLOW);
	ck_assert_int_eq(world_report()->verdict.limit, VERDICT_NOTHING);
	backlog();
	world_run_late(3 * SB_SEC, 200 * SB_MS);
	ck_assert_int_eq(world_report()->verdict.limit, VERDICT_HOST);
	backlog();
	world_run(4 * SB_SEC);
	ck_assert_int_eq(world_report()->verdict.limit, VERDICT_LINE);
	world_run(60 * SB_SEC);
	ck_assert_int_eq(world_report()->verdict.limit, VERDICT_NOTHING);
	world_end();
}
END_TEST

START_TEST(E24_the_lines_are_the_limit_when_they_are_busy)
{
	world_start(2, SLOW);
	backlog();
	world_run(3 * SB_SEC);
	ck_assert_int_eq(world_report()->verdict.limit, VERDICT_LINE);
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
	Suite *suite = suite_create("exchange_report");
	TCase *starting = new_case(suite, "starting"), *messages = new_case(suite, "messages");
	TCase *numbers = new_case(suite, "numbers"), *limits = new_case(suite, "limits");

	tcase_add_loop_test(starting, starting_needs_one_line_and_none_that_will_never_do, 0,
			    STARTS);
	tcase_add_test(starting, B080_a_line_that_never_opens_delays_nothing);
	tcase_add_test(starting, lines_are_tried_at_once_when_asked);
	tcase_add_test(messages, each_event_is_one_message);
	tcase_add_test(messages, line_that_is_held_by_its_downdelay_is_not_said_to_be_up);
	tcase_add_loop_test(messages, lock_files_that_cannot_be_made_are_missed_once, 0, LOCK_DIRS);
	tcase_add_test(messages, E11_compressed_headers_are_warned_of_once);
	tcase_add_test(numbers, what_goes_out_is_reported);
	tcase_add_test(numbers, what_comes_in_is_reported);
	tcase_add_test(numbers, B120_a_line_has_totals_of_the_call_and_of_all);
	tcase_add_test(limits, E24_the_host_is_the_limit_when_the_loop_is_late);
	tcase_add_test(limits, E24_the_lines_are_the_limit_when_they_are_busy);
	return run_suite(suite);
}
