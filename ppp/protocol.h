/* SPDX-License-Identifier: MIT */
/* Numbers of the PPP protocols (the "PPP DLL Protocol Numbers") and of the codes they share. */
#ifndef PPP_PROTOCOL_H
#define PPP_PROTOCOL_H

enum ppp_protocol {
	PPP_IP = 0x0021,     /* RFC 1332 */
	PPP_MP = 0x003D,     /* RFC 1990 */
	PPP_IPV6 = 0x0057,   /* RFC 5072 */
	PPP_VSNP = 0x005B,   /* RFC 3772 */
	PPP_IPCP = 0x8021,   /* RFC 1332 */
	PPP_IPV6CP = 0x8057, /* RFC 5072 */
	PPP_VSNCP = 0x805B,  /* RFC 3772 */
	PPP_LCP = 0xC021,    /* RFC 1661 */
	PPP_PAP = 0xC023,    /* RFC 1334 */
	PPP_LQR = 0xC025,    /* RFC 1989 */
	PPP_CHAP = 0xC223,   /* RFC 1994 */
};

/* RFC 1661 section 5; from 8 on LCP alone. RFC 1570: 12 and 13. */
enum ppp_code {
	CODE_CONFIGURE_REQUEST = 1,
	CODE_CONFIGURE_ACK = 2,
	CODE_CONFIGURE_NAK = 3,
	CODE_CONFIGURE_REJECT = 4,
	CODE_TERMINATE_REQUEST = 5,
	CODE_TERMINATE_ACK = 6,
	CODE_CODE_REJECT = 7,
	CODE_PROTOCOL_REJECT = 8,
	CODE_ECHO_REQUEST = 9,
	CODE_ECHO_REPLY = 10,
	CODE_DISCARD_REQUEST = 11,
	CODE_IDENTIFICATION = 12,
	CODE_TIME_REMAINING = 13,
};

enum {
	PPP_DEFAULT_MRU = 1500, /* RFC 1661 section 6.1; always acceptable */
	PPP_PACKET_HEADER = 4,  /* code, identifier, length */
};

#endif
