/* SPDX-License-Identifier: MIT */
/*
 * The screen of `top`: a model and a view in, cells out. Pure.
 *
 * What there is no room for is left out, the least important first: columns to the
 * right of a line, then the graphs and totals, down to the two rows at the top that say
 * which bundle it is and what limits it.
 */
#ifndef SRC_CTL_TOP_SCREEN_H
#define SRC_CTL_TOP_SCREEN_H

#include "src/ctl/canvas.h"
#include "src/ctl/top_model.h"

/* What the user chose. */
struct top_view {
	bool bytes; /* rates in bytes per second, not bits */
	bool paused, help;
	bool hides_lines, hides_flows;
	unsigned line_scroll, flow_scroll,
		help_scroll;         /* the first that is shown; put right when too high */
	char trouble[TOP_TEXT_SIZE]; /* what stands in the way of newer figures; "" */
	/* The name of a host, or NULL: its address is shown. May be NULL. */
	const char *(*name_of)(void *context, const char *address);
	void *context;
};

void top_screen(struct canvas *, const struct top_model *, struct top_view *);

#endif
