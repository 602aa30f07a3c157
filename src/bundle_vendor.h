/* SPDX-License-Identifier: MIT */
/*
 * What a bundle tells the one at the other end, and is told (ppp/vendor.h): how it spreads packets,
 * what it asks for, what came over each link. Agreed on once for all links, with peers of our own
 * kind alone; with others, and over SLIP, none of this happens.
 */
#ifndef SRC_BUNDLE_VENDOR_H
#define SRC_BUNDLE_VENDOR_H

#include "ppp/vendor.h"
#include "src/config.h"
#include "src/report.h"

struct bundle;

/* What is said of a link, until it is another. */
struct vendor_words {
	uint32_t mode, share, wish, pace; /* as in vendor_message; 0: not said, but for the mode */
};

struct vendor_link {
	bool told; /* the words below, since it came */
	struct vendor_words said;
	sb_time again_at, again; /* instant at which they are said again, and the time between */
	size_t owed;     /* characters that were said, and are paid for with time from here: */
	sb_time owed_at; /* instant */
	bool owes_notice;
	uint64_t received;   /* characters, when the peer was told last */
	sb_time received_at; /* instant at which it was */
	size_t report;       /* characters, of the frame in which it was */
	uint64_t sent;       /* the same of what was sent */
	sb_time sent_at;     /* instant; SB_NEVER: it was not told yet */

	uint32_t share; /* that the peer asks us to send over it; 0: none */
	uint32_t pace;  /* bps at which it says that it sends over it; 0: it does not */
	bool has_time;  /* the peer's clock is known: */
	uint32_t ahead; /* by so many ticks of ours when it told first */
};

struct bundle_vendor {
	struct vendor *engine;
	bool begun, up; /* the engine was told of links; what it last was */
	struct vendor_link links[CONFIG_MAX_LINES];

	bool peer_told; /* the peer's: */
	enum mode mode;
	enum xmit_hash hash;
	bool compared, differed; /* the modes, as they were then: */
	enum mode compared_own, compared_peer;
	sb_time compare_at; /* instant of the next time, at the earliest */

	sb_time alone_at; /* instant at which to say that nobody heeds our shares, or SB_NEVER */
	bool said_alone;
	struct report_vendor counters;
};

bool bundle_vendor_init(struct bundle *); /* false: out of memory */
void bundle_vendor_free(struct bundle *);

/* --- from links --- */

void bundle_vendor_link_up(struct bundle *, unsigned i, sb_time now);
void bundle_vendor_link_down(struct bundle *, unsigned i, sb_time now);
/* No link is left. */
void bundle_vendor_down(struct bundle *, sb_time now);
/* False: the packet is none of the vendor protocol's. */
bool bundle_vendor_receive(struct bundle *, unsigned i, struct encap_packet, sb_time now);
void bundle_vendor_rejected(struct bundle *, uint16_t protocol, sb_time now);

/* --- to links --- */

/* Loads the line with what is to be said over it now; false: nothing is. */
bool bundle_vendor_load(struct bundle *, unsigned i, sb_time now);
/* The instant from which there is something to be said over the line, or SB_NEVER. */
sb_time bundle_vendor_due(const struct bundle *, unsigned i);
/* The peer sends over the link as slowly as it says, or as it was asked to. */
void bundle_vendor_expect(struct bundle *, unsigned i);
/* The peer is to be told that link i is our active one now. */
void bundle_vendor_notice(struct bundle *, unsigned i);

/* --- time --- */

void bundle_vendor_run(struct bundle *, sb_time now);
/* Of what is not said over a line. */
sb_time bundle_vendor_deadline(const struct bundle *);

struct report_vendor bundle_vendor_report(const struct bundle *);

#endif
