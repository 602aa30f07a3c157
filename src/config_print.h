/* SPDX-License-Identifier: MIT */
/* Between the files that print the plan. */
#ifndef SRC_CONFIG_PRINT_H
#define SRC_CONFIG_PRINT_H

#include "src/config.h"

/* What a packet's frame takes besides its data, nothing of it escaped. */
unsigned config_frame_overhead(const struct config *, const struct line_config *);

/* How packets are spread, and the queue that they wait in. */
void config_print_mode(const struct config *);
void config_print_shaping(const struct config *);
/* The line's shape and link layer, if it has any. bps: what all shapes leave it. */
void config_print_line_shape(const struct line_config *, double bps);
void config_print_ppp(const struct config *);
/* Fragments on a line that counts its own characters, and sends so many. */
void config_print_ppp_line(const struct config *, double chars_per_sec);
void config_print_answer(const struct config *);
/* A line's calls, and the command that it runs. */
void config_print_life(const struct line_config *);
void config_print_programs(const struct config *);

#endif
