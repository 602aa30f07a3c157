/* SPDX-License-Identifier: MIT */
/*
 * The parts of a link: link.c has its life, link_config.c its beginning, link_event.c
 * what the owner is told, link_input.c and link_output.c what comes and goes.
 */
#ifndef PPP_LINK_STATE_H
#define PPP_LINK_STATE_H

#include "ppp/lcp.h"
#include "ppp/link.h"
#include "ppp/link_frame.h"
#include "ppp/lqr.h"

enum {
	LINK_ECHOES_KEPT =
		32, /* requests on their way: more than a full port of the peer can delay */
	LINK_REJECTED_KEPT = 4, /* protocols, of which the owner was not told yet */
};

struct link {
	struct link_config config;
	struct outbox outbox;
	struct lcp lcp;
	struct auth *auth;
	struct lqr lqr;
	struct keepalive keepalive;
	struct hdlc_decoder *decoder;
	struct link_coding plain; /* as before any agreement */
	struct link_coding coding;
	enum hdlc_fcs receive_fcs;
	struct link_agreed agreed;

	bool lower; /* the layer below is up */
	bool waits; /* passive, and the peer has not spoken */
	bool network;
	bool hears_out; /* closed from here: the peer's packets pass until it has agreed */
	bool met;       /* in NETWORK: the peer has said what it says in Opened alone */
	bool mark;      /* the owner's next frame begins with a flag of its own */
	bool aborts;    /* and any next frame with the end of one that was cut short */
	bool report_due, echo_due; /* to be made when the line has room */
	enum link_reason failure;  /* why we end it ourselves; LINK_FINE: we do not */

	bool ended; /* DOWN was said for good, until the next begin */
	bool down;  /* DOWN is to be said, with down_reason */
	enum link_reason down_reason;
	bool told_up, told_silent;
	bool identified; /* to be said */
	uint16_t rejected[LINK_REJECTED_KEPT];
	unsigned rejected_count;

	struct {
		uint8_t identifier;
		sb_time at; /* instant, or SB_NEVER */
	} echoes[LINK_ECHOES_KEPT];
	struct lqr_counts counts;
	struct link_counters counters; /* those that are not kept elsewhere */
	uint64_t high_bits;            /* of the decoder, when the line came */
};

static inline bool link_is_opened(const struct link *l)
{
	return l->lcp.control.state == STATE_OPENED;
}

static inline bool lcp_has(const struct lcp_options *o, enum lcp_option option)
{
	return o->given & LCP_BIT(option);
}

struct lcp_config link_lcp_config(const struct link_config *);
size_t link_longest_frame(const struct link_config *);

/* Does what follows from what LCP, authentication and the keep-alive came to. */
void link_settle(struct link *, sb_time now);

void link_say_down(struct link *, enum link_reason);
enum link_reason link_reason_of_end(const struct link *);

/* For reports; those of what comes include the frame that a report is in. */
struct lqr_counts link_counts(const struct link *);

#endif
