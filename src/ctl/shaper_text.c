/* SPDX-License-Identifier: MIT */
/*
 * The shaper as text. For each line what is assumed of it, and what that makes of packets of three
 * sizes; for each bundle what its queue's tiers did, as cake's statistics have it.
 *
 *   sb0: 27360 bps together, shape 95 %; target 826 ms, interval 1.65 s
 *                 interactive  best effort         bulk
 *     thresh          911 B/s    1.37 kB/s      457 B/s
 *     ...
 *   ttyS0 in sb0: ppp, up, 10 bits to a character
 *     rate       27360 bps: it carries 28800, its part of the bundle is 27360
 *     counts     characters of 10 bits, as they are encoded
 *     lead       64 characters, 23.4 ms
 *     fragment   8 characters besides its data
 *     packet             40 B        576 B      1.50 kB
 *     counts for           44          580         1504
 *     takes           16.1 ms       212 ms       550 ms
 */
#define _DEFAULT_SOURCE
#include "src/ctl/shaper_text.h"

#include "src/ctl/document.h"

enum { LABEL_WIDTH = 10, COLUMN_WIDTH = 12 };

static const json_t *member(const json_t *object, const char *key)
{
	return json_object_get(object, key);
}

static struct cell count(double n)
{
	struct cell c;

	snprintf(c.text, sizeof(c.text), "%.0f", n);
	return c;
}

/* --- rows --- */

static void put_label(FILE *to, const char *label)
{
	fprintf(to, "  %-*s", LABEL_WIDTH, label);
}

static void put_cell(FILE *to, struct cell c)
{
	fprintf(to, " %*s", COLUMN_WIDTH, c.text);
}

/* "50 %", "14400 bps"; "" : there is none. */
static struct cell shape(const json_t *s)
{
	struct cell c = {""};

	if (json_is_number(member(s, "percent")))
		snprintf(c.text, sizeof(c.text), "%g %%", figure(s, "percent"));
	else if (json_is_object(s))
		snprintf(c.text, sizeof(c.text), "%.0f bps", figure(s, "bps"));
	return c;
}

/* --- tiers --- */

/* As cake calls them, where a figure of theirs stands in the document. */
static const struct row {
	const char *label, *group, *key; /* group: "" , the tier itself */
	struct cell (*text)(double);
} rows[] = {
	{"thresh", "", "guaranteed", cell_rate},
	{"target", "", "target_ms", cell_ms},
	{"interval", "", "interval_ms", cell_ms},
	{"pk_delay", "delay_ms", "peak", cell_ms},
	{"av_delay", "delay_ms", "average", cell_ms},
	{"sp_delay", "delay_ms", "base", cell_ms},
	{"backlog", "queue", "bytes", cell_bytes},
	{"pkts", "", "packets", count},
	{"bytes", "", "bytes", count},
	{"way_inds", "", "way_hits", count},
	{"way_miss", "", "way_misses", count},
	{"way_cols", "", "collisions", count},
	{"drops", "drops", "codel", count},
	{"overlimit", "drops", "queue_full", count},
	{"marks", "", "ecn_marks", count},
	{"sp_flows", "flows", "sparse", count},
	{"bk_flows", "flows", "bulk", count},
	{"max_len", "", "max_packet", count},
	{"quantum", "", "quantum", count},
};

static double tier_figure(const json_t *tier, const struct row *r)
{
	return figure(*r->group ? member(tier, r->group) : tier, r->key);
}

static void put_tiers(FILE *to, const json_t *tiers)
{
	json_t *tier;
	size_t i;

	put_label(to, "");
	json_array_foreach(tiers, i, tier) fprintf(to, " %*s", COLUMN_WIDTH, word(tier, "name"));
	fputc('\n', to);
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		put_label(to, rows[r].label);
		json_array_foreach(tiers, i, tier)
			put_cell(to, rows[r].text(tier_figure(tier, &rows[r])));
		fputc('\n', to);
	}
}

static void put_bundle(FILE *to, const json_t *b)
{
	struct cell out = shape(member(b, "shape")), in = shape(member(b, "shape_in"));

	fprintf(to, "%s: %.0f bps together", word(b, "name"), figure(b, "bps"));
	if (*out.text)
		fprintf(to, ", shape %s", out.text);
	if (*in.text)
		fprintf(to, ", shape-in %s", in.text);
	fprintf(to, "; target %s, interval %s\n", cell_ms(figure(b, "target_ms")).text,
		cell_ms(figure(b, "interval_ms")).text);
	put_tiers(to, member(b, "tiers"));
}

/* --- lines --- */

/* What has a say in a line's rate. */
static void put_rate(FILE *to, const json_t *l)
{
	const json_t *bps = member(l, "bps");
	struct cell own = shape(member(l, "shape")), in = shape(member(l, "shape_in"));

	put_label(to, "rate");
	fprintf(to, " %.0f bps: it carries %.0f", figure(bps, "shaped"), figure(bps, "carrier"));
	if (*own.text)
		fprintf(to, ", its shape is %s", own.text);
	if (json_is_number(member(bps, "bundle")))
		fprintf(to, ", its part of the bundle is %.0f", figure(bps, "bundle"));
	if (json_is_number(member(bps, "peer")))
		fprintf(to, ", the peer wishes %.0f", figure(bps, "peer"));
	if (figure(bps, "now") < 0.99 * figure(bps, "shaped"))
		fprintf(to, "; it was found to carry %.0f", figure(bps, "now"));
	fputc('\n', to);
	if (!*in.text)
		return;
	put_label(to, "inwards");
	fprintf(to, " %s\n", in.text);
}

static void put_layer(FILE *to, const json_t *l)
{
	const json_t *layer = member(l, "linklayer");

	put_label(to, "counts");
	fprintf(to, " %s of %.0f bits", word(layer, "unit"), figure(layer, "unit_bits"));
	if (truth(layer, "exact"))
		fprintf(to, ", as they are encoded\n");
	else
		fprintf(to, " of a hop behind it: IP packet %+.0f, mpu %.0f, cells %s\n",
			figure(layer, "overhead"), figure(layer, "mpu"), word(layer, "cells"));
}

static void put_lead(FILE *to, const json_t *l)
{
	const json_t *lead = member(l, "lead");

	put_label(to, "lead");
	fprintf(to, " %.0f %s, %s\n", figure(lead, "units"), word(member(l, "linklayer"), "unit"),
		cell_ms(figure(lead, "time_ms")).text);
	if (figure(l, "fragment_overhead") <= 0)
		return;
	put_label(to, "fragment");
	fprintf(to, " %.0f %s besides its data\n", figure(l, "fragment_overhead"),
		word(member(l, "linklayer"), "unit"));
}

static void put_sizes(FILE *to, const json_t *sizes)
{
	static const struct row size_rows[] = {
		{"packet", "", "packet", cell_bytes},
		{"counts for", "", "units", count},
		{"takes", "", "time_ms", cell_ms},
	};
	json_t *size;
	size_t i;

	for (size_t r = 0; r < sizeof(size_rows) / sizeof(size_rows[0]); r++) {
		put_label(to, size_rows[r].label);
		json_array_foreach(sizes, i, size)
			put_cell(to, size_rows[r].text(figure(size, size_rows[r].key)));
		fputc('\n', to);
	}
}

static void put_line(FILE *to, const json_t *l)
{
	fprintf(to, "%s", word(l, "name"));
	if (*word(l, "bundle"))
		fprintf(to, " in %s", word(l, "bundle"));
	fprintf(to, ": %s, %s, %.0f bits to a character\n", word(l, "encapsulation"),
		truth(l, "up") ? "up" : "down", figure(l, "bits_per_char"));
	put_rate(to, l);
	put_layer(to, l);
	put_lead(to, l);
	put_sizes(to, member(l, "sizes"));
}

void shaper_text(const json_t *document, FILE *to)
{
	json_t *entry;
	size_t i;

	json_array_foreach(member(document, "bundles"), i, entry) put_bundle(to, entry);
	json_array_foreach(member(document, "lines"), i, entry) put_line(to, entry);
}
