/* SPDX-License-Identifier: MIT */
/*
 * HDLC-like framing: a stream decoder of three states, and a one-pass encoder.
 *
 *	           flag                    7D
 *	HUNT ----------------> COLLECT <--------> ESCAPED
 *	  ^                       |      any ^20     |
 *	  '-----------------------+------------------'
 *	                       no room
 *
 * A flag ends the frame in every state; the same flag begins the next one, so
 * shared flags need no thought (RFC 1662 section 3.1). At the start, and after a
 * reset, whatever the line says before the first flag (a login prompt, modem
 * results, the tail of a frame) is not a damaged frame and is not counted.
 *
 * Characters of the receive map are removed behind a 7D, too: equipment on the
 * line may put an XOFF there as well as anywhere else, no peer sends one there,
 * and section 4.2 has them checked first.
 *
 * The FCS is judged over the whole frame when its flag comes: the bytes are
 * still in the cache, and nothing has to be undone for the FCS's own octets.
 *
 * Escapes are common (one octet in seven and a half of random data under the
 * default map) and nothing foretells them, so that a branch on "is it escaped?"
 * would be mispredicted time and again. Both directions do without. The decoder
 * stores a 7D like any octet but does not move the end, so that the next octet
 * overwrites it; the encoder puts a 7D down before every octet, and an octet that
 * needs none overwrites it.
 */
#include "ppp/hdlc.h"

#include <assert.h>
#include <stdlib.h>

#include "ppp/fcs.h"

enum {
	SHORTEST = 2, /* octets before the FCS: 4 with FCS-16; RFC 1662 section 4.3 */
	FCS_MAX = HDLC_FCS_32,
};

enum state {
	HUNT,    /* wait for a flag; nothing on the way is counted */
	COLLECT, /* the next octet counts as it is */
	ESCAPED, /* the last one was 7D */
};

struct hdlc_decoder {
	struct hdlc_counters counters;
	struct asyncmap stops; /* what ends a run: the receive map and the flag */
	enum state state;
	enum hdlc_fcs fcs;
	size_t length; /* of the frame in progress, FCS included */
	size_t max_frame;
	uint8_t frame[]; /* max_frame + FCS_MAX bytes */
};

/* --- the FCS as octets of a frame --- */

static bool fcs_holds(enum hdlc_fcs fcs, struct bytes covered)
{
	switch (fcs) {
	case HDLC_FCS_NONE:
		break;
	case HDLC_FCS_16:
		return fcs16_update(FCS16_INIT, covered) == FCS16_GOOD;
	case HDLC_FCS_32:
		return fcs32_update(FCS32_INIT, covered) == FCS32_GOOD;
	}
	return true;
}

static uint32_t fcs_value(enum hdlc_fcs fcs, const struct bytes *pieces, size_t count)
{
	uint16_t short_fcs = FCS16_INIT;
	uint32_t long_fcs = FCS32_INIT;

	for (size_t i = 0; i < count; i++)
		if (fcs == HDLC_FCS_16)
			short_fcs = fcs16_update(short_fcs, pieces[i]);
		else if (fcs == HDLC_FCS_32)
			long_fcs = fcs32_update(long_fcs, pieces[i]);
	return fcs == HDLC_FCS_16 ? short_fcs : long_fcs;
}

/* Writes the FCS of a frame as it is sent; the view is of what was written. */
static struct bytes fcs_of(enum hdlc_fcs fcs, const struct bytes *pieces, size_t count,
			   uint8_t octets[static FCS_MAX])
{
	uint32_t value = ~fcs_value(fcs, pieces, count);

	for (int i = 0; i < (int)fcs; i++)
		octets[i] = (uint8_t)(value >> 8 * i);
	return bytes_of(octets, (size_t)fcs);
}

/* --- decoder --- */

struct hdlc_decoder *hdlc_decoder_new(const struct hdlc_decoder_config *config)
{
	assert(config->max_frame >= SHORTEST);
	struct hdlc_decoder *d = calloc(1, sizeof *d + config->max_frame + FCS_MAX);
	if (!d)
		return NULL;
	d->max_frame = config->max_frame;
	d->fcs = config->fcs;
	hdlc_decoder_set_accm(d, config->receive_accm);
	return d;
}

void hdlc_decoder_free(struct hdlc_decoder *d)
{
	free(d);
}

void hdlc_decoder_reset(struct hdlc_decoder *d)
{
	d->state = HUNT;
	d->length = 0;
}

void hdlc_decoder_set_accm(struct hdlc_decoder *d, uint32_t receive_accm)
{
	d->stops = (struct asyncmap){.bits = {
					     [0] = receive_accm,
					     [HDLC_FLAG >> 5] = UINT32_C(1) << (HDLC_FLAG & 31),
				     }};
}

void hdlc_decoder_set_fcs(struct hdlc_decoder *d, enum hdlc_fcs fcs)
{
	if (fcs != d->fcs && d->length)
		hdlc_decoder_reset(d);
	d->fcs = fcs;
}

const struct hdlc_counters *hdlc_decoder_counters(const struct hdlc_decoder *d)
{
	return &d->counters;
}

/* The counter of what is wrong with a frame that a flag has ended, or NULL. */
static uint64_t *fault(struct hdlc_decoder *d, enum state ended_in, struct bytes whole)
{
	if (ended_in == ESCAPED)
		return &d->counters.aborts;
	if (whole.length < SHORTEST + (size_t)d->fcs)
		return &d->counters.runts;
	if (!fcs_holds(d->fcs, whole))
		return &d->counters.bad_fcs;
	return NULL;
}

/* A flag came. The empty frame between two flags is nothing; RFC 1662 section 3.1. */
static bool end_frame(struct hdlc_decoder *d, struct bytes *frame)
{
	enum state ended_in = d->state;
	struct bytes whole = bytes_of(d->frame, d->length);

	d->state = COLLECT;
	d->length = 0;
	if (ended_in == HUNT || (ended_in == COLLECT && whole.length == 0))
		return false;

	uint64_t *reason = fault(d, ended_in, whole);
	if (reason) {
		++*reason;
		return false;
	}
	*frame = bytes_of(whole.at, whole.length - (size_t)d->fcs);
	d->counters.frames++;
	d->counters.bytes += frame->length;
	return true;
}

/* Moves octets into the frame, undoing escapes, up to one that stops or does not fit. */
static void take_run(struct hdlc_decoder *d, struct bytes *in)
{
	const struct asyncmap stops = d->stops;
	const uint8_t *from = in->at, *end = from + in->length;
	uint8_t *to = d->frame + d->length, *full = d->frame + d->max_frame + d->fcs;
	bool escaped = d->state == ESCAPED;

	while (from < end && to < full && !asyncmap_has(&stops, *from)) {
		uint8_t octet = *from++;
		*to = (uint8_t)(octet ^ escaped * HDLC_XOR);
		escaped = (octet == HDLC_ESCAPE) & !escaped;
		to += !escaped;
	}
	d->length = (size_t)(to - d->frame);
	d->state = escaped ? ESCAPED : COLLECT;
	*in = bytes_of(from, (size_t)(end - from));
}

static void skip_to_flag(struct bytes *in)
{
	const uint8_t *flag = memchr(in->at, HDLC_FLAG, in->length);
	*in = bytes_skip(*in, flag ? (size_t)(flag - in->at) : in->length);
}

static bool next_frame(struct hdlc_decoder *d, struct bytes *in, struct bytes *frame)
{
	while (in->length) {
		if (d->state == HUNT)
			skip_to_flag(in);
		else
			take_run(d, in);
		if (!in->length)
			break;

		uint8_t octet = in->at[0];
		*in = bytes_skip(*in, 1);
		if (octet == HDLC_FLAG) {
			if (end_frame(d, frame))
				return true;
		} else if (asyncmap_has(&d->stops, octet)) {
			d->counters.removed++;
		} else {
			d->counters.too_long++;
			hdlc_decoder_reset(d);
		}
	}
	return false;
}

/* Eight bytes a step: adding up eight ones by a multiplication. */
static uint64_t count_high_bits(struct bytes in)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t count = 0, eight;

	for (; in.length >= sizeof eight; in = bytes_skip(in, sizeof eight)) {
		memcpy(&eight, in.at, sizeof eight);
		count += (eight >> 7 & ones) * ones >> 56;
	}
	for (size_t i = 0; i < in.length; i++)
		count += in.at[i] >> 7;
	return count;
}

bool hdlc_decoder_next(struct hdlc_decoder *d, struct bytes *in, struct bytes *frame)
{
	struct bytes before = *in;
	bool ended = next_frame(d, in, frame);

	d->counters.high_bits += count_high_bits(bytes_of(before.at, before.length - in->length));
	return ended;
}

/* --- encoder --- */

static size_t escapes(const struct asyncmap *map, struct bytes data)
{
	size_t count = 0;
	for (size_t i = 0; i < data.length; i++)
		count += asyncmap_has(map, data.at[i]);
	return count;
}

/* Writes the data escaped, and returns where it ended. */
static uint8_t *stuff(uint8_t *to, const struct asyncmap *map, struct bytes data)
{
	const struct asyncmap escaped = *map;

	for (size_t i = 0; i < data.length; i++) {
		uint8_t byte = data.at[i];
		size_t escape = asyncmap_has(&escaped, byte);
		to[0] = HDLC_ESCAPE;
		to[escape] = (uint8_t)(byte ^ escape * HDLC_XOR);
		to += escape + 1;
	}
	return to;
}

static size_t length_with(const struct hdlc_encoding *e, const struct bytes *pieces, size_t count,
			  struct bytes fcs)
{
	size_t length = e->opening_flag + fcs.length + escapes(e->map, fcs) + 1;

	for (size_t i = 0; i < count; i++)
		length += pieces[i].length + escapes(e->map, pieces[i]);
	return length;
}

size_t hdlc_encoded_length_of_pieces(const struct hdlc_encoding *e, const struct bytes *pieces,
				     size_t count)
{
	uint8_t octets[FCS_MAX];
	return length_with(e, pieces, count, fcs_of(e->fcs, pieces, count, octets));
}

size_t hdlc_encoded_length(const struct hdlc_encoding *e, struct bytes frame)
{
	return hdlc_encoded_length_of_pieces(e, &frame, 1);
}

/* Asks for the exact length only when the worst case would not fit. */
static bool fits(const struct buf *out, const struct hdlc_encoding *e, const struct bytes *pieces,
		 size_t count, struct bytes fcs)
{
	size_t room = out->capacity - out->length, octets = fcs.length;

	for (size_t i = 0; i < count; i++)
		octets += pieces[i].length;
	return octets < room / 2 || length_with(e, pieces, count, fcs) <= room;
}

void hdlc_encode_pieces(struct buf *out, const struct hdlc_encoding *e, const struct bytes *pieces,
			size_t count)
{
	uint8_t octets[FCS_MAX];
	struct bytes fcs = fcs_of(e->fcs, pieces, count, octets);

	assert(asyncmap_has(e->map, HDLC_FLAG) && asyncmap_has(e->map, HDLC_ESCAPE));
	if (!fits(out, e, pieces, count, fcs)) {
		out->overflow = true;
		return;
	}

	uint8_t *to = out->at + out->length;
	if (e->opening_flag)
		*to++ = HDLC_FLAG;
	for (size_t i = 0; i < count; i++)
		to = stuff(to, e->map, pieces[i]);
	to = stuff(to, e->map, fcs);
	*to++ = HDLC_FLAG;
	out->length = (size_t)(to - out->at);
}

void hdlc_encode(struct buf *out, const struct hdlc_encoding *e, struct bytes frame)
{
	hdlc_encode_pieces(out, e, &frame, 1);
}

void hdlc_abort(struct buf *out)
{
	buf_put(out, HDLC_ESCAPE);
	buf_put(out, HDLC_FLAG);
}
