/* SPDX-License-Identifier: MIT */
/*
 * The narrow waist between a line and what it speaks.
 *
 * An encapsulation turns packets into characters and characters into packets.
 * It sees no fd and no clock. A new one is a file with a const struct
 * encap_kind, and a row in config.c.
 */
#ifndef SRC_ENCAP_H
#define SRC_ENCAP_H

#include "serialbundle/bytes.h"
#include "serialbundle/time.h"

/* Something the user should hear about, each at most once per life of a line. */
enum encap_notice {
	ENCAP_NOTHING,
	ENCAP_SAW_COMPRESSED, /* the peer sends compressed headers; they are dropped */
	ENCAP_SAW_TEXT,       /* the peer sends words, as a modem or a login would */
};

struct encap_counters {
	uint64_t frames_in;    /* whole frames, good or not */
	uint64_t bad_framing;  /* escapes that are none */
	uint64_t too_long;     /* beyond what the interface takes */
	uint64_t not_ip;       /* the IP version is neither 4 nor 6 */
	uint64_t bad_length;   /* IP's own length disagrees with the frame's */
	uint64_t bad_checksum; /* IPv4 header checksum */
	uint64_t compressed;   /* van Jacobson headers (RFC 1144), never asked for */
};

struct encap;

struct encap_kind {
	const char *name;
	/* Packets of up to mtu bytes are received; NULL: out of memory. */
	struct encap *(*new)(size_t mtu);
	void (*free)(struct encap *);
	/* The line is down: forget frames in progress. Counters stay. */
	void (*reset)(struct encap *);
	/* Characters that encode appends, for what coding() gave. */
	size_t (*encoded_length)(const void *coding, struct bytes packet);
	/* What the encoding depends on besides the packet, or NULL: nothing. */
	const void *(*coding)(const struct encap *);
	void (*encode)(struct encap *, struct bytes packet, struct buf *out);
	/*
	 * The next packet from the front of *in, which is consumed: true, and *packet
	 * views it until the next call. False: all of *in is consumed.
	 */
	bool (*next)(struct encap *, struct bytes *in, struct bytes *packet);
	enum encap_notice (*notice)(struct encap *);
	void (*count)(const struct encap *, struct encap_counters *);
};

extern const struct encap_kind encap_slip;

/* The longest encoding of a packet of mtu bytes by any kind: all of it escaped, both ends marked.
 */
static inline size_t encap_max_length(size_t mtu)
{
	return 2 * mtu + 2;
}

#endif
