/* SPDX-License-Identifier: MIT */
/* The options of IPCP (RFC 1332; RFC 1877 for name servers), as a kind of control protocol. */
#ifndef PPP_IPCP_H
#define PPP_IPCP_H

#include "ppp/network.h"

struct ipcp {
	const struct network_config *config; /* borrowed */
	bool asks_address;                   /* the peer did not reject the option */
	bool asks_dns[2];
	struct network_ipv4 agreed; /* once open; until then, as last asked and granted */
};

extern const struct control_kind ipcp_kind; /* over a struct ipcp */

void ipcp_init(struct ipcp *, const struct network_config *);

#endif
