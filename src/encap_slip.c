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
#define _DEFAULT_SOURCE
#include "sched/ip.h"
#include "slip/slip.h"
#include "src/config.h"
#include "src/encap.h"

#include <assert.h>
#include <stdlib.h>

enum {
	CSLIP_UNCOMPRESSED = 0x70, /* in the place of IP's version; RFC 1144 section 3.2.3 */
	CSLIP_COMPRESSED = 0x80,
	COMPRESSED_SURE = 16, /* frames in a row that begin so: noise would spare some */
	TEXT_SURE = 6,        /* printable characters in a row: CR LF O K CR LF */
};

struct slip_encap {
	struct encap base;
	bool came_up; /* not told yet */
	struct slip_decoder *decoder;
	struct encap_counters counters; /* those the decoder does not keep */
	unsigned compressed_row;        /* frames, no other between */
	unsigned text_characters;       /* printable ones in a row */
	uint8_t first;                  /* character after the last END; 0: none yet */
	bool in_packet;                 /* it begins like one, and is not all printable */
	bool said_compressed, said_text;
	bool saw_compressed, saw_text, any_packet;
};

static struct slip_encap *slip_of(struct encap *e)
{
	return (struct slip_encap *)e;
}

static const struct slip_encap *slip_of_const(const struct encap *e)
{
	return (const struct slip_encap *)e;
}

static void slip_kind_free(struct encap *base)
{
	struct slip_encap *e = slip_of(base);

	if (!e)
		return;
	slip_decoder_free(e->decoder);
	free(e);
}

static struct encap *slip_kind_new(const struct encap_config *config)
{
	struct slip_encap *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->base.kind = &encap_slip;
	e->decoder = slip_decoder_new(config->config->mtu);
	if (!e->decoder) {
		slip_kind_free(&e->base);
		return NULL;
	}
	return &e->base;
}

static void forget_text(struct slip_encap *e)
{
	e->text_characters = 0;
	e->first = 0;
	e->in_packet = false;
}

static void slip_kind_lower_up(struct encap *base, sb_time now)
{
	struct slip_encap *e = slip_of(base);

	(void)now;
	slip_decoder_reset(e->decoder);
	forget_text(e);
	e->compressed_row = 0;
	e->came_up = true; /* there is nobody to ask */
}

static void slip_kind_lower_down(struct encap *base, sb_time now)
{
	(void)now;
	slip_of(base)->came_up = false;
}

static bool slip_kind_event(struct encap *base, struct encap_event *event)
{
	struct slip_encap *e = slip_of(base);
	bool came_up = e->came_up;

	e->came_up = false;
	*event = (struct encap_event){.kind = ENCAP_UP};
	return came_up;
}

static size_t slip_kind_length(const void *coding, struct bytes packet)
{
	(void)coding;
	return slip_encoded_length(packet);
}

static size_t slip_kind_overhead(const struct encap *e)
{
	(void)e;
	return 2;
}

/* SLIP has no type field: the packet speaks for itself, and is never in pieces. */
static void slip_kind_encode(struct encap *e, uint16_t protocol, struct bytes head,
			     struct bytes data, struct buf *out)
{
	(void)e, (void)protocol, (void)head;
	assert(head.length == 0);
	slip_encode(out, data);
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
static void watch_for_text(struct slip_encap *e, uint8_t c)
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
static void count_compressed(struct slip_encap *e, struct bytes frame)
{
	bool sure = frame.at[0] < CSLIP_COMPRESSED && frame.length >= 40 &&
		    (size_t)(frame.at[2] << 8 | frame.at[3]) == frame.length;

	e->counters.compressed++;
	if (++e->compressed_row >= COMPRESSED_SURE || sure)
		e->saw_compressed = true;
}

/* Whether the frame is a packet; if not, it is counted as what it seems to be. */
static bool accept_frame(struct slip_encap *e, struct bytes frame)
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

static bool slip_kind_next(struct encap *base, sb_time now, struct bytes *in,
			   struct encap_packet *packet)
{
	struct slip_encap *e = slip_of(base);
	const uint8_t *from = in->at;
	bool found = false;

	(void)now;
	while (!found && slip_decoder_next(e->decoder, in, &packet->data))
		found = accept_frame(e, packet->data);
	if (found)
		packet->protocol = encap_protocol(packet->data);
	for (; !e->any_packet && from < in->at; from++)
		watch_for_text(e, *from);
	return found;
}

static enum encap_notice slip_kind_notice(struct encap *base)
{
	struct slip_encap *e = slip_of(base);

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

static void slip_kind_count(const struct encap *base, struct encap_counters *out)
{
	const struct slip_encap *e = slip_of_const(base);
	const struct slip_counters *d = slip_decoder_counters(e->decoder);

	*out = e->counters;
	out->loss_out = out->loss_in = -1;
	out->frames_in = d->frames + d->bad_escapes + d->too_long;
	out->bad_framing = d->bad_escapes;
	out->too_long = d->too_long;
}

const struct encap_kind encap_slip = {
	.name = "slip",
	.new = slip_kind_new,
	.free = slip_kind_free,
	.lower_up = slip_kind_lower_up,
	.lower_down = slip_kind_lower_down,
	.event = slip_kind_event,
	.encoded_length = slip_kind_length,
	.overhead = slip_kind_overhead,
	.encode = slip_kind_encode,
	.next = slip_kind_next,
	.notice = slip_kind_notice,
	.count = slip_kind_count,
};
