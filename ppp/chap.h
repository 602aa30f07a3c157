/* SPDX-License-Identifier: MIT */
/* Packets of the Challenge Handshake Authentication Protocol, with MD5 (RFC 1994 section 4). */
#ifndef PPP_CHAP_H
#define PPP_CHAP_H

#include "serialbundle/bytes.h"

enum chap_code {
	CHAP_CHALLENGE = 1,
	CHAP_RESPONSE = 2,
	CHAP_SUCCESS = 3,
	CHAP_FAILURE = 4,
};

enum { CHAP_DIGEST_SIZE = 16 };

/* What a Challenge and a Response carry. */
struct chap_value {
	struct bytes value; /* 1 to 255 bytes */
	struct bytes name;
};

/* What follows the packet's header; false: the value leads out of it, or there is none. */
bool chap_take_value(struct bytes data, struct chap_value *);

/* Whole packets. */
void chap_put_value(struct buf *, enum chap_code, uint8_t identifier, const struct chap_value *);
void chap_put_result(struct buf *, enum chap_code, uint8_t identifier, const char *message);

/* The value of the Response to a challenge. */
void chap_digest(uint8_t identifier, const char *secret, struct bytes challenge,
		 uint8_t digest[static CHAP_DIGEST_SIZE]);

#endif
