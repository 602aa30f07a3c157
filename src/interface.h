/* SPDX-License-Identifier: MIT */
/* The bundle's face to the host: TUN device, addresses, routes, as configured. */
#ifndef SRC_INTERFACE_H
#define SRC_INTERFACE_H

#include "src/config.h"
#include "src/log.h"
#include "src/tun.h"

struct interface {
	struct tun tun;
	struct netif *netif;
};

/* EXIT_FINE: all is set up. Else what went wrong has been said; close it all the same. */
enum exit_status interface_open(struct interface *, const struct config *, struct log *);
/* Takes away what was added. */
void interface_close(struct interface *);

#endif
