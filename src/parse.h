/* SPDX-License-Identifier: MIT */
/*
 * Values as people write them. Each function takes the whole text or nothing:
 * false when it is not exactly one such value, and then nothing is stored.
 */
#ifndef SRC_PARSE_H
#define SRC_PARSE_H

#include "serialbundle/time.h"

#include "src/netif.h"

#include <stdbool.h>
#include <stdint.h>

/* 0, 42: decimal digits only. */
bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *);
/* 28800, 57.6k, 1M, or as tc has it, 1mbit: bits per second, a whole number of them. */
bool parse_rate(const char *text, uint64_t min, uint64_t max, uint64_t *);
/* 95%, 97.5%: in units of which one percent has `per_percent`, a whole number of them. */
bool parse_percent(const char *text, uint64_t per_percent, uint64_t max, uint64_t *);
/* 250ms, 1.5s, 2min, 1h, and 0. A number without its unit is not a time. */
bool parse_time(const char *text, sb_time max, sb_time *);

enum { PARSE_NO_PREFIX = -1 };
/* 10.0.0.1, 10.0.0.1/24, fd00::1/64: fills family and local; prefix may be PARSE_NO_PREFIX. */
bool parse_address(const char *text, struct netif_address *, int *prefix);
/* Not unspecified, loopback, multicast or broadcast: an address for an interface. */
bool parse_is_host(const struct netif_address *);

#endif
