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
	enum config_change change;
};
#define MEMBER(kind, option, name, who)                                                            \
	{                                                                                          \
		kind, option, offsetof(struct config, name), sizeof(((struct config *)0)->name),   \
			NULL, CONFIG_CHANGE_##who                                                  \
	}
#define FIXED(kind, option, name) MEMBER(kind, option, name, NEVER)
#define LIVE(option, name, who)   MEMBER(BYTES, option, name, who)

/* Read at the start alone. */
static const struct member fixed[CONFIG_FIXED] = {
	FIXED(BYTES, "--answer", answer),
	FIXED(TEXT, "--name", ifname),
	{GIVEN, "--local", 0, 0, same_locals, CONFIG_CHANGE_NEVER},
	{GIVEN, "--remote", 0, 0, same_remotes, CONFIG_CHANGE_NEVER},
	FIXED(BYTES, "--default-route", default_route),
	FIXED(BYTES, "--default-route", route_metric),
	FIXED(BYTES, "--pool", pool.first),
	FIXED(BYTES, "--pool", pool.count),
	FIXED(TEXT, "--capture", capture),
	FIXED(TEXT, "--control", control),
	FIXED(TEXT, "--control-group", control_group),
	FIXED(BYTES, "--no-ecn", ecn),
	FIXED(BYTES, "--realtime", realtime),
};

/* Whatever else there is, but for the lines. Others say how loud it is while it runs: `log`. */
static const struct member in_use[] = {
	LIVE("--mtu", mtu, ANY),
	LIVE("--mtu", mtu_auto, ANY),
	LIVE("--lock-dir", lock_dir, ROOT),
	LIVE("--hold", hold, ANY),
	LIVE("--max-lines", max_lines, ANY),
	LIVE("--min-lines", min_lines, ANY),
	LIVE("--mode", mode.mode, ANY),
	LIVE("--xmit-hash-policy", mode.hash, ANY),
	LIVE("--packets-per-line", mode.packets_per_line, ANY),
	LIVE("--tlb-dynamic-lb", mode.tlb_dynamic_lb, ANY),
	LIVE("--primary", primary, ANY),
	LIVE("--primary-reselect", election.reselect, ANY),
	LIVE("--ad-select", election.ad_select, ANY),
	LIVE("--min-links", election.min_links, ANY),
	LIVE("--miimon", monitor.miimon, ANY),
	LIVE("--updelay", monitor.updelay, ANY),
	LIVE("--downdelay", monitor.downdelay, ANY),
	LIVE("--num-peer-notif", notices, ANY),
	LIVE("--peer-notif-delay", notice_delay, ANY),
	LIVE("--probe-interval", probe.interval, ANY),
	LIVE("--probe-target", probe.target, ANY),
	LIVE("--probe-validate", probe.validate, ANY),
	LIVE("--probe-missed-max", probe.missed_max, ANY),
	LIVE("--shape", shape, ANY),
	LIVE("--shape-in", shape_in, ANY),
	LIVE("--tiers", scheme, ANY),
	LIVE("--tier-interactive", tiers[TIER_INTERACTIVE], ANY),
	LIVE("--tier-best-effort", tiers[TIER_BEST_EFFORT], ANY),
	LIVE("--tier-bulk", tiers[TIER_BULK], ANY),
	LIVE("--wash", wash, ANY),
	LIVE("--queue-bytes", queue_bytes, ANY),
	LIVE("--queue-time", queue_time, ANY),
	LIVE("--park-loss", park.loss_out, ANY),
	LIVE("--park-loss", park.loss_in, ANY),
	LIVE("--park-delay", park.delay, ANY),
	LIVE("--park-for", park.good_for, ANY),
	LIVE("--ip-up", ip_up, ROOT),
	LIVE("--ip-down", ip_down, ROOT),
	LIVE("--line-up", line_up, ROOT),
	LIVE("--line-down", line_down, ROOT),
	LIVE("--hook-timeout", hook_timeout, ANY),
	LIVE("--capture-bytes", capture_bytes, ANY),
	LIVE("--capture-files", capture_files, ANY),
	LIVE("--verbose", verbosity, NEVER),
};

enum config_change config_live_change(const char *option)
{
	for (size_t i = 0; i < sizeof(in_use) / sizeof(in_use[0]); i++)
		if (strcmp(in_use[i].option + strlen("--"), option) == 0)
			return in_use[i].change;
	return CONFIG_CHANGE_NEVER;
}

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
