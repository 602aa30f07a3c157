/* SPDX-License-Identifier: MIT */
/* Members of a document that a program sent, and what stands for one that is not there or null. */
#ifndef SRC_CTL_DOCUMENT_H
#define SRC_CTL_DOCUMENT_H

#include "src/text.h"

#include <jansson.h>

#include <stdbool.h>
#include <string.h>

static inline double figure(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static inline const char *word_or(const json_t *object, const char *key, const char *otherwise)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : otherwise;
}

static inline const char *word(const json_t *object, const char *key)
{
	return word_or(object, key, "");
}

static inline bool truth(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

/* --- figures as text, by value: several in one printf --- */

struct cell {
	char text[TEXT_UNIT_SIZE + 8];
};

static inline struct cell cell_bytes(double n)
{
	struct cell c;

	text_bytes(c.text, (uint64_t)(n > 0 ? n + 0.5 : 0));
	return c;
}

static inline struct cell cell_rate(double bytes_per_s)
{
	struct cell c = cell_bytes(bytes_per_s);

	strcat(c.text, "/s");
	return c;
}

static inline struct cell cell_ms(double ms)
{
	struct cell c;

	text_time(c.text, (int64_t)(ms * 1e6));
	return c;
}

#endif
