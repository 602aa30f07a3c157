/* SPDX-License-Identifier: MIT */
/*
 * One line, as a LINE of the command line or as a section of the configuration file.
 *
 * A LINE's DEVICE ends at the first comma; what stands behind its last colon is the
 * rate, so that names such as /dev/serial/by-path/pci-0000:00:14.0 can be
 * written as they are (config_device.c). BPS and BAUD are the keys `bps` and `baud` in
 * short form and take the same way. A comma that belongs to a value is written `\,`; any
 * other backslash stands for itself. A word without `=` names the encapsulation.
 *
 * In the file each key has a line of its own, where a comma is a comma.
 */
#define _DEFAULT_SOURCE
#include "src/config_line.h"

#include "src/config_device.h"
#include "src/config_keys.h"
#include "src/config_modem.h"
#include "src/config_value.h"
#include "src/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

enum { LINE_TEXT_SIZE = 2048, KEYS_MAX = 64, AUTO_BAUD = 115200 };

static const struct encap_kind *const encapsulations[] = {&encap_slip, &encap_ppp};

const struct encap_kind *config_encapsulation(const char *name)
{
	for (size_t i = 0; i < COUNT(encapsulations); i++) {
		if (strcmp(encapsulations[i]->name, name) == 0)
			return encapsulations[i];
	}
	return NULL;
}

/* --- reading -----------------------------------------------------------------------------------
 */

__attribute__((format(printf, 2, 3))) static bool refuse(struct line_reading *r, const char *format,
							 ...)
{
	bool named = !r->in_file;
	int n = named ? snprintf(r->why, r->why_size, "%s: ", r->line->device) : 0;
	va_list arguments;
	va_start(arguments, format);
	if (n >= 0 && (size_t)n < r->why_size)
		vsnprintf(r->why + n, r->why_size - (size_t)n, format, arguments);
	va_end(arguments);
	return false;
}

static bool refuse_key(struct line_reading *r, const char *name)
{
	const char *names[KEYS_MAX];
	char list[512] = "";
	size_t count = 0;
	for (const struct line_key *key; (key = config_key_at(count)); count++) {
		assert(count < KEYS_MAX && strlen(list) + strlen(key->name) + 3 < sizeof(list));
		names[count] = key->name;
		strcat(list, count ? ", " : "");
		strcat(list, key->name);
	}
	const char *nearest = text_nearest(name, names, count);
	if (nearest)
		return refuse(r, "unknown key '%s' (did you mean '%s'?)", name, nearest);
	return refuse(r, "unknown key '%s' (keys are %s)", name, list);
}

static bool is_given(const struct line_reading *r, const char *name)
{
	const struct line_key *key;
	for (size_t k = 0; (key = config_key_at(k)); k++) {
		if (strcmp(key->name, name) == 0)
			return r->given >> k & 1;
	}
	return false;
}

static bool take_key(struct line_reading *r, const struct line_key *key, size_t k,
		     const char *value)
{
	if (r->given & UINT64_C(1) << k)
		return refuse(r, "%s is given twice", key->name);
	r->given |= UINT64_C(1) << k;
	r->line->modem.present |= config_key_is_modems(key);
	struct linklayer before = r->line->layer;
	bool fine = key->take(r->line, key, value);
	if (fine && strcmp(key->name, "linklayer") == 0)
		config_keep_layer(&r->line->layer, &before, is_given(r, "overhead"),
				  is_given(r, "mpu"));
	return fine || refuse(r, "%s %s: %s", key->name, *value ? value : "''", key->form);
}

static bool set_encapsulation(struct line_reading *r, const struct encap_kind *encap)
{
	const struct encap_kind *before = r->line->encap;
	if (before && encap != before)
		return refuse(r, "both %s and %s", before->name, encap->name);
	r->line->encap = encap;
	return true;
}

/* In the file, the words of a LINE take a value like all that stands there. */
static bool set_flag(struct line_reading *r, const struct encap_kind *encap, const char *value)
{
	bool yes;
	if (!value_take_yes(&yes, value))
		return refuse(r, "%s %s: yes or no", encap->name, *value ? value : "''");
	return !yes || set_encapsulation(r, encap);
}

bool config_line_set(struct line_reading *r, const char *name, const char *value)
{
	const struct line_key *key;
	for (size_t k = 0; (key = config_key_at(k)); k++) {
		if (config_is_spelt(key->name, name))
			return take_key(r, key, k, value);
	}
	const struct encap_kind *encap = config_encapsulation(name);
	return encap && r->in_file ? set_flag(r, encap, value) : refuse_key(r, name);
}

/* A word alone: an encapsulation, or a key whose value was left out. */
static bool set_word(struct line_reading *r, const char *word)
{
	const struct line_key *key;
	for (size_t k = 0; (key = config_key_at(k)); k++) {
		if (strcmp(key->name, word) == 0)
			return refuse(r, "%s needs a value: %s=", word, word);
	}
	const struct encap_kind *encap = config_encapsulation(word);
	if (encap)
		return set_encapsulation(r, encap);
	char list[64];
	config_encapsulations(list, sizeof(list));
	return refuse(r, "unknown word '%s' (the encapsulations of this build: %s)", word, list);
}

static bool set_item(struct line_reading *r, char *item)
{
	char *equals = strchr(item, '=');
	if (!equals)
		return set_word(r, item);
	*equals = '\0';
	return config_line_set(r, item, equals + 1);
}

/* Ends the item at its comma, with each `\,` in it made a comma. Returns what follows, or NULL. */
static char *cut_item(char *item)
{
	char *to = item;
	for (; *item && *item != ','; *to++ = *item++)
		item += item[0] == '\\' && item[1] == ',';
	char *next = *item ? item + 1 : NULL;
	*to = '\0';
	return next;
}

static bool set_items(struct line_reading *r, char *items)
{
	for (char *next; items; items = next) {
		next = cut_item(items);
		if (!set_item(r, items))
			return false;
	}
	return true;
}

/* For messages, as much of it as there is room for. */
static bool refuse_device(struct line_reading *r, const char *device, size_t length)
{
	size_t fits = length < CONFIG_DEVICE_SIZE ? length : CONFIG_DEVICE_SIZE - 1;
	memcpy(r->line->device, device, fits);
	r->line->device[fits] = '\0';
	if (length == 0)
		return refuse(r, "no device: a line is DEVICE:BPS[@BAUD][,key=value...]");
	if (fits < length)
		return refuse(r, "the name is longer than %d characters", CONFIG_DEVICE_SIZE - 1);
	return refuse(r, "a device has only printable characters");
}

/* DEVICE[:BPS[@BAUD]] */
static bool set_head(struct line_reading *r, char *head, bool has_rate)
{
	char *rate = device_cut_rate(head, has_rate);
	char *baud = rate ? strchr(rate, '@') : NULL;
	if (baud)
		*baud++ = '\0';
	if (!value_take_text(r->line->device, CONFIG_DEVICE_SIZE, head))
		return refuse_device(r, head, strlen(head));
	r->given |= UINT64_C(1); /* config_line_keys[0] */
	return (!rate || config_line_set(r, "bps", rate)) &&
	       (!baud || config_line_set(r, "baud", baud));
}

/*
 * The last part of the path, as far as it can be a name. Of a long one the end
 * is kept: that is what differs in /dev/serial/by-id.
 */
static void default_name(struct line_config *line)
{
	const char *slash = strrchr(line->device, '/');
	const char *base = slash ? slash + 1 : line->device;
	size_t length = strlen(base);
	size_t most = sizeof(line->name) - 1;
	size_t kept = length < most ? length : most;
	memcpy(line->name, base + length - kept, kept + 1);
	for (char *c = line->name; *c; c++) {
		bool first = c == line->name;
		if (!config_is_name_character(*c) || (first && (*c == '.' || *c == '-')))
			*c = '_';
	}
}

/* Start bit, eight data bits, parity, stop bits. */
static unsigned format_bits(const struct line_config *line)
{
	return 1 + 8 + (line->parity != PORT_PARITY_NONE) + line->stop_bits;
}

static bool settle_rates(struct line_reading *r)
{
	struct line_config *line = r->line;
	if (line->auto_rate)
		line->bps = line->baud ? line->baud : AUTO_BAUD;
	if (line->bps == 0 && r->in_file)
		return refuse(r, "what does this line carry? write bps = 28800");
	if (line->bps == 0)
		return refuse(r, "what does this line carry? write it as %s:28800", line->device);
	if (line->baud == 0)
		line->baud = line->bps;
	return true;
}

bool config_line_contradicts(const struct line_config *line, char *why, size_t size)
{
	const struct linklayer *layer = &line->layer;
	*why = '\0';
	if (line->baud && line->bps > line->baud)
		snprintf(why, size,
			 "bps %u is more than baud %u: a line carries no more than its port",
			 (unsigned)line->bps, (unsigned)line->baud);
	else if (layer->exact && (layer->overhead || layer->mpu))
		snprintf(why, size,
			 "overhead and mpu are of a hop behind the line: say which by "
			 "linklayer=raw, atm, ptm...");
	else if (line->shape.bps > line->bps && !line->auto_rate)
		snprintf(why, size, "shape is more than the line carries");
	return *why;
}

bool config_line_end(struct line_reading *r)
{
	struct line_config *line = r->line;
	if (!line->device[0])
		return refuse(r, "no device: write device = /dev/ttyS0");
	const char *wrong = device_wrong(line->device);
	if (wrong)
		return refuse(r, "%s%s%s", r->in_file ? line->device : "", r->in_file ? ": " : "",
			      wrong);
	if (!settle_rates(r))
		return false;
	char why[200];
	if (config_line_contradicts(line, why, sizeof(why)))
		return refuse(r, "%s", why);
	wrong = config_modem_settle(&line->modem);
	if (wrong)
		return refuse(r, "%s", wrong);
	if (line->bits_per_char == 0)
		line->bits_per_char = format_bits(line);
	if (!line->name[0])
		default_name(line);
	return true;
}

void config_line_begin(struct line_reading *r, struct line_config *line, char *why, size_t why_size)
{
	*line = config_line_defaults;
	*r = (struct line_reading){.line = line, .why = why, .why_size = why_size};
}

/* Whether the key bps is among the items: so that a rate need not be looked for in the device. */
static bool says_rate(const char *items)
{
	return items && (strncmp(items, "bps=", 4) == 0 || strstr(items, ",bps="));
}

bool config_line_parse(struct line_config *line, const char *text, char *why, size_t why_size)
{
	struct line_reading r;
	char copy[LINE_TEXT_SIZE];
	config_line_begin(&r, line, why, why_size);
	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		return refuse(&r, "a line longer than %d characters", LINE_TEXT_SIZE - 1);
	if (strncmp(copy, "device=", strlen("device=")) == 0)
		return set_items(&r, copy) && config_line_end(&r);
	char *items = cut_item(copy);
	return set_head(&r, copy, says_rate(items)) && set_items(&r, items) && config_line_end(&r);
}

void config_encapsulations(char *to, size_t size)
{
	size_t at = 0;
	*to = '\0';
	for (size_t i = 0; i < COUNT(encapsulations) && at < size; i++)
		at += (size_t)snprintf(to + at, size - at, "%s%s", i ? " " : "",
				       encapsulations[i]->name);
}

void config_line_format(const struct line_config *line, char to[static 4])
{
	static const char letters[] = {
		[PORT_PARITY_NONE] = 'N', [PORT_PARITY_EVEN] = 'E', [PORT_PARITY_ODD] = 'O'};
	to[0] = '8';
	to[1] = letters[line->parity];
	to[2] = (char)('0' + line->stop_bits);
	to[3] = '\0';
}
