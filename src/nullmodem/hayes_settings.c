/* SPDX-License-Identifier: MIT */
/*
 * Switches in a table: the letter, what it goes up to, where it is kept. Many modems' commands
 * about speakers, flow control and compression mean nothing here; those are taken and forgotten,
 * as scripts send them and expect OK.
 */
#include "src/nullmodem/hayes_settings.h"

#include <stddef.h>
#include <string.h>

static const struct setting {
	char prefix; /* '&', or 0: none */
	char letter;
	uint8_t most;
	size_t offset;
} settings[] = {
	{0, 'E', 1, offsetof(struct hayes_settings, echo)},
	{0, 'Q', 1, offsetof(struct hayes_settings, quiet)},
	{0, 'V', 1, offsetof(struct hayes_settings, verbose)},
	{0, 'W', 2, offsetof(struct hayes_settings, rates)},
	{0, 'X', 4, offsetof(struct hayes_settings, extended)},
	{'&', 'C', 1, offsetof(struct hayes_settings, dcd)},
	{'&', 'D', 3, offsetof(struct hayes_settings, dtr)},
};

/* Taken, whatever the number: by prefix, letters. */
static const struct {
	char prefix;
	const char *letters;
} forgotten[] = {
	{0, "BLMNY"}, /* carrier standard, loudness, speaker, rate choice, long space */
	{'&', "ABGHIJKLMNPQRSTUWXY"},
	{'\\', "ABCGKLNQTVX"},
	{'%', "BCEGL"},
};

void hayes_settings_factory(struct hayes_settings *h)
{
	*h = (struct hayes_settings){
		.echo = 1, .verbose = 1, .extended = 4, .rates = 2, .dcd = 1, .dtr = 2};
	static const uint8_t registers[][2] = {
		{S_ESCAPE, '+'},       {S_END_OF_LINE, '\r'},
		{S_LINE_FEED, '\n'},   {S_BACKSPACE, '\b'},
		{S_DIAL_TONE_WAIT, 2}, {S_CARRIER_WAIT, 50},
		{S_COMMA, 2},          {9, 6},
		{S_CARRIER_LOSS, 14},  {S_TONE, 95},
		{S_GUARD, 50},
	};
	for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
		h->s[registers[i][0]] = registers[i][1];
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

unsigned hayes_number(const char **at)
{
	unsigned n = 0;
	for (; is_digit(**at); ++*at)
		n = n * 10 + (unsigned)(**at - '0') > 999 ? 999 : n * 10 + (unsigned)(**at - '0');
	return n;
}

static enum hayes_parsed set_switch(struct hayes_settings *h, char prefix, const char **at)
{
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		const struct setting *s = &settings[i];
		if (s->prefix != prefix || s->letter != **at)
			continue;
		++*at;
		unsigned value = hayes_number(at);
		if (value > s->most)
			return HAYES_BAD;
		*((uint8_t *)h + s->offset) = (uint8_t)value;
		return HAYES_SET;
	}
	return HAYES_OTHER;
}

static enum hayes_parsed forget(char prefix, const char **at)
{
	for (size_t i = 0; i < sizeof forgotten / sizeof *forgotten; i++) {
		if (forgotten[i].prefix != prefix || !**at || !strchr(forgotten[i].letters, **at))
			continue;
		++*at;
		hayes_number(at);
		return HAYES_SET;
	}
	return HAYES_OTHER;
}

/* S7=30, or S7 alone, or =30 for the one named last. The question S7? is none of ours. */
static enum hayes_parsed set_register(struct hayes_settings *h, const char **at)
{
	const char *p = *at;
	unsigned n = h->chosen;
	if (*p == 'S') {
		p++;
		n = hayes_number(&p);
	}
	if (n >= S_COUNT)
		return HAYES_BAD;
	if (*p == '?')
		return HAYES_OTHER;
	if (*p == '=') {
		p++;
		unsigned value = hayes_number(&p);
		if (value > UINT8_MAX)
			return HAYES_BAD;
		h->s[n] = (uint8_t)value;
	}
	h->chosen = (uint8_t)n;
	*at = p;
	return HAYES_SET;
}

enum hayes_parsed hayes_settings_obey(struct hayes_settings *h, const char **at)
{
	if (**at == 'S' || **at == '=')
		return set_register(h, at);
	if (**at == 'T' || **at == 'P') {
		h->pulse = **at == 'P';
		++*at;
		return HAYES_SET;
	}
	const char *p = *at;
	char prefix = strchr("&\\%", *p) && *p ? *p++ : '\0';
	enum hayes_parsed parsed = set_switch(h, prefix, &p);
	if (parsed == HAYES_OTHER)
		parsed = forget(prefix, &p);
	if (parsed == HAYES_SET)
		*at = p;
	return parsed;
}

bool hayes_settings_obey_all(struct hayes_settings *h, const char *text)
{
	while (*text)
		if (hayes_settings_obey(h, &text) != HAYES_SET)
			return false;
	return true;
}
