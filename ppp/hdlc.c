/* SPDX-License-Identifier: MIT */
/*
 * HDLC-like framing: a stream decoder that eats runs, and a one-pass encoder.
 *
 *              ordinary bytes
 *                  +--+       7D         +---------+
 *                  |  v  --------------> |         |
 *              ,-> COLLECT               | ESCAPED |
 *              |    |   <--------------- |         |
 *           7E |    | no room   any ^ 20 +---------+
 *              |    v                     | no room
 *     start -> HUNT <---------------------+
 *
 * A flag ends the frame in every state; the same flag begins the next one, so
 * shared flags need no thought (RFC 1662 section 3.1). At the start, and after a
 * reset, whatever the line says before the first flag (a login prompt, modem
 * results, the tail of a frame) is not a damaged frame and is not counted.
 *
 * Characters of the receive map are removed in both COLLECT and ESCAPED: equipment
 * on the line may put an XOFF behind a 7D as well as anywhere else, and no peer
 * sends one there (section 4.2 checks them first, too).
 *
 * The FCS is judged over the whole frame when its flag comes: the bytes are
 * still in the cache, and nothing has to be undone for the FCS's own octets.
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
	COLLECT, /* the next byte is data, a flag, an escape, or to be removed */
	ESCAPED, /* the last byte was 7D */
	HUNT,    /* wait for a flag; nothing on the way is counted */
};

struct hdlc_decoder {
	struct hdlc_counters counters;
	struct asyncmap special; /* what ends a run: the receive map, 7D and 7E */
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

/* Writes the FCS of a frame as it is sent; the view is of what was written. */
static struct bytes fcs_of(enum hdlc_fcs fcs, struct bytes frame, uint8_t octets[static FCS_MAX])
{
	uint32_t value = 0;

	if (fcs == HDLC_FCS_16)
		value = ~(uint32_t)fcs16_update(FCS16_INIT, frame);
	else if (fcs == HDLC_FCS_32)
		value = ~fcs32_update(FCS32_INIT, frame);
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
	d->state = HUNT;
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
	d->special = asyncmap_from_accm(receive_accm);
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

static size_t space(const struct hdlc_decoder *d)
{
	return d->max_frame + (size_t)d->fcs - d->length;
}

static void store(struct hdlc_decoder *d, uint8_t byte)
{
	if (space(d) == 0) {
		d->counters.too_long++;
		hdlc_decoder_reset(d);
		return;
	}
	d->frame[d->length++] = byte;
	d->state = COLLECT;
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

/* The fast path: moves ordinary bytes into the frame while there is room. */
static void take_run(struct hdlc_decoder *d, struct bytes *in)
{
	size_t most = in->length < space(d) ? in->length : space(d);
	const struct asyncmap special = d->special;
	const uint8_t *from = in->at;
	uint8_t *to = d->frame + d->length;
	size_t n = 0;

	for (; n < most && !asyncmap_has(&special, from[n]); n++)
		to[n] = from[n];
	d->length += n;
	*in = bytes_skip(*in, n);
}

static void skip_to_flag(struct bytes *in)
{
	const uint8_t *flag = memchr(in->at, HDLC_FLAG, in->length);
	*in = bytes_skip(*in, flag ? (size_t)(flag - in->at) : in->length);
}

static bool is_removed(const struct hdlc_decoder *d, uint8_t byte)
{
	return byte < 0x20 && asyncmap_has(&d->special, byte);
}

static bool next_frame(struct hdlc_decoder *d, struct bytes *in, struct bytes *frame)
{
	while (in->length) {
		if (d->state == COLLECT)
			take_run(d, in);
		else if (d->state == HUNT)
			skip_to_flag(in);
		if (!in->length)
			break;

		uint8_t byte = in->at[0];
		*in = bytes_skip(*in, 1);
		if (byte == HDLC_FLAG) {
			if (end_frame(d, frame))
				return true;
		} else if (is_removed(d, byte)) {
			d->counters.removed++;
		} else if (d->state == ESCAPED) {
			store(d, byte ^ HDLC_XOR);
		} else if (byte == HDLC_ESCAPE) {
			d->state = ESCAPED;
		} else {
			store(d, byte); /* take_run left it: there is no room */
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

/*
 * Writes the data escaped, and returns where it ended. Without a branch, since
 * in random data under the default map every eighth would be mispredicted: an
 * ordinary byte overwrites the escape that was put down for it.
 */
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

static size_t length_with(const struct hdlc_encoding *e, struct bytes frame, struct bytes fcs)
{
	return e->opening_flag + frame.length + escapes(e->map, frame) + fcs.length +
	       escapes(e->map, fcs) + 1;
}

size_t hdlc_encoded_length(const struct hdlc_encoding *e, struct bytes frame)
{
	uint8_t octets[FCS_MAX];
	return length_with(e, frame, fcs_of(e->fcs, frame, octets));
}

/* Asks for the exact length only when the worst case would not fit. */
static bool fits(const struct buf *out, const struct hdlc_encoding *e, struct bytes frame,
		 struct bytes fcs)
{
	size_t room = out->capacity - out->length;
	return frame.length + fcs.length < room / 2 || length_with(e, frame, fcs) <= room;
}

void hdlc_encode(struct buf *out, const struct hdlc_encoding *e, struct bytes frame)
{
	uint8_t octets[FCS_MAX];
	struct bytes fcs = fcs_of(e->fcs, frame, octets);

	assert(asyncmap_has(e->map, HDLC_FLAG) && asyncmap_has(e->map, HDLC_ESCAPE));
	if (!fits(out, e, frame, fcs)) {
		out->overflow = true;
		return;
	}

	uint8_t *to = out->at + out->length;
	if (e->opening_flag)
		*to++ = HDLC_FLAG;
	to = stuff(to, e->map, frame);
	to = stuff(to, e->map, fcs);
	*to++ = HDLC_FLAG;
	out->length = (size_t)(to - out->at);
}
