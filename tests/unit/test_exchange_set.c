/* SPDX-License-Identifier: MIT */
/* Values of the configuration that are changed while a bundle runs, one at a time. */
#define _DEFAULT_SOURCE
#include "tests/unit/exchange_world.h"
#include "tests/unit/suite_testing.h"

#include <errno.h>
#include <string.h>

enum { FAST = 115200 };

static struct exchange_answer told;

static void set(const char *key, const char *value)
{
	exchange_set_option(w.exchange, key, value, w.now, &told);
}

static void set_line(unsigned line, const char *key, const char *value)
{
	exchange_set_line(w.exchange, line, key, value, w.now, &told);
}

/* Of two lines, by a configuration that wants to be told what is odd. */
static void begin_telling(void)
{
	world_configure(2, FAST);
	w.config.verbosity = 1;
	w.config.mode.mode = MODE_EARLIEST;
	world_create(LOG_ERROR);
	ck_assert_int_eq(exchange_start(w.exchange, w.now), EXIT_FINE);
}

static const struct {
	const char *key, *value;
} senseless[] = {
	{"min-lines", "65"}, {"min-lines", "0"},     {"max-lines", "65"},    {"max-lines", "0"},
	{"mtu", "67"},       {"mtu", "1501"},        {"mode", "fastest"},    {"primary", "tty7"},
	{"shape", "101%"},   {"tier-bulk", "101%"},  {"answer", "yes"},      {"name", "sb9"},
	{"colour", "red"},   {"mru", "1000"},        {"fail-over-mac", "1"}, {"max-lines", "1"},
	{"verbose", "yes"},  {"control-group", "x"},
};

START_TEST(options_that_make_no_sense_are_refused)
{
	begin_telling();
	set(senseless[_i].key, senseless[_i].value);
	ck_assert_int_eq(told.error, EINVAL);
	ck_assert_ptr_nonnull(strstr(told.text, senseless[_i].key));
	ck_assert_uint_eq(w.mtu, MTU);
	ck_assert_int_eq(exchange_config(w.exchange)->mode.mode, MODE_EARLIEST);
	world_end();
}
END_TEST

static const struct {
	const char *key, *value;
} senseless_keys[] = {
	{"bps", "49"},       {"bps", "0"},     {"shape", "1M"},        {"overhead", "9"},
	{"overhead", "-65"}, {"mpu", "257"},   {"linklayer", "token"}, {"prio", "x"},
	{"device", "/x"},    {"flow", "none"}, {"colour", "red"},      {"delay", "61s"},
};

START_TEST(keys_that_make_no_sense_are_refused)
{
	world_start(1, FAST);
	set_line(0, senseless_keys[_i].key, senseless_keys[_i].value);
	ck_assert_int_eq(told.error, EINVAL);
	ck_assert_ptr_nonnull(strstr(told.text, senseless_keys[_i].key));
	ck_assert_uint_eq(exchange_line_config(w.exchange, 0)->bps, FAST);
	ck_assert_uint_eq(ports[0].openings, 1);
	world_end();
}
END_TEST

/* Of a line in use they are changed where it is; of the file's values too. */
START_TEST(live_keys_change_a_line_where_it_is)
{
	static const char *const keys[][2] = {{"shape", "50%"},   {"shape-in", "9600"},
					      {"delay", "250ms"}, {"linklayer", "pppoe-llcsnap"},
					      {"overhead", "-4"}, {"mpu", "64"},
					      {"prio", "-3"}};
	const struct line_config *l;

	world_start(2, FAST);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		set_line(1, keys[i][0], keys[i][1]);
		ck_assert_msg(told.error == 0, "%s", told.text);
		world_run(10 * SB_MS);
	}
	l = exchange_line_config(w.exchange, 1);
	ck_assert_uint_eq(l->shape.permille, 500);
	ck_assert_uint_eq(l->shape_in.bps, 9600);
	ck_assert_int_eq(l->delay, 250 * SB_MS);
	ck_assert(!l->layer.exact && l->layer.cells == CELLS_ATM);
	ck_assert_int_eq(l->layer.overhead, -4);
	ck_assert_uint_eq(l->layer.mpu, 64);
	ck_assert_int_eq(l->prio, -3);
	ck_assert_uint_eq(ports[1].openings, 1);
	ck_assert_uint_eq(world_report()->lines_up, 2);
	world_end();
}
END_TEST

START_TEST(options_change_live_and_nothing_else_does)
{
	const struct config *c;

	begin_telling();
	c = exchange_config(w.exchange);
	set("mode", "balance-rr");
	ck_assert_str_eq(told.text, "mode balance-rr");
	ck_assert_int_eq(c->mode.mode, MODE_BALANCE_RR);
	set("packets_per_slave", "4");
	ck_assert_uint_eq(c->mode.packets_per_line, 4);
	set("mode", "1");
	set("primary", "1");
	ck_assert_msg(told.error == 0, "%s", told.text);
	ck_assert_str_eq(c->primary, "tty1");
	set("miimon", "100");
	set("downdelay", "250");
	ck_assert_ptr_nonnull(strstr(told.text, "rounded down to 200 ms"));
	set("shape", "90%");
	ck_assert_uint_eq(c->shape.permille, 900);
	ck_assert_uint_eq(c->line_count, 2);
	ck_assert_uint_eq(ports[0].openings + ports[1].openings, 2);
	world_end();
}
END_TEST

START_TEST(a_rate_is_given_or_found_out_as_is_told)
{
	static const char *const rates[] = {"auto", "57600", "auto", "auto", "115200"};
	const struct line_config *l;

	world_start(2, FAST);
	l = exchange_line_config(w.exchange, 1);
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		set_line(1, "bps", rates[i]);
		ck_assert_msg(told.error == 0, "%s", told.text);
		ck_assert(l->auto_rate == (rates[i][0] == 'a'));
		kernel_sends(0, 5);
		world_run(100 * SB_MS);
		ck_assert_uint_eq(l->bps, i == 0 || i == 4 ? FAST : 57600);
	}
	ck_assert_uint_eq(ports[1].openings, 1);
	ck_assert_uint_eq(world_report()->lines_up, 2);
	world_end();
}
END_TEST

/* What a line is about to change to is not lost by a change of something else. */
START_TEST(a_change_in_waiting_stays)
{
	struct config next;

	world_start(2, FAST);
	next = *exchange_config(w.exchange);
	next.lines[1].flow = PORT_FLOW_RTSCTS;
	exchange_reconfigure(w.exchange, &next, w.now, &told);
	set("mode", "balance-xor");
	ck_assert_int_eq(exchange_line_config(w.exchange, 1)->flow, PORT_FLOW_RTSCTS);
	world_run(SB_SEC);
	ck_assert_int_eq(exchange_line_config(w.exchange, 1)->flow, PORT_FLOW_RTSCTS);
	world_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("exchange_set");
	TCase *refused = new_case(suite, "refused"), *live = new_case(suite, "live");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(refused, options_that_make_no_sense_are_refused, 0,
			    (int)(sizeof(senseless) / sizeof(senseless[0])));
	tcase_add_loop_test(refused, keys_that_make_no_sense_are_refused, 0,
			    (int)(sizeof(senseless_keys) / sizeof(senseless_keys[0])));
	tcase_add_test(live, live_keys_change_a_line_where_it_is);
	tcase_add_test(live, options_change_live_and_nothing_else_does);
	tcase_add_test(live, a_rate_is_given_or_found_out_as_is_told);
	tcase_add_test(live, a_change_in_waiting_stays);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
