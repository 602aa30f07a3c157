/* SPDX-License-Identifier: MIT */
/*
 * What the shaper assumes of each line. Sizes are not worked out by rules of their own, but asked
 * for where packets are reckoned with, so they cannot differ.
 */
#define _DEFAULT_SOURCE
#include "src/exchange_state.h"

#include "src/line_shape.h"
#include "src/shaper_report.h"

static const unsigned sizes[SHAPER_SIZES] = {40, 576, 1500};

/* A packet of one letter, over and over: none has to be escaped. */
static size_t units_of(const struct stripe_line *terms, unsigned ip_bytes, char letter)
{
	uint8_t packet[1500];

	memset(packet, letter, ip_bytes);
	packet[0] = 0x45; /* by which the encapsulation tells IP from IPv6 */
	return terms->encoded_length(terms->coding, bytes_of(packet, ip_bytes));
}

/* A checksum may need an escape; among so many letters there is one whose does not. */
static size_t least_units(const struct stripe_line *terms, unsigned ip_bytes)
{
	size_t least = units_of(terms, ip_bytes, 'A');

	for (char letter = 'B'; letter <= 'H'; letter++) {
		size_t units = units_of(terms, ip_bytes, letter);

		least = units < least ? units : least;
	}
	return least;
}

static void work_out_sizes(const struct line *l, const struct stripe_line *terms,
			   struct shaper_line *s)
{
	for (unsigned i = 0; i < SHAPER_SIZES; i++) {
		size_t units = least_units(terms, sizes[i]);

		s->sizes[i] = (struct shaper_size){
			.ip_bytes = sizes[i],
			.units = units,
			.takes = line_clock_time(&l->clock, units),
		};
	}
}

static bool sends_fragments(const struct line *l)
{
	const struct link_agreed *agreed = encap_agreed(l->encap);

	return agreed && agreed->multilink;
}

static const char *bundle_of(const struct exchange *x, unsigned i)
{
	unsigned k = x->config->answer ? x->bundle_of[i] : 0;

	return k != NO_BUNDLE && x->bundles[k].bundle ? x->bundles[k].interface.tun.name : "";
}

void exchange_shaper(const struct exchange *x, unsigned i, struct shaper_line *s)
{
	const struct line *l = &x->lines[i];
	struct stripe_line terms = line_terms(l);

	*s = (struct shaper_line){
		.name = l->config.name,
		.bundle = bundle_of(x, i),
		.encapsulation = l->encap->kind == &encap_detect ? "unknown" : l->encap->kind->name,
		.up = l->state == LINE_UP,
		.bits_per_char = l->config.bits_per_char,
		.layer = l->config.layer,
		.bits_per_unit = l->clock.bits_per_char,
		.fragment_overhead = sends_fragments(l) ? terms.fragment_overhead : 0,
		.shape = l->config.shape,
		.shape_in = l->config.shape_in,
		.carrier_bps = line_bps(l),
		.share_bps = l->bounds[LINE_BOUND_SHARE],
		.wish_bps = l->bounds[LINE_BOUND_WISH],
		.shaped_bps = line_shaped_bps(l),
		.bps = l->clock.bps,
		.lead = line_clock_lead(&l->clock),
	};
	s->lead_units = (size_t)((double)s->lead / SB_SEC * s->bps / s->bits_per_unit + 0.5);
	work_out_sizes(l, &terms, s);
}

unsigned exchange_next_line(const struct exchange *x, unsigned from)
{
	return slot_next(x, from);
}
