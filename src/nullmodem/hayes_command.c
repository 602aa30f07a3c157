/* SPDX-License-Identifier: MIT */
/*
 * The command line: any number of commands after AT, obeyed from the left until one is wrong or
 * ends the line (A, D, O, Z). Settings are hayes_settings.c's; here is what acts.
 */
#include "src/nullmodem/hayes_impl.h"

#include <stdio.h>

enum outcome {
	NEXT,  /* obeyed */
	WRONG, /* ERROR */
	ENDED, /* whatever there was to say was said, or will be */
};

/* ---- dialling ---- */

/* V.250 6.3.1: what is in a number beside what is dialled. Its duration; < 0: no dial string. */
static sb_time dial_modifier(struct hayes *h, char c)
{
	switch (c) {
	case 'T':
	case 'P':
		h->set.pulse = c == 'P';
		return 0;
	case ',':
		return h->set.s[S_COMMA] * SB_SEC;
	case 'W': /* the second dial tone is there at once */
	case '!': /* a flash of the hook */
		return SB_SEC / 2;
	case '@':
		h->wants_quiet = true;
		return 0;
	case ';':
		h->comes_back = true;
		return 0;
	case '-':
	case '.':
	case '(':
	case ')':
		return 0;
	default:
		return -1;
	}
}

static sb_time dial_digit(const struct hayes *h, char c)
{
	if (!h->set.pulse)
		return 2 * h->set.s[S_TONE] * SB_MS;
	return (c == '0' ? 10 : c - '0') * SB_SEC / 10 + 8 * SB_SEC / 10;
}

/* Without an ear for the dial tone it waits, and hopes. */
static sb_time before_dialling(const struct hayes *h)
{
	bool hears_tone = h->set.extended == 2 || h->set.extended == 4;
	return hears_tone ? 0 : h->set.s[S_DIAL_TONE_WAIT] * SB_SEC;
}

static enum outcome dial_number(struct hayes *h, sb_time now, const char *text)
{
	sb_time duration = before_dialling(h);
	struct phone_entry e = {.number = ""};
	size_t length = 0;
	for (; *text; text++) {
		sb_time more = dial_modifier(h, *text);
		if (more < 0) {
			e.number[length++] = *text;
			if (!phone_is_number(e.number) || length == sizeof e.number - 1)
				return WRONG;
			more = dial_digit(h, *text);
		}
		duration += more;
	}
	memcpy(h->number, e.number, sizeof h->number);
	hayes_dial(h, now, duration);
	return ENDED;
}

static enum outcome do_dial(struct hayes *h, sb_time now, const char **at)
{
	if (h->state == HAYES_ESCAPED)
		return WRONG;
	h->comes_back = h->wants_quiet = false;
	char last[PHONE_NUMBER_SIZE];
	const char *text = *at;
	if (strcmp(text, "L") == 0) {
		memcpy(last, h->number, sizeof last);
		text = last;
	}
	return dial_number(h, now, text);
}

/* ---- the others ---- */

static enum outcome do_answer(struct hayes *h, sb_time now, const char **at)
{
	(void)at;
	if (h->state == HAYES_ESCAPED)
		return WRONG;
	hayes_answer(h, now);
	return ENDED;
}

static enum outcome do_hook(struct hayes *h, sb_time now, const char **at)
{
	(void)now;
	unsigned off = hayes_number(at);
	if (off > 1)
		return WRONG;
	if (off || h->state != HAYES_ESCAPED)
		return NEXT;
	hayes_hang_up(h);
	if (h->config->on_hook == HAYES_SAYS_OK)
		return NEXT;
	if (h->config->on_hook == HAYES_SAYS_NO_CARRIER)
		hayes_say(h, HAYES_NO_CARRIER);
	return ENDED;
}

static enum outcome do_identify(struct hayes *h, sb_time now, const char **at)
{
	(void)now;
	hayes_number(at);
	hayes_say_text(h, "nullmodem");
	return NEXT;
}

static enum outcome do_online(struct hayes *h, sb_time now, const char **at)
{
	if (hayes_number(at) > 1 || h->state != HAYES_ESCAPED)
		return WRONG;
	hayes_go_online(h, now);
	return ENDED;
}

static enum outcome do_reset(struct hayes *h, sb_time now, const char **at)
{
	(void)now;
	if (hayes_number(at) > 1)
		return WRONG;
	if (h->state == HAYES_ESCAPED)
		hayes_hang_up(h);
	hayes_recall_profile(h);
	hayes_say(h, HAYES_OK);
	return ENDED;
}

static enum outcome do_factory(struct hayes *h, sb_time now, const char **at)
{
	(void)now;
	if (hayes_number(at) > 1)
		return WRONG;
	hayes_settings_factory(&h->set);
	return NEXT;
}

/* S7?, or ? for the register named last. */
static enum outcome do_question(struct hayes *h, sb_time now, const char **at)
{
	(void)now;
	char text[8];
	snprintf(text, sizeof text, "%03u", h->set.s[h->set.chosen]);
	hayes_say_text(h, text);
	(void)at;
	return NEXT;
}

static enum outcome do_register_question(struct hayes *h, sb_time now, const char **at)
{
	unsigned n = hayes_number(at);
	if (n >= S_COUNT || **at != '?')
		return WRONG;
	++*at;
	h->set.chosen = (uint8_t)n;
	return do_question(h, now, at);
}

/* No SB_... where a modem has no more to show than this. */
static enum outcome do_view(struct hayes *h, sb_time now, const char **at)
{
	(void)now;
	char text[64];
	hayes_number(at);
	const struct hayes_settings *s = &h->set;
	snprintf(text, sizeof text, "E%u Q%u V%u W%u X%u &C%u &D%u S0=%u S7=%u S12=%u", s->echo,
		 s->quiet, s->verbose, s->rates, s->extended, s->dcd, s->dtr, s->s[S_AUTO_ANSWER],
		 s->s[S_CARRIER_WAIT], s->s[S_GUARD]);
	hayes_say_text(h, text);
	return NEXT;
}

static const struct command {
	const char *name;
	enum outcome (*obey)(struct hayes *, sb_time now, const char **at);
} commands[] = {
	{"A", do_answer},   {"D", do_dial},     {"H", do_hook},
	{"I", do_identify}, {"O", do_online},   {"S", do_register_question},
	{"Z", do_reset},    {"?", do_question}, {"&F", do_factory},
	{"&V", do_view},
};

static enum outcome obey_one(struct hayes *h, sb_time now, const char **at)
{
	enum hayes_parsed parsed = hayes_settings_obey(&h->set, at);
	if (parsed != HAYES_OTHER)
		return parsed == HAYES_SET ? NEXT : WRONG;
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		size_t n = strlen(commands[i].name);
		if (strncmp(*at, commands[i].name, n) != 0)
			continue;
		*at += n;
		return commands[i].obey(h, now, at);
	}
	return WRONG;
}

void hayes_obey(struct hayes *h, sb_time now)
{
	enum outcome outcome = h->overlong ? WRONG : NEXT;
	const char *at = h->line;
	while (outcome == NEXT && *at)
		outcome = obey_one(h, now, &at);
	if (outcome != ENDED)
		hayes_say(h, outcome == NEXT ? HAYES_OK : HAYES_ERROR);
}
