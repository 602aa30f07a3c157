/* SPDX-License-Identifier: MIT */
/* The option of IPV6CP, the interface identifier (RFC 5072), as a kind of control protocol. */
#ifndef PPP_IPV6CP_H
#define PPP_IPV6CP_H

#include "ppp/network.h"

struct ipv6cp {
	const struct network_config *config; /* borrowed */
	bool asks;                           /* the peer did not reject the option */
	uint8_t suggestion[8];               /* for a peer that has none, or ours */
	struct network_ipv6 agreed;          /* once open; all 0 in remote_id: not told */
};

extern const struct control_kind ipv6cp_kind; /* over a struct ipv6cp */

void ipv6cp_init(struct ipv6cp *, const struct network_config *);

#endif
