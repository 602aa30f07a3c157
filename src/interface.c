/* SPDX-License-Identifier: MIT */
/*
 * The bundle's face to the host.
 *
 * The TUN is there and up from the start, so that routes and firewalls of others
 * can refer to it; whether anything is behind it, the carrier says. What the
 * command line names is set at once, and it is an error if that does not work.
 * What PPP negotiates comes and goes with it. Each of these is in a netif of its own:
 * to close it takes away what it added, and no more (B092).
 *
 * IPv6CP agrees on interface identifiers only: the addresses are fe80::/64 with
 * these (RFC 5072 section 5).
 */
#define _DEFAULT_SOURCE
#include "src/interface.h"

#include "src/resolv.h"

#include <arpa/inet.h>
#include <string.h>

enum { TEXT_SIZE = 200 };

static enum exit_status exit_of_tun(enum tun_status s)
{
	switch (s) {
	case TUN_OK:
		return EXIT_FINE;
	case TUN_MISSING:
		return EXIT_TUN;
	case TUN_NO_PERMISSION:
		return EXIT_PERMISSION;
	case TUN_NAME_TAKEN:
		return EXIT_IN_USE;
	case TUN_FAILED:
		break;
	}
	return EXIT_FAILED;
}

static enum exit_status exit_of_netif(enum netif_status s)
{
	switch (s) {
	case NETIF_OK:
		return EXIT_FINE;
	case NETIF_NO_PERMISSION:
		return EXIT_PERMISSION;
	case NETIF_IN_USE:
	case NETIF_EXISTS:
		return EXIT_IN_USE;
	case NETIF_FAILED:
		break;
	}
	return EXIT_FAILED;
}

/* --- what is fixed -------------------------------------------------------------------------- */

static bool has_fixed(const struct config *c, int family)
{
	for (unsigned i = 0; i < c->address_count; i++)
		if (c->addresses[i].family == family)
			return true;
	return false;
}

static unsigned rto_ms(const struct interface *i)
{
	return (unsigned)(i->min_rto / SB_MS);
}

static enum netif_status add_default(struct interface *i, struct netif *netif, int family,
				     char *text)
{
	const struct config *c = i->config;

	if (!c->default_route)
		return NETIF_OK;
	return netif_add_default_route(netif, family, c->route_metric, rto_ms(i), text, TEXT_SIZE);
}

/* All addresses of a family before their routes: the first is the source of what goes out. */
static enum netif_status add_fixed(struct interface *i, struct netif *netif, int family, char *text)
{
	const struct config *c = i->config;
	enum netif_status s = NETIF_OK;

	for (unsigned n = 0; s == NETIF_OK && n < c->address_count; n++)
		if (c->addresses[n].family == family)
			s = netif_add_address(netif, &c->addresses[n], text, TEXT_SIZE);
	for (unsigned n = 0; s == NETIF_OK && n < c->address_count; n++)
		if (c->addresses[n].family == family)
			s = netif_add_peer_route(netif, &c->addresses[n], rto_ms(i), text,
						 TEXT_SIZE);
	return s == NETIF_OK ? add_default(i, netif, family, text) : s;
}

static enum netif_status open_fixed(struct interface *i, struct netif **netif, int family,
				    char *text)
{
	if (!has_fixed(i->config, family))
		return NETIF_OK;
	*netif = netif_open(i->tun.name, text, TEXT_SIZE);
	return *netif ? add_fixed(i, *netif, family, text) : NETIF_FAILED;
}

static enum netif_status set_up_all(struct interface *i, char *text)
{
	enum netif_status s = NETIF_FAILED;

	i->link = netif_open(i->tun.name, text, TEXT_SIZE);
	if (i->link)
		s = netif_set_mtu(i->link, i->mtu, text, TEXT_SIZE);
	if (s == NETIF_OK)
		s = netif_set_up(i->link, true, text, TEXT_SIZE);
	if (s == NETIF_OK)
		s = open_fixed(i, &i->fixed_ipv4, AF_INET, text);
	return s == NETIF_OK ? open_fixed(i, &i->fixed_ipv6, AF_INET6, text) : s;
}

enum exit_status interface_open(struct interface *i, const struct config *c, struct log *log)
{
	char text[TEXT_SIZE];
	enum tun_status t;
	enum netif_status n;

	*i = (struct interface){
		.config = c, .log = log, .mtu = c->mtu, .min_rto = config_plan(c).min_rto};
	t = tun_open(&i->tun, c->ifname, text, sizeof(text));
	if (t != TUN_OK) {
		log_say(log, LOG_ERROR, "%s", text);
		return exit_of_tun(t);
	}
	n = set_up_all(i, text);
	if (n != NETIF_OK)
		log_say(log, LOG_ERROR, "%s: %s", i->tun.name, text);
	return exit_of_netif(n);
}

void interface_close(struct interface *i)
{
	netif_close(i->ipv6);
	netif_close(i->ipv4);
	netif_close(i->fixed_ipv6);
	netif_close(i->fixed_ipv4);
	netif_close(i->link);
	tun_close(&i->tun);
	*i = (struct interface){.tun.fd = -1};
}

/* --- what is negotiated ----------------------------------------------------------------------- */

/* An address and its routes; NULL when it did not work, which is said. */
static struct netif *add_negotiated(struct interface *i, const struct netif_address *address)
{
	char text[TEXT_SIZE];
	struct netif *netif = netif_open(i->tun.name, text, TEXT_SIZE);
	enum netif_status s = NETIF_FAILED;

	if (netif)
		s = netif_add_address(netif, address, text, TEXT_SIZE);
	if (s == NETIF_OK)
		s = netif_add_peer_route(netif, address, rto_ms(i), text, TEXT_SIZE);
	if (s == NETIF_OK && !has_fixed(i->config, address->family)) {
		s = add_default(i, netif, address->family, text);
		if (s == NETIF_EXISTS) { /* another's: the address is of use all the same */
			log_say(i->log, LOG_WARN, "%s: %s; it stays", i->tun.name, text);
			s = NETIF_OK;
		}
	}
	if (s == NETIF_OK)
		return netif;
	log_say(i->log, LOG_WARN, "%s: %s", i->tun.name, text);
	netif_close(netif);
	return NULL;
}

/* A peer that has none is behind the interface, and none is made up for it (B094). */
static void say_lone(struct interface *i)
{
	if (!i->told_of_lone_address)
		log_say(i->log, LOG_WARN,
			"%s: the peer tells no address of its own; only routes by the interface "
			"lead there",
			i->tun.name);
	i->told_of_lone_address = true;
}

static void use_servers(struct interface *i, const struct network_ipv4 *v4)
{
	char text[TEXT_SIZE];

	if (!v4->dns[0] && !v4->dns[1])
		return;
	log_say(i->log, LOG_INFO, "%s: name servers %s", i->tun.name,
		resolv_text(v4->dns, text, sizeof(text)));
	if (i->config->ppp.resolv[0] &&
	    !resolv_write(i->config->ppp.resolv, v4->dns, text, sizeof(text)))
		log_say(i->log, LOG_WARN, "%s; the name servers are not written", text);
}

static struct netif_address point_to_point(const struct network_ipv4 *v4)
{
	return (struct netif_address){
		.family = AF_INET,
		.local.v4.s_addr = htonl(v4->local),
		.peer.v4.s_addr = htonl(v4->remote),
		.has_peer = v4->remote != 0,
		.prefix = 32,
		.shared = true, /* one towards many callers, or a host's only one */
	};
}

void interface_set_ipv4(struct interface *i, const struct network_ipv4 *v4)
{
	struct netif_address address = point_to_point(v4);

	if (i->ipv4 && memcmp(&i->v4, v4, sizeof(*v4)) == 0)
		return;
	interface_clear_ipv4(i);
	i->ipv4 = add_negotiated(i, &address);
	if (!i->ipv4)
		return;
	i->v4 = *v4;
	if (!address.has_peer)
		say_lone(i);
	use_servers(i, v4);
}

void interface_clear_ipv4(struct interface *i)
{
	netif_close(i->ipv4);
	i->ipv4 = NULL;
}

static struct netif_address link_local(const uint8_t id[static 8])
{
	struct netif_address address = {.family = AF_INET6, .prefix = 64, .shared = true};

	address.local.v6.s6_addr[0] = 0xFE;
	address.local.v6.s6_addr[1] = 0x80;
	memcpy(&address.local.v6.s6_addr[8], id, 8);
	return address;
}

void interface_set_ipv6(struct interface *i, const struct network_ipv6 *v6)
{
	struct netif_address address = link_local(v6->local_id);

	if (i->ipv6 && memcmp(&i->v6, v6, sizeof(*v6)) == 0)
		return;
	interface_clear_ipv6(i);
	if (i->mtu < CONFIG_MTU_MIN_IPV6) {
		log_say(i->log, LOG_WARN,
			"%s: no IPv6, which needs an MTU of %d; the peer takes %u", i->tun.name,
			CONFIG_MTU_MIN_IPV6, i->mtu);
		return;
	}
	i->ipv6 = add_negotiated(i, &address);
	i->v6 = *v6;
}

void interface_clear_ipv6(struct interface *i)
{
	netif_close(i->ipv6);
	i->ipv6 = NULL;
}

/* --- the rest --------------------------------------------------------------------------------- */

/* Below its least MTU the kernel has ended IPv6 on the interface; above it begins anew. */
static void heed_ipv6_mtu(struct interface *i, bool fitted)
{
	char text[TEXT_SIZE];
	bool fits = i->mtu >= CONFIG_MTU_MIN_IPV6;

	if (fits == fitted || !(i->ipv6 || has_fixed(i->config, AF_INET6)))
		return;
	netif_close(i->fixed_ipv6);
	i->fixed_ipv6 = NULL;
	interface_clear_ipv6(i);
	if (!fits)
		log_say(i->log, LOG_WARN, "%s: no more IPv6, which needs an MTU of %d", i->tun.name,
			CONFIG_MTU_MIN_IPV6);
	else if (open_fixed(i, &i->fixed_ipv6, AF_INET6, text) != NETIF_OK)
		log_say(i->log, LOG_WARN, "%s: %s", i->tun.name, text);
}

void interface_set_mtu(struct interface *i, unsigned mtu)
{
	char text[TEXT_SIZE];
	bool fitted = i->mtu >= CONFIG_MTU_MIN_IPV6;

	if (mtu == i->mtu)
		return;
	if (netif_set_mtu(i->link, mtu, text, sizeof(text)) != NETIF_OK) {
		log_say(i->log, LOG_WARN, "%s: %s", i->tun.name, text);
		return;
	}
	i->mtu = mtu;
	heed_ipv6_mtu(i, fitted);
}

unsigned interface_addresses(const struct interface *i,
			     struct netif_address to[static INTERFACE_ADDRESSES])
{
	unsigned count = 0;

	for (unsigned n = 0; i->config && n < i->config->address_count; n++)
		if (i->config->addresses[n].family == AF_INET ? i->fixed_ipv4 : i->fixed_ipv6)
			to[count++] = i->config->addresses[n];
	if (i->ipv4)
		to[count++] = point_to_point(&i->v4);
	if (i->ipv6)
		to[count++] = link_local(i->v6.local_id);
	return count;
}

static void close_all(struct interface *i)
{
	interface_clear_ipv6(i);
	interface_clear_ipv4(i);
	netif_close(i->fixed_ipv6);
	netif_close(i->fixed_ipv4);
	i->fixed_ipv6 = i->fixed_ipv4 = NULL;
}

bool interface_set_up(struct interface *i, bool up)
{
	char text[TEXT_SIZE];
	enum netif_status s;

	if (!up)
		close_all(i); /* the kernel would keep addresses, and forget routes */
	s = netif_set_up(i->link, up, text, sizeof(text));
	if (up && s == NETIF_OK)
		s = open_fixed(i, &i->fixed_ipv4, AF_INET, text);
	if (up && s == NETIF_OK)
		s = open_fixed(i, &i->fixed_ipv6, AF_INET6, text);
	if (s != NETIF_OK)
		log_say(i->log, LOG_ERROR, "%s: %s", i->tun.name, text);
	return s == NETIF_OK;
}

void interface_set_carrier(struct interface *i, bool on)
{
	tun_set_carrier(&i->tun, on);
}
