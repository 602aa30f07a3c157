/* SPDX-License-Identifier: MIT */
/*
 * PPP in HDLC-like framing on asynchronous lines (RFC 1662), octet-stuffed.
 *
 * A frame here is what stands between flags without the FCS: address, control,
 * protocol and information, or what is left of them after compression. The
 * decoder is a stream: the frames that come out do not depend on how the bytes
 * were cut into reads.
 */
#ifndef PPP_HDLC_H
#define PPP_HDLC_H

#include "ppp/asyncmap.h"
#include "serialbundle/bytes.h"

enum {
	HDLC_FLAG = 0x7E,
	HDLC_ESCAPE = 0x7D,
	HDLC_XOR = 0x20,
};

enum hdlc_fcs {
	HDLC_FCS_NONE = 0,
	HDLC_FCS_16 = 2,
	HDLC_FCS_32 = 4,
}; /* the value is the length in bytes */

struct hdlc_counters {
	uint64_t frames;    /* handed out */
	uint64_t bytes;     /* decoded bytes in those frames, FCS excluded */
	uint64_t bad_fcs;   /* pppLinkStatusBadFCSs of RFC 1471 */
	uint64_t too_long;  /* pppLinkStatusPacketTooLongs */
	uint64_t runts;     /* less than 2 octets before the FCS; RFC 1662 4.3 */
	uint64_t aborts;    /* ended by 7D 7E; RFC 1662 4.3 */
	uint64_t removed;   /* characters taken out by the receive map */
	uint64_t high_bits; /* received characters with bit 7 set; 0 tells a 7-bit line */
};

struct hdlc_decoder_config {
	size_t max_frame; /* decoded bytes without the FCS; at least 2 */
	enum hdlc_fcs fcs;
	uint32_t receive_accm; /* unescaped characters to remove; 0 = receive-all */
};

struct hdlc_decoder;

/*
 * A decoder, which drops all up to the first flag, uncounted; NULL when out of
 * memory.
 */
struct hdlc_decoder *hdlc_decoder_new(const struct hdlc_decoder_config *);
void hdlc_decoder_free(struct hdlc_decoder *);

/* As slip_decoder_next: true when a good frame ended, viewed until the next call. */
bool hdlc_decoder_next(struct hdlc_decoder *, struct bytes *in, struct bytes *frame);

/*
 * Negotiation changes these between frames. A frame in progress when the FCS
 * changes cannot be judged by either, and is dropped as by hdlc_decoder_reset.
 */
void hdlc_decoder_set_accm(struct hdlc_decoder *, uint32_t receive_accm);
void hdlc_decoder_set_fcs(struct hdlc_decoder *, enum hdlc_fcs);
/* Forgets a frame in progress; all up to the next flag is dropped, uncounted. */
void hdlc_decoder_reset(struct hdlc_decoder *);
const struct hdlc_counters *hdlc_decoder_counters(const struct hdlc_decoder *);

/*
 * Appends one frame: the opening flag if asked for (a flag may be shared with
 * the frame before), the frame and its FCS escaped by `map`, the closing flag.
 * A frame that does not fit is an overflow, and nothing of it is appended.
 */
struct hdlc_encoding {
	const struct asyncmap *map; /* has 7D and 7E, as asyncmap_from_accm gives it */
	enum hdlc_fcs fcs;
	bool opening_flag;
};
void hdlc_encode(struct buf *out, const struct hdlc_encoding *, struct bytes frame);
/* What hdlc_encode appends, in bytes, without encoding. */
size_t hdlc_encoded_length(const struct hdlc_encoding *, struct bytes frame);

/* The same for a frame whose pieces lie in several places. */
void hdlc_encode_pieces(struct buf *out, const struct hdlc_encoding *, const struct bytes pieces[],
			size_t count);
size_t hdlc_encoded_length_of_pieces(const struct hdlc_encoding *, const struct bytes pieces[],
				     size_t count);

/* Ends a frame of which a part is out, so that the receiver discards it (RFC 1662 section 4.3). */
void hdlc_abort(struct buf *out);

#endif
