/* SPDX-License-Identifier: MIT */
/*
 * SLIP on a line: bare IP packets (RFC 1055), as the kernel's `slattach -p slip`
 * and EQL at the other end have them.
 *
 * SLIP has no type, no length and no checksum. So a frame is taken for a packet
 * only when IP itself vouches for it: version, header checksum, and a total
 * length that is the frame's. What fails is counted by kind, since the kinds
 * tell different stories: compressed headers (a peer set to CSLIP), words (a modem
 * that answers, or a login), noise.
 *
 * Two stories are worth a message to the user, and a message must be true: a
 * noisy line shows every first byte now and then, and packets carry words.
 */
#include "sched/ip.h"
#include "slip/slip.h"
#include "src/encap.h"

#include <stdlib.h>

enum {
	CSLIP_UNCOMPRESSED = 0x70, /* in the place of IP's version; RFC 1144 section 3.2.3 */
	CSLIP_COMPRESSED = 0x80,
	COMPRESSED_SURE = 16, /* frames in a row that begin so: noise would spare some */
	TEXT_SURE = 6,        /* printable characters in a row: CR LF O K CR LF */
};

struct encap {
	struct slip_decoder *decoder;
	struct encap_counters counters; /* those the decoder does not keep */
	unsigned compressed_row;        /* frames, no other between */
	unsigned text_characters;       /* printable ones in a row */
	uint8_t first;                  /* character after the last END; 0: none yet */
	bool in_packet;                 /* it begins like one, and is not all printable */
	bool said_compressed, said_text;
	bool saw_compressed, saw_text, any_packet;
};

static void slip_kind_free(struct encap *e)
{
	if (!e)
		return;
	slip_decoder_free(e->decoder);
	free(e);
}

static struct encap *slip_kind_new(size_t mtu)
{
	struct encap *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->decoder = slip_decoder_new(mtu);
	if (!e->decoder) {
		slip_kind_free(e);
		return NULL;
	}
	return e;
}

static void forget_text(struct encap *e)
{
	e->text_characters = 0;
	e->first = 0;
	e->in_packet = false;
}

static void slip_kind_reset(struct encap *e)
{
	slip_decoder_reset(e->decoder);
	forget_text(e);
	e->compressed_row = 0;
}

static size_t slip_kind_length(const void *coding, struct bytes packet)
{
	(void)coding;
	return slip_encoded_length(packet);
}

static const void *slip_kind_coding(const struct encap *e)
{
	(void)e;
	return NULL;
}

static void slip_kind_encode(struct encap *e, struct bytes packet, struct buf *out)
{
	(void)e;
	slip_encode(out, packet);
}

static bool is_text(uint8_t c)
{
	return c == '\r' || c == '\n' || (c >= ' ' && c <= '~');
}

static bool begins_like_ip(uint8_t c)
{
	return c >> 4 == 4 || c >> 4 == 6;
}

/*
 * Words on the line: a run of printable characters that ends a line. A packet
 * may carry such a run, but behind a header that is not all printable: until the END
 * of what shows one, nothing counts. From the first packet on the line is known
 * to carry packets, and nobody looks.
 */
static void watch_for_text(struct encap *e, uint8_t c)
{
	if (c == SLIP_END) {
		forget_text(e);
		return;
	}
	if (!e->first)
		e->first = c;
	if (!is_text(c)) {
		e->text_characters = 0;
		e->in_packet |= begins_like_ip(e->first);
	} else if (++e->text_characters >= TEXT_SURE && (c == '\n' || c == '\r')) {
		e->saw_text |= !e->in_packet;
	}
}

/*
 * RFC 1144 3.2.3: in an uncompressed TCP packet the version is 7 and the
 * protocol a connection number; its length is IP's still. A compressed one has
 * nothing to check, so noise is told from it only by how many come.
 */
static void count_compressed(struct encap *e, struct bytes frame)
{
	bool sure = frame.at[0] < CSLIP_COMPRESSED && frame.length >= 40 &&
		    (size_t)(frame.at[2] << 8 | frame.at[3]) == frame.length;

	e->counters.compressed++;
	if (++e->compressed_row >= COMPRESSED_SURE || sure)
		e->saw_compressed = true;
}

/* Whether the frame is a packet; if not, it is counted as what it seems to be. */
static bool accept_frame(struct encap *e, struct bytes frame)
{
	if (frame.at[0] >= CSLIP_UNCOMPRESSED) {
		count_compressed(e, frame);
		return false;
	}
	e->compressed_row = 0;
	switch (ip_check(frame)) {
	case IP_OK:
		e->any_packet = true;
		return true;
	case IP_NOT_IP:
		e->counters.not_ip++;
		return false;
	case IP_BAD_LENGTH:
		e->counters.bad_length++;
		return false;
	case IP_BAD_CHECKSUM:
		e->counters.bad_checksum++;
		return false;
	}
	return false;
}

static bool slip_kind_next(struct encap *e, struct bytes *in, struct bytes *packet)
{
	const uint8_t *from = in->at;
	bool found = false;

	while (!found && slip_decoder_next(e->decoder, in, packet))
		found = accept_frame(e, *packet);
	for (; !e->any_packet && from < in->at; from++)
		watch_for_text(e, *from);
	return found;
}

static enum encap_notice slip_kind_notice(struct encap *e)
{
	if (e->saw_compressed && !e->said_compressed) {
		e->said_compressed = true;
		return ENCAP_SAW_COMPRESSED;
	}
	if (e->saw_text && !e->said_text) {
		e->said_text = true;
		return ENCAP_SAW_TEXT;
	}
	return ENCAP_NOTHING;
}

static void slip_kind_count(const struct encap *e, struct encap_counters *out)
{
	const struct slip_counters *d = slip_decoder_counters(e->decoder);

	*out = e->counters;
	out->frames_in = d->frames + d->bad_escapes + d->too_long;
	out->bad_framing = d->bad_escapes;
	out->too_long = d->too_long;
}

const struct encap_kind encap_slip = {
	.name = "slip",
	.new = slip_kind_new,
	.free = slip_kind_free,
	.reset = slip_kind_reset,
	.encoded_length = slip_kind_length,
	.coding = slip_kind_coding,
	.encode = slip_kind_encode,
	.next = slip_kind_next,
	.notice = slip_kind_notice,
	.count = slip_kind_count,
};
