/* SPDX-License-Identifier: MIT */
/*
 * The narrow waist between a line and what it speaks.
 *
 * An encapsulation turns packets into characters and characters into packets,
 * and may have a life of its own below them: a link to negotiate, a peer to
 * keep in touch with. It sees no fd and no clock. A new one is a file with a const
 * struct encap_kind, and a row in config_line.c; its object begins with a struct
 * encap.
 */
#ifndef SRC_ENCAP_H
#define SRC_ENCAP_H

#include "ppp/link.h"
#include "ppp/protocol.h"
#include "serialbundle/bytes.h"
#include "serialbundle/time.h"

struct config;
struct line_config;

/* Something the user should hear about, each at most once per life of a line. */
enum encap_notice {
	ENCAP_NOTHING,
	ENCAP_SAW_COMPRESSED, /* the peer sends compressed headers; they are dropped */
	ENCAP_SAW_TEXT,       /* the peer sends words, as a modem or a login would */
	ENCAP_SAW_NO_FRAMES,  /* the peer sends a lot, of which nothing is a frame, not even a bad
				 one */
	ENCAP_SAW_SEVEN_BITS, /* no character has its high bit set: the line does not carry it */
};

struct encap_counters {
	uint64_t frames_in;   /* whole frames, good or not */
	uint64_t bad_framing; /* escapes that are none, frames cut short */
	uint64_t bad_fcs;     /* frame check sequence */
	uint64_t too_long;    /* beyond what the interface takes */
	uint64_t not_ip;      /* the IP version is neither 4 nor 6 */
	uint64_t bad_length; /* IP's own length disagrees with the frame's, or a control packet's */
	uint64_t bad_checksum; /* IPv4 header checksum */
	uint64_t compressed;   /* van Jacobson headers (RFC 1144), never asked for */
	uint64_t unknown;      /* protocols that were rejected */
	struct keepalive_rtt rtt;
	double loss_out, loss_in; /* 0..1; negative: not known */
	uint64_t reports;         /* that came, and from which they are known */
};

/* What of the line's life the owner must know. */
struct encap_event {
	enum {
		ENCAP_UP,     /* packets may pass */
		ENCAP_DOWN,   /* no more, or never; the reason is a clause */
		ENCAP_SILENT, /* nothing is heard: not to be relied on */
		ENCAP_HEARD,  /* again */
		ENCAP_PROTOCOL_REJECTED,
		ENCAP_IDENTIFIED, /* the agreement's peer_identity has come */
		ENCAP_DETECTED,   /* what the peer speaks */
	} kind;
	enum link_reason why; /* for DOWN */
	const char *reason;
	sb_time since; /* SILENT: instant since which what was sent may not have arrived */
	uint16_t protocol;
	const struct encap_kind *detected;
	struct bytes replay; /* DETECTED: to be received again; valid until the next call */
};

/* A received packet: PPP's protocol number, whatever the encapsulation. */
struct encap_packet {
	uint16_t protocol;
	struct bytes data;
};

struct encap_config {
	const struct config *config; /* both borrowed */
	const struct line_config *line;
	const struct secrets *pap, *chap; /* borrowed */
	uint32_t (*random)(void *context);
	void *random_context;
};

struct encap {
	const struct encap_kind *kind;
};

/* An operation that may be NULL is one that does nothing, or answers no. */
struct encap_kind {
	const char *name;
	/* NULL: out of memory. */
	struct encap *(*new)(const struct encap_config *);
	void (*free)(struct encap *);
	/* The port carries characters, from and to a peer that may be another one; no longer. */
	void (*lower_up)(struct encap *, sb_time now);
	void (*lower_down)(struct encap *, sb_time now);
	/* Ends it in an orderly way: DOWN follows soon. NULL: there is none. */
	void (*close)(struct encap *, sb_time now);
	bool (*event)(struct encap *, struct encap_event *);
	/* The next frame of its own, to be sent ahead of packets. May be NULL. */
	bool (*output)(struct encap *, sb_time now, struct buf *out);
	sb_time (*deadline)(const struct encap *); /* may be NULL */
	void (*tick)(struct encap *, sb_time now); /* may be NULL */
	/* Packets were given to the line. May be NULL. */
	void (*relied)(struct encap *, sb_time now);
	/* What the line carries is another rate than it was made for. May be NULL. */
	void (*set_rate)(struct encap *, double chars_per_sec);
	/* The configuration is another one: takes from it what may change meanwhile. May be NULL.
	 */
	void (*follow)(struct encap *, const struct config *, const struct line_config *);
	/* A packet of a protocol that nobody here knows came over the bundle. May be NULL. */
	void (*reject)(struct encap *, sb_time now, struct encap_packet);
	/* One of its own protocol that came in fragments. May be NULL. */
	void (*own)(struct encap *, sb_time now, struct bytes packet);
	/* The agreement while UP, or NULL: there is none to be had. May be NULL. */
	const struct link_agreed *(*agreed)(const struct encap *);

	/* Characters that encode appends for an IP packet, by what coding() gave. */
	size_t (*encoded_length)(const void *coding, struct bytes packet);
	/* What the encoding depends on besides the packet, or NULL: nothing. May be NULL. */
	const void *(*coding)(const struct encap *);
	/* Characters of a frame besides its data, escapes aside. */
	size_t (*overhead)(const struct encap *);
	/* One frame; head and data are one information field in two pieces. */
	void (*encode)(struct encap *, uint16_t protocol, struct bytes head, struct bytes data,
		       struct buf *out);
	/* The next frame must not be taken for the rest of what came before: a frame cut short,
	   the noise of a pause. May be NULL: each frame begins with a mark. */
	void (*mark)(struct encap *);
	/* A frame was cut short, of which this was sent. May be NULL: the mark tells. */
	void (*cut)(struct encap *, struct bytes sent);
	/*
	 * The next packet from the front of *in, which is consumed: true, and *packet
	 * views it until the next call. False: all of *in is consumed. Events and output may
	 * follow either way.
	 */
	bool (*next)(struct encap *, sb_time now, struct bytes *in, struct encap_packet *);
	enum encap_notice (*notice)(struct encap *);
	void (*count)(const struct encap *, struct encap_counters *);
};

extern const struct encap_kind encap_slip, encap_ppp, encap_detect;

static inline const struct link_agreed *encap_agreed(const struct encap *e)
{
	return e->kind->agreed ? e->kind->agreed(e) : NULL;
}
static inline bool encap_output(struct encap *e, sb_time now, struct buf *out)
{
	return e->kind->output && e->kind->output(e, now, out);
}
static inline sb_time encap_deadline(const struct encap *e)
{
	return e->kind->deadline ? e->kind->deadline(e) : SB_NEVER;
}
static inline const void *encap_coding(const struct encap *e)
{
	return e->kind->coding ? e->kind->coding(e) : NULL;
}

/* The protocol number of an IP packet, by its version. */
static inline uint16_t encap_protocol(struct bytes packet)
{
	return packet.length && packet.at[0] >> 4 == 6 ? PPP_IPV6 : PPP_IP;
}

enum {
	ENCAP_HEAD_SIZE = 8, /* of what stands before the data in an information field */
	ENCAP_FRAME_EXTRA = 2 * (ENCAP_HEAD_SIZE + 2 + 2 + 4) + 3,
};

/* The longest encoding of so many bytes of data by any kind: all of it escaped, both ends marked,
   the frame before aborted. */
static inline size_t encap_max_length(size_t data)
{
	return 2 * data + ENCAP_FRAME_EXTRA;
}

#endif
