/* SPDX-License-Identifier: MIT */
/* An endpoint discriminator: which system is at the end of a link (RFC 1990 section 5.1.3). */
#ifndef PPP_ENDPOINT_H
#define PPP_ENDPOINT_H

#include <stdint.h>

enum { ENDPOINT_ADDRESS_SIZE = 20 };

struct endpoint {
	uint8_t class; /* 0 null ... 5 */
	uint8_t length;
	uint8_t address[ENDPOINT_ADDRESS_SIZE];
};

#endif
