/* SPDX-License-Identifier: MIT */
/*
 * What the shaper assumes, of a line and of a bundle, with worked sizes: what one could otherwise
 * find out only by experiment.
 */
#ifndef SRC_SHAPER_REPORT_H
#define SRC_SHAPER_REPORT_H

#include "src/config.h"
#include "src/exchange.h"

enum { SHAPER_SIZES = 3 }; /* 40, 576, 1500 bytes */

/* An IP packet, of bytes that need no escape. */
struct shaper_size {
	unsigned ip_bytes;
	size_t units; /* that it counts for */
	sb_time takes;
};

/* Units are characters of the line, or bytes of the hop behind it. Texts are borrowed. */
struct shaper_line {
	const char *name, *bundle, *encapsulation;
	bool up;
	unsigned bits_per_char;   /* of the line */
	struct linklayer layer;   /* as assumed */
	unsigned bits_per_unit;   /* of what is counted */
	size_t fragment_overhead; /* units of a fragment besides its data; 0: none are sent */
	struct shape_config shape, shape_in;
	uint32_t carrier_bps, share_bps, wish_bps, shaped_bps; /* share, wish: 0, no bound */
	double bps;                                            /* in use: it may keep up or not */
	sb_time lead;
	size_t lead_units;
	struct shaper_size sizes[SHAPER_SIZES];
};

/* Of the line, which is in use. */
void exchange_shaper(const struct exchange *, unsigned line, struct shaper_line *);
/* The first line in use from this number on, or EXCHANGE_NO_LINE. */
unsigned exchange_next_line(const struct exchange *, unsigned from);

#endif
