/* SPDX-License-Identifier: MIT */
/*
 * The composition: LCP says whether the link is open, then authentication whether
 * the network may use it, then the keep-alive whether it is still there.
 *
 * The phase of RFC 1661 section 3.2 is not kept but read from LCP's state and from
 * `network`, which is set when authentication is done; so the two cannot disagree.
 * After everything that may have moved LCP or authentication, link_settle() looks at
 * what happened and does what follows from it.
 *
 * Failures close LCP in the orderly way and say DOWN at once: the network cannot be
 * used any more, whether the peer agrees to terminate or not. When the owner closes
 * the link it is told once that is done; what the peer had on its way when our request
 * arrived comes before its agreement, and is passed on. (RFC 1661 section 3.7 would have it
 * discarded. It was sent in NETWORK, and the other links of a bundle would miss it.)
 *
 * Frames go out as they are pulled, by the coding of that moment. The peer begins
 * to use what it asked for when it has our Ack, which is before we are in Opened; so
 * LCP's codes 1 to 7 always come by the default coding (RFC 1662 section 7.1), and
 * others are not wanted yet. Receiving follows our own Opened.
 */
#include "ppp/link_state.h"

/* --- coming up --- */

static enum hdlc_fcs fcs_of(uint8_t alternative)
{
	switch (alternative) {
	case LCP_FCS_NULL:
		return HDLC_FCS_NONE;
	case LCP_FCS_32:
		return HDLC_FCS_32;
	default:
		return HDLC_FCS_16;
	}
}

static void receive_by(struct link *l, uint32_t accm, enum hdlc_fcs fcs)
{
	hdlc_decoder_set_accm(l->decoder, l->config.receive_all ? 0 : accm);
	hdlc_decoder_set_fcs(l->decoder, fcs == HDLC_FCS_16 ? fcs : HDLC_FCS_NONE);
	l->receive_fcs = fcs;
}

static void use_agreed_coding(struct link *l)
{
	const struct lcp_options *peers = &l->lcp.peers, *ours = &l->lcp.agreed;

	l->coding = frame_coding(peers->accm, &l->config.escape);
	l->coding.fcs = fcs_of(peers->fcs);
	l->coding.pfc = lcp_has(peers, LCP_PFC);
	l->coding.acfc = lcp_has(peers, LCP_ACFC);
	receive_by(l, ours->accm, fcs_of(ours->fcs));
}

static void use_plain_coding(struct link *l)
{
	l->coding = l->plain;
	receive_by(l, ACCM_DEFAULT, HDLC_FCS_16);
}

static void note_agreed(struct link *l)
{
	const struct lcp_options *peers = &l->lcp.peers, *ours = &l->lcp.agreed;

	l->agreed = (struct link_agreed){
		.mru = ours->mru,
		.peer_mru = peers->mru,
		.multilink = lcp_has(ours, LCP_MRRU) && lcp_has(peers, LCP_MRRU),
		.peer_mrru = peers->mrru,
		.short_in = lcp_has(ours, LCP_SHORT_SEQUENCE),
		.short_out = lcp_has(peers, LCP_SHORT_SEQUENCE),
		.peer_has_endpoint = lcp_has(peers, LCP_ENDPOINT),
		.peer_endpoint = peers->endpoint,
		.peer_name = "",
		.we_proved = lcp_has(peers, LCP_AUTH),
		.remaining_s = UINT32_MAX,
	};
}

static void start_network(struct link *l, sb_time now)
{
	struct keepalive_config keepalive = l->config.keepalive;

	if (!keepalive.frame_chars)
		keepalive.frame_chars = (unsigned)link_longest_frame(&l->config);
	l->network = true;
	l->met = false;
	l->agreed.peer_name = auth_peer_name(l->auth);
	l->agreed.peer_secret = auth_peer_secret(l->auth);
	keepalive_start(&l->keepalive, &keepalive, now);
}

static void start_reports(struct link *l, sb_time now)
{
	const struct lcp_options *peers = &l->lcp.peers, *ours = &l->lcp.agreed;

	if (lcp_has(peers, LCP_QUALITY) || lcp_has(ours, LCP_QUALITY))
		lqr_start(&l->lqr, ours->magic, peers->quality * (SB_SEC / 100), now);
}

/* LCP is in Opened. */
static void opened(struct link *l, sb_time now)
{
	const enum auth_method ours = l->lcp.peers.auth, peers = l->lcp.agreed.auth;

	use_agreed_coding(l);
	note_agreed(l);
	start_reports(l, now);
	for (unsigned i = 0; i < LINK_ECHOES_KEPT; i++)
		l->echoes[i].at = SB_NEVER;
	if (*l->config.identity)
		lcp_identify(&l->lcp, l->config.identity);
	auth_start(l->auth, now, ours, peers);
}

/*
 * Our Ack was lost, and the peer has come to Opened only now: what was said to it before
 * came too early. To the owner it is as if the link had begun anew.
 */
static void opened_too_early(struct link *l, sb_time now)
{
	if (l->told_up && l->keepalive.relied_at)
		link_say_down(l, LINK_RENEGOTIATED);
	if (*l->config.identity)
		lcp_identify(&l->lcp, l->config.identity);
	start_network(l, now);
}

/* --- going down --- */

/* No longer in Opened. */
static void leave_opened(struct link *l)
{
	l->network = l->hears_out = false;
	l->report_due = l->echo_due = l->identified = false;
	use_plain_coding(l);
	auth_stop(l->auth);
	lqr_stop(&l->lqr);
}

/* The same, but what comes is still received as agreed: LCP's own comes by either coding. */
static void hear_out(struct link *l)
{
	const struct lcp_options *ours = &l->lcp.agreed;

	leave_opened(l);
	receive_by(l, ours->accm, fcs_of(ours->fcs));
	l->hears_out = true;
}

static bool closes_by_wish(const struct link *l)
{
	return !l->failure && l->lcp.control.end == CONTROL_WE_CLOSED;
}

static void went_down(struct link *l)
{
	bool was_network = l->network;
	enum link_reason reason = link_reason_of_end(l);

	if (was_network && closes_by_wish(l))
		hear_out(l);
	else
		leave_opened(l);
	if (!l->ended && !closes_by_wish(l) && (was_network || reason != LINK_RENEGOTIATED))
		link_say_down(l, reason);
}

static void fail(struct link *l, sb_time now, enum link_reason reason)
{
	if (l->failure)
		return;
	l->failure = reason;
	if (!l->ended)
		link_say_down(l, reason);
	control_close(&l->lcp.control, now);
}

/* --- what follows from what happened --- */

static void follow_lcp(struct link *l, sb_time now)
{
	unsigned happened = control_happened(&l->lcp.control);

	if (happened & CONTROL_DOWN)
		went_down(l);
	if (happened & CONTROL_UP) {
		l->ended = false;
		opened(l, now);
	}
	if (happened & CONTROL_ASKED_AGAIN && l->network && !l->met)
		opened_too_early(l, now);
	if (happened & CONTROL_FINISHED) {
		l->hears_out = false;
		if (!l->ended)
			link_say_down(l, link_reason_of_end(l));
	}
}

static void follow_auth(struct link *l, sb_time now)
{
	switch (auth_result(l->auth)) {
	case AUTH_GOING_ON:
		break;
	case AUTH_DONE:
		if (!l->network)
			start_network(l, now);
		break;
	case AUTH_WE_FAILED:
		fail(l, now, LINK_WE_WERE_REFUSED);
		break;
	case AUTH_PEER_FAILED:
		fail(l, now, LINK_PEER_REFUSED);
		break;
	case AUTH_NO_ANSWER:
		fail(l, now, LINK_AUTH_SILENT);
		break;
	}
}

void link_settle(struct link *l, sb_time now)
{
	follow_lcp(l, now);
	if (lcp_is_looped(&l->lcp))
		fail(l, now, LINK_LOOPED_BACK);
	if (link_is_opened(l))
		follow_auth(l, now);
	if (l->network && keepalive_state(&l->keepalive) == KEEPALIVE_LOST)
		fail(l, now, LINK_LOST);
	follow_lcp(l, now);
}

/* --- the owner opens and closes --- */

static void begin(struct link *l)
{
	l->failure = LINK_FINE;
	l->ended = l->down = false;
	l->told_up = l->told_silent = false;
}

void link_lower_up(struct link *l, sb_time now)
{
	if (l->lower)
		return;
	begin(l);
	l->lower = true;
	l->aborts = false; /* of another connection */
	l->waits = l->config.passive;
	hdlc_decoder_reset(l->decoder);
	l->high_bits = hdlc_decoder_counters(l->decoder)->high_bits;
	control_open(&l->lcp.control, now);
	if (!l->waits)
		control_up(&l->lcp.control, now);
	link_settle(l, now);
}

void link_lower_down(struct link *l, sb_time now)
{
	if (!l->lower)
		return;
	l->lower = false;
	if (!l->waits)
		control_down(&l->lcp.control, now);
	control_happened(&l->lcp.control);
	if (l->network)
		link_say_down(l, LINK_LOWER_DOWN);
	leave_opened(l);
	outbox_clear(&l->outbox);
}

void link_close(struct link *l, sb_time now)
{
	l->ended = false;
	control_close(&l->lcp.control, now);
	link_settle(l, now);
	if (!l->down && link_phase(l) != LINK_TERMINATE)
		link_say_down(l, LINK_WE_CLOSED);
}

/* Where Open would wait, the layer below is said to come anew: section 4.1, [r] of the table. */
void link_open(struct link *l, sb_time now)
{
	enum automaton_state state = l->lcp.control.state;

	if (state >= STATE_REQ_SENT)
		return;
	begin(l);
	if (state >= STATE_STOPPED) {
		control_down(&l->lcp.control, now);
		control_up(&l->lcp.control, now);
	}
	control_open(&l->lcp.control, now);
	link_settle(l, now);
}

/* --- time --- */

sb_time link_deadline(const struct link *l)
{
	sb_time deadline = control_deadline(&l->lcp.control);

	if (link_is_opened(l))
		deadline = sb_time_min(deadline, auth_deadline(l->auth));
	if (link_is_opened(l) && !l->report_due)
		deadline = sb_time_min(deadline, lqr_deadline(&l->lqr));
	if (l->network)
		deadline = sb_time_min(deadline, keepalive_deadline(&l->keepalive));
	return deadline;
}

void link_tick(struct link *l, sb_time now)
{
	control_tick(&l->lcp.control, now);
	if (link_is_opened(l))
		auth_tick(l->auth, now);
	l->report_due = link_is_opened(l) && now >= lqr_deadline(&l->lqr);
	if (l->network && keepalive_tick(&l->keepalive, now))
		l->echo_due = true;
	link_settle(l, now);
}

/* --- how it stands --- */

enum link_phase link_phase(const struct link *l)
{
	switch (l->lcp.control.state) {
	case STATE_OPENED:
		return l->network ? LINK_NETWORK : LINK_AUTHENTICATE;
	case STATE_CLOSING:
	case STATE_STOPPING:
		return LINK_TERMINATE;
	case STATE_REQ_SENT:
	case STATE_ACK_RCVD:
	case STATE_ACK_SENT:
		return LINK_ESTABLISH;
	case STATE_STARTING:
		return l->lower && l->waits ? LINK_ESTABLISH : LINK_DEAD;
	default:
		return LINK_DEAD;
	}
}

const struct link_agreed *link_agreed(const struct link *l)
{
	return &l->agreed;
}

const struct link_coding *link_coding(const struct link *l)
{
	return &l->coding;
}

void link_relied(struct link *l, sb_time now)
{
	if (l->network)
		keepalive_relied(&l->keepalive, now);
}

void link_set_rate(struct link *l, double chars_per_sec)
{
	l->config.keepalive.chars_per_sec = chars_per_sec;
	keepalive_set_rate(&l->keepalive, chars_per_sec);
}

void link_set_interval(struct link *l, sb_time interval, unsigned max_silent)
{
	l->config.keepalive.interval = interval;
	l->config.keepalive.max_silent = max_silent;
	keepalive_set_interval(&l->keepalive, interval, max_silent);
}
