/* SPDX-License-Identifier: MIT */
/*
 * Who talks with whom over a bundle, and how much: a table of host pairs as iftop shows them,
 * each with meters both ways. Pure; a fixed number of pairs, of which the least
 * recently busy one makes room for a new one.
 */
#ifndef SRC_FLOWS_H
#define SRC_FLOWS_H

#include "src/meter.h"

#include "serialbundle/bytes.h"

enum { FLOWS_MAX = 64 };

struct flow_pair {
	uint8_t version;               /* of IP: 4 or 6 */
	uint8_t local[16], remote[16]; /* the host on our side, and the other; 4 or 16 bytes */
	struct meter_rates out, in;    /* bytes of IP packets */
	uint64_t packets_out, packets_in;
};

struct flows;

struct flows *flows_new(sb_time now); /* NULL: out of memory */
void flows_free(struct flows *);
/* An IP packet passed; what is none is not counted. */
void flows_add(struct flows *, sb_time now, struct bytes packet, bool out);
/* The busiest pairs over the last 10 s, busiest first; how many were stored. */
unsigned flows_read(struct flows *, sb_time now, struct flow_pair to[static FLOWS_MAX]);

#endif
