/* SPDX-License-Identifier: MIT */
/*
 * How fast a bundle's lines may be together, in both directions; bundle_shape.c says how that
 * is shared out.
 */
#ifndef SRC_BUNDLE_SHAPE_H
#define SRC_BUNDLE_SHAPE_H

#include "src/bundle.h"

/* Packets are spread over the line from now on, as it is now. */
void bundle_shape_join(struct bundle *, unsigned i, sb_time now);
/* Lines have come, gone, or become other ones: each is given its part. */
void bundle_shape_run(struct bundle *, sb_time now);
/* The line leaves the bundle; what bounded it here does not any more. */
void bundle_shape_forget(struct bundle *, unsigned i, sb_time now);

/* Bits per second that the peer is to send at most over the line; 0: as much as it can. */
uint32_t bundle_rate_wish(const struct bundle *, unsigned i);
/* The peer asked us not to send more than that over the line; 0: it does not mind. */
void bundle_peer_wishes(struct bundle *, unsigned i, uint32_t bps, sb_time now);

#endif
