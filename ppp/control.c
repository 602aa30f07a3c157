/* SPDX-License-Identifier: MIT */
/*
 * What all control protocols have in common: the automaton's actions (RFC 1661
 * section 4.4), its restart timer and counters (4.6), packets of codes 1 to 7 (5).
 *
 * A packet or a timeout becomes an event, the event a cell of the table, the cell
 * actions and the next state. What has to be known before that, is found out
 * before: whether a request is good, and so which of RCR+ and RCR- it is, whether
 * an answer is one to our last request. What was agreed is forgotten when a cell
 * sends a request from a state in which no negotiation was under way.
 *
 * Bounds. The automaton counts requests that meet silence, not talk that leads
 * nowhere. Here both ends' refusals in a row are counted: after max_failure of
 * ours no values are proposed any more, only options rejected; after twice as many,
 * of ours or of the peer's, the negotiation is given up, by the event for what
 * cannot be mended (RXJ-).
 *
 * A lost packet is a request sent again, which costs a restart period. Two
 * things keep that from costing more: see the head of control.h.
 */
#include "ppp/control.h"

#include <assert.h>

#include "ppp/option.h"
#include "ppp/packet.h"

#define DEAF_AFTER (250 * SB_MS) /* our request is out for so long: the peer did not hear it */

enum {
	/* Every peer takes so much, whatever MRU it asks for (RFC 1661 section 6.1). */
	DATA_SIZE = PPP_DEFAULT_MRU - PPP_PACKET_HEADER,
	/* Of a packet with a code that is unknown: enough to tell which one it was. */
	REJECTED_SIZE = 64,
	LATE_RESTARTS = 3, /* in Opened, restart periods in which a request may come again */
};

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

static void keep(struct control_request *r, uint8_t identifier, struct bytes options)
{
	r->kept = options.length <= sizeof r->options;
	if (!r->kept)
		return;
	r->identifier = identifier;
	r->length = (uint16_t)options.length;
	memcpy(r->options, options.at, options.length);
}

static struct bytes kept_options(const struct control_request *r)
{
	return bytes_of(r->options, r->length);
}

static bool bytes_are_equal(struct bytes a, struct bytes b)
{
	return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

static bool is_same(const struct control_request *r, struct bytes options)
{
	return r->kept && bytes_are_equal(kept_options(r), options);
}

/* Whether all of `some` are among `all`, unmodified and in their order (RFC 1661 section 5.4). */
static bool options_are_among(struct bytes some, struct bytes all)
{
	struct option wanted, found;

	while (option_next(&some, &wanted)) {
		do {
			if (!option_next(&all, &found))
				return false;
		} while (!bytes_are_equal(wanted.whole, found.whole));
	}
	return true;
}

/* --- actions --- */

void control_send(struct control *c, uint8_t code, uint8_t identifier, struct bytes data)
{
	uint8_t memory[PPP_PACKET_HEADER + DATA_SIZE];
	struct buf packet = buf_over(memory, sizeof memory);

	ppp_packet_put_header(&packet, code, identifier, data.length);
	buf_append(&packet, data);
	assert(!packet.overflow);
	outbox_put(c->outbox, c->kind->protocol, buf_bytes(&packet));
}

static bool is_negotiating(const struct control *c)
{
	return c->state >= STATE_REQ_SENT;
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
	if (c->answered || !is_same(&c->ours, buf_bytes(&options)))
		keep(&c->ours, ++c->identifier, buf_bytes(&options));
	c->answered = false;
	c->asked_at = now;
	count_down(c);
	control_send(c, CODE_CONFIGURE_REQUEST, c->ours.identifier, kept_options(&c->ours));
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
	if (actions & (ACTION_SCA | ACTION_SCN | ACTION_SCJ))
		control_send(c, answer->code, answer->identifier, answer->data);
	if (actions & ACTION_STR)
		send_terminate_request(c);
	if (actions & ACTION_STA)
		control_send(c, CODE_TERMINATE_ACK, answer->identifier, bytes_of(NULL, 0));
}

/* The answer is what SCA, SCN or SCJ is to send; STA takes its identifier. */
static void apply(struct control *c, sb_time now, enum automaton_event event,
		  const struct ppp_packet *answer)
{
	struct automaton_cell cell = automaton_step(c->state, event);

	assert(cell.next < AUTOMATON_STATES);
	c->state = cell.next;
	do_layer_actions(c, now, cell.actions);
	do_counter_actions(c, now, cell.actions);
	do_packet_actions(c, now, cell.actions, answer);
}

/* --- a negotiation's beginning and end --- */

static bool begins(const struct control *c, enum automaton_event event)
{
	bool under_way = c->state >= STATE_REQ_SENT && c->state <= STATE_ACK_SENT;

	return !under_way && automaton_step(c->state, event).actions & ACTION_SCR;
}

static void begin(struct control *c)
{
	c->answered = true; /* by nobody any more */
	c->heard = false;
	c->failures = c->refusals = 0;
	c->peers.kept = false;
	c->end = CONTROL_NO_END;
	c->kind->begin(c->self);
}

static void happen(struct control *c, sb_time now, enum automaton_event event)
{
	if (begins(c, event))
		begin(c);
	apply(c, now, event, NULL);
}

static void end_with(struct control *c, enum control_end end)
{
	if (c->end == CONTROL_NO_END)
		c->end = end;
}

static void give_up(struct control *c, sb_time now, enum control_end end)
{
	end_with(c, end);
	apply(c, now, EVENT_RXJ_MINUS, NULL);
}

/* --- packets --- */

/* One that came late, or our Ack of it was lost. */
static bool is_repeated(const struct control *c, sb_time now, const struct ppp_packet *request)
{
	return c->state == STATE_OPENED && now - c->opened_at < LATE_RESTARTS * c->timers.restart &&
	       request->identifier == c->peers.identifier && is_same(&c->peers, request->data);
}

/* The peer speaks for the first time: what was said before, it has not heard. */
static void repeat_to_the_deaf(struct control *c, sb_time now)
{
	bool first = !c->heard;

	c->heard = true;
	if (!first || c->state != STATE_REQ_SENT || c->answered || now - c->asked_at < DEAF_AFTER)
		return;
	const unsigned actions = ACTION_IRC | ACTION_SCR;
	do_counter_actions(c, now, actions);
	do_packet_actions(c, now, actions, NULL);
}

static void acknowledge(struct control *c, sb_time now, const struct ppp_packet *request,
			const struct ppp_packet *answer)
{
	c->failures = 0;
	keep(&c->peers, request->identifier, request->data);
	apply(c, now, EVENT_RCR_PLUS, answer);
}

static void refuse(struct control *c, sb_time now, const struct ppp_packet *answer)
{
	if (c->failures == 2 * c->timers.max_failure) {
		give_up(c, now, CONTROL_NO_AGREEMENT);
		return;
	}
	c->failures++;
	apply(c, now, EVENT_RCR_MINUS, answer);
}

static void judge(struct control *c, sb_time now, const struct ppp_packet *request)
{
	static const uint8_t codes[] = {
		[VERDICT_ACK] = CODE_CONFIGURE_ACK,
		[VERDICT_NAK] = CODE_CONFIGURE_NAK,
		[VERDICT_REJECT] = CODE_CONFIGURE_REJECT,
	};
	uint8_t memory[DATA_SIZE];
	struct buf options = buf_over(memory, sizeof memory);
	bool insist = c->failures >= c->timers.max_failure;
	enum control_verdict verdict = c->kind->judge(c->self, request->data, insist, &options);

	struct ppp_packet answer = {codes[verdict], request->identifier, buf_bytes(&options)};
	if (options.overflow) { /* a Nak longer than the request, of one already too long */
		verdict = VERDICT_REJECT;
		answer = (struct ppp_packet){codes[verdict], request->identifier, request->data};
	}
	repeat_to_the_deaf(c, now);
	if (verdict == VERDICT_ACK)
		acknowledge(c, now, request, &answer);
	else
		refuse(c, now, &answer);
}

static void configure_request(struct control *c, sb_time now, const struct ppp_packet *request)
{
	if (request->data.length > DATA_SIZE || !options_are_whole(request->data)) {
		c->counters.bad_packets++;
		return;
	}
	if (is_repeated(c, now, request)) {
		control_send(c, CODE_CONFIGURE_ACK, request->identifier, request->data);
		return;
	}
	/* That it is good does not matter yet: both events begin, or neither. */
	if (begins(c, EVENT_RCR_PLUS))
		begin(c);
	else if (!is_negotiating(c)) {
		apply(c, now, EVENT_RCR_MINUS, request);
		return;
	}
	judge(c, now, request);
}

/* Whether it answers our last request; if so, that is settled. */
static bool is_answer(struct control *c, const struct ppp_packet *packet)
{
	if (c->answered || packet->identifier != c->ours.identifier) {
		c->counters.stray++;
		return false;
	}
	return true;
}

static void configure_ack(struct control *c, sb_time now, const struct ppp_packet *ack)
{
	if (is_negotiating(c)) {
		if (!is_answer(c, ack))
			return;
		if (!is_same(&c->ours, ack->data)) { /* RFC 1661 section 5.2 */
			c->counters.bad_packets++;
			return;
		}
		c->answered = true;
		c->refusals = 0;
		c->kind->acked(c->self);
	}
	apply(c, now, EVENT_RCA, ack);
}

static bool is_good_refusal(const struct control *c, const struct ppp_packet *refusal)
{
	return options_are_whole(refusal->data) &&
	       (refusal->code == CODE_CONFIGURE_NAK ||
		options_are_among(refusal->data, kept_options(&c->ours)));
}

/* False: no use in going on. */
static bool take_refusal(struct control *c, const struct ppp_packet *refusal)
{
	if (c->refusals == 2 * c->timers.max_failure)
		return false;
	c->refusals++;
	return refusal->code == CODE_CONFIGURE_NAK ? c->kind->naked(c->self, refusal->data)
						   : c->kind->rejected(c->self, refusal->data);
}

static void configure_refusal(struct control *c, sb_time now, const struct ppp_packet *refusal)
{
	if (is_negotiating(c)) {
		if (!is_answer(c, refusal))
			return;
		if (!is_good_refusal(c, refusal)) {
			c->counters.bad_packets++;
			return;
		}
		c->answered = true;
		if (!take_refusal(c, refusal)) {
			give_up(c, now, CONTROL_NO_AGREEMENT);
			return;
		}
	}
	apply(c, now, EVENT_RCN, refusal);
}

static void terminate_request(struct control *c, sb_time now, const struct ppp_packet *request)
{
	if (c->state == STATE_OPENED)
		end_with(c, CONTROL_PEER_CLOSED);
	apply(c, now, EVENT_RTR, request);
}

/* Codes 1 to 7 no implementation can do without; others have to do without the peer. */
static void code_reject(struct control *c, sb_time now, const struct ppp_packet *reject)
{
	if (reject->data.length == 0) {
		c->counters.bad_packets++;
		return;
	}
	uint8_t code = reject->data.at[0];
	if (code >= CODE_CONFIGURE_REQUEST && code <= CODE_CODE_REJECT)
		give_up(c, now, CONTROL_PEER_REJECTED);
	else
		apply(c, now, EVENT_RXJ_PLUS, NULL);
}

static void other_code(struct control *c, sb_time now, const struct ppp_packet *p,
		       struct bytes whole)
{
	if (c->kind->packet && c->kind->packet(c->self, now, p->code, p->identifier, p->data))
		return;
	struct ppp_packet reject = {
		.code = CODE_CODE_REJECT,
		.identifier = ++c->reject_identifier,
		.data = bytes_of(whole.at,
				 whole.length < REJECTED_SIZE ? whole.length : REJECTED_SIZE),
	};
	apply(c, now, EVENT_RUC, &reject);
}

void control_input(struct control *c, sb_time now, struct bytes in)
{
	struct ppp_packet packet;

	if (c->state <= STATE_STARTING) /* too late: the layer below is down */
		return;
	if (!ppp_packet_take(in, &packet)) {
		c->counters.bad_packets++;
		return;
	}
	switch (packet.code) {
	case CODE_CONFIGURE_REQUEST:
		configure_request(c, now, &packet);
		break;
	case CODE_CONFIGURE_ACK:
		configure_ack(c, now, &packet);
		break;
	case CODE_CONFIGURE_NAK:
	case CODE_CONFIGURE_REJECT:
		configure_refusal(c, now, &packet);
		break;
	case CODE_TERMINATE_REQUEST:
		terminate_request(c, now, &packet);
		break;
	case CODE_TERMINATE_ACK:
		happen(c, now, EVENT_RTA);
		break;
	case CODE_CODE_REJECT:
		code_reject(c, now, &packet);
		break;
	default:
		other_code(c, now, &packet,
			   bytes_of(in.at, PPP_PACKET_HEADER + packet.data.length));
	}
}

void control_protocol_rejected(struct control *c, sb_time now)
{
	if (c->state > STATE_STARTING)
		give_up(c, now, CONTROL_PEER_REJECTED);
}

/* --- the owner --- */

void control_up(struct control *c, sb_time now)
{
	happen(c, now, EVENT_UP);
}

void control_down(struct control *c, sb_time now)
{
	happen(c, now, EVENT_DOWN);
}

void control_open(struct control *c, sb_time now)
{
	happen(c, now, EVENT_OPEN);
}

void control_close(struct control *c, sb_time now)
{
	end_with(c, CONTROL_WE_CLOSED);
	happen(c, now, EVENT_CLOSE);
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
		happen(c, now, EVENT_TO_PLUS);
		return;
	}
	if (is_negotiating(c))
		end_with(c, CONTROL_NO_REPLY);
	happen(c, now, EVENT_TO_MINUS);
}
