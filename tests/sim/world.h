/* SPDX-License-Identifier: MIT */
/*
 * A simulated world on a fake clock: sources of packets, the queue and the
 * stripe under test, lines whose wires are exact, a receiver that keeps score.
 *
 * Wires are reckoned from the characters handed over, independently of the line
 * clock, so a clock that is wrong shows. Wake-ups come late by a seeded random
 * amount, as they do on a busy machine.
 */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "sched/stripe.h"
#include "sched/tiers.h"

enum { WORLD_MAX_LINES = 32, WORLD_MAX_FLOWS = 32, WORLD_MAX_PINGS = 4096 };

struct world_line {
	uint32_t bps;       /* what the wire carries */
	uint32_t given_bps; /* what the clock is told; 0: the same */
	uint32_t bits;      /* per character; 0: 10 */
	sb_time delay;
};

struct world_config {
	const struct world_line *lines;
	unsigned line_count;
	uint32_t mtu;
	sb_time lateness;    /* mean of an exponential distribution */
	sb_time hiccup;      /* one wake-up in 200 is this late instead; 0 = none */
	unsigned bulk_flows; /* closed loop: `window` packets of each on their way */
	unsigned window;
	sb_time ack_delay;   /* from arrival to the next packet */
	sb_time period;      /* open loop instead: a packet of each flow that often; 0 = closed */
	uint32_t least;      /* bytes; lengths are random from this to `most`; 0: all are the MTU */
	uint32_t most;       /* 0: the MTU */
	uint32_t total;      /* packets of each flow; 0 = no end */
	sb_time ping_every;  /* 84-byte packets of a flow of their own; 0 = none */
	unsigned ping_burst; /* so many at once; 0: 1 */
	uint32_t ping_size;  /* bytes; 0: 84 */
	uint8_t ping_tos;    /* IPv4's type of service */
	const uint8_t *bulk_tos;               /* of each flow; NULL: 0 */
	const struct tier_config *tiers;       /* by diffserv3; NULL: one for all */
	bool multilink;                        /* else a stripe */
	sb_time max_fragment_delay, heartbeat; /* as multilink's */
	uint32_t seed;
};

struct world_flow {
	uint32_t sent, arrived;
	uint32_t out_of_order; /* arrived after one sent later */
	uint32_t far_behind;   /* after one sent three later: TCP takes it for lost */
	uint64_t bytes;
	uint32_t latest;
};

struct world_result {
	struct world_flow flows[WORLD_MAX_FLOWS];  /* 0 .. bulk_flows - 1 */
	uint64_t line_characters[WORLD_MAX_LINES]; /* handed over */
	unsigned line_frames[WORLD_MAX_LINES];     /* most that a line had, begun or not */
	uint64_t bulk_bytes;                       /* arrived */
	uint32_t bound;                 /* bytes; the most that was out of CoDel's reach */
	uint32_t twice;                 /* arrived again */
	uint32_t lost;                  /* was on the wire of a line that went down */
	sb_time pings[WORLD_MAX_PINGS]; /* one-way times, in order of arrival */
	unsigned ping_count, pings_sent;
	unsigned pings_out_of_order;
	uint32_t latest_ping;
	uint32_t pieces, plain_pieces, empty_pieces; /* pieces: with a number and data */
	sb_time longest_piece[WORLD_MAX_LINES];      /* data of one with a number */
	uint32_t given_up;     /* numbers that the receiver did not wait for any longer */
	uint32_t numbers_fell; /* pieces that had not a higher number than the one before */
	sb_time deepest; /* the longest that a wire had to go on with what it had been given */
};

struct world;

struct world *world_new(const struct world_config *);
void world_free(struct world *);
/* Goes on until the instant `until`; the clock starts at 0. */
void world_run(struct world *, sb_time until);
/* The line is cut: what its wire had not carried whole is lost with it. */
void world_line_down(struct world *, unsigned line);
/* The line leaves: frames that it had been given whole go through. */
void world_line_leave(struct world *, unsigned line);
void world_line_up(struct world *, unsigned line);
const struct world_result *world_result(const struct world *);
/* Forgets the score so far (to leave out a start). */
void world_restart_score(struct world *);
/* The p-th percentile of the pings, 0..100. */
sb_time world_ping_percentile(const struct world *, double p);
/* Bytes that wait for a line. */
uint32_t world_waiting(const struct world *);
/*
 * Bulk bytes over what the lines could carry of full packets, beside the pings,
 * since the score began: 0..1. All lines count, whether up or not.
 */
double world_efficiency(const struct world *);

#endif
