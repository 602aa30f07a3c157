/* SPDX-License-Identifier: MIT */
/*
 * Options on the interface.
 */
#define _DEFAULT_SOURCE
#include "src/config_options.h"

#include "src/config_value.h"
#include "src/parse.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <string.h>

/* As the kernel's dev_valid_name(); one %d stands for the first free number. */
static bool take_ifname(struct config_args *args, const struct option_row *row, const char *value)
{
	const char *percent = strchr(value, '%');
	size_t length = strlen(value);
	(void)row;
	if (length == 0 || length >= IFNAMSIZ || strcmp(value, ".") == 0 ||
	    strcmp(value, "..") == 0)
		return false;
	if (strpbrk(value, "/: \t\n\v\f\r"))
		return false;
	if (percent && (percent[1] != 'd' || strchr(percent + 1, '%')))
		return false;
	memcpy(args->config->ifname, value, length + 1);
	return true;
}

static bool take_address(struct config_args *args, const char *value, struct netif_address *to,
			 int *prefix)
{
	if (!parse_address(value, to, prefix))
		return false;
	return parse_is_host(to) ||
	       config_refuse(args, "%s: not an address for an interface", value);
}

static bool take_local(struct config_args *args, const struct option_row *row, const char *value)
{
	struct config *c = args->config;
	int prefix;
	(void)row;
	if (c->address_count == CONFIG_MAX_ADDRESSES)
		return config_refuse(args, "%s: more than %d addresses", value,
				     CONFIG_MAX_ADDRESSES);
	struct netif_address *address = &c->addresses[c->address_count];
	if (!take_address(args, value, address, &prefix))
		return false;
	args->loose.has_prefix[c->address_count++] = prefix != PARSE_NO_PREFIX;
	address->prefix = (uint8_t)(prefix != PARSE_NO_PREFIX    ? prefix
				    : address->family == AF_INET ? 32
								 : 128);
	return true;
}

static bool take_remote(struct config_args *args, const struct option_row *row, const char *value)
{
	int prefix;
	(void)row;
	if (args->loose.remote_count == CONFIG_MAX_ADDRESSES)
		return config_refuse(args, "%s: more than %d addresses", value,
				     CONFIG_MAX_ADDRESSES);
	if (!take_address(args, value, &args->loose.remotes[args->loose.remote_count], &prefix))
		return false;
	args->loose.remote_count++;
	return prefix == PARSE_NO_PREFIX;
}

/* An IPv4 address of ours that IPCP was given. */
static bool is_interfaces(const struct config *c, uint32_t address)
{
	for (unsigned i = 0; i < c->address_count; i++) {
		if (c->addresses[i].family == AF_INET &&
		    ntohl(c->addresses[i].local.v4.s_addr) == address)
			return true;
	}
	return false;
}

static bool give_ipv4(uint32_t address, char to[static CONFIG_TEXT_SIZE])
{
	struct in_addr a = {.s_addr = htonl(address)};
	inet_ntop(AF_INET, &a, to, CONFIG_TEXT_SIZE);
	return true;
}

static bool give_local(const struct config *c, const struct option_row *row, unsigned n,
		       char to[static CONFIG_TEXT_SIZE])
{
	(void)row;
	bool negotiated = c->ppp.local && !is_interfaces(c, c->ppp.local);
	if (negotiated && n == 0)
		return give_ipv4(c->ppp.local, to);
	n -= negotiated;
	if (n >= c->address_count)
		return false;
	const struct netif_address *a = &c->addresses[n];
	inet_ntop(a->family, &a->local, to, INET6_ADDRSTRLEN);
	if (a->prefix != (a->family == AF_INET ? 32 : 128))
		snprintf(to + strlen(to), CONFIG_TEXT_SIZE - INET6_ADDRSTRLEN, "/%u", a->prefix);
	return true;
}

/* In the order of their --local, so that they find it again. */
static bool give_remote(const struct config *c, const struct option_row *row, unsigned n,
			char to[static CONFIG_TEXT_SIZE])
{
	(void)row;
	bool negotiated = c->ppp.remote && !is_interfaces(c, c->ppp.local);
	if (negotiated && n-- == 0)
		return give_ipv4(c->ppp.remote, to);
	for (unsigned i = 0; i < c->address_count; i++) {
		const struct netif_address *a = &c->addresses[i];
		if (a->has_peer && n-- == 0)
			return inet_ntop(a->family, &a->peer, to, INET6_ADDRSTRLEN) != NULL;
	}
	return false;
}

static bool take_mtu(struct config_args *args, const struct option_row *row, const char *value)
{
	args->config->mtu_auto = strcmp(value, "auto") == 0;
	return args->config->mtu_auto || config_take_unsigned(args, row, value);
}

static bool give_mtu(const struct config *c, const struct option_row *row, unsigned n,
		     char to[static CONFIG_TEXT_SIZE])
{
	(void)row;
	if (c->mtu_auto)
		strcpy(to, "auto");
	else
		value_give_number(c->mtu, to);
	return n == 0;
}

static bool take_route(struct config_args *args, const struct option_row *row, const char *value)
{
	uint64_t metric = 0;
	bool yes = true;
	(void)row;
	if (!config_flag_value(value, &yes) && !parse_number(value, 0, UINT32_MAX, &metric))
		return false;
	args->config->default_route = yes;
	args->config->route_metric = (uint32_t)metric;
	return true;
}

static bool give_route(const struct config *c, const struct option_row *row, unsigned n,
		       char to[static CONFIG_TEXT_SIZE])
{
	(void)row;
	value_give_yes(c->default_route, to);
	if (c->default_route && c->route_metric)
		value_give_number(c->route_metric, to);
	return n == 0;
}

static_assert(CONFIG_MTU_MIN == 68 && CONFIG_MTU_MAX == 9216, "--mtu's form says so");
static_assert(IFNAMSIZ == 16, "--name's form says so");

static const struct option_row interface_rows[] = {
	{.name = "local",
	 .value = " ADDR[/PREFIX]",
	 .take = take_local,
	 .give = give_local,
	 .repeats = true,
	 .help = "address of the interface; may be given again",
	 .form = "an IPv4 or IPv6 address, with or without /PREFIX"},
	{.name = "remote",
	 .value = " ADDR",
	 .take = take_remote,
	 .give = give_remote,
	 .repeats = true,
	 .help = "the other end's, for the --local of its family",
	 .form = "an IPv4 or IPv6 address without prefix"},
	{.name = "mtu",
	 .value = " N|auto",
	 .take = take_mtu,
	 .give = give_mtu,
	 OPTION_IN(mtu),
	 .min = CONFIG_MTU_MIN,
	 .max = CONFIG_MTU_MAX,
	 .help = "largest packet; auto: PPP 1500, SLIP 1006 / n",
	 .form = "a number from 68 to 9216, or auto"},
	{.name = "default-route",
	 .value = "[=METRIC]",
	 .take = take_route,
	 .give = give_route,
	 .help = "send all that has no other route this way",
	 .form = "a metric, 0 to 4294967295, or yes or no"},
	{.name = "name",
	 .value = " IFNAME",
	 .take = take_ifname,
	 .give = config_give_path,
	 OPTION_IN(ifname),
	 .help = "the interface (sb%d: sb and a free number)",
	 .form = "1 to 15 characters without '/', ':' and space, at most one %d"},
	{.name = "hold",
	 .value = " TIME",
	 OPTION_PLAIN(time, hold),
	 .max = 3600 * (uint64_t)SB_SEC,
	 .help = "how long packets wait while no line is up (10s)",
	 .form = "a time from 0 to 1h (250ms, 1.5s, 10s)"},
	OPTION_OFF("no-ecn", ecn, "drop packets where marking them would do"),
};

const struct option_group config_interface_group = {
	.title = "Interface", .rows = interface_rows, .count = OPTION_COUNT(interface_rows)};
