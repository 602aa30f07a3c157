/* SPDX-License-Identifier: MIT */
/* Configuration options: type, length, data (RFC 1661 section 6). */
#ifndef PPP_OPTION_H
#define PPP_OPTION_H

#include "serialbundle/bytes.h"

struct option {
	uint8_t type;
	struct bytes data;  /* without type and length */
	struct bytes whole; /* with them, to be sent back as it came */
};

/*
 * Takes the first option off *in. False at the end (in->length is 0), or when
 * what is left is none (a length below 2, or beyond the end; in->length is not 0).
 */
bool option_next(struct bytes *in, struct option *);
/* Whether all of it are options, one after the other. */
bool options_are_whole(struct bytes);

void option_put(struct buf *, uint8_t type, struct bytes data);
void option_put_flag(struct buf *, uint8_t type); /* no data */
void option_put_u16(struct buf *, uint8_t type, uint16_t value);
void option_put_u32(struct buf *, uint8_t type, uint32_t value);

/* Most significant byte first; the data is that long. */
uint16_t option_u16(const struct option *);
uint32_t option_u32(const struct option *);

#endif
