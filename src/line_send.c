/* SPDX-License-Identifier: MIT */
/*
 * Sending keeps the port a small lead ahead of the wire (sched/line_clock.h).
 * A frame goes out in small parts of that lead. Its packet stays ours until the peer
 * can be thought to have it, so that a line which leaves loses little: what was cut
 * short, what was on the wire still and, where nothing was heard any more, what was
 * sent since the last sign of life, all go over another line. Some of it then arrives
 * twice, which IP allows.
 */
#define _DEFAULT_SOURCE
#include "src/line_internal.h"
#include "src/line_modem.h"
#include "src/line_rate.h"
#include "src/line_shape.h"

#include "ppp/mp.h"

#include <assert.h>

#define REMEMBERED (3 * SB_SEC) /* what was sent: longer than it takes to notice silence */
#define PAUSE      SB_SEC       /* in which an idle line may have made noise */

/* --- frames cut short --- */

static void mark_next(struct line *l)
{
	if (l->encap->kind->mark)
		l->encap->kind->mark(l->encap);
}

static void tell_cut(struct line *l)
{
	if (l->encap->kind->cut)
		l->encap->kind->cut(l->encap, bytes_of(l->frame, l->frame_taken));
	else
		mark_next(l);
}

struct packet *line_cut_frame(struct line *l)
{
	struct packet *p = l->packet;

	if (p && l->frame_taken)
		l->counters.cut_frames++;
	if (l->frame_taken)
		tell_cut(l);
	l->packet = NULL;
	l->frame_length = l->frame_taken = 0;
	return p;
}

/* --- what was sent --- */

static struct line_sent *sent_at(struct line *l, unsigned i)
{
	return &l->sent[(l->sent_first + i) % LINE_SENT];
}

static struct packet *sent_shift(struct line *l)
{
	struct packet *p = sent_at(l, 0)->packet;

	l->sent_first = (l->sent_first + 1) % LINE_SENT;
	l->sent_count--;
	return p;
}

/*
 * What left the wire before this instant has arrived, as far as can be known. A peer
 * that is heard may have been out of hearing itself since then, or the line dead,
 * for as long as nothing came of it; and what is heard tells of a round trip ago. Of a peer that
 * never answers (SLIP) all is thought to arrive.
 */
static sb_time arrived_until(const struct line *l, sb_time now)
{
	sb_time until = l->answers ? l->heard_at : now;

	if (l->state == LINE_SILENT || l->state == LINE_OPENING)
		until = l->doubtful_from;
	if (l->state == LINE_STALLED)
		until = sb_time_min(until, l->blocked_since);
	return until - l->config.delay;
}

static void forget_sent(struct line *l, sb_time until)
{
	while (l->sent_count && sent_at(l, 0)->leaves <= until)
		packet_put(l->pool, sent_shift(l));
}

/* What was sent so long ago that it does not matter any more, or has arrived for sure. */
static void forget_old(struct line *l, sb_time now)
{
	forget_sent(l, l->answers ? now - REMEMBERED : arrived_until(l, now));
}

static sb_time round_trip(const struct line *l)
{
	struct encap_counters c;

	l->encap->kind->count(l->encap, &c);
	return c.rtt.smoothed;
}

static void remember_sent(struct line *l, sb_time now)
{
	forget_old(l, now);
	if (l->sent_count == LINE_SENT)
		packet_put(l->pool, sent_shift(l));
	*sent_at(l, l->sent_count++) = (struct line_sent){
		.packet = l->packet,
		.leaves = now + line_clock_ahead(&l->clock, now),
	};
}

/* Of the frame in progress. In an orderly end the frame itself goes on: last words come after it.
 */
static struct packet *take_packet(struct line *l)
{
	struct packet *p = l->packet;

	if (!p || l->state != LINE_ENDING || !l->frame_taken)
		return p ? line_cut_frame(l) : NULL;
	l->packet = NULL;
	return p;
}

void line_forget_sent(struct line *l)
{
	while (l->sent_count)
		packet_put(l->pool, sent_shift(l));
	if (l->packet && l->frame_taken) {
		packet_put(l->pool, l->packet);
		l->packet = NULL; /* the frame goes on */
	}
}

/* They left the line before the last sign of life came over it. */
unsigned line_likely_arrived(const struct line *l, sb_time now)
{
	sb_time until = arrived_until(l, now), sure = until - round_trip(l);
	unsigned n = 0;

	for (unsigned i = 0; l->pool && i < l->sent_count; i++) {
		sb_time leaves = l->sent[(l->sent_first + i) % LINE_SENT].leaves;

		n += leaves > sure && leaves <= until;
	}
	return n;
}

struct packet *line_give_up(struct line *l, sb_time now)
{
	struct packet *p;

	if (!l->pool)
		return NULL;
	forget_sent(l, arrived_until(l, now) - round_trip(l));
	if (l->sent_count) {
		l->counters.sent_again++;
		return sent_shift(l);
	}
	p = take_packet(l);
	if (!p)
		l->pool = NULL;
	return p;
}

/* --- sending --- */

bool line_may_send(const struct line *l)
{
	if (l->state == LINE_HANGING_UP && l->packet)
		return false; /* a frame that is still to be given up */
	if (l->modem && line_modem_holds_back(l->modem))
		return false;
	return l->port && l->state != LINE_NO_CARRIER && l->state != LINE_STALLED &&
	       !l->wants_write;
}

bool line_asks(const struct line *l, sb_time now)
{
	return line_may_send(l) && now >= line_wake(l);
}

static struct buf new_frame(struct line *l, sb_time now)
{
	assert(line_needs_frame(l));
	if (now - l->clock.busy_until > PAUSE)
		mark_next(l);
	return buf_over(l->frame, l->frame_size);
}

/* With so many bytes in it, flags and checksums aside. */
static void frame_is(struct line *l, const struct buf *out, size_t bytes)
{
	assert(!out->overflow);
	l->frame_length = out->length;
	l->frame_taken = 0;
	line_cost_begin(l, out->length, bytes);
}

bool line_load_own(struct line *l, sb_time now)
{
	struct buf out = new_frame(l, now);

	if (line_is_with_modem(l) ? !line_modem_output(l, now, &out)
				  : !encap_output(l->encap, now, &out))
		return false;
	frame_is(l, &out, out.length);
	return true;
}

static void relied(struct line *l, sb_time now)
{
	if (l->encap->kind->relied)
		l->encap->kind->relied(l->encap, now);
}

/* RFC 1990 section 3: the header, then in the first fragment the packet's protocol. */
static void put_head(struct buf *head, const struct line *l, const struct piece *piece)
{
	const struct link_agreed *agreed = encap_agreed(l->encap);
	const struct link_coding *coding = encap_coding(l->encap);
	struct mp_header h = {
		.begin = piece->begin, .end = piece->end, .sequence = piece->sequence};

	mp_header_put(head, &h, agreed->short_out);
	if (!piece->begin || !piece->packet)
		return;
	if (!coding->pfc)
		buf_put(head, 0); /* IP and IPv6 are below 256 */
	buf_put(head, (uint8_t)encap_protocol(packet_bytes(piece->packet)));
}

void line_load(struct line *l, sb_time now, const struct piece *piece)
{
	struct buf out = new_frame(l, now);
	uint8_t space[ENCAP_HEAD_SIZE];
	struct buf head = buf_over(space, sizeof(space));
	struct bytes data = bytes_of(NULL, 0);
	uint16_t protocol = PPP_MP;

	if (piece->packet)
		data = bytes_of(piece->packet->data + piece->offset, piece->length);
	if (piece->plain)
		protocol = encap_protocol(data);
	else
		put_head(&head, l, piece);
	l->encap->kind->encode(l->encap, protocol, buf_bytes(&head), data, &out);
	l->packet = piece->packet;
	if (piece->packet)
		l->traffic_at = now;
	frame_is(l, &out, head.length + data.length);
	relied(l, now);
}

void line_load_control(struct line *l, sb_time now, uint16_t protocol, struct bytes packet)
{
	struct buf out = new_frame(l, now);

	l->encap->kind->encode(l->encap, protocol, bytes_of(NULL, 0), packet, &out);
	frame_is(l, &out, packet.length);
	relied(l, now);
}

static void would_block(struct line *l, sb_time now)
{
	line_port_is_full(l, now);
	l->wants_write = true;
	if (l->blocked_since == SB_NEVER)
		l->blocked_since = now;
}

static void took(struct line *l, sb_time now, size_t n)
{
	l->frame_taken += n;
	l->driver_holds += n;
	meter_add(&l->out, now, n);
	if (l->frame_taken > n)
		meter_add(&l->starved, now, (uint64_t)line_cost_lost(l, now));
	l->blocked_since = SB_NEVER;
	line_cost_took(l, now, l->frame_taken);
	line_port_took(l, now, n);
	line_rate_sent(l, n, now);
}

bool line_heed_driver(struct line *l, sb_time now)
{
	int holds = port_outq(l->port);
	bool moved = holds >= 0 && (size_t)holds < l->driver_holds;

	if (holds < 0)
		return false;
	line_clock_outq(&l->clock, now, line_cost_of(l, (uint32_t)holds));
	line_clock_outq(&l->port_clock, now, (uint32_t)holds);
	l->driver_holds = (size_t)holds;
	if (moved && l->blocked_since != SB_NEVER)
		l->blocked_since = now;
	return moved;
}

/* The frame is with the driver. */
static void finish(struct line *l, sb_time now)
{
	if (l->packet) {
		l->counters.packets_out++;
		remember_sent(l, now);
	}
	l->packet = NULL;
	l->frame_length = l->frame_taken = 0;
}

/* The clock has no room, though it was time: the driver holds more than it should by now. */
static void no_room(struct line *l, sb_time now)
{
	if (l->blocked_since == SB_NEVER && l->driver_holds && line_unsent(l))
		l->blocked_since = now;
}

void line_send(struct line *l, sb_time now)
{
	size_t piece;
	ssize_t n;

	line_heed_driver(l, now);
	piece = line_cost_room(l, now);
	if (!piece) {
		no_room(l, now);
		return;
	}
	n = port_write(l->port, bytes_of(l->frame + l->frame_taken, piece));
	if (n < 0) {
		line_port_is_gone(l, now);
		return;
	}
	if (n > 0)
		took(l, now, (size_t)n);
	if ((size_t)n < piece)
		would_block(l, now);
	if (!line_unsent(l))
		finish(l, now);
}
