/* SPDX-License-Identifier: MIT */
/*
 * The composition: LCP says whether the link is open, then authentication whether
 * the network may use it, then the keep-alive whether it is still there.
 *
 * The phase of RFC 1661 section 3.2 is not kept but read from LCP's state and from
 * `network`, which is set when authentication is done; so the two cannot disagree.
 * After everything that may have moved LCP or authentication, settle() looks at
 * what happened and does what follows from it.
 *
 * Events are not queued either. What is, and what the owner was told, are kept; an
 * event is the difference. So a peer that comes and goes a hundred times in one
 * read costs nothing, and the owner gets the last DOWN and the last UP. Only
 * rejected protocols are a list, and a short one.
 *
 * Failures close LCP in the orderly way and say DOWN at once: the network cannot be
 * used any more, whether the peer agrees to terminate or not. When the owner closes
 * the link it is told once that is done.
 *
 * Frames go out as they are pulled, by the coding of that moment. The peer begins
 * to use what it asked for when it has our Ack, which is before we are in Opened; so
 * LCP's codes 1 to 7 always come by the default coding (RFC 1662 section 7.1), and
 * others are not wanted yet. Receiving follows our own Opened.
 */
#include "ppp/link.h"

#include <assert.h>
#include <stdlib.h>

#include "ppp/lcp.h"
#include "ppp/link_frame.h"
#include "ppp/lqr.h"

enum {
	HEADER_SIZE = 4,              /* address, control, protocol */
	MP_ROOM = 64,                 /* peers whose fragments are a little longer than their MRU */
	ECHOES_KEPT = 8,              /* requests on their way */
	REJECTED_KEPT = 4,            /* protocols, of which the owner was not told yet */
	FIRST_LINK_PROTOCOL = 0xC000, /* LCP and its kind; below are the network's */
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
	bool report_due;
	enum link_reason failure; /* why we end it ourselves; LINK_FINE: we do not */

	bool ended; /* DOWN was said for good, until the next begin */
	bool down;  /* DOWN is to be said, with down_reason */
	enum link_reason down_reason;
	bool told_up, told_silent;
	bool identified; /* to be said */
	uint16_t rejected[REJECTED_KEPT];
	unsigned rejected_count;

	struct {
		uint8_t identifier;
		sb_time at; /* instant, or SB_NEVER */
	} echoes[ECHOES_KEPT];
	struct lqr_counts counts;
	struct link_counters counters; /* those that are not kept elsewhere */
	uint64_t high_bits;            /* of the decoder, when the last frame ended */
};

/* --- set-up --- */

static unsigned own_methods(const struct link_config *c)
{
	unsigned methods = 0;

	if (!c->refuse_pap && auth_can(&c->auth, AUTH_PAP))
		methods |= 1u << AUTH_PAP;
	if (!c->refuse_chap && auth_can(&c->auth, AUTH_CHAP_MD5))
		methods |= 1u << AUTH_CHAP_MD5;
	return methods;
}

static struct lcp_options wanted_by(const struct link_config *c)
{
	struct lcp_options w = lcp_defaults;

	w.mru = c->mru;
	w.accm = c->accm;
	w.quality = (uint32_t)(c->quality_period / (SB_SEC / 100));
	w.given |= c->mru != lcp_defaults.mru ? LCP_BIT(LCP_MRU) : 0;
	w.given |= c->accm != lcp_defaults.accm ? LCP_BIT(LCP_ACCM) : 0;
	w.given |= c->quality_period ? LCP_BIT(LCP_QUALITY) : 0;
	w.given |= c->pfc ? LCP_BIT(LCP_PFC) : 0;
	w.given |= c->acfc ? LCP_BIT(LCP_ACFC) : 0;
	if (c->fcs) {
		w.fcs = c->fcs;
		w.given |= LCP_BIT(LCP_FCS);
	}
	if (c->multilink) {
		w.mrru = c->mrru;
		w.given |= LCP_BIT(LCP_MRRU);
		w.given |= c->short_sequence ? LCP_BIT(LCP_SHORT_SEQUENCE) : 0;
	}
	if (c->endpoint.class || c->endpoint.length) {
		w.endpoint = c->endpoint;
		w.given |= LCP_BIT(LCP_ENDPOINT);
	}
	return w;
}

static uint32_t granted_by(const struct link_config *c)
{
	uint32_t granted = LCP_BIT(LCP_MRU) | LCP_BIT(LCP_ACCM) | LCP_BIT(LCP_MAGIC) |
			   LCP_BIT(LCP_FCS) | LCP_BIT(LCP_ENDPOINT);

	granted |= own_methods(c) ? LCP_BIT(LCP_AUTH) : 0;
	granted |= c->quality_period ? LCP_BIT(LCP_QUALITY) : 0;
	granted |= c->pfc ? LCP_BIT(LCP_PFC) : 0;
	granted |= c->acfc ? LCP_BIT(LCP_ACFC) : 0;
	granted |= c->multilink ? LCP_BIT(LCP_MRRU) : 0;
	granted |= c->multilink && c->short_sequence ? LCP_BIT(LCP_SHORT_SEQUENCE) : 0;
	return granted;
}

static struct lcp_config lcp_config_of(const struct link_config *c)
{
	return (struct lcp_config){
		.wanted = wanted_by(c),
		.granted = granted_by(c),
		.prove = own_methods(c),
		.demand = (c->require_pap ? 1u << AUTH_PAP : 0) |
			  (c->require_chap ? 1u << AUTH_CHAP_MD5 : 0),
		.timers = c->timers,
		.random = c->random,
		.random_context = c->random_context,
	};
}

/* 1500 always (RFC 1661 section 6.1); an FCS that is judged here is part of the frame. */
static size_t longest_frame(const struct link_config *c)
{
	size_t mru = c->mru > PPP_DEFAULT_MRU ? c->mru : PPP_DEFAULT_MRU;
	return HEADER_SIZE + mru + MP_ROOM + HDLC_FCS_32;
}

static uint32_t receive_accm(const struct link *l, uint32_t accm)
{
	return l->config.receive_all ? 0 : accm;
}

struct link *link_new(const struct link_config *config)
{
	struct link *l = calloc(1, sizeof *l);
	if (!l)
		return NULL;
	l->config = *config;
	l->auth = auth_new(&config->auth, &l->outbox);
	l->decoder = hdlc_decoder_new(&(struct hdlc_decoder_config){
		.max_frame = longest_frame(config),
		.fcs = HDLC_FCS_16,
		.receive_accm = receive_accm(l, ACCM_DEFAULT),
	});
	if (!l->auth || !l->decoder) {
		link_free(l);
		return NULL;
	}
	const struct lcp_config lcp = lcp_config_of(config);
	lcp_init(&l->lcp, &lcp, &l->outbox);
	lqr_stop(&l->lqr);
	l->plain = l->coding = frame_coding(ACCM_DEFAULT, &config->escape);
	l->receive_fcs = HDLC_FCS_16;
	return l;
}

void link_free(struct link *l)
{
	if (!l)
		return;
	auth_free(l->auth);
	hdlc_decoder_free(l->decoder);
	free(l);
}

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

static bool has(const struct lcp_options *o, enum lcp_option option)
{
	return o->given & LCP_BIT(option);
}

static void receive_by(struct link *l, uint32_t accm, enum hdlc_fcs fcs)
{
	hdlc_decoder_set_accm(l->decoder, receive_accm(l, accm));
	hdlc_decoder_set_fcs(l->decoder, fcs == HDLC_FCS_16 ? fcs : HDLC_FCS_NONE);
	l->receive_fcs = fcs;
}

static void use_agreed_coding(struct link *l)
{
	const struct lcp_options *peers = &l->lcp.peers, *ours = &l->lcp.agreed;

	l->coding = frame_coding(peers->accm, &l->config.escape);
	l->coding.fcs = fcs_of(peers->fcs);
	l->coding.pfc = has(peers, LCP_PFC);
	l->coding.acfc = has(peers, LCP_ACFC);
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
		.multilink = has(ours, LCP_MRRU) && has(peers, LCP_MRRU),
		.peer_mrru = peers->mrru,
		.short_in = has(ours, LCP_SHORT_SEQUENCE),
		.short_out = has(peers, LCP_SHORT_SEQUENCE),
		.peer_has_endpoint = has(peers, LCP_ENDPOINT),
		.peer_endpoint = peers->endpoint,
		.peer_name = "",
		.we_proved = has(peers, LCP_AUTH),
		.remaining_s = UINT32_MAX,
	};
}

static void start_network(struct link *l, sb_time now)
{
	struct keepalive_config keepalive = l->config.keepalive;

	if (!keepalive.frame_chars)
		keepalive.frame_chars = (unsigned)longest_frame(&l->config);
	l->network = true;
	l->agreed.peer_name = auth_peer_name(l->auth);
	l->agreed.peer_secret = auth_peer_secret(l->auth);
	keepalive_start(&l->keepalive, &keepalive, now);
}

static void start_reports(struct link *l, sb_time now)
{
	const struct lcp_options *peers = &l->lcp.peers, *ours = &l->lcp.agreed;

	if (has(peers, LCP_QUALITY) || has(ours, LCP_QUALITY))
		lqr_start(&l->lqr, ours->magic, peers->quality * (SB_SEC / 100), now);
}

/* LCP is in Opened. */
static void opened(struct link *l, sb_time now)
{
	const enum auth_method ours = l->lcp.peers.auth, peers = l->lcp.agreed.auth;

	use_agreed_coding(l);
	note_agreed(l);
	start_reports(l, now);
	for (unsigned i = 0; i < ECHOES_KEPT; i++)
		l->echoes[i].at = SB_NEVER;
	if (*l->config.identity)
		lcp_identify(&l->lcp, l->config.identity);
	auth_start(l->auth, now, ours, peers);
}

/* --- going down --- */

static void say_down(struct link *l, enum link_reason reason)
{
	l->down = true;
	l->down_reason = reason;
	l->ended = reason != LINK_RENEGOTIATED;
}

/* No longer in Opened. */
static void leave_opened(struct link *l)
{
	l->network = false;
	l->report_due = false;
	use_plain_coding(l);
	auth_stop(l->auth);
	lqr_stop(&l->lqr);
}

static enum link_reason reason_of_end(const struct link *l)
{
	static const enum link_reason reasons[] = {
		[CONTROL_NO_END] = LINK_RENEGOTIATED,
		[CONTROL_NO_REPLY] = LINK_NO_REPLY,
		[CONTROL_NO_AGREEMENT] = LINK_NO_AGREEMENT,
		[CONTROL_PEER_CLOSED] = LINK_PEER_TERMINATED,
		[CONTROL_PEER_REJECTED] = LINK_PEER_REJECTED,
		[CONTROL_WE_CLOSED] = LINK_WE_CLOSED,
	};
	enum link_reason reason = l->failure ? l->failure : reasons[l->lcp.control.end];
	bool on_auth =
		l->lcp.auth_refused && (reason == LINK_NO_AGREEMENT || reason == LINK_NO_REPLY ||
					reason == LINK_PEER_TERMINATED);

	return on_auth ? LINK_NO_AUTH_AGREEMENT : reason;
}

static bool closes_by_wish(const struct link *l)
{
	return !l->failure && l->lcp.control.end == CONTROL_WE_CLOSED;
}

static void went_down(struct link *l)
{
	bool was_network = l->network;
	enum link_reason reason = reason_of_end(l);

	leave_opened(l);
	if (!l->ended && !closes_by_wish(l) && (was_network || reason != LINK_RENEGOTIATED))
		say_down(l, reason);
}

static void fail(struct link *l, sb_time now, enum link_reason reason)
{
	if (l->failure)
		return;
	l->failure = reason;
	if (!l->ended)
		say_down(l, reason);
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
	if (happened & CONTROL_FINISHED && !l->ended)
		say_down(l, reason_of_end(l));
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

static bool is_opened(const struct link *l)
{
	return l->lcp.control.state == STATE_OPENED;
}

static void settle(struct link *l, sb_time now)
{
	follow_lcp(l, now);
	if (lcp_is_looped(&l->lcp))
		fail(l, now, LINK_LOOPED_BACK);
	if (is_opened(l))
		follow_auth(l, now);
	if (l->network && l->keepalive.state == KEEPALIVE_LOST)
		fail(l, now, LINK_LOST);
	follow_lcp(l, now);
}

/* --- the owner opens and closes --- */

static void begin(struct link *l)
{
	l->failure = LINK_FINE;
	l->ended = l->down = false;
	l->told_up = l->told_silent = false;
	outbox_clear(&l->outbox);
}

void link_lower_up(struct link *l, sb_time now)
{
	if (l->lower)
		return;
	begin(l);
	l->lower = true;
	l->waits = l->config.passive;
	hdlc_decoder_reset(l->decoder);
	control_open(&l->lcp.control, now);
	if (!l->waits)
		control_up(&l->lcp.control, now);
	settle(l, now);
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
		say_down(l, LINK_LOWER_DOWN);
	leave_opened(l);
	outbox_clear(&l->outbox);
}

void link_close(struct link *l, sb_time now)
{
	l->ended = false;
	control_close(&l->lcp.control, now);
	settle(l, now);
	if (!l->down && link_phase(l) != LINK_TERMINATE)
		say_down(l, LINK_WE_CLOSED);
}

void link_open(struct link *l, sb_time now)
{
	begin(l);
	if (l->lcp.control.state == STATE_STOPPED) { /* section 4.1, the [r] of the table */
		control_down(&l->lcp.control, now);
		control_up(&l->lcp.control, now);
	}
	control_open(&l->lcp.control, now);
	settle(l, now);
}

/* --- packets --- */

static void echo_replied(struct link *l, sb_time now, uint8_t identifier)
{
	const unsigned slot = identifier % ECHOES_KEPT;

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
	else if (l->network && l->rejected_count < REJECTED_KEPT)
		l->rejected[l->rejected_count++] = protocol;
}

static void take_news(struct link *l, sb_time now)
{
	switch (l->lcp.news) {
	case LCP_NO_NEWS:
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
	settle(l, now);
}

static void lcp_packet(struct link *l, sb_time now, struct bytes packet)
{
	if (l->waits) {
		l->waits = false;
		control_up(&l->lcp.control, now);
	}
	lcp_input(&l->lcp, now, packet);
	take_news(l, now);
}

static void auth_packet(struct link *l, sb_time now, uint16_t protocol, struct bytes packet)
{
	if (!is_opened(l)) {
		l->counters.wrong_phase++;
		return;
	}
	auth_input(l->auth, now, protocol, packet);
	settle(l, now);
}

/* The counters include the frame that the report came in. */
static struct lqr_counts counts_now(const struct link *l)
{
	const struct hdlc_counters *h = hdlc_decoder_counters(l->decoder);
	struct lqr_counts counts = l->counts;

	counts.in_errors = (uint32_t)(h->bad_fcs + h->too_long + h->runts + h->aborts +
				      l->counters.hdlc.bad_fcs);
	return counts;
}

static bool reports_agreed(const struct link *l)
{
	return is_opened(l) &&
	       (has(&l->lcp.peers, LCP_QUALITY) || has(&l->lcp.agreed, LCP_QUALITY));
}

static void quality_packet(struct link *l, sb_time now, struct bytes packet)
{
	const struct lqr_counts counts = counts_now(l);

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
	else if (!l->network)
		l->counters.wrong_phase++;
	else if (p->protocol >= FIRST_LINK_PROTOCOL ||
		 (p->protocol == PPP_MP && !l->agreed.multilink))
		reject(l, now, p->protocol, p->data);
	else
		return true;
	return false;
}

/* Bad frames without one character that has bit 7 set: no PPP peer's frames are like that. */
static void note_high_bits(struct link *l, uint64_t bad_before)
{
	const struct hdlc_counters *h = hdlc_decoder_counters(l->decoder);

	if (h->bad_fcs + h->aborts > bad_before && h->high_bits == l->high_bits)
		l->counters.eight_bit_unclean += h->bad_fcs + h->aborts - bad_before;
	l->high_bits = h->high_bits;
}

static bool next_good_frame(struct link *l, struct bytes *in, struct bytes *frame)
{
	const struct hdlc_counters *h = hdlc_decoder_counters(l->decoder);

	for (;;) {
		uint64_t bad = h->bad_fcs + h->aborts;
		bool ended = hdlc_decoder_next(l->decoder, in, frame);
		note_high_bits(l, bad);
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

/* Before the frame is heeded, so that a reply measures a quiet round trip. */
static void hear(struct link *l, sb_time now)
{
	if (l->network && !l->lcp.loops)
		keepalive_heard(&l->keepalive, now);
}

bool link_next(struct link *l, sb_time now, struct bytes *in, struct link_packet *packet)
{
	struct bytes frame;

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

/* --- frames out --- */

static void count_out(struct link *l, const struct link_coding *coding, uint16_t protocol,
		      size_t information)
{
	l->counts.out_packets++;
	l->counts.out_octets += (uint32_t)frame_octets(coding, protocol, information);
}

static void note_echo(struct link *l, sb_time now, struct bytes packet)
{
	const unsigned slot = packet.at[1] % ECHOES_KEPT;

	if (packet.at[0] != CODE_ECHO_REQUEST || !l->network)
		return;
	l->echoes[slot].identifier = packet.at[1];
	l->echoes[slot].at = now;
	keepalive_asked(&l->keepalive, now);
}

static void send(struct link *l, uint16_t protocol, struct bytes packet, struct buf *out)
{
	const struct link_coding *coding =
		frame_is_negotiation(protocol, packet) ? &l->plain : &l->coding;

	frame_encode(out, coding, true, protocol, packet, bytes_of(NULL, 0));
	count_out(l, coding, protocol, packet.length);
}

static bool send_report(struct link *l, sb_time now, struct buf *packet)
{
	const struct lqr_counts counts = counts_now(l);

	l->report_due = false;
	return is_opened(l) && lqr_output(&l->lqr, now, &counts, packet);
}

bool link_output(struct link *l, sb_time now, struct buf *out)
{
	uint8_t memory[PPP_DEFAULT_MRU];
	struct buf packet = buf_over(memory, sizeof memory);
	uint16_t protocol = PPP_LQR;

	assert(out->capacity - out->length >= LINK_OUTPUT_SIZE);
	if (!outbox_take(&l->outbox, &protocol, &packet) && !send_report(l, now, &packet))
		return false;
	assert(!packet.overflow);
	if (protocol == PPP_LCP)
		note_echo(l, now, buf_bytes(&packet));
	send(l, protocol, buf_bytes(&packet), out);
	return true;
}

void link_encode(struct link *l, uint16_t protocol, struct bytes head, struct bytes data,
		 struct buf *out)
{
	assert(l->network);
	frame_encode(out, &l->coding, false, protocol, head, data);
	count_out(l, &l->coding, protocol, head.length + data.length);
}

/* --- events --- */

static bool event(struct link_event *e, int kind, enum link_reason reason, uint16_t protocol)
{
	e->kind = kind;
	e->reason = reason;
	e->protocol = protocol;
	return true;
}

static bool say(struct link *l, struct link_event *e)
{
	if (l->told_silent != (l->keepalive.state != KEEPALIVE_ALIVE)) {
		l->told_silent = !l->told_silent;
		return event(e, l->told_silent ? LINK_EVENT_SILENT : LINK_EVENT_HEARD, LINK_FINE,
			     0);
	}
	if (l->identified) {
		l->identified = false;
		return event(e, LINK_EVENT_IDENTIFIED, LINK_FINE, 0);
	}
	if (l->rejected_count)
		return event(e, LINK_EVENT_PROTOCOL_REJECTED, LINK_FINE,
			     l->rejected[--l->rejected_count]);
	return false;
}

bool link_event(struct link *l, struct link_event *e)
{
	if (l->down) {
		l->down = l->told_up = l->told_silent = false;
		l->rejected_count = 0;
		return event(e, LINK_EVENT_DOWN, l->down_reason, 0);
	}
	if (!l->network)
		return false;
	if (!l->told_up) {
		l->told_up = true;
		return event(e, LINK_EVENT_UP, LINK_FINE, 0);
	}
	return say(l, e);
}

/* --- time --- */

sb_time link_deadline(const struct link *l)
{
	sb_time deadline = control_deadline(&l->lcp.control);

	if (is_opened(l))
		deadline = sb_time_min(deadline, auth_deadline(l->auth));
	if (is_opened(l) && !l->report_due)
		deadline = sb_time_min(deadline, lqr_deadline(&l->lqr));
	if (l->network)
		deadline = sb_time_min(deadline, keepalive_deadline(&l->keepalive));
	return deadline;
}

void link_tick(struct link *l, sb_time now)
{
	control_tick(&l->lcp.control, now);
	if (is_opened(l))
		auth_tick(l->auth, now);
	l->report_due = is_opened(l) && now >= lqr_deadline(&l->lqr);
	if (l->network && keepalive_tick(&l->keepalive, now))
		lcp_request_echo(&l->lcp);
	settle(l, now);
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
	default:
		return l->waits ? LINK_ESTABLISH : LINK_DEAD;
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

void link_count(const struct link *l, struct link_counters *counters)
{
	*counters = l->counters;
	counters->hdlc = *hdlc_decoder_counters(l->decoder);
	counters->hdlc.bad_fcs += l->counters.hdlc.bad_fcs;
	counters->hdlc.frames -= l->counters.hdlc.bad_fcs;
	counters->bad_packets = l->lcp.control.counters.bad_packets + auth_bad_packets(l->auth);
	counters->loops = l->lcp.loops_total;
	counters->rtt = l->keepalive.rtt;
	counters->loss_out = l->lqr.loss_out;
	counters->loss_in = l->lqr.loss_in;
}

const char *link_reason_text(enum link_reason reason)
{
	static const char *const texts[LINK_REASONS] = {
		[LINK_FINE] = "all is well",
		[LINK_NO_REPLY] = "no reply to LCP",
		[LINK_LOOPED_BACK] = "the line is looped back",
		[LINK_NO_AGREEMENT] = "no agreement on the link's options",
		[LINK_NO_AUTH_AGREEMENT] = "no agreement on authentication",
		[LINK_PEER_TERMINATED] = "the peer closed the link",
		[LINK_WE_CLOSED] = "closed",
		[LINK_WE_WERE_REFUSED] = "the peer refused our name or secret",
		[LINK_PEER_REFUSED] = "the peer did not prove who it is",
		[LINK_AUTH_SILENT] = "no reply in authentication",
		[LINK_PEER_REJECTED] = "the peer does not speak LCP",
		[LINK_LOST] = "the peer answers no more",
		[LINK_RENEGOTIATED] = "the peer began anew",
		[LINK_LOWER_DOWN] = "the line went down",
	};
	return texts[reason];
}
