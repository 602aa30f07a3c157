/* SPDX-License-Identifier: MIT */
/*
 * Allocations counted while the exchange runs. The linker leads calls of malloc and
 * its kin here (--wrap), and those of the exchange too: only what is called from within
 * counts, for Check itself allocates.
 */
#ifndef TESTS_UNIT_ALLOC_COUNTING_H
#define TESTS_UNIT_ALLOC_COUNTING_H

#include "src/exchange.h"

#include <stdlib.h>

/* volatile: what a compiler knows of malloc is not true of these. */
static volatile bool inside;
static volatile unsigned long allocations; /* and releases */

/* A function that is led here, and the one it is led on to. */
#define WRAP(type, name, ...)                                                                      \
	type __real_##name(__VA_ARGS__);                                                           \
	type __wrap_##name(__VA_ARGS__);                                                           \
	type __wrap_##name(__VA_ARGS__)

WRAP(void *, malloc, size_t size)
{
	allocations += inside;
	return __real_malloc(size);
}

WRAP(void *, calloc, size_t n, size_t size)
{
	allocations += inside;
	return __real_calloc(n, size);
}

WRAP(void *, realloc, void *at, size_t size)
{
	allocations += inside;
	return __real_realloc(at, size);
}

WRAP(void, free, void *at)
{
	allocations += inside;
	__real_free(at);
}

WRAP(bool, exchange_tun_readable, struct exchange *x, unsigned bundle, sb_time now)
{
	inside = true;
	bool there = __real_exchange_tun_readable(x, bundle, now);
	inside = false;
	return there;
}

WRAP(void, exchange_line_readable, struct exchange *x, unsigned line, sb_time now)
{
	inside = true;
	__real_exchange_line_readable(x, line, now);
	inside = false;
}

WRAP(void, exchange_line_writable, struct exchange *x, unsigned line, sb_time now)
{
	inside = true;
	__real_exchange_line_writable(x, line, now);
	inside = false;
}

WRAP(void, exchange_run, struct exchange *x, sb_time now)
{
	inside = true;
	__real_exchange_run(x, now);
	inside = false;
}

WRAP(bool, exchange_report, struct exchange *x, unsigned bundle, sb_time now, struct report *report,
     struct report_line lines[static CONFIG_MAX_LINES])
{
	inside = true;
	bool there = __real_exchange_report(x, bundle, now, report, lines);
	inside = false;
	return there;
}

#endif
