/* SPDX-License-Identifier: MIT */
/*
 * Async control character maps (RFC 1662 section 7.1).
 *
 * The send map has 256 bits: the 32 negotiated ones, flag and escape always,
 * and whatever else the user wants escaped. The receive map has 32: bit n set
 * means that an unescaped character n was put there by the line, not by the
 * peer, and is to be removed before the FCS.
 */
#ifndef PPP_ASYNCMAP_H
#define PPP_ASYNCMAP_H

#include "serialbundle/bytes.h"

#define ACCM_DEFAULT UINT32_C(0xFFFFFFFF)

struct asyncmap {
	uint32_t bits[8]; /* bit c % 32 of bits[c / 32]: escape character c */
};

/* The send map for a negotiated ACCM: those controls, 0x7D and 0x7E. */
struct asyncmap asyncmap_from_accm(uint32_t accm);

/*
 * Adds one character; false for those that may not be escaped: 0x5E would
 * become a flag, and 0x20-0x3F would become controls (pppd(8), "escape").
 */
bool asyncmap_add(struct asyncmap *, uint8_t character);

static inline bool asyncmap_has(const struct asyncmap *map, uint8_t c)
{
	return map->bits[c >> 5] >> (c & 31) & 1;
}

#endif
