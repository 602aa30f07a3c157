/* SPDX-License-Identifier: MIT */
/*
 * What all control protocols have in common: the automaton's actions (RFC 1661
 * section 4.4), its restart timer and counters (4.6), packets of codes 1 to 7 (5).
 *
 * A packet or a timeout becomes an event, the event a cell of the table, the cell
 * actions and the next state; which event a packet is, control_input.c tells. What
 * was agreed is forgotten when a cell sends a request from a state in which no
 * negotiation was under way.
 *
 * A lost packet is a request sent again, which costs a restart period. Two
 * things keep that from costing more: see the head of control.h.
 */
#include "ppp/control.h"

#include <assert.h>

#include "ppp/control_steps.h"

void control_init(struct control *c, const struct control_kind *kind, void *self,
		  struct outbox *outbox, const struct control_timers *timers)
{
	*c = (struct control){
		.kind = kind,
		.self = self,
		.outbox = outbox,
		.timers = *timers,
		.state = STATE_INITIAL,
		.restart_at = SB_NEVER,
		.asked_at = SB_NEVER,
		.answered = true,
	};
}

/* --- requests kept to be compared --- */

void control_keep(struct control_request *r, uint8_t identifier, struct bytes options)
{
	r->kept = options.length <= sizeof r->options;
	if (!r->kept)
		return;
	r->identifier = identifier;
	r->length = (uint16_t)options.length;
	memcpy(r->options, options.at, options.length);
}

bool control_is_kept(const struct control_request *r, struct bytes options)
{
	return r->kept && r->length == options.length &&
	       memcmp(r->options, options.at, options.length) == 0;
}

/* --- actions --- */

void control_send(struct control *c, uint8_t code, uint8_t identifier, struct bytes data)
{
	uint8_t memory[PPP_PACKET_HEADER + CONTROL_DATA_SIZE];
	struct buf packet = buf_over(memory, sizeof memory);

	ppp_packet_put_header(&packet, code, identifier, data.length);
	buf_append(&packet, data);
	assert(!packet.overflow);
	outbox_put(c->outbox, c->kind->protocol, buf_bytes(&packet));
}

static bool is_timed(const struct control *c)
{
	return c->state >= STATE_CLOSING && c->state <= STATE_ACK_SENT;
}

static void count_down(struct control *c)
{
	if (c->restarts)
		c->restarts--;
}

/* The same request keeps its identifier while it has no answer. */
static void send_configure_request(struct control *c, sb_time now)
{
	uint8_t memory[CONTROL_OPTIONS_SIZE];
	struct buf options = buf_over(memory, sizeof memory);

	c->kind->request(c->self, &options);
	assert(!options.overflow);
	if (c->answered || !control_is_kept(&c->ours, buf_bytes(&options))) {
		control_keep(&c->ours, ++c->identifier, buf_bytes(&options));
		c->asked_at = now;
	}
	c->answered = false;
	count_down(c);
	control_send(c, CODE_CONFIGURE_REQUEST, c->ours.identifier,
		     bytes_of(c->ours.options, c->ours.length));
}

static void send_terminate_request(struct control *c)
{
	count_down(c);
	control_send(c, CODE_TERMINATE_REQUEST, ++c->identifier, bytes_of(NULL, 0));
}

static void note(struct control *c, unsigned happened, unsigned undone)
{
	c->happened = (c->happened & ~undone) | happened;
}

static void do_layer_actions(struct control *c, sb_time now, unsigned actions)
{
	if (actions & ACTION_TLU) {
		c->opened_at = now;
		note(c, CONTROL_UP, 0);
	}
	if (actions & ACTION_TLD)
		note(c, CONTROL_DOWN, CONTROL_UP);
	if (actions & ACTION_TLS)
		note(c, CONTROL_STARTED, 0);
	if (actions & ACTION_TLF)
		note(c, CONTROL_FINISHED, CONTROL_STARTED);
}

/* An Ack gives the peer a whole period for its request, too. */
static void do_counter_actions(struct control *c, sb_time now, unsigned actions)
{
	const unsigned restarting = ACTION_IRC | ACTION_ZRC | ACTION_SCR | ACTION_STR;

	if (actions & ACTION_IRC)
		c->restarts =
			actions & ACTION_STR ? c->timers.max_terminate : c->timers.max_configure;
	if (actions & ACTION_ZRC)
		c->restarts = 0;
	if (!is_timed(c))
		c->restart_at = SB_NEVER;
	else if (actions & restarting)
		c->restart_at = now + c->timers.restart;
}

static void do_packet_actions(struct control *c, sb_time now, unsigned actions,
			      const struct ppp_packet *answer)
{
	if (actions & ACTION_SCR)
		send_configure_request(c, now);
	if (actions & (ACTION_SCA | ACTION_SCN | ACTION_SCJ)) {
		assert(answer);
		control_send(c, answer->code, answer->identifier, answer->data);
	}
	if (actions & ACTION_STR)
		send_terminate_request(c);
	if (actions & ACTION_STA) {
		assert(answer);
		control_send(c, CODE_TERMINATE_ACK, answer->identifier, bytes_of(NULL, 0));
	}
}

void control_apply(struct control *c, sb_time now, enum automaton_event event,
		   const struct ppp_packet *answer)
{
	struct automaton_cell cell = automaton_step(c->state, event);

	assert(cell.next < AUTOMATON_STATES);
	c->state = cell.next;
	do_layer_actions(c, now, cell.actions);
	do_counter_actions(c, now, cell.actions);
	do_packet_actions(c, now, cell.actions, answer);
}

void control_ask_again(struct control *c, sb_time now)
{
	const unsigned actions = ACTION_IRC | ACTION_SCR;

	do_counter_actions(c, now, actions);
	do_packet_actions(c, now, actions, NULL);
}

/* --- a negotiation's beginning and end --- */

bool control_begins(const struct control *c, enum automaton_event event)
{
	bool under_way = c->state >= STATE_REQ_SENT && c->state <= STATE_ACK_SENT;

	return !under_way && automaton_step(c->state, event).actions & ACTION_SCR;
}

void control_begin(struct control *c)
{
	c->answered = true; /* by nobody any more */
	c->heard = false;
	c->failures = c->refusals = 0;
	c->end = CONTROL_NO_END;
	c->kind->begin(c->self);
}

void control_happen(struct control *c, sb_time now, enum automaton_event event)
{
	if (control_begins(c, event))
		control_begin(c);
	control_apply(c, now, event, NULL);
}

void control_end_with(struct control *c, enum control_end end)
{
	if (c->end == CONTROL_NO_END)
		c->end = end;
}

void control_give_up(struct control *c, sb_time now, enum control_end end)
{
	control_end_with(c, end);
	control_apply(c, now, EVENT_RXJ_MINUS, NULL);
}

/* --- the owner --- */

void control_protocol_rejected(struct control *c, sb_time now)
{
	if (c->state > STATE_STARTING)
		control_give_up(c, now, CONTROL_PEER_REJECTED);
}

void control_up(struct control *c, sb_time now)
{
	control_happen(c, now, EVENT_UP);
}

void control_down(struct control *c, sb_time now)
{
	control_happen(c, now, EVENT_DOWN);
}

void control_open(struct control *c, sb_time now)
{
	control_happen(c, now, EVENT_OPEN);
}

void control_close(struct control *c, sb_time now)
{
	control_end_with(c, CONTROL_WE_CLOSED);
	control_happen(c, now, EVENT_CLOSE);
}

unsigned control_happened(struct control *c)
{
	unsigned happened = c->happened;

	c->happened = 0;
	return happened;
}

sb_time control_deadline(const struct control *c)
{
	return c->restart_at;
}

void control_tick(struct control *c, sb_time now)
{
	if (now < c->restart_at)
		return;
	if (c->restarts) {
		control_happen(c, now, EVENT_TO_PLUS);
		return;
	}
	if (control_is_negotiating(c))
		control_end_with(c, CONTROL_NO_REPLY);
	control_happen(c, now, EVENT_TO_MINUS);
}
