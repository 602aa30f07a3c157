/* SPDX-License-Identifier: MIT */
/*
 * Plain values of options and of lines' keys: taken from text, and given as text that is
 * taken for the same value again.
 */
#ifndef SRC_CONFIG_VALUE_H
#define SRC_CONFIG_VALUE_H

#include "src/config.h"

#include <stddef.h>

/* All of it; false: "", longer than the room, not printable, or with a space at an end. */
bool value_take_text(char *to, size_t size, const char *value);
/* "yes" or "no". */
bool value_take_yes(bool *to, const char *value);

/* -14, 0, 40. */
bool value_take_signed(int32_t *to, int64_t min, int64_t max, const char *value);
/* 250ms, or 100 as bonding says it: in ms. */
bool value_take_ms(sb_time *to, sb_time max, const char *value);
/* A rate, a percentage up to 100%, or none. */
bool value_take_shape(struct shape_config *to, const char *value);

void value_give_yes(bool, char to[static CONFIG_TEXT_SIZE]);
void value_give_number(uint64_t, char to[static CONFIG_TEXT_SIZE]);
void value_give_signed(int32_t, char to[static CONFIG_TEXT_SIZE]);
/* As parse_percent() reads it with 100 to the percent. */
void value_give_percent(uint64_t per_10000, char to[static CONFIG_TEXT_SIZE]);
void value_give_shape(const struct shape_config *, char to[static CONFIG_TEXT_SIZE]);
/* Exactly, as parse_time() reads it: "250ms", "1.5s" as "1500ms", "0". */
void value_give_time(sb_time, char to[static CONFIG_TEXT_SIZE]);

#endif
