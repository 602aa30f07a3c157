/* SPDX-License-Identifier: MIT */
/*
 * What the peer on an answered line speaks, told from its first characters.
 *
 *   while nothing is decided: detect_input, then send what detect_output gives;
 *   once it is: give the link detect_replay, then what detect_input has left.
 */
#ifndef SRC_DETECT_H
#define SRC_DETECT_H

#include "serialbundle/bytes.h"
#include "serialbundle/time.h"

enum detect_verdict { DETECT_UNDECIDED, DETECT_PPP, DETECT_SLIP };

enum {
	DETECT_HEADER_MAX = 60, /* the longest IPv4 header; an IPv6 one has 40 */
	DETECT_REPLAY_SIZE = 1 + 2 * DETECT_HEADER_MAX, /* END, and all of it escaped */
	DETECT_OUTPUT_SIZE = 12,                        /* room that detect_output needs */
};

/* To be read by nobody but detect.c. */
struct detect {
	enum detect_verdict verdict;
	struct {
		unsigned matched; /* octets of what every PPP peer begins with */
		bool escaped;     /* the last character was 7D */
	} ppp;
	struct {
		bool dead; /* no packet begins where we looked: wait for the next place */
		bool after_end;
		bool escaped;
		uint8_t header[DETECT_HEADER_MAX]; /* unescaped */
		size_t length;
	} slip;
	struct {
		unsigned matched; /* letters of CLIENT */
		bool to_answer;
		sb_time answered_at; /* instant, while `answers` is not 0 */
		uint64_t answers;
	} windows;
	uint8_t replay[DETECT_REPLAY_SIZE];
	size_t replay_length;
};

/* The line is up and nothing has been heard. */
void detect_init(struct detect *);

/*
 * Characters from the front of *in, up to the one that decides; while nothing is
 * decided, all of them.
 */
enum detect_verdict detect_input(struct detect *, sb_time now, struct bytes *in);

/* Once decided: characters already taken that are the link's. */
struct bytes detect_replay(const struct detect *);

/* Appends what is to be sent; false: nothing. */
bool detect_output(struct detect *, struct buf *out);

/* How often a Windows direct cable connection was answered. */
uint64_t detect_answers(const struct detect *);

#endif
