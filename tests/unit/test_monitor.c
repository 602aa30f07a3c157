/* SPDX-License-Identifier: MIT */
/* A line's state held back, as a table of what is observed when and what the state is then. */
#include <check.h>
#include <stdlib.h>

#include "sched/monitor.h"
#include "tests/unit/suite_testing.h"

static const sb_time T0 = 1000 * SB_SEC;

/* At `ms` the line is observed so; then, with all that is due done, its state is this. */
struct step {
	int ms;
	bool observed;
	enum monitor_state state;
};

enum { STEPS = 12 };

struct story {
	const char *name;
	int miimon, updelay, downdelay; /* ms */
	bool begins_up;
	struct step steps[STEPS]; /* ms in rising order; 0 after the first: no more */
};

static const struct story stories[] = {
	{"without miimon all counts at once, whatever the delays",
	 0,
	 500,
	 500,
	 true,
	 {{1, false, MONITOR_DOWN}, {2, true, MONITOR_UP}, {3, false, MONITOR_DOWN}}},
	{"without delays the next look counts",
	 100,
	 0,
	 0,
	 true,
	 {{30, false, MONITOR_UP},
	  {99, false, MONITOR_UP},
	  {100, false, MONITOR_DOWN},
	  {150, true, MONITOR_DOWN},
	  {200, true, MONITOR_UP}}},
	{"a look sees what happens at that instant",
	 100,
	 0,
	 0,
	 true,
	 {{200, false, MONITOR_DOWN}, {300, true, MONITOR_UP}}},
	{"B8: a flap between two looks does nothing",
	 100,
	 0,
	 0,
	 true,
	 {{110, false, MONITOR_UP}, {190, true, MONITOR_UP}, {200, true, MONITOR_UP}}},
	{"B8: nor does one shorter than downdelay",
	 100,
	 0,
	 200,
	 true,
	 {{110, false, MONITOR_UP},
	  {200, false, MONITOR_FAIL},
	  {300, false, MONITOR_FAIL},
	  {390, true, MONITOR_FAIL},
	  {400, true, MONITOR_UP}}},
	{"B8: flap after flap: each delay is a new one",
	 100,
	 0,
	 200,
	 true,
	 {{110, false, MONITOR_UP},
	  {310, false, MONITOR_FAIL},
	  {320, true, MONITOR_FAIL},
	  {410, true, MONITOR_UP},
	  {420, false, MONITOR_UP},
	  {500, false, MONITOR_FAIL},
	  {610, false, MONITOR_FAIL},
	  {620, true, MONITOR_FAIL},
	  {710, true, MONITOR_UP}}},
	{"a failure counts downdelay after the look that saw it",
	 100,
	 0,
	 200,
	 true,
	 {{101, false, MONITOR_UP},
	  {200, false, MONITOR_FAIL},
	  {399, false, MONITOR_FAIL},
	  {400, false, MONITOR_DOWN}}},
	{"a return counts updelay after it",
	 100,
	 300,
	 0,
	 false,
	 {{101, true, MONITOR_DOWN},
	  {200, true, MONITOR_BACK},
	  {499, true, MONITOR_BACK},
	  {500, true, MONITOR_UP}}},
	{"a return that does not last is none",
	 100,
	 300,
	 0,
	 false,
	 {{101, true, MONITOR_DOWN},
	  {450, true, MONITOR_BACK},
	  {460, false, MONITOR_BACK},
	  {500, false, MONITOR_DOWN},
	  {510, true, MONITOR_DOWN},
	  {899, true, MONITOR_BACK},
	  {900, true, MONITOR_UP}}},
	{"delays are rounded down to a multiple of miimon",
	 100,
	 199,
	 299,
	 true,
	 {{50, false, MONITOR_UP},
	  {100, false, MONITOR_FAIL},
	  {299, false, MONITOR_FAIL},
	  {300, false, MONITOR_DOWN},
	  {350, true, MONITOR_DOWN},
	  {400, true, MONITOR_BACK},
	  {499, true, MONITOR_BACK},
	  {500, true, MONITOR_UP}}},
	{"one shorter than miimon is none",
	 100,
	 99,
	 99,
	 true,
	 {{100, false, MONITOR_DOWN}, {200, true, MONITOR_UP}}},
	{"the rhythm of looks goes on while nothing happens",
	 100,
	 0,
	 0,
	 true,
	 {{12345, false, MONITOR_UP}, {12399, false, MONITOR_UP}, {12400, false, MONITOR_DOWN}}},
	{"a host that was busy for a while sees all looks that were due",
	 100,
	 0,
	 200,
	 true,
	 {{110, false, MONITOR_UP}, {1000, false, MONITOR_DOWN}}},
};

/* Time passes from deadline to deadline, the line being observed again at each, as it is. */
static void pass(struct monitor *m, sb_time until, bool observed)
{
	sb_time due;

	while ((due = monitor_deadline(m)) < until) {
		monitor_observe(m, observed, due);
		monitor_tick(m, due);
	}
}

START_TEST(states_follow_what_is_observed)
{
	const struct story *s = &stories[_i];
	struct monitor_config config = {.miimon = s->miimon * SB_MS,
					.updelay = s->updelay * SB_MS,
					.downdelay = s->downdelay * SB_MS};
	struct monitor m;
	bool observed = s->begins_up;

	monitor_init(&m, &config, s->begins_up, T0);
	for (const struct step *p = s->steps; p < s->steps + STEPS && p->ms; p++) {
		sb_time at = T0 + p->ms * SB_MS;

		pass(&m, at, observed);
		observed = p->observed;
		monitor_observe(&m, observed, at);
		monitor_tick(&m, at);
		ck_assert_msg(m.state == p->state, "%s: at %d ms state %d", s->name, p->ms,
			      (int)m.state);
		ck_assert_int_eq(monitor_is_up(&m),
				 p->state == MONITOR_UP || p->state == MONITOR_FAIL);
	}
}
END_TEST

/* The same, but all at one wake-up in a while: no look is lost, and none counts twice. */
START_TEST(late_ticks_come_to_the_same)
{
	struct monitor_config config = {.miimon = 100 * SB_MS, .downdelay = 500 * SB_MS};
	struct monitor m;

	monitor_init(&m, &config, true, T0);
	monitor_observe(&m, false, T0 + 50 * SB_MS);
	monitor_tick(&m, T0 + 430 * SB_MS);
	ck_assert_int_eq(m.state, MONITOR_FAIL);
	ck_assert_int_eq(monitor_deadline(&m), T0 + 500 * SB_MS);
	monitor_tick(&m, T0 + 599 * SB_MS);
	ck_assert_int_eq(m.state, MONITOR_FAIL);
	monitor_tick(&m, T0 + 600 * SB_MS);
	ck_assert_int_eq(m.state, MONITOR_DOWN);
}
END_TEST

START_TEST(with_no_line_usable_an_updelay_is_cut_short)
{
	struct monitor_config config = {.miimon = 100 * SB_MS, .updelay = 10 * SB_SEC};
	struct monitor m;

	monitor_init(&m, &config, false, T0);
	monitor_hurry(&m);
	ck_assert_int_eq(m.state, MONITOR_DOWN);
	monitor_observe(&m, true, T0 + 10 * SB_MS);
	monitor_hurry(&m);
	ck_assert_int_eq(m.state, MONITOR_DOWN); /* no look has seen it */
	monitor_tick(&m, T0 + 100 * SB_MS);
	ck_assert_int_eq(m.state, MONITOR_BACK);
	monitor_hurry(&m);
	ck_assert_int_eq(m.state, MONITOR_UP);
	ck_assert_int_eq(monitor_deadline(&m), SB_NEVER);
}
END_TEST

START_TEST(one_that_is_gone_again_is_not_hurried)
{
	struct monitor_config config = {.miimon = 100 * SB_MS, .updelay = 10 * SB_SEC};
	struct monitor m;

	monitor_init(&m, &config, false, T0);
	monitor_observe(&m, true, T0 + 10 * SB_MS);
	monitor_tick(&m, T0 + 100 * SB_MS);
	monitor_observe(&m, false, T0 + 150 * SB_MS);
	monitor_hurry(&m);
	ck_assert_int_eq(m.state, MONITOR_BACK);
	monitor_tick(&m, T0 + 200 * SB_MS);
	ck_assert_int_eq(m.state, MONITOR_DOWN);
}
END_TEST

START_TEST(a_line_at_rest_wakes_nobody)
{
	struct monitor_config config = {.miimon = 100 * SB_MS};
	struct monitor m;

	monitor_init(&m, &config, true, T0);
	ck_assert_int_eq(monitor_deadline(&m), SB_NEVER);
	monitor_observe(&m, false, T0 + 10 * SB_MS);
	ck_assert_int_eq(monitor_deadline(&m), T0 + 100 * SB_MS);
	monitor_observe(&m, true, T0 + 20 * SB_MS);
	ck_assert_int_eq(monitor_deadline(&m), SB_NEVER);
}
END_TEST

START_TEST(miimon_taken_away_while_it_runs)
{
	struct monitor_config config = {.miimon = 100 * SB_MS, .downdelay = SB_SEC};
	struct monitor m;

	monitor_init(&m, &config, true, T0);
	monitor_observe(&m, false, T0 + 10 * SB_MS);
	monitor_tick(&m, T0 + 100 * SB_MS);
	ck_assert_int_eq(m.state, MONITOR_FAIL);
	config.miimon = 0;
	monitor_tick(&m, T0 + 110 * SB_MS);
	ck_assert_int_eq(m.state, MONITOR_DOWN);
	ck_assert_int_eq(monitor_deadline(&m), SB_NEVER);
}
END_TEST

START_TEST(miimon_given_while_it_runs)
{
	struct monitor_config config = {0};
	struct monitor m;

	monitor_init(&m, &config, true, T0);
	config.miimon = 100 * SB_MS;
	monitor_observe(&m, false, T0 + 250 * SB_MS);
	ck_assert_int_eq(m.state, MONITOR_UP);
	ck_assert_int_eq(monitor_deadline(&m), T0 + 300 * SB_MS);
	monitor_tick(&m, T0 + 300 * SB_MS);
	ck_assert_int_eq(m.state, MONITOR_DOWN);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("monitor");
	TCase *tests = new_case(suite, "monitor");
	SRunner *runner = srunner_create(suite);

	tcase_add_loop_test(tests, states_follow_what_is_observed, 0,
			    sizeof(stories) / sizeof(*stories));
	tcase_add_test(tests, late_ticks_come_to_the_same);
	tcase_add_test(tests, with_no_line_usable_an_updelay_is_cut_short);
	tcase_add_test(tests, one_that_is_gone_again_is_not_hurried);
	tcase_add_test(tests, a_line_at_rest_wakes_nobody);
	tcase_add_test(tests, miimon_taken_away_while_it_runs);
	tcase_add_test(tests, miimon_given_while_it_runs);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
