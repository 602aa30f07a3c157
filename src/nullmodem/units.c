/* SPDX-License-Identifier: MIT */
/* Quantities as people write them. Nothing negative, infinite or hexadecimal is one. */
#include "src/nullmodem/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* strtoull and strtod take signs, blanks, 0x, inf and nan; a quantity starts with a digit. */
static bool starts_decimal(const char *text)
{
	bool digit = (text[0] >= '0' && text[0] <= '9') ||
		     (text[0] == '.' && text[1] >= '0' && text[1] <= '9');
	return digit && !(text[0] == '0' && (text[1] == 'x' || text[1] == 'X'));
}

static bool read_integer(const char *text, uint64_t *value, const char **rest)
{
	if (!starts_decimal(text) || text[0] == '.')
		return false;
	char *end;
	errno = 0;
	unsigned long long v = strtoull(text, &end, 10);
	*rest = end;
	*value = v;
	return errno == 0;
}

static bool read_real(const char *text, double *value, const char **rest)
{
	if (!starts_decimal(text))
		return false;
	char *end;
	*value = strtod(text, &end);
	*rest = end;
	return true;
}

bool parse_count(const char *text, uint64_t *count)
{
	uint64_t v;
	const char *rest;
	if (!read_integer(text, &v, &rest) || *rest)
		return false;
	*count = v;
	return true;
}

bool parse_size(const char *text, uint64_t *size)
{
	static const struct {
		const char *suffix;
		unsigned shift;
	} units[] = {{"", 0}, {"K", 10}, {"k", 10}, {"M", 20}};

	uint64_t v;
	const char *rest;
	if (!read_integer(text, &v, &rest))
		return false;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp(rest, units[i].suffix) != 0)
			continue;
		if (v > UINT64_MAX >> units[i].shift)
			return false;
		*size = v << units[i].shift;
		return true;
	}
	return false;
}

bool parse_time(const char *text, sb_time *duration)
{
	static const struct {
		const char *suffix;
		sb_time unit;
	} units[] = {
		{"ns", 1},    {"us", SB_US},      {"ms", SB_MS},        {"s", SB_SEC},
		{"", SB_SEC}, {"m", 60 * SB_SEC}, {"min", 60 * SB_SEC}, {"h", 3600 * SB_SEC},
	};

	double v;
	const char *rest;
	if (!read_real(text, &v, &rest))
		return false;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp(rest, units[i].suffix) != 0)
			continue;
		double ns = v * (double)units[i].unit + 0.5;
		if (!(ns < 9e18)) /* of the 9.2e18 that sb_time holds */
			return false;
		*duration = (sb_time)ns;
		return true;
	}
	return false;
}

bool parse_probability(const char *text, double *probability)
{
	double v;
	const char *rest;
	if (!read_real(text, &v, &rest) || *rest || !(v <= 1))
		return false;
	*probability = v;
	return true;
}
