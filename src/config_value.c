/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
#include "src/config_value.h"

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

void value_give_yes(bool yes, char to[static CONFIG_TEXT_SIZE])
{
	strcpy(to, yes ? "yes" : "no");
}

void value_give_number(uint64_t number, char to[static CONFIG_TEXT_SIZE])
{
	snprintf(to, CONFIG_TEXT_SIZE, "%llu", (unsigned long long)number);
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
