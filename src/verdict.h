/* SPDX-License-Identifier: MIT */
/*
 * "Why is it slow?": what limits a bundle now, and a sentence that says why. Pure: facts
 * in, verdict out; verdict.c has the rules in the order in which they are asked.
 */
#ifndef SRC_VERDICT_H
#define SRC_VERDICT_H

#include "serialbundle/time.h"

#include <stdbool.h>
#include <stdint.h>

enum verdict_limit {
	VERDICT_NOTHING, /* more could pass than does */
	VERDICT_LINE,    /* the lines are full, or down, or slower than they should be */
	VERDICT_HOST,    /* this computer: late, out of buffers, or a program that does not read */
	VERDICT_PEER,    /* the other end: its windows, its flow control, its losses, its silence */
	VERDICT_SHAPER,  /* the lines are full, as they are shaped: they could carry more */
	VERDICT_QUEUE,   /* more is sent than anything could carry, by who does not slow down */
	VERDICT_LIMITS,  /* how many there are */
};

/* A line of the bundle. Shares are of its time, 0..1, over the last 2 s. */
struct verdict_line {
	const char *name; /* printable */
	bool up;
	bool silent;              /* not up, in that its peer is not heard */
	double given_bps, bps;    /* what it should carry, and what it does when busy */
	double busy_out, busy_in; /* characters on the wire */
	double starved;           /* the wire was dry in mid-frame: we were late */
	sb_time held;             /* duration for which its port has taken nothing; 0: it takes */
	double loss_out, loss_in; /* share of packets, by quality reports; negative: not known */
	double overruns;          /* of its UART, per second over the last 10 s */
	double shaped_from;       /* bps that it could carry; 0: it is not shaped */
};

/* TCP connections that have used up what the receiver allows them to send. */
struct verdict_windows {
	double full;     /* share of the last 2 s in which there was one, 0..1 */
	uint32_t window; /* bytes, of the last such connection */
};

/* Packets per second. */
struct verdict_rates {
	double sent;      /* by this host's programs, into the queue */
	double full;      /* of them dropped for lack of room in the queue, */
	double codel;     /* by CoDel, since they waited too long */
	double no_buffer; /* never read, or refused by the kernel */
};

struct verdict_facts {
	const struct verdict_line *lines;
	unsigned line_count;
	uint32_t mtu;
	uint64_t queue_bytes; /* that wait now */
	sb_time queue_age;    /* of the oldest */
	struct verdict_rates over_2s, over_10s;
	double cpu; /* this program's share of one processor, 0..1, over the last 2 s */
	struct verdict_windows peer; /* the peer's side receives, */
	struct verdict_windows host; /* or ours */
};

struct verdict {
	enum verdict_limit limit;
	char why[160]; /* "the lines are 98 % busy, and 12.1 kB wait" */
};

struct verdict verdict_on(const struct verdict_facts *);
/* "nothing", "line", "host", "peer", "shaper", "queue". */
const char *verdict_word(enum verdict_limit);

#endif
