/* SPDX-License-Identifier: MIT */
/*
 * The receiving end of multilink (RFC 1990 section 4): fragments from several
 * links in, whole packets in order out.
 */
#ifndef PPP_REASSEMBLY_H
#define PPP_REASSEMBLY_H

#include "ppp/mp.h"
#include "serialbundle/time.h"

struct reassembly_config {
	size_t mrru;         /* bytes of a packet, its protocol field not counted (section 5.1.1) */
	bool short_sequence; /* of what arrives */
	unsigned window;     /* fragments held at most; a power of two */
	size_t buffer;       /* bytes held at most */
	sb_time least_wait;  /* duration: no hole is given up sooner by time alone */
	sb_time most_wait;   /* duration: nor later */
};

struct reassembly_counters {
	uint64_t fragments, nulls, packets;
	uint64_t bad_headers;
	uint64_t late;         /* arrived after they were given up, or for the second time */
	uint64_t lost;         /* sequence numbers given up: by rule M or by time */
	uint64_t lost_by_time; /* of those */
	uint64_t broken;       /* packets given up because of those, or B and E out of place */
	uint64_t too_long;     /* packets beyond the MRRU */
	uint64_t overflows;    /* the window or the buffer was full: the oldest hole was given up */
	uint64_t astray;       /* far ahead of all others */
	uint64_t renumbered;   /* the peer began its numbers anew, not being joined anew */
	sb_time longest_wait;  /* for a hole that was filled */
};

struct reassembly;

/* Sizes the window and the buffer for the mrru and the length of numbers that are in it. */
void reassembly_fit(struct reassembly_config *);

/* What it takes is fixed now; memory that no fragment has used is not touched. */
struct reassembly *reassembly_new(const struct reassembly_config *); /* NULL: out of memory */
void reassembly_free(struct reassembly *);
/* From now on, as in the configuration: frames take another time. */
void reassembly_set_wait(struct reassembly *, sb_time least, sb_time most);

/* Links are numbered 0 .. MP_MAX_LINKS - 1 by the owner. One that has left counts for nothing. */
/* After down and silent packets may be complete: reassembly_next. */
void reassembly_link_up(struct reassembly *, unsigned link, sb_time now);
void reassembly_link_down(struct reassembly *, unsigned link, sb_time now);
/* The link is silent: not waited for until it is heard from again. */
void reassembly_link_silent(struct reassembly *, unsigned link, sb_time now);

/*
 * A fragment: the information field of an MP frame. False: no room, since packets wait to be
 * taken out (reassembly_next), and it is to be offered again, until it is taken: in making
 * room for it more of them may become whole.
 */
bool reassembly_input(struct reassembly *, unsigned link, sb_time now, struct bytes fragment);
/* The next whole packet in order, protocol field first, viewed until the next call. */
bool reassembly_next(struct reassembly *, sb_time now, struct bytes *packet);
/* The instant at which a hole is given up for time; then call reassembly_next. SB_NEVER: no hole.
 */
sb_time reassembly_deadline(const struct reassembly *);
const struct reassembly_counters *reassembly_counters(const struct reassembly *);
/* What another one counted, too. */
void reassembly_counters_add(struct reassembly_counters *, const struct reassembly_counters *);

#endif
