/* SPDX-License-Identifier: MIT */
/*
 * A line that is not to be as fast as it could be, or that has a slower hop behind it with a link
 * layer of its own. line_shape.c opens with how.
 */
#ifndef SRC_LINE_SHAPE_H
#define SRC_LINE_SHAPE_H

#include "src/line.h"

/* What the shape leaves of a rate: at least 1. */
uint32_t shape_bps(const struct shape_config *, uint32_t bps);

/* What it carries, less what it is shaped to: the rate of its clock, as far as it keeps up. */
uint32_t line_shaped_bps(const struct line *);
/* The clock as it begins: the port was opened, a call connected. */
void line_clock_begin(struct line *, sb_time now);
/* Makes the clock follow all that has a say in it, if any of that has changed. */
void line_retune(struct line *, sb_time now);
/* Another bound, besides its own shape; bps, 0: none. */
void line_set_bound(struct line *, enum line_bound, uint32_t bps, sb_time now);
/* The peer sends no faster than so many bps; 0: as fast as the line carries, for all we know. */
void line_peer_sends(struct line *, uint32_t bps);
/* Takes shape and link layer from the other configuration; the line stays up. */
void line_reshape(struct line *, const struct line_config *, sb_time now);

/*
 * What it is among the lines of a bundle. Valid while the line lives and its layer is not another
 * one, as line->coding tells.
 */
struct stripe_line line_terms(const struct line *);

/* --- for line_send.c: the frame in progress, as the clock counts it --- */

/* A frame of so many characters begins, in which a packet of so many bytes is. */
void line_cost_begin(struct line *, size_t characters, size_t bytes);
/* The port took all up to this character of it. */
void line_cost_took(struct line *, sb_time now, size_t characters);
/* The port took so many, of whatever frame. */
void line_port_took(struct line *, sb_time now, size_t characters);
/* The port would block; takes characters again. */
void line_port_is_full(struct line *, sb_time now);
void line_port_takes(struct line *, sb_time now);
/* Duration for which the clock has been dry, as far as that cannot be made good any more. */
sb_time line_cost_lost(const struct line *, sb_time now);
/* The instant to come back: for more of the frame, or for the next one. */
sb_time line_wake(const struct line *);
/* Characters of it that may be handed to the port now. */
size_t line_cost_room(const struct line *, sb_time now);
/* What of it is not counted yet, for the clock. */
size_t line_cost_left(const struct line *);
/* So many characters in the driver, for the clock: they are of frames like this one. */
uint32_t line_cost_of(const struct line *, uint32_t characters);

#endif
