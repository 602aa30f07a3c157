/* SPDX-License-Identifier: MIT */
/*
 * The table of lines. Its columns are a table themselves: they stand in their order as far as
 * there is room, and what room is left is shared by the name, the bar and the graph.
 * A line that is not up has no figures to show, and says why instead.
 */
#include "src/ctl/top_parts.h"

#include "src/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum column {
	COLUMN_NAME,
	COLUMN_STATE,
	COLUMN_CARRIER,
	COLUMN_OUT,
	COLUMN_IN,
	COLUMN_BAR,
	COLUMN_BUSY,
	COLUMN_QUEUE,
	COLUMN_RTT,
	COLUMN_ERRORS,
	COLUMN_GRAPH,
	COLUMN_DOWNS,
	COLUMN_LOSS,
	COLUMN_NOTE,
	COLUMNS,
};

/* Widths have the gap to the column before in them. */
static const struct {
	const char *title;
	unsigned least, most, rank; /* those of the lowest rank are the last to go */
	bool left;
} columns[COLUMNS] = {
	[COLUMN_NAME] = {"LINE", 8, 20, 0, true},
	[COLUMN_STATE] = {"STATE", 6, 11, 2, true},
	[COLUMN_CARRIER] = {"BPS", 7, 7, 5, false},
	[COLUMN_OUT] = {"OUT/s", 8, 8, 1, false},
	[COLUMN_IN] = {"IN/s", 8, 8, 3, false},
	[COLUMN_BAR] = {"", 6, 21, 9, true},
	[COLUMN_BUSY] = {"BUSY", 5, 5, 4, false},
	[COLUMN_QUEUE] = {"QUEUE", 6, 6, 6, false},
	[COLUMN_RTT] = {"RTT", 6, 6, 7, false},
	[COLUMN_ERRORS] = {"ERR", 5, 5, 8, false},
	[COLUMN_GRAPH] = {"LAST MINUTE", 12, TOP_SECONDS + 1, 10, true},
	[COLUMN_DOWNS] = {"DOWN", 5, 5, 11, false},
	[COLUMN_LOSS] = {"LOSS", 7, 7, 12, false},
	[COLUMN_NOTE] = {"CONNECT", 12, 32, 13, true},
};

struct layout {
	unsigned at[COLUMNS], width[COLUMNS]; /* width 0: it is left out */
};

static void widen(struct layout *l, enum column c, unsigned *room)
{
	unsigned more = columns[c].most - columns[c].least;

	if (!l->width[c])
		return;
	more = more < *room ? more : *room;
	l->width[c] += more;
	*room -= more;
}

static struct layout lay_out(unsigned width)
{
	struct layout l = {0};
	unsigned room = width, column = 0;

	for (unsigned rank = 0; rank < COLUMNS; rank++)
		for (unsigned c = 0; c < COLUMNS; c++)
			if (columns[c].rank == rank && columns[c].least <= room) {
				l.width[c] = columns[c].least;
				room -= columns[c].least;
			}
	widen(&l, COLUMN_STATE, &room);
	widen(&l, COLUMN_GRAPH, &room);
	widen(&l, COLUMN_BAR, &room);
	widen(&l, COLUMN_NAME, &room);
	widen(&l, COLUMN_NOTE, &room);
	for (unsigned c = 0; c < COLUMNS; c++) {
		l.at[c] = column;
		column += l.width[c];
	}
	return l;
}

/* Of a column to the left the gap is at its beginning as well, but for the first. */
static void put(struct canvas *c, const struct layout *l, unsigned row, enum column column,
		enum canvas_style style, const char *text)
{
	unsigned gap = column == COLUMN_NAME ? 0 : 1, width = l->width[column];

	if (width <= gap)
		return;
	if (columns[column].left)
		canvas_put(c, row, l->at[column] + gap, width - gap - (column == COLUMN_NAME),
			   style, text);
	else
		canvas_put_right(c, row, l->at[column] + gap, width - gap, style, text);
}

static void put_title(struct canvas *c, const struct layout *l, unsigned row,
		      const struct top_model *m, struct top_rows shown)
{
	char name[TOP_NAME_SIZE];

	for (unsigned i = 0; i < COLUMNS; i++)
		put(c, l, row, i, CANVAS_BOLD, columns[i].title);
	if (shown.count >= m->line_count)
		return;
	snprintf(name, sizeof(name), "%u-%u/%u", shown.first + 1, shown.first + shown.count,
		 m->line_count);
	canvas_fill(c, row, 0, l->width[COLUMN_NAME], CANVAS_BOLD, " ");
	put(c, l, row, COLUMN_NAME, CANVAS_BOLD, name);
}

static enum canvas_style state_style(const struct top_line *line)
{
	static const char *const on_its_way[] = {"dialling", "waiting", "opening"};

	for (unsigned i = 0; i < sizeof(on_its_way) / sizeof(on_its_way[0]); i++)
		if (strcmp(line->state, on_its_way[i]) == 0)
			return CANVAS_WARN;
	return line->up ? CANVAS_GOOD : CANVAS_BAD;
}

/* "dialling for 12.0 s; busy" */
static void put_why(struct canvas *c, const struct layout *l, unsigned row,
		    const struct top_line *line)
{
	char text[TOP_TEXT_SIZE + TOP_NAME_SIZE + 64], since[TEXT_UNIT_SIZE];
	unsigned column = l->width[COLUMN_NAME];

	snprintf(text, sizeof(text), "%s for %s%s%s", line->state,
		 text_time(since, (int64_t)(line->since_s * 1e9)), *line->note ? "; " : "",
		 line->note);
	canvas_put(c, row, column + 1, c->width - column, state_style(line), text);
}

static const char *percent(char to[static TOP_FIGURE_SIZE], double share)
{
	snprintf(to, TOP_FIGURE_SIZE, "%.0f%%", 100 * share);
	return to;
}

static enum canvas_style busy_style(double share)
{
	return share >= 0.9 ? CANVAS_WARN : CANVAS_BAR;
}

static void put_loss(struct canvas *c, const struct layout *l, unsigned row,
		     const struct top_line *line)
{
	char text[TOP_FIGURE_SIZE] = "-";
	double most = fmax(line->loss_out, line->loss_in);

	if (most >= 0)
		snprintf(text, sizeof(text), "%.1f%%", 100 * most);
	put(c, l, row, COLUMN_LOSS, most >= 0.01 ? CANVAS_BAD : CANVAS_PLAIN, text);
}

static void put_figures(struct canvas *c, const struct layout *l, unsigned row,
			const struct top_line *line, const struct top_view *v)
{
	char text[TOP_FIGURE_SIZE];
	bool slow = line->bps < 0.9 * line->given_bps;

	put(c, l, row, COLUMN_STATE, state_style(line), line->state);
	put(c, l, row, COLUMN_CARRIER, slow ? CANVAS_WARN : CANVAS_PLAIN, top_bps(text, line->bps));
	put(c, l, row, COLUMN_OUT, CANVAS_PLAIN, top_rate(text, line->out.over_2s, v->bytes));
	put(c, l, row, COLUMN_IN, CANVAS_PLAIN, top_rate(text, line->in.over_2s, v->bytes));
	put(c, l, row, COLUMN_BUSY, CANVAS_PLAIN, percent(text, line->busy_out));
	put(c, l, row, COLUMN_QUEUE, CANVAS_PLAIN, top_duration(text, line->queue_ms));
	put(c, l, row, COLUMN_RTT, CANVAS_PLAIN, top_duration(text, line->rtt_ms));
	put(c, l, row, COLUMN_ERRORS, line->errors > 0 ? CANVAS_BAD : CANVAS_PLAIN,
	    top_count(text, line->errors));
	put(c, l, row, COLUMN_DOWNS, CANVAS_PLAIN, top_count(text, line->downs));
	put(c, l, row, COLUMN_NOTE, CANVAS_DIM, line->note);
	put_loss(c, l, row, line);
}

static void put_line(struct canvas *c, const struct layout *l, unsigned row,
		     const struct top_line *line, const struct top_view *v)
{
	put(c, l, row, COLUMN_NAME, CANVAS_BOLD, line->name);
	if (!line->up) {
		put_why(c, l, row, line);
		return;
	}
	put_figures(c, l, row, line, v);
	if (l->width[COLUMN_BAR])
		canvas_bar(c, row, l->at[COLUMN_BAR] + 1, l->width[COLUMN_BAR] - 1,
			   busy_style(line->busy_out), line->busy_out);
	if (l->width[COLUMN_GRAPH])
		top_graph(c, row, l->at[COLUMN_GRAPH] + 1, l->width[COLUMN_GRAPH] - 1, &line->busy,
			  1, CANVAS_BAR);
}

void top_draw_lines(struct canvas *c, struct top_rows rows, const struct top_model *m,
		    struct top_view *v)
{
	struct layout l = lay_out(c->width);
	struct top_rows shown = {v->line_scroll, rows.count ? rows.count - 1 : 0};

	if (!rows.count)
		return;
	if (shown.count > m->line_count)
		shown.count = m->line_count;
	if (shown.first + shown.count > m->line_count)
		shown.first = v->line_scroll = m->line_count - shown.count;
	put_title(c, &l, rows.first, m, shown);
	for (unsigned i = 0; i < shown.count; i++)
		put_line(c, &l, rows.first + 1 + i, &m->lines[shown.first + i], v);
}
