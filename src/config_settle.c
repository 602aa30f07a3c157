/* SPDX-License-Identifier: MIT */
/*
 * What depends on several options at once.
 *
 * Each check looks at one rule and either says what breaks it or fills in what
 * follows from it. Some stand by themselves, so that all that they find is said at
 * once; the others run in the order of the table at the end, up to the first that
 * refuses. Those on PPP and on answering are in config_settle_ppp.c.
 */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700 /* realpath */
#include "src/config_checks.h"

#include "src/config_device.h"

#include <arpa/inet.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETTLE_OPTION_SIZE = INET6_ADDRSTRLEN + sizeof("--local ") };

const struct config_given *config_find_given(const struct config_loose *loose, const char *option)
{
	for (unsigned i = 0; i < loose->given_count; i++) {
		if (strcmp(loose->given[i].name, option) == 0)
			return &loose->given[i];
	}
	return NULL;
}

bool settle_is_given(const struct settling *s, const char *option)
{
	const struct config_given *given = config_find_given(s->loose, option);
	return given && !given->off;
}

bool settle_refuse(struct settling *s, const char *option, const char *format, ...)
{
	const struct config_given *given = config_find_given(s->loose, option);
	struct config_place place = given ? given->place : (struct config_place){0};
	char name[64];
	snprintf(name, sizeof(name), "%s%s", place.file ? "" : "--", option);
	va_list arguments;
	va_start(arguments, format);
	config_complain_of(s->voice, place, name, format, arguments);
	va_end(arguments);
	return false;
}

bool settle_refuse_line(struct settling *s, const struct line_config *line, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	config_complain_of(s->voice, s->loose->line_places[line - s->config->lines].line,
			   line->device, format, arguments);
	va_end(arguments);
	return false;
}

const char *settle_address_text(const struct netif_address *a, char to[static INET6_ADDRSTRLEN])
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
	struct config_place place = {.file = s->config->file[0] ? s->config->file : NULL};
	return s->config->line_count ||
	       config_complain(s->voice, place,
			       place.file
				       ? "no line given: a [line NAME] is missing"
				       : "no line given: name one, such as /dev/ttyS0:28800 (see "
					 "--help)");
}

/* Of --lines, whether it names this line. */
static bool is_chosen(const char *chosen, const char *name)
{
	size_t length = strlen(name);
	for (const char *at = chosen; *at; at += strspn(at, ", ")) {
		size_t n = strcspn(at, ", ");
		if (n == length && strncmp(at, name, n) == 0)
			return true;
		at += n;
	}
	return false;
}

/* Each of the names must be a line's. */
static bool chosen_exist(struct settling *s)
{
	const struct config *c = s->config;
	for (const char *at = s->loose->chosen; *at; at += strspn(at, ", ")) {
		size_t n = strcspn(at, ", ");
		bool found = false;
		for (unsigned i = 0; i < c->line_count; i++)
			found |= strlen(c->lines[i].name) == n &&
				 strncmp(c->lines[i].name, at, n) == 0;
		if (!found)
			return settle_refuse(s, "lines", " %.*s: there is no such line", (int)n,
					     at);
		at += n;
	}
	return true;
}

static bool choose_lines(struct settling *s)
{
	struct config *c = s->config;
	unsigned kept = 0;
	if (!s->loose->chosen[0])
		return true;
	if (!chosen_exist(s))
		return false;
	for (unsigned i = 0; i < c->line_count; i++) {
		if (!is_chosen(s->loose->chosen, c->lines[i].name))
			continue;
		c->lines[kept] = c->lines[i];
		s->loose->line_places[kept++] = s->loose->line_places[i];
	}
	c->line_count = kept;
	return true;
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
	bool exec = device_is_exec(a->device);
	if (!exec && strcmp(a->device, b->device) == 0)
		return settle_refuse_line(s, b, ": given twice");
	if (!exec && strcmp(real_a, real_b) == 0)
		return settle_refuse_line(s, b, ": the same device as %s", a->device);
	if (strcmp(a->name, b->name) == 0)
		return settle_refuse_line(
			s, b, ": the name '%s' is that of %s; give it another with name=", b->name,
			a->device);
	return true;
}

static bool distinct_lines(struct settling *s)
{
	const struct config *c = s->config;
	bool fine = true;
	for (unsigned j = 1; j < c->line_count; j++) {
		bool distinct = true;
		for (unsigned i = 0; distinct && i < j; i++)
			distinct = distinct_pair(s, &c->lines[i], &c->lines[j]);
		fine = fine && distinct;
	}
	return fine;
}

static bool distinct_addresses(struct settling *s)
{
	const struct config *c = s->config;
	char text[INET6_ADDRSTRLEN];
	for (unsigned j = 1; j < c->address_count; j++) {
		for (unsigned i = 0; i < j; i++) {
			if (same_address(&c->addresses[i], &c->addresses[j]))
				return settle_refuse(s, "local", " %s: given twice",
						     settle_address_text(&c->addresses[j], text));
		}
	}
	return true;
}

/* An IPv4 peer's address alone: ours is asked for. */
static bool give_remote(struct settling *s, const struct netif_address *remote, const char *text)
{
	struct config *c = s->config;
	if (remote->family != AF_INET || config_ppp_lines(c) < c->line_count || c->ppp.remote)
		return settle_refuse(s, "remote", " %s: no %s --local address to go with it", text,
				     family_name(remote->family));
	c->ppp.remote = ntohl(remote->local.v4.s_addr);
	return true;
}

/* To the first --local of its family that has no peer yet. */
static bool pair_remote(struct settling *s, const struct netif_address *remote)
{
	struct config *c = s->config;
	char text[INET6_ADDRSTRLEN];
	settle_address_text(remote, text);
	for (unsigned i = 0; i < c->address_count; i++) {
		struct netif_address *local = &c->addresses[i];
		if (local->family != remote->family || local->has_peer)
			continue;
		if (same_address(local, remote))
			return settle_refuse(s, "remote", " %s: is also the --local address", text);
		if (s->loose->has_prefix[i])
			return settle_refuse(s, "remote",
					     " %s: its --local has a prefix (/%u); leave that or "
					     "--remote away",
					     text, local->prefix);
		local->has_peer = true;
		local->peer.v6 = remote->local.v6; /* all of the union */
		return true;
	}
	return give_remote(s, remote, text);
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

unsigned config_ppp_lines(const struct config *c)
{
	unsigned count = 0;
	for (unsigned i = 0; i < c->line_count; i++)
		count += c->lines[i].encap != &encap_slip;
	return count;
}

/* PPP cuts packets where that helps; SLIP has to make them small. */
static unsigned auto_mtu(const struct config *c)
{
	if (c->answer || config_ppp_lines(c) == c->line_count)
		return PPP_DEFAULT_MRU;
	return config_mtu_auto(CONFIG_MTU_BASE_SLIP, c->line_count);
}

/* What makes IPv6 be wanted, or NULL. */
static const char *ipv6_option(const struct config *c, char to[static SETTLE_OPTION_SIZE])
{
	char text[INET6_ADDRSTRLEN];
	for (unsigned i = 0; i < c->address_count; i++) {
		if (c->addresses[i].family != AF_INET6)
			continue;
		snprintf(to, SETTLE_OPTION_SIZE, "--local %s",
			 settle_address_text(&c->addresses[i], text));
		return to;
	}
	return c->ppp.ipv6 ? "--ipv6" : NULL;
}

unsigned config_mtu_for_lines(const struct config *c)
{
	char text[SETTLE_OPTION_SIZE];
	unsigned mtu = auto_mtu(c);
	return ipv6_option(c, text) && mtu < CONFIG_MTU_MIN_IPV6 ? CONFIG_MTU_MIN_IPV6 : mtu;
}

static bool settle_mtu(struct settling *s)
{
	struct config *c = s->config;
	char text[SETTLE_OPTION_SIZE];
	if (c->mtu_auto)
		c->mtu = auto_mtu(c);
	const char *ipv6 = ipv6_option(c, text);
	if (!ipv6 || c->mtu >= CONFIG_MTU_MIN_IPV6)
		return true;
	if (!c->mtu_auto)
		return settle_refuse(s, "mtu", " %u: IPv6 (%s) needs %d or more", c->mtu, ipv6,
				     CONFIG_MTU_MIN_IPV6);
	if (c->verbosity)
		config_remark(s->voice, "MTU %d instead of %u, since IPv6 (%s) needs it",
			      CONFIG_MTU_MIN_IPV6, c->mtu, ipv6);
	c->mtu = CONFIG_MTU_MIN_IPV6;
	return true;
}

static bool route_has_address(struct settling *s)
{
	const struct config *c = s->config;
	return !c->default_route || c->address_count || config_ppp_lines(c) ||
	       settle_refuse(s, "default-route", ": needs a --local address to send from");
}

/* What does not depend on other checks. */
static bool settle_apart(struct settling *s)
{
	bool fine = settle_rules(s);
	fine &= settle_secrets(s);
	return settle_programs(s) && fine;
}

/* Each takes for granted what those before it have seen to. */
static bool settle_in_turn(struct settling *s)
{
	static bool (*const checks[])(struct settling *) = {
		choose_lines,      any_line,         distinct_lines,    settle_encapsulations,
		settle_answering,  settle_multilink, settle_flow,       distinct_addresses,
		pair_remotes,      settle_mtu,       settle_negotiated, settle_units,
		route_has_address, settle_limits,    settle_modes,      settle_shape,
		settle_names,
	};
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		if (!checks[i](s))
			return false;
	}
	return true;
}

bool config_settle(struct config *config, struct config_loose *loose, struct config_voice *voice)
{
	struct settling s = {.config = config, .loose = loose, .voice = voice};
	bool fine = settle_apart(&s);
	fine &= settle_in_turn(&s);
	return settle_scripts(&s) && fine;
}

void config_settle_broken(struct config *config, struct config_loose *loose,
			  struct config_voice *voice)
{
	struct settling s = {.config = config, .loose = loose, .voice = voice};
	settle_apart(&s);
	settle_scripts(&s);
}
