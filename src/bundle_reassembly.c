/* SPDX-License-Identifier: MIT */
/*
 * The receiving end of multilink, as a bundle has it: one after another, each from the first link
 * on until the last has left, and what they counted together.
 */
#define _DEFAULT_SOURCE
#include "src/bundle_state.h"

#define MOST_WAIT (5 * SB_SEC)

/* Of the interface's largest packet on the slowest of the lines. */
static sb_time longest_frame(const struct config *c)
{
	double longest_s = 0;

	for (unsigned i = 0; i < c->line_count; i++) {
		double s = (double)c->mtu * c->lines[i].bits_per_char / c->lines[i].bps;

		longest_s = s > longest_s ? s : longest_s;
	}
	return (sb_time)(longest_s * (double)SB_SEC);
}

void bundle_reassembly_begin(struct bundle *b, bool short_sequence)
{
	/* A whole frame, behind others that were ahead of it on its line. */
	sb_time least = 3 * longest_frame(b->config) + 100 * SB_MS;
	struct reassembly_config c = {
		.mrru = b->config->ppp.mrru,
		.short_sequence = short_sequence,
		.least_wait = least,
		.most_wait = sb_time_max(MOST_WAIT, 2 * least),
	};

	reassembly_fit(&c);
	b->reassembly = reassembly_new(&c);
	b->reassembles = true;
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
