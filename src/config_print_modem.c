/* SPDX-License-Identifier: MIT */
/*
 * The plan of what happens by itself: calls, programs that are run, and who may look in.
 */
#define _DEFAULT_SOURCE
#include "src/config_print.h"

#include "src/text.h"

#include <stdio.h>

static void print_calls(const struct modem_config *m)
{
	if (m->chat[0])
		printf("  chat     %s\n", m->chat);
	else if (m->number_count)
		printf("  chat     %s, %s and a number\n", m->init[0] ? m->init : "ATZ, ATE0",
		       m->dial_command);
	for (unsigned i = 0; i < m->number_count; i++)
		printf("%s%s", i ? ", " : "  numbers  ", m->numbers[i]);
	if (m->number_count)
		printf("\n");
	if (m->answers && m->rings)
		printf("  answers  at ring %u\n", m->rings);
	else if (m->answers)
		printf("  answers  by itself\n");
}

static void print_patience(const struct modem_config *m)
{
	char timeout[TEXT_UNIT_SIZE], first[TEXT_UNIT_SIZE], longest[TEXT_UNIT_SIZE];
	char hold_off[TEXT_UNIT_SIZE];
	if (m->dial_timeout)
		printf("  dials    for %s at most, ", text_time(timeout, m->dial_timeout));
	else
		printf("  dials    as long as the script has it, ");
	printf("again after %s up to %s", text_time(first, m->redial),
	       text_time(longest, m->redial_longest));
	if (m->attempts)
		printf(", %u times", m->attempts);
	if (m->hold_off)
		printf(", then not for %s", text_time(hold_off, m->hold_off));
	printf("\n");
}

static void print_limits(const struct modem_config *m)
{
	char idle[TEXT_UNIT_SIZE], longest[TEXT_UNIT_SIZE];
	if (m->idle)
		printf("  idle     hung up after %s without packets, dialled when one comes\n",
		       text_time(idle, m->idle));
	if (m->max_connect)
		printf("  call     %s at most\n", text_time(longest, m->max_connect));
	if (m->connect_rate)
		printf("  rate     what CONNECT tells is the line's\n");
}

void config_print_life(const struct line_config *line)
{
	const struct modem_config *m = &line->modem;
	if (!line->enabled)
		printf("  enabled  no, down until told otherwise\n");
	if (m->present) {
		print_calls(m);
		if (m->chat[0] || m->number_count)
			print_patience(m);
		print_limits(m);
	}
	if (line->command[0])
		printf("  command  %s\n", line->command);
}

static void print_program(const char *when, const char *program)
{
	if (*program)
		printf("%-10s %s\n", when, program);
}

void config_print_programs(const struct config *c)
{
	char timeout[TEXT_UNIT_SIZE];
	bool any = *c->ip_up || *c->ip_down || *c->line_up || *c->line_down;
	print_program("ip-up", c->ip_up);
	print_program("ip-down", c->ip_down);
	print_program("line-up", c->line_up);
	print_program("line-down", c->line_down);
	if (any)
		printf("programs   are ended after %s\n", text_time(timeout, c->hook_timeout));
	if (c->control[0])
		printf("control    %s, changes by %s%s\n", c->control,
		       c->control_group[0] ? "group " : "us and root",
		       c->control_group[0] ? c->control_group : "");
	if (c->max_lines < CONFIG_MAX_LINES || c->min_lines > 1)
		printf("lines      %u of %u at least, or there is no carrier; %u at most\n",
		       c->min_lines, c->line_count, c->max_lines);
}
