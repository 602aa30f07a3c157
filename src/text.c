/* SPDX-License-Identifier: MIT */
/*
 * Text for people's eyes.
 *
 * What a modem or a peer sends, or what a file is called, may hold escape
 * sequences that move a terminal's cursor or answer in the user's name. Instead
 * of knowing the bad ones this lets through what is known to be harmless: the
 * printable characters of ASCII, and well-formed UTF-8 (RFC 3629) above U+009F,
 * since U+0080 to U+009F are controls again, CSI among them.
 */
#include "src/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The bytes of the printable character at s, or 0 when there is none. */
static size_t printable_length(const unsigned char *s)
{
	static const struct {
		unsigned char mask, lead;
		size_t length;
		uint32_t least; /* smaller ones are overlong forms, or controls */
	} forms[] = {
		{0xE0, 0xC0, 2, 0xA0},
		{0xF0, 0xE0, 3, 0x800},
		{0xF8, 0xF0, 4, 0x10000},
	};
	if (*s < 0x80)
		return *s >= 0x20 && *s < 0x7F;
	for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
		if ((*s & forms[f].mask) != forms[f].lead)
			continue;
		uint32_t c = *s & (unsigned char)~forms[f].mask;
		for (size_t i = 1; i < forms[f].length; i++) {
			if ((s[i] & 0xC0) != 0x80)
				return 0;
			c = c << 6 | (s[i] & 0x3F);
		}
		bool surrogate = c >= 0xD800 && c <= 0xDFFF;
		return c >= forms[f].least && c <= 0x10FFFF && !surrogate ? forms[f].length : 0;
	}
	return 0;
}

void text_clean(char *text)
{
	while (*text) {
		size_t n = printable_length((unsigned char *)text);
		if (n == 0)
			*text = '?';
		text += n ? n : 1;
	}
}

size_t text_cut(const char *text, size_t columns)
{
	size_t at = 0;
	for (; columns && text[at]; columns--) {
		at++;
		while ((text[at] & 0xC0) == 0x80)
			at++;
	}
	return at;
}

/* Three digits of value, whatever its size: 1.23, 12.3, 123. */
static int decimals(double value)
{
	return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

const char *text_bytes(char to[static TEXT_UNIT_SIZE], uint64_t bytes)
{
	static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
	if (bytes < 1000) {
		snprintf(to, TEXT_UNIT_SIZE, "%u B", (unsigned)bytes);
		return to;
	}
	double value = (double)bytes / 1000;
	size_t unit = 0;
	for (; value >= 999.5; value /= 1000)
		unit++;
	snprintf(to, TEXT_UNIT_SIZE, "%.*f %s", decimals(value), value, units[unit]);
	return to;
}

const char *text_time(char to[static TEXT_UNIT_SIZE], int64_t ns)
{
	static const struct {
		const char *big, *small;
		unsigned big_s, small_s;
	} pairs[] = {{"d", "h", 86400, 3600}, {"h", "min", 3600, 60}, {"min", "s", 60, 1}};
	double ms = (double)ns / 1e6;
	unsigned long long seconds = ns > 0 ? (unsigned long long)ns / 1000000000 : 0;
	if (ns <= 0)
		snprintf(to, TEXT_UNIT_SIZE, "0 ms");
	else if (ms < 999.5)
		snprintf(to, TEXT_UNIT_SIZE, "%.*f ms", decimals(ms), ms);
	else if (seconds < 60)
		snprintf(to, TEXT_UNIT_SIZE, "%.*f s", decimals(ms / 1000), ms / 1000);
	for (size_t i = 0; seconds >= 60 && i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (seconds < pairs[i].big_s)
			continue;
		snprintf(to, TEXT_UNIT_SIZE, "%llu %s %02llu %s", seconds / pairs[i].big_s,
			 pairs[i].big, seconds % pairs[i].big_s / pairs[i].small_s, pairs[i].small);
		break;
	}
	return to;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

enum { WORD_MAX = 31 };

/* Levenshtein's distance, by rows; words beyond WORD_MAX are far from everything. */
static unsigned distance(const char *a, const char *b)
{
	size_t length = strlen(b);
	unsigned row[WORD_MAX + 1];
	if (length > WORD_MAX || strlen(a) > WORD_MAX)
		return WORD_MAX;
	for (unsigned j = 0; j <= length; j++)
		row[j] = j;
	for (unsigned i = 1; *a; a++, i++) {
		unsigned diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= length; j++) {
			unsigned change = diagonal + (*a != b[j - 1]);
			diagonal = row[j];
			row[j] = least(change, least(row[j], row[j - 1]) + 1);
		}
	}
	return row[length];
}

const char *text_nearest(const char *word, const char *const words[], size_t count)
{
	/* A third of the letters wrong is still a slip; more is another word. */
	unsigned best = least(2, (unsigned)strlen(word) / 3) + 1;
	const char *nearest = NULL;
	for (size_t i = 0; i < count; i++) {
		unsigned d = distance(word, words[i]);
		if (d < best) {
			best = d;
			nearest = words[i];
		}
	}
	return nearest;
}
