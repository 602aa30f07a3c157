/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
#include "src/config_options.h"

#include "src/config_keys.h"
#include "src/config_value.h"
#include "src/parse.h"
#include "src/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- rows --------------------------------------------------------------------------------------
 */

static const struct option_group *const groups[] = {
	&config_line_group,      &config_interface_group, &config_modes_group,
	&config_shape_group,     &config_answer_group,    &config_ppp_group,
	&config_multilink_group, &config_network_group,   &config_auth_group,
	&config_control_group,   &config_hook_group,      &config_file_group,
	&config_run_group,
};

const struct option_row *config_option_at(size_t i, const struct option_group **group)
{
	for (size_t g = 0; g < OPTION_COUNT(groups); g++) {
		*group = groups[g];
		if (i < groups[g]->count)
			return &groups[g]->rows[i];
		i -= groups[g]->count;
	}
	return NULL;
}

const char *config_option_name(const struct option_row *row, size_t i)
{
	if (i == 0)
		return row->name;
	return i <= OPTION_ALIASES ? row->aliases[i - 1] : NULL;
}

const struct option_row *config_option_named(const char *name, const struct option_group **group)
{
	const struct option_row *row;
	for (size_t i = 0; (row = config_option_at(i, group)); i++) {
		const char *own;
		for (size_t k = 0; (own = config_option_name(row, k)); k++) {
			if (config_is_spelt(own, name))
				return row;
		}
	}
	return NULL;
}

const char *config_option_near(const char *word)
{
	const char *names[CONFIG_MAX_NAMES], *name;
	const struct option_group *group;
	const struct option_row *row;
	size_t count = 0;
	for (size_t i = 0; (row = config_option_at(i, &group)); i++) {
		for (size_t k = 0; (name = config_option_name(row, k)); k++) {
			assert(count < CONFIG_MAX_NAMES);
			names[count++] = name;
		}
	}
	return text_nearest(word, names, count);
}

static void print_row(const struct option_row *o)
{
	char left[40], letter[] = {'-', o->letter, ',', '\0'};
	const char *alias;
	snprintf(left, sizeof(left), "%3s --%s%s", o->letter ? letter : "", o->name,
		 o->value ? o->value : "");
	printf("  %-28s %s", left, o->help);
	for (size_t i = 1; (alias = config_option_name(o, i)); i++)
		printf("%s--%s", i == 1 ? "\n                               also " : ", ", alias);
	printf("\n");
}

static void print_keys(void)
{
	enum { COLUMNS = 76 };
	const struct line_key *key;
	int column = printf("  keys:");
	for (size_t k = 0; (key = config_key_at(k)); k++) {
		if (column + (int)strlen(key->name) + 2 > COLUMNS)
			column = printf("\n       ") - 1;
		column += printf(" %s=", key->name);
	}
	printf("\n  words: slip ppp; see serialbundle(8)\n");
}

void config_help(void)
{
	printf("usage: serialbundle [options] DEVICE:BPS[@BAUD][,key=value...]...\n"
	       "       serialbundle --config FILE\n"
	       "One IP interface over several serial lines.\n\n"
	       "  BPS is what the line carries, BAUD the port's speed (28800, 57.6k, 1M)\n");
	print_keys();
	for (size_t g = 0; g < OPTION_COUNT(groups); g++) {
		printf("\n%s\n", groups[g]->title);
		for (size_t i = 0; i < groups[g]->count; i++)
			print_row(&groups[g]->rows[i]);
	}
}

/* --- a value is taken --------------------------------------------------------------------------
 */

/* For what several options have to say together. A flag that is off was not given. */
static void note_given(struct config_args *args, const struct option_row *row, bool ppp, bool off)
{
	struct config_loose *loose = &args->loose;
	struct config_given given = {.name = row->name, .place = args->place, .off = off};
	if (ppp && !off && !loose->given_ppp)
		loose->given_ppp = row->name;
	for (unsigned i = 0; i < loose->given_count; i++) {
		if (loose->given[i].name == row->name) {
			loose->given[i] = given;
			return;
		}
	}
	loose->given[loose->given_count++] = given;
}

bool config_option_set(struct config_args *args, const struct option_row *row,
		       const struct option_group *group, const char *value)
{
	bool off = row->is_flag && value && strcmp(value, "no") == 0;
	const char *dashes = args->place.file ? "" : "--";
	note_given(args, row, group->ppp, off);
	args->why[0] = '\0';
	if (row->take(args, row, value))
		return true;
	if (args->why[0])
		return config_complain(args->voice, args->place, "%s%s %s", dashes, row->name,
				       args->why);
	return config_complain(args->voice, args->place, "%s%s %s: expected %s", dashes, row->name,
			       *value ? value : "''", row->form ? row->form : "yes or no");
}

bool config_refuse(struct config_args *args, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(args->why, sizeof(args->why), format, arguments);
	va_end(arguments);
	return false;
}

/* --- plain values ------------------------------------------------------------------------------
 */

static void *member(const struct config_args *args, const struct option_row *row)
{
	return (char *)args->config + row->at;
}

static const void *place(const struct config *c, const struct option_row *row)
{
	return (const char *)c + row->at;
}

bool config_flag_value(const char *value, bool *yes)
{
	*yes = true;
	return !value || value_take_yes(yes, value);
}

bool config_take_true(struct config_args *args, const struct option_row *row, const char *value)
{
	return config_flag_value(value, member(args, row));
}

bool config_give_true(const struct config *c, const struct option_row *row, unsigned n,
		      char to[static CONFIG_TEXT_SIZE])
{
	value_give_yes(*(const bool *)place(c, row), to);
	return n == 0;
}

bool config_take_false(struct config_args *args, const struct option_row *row, const char *value)
{
	bool yes;
	if (!config_flag_value(value, &yes))
		return false;
	*(bool *)member(args, row) = !yes;
	return true;
}

bool config_give_false(const struct config *c, const struct option_row *row, unsigned n,
		       char to[static CONFIG_TEXT_SIZE])
{
	value_give_yes(!*(const bool *)place(c, row), to);
	return n == 0;
}

bool config_take_u16(struct config_args *args, const struct option_row *row, const char *value)
{
	uint64_t number;
	if (!parse_number(value, row->min, row->max, &number))
		return false;
	*(uint16_t *)member(args, row) = (uint16_t)number;
	return true;
}

bool config_give_u16(const struct config *c, const struct option_row *row, unsigned n,
		     char to[static CONFIG_TEXT_SIZE])
{
	value_give_number(*(const uint16_t *)place(c, row), to);
	return n == 0;
}

bool config_take_unsigned(struct config_args *args, const struct option_row *row, const char *value)
{
	uint64_t number;
	if (!parse_number(value, row->min, row->max, &number))
		return false;
	*(unsigned *)member(args, row) = (unsigned)number;
	return true;
}

bool config_give_unsigned(const struct config *c, const struct option_row *row, unsigned n,
			  char to[static CONFIG_TEXT_SIZE])
{
	value_give_number(*(const unsigned *)place(c, row), to);
	return n == 0;
}

/* 0, or within the bounds; with k, M, G. */
bool config_take_bytes(struct config_args *args, const struct option_row *row, const char *value)
{
	uint64_t bytes = 0;
	if (strcmp(value, "0") != 0 && !parse_rate(value, row->min, row->max, &bytes))
		return false;
	*(uint64_t *)member(args, row) = bytes;
	return true;
}

bool config_give_bytes(const struct config *c, const struct option_row *row, unsigned n,
		       char to[static CONFIG_TEXT_SIZE])
{
	value_give_number(*(const uint64_t *)place(c, row), to);
	return n == 0;
}

bool config_take_time(struct config_args *args, const struct option_row *row, const char *value)
{
	sb_time time;
	if (!parse_time(value, (sb_time)row->max, &time) || time < (sb_time)row->min)
		return false;
	*(sb_time *)member(args, row) = time;
	return true;
}

bool config_give_time(const struct config *c, const struct option_row *row, unsigned n,
		      char to[static CONFIG_TEXT_SIZE])
{
	value_give_time(*(const sb_time *)place(c, row), to);
	return n == 0;
}

bool config_take_ms(struct config_args *args, const struct option_row *row, const char *value)
{
	sb_time time;
	if (!value_take_ms(&time, (sb_time)row->max, value))
		return false;
	*(sb_time *)member(args, row) = time;
	return true;
}

bool config_give_ms(const struct config *c, const struct option_row *row, unsigned n,
		    char to[static CONFIG_TEXT_SIZE])
{
	return config_give_time(c, row, n, to);
}

/* Or its number, as bonding has them. */
bool config_take_word(struct config_args *args, const struct option_row *row, const char *value)
{
	uint64_t number = UINT64_MAX;
	parse_number(value, 0, UINT64_MAX - 1, &number);
	for (unsigned i = 0; row->words[i]; i++) {
		if (strcmp(row->words[i], value) != 0 && number != i)
			continue;
		*(unsigned *)member(args, row) = i;
		return true;
	}
	return false;
}

bool config_give_word(const struct config *c, const struct option_row *row, unsigned n,
		      char to[static CONFIG_TEXT_SIZE])
{
	strcpy(to, row->words[*(const unsigned *)place(c, row)]);
	return n == 0;
}

bool config_take_shape(struct config_args *args, const struct option_row *row, const char *value)
{
	return value_take_shape(member(args, row), value);
}

bool config_give_shape(const struct config *c, const struct option_row *row, unsigned n,
		       char to[static CONFIG_TEXT_SIZE])
{
	value_give_shape(place(c, row), to);
	return n == 0;
}

bool config_take_path(struct config_args *args, const struct option_row *row, const char *value)
{
	return !*value ? (*(char *)member(args, row) = '\0', true)
		       : value_take_text(member(args, row), CONFIG_DEVICE_SIZE, value);
}

bool config_take_file(struct config_args *args, const struct option_row *row, const char *value)
{
	return *value && config_take_path(args, row, value);
}

bool config_give_path(const struct config *c, const struct option_row *row, unsigned n,
		      char to[static CONFIG_TEXT_SIZE])
{
	strcpy(to, place(c, row));
	return n == 0;
}
