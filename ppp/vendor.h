/* SPDX-License-Identifier: MIT */
/*
 * What two of our kind tell each other: the PPP Vendor Protocol (RFC 3772), VSNCP 0x805B to agree
 * on it, VSNP 0x005B for the messages. A peer without it answers with Protocol-Reject, and nothing
 * changes. Once per bundle, like IPCP; the messages about a link go over that link, so that
 * it need not be named.
 */
#ifndef PPP_VENDOR_H
#define PPP_VENDOR_H

#include "ppp/control.h"

enum vendor_message_kind {
	VENDOR_MODE = 1,  /* how the sender spreads packets: value, a mode's number */
	VENDOR_SHARE = 2, /* of this link: value, the share of all that the peer is asked to send
			     over it, any scale; 0: none */
	VENDOR_RATE_WISH = 3, /* of this link: value, bits per second that the peer is asked not to
				 go beyond; 0: no wish */
	VENDOR_NOTICE = 4,    /* this link is the sender's active one now: value, how many times it
				 changed */
	VENDOR_RECEIVED = 5,  /* of this link: value, characters received in all, modulo 2^32; time,
				 the sender's, in 1/10000 s, modulo 2^32 */
	VENDOR_PROBE = 6,     /* to be answered over this link: value, a nonce */
	VENDOR_PROBE_REPLY = 7,
};

struct vendor_message {
	enum vendor_message_kind kind;
	uint32_t value, time;
};

struct vendor_config {
	struct control_timers timers;
	uint32_t (*random)(void *context);
	void *random_context;
};

struct vendor;

struct vendor *vendor_new(const struct vendor_config *); /* NULL: out of memory */
void vendor_free(struct vendor *);
void vendor_lower_up(struct vendor *, sb_time now);
void vendor_lower_down(struct vendor *, sb_time now);
/* A packet of VSNCP. */
void vendor_input(struct vendor *, sb_time now, struct bytes packet);
/* The peer does not know the protocol. */
void vendor_rejected(struct vendor *, sb_time now);
/* The next packet of VSNCP to send. */
bool vendor_output(struct vendor *, struct buf *packet);
bool vendor_is_up(const struct vendor *);
sb_time vendor_deadline(const struct vendor *);
void vendor_tick(struct vendor *, sb_time now);

/* The messages of a VSNP packet, one after the other; false: there are no more, or it is bad. */
bool vendor_next(struct bytes *packet, struct vendor_message *);
/* A VSNP packet is this, and then any number of messages. */
void vendor_begin(struct buf *packet);
void vendor_put(struct buf *packet, const struct vendor_message *);

#endif
