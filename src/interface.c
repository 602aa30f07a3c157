/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
#include "src/interface.h"

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

static bool has_family(const struct config *c, int family)
{
	for (unsigned i = 0; i < c->address_count; i++)
		if (c->addresses[i].family == family)
			return true;
	return false;
}

static enum netif_status add_addresses(struct netif *netif, const struct config *c, char *text,
				       size_t size)
{
	enum netif_status s = netif_set_mtu(netif, c->mtu, text, size);

	for (unsigned i = 0; s == NETIF_OK && i < c->address_count; i++)
		s = netif_add_address(netif, &c->addresses[i], text, size);
	return s == NETIF_OK ? netif_set_up(netif, true, text, size) : s;
}

static enum netif_status add_routes(struct netif *netif, const struct config *c, char *text,
				    size_t size)
{
	static const int families[] = {AF_INET, AF_INET6};
	unsigned rto = (unsigned)(config_plan(c).min_rto / SB_MS);
	enum netif_status s = NETIF_OK;

	for (unsigned i = 0; s == NETIF_OK && i < c->address_count; i++)
		s = netif_add_peer_route(netif, &c->addresses[i], rto, text, size);
	for (unsigned i = 0; s == NETIF_OK && c->default_route && i < 2; i++)
		if (has_family(c, families[i]))
			s = netif_add_default_route(netif, families[i], c->route_metric, rto, text,
						    size);
	return s;
}

static enum netif_status set_up(struct netif *netif, const struct config *c, char *text,
				size_t size)
{
	enum netif_status s = add_addresses(netif, c, text, size);

	return s == NETIF_OK ? add_routes(netif, c, text, size) : s;
}

enum exit_status interface_open(struct interface *i, const struct config *c, struct log *log)
{
	char text[200];
	enum tun_status t = tun_open(&i->tun, c->ifname, text, sizeof(text));
	enum netif_status n;

	if (t != TUN_OK) {
		log_say(log, LOG_ERROR, "%s", text);
		return exit_of_tun(t);
	}
	i->netif = netif_open(i->tun.name, text, sizeof(text));
	n = i->netif ? set_up(i->netif, c, text, sizeof(text)) : NETIF_FAILED;
	if (n != NETIF_OK)
		log_say(log, LOG_ERROR, "%s: %s", i->tun.name, text);
	return exit_of_netif(n);
}

void interface_close(struct interface *i)
{
	netif_close(i->netif);
	tun_close(&i->tun);
	*i = (struct interface){.tun.fd = -1};
}
