/* SPDX-License-Identifier: MIT */
/*
 * What a modem says when it has connected: "CONNECT 28800/ARQ/V34/LAPM/V42BIS",
 * "CARRIER 33600", "PROTOCOL: LAP-M", "COMPRESSION: V.42BIS", "CONNECT 115200".
 */
#ifndef SRC_MODEM_CONNECT_H
#define SRC_MODEM_CONNECT_H

#include "serialbundle/bytes.h"

enum { CONNECT_WORD_SIZE = 32 };

struct connect {
	uint32_t bps; /* of the carrier; 0: not told, or not believed */
	char modulation[CONNECT_WORD_SIZE], protocol[CONNECT_WORD_SIZE],
		compression[CONNECT_WORD_SIZE]; /* as told; "" : not */
	bool carrier_told; /* bps is from a line of its own, which CONNECT's does not replace */
	bool connected;    /* CONNECT was said: the next such line is of another call */
};

void connect_init(struct connect *);
/*
 * One line of what the modem said, without its end. True when it was one of these. dte_bps: the
 * port's speed; a rate beyond it, or equal to it when CARRIER told another, is no carrier's.
 */
bool connect_heed(struct connect *, struct bytes line, uint32_t dte_bps);

#endif
