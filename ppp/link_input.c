/* SPDX-License-Identifier: MIT */
/*
 * Characters in, packets out: for LCP, authentication and quality, which are the
 * link's own, and for the owner.
 */
#include "ppp/link_state.h"

#include <assert.h>

static_assert((int)LCP_IDENTITY_SIZE == (int)LINK_IDENTITY_SIZE, "a name is copied whole");

enum { FIRST_LINK_PROTOCOL = 0xC000 }; /* LCP and its kind; below are the network's */

static void echo_replied(struct link *l, sb_time now, uint8_t identifier)
{
	const unsigned slot = identifier % LINK_ECHOES_KEPT;

	if (l->echoes[slot].identifier != identifier || l->echoes[slot].at == SB_NEVER)
		return;
	keepalive_replied(&l->keepalive, now, l->echoes[slot].at);
	l->echoes[slot].at = SB_NEVER;
}

static void protocol_rejected(struct link *l, sb_time now, uint16_t protocol)
{
	if (protocol == PPP_LCP)
		control_protocol_rejected(&l->lcp.control, now);
	else if (protocol == PPP_LQR)
		lqr_stop(&l->lqr);
	else if (l->network && protocol < FIRST_LINK_PROTOCOL &&
		 l->rejected_count < LINK_REJECTED_KEPT)
		l->rejected[l->rejected_count++] = protocol;
}

static void take_news(struct link *l, sb_time now)
{
	l->met |= l->lcp.news != LCP_NO_NEWS;
	switch (l->lcp.news) {
	case LCP_NO_NEWS:
	case LCP_UNHEARD:
		break;
	case LCP_ECHO_REPLIED:
		if (l->network)
			echo_replied(l, now, l->lcp.news_identifier);
		break;
	case LCP_PROTOCOL_REJECTED:
		protocol_rejected(l, now, l->lcp.news_protocol);
		break;
	case LCP_IDENTIFIED:
		memcpy(l->agreed.peer_identity, l->lcp.identity, sizeof l->lcp.identity);
		l->identified = true;
		break;
	case LCP_TIME_REMAINING:
		l->agreed.remaining_s = l->lcp.remaining_s;
		break;
	}
	link_settle(l, now);
}

/* Not over the bundle: it is about the link that it comes over. */
static void heed_unheard(struct link *l, sb_time now)
{
	if (l->network && l->lcp.news == LCP_UNHEARD)
		keepalive_unheard(&l->keepalive, now, l->lcp.news_silence);
}

static void lcp_packet(struct link *l, sb_time now, struct bytes packet)
{
	if (l->waits) {
		l->waits = false;
		control_up(&l->lcp.control, now);
	}
	lcp_input(&l->lcp, now, packet);
	heed_unheard(l, now);
	take_news(l, now);
}

static void auth_packet(struct link *l, sb_time now, uint16_t protocol, struct bytes packet)
{
	if (!link_is_opened(l)) {
		l->counters.wrong_phase++;
		return;
	}
	auth_input(l->auth, now, protocol, packet);
	link_settle(l, now);
}

static bool reports_agreed(const struct link *l)
{
	return link_is_opened(l) &&
	       (lcp_has(&l->lcp.peers, LCP_QUALITY) || lcp_has(&l->lcp.agreed, LCP_QUALITY));
}

static void quality_packet(struct link *l, sb_time now, struct bytes packet)
{
	const struct lqr_counts counts = link_counts(l);

	lqr_input(&l->lqr, now, packet, &counts);
}

static void reject(struct link *l, sb_time now, uint16_t protocol, struct bytes packet)
{
	l->counters.unknown_protocol++;
	lcp_reject_protocol(&l->lcp, now, protocol, packet);
}

/* True: it is for the owner. */
static bool dispatch(struct link *l, sb_time now, const struct link_packet *p)
{
	if (p->protocol == PPP_LCP)
		lcp_packet(l, now, p->data);
	else if (p->protocol == PPP_PAP || p->protocol == PPP_CHAP)
		auth_packet(l, now, p->protocol, p->data);
	else if (p->protocol == PPP_LQR && reports_agreed(l))
		quality_packet(l, now, p->data);
	else if (l->hears_out && p->protocol < FIRST_LINK_PROTOCOL)
		return p->protocol != PPP_MP || l->agreed.multilink;
	else if (!l->network)
		l->counters.wrong_phase++;
	else if (p->protocol >= FIRST_LINK_PROTOCOL ||
		 (p->protocol == PPP_MP && !l->agreed.multilink))
		reject(l, now, p->protocol, p->data);
	else
		return l->met = true;
	return false;
}

/* Bad frames on a line that never let an eighth bit through: no PPP peer's frames are so. */
static void note_seven_bits(struct link *l, uint64_t bad_before)
{
	const struct hdlc_counters *h = hdlc_decoder_counters(l->decoder);

	if (h->high_bits == l->high_bits)
		l->counters.eight_bit_unclean += h->bad_fcs + h->aborts - bad_before;
}

static bool next_good_frame(struct link *l, struct bytes *in, struct bytes *frame)
{
	const struct hdlc_counters *h = hdlc_decoder_counters(l->decoder);

	for (;;) {
		uint64_t bad = h->bad_fcs + h->aborts;
		bool ended = hdlc_decoder_next(l->decoder, in, frame);
		note_seven_bits(l, bad);
		if (!ended)
			return false;
		if (l->receive_fcs == HDLC_FCS_16 || frame_take_fcs(frame, l->receive_fcs))
			return true;
		l->counters.hdlc.bad_fcs++;
	}
}

static void count_in(struct link *l, size_t octets)
{
	l->counts.in_packets++;
	l->counts.in_octets += (uint32_t)(octets + l->receive_fcs);
}

/* After the frame was heeded: a reply is to tell whether anything was heard before it. */
static void hear(struct link *l, sb_time now)
{
	if (l->network && !l->lcp.loops)
		keepalive_heard(&l->keepalive, now);
}

bool link_next(struct link *l, sb_time now, struct bytes *in, struct link_packet *packet)
{
	struct bytes frame;

	if (!l->lower)
		*in = bytes_skip(*in, in->length);
	if (in->length && l->network)
		keepalive_receiving(&l->keepalive, now);
	while (next_good_frame(l, in, &frame)) {
		count_in(l, frame.length);
		bool is_known = frame_take_protocol(&frame, &packet->protocol);
		packet->data = frame;
		bool is_owners = is_known && dispatch(l, now, packet);
		l->counters.unknown_protocol += !is_known;
		hear(l, now);
		if (is_owners)
			return true;
	}
	return false;
}

void link_lcp(struct link *l, sb_time now, struct bytes packet)
{
	lcp_input_over_bundle(&l->lcp, now, packet);
	take_news(l, now);
}

void link_reject(struct link *l, sb_time now, uint16_t protocol, struct bytes data)
{
	reject(l, now, protocol, data);
}
