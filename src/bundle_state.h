/* SPDX-License-Identifier: MIT */
/* What a bundle is made of; for bundle.c and bundle_report.c alone. */
#ifndef SRC_BUNDLE_STATE_H
#define SRC_BUNDLE_STATE_H

#include "sched/fq_codel.h"
#include "sched/stripe.h"
#include "src/capture.h"
#include "src/line.h"

struct bundle_counters {
	uint64_t no_line_drops;           /* waited for a line longer than the hold time */
	uint64_t no_buffer_drops;         /* every packet of the pool was out */
	uint64_t not_ip_drops;            /* from the TUN, but no IP packet of this MTU */
	uint64_t refused_packets;         /* arrived over a line; the kernel did not take them */
	uint64_t packets_in, packets_out; /* at the TUN; out: towards the lines */
};

struct bundle {
	const struct config *config;
	struct tun *tun;
	struct log *log;
	struct packet_pool *pool;
	struct fq_codel *queue;
	struct stripe *stripe;
	struct capture *capture; /* of the TUN; NULL when there is none */
	struct line lines[CONFIG_MAX_LINES];
	struct capture *line_captures[CONFIG_MAX_LINES];
	bool in_stripe[CONFIG_MAX_LINES];
	double said_bps[CONFIG_MAX_LINES]; /* of those in the stripe: the rate last logged */
	unsigned line_count;               /* those set up */
	unsigned lines_up;
	sb_time lines_gone; /* instant the last one left; while lines_up is 0 */
	double rate;        /* the queue's delays are for this one */
	sb_time start;      /* instant */
	struct meter out, in;
	struct bundle_counters counters;
};

/* Queued, bound, or waiting to be bound anew. */
uint32_t bundle_waiting_bytes(const struct bundle *);
/* Arrival of the oldest of those that are not bound, or SB_NEVER. */
sb_time bundle_oldest_arrival(const struct bundle *);

#endif
