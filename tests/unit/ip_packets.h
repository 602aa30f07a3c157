/* SPDX-License-Identifier: MIT */
/* IP packets for tests, written by hand so that they do not share code with what they test. */
#ifndef TESTS_UNIT_IP_PACKETS_H
#define TESTS_UNIT_IP_PACKETS_H

#include "serialbundle/bytes.h"

enum { ECN_NOT_ECT = 0, ECN_ECT1 = 1, ECN_ECT0 = 2, ECN_CE = 3 };

static inline void put16(uint8_t *at, unsigned value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* The IPv4 header checksum from scratch, over the header as its IHL says. */
static inline void ipv4_write_checksum(uint8_t *at)
{
	unsigned long sum = 0;

	put16(at + 10, 0);
	for (int i = 0; i < (at[0] & 15) * 4; i += 2)
		sum += (unsigned long)at[i] << 8 | at[i + 1];
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	put16(at + 10, (unsigned)~sum & 0xffff);
}

/* An IPv4 header of 20 bytes, 10.0.0.1 to 10.0.0.2, and zeros up to `length`. */
static inline void ipv4_write(uint8_t *at, size_t length, unsigned protocol, unsigned ecn)
{
	static const uint8_t addresses[8] = {10, 0, 0, 1, 10, 0, 0, 2};

	memset(at, 0, length);
	at[0] = 0x45;
	at[1] = (uint8_t)ecn;
	put16(at + 2, (unsigned)length);
	at[8] = 64;
	at[9] = (uint8_t)protocol;
	memcpy(at + 12, addresses, 8);
	ipv4_write_checksum(at);
}

/* The same with the ports of UDP; `length` is at least 28. */
static inline void udp4_write(uint8_t *at, size_t length, unsigned from, unsigned to, unsigned ecn)
{
	ipv4_write(at, length, 17, ecn);
	put16(at + 20, from);
	put16(at + 22, to);
	put16(at + 24, (unsigned)length - 20);
}

/* An IPv6 header, fd00::1 to fd00::2, and zeros up to `length`, at least 40. */
static inline void ipv6_write(uint8_t *at, size_t length, unsigned next_header, unsigned ecn)
{
	memset(at, 0, length);
	at[0] = 0x60;
	at[1] = (uint8_t)(ecn << 4);
	put16(at + 4, (unsigned)length - 40);
	at[6] = (uint8_t)next_header;
	at[7] = 64;
	at[8] = at[24] = 0xfd;
	at[23] = 1;
	at[39] = 2;
}

#endif
