/* SPDX-License-Identifier: MIT */
/*
 * The option negotiation automaton of RFC 1661 section 4.1, as its table: ten
 * states, sixteen events, and for each pair the actions and the next state.
 */
#ifndef PPP_AUTOMATON_H
#define PPP_AUTOMATON_H

#include <stdint.h>

/* In the order of the RFC, whose numbers they have. */
enum automaton_state {
	STATE_INITIAL,
	STATE_STARTING,
	STATE_CLOSED,
	STATE_STOPPED,
	STATE_CLOSING,
	STATE_STOPPING,
	STATE_REQ_SENT,
	STATE_ACK_RCVD,
	STATE_ACK_SENT,
	STATE_OPENED,
	AUTOMATON_STATES,
};

enum automaton_event {
	EVENT_UP,
	EVENT_DOWN,
	EVENT_OPEN,
	EVENT_CLOSE,
	EVENT_TO_PLUS,  /* timeout with counter > 0 */
	EVENT_TO_MINUS, /* with counter expired */
	EVENT_RCR_PLUS, /* Receive-Configure-Request, good */
	EVENT_RCR_MINUS,
	EVENT_RCA, /* ...-Ack */
	EVENT_RCN, /* ...-Nak or -Reject */
	EVENT_RTR, /* Receive-Terminate-Request */
	EVENT_RTA,
	EVENT_RUC,       /* Receive-Unknown-Code */
	EVENT_RXJ_PLUS,  /* Receive-Code- or -Protocol-Reject, permitted */
	EVENT_RXJ_MINUS, /* catastrophic */
	EVENT_RXR,       /* Receive-Echo-Request, -Reply, -Discard-Request */
	AUTOMATON_EVENTS,
};

/* To be done in this order. */
enum automaton_action {
	ACTION_TLU = 1 << 0, /* This-Layer-Up */
	ACTION_TLD = 1 << 1,
	ACTION_TLS = 1 << 2,
	ACTION_TLF = 1 << 3,
	ACTION_IRC = 1 << 4, /* Initialize-Restart-Count */
	ACTION_ZRC = 1 << 5,
	ACTION_SCR = 1 << 6, /* Send-Configure-Request */
	ACTION_SCA = 1 << 7,
	ACTION_SCN = 1 << 8,
	ACTION_STR = 1 << 9, /* Send-Terminate-Request */
	ACTION_STA = 1 << 10,
	ACTION_SCJ = 1 << 11, /* Send-Code-Reject */
	ACTION_SER = 1 << 12, /* Send-Echo-Reply */
};

struct automaton_cell {
	uint16_t actions; /* of enum automaton_action */
	uint8_t next; /* enum automaton_state; AUTOMATON_STATES: cannot happen (the RFC's "-") */
};

struct automaton_cell automaton_step(enum automaton_state, enum automaton_event);

const char *automaton_state_name(enum automaton_state); /* as the RFC writes it */

#endif
