/* SPDX-License-Identifier: MIT */
/*
 * A PPP line is captured as it is on the wire: what goes each way is decoded here
 * a second time, link control and all, by decoders that judge nothing but the frame check
 * sequence. A SLIP line has nothing but packets.
 */
#define _DEFAULT_SOURCE
#include "src/exchange_state.h"

#include "ppp/fcs.h"

#include <errno.h>

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

/* The decoders are there while somebody looks. */
static bool make_decoders(struct exchange *x, unsigned i)
{
	struct line_tap *t = &x->taps[i];

	if (speaks_slip(x, i) || t->in)
		return true;
	t->in = make_decoder(x);
	t->out = make_decoder(x);
	return t->in && t->out;
}

static void free_decoders(struct line_tap *t)
{
	hdlc_decoder_free(t->in);
	hdlc_decoder_free(t->out);
	t->in = t->out = NULL;
}

static enum capture_kind kind_of(const struct exchange *x, unsigned i)
{
	return speaks_slip(x, i) ? CAPTURE_SLIP : CAPTURE_PPP;
}

static unsigned snap_length(const struct exchange *x)
{
	const struct config *c = x->config;

	return c->ppp.mru > c->mtu ? c->ppp.mru : c->mtu;
}

/* What fails leaves errno behind, too: that is what the answer to a request says. */
static bool fail(char *text, size_t text_size, int error, const char *why)
{
	snprintf(text, text_size, "%s", why);
	errno = error;
	return false;
}

static bool may_tap(struct exchange *x, unsigned i, char *text, size_t text_size)
{
	if (!capture_set_has_room(&x->taps[i].captures))
		return fail(text, text_size, ENOSPC, "there are too many captures already");
	return make_decoders(x, i) || fail(text, text_size, ENOMEM, "out of memory");
}

/* name: of the line, to stand in the file's, or NULL. */
static bool tap_line(struct exchange *x, unsigned i, const char *file, const char *name, char *text,
		     size_t text_size)
{
	struct capture *c;

	if (!may_tap(x, i, text, text_size))
		return false;
	c = capture_open(file, name, kind_of(x, i), snap_length(x), text, text_size);
	if (!c)
		return false;
	capture_set_rotation(c, x->config->capture_bytes, x->config->capture_files);
	capture_set_add(&x->taps[i].captures, c);
	return true;
}

bool capture_open_line(struct exchange *x, unsigned i)
{
	const char *file = x->config->capture;
	char text[160];

	if (!file[0] || tap_line(x, i, file, x->lines[i].config.name, text, sizeof(text)))
		return true;
	log_say(x->log, LOG_ERROR, "%s: %s", file, text);
	return false;
}

bool captures_open(struct exchange *x)
{
	for (unsigned i = 0; i < x->line_count; i++)
		if (!capture_open_line(x, i))
			return false;
	return true;
}

void capture_close_line(struct exchange *x, unsigned i)
{
	capture_set_close_all(&x->taps[i].captures);
	free_decoders(&x->taps[i]);
}

void captures_close(struct exchange *x)
{
	for (unsigned i = 0; i < x->line_count; i++)
		capture_close_line(x, i);
}

/* --- started and stopped while it runs --- */

static bool tap_bundle(struct exchange *x, unsigned k, const char *file, struct exchange_answer *a)
{
	struct bundle *b = x->bundles[k].bundle;

	if (!capture_set_has_room(bundle_captures(b)))
		return fail(a->text, sizeof(a->text), ENOSPC,
			    "there are too many captures already");
	return bundle_capture(b, file, a->text, sizeof(a->text));
}

static bool start_all(struct exchange *x, const char *file, struct exchange_answer *a)
{
	for (unsigned k = 0; k < EXCHANGE_MAX_BUNDLES; k++)
		if (x->bundles[k].bundle && !tap_bundle(x, k, file, a))
			return false;
	for (unsigned i = 0; i < x->line_count; i++)
		if (x->lines[i].encap &&
		    !tap_line(x, i, file, x->lines[i].config.name, a->text, sizeof(a->text)))
			return false;
	return true;
}

static bool is_captured(const struct exchange *x, const char *file)
{
	bool found = false;

	for (unsigned k = 0; k < EXCHANGE_MAX_BUNDLES; k++)
		if (x->bundles[k].bundle)
			found |= capture_set_has(bundle_captures(x->bundles[k].bundle), file);
	for (unsigned i = 0; i < x->line_count; i++)
		found |= capture_set_has(&x->taps[i].captures, file);
	return found;
}

static unsigned stop(struct exchange *x, const char *file)
{
	unsigned stopped = 0;

	for (unsigned k = 0; k < EXCHANGE_MAX_BUNDLES; k++)
		if (x->bundles[k].bundle)
			stopped += capture_set_close(bundle_captures(x->bundles[k].bundle), file);
	for (unsigned i = 0; i < x->line_count; i++) {
		stopped += capture_set_close(&x->taps[i].captures, file);
		if (!x->taps[i].captures.count)
			free_decoders(&x->taps[i]);
	}
	return stopped;
}

/* One that could not be started in part is not left running in part. */
static bool start(struct exchange *x, const char *file, unsigned line, struct exchange_answer *a)
{
	int error;

	if (line != EXCHANGE_NO_LINE)
		return tap_line(x, line, file, NULL, a->text, sizeof(a->text));
	if (start_all(x, file, a))
		return true;
	error = errno;
	stop(x, file);
	errno = error;
	return false;
}

/* stop() goes by the name, and so must not be reached when there was one before. */
void exchange_capture_start(struct exchange *x, const char *file, unsigned line,
			    struct exchange_answer *a)
{
	if (is_captured(x, file)) {
		a->error = EBUSY;
		snprintf(a->text, sizeof(a->text), "%.200s: is being captured already", file);
	} else if (start(x, file, line, a)) {
		a->error = 0;
		snprintf(a->text, sizeof(a->text), "capturing");
	} else {
		char why[160];

		a->error = errno;
		snprintf(why, sizeof(why), "%.*s", (int)sizeof(why) - 1, a->text);
		snprintf(a->text, sizeof(a->text), "%.200s: %s", file, why);
	}
}

void exchange_capture_stop(struct exchange *x, const char *file, struct exchange_answer *a)
{
	unsigned stopped = stop(x, file);

	a->error = stopped ? 0 : ENOENT;
	if (stopped)
		snprintf(a->text, sizeof(a->text), "%u ended", stopped);
	else
		snprintf(a->text, sizeof(a->text), "there is no capture of this name");
}

static struct capture_set *set_of(struct exchange *x, unsigned k, unsigned line)
{
	if (line != EXCHANGE_NO_LINE)
		return &x->taps[line].captures;
	return k < EXCHANGE_MAX_BUNDLES && x->bundles[k].bundle
		       ? bundle_captures(x->bundles[k].bundle)
		       : NULL;
}

static bool start_stream(struct exchange *x, const struct capture_sink *sink, const char *name,
			 unsigned k, unsigned line, struct exchange_answer *a)
{
	struct capture_set *set = set_of(x, k, line);
	struct capture *c;

	if (!set)
		return fail(a->text, sizeof(a->text), ENOENT, "there is no such bundle");
	if (line != EXCHANGE_NO_LINE && !may_tap(x, line, a->text, sizeof(a->text)))
		return false;
	if (!capture_set_has_room(set))
		return fail(a->text, sizeof(a->text), ENOSPC,
			    "there are too many captures already");
	c = capture_open_sink(sink, name,
			      line == EXCHANGE_NO_LINE ? CAPTURE_RAW_IP : kind_of(x, line),
			      snap_length(x));
	if (!c)
		return fail(a->text, sizeof(a->text), ENOMEM, "out of memory");
	capture_set_add(set, c);
	return true;
}

void exchange_capture_stream(struct exchange *x, const struct capture_sink *sink, const char *name,
			     unsigned k, unsigned line, struct exchange_answer *a)
{
	*a = (struct exchange_answer){0};
	a->error = start_stream(x, sink, name, k, line, a) ? 0 : errno;
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
	struct line_tap *t = &x->taps[i];
	struct bytes frame;
	uint16_t protocol;

	while (t->captures.count && hdlc_decoder_next(sent ? t->out : t->in, &wire, &frame))
		if (take_fcs(&frame) && take_header(&frame, &protocol))
			capture_set_frame(&t->captures, x->log, sent, protocol, frame);
}

/* --- SLIP --- */

/* One that was answered is in the file for PPP, as what it might have been there. */
static void tap_packet(struct exchange *x, unsigned i, bool sent, struct bytes p)
{
	struct capture_set *set = &x->taps[i].captures;

	if (speaks_slip(x, i))
		capture_set_packet(set, x->log, sent, p);
	else
		capture_set_frame(set, x->log, sent, encap_protocol(p), p);
}

/* --- what happens on lines --- */

/* Characters that tell what the peer speaks are received again by who speaks it. */
void capture_received(struct exchange *x, unsigned i, size_t n, struct bytes read)
{
	if (x->taps[i].captures.count && x->lines[i].encap->kind == &encap_ppp)
		tap(x, i, false, bytes_of(read.at, n));
}

void capture_packet_in(struct exchange *x, unsigned i, struct encap_packet p)
{
	if (x->taps[i].captures.count && x->lines[i].encap->kind == &encap_slip)
		tap_packet(x, i, false, p.data);
}

void capture_sent(struct exchange *x, unsigned i)
{
	const struct line *l = &x->lines[i];

	if (!x->taps[i].captures.count)
		return;
	if (l->encap->kind == &encap_ppp)
		tap(x, i, true, bytes_of(l->frame, l->frame_length));
	else if (l->packet)
		tap_packet(x, i, true, packet_bytes(l->packet));
}
