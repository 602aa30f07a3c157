/* SPDX-License-Identifier: MIT */
/*
 * The formulas, as the kernel's bonding documentation gives them ("xmit_hash_policy"):
 *
 *   layer2       source MAC[5] ^ destination MAC[5] ^ packet type
 *   layer2+3     that, ^ source address ^ destination address; then h ^= h >> 16, h ^= h >> 8
 *   layer3+4     both ports, as in the header, ^ source address ^ destination address; folded
 *                likewise, then h >> 1; without ports for fragments and all but TCP and UDP
 *   encap2+3, encap3+4
 *                the same two of the innermost packet, where one is in a tunnel
 *   vlan+srcmac  VLAN ^ vendor ^ device of the source MAC
 *
 * An IPv6 address is the exclusive or of its four words. Numbers are read as they stand on the
 * wire, first byte highest, whatever the machine; so both ends agree on a flow's line. What is
 * missing here is a link layer, so the last byte of an address stands for that of a MAC, and the
 * whole source address for a source MAC; the packet type is Ethernet's for IPv4 or IPv6.
 *
 * Where the packet itself has no ports, as an ICMP error about a flow, its line may be another than
 * the flow's; so may that of a flow's fragments. layer2+3 is for those who mind.
 */
#include "sched/xmit_hash.h"

#include "sched/ip.h"

enum {
	TYPE_IPV4 = 0x0800,
	TYPE_IPV6 = 0x86dd,
	PROTO_IPIP = 4,
	PROTO_TCP = 6,
	PROTO_UDP = 17,
	PROTO_IPV6 = 41,
	PROTO_GRE = 47,
	MAX_TUNNELS = 8, /* in one another; bounds the walk */
};

static uint32_t be32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static unsigned be16(const uint8_t *at)
{
	return (unsigned)at[0] << 8 | at[1];
}

/* --- tunnels --- */

/* RFC 2784 and 2890: checksum, key and sequence number, each there if its bit says so. */
static struct bytes gre_payload(struct bytes gre)
{
	unsigned flags = gre.length >= 4 ? be16(gre.at) : 0, type;
	size_t header = 4 + 4 * (!!(flags & 0x8000) + !!(flags & 0x2000) + !!(flags & 0x1000));

	if (gre.length < header || flags & 0x4007) /* RFC 1701's routing, or another version */
		return bytes_of(NULL, 0);
	type = be16(gre.at + 2);
	return type == TYPE_IPV4 || type == TYPE_IPV6 ? bytes_skip(gre, header) : bytes_of(NULL, 0);
}

/* The packet that is in this one, or no bytes. */
static struct bytes inner(const struct ip_parts *ip)
{
	switch (ip->protocol) {
	case PROTO_IPIP:
	case PROTO_IPV6:
		return ip->payload;
	case PROTO_GRE:
		return gre_payload(ip->payload);
	default:
		return bytes_of(NULL, 0);
	}
}

static void take_innermost(struct ip_parts *ip)
{
	struct ip_parts next;

	for (int i = 0; i < MAX_TUNNELS && ip_take_apart(inner(ip), &next); i++)
		*ip = next;
}

/* --- formulas --- */

static uint32_t word(struct bytes address)
{
	uint32_t w = 0;

	for (size_t i = 0; i < address.length; i += 4)
		w ^= be32(address.at + i);
	return w;
}

static uint32_t addresses(const struct ip_parts *ip)
{
	return word(ip->source) ^ word(ip->destination);
}

static uint8_t last(struct bytes address)
{
	return address.at[address.length - 1];
}

static uint32_t layer2(const struct ip_parts *ip)
{
	uint32_t type = ip->source.length == 4 ? TYPE_IPV4 : TYPE_IPV6;

	return (uint32_t)(last(ip->source) ^ last(ip->destination)) ^ type;
}

static uint32_t ports(const struct ip_parts *ip)
{
	bool has = ip->protocol == PROTO_TCP || ip->protocol == PROTO_UDP;

	return has && ip->payload.length >= 4 ? be32(ip->payload.at) : 0;
}

static uint32_t folded(uint32_t h)
{
	h ^= h >> 16;
	return h ^ h >> 8;
}

static bool looks_inside(enum xmit_hash policy)
{
	return policy == XMIT_ENCAP23 || policy == XMIT_ENCAP34;
}

uint32_t xmit_hash(enum xmit_hash policy, struct bytes packet)
{
	struct ip_parts outer, ip;

	if (!ip_take_apart(packet, &outer))
		return 0;
	ip = outer;
	if (looks_inside(policy))
		take_innermost(&ip);
	switch (policy) {
	case XMIT_LAYER23:
	case XMIT_ENCAP23:
		return folded(layer2(&outer) ^ addresses(&ip));
	case XMIT_LAYER34:
	case XMIT_ENCAP34:
		return folded(ports(&ip) ^ addresses(&ip)) >> 1;
	case XMIT_VLAN_SRCMAC:
		return word(outer.source);
	case XMIT_LAYER2:
	case XMIT_HASHES:
		break;
	}
	return layer2(&outer);
}
