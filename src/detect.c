/* SPDX-License-Identifier: MIT */
/*
 * Three recognisers read the same characters, each with an eye for its own kind
 * alone; the first to be sure decides. What none of them knows (a modem's result
 * codes, somebody's login, noise) passes by.
 *
 * PPP. Its first packets are LCP's, and those are never compressed (RFC 1661
 * section 6.5 and 6.6): FF 03 C0 21, whatever stands before it, each octet escaped
 * or not. A control character that does not fit was put there by the line (RFC
 * 1662 section 7.1). In SLIP these four would be the end of one packet and a first
 * octet that no IP packet has.
 *
 * SLIP. Has no mark of its own, so an IP header must be one: for IPv4 by its
 * checksum, which noise has once in 65536 times; for IPv6, which has none, by
 * addresses and next header of the kinds in use, so long as an END (C0) stands
 * before it. A header is looked for after an END, at the very beginning, and at
 * the beginning of what follows a line of text, since not every peer sends the
 * first END. Text is no header: its "length" is beyond any packet's.
 *
 * Windows direct cable connection. The caller says CLIENT once a second, up to ten
 * times and without a line end, until it hears CLIENTSERVER; PPP follows. On a line
 * that echoes, the answer holds the question: one that comes too soon is none.
 */
#include "src/detect.h"

#include "ppp/hdlc.h"
#include "ppp/protocol.h"
#include "slip/slip.h"

#include <assert.h>

enum {
	LONGEST_PACKET = 9216, /* as CONFIG_MTU_MAX; as letters, two spaces are 8224 and */
	IPV4_HEADER = 20,      /* two of anything else that is printed are more */
	IPV6_HEADER = 40,
};

static const sb_time ANSWER_GAP = 500 * SB_MS; /* duration: Windows asks once a second */

static const uint8_t lcp_begin[] = {0xFF, 0x03, PPP_LCP >> 8, PPP_LCP & 0xFF};
static const char question[] = "CLIENT", answer[] = "CLIENTSERVER";

static_assert(sizeof answer - 1 == DETECT_OUTPUT_SIZE, "the answer fits");

static void restart_slip(struct detect *d, bool after_end)
{
	d->slip.dead = false;
	d->slip.after_end = after_end;
	d->slip.escaped = false;
	d->slip.length = 0;
}

void detect_init(struct detect *d)
{
	*d = (struct detect){.verdict = DETECT_UNDECIDED};
	restart_slip(d, false);
}

/* --- PPP --- */

/* The beginning has no FF but its first, so a match that fails leaves no other behind. */
static bool is_ppp(struct detect *d, uint8_t c)
{
	bool escaped = d->ppp.escaped;

	d->ppp.escaped = c == HDLC_ESCAPE;
	if (d->ppp.escaped)
		return false;
	uint8_t octet = escaped ? c ^ HDLC_XOR : c;
	if (octet == lcp_begin[d->ppp.matched])
		return ++d->ppp.matched == sizeof lcp_begin;
	if (escaped || c >= ' ')
		d->ppp.matched = octet == lcp_begin[0];
	return false;
}

/* As it would have come with the default map, after a flag. */
static void replay_ppp(struct buf *replay)
{
	buf_put(replay, HDLC_FLAG);
	for (size_t i = 0; i < sizeof lcp_begin; i++)
		if (lcp_begin[i] < ' ') {
			buf_put(replay, HDLC_ESCAPE);
			buf_put(replay, lcp_begin[i] ^ HDLC_XOR);
		} else {
			buf_put(replay, lcp_begin[i]);
		}
}

/* --- SLIP --- */

static size_t header_16(const struct detect *d, size_t at)
{
	return (size_t)(d->slip.header[at] << 8 | d->slip.header[at + 1]);
}

static size_t header_length(const struct detect *d)
{
	uint8_t first = d->slip.header[0];
	return first >> 4 == 6 ? IPV6_HEADER : (size_t)(first & 15) * 4;
}

/* RFC 1071: with the checksum in it, a good header sums to all ones. */
static bool checksum_is_good(const struct detect *d)
{
	uint32_t sum = 0;

	for (size_t at = 0; at < d->slip.length; at += 2)
		sum += (uint32_t)header_16(d, at);
	while (sum >> 16)
		sum = (sum & 0xFFFF) + (sum >> 16);
	return sum == 0xFFFF;
}

/* Hop-by-hop, TCP, UDP, routing, fragment, ICMPv6, none, destination options (RFC 8200). */
static bool next_header_is_known(uint8_t next)
{
	static const uint8_t known[] = {0, 6, 17, 43, 44, 58, 59, 60};
	return memchr(known, next, sizeof known) != NULL;
}

/* ::, 2000::/3, fc00::/7, fe80::/10 (RFC 4291 section 2.4, RFC 4193). */
static bool is_unicast(const uint8_t *address)
{
	return address[0] == 0 || address[0] >> 5 == 1 || (address[0] & 0xFE) == 0xFC ||
	       (address[0] == 0xFE && address[1] >> 6 == 2);
}

static bool ipv6_is_plausible(const struct detect *d)
{
	const uint8_t *source = d->slip.header + 8, *destination = d->slip.header + 24;

	return next_header_is_known(d->slip.header[6]) && is_unicast(source) &&
	       (is_unicast(destination) || destination[0] == 0xFF);
}

/* Could what is there of a header be one's beginning? */
static bool begins_header(const struct detect *d)
{
	size_t length = d->slip.length;
	uint8_t version = d->slip.header[0] >> 4;

	if (version == 6)
		return d->slip.after_end && (length < 6 || header_16(d, 4) <= LONGEST_PACKET);
	return version == 4 && header_length(d) >= IPV4_HEADER &&
	       (length < 4 ||
		(header_16(d, 2) >= header_length(d) && header_16(d, 2) <= LONGEST_PACKET));
}

/* One more octet of the header; true when it is whole and good. */
static bool take_header_octet(struct detect *d, uint8_t octet)
{
	d->slip.header[d->slip.length++] = octet;
	d->slip.dead = !begins_header(d);
	if (d->slip.dead || d->slip.length < header_length(d))
		return false;
	bool good = d->slip.header[0] >> 4 == 6 ? ipv6_is_plausible(d) : checksum_is_good(d);
	d->slip.dead = !good;
	return good;
}

/* Of a packet that was thought to have begun; true when its header is whole and good. */
static bool take_slip(struct detect *d, uint8_t c)
{
	bool escaped = d->slip.escaped;

	d->slip.escaped = !escaped && c == SLIP_ESC;
	if (d->slip.escaped)
		return false;
	if (!escaped)
		return take_header_octet(d, c);
	d->slip.dead = c != SLIP_ESC_END && c != SLIP_ESC_ESC;
	return !d->slip.dead && take_header_octet(d, c == SLIP_ESC_END ? SLIP_END : SLIP_ESC);
}

static bool is_slip(struct detect *d, uint8_t c)
{
	if (c == SLIP_END) {
		restart_slip(d, true);
		return false;
	}
	if (!d->slip.dead && take_slip(d, c))
		return true;
	if (d->slip.dead && (c == '\r' || c == '\n'))
		restart_slip(d, false);
	return false;
}

/* The packet goes on in what follows, so it is only begun. */
static void replay_slip(const struct detect *d, struct buf *replay)
{
	buf_put(replay, SLIP_END);
	for (size_t i = 0; i < d->slip.length; i++) {
		uint8_t octet = d->slip.header[i];
		if (octet == SLIP_END || octet == SLIP_ESC) {
			buf_put(replay, SLIP_ESC);
			octet = octet == SLIP_END ? SLIP_ESC_END : SLIP_ESC_ESC;
		}
		buf_put(replay, octet);
	}
}

/* --- Windows --- */

static bool is_too_soon(const struct detect *d, sb_time now)
{
	return d->windows.answers && now - d->windows.answered_at < ANSWER_GAP;
}

/* CLIENT has no C but its first. */
static void look_for_windows(struct detect *d, sb_time now, uint8_t c)
{
	if (c == question[d->windows.matched])
		d->windows.matched++;
	else
		d->windows.matched = c == question[0];
	if (d->windows.matched < sizeof question - 1)
		return;
	d->windows.matched = 0;
	if (is_too_soon(d, now))
		return;
	d->windows.to_answer = true;
	d->windows.answered_at = now;
	d->windows.answers++;
}

bool detect_output(struct detect *d, struct buf *out)
{
	if (!d->windows.to_answer)
		return false;
	d->windows.to_answer = false;
	buf_append(out, bytes_of(answer, sizeof answer - 1));
	return true;
}

uint64_t detect_answers(const struct detect *d)
{
	return d->windows.answers;
}

/* --- all of them --- */

static enum detect_verdict judge(struct detect *d, sb_time now, uint8_t c)
{
	bool ppp = is_ppp(d, c), slip = is_slip(d, c);

	look_for_windows(d, now, c);
	return ppp ? DETECT_PPP : slip ? DETECT_SLIP : DETECT_UNDECIDED;
}

static void prepare_replay(struct detect *d)
{
	struct buf replay = buf_over(d->replay, sizeof d->replay);

	if (d->verdict == DETECT_PPP)
		replay_ppp(&replay);
	else
		replay_slip(d, &replay);
	assert(!replay.overflow);
	d->replay_length = replay.length;
}

enum detect_verdict detect_input(struct detect *d, sb_time now, struct bytes *in)
{
	assert(d->verdict == DETECT_UNDECIDED);
	while (in->length && d->verdict == DETECT_UNDECIDED) {
		d->verdict = judge(d, now, in->at[0]);
		*in = bytes_skip(*in, 1);
	}
	if (d->verdict != DETECT_UNDECIDED)
		prepare_replay(d);
	return d->verdict;
}

struct bytes detect_replay(const struct detect *d)
{
	assert(d->verdict != DETECT_UNDECIDED);
	return bytes_of(d->replay, d->replay_length);
}
