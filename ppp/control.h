/* SPDX-License-Identifier: MIT */
/*
 * A control protocol: what LCP, IPCP and IPV6CP have in common. The automaton,
 * its restart timer and counters, the packets of codes 1 to 7, identifiers. What
 * is their own, options above all, is in a const table (struct control_kind) over
 * an object of theirs (`self`).
 *
 * Ours, the RFC leaving it open: a request that is sent again keeps its
 * identifier (section 5.1 allows it), so a late answer is still one. When the
 * peer's first request comes and ours was not answered, the peer may have begun to
 * listen only after ours: it is sent again at once, before the Ack, so that where it
 * was heard after all, the peer is not in Opened yet. And a request
 * that was acknowledged and comes again, the same to the octet, soon after we
 * opened, is acknowledged again: it is late, or our Ack was lost; a peer that
 * restarts has a new identifier or a new magic number.
 */
#ifndef PPP_CONTROL_H
#define PPP_CONTROL_H

#include "ppp/automaton.h"
#include "ppp/outbox.h"
#include "ppp/protocol.h"
#include "serialbundle/time.h"

enum control_verdict { VERDICT_ACK, VERDICT_NAK, VERDICT_REJECT };

/* Why a negotiation came to its end. */
enum control_end {
	CONTROL_NO_END,
	CONTROL_NO_REPLY,      /* max_configure requests without an answer */
	CONTROL_NO_AGREEMENT,  /* twice max_failure Naks and Rejects of ours were of no use, or
				  of the peer's */
	CONTROL_PEER_CLOSED,   /* Terminate-Request */
	CONTROL_PEER_REJECTED, /* the peer does not know the protocol, or a code it must know */
	CONTROL_WE_CLOSED,
};

struct control_kind {
	uint16_t protocol;
	const char *name; /* "LCP" */
	/* A negotiation begins (also anew): forget what was agreed. */
	void (*begin)(void *self);
	/* Appends the options of our Configure-Request. */
	void (*request)(void *self, struct buf *options);
	/*
	 * Judges the peer's request, whose options are whole, and appends those of
	 * the answer: for a Reject those not known or not negotiable, as they came and
	 * in their order; else, for a Nak, those whose values will not do, with ones that
	 * would; else all. With insist, what would be a Nak is to be a Reject: Naks did
	 * not help (RFC 1661 section 4.6, Max-Failure).
	 */
	enum control_verdict (*judge)(void *self, struct bytes options, bool insist,
				      struct buf *answer);
	void (*acked)(void *self); /* the peer agreed to our last request */
	/* The peer's Nak or Reject of that request; false: no use in going on. */
	bool (*naked)(void *self, struct bytes options);
	bool (*rejected)(void *self, struct bytes options);
	/* A packet of another code: false, it is not known. NULL: none is. */
	bool (*packet)(void *self, sb_time now, uint8_t code, uint8_t identifier,
		       struct bytes data);
};

struct control_timers {         /* RFC 1661 section 4.6 */
	sb_time restart;        /* duration */
	unsigned max_configure; /* 10 */
	unsigned max_terminate; /* 2 */
	unsigned max_failure;   /* 5 */
};

/* What happened to the layer, as control_happened takes it; RFC 1661 section 4.4. */
enum control_happening {
	CONTROL_UP = 1 << 0,
	CONTROL_DOWN = 1 << 1,
	CONTROL_STARTED = 1 << 2,
	CONTROL_FINISHED = 1 << 3,
	CONTROL_ASKED_AGAIN = 1 << 4, /* in Opened: the peer may have come there only now */
};

struct control_counters {
	uint64_t bad_packets; /* length fields that disagree, options cut short */
	uint64_t stray;       /* answers to no question */
};

enum { CONTROL_OPTIONS_SIZE = 256 }; /* of a request of ours */

struct control_request {
	bool kept; /* false: there is none, or the peer's was too long to keep */
	uint8_t identifier;
	uint16_t length;
	uint8_t options[CONTROL_OPTIONS_SIZE];
};

struct control {
	const struct control_kind *kind;
	void *self;
	struct outbox *outbox; /* borrowed */
	struct control_timers timers;
	enum automaton_state state;
	enum control_end end;
	unsigned happened;  /* of enum control_happening, not taken yet */
	sb_time restart_at; /* instant, or SB_NEVER */
	sb_time asked_at;   /* instant our last request first went out, or SB_NEVER */
	unsigned restarts;  /* the restart counter */
	unsigned failures;  /* Naks and Rejects we sent in a row */
	unsigned refusals;  /* Naks and Rejects that our requests met in a row */
	uint8_t identifier; /* of our last packet */
	bool answered;      /* our last Configure-Request was */
	bool heard;         /* a Configure-Request came in this negotiation */
	sb_time opened_at;  /* instant */
	uint8_t reject_identifier;
	struct control_request ours;  /* our last */
	struct control_request peers; /* its last that we acknowledged */
	struct control_counters counters;
};

void control_init(struct control *, const struct control_kind *, void *self, struct outbox *,
		  const struct control_timers *);

void control_up(struct control *, sb_time now);   /* the layer below is */
void control_down(struct control *, sb_time now); /* no longer */
void control_open(struct control *, sb_time now);
void control_close(struct control *, sb_time now);

/* A packet of this protocol: code, identifier, length, data. */
void control_input(struct control *, sb_time now, struct bytes packet);
/* The peer does not know the protocol (Protocol-Reject). */
void control_protocol_rejected(struct control *, sb_time now);

/* Of enum control_happening, since the last call. DOWN stands before UP, FINISHED before STARTED.
 */
unsigned control_happened(struct control *);

/* A packet of a code of the kind's own. */
void control_send(struct control *, uint8_t code, uint8_t identifier, struct bytes data);

sb_time control_deadline(const struct control *); /* instant, or SB_NEVER */
void control_tick(struct control *, sb_time now);

#endif
