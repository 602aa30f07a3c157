/* SPDX-License-Identifier: MIT */
/* What line.c, a line's life, and line_send.c, its sending, need of each other. */
#ifndef SRC_LINE_INTERNAL_H
#define SRC_LINE_INTERNAL_H

#include "src/line.h"

/* A frame that was begun is cut: the peer will not take it for one. Its packet, or NULL. */
struct packet *line_cut_frame(struct line *);
/* Asks the driver what it holds. True when that shows that characters left. */
bool line_heed_driver(struct line *, sb_time now);
/* Whether the port could take characters. */
bool line_may_send(const struct line *);

#endif
