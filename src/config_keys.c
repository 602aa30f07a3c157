/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
#include "src/config_keys.h"

#include "src/config_value.h"
#include "src/parse.h"

#include <assert.h>
#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

const struct line_config config_line_defaults = {
	.stop_bits = 1,
	.layer = {.exact = true},
	.modem = {.dial_command = "ATDT",
		  .dial_timeout = 60 * SB_SEC,
		  .redial = 5 * SB_SEC,
		  .redial_longest = 300 * SB_SEC,
		  .connect_rate = true},
	.enabled = true,
};

/* By the enumerators' values. */
static const char *const flows[] = {
	[PORT_FLOW_NONE] = "none", [PORT_FLOW_RTSCTS] = "rtscts", [PORT_FLOW_XONXOFF] = "xonxoff"};
static const char *const parities[] = {
	[PORT_PARITY_NONE] = "none", [PORT_PARITY_EVEN] = "even", [PORT_PARITY_ODD] = "odd"};

const struct line_key *config_key_at(size_t i)
{
	if (i < config_line_key_count)
		return &config_line_keys[i];
	i -= config_line_key_count;
	return i < config_modem_key_count ? &config_modem_keys[i] : NULL;
}

bool config_is_spelt(const char *name, const char *word)
{
	while (*name && (*name == *word || (*name == '-' && *word == '_')))
		name++, word++;
	return !*name && !*word;
}

bool config_key_is_modems(const struct line_key *key)
{
	return key >= config_modem_keys && key < config_modem_keys + config_modem_key_count;
}

static void *member(struct line_config *line, const struct line_key *key)
{
	return (char *)line + key->at;
}

static const void *place(const struct line_config *line, const struct line_key *key)
{
	return (const char *)line + key->at;
}

bool config_key_take_text(struct line_config *line, const struct line_key *key, const char *value)
{
	return value_take_text(member(line, key), key->max, value);
}

void config_key_give_text(const struct line_config *line, const struct line_key *key,
			  char to[static CONFIG_TEXT_SIZE])
{
	strcpy(to, place(line, key));
}

bool config_key_take_count(struct line_config *line, const struct line_key *key, const char *value)
{
	uint64_t number;
	if (!parse_number(value, key->min, key->max, &number))
		return false;
	*(unsigned *)member(line, key) = (unsigned)number;
	return true;
}

void config_key_give_count(const struct line_config *line, const struct line_key *key,
			   char to[static CONFIG_TEXT_SIZE])
{
	value_give_number(*(const unsigned *)place(line, key), to);
}

bool config_key_take_time(struct line_config *line, const struct line_key *key, const char *value)
{
	sb_time time;
	if (!parse_time(value, (sb_time)key->max, &time) || time < (sb_time)key->min)
		return false;
	*(sb_time *)member(line, key) = time;
	return true;
}

void config_key_give_time(const struct line_config *line, const struct line_key *key,
			  char to[static CONFIG_TEXT_SIZE])
{
	value_give_time(*(const sb_time *)place(line, key), to);
}

bool config_key_take_rate(struct line_config *line, const struct line_key *key, const char *value)
{
	uint64_t rate;
	if (!parse_rate(value, CONFIG_BPS_MIN, CONFIG_BPS_MAX, &rate))
		return false;
	*(uint32_t *)member(line, key) = (uint32_t)rate;
	return true;
}

void config_key_give_rate(const struct line_config *line, const struct line_key *key,
			  char to[static CONFIG_TEXT_SIZE])
{
	value_give_number(*(const uint32_t *)place(line, key), to);
}

bool config_key_take_yes(struct line_config *line, const struct line_key *key, const char *value)
{
	return value_take_yes(member(line, key), value);
}

void config_key_give_yes(const struct line_config *line, const struct line_key *key,
			 char to[static CONFIG_TEXT_SIZE])
{
	value_give_yes(*(const bool *)place(line, key), to);
}

/* --- the keys of any line ----------------------------------------------------------------------
 */

static bool find_word(const char *const words[], size_t count, const char *text, unsigned *value)
{
	for (unsigned i = 0; i < count; i++) {
		if (strcmp(words[i], text) == 0) {
			*value = i;
			return true;
		}
	}
	return false;
}

static bool take_parity(struct line_config *line, const struct line_key *key, const char *value)
{
	unsigned parity;
	(void)key;
	if (!find_word(parities, COUNT(parities), value, &parity))
		return false;
	line->parity = (enum port_parity)parity;
	return true;
}

static void give_parity(const struct line_config *line, const struct line_key *key,
			char to[static CONFIG_TEXT_SIZE])
{
	(void)key;
	strcpy(to, parities[line->parity]);
}

static bool take_flow(struct line_config *line, const struct line_key *key, const char *value)
{
	unsigned flow;
	(void)key;
	if (!find_word(flows, COUNT(flows), value, &flow))
		return false;
	line->flow = (enum port_flow)flow;
	return true;
}

static void give_flow(const struct line_config *line, const struct line_key *key,
		      char to[static CONFIG_TEXT_SIZE])
{
	(void)key;
	strcpy(to, flows[line->flow]);
}

bool config_is_name_character(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       (c && strchr("._+-", c));
}

static bool take_word(struct line_config *line, const struct line_key *key, const char *value)
{
	size_t length = strlen(value);
	if (length == 0 || length >= CONFIG_NAME_SIZE || *value == '.' || *value == '-')
		return false;
	for (const char *c = value; *c; c++) {
		if (!config_is_name_character(*c))
			return false;
	}
	memcpy((char *)line + key->at, value, length + 1);
	return true;
}

#define A_RATE "a rate is between 50 and 1000000000 (28800, 57.6k, 1M)"
static_assert(CONFIG_BPS_MIN == 50 && CONFIG_BPS_MAX == 1000000000, "A_RATE says so");
#define A_SHAPE                                                                                    \
	"a shape is a rate from 50 to 1000000000 (28800, 57.6k), a percentage up to 100%, or none"
static_assert(LINKLAYER_OVERHEAD_MIN == -64 && LINKLAYER_OVERHEAD_MAX == 256, "its form says so");
static_assert(LINKLAYER_MPU_MAX == 256, "its form says so");
#define A_NAME "a name is 1 to 31 letters, digits and ._+- and begins with none of .-"
static_assert(CONFIG_NAME_SIZE == 32, "A_NAME says so");
static_assert(CONFIG_DEVICE_SIZE == 256 && CONFIG_COMMAND_SIZE == 512, "their forms say so");

const struct line_key config_line_keys[] = {
	{LINE_KEY_TEXT("device", device), .form = "a device has 1 to 255 printable characters"},
	{LINE_KEY("bps", bps, bps), .form = A_RATE ", or auto", .live = true},
	{LINE_KEY("baud", rate, baud), .form = A_RATE},
	{LINE_KEY("bits", count, bits_per_char), .min = 8, .max = 12,
	 .form = "a character takes 8 to 12 bits on the line"},
	{.name = "parity",
	 .take = take_parity,
	 .give = give_parity,
	 .form = "parity is none, even or odd"},
	{LINE_KEY("stop", count, stop_bits), .min = 1, .max = 2,
	 .form = "there are 1 or 2 stop bits"},
	{.name = "flow",
	 .take = take_flow,
	 .give = give_flow,
	 .form = "flow control is none, rtscts or xonxoff"},
	{LINE_KEY("delay", time, delay), .max = 60 * (uint64_t)SB_SEC,
	 .form = "a delay is 0 to 60s (250ms, 1.5s)", .live = true},
	{LINE_KEY("shape", shape, shape), .form = A_SHAPE, .live = true},
	{LINE_KEY("shape-in", shape, shape_in), .form = A_SHAPE, .live = true},
	{LINE_KEY("linklayer", layer, layer), .live = true,
	 .form = "a link layer is exact, raw, atm, ptm, ethernet, docsis, pppoe-llcsnap or another "
		 "of cake's words (see serialbundle(8))"},
	{LINE_KEY("overhead", overhead, layer.overhead), .min = (uint64_t)LINKLAYER_OVERHEAD_MIN,
	 .max = LINKLAYER_OVERHEAD_MAX, .form = "an overhead is -64 to 256 bytes", .live = true},
	{LINE_KEY("mpu", overhead, layer.mpu), .max = LINKLAYER_MPU_MAX,
	 .form = "an mpu is 0 to 256 bytes", .live = true},
	{LINE_KEY("prio", signed, prio), .min = (uint64_t)INT32_MIN, .max = INT32_MAX,
	 .form = "a prio is -2147483648 to 2147483647", .live = true},
	{.name = "name",
	 .take = take_word,
	 .give = config_key_give_text,
	 .at = offsetof(struct line_config, name),
	 .form = A_NAME},
	{.name = "bundle",
	 .take = take_word,
	 .give = config_key_give_text,
	 .at = offsetof(struct line_config, bundle),
	 .form = A_NAME},
	{LINE_KEY("enabled", yes, enabled), .form = "yes or no"},
	{LINE_KEY_TEXT("command", command), .form = "a command has 1 to 511 printable characters"},
};
const size_t config_line_key_count = COUNT(config_line_keys);
