/* SPDX-License-Identifier: MIT */
/*
 * A file of sections with keys and values, item by item.
 *
 *   # comment, or ; at the begin of a line
 *   [section]
 *   key = value
 *   key = a long value, \
 *         which goes on here
 */
#ifndef SRC_CONFIG_INI_H
#define SRC_CONFIG_INI_H

#include <stdbool.h>
#include <stdio.h>

struct ini_item {
	enum {
		INI_SECTION, /* it begins; section NULL: one that was wrong */
		INI_KEY,     /* of the section that began last */
		INI_WRONG,   /* value: what is wrong, as a sentence without full stop */
	} kind;
	unsigned line; /* from 1 */
	const char *section, *key, *value;
};

/* What is handed over is valid during the call. */
typedef void ini_listener(void *context, const struct ini_item *);

void ini_read(FILE *, ini_listener *, void *context);

#endif
