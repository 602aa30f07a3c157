/* SPDX-License-Identifier: MIT */
#include "src/ctl/canvas.h"

#include "src/text.h"

#include <stdlib.h>
#include <string.h>

enum { EIGHTHS = 8 };

static const char *const bars[EIGHTHS] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
static const char *const levels[EIGHTHS + 1] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const ascii_levels[EIGHTHS + 1] = {" ", ".", ".", ":", "-", "=", "+", "*", "#"};

bool canvas_init(struct canvas *c, unsigned width, unsigned height, bool utf8)
{
	*c = (struct canvas){
		.width = width < CANVAS_WIDTH_MOST ? width : CANVAS_WIDTH_MOST,
		.height = height < CANVAS_HEIGHT_MOST ? height : CANVAS_HEIGHT_MOST,
		.utf8 = utf8,
	};
	c->cells = calloc((size_t)c->width * c->height + 1, sizeof(*c->cells));
	for (unsigned row = 0; c->cells && row < c->height; row++)
		canvas_fill(c, row, 0, c->width, CANVAS_PLAIN, " ");
	return c->cells != NULL;
}

void canvas_free(struct canvas *c)
{
	free(c->cells);
	*c = (struct canvas){0};
}

static struct canvas_cell *cell_at(struct canvas *c, unsigned row, unsigned column)
{
	if (row >= c->height || column >= c->width)
		return NULL;
	return &c->cells[(size_t)row * c->width + column];
}

static void set(struct canvas *c, unsigned row, unsigned column, enum canvas_style style,
		const char *character, size_t length)
{
	struct canvas_cell *cell = cell_at(c, row, column);

	if (!cell)
		return;
	if (length >= sizeof(cell->text) || (!c->utf8 && length > 1))
		character = "?", length = 1;
	memcpy(cell->text, character, length);
	cell->text[length] = '\0';
	cell->style = (uint8_t)style;
}

unsigned canvas_put(struct canvas *c, unsigned row, unsigned column, unsigned width,
		    enum canvas_style style, const char *text)
{
	for (; *text && width; width--) {
		size_t length = text_cut(text, 1);

		set(c, row, column++, style, text, length);
		text += length;
	}
	return column;
}

static unsigned width_of(const char *text)
{
	unsigned width = 0;

	for (; *text; text += text_cut(text, 1))
		width++;
	return width;
}

void canvas_put_right(struct canvas *c, unsigned row, unsigned column, unsigned width,
		      enum canvas_style style, const char *text)
{
	unsigned taken = width_of(text);

	canvas_put(c, row, column + (taken < width ? width - taken : 0), width, style, text);
}

void canvas_fill(struct canvas *c, unsigned row, unsigned column, unsigned n,
		 enum canvas_style style, const char *character)
{
	for (unsigned i = 0; i < n; i++)
		set(c, row, column + i, style, character, strlen(character));
}

void canvas_set_style(struct canvas *c, unsigned row, unsigned column, unsigned n,
		      enum canvas_style style)
{
	for (unsigned i = 0; i < n; i++) {
		struct canvas_cell *cell = cell_at(c, row, column + i);

		if (cell)
			cell->style = (uint8_t)style;
	}
}

static double within(double share)
{
	return share > 1 ? 1 : share > 0 ? share : 0;
}

void canvas_bar(struct canvas *c, unsigned row, unsigned column, unsigned width,
		enum canvas_style style, double share)
{
	unsigned eighths = (unsigned)(within(share) * width * EIGHTHS + 0.5);

	if (!c->utf8) {
		canvas_fill(c, row, column, (eighths + EIGHTHS / 2) / EIGHTHS, style, "#");
		return;
	}
	canvas_fill(c, row, column, eighths / EIGHTHS, style, "█");
	if (eighths % EIGHTHS)
		canvas_fill(c, row, column + eighths / EIGHTHS, 1, style, bars[eighths % EIGHTHS]);
}

void canvas_level(struct canvas *c, unsigned row, unsigned column, enum canvas_style style,
		  double share)
{
	unsigned eighths = (unsigned)(within(share) * EIGHTHS + 0.5);

	if (share > 0 && eighths == 0)
		eighths = 1;
	canvas_fill(c, row, column, 1, style, c->utf8 ? levels[eighths] : ascii_levels[eighths]);
}

static size_t row_length(const struct canvas *c, unsigned row)
{
	size_t n = c->width;

	while (n && strcmp(c->cells[(size_t)row * c->width + n - 1].text, " ") == 0)
		n--;
	return n;
}

char *canvas_text(const struct canvas *c, char *to, size_t size)
{
	size_t at = 0;

	for (unsigned row = 0; row < c->height; row++) {
		for (size_t i = 0, n = row_length(c, row); i < n && at + 8 < size; i++) {
			const char *text = c->cells[(size_t)row * c->width + i].text;

			memcpy(to + at, text, strlen(text));
			at += strlen(text);
		}
		if (at + 2 < size)
			to[at++] = '\n';
	}
	to[at] = '\0';
	return to;
}
