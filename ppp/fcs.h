/* SPDX-License-Identifier: MIT */
/*
 * The frame check sequences of RFC 1662, appendix C: 16 and 32 bits, least
 * significant bit first. Update over the covered bytes from the INIT value;
 * send the complement, low byte first; over data and FCS the result is GOOD.
 */
#ifndef PPP_FCS_H
#define PPP_FCS_H

#include "serialbundle/bytes.h"

#define FCS16_INIT UINT16_C(0xFFFF)
#define FCS16_GOOD UINT16_C(0xF0B8)
#define FCS32_INIT UINT32_C(0xFFFFFFFF)
#define FCS32_GOOD UINT32_C(0xDEBB20E3)

uint16_t fcs16_update(uint16_t fcs, struct bytes);
uint32_t fcs32_update(uint32_t fcs, struct bytes);

#endif
