/* SPDX-License-Identifier: MIT */
/* The header that the packets of all control and authentication protocols have (RFC 1661 5). */
#ifndef PPP_PACKET_H
#define PPP_PACKET_H

#include "serialbundle/bytes.h"

struct ppp_packet {
	uint8_t code, identifier;
	struct bytes data;
};

/* Octets beyond its length are padding; false: it has a length that it cannot have. */
bool ppp_packet_take(struct bytes in, struct ppp_packet *);
/* The data is to follow. */
void ppp_packet_put_header(struct buf *, uint8_t code, uint8_t identifier, size_t data_length);

#endif
