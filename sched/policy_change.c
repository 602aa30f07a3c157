/* SPDX-License-Identifier: MIT */
/* What happens to a policy: packets come back, lines come and go, the mode changes. */
#include "sched/policy_state.h"

#include <assert.h>

/* --- what comes back --- */

/* Whether a line has the packet yet; it is the one then that owes it. */
static bool becomes_owed(struct policy *po, const struct packet *p)
{
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		struct lane *l = policy_lane(po, i);

		for (uint32_t k = 0; k < l->count; k++)
			if (lane_packet(l, k) == p)
				return lane_span(l, k)->owed = true;
	}
	return false;
}

/* Whether a copy of it is all that it gets: another line is there. */
static bool went_elsewhere(const struct policy *po, const struct packet *p)
{
	for (unsigned i = 0; po->mode.mode == MODE_BROADCAST && i < STRIPE_MAX_LINES; i++)
		if (policy_may_send(po, i) &&
		    !packet_order_before(p->order, po->senders[i].carries_from))
			return true;
	return false;
}

void policy_return(struct policy *po, struct packet *p)
{
	if (becomes_owed(po, p) || went_elsewhere(po, p))
		packet_put(po->config.pool, p);
	else
		backlog_return(&po->backlog, p);
}

void policy_adopt(struct policy *po, struct packet *p)
{
	if (becomes_owed(po, p))
		packet_put(po->config.pool, p);
	else
		backlog_adopt(&po->backlog, p);
}

/* Takes everything off the line but the first `kept` packets. */
static void clear(struct policy *po, unsigned line, uint32_t kept)
{
	struct lane *l = policy_lane(po, line);

	while (l->count > kept) {
		struct span s = lane_take(l, kept);

		if (s.owed)
			policy_return(po, s.packet);
		else
			packet_put(po->config.pool, s.packet);
	}
}

struct packet *policy_surrender(struct policy *po)
{
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		clear(po, i, 0);
	return backlog_take(&po->backlog);
}

/* --- what changes --- */

void policy_line_up(struct policy *po, unsigned line, const struct stripe_line *l,
		    bool takes_fragments, sb_time now)
{
	struct sender *s = &po->senders[line];

	assert(line < STRIPE_MAX_LINES && !s->lane.up);
	lane_up(&s->lane, l, 0, now);
	s->takes_fragments = takes_fragments;
	s->carries_from = po->copies_from;
	balance_anew(&po->balance);
}

void policy_line_down(struct policy *po, unsigned line)
{
	assert(line < STRIPE_MAX_LINES && policy_lane(po, line)->up);
	policy_lane(po, line)->up = false;
	clear(po, line, 0);
	balance_anew(&po->balance);
}

void policy_line_unsent(struct policy *po, unsigned line, size_t characters)
{
	policy_lane(po, line)->unsent = characters;
}

/* It gets no copies any more, or has none yet. */
static void clear_copies(struct policy *po, unsigned line)
{
	clear(po, line, lane_is_mid_packet(policy_lane(po, line)));
}

static void begin_copies(struct policy *po)
{
	po->copies_from = po->backlog.order;
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		clear_copies(po, i);
		po->senders[i].carries_from = po->copies_from;
	}
}

void policy_set_active(struct policy *po, uint64_t lines)
{
	uint64_t changed = po->active ^ lines;

	po->active = lines;
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		if (changed >> i & 1)
			clear_copies(po, i);
	balance_anew(&po->balance);
}

void policy_set_mode(struct policy *po, const struct mode_config *mode)
{
	bool other = mode->mode != po->mode.mode;

	po->mode = *mode;
	po->left = mode->packets_per_line ? mode->packets_per_line : 1;
	if (other)
		begin_copies(po);
	balance_anew(&po->balance);
}

void policy_set_shares(struct policy *po, const uint32_t shares[STRIPE_MAX_LINES])
{
	po->has_shares = shares != NULL;
	if (shares)
		memcpy(po->shares, shares, sizeof(po->shares));
	balance_anew(&po->balance);
}

void policy_set_sequence(struct policy *po, uint32_t sequence)
{
	po->sequence = sequence;
}

uint32_t policy_sequence(const struct policy *po)
{
	return po->sequence;
}

/* --- what waits --- */

uint32_t policy_expire(struct policy *po, sb_time before)
{
	return backlog_expire(&po->backlog, before);
}

sb_time policy_oldest(const struct policy *po)
{
	return backlog_oldest(&po->backlog);
}

struct waiting {
	uint32_t packets, bytes;
};

/* On lines; copies of what another line has sent do not count. */
static struct waiting owed(const struct policy *po)
{
	struct waiting w = {0};

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		const struct lane *l = &po->senders[i].lane;

		for (uint32_t k = 0; k < l->count; k++) {
			const struct span *s = lane_peek(l, k);

			w.packets += s->owed;
			w.bytes += s->owed ? s->length : 0;
		}
	}
	return w;
}

uint32_t policy_bound_bytes(const struct policy *po)
{
	return backlog_bytes(&po->backlog) + owed(po).bytes;
}

uint32_t policy_bound_packets(const struct policy *po)
{
	return backlog_packets(&po->backlog) + owed(po).packets;
}

struct policy_counters policy_counters(const struct policy *po)
{
	struct policy_counters c = po->counters;

	c.moves = po->balance.moves;
	return c;
}
