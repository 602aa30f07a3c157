/* SPDX-License-Identifier: MIT */
/*
 * The packets that only LCP has (RFC 1661 sections 5.7 to 5.9, RFC 1570 section 1):
 * Protocol-Reject, Echo, Discard, Identification, Time-Remaining. All are for
 * Opened, and silently dropped else.
 *
 * No more Protocol-Rejects are sent than LCP_REJECTS_KEPT in REJECT_SPACING, and in
 * that time one for each protocol: on a slow line, a peer that asks on regardless
 * would else be answered with all that the line can carry.
 *
 * A Discard-Request is ours to fill (section 5.9). With the text UNHEARD and a number
 * of milliseconds it tells a peer of our kind that so long nothing came from it on
 * this link, though it may hear us well; others drop it, as they should.
 */
#include "ppp/lcp_parts.h"

#define REJECT_SPACING (10 * SB_SEC)

static const char UNHEARD[] = "unheard";
enum { UNHEARD_LENGTH = sizeof UNHEARD - 1, SILENCE_SIZE = 4 };

static bool is_opened(const struct lcp *l)
{
	return l->control.state == STATE_OPENED;
}

/* The most that the peer takes, and that all take. */
static size_t most_data(const struct lcp *l)
{
	size_t mru = l->peers.mru < PPP_DEFAULT_MRU ? l->peers.mru : PPP_DEFAULT_MRU;
	return mru - PPP_PACKET_HEADER;
}

/* Our magic number, or zero when we have none, then so much of the data as fits. */
static void send_with_magic(struct lcp *l, uint8_t code, uint8_t identifier, struct bytes data)
{
	uint8_t memory[PPP_DEFAULT_MRU];
	struct buf packet = buf_over(memory, most_data(l));
	size_t room = packet.capacity - LCP_MAGIC_SIZE;

	lcp_put_number(&packet, l->agreed.magic, LCP_MAGIC_SIZE);
	buf_append(&packet, bytes_of(data.at, data.length < room ? data.length : room));
	control_send(&l->control, code, identifier, buf_bytes(&packet));
}

void lcp_request_echo(struct lcp *l)
{
	if (is_opened(l))
		send_with_magic(l, CODE_ECHO_REQUEST, ++l->identifier, bytes_of(NULL, 0));
}

void lcp_identify(struct lcp *l, const char *text)
{
	if (is_opened(l))
		send_with_magic(l, CODE_IDENTIFICATION, ++l->identifier,
				bytes_of(text, strlen(text)));
}

void lcp_tell_unheard(struct lcp *l, sb_time silence)
{
	uint8_t memory[UNHEARD_LENGTH + SILENCE_SIZE];
	struct buf data = buf_over(memory, sizeof memory);

	buf_append(&data, bytes_of(UNHEARD, UNHEARD_LENGTH));
	lcp_put_number(&data, (uint32_t)sb_time_min(silence / SB_MS, UINT32_MAX), SILENCE_SIZE);
	if (is_opened(l))
		send_with_magic(l, CODE_DISCARD_REQUEST, ++l->identifier, buf_bytes(&data));
}

/* The slot for one more, or NULL when it is too soon. */
static bool may_reject(struct lcp *l, sb_time now, uint16_t protocol)
{
	for (unsigned i = 0; i < LCP_REJECTS_KEPT; i++)
		if (l->rejects[i].protocol == protocol && now - l->rejects[i].at < REJECT_SPACING)
			return false;
	const unsigned oldest = l->next_reject;
	return !l->rejects[oldest].protocol || now - l->rejects[oldest].at >= REJECT_SPACING;
}

void lcp_reject_protocol(struct lcp *l, sb_time now, uint16_t protocol, struct bytes packet)
{
	uint8_t memory[PPP_DEFAULT_MRU];
	struct buf data = buf_over(memory, most_data(l));
	size_t room = data.capacity - sizeof protocol;

	if (!is_opened(l) || !may_reject(l, now, protocol))
		return;
	l->rejects[l->next_reject].protocol = protocol;
	l->rejects[l->next_reject].at = now;
	l->next_reject = (l->next_reject + 1) % LCP_REJECTS_KEPT;
	lcp_put_number(&data, protocol, sizeof protocol);
	buf_append(&data, bytes_of(packet.at, packet.length < room ? packet.length : room));
	control_send(&l->control, CODE_PROTOCOL_REJECT, ++l->control.reject_identifier,
		     buf_bytes(&data));
}

/* RFC 1661 section 5.7: for codes without which there is no LCP, see control.c. */
static void protocol_rejected(struct lcp *l, struct bytes data)
{
	if (data.length < sizeof l->news_protocol) {
		l->control.counters.bad_packets++;
		return;
	}
	l->news = LCP_PROTOCOL_REJECTED;
	l->news_protocol = (uint16_t)lcp_number(bytes_of(data.at, sizeof l->news_protocol));
}

static void keep_identity(struct lcp *l, struct bytes text)
{
	size_t length = 0;

	for (size_t i = 0; i < text.length && length < LCP_IDENTITY_SIZE - 1; i++)
		if (text.at[i] >= ' ' && text.at[i] <= '~')
			l->identity[length++] = (char)text.at[i];
	l->identity[length] = '\0';
	l->news = LCP_IDENTIFIED;
}

static void keep_remaining(struct lcp *l, struct bytes data)
{
	if (data.length < sizeof l->remaining_s) {
		l->control.counters.bad_packets++;
		return;
	}
	l->remaining_s = lcp_number(bytes_of(data.at, sizeof l->remaining_s));
	l->news = LCP_TIME_REMAINING;
}

static void heed_unheard(struct lcp *l, struct bytes data)
{
	if (data.length < UNHEARD_LENGTH + SILENCE_SIZE ||
	    memcmp(data.at, UNHEARD, UNHEARD_LENGTH) != 0)
		return;
	l->news = LCP_UNHEARD;
	l->news_silence =
		lcp_number(bytes_of(data.at + UNHEARD_LENGTH, SILENCE_SIZE)) * (sb_time)SB_MS;
}

static void take_from_peer(struct lcp *l, uint8_t code, uint8_t identifier, struct bytes data)
{
	switch (code) {
	case CODE_ECHO_REQUEST:
		send_with_magic(l, CODE_ECHO_REPLY, identifier, data);
		break;
	case CODE_ECHO_REPLY:
		l->news = LCP_ECHO_REPLIED;
		l->news_identifier = identifier;
		break;
	case CODE_IDENTIFICATION:
		keep_identity(l, data);
		break;
	case CODE_TIME_REMAINING:
		keep_remaining(l, data);
		break;
	default: /* Discard-Request */
		break;
	}
}

/* Codes 9 to 13: a magic number, and not our own, or it is we whom we hear. */
static void with_magic(struct lcp *l, uint8_t code, uint8_t identifier, struct bytes data)
{
	if (data.length < LCP_MAGIC_SIZE) {
		l->control.counters.bad_packets++;
		return;
	}
	uint32_t magic = lcp_number(bytes_of(data.at, LCP_MAGIC_SIZE));
	data = bytes_skip(data, LCP_MAGIC_SIZE);
	if (lcp_came_back(l, magic))
		return;
	if (code == CODE_DISCARD_REQUEST && magic == l->peers.magic)
		heed_unheard(l, data);
	else
		take_from_peer(l, code, identifier, data);
}

/* All of these are for Opened, else silently dropped (section 5.8). */
bool lcp_packet(void *self, sb_time now, uint8_t code, uint8_t identifier, struct bytes data)
{
	struct lcp *l = self;

	(void)now;
	if (code < CODE_PROTOCOL_REJECT || code > CODE_TIME_REMAINING)
		return false;
	if (is_opened(l) && code == CODE_PROTOCOL_REJECT)
		protocol_rejected(l, data);
	else if (is_opened(l))
		with_magic(l, code, identifier, data);
	return true;
}
