/* SPDX-License-Identifier: MIT */
/*
 * The automaton's steps as control_input.c takes them; of control.c, and for
 * nobody else.
 */
#ifndef PPP_CONTROL_STEPS_H
#define PPP_CONTROL_STEPS_H

#include "ppp/control.h"
#include "ppp/packet.h"

enum {
	/* Every peer takes so much, whatever MRU it asks for (RFC 1661 section 6.1). */
	CONTROL_DATA_SIZE = PPP_DEFAULT_MRU - PPP_PACKET_HEADER,
};

/* Req-Sent or beyond: requests and answers count. */
static inline bool control_is_negotiating(const struct control *c)
{
	return c->state >= STATE_REQ_SENT;
}

/*
 * Does what the table says: actions, next state. The answer is what SCA, SCN or
 * SCJ is to send; STA takes its identifier. NULL where none of these can be.
 */
void control_apply(struct control *, sb_time now, enum automaton_event,
		   const struct ppp_packet *answer);
/* Whether the event is the first of a negotiation. */
bool control_begins(const struct control *, enum automaton_event);
void control_begin(struct control *);
/* The same, begun if need be. */
void control_happen(struct control *, sb_time now, enum automaton_event);
/* Our request once more, with as many restarts to come as at first. */
void control_ask_again(struct control *, sb_time now);
/* Why it ends; what was said first stands. */
void control_end_with(struct control *, enum control_end);
/* Ends by the event for what cannot be mended, RXJ-. */
void control_give_up(struct control *, sb_time now, enum control_end);

void control_keep(struct control_request *, uint8_t identifier, struct bytes options);
bool control_is_kept(const struct control_request *, struct bytes options);

#endif
