/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
#include "src/config_options.h"

#include "src/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool config_refuse(struct config_args *args, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(args->why, sizeof(args->why), format, arguments);
	va_end(arguments);
	return false;
}

static void *member(const struct config_args *args, const struct option_row *row)
{
	return (char *)args->config + row->at;
}

bool config_take_true(struct config_args *args, const struct option_row *row, const char *value)
{
	(void)value;
	*(bool *)member(args, row) = true;
	return true;
}

bool config_take_false(struct config_args *args, const struct option_row *row, const char *value)
{
	(void)value;
	*(bool *)member(args, row) = false;
	return true;
}

bool config_take_u16(struct config_args *args, const struct option_row *row, const char *value)
{
	uint64_t number;
	if (!parse_number(value, row->min, row->max, &number))
		return false;
	*(uint16_t *)member(args, row) = (uint16_t)number;
	return true;
}

bool config_take_unsigned(struct config_args *args, const struct option_row *row, const char *value)
{
	uint64_t number;
	if (!parse_number(value, row->min, row->max, &number))
		return false;
	*(unsigned *)member(args, row) = (unsigned)number;
	return true;
}

bool config_take_time(struct config_args *args, const struct option_row *row, const char *value)
{
	sb_time time;
	if (!parse_time(value, (sb_time)row->max, &time) || time < (sb_time)row->min)
		return false;
	*(sb_time *)member(args, row) = time;
	return true;
}

bool config_take_path(struct config_args *args, const struct option_row *row, const char *value)
{
	size_t length = strlen(value);
	if (length >= CONFIG_DEVICE_SIZE)
		return false;
	memcpy(member(args, row), value, length + 1);
	return true;
}

bool config_take_file(struct config_args *args, const struct option_row *row, const char *value)
{
	return *value && config_take_path(args, row, value);
}
