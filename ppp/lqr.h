/* SPDX-License-Identifier: MIT */
/*
 * Link quality monitoring (RFC 1989): reports with the counters of both ends, and
 * the losses in each direction that follow from their differences.
 */
#ifndef PPP_LQR_H
#define PPP_LQR_H

#include "serialbundle/bytes.h"
#include "serialbundle/time.h"

/* What this end has sent and received on the link since it came up, modulo 2^32. */
struct lqr_counts {
	/* Octets as RFC 1989 section 2.3 has them: with FCS and one flag a frame, no escapes. */
	uint32_t out_packets, out_octets;
	uint32_t in_packets, in_octets; /* good ones */
	uint32_t in_discards, in_errors;
};

struct lqr {
	uint32_t magic;     /* ours */
	sb_time send_every; /* duration: the peer asked for reports that often; 0: answer only */
	sb_time send_at;    /* instant of the next one; SB_NEVER: not before the peer's */
	double loss_out,
		loss_in; /* 0..1 over the last interval between reports; negative: not known */
	double rate_out; /* octets per second that arrived at the peer; negative: not known */
	uint64_t received, bad;
	uint32_t out_reports, in_reports; /* OutLQRs, InLQRs */
	bool has_last;
	uint32_t last[12]; /* the last report, host order */
	uint32_t saved[5]; /* SaveInLQRs, SaveInPackets ... SaveInOctets as of the last report */
	sb_time last_at;
};

/* Before its first use, it is to be stopped. */
void lqr_start(struct lqr *, uint32_t magic, sb_time send_every, sb_time now);
void lqr_stop(struct lqr *);
/* A report; `counts` include the frame it came in. Bad ones are counted and dropped. */
void lqr_input(struct lqr *, sb_time now, struct bytes packet, const struct lqr_counts *counts);
/* True: a report was appended; `counts` are those before it. */
bool lqr_output(struct lqr *, sb_time now, const struct lqr_counts *counts, struct buf *packet);
sb_time lqr_deadline(const struct lqr *);

#endif
