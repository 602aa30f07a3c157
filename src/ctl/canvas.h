/* SPDX-License-Identifier: MIT */
/*
 * A screen as it should be: cells, each a character and a style. What draws here knows no
 * terminal, and what shows it knows nothing of what is drawn. Whatever lies outside is left out.
 */
#ifndef SRC_CTL_CANVAS_H
#define SRC_CTL_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum canvas_style {
	CANVAS_PLAIN,
	CANVAS_BOLD,
	CANVAS_DIM,
	CANVAS_GOOD,
	CANVAS_WARN,
	CANVAS_BAD,
	CANVAS_HEAD, /* of the screen */
	CANVAS_BAR,  /* what a bar is made of */
	CANVAS_MARK, /* text with a bar behind it */
	CANVAS_STYLES,
};

enum { CANVAS_WIDTH_MOST = 512, CANVAS_HEIGHT_MOST = 256 };

struct canvas_cell {
	char text[5]; /* one character of UTF-8 */
	uint8_t style;
};

struct canvas {
	unsigned width, height;
	bool utf8;                 /* else ASCII alone: what is not becomes '?' */
	struct canvas_cell *cells; /* row by row */
};

/* All blank. False: out of memory. Larger ones than can be are cut. */
bool canvas_init(struct canvas *, unsigned width, unsigned height, bool utf8);
void canvas_free(struct canvas *);

/* At most `width` characters of the text; the column behind them. */
unsigned canvas_put(struct canvas *, unsigned row, unsigned column, unsigned width,
		    enum canvas_style, const char *text);
/* The same, right-aligned in that width. */
void canvas_put_right(struct canvas *, unsigned row, unsigned column, unsigned width,
		      enum canvas_style, const char *text);
/* n times that character. */
void canvas_fill(struct canvas *, unsigned row, unsigned column, unsigned n, enum canvas_style,
		 const char *character);
/* What is there gets another style. */
void canvas_set_style(struct canvas *, unsigned row, unsigned column, unsigned n,
		      enum canvas_style);
/* A horizontal bar of `share` (0..1) of the width, to an eighth of a cell. */
void canvas_bar(struct canvas *, unsigned row, unsigned column, unsigned width, enum canvas_style,
		double share);
/* A cell as high as `share` (0..1); what is more than nothing can be seen. */
void canvas_level(struct canvas *, unsigned row, unsigned column, enum canvas_style, double share);

/* Its text, rows ended by newlines, blanks at their ends left out. Returns `to`. */
char *canvas_text(const struct canvas *, char *to, size_t size);

#endif
