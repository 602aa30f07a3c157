/* SPDX-License-Identifier: MIT */
/*
 * A bundle's shape is each line's.
 *
 * So many per cent of the bundle are so many of each line. So many bits per second are shared
 * out over the lines that may send in the bundle's mode, each by the rate that it could have
 * without that: what it carries, less its own shape and what the peer wished. So no part is more
 * than its line can do unless all are, and the sum is what was asked for. It is reckoned anew at
 * each wake-up: some additions, and nothing happens while the result stays the same.
 *
 * The other direction is the peer's: it is asked for (VENDOR_RATE_WISH), by the same rule.
 */
#define _DEFAULT_SOURCE
#include "src/bundle_shape.h"

#include "src/bundle_state.h"
#include "src/line_shape.h"

/* --- joining --- */

void bundle_shape_join(struct bundle *b, unsigned i, sb_time now)
{
	struct line *l = b->lines[i];
	const struct link_agreed *agreed = encap_agreed(l->encap);
	struct stripe_line terms = line_terms(l);

	b->joined_as[i] = l->coding;
	b->joined_delay[i] = l->config.delay;
	spread_line_up(&b->spread, i, &terms, agreed && agreed->multilink, now);
	spread_line_unsent(&b->spread, i, line_cost_left(l));
}

/* What was bound is bound anew: packets are of other lengths, or longer on their way, now. */
static void follow_terms(struct bundle *b, unsigned i, sb_time now)
{
	const struct line *l = b->lines[i];

	if (b->joined_as[i] == l->coding && b->joined_delay[i] == l->config.delay)
		return;
	spread_line_down(&b->spread, i, now);
	bundle_shape_join(b, i, now);
}

/* --- sharing out --- */

/* What the line could do if only the bundle's shape did not bound it; of sending, or receiving. */
typedef uint32_t line_rate(const struct line *);

static uint32_t rate_out(const struct line *l)
{
	uint32_t bps = shape_bps(&l->config.shape, line_bps(l));
	uint32_t wish = l->bounds[LINE_BOUND_WISH];

	return wish && wish < bps ? wish : bps;
}

static uint32_t rate_in(const struct line *l)
{
	return shape_bps(&l->config.shape_in, line_bps(l));
}

static bool may_send(const struct bundle *b, unsigned i)
{
	return b->in_spread[i] && b->mode.may_send >> i & 1;
}

/* In which mode the peer sends is its own affair: any line may bring something. */
static bool may_receive(const struct bundle *b, unsigned i)
{
	return b->in_spread[i];
}

static uint64_t sum_of(const struct bundle *b, line_rate *rate,
		       bool (*counts)(const struct bundle *, unsigned i))
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++)
		if (counts(b, i))
			sum += rate(b->lines[i]);
	return sum;
}

/* Of the bundle's shape, for a line that is one of `sum` together; 0: no bound. */
static uint32_t part_of(const struct shape_config *s, const struct line *l, line_rate *rate,
			uint64_t sum)
{
	if (s->bps && sum > s->bps)
		return (uint32_t)((rate(l) * (uint64_t)s->bps + sum / 2) / sum);
	if (s->permille && s->permille < 1000)
		return shape_bps(s, line_bps(l));
	return 0;
}

void bundle_shape_run(struct bundle *b, sb_time now)
{
	uint64_t sum = sum_of(b, rate_out, may_send);

	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++) {
		struct line *l = b->lines[i];

		if (!b->in_spread[i])
			continue;
		line_set_bound(l, LINE_BOUND_SHARE, part_of(&b->config->shape, l, rate_out, sum),
			       now);
		follow_terms(b, i, now);
	}
}

void bundle_shape_forget(struct bundle *b, unsigned i, sb_time now)
{
	for (unsigned k = 0; k < LINE_BOUNDS; k++)
		line_set_bound(b->lines[i], (enum line_bound)k, 0, now);
}

/* --- the other direction --- */

uint32_t bundle_rate_wish(const struct bundle *b, unsigned i)
{
	const struct line *l = b->lines[i];
	const struct shape_config *own = &l->config.shape_in;
	uint32_t wish = own->bps || own->permille ? rate_in(l) : 0, part;
	uint64_t sum;

	if (!b->config->shape_in.bps && !b->config->shape_in.permille)
		return wish;
	sum = sum_of(b, rate_in, may_receive) + (may_receive(b, i) ? 0 : rate_in(l));
	part = part_of(&b->config->shape_in, l, rate_in, sum);
	return part && (!wish || part < wish) ? part : wish;
}

/* A line that is not of any use would only be taken for a dead one. */
void bundle_peer_wishes(struct bundle *b, unsigned i, uint32_t bps, sb_time now)
{
	uint32_t bound = bps && bps < CONFIG_BPS_MIN ? CONFIG_BPS_MIN : bps;

	line_set_bound(b->lines[i], LINE_BOUND_WISH, bound, now);
}
