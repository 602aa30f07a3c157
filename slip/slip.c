/* SPDX-License-Identifier: MIT */
/*
 * SLIP: a stream decoder of three states, and a one-pass encoder.
 *
 *	          END                     ESC
 *	DROP ------------> COLLECT -----------------> ESCAPED
 *	  ^                   |  <-----------------      |
 *	  |                   |    ESC_END, ESC_ESC      |
 *	  '-------------------+--------------------------'
 *	                   no room           anything else
 *
 * END ends a frame in every state, and what follows it starts afresh, so one
 * damaged byte costs one frame or two, never the stream. Why a frame was
 * dropped is counted on the way into DROP, once.
 *
 * Nothing foretells where an escape stands, so the decoder does not branch on
 * it: an ESC is stored like any byte, and overwritten by the next, since it does
 * not move the end.
 */
#include "slip/slip.h"

#include <assert.h>
#include <stdlib.h>

enum state {
	COLLECT, /* the next byte is data, END or ESC */
	ESCAPED, /* the last byte was ESC */
	DROP,    /* this frame is lost and counted: wait for END */
};

struct slip_decoder {
	struct slip_counters counters;
	enum state state;
	size_t length; /* of the frame in progress */
	size_t max_frame;
	uint8_t frame[]; /* max_frame bytes */
};

static bool is_special(uint8_t byte)
{
	return byte == SLIP_END || byte == SLIP_ESC;
}

static bool completes_escape(uint8_t byte)
{
	return byte == SLIP_ESC_END || byte == SLIP_ESC_ESC;
}

static uint8_t unescaped(uint8_t byte)
{
	return byte == SLIP_ESC_END ? SLIP_END : SLIP_ESC;
}

struct slip_decoder *slip_decoder_new(size_t max_frame)
{
	assert(max_frame > 0);
	struct slip_decoder *d = calloc(1, sizeof *d + max_frame);
	if (d)
		d->max_frame = max_frame;
	return d;
}

void slip_decoder_free(struct slip_decoder *d)
{
	free(d);
}

void slip_decoder_reset(struct slip_decoder *d)
{
	d->state = COLLECT;
	d->length = 0;
}

const struct slip_counters *slip_decoder_counters(const struct slip_decoder *d)
{
	return &d->counters;
}

/* END came. RFC 1055 wants the empty frame between two ENDs thrown away. */
static bool end_frame(struct slip_decoder *d, struct bytes *frame)
{
	enum state ended_in = d->state;
	size_t length = d->length;

	slip_decoder_reset(d);
	if (ended_in == ESCAPED)
		d->counters.bad_escapes++;
	if (ended_in != COLLECT || length == 0)
		return false;
	d->counters.frames++;
	d->counters.bytes += length;
	*frame = bytes_of(d->frame, length);
	return true;
}

/* Moves bytes into the frame, undoing escapes, up to one that is not to be stored. */
static void take_run(struct slip_decoder *d, struct bytes *in)
{
	const uint8_t *from = in->at, *end = from + in->length;
	uint8_t *to = d->frame + d->length, *full = d->frame + d->max_frame;
	bool escaped = d->state == ESCAPED;

	while (from < end && to < full) {
		uint8_t byte = *from;
		if ((byte == SLIP_END) | (escaped & !completes_escape(byte)))
			break;
		*to = escaped ? unescaped(byte) : byte;
		escaped = byte == SLIP_ESC;
		to += !escaped;
		from++;
	}
	d->length = (size_t)(to - d->frame);
	d->state = escaped ? ESCAPED : COLLECT;
	*in = bytes_of(from, (size_t)(end - from));
}

static void skip_to_end(struct bytes *in)
{
	const uint8_t *end = memchr(in->at, SLIP_END, in->length);
	*in = bytes_skip(*in, end ? (size_t)(end - in->at) : in->length);
}

/* The byte that take_run left is no END: it fails an escape, or has no room. */
static void drop(struct slip_decoder *d)
{
	if (d->state == ESCAPED)
		d->counters.bad_escapes++;
	else
		d->counters.too_long++;
	d->state = DROP;
}

bool slip_decoder_next(struct slip_decoder *d, struct bytes *in, struct bytes *frame)
{
	while (in->length) {
		if (d->state == DROP)
			skip_to_end(in);
		else
			take_run(d, in);
		if (!in->length)
			break;

		uint8_t byte = in->at[0];
		*in = bytes_skip(*in, 1);
		if (byte != SLIP_END)
			drop(d);
		else if (end_frame(d, frame))
			return true;
	}
	return false;
}

size_t slip_encoded_length(struct bytes packet)
{
	size_t length = packet.length + 2;
	for (size_t i = 0; i < packet.length; i++)
		length += is_special(packet.at[i]);
	return length;
}

/* Asks for the exact length only when the worst case would not fit. */
static bool fits(const struct buf *out, struct bytes packet)
{
	size_t room = out->capacity - out->length;
	return packet.length < room / 2 || slip_encoded_length(packet) <= room;
}

void slip_encode(struct buf *out, struct bytes packet)
{
	if (!fits(out, packet)) {
		out->overflow = true;
		return;
	}

	uint8_t *to = out->at + out->length;
	*to++ = SLIP_END;
	for (size_t i = 0; i < packet.length; i++) {
		uint8_t byte = packet.at[i];
		if (is_special(byte)) {
			*to++ = SLIP_ESC;
			byte = byte == SLIP_END ? SLIP_ESC_END : SLIP_ESC_ESC;
		}
		*to++ = byte;
	}
	*to++ = SLIP_END;
	out->length = (size_t)(to - out->at);
}
