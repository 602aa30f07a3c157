/* SPDX-License-Identifier: MIT */
/*
 * sqm-scripts' configuration of an interface, default.conf and its like: assignments of the shell.
 *
 *   IFACE=ge00
 *   UPLINK=2544             kbit/s
 *   DOWNLINK=16309
 *   SCRIPT=simple.qos
 *   LLAM=tc_stab
 *   LINKLAYER=adsl
 *   OVERHEAD=40
 *   STAB_MPU=0
 *
 * Rates and tiers are the bundle's here, and the link layer is a line's, so it gets a line whose
 * device has to be put right. What the shaper finds out by itself, or has no use for, stays as a
 * comment.
 */
#define _DEFAULT_SOURCE
#include "src/config_import.h"

#include "src/config_keys.h"
#include "src/config_value.h"
#include "src/config_write.h"
#include "src/parse.h"
#include "src/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 1024, NOTES_SIZE = 4096, NOTE_MAX = 1280 };

struct sqm {
	struct config_voice *voice;
	struct config_place place;
	char iface[CONFIG_NAME_SIZE];
	uint64_t uplink, downlink; /* kbit/s; 0: not shaped */
	const char *tiers, *layer; /* NULL: not said */
	int32_t overhead, mpu;
	bool no_ecn, adjusts; /* LLAM is not none */
	char notes[NOTES_SIZE];
};

static void note(struct sqm *s, const char *word, const char *value, const char *why)
{
	size_t at = strlen(s->notes);
	if (at + NOTE_MAX < sizeof(s->notes))
		snprintf(s->notes + at, sizeof(s->notes) - at, "# %s=%s: %s\n", word, value, why);
}

/* --- what the words mean -----------------------------------------------------------------------
 */

static bool take_iface(struct sqm *s, const char *value)
{
	bool fine = *value && strlen(value) < sizeof(s->iface) && *value != '.' && *value != '-';
	for (const char *c = value; *c && fine; c++)
		fine = config_is_name_character(*c);
	if (fine)
		snprintf(s->iface, sizeof(s->iface), "%s", value);
	return fine;
}

static bool take_uplink(struct sqm *s, const char *value)
{
	return parse_number(value, 0, CONFIG_BPS_MAX / 1000, &s->uplink);
}

static bool take_downlink(struct sqm *s, const char *value)
{
	return parse_number(value, 0, CONFIG_BPS_MAX / 1000, &s->downlink);
}

static bool take_script(struct sqm *s, const char *value)
{
	static const char *const scripts[][2] = {{"simple", "diffserv3"},
						 {"layer_cake", "diffserv3"},
						 {"simplest", "besteffort"},
						 {"piece_of_cake", "besteffort"},
						 {"simplest_tbf", "besteffort"}};
	for (size_t i = 0; i < OPTION_COUNT(scripts); i++) {
		size_t length = strlen(scripts[i][0]);
		if (strncmp(value, scripts[i][0], length) == 0 &&
		    strcmp(value + length, ".qos") == 0)
			s->tiers = scripts[i][1];
	}
	if (!s->tiers)
		note(s, "SCRIPT", value, "is not known; tiers are as usual");
	return true;
}

static bool take_llam(struct sqm *s, const char *value)
{
	s->adjusts = strcmp(value, "none") != 0;
	return strcmp(value, "tc_stab") == 0 || strcmp(value, "cake") == 0 ||
	       strcmp(value, "htb_private") == 0 || strcmp(value, "default") == 0 || !s->adjusts;
}

static bool take_layer(struct sqm *s, const char *value)
{
	static const char *const words[][2] = {
		{"none", "exact"}, {"ethernet", "raw"}, {"atm", "atm"}, {"adsl", "atm"}};
	for (size_t i = 0; i < OPTION_COUNT(words); i++) {
		if (strcmp(words[i][0], value) != 0)
			continue;
		s->layer = words[i][1];
		return true;
	}
	return false;
}

static bool take_overhead(struct sqm *s, const char *value)
{
	return value_take_signed(&s->overhead, LINKLAYER_OVERHEAD_MIN, LINKLAYER_OVERHEAD_MAX,
				 value);
}

static bool take_mpu(struct sqm *s, const char *value)
{
	return value_take_signed(&s->mpu, 0, LINKLAYER_MPU_MAX, value);
}

static bool take_ecn(struct sqm *s, const char *value)
{
	s->no_ecn = strcmp(value, "NOECN") == 0;
	return s->no_ecn || strcmp(value, "ECN") == 0;
}

static bool take_table(struct sqm *s, const char *value)
{
	note(s, "STAB_MTU, STAB_TSIZE", value, "there is no table: sizes are reckoned exactly");
	return *value != '\0';
}

static const struct word {
	const char *name;
	bool (*take)(struct sqm *, const char *value);
} words[] = {
	{"IFACE", take_iface},       {"UPLINK", take_uplink},  {"DOWNLINK", take_downlink},
	{"SCRIPT", take_script},     {"LLAM", take_llam},      {"LINKLAYER", take_layer},
	{"OVERHEAD", take_overhead}, {"STAB_MPU", take_mpu},   {"MPU", take_mpu},
	{"EECN", take_ecn},          {"EGRESS_ECN", take_ecn}, {"STAB_MTU", take_table},
	{"STAB_TSIZE", take_table},
};

/* --- reading -----------------------------------------------------------------------------------
 */

static void read_word(struct sqm *s, const char *word, const char *value)
{
	for (size_t i = 0; i < OPTION_COUNT(words); i++) {
		if (strcmp(words[i].name, word) != 0)
			continue;
		if (!words[i].take(s, value))
			config_complain(s->voice, s->place, "%s=%s: not understood", word, value);
		return;
	}
	note(s, word, value, "left out");
}

/* ${NAME:-value} and ${NAME=value} are how these files let the environment win. */
static char *default_of(char *value)
{
	size_t length = strlen(value);
	char *equals = strpbrk(value, "-=");
	if (strncmp(value, "${", 2) != 0 || !equals || value[length - 1] != '}')
		return value;
	value[length - 1] = '\0';
	return equals + 1;
}

static char *unquoted(char *value)
{
	size_t length = strlen(value);
	if (length < 2 || !strchr("'\"", *value) || value[length - 1] != *value)
		return value;
	value[length - 1] = '\0';
	return value + 1;
}

/* "[ -z "$UPLINK" ] && UPLINK=2302", as default.conf has it, or the assignment alone. */
static char *assignment(char *text)
{
	char *after = strstr(text, "&& ");
	text = after && *text == '[' ? after + strlen("&& ") : text;
	return text + strspn(text, " \t");
}

static void read_line(struct sqm *s, char *text)
{
	text += strspn(text, " \t");
	text[strcspn(text, "#\r\n")] = '\0';
	char *word = assignment(text), *equals = strchr(word, '=');
	size_t length = strlen(word);
	while (length && strchr(" \t;", word[length - 1]))
		word[--length] = '\0';
	if (!*word)
		return;
	if (!equals || equals >= word + length) {
		config_complain(s->voice, s->place, "%s: expected NAME=VALUE", word);
		return;
	}
	*equals = '\0';
	read_word(s, word, default_of(unquoted(equals + 1)));
}

static bool read_lines(struct sqm *s, FILE *from)
{
	enum { MANY_ERRORS = 20 };
	char text[LINE_SIZE];
	while (s->voice->errors < MANY_ERRORS && fgets(text, sizeof(text), from)) {
		s->place.line++;
		if (strlen(text) == sizeof(text) - 1)
			return config_complain(s->voice, s->place, "longer than %d characters",
					       LINE_SIZE - 2);
		text[strcspn(text, "\r\n")] = '\0';
		text_clean(text);
		read_line(s, text);
	}
	return s->voice->errors == 0;
}

/* --- writing -----------------------------------------------------------------------------------
 */

static void write_rate(FILE *to, const char *key, uint64_t kbps)
{
	char value[CONFIG_TEXT_SIZE];
	value_give_number(kbps * 1000, value);
	if (kbps)
		config_write_key(to, key, value);
}

static void write_bundle(const struct sqm *s, FILE *to)
{
	fprintf(to, "[bundle]\n%s", s->notes);
	write_rate(to, "shape", s->uplink);
	write_rate(to, "shape-in", s->downlink);
	if (s->tiers)
		config_write_key(to, "tiers", s->tiers);
	if (s->no_ecn)
		config_write_key(to, "no-ecn", "yes");
}

static void write_line(const struct sqm *s, FILE *to)
{
	fprintf(to, "\n[line %s]\n# The line is not in that file: put its device and rate right.\n",
		*s->iface ? s->iface : "wan");
	fprintf(to, "device = /dev/ttyS0\n");
	write_rate(to, "bps", s->uplink ? s->uplink : 1000);
	if (!s->adjusts || !s->layer || strcmp(s->layer, "exact") == 0)
		return;
	fprintf(to, "linklayer = %s\noverhead = %d\nmpu = %d\n", s->layer, (int)s->overhead,
		(int)s->mpu);
}

bool import_sqm(FILE *from, const char *name, struct config_voice *voice, FILE *to)
{
	struct sqm s = {.voice = voice, .place = {.file = name}, .adjusts = true};
	if (!read_lines(&s, from))
		return false;
	if (!s.uplink && !s.downlink)
		return config_complain(voice, (struct config_place){.file = name},
				       "neither UPLINK nor DOWNLINK is in it");
	config_write_origin(to, name, "sqm");
	write_bundle(&s, to);
	write_line(&s, to);
	return true;
}
