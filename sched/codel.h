/* SPDX-License-Identifier: MIT */
/*
 * CoDel (RFC 8289): from how long packets waited, which of them should tell
 * their sender to slow down.
 *
 * A queue that has been above `target` for a whole `interval` is a standing
 * one. Then one packet is picked, and as long as the queue stands others follow,
 * at gaps of interval / sqrt(number picked), by which a TCP's rate falls
 * linearly. What is done to a picked packet (dropped, or marked and sent) is the
 * caller's matter; here it is all the same.
 *
 * The RFC's pseudo code drops in a loop in its dequeue. This is the same law
 * turned inside out: take a packet off, ask, and while the answer is yes drop
 * it, take the next one and ask again.
 */
#ifndef SCHED_CODEL_H
#define SCHED_CODEL_H

#include <stdbool.h>

#include "serialbundle/time.h"

struct codel_params {
	sb_time target;   /* duration; acceptable standing wait */
	sb_time interval; /* duration; a worst-case RTT */
	uint32_t mtu;     /* bytes; a backlog this small is no queue */
};

/* One queue's state; all zero at first. */
struct codel {
	sb_time above_since; /* instant; 0: the last wait was below target */
	sb_time drop_next;   /* instant of the next pick, while dropping */
	uint32_t count;      /* picks since dropping began */
	uint32_t last_count; /* count as it was when dropping began */
	bool dropping;
};

/*
 * Whether the packet that was just taken off, after waiting `sojourn`, is
 * picked. `backlog` is what is left behind it, bytes. A yes means that more than
 * `mtu` bytes are left, so a queue is never emptied by drops.
 */
bool codel_pick(struct codel *, const struct codel_params *, sb_time now, sb_time sojourn,
		uint32_t backlog);

/* The queue ran empty. What was learnt of the drop rate is kept for a while. */
void codel_empty(struct codel *);

#endif
