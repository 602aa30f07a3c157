/* SPDX-License-Identifier: MIT */
/*
 * The last number heard on each link, and the least of them: M of RFC 1990 section
 * 4.1. Numbers rise on each link, so what is missing below M has been lost.
 *
 * Which links count? All but those that are down or silent. A link that has just
 * joined has no last number, but nothing from before it joined can come over it:
 * it counts with that place. If it has not been heard after `most_wait`, the peer does
 * not send on it (or its way to us is dead), and it is not waited for until it is
 * heard.
 */
#ifndef PPP_HEARD_H
#define PPP_HEARD_H

#include "ppp/mp.h"
#include "serialbundle/time.h"

struct heard_link {
	bool up, silent, heard;
	uint64_t last;     /* place last heard, or up to which nothing comes over it */
	sb_time joined_at; /* instant */
};

struct heard {
	sb_time most_wait; /* duration */
	unsigned joined;   /* links numbered below this have been up */
	struct heard_link links[MP_MAX_LINKS];
};

/* Nothing up to the place comes over it. */
void heard_up(struct heard *, unsigned link, uint64_t place, sb_time now);
void heard_down(struct heard *, unsigned link);
void heard_silent(struct heard *, unsigned link);
/* As if all had just joined. */
void heard_restart(struct heard *, uint64_t place, sb_time now);
void heard_place(struct heard *, unsigned link, uint64_t place);

bool heard_is_up_any(const struct heard *);
/* M, or `most` where no link counts. */
uint64_t heard_least(const struct heard *, uint64_t most, sb_time now);

#endif
