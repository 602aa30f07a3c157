/* SPDX-License-Identifier: MIT */
#include "ppp/mp.h"

/* Between the two flags and the number: to be sent as zero (RFC 1990 section 3). */
enum {
	RESERVED_LONG = 0x3F,
	RESERVED_SHORT = 0x30,
	NUMBER_SHORT = 0x0F,
};

void mp_header_put(struct buf *to, const struct mp_header *header, bool is_short)
{
	uint32_t sequence = header->sequence;
	unsigned flags = (header->begin ? MP_BEGIN : 0u) | (header->end ? MP_END : 0u);

	if (is_short) {
		buf_put(to, (uint8_t)(flags | (sequence >> 8 & NUMBER_SHORT)));
	} else {
		buf_put(to, (uint8_t)flags);
		buf_put(to, (uint8_t)(sequence >> 16));
		buf_put(to, (uint8_t)(sequence >> 8));
	}
	buf_put(to, (uint8_t)sequence);
}

bool mp_header_take(struct bytes *fragment, struct mp_header *header, bool is_short)
{
	const size_t length = is_short ? MP_SHORT_HEADER : MP_LONG_HEADER;
	const uint8_t *at = fragment->at;

	if (fragment->length < length || at[0] & (is_short ? RESERVED_SHORT : RESERVED_LONG))
		return false;
	header->begin = at[0] & MP_BEGIN;
	header->end = at[0] & MP_END;
	header->sequence = is_short ? (uint32_t)(at[0] & NUMBER_SHORT) << 8 | at[1]
				    : (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
	*fragment = bytes_skip(*fragment, length);
	return true;
}
