/* SPDX-License-Identifier: MIT */
/*
 * The automaton against the table of RFC 1661, which data/automaton.txt has as it
 * is printed there: every cell.
 */
#include "ppp/automaton.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/codec_testing.h"

static const char *const events[AUTOMATON_EVENTS] = {
	[EVENT_UP] = "Up",         [EVENT_DOWN] = "Down",      [EVENT_OPEN] = "Open",
	[EVENT_CLOSE] = "Close",   [EVENT_TO_PLUS] = "TO+",    [EVENT_TO_MINUS] = "TO-",
	[EVENT_RCR_PLUS] = "RCR+", [EVENT_RCR_MINUS] = "RCR-", [EVENT_RCA] = "RCA",
	[EVENT_RCN] = "RCN",       [EVENT_RTR] = "RTR",        [EVENT_RTA] = "RTA",
	[EVENT_RUC] = "RUC",       [EVENT_RXJ_PLUS] = "RXJ+",  [EVENT_RXJ_MINUS] = "RXJ-",
	[EVENT_RXR] = "RXR",
};

static const struct {
	const char *name;
	enum automaton_action action;
} actions[] = {
	{"tlu", ACTION_TLU}, {"tld", ACTION_TLD}, {"tls", ACTION_TLS}, {"tlf", ACTION_TLF},
	{"irc", ACTION_IRC}, {"zrc", ACTION_ZRC}, {"scr", ACTION_SCR}, {"sca", ACTION_SCA},
	{"scn", ACTION_SCN}, {"str", ACTION_STR}, {"sta", ACTION_STA}, {"scj", ACTION_SCJ},
	{"ser", ACTION_SER},
};

static unsigned action_named(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
		if (strlen(actions[i].name) == length && !memcmp(actions[i].name, name, length))
			return actions[i].action;
	ck_abort_msg("no such action: %.*s", (int)length, name);
}

static enum automaton_event event_named(const char *name)
{
	for (int i = 0; i < AUTOMATON_EVENTS; i++)
		if (!strcmp(events[i], name))
			return (enum automaton_event)i;
	ck_abort_msg("no such event: %s", name);
}

/* "irc,scr/6x" */
static struct automaton_cell cell_from(const char *text)
{
	struct automaton_cell cell = {.actions = 0, .next = AUTOMATON_STATES};

	if (!strcmp(text, "-"))
		return cell;
	while (*text < '0' || *text > '9') {
		size_t length = strcspn(text, ",/");
		cell.actions |= (uint16_t)action_named(text, length);
		text += length + 1;
	}
	ck_assert_msg(!text[1] || (strchr("prx", text[1]) && !text[2]), "mark: %s", text);
	cell.next = (uint8_t)(*text - '0');
	return cell;
}

static unsigned check_row(char *line)
{
	const char *name = strtok(line, " \n");
	unsigned cells = 0;

	if (!name || *name == '#')
		return 0;
	enum automaton_event event = event_named(name);
	for (int state = 0; state < AUTOMATON_STATES; state++) {
		const char *text = strtok(NULL, " \n");
		ck_assert_msg(text != NULL, "%s: a row too short", name);
		struct automaton_cell want = cell_from(text);
		struct automaton_cell got = automaton_step((enum automaton_state)state, event);
		ck_assert_msg(got.actions == want.actions && got.next == want.next,
			      "%s in %s: %#x/%u, not %s", name,
			      automaton_state_name((enum automaton_state)state), got.actions,
			      got.next, text);
		cells++;
	}
	ck_assert_ptr_null(strtok(NULL, " \n"));
	return cells;
}

START_TEST(every_cell_is_the_rfcs)
{
	FILE *file = fopen(TEST_DATA "/automaton.txt", "r");
	char line[256];
	unsigned cells = 0;

	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof line, file))
		cells += check_row(line);
	fclose(file);
	ck_assert_uint_eq(cells, AUTOMATON_EVENTS * AUTOMATON_STATES);
}
END_TEST

START_TEST(states_have_the_rfcs_numbers_and_names)
{
	static const char *const names[] = {
		"Initial",  "Starting", "Closed",   "Stopped",  "Closing",
		"Stopping", "Req-Sent", "Ack-Rcvd", "Ack-Sent", "Opened",
	};
	for (int i = 0; i < AUTOMATON_STATES; i++)
		ck_assert_str_eq(automaton_state_name((enum automaton_state)i), names[i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("automaton");
	TCase *table = tcase_create("table");

	tcase_add_test(table, every_cell_is_the_rfcs);
	tcase_add_test(table, states_have_the_rfcs_numbers_and_names);
	suite_add_tcase(suite, table);
	return run_suite(suite);
}
