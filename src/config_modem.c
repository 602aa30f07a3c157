/* SPDX-License-Identifier: MIT */
/*
 * The keys of a line with a modem. Any of them says that there is one.
 */
#define _DEFAULT_SOURCE
#include "src/config_modem.h"

#include "src/config_keys.h"
#include "src/config_value.h"
#include "src/parse.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { ATTEMPTS_MAX = 1000, RINGS_MAX = 20 };
#define HOURS(n) ((n)*3600 * (uint64_t)SB_SEC)

static bool add_number(struct modem_config *m, const char *text, size_t length)
{
	char number[CONFIG_NUMBER_SIZE];
	if (m->number_count == CONFIG_NUMBERS || length >= sizeof(number))
		return false;
	memcpy(number, text, length);
	number[length] = '\0';
	return value_take_text(m->numbers[m->number_count++], CONFIG_NUMBER_SIZE, number);
}

static bool take_dial(struct line_config *line, const struct line_key *key, const char *value)
{
	(void)key;
	for (;; value++) {
		size_t length = strcspn(value, "/");
		if (!add_number(&line->modem, value, length))
			return false;
		value += length;
		if (!*value)
			return true;
	}
}

static_assert(CONFIG_NUMBERS * CONFIG_NUMBER_SIZE <= CONFIG_TEXT_SIZE, "all numbers fit");

static void give_dial(const struct line_config *line, const struct line_key *key,
		      char to[static CONFIG_TEXT_SIZE])
{
	(void)key;
	*to = '\0';
	for (unsigned i = 0; i < line->modem.number_count; i++) {
		strcat(to, i ? "/" : "");
		strcat(to, line->modem.numbers[i]);
	}
}

static bool take_answer(struct line_config *line, const struct line_key *key, const char *value)
{
	line->modem.answers = true;
	line->modem.rings = 0;
	return strcmp(value, "auto") == 0 || config_key_take_count(line, key, value);
}

static void give_answer(const struct line_config *line, const struct line_key *key,
			char to[static CONFIG_TEXT_SIZE])
{
	*to = '\0';
	if (line->modem.answers && line->modem.rings)
		config_key_give_count(line, key, to);
	else if (line->modem.answers)
		strcpy(to, "auto");
}

#define A_STRING      "1 to 47 printable characters"
#define A_TIME(range) "a time from " range " (500ms, 90s, 5min)"
static_assert(CONFIG_DEVICE_SIZE == 256, "chat's form says so");
static_assert(CONFIG_NUMBER_SIZE == 48 && CONFIG_NUMBERS == 8, "A_STRING and dial's form say so");
static_assert(ATTEMPTS_MAX == 1000 && RINGS_MAX == 20, "their forms say so");

const struct line_key config_modem_keys[] = {
	{LINE_KEY_TEXT("chat", modem.chat), .form = "a file name of 1 to 255 characters"},
	{LINE_KEY_TEXT("init", modem.init), .form = A_STRING},
	{.name = "dial",
	 .take = take_dial,
	 .give = give_dial,
	 .form = "1 to 8 numbers, separated by /, each of " A_STRING},
	{LINE_KEY_TEXT("dial-command", modem.dial_command), .form = A_STRING},
	{.name = "answer",
	 .take = take_answer,
	 .give = give_answer,
	 .at = offsetof(struct line_config, modem.rings),
	 .min = 1,
	 .max = RINGS_MAX,
	 .form = "a number of rings from 1 to 20, or auto"},
	{LINE_KEY("dial-timeout", time, modem.dial_timeout), .max = HOURS(1),
	 .form = A_TIME("0 to 1h")},
	{LINE_KEY("redial", time, modem.redial), .min = 100 * (uint64_t)SB_MS, .max = HOURS(24),
	 .form = A_TIME("100ms to 24h")},
	{LINE_KEY("redial-longest", time, modem.redial_longest), .min = 100 * (uint64_t)SB_MS,
	 .max = HOURS(24), .form = A_TIME("100ms to 24h")},
	{LINE_KEY("attempts", count, modem.attempts), .max = ATTEMPTS_MAX,
	 .form = "a number from 0 to 1000; 0 is no limit"},
	{LINE_KEY("hold-off", time, modem.hold_off), .max = HOURS(24), .form = A_TIME("0 to 24h")},
	{LINE_KEY("idle", time, modem.idle), .max = HOURS(24), .form = A_TIME("0 to 24h")},
	{LINE_KEY("max-connect", time, modem.max_connect), .max = HOURS(720),
	 .form = A_TIME("0 to 720h")},
	{LINE_KEY("connect-rate", yes, modem.connect_rate), .form = "yes or no"},
};
const size_t config_modem_key_count = sizeof(config_modem_keys) / sizeof(config_modem_keys[0]);

static const char *contradiction(const struct modem_config *m, bool has_dial_command)
{
	bool dials = m->chat[0] || m->number_count;
	if (!dials && !m->answers)
		return "a modem needs dial=NUMBER, chat=SCRIPT or answer=RINGS to do something";
	if (m->answers && m->number_count)
		return "a line dials (dial=) or waits for calls (answer=), not both";
	if (has_dial_command && m->chat[0])
		return "dial-command= is not used with chat=, whose script dials";
	if (has_dial_command && !dials)
		return "dial-command= needs dial=NUMBER";
	if (m->redial > m->redial_longest)
		return "redial= is longer than redial-longest=, which is 5min unless given";
	return NULL;
}

const char *config_modem_settle(const struct modem_config *m)
{
	const char *plain = config_line_defaults.modem.dial_command;
	if (!m->present)
		return NULL;
	return contradiction(m, strcmp(m->dial_command, plain) != 0);
}
