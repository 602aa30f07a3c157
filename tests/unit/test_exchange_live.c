/* SPDX-License-Identifier: MIT */
/* Lines that are added, taken out and changed while a bundle runs: what is answered. */
#define _DEFAULT_SOURCE
#include "tests/unit/exchange_world.h"
#include "tests/unit/suite_testing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FAST = 115200, SLOW = 9600 };

static struct exchange_answer told;

static void set(const char *key, const char *value)
{
	exchange_set_option(w.exchange, key, value, w.now, &told);
}

static struct line_config line_of(unsigned number, uint32_t bps)
{
	struct line_config l = {.bps = bps,
				.bits_per_char = 10,
				.layer.exact = true,
				.stop_bits = 1,
				.encap = &encap_slip,
				.enabled = true};

	snprintf(l.device, sizeof l.device, "%u", number);
	snprintf(l.name, sizeof l.name, "tty%u", number);
	return l;
}

static int add(unsigned number, uint32_t bps)
{
	struct line_config l = line_of(number, bps);

	exchange_add_line(w.exchange, &l, w.now, &told);
	return told.error;
}

static unsigned find(unsigned number)
{
	char name[CONFIG_NAME_SIZE];

	snprintf(name, sizeof name, "tty%u", number);
	return exchange_find_line(w.exchange, name);
}

static int take_out(unsigned number)
{
	exchange_remove_line(w.exchange, find(number), w.now, &told);
	return told.error;
}

static const struct report_line *reported(unsigned number)
{
	char name[CONFIG_NAME_SIZE];

	snprintf(name, sizeof name, "tty%u", number);
	world_report();
	for (unsigned i = 0; i < w.report.line_count; i++)
		if (strcmp(w.lines[i].name, name) == 0)
			return &w.lines[i];
	return NULL;
}

/* --- lines that come --- */

START_TEST(E1_a_line_that_is_added_carries_its_share)
{
	world_start(1, SLOW);
	kernel_sends(0, 10);
	world_run(100 * SB_MS);
	ck_assert_int_eq(add(1, 3 * SLOW), 0);
	world_run(SB_MS);
	ck_assert_uint_eq(world_report()->lines_up, 2);
	kernel_sends(10, 40);
	world_run(30 * SB_SEC);
	unsigned slow = peer_receives(0), fast = peer_receives(1);
	ck_assert_uint_eq(slow + fast, 40);
	ck_assert_uint_gt(fast, 2 * (slow - 2));
	assert_arrived_once(0, 40);
	world_end();
}
END_TEST

START_TEST(a_line_that_cannot_be_opened_yet_is_tried_again)
{
	world_start(1, FAST);
	port_refuses(1, PORT_NO_DEVICE, "no such device");
	ck_assert_int_eq(add(1, FAST), 0);
	world_run(SB_SEC);
	ck_assert_str_eq(reported(1)->state, "down");
	port_is_back(1);
	world_run(2 * SB_SEC);
	ck_assert(reported(1)->up);
	world_end();
}
END_TEST

START_TEST(a_line_that_can_never_do_is_not_added)
{
	world_start(1, FAST);
	port_refuses(1, PORT_NOT_A_TTY, "not a tty");
	ck_assert_int_eq(add(1, FAST), EINVAL);
	ck_assert_ptr_nonnull(strstr(told.text, "not a tty"));
	ck_assert_ptr_null(reported(1));
	ck_assert_uint_eq(find(1), EXCHANGE_NO_LINE);
	world_end();
}
END_TEST

START_TEST(a_script_that_cannot_be_used_is_refused)
{
	char path[] = "/tmp/test_exchange_live.XXXXXX";
	struct line_config l = line_of(1, FAST);
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, "'' 'ATZ\n", 8), 8);
	close(fd);
	world_start(1, FAST);
	l.modem.present = true;
	snprintf(l.modem.chat, sizeof l.modem.chat, "%s", path);
	exchange_add_line(w.exchange, &l, w.now, &told);
	ck_assert_int_eq(told.error, EINVAL);
	ck_assert_msg(strstr(told.text, path) == told.text, "%s", told.text);
	unlink(path);
	exchange_add_line(w.exchange, &l, w.now, &told);
	ck_assert_int_eq(told.error, EINVAL);
	ck_assert_ptr_nonnull(strstr(told.text, "No such file"));
	ck_assert_ptr_null(reported(1));
	world_end();
}
END_TEST

START_TEST(what_has_no_modem_cannot_dial)
{
	world_start(1, FAST);
	exchange_dial_line(w.exchange, 0, w.now, &told);
	ck_assert_int_eq(told.error, EINVAL);
	ck_assert_str_eq(told.text, "tty0: has no modem");
	world_end();
}
END_TEST

/* --- lines that go --- */

START_TEST(E2_a_line_that_is_taken_out_loses_nothing)
{
	world_start(2, SLOW);
	w.listens = true;
	kernel_sends(1, 31);
	world_run(150 * SB_MS + _i * 37 * SB_MS);
	ck_assert_int_eq(take_out(0), 0);
	ck_assert_str_eq(reported(0)->state, "leaving");
	world_run(2 * SB_SEC);
	ck_assert_ptr_null(ports[0].port);
	world_run(20 * SB_SEC);
	assert_arrived_once(1, 31);
	ck_assert_ptr_null(reported(0));
	ck_assert_uint_eq(world_report()->line_count, 1);
	ck_assert_uint_eq(ports[0].openings, 1);
	world_end();
}
END_TEST

START_TEST(a_slot_is_used_again_and_its_file_is_another)
{
	uint32_t openings;

	world_start(3, FAST);
	openings = exchange_watch_line(w.exchange, find(1)).openings;
	unsigned slot = find(1);
	take_out(1);
	world_run(SB_SEC);
	ck_assert_int_eq(exchange_watch_line(w.exchange, slot).fd, -1);
	ck_assert_int_eq(add(7, FAST), 0);
	world_run(SB_SEC);
	ck_assert_uint_eq(find(7), slot);
	ck_assert_uint_gt(exchange_watch_line(w.exchange, slot).openings, openings);
	ck_assert_uint_eq(world_report()->lines_up, 3);
	world_end();
}
END_TEST

START_TEST(a_line_that_returns_before_it_has_left_does_both)
{
	world_start(2, SLOW);
	w.listens = true;
	kernel_sends(1, 11);
	world_run(150 * SB_MS);
	take_out(0);
	ck_assert_int_eq(add(0, 2 * SLOW), 0);
	ck_assert_int_eq(add(0, 2 * SLOW), EINVAL);
	world_run(2 * SB_SEC);
	ck_assert_uint_eq(ports[0].openings, 2);
	ck_assert_uint_eq(reported(0)->bps, 2 * SLOW);
	world_run(20 * SB_SEC);
	assert_arrived_once(1, 11);
	world_end();
}
END_TEST

START_TEST(a_line_that_is_down_leaves_at_once)
{
	world_start(2, FAST);
	unplug(0);
	world_run(SB_SEC);
	ck_assert_int_eq(take_out(0), 0);
	ck_assert_ptr_null(reported(0));
	ck_assert_int_eq(add(0, FAST), 0);
	world_end();
}
END_TEST

/* It will never drain: it ends all the same, and the other line has what it held. */
START_TEST(a_line_that_stalls_on_its_way_out_ends)
{
	world_start(2, SLOW);
	port_script_limit(ports[0].port, 40, SIZE_MAX);
	kernel_sends(1, 11);
	world_run(150 * SB_MS);
	take_out(0);
	world_run(10 * SB_SEC);
	ck_assert_ptr_null(ports[0].port);
	ck_assert_ptr_null(reported(0));
	world_run(20 * SB_SEC);
	peer_receives(1);
	assert_arrived_once(1, 11);
	world_end();
}
END_TEST

START_TEST(lines_come_and_go_without_end)
{
	world_start(1, FAST);
	w.listens = true;
	for (unsigned i = 0; i < 300; i++) {
		unsigned n = 1 + i % 3;

		kernel_sends(i, i + 1);
		ck_assert_int_eq(find(n) == EXCHANGE_NO_LINE ? add(n, FAST) : take_out(n), 0);
		world_run(200 * SB_MS);
	}
	assert_arrived_once(0, 300);
	world_end();
}
END_TEST

/* --- refusals, as EQL's --- */

START_TEST(E4_what_is_no_line_or_one_already_is_refused)
{
	struct line_config l = line_of(2, FAST);

	world_start(2, FAST);
	ck_assert_int_eq(add(1, FAST), EINVAL);
	snprintf(l.device, sizeof l.device, "/dev/elsewhere");
	snprintf(l.name, sizeof l.name, "tty1");
	exchange_add_line(w.exchange, &l, w.now, &told);
	ck_assert_int_eq(told.error, EINVAL);
	for (unsigned i = 0; i < 2; i++) {
		snprintf(l.device, sizeof l.device, "%s", i ? "sb0" : "/dev/net/tun");
		snprintf(l.name, sizeof l.name, "%s", i ? "sb0" : "tun");
		exchange_add_line(w.exchange, &l, w.now, &told);
		ck_assert_int_eq(told.error, EINVAL);
	}
	ck_assert_int_eq(take_out(5), EINVAL);
	ck_assert_ptr_nonnull(strstr(told.text, "not a member"));
	ck_assert_int_eq(take_out(1), 0);
	world_run(SB_SEC);
	ck_assert_int_eq(take_out(1), EINVAL);
	exchange_set_line(w.exchange, find(1), "bps", "9600", w.now, &told);
	ck_assert_int_eq(told.error, EINVAL);
	exchange_hang_up_line(w.exchange, 63, w.now, &told);
	ck_assert_int_eq(told.error, EINVAL);
	exchange_enable_bundle(w.exchange, 3, true, w.now, &told);
	ck_assert_int_eq(told.error, EINVAL);
	ck_assert_uint_eq(world_report()->line_count, 1);
	world_end();
}
END_TEST

START_TEST(E4_beyond_max_lines_there_is_no_room)
{
	world_start(2, FAST);
	set("max-lines", "3");
	ck_assert_int_eq(told.error, 0);
	ck_assert_int_eq(add(2, FAST), 0);
	ck_assert_int_eq(add(3, FAST), ENOSPC);
	set("max-lines", "64");
	for (unsigned i = 3; i < CONFIG_MAX_LINES; i++) {
		struct line_config l = line_of(i, FAST);

		l.enabled = false;
		exchange_add_line(w.exchange, &l, w.now, &told);
		ck_assert_int_eq(told.error, 0);
	}
	ck_assert_int_eq(add(64, FAST), ENOSPC);
	ck_assert_uint_eq(world_report()->line_count, CONFIG_MAX_LINES);
	ck_assert_uint_eq(w.report.lines_up, 3);
	world_end();
}
END_TEST

/* --- up and down --- */

START_TEST(E3_a_line_that_is_taken_down_stays_down_until_it_is_told_otherwise)
{
	world_start(2, FAST);
	w.listens = true;
	kernel_sends(0, 5);
	exchange_enable_line(w.exchange, 0, false, w.now, &told);
	ck_assert_int_eq(told.error, 0);
	world_run(10 * SB_SEC);
	assert_arrived_once(0, 5);
	ck_assert_str_eq(reported(0)->state, "down");
	ck_assert(!reported(0)->enabled);
	ck_assert_uint_eq(ports[0].openings, 1);
	exchange_retry_now(w.exchange, w.now);
	world_run(SB_SEC);
	ck_assert_uint_eq(ports[0].openings, 1);
	exchange_enable_line(w.exchange, 0, true, w.now, &told);
	world_run(SB_MS);
	ck_assert(reported(0)->up);
	world_end();
}
END_TEST

START_TEST(a_line_that_is_hung_up_is_tried_again)
{
	world_start(2, FAST);
	exchange_hang_up_line(w.exchange, 0, w.now, &told);
	ck_assert_int_eq(told.error, 0);
	world_run(2 * SB_SEC);
	ck_assert(reported(0)->up);
	ck_assert_uint_eq(ports[0].openings, 2);
	ck_assert_uint_eq(ports[1].openings, 1);
	world_end();
}
END_TEST

START_TEST(E4_a_bundle_that_is_down_has_its_lines_down_and_takes_none)
{
	world_start(2, FAST);
	exchange_enable_line(w.exchange, 1, false, w.now, &told);
	exchange_enable_bundle(w.exchange, 0, false, w.now, &told);
	ck_assert_int_eq(told.error, 0);
	world_run(5 * SB_SEC);
	ck_assert(!w.up);
	ck_assert_uint_eq(world_report()->lines_up, 0);
	ck_assert_ptr_null(ports[0].port);
	ck_assert_int_eq(add(2, FAST), EINVAL);
	exchange_enable_bundle(w.exchange, 0, true, w.now, &told);
	ck_assert(w.up);
	world_run(SB_SEC);
	ck_assert(reported(0)->up);
	ck_assert_str_eq(reported(1)->state, "down");
	ck_assert_int_eq(add(2, FAST), 0);
	world_end();
}
END_TEST

/* --- figures --- */

START_TEST(E5_min_lines_gates_the_carrier)
{
	world_start(2, FAST);
	world_run(SB_MS);
	ck_assert(w.carrier);
	set("min-lines", "3");
	ck_assert(!w.carrier);
	add(2, FAST);
	world_run(SB_MS);
	ck_assert(w.carrier);
	unplug(1);
	world_run(SB_MS);
	ck_assert(!w.carrier);
	set("min-lines", "2");
	ck_assert(w.carrier);
	world_end();
}
END_TEST

/* A single flow that fills both: what is bound before is a packet or two, then the new rate holds.
 */
START_TEST(E5_shares_follow_a_rate_that_is_set)
{
	unsigned sent = 0, over[2];
	char faster[16];

	world_start(2, SLOW);
	for (int i = 0; i < 60; i++, sent += 9) {
		kernel_sends(sent, sent + 9);
		world_run(500 * SB_MS);
		if (i == 20) {
			snprintf(faster, sizeof faster, "%d", 4 * SLOW);
			exchange_set_line(w.exchange, 0, "bps", faster, w.now, &told);
			ck_assert_int_eq(told.error, 0);
		}
		if (i == 22)
			peer_receives(0), peer_receives(1);
	}
	over[0] = (unsigned)port_wrote(0).length;
	over[1] = (unsigned)port_wrote(1).length;
	ck_assert_uint_gt(over[0], 3 * over[1]);
	ck_assert_uint_gt(over[1], 2000);
	ck_assert_uint_eq(ports[0].openings, 1);
	ck_assert_uint_eq(reported(0)->bps, 4 * SLOW);
	world_end();
}
END_TEST

START_TEST(E10_an_automatic_mtu_follows_the_number_of_lines)
{
	world_configure(1, FAST);
	w.config.mtu_auto = true;
	w.config.mtu = 1006;
	world_create(LOG_ERROR);
	exchange_start(w.exchange, w.now);
	ck_assert_uint_eq(w.mtu, 1006);
	add(1, FAST);
	ck_assert_uint_eq(w.mtu, 503);
	add(2, FAST);
	ck_assert_uint_eq(w.mtu, 335);
	add(3, FAST);
	ck_assert_uint_eq(w.mtu, 296);
	take_out(3);
	take_out(1);
	ck_assert_uint_eq(w.mtu, 503);
	set("mtu", "400");
	ck_assert_uint_eq(w.mtu, 400);
	take_out(2);
	ck_assert_uint_eq(w.mtu, 400);
	world_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("exchange_live");
	TCase *come = new_case(suite, "come"), *go = new_case(suite, "go");
	TCase *refused = new_case(suite, "refused"), *down = new_case(suite, "down");
	TCase *figures = new_case(suite, "figures");
	SRunner *runner = srunner_create(suite);

	tcase_add_test(come, E1_a_line_that_is_added_carries_its_share);
	tcase_add_test(come, a_line_that_cannot_be_opened_yet_is_tried_again);
	tcase_add_test(come, a_line_that_can_never_do_is_not_added);
	tcase_add_test(come, a_script_that_cannot_be_used_is_refused);
	tcase_add_test(come, what_has_no_modem_cannot_dial);
	tcase_add_loop_test(go, E2_a_line_that_is_taken_out_loses_nothing, 0, 12);
	tcase_add_test(go, a_slot_is_used_again_and_its_file_is_another);
	tcase_add_test(go, a_line_that_returns_before_it_has_left_does_both);
	tcase_add_test(go, a_line_that_is_down_leaves_at_once);
	tcase_add_test(go, a_line_that_stalls_on_its_way_out_ends);
	tcase_add_test(go, lines_come_and_go_without_end);
	tcase_add_test(refused, E4_what_is_no_line_or_one_already_is_refused);
	tcase_add_test(refused, E4_beyond_max_lines_there_is_no_room);
	tcase_add_test(down, E3_a_line_that_is_taken_down_stays_down_until_it_is_told_otherwise);
	tcase_add_test(down, a_line_that_is_hung_up_is_tried_again);
	tcase_add_test(down, E4_a_bundle_that_is_down_has_its_lines_down_and_takes_none);
	tcase_add_test(figures, E5_min_lines_gates_the_carrier);
	tcase_add_test(figures, E5_shares_follow_a_rate_that_is_set);
	tcase_add_test(figures, E10_an_automatic_mtu_follows_the_number_of_lines);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
