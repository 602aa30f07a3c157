/* SPDX-License-Identifier: MIT */
/*
 * The state transition table of RFC 1661 section 4.1, laid out as it stands
 * there: a row for each event, a column for each state, the actions and the
 * number of the next state in each cell. Initial and Starting have no lower layer,
 * so nothing is received in them; the restart timer runs in states 4 to 8.
 *
 * Of the notes to the table: [p] after the restart counter expired we stay in
 * Stopped and listen (passive); [r] no restart option, an Open in Opened does
 * nothing; [x] a crossed connection does not get here, as control.c knows the
 * answers that were given already by their identifiers.
 */
#include "ppp/automaton.h"

#include <assert.h>

/* The RFC's own spelling, so that the table can be read next to it. */
enum {
	tlu = ACTION_TLU,
	tld = ACTION_TLD,
	tls = ACTION_TLS,
	tlf = ACTION_TLF,
	irc = ACTION_IRC,
	zrc = ACTION_ZRC,
	scr = ACTION_SCR,
	sca = ACTION_SCA,
	scn = ACTION_SCN,
	str = ACTION_STR,
	sta = ACTION_STA,
	scj = ACTION_SCJ,
	ser = ACTION_SER,
};

/* clang-format off */
#define NO                {0, AUTOMATON_STATES}
#define TO(next)          {0, next}
#define DO(actions, next) {actions, next}

/* In two lines each, as the RFC breaks them: states 0 to 5, and 6 to 9. */
static const struct automaton_cell table[AUTOMATON_EVENTS][AUTOMATON_STATES] = {
	[EVENT_UP] = {
		TO(2),      DO(irc|scr, 6), NO,             NO,                 NO,         NO,
		NO,             NO,             NO,             NO,
	},
	[EVENT_DOWN] = {
		NO,         NO,             TO(0),          DO(tls, 1),         TO(0),      TO(1),
		TO(1),          TO(1),          TO(1),          DO(tld, 1),
	},
	[EVENT_OPEN] = {
		DO(tls, 1), TO(1),          DO(irc|scr, 6), TO(3),              TO(5),      TO(5),
		TO(6),          TO(7),          TO(8),          TO(9),
	},
	[EVENT_CLOSE] = {
		TO(0),      DO(tlf, 0),     TO(2),          TO(2),              TO(4),      TO(4),
		DO(irc|str, 4), DO(irc|str, 4), DO(irc|str, 4), DO(tld|irc|str, 4),
	},
	[EVENT_TO_PLUS] = {
		NO,         NO,             NO,             NO,                 DO(str, 4), DO(str, 5),
		DO(scr, 6),     DO(scr, 6),     DO(scr, 8),     NO,
	},
	[EVENT_TO_MINUS] = {
		NO,         NO,             NO,             NO,                 DO(tlf, 2), DO(tlf, 3),
		DO(tlf, 3),     DO(tlf, 3),     DO(tlf, 3),     NO,
	},
	[EVENT_RCR_PLUS] = {
		NO,         NO,             DO(sta, 2),     DO(irc|scr|sca, 8), TO(4),      TO(5),
		DO(sca, 8),     DO(sca|tlu, 9), DO(sca, 8),     DO(tld|scr|sca, 8),
	},
	[EVENT_RCR_MINUS] = {
		NO,         NO,             DO(sta, 2),     DO(irc|scr|scn, 6), TO(4),      TO(5),
		DO(scn, 6),     DO(scn, 7),     DO(scn, 6),     DO(tld|scr|scn, 6),
	},
	[EVENT_RCA] = {
		NO,         NO,             DO(sta, 2),     DO(sta, 3),         TO(4),      TO(5),
		DO(irc, 7),     DO(scr, 6),     DO(irc|tlu, 9), DO(tld|scr, 6),
	},
	[EVENT_RCN] = {
		NO,         NO,             DO(sta, 2),     DO(sta, 3),         TO(4),      TO(5),
		DO(irc|scr, 6), DO(scr, 6),     DO(irc|scr, 8), DO(tld|scr, 6),
	},
	[EVENT_RTR] = {
		NO,         NO,             DO(sta, 2),     DO(sta, 3),         DO(sta, 4), DO(sta, 5),
		DO(sta, 6),     DO(sta, 6),     DO(sta, 6),     DO(tld|zrc|sta, 5),
	},
	[EVENT_RTA] = {
		NO,         NO,             TO(2),          TO(3),              DO(tlf, 2), DO(tlf, 3),
		TO(6),          TO(6),          TO(8),          DO(tld|scr, 6),
	},
	[EVENT_RUC] = {
		NO,         NO,             DO(scj, 2),     DO(scj, 3),         DO(scj, 4), DO(scj, 5),
		DO(scj, 6),     DO(scj, 7),     DO(scj, 8),     DO(scj, 9),
	},
	[EVENT_RXJ_PLUS] = {
		NO,         NO,             TO(2),          TO(3),              TO(4),      TO(5),
		TO(6),          TO(6),          TO(8),          TO(9),
	},
	[EVENT_RXJ_MINUS] = {
		NO,         NO,             DO(tlf, 2),     DO(tlf, 3),         DO(tlf, 2), DO(tlf, 3),
		DO(tlf, 3),     DO(tlf, 3),     DO(tlf, 3),     DO(tld|irc|str, 5),
	},
	[EVENT_RXR] = {
		NO,         NO,             TO(2),          TO(3),              TO(4),      TO(5),
		TO(6),          TO(7),          TO(8),          DO(ser, 9),
	},
};
/* clang-format on */

static const char *const names[AUTOMATON_STATES] = {
	"Initial",  "Starting", "Closed",   "Stopped",  "Closing",
	"Stopping", "Req-Sent", "Ack-Rcvd", "Ack-Sent", "Opened",
};

struct automaton_cell automaton_step(enum automaton_state state, enum automaton_event event)
{
	assert(state < AUTOMATON_STATES && event < AUTOMATON_EVENTS);
	return table[event][state];
}

const char *automaton_state_name(enum automaton_state state)
{
	assert(state < AUTOMATON_STATES);
	return names[state];
}
