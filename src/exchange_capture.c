/* SPDX-License-Identifier: MIT */
/*
 * A PPP line is captured as it is on the wire: what goes each way is decoded here
 * a second time, link control and all, by decoders that judge nothing but the frame check
 * sequence. A SLIP line has nothing but packets.
 */
#define _DEFAULT_SOURCE
#include "src/exchange_state.h"

#include "ppp/fcs.h"
#include "src/clock.h"

static bool speaks_slip(const struct exchange *x, unsigned i)
{
	return x->lines[i].config.encap == &encap_slip;
}

static struct hdlc_decoder *make_decoder(const struct exchange *x)
{
	return hdlc_decoder_new(&(struct hdlc_decoder_config){
		.max_frame = 2 * (size_t)CONFIG_MTU_MAX,
		.fcs = HDLC_FCS_NONE,
		.receive_accm = x->config->ppp.accm,
	});
}

static bool open_line(struct exchange *x, unsigned i)
{
	const struct config *c = x->config;
	unsigned snap = c->ppp.mru > c->mtu ? c->ppp.mru : c->mtu;
	char text[160];

	x->captures[i] = capture_open(c->capture, x->lines[i].config.name,
				      speaks_slip(x, i) ? CAPTURE_SLIP : CAPTURE_PPP, snap, text,
				      sizeof(text));
	if (!x->captures[i]) {
		log_say(x->log, LOG_ERROR, "%s: %s", c->capture, text);
		return false;
	}
	if (speaks_slip(x, i))
		return true;
	x->tap_in[i] = make_decoder(x);
	x->tap_out[i] = make_decoder(x);
	return x->tap_in[i] && x->tap_out[i];
}

bool captures_open(struct exchange *x)
{
	for (unsigned i = 0; x->config->capture[0] && i < x->line_count; i++)
		if (!open_line(x, i))
			return false;
	return true;
}

static void close_line(struct exchange *x, unsigned i)
{
	capture_close(x->captures[i]);
	hdlc_decoder_free(x->tap_in[i]);
	hdlc_decoder_free(x->tap_out[i]);
	x->captures[i] = NULL;
	x->tap_in[i] = x->tap_out[i] = NULL;
}

void captures_close(struct exchange *x)
{
	for (unsigned i = 0; i < x->line_count; i++)
		close_line(x, i);
}

static void wrote(struct exchange *x, unsigned i, bool fine)
{
	if (fine)
		return;
	log_say(x->log, LOG_WARN, "%s: cannot write, capture ended; the traffic goes on",
		capture_path(x->captures[i]));
	close_line(x, i);
}

/* --- PPP --- */

/* The frame without its FCS, whichever it has; false: damaged. */
static bool take_fcs(struct bytes *frame)
{
	size_t n = fcs16_update(FCS16_INIT, *frame) == FCS16_GOOD   ? 2
		   : fcs32_update(FCS32_INIT, *frame) == FCS32_GOOD ? 4
								    : 0;

	if (!n)
		return false;
	frame->length -= n;
	return true;
}

/* Address, control and protocol, as far as they are there (RFC 1661 6.5 and 6.6). */
static bool take_header(struct bytes *frame, uint16_t *protocol)
{
	size_t n;

	if (frame->length >= 2 && frame->at[0] == 0xFF && frame->at[1] == 0x03)
		*frame = bytes_skip(*frame, 2);
	n = frame->length && frame->at[0] & 1 ? 1 : 2;
	if (frame->length < n)
		return false;
	*protocol = n == 1 ? frame->at[0] : (uint16_t)(frame->at[0] << 8 | frame->at[1]);
	*frame = bytes_skip(*frame, n);
	return true;
}

static void tap(struct exchange *x, unsigned i, bool sent, struct bytes wire)
{
	struct hdlc_decoder *d = sent ? x->tap_out[i] : x->tap_in[i];
	struct bytes frame;
	uint16_t protocol;

	while (x->captures[i] && hdlc_decoder_next(d, &wire, &frame))
		if (take_fcs(&frame) && take_header(&frame, &protocol))
			wrote(x, i,
			      capture_frame(x->captures[i], clock_wall(), sent, protocol,
					    bytes_of(NULL, 0), frame));
}

/* --- SLIP --- */

/* One that was answered is in the file for PPP, as what it might have been there. */
static bool write_packet(struct capture *c, bool ppp, bool sent, struct bytes p)
{
	return ppp ? capture_frame(c, clock_wall(), sent, encap_protocol(p), bytes_of(NULL, 0), p)
		   : capture_packet(c, clock_wall(), sent, p);
}

/* --- what happens on lines --- */

/* Characters that tell what the peer speaks are received again by who speaks it. */
void capture_received(struct exchange *x, unsigned i, size_t n, struct bytes read)
{
	if (x->captures[i] && x->lines[i].encap->kind == &encap_ppp)
		tap(x, i, false, bytes_of(read.at, n));
}

void capture_packet_in(struct exchange *x, unsigned i, struct encap_packet p)
{
	if (x->captures[i] && x->lines[i].encap->kind == &encap_slip)
		wrote(x, i, write_packet(x->captures[i], x->tap_in[i], false, p.data));
}

void capture_sent(struct exchange *x, unsigned i)
{
	const struct line *l = &x->lines[i];

	if (!x->captures[i])
		return;
	if (l->encap->kind == &encap_ppp)
		tap(x, i, true, bytes_of(l->frame, l->frame_length));
	else if (l->packet)
		wrote(x, i,
		      write_packet(x->captures[i], x->tap_out[i], true, packet_bytes(l->packet)));
}
