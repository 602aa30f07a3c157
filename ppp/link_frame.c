/* SPDX-License-Identifier: MIT */
/*
 * Compressed header fields tell themselves apart: the address FF is no protocol, a
 * protocol's first octet is even and its second one odd, so that one that begins
 * odd is compressed (RFC 1661 sections 2 and 6.5). That is why they are understood
 * here whether they were agreed to or not: there are peers that send them anyway.
 */
#include "ppp/link_frame.h"

#include "ppp/fcs.h"

enum {
	ADDRESS = 0xFF, /* RFC 1662 section 3.1 */
	CONTROL = 0x03,
	HEADER_MOST = 4,
};

struct link_coding frame_coding(uint32_t accm, const struct asyncmap *escape)
{
	struct link_coding coding = {.map = asyncmap_from_accm(accm), .fcs = HDLC_FCS_16};

	for (size_t i = 0; i < sizeof coding.map.bits / sizeof coding.map.bits[0]; i++)
		coding.map.bits[i] |= escape->bits[i];
	return coding;
}

/* LCP's header is never compressed (RFC 1661 sections 6.5 and 6.6). */
static struct bytes header_of(const struct link_coding *coding, uint16_t protocol,
			      uint8_t octets[static HEADER_MOST])
{
	struct buf header = buf_over(octets, HEADER_MOST);

	if (!coding->acfc || protocol == PPP_LCP) {
		buf_put(&header, ADDRESS);
		buf_put(&header, CONTROL);
	}
	if (!coding->pfc || protocol > UINT8_MAX)
		buf_put(&header, (uint8_t)(protocol >> 8));
	buf_put(&header, (uint8_t)protocol);
	return buf_bytes(&header);
}

static struct hdlc_encoding encoding_of(const struct link_coding *coding, bool opening_flag)
{
	return (struct hdlc_encoding){
		.map = &coding->map,
		.fcs = coding->fcs,
		.opening_flag = opening_flag,
	};
}

void frame_encode(struct buf *out, const struct link_coding *coding, enum frame_opening opening,
		  uint16_t protocol, struct bytes head, struct bytes data)
{
	uint8_t octets[HEADER_MOST];
	const struct bytes pieces[] = {header_of(coding, protocol, octets), head, data};
	const struct hdlc_encoding encoding = encoding_of(coding, opening == FRAME_FLAG);

	if (opening == FRAME_ABORTS)
		hdlc_abort(out);
	hdlc_encode_pieces(out, &encoding, pieces, sizeof pieces / sizeof pieces[0]);
}

size_t frame_octets(const struct link_coding *coding, uint16_t protocol, size_t information)
{
	uint8_t octets[HEADER_MOST];
	return header_of(coding, protocol, octets).length + information + coding->fcs;
}

size_t link_encoded_length(const struct link_coding *coding, uint16_t protocol, struct bytes head,
			   struct bytes data)
{
	uint8_t octets[HEADER_MOST];
	const struct bytes pieces[] = {header_of(coding, protocol, octets), head, data};
	const struct hdlc_encoding encoding = encoding_of(coding, false);

	return hdlc_encoded_length_of_pieces(&encoding, pieces, sizeof pieces / sizeof pieces[0]);
}

size_t link_overhead(const struct link_coding *coding, uint16_t protocol)
{
	return frame_octets(coding, protocol, 0) + 1;
}

bool frame_take_protocol(struct bytes *frame, uint16_t *protocol)
{
	struct bytes in = *frame;

	if (in.length >= 2 && in.at[0] == ADDRESS && in.at[1] == CONTROL)
		in = bytes_skip(in, 2);
	if (in.length >= 1 && in.at[0] & 1) {
		*protocol = in.at[0];
		*frame = bytes_skip(in, 1);
		return true;
	}
	if (in.length < 2 || !(in.at[1] & 1))
		return false;
	*protocol = (uint16_t)(in.at[0] << 8 | in.at[1]);
	*frame = bytes_skip(in, 2);
	return true;
}

bool frame_is_negotiation(uint16_t protocol, struct bytes information)
{
	return protocol == PPP_LCP && information.length &&
	       information.at[0] >= CODE_CONFIGURE_REQUEST && information.at[0] <= CODE_CODE_REJECT;
}

static bool is_default_negotiation(struct bytes frame)
{
	struct bytes inside = frame;
	uint16_t protocol;

	return frame_take_protocol(&inside, &protocol) && frame_is_negotiation(protocol, inside) &&
	       fcs16_update(FCS16_INIT, frame) == FCS16_GOOD;
}

bool frame_take_fcs(struct bytes *frame, enum hdlc_fcs agreed)
{
	size_t octets = agreed;

	if (is_default_negotiation(*frame))
		octets = HDLC_FCS_16;
	else if (agreed == HDLC_FCS_32 && fcs32_update(FCS32_INIT, *frame) != FCS32_GOOD)
		return false;
	if (frame->length <= octets)
		return false;
	frame->length -= octets;
	return true;
}
