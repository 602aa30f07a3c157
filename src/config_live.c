/* SPDX-License-Identifier: MIT */
/* What of a configuration follows from its lines, and may change while the program runs. */
#define _DEFAULT_SOURCE
#include "src/config.h"

#include <stddef.h>
#include <string.h>

unsigned config_largest_mtu(const struct config *c)
{
	return c->mtu > PPP_DEFAULT_MRU ? c->mtu : PPP_DEFAULT_MRU;
}

/* --- what may change, and what may not --- */

/*
 * Of addresses what was given is compared, not where that went: the first of IPv4 is IPCP's where
 * lines speak PPP, and the interface's where they speak SLIP.
 */
struct pair {
	uint32_t local, remote; /* host order; 0: not given */
};

static struct pair first_pair(const struct config *c)
{
	if (c->ppp.local || c->ppp.remote)
		return (struct pair){c->ppp.local, c->ppp.remote};
	for (unsigned i = 0; i < c->address_count; i++) {
		const struct netif_address *a = &c->addresses[i];

		if (a->family == AF_INET)
			return (struct pair){ntohl(a->local.v4.s_addr),
					     a->has_peer ? ntohl(a->peer.v4.s_addr) : 0};
	}
	return (struct pair){0, 0};
}

static bool is_first(const struct config *c, const struct netif_address *a)
{
	return a->family == AF_INET && ntohl(a->local.v4.s_addr) == first_pair(c).local;
}

static bool same_bits(const struct netif_address *a, const struct netif_address *b)
{
	size_t size = a->family == AF_INET ? sizeof(a->local.v4) : sizeof(a->local.v6);

	return a->family == b->family && memcmp(&a->local, &b->local, size) == 0 &&
	       a->has_peer == b->has_peer &&
	       (!a->has_peer || memcmp(&a->peer, &b->peer, size) == 0);
}

/* The first of IPv4 that only one of them has here is with IPCP in the other. */
static bool has_all_of(const struct config *a, const struct config *b)
{
	for (unsigned i = 0; i < b->address_count; i++) {
		const struct netif_address *wanted = &b->addresses[i];
		bool found = is_first(b, wanted);

		for (unsigned j = 0; !found && j < a->address_count; j++)
			found = same_bits(&a->addresses[j], wanted) &&
				a->addresses[j].prefix == wanted->prefix;
		if (!found)
			return false;
	}
	return true;
}

static const struct netif_address *first_here(const struct config *c)
{
	for (unsigned i = 0; i < c->address_count; i++)
		if (is_first(c, &c->addresses[i]))
			return &c->addresses[i];
	return NULL;
}

static bool same_prefix(const struct config *a, const struct config *b)
{
	const struct netif_address *of_a = first_here(a), *of_b = first_here(b);

	return !of_a || !of_b || of_a->has_peer || of_b->has_peer || of_a->prefix == of_b->prefix;
}

static bool same_locals(const struct config *a, const struct config *b)
{
	return first_pair(a).local == first_pair(b).local && same_prefix(a, b) &&
	       has_all_of(a, b) && has_all_of(b, a);
}

static bool same_remotes(const struct config *a, const struct config *b)
{
	return first_pair(a).remote == first_pair(b).remote;
}

enum kind { BYTES, TEXT, GIVEN };
struct member {
	enum kind kind;
	const char *option;
	size_t offset, size;
	bool (*same)(const struct config *, const struct config *); /* of GIVEN */
};
#define MEMBER(kind, option, name)                                                                 \
	{                                                                                          \
		kind, option, offsetof(struct config, name), sizeof(((struct config *)0)->name),   \
			NULL                                                                       \
	}

/* Read at the start alone. */
static const struct member fixed[CONFIG_FIXED] = {
	MEMBER(BYTES, "--answer", answer),
	MEMBER(TEXT, "--name", ifname),
	{GIVEN, "--local", 0, 0, same_locals},
	{GIVEN, "--remote", 0, 0, same_remotes},
	MEMBER(BYTES, "--default-route", default_route),
	MEMBER(BYTES, "--default-route", route_metric),
	MEMBER(BYTES, "--pool", pool.first),
	MEMBER(BYTES, "--pool", pool.count),
	MEMBER(TEXT, "--capture", capture),
	MEMBER(TEXT, "--control", control),
	MEMBER(BYTES, "--no-ecn", ecn),
	MEMBER(BYTES, "--realtime", realtime),
};

/* Whatever else there is, but for the lines. */
static const struct member in_use[] = {
	MEMBER(BYTES, "--mtu", mtu),
	MEMBER(BYTES, "--mtu", mtu_auto),
	MEMBER(TEXT, "--lock-dir", lock_dir),
	MEMBER(BYTES, "--hold", hold),
	MEMBER(BYTES, "--max-lines", max_lines),
	MEMBER(BYTES, "--min-lines", min_lines),
	MEMBER(TEXT, "--control-group", control_group),
	MEMBER(TEXT, "--ip-up", ip_up),
	MEMBER(TEXT, "--ip-down", ip_down),
	MEMBER(TEXT, "--line-up", line_up),
	MEMBER(TEXT, "--line-down", line_down),
	MEMBER(BYTES, "--hook-timeout", hook_timeout),
	MEMBER(BYTES, "--capture-bytes", capture_bytes),
	MEMBER(BYTES, "--capture-files", capture_files),
	MEMBER(BYTES, "--verbose", verbosity),
};

static const char *in(const struct config *c, const struct member *m)
{
	return (const char *)c + m->offset;
}

static bool equal(const struct config *a, const struct config *b, const struct member *m)
{
	if (m->kind == GIVEN)
		return m->same(a, b);
	return m->kind == TEXT ? strcmp(in(a, m), in(b, m)) == 0
			       : memcmp(in(a, m), in(b, m), m->size) == 0;
}

unsigned config_fixed_differences(const struct config *a, const struct config *b,
				  const char *options[static CONFIG_FIXED])
{
	unsigned n = 0;

	for (size_t i = 0; i < CONFIG_FIXED; i++)
		if (!equal(a, b, &fixed[i]) && !(n && options[n - 1] == fixed[i].option))
			options[n++] = fixed[i].option;
	return n;
}

/* Who we are for peers stays: links of one bundle must agree on that, and it may be random. */
static struct ppp_config ppp_as(const struct config *ours, const struct config *new)
{
	struct ppp_config p = new->ppp;

	p.endpoint = ours->ppp.endpoint;
	p.local = ours->ppp.local;
	p.remote = ours->ppp.remote;
	return p;
}

bool config_take_options(struct config *c, const struct config *new)
{
	struct ppp_config p = ppp_as(c, new);
	bool ppp_changed = memcmp(&p, &c->ppp, sizeof(p)) != 0;

	c->ppp = p;
	for (size_t i = 0; i < sizeof(in_use) / sizeof(in_use[0]); i++)
		memcpy((char *)c + in_use[i].offset, in(new, &in_use[i]), in_use[i].size);
	return ppp_changed;
}
