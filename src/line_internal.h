/* SPDX-License-Identifier: MIT */
/* What the files of a line need of each other. */
#ifndef SRC_LINE_INTERNAL_H
#define SRC_LINE_INTERNAL_H

#include "src/line.h"

enum { LINE_READ_SIZE = 4096 };
#define LINE_LAST_WORDS (2 * SB_SEC) /* of an encapsulation that ends */
#define LINE_READ_AHEAD (20 * SB_MS) /* of what a line may bring, read at once */

/* --- line.c: its life --- */

void line_enter(struct line *, enum line_state, sb_time now);
/* All that runs over the port, when that is ready for it: now, or when it is next writable. */
void line_begin(struct line *, sb_time now);
/* With the reason. */
void line_leave(struct line *, enum line_state, sb_time now, const char *reason);
/* Closes the port at once. */
void line_shut(struct line *, sb_time now, const char *reason);
/* It was found so. */
void line_port_is_gone(struct line *, sb_time now);
/* Leaves UP: if it had lasted, what failed before is forgotten. */
void line_forgive(struct line *, sb_time now);
/* Whether a peer that said no was the reason of the end. */
bool line_was_refused(const struct line *);
/* The port is the modem's, not the encapsulation's. */
static inline bool line_is_with_modem(const struct line *l)
{
	return l->state == LINE_DIALLING || l->state == LINE_WAITING || l->state == LINE_HANGING_UP;
}

/* --- line_encap.c: what it speaks --- */

void line_encap_begin(struct line *, sb_time now);
void line_encap_finish(struct line *, sb_time now);
/* The port carries again: UP as far as the encapsulation says so. */
void line_carry_on(struct line *, sb_time now);

/* --- line_receive.c --- */

/* Whether too much was read, so that nothing is read for now. */
void line_rest(struct line *, sb_time now);

/* --- line_send.c --- */

/* A frame that was begun is cut: the peer will not take it for one. Its packet, or NULL. */
struct packet *line_cut_frame(struct line *);
/* Asks the driver what it holds. True when that shows that characters left. */
bool line_heed_driver(struct line *, sb_time now);

#endif
