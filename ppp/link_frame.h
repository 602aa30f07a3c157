/* SPDX-License-Identifier: MIT */
/*
 * What stands around an information field on a link: address, control and protocol
 * (RFC 1661 section 2, RFC 1662 section 3.1), full or compressed, and the FCS.
 */
#ifndef PPP_LINK_FRAME_H
#define PPP_LINK_FRAME_H

#include "ppp/link.h"

/* Nothing compressed, FCS-16: with ACCM_DEFAULT as frames go before anything is agreed. */
struct link_coding frame_coding(uint32_t accm, const struct asyncmap *escape);

/* What a frame begins with: the flag that ended the frame before; one of its own; or an abort of
   the frame before, whose flag it shares. */
enum frame_opening { FRAME_SHARES, FRAME_FLAG, FRAME_ABORTS };

/* One frame of an information field in two pieces. */
void frame_encode(struct buf *out, const struct link_coding *, enum frame_opening,
		  uint16_t protocol, struct bytes head, struct bytes data);
/* Octets of that frame with its FCS, before escaping, without flags. */
size_t frame_octets(const struct link_coding *, uint16_t protocol, size_t information);

/*
 * Takes address, control and protocol off, whether compression was agreed or not.
 * False: there is no protocol in it.
 */
bool frame_take_protocol(struct bytes *frame, uint16_t *protocol);

/* Codes 1 to 7 of LCP, which go by the default coding (RFC 1662 section 7.1). */
bool frame_is_negotiation(uint16_t protocol, struct bytes information);

/*
 * Judges and takes off the FCS of a frame that may have the agreed one, which is not
 * of 16 bits, or the default one if it is LCP's negotiation (RFC 1570 section 2.1).
 */
bool frame_take_fcs(struct bytes *frame, enum hdlc_fcs agreed);

#endif
