/* SPDX-License-Identifier: MIT */
/*
 * One packet out of fragments that come in order: what the flags B and E mean
 * (RFC 1990 section 4.1), and the longest that a packet may be.
 */
#ifndef PPP_ASSEMBLY_H
#define PPP_ASSEMBLY_H

#include "ppp/reassembly.h"

enum assembly_state {
	ASSEMBLY_BETWEEN,  /* packets: the next fragment has to begin one */
	ASSEMBLY_BUILDING, /* one: data is to be appended to `packet` */
	ASSEMBLY_SKIPPING, /* the rest of one that was given up and counted */
	ASSEMBLY_READY,    /* one waits in `packet` to be taken out */
};

struct assembly {
	enum assembly_state state;
	struct buf packet;
	size_t mrru; /* bytes, the protocol field not counted (section 5.1.1) */
	struct reassembly_counters *counters;
};

/* What the memory for the packet is to have, in bytes. */
size_t assembly_size(size_t mrru);

/* A fragment begins. Then its data is to be appended if the state is BUILDING. */
void assembly_begin(struct assembly *, bool begin);
void assembly_end(struct assembly *, bool end);
/* The next fragment has been lost. */
void assembly_lost(struct assembly *);

#endif
