/* SPDX-License-Identifier: MIT */
#include "ppp/packet.h"

#include <assert.h>

#include "ppp/protocol.h"

bool ppp_packet_take(struct bytes in, struct ppp_packet *packet)
{
	if (in.length < PPP_PACKET_HEADER)
		return false;
	size_t length = (size_t)in.at[2] << 8 | in.at[3];
	if (length < PPP_PACKET_HEADER || length > in.length)
		return false;
	packet->code = in.at[0];
	packet->identifier = in.at[1];
	packet->data = bytes_of(in.at + PPP_PACKET_HEADER, length - PPP_PACKET_HEADER);
	return true;
}

void ppp_packet_put_header(struct buf *to, uint8_t code, uint8_t identifier, size_t data_length)
{
	size_t length = PPP_PACKET_HEADER + data_length;
	assert(length <= UINT16_MAX);
	buf_put(to, code);
	buf_put(to, identifier);
	buf_put(to, (uint8_t)(length >> 8));
	buf_put(to, (uint8_t)length);
}
