/* SPDX-License-Identifier: MIT */
/*
 * What two of our kind tell each other: the PPP Vendor Protocol (RFC 3772), VSNCP 0x805B to agree
 * on it, VSNP 0x005B for the messages. A peer without it answers with Protocol-Reject, and nothing
 * changes. Once per bundle, like IPCP; the messages about a link go over that link, so that
 * it need not be named. Nobody answers a message: what must not get lost is said again.
 */
#ifndef PPP_VENDOR_H
#define PPP_VENDOR_H

#include "ppp/control.h"

enum vendor_message_kind {
	/* How the sender spreads packets: value, a mode's number, and 256 times that of its hash.
	 */
	VENDOR_MODE = 1,
	/* Of this link: value, the share of all that the peer is asked to send over it, any scale;
	   0: none. */
	VENDOR_SHARE = 2,
	/* Of this link: value, bits per second that the peer is asked not to go beyond; 0: no
	   wish. */
	VENDOR_RATE_WISH = 3,
	/* This link is the sender's active one now: value, how many times it changed. */
	VENDOR_NOTICE = 4,
	/* Of this link: value, characters received, in the peer's count (VENDOR_SENT), modulo
	   2^32; time, by the sender's clock when the last of them came, in 1/10000 s, modulo 2^32.
	   Said only to a peer that has said what it sent. */
	VENDOR_RECEIVED = 5,
	/* Of this link: value, characters sent in all, this packet's included, modulo 2^32: the
	   sender wants to know what comes of them. */
	VENDOR_SENT = 6,
	/* Of this link: value, bits per second at which the sender sends over it, when that is less
	   than it carries: its frames take longer than the peer would think; 0: it is not. */
	VENDOR_PACE = 7,
};

struct vendor_message {
	enum vendor_message_kind kind;
	uint32_t value, time;
};

enum {
	VENDOR_OUI_SIZE = 3,      /* that a VSNP packet begins with */
	VENDOR_MESSAGE_SIZE = 10, /* at most */
	VENDOR_HASH_SHIFT = 8,    /* in a VENDOR_MODE */
};

#define VENDOR_TICK (SB_SEC / 10000) /* of times in messages */

struct vendor;

struct vendor *vendor_new(const struct control_timers *); /* NULL: out of memory */
void vendor_free(struct vendor *);
/* The peer may be asked: a link is up, and carries packets. */
void vendor_lower_up(struct vendor *, sb_time now);
void vendor_lower_down(struct vendor *, sb_time now);
/*
 * Whether a packet of VSNCP or VSNP is of this vendor's protocol. Of others no more is known here
 * than of any protocol that nobody knows.
 */
bool vendor_is_ours(uint16_t protocol, struct bytes packet);
/* A packet of VSNCP. */
void vendor_input(struct vendor *, sb_time now, struct bytes packet);
/* The peer does not know the protocol. */
void vendor_rejected(struct vendor *, sb_time now);
/* The next packet of VSNCP to send. */
bool vendor_output(struct vendor *, struct buf *packet);
bool vendor_is_up(const struct vendor *); /* messages may pass */
/* Why it is not up, and will not be until the peer begins; CONTROL_NO_END: it is not so. */
enum control_end vendor_end(const struct vendor *);
uint64_t vendor_bad_packets(const struct vendor *);
sb_time vendor_deadline(const struct vendor *);
void vendor_tick(struct vendor *, sb_time now);

/* Takes the beginning of a VSNP packet off it. False: another vendor's. */
bool vendor_open(struct bytes *packet);
/*
 * The messages behind it, one after the other; kinds of later versions are skipped. False: there
 * are no more, or what is left (packet->length is not 0) is bad.
 */
bool vendor_next(struct bytes *packet, struct vendor_message *);
/* A VSNP packet is this, and then any number of messages. */
void vendor_begin(struct buf *packet);
void vendor_put(struct buf *packet, const struct vendor_message *);

#endif
