/* SPDX-License-Identifier: MIT */
/*
 * The sender under test: a stripe (SLIP on the lines) or a multilink (PPP), by
 * the same verbs. A stripe's packet is a plain piece.
 */
#ifndef SIM_SENDER_H
#define SIM_SENDER_H

#include "sched/multilink.h"

/* Characters of a frame besides its data, none of which is escaped. */
enum {
	SIM_SLIP_OVERHEAD = 2,
	SIM_PLAIN_OVERHEAD = 4,    /* flag, protocol, FCS; address, control compressed */
	SIM_FRAGMENT_OVERHEAD = 9, /* and the multilink header, and the protocol again */
};

struct sender_config {
	bool multilink;
	struct packet_pool *pool;
	struct tiers *queue;
	uint32_t mtu;
	sb_time max_fragment_delay, heartbeat;
};

struct sender;

struct sender *sender_new(const struct sender_config *);
void sender_free(struct sender *);
void sender_line_up(struct sender *, unsigned line, const struct line_clock *, sb_time delay,
		    sb_time now);
void sender_line_down(struct sender *, unsigned line);
void sender_line_unsent(struct sender *, unsigned line, size_t characters);
bool sender_pull(struct sender *, unsigned line, sb_time now, struct piece *);
void sender_return(struct sender *, struct packet *);
sb_time sender_deadline(const struct sender *, unsigned line);
double sender_rate(const struct sender *);
uint32_t sender_bound_bytes(const struct sender *);
/* Characters of the piece on the wire. */
size_t sender_length(const struct sender *, const struct piece *);

#endif
