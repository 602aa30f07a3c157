/* SPDX-License-Identifier: MIT */
/*
 * Fragments have no payload here, even the first: its header would be there, but not the length
 * of what follows. IPv6 extension headers are not walked, since nobody sends TCP behind them.
 */
#include "src/ip_view.h"

#include "sched/ip.h"

enum { IPV6_HEADER = 40 };

static bool is_fragment4(struct bytes packet)
{
	return (packet.at[6] & 0x3f) || packet.at[7]; /* RFC 791 section 3.1: MF, and the offset */
}

static void view4(struct bytes packet, struct ip_view *v)
{
	size_t header = (packet.at[0] & 15) * (size_t)4;

	*v = (struct ip_view){
		.version = 4,
		.from = bytes_of(packet.at + 12, 4),
		.to = bytes_of(packet.at + 16, 4),
		.protocol = packet.at[9],
		.payload = is_fragment4(packet) ? bytes_of(NULL, 0) : bytes_skip(packet, header),
	};
}

static void view6(struct bytes packet, struct ip_view *v)
{
	*v = (struct ip_view){
		.version = 6,
		.from = bytes_of(packet.at + 8, 16),
		.to = bytes_of(packet.at + 24, 16),
		.protocol = packet.at[6],
		.payload = bytes_skip(packet, IPV6_HEADER),
	};
}

bool ip_view_of(struct bytes packet, struct ip_view *v)
{
	if (ip_check(packet) != IP_OK)
		return false;
	if (packet.at[0] >> 4 == 4)
		view4(packet, v);
	else
		view6(packet, v);
	return true;
}
