/* SPDX-License-Identifier: MIT */
/* Who sent an IP packet to whom, and what it carries. Pure. */
#ifndef SRC_IP_VIEW_H
#define SRC_IP_VIEW_H

#include "serialbundle/bytes.h"

struct ip_view {
	uint8_t version; /* 4 or 6 */
	struct bytes from, to;
	uint8_t protocol;     /* IANA's number; of IPv6 what follows the first header */
	struct bytes payload; /* none: of a fragment */
};

/* False: it is no IP packet. The view borrows from it. */
bool ip_view_of(struct bytes packet, struct ip_view *);

#endif
