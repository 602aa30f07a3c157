/* SPDX-License-Identifier: MIT */
/*
 * Addresses for callers.
 *
 * A lease is an address and the name of its holder. Released, it stays as a memory
 * of who had the address, so that a caller that comes back gets the same and its
 * connections go on. Memories are given up, the oldest first, when the range has
 * nothing left that nobody ever had, or the table is full. So a range may be
 * large: only what was ever given is kept.
 *
 * Where the words of a secret name single addresses, these are the caller's own,
 * whether in the range or not, and it gets no other unless a further word fits the
 * range ("*", or a network). As long as one holder has an address nobody else gets it,
 * not even by the same name: that is a second bundle of the same caller.
 */
#define _DEFAULT_SOURCE
#include "src/pool.h"

#include "ppp/auth.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LEASES = 256 }; /* four times the lines there can be: so many are held at most */

struct lease {
	uint32_t address; /* 0: the row is free */
	bool held;
	uint64_t released; /* when, in counts of the pool */
	char name[AUTH_NAME_SIZE];
};

struct pool {
	struct pool_config config;
	uint64_t count; /* of releases */
	struct lease leases[LEASES];
};

struct pool *pool_new(const struct pool_config *config)
{
	struct pool *pool = calloc(1, sizeof(*pool));

	if (pool)
		pool->config = *config;
	return pool;
}

void pool_free(struct pool *pool)
{
	free(pool);
}

/* --- words ------------------------------------------------------------------------------------ */

/* 10.0.0.1 or 10.0.0.0/24, as what is fixed of it and where that is. */
struct network {
	uint32_t address, mask;
};

/* pppd's "+" behind a prefix, one address by the number of the interface, is not taken. */
static bool read_prefix(const char *text, uint32_t *mask)
{
	char *end;
	unsigned long bits = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || bits > 32)
		return false;
	*mask = bits ? UINT32_MAX << (32 - bits) : 0;
	return true;
}

static bool read_network(const char *word, struct network *to)
{
	char address[INET_ADDRSTRLEN];
	struct in_addr parsed;
	size_t length = strcspn(word, "/");

	if (length >= sizeof(address))
		return false;
	memcpy(address, word, length);
	address[length] = '\0';
	to->mask = UINT32_MAX;
	if (word[length] && !read_prefix(word + length + 1, &to->mask))
		return false;
	if (inet_pton(AF_INET, address, &parsed) != 1)
		return false;
	to->address = ntohl(parsed.s_addr) & to->mask;
	return true;
}

static bool word_fits(const char *word, uint32_t address)
{
	struct network network;

	if (strcmp(word, "*") == 0)
		return true;
	return read_network(word, &network) && (address & network.mask) == network.address;
}

bool pool_allows(const char *const *words, uint32_t address)
{
	for (; words && *words && strcmp(*words, "-") != 0; words++) {
		bool not = **words == '!';

		if (word_fits(*words + not, address))
			return !not ;
	}
	return false;
}

/* A single address, the caller's own. */
static bool is_own(const char *word, uint32_t *address)
{
	struct network network;

	if (!read_network(word, &network) || network.mask != UINT32_MAX)
		return false;
	*address = network.address;
	return true;
}

/* --- leases ----------------------------------------------------------------------------------- */

static struct lease *find_lease(struct pool *pool, uint32_t address)
{
	for (unsigned i = 0; i < LEASES; i++)
		if (pool->leases[i].address == address)
			return &pool->leases[i];
	return NULL;
}

/* Of two memories the better one to give up. */
static bool is_staler(const struct lease *a, const struct lease *b)
{
	return !b || a->released < b->released;
}

/* A row for an address that has none: a free one, else the oldest memory's. */
static struct lease *free_row(struct pool *pool)
{
	struct lease *stalest = NULL;

	for (unsigned i = 0; i < LEASES; i++) {
		struct lease *lease = &pool->leases[i];

		if (lease->address == 0)
			return lease;
		if (!lease->held && is_staler(lease, stalest))
			stalest = lease;
	}
	return stalest;
}

static uint32_t hold(struct lease *lease, uint32_t address, const char *name)
{
	if (!lease)
		return 0;
	lease->address = address;
	lease->held = true;
	memcpy(lease->name, name, strlen(name) + 1);
	return address;
}

/* This one and no other, unless it is held. */
static uint32_t take_this(struct pool *pool, uint32_t address, const char *name)
{
	struct lease *lease = find_lease(pool, address);

	if (address == 0 || address == pool->config.own || (lease && lease->held))
		return 0;
	return hold(lease ? lease : free_row(pool), address, name);
}

static bool in_range(const struct pool *pool, uint32_t address)
{
	return address - pool->config.first < pool->config.count && address != pool->config.own;
}

/* Whether one of the range may be given: with no words any. */
static bool may_give(const struct pool *pool, const char *const *words, uint32_t address)
{
	return in_range(pool, address) && (!words || !*words || pool_allows(words, address));
}

static uint32_t take_own(struct pool *pool, const char *name, const char *const *words)
{
	uint32_t address, taken = 0;

	for (; words && *words && strcmp(*words, "-") != 0 && !taken; words++)
		if (is_own(*words, &address))
			taken = take_this(pool, address, name);
	return taken;
}

static uint32_t take_again(struct pool *pool, const char *name, const char *const *words)
{
	for (unsigned i = 0; i < LEASES && *name; i++) {
		struct lease *lease = &pool->leases[i];

		if (!lease->held && may_give(pool, words, lease->address) &&
		    strcmp(lease->name, name) == 0)
			return hold(lease, lease->address, name);
	}
	return 0;
}

static uint32_t take_new(struct pool *pool, const char *name, const char *const *words)
{
	for (uint32_t i = 0; i < pool->config.count; i++) {
		uint32_t address = pool->config.first + i;

		if (may_give(pool, words, address) && !find_lease(pool, address))
			return hold(free_row(pool), address, name);
	}
	return 0;
}

static uint32_t take_stalest(struct pool *pool, const char *name, const char *const *words)
{
	struct lease *stalest = NULL;

	for (unsigned i = 0; i < LEASES; i++) {
		struct lease *lease = &pool->leases[i];

		if (!lease->held && may_give(pool, words, lease->address) &&
		    is_staler(lease, stalest))
			stalest = lease;
	}
	return stalest ? hold(stalest, stalest->address, name) : 0;
}

uint32_t pool_take(struct pool *pool, const char *name, const char *const *words)
{
	static uint32_t (*const ways[])(struct pool *, const char *, const char *const *) = {
		take_own, take_again, take_new, take_stalest};
	uint32_t address = 0;

	assert(strlen(name) < AUTH_NAME_SIZE);
	for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]) && !address; i++)
		address = ways[i](pool, name, words);
	return address;
}

void pool_release(struct pool *pool, uint32_t address)
{
	struct lease *lease = address ? find_lease(pool, address) : NULL;

	assert(lease && lease->held);
	lease->held = false;
	lease->released = ++pool->count;
}
