/* SPDX-License-Identifier: MIT */
/*
 * IPv4 addresses for those who call, in host order: from a range, or the
 * caller's own, as the words behind its secret have it (pppd(8), AUTHENTICATION). Pure.
 */
#ifndef SRC_POOL_H
#define SRC_POOL_H

#include <stdbool.h>
#include <stdint.h>

struct pool_config {
	uint32_t first, count; /* the range; count 0: none */
	uint32_t own;          /* never given: ours; 0 */
};

struct pool;

struct pool *pool_new(const struct pool_config *); /* copied; NULL: out of memory */
void pool_free(struct pool *);

/*
 * An address for the caller of that name ("" : it told none), which is its until it
 * is released; the one it had before, if that is free. `words` are those behind its
 * secret, NULL-terminated, or NULL. 0: there is none for it.
 */
uint32_t pool_take(struct pool *, const char *name, const char *const *words);
void pool_release(struct pool *, uint32_t address);

/*
 * Whether the words let a caller use an address that it names itself: "*" any, "-"
 * none, 10.0.0.1, 10.0.0.0/24, and "!" before either for not that one. The first word
 * that fits counts. No words, or none that fits: no.
 */
bool pool_allows(const char *const *words, uint32_t address);

#endif
