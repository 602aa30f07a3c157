/* SPDX-License-Identifier: MIT */
/* The parts of top's screen, each drawn into rows that it is given; for top_*.c alone. */
#ifndef SRC_CTL_TOP_PARTS_H
#define SRC_CTL_TOP_PARTS_H

#include "src/ctl/top_screen.h"

struct top_rows {
	unsigned first, count;
};

enum { TOP_FIGURE_SIZE = 24, TOP_RATE_WIDTH = 8 };

/* Bytes per second as "39.6Mb" or "4.95MB". Returns `to`. */
const char *top_rate(char to[static TOP_FIGURE_SIZE], double bytes_per_s, bool bytes);
/* Bytes as "60.8GB". */
const char *top_bytes(char to[static TOP_FIGURE_SIZE], double bytes);
/* Bits per second of a carrier: "28800", "1.5M". */
const char *top_bps(char to[static TOP_FIGURE_SIZE], double bps);
/* Milliseconds in at most five characters: "0.4ms", "12ms", "1.2s", "345s"; negative: "-". */
const char *top_duration(char to[static TOP_FIGURE_SIZE], double ms);
/* A count in at most four: "9999", "12k", "3M". */
const char *top_count(char to[static TOP_FIGURE_SIZE], double n);

/* A graph of the newest `width` values, the newest at the right; `most` is a full cell. */
void top_graph(struct canvas *, unsigned row, unsigned column, unsigned width,
	       const struct top_history *, double most, enum canvas_style);

/* A title, then a row for each line from view->line_scroll on. */
void top_draw_lines(struct canvas *, struct top_rows, const struct top_model *, struct top_view *);

/* The log scale of the bars, two rows. */
void top_draw_scale(struct canvas *, unsigned row, const struct top_model *,
		    const struct top_view *);
/* Two rows for each pair of hosts, from view->flow_scroll on. */
void top_draw_flows(struct canvas *, struct top_rows, const struct top_model *, struct top_view *);
/* A rule, then sent, received, and both: four rows. */
void top_draw_totals(struct canvas *, unsigned row, const struct top_model *,
		     const struct top_view *);

#endif
