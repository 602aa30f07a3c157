/* SPDX-License-Identifier: MIT */
/*
 * The keys of a line, as rows of tables: how a value is taken, and how it is written
 * again. config_line.c reads LINEs and [line NAME] sections by them, config_write.c
 * writes sections.
 */
#ifndef SRC_CONFIG_KEYS_H
#define SRC_CONFIG_KEYS_H

#include "src/config.h"

#include <stddef.h>

struct line_key {
	const char *name;
	bool (*take)(struct line_config *, const struct line_key *, const char *value);
	/* The value as take() would have it; "": there is none. */
	void (*give)(const struct line_config *, const struct line_key *,
		     char to[static CONFIG_TEXT_SIZE]);
	const char *form;  /* what a right value is */
	size_t at;         /* for the plain ones below: where in struct line_config */
	uint64_t min, max; /* and what fits there; of texts: the size of the room */
	bool live;         /* may change while the line is in use, by the word alone */
};

extern const struct line_key config_line_keys[], config_modem_keys[];
extern const size_t config_line_key_count, config_modem_key_count;

/* Number i of both tables, or NULL behind the last. */
const struct line_key *config_key_at(size_t i);
bool config_key_is_modems(const struct line_key *);
/* What a line is before anything was said of it. */
extern const struct line_config config_line_defaults;

/* Whether a word is this name, when an underscore in it is as good as a hyphen. */
bool config_is_spelt(const char *name, const char *word);
/* Names stand in messages, tables and file names. */
bool config_is_name_character(char);

/* Pairs of takers and givers of plain values, which go to key->at. */
#define LINE_KEY_FUNCTIONS(kind)                                                                   \
	bool config_key_take_##kind(struct line_config *, const struct line_key *,                 \
				    const char *value);                                            \
	void config_key_give_##kind(const struct line_config *, const struct line_key *,           \
				    char to[static CONFIG_TEXT_SIZE])
LINE_KEY_FUNCTIONS(text); /* printable, not "" */
LINE_KEY_FUNCTIONS(count);
LINE_KEY_FUNCTIONS(time);
LINE_KEY_FUNCTIONS(rate);
LINE_KEY_FUNCTIONS(yes);
LINE_KEY_FUNCTIONS(bps); /* a rate, or auto */
LINE_KEY_FUNCTIONS(signed);
LINE_KEY_FUNCTIONS(shape);
LINE_KEY_FUNCTIONS(layer);
LINE_KEY_FUNCTIONS(overhead); /* and mpu: of a link layer that is not the line's own */

/* What was said of both stays, whatever a link layer's word brought along. */
void config_keep_layer(struct linklayer *, const struct linklayer *said, bool overhead, bool mpu);

#define LINE_KEY(word, kind, member)                                                               \
	.name = word, .take = config_key_take_##kind, .give = config_key_give_##kind,              \
	.at = offsetof(struct line_config, member)
#define LINE_KEY_TEXT(word, member)                                                                \
	LINE_KEY(word, text, member), .max = sizeof(((struct line_config *)0)->member)

#endif
