/* SPDX-License-Identifier: MIT */
/*
 * Which TCP connections wait for their receiver: those that have sent all that its window
 * allows (RFC 9293 section 3.8.6), by the packets that pass. Pure; a fixed
 * number of connections, of which the least recently busy one makes room for a new one.
 */
#ifndef SRC_TCP_WINDOWS_H
#define SRC_TCP_WINDOWS_H

#include "serialbundle/bytes.h"
#include "serialbundle/time.h"

struct tcp_windows;

struct tcp_waiting {
	double share;    /* of the last 2 s in which any connection waited, 0..1 */
	uint32_t window; /* bytes, of the one that did so last */
};

struct tcp_windows *tcp_windows_new(sb_time now); /* NULL: out of memory */
void tcp_windows_free(struct tcp_windows *);
/* An IP packet passed; what is no TCP segment, or only a part of one, is not looked at. */
void tcp_windows_add(struct tcp_windows *, sb_time now, struct bytes packet, bool out);
/* Of the connections that send out, or in. */
struct tcp_waiting tcp_windows_read(struct tcp_windows *, sb_time now, bool out);

#endif
