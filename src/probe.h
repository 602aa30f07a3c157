/* SPDX-License-Identifier: MIT */
/*
 * Is anybody at the other end of a line that has no protocol to ask? ICMP echo through that very
 * line, as bonding does with ARP. probe.c opens with what counts as an answer.
 *
 * Pure: no descriptor, no clock. Addresses are IPv4, host order.
 */
#ifndef SRC_PROBE_H
#define SRC_PROBE_H

#include "serialbundle/bytes.h"
#include "src/config.h"

enum { PROBE_SIZE = 32 }; /* bytes of a request */

struct probe {
	const struct probe_config *config; /* borrowed; may change */
	uint16_t id;
	uint32_t nonce;
	uint32_t from, to;   /* of the last request */
	uint16_t sequence;   /* likewise */
	uint32_t unanswered; /* a bit for each of the last 32 requests, the lowest the last */
	bool waits;          /* a request, for the line to take it */
	bool asked;          /* one has left since the last look, */
	bool lived;          /* and a sign of life has come after it */
	bool silent;
	unsigned missed;  /* looks in a row without a sign of life */
	sb_time look_at;  /* instant of the next look, which asks again */
	sb_time alive_at; /* instant of the last sign of life */
	uint64_t requests, replies;
};

void probe_start(struct probe *, const struct probe_config *, uint16_t id, uint32_t nonce,
		 sb_time now);
/* Time has passed: judges the last request, and has the next one wait. */
void probe_tick(struct probe *, sb_time now);
sb_time probe_deadline(const struct probe *);
/* The request that waits; false: none does. At least PROBE_SIZE bytes of room. */
bool probe_output(struct probe *, uint32_t from, uint32_t to, struct buf *packet);
/* The line has been heard at that instant, be it noise. */
void probe_heard(struct probe *, sb_time at);
/* Whether a packet, over whichever line it came, is an answer to this probe, and nobody else's. */
bool probe_input(struct probe *, sb_time now, struct bytes packet);

#endif
