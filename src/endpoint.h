/* SPDX-License-Identifier: MIT */
/* Endpoint discriminators (RFC 1990 section 5.1.3) as people write them. */
#ifndef SRC_ENDPOINT_H
#define SRC_ENDPOINT_H

#include "ppp/link.h"

/* What a right one looks like, for messages. */
#define ENDPOINT_FORM "null, local:HEX, IP:ADDR, MAC:xx:xx:xx:xx:xx:xx, magic:HEX or phone:DIGITS"

/* False: it is none of these, or one that its kind has no room for. */
bool endpoint_parse(const char *text, struct endpoint *);

enum { ENDPOINT_TEXT_SIZE = 80 };
/* The same way, for messages; "null" for none. Returns `to`. */
const char *endpoint_text(char to[static ENDPOINT_TEXT_SIZE], const struct endpoint *);

/* One that no other process has. */
struct endpoint endpoint_random(void);

#endif
