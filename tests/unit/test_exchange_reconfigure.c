/* SPDX-License-Identifier: MIT */
/* Another configuration by its differences, and what is told of all that happens. */
#define _DEFAULT_SOURCE
#include "tests/unit/exchange_world.h"
#include "tests/unit/suite_testing.h"

#include <errno.h>

enum { FAST = 115200 };

static struct config wanted; /* large, for the stack */
static struct exchange_answer told;

static void want_the_same(void)
{
	wanted = w.config;
}

static void reconfigure(void)
{
	exchange_reconfigure(w.exchange, &wanted, w.now, &told);
	ck_assert_int_eq(told.error, 0);
}

static struct line_config *want_line(unsigned number)
{
	struct line_config *l = &wanted.lines[wanted.line_count++];

	*l = w.config.lines[0];
	snprintf(l->device, sizeof l->device, "%u", number);
	snprintf(l->name, sizeof l->name, "tty%u", number);
	return l;
}

static void want_no_line(unsigned i)
{
	wanted.lines[i] = wanted.lines[--wanted.line_count];
}

static const struct report_line *reported(const char *name)
{
	world_report();
	for (unsigned i = 0; i < w.report.line_count; i++)
		if (strcmp(w.lines[i].name, name) == 0)
			return &w.lines[i];
	return NULL;
}

static void start(void)
{
	world_start(3, FAST);
	world_run(SB_SEC);
	want_the_same();
}

static void assert_openings(unsigned a, unsigned b, unsigned c)
{
	ck_assert_uint_eq(ports[0].openings, a);
	ck_assert_uint_eq(ports[1].openings, b);
	ck_assert_uint_eq(ports[2].openings, c);
}

/* --- differences --- */

START_TEST(the_same_touches_nothing)
{
	start();
	reconfigure();
	world_run(2 * SB_SEC);
	assert_openings(1, 1, 1);
	ck_assert_uint_eq(world_report()->lines_up, 3);
	ck_assert_str_eq(told.text, "0 lines added, 0 removed, 0 changed, 3 as before");
	world_end();
}
END_TEST

START_TEST(only_the_line_that_changed_bounces)
{
	start();
	wanted.lines[1].baud = 57600;
	reconfigure();
	world_run(2 * SB_SEC);
	assert_openings(1, 2, 1);
	ck_assert_uint_eq(world_report()->lines_up, 3);
	ck_assert_uint_eq(reported("tty1")->baud, 57600);
	ck_assert_uint_eq(reported("tty0")->downs, 0);
	ck_assert_str_eq(told.text, "0 lines added, 0 removed, 1 changed, 2 as before");
	world_end();
}
END_TEST

/* Of how a line is used neither its port nor its peer knows. */
START_TEST(E5_what_only_says_how_a_line_is_used_changes_in_use)
{
	start();
	wanted.lines[1].bps = 9600;
	wanted.lines[2].delay = SB_SEC;
	wanted.lines[2].shape.permille = 500;
	wanted.lines[2].layer = (struct linklayer){.overhead = 8, .cells = CELLS_PTM};
	wanted.lines[2].prio = -1;
	wanted.lines[0].auto_rate = true;
	snprintf(wanted.lines[2].command, sizeof wanted.lines[2].command, "true");
	reconfigure();
	world_run(2 * SB_SEC);
	assert_openings(1, 1, 1);
	ck_assert_uint_eq(reported("tty1")->bps, 9600);
	ck_assert_uint_eq(exchange_config(w.exchange)->lines[2].shape.permille, 500);
	ck_assert(exchange_config(w.exchange)->lines[0].auto_rate);
	ck_assert_str_eq(exchange_config(w.exchange)->lines[2].command, "true");
	reconfigure();
	ck_assert_str_eq(told.text, "0 lines added, 0 removed, 0 changed, 3 as before");
	world_end();
}
END_TEST

START_TEST(lines_are_added_and_removed)
{
	start();
	want_no_line(0);
	want_line(7);
	reconfigure();
	world_run(2 * SB_SEC);
	ck_assert_ptr_null(reported("tty0"));
	ck_assert(reported("tty7")->up);
	ck_assert_ptr_null(ports[0].port);
	assert_openings(1, 1, 1);
	ck_assert_str_eq(told.text, "1 line added, 1 removed, 0 changed, 2 as before");
	world_end();
}
END_TEST

/* The device goes over from one name to the other. */
START_TEST(a_line_by_another_name_is_another_line)
{
	start();
	snprintf(wanted.lines[0].name, sizeof wanted.lines[0].name, "office");
	reconfigure();
	world_run(3 * SB_SEC);
	ck_assert_ptr_null(reported("tty0"));
	ck_assert_ptr_nonnull(reported("office"));
	ck_assert(reported("office")->up);
	assert_openings(2, 1, 1);
	world_end();
}
END_TEST

static void want_device(unsigned line, unsigned device)
{
	snprintf(wanted.lines[line].device, sizeof wanted.lines[line].device, "%u", device);
}

static void assert_up_on(const char *name, const char *device)
{
	ck_assert_msg(reported(name) != NULL, "%s is missing", name);
	ck_assert_msg(reported(name)->up, "%s is %s", name, reported(name)->state);
	ck_assert_str_eq(reported(name)->device, device);
}

/* The new line comes when the old one has left its device; a second reload changes nothing. */
START_TEST(a_device_that_a_line_is_about_to_leave_is_free)
{
	start();
	want_device(0, 5);
	snprintf(want_line(0)->name, CONFIG_NAME_SIZE, "north");
	kernel_sends(0, 9);
	reconfigure();
	ck_assert_str_eq(told.text, "1 line added, 0 removed, 1 changed, 2 as before");
	reconfigure();
	ck_assert_str_eq(told.text, "0 lines added, 0 removed, 0 changed, 4 as before");
	world_run(3 * SB_SEC);
	assert_up_on("tty0", "5");
	assert_up_on("north", "0");
	ck_assert_uint_eq(world_report()->lines_up, 4);
	world_end();
}
END_TEST

START_TEST(lines_swap_their_devices)
{
	start();
	want_device(0, 1);
	want_device(1, 0);
	kernel_sends(0, 9);
	reconfigure();
	ck_assert_str_eq(told.text, "0 lines added, 0 removed, 2 changed, 1 as before");
	world_run(3 * SB_SEC);
	assert_up_on("tty0", "1");
	assert_up_on("tty1", "0");
	assert_openings(2, 2, 1);
	world_end();
}
END_TEST

/* tty0 is gone, tty1 has its device, and a new line that of tty1. */
START_TEST(lines_move_up_by_one)
{
	start();
	want_no_line(0);
	for (unsigned i = 0; i < wanted.line_count; i++)
		if (strcmp(wanted.lines[i].name, "tty1") == 0)
			want_device(i, 0);
	snprintf(want_line(1)->name, CONFIG_NAME_SIZE, "north");
	kernel_sends(0, 9);
	reconfigure();
	ck_assert_str_eq(told.text, "1 line added, 1 removed, 1 changed, 1 as before");
	world_run(3 * SB_SEC);
	ck_assert_ptr_null(reported("tty0"));
	assert_up_on("tty1", "0");
	assert_up_on("north", "1");
	world_end();
}
END_TEST

/* While the line is on its way to the one before: it is the last that counts. */
START_TEST(a_change_of_mind_counts)
{
	start();
	kernel_sends(0, 9);
	want_device(0, 5);
	reconfigure();
	want_device(0, 0);
	reconfigure();
	world_run(3 * SB_SEC);
	assert_up_on("tty0", "0");
	ck_assert_uint_eq(ports[5].openings, 0);
	world_end();
}
END_TEST

START_TEST(a_line_is_disabled_and_enabled)
{
	start();
	wanted.lines[2].enabled = false;
	reconfigure();
	world_run(5 * SB_SEC);
	ck_assert_str_eq(reported("tty2")->state, "down");
	wanted.lines[2].enabled = true;
	reconfigure();
	world_run(SB_SEC);
	ck_assert(reported("tty2")->up);
	assert_openings(1, 1, 2);
	world_end();
}
END_TEST

START_TEST(nothing_is_lost_while_lines_change)
{
	start();
	w.listens = true;
	for (unsigned i = 0; i < 40; i++) {
		kernel_sends(i, i + 1);
		world_run(_i * SB_MS);
		wanted.lines[i % 3].baud = 9600 + i;
		reconfigure();
		world_run(150 * SB_MS);
	}
	world_run(SB_SEC);
	assert_arrived_once(0, 40);
	ck_assert_uint_gt(ports[1].openings, 5);
	world_end();
}
END_TEST

/* --- the rest of it --- */

START_TEST(options_count_at_once_where_they_can)
{
	start();
	ck_assert(w.carrier);
	wanted.min_lines = 4;
	wanted.mtu = 400;
	wanted.hold = 7 * SB_SEC;
	reconfigure();
	ck_assert(!w.carrier);
	ck_assert_uint_eq(w.mtu, 400);
	ck_assert_int_eq(exchange_config(w.exchange)->hold, 7 * SB_SEC);
	world_end();
}
END_TEST

START_TEST(what_was_not_done_is_no_success)
{
	start();
	want_line(4);
	want_line(5);
	wanted.max_lines = 4;
	exchange_reconfigure(w.exchange, &wanted, w.now, &told);
	ck_assert_int_eq(told.error, ENOSPC);
	ck_assert_str_eq(told.text,
			 "1 line added, 0 removed, 0 changed, 3 as before; tty5: not added: there "
			 "are 4 lines, and max-lines is 4");
	world_end();
}
END_TEST

START_TEST(what_counts_from_the_start_alone_stays)
{
	start();
	wanted.answer = true;
	snprintf(wanted.ifname, sizeof wanted.ifname, "other");
	reconfigure();
	ck_assert(!exchange_config(w.exchange)->answer);
	ck_assert_str_ne(exchange_config(w.exchange)->ifname, "other");
	world_run(SB_SEC);
	ck_assert_uint_eq(world_report()->lines_up, 3);
	world_end();
}
END_TEST

/* --- events --- */

static struct exchange_event next_event(void)
{
	struct exchange_event e;

	ck_assert(exchange_event(w.exchange, &e));
	return e;
}

static bool is_told(enum exchange_event_kind kind, const char *name, struct exchange_event *e)
{
	while (exchange_event(w.exchange, e))
		if (e->kind == kind && strcmp(e->line_name, name) == 0)
			return true;
	return false;
}

START_TEST(a_life_is_told_in_order)
{
	struct exchange_event e;

	world_configure(1, FAST);
	w.config.address_count = 1;
	w.config.addresses[0] = (struct netif_address){.family = AF_INET,
						       .local.v4.s_addr = htonl(0x0a000001),
						       .peer.v4.s_addr = htonl(0x0a000002),
						       .has_peer = true};
	world_create(LOG_ERROR);
	exchange_start(w.exchange, w.now);
	ck_assert_int_eq(next_event().kind, EXCHANGE_BUNDLE_MADE);
	e = next_event();
	ck_assert_int_eq(e.kind, EXCHANGE_LINE_UP);
	ck_assert_str_eq(e.line_name, "tty0");
	ck_assert_str_eq(e.device, "0");
	ck_assert_str_eq(e.ifname, "sb0");
	ck_assert_uint_eq(e.bps, FAST);
	world_run(SB_SEC);
	ck_assert_int_eq(next_event().kind, EXCHANGE_LINE_STATE);
	e = next_event();
	ck_assert_int_eq(e.kind, EXCHANGE_BUNDLE_UP);
	ck_assert_uint_eq(e.local, 0x0a000001);
	ck_assert_uint_eq(e.remote, 0x0a000002);
	ck_assert(!exchange_event(w.exchange, &e));
	kernel_sends(1, 2);
	world_run(9 * SB_SEC);
	unplug(0);
	world_run(SB_MS);
	e = next_event();
	ck_assert_int_eq(e.kind, EXCHANGE_LINE_DOWN);
	ck_assert_double_eq_tol(e.seconds, 10, 0.1);
	ck_assert_uint_gt(e.bytes_out, length_of(1));
	e = next_event();
	ck_assert_int_eq(e.kind, EXCHANGE_LINE_STATE);
	ck_assert_str_eq(e.state, "down");
	ck_assert_uint_gt(strlen(e.text), 0);
	e = next_event();
	ck_assert_int_eq(e.kind, EXCHANGE_BUNDLE_DOWN);
	ck_assert_double_eq_tol(e.seconds, 10, 0.1);
	ck_assert_uint_eq(e.bytes_out, length_of(1));
	world_end();
}
END_TEST

START_TEST(changes_are_told)
{
	struct exchange_event e;

	start();
	want_no_line(0);
	want_line(7);
	reconfigure();
	ck_assert(is_told(EXCHANGE_LINE_REMOVED, "tty0", &e));
	ck_assert(is_told(EXCHANGE_LINE_ADDED, "tty7", &e));
	ck_assert(is_told(EXCHANGE_RECONFIGURED, "", &e));
	ck_assert_str_eq(e.text, told.text);
	world_end();
}
END_TEST

START_TEST(another_name_is_told_as_another_line)
{
	struct exchange_event e;

	start();
	snprintf(wanted.lines[0].name, sizeof wanted.lines[0].name, "office");
	kernel_sends(0, 9);
	reconfigure();
	world_run(3 * SB_SEC);
	ck_assert(is_told(EXCHANGE_LINE_REMOVED, "tty0", &e));
	ck_assert(is_told(EXCHANGE_LINE_ADDED, "office", &e));
	world_end();
}
END_TEST

START_TEST(who_does_not_ask_misses_the_oldest)
{
	struct exchange_event e;
	unsigned n = 0;

	start();
	for (unsigned i = 0; i < 200; i++)
		reconfigure();
	while (exchange_event(w.exchange, &e)) {
		ck_assert_int_eq(e.kind, EXCHANGE_RECONFIGURED);
		n++;
	}
	ck_assert_uint_eq(n, 128);
	world_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("exchange_reconfigure");
	TCase *lines = new_case(suite, "lines"), *options = new_case(suite, "options");
	TCase *events = new_case(suite, "events");
	SRunner *runner = srunner_create(suite);

	tcase_add_test(lines, the_same_touches_nothing);
	tcase_add_test(lines, only_the_line_that_changed_bounces);
	tcase_add_test(lines, E5_what_only_says_how_a_line_is_used_changes_in_use);
	tcase_add_test(lines, lines_are_added_and_removed);
	tcase_add_test(lines, a_line_by_another_name_is_another_line);
	tcase_add_test(lines, a_device_that_a_line_is_about_to_leave_is_free);
	tcase_add_test(lines, lines_swap_their_devices);
	tcase_add_test(lines, lines_move_up_by_one);
	tcase_add_test(lines, a_change_of_mind_counts);
	tcase_add_test(lines, a_line_is_disabled_and_enabled);
	tcase_add_loop_test(lines, nothing_is_lost_while_lines_change, 0, 40);
	tcase_add_test(options, options_count_at_once_where_they_can);
	tcase_add_test(options, what_was_not_done_is_no_success);
	tcase_add_test(options, what_counts_from_the_start_alone_stays);
	tcase_add_test(events, a_life_is_told_in_order);
	tcase_add_test(events, changes_are_told);
	tcase_add_test(events, another_name_is_told_as_another_line);
	tcase_add_test(events, who_does_not_ask_misses_the_oldest);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
