/* SPDX-License-Identifier: MIT */
/* Packets of the Password Authentication Protocol (RFC 1334 section 2). */
#ifndef PPP_PAP_H
#define PPP_PAP_H

#include "serialbundle/bytes.h"

enum pap_code {
	PAP_REQUEST = 1,
	PAP_ACK = 2,
	PAP_NAK = 3,
};

enum { PAP_FIELD_MAX = 255 }; /* bytes of a name, a password or a message */

struct pap_request {
	struct bytes name, password;
};

/* What follows the packet's header; false: a length leads out of it. */
bool pap_take_request(struct bytes data, struct pap_request *);

/* Whole packets. The fields have at most PAP_FIELD_MAX bytes. */
void pap_put_request(struct buf *, uint8_t identifier, const struct pap_request *);
void pap_put_reply(struct buf *, enum pap_code, uint8_t identifier, const char *message);

#endif
