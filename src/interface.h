/* SPDX-License-Identifier: MIT */
/*
 * The bundle's face to the host: TUN device, addresses, routes; those that are
 * configured, from the start, and those that are negotiated, while they are.
 */
#ifndef SRC_INTERFACE_H
#define SRC_INTERFACE_H

#include "ppp/network.h"
#include "src/config.h"
#include "src/log.h"
#include "src/tun.h"

struct interface {
	struct tun tun;
	sb_time min_rto; /* least retransmission timeout of TCP, for routes from now on */

	const struct config *config;
	struct log *log;
	struct netif *link;                    /* the interface itself; no address */
	struct netif *fixed_ipv4, *fixed_ipv6; /* as configured; NULL: none */
	struct netif *ipv4, *ipv6;             /* as negotiated; NULL: none */
	struct network_ipv4 v4;                /* while ipv4 is not NULL */
	struct network_ipv6 v6;                /* while ipv6 is not NULL */
	unsigned mtu;
	bool told_of_lone_address;
};

/*
 * The config and the log are borrowed. EXIT_FINE: all is set up, and the interface
 * has carrier. Else what went wrong has been said; close it all the same.
 */
enum exit_status interface_open(struct interface *, const struct config *, struct log *);
/* Takes away what was added. */
void interface_close(struct interface *);

enum { INTERFACE_ADDRESSES = CONFIG_MAX_ADDRESSES + 2 };
/* Those that it has now, fixed ones first; how many. */
unsigned interface_addresses(const struct interface *,
			     struct netif_address to[static INTERFACE_ADDRESSES]);

/*
 * Addresses of IPCP and IPV6CP, which replace those before, and their routes; a default
 * route if one is configured. What does not work is said, and left out.
 */
void interface_set_ipv4(struct interface *, const struct network_ipv4 *);
void interface_clear_ipv4(struct interface *);
void interface_set_ipv6(struct interface *, const struct network_ipv6 *);
void interface_clear_ipv6(struct interface *);

/* What the peer takes may be less than what is configured. */
void interface_set_mtu(struct interface *, unsigned mtu);
/*
 * Down: the host knows of no such addresses and routes; up: of the fixed ones again. False: it was
 * said what does not work.
 */
bool interface_set_up(struct interface *, bool up);
/*
 * Without carrier the host drops at once what it would send here, and routing daemons
 * look elsewhere.
 */
void interface_set_carrier(struct interface *, bool on);

#endif
