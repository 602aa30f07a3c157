/* SPDX-License-Identifier: MIT */
/* Who is the active line, or aggregator: tables by the rules of bonding's documentation. */
#include <check.h>
#include <stdlib.h>

#include "sched/election.h"
#include "tests/unit/suite_testing.h"

enum { LINES = 4, NONE = ELECTION_NONE };

#define U   .exists = true, .up = true
#define D   .exists = true
#define PRI .primary = true
#define NEW .is_new = true

static const struct active_row {
	const char *name;
	struct election_line lines[LINES];
	unsigned active;      /* before */
	unsigned expected[3]; /* with reselect always, better, failure */
} active_rows[] = {
	{"no line", {{0}}, NONE, {NONE, NONE, NONE}},
	{"none is up", {{D}, {D, PRI}}, NONE, {NONE, NONE, NONE}},
	{"the active one is gone, and no other is up", {{0}, {D}}, 0, {NONE, NONE, NONE}},
	{"the first to be up is active", {{D}, {U}, {D}}, NONE, {1, 1, 1}},
	{"the lower number of two", {{D}, {U}, {U}}, NONE, {1, 1, 1}},
	{"no line is active: reselect is ignored for the primary",
	 {{U, .bps = 9600}, {U, PRI, .bps = 2400}},
	 NONE,
	 {1, 1, 1}},
	{"no line is active: one that is up does not wait for the primary",
	 {{D, PRI}, {D}, {U}},
	 NONE,
	 {2, 2, 2}},
	{"a line that returns is no reason to change", {{U}, {U}}, 1, {1, 1, 1}},
	{"nor a faster one", {{U, .bps = 115200}, {U, .bps = 9600}}, 1, {1, 1, 1}},
	{"the active one fails", {{D}, {U}, {U}}, 0, {1, 1, 1}},
	{"the active one has left", {{0}, {U}}, 0, {1, 1, 1}},
	{"B100: the primary returns, faster than the active line",
	 {{U, PRI, .bps = 28800}, {U, .bps = 14400}},
	 1,
	 {0, 0, 1}},
	{"B100: the primary returns, as fast",
	 {{U, PRI, .bps = 28800}, {U, .bps = 28800}},
	 1,
	 {0, 1, 1}},
	{"B100: the primary returns, slower",
	 {{U, PRI, .bps = 14400}, {U, .bps = 28800}},
	 1,
	 {0, 1, 1}},
	{"B100: it is taken when the active line fails",
	 {{U, PRI, .bps = 14400}, {D, .bps = 28800}, {U, .bps = 57600}},
	 1,
	 {0, 0, 0}},
	{"a primary that is new is taken whatever reselect says",
	 {{U, .bps = 28800}, {U, PRI, NEW, .bps = 14400}},
	 0,
	 {1, 1, 1}},
	{"but not before it is up", {{U}, {D, PRI, NEW}}, 0, {0, 0, 0}},
	{"another line that is new is not", {{U}, {U, NEW}}, 0, {0, 0, 0}},
	{"the primary is active", {{U, .bps = 28800}, {U, PRI, .bps = 9600}}, 1, {1, 1, 1}},
	{"the primary goes before prio",
	 {{U, .prio = 100, .bps = 28800}, {U, PRI, .prio = -100, .bps = 28800}},
	 NONE,
	 {1, 1, 1}},
	{"and prio does not take from it", {{U, .prio = 100}, {U, PRI}}, 1, {1, 1, 1}},
	{"the highest prio is active", {{U, .prio = -5}, {U, .prio = 7}, {U}}, NONE, {1, 1, 1}},
	{"the highest of those that are up",
	 {{D, .prio = 9}, {U, .prio = -7}, {U, .prio = -5}},
	 0,
	 {2, 2, 2}},
	{"a higher prio returns: reselect decides",
	 {{U, .prio = 1, .bps = 9600}, {U, .bps = 9600}},
	 1,
	 {0, 1, 1}},
	{"and faster", {{U, .prio = 1, .bps = 9601}, {U, .bps = 9600}}, 1, {0, 0, 1}},
	{"an equal prio is no reason to change", {{U, .prio = 3}, {U, .prio = 3}}, 1, {1, 1, 1}},
	{"the primary is down, prio decides",
	 {{D, PRI}, {U, .prio = 1}, {U, .prio = 2}},
	 0,
	 {2, 2, 2}},
};

START_TEST(active_line)
{
	const struct active_row *row = &active_rows[_i];
	struct election_line lines[ELECTION_MAX_LINES] = {0};

	for (unsigned i = 0; i < LINES; i++)
		lines[i] = row->lines[i];
	for (unsigned r = RESELECT_ALWAYS; r <= RESELECT_FAILURE; r++) {
		struct election_config config = {.reselect = (enum primary_reselect)r};
		unsigned elected = elect_active(&config, lines, row->active);

		ck_assert_msg(elected == row->expected[r], "%s: reselect %u: %u", row->name, r,
			      elected);
		ck_assert_uint_eq(elect_active(&config, lines, elected), elected);
	}
}
END_TEST

START_TEST(the_last_line_of_all_can_be_elected)
{
	struct election_line lines[ELECTION_MAX_LINES] = {0};
	struct election_config config = {0};

	lines[ELECTION_MAX_LINES - 1] = (struct election_line){U, .bps = 9600};
	ck_assert_uint_eq(elect_active(&config, lines, NONE), ELECTION_MAX_LINES - 1);
	struct aggregation a = {0};
	elect_aggregator(&config, lines, &a, &a);
	ck_assert_uint_eq(a.groups[a.active].up, (uint64_t)1 << 63);
}
END_TEST

/* --- aggregators --- */

static struct election_line lines[ELECTION_MAX_LINES];
static struct aggregation aggregation;

static void line(unsigned i, uint32_t bps, uint32_t peer, bool up)
{
	lines[i] = (struct election_line){.exists = true, .up = up, .bps = bps, .peer = peer};
}

/* The lines that may send, a bit each. */
static uint64_t elect(enum ad_select select)
{
	struct election_config config = {.ad_select = select};

	elect_aggregator(&config, lines, &aggregation, &aggregation);
	if (aggregation.active == ELECTION_NONE)
		return 0;
	return aggregation.groups[aggregation.active].up;
}

/* 2 x 28800 and 1 x 115200, as row B5 has it. */
static void two_and_one(void)
{
	for (unsigned i = 0; i < ELECTION_MAX_LINES; i++)
		lines[i] = (struct election_line){0};
	aggregation = (struct aggregation){0};
	line(0, 28800, 1, true);
	line(1, 28800, 1, true);
	line(2, 115200, 1, true);
}

START_TEST(lines_of_one_speed_and_peer_are_one_aggregator)
{
	line(3, 28800, 2, true);
	line(4, 115200, 1, false);
	elect(AD_SELECT_STABLE);
	ck_assert_uint_eq(aggregation.count, 3);
	ck_assert_uint_eq(aggregation.groups[0].lines, 0x3);
	ck_assert_uint_eq(aggregation.groups[1].lines, 0x14);
	ck_assert_uint_eq(aggregation.groups[1].up, 0x4);
	ck_assert_uint_eq(aggregation.groups[2].lines, 0x8);
	ck_assert_uint_eq(aggregator_of(&aggregation, 1), 0);
	ck_assert_uint_eq(aggregator_of(&aggregation, 4), 1);
	ck_assert_uint_eq(aggregator_of(&aggregation, 3), 2);
	ck_assert_uint_eq(aggregator_of(&aggregation, 5), ELECTION_NONE);
}
END_TEST

START_TEST(each_ad_select_chooses_as_documented)
{
	ck_assert_uint_eq(elect(AD_SELECT_STABLE), 0x4);
	ck_assert_uint_eq(elect(AD_SELECT_BANDWIDTH), 0x4);
	ck_assert_uint_eq(elect(AD_SELECT_COUNT), 0x3);
}
END_TEST

START_TEST(stable_stays_until_all_lines_are_down)
{
	line(3, 115200, 1, true);
	line(4, 230400, 1, false);
	ck_assert_uint_eq(elect(AD_SELECT_STABLE), 0xC);
	line(4, 230400, 1, true);
	line(3, 115200, 1, false);
	ck_assert_uint_eq(elect(AD_SELECT_STABLE), 0x4);
	line(2, 115200, 1, false);
	ck_assert_uint_eq(elect(AD_SELECT_STABLE), 0x10);
	line(2, 115200, 1, true);
	line(3, 115200, 1, true);
	ck_assert_uint_eq(elect(AD_SELECT_STABLE), 0x10); /* their sum is as large */
}
END_TEST

START_TEST(stable_does_not_return_by_itself)
{
	line(2, 115200, 1, false);
	ck_assert_uint_eq(elect(AD_SELECT_STABLE), 0x3);
	line(2, 115200, 1, true);
	ck_assert_uint_eq(elect(AD_SELECT_STABLE), 0x3);
	ck_assert_uint_eq(elect(AD_SELECT_BANDWIDTH), 0x4);
}
END_TEST

START_TEST(bandwidth_follows_each_line)
{
	for (unsigned i = 3; i < 7; i++)
		line(i, 28800, 1, true);
	ck_assert_uint_eq(elect(AD_SELECT_BANDWIDTH), 0x7B); /* 6 x 28800 = 172800 */
	line(0, 28800, 1, false);
	ck_assert_uint_eq(elect(AD_SELECT_BANDWIDTH), 0x7A); /* 144000 */
	line(1, 28800, 1, false);
	ck_assert_uint_eq(elect(AD_SELECT_BANDWIDTH), 0x78); /* 115200: as large, it stays */
	line(3, 28800, 1, false);
	ck_assert_uint_eq(elect(AD_SELECT_BANDWIDTH), 0x4);
	line(3, 28800, 1, true);
	ck_assert_uint_eq(elect(AD_SELECT_BANDWIDTH), 0x4);
}
END_TEST

START_TEST(count_follows_each_line_and_then_the_sum)
{
	ck_assert_uint_eq(elect(AD_SELECT_COUNT), 0x3);
	line(0, 28800, 1, false);
	ck_assert_uint_eq(elect(AD_SELECT_COUNT), 0x4); /* one each: the faster */
	line(0, 28800, 1, true);
	ck_assert_uint_eq(elect(AD_SELECT_COUNT), 0x3);
}
END_TEST

START_TEST(an_active_one_whose_lines_change_speed_is_chosen_anew)
{
	ck_assert_uint_eq(elect(AD_SELECT_STABLE), 0x4);
	line(2, 14400, 1, true); /* the modem called again */
	ck_assert_uint_eq(elect(AD_SELECT_STABLE), 0x3);
}
END_TEST

START_TEST(lines_with_a_peer_go_before_those_without)
{
	line(2, 115200, 0, true);
	for (unsigned s = AD_SELECT_STABLE; s <= AD_SELECT_COUNT; s++) {
		aggregation = (struct aggregation){0};
		ck_assert_uint_eq(elect((enum ad_select)s), 0x3);
	}
	line(0, 28800, 1, false);
	line(1, 28800, 1, false);
	ck_assert_uint_eq(elect(AD_SELECT_STABLE), 0x4);
}
END_TEST

START_TEST(no_line_up_is_no_aggregator)
{
	for (unsigned i = 0; i < 3; i++)
		lines[i].up = false;
	ck_assert_uint_eq(elect(AD_SELECT_STABLE), 0);
	ck_assert_uint_eq(aggregation.active, ELECTION_NONE);
	ck_assert_uint_eq(aggregation.count, 2);
	ck_assert(!aggregation_has_carrier(&(struct election_config){0}, &aggregation));
	lines[1].up = true;
	ck_assert_uint_eq(elect(AD_SELECT_STABLE), 0x2);
}
END_TEST

START_TEST(min_links_counts_those_of_the_active_one)
{
	struct election_config config = {.ad_select = AD_SELECT_COUNT, .min_links = 2};

	elect_aggregator(&config, lines, &aggregation, &aggregation);
	ck_assert(aggregation_has_carrier(&config, &aggregation));
	lines[1].up = false;
	elect_aggregator(&config, lines, &aggregation, &aggregation);
	ck_assert(!aggregation_has_carrier(&config, &aggregation));
	config.min_links = 1;
	ck_assert(aggregation_has_carrier(&config, &aggregation));
	config.min_links = 0;
	ck_assert(aggregation_has_carrier(&config, &aggregation));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("election");
	TCase *active = new_case(suite, "active line");
	TCase *groups = new_case(suite, "aggregators");
	SRunner *runner = srunner_create(suite);

	tcase_add_loop_test(active, active_line, 0, sizeof(active_rows) / sizeof(*active_rows));
	tcase_add_test(active, the_last_line_of_all_can_be_elected);
	tcase_add_checked_fixture(groups, two_and_one, NULL);
	tcase_add_test(groups, lines_of_one_speed_and_peer_are_one_aggregator);
	tcase_add_test(groups, each_ad_select_chooses_as_documented);
	tcase_add_test(groups, stable_stays_until_all_lines_are_down);
	tcase_add_test(groups, stable_does_not_return_by_itself);
	tcase_add_test(groups, bandwidth_follows_each_line);
	tcase_add_test(groups, count_follows_each_line_and_then_the_sum);
	tcase_add_test(groups, an_active_one_whose_lines_change_speed_is_chosen_anew);
	tcase_add_test(groups, lines_with_a_peer_go_before_those_without);
	tcase_add_test(groups, no_line_up_is_no_aggregator);
	tcase_add_test(groups, min_links_counts_those_of_the_active_one);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
