/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
#include "src/config_value.h"

#include "src/parse.h"

#include <stdio.h>
#include <string.h>

/* Control characters would move terminals, and end lines of files and of modems. */
static bool is_printable(const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || *text == 0x7F)
			return false;
	}
	return true;
}

bool value_take_text(char *to, size_t size, const char *value)
{
	size_t length = strlen(value);
	if (length == 0 || length >= size || !is_printable(value))
		return false;
	if (value[0] == ' ' || value[length - 1] == ' ')
		return false; /* a file could not say it */
	memcpy(to, value, length + 1);
	return true;
}

bool value_take_yes(bool *to, const char *value)
{
	bool yes = strcmp(value, "yes") == 0;
	if (!yes && strcmp(value, "no") != 0)
		return false;
	*to = yes;
	return true;
}

bool value_take_signed(int32_t *to, int64_t min, int64_t max, const char *value)
{
	uint64_t size;
	bool negative = *value == '-';
	if (!parse_number(value + negative, 0, (uint64_t)INT32_MAX + negative, &size))
		return false;
	int64_t number = negative ? -(int64_t)size : (int64_t)size;
	if (number < min || number > max)
		return false;
	*to = (int32_t)number;
	return true;
}

bool value_take_ms(sb_time *to, sb_time max, const char *value)
{
	uint64_t ms;
	if (!parse_number(value, 0, (uint64_t)(max / SB_MS), &ms))
		return parse_time(value, max, to);
	*to = (sb_time)ms * SB_MS;
	return true;
}

bool value_take_shape(struct shape_config *to, const char *value)
{
	uint64_t permille = 0, bps = 0;
	bool none = strcmp(value, "none") == 0 || strcmp(value, "unlimited") == 0;
	if (!none && !(parse_percent(value, 10, 1000, &permille) && permille) &&
	    !parse_rate(value, CONFIG_BPS_MIN, CONFIG_BPS_MAX, &bps))
		return false;
	*to = (struct shape_config){.bps = (uint32_t)bps, .permille = (uint32_t)permille};
	return true;
}

void value_give_yes(bool yes, char to[static CONFIG_TEXT_SIZE])
{
	strcpy(to, yes ? "yes" : "no");
}

void value_give_number(uint64_t number, char to[static CONFIG_TEXT_SIZE])
{
	snprintf(to, CONFIG_TEXT_SIZE, "%llu", (unsigned long long)number);
}

void value_give_signed(int32_t number, char to[static CONFIG_TEXT_SIZE])
{
	snprintf(to, CONFIG_TEXT_SIZE, "%d", (int)number);
}

void value_give_percent(uint64_t per_10000, char to[static CONFIG_TEXT_SIZE])
{
	unsigned whole = (unsigned)(per_10000 / 100), rest = (unsigned)(per_10000 % 100);
	if (rest == 0)
		snprintf(to, CONFIG_TEXT_SIZE, "%u%%", whole);
	else if (rest % 10 == 0)
		snprintf(to, CONFIG_TEXT_SIZE, "%u.%u%%", whole, rest / 10);
	else
		snprintf(to, CONFIG_TEXT_SIZE, "%u.%02u%%", whole, rest);
}

void value_give_shape(const struct shape_config *shape, char to[static CONFIG_TEXT_SIZE])
{
	if (shape->permille)
		value_give_percent(UINT64_C(10) * shape->permille, to);
	else if (shape->bps)
		value_give_number(shape->bps, to);
	else
		strcpy(to, "none");
}

void value_give_time(sb_time time, char to[static CONFIG_TEXT_SIZE])
{
	static const struct {
		sb_time scale;
		const char *name;
	} units[] = {{3600 * SB_SEC, "h"},
		     {60 * SB_SEC, "min"},
		     {SB_SEC, "s"},
		     {SB_MS, "ms"},
		     {SB_US, "us"}};
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (time == 0 || time % units[i].scale != 0)
			continue;
		snprintf(to, CONFIG_TEXT_SIZE, "%lld%s", (long long)(time / units[i].scale),
			 units[i].name);
		return;
	}
	if (time == 0)
		strcpy(to, "0");
	else
		snprintf(to, CONFIG_TEXT_SIZE, "%lld.%03dus", (long long)(time / SB_US),
			 (int)(time % SB_US));
}
