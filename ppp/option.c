/* SPDX-License-Identifier: MIT */
/*
 * Configuration options: type, length, data (RFC 1661 section 6).
 */
#include "ppp/option.h"

#include <assert.h>

enum { HEADER = 2 }; /* type and length, which the length counts */

bool option_next(struct bytes *in, struct option *option)
{
	if (in->length < HEADER)
		return false;
	size_t length = in->at[1];
	if (length < HEADER || length > in->length)
		return false;
	*option = (struct option){
		.type = in->at[0],
		.data = bytes_of(in->at + HEADER, length - HEADER),
		.whole = bytes_of(in->at, length),
	};
	*in = bytes_skip(*in, length);
	return true;
}

bool options_are_whole(struct bytes options)
{
	struct option option;

	while (option_next(&options, &option))
		;
	return options.length == 0;
}

void option_put(struct buf *out, uint8_t type, struct bytes data)
{
	assert(data.length <= UINT8_MAX - HEADER);
	buf_put(out, type);
	buf_put(out, (uint8_t)(HEADER + data.length));
	buf_append(out, data);
}

void option_put_flag(struct buf *out, uint8_t type)
{
	option_put(out, type, bytes_of(NULL, 0));
}

void option_put_u16(struct buf *out, uint8_t type, uint16_t value)
{
	option_put(out, type, bytes_of((uint8_t[]){value >> 8, value & 0xFF}, 2));
}

void option_put_u32(struct buf *out, uint8_t type, uint32_t value)
{
	const uint8_t octets[] = {
		(uint8_t)(value >> 24),
		(uint8_t)(value >> 16),
		(uint8_t)(value >> 8),
		(uint8_t)value,
	};
	option_put(out, type, bytes_of(octets, sizeof octets));
}

uint16_t option_u16(const struct option *option)
{
	assert(option->data.length == 2);
	return (uint16_t)(option->data.at[0] << 8 | option->data.at[1]);
}

uint32_t option_u32(const struct option *option)
{
	const uint8_t *at = option->data.at;

	assert(option->data.length == 4);
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}
