/* SPDX-License-Identifier: MIT */
/*
 * DSLIP's runslip.conf: a stanza for each line, which begins at `name`.
 *
 *   name            sl-line-1
 *   enabled
 *   baud            38400
 *   mtu             576
 *   ducmd           -e /etc/slip/dialout/cua2-288.xp -t 9
 *   command         eql_enslave eql $interface 28800
 *   address         198.67.33.239
 *   line            /dev/cua2
 *
 * There each line is an interface, with the address that all of them and eql have; here they are
 * lines of one interface, so MTU and address are the bundle's. What the line carries is not
 * said but by a command that enslaves it to eql.
 */
#define _DEFAULT_SOURCE
#include "src/config_import.h"

#include "src/config_line.h"
#include "src/config_value.h"
#include "src/config_write.h"
#include "src/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_LINE_SIZE = 1024 };

struct stanza {
	struct line_config
		line;    /* name, device, bps, baud, enabled, command; modem.chat, .attempts */
	unsigned number; /* of the line in the file where it begins */
	char mtu[CONFIG_NAME_SIZE], address[CONFIG_NAME_SIZE];
};

struct runslip {
	struct config_voice *voice;
	struct config_place place;
	struct stanza *stanzas;
	unsigned count;
};

static bool refuse(struct runslip *r, const char *word, const char *value)
{
	return config_complain(r->voice, r->place, "%s %s: not understood", word,
			       *value ? value : "''");
}

static bool take(struct runslip *r, char *to, size_t size, const char *word, const char *value)
{
	return value_take_text(to, size, value) || refuse(r, word, value);
}

/* --- what the words mean -----------------------------------------------------------------------
 */

static bool take_enabled(struct runslip *r, struct stanza *s, const char *value)
{
	s->line.enabled = true;
	return !*value || refuse(r, "enabled", value);
}

static bool take_baud(struct runslip *r, struct stanza *s, const char *value)
{
	uint64_t baud;
	if (!parse_rate(value, CONFIG_BPS_MIN, CONFIG_BPS_MAX, &baud))
		return refuse(r, "baud", value);
	s->line.baud = (uint32_t)baud;
	return true;
}

static bool take_mtu(struct runslip *r, struct stanza *s, const char *value)
{
	uint64_t mtu;
	if (!parse_number(value, CONFIG_MTU_MIN, CONFIG_MTU_MAX, &mtu))
		return refuse(r, "mtu", value);
	return take(r, s->mtu, sizeof(s->mtu), "mtu", value);
}

static bool take_address(struct runslip *r, struct stanza *s, const char *value)
{
	struct netif_address address;
	int prefix;
	if (!parse_address(value, &address, &prefix) || !parse_is_host(&address))
		return refuse(r, "address", value);
	return take(r, s->address, sizeof(s->address), "address", value);
}

static bool take_device(struct runslip *r, struct stanza *s, const char *value)
{
	return take(r, s->line.device, sizeof(s->line.device), "line", value);
}

static bool take_dialler_option(struct runslip *r, struct stanza *s, const char *option,
				const char *value)
{
	uint64_t attempts;
	struct modem_config *m = &s->line.modem;
	if (strcmp(option, "-e") == 0)
		return take(r, m->chat, sizeof(m->chat), "ducmd -e", value);
	if (strcmp(option, "-t") != 0)
		return config_complain(r->voice, r->place,
				       "ducmd %s: unknown (there are -e SCRIPT and -t N)", option);
	if (!parse_number(value, 1, 1000, &attempts))
		return refuse(r, "ducmd -t", value);
	m->attempts = (unsigned)attempts;
	return true;
}

static bool take_ducmd(struct runslip *r, struct stanza *s, const char *value)
{
	char copy[WORD_LINE_SIZE], *rest;
	snprintf(copy, sizeof(copy), "%s", value);
	for (char *option = strtok_r(copy, " \t", &rest); option;
	     option = strtok_r(NULL, " \t", &rest)) {
		char *argument = strtok_r(NULL, " \t", &rest);
		if (!take_dialler_option(r, s, option, argument ? argument : ""))
			return false;
	}
	return true;
}

/* "eql_enslave eql $interface 28800", wherever that program is. */
static uint32_t enslaved_rate(const char *command)
{
	char master[32], slave[32], bps[32];
	uint64_t rate;
	const char *eql = strstr(command, "eql_enslave ");
	bool is_word = eql && (eql == command || strchr("/ ;&", eql[-1]));
	if (!is_word || sscanf(eql, "%*s %31s %31s %31[0-9]", master, slave, bps) != 3)
		return 0;
	return parse_rate(bps, CONFIG_BPS_MIN, CONFIG_BPS_MAX, &rate) ? (uint32_t)rate : 0;
}

static bool take_command(struct runslip *r, struct stanza *s, const char *value)
{
	s->line.bps = enslaved_rate(value);
	return take(r, s->line.command, sizeof(s->line.command), "command", value);
}

static const struct word {
	const char *name;
	bool (*take)(struct runslip *, struct stanza *, const char *value);
} words[] = {
	{"enabled", take_enabled}, {"baud", take_baud},       {"mtu", take_mtu},
	{"ducmd", take_ducmd},     {"command", take_command}, {"address", take_address},
	{"line", take_device},
};

/* --- reading -----------------------------------------------------------------------------------
 */

static bool begin_stanza(struct runslip *r, const char *name)
{
	struct line_reading reading;
	char why[CONFIG_WHY_SIZE];
	if (r->count == CONFIG_MAX_LINES)
		return config_complain(r->voice, r->place, "more than %d lines", CONFIG_MAX_LINES);
	struct stanza *s = &r->stanzas[r->count++];
	*s = (struct stanza){.number = r->place.line};
	config_line_begin(&reading, &s->line, why, sizeof(why));
	s->line.enabled = false;
	reading.in_file = true;
	return config_line_set(&reading, "name", name) ||
	       config_complain(r->voice, r->place, "%s", why);
}

static void read_word(struct runslip *r, const char *word, const char *value)
{
	if (strcmp(word, "name") == 0) {
		begin_stanza(r, value);
		return;
	}
	for (size_t i = 0; i < OPTION_COUNT(words); i++) {
		if (strcmp(words[i].name, word) != 0)
			continue;
		if (r->count)
			words[i].take(r, &r->stanzas[r->count - 1], value);
		else
			config_complain(r->voice, r->place, "%s stands before any name", word);
		return;
	}
	config_complain(r->voice, r->place, "unknown word '%s'", word);
}

static void read_line(struct runslip *r, char *text)
{
	char *value, *word = import_split(text, &value);
	if (word)
		read_word(r, word, value);
}

static void read_lines(struct runslip *r, FILE *from)
{
	char text[WORD_LINE_SIZE];
	enum { MANY_ERRORS = 20 };
	while (r->voice->errors < MANY_ERRORS && fgets(text, sizeof(text), from)) {
		r->place.line++;
		if (strlen(text) == sizeof(text) - 1 && text[sizeof(text) - 2] != '\n') {
			config_complain(r->voice, r->place, "longer than %d characters",
					WORD_LINE_SIZE - 2);
			return;
		}
		read_line(r, text);
	}
}

/* --- the stanzas as a whole --------------------------------------------------------------------
 */

static bool check_stanza(struct runslip *r, struct stanza *s)
{
	struct config_place place = {r->place.file, s->number};
	if (!s->line.device[0])
		return config_complain(r->voice, place, "%s: no line", s->line.name);
	if (!s->line.baud)
		return config_complain(r->voice, place, "%s: no baud", s->line.name);
	return true;
}

static bool check_stanzas(struct runslip *r)
{
	if (r->count == 0 && r->voice->errors == 0)
		config_complain(r->voice, (struct config_place){.file = r->place.file},
				"there is no name in it");
	bool fine = r->voice->errors == 0;
	for (unsigned i = 0; fine && i < r->count; i++)
		check_stanza(r, &r->stanzas[i]);
	return r->voice->errors == 0;
}

static void write_bundle(const struct runslip *r, FILE *to)
{
	const char *mtu = "", *address = "";
	bool differ = false;
	for (unsigned i = 0; i < r->count; i++) {
		const struct stanza *s = &r->stanzas[i];
		bool less = *s->mtu && (!*mtu || atoi(s->mtu) < atoi(mtu));
		differ |= (*mtu && strcmp(s->mtu, mtu) != 0) ||
			  (*address && strcmp(s->address, address) != 0);
		mtu = less ? s->mtu : mtu;
		address = *address ? address : s->address;
	}
	fprintf(to, "[bundle]\n");
	if (differ)
		fprintf(to, "# The lines differ in this; a bundle has one of each.\n");
	if (*mtu)
		config_write_key(to, "mtu", mtu);
	if (*address)
		config_write_key(to, "local", address);
}

static void write_number(FILE *to, const char *key, unsigned number)
{
	char value[CONFIG_NAME_SIZE];
	snprintf(value, sizeof(value), "%u", number);
	config_write_key(to, key, value);
}

static void write_stanza(const struct stanza *s, FILE *to)
{
	const struct line_config *line = &s->line;
	fprintf(to, "\n[line %s]\n", line->name);
	if (!line->enabled)
		config_write_key(to, "enabled", "no");
	config_write_key(to, "device", line->device);
	if (!line->bps)
		fprintf(to, "# No command tells what it carries: as much as the port.\n");
	write_number(to, "bps", line->bps ? line->bps : line->baud);
	write_number(to, "baud", line->baud);
	if (line->modem.chat[0])
		config_write_key(to, "chat", line->modem.chat);
	if (line->modem.chat[0] && line->modem.attempts)
		write_number(to, "attempts", line->modem.attempts);
	if (line->command[0])
		config_write_key(to, "command", line->command);
}

bool import_runslip(FILE *from, const char *name, struct config_voice *voice, FILE *to)
{
	struct runslip r = {.voice = voice, .place = {.file = name}};
	r.stanzas = calloc(CONFIG_MAX_LINES, sizeof(*r.stanzas));
	if (!r.stanzas)
		return config_complain(voice, r.place, "out of memory");
	read_lines(&r, from);
	bool fine = check_stanzas(&r);
	if (fine) {
		config_write_origin(to, name, "runslip");
		write_bundle(&r, to);
	}
	for (unsigned i = 0; fine && i < r.count; i++)
		write_stanza(&r.stanzas[i], to);
	free(r.stanzas);
	return fine;
}
