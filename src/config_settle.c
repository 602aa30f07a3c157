/* SPDX-License-Identifier: MIT */
/*
 * What depends on several options at once.
 *
 * Each check looks at one rule and either says what breaks it or fills in what
 * follows from it; they run in the order of the table at the end.
 */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700 /* realpath */
#include "src/config_settle.h"

#include <arpa/inet.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MTU_MIN_IPV6 = 1280 }; /* RFC 8200 section 5 */

struct settling {
	struct config *config;
	const struct config_loose *loose;
	char *why, *note;
	size_t why_size, note_size;
};

__attribute__((format(printf, 2, 3))) static bool refuse(struct settling *s, const char *format,
							 ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(s->why, s->why_size, format, arguments);
	va_end(arguments);
	return false;
}

static const char *address_text(const struct netif_address *a, char to[static INET6_ADDRSTRLEN])
{
	return inet_ntop(a->family, &a->local, to, INET6_ADDRSTRLEN);
}

static const char *family_name(int family)
{
	return family == AF_INET ? "IPv4" : "IPv6";
}

static bool same_address(const struct netif_address *a, const struct netif_address *b)
{
	size_t size = a->family == AF_INET ? sizeof(a->local.v4) : sizeof(a->local.v6);
	return a->family == b->family && memcmp(&a->local, &b->local, size) == 0;
}

static bool any_line(struct settling *s)
{
	return s->config->line_count ||
	       refuse(s, "no line given: name one, such as /dev/ttyS0:28800 (see --help)");
}

/* /dev/cuaN is the old name of /dev/ttySN; symbolic links are followed where they lead. */
static void real_device(const char *device, char to[static PATH_MAX])
{
	char alias[CONFIG_DEVICE_SIZE + sizeof("/dev/ttyS")];
	static const char cua[] = "/dev/cua";
	bool old = strncmp(device, cua, strlen(cua)) == 0;
	snprintf(alias, sizeof(alias), "%s%s", old ? "/dev/ttyS" : "",
		 old ? device + strlen(cua) : device);
	if (!realpath(alias, to))
		snprintf(to, PATH_MAX, "%s", alias);
}

static bool distinct_pair(struct settling *s, const struct line_config *a,
			  const struct line_config *b)
{
	char real_a[PATH_MAX], real_b[PATH_MAX];
	real_device(a->device, real_a);
	real_device(b->device, real_b);
	if (strcmp(a->device, b->device) == 0)
		return refuse(s, "%s: given twice", a->device);
	if (strcmp(real_a, real_b) == 0)
		return refuse(s, "%s: the same device as %s", b->device, a->device);
	if (strcmp(a->name, b->name) == 0)
		return refuse(s, "%s: the name '%s' is that of %s; give it another with name=",
			      b->device, b->name, a->device);
	return true;
}

static bool distinct_lines(struct settling *s)
{
	const struct config *c = s->config;
	for (unsigned j = 1; j < c->line_count; j++) {
		for (unsigned i = 0; i < j; i++) {
			if (!distinct_pair(s, &c->lines[i], &c->lines[j]))
				return false;
		}
	}
	return true;
}

static bool distinct_addresses(struct settling *s)
{
	const struct config *c = s->config;
	char text[INET6_ADDRSTRLEN];
	for (unsigned j = 1; j < c->address_count; j++) {
		for (unsigned i = 0; i < j; i++) {
			if (same_address(&c->addresses[i], &c->addresses[j]))
				return refuse(s, "--local %s: given twice",
					      address_text(&c->addresses[j], text));
		}
	}
	return true;
}

/* To the first --local of its family that has no peer yet. */
static bool pair_remote(struct settling *s, const struct netif_address *remote)
{
	struct config *c = s->config;
	char text[INET6_ADDRSTRLEN];
	address_text(remote, text);
	for (unsigned i = 0; i < c->address_count; i++) {
		struct netif_address *local = &c->addresses[i];
		if (local->family != remote->family || local->has_peer)
			continue;
		if (same_address(local, remote))
			return refuse(s, "--remote %s: is also the --local address", text);
		if (s->loose->has_prefix[i])
			return refuse(s,
				      "--remote %s: its --local has a prefix (/%u); leave that or "
				      "--remote away",
				      text, local->prefix);
		local->has_peer = true;
		local->peer.v6 = remote->local.v6; /* all of the union */
		return true;
	}
	return refuse(s, "--remote %s: no %s --local address to go with it", text,
		      family_name(remote->family));
}

static bool pair_remotes(struct settling *s)
{
	for (unsigned i = 0; i < s->loose->remote_count; i++) {
		if (!pair_remote(s, &s->loose->remotes[i]))
			return false;
	}
	return true;
}

unsigned config_mtu_auto(unsigned base, unsigned n)
{
	unsigned mtu = base / n;
	return mtu > CONFIG_MTU_FLOOR ? mtu : CONFIG_MTU_FLOOR;
}

static const struct netif_address *find_ipv6(const struct config *c)
{
	for (unsigned i = 0; i < c->address_count; i++) {
		if (c->addresses[i].family == AF_INET6)
			return &c->addresses[i];
	}
	return NULL;
}

static bool settle_mtu(struct settling *s)
{
	struct config *c = s->config;
	char text[INET6_ADDRSTRLEN];
	if (c->mtu_auto)
		c->mtu = config_mtu_auto(CONFIG_MTU_BASE_SLIP, c->line_count);
	const struct netif_address *ipv6 = find_ipv6(c);
	if (!ipv6 || c->mtu >= MTU_MIN_IPV6)
		return true;
	address_text(ipv6, text);
	if (!c->mtu_auto)
		return refuse(s, "--mtu %u: IPv6 (--local %s) needs %d or more", c->mtu, text,
			      MTU_MIN_IPV6);
	snprintf(s->note, s->note_size, "MTU %d instead of %u, since IPv6 (--local %s) needs it",
		 MTU_MIN_IPV6, c->mtu, text);
	c->mtu = MTU_MIN_IPV6;
	return true;
}

static bool route_has_address(struct settling *s)
{
	return !s->config->default_route || s->config->address_count ||
	       refuse(s, "--default-route: needs a --local address to send from");
}

bool config_settle(struct config *config, const struct config_loose *loose, char *why,
		   size_t why_size, char *note, size_t note_size)
{
	static bool (*const checks[])(struct settling *) = {
		any_line,     distinct_lines, distinct_addresses,
		pair_remotes, settle_mtu,     route_has_address,
	};
	struct settling s = {
		.config = config,
		.loose = loose,
		.why = why,
		.why_size = why_size,
		.note = note,
		.note_size = note_size,
	};
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		if (!checks[i](&s))
			return false;
	}
	return true;
}
