/* SPDX-License-Identifier: MIT */
/*
 * What a packet costs on the slowest hop that it goes through: on the line itself, exactly as it
 * is encoded there, or on a hop behind it that counts otherwise (a DSL modem, an Ethernet), by
 * the words of tc-stab and tc-cake.
 */
#ifndef SCHED_LINKLAYER_H
#define SCHED_LINKLAYER_H

#include "sched/packet.h"

enum linklayer_cells { CELLS_NONE, CELLS_ATM, CELLS_PTM };

enum { LINKLAYER_OVERHEAD_MIN = -64, LINKLAYER_OVERHEAD_MAX = 256, LINKLAYER_MPU_MAX = 256 };

struct linklayer {
	/*
	 * As encoded: the line's own characters, with start and stop bits, escapes and FCS (SLIP or
	 * PPP). Else the IP packet's bytes, which have no link layer to be subtracted, of 8 bits,
	 * and what follows.
	 */
	bool exact;
	int overhead;               /* bytes added to each packet */
	unsigned mpu;               /* no packet counts for less, before cells */
	enum linklayer_cells cells; /* then: 53 for each 48 begun; or 65 for each 64 */
};

/* Bytes that an IP packet of so many counts for; of !exact. */
size_t linklayer_bytes(const struct linklayer *, size_t ip_bytes);

/* A line with its link layer, so that it can be asked as a coding (packet_length_on). */
struct linklayer_coding {
	struct linklayer layer;
	packet_length_on *encoded; /* of the line's encapsulation, */
	const void *coding;        /* and for it */
};
size_t linklayer_length(const void *linklayer_coding, struct bytes packet);

/*
 * By its word: "exact", "ethernet", "atm", "adsl", "ptm", and cake's and sqm's presets
 * ("pppoe-llcsnap", "docsis", "conservative"...), which set overhead, mpu and cells. False: there
 * is none.
 */
bool linklayer_named(const char *word, struct linklayer *);
/* The i-th of these words, or NULL behind the last. */
const char *linklayer_word(unsigned i);

#endif
