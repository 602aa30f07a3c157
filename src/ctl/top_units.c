/* SPDX-License-Identifier: MIT */
/* Figures that are as narrow as columns have to be. */
#include "src/ctl/top_parts.h"

#include <stdio.h>

/* Three digits, whatever the size: 1.23, 12.3, 123. */
static int decimals(double value)
{
	return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

/* With a letter for each thousand, and the unit behind it. */
static const char *scaled(char to[static TOP_FIGURE_SIZE], double value, const char *unit)
{
	static const char letters[] = "kMGTPE";
	unsigned letter = 0;

	if (!(value >= 0.5)) {
		snprintf(to, TOP_FIGURE_SIZE, "0%s", unit);
		return to;
	}
	if (value < 999.5) {
		snprintf(to, TOP_FIGURE_SIZE, "%.0f%s", value, unit);
		return to;
	}
	for (value /= 1000; value >= 999.5 && letters[letter + 1]; value /= 1000)
		letter++;
	snprintf(to, TOP_FIGURE_SIZE, "%.*f%c%s", decimals(value), value, letters[letter], unit);
	return to;
}

const char *top_rate(char to[static TOP_FIGURE_SIZE], double bytes_per_s, bool bytes)
{
	return bytes ? scaled(to, bytes_per_s, "B") : scaled(to, 8 * bytes_per_s, "b");
}

const char *top_bytes(char to[static TOP_FIGURE_SIZE], double bytes)
{
	return scaled(to, bytes, "B");
}

const char *top_bps(char to[static TOP_FIGURE_SIZE], double bps)
{
	if (bps < 999999.5)
		snprintf(to, TOP_FIGURE_SIZE, "%.0f", bps > 0 ? bps : 0);
	else
		scaled(to, bps, "");
	return to;
}

const char *top_duration(char to[static TOP_FIGURE_SIZE], double ms)
{
	if (ms < 0)
		snprintf(to, TOP_FIGURE_SIZE, "-");
	else if (ms < 9.95)
		snprintf(to, TOP_FIGURE_SIZE, "%.1fms", ms);
	else if (ms < 999.5)
		snprintf(to, TOP_FIGURE_SIZE, "%.0fms", ms);
	else if (ms < 99950)
		snprintf(to, TOP_FIGURE_SIZE, "%.1fs", ms / 1000);
	else if (ms < 9999500)
		snprintf(to, TOP_FIGURE_SIZE, "%.0fs", ms / 1000);
	else
		snprintf(to, TOP_FIGURE_SIZE, ">2h");
	return to;
}

const char *top_count(char to[static TOP_FIGURE_SIZE], double n)
{
	static const char letters[] = " kMGTPE";
	unsigned letter = 0;

	for (; n >= 9999.5 && letters[letter + 1]; n /= 1000)
		letter++;
	snprintf(to, TOP_FIGURE_SIZE, letter ? "%.0f%c" : "%.0f", n, letters[letter]);
	return to;
}
