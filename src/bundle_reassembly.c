/* SPDX-License-Identifier: MIT */
/*
 * The receiving end of multilink, as a bundle has it: one after another, each from the first link
 * on until the last has left, and what they counted together.
 */
#define _DEFAULT_SOURCE
#include "src/bundle_state.h"

#define MOST_WAIT (5 * SB_SEC)

/* Of the interface's largest packet. */
static double frame_s(const struct config *c, const struct line_config *line, uint32_t bps)
{
	return (double)c->mtu * line->bits_per_char / bps;
}

/* What the peer sends over it may be less than the line carries. */
static uint32_t rate_in(const struct line *l)
{
	uint32_t bps = line_bps(l);

	return l->peer_bps && l->peer_bps < bps ? l->peer_bps : bps;
}

static double longer(double a, double b)
{
	return a > b ? a : b;
}

/* On the slowest of the lines, as they are configured and as they are. */
static sb_time longest_frame(const struct bundle *b)
{
	const struct config *c = b->config;
	double longest_s = 0;

	for (unsigned i = 0; i < c->line_count; i++)
		longest_s = longer(longest_s, frame_s(c, &c->lines[i], c->lines[i].bps));
	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++) {
		const struct line *l = b->lines[i];

		if (l)
			longest_s = longer(longest_s, frame_s(c, &l->config, rate_in(l)));
	}
	return (sb_time)(longest_s * (double)SB_SEC);
}

/* A whole frame, behind others that were ahead of it on its line. */
static sb_time least_wait(const struct bundle *b)
{
	return 3 * longest_frame(b) + 100 * SB_MS;
}

static sb_time most_wait(sb_time least)
{
	return sb_time_max(MOST_WAIT, 2 * least);
}

void bundle_reassembly_begin(struct bundle *b, bool short_sequence)
{
	sb_time least = least_wait(b);
	struct reassembly_config c = {
		.mrru = b->config->ppp.mrru,
		.short_sequence = short_sequence,
		.least_wait = least,
		.most_wait = most_wait(least),
	};

	reassembly_fit(&c);
	b->reassembly = reassembly_new(&c);
	b->reassembles = true;
}

void bundle_reassembly_run(struct bundle *b)
{
	sb_time least = least_wait(b);

	if (b->reassembly)
		reassembly_set_wait(b->reassembly, least, most_wait(least));
}

void bundle_reassembly_end(struct bundle *b)
{
	if (b->reassembly)
		reassembly_counters_add(&b->reassembled, reassembly_counters(b->reassembly));
	reassembly_free(b->reassembly);
	b->reassembly = NULL;
}

struct reassembly_counters bundle_reassembly_counters(const struct bundle *b)
{
	struct reassembly_counters sum = b->reassembled;

	if (b->reassembly)
		reassembly_counters_add(&sum, reassembly_counters(b->reassembly));
	return sum;
}
