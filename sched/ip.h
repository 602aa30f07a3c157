/* SPDX-License-Identifier: MIT */
/*
 * What a queue needs to know of an IP packet, and what an encapsulation without
 * a type field checks before it believes that bytes are one.
 */
#ifndef SCHED_IP_H
#define SCHED_IP_H

#include "serialbundle/bytes.h"

enum ip_verdict {
	IP_OK = 0,
	IP_NOT_IP,       /* empty, or version not 4 or 6 */
	IP_BAD_LENGTH,   /* header or total length does not fit the bytes exactly */
	IP_BAD_CHECKSUM, /* IPv4 header checksum (RFC 1071) */
};

/* Whether the bytes are exactly one IPv4 (RFC 791) or IPv6 (RFC 8200) packet. */
enum ip_verdict ip_check(struct bytes packet);

struct ip_parts {
	struct bytes source, destination; /* addresses: 4 or 16 bytes */
	uint8_t protocol;                 /* behind the extension headers */
	struct bytes payload; /* of that; none where it is cut off, or one of several fragments */
};
/* False: there is no whole header of IP. Views into the packet, which need not be a valid one. */
bool ip_take_apart(struct bytes packet, struct ip_parts *);

/*
 * A hash of the flow a packet is of: addresses, protocol and, where they can be
 * had, ports (or the ICMP echo identifier). Fragments of one datagram hash
 * alike, without ports. Extension headers are walked; an ICMP error hashes as
 * itself. Anything else than IP: one flow. `seed` perturbs (RFC 8290, 4.1.1).
 */
uint32_t ip_flow_hash(struct bytes packet, uint32_t seed);

/* The differentiated services code point (RFC 2474), 0..63; 0, the default, where there is none. */
unsigned ip_dscp(struct bytes packet);

/*
 * Whether the packet asks to be sent soon: DSCP EF (RFC 3246), VOICE-ADMIT (RFC
 * 5865) or class selector 5, 6 or 7 (RFC 2474).
 */
bool ip_is_urgent(struct bytes packet);

/*
 * Sets Congestion Experienced (RFC 3168) and mends the IPv4 checksum; false,
 * and nothing changed, when the packet is not ECN-capable.
 */
bool ip_set_ce(uint8_t *packet, size_t length);
/* Makes the DSCP the default; false, and nothing changed, when it is. */
bool ip_clear_dscp(uint8_t *packet, size_t length);

#endif
