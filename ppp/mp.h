/* SPDX-License-Identifier: MIT */
/* The header of a multilink fragment (RFC 1990 section 3), in its long and short form. */
#ifndef PPP_MP_H
#define PPP_MP_H

#include "serialbundle/bytes.h"

enum {
	MP_BEGIN = 0x80,
	MP_END = 0x40,
	MP_LONG_HEADER = 4,
	MP_SHORT_HEADER = 2,
	MP_MAX_LINKS = 64,
};

struct mp_header {
	bool begin, end;
	uint32_t sequence; /* modulo 2^24, or 2^12 when short */
};

/* `sequence` may be any number; its low bits are sent. */
void mp_header_put(struct buf *, const struct mp_header *, bool is_short);
/* Takes the header off *fragment; false: too short, or reserved bits that are set. */
bool mp_header_take(struct bytes *fragment, struct mp_header *, bool is_short);

#endif
