/* SPDX-License-Identifier: MIT */
/*
 * The keys of a line that say how fast it is, and what a packet costs on it.
 *
 * A link layer's word may bring an overhead and an mpu along (docsis: 18 and 64). What overhead=
 * and mpu= say themselves holds, in any order. It is written as the cells that it has, with both
 * numbers beside it.
 */
#define _DEFAULT_SOURCE
#include "src/config_keys.h"

#include "src/config_value.h"
#include "src/parse.h"

#include <string.h>

static void *member(struct line_config *line, const struct line_key *key)
{
	return (char *)line + key->at;
}

static const void *place(const struct line_config *line, const struct line_key *key)
{
	return (const char *)line + key->at;
}

bool config_key_take_bps(struct line_config *line, const struct line_key *key, const char *value)
{
	bool found_out = strcmp(value, "auto") == 0;
	if (!found_out && !config_key_take_rate(line, key, value))
		return false;
	line->auto_rate = found_out;
	return true;
}

void config_key_give_bps(const struct line_config *line, const struct line_key *key,
			 char to[static CONFIG_TEXT_SIZE])
{
	if (line->auto_rate)
		strcpy(to, "auto");
	else
		config_key_give_rate(line, key, to);
}

bool config_key_take_shape(struct line_config *line, const struct line_key *key, const char *value)
{
	return value_take_shape(member(line, key), value);
}

void config_key_give_shape(const struct line_config *line, const struct line_key *key,
			   char to[static CONFIG_TEXT_SIZE])
{
	value_give_shape(place(line, key), to);
}

bool config_key_take_signed(struct line_config *line, const struct line_key *key, const char *value)
{
	return value_take_signed(member(line, key), (int64_t)key->min, (int64_t)key->max, value);
}

void config_key_give_signed(const struct line_config *line, const struct line_key *key,
			    char to[static CONFIG_TEXT_SIZE])
{
	value_give_signed(*(const int32_t *)place(line, key), to);
}

/* --- link layers -------------------------------------------------------------------------------
 */

/* Words with a space or a plus sign between them: "ethernet+ether-vlan". */
bool config_key_take_layer(struct line_config *line, const struct line_key *key, const char *value)
{
	struct linklayer layer = config_line_defaults.layer;
	char word[CONFIG_NAME_SIZE];
	size_t n;
	(void)key;
	for (const char *at = value; *at; at += n + (at[n] != '\0')) {
		n = strcspn(at, " +");
		if (n >= sizeof(word))
			return false;
		memcpy(word, at, n);
		word[n] = '\0';
		if (!linklayer_named(word, &layer))
			return false;
	}
	line->layer = layer;
	return *value != '\0';
}

void config_key_give_layer(const struct line_config *line, const struct line_key *key,
			   char to[static CONFIG_TEXT_SIZE])
{
	static const char *const cells[] = {
		[CELLS_NONE] = "raw", [CELLS_ATM] = "atm", [CELLS_PTM] = "ptm"};
	(void)key;
	strcpy(to, line->layer.exact ? "exact" : cells[line->layer.cells]);
}

/* Of a line that counts its own characters there is none. */
void config_key_give_overhead(const struct line_config *line, const struct line_key *key,
			      char to[static CONFIG_TEXT_SIZE])
{
	*to = '\0';
	if (!line->layer.exact)
		config_key_give_signed(line, key, to);
}

bool config_key_take_overhead(struct line_config *line, const struct line_key *key,
			      const char *value)
{
	return config_key_take_signed(line, key, value);
}

void config_keep_layer(struct linklayer *layer, const struct linklayer *said, bool overhead,
		       bool mpu)
{
	if (overhead)
		layer->overhead = said->overhead;
	if (mpu)
		layer->mpu = said->mpu;
}
