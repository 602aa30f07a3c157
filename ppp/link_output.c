/* SPDX-License-Identifier: MIT */
/*
 * Frames out: the link's own, then, as they are handed in, the owner's. An
 * Echo-Request and a report tell of the moment of sending, and are made when the
 * line takes them.
 */
#include "ppp/link_state.h"

#include <assert.h>

/* The counters include the frame that the report came in. */
struct lqr_counts link_counts(const struct link *l)
{
	const struct hdlc_counters *h = hdlc_decoder_counters(l->decoder);
	struct lqr_counts counts = l->counts;

	counts.in_errors = (uint32_t)(h->bad_fcs + h->too_long + h->runts + h->aborts +
				      l->counters.hdlc.bad_fcs);
	return counts;
}

static void count_out(struct link *l, const struct link_coding *coding, uint16_t protocol,
		      size_t information)
{
	l->counts.out_packets++;
	l->counts.out_octets += (uint32_t)frame_octets(coding, protocol, information);
}

static void note_echo(struct link *l, sb_time now, struct bytes packet)
{
	const unsigned slot = packet.at[1] % LINK_ECHOES_KEPT;

	if (packet.at[0] != CODE_ECHO_REQUEST || !l->network)
		return;
	l->echoes[slot].identifier = packet.at[1];
	l->echoes[slot].at = now;
	keepalive_asked(&l->keepalive, now);
}

static enum frame_opening opening(struct link *l, bool flag)
{
	const bool aborts = l->aborts;

	l->aborts = false;
	return aborts ? FRAME_ABORTS : flag ? FRAME_FLAG : FRAME_SHARES;
}

static void send(struct link *l, uint16_t protocol, struct bytes packet, struct buf *out)
{
	const struct link_coding *coding =
		frame_is_negotiation(protocol, packet) ? &l->plain : &l->coding;

	frame_encode(out, coding, opening(l, true), protocol, packet, bytes_of(NULL, 0));
	count_out(l, coding, protocol, packet.length);
}

static bool take_report(struct link *l, sb_time now, struct buf *packet)
{
	const struct lqr_counts counts = link_counts(l);

	l->report_due = false;
	return link_is_opened(l) && lqr_output(&l->lqr, now, &counts, packet);
}

/* Its identity begins with the word that ours begins with. */
static bool is_our_kind(const struct link *l)
{
	const char *ours = l->config.identity, *peers = l->agreed.peer_identity;
	size_t word = strcspn(ours, " ");

	return word && strncmp(ours, peers, word) == 0 &&
	       (peers[word] == ' ' || peers[word] == '\0');
}

/*
 * The words go before the request: a peer that begins to hear us is to know that it
 * is not heard before it thinks that all is well.
 */
static void make_echo(struct link *l, sb_time now)
{
	sb_time silence;

	if (!outbox_empty(&l->outbox) || !l->network)
		return;
	if (keepalive_tells(&l->keepalive, now, &silence) && is_our_kind(l))
		lcp_tell_unheard(&l->lcp, silence);
	if (l->echo_due)
		lcp_request_echo(&l->lcp);
	l->echo_due = false;
}

bool link_output(struct link *l, sb_time now, struct buf *out)
{
	uint8_t memory[PPP_DEFAULT_MRU];
	struct buf packet = buf_over(memory, sizeof memory);
	uint16_t protocol = PPP_LQR;

	assert(out->capacity - out->length >= LINK_OUTPUT_SIZE);
	make_echo(l, now);
	if (!outbox_take(&l->outbox, &protocol, &packet) && !take_report(l, now, &packet))
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
	frame_encode(out, &l->coding, opening(l, l->mark), protocol, head, data);
	l->mark = false;
	count_out(l, &l->coding, protocol, head.length + data.length);
}

void link_mark(struct link *l)
{
	l->mark = true;
}

void link_abort(struct link *l)
{
	l->aborts = true;
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
	counters->reports = l->lqr.received;
}
