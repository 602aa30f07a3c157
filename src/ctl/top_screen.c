/* SPDX-License-Identifier: MIT */
/*
 * From top to bottom: the head, what limits the bundle, graphs of the last minute, the
 * queue, the lines, the flows with their scale and totals, the keys.
 */
#include "src/ctl/top_screen.h"

#include "src/ctl/top_parts.h"
#include "src/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL = 7, HEAD_ROWS = 2, FLOWS_LEAST = 40 /* columns */ };

void top_graph(struct canvas *c, unsigned row, unsigned column, unsigned width,
	       const struct top_history *h, double most, enum canvas_style style)
{
	unsigned n = h->count < width ? h->count : width;

	for (unsigned i = 0; i < n; i++)
		canvas_level(c, row, column + width - n + i, style,
			     most > 0 ? h->values[h->count - n + i] / most : 0);
}

/* --- the head --- */

static void describe(char *to, size_t size, const struct top_model *m)
{
	const struct top_bundle *b = &m->bundle;

	if (!*b->name)
		snprintf(to, size, "lines without a bundle");
	else
		snprintf(to, size, "%s  %s%s%s%s%s", b->name, b->local, *b->remote ? " to " : "",
			 b->remote, *b->peer ? "  " : "", b->peer);
}

/* As much as there is room for beside what stands to the left. */
static void put_to_the_right(struct canvas *c, unsigned taken, const struct top_model *m,
			     const struct top_view *v)
{
	const struct top_bundle *b = &m->bundle;
	char uptime[TEXT_UNIT_SIZE], bps[TOP_FIGURE_SIZE], forms[4][TOP_TEXT_SIZE];
	const char *clock = v->paused ? "PAUSED" : m->clock;

	text_time(uptime, (int64_t)(b->uptime_s * 1e9));
	snprintf(forms[0], sizeof(forms[0]), "%u of %u lines up, %s bps  for %s  %s", b->lines_up,
		 b->lines, top_bps(bps, b->bps), uptime, clock);
	snprintf(forms[1], sizeof(forms[1]), "%u/%u up, %s bps  %s  %s", b->lines_up, b->lines, bps,
		 uptime, clock);
	snprintf(forms[2], sizeof(forms[2]), "%u/%u up  %s", b->lines_up, b->lines, clock);
	snprintf(forms[3], sizeof(forms[3]), "%u/%u up", b->lines_up, b->lines);
	for (unsigned i = 0; i < 4; i++) {
		unsigned length = (unsigned)strlen(forms[i]);

		if (taken + 2 + length + 1 > c->width)
			continue;
		canvas_put_right(c, 0, c->width - length - 1, length, CANVAS_HEAD, forms[i]);
		return;
	}
}

static void draw_head(struct canvas *c, const struct top_model *m, const struct top_view *v)
{
	char left[3 * TOP_NAME_SIZE + TOP_TEXT_SIZE];
	unsigned end;

	describe(left, sizeof(left), m);
	canvas_fill(c, 0, 0, c->width, CANVAS_HEAD, " ");
	end = canvas_put(c, 0, 1, c->width, CANVAS_HEAD, left);
	if (*m->bundle.name)
		put_to_the_right(c, end, m, v);
	else
		canvas_put_right(c, 0, end, c->width - 1 - (end < c->width ? end : c->width - 1),
				 CANVAS_HEAD, v->paused ? "PAUSED" : m->clock);
}

static enum canvas_style limit_style(const char *limit)
{
	if (strcmp(limit, "nothing") == 0)
		return CANVAS_GOOD;
	return strcmp(limit, "line") == 0 ? CANVAS_WARN : CANVAS_BAD;
}

static void draw_verdict(struct canvas *c, unsigned row, const struct top_model *m,
			 const struct top_view *v)
{
	char text[TOP_TEXT_SIZE + TOP_NAME_SIZE];

	if (*v->trouble) {
		canvas_put(c, row, 0, c->width, CANVAS_BAD, v->trouble);
		return;
	}
	if (!*m->bundle.limit)
		return;
	canvas_put(c, row, 0, LABEL, CANVAS_DIM, "limit");
	canvas_put(c, row, LABEL, c->width, limit_style(m->bundle.limit), m->bundle.limit);
	snprintf(text, sizeof(text), ": %s", m->bundle.why);
	canvas_put(c, row, LABEL + (unsigned)strlen(m->bundle.limit), c->width, CANVAS_PLAIN, text);
}

/* --- graphs and the queue --- */

static double highest(const struct top_history *h)
{
	double most = 0;

	for (unsigned i = 0; i < h->count; i++)
		most = fmax(most, h->values[i]);
	return most;
}

/* A full cell is what the lines can carry, ten bits a character, or more if there was more. */
static void draw_graph(struct canvas *c, unsigned row, const char *label, const struct top_rates *r,
		       const struct top_history *h, const struct top_bundle *b,
		       const struct top_view *v)
{
	char text[TOP_FIGURE_SIZE], peak[TOP_FIGURE_SIZE + 8], rate[TOP_FIGURE_SIZE];
	unsigned at = LABEL + TOP_RATE_WIDTH + 1, behind = 13;
	unsigned width = c->width > at + behind ? c->width - at - behind : 0;

	width = width < TOP_SECONDS ? width : TOP_SECONDS;
	canvas_put(c, row, 0, LABEL, CANVAS_DIM, label);
	canvas_put_right(c, row, LABEL, TOP_RATE_WIDTH - 1, CANVAS_BOLD,
			 top_rate(text, r->over_2s, v->bytes));
	top_graph(c, row, at, width, h, fmax(b->bps / 10, highest(h)), CANVAS_BAR);
	snprintf(peak, sizeof(peak), "peak %s", top_rate(rate, r->peak, v->bytes));
	canvas_put(c, row, at + width + 2, behind, CANVAS_DIM, peak);
}

static void draw_queue(struct canvas *c, unsigned row, const struct top_bundle *b)
{
	char text[TOP_TEXT_SIZE], bytes[TEXT_UNIT_SIZE], age[TEXT_UNIT_SIZE];
	double waits = b->queue_packets;
	int n;

	text_bytes(bytes, (uint64_t)b->queue_bytes);
	text_time(age, (int64_t)(b->queue_ms * 1e6));
	if (waits > 0)
		n = snprintf(text, sizeof(text), "%.0f packet%s, %s for %s", waits,
			     waits == 1 ? "" : "s", bytes, age);
	else
		n = snprintf(text, sizeof(text), "empty");
	snprintf(text + n, sizeof(text) - (size_t)n,
		 "; drops %.0f late, %.0f full, %.0f other; %.0f marks", b->drops_codel,
		 b->drops_full, b->drops_other, b->ecn_marks);
	canvas_put(c, row, 0, LABEL, CANVAS_DIM, "queue");
	canvas_put(c, row, LABEL, c->width, CANVAS_PLAIN, text);
}

/* --- keys and help --- */

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static void draw_keys(struct canvas *c, unsigned row, const struct top_model *m,
		      const struct top_view *v)
{
	char text[TOP_TEXT_SIZE];

	snprintf(text, sizeof(text), "q quit  b %s  p %s  l lines  f flows  n names  %s%s? help",
		 v->bytes ? "bits" : "bytes", v->paused ? "go on" : "pause",
		 c->utf8 ? "↑↓ scroll  " : "", m->bundles > 1 ? "< > bundle  " : "");
	canvas_put(c, row, 0, c->width, CANVAS_DIM, text);
}

static const struct {
	unsigned indent; /* of what goes on in another row, where the screen is narrow */
	const char *text;
} help[] = {
	{0, "serialbundlectl top: what passes over a bundle, and what limits it"},
	{0, ""},
	{11, "  q        quit"},
	{11, "  b        bits or bytes per second"},
	{11, "  p, space pause, and go on"},
	{11, "  l        lines alone, or all"},
	{11, "  f        flows alone, or all"},
	{11, "  n        names of hosts, or addresses"},
	{11, "  up down  scroll, this help too; page up, page down, home, end: further"},
	{11, "  < >      another bundle"},
	{11, "  any key  leaves this help"},
	{0, ""},
	{8, "limit   line: the lines are full, down, or slower than they should be"},
	{8, "        host: this computer is late, or a program on it does not read"},
	{8, "        peer: the other end does not take more: its window, its flow control"},
	{8, "        queue: more is sent than anything could carry, by who does not slow down"},
	{0, ""},
	{8, "BPS     what the line carries, bits per second; OUT, IN: characters on its wire"},
	{8, "BUSY    how much of the time it was sending; QUEUE: until it has sent all"},
	{8, "RTT     round trip of its echoes; ERR: what arrived damaged"},
	{0, ""},
	{0, "Rates are averages over 2 s; those of flows over 2, 10 and 40 s, with bars on a "
	    "logarithmic scale for the second. Graphs show the last minute."},
};

/* How many characters of the text go into so many columns: whole words, if any does. */
static size_t fitting(const char *text, unsigned width)
{
	size_t length = strlen(text), blanks = strspn(text, " "), n = width;

	if (length <= width)
		return length;
	while (n > blanks && text[n] != ' ')
		n--;
	return n > blanks ? n : width;
}

/* From that row on. Returns how many it takes, on the canvas or outside of it. */
static unsigned put_wrapped(struct canvas *c, unsigned row, unsigned indent,
			    enum canvas_style style, const char *text)
{
	unsigned rows = 0, column = 0;

	indent = 2 * indent < c->width ? indent : 0;
	do {
		size_t n = fitting(text, c->width - column);

		canvas_put(c, row + rows++, column, (unsigned)n, style, text);
		text += n + strspn(text + n, " ");
		column = indent;
	} while (*text);
	return rows;
}

/* Rows above the first, as those below the last, are outside. Returns how many there are. */
static unsigned put_help(struct canvas *c, unsigned first)
{
	unsigned rows = 0;

	for (unsigned i = 0; i < sizeof(help) / sizeof(help[0]); i++)
		rows += put_wrapped(c, rows - first, help[i].indent, i ? CANVAS_PLAIN : CANVAS_BOLD,
				    help[i].text);
	return rows;
}

static void draw_help(struct canvas *c, struct top_view *v)
{
	unsigned rows = put_help(c, 2 * CANVAS_HEIGHT_MOST); /* all outside */
	unsigned most = rows > c->height ? rows - c->height : 0;

	v->help_scroll = least(v->help_scroll, most);
	put_help(c, v->help_scroll);
}

/* --- who gets which rows --- */

struct rows {
	bool graphs, queue, scale, totals, keys;
	struct top_rows lines, flows;
};

static bool shows_flows(const struct canvas *c, const struct top_model *m, const struct top_view *v)
{
	return !v->hides_flows && *m->bundle.name && c->width >= FLOWS_LEAST;
}

/* Lines first; but when both want more than there is, each has its half. A pair takes two rows. */
static void share_rest(struct rows *r, unsigned rest, const struct canvas *c,
		       const struct top_model *m, const struct top_view *v)
{
	unsigned lines = v->hides_lines ? 0 : m->line_count + 1;
	unsigned flows = shows_flows(c, m, v) ? 2 * m->flow_count : 0;
	unsigned half = rest / 2, share = lines;

	if (lines + flows > rest && flows)
		share = least(lines, rest > flows && rest - flows > half ? rest - flows : half);
	if (share < lines && (rest - share) % 2)
		share++;
	r->lines.count = least(share, rest);
	r->flows.count = rest - r->lines.count;
}

static struct rows share_out(const struct canvas *c, const struct top_model *m,
			     const struct top_view *v)
{
	unsigned height = c->height > HEAD_ROWS ? c->height - HEAD_ROWS : 0;
	bool flows = shows_flows(c, m, v);
	struct rows r = {
		.keys = height >= 6,
		.queue = height >= 10 && *m->bundle.name,
		.graphs = height >= 12 && *m->bundle.name,
		.totals = height >= 16 && flows,
		.scale = height >= 20 && flows,
	};

	height -= r.keys + r.queue + 2 * r.graphs + 4 * r.totals + 2 * r.scale;
	share_rest(&r, height, c, m, v);
	r.lines.first = HEAD_ROWS + 2 * r.graphs + r.queue;
	r.flows.first = r.lines.first + r.lines.count + 2 * r.scale;
	return r;
}

/* An empty row between lines and flows, where there is one to spare. */
static void spread_out(struct rows *r, const struct top_model *m)
{
	if (!r->scale || r->flows.count <= 2 * m->flow_count)
		return;
	r->flows.first++;
	r->flows.count--;
}

static void draw_bundle(struct canvas *c, const struct top_model *m, struct top_view *v)
{
	struct rows r = share_out(c, m, v);
	const struct top_bundle *b = &m->bundle;

	spread_out(&r, m);
	if (r.graphs) {
		draw_graph(c, HEAD_ROWS, "out", &b->out, &b->out_history, b, v);
		draw_graph(c, HEAD_ROWS + 1, "in", &b->in, &b->in_history, b, v);
	}
	if (r.queue)
		draw_queue(c, r.lines.first - 1, b);
	top_draw_lines(c, r.lines, m, v);
	if (r.scale)
		top_draw_scale(c, r.flows.first - 2, m, v);
	if (shows_flows(c, m, v))
		top_draw_flows(c, r.flows, m, v);
	if (r.totals)
		top_draw_totals(c, r.flows.first + r.flows.count, m, v);
	if (r.keys)
		draw_keys(c, c->height - 1, m, v);
}

void top_screen(struct canvas *c, const struct top_model *m, struct top_view *v)
{
	if (v->help) {
		draw_help(c, v);
		return;
	}
	if (*m->clock) {
		draw_head(c, m, v);
		draw_bundle(c, m, v);
	}
	draw_verdict(c, *m->clock && c->height > 1 ? 1 : 0, m, v);
}
