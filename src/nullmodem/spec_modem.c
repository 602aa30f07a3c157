/* SPDX-License-Identifier: MIT */
/* Modems and telephone from text: a row for each key, and a function that reads its value. */
#include "src/nullmodem/spec_modem.h"

#include "src/nullmodem/units.h"

#include <stdio.h>
#include <string.h>

static const sb_time answers_after = SB_SEC;
static const sb_time ring_every = 6 * SB_SEC;
static const sb_time train = 2 * SB_SEC;

/* ---- values: NULL, or why not ---- */

static const char *set_text(char *to, size_t size, const char *value)
{
	if (strlen(value) >= size)
		return "too long";
	strcpy(to, value);
	return NULL;
}

static const char *set_duration(sb_time *to, const char *value)
{
	return parse_time(value, to) ? NULL : "not a time";
}

static const char *set_u32(uint32_t *to, uint64_t most, const char *value)
{
	uint64_t v;
	if (!parse_count(value, &v))
		return "not a number";
	if (v > most)
		return "out of range";
	*to = (uint32_t)v;
	return NULL;
}

/* Which of the words, separated by blanks; -1: none. */
static int which(const char *const words[], int count, const char *value)
{
	for (int i = 0; i < count; i++)
		if (strcmp(words[i], value) == 0)
			return i;
	return -1;
}

/* ---- a modem ---- */

static const char *set_present(struct modem_spec *m, const char *value)
{
	static const char *const words[] = {"no", "yes"};
	int i = which(words, 2, value);
	m->present = i == 1;
	return i < 0 ? "not yes or no" : NULL;
}

static const char *set_dte(struct modem_spec *m, const char *value)
{
	return set_u32(&m->dte, WIRE_BPS_MAX, value);
}

/* As the modem takes it: capitals, no blanks. */
static const char *set_init(struct modem_spec *m, const char *value)
{
	char profile[HAYES_TEXT_SIZE];
	size_t n = 0;
	for (; *value; value++) {
		if (*value == ' ')
			continue;
		if (n == sizeof profile - 1)
			return "too long";
		profile[n++] = (char)(*value >= 'a' && *value <= 'z' ? *value - 'a' + 'A' : *value);
	}
	profile[n] = '\0';
	if (!hayes_is_profile(profile))
		return "not a row of settings as in E0S0=1";
	memcpy(m->hayes.profile, profile, sizeof profile);
	return NULL;
}

static const char *set_connect(struct modem_spec *m, const char *value)
{
	return set_text(m->hayes.connect, sizeof m->hayes.connect, value);
}

static const char *set_slow(struct modem_spec *m, const char *value)
{
	return set_duration(&m->hayes.slow, value);
}

static const char *set_noise(struct modem_spec *m, const char *value)
{
	return set_u32(&m->hayes.noise, HAYES_OUTPUT_MAX / 2, value);
}

static const char *set_ath(struct modem_spec *m, const char *value)
{
	static const char *const words[] = {[HAYES_SAYS_OK] = "ok",
					    [HAYES_SAYS_NO_CARRIER] = "no-carrier",
					    [HAYES_SAYS_NOTHING] = "nothing"};
	int i = which(words, 3, value);
	if (i < 0)
		return "not ok, no-carrier or nothing";
	m->hayes.on_hook = (enum hayes_on_hook)i;
	return NULL;
}

static const struct modem_key {
	const char *name;
	const char *(*set)(struct modem_spec *, const char *value);
} modem_keys[] = {
	{"modem", set_present}, {"dte", set_dte},
	{"init", set_init},     {"connect-text", set_connect},
	{"slow", set_slow},     {"noise", set_noise},
	{"ath", set_ath},
};

/* ---- the telephone ---- */

static const char *set_answers_after(struct telephone_config *t, const char *value)
{
	return set_duration(&t->answers_after, value);
}

static const char *set_ring_every(struct telephone_config *t, const char *value)
{
	const char *why = set_duration(&t->ring_every, value);
	return !why && t->ring_every < SB_MS ? "out of range" : why;
}

static const char *set_train(struct telephone_config *t, const char *value)
{
	return set_duration(&t->train, value);
}

static const char *set_drops(struct telephone_config *t, const char *value)
{
	static const struct {
		const char *prefix;
		enum telephone_drops drops;
	} kinds[] = {
		{"after:", TELEPHONE_DROPS_AFTER},
		{"every:", TELEPHONE_DROPS_EVERY},
		{"random:", TELEPHONE_DROPS_RANDOM},
	};
	t->drops = TELEPHONE_KEEPS;
	if (strcmp(value, "no") == 0)
		return NULL;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		size_t n = strlen(kinds[i].prefix);
		if (strncmp(value, kinds[i].prefix, n) != 0)
			continue;
		t->drops = kinds[i].drops;
		if (!parse_time(value + n, &t->drop_time))
			return "not a time";
		return t->drop_time < SB_MS ? "out of range" : NULL;
	}
	return "not after:TIME, every:TIME, random:TIME or no";
}

static const struct telephone_key {
	const char *name;
	const char *(*set)(struct telephone_config *, const char *value);
} telephone_keys[] = {
	{"answers-after", set_answers_after},
	{"ring-every", set_ring_every},
	{"train", set_train},
	{"drop-call", set_drops},
};

/* ---- keys ---- */

void spec_modem_defaults(struct cable_spec *spec)
{
	spec->telephone = (struct telephone_config){
		.answers_after = answers_after, .ring_every = ring_every, .train = train};
}

bool spec_has_modem(const struct cable_spec *spec)
{
	return spec->modem[0].present || spec->modem[1].present;
}

static const char *set_number(struct cable_spec *spec, unsigned side, const char *value)
{
	if (*value && !phone_is_number(value))
		return "not a telephone number";
	return set_text(spec->telephone.number[side], PHONE_NUMBER_SIZE, value);
}

static enum spec_outcome set_telephone(struct telephone_config *t, const char *name,
				       const char *value, const char **why)
{
	for (size_t i = 0; i < sizeof telephone_keys / sizeof *telephone_keys; i++) {
		if (strcmp(telephone_keys[i].name, name) != 0)
			continue;
		*why = telephone_keys[i].set(t, value);
		return *why ? SPEC_BAD : SPEC_SET;
	}
	return SPEC_OTHER;
}

static enum spec_outcome set_side(struct cable_spec *spec, unsigned side, const char *name,
				  const char *value, const char **why)
{
	*why = NULL;
	if (strcmp(name, "number") == 0) {
		*why = set_number(spec, side, value);
		return *why ? SPEC_BAD : SPEC_SET;
	}
	for (size_t i = 0; i < sizeof modem_keys / sizeof *modem_keys; i++) {
		if (strcmp(modem_keys[i].name, name) != 0)
			continue;
		*why = modem_keys[i].set(&spec->modem[side], value);
		return *why ? SPEC_BAD : SPEC_SET;
	}
	return SPEC_OTHER;
}

/* A number is the line's, not the modem's: a terminal server's port has one too. */
static enum spec_outcome set_one_side(struct cable_spec *spec, unsigned side, const char *name,
				      const char *value, const char **why)
{
	if (strcmp(name, "modem") != 0 && strcmp(name, "number") != 0)
		spec->modem[side].described = true;
	return set_side(spec, side, name, value, why);
}

enum spec_outcome spec_modem_set(struct cable_spec *spec, const char *name, const char *value,
				 const char **why)
{
	for (unsigned side = 0; side < 2; side++)
		if (name[0] == "ab"[side] && name[1] == '.')
			return set_one_side(spec, side, name + 2, value, why);
	enum spec_outcome outcome = set_telephone(&spec->telephone, name, value, why);
	for (unsigned side = 0; side < 2 && outcome != SPEC_BAD; side++) {
		enum spec_outcome one = set_side(spec, side, name, value, why);
		if (one != SPEC_OTHER)
			outcome = one;
	}
	return outcome;
}

/* A key that has no effect is a mistake. */
const char *spec_modem_check(const struct cable_spec *spec)
{
	if (spec->modem[0].described && !spec->modem[0].present)
		return "keys for a modem at end a, but no a.modem=yes";
	if (spec->modem[1].described && !spec->modem[1].present)
		return "keys for a modem at end b, but no b.modem=yes";
	return NULL;
}
