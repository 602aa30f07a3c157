/* SPDX-License-Identifier: MIT */
/* Cables from text: one table says what keys there are, what they take and where it goes. */
#include "src/nullmodem/spec.h"

#include "src/nullmodem/spec_modem.h"
#include "src/nullmodem/units.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BPS_MIN = 50, DELAY_MAX_S = 60 };

enum kind { COUNT, SIZE, TIME, PROBABILITY, BUFFER, OVERHEAD, WORD };

static const char *const full_words[] = {
	[WIRE_FULL_WAITS] = "wait", [WIRE_FULL_DROPS] = "drop", NULL};
static const char *const cells_words[] = {
	[WIRE_CELLS_NONE] = "none", [WIRE_CELLS_ATM] = "atm", NULL};

static const struct key {
	const char *name;
	enum kind kind;
	size_t offset; /* in struct wire_config */
	uint64_t least, most;
	const char *const *words; /* by their values */
} keys[] = {
	{"bps", COUNT, offsetof(struct wire_config, bps), 0, WIRE_BPS_MAX, NULL},
	{"bits", COUNT, offsetof(struct wire_config, bits_per_char), 8, 12, NULL},
	{"delay", TIME, offsetof(struct wire_config, delay), 0, DELAY_MAX_S *SB_SEC, NULL},
	{"buffer", BUFFER, 0, 1, WIRE_BUFFER_MAX, NULL},
	{"buffer-full", WORD, offsetof(struct wire_config, full), 0, 0, full_words},
	{"cells", WORD, offsetof(struct wire_config, cells), 0, 0, cells_words},
	{"overhead", OVERHEAD, offsetof(struct wire_config, overhead), 0, 0, NULL},
	{"receiver", SIZE, offsetof(struct wire_config, receiver), 0, WIRE_BUFFER_MAX, NULL},
	{"stop", COUNT, offsetof(struct wire_config, stop), 0, 1, NULL},
	{"burst", COUNT, offsetof(struct wire_config, burst), 0, UINT32_MAX, NULL},
	{"drop", PROBABILITY, offsetof(struct wire_config, noise.drop), 0, 0, NULL},
	{"byte-errors", PROBABILITY, offsetof(struct wire_config, noise.byte_errors), 0, 0, NULL},
	{"bit-errors", PROBABILITY, offsetof(struct wire_config, noise.bit_errors), 0, 0, NULL},
};

__attribute__((format(printf, 2, 3))) static bool fail(struct spec_error *e, const char *format,
						       ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(e->text, sizeof e->text, format, args);
	va_end(args);
	return false;
}

static const struct key *find_key(const char *name)
{
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (strcmp(keys[i].name, name) == 0)
			return &keys[i];
	return NULL;
}

/* ---- values ---- */

static const char *store_count(uint32_t *to, const struct key *key, const char *text)
{
	uint64_t v;
	bool is_size = key->kind == SIZE;
	if (!(is_size ? parse_size(text, &v) : parse_count(text, &v)))
		return is_size ? "not a size" : "not a number";
	if (v < key->least || v > key->most)
		return "out of range";
	*to = (uint32_t)v;
	return NULL;
}

static const char *store_time(sb_time *to, const struct key *key, const char *text)
{
	sb_time v;
	if (!parse_time(text, &v))
		return "not a time";
	if ((uint64_t)v > key->most)
		return "out of range";
	*to = v;
	return NULL;
}

/* Characters, or the time that they take. */
static const char *store_buffer(struct wire_config *config, const struct key *key, const char *text)
{
	uint64_t size;
	sb_time time = 0;
	if (!parse_size(text, &size)) {
		if (!parse_time(text, &time) || time == 0)
			return "neither a size nor a time";
		if (time > DELAY_MAX_S * SB_SEC)
			return "out of range";
		config->buffer_time = time;
		return NULL;
	}
	if (size < key->least || size > key->most)
		return "out of range";
	config->buffer = (uint32_t)size;
	config->buffer_time = 0;
	return NULL;
}

static const char *store_overhead(int32_t *to, const char *text)
{
	uint64_t v;
	bool negative = *text == '-';
	if (!parse_count(text + negative, &v))
		return "not a number";
	if (v > (negative ? -WIRE_OVERHEAD_MIN : WIRE_OVERHEAD_MAX))
		return "out of range";
	*to = negative ? -(int32_t)v : (int32_t)v;
	return NULL;
}

static const char *store_word(uint32_t *to, const struct key *key, const char *text)
{
	for (uint32_t i = 0; key->words[i]; i++)
		if (strcmp(key->words[i], text) == 0) {
			*to = i;
			return NULL;
		}
	return "no such word";
}

/* NULL, or why not. */
static const char *store(struct wire_config *config, const struct key *key, const char *text)
{
	void *to = (char *)config + key->offset;
	switch (key->kind) {
	case COUNT:
	case SIZE:
		return store_count(to, key, text);
	case TIME:
		return store_time(to, key, text);
	case PROBABILITY:
		return parse_probability(text, to) ? NULL : "not a probability (0 to 1)";
	case BUFFER:
		return store_buffer(config, key, text);
	case OVERHEAD:
		return store_overhead(to, text);
	case WORD:
		return store_word(to, key, text);
	}
	return NULL;
}

/* ---- settings ---- */

/* Splits KEY=VALUE. */
static bool split(const char *setting, char *key, size_t size, const char **value)
{
	const char *equals = strchr(setting, '=');
	if (!equals || equals == setting || (size_t)(equals - setting) >= size)
		return false;
	memcpy(key, setting, (size_t)(equals - setting));
	key[equals - setting] = '\0';
	*value = equals + 1;
	return true;
}

static bool prefixed(const char **name, const char *prefix)
{
	size_t n = strlen(prefix);
	if (strncmp(*name, prefix, n) != 0)
		return false;
	*name += n;
	return true;
}

static bool set_wires(struct cable_spec *spec, const char *setting, const char *name,
		      const char *value, struct spec_error *e)
{
	bool only_ab = prefixed(&name, "ab.");
	bool only_ba = !only_ab && prefixed(&name, "ba.");
	const struct key *key = find_key(name);
	if (!key)
		return fail(e, "%s: no such key", setting);

	const char *why = NULL;
	if (!only_ba)
		why = store(&spec->wire[AB], key, value);
	if (!only_ab && !why)
		why = store(&spec->wire[BA], key, value);
	return why ? fail(e, "%s: %s", setting, why) : true;
}

static bool set_name(struct cable_spec *spec, const char *name, struct spec_error *e)
{
	if (*name == '\0' || strlen(name) >= sizeof spec->name || strpbrk(name, " \t"))
		return fail(e, "name=%s: not a word of 1 to %d characters", name,
			    SPEC_NAME_SIZE - 1);
	strcpy(spec->name, name);
	return true;
}

static bool set_record(struct cable_spec *spec, const char *path, struct spec_error *e)
{
	if (*path == '\0' || strlen(path) >= sizeof spec->record)
		return fail(e, "record=%.40s: not a path of 1 to %d characters", path,
			    SPEC_RECORD_SIZE - 1);
	strcpy(spec->record, path);
	return true;
}

static bool check_buffer(const struct wire_config *c, struct spec_error *e)
{
	if (c->buffer_time == 0)
		return true;
	if (c->bps == 0)
		return fail(e, "buffer: a time takes a rate, bps");
	double characters = (double)c->buffer_time / 1e9 * c->bps / c->bits_per_char;
	if (characters > WIRE_BUFFER_MAX)
		return fail(e, "buffer: more than %d characters", WIRE_BUFFER_MAX);
	return true;
}

static bool check_cells(const struct wire_config *c, struct spec_error *e)
{
	if (c->cells == WIRE_CELLS_NONE)
		return true;
	if (c->bps == 0)
		return fail(e, "cells: they take a rate, bps");
	if ((double)c->delay / 1e9 * c->bps / 8 > WIRE_UNPACED / 2.)
		return fail(e, "delay: keeps more than %d characters of cells under way",
			    WIRE_UNPACED / 2);
	return true;
}

/* What no single key can tell. */
static bool check_wire(const struct wire_config *c, struct spec_error *e)
{
	if (c->bps > 0 && c->bps < BPS_MIN)
		return fail(e, "bps=%u: below %d", c->bps, BPS_MIN);
	double flight = (double)c->delay / 1e9 * c->bps / c->bits_per_char;
	if (flight > WIRE_FLIGHT_MAX)
		return fail(e, "delay: keeps more than %d characters under way", WIRE_FLIGHT_MAX);
	return check_buffer(c, e) && check_cells(c, e);
}

static bool check(const struct cable_spec *spec, struct spec_error *e)
{
	const char *why = spec_modem_check(spec);
	if (why)
		return fail(e, "%s", why);
	return check_wire(&spec->wire[AB], e) && check_wire(&spec->wire[BA], e);
}

/* What may change while the cable is in use. */
static bool set_running(struct cable_spec *spec, const char *setting, const char *name,
			const char *value, struct spec_error *e)
{
	const char *why;
	switch (spec_modem_set(spec, name, value, &why)) {
	case SPEC_SET:
		return true;
	case SPEC_BAD:
		return fail(e, "%s: %s", setting, why);
	case SPEC_OTHER:
		break;
	}
	return set_wires(spec, setting, name, value, e);
}

static bool has_same_parts(const struct cable_spec *a, const struct cable_spec *b)
{
	return a->modem[0].present == b->modem[0].present &&
	       a->modem[1].present == b->modem[1].present &&
	       a->wire[AB].cells == b->wire[AB].cells && a->wire[BA].cells == b->wire[BA].cells;
}

bool spec_set(struct cable_spec *spec, const char *setting, struct spec_error *e)
{
	char name[32];
	const char *value;
	if (!split(setting, name, sizeof name, &value))
		return fail(e, "%s: not key=value", setting);
	struct cable_spec changed = *spec;
	if (!set_running(&changed, setting, name, value, e) || !check(&changed, e))
		return false;
	if (!has_same_parts(spec, &changed))
		return fail(e, "%s: modems and cells stay where they are", setting);
	*spec = changed;
	return true;
}

/* ---- CABLE ---- */

static bool set_any(struct cable_spec *spec, const char *setting, struct spec_error *e)
{
	char name[32];
	const char *value;
	if (!split(setting, name, sizeof name, &value))
		return fail(e, "%s: not key=value", setting);
	if (strcmp(name, "name") == 0)
		return set_name(spec, value, e);
	if (strcmp(name, "record") == 0)
		return set_record(spec, value, e);
	if (strcmp(name, "hangup") == 0) {
		const char *why = timetable_add(&spec->hangups, value);
		return why ? fail(e, "%s: %s", setting, why) : true;
	}
	return set_running(spec, setting, name, value, e);
}

static bool set_end(char *end, const char *text, struct spec_error *e)
{
	const char *path = strncmp(text, "unix:", 5) == 0 ? text + 5 : text;
	if (*path == '\0')
		return fail(e, "an end is missing");
	if (strchr(text, '='))
		return fail(e, "%s: not an end; a cable begins with END,END", text);
	if (strlen(text) >= SPEC_END_SIZE)
		return fail(e, "%s: longer than %d characters", text, SPEC_END_SIZE - 1);
	strcpy(end, text);
	return true;
}

/* The next piece up to a comma; false at the end of the text. */
static bool next_piece(const char **text, char *piece, size_t size, struct spec_error *e)
{
	size_t n = strcspn(*text, ",");
	if (n >= size)
		return fail(e, "%.40s...: too long", *text);
	memcpy(piece, *text, n);
	piece[n] = '\0';
	*text += n + ((*text)[n] == ',');
	return true;
}

static void set_defaults(struct cable_spec *spec, unsigned number)
{
	static const struct wire_config defaults = {.bits_per_char = 10, .buffer = 64};
	*spec = (struct cable_spec){.wire = {defaults, defaults}};
	spec_modem_defaults(spec);
	snprintf(spec->name, sizeof spec->name, "cable%u", number);
}

bool spec_parse(struct cable_spec *spec, const char *text, unsigned number, struct spec_error *e)
{
	char piece[256];
	set_defaults(spec, number);
	for (unsigned i = 0; i < 2; i++)
		if (!next_piece(&text, piece, sizeof piece, e) || !set_end(spec->end[i], piece, e))
			return false;
	if (strcmp(spec->end[0], spec->end[1]) == 0)
		return fail(e, "%s: both ends are the same", spec->end[0]);
	while (*text)
		if (!next_piece(&text, piece, sizeof piece, e) || !set_any(spec, piece, e))
			return false;
	return check(spec, e);
}
