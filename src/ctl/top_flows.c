/* SPDX-License-Identifier: MIT */
/*
 * Who talks with whom, as iftop shows it:
 *
 *   10.9.0.1                   => 10.9.0.2                    39.6Mb  39.2Mb  40.9Mb
 *                              <=                             1.89Mb  1.85Mb  1.96Mb
 *   --------------------------------------------------------------------------------
 *   TX:             cumm:  60.8GB   peak:    262Mb  rates:    226Mb   233Mb   243Mb
 *   RX:                    4.98GB           12.3Mb           10.7Mb  11.0Mb  11.6Mb
 *   TOTAL:                 65.7GB            275Mb            236Mb   244Mb   255Mb
 *
 * with the averages over 2, 10 and 40 s. Behind each row lies a bar for its average over
 * 10 s, on a logarithmic scale, since what answers a transfer is worth a look too. On a wide
 * screen each row has its own total and peak.
 */
#include "src/ctl/top_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	RATES_WIDTH = 3 * TOP_RATE_WIDTH,
	WIDE = 110,
	ARROW_WIDTH = 4,
	TOTAL_BEFORE = 35, /* columns before the rates, for a total, */
	PEAK_BEFORE = 17,  /* and a peak */
	WORDS_LEAST = 52,  /* columns that they take with their words */
	ADDRESS_LEAST = 11,
	ADDRESS_MOST = 39, /* the longest of IPv6 */
};

/* --- the scale: from 10 bits per second (or bytes) to the decade above all there is --- */

static const double scale_begin = 10;

static double in_units(double bytes_per_s, const struct top_view *v)
{
	return v->bytes ? bytes_per_s : 8 * bytes_per_s;
}

static unsigned decades(const struct top_model *m, const struct top_view *v)
{
	double most = fmax(m->bundle.bps / 8, fmax(m->bundle.out.peak, m->bundle.in.peak));
	double n = ceil(log10(fmax(in_units(most, v), 1) / scale_begin) - 0.05);

	return n < 2 ? 2 : n > 10 ? 10 : (unsigned)n;
}

/* The cells of a bar. */
static unsigned bar_length(double bytes_per_s, unsigned width, const struct top_model *m,
			   const struct top_view *v)
{
	double value = in_units(bytes_per_s, v) / scale_begin;
	double share = value > 1 ? log10(value) / decades(m, v) : 0;

	return (unsigned)(fmin(share, 1) * width + 0.5);
}

void top_draw_scale(struct canvas *c, unsigned row, const struct top_model *m,
		    const struct top_view *v)
{
	unsigned n = decades(m, v);
	double value = scale_begin;

	canvas_fill(c, row + 1, 0, c->width, CANVAS_DIM, c->utf8 ? "─" : "-");
	canvas_put(c, row + 1, 0, 1, CANVAS_DIM, c->utf8 ? "└" : "+");
	for (unsigned i = 1; i <= n; i++) {
		char text[TOP_FIGURE_SIZE];
		unsigned at = i * c->width / n - 1, length;

		value *= 10;
		top_rate(text, v->bytes ? value : value / 8, v->bytes);
		length = (unsigned)strcspn(text, ".");
		if (text[length]) /* "1.00kb": a scale has whole figures */
			memmove(text + length, strpbrk(text, "kMGTPE"), 3);
		length = (unsigned)strlen(text);
		canvas_put(c, row, at + 1 > length ? at + 1 - length : 0, length, CANVAS_DIM, text);
		canvas_put(c, row + 1, at, 1, CANVAS_DIM, !c->utf8 ? "+" : i < n ? "┴" : "┘");
	}
}

/* --- pairs --- */

struct columns {
	unsigned local, remote; /* the width of each host's name; without room for both, one */
	unsigned rates;         /* where they begin */
	bool wide;
};

static struct columns columns_of(const struct canvas *c)
{
	struct columns k = {.wide = c->width >= WIDE};
	unsigned taken = RATES_WIDTH + ARROW_WIDTH + (k.wide ? TOTAL_BEFORE : 0);

	k.rates = c->width > RATES_WIDTH ? c->width - RATES_WIDTH : 0;
	unsigned room = c->width > taken ? c->width - taken : 0;

	k.local = k.remote = room / 2 < ADDRESS_MOST ? room / 2 : ADDRESS_MOST;
	if (k.remote < ADDRESS_LEAST)
		k.local = 0, k.remote = room;
	return k;
}

static void put_rates(struct canvas *c, unsigned row, const struct columns *k,
		      const struct top_rates *r, const struct top_view *v)
{
	double values[] = {r->over_2s, r->over_10s, r->over_40s};

	for (unsigned i = 0; i < 3; i++) {
		char text[TOP_FIGURE_SIZE];

		canvas_put_right(c, row, k->rates + i * TOP_RATE_WIDTH, TOP_RATE_WIDTH,
				 CANVAS_PLAIN, top_rate(text, values[i], v->bytes));
	}
}

static void put_own_totals(struct canvas *c, unsigned row, const struct columns *k,
			   const struct top_rates *r, const struct top_view *v)
{
	char text[TOP_FIGURE_SIZE];

	if (!k->wide)
		return;
	canvas_put_right(c, row, k->rates - TOTAL_BEFORE, TOP_RATE_WIDTH, CANVAS_DIM,
			 top_bytes(text, r->total));
	canvas_put_right(c, row, k->rates - PEAK_BEFORE, TOP_RATE_WIDTH, CANVAS_DIM,
			 top_rate(text, r->peak, v->bytes));
}

static const char *host(const char *address, const struct top_view *v)
{
	const char *name = v->name_of ? v->name_of(v->context, address) : NULL;

	return name ? name : address;
}

static void put_direction(struct canvas *c, unsigned row, const struct columns *k, const char *from,
			  const char *arrow, const char *to, const struct top_rates *r,
			  const struct top_model *m, const struct top_view *v)
{
	canvas_put(c, row, 0, k->local, CANVAS_PLAIN, from);
	canvas_put(c, row, k->local + 1, ARROW_WIDTH, CANVAS_DIM, arrow);
	canvas_put(c, row, k->local + ARROW_WIDTH, k->remote, CANVAS_PLAIN, to);
	put_own_totals(c, row, k, r, v);
	put_rates(c, row, k, r, v);
	canvas_set_style(c, row, 0, bar_length(r->over_10s, c->width, m, v), CANVAS_MARK);
}

static void put_flow(struct canvas *c, unsigned row, const struct columns *k,
		     const struct top_flow *f, const struct top_model *m, const struct top_view *v)
{
	put_direction(c, row, k, host(f->local, v), "=>", host(f->remote, v), &f->out, m, v);
	put_direction(c, row + 1, k, "", "<=", "", &f->in, m, v);
}

void top_draw_flows(struct canvas *c, struct top_rows rows, const struct top_model *m,
		    struct top_view *v)
{
	struct columns k = columns_of(c);
	unsigned fit = rows.count / 2;

	if (fit > m->flow_count)
		fit = m->flow_count;
	if (v->flow_scroll + fit > m->flow_count)
		v->flow_scroll = m->flow_count - fit;
	for (unsigned i = 0; i < fit; i++)
		put_flow(c, rows.first + 2 * i, &k, &m->flows[v->flow_scroll + i], m, v);
}

/* --- all together --- */

static struct top_rates both(const struct top_rates *a, const struct top_rates *b)
{
	return (struct top_rates){
		.total = a->total + b->total,
		.over_2s = a->over_2s + b->over_2s,
		.over_10s = a->over_10s + b->over_10s,
		.over_40s = a->over_40s + b->over_40s,
		.peak = a->peak + b->peak,
	};
}

/* Where the words of the first row stand; without room for them the figures do without. */
struct places {
	unsigned total, peak, rates;
};

static void put_total(struct canvas *c, unsigned row, const struct places *p, const char *name,
		      const struct top_rates *r, const struct top_view *v)
{
	struct columns k = columns_of(c);
	char text[TOP_FIGURE_SIZE];

	canvas_put(c, row, 0, TOP_RATE_WIDTH, CANVAS_BOLD, name);
	if (p->total)
		canvas_put_right(c, row, p->total, TOP_RATE_WIDTH, CANVAS_PLAIN,
				 top_bytes(text, r->total));
	if (p->peak)
		canvas_put_right(c, row, p->peak, TOP_RATE_WIDTH, CANVAS_PLAIN,
				 top_rate(text, r->peak, v->bytes));
	put_rates(c, row, &k, r, v);
}

static struct places places_of(const struct canvas *c)
{
	struct places p = {0};
	unsigned at = c->width > RATES_WIDTH ? c->width - RATES_WIDTH : 0;

	if (at < 2 * TOP_RATE_WIDTH)
		return p;
	p.total = at >= WORDS_LEAST ? at - TOTAL_BEFORE : 8;
	if (at >= WORDS_LEAST)
		p.peak = at - PEAK_BEFORE;
	p.rates = at;
	return p;
}

void top_draw_totals(struct canvas *c, unsigned row, const struct top_model *m,
		     const struct top_view *v)
{
	const struct top_bundle *b = &m->bundle;
	struct top_rates sum = both(&b->out, &b->in);
	struct places p = places_of(c);

	canvas_fill(c, row, 0, c->width, CANVAS_DIM, c->utf8 ? "─" : "-");
	if (p.peak) {
		canvas_put(c, row + 1, p.total - 5, 5, CANVAS_DIM, "cumm:");
		canvas_put(c, row + 1, p.peak - 5, 5, CANVAS_DIM, "peak:");
		canvas_put(c, row + 1, p.rates - 7, 6, CANVAS_DIM, "rates:");
	}
	put_total(c, row + 1, &p, "TX:", &b->out, v);
	put_total(c, row + 2, &p, "RX:", &b->in, v);
	put_total(c, row + 3, &p, "TOTAL:", &sum, v);
}
