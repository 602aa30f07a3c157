/* SPDX-License-Identifier: MIT */
/*
 * SLIP framing (RFC 1055): END-delimited packets with two-byte escapes.
 *
 * The decoder is a stream: the frames that come out do not depend on how the
 * bytes were cut into reads. RFC 1055 leaves a bad escape open; here it drops
 * the frame (counted), since a byte that was certainly damaged is not worth
 * delivering. Empty frames (END END) are nothing, and not counted.
 */
#ifndef SLIP_SLIP_H
#define SLIP_SLIP_H

#include "serialbundle/bytes.h"

enum {
	SLIP_END = 0xC0,
	SLIP_ESC = 0xDB,
	SLIP_ESC_END = 0xDC,
	SLIP_ESC_ESC = 0xDD,
};

struct slip_counters {
	uint64_t frames;      /* handed out */
	uint64_t bytes;       /* decoded bytes in those frames */
	uint64_t bad_escapes; /* frames dropped: ESC before something else */
	uint64_t too_long;    /* frames dropped: longer than max_frame */
};

struct slip_decoder;

/* A decoder for frames of up to max_frame (> 0) decoded bytes; NULL when out of memory. */
struct slip_decoder *slip_decoder_new(size_t max_frame);
void slip_decoder_free(struct slip_decoder *);

/*
 * Consumes bytes from the front of *in until a frame has ended: true, and
 * *frame views it until the next call. False: all of *in was consumed. Call in
 * a loop.
 */
bool slip_decoder_next(struct slip_decoder *, struct bytes *in, struct bytes *frame);

/* Forgets a frame in progress (the line was down); counters stay. */
void slip_decoder_reset(struct slip_decoder *);
const struct slip_counters *slip_decoder_counters(const struct slip_decoder *);

/*
 * Appends END, the packet escaped in one pass, END. The leading END flushes
 * line noise at the receiver (RFC 1055, "SLIP drivers"). A packet that does not
 * fit is an overflow, and nothing of it is appended.
 */
void slip_encode(struct buf *out, struct bytes packet);

/* What slip_encode appends, in bytes, without encoding. */
size_t slip_encoded_length(struct bytes packet);

#endif
