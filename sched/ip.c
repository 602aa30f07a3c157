/* SPDX-License-Identifier: MIT */
/*
 * Just enough of IP for a queue. Nothing here trusts a length field: every
 * access is checked against the bytes at hand, for the flow hash is also asked
 * about packets that nobody has checked.
 */
#include "sched/ip.h"

enum {
	IPV4_HEADER = 20, /* without options */
	IPV6_HEADER = 40,
	/* More extension headers than anyone sends; bounds the walk. */
	MAX_EXTENSIONS = 8,
};

/* IANA protocol numbers; for IPv6 also the next-header values of RFC 8200 section 4. */
enum {
	PROTO_HOP_BY_HOP = 0,
	PROTO_ICMP = 1,
	PROTO_TCP = 6,
	PROTO_UDP = 17,
	PROTO_DCCP = 33,
	PROTO_ROUTING = 43,
	PROTO_FRAGMENT = 44,
	PROTO_AH = 51,
	PROTO_ICMPV6 = 58,
	PROTO_DESTINATION = 60,
	PROTO_SCTP = 132,
	PROTO_MOBILITY = 135,
	PROTO_UDP_LITE = 136,
	PROTO_HIP = 139,
	PROTO_SHIM6 = 140,
};

static uint16_t be16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t be32(const uint8_t *at)
{
	return (uint32_t)be16(at) << 16 | be16(at + 2);
}

static unsigned version(struct bytes packet)
{
	return packet.length ? packet.at[0] >> 4 : 0;
}

static size_t ipv4_header_length(struct bytes packet)
{
	return (packet.at[0] & 0x0f) * (size_t)4;
}

/* The one's complement sum (RFC 1071) of an even number of bytes. */
static uint16_t sum16(struct bytes even)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < even.length; i += 2)
		sum += be16(even.at + i);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

static enum ip_verdict ipv4_check(struct bytes packet)
{
	if (packet.length < IPV4_HEADER)
		return IP_BAD_LENGTH;
	const size_t header = ipv4_header_length(packet);
	if (header < IPV4_HEADER || header > packet.length || be16(packet.at + 2) != packet.length)
		return IP_BAD_LENGTH;
	if (sum16(bytes_of(packet.at, header)) != 0xffff)
		return IP_BAD_CHECKSUM;
	return IP_OK;
}

/* A jumbogram (RFC 2675) says payload length 0 and so never fits. */
static enum ip_verdict ipv6_check(struct bytes packet)
{
	if (packet.length < IPV6_HEADER)
		return IP_BAD_LENGTH;
	if (packet.length - IPV6_HEADER != be16(packet.at + 4))
		return IP_BAD_LENGTH;
	return IP_OK;
}

enum ip_verdict ip_check(struct bytes packet)
{
	switch (version(packet)) {
	case 4:
		return ipv4_check(packet);
	case 6:
		return ipv6_check(packet);
	default:
		return IP_NOT_IP;
	}
}

/*
 * The hash is MurmurHash3's mixing for 32-bit words: two multiplications a word
 * spread every input bit, and the seed is stirred in before them, so that who
 * does not know it cannot choose packets that share a queue.
 */
static uint32_t rotate_left(uint32_t x, unsigned n)
{
	return x << n | x >> (32 - n);
}

static uint32_t mix(uint32_t hash, uint32_t word)
{
	word = rotate_left(word * 0xcc9e2d51u, 15) * 0x1b873593u;
	return rotate_left(hash ^ word, 13) * 5 + 0xe6546b64u;
}

static uint32_t mix_address(uint32_t hash, struct bytes address)
{
	for (size_t i = 0; i < address.length; i += 4)
		hash = mix(hash, be32(address.at + i));
	return hash;
}

static uint32_t finish(uint32_t hash)
{
	hash = (hash ^ hash >> 16) * 0x85ebca6bu;
	hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
	return hash ^ hash >> 16;
}

static struct bytes bytes_after(struct bytes b, size_t n)
{
	return n <= b.length ? bytes_skip(b, n) : bytes_of(NULL, 0);
}

static void ipv4_take_apart(struct bytes packet, struct ip_parts *to)
{
	/* Section 3.1 of RFC 791: neither More Fragments nor an offset. */
	const bool whole = (be16(packet.at + 6) & 0x3fff) == 0;
	const size_t header = ipv4_header_length(packet);

	*to = (struct ip_parts){
		.source = bytes_of(packet.at + 12, 4),
		.destination = bytes_of(packet.at + 16, 4),
		.protocol = packet.at[9],
	};
	if (whole && header >= IPV4_HEADER)
		to->payload = bytes_after(packet, header);
}

/* The length of an extension header of this kind, or 0 when it is none. */
static size_t extension_length(uint8_t protocol, uint8_t length_field)
{
	switch (protocol) {
	case PROTO_HOP_BY_HOP:
	case PROTO_ROUTING:
	case PROTO_DESTINATION:
	case PROTO_MOBILITY:
	case PROTO_HIP:
	case PROTO_SHIM6:
		return (length_field + (size_t)1) * 8;
	case PROTO_FRAGMENT:
		return 8;
	case PROTO_AH: /* RFC 4302, section 2.2: in words, less 2 */
		return (length_field + (size_t)2) * 4;
	default:
		return 0;
	}
}

/* An atomic fragment (RFC 6946) is a whole packet. */
static bool is_fragment(uint8_t protocol, struct bytes extension)
{
	return protocol == PROTO_FRAGMENT && (be16(extension.at + 2) & 0xfff9) != 0;
}

/*
 * A fragment's protocol is the one its fragment header names (RFC 8200, 4.5): the
 * same in all of them, though only the first may have more extension headers.
 */
static void ipv6_take_apart(struct bytes packet, struct ip_parts *to)
{
	*to = (struct ip_parts){
		.source = bytes_of(packet.at + 8, 16),
		.destination = bytes_of(packet.at + 24, 16),
		.protocol = packet.at[6],
		.payload = bytes_skip(packet, IPV6_HEADER),
	};
	for (int i = 0; i < MAX_EXTENSIONS && to->payload.length >= 8; i++) {
		const struct bytes extension = to->payload;
		const size_t length = extension_length(to->protocol, extension.at[1]);
		if (length == 0)
			return;
		const bool fragment = is_fragment(to->protocol, extension);
		to->protocol = extension.at[0];
		to->payload = fragment ? bytes_of(NULL, 0) : bytes_after(extension, length);
	}
}

bool ip_take_apart(struct bytes packet, struct ip_parts *to)
{
	if (version(packet) == 4 && packet.length >= IPV4_HEADER)
		ipv4_take_apart(packet, to);
	else if (version(packet) == 6 && packet.length >= IPV6_HEADER)
		ipv6_take_apart(packet, to);
	else
		return false;
	return true;
}

/* Source and destination port in one word, or the identifier of an echo; else 0. */
static uint32_t ports(const struct ip_parts *ip)
{
	const struct bytes t = ip->payload;
	bool echo = false;

	if (t.length < 4)
		return 0;
	switch (ip->protocol) {
	case PROTO_TCP:
	case PROTO_UDP:
	case PROTO_DCCP:
	case PROTO_SCTP:
	case PROTO_UDP_LITE:
		return be32(t.at);
	case PROTO_ICMP: /* RFC 792: echo, echo reply */
		echo = t.at[0] == 8 || t.at[0] == 0;
		break;
	case PROTO_ICMPV6: /* RFC 4443, section 4 */
		echo = t.at[0] == 128 || t.at[0] == 129;
		break;
	}
	return echo && t.length >= 6 ? be16(t.at + 4) : 0;
}

uint32_t ip_flow_hash(struct bytes packet, uint32_t seed)
{
	uint32_t hash = seed;
	struct ip_parts ip;

	if (ip_take_apart(packet, &ip)) {
		hash = mix_address(hash, ip.source);
		hash = mix_address(hash, ip.destination);
		hash = mix(mix(hash, ip.protocol), ports(&ip));
	}
	return finish(hash);
}

/* RFC 2474, section 3: the upper six bits of TOS or traffic class; 0 is the default. */
unsigned ip_dscp(struct bytes packet)
{
	const unsigned v = version(packet);

	if (v == 4 && packet.length >= IPV4_HEADER)
		return packet.at[1] >> 2;
	if (v == 6 && packet.length >= IPV6_HEADER)
		return be16(packet.at) >> 6 & 0x3f;
	return 0;
}

bool ip_is_urgent(struct bytes packet)
{
	switch (ip_dscp(packet)) {
	case 40: /* CS5 */
	case 44: /* VOICE-ADMIT */
	case 46: /* EF */
	case 48: /* CS6 */
	case 56: /* CS7 */
		return true;
	default:
		return false;
	}
}

/*
 * RFC 1624, equation 3: HC' = ~(~HC + ~m + m'), for the one 16-bit word m that
 * holds the byte changed.
 */
static void ipv4_set_tos(uint8_t *packet, unsigned tos)
{
	const uint16_t before = be16(packet);
	packet[1] = (uint8_t)tos;
	uint32_t sum = (uint16_t)~be16(packet + 10) + (uint32_t)(uint16_t)~before + be16(packet);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~((sum & 0xffff) + (sum >> 16));
	packet[10] = (uint8_t)(sum >> 8);
	packet[11] = (uint8_t)sum;
}

/* RFC 3168, section 5: the two low bits of TOS or traffic class; 00 is Not-ECT. */
bool ip_set_ce(uint8_t *packet, size_t length)
{
	const unsigned v = version(bytes_of(packet, length));

	if (v == 4 && length >= IPV4_HEADER && packet[1] & 3) {
		ipv4_set_tos(packet, packet[1] | 3u);
		return true;
	}
	if (v == 6 && length >= IPV6_HEADER && packet[1] & 0x30) {
		packet[1] |= 0x30;
		return true;
	}
	return false;
}

/* RFC 8200, section 3: the upper six bits of the traffic class are in two bytes. */
bool ip_clear_dscp(uint8_t *packet, size_t length)
{
	if (ip_dscp(bytes_of(packet, length)) == 0)
		return false;
	if (version(bytes_of(packet, length)) == 4) {
		ipv4_set_tos(packet, packet[1] & 3u);
		return true;
	}
	packet[0] &= 0xf0;
	packet[1] &= 0x3f;
	return true;
}
