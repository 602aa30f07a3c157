/* SPDX-License-Identifier: MIT */
/*
 * A PPP link: LCP, authentication, keep-alive and link quality on one line, over
 * HDLC-like framing. Bytes and time in; packets, frames to send and events out.
 *
 *   DEAD -lower_up-> ESTABLISH -> AUTHENTICATE -> NETWORK --close, failure--> TERMINATE -> DEAD
 *
 * (RFC 1661 section 3.2.) Network and multilink packets pass only in NETWORK.
 */
#ifndef PPP_LINK_H
#define PPP_LINK_H

#include "ppp/auth.h"
#include "ppp/control.h"
#include "ppp/endpoint.h"
#include "ppp/hdlc.h"
#include "ppp/keepalive.h"

enum { LINK_IDENTITY_SIZE = 64 };

struct link_config {
	uint16_t mru;           /* the largest information field we take; asked for when not 1500 */
	uint32_t accm;          /* control characters that the line eats on the way to us */
	struct asyncmap escape; /* escaped whatever the peer asks for */
	bool receive_all;       /* take characters of our accm though they come unescaped */
	bool pfc, acfc;         /* ask for header compression of these kinds, and grant it */
	uint8_t fcs; /* FCS alternatives to ask for (RFC 1570: 1 null, 2 16 bits, 4 32 bits); 0 */
	bool multilink;
	uint16_t mrru;                  /* with multilink: the largest packet we put together */
	bool short_sequence;            /* ask the peer for these, and grant them; else neither */
	struct endpoint endpoint;       /* ours; class 0, length 0: not told */
	bool require_pap, require_chap; /* the peer must prove itself, by either when both */
	bool refuse_pap, refuse_chap;   /* we do not, in these ways */
	struct auth_config auth;
	sb_time quality_period; /* duration: ask for quality reports that often; 0 */
	struct control_timers timers;
	struct keepalive_config keepalive; /* frame_chars 0: as the MRU has it */
	/* Sent as Identification once up; "" : not. Peers with the same first word are of our kind:
	 * they are told when they are not heard. */
	const char *identity;
	bool passive; /* let the peer speak first */
	uint32_t (*random)(void *context);
	void *random_context;
};

/* Each the reason for which a link came down, did not come up, or is not to be relied on. */
enum link_reason {
	LINK_FINE,
	LINK_NO_REPLY,
	LINK_LOOPED_BACK,
	LINK_NO_AGREEMENT,      /* on the options */
	LINK_NO_AUTH_AGREEMENT, /* the peer will not prove itself, or not in a way we accept, or we
				   not */
	LINK_PEER_TERMINATED,
	LINK_WE_CLOSED,
	LINK_WE_WERE_REFUSED, /* by the peer: our name or secret */
	LINK_PEER_REFUSED,    /* it did not prove itself */
	LINK_AUTH_SILENT,
	LINK_PEER_REJECTED, /* LCP itself */
	LINK_LOST,          /* no answer to Echo-Requests */
	LINK_RENEGOTIATED,  /* the peer began anew; the link goes on to ESTABLISH */
	LINK_LOWER_DOWN,
	LINK_SILENT,  /* nothing is heard: of LINK_EVENT_SILENT, as is the next */
	LINK_UNHEARD, /* the peer hears nothing */
	LINK_REASONS,
};
const char *link_reason_text(enum link_reason); /* a clause: "no reply to LCP" */

enum link_phase { LINK_DEAD, LINK_ESTABLISH, LINK_AUTHENTICATE, LINK_NETWORK, LINK_TERMINATE };

struct link_event {
	enum {
		LINK_EVENT_UP, /* NETWORK begins; link_agreed holds */
		/*
		 * NETWORK ended, or cannot be reached; reason. A last packet may still be
		 * there to be sent (link_output), to tell the peer.
		 */
		LINK_EVENT_DOWN,
		LINK_EVENT_SILENT, /* one way or both; reason: not to be relied on; UP all the same
				    */
		LINK_EVENT_HEARD,  /* again */
		LINK_EVENT_PROTOCOL_REJECTED, /* the peer does not know `protocol` (a network one)
					       */
		LINK_EVENT_IDENTIFIED,        /* link_agreed(l)->peer_identity has come */
	} kind;
	enum link_reason reason;
	sb_time since; /* SILENT: instant of the last sign that what was sent arrived: of what was
			  sent a round trip before, that is */
	uint16_t protocol;
};

/* How frames go out on the link now. */
struct link_coding {
	struct asyncmap map;
	enum hdlc_fcs fcs;
	bool pfc, acfc;
};

/* What both sides agreed to; valid in NETWORK. */
struct link_agreed {
	uint16_t mru;      /* of ours */
	uint16_t peer_mru; /* the largest information field that we may send */
	bool multilink;    /* both may send fragments */
	uint16_t peer_mrru;
	bool short_in, short_out; /* sequence numbers of 12 bits, per direction */
	bool peer_has_endpoint;
	struct endpoint peer_endpoint;
	const char *peer_name;                  /* authenticated; "" : not */
	const struct secret *peer_secret;       /* its row, or NULL */
	bool we_proved;                         /* ourselves to the peer */
	char peer_identity[LINK_IDENTITY_SIZE]; /* RFC 1570 2.1, printable; "" until it comes */
	uint32_t remaining_s;                   /* RFC 1570 2.2; UINT32_MAX: not told */
};

struct link_counters {
	struct hdlc_counters hdlc;
	uint64_t bad_packets;       /* control packets whose lengths disagree */
	uint64_t unknown_protocol;  /* frames of protocols that we rejected */
	uint64_t wrong_phase;       /* network packets before NETWORK */
	uint64_t loops;             /* own magic numbers that came back */
	uint64_t eight_bit_unclean; /* bad frames, while no character came with bit 7 set */
	struct keepalive_rtt rtt;
	double loss_out, loss_in; /* by quality reports, 0..1; negative: not known */
	uint64_t reports;         /* how many of these came */
};

struct link_packet {
	uint16_t protocol;
	struct bytes data;
};

struct link;

struct link *
link_new(const struct link_config *); /* copied, its pointers borrowed; NULL: out of memory */
void link_free(struct link *);

void link_lower_up(struct link *, sb_time now);
void link_lower_down(struct link *, sb_time now);
/* Ends the link in an orderly way; LINK_EVENT_DOWN follows once the peer agreed, or does not
 * answer. */
void link_close(struct link *, sb_time now);
/* Anew, after it went down while the line stayed open. */
void link_open(struct link *, sb_time now);

/*
 * The next packet for the owner from the front of *in, which is consumed: true,
 * and *packet views it until the next call. False: all of *in is consumed. What is the
 * link's own (LCP, authentication, quality) is answered inside: look for events
 * and output after each call.
 */
bool link_next(struct link *, sb_time now, struct bytes *in, struct link_packet *packet);
/* Appends the next frame of the link's own, encoded; false: there is none. */
bool link_output(struct link *, sb_time now, struct buf *out);
enum { LINK_OUTPUT_SIZE = 2 * 1600 + 16 }; /* room that link_output needs at most */
bool link_event(struct link *, struct link_event *);
sb_time link_deadline(const struct link *);
void link_tick(struct link *, sb_time now);

enum link_phase link_phase(const struct link *);
const struct link_agreed *link_agreed(const struct link *);
const struct link_coding *link_coding(const struct link *); /* valid as long as the link */

/* A frame of the owner's: head and data are one information field in two pieces. NETWORK only. */
void link_encode(struct link *, uint16_t protocol, struct bytes head, struct bytes data,
		 struct buf *out);
/* The next frame begins with a flag of its own, not with that of the frame before. */
void link_mark(struct link *);
/*
 * The frame before was cut short: the next one, whichever, begins by aborting it (RFC 1662 section
 * 4.3), so that the peer does not count it as damaged.
 */
void link_abort(struct link *);
/* Characters that link_encode appends, but for that flag. */
size_t link_encoded_length(const struct link_coding *, uint16_t protocol, struct bytes head,
			   struct bytes data);
/* What a frame takes besides its data, none of it escaped: flag, header, FCS. */
size_t link_overhead(const struct link_coding *, uint16_t protocol);

/* Packets were given to the line: it is relied on. */
void link_relied(struct link *, sb_time now);
/* A packet in the bundle is of a protocol nobody knows: Protocol-Reject. */
void link_reject(struct link *, sb_time now, uint16_t protocol, struct bytes data);
/* An LCP packet that came in fragments: Echo, Discard and rejects are heeded (RFC 1990 section 2).
 */
void link_lcp(struct link *, sb_time now, struct bytes packet);
void link_set_rate(struct link *, double chars_per_sec);
/* How often the peer is asked, and when it is lost, from now on (keepalive.h). */
void link_set_interval(struct link *, sb_time interval, unsigned max_silent);
void link_count(const struct link *, struct link_counters *);

#endif
