/* SPDX-License-Identifier: MIT */
/*
 * Link quality reports.
 *
 * Each end counts what it sends and what it gets. A report tells the peer both,
 * and for the former also tells back what the peer itself had said last, so that
 * the four numbers of a direction meet in one packet:
 *
 *	our out     ----->  LastOut (as the peer last heard it)   PeerIn (what it had got by then)
 *	our in      <-----  PeerOut (what it had sent by now)     SaveIn (what we have got by now)
 *
 * All are taken when a report is sent or comes, so the differences between two reports are
 * about the same packets, whichever reports got lost between them, and whatever
 * each end counted before. A direction's loss is 1 - got / sent. Numbers wrap
 * around; their differences are what counts (RFC 1989 section 2.8).
 *
 * PeerIn is of no meaning while the peer has heard no report of ours: PeerInLQRs is 0.
 */
#include "ppp/lqr.h"

enum field {
	MAGIC,
	LAST_OUT_LQRS,
	LAST_OUT_PACKETS,
	LAST_OUT_OCTETS,
	PEER_IN_LQRS,
	PEER_IN_PACKETS,
	PEER_IN_DISCARDS,
	PEER_IN_ERRORS,
	PEER_IN_OCTETS,
	PEER_OUT_LQRS,
	PEER_OUT_PACKETS,
	PEER_OUT_OCTETS,
	FIELDS,
};

enum saved { IN_LQRS, IN_PACKETS, IN_DISCARDS, IN_ERRORS, IN_OCTETS };

enum {
	FIELD_SIZE = 4,
	/* Address, control, protocol, FCS, and one flag (section 2.3): this report's own frame. */
	REPORT_OCTETS = 4 + FIELDS * FIELD_SIZE + 2 + 1,
};

static const double unknown = -1;

void lqr_start(struct lqr *q, uint32_t magic, sb_time send_every, sb_time now)
{
	lqr_stop(q);
	q->magic = magic;
	q->send_every = send_every;
	if (send_every)
		q->send_at = now;
}

void lqr_stop(struct lqr *q)
{
	*q = (struct lqr){
		.send_at = SB_NEVER,
		.loss_out = unknown,
		.loss_in = unknown,
		.rate_out = unknown,
		.received = q->received,
		.bad = q->bad,
	};
}

sb_time lqr_deadline(const struct lqr *q)
{
	return q->send_at;
}

/* --- a report comes --- */

static void take_fields(const uint8_t *at, uint32_t fields[static FIELDS])
{
	for (size_t i = 0; i < FIELDS; i++, at += FIELD_SIZE)
		fields[i] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 |
			    at[3];
}

/* Of `sent` packets `got` arrived; more than all when a counter was set back meanwhile. */
static void judge(double *loss, uint32_t sent, uint32_t got)
{
	if (sent == 0 || sent > INT32_MAX)
		return; /* none, or backwards: nothing to judge by */
	*loss = got < sent ? 1 - (double)got / sent : 0;
}

static void judge_in(struct lqr *q, const uint32_t report[static FIELDS],
		     const struct lqr_counts *counts)
{
	judge(&q->loss_in, report[PEER_OUT_PACKETS] - q->last[PEER_OUT_PACKETS],
	      counts->in_packets - q->saved[IN_PACKETS]);
}

static void judge_out(struct lqr *q, sb_time now, const uint32_t report[static FIELDS])
{
	if (q->last[PEER_IN_LQRS] == 0 || report[LAST_OUT_LQRS] == q->last[LAST_OUT_LQRS])
		return; /* the peer has heard nothing new from us */
	judge(&q->loss_out, report[LAST_OUT_PACKETS] - q->last[LAST_OUT_PACKETS],
	      report[PEER_IN_PACKETS] - q->last[PEER_IN_PACKETS]);
	if (now > q->last_at)
		q->rate_out = (double)(report[PEER_IN_OCTETS] - q->last[PEER_IN_OCTETS]) * SB_SEC /
			      (double)(now - q->last_at);
}

static void save(struct lqr *q, const struct lqr_counts *counts)
{
	q->saved[IN_LQRS] = q->in_reports;
	q->saved[IN_PACKETS] = counts->in_packets;
	q->saved[IN_DISCARDS] = counts->in_discards;
	q->saved[IN_ERRORS] = counts->in_errors;
	q->saved[IN_OCTETS] = counts->in_octets;
}

void lqr_input(struct lqr *q, sb_time now, struct bytes packet, const struct lqr_counts *counts)
{
	uint32_t report[FIELDS];
	if (packet.length < sizeof(report)) {
		q->bad++;
		return;
	}
	take_fields(packet.at, report);
	if (q->magic && report[MAGIC] == q->magic) {
		q->bad++; /* our own: the line is looped back */
		return;
	}
	q->received++;
	q->in_reports++;
	if (q->has_last) {
		judge_in(q, report, counts);
		judge_out(q, now, report);
	}
	memcpy(q->last, report, sizeof(report));
	q->has_last = true;
	q->last_at = now;
	save(q, counts);
	if (!q->send_every)
		q->send_at = now; /* section 2.5: without a timer, one for each of the peer's */
}

/* --- a report goes --- */

static void put_field(struct buf *to, uint32_t value)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_put(to, (uint8_t)(value >> shift));
}

bool lqr_output(struct lqr *q, sb_time now, const struct lqr_counts *counts, struct buf *packet)
{
	if (now < q->send_at)
		return false;
	const uint32_t report[FIELDS] = {
		[MAGIC] = q->magic,
		[LAST_OUT_LQRS] = q->last[PEER_OUT_LQRS],
		[LAST_OUT_PACKETS] = q->last[PEER_OUT_PACKETS],
		[LAST_OUT_OCTETS] = q->last[PEER_OUT_OCTETS],
		[PEER_IN_LQRS] = q->saved[IN_LQRS],
		[PEER_IN_PACKETS] = q->saved[IN_PACKETS],
		[PEER_IN_DISCARDS] = q->saved[IN_DISCARDS],
		[PEER_IN_ERRORS] = q->saved[IN_ERRORS],
		[PEER_IN_OCTETS] = q->saved[IN_OCTETS],
		[PEER_OUT_LQRS] = ++q->out_reports,
		[PEER_OUT_PACKETS] = counts->out_packets + 1,
		[PEER_OUT_OCTETS] = counts->out_octets + REPORT_OCTETS,
	};
	for (size_t i = 0; i < FIELDS; i++)
		put_field(packet, report[i]);
	q->send_at = q->send_every ? now + q->send_every : SB_NEVER;
	return true;
}
