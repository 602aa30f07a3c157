/* SPDX-License-Identifier: MIT */
/*
 * Packets of the codes 1 to 7, and of those of a protocol's own, as events of the
 * automaton (RFC 1661 section 5).
 *
 * What has to be known before the event is found out first: whether a request
 * is good, and so which of RCR+ and RCR- it is, whether an answer is one to our last
 * request. What is not, is dropped and counted, as the RFC wants it.
 *
 * Bounds. The automaton counts requests that meet silence, not talk that leads
 * nowhere. Here both ends' refusals in a row are counted: after max_failure of
 * ours no values are proposed any more, only options rejected; after twice as many,
 * of ours or of the peer's, the negotiation is given up.
 */
#include "ppp/control_steps.h"
#include "ppp/option.h"

/*
 * Our request is out for so long: the peer may have begun to listen only after it.
 * To be wrong costs a packet, to wait for the timer costs seconds. Less than this is
 * no line's time for a request, so both were sent in the same moment.
 */
#define DEAF_AFTER SB_MS

enum {
	/* Of a packet with a code that is unknown: enough to tell which one it was. */
	REJECTED_SIZE = 64,
	LATE_RESTARTS = 3, /* in Opened, restart periods in which a request may come again */
};

/* --- requests --- */

/* One that came late, or our Ack of it was lost. */
static bool is_repeated(const struct control *c, sb_time now, const struct ppp_packet *request)
{
	return c->state == STATE_OPENED && now - c->opened_at < LATE_RESTARTS * c->timers.restart &&
	       request->identifier == c->peers.identifier &&
	       control_is_kept(&c->peers, request->data);
}

/* The peer speaks for the first time: what was said before, it may not have heard. */
static void repeat_to_the_deaf(struct control *c, sb_time now)
{
	bool first = !c->heard;

	c->heard = true;
	if (first && c->state == STATE_REQ_SENT && !c->answered && now - c->asked_at >= DEAF_AFTER)
		control_ask_again(c, now);
}

static void acknowledge(struct control *c, sb_time now, const struct ppp_packet *request,
			const struct ppp_packet *answer)
{
	c->failures = 0;
	control_keep(&c->peers, request->identifier, request->data);
	control_apply(c, now, EVENT_RCR_PLUS, answer);
}

static void refuse(struct control *c, sb_time now, const struct ppp_packet *answer)
{
	if (c->failures == 2 * c->timers.max_failure) {
		control_give_up(c, now, CONTROL_NO_AGREEMENT);
		return;
	}
	c->failures++;
	control_apply(c, now, EVENT_RCR_MINUS, answer);
}

static void judge(struct control *c, sb_time now, const struct ppp_packet *request)
{
	static const uint8_t codes[] = {
		[VERDICT_ACK] = CODE_CONFIGURE_ACK,
		[VERDICT_NAK] = CODE_CONFIGURE_NAK,
		[VERDICT_REJECT] = CODE_CONFIGURE_REJECT,
	};
	uint8_t memory[CONTROL_DATA_SIZE];
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
	if (request->data.length > CONTROL_DATA_SIZE || !options_are_whole(request->data)) {
		c->counters.bad_packets++;
		return;
	}
	if (is_repeated(c, now, request)) {
		c->happened |= CONTROL_ASKED_AGAIN;
		control_send(c, CODE_CONFIGURE_ACK, request->identifier, request->data);
		return;
	}
	/* That it is good does not matter yet: both events begin, or neither. */
	if (control_begins(c, EVENT_RCR_PLUS))
		control_begin(c);
	else if (!control_is_negotiating(c)) {
		control_apply(c, now, EVENT_RCR_MINUS, request);
		return;
	}
	judge(c, now, request);
}

/* --- answers to ours --- */

static bool bytes_are_equal(struct bytes a, struct bytes b)
{
	return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
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

/* Whether it answers our last request, as the first one to do so. */
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
	if (control_is_negotiating(c)) {
		if (!is_answer(c, ack))
			return;
		if (!control_is_kept(&c->ours, ack->data)) { /* RFC 1661 section 5.2 */
			c->counters.bad_packets++;
			return;
		}
		c->answered = true;
		c->refusals = 0;
		c->kind->acked(c->self);
	}
	control_apply(c, now, EVENT_RCA, ack);
}

static bool is_good_refusal(const struct control *c, const struct ppp_packet *refusal)
{
	return options_are_whole(refusal->data) &&
	       (refusal->code == CODE_CONFIGURE_NAK ||
		options_are_among(refusal->data, bytes_of(c->ours.options, c->ours.length)));
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
	if (control_is_negotiating(c)) {
		if (!is_answer(c, refusal))
			return;
		if (!is_good_refusal(c, refusal)) {
			c->counters.bad_packets++;
			return;
		}
		c->answered = true;
		if (!take_refusal(c, refusal)) {
			control_give_up(c, now, CONTROL_NO_AGREEMENT);
			return;
		}
	}
	control_apply(c, now, EVENT_RCN, refusal);
}

/* --- the others --- */

static void terminate_request(struct control *c, sb_time now, const struct ppp_packet *request)
{
	if (c->state == STATE_OPENED)
		control_end_with(c, CONTROL_PEER_CLOSED);
	control_apply(c, now, EVENT_RTR, request);
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
		control_give_up(c, now, CONTROL_PEER_REJECTED);
	else
		control_apply(c, now, EVENT_RXJ_PLUS, NULL);
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
	control_apply(c, now, EVENT_RUC, &reject);
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
		control_happen(c, now, EVENT_RTA);
		break;
	case CODE_CODE_REJECT:
		code_reject(c, now, &packet);
		break;
	default:
		other_code(c, now, &packet,
			   bytes_of(in.at, PPP_PACKET_HEADER + packet.data.length));
	}
}
