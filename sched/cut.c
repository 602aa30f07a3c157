/* SPDX-License-Identifier: MIT */
/*
 * Water-filling. A line i on which a piece of x bytes arrives at from_i + x/r_i
 * is a vessel r_i wide with its bottom at from_i; the packet is poured into all
 * of them, and where the water stands is the instant of arrival:
 *
 *   level = (length + sum of from_i r_i) / sum of r_i,    x_i = (level - from_i) r_i
 *
 * A vessel whose share would be less than is useful is taken away, the one with
 * the least share first, and the water rises. The last one left keeps what it has.
 */
#include "sched/cut.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Lines that are still in it have a length of 1 until the water is poured. */
struct vessels {
	struct cut_line *lines;
	unsigned count;
	sb_time base;  /* seconds are counted from here */
	double level;  /* seconds */
	double useful; /* bytes of a share, at least */
};

static double bottom(const struct vessels *v, const struct cut_line *l)
{
	return (double)(l->from - v->base) / (double)SB_SEC;
}

static double share(const struct vessels *v, const struct cut_line *l)
{
	return (v->level - bottom(v, l)) * l->rate;
}

static void find_level(struct vessels *v, uint32_t length)
{
	double volume = length, width = 0;

	for (unsigned i = 0; i < v->count; i++) {
		const struct cut_line *l = &v->lines[i];

		if (!l->length)
			continue;
		volume += bottom(v, l) * l->rate;
		width += l->rate;
	}
	v->level = volume / width;
}

/* Takes away the line with the least share; false: its share is of use, or it is the last. */
static bool drop_useless(struct vessels *v)
{
	struct cut_line *least = NULL;
	unsigned left = 0;

	for (unsigned i = 0; i < v->count; i++) {
		struct cut_line *l = &v->lines[i];

		if (!l->length)
			continue;
		left++;
		if (!least || share(v, l) < share(v, least))
			least = l;
	}
	if (left <= 1 || share(v, least) >= v->useful)
		return false;
	least->length = 0;
	return true;
}

/* In whole bytes; the last one gets what rounding leaves. */
static void pour(struct vessels *v, uint32_t length)
{
	struct cut_line *last = NULL;

	for (unsigned i = 0; i < v->count; i++) {
		struct cut_line *l = &v->lines[i];

		if (!l->length)
			continue;
		last = l;
		l->length = (uint32_t)fmin(floor(share(v, l) + 0.5), length);
		length -= l->length;
	}
	last->length += length;
}

sb_time cut_packet(struct cut_line *lines, unsigned count, uint32_t length)
{
	struct vessels v = {
		.lines = lines,
		.count = count,
		.base = lines[0].from,
		.useful = fmax(CUT_LEAST, (double)length / CUT_MOST_PIECES),
	};

	assert(count > 0 && length > 0);
	for (unsigned i = 0; i < count; i++)
		lines[i].length = 1;
	do
		find_level(&v, length);
	while (drop_useless(&v));
	pour(&v, length);
	return v.base + (sb_time)(v.level * (double)SB_SEC);
}
