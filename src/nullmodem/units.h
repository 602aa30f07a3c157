/* SPDX-License-Identifier: MIT */
/*
 * Quantities as people write them: 250ms, 64K, 1e-5.
 *
 * Each answers true and stores the value only when the whole text is one
 * number of that kind.
 */
#ifndef NULLMODEM_UNITS_H
#define NULLMODEM_UNITS_H

#include "serialbundle/time.h"

#include <stdbool.h>
#include <stdint.h>

bool parse_count(const char *text, uint64_t *count);           /* 28800 */
bool parse_size(const char *text, uint64_t *size);             /* 64, 64K, 1M; K is 1024 */
bool parse_time(const char *text, sb_time *duration);          /* 10us 250ms 1.5s 2m 1h; 3 is 3s */
bool parse_probability(const char *text, double *probability); /* 0 .. 1 */

#endif
