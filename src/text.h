/* SPDX-License-Identifier: MIT */
/*
 * Text for people's eyes: made safe to print, and fitted into columns.
 */
#ifndef SRC_TEXT_H
#define SRC_TEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Makes text from elsewhere (a modem, a file name, a peer) safe to show: every
 * byte that is not printable ASCII or part of a printable UTF-8 character
 * becomes '?'. So no escape sequence and no second line gets through.
 */
void text_clean(char *text);

/* The bytes that the first `columns` characters take. Of UTF-8, one column each. */
size_t text_cut(const char *text, size_t columns);

enum { TEXT_UNIT_SIZE = 24 };
/* "0 B", "999 B", "1.23 kB", "45.6 MB": three digits, powers of 1000. Returns `to`. */
const char *text_bytes(char to[static TEXT_UNIT_SIZE], uint64_t bytes);
/* "0 ms", "12.3 ms", "4.56 s", "1 min 05 s", "3 h 02 min", "2 d 03 h". Returns `to`. */
const char *text_time(char to[static TEXT_UNIT_SIZE], int64_t ns);

/* The word that `word` is most likely a slip of the pen for, or NULL. */
const char *text_nearest(const char *word, const char *const words[], size_t count);

#endif
