/* SPDX-License-Identifier: MIT */
/*
 * One LINE of the command line.
 *
 * DEVICE ends at the first comma; what stands behind its last colon is the
 * rate, so that names such as /dev/serial/by-path/pci-0000:00:14.0 can be
 * written as they are. BPS and BAUD are the keys `bps` and `baud` in short form
 * and take the same way. A word without `=` names the encapsulation.
 */
#define _DEFAULT_SOURCE
#include "src/config_line.h"

#include "src/parse.h"
#include "src/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

enum { LINE_TEXT_SIZE = 1024 };

static const sb_time delay_max = 60 * SB_SEC;

struct word {
	const char *word;
	int value;
};

static const struct encap_kind *const encapsulations[] = {&encap_slip, &encap_ppp};

static const struct word flows[] = {
	{"none", PORT_FLOW_NONE}, {"rtscts", PORT_FLOW_RTSCTS}, {"xonxoff", PORT_FLOW_XONXOFF}};
static const struct word parities[] = {
	{"none", PORT_PARITY_NONE}, {"even", PORT_PARITY_EVEN}, {"odd", PORT_PARITY_ODD}};

const struct encap_kind *config_encapsulation(const char *name)
{
	for (size_t i = 0; i < COUNT(encapsulations); i++) {
		if (strcmp(encapsulations[i]->name, name) == 0)
			return encapsulations[i];
	}
	return NULL;
}

static bool find_word(const struct word *words, size_t count, const char *text, int *value)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(words[i].word, text) == 0) {
			*value = words[i].value;
			return true;
		}
	}
	return false;
}

static bool take_rate(uint32_t *to, const char *value)
{
	uint64_t rate;
	if (!parse_rate(value, CONFIG_BPS_MIN, CONFIG_BPS_MAX, &rate))
		return false;
	*to = (uint32_t)rate;
	return true;
}

static bool take_unsigned(unsigned *to, const char *value, unsigned min, unsigned max)
{
	uint64_t number;
	if (!parse_number(value, min, max, &number))
		return false;
	*to = (unsigned)number;
	return true;
}

static bool take_bps(struct line_config *line, const char *value)
{
	return take_rate(&line->bps, value);
}

static bool take_baud(struct line_config *line, const char *value)
{
	return take_rate(&line->baud, value);
}

static bool take_bits(struct line_config *line, const char *value)
{
	return take_unsigned(&line->bits_per_char, value, 8, 12);
}

static bool take_stop(struct line_config *line, const char *value)
{
	return take_unsigned(&line->stop_bits, value, 1, 2);
}

static bool take_delay(struct line_config *line, const char *value)
{
	return parse_time(value, delay_max, &line->delay);
}

static bool take_parity(struct line_config *line, const char *value)
{
	int parity;
	if (!find_word(parities, COUNT(parities), value, &parity))
		return false;
	line->parity = (enum port_parity)parity;
	return true;
}

static bool take_flow(struct line_config *line, const char *value)
{
	int flow;
	if (!find_word(flows, COUNT(flows), value, &flow))
		return false;
	line->flow = (enum port_flow)flow;
	return true;
}

/* Names stand in messages, tables and file names. */
static bool is_name_character(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       (c && strchr("._+-", c));
}

static bool take_word(char to[static CONFIG_NAME_SIZE], const char *value)
{
	size_t length = strlen(value);
	if (length == 0 || length >= CONFIG_NAME_SIZE || *value == '.' || *value == '-')
		return false;
	for (const char *c = value; *c; c++) {
		if (!is_name_character(*c))
			return false;
	}
	memcpy(to, value, length + 1);
	return true;
}

static bool take_name(struct line_config *line, const char *value)
{
	return take_word(line->name, value);
}

static bool take_bundle(struct line_config *line, const char *value)
{
	return take_word(line->bundle, value);
}

#define A_RATE "a rate is between 50 and 1000000000 (28800, 57.6k, 1M)"
static_assert(CONFIG_BPS_MIN == 50 && CONFIG_BPS_MAX == 1000000000, "A_RATE says so");
#define A_NAME "a name is 1 to 31 letters, digits and ._+- and begins with none of .-"
static_assert(CONFIG_NAME_SIZE == 32, "A_NAME says so");

static const struct key_row {
	const char *name;
	bool (*take)(struct line_config *, const char *value);
	const char *form; /* what a right value is */
} keys[] = {
	{"bps", take_bps, A_RATE},
	{"baud", take_baud, A_RATE},
	{"bits", take_bits, "a character takes 8 to 12 bits on the line"},
	{"parity", take_parity, "parity is none, even or odd"},
	{"stop", take_stop, "there are 1 or 2 stop bits"},
	{"flow", take_flow, "flow control is none, rtscts or xonxoff"},
	{"delay", take_delay, "a delay is 0 to 60s (250ms, 1.5s)"},
	{"name", take_name, A_NAME},
	{"bundle", take_bundle, A_NAME},
};

/* A line being read: what was given so far, and room to say what is wrong. */
struct reading {
	struct line_config *line;
	unsigned given; /* bit k: keys[k] */
	char *why;
	size_t why_size;
};

__attribute__((format(printf, 2, 3))) static bool refuse(struct reading *r, const char *format, ...)
{
	int n = snprintf(r->why, r->why_size, "%s: ", r->line->device);
	va_list arguments;
	va_start(arguments, format);
	if (n >= 0 && (size_t)n < r->why_size)
		vsnprintf(r->why + n, r->why_size - (size_t)n, format, arguments);
	va_end(arguments);
	return false;
}

static bool refuse_key(struct reading *r, const char *name)
{
	const char *names[COUNT(keys)];
	char list[128] = "";
	for (size_t k = 0; k < COUNT(keys); k++) {
		names[k] = keys[k].name;
		strcat(list, k ? ", " : "");
		strcat(list, names[k]);
	}
	const char *nearest = text_nearest(name, names, COUNT(names));
	if (nearest)
		return refuse(r, "unknown key '%s' (did you mean '%s'? keys are %s)", name, nearest,
			      list);
	return refuse(r, "unknown key '%s' (keys are %s)", name, list);
}

static bool set_key(struct reading *r, const char *name, const char *value)
{
	for (size_t k = 0; k < COUNT(keys); k++) {
		if (strcmp(keys[k].name, name) != 0)
			continue;
		if (r->given & 1u << k)
			return refuse(r, "%s is given twice", name);
		r->given |= 1u << k;
		if (!keys[k].take(r->line, value))
			return refuse(r, "%s %s: %s", name, *value ? value : "''", keys[k].form);
		return true;
	}
	return refuse_key(r, name);
}

/* A word alone: an encapsulation, or a key whose value was left out. */
static bool set_word(struct reading *r, const char *word)
{
	for (size_t k = 0; k < COUNT(keys); k++) {
		if (strcmp(keys[k].name, word) == 0)
			return refuse(r, "%s needs a value: %s=", word, word);
	}
	const struct encap_kind *encap = config_encapsulation(word);
	if (encap && r->line->encap && encap != r->line->encap)
		return refuse(r, "both %s and %s", r->line->encap->name, encap->name);
	if (encap) {
		r->line->encap = encap;
		return true;
	}
	char list[64];
	config_encapsulations(list, sizeof(list));
	return refuse(r, "unknown word '%s' (the encapsulations of this build: %s)", word, list);
}

static bool set_item(struct reading *r, char *item)
{
	char *equals = strchr(item, '=');
	if (!equals)
		return set_word(r, item);
	*equals = '\0';
	return set_key(r, item, equals + 1);
}

static bool set_items(struct reading *r, char *items)
{
	for (char *next; items; items = next) {
		next = strchr(items, ',');
		if (next)
			*next++ = '\0';
		if (!set_item(r, items))
			return false;
	}
	return true;
}

/* DEVICE[:BPS[@BAUD]] */
static bool set_head(struct reading *r, char *head)
{
	char *rate = strrchr(head, ':');
	if (rate)
		*rate++ = '\0';
	size_t length = strlen(head);
	size_t fits = length < CONFIG_DEVICE_SIZE ? length : CONFIG_DEVICE_SIZE - 1;
	memcpy(r->line->device, head, fits);
	if (length == 0)
		return refuse(r, "no device: a line is DEVICE:BPS[@BAUD][,key=value...]");
	if (fits < length)
		return refuse(r, "the name is longer than %d characters", CONFIG_DEVICE_SIZE - 1);
	if (!rate)
		return true;
	char *baud = strchr(rate, '@');
	if (baud)
		*baud++ = '\0';
	return set_key(r, "bps", rate) && (!baud || set_key(r, "baud", baud));
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
		if (!is_name_character(*c) || (first && (*c == '.' || *c == '-')))
			*c = '_';
	}
}

/* Start bit, eight data bits, parity, stop bits. */
static unsigned format_bits(const struct line_config *line)
{
	return 1 + 8 + (line->parity != PORT_PARITY_NONE) + line->stop_bits;
}

static bool settle(struct reading *r)
{
	struct line_config *line = r->line;
	if (line->bps == 0)
		return refuse(r, "what does this line carry? write it as %s:28800", line->device);
	if (line->baud == 0)
		line->baud = line->bps;
	if (line->bps > line->baud)
		return refuse(r,
			      "bps %u is more than baud %u: a line carries no more than its port",
			      (unsigned)line->bps, (unsigned)line->baud);
	if (line->bits_per_char == 0)
		line->bits_per_char = format_bits(line);
	if (!line->name[0])
		default_name(line);
	return true;
}

static const struct line_config defaults = {
	.stop_bits = 1,
	.modem = {.dial_command = "ATDT",
		  .dial_timeout = 60 * SB_SEC,
		  .redial = 5 * SB_SEC,
		  .redial_longest = 300 * SB_SEC},
	.enabled = true,
};

bool config_line_parse(struct line_config *line, const char *text, char *why, size_t why_size)
{
	struct reading r = {.line = line, .why = why, .why_size = why_size};
	char copy[LINE_TEXT_SIZE];
	*line = defaults;
	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		return refuse(&r, "a line longer than %d characters", LINE_TEXT_SIZE - 1);
	char *items = strchr(copy, ',');
	if (items)
		*items++ = '\0';
	return set_head(&r, copy) && set_items(&r, items) && settle(&r);
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
