/* SPDX-License-Identifier: MIT */
/*
 * SLIP: the decoder is a machine of three states that eats runs.
 *
 *              ordinary bytes
 *                  +--+        ESC        +---------+
 *                  |  v  ---------------> |         |
 *     start ---> COLLECT                  | ESCAPED |
 *                  ^  |  <--------------- |         |
 *                  |  |   ESC_END, ESC_ESC+---------+
 *              END |  | no room             | anything else
 *                  |  v                     |
 *                  DROP <-------------------+
 *
 * END ends a frame in every state, and what follows it starts afresh, so one
 * damaged byte costs one frame or two, never the stream. Why a frame was
 * dropped is counted on the way into DROP, once.
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

static void drop(struct slip_decoder *d, uint64_t *reason)
{
	d->state = DROP;
	++*reason;
}

static void store(struct slip_decoder *d, uint8_t byte)
{
	if (d->length == d->max_frame) {
		drop(d, &d->counters.too_long);
		return;
	}
	d->frame[d->length++] = byte;
	d->state = COLLECT;
}

static void unescape(struct slip_decoder *d, uint8_t byte)
{
	if (byte == SLIP_ESC_END)
		store(d, SLIP_END);
	else if (byte == SLIP_ESC_ESC)
		store(d, SLIP_ESC);
	else
		drop(d, &d->counters.bad_escapes);
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

/* The fast path: moves ordinary bytes into the frame while there is room. */
static void take_run(struct slip_decoder *d, struct bytes *in)
{
	size_t room = d->max_frame - d->length;
	size_t most = in->length < room ? in->length : room;
	const uint8_t *from = in->at;
	uint8_t *to = d->frame + d->length;
	size_t n = 0;

	for (; n < most && from[n] != SLIP_END && from[n] != SLIP_ESC; n++)
		to[n] = from[n];
	d->length += n;
	*in = bytes_skip(*in, n);
}

static void skip_to_end(struct bytes *in)
{
	const uint8_t *end = memchr(in->at, SLIP_END, in->length);
	*in = bytes_skip(*in, end ? (size_t)(end - in->at) : in->length);
}

bool slip_decoder_next(struct slip_decoder *d, struct bytes *in, struct bytes *frame)
{
	while (in->length) {
		if (d->state == COLLECT)
			take_run(d, in);
		else if (d->state == DROP)
			skip_to_end(in);
		if (!in->length)
			break;

		uint8_t byte = in->at[0];
		*in = bytes_skip(*in, 1);
		if (byte == SLIP_END) {
			if (end_frame(d, frame))
				return true;
		} else if (d->state == ESCAPED) {
			unescape(d, byte);
		} else if (byte == SLIP_ESC) {
			d->state = ESCAPED;
		} else {
			store(d, byte); /* take_run left it: there is no room */
		}
	}
	return false;
}

static bool is_special(uint8_t byte)
{
	return byte == SLIP_END || byte == SLIP_ESC;
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
