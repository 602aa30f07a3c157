/* SPDX-License-Identifier: MIT */
/*
 * Bonding's modes, for IP over lines that are slow and pull.
 *
 * The kernel's driver is handed a packet and picks the device at once; what the device cannot
 * send yet waits in the device's own queue. Here a line asks when it can start a frame, and is
 * given the first packet in the one long queue that its mode lets it have (tiers_dequeue_for): that
 * queue decides which packet of those, so flows stay apart, CoDel works and urgent packets go
 * first in every mode. Nothing is bound to a line ahead of time, but for the rest of a packet that
 * is cut, and copies.
 *
 * balance-rr. The lines that may send have turns, in their order, packets_per_line packets
 * each; 0: a line is drawn for each packet. A line that asks out of turn gets nothing, so
 * this is as fast as n times the slowest line, as it is with bonding. A line whose turn it is and
 * that does not ask holds all others up: for as long as its frame takes, or until its owner takes
 * it down for being stalled. Numbers (RFC 1990) give the peer the order back; without them, on
 * lines of unequal speed, it is lost, and TCP takes that for packet loss. `earliest` is better
 * in all but being predictable.
 *
 * active-backup. Any packet, over the active line.
 *
 * balance-xor, 802.3ad. The transmit hash (xmit_hash.c) modulo the number of lines that may send
 * is the place of the packet's line among those. When their number changes, flows move.
 *
 * balance-tlb, balance-alb. A flow is on the line with the least load (balance.c), or with the
 * peer's shares for speeds when it has asked for some; without tlb_dynamic_lb the hash decides.
 * What balance-alb adds is about receiving: this end asks the peer for shares, likewise.
 *
 * broadcast. The line that asks gets the next packet, and each other one a copy with the same
 * number, into its ring. The fastest line sets the pace. One that is too far behind would only
 * bring what has been there for long, and its numbers, which lag, would keep the peer waiting for
 * what is lost on the others (RFC 1990 section 4.1): it loses its oldest copies beyond LAG
 * frames. Lines without numbers take part, and bring duplicates.
 *
 * A packet that comes back, its line having left, goes first: over the line that its mode says.
 * One of broadcast is dropped instead if another line has its copy still, which is then *owed* and
 * comes back when that one leaves; or is there at all, unless it dropped that copy. Sent again it
 * would have another number, and what comes back may have arrived: lines that lose much fall silent
 * and return all the time, and the peer would have duplicates of what was sent in between. Copies
 * are what this mode has instead of sending again.
 *
 * Cost. A line that asks is shown the heads of the backlogged flows until one will do. All is
 * allocated at set-up.
 */
#include "sched/policy.h"

#include "sched/policy_state.h"
#include "sched/xmit_hash.h"

#include <assert.h>
#include <stdlib.h>

enum { LAG = 2 }; /* MTUs that a line's copies may have */

struct policy *policy_new(const struct policy_config *config)
{
	struct policy *po = calloc(1, sizeof(*po));

	if (!po)
		return NULL;
	po->config = *config;
	po->mode = (struct mode_config){.packets_per_line = 1, .tlb_dynamic_lb = true};
	po->active = UINT64_MAX;
	po->left = 1;
	balance_init(&po->balance, config->mtu);
	if (!backlog_init(&po->backlog, config->pool, config->queue)) {
		policy_free(po);
		return NULL;
	}
	return po;
}

void policy_free(struct policy *po)
{
	if (!po)
		return;
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		while (policy_lane(po, i)->count)
			packet_put(po->config.pool, lane_take(policy_lane(po, i), 0).packet);
	backlog_free(&po->backlog);
	free(po);
}

/* --- which lines --- */

static bool is_hashed(const struct mode_config *m)
{
	return m->mode == MODE_BALANCE_XOR || m->mode == MODE_8023AD ||
	       (!m->tlb_dynamic_lb && (m->mode == MODE_BALANCE_TLB || m->mode == MODE_BALANCE_ALB));
}

static bool is_balanced(const struct mode_config *m)
{
	return m->tlb_dynamic_lb && (m->mode == MODE_BALANCE_TLB || m->mode == MODE_BALANCE_ALB);
}

/* Whether what goes over the line in this mode has a number. */
static bool is_numbered(const struct policy *po, unsigned line)
{
	enum mode m = po->mode.mode;

	return po->senders[line].takes_fragments && (m == MODE_BALANCE_RR || m == MODE_BROADCAST);
}

static unsigned senders(const struct policy *po)
{
	unsigned n = 0;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		n += policy_may_send(po, i);
	return n;
}

/* The one at that place among those that may send; there are more than so many. */
static unsigned sender_at(const struct policy *po, unsigned place)
{
	unsigned i = 0;

	while (!policy_may_send(po, i) || place--)
		i++;
	return i;
}

static double rate_of(const struct policy *po, unsigned line)
{
	return lane_rate(&po->senders[line].lane);
}

static struct balance_speeds speeds(const struct policy *po)
{
	struct balance_speeds s = {0};
	bool shared = false;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		shared |= po->has_shares && po->shares[i] && policy_may_send(po, i);
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		if (policy_may_send(po, i))
			s.of[i] = shared ? po->shares[i] : rate_of(po, i);
	return s;
}

double policy_rate(const struct policy *po)
{
	struct balance_speeds s = speeds(po);
	double sum = 0, least = 0, most = 0;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		double rate = policy_may_send(po, i) ? rate_of(po, i) : 0;

		if (rate <= 0 || (is_balanced(&po->mode) && s.of[i] <= 0))
			continue;
		sum += rate;
		most = rate > most ? rate : most;
		least = least > 0 && least < rate ? least : rate;
	}
	if (po->mode.mode == MODE_BALANCE_RR)
		return least * senders(po);
	return po->mode.mode == MODE_BROADCAST ? most : sum;
}

/* --- turns --- */

static void next_turn(struct policy *po)
{
	unsigned n = senders(po);

	po->left = po->mode.packets_per_line;
	if (n == 0)
		return;
	if (!po->left) {
		po->left = 1;
		po->turn = sender_at(po, po->config.random(po->config.random_context) % n);
		return;
	}
	do
		po->turn = (po->turn + 1) % STRIPE_MAX_LINES;
	while (!policy_may_send(po, po->turn));
}

static bool is_its_turn(struct policy *po, unsigned line)
{
	if (!policy_may_send(po, po->turn))
		next_turn(po);
	return po->turn == line;
}

/* --- which packet --- */

struct asking {
	struct policy *policy;
	unsigned line, place, of; /* place: among those that may send, of which there are so many */
	struct balance_speeds speeds;
};

static bool may_have(const void *context, const struct packet *p)
{
	const struct asking *a = context;
	struct policy *po = a->policy;

	if (is_hashed(&po->mode))
		return xmit_hash(po->mode.hash, packet_bytes(p)) % a->of == a->place;
	if (is_balanced(&po->mode))
		return balance_line(&po->balance, &a->speeds, p) == a->line;
	return true;
}

static struct packet *next_for(struct policy *po, unsigned line, sb_time now)
{
	struct asking a = {.policy = po, .line = line, .of = senders(po)};

	for (unsigned i = 0; i < line; i++)
		a.place += policy_may_send(po, i);
	if (is_balanced(&po->mode)) {
		a.speeds = speeds(po);
		balance_tick(&po->balance, &a.speeds, now);
	}
	return backlog_take_for(&po->backlog, now, may_have, &a);
}

static void note_start(struct policy *po, const struct packet *p)
{
	if (is_balanced(&po->mode))
		balance_sent(&po->balance, p);
	else if (po->mode.mode == MODE_BALANCE_RR && --po->left == 0)
		next_turn(po);
}

/* --- binding --- */

/* Bytes of the packet that one frame takes on the line. */
static uint32_t most_of(const struct policy *po, unsigned line, struct packet *p, sb_time now)
{
	const struct sender *s = &po->senders[line];
	bool whole =
		!s->takes_fragments || (!is_numbered(po, line) && lane_takes_plain(&s->lane, p));

	return whole ? p->length : lane_chunk(&s->lane, p, now);
}

static void bind_one(struct policy *po, unsigned line, struct packet *p, sb_time now)
{
	struct span s = {
		.packet = p,
		.length = p->length,
		.sequence = po->sequence,
		.owed = true,
	};
	uint32_t pieces = lane_push(policy_lane(po, line), &s, most_of(po, line, p, now));

	if (is_numbered(po, line) || pieces > 1)
		po->sequence += pieces;
}

static void drop_oldest_copy(struct policy *po, struct sender *s)
{
	struct packet *p = lane_take(&s->lane, lane_is_mid_packet(&s->lane)).packet;

	s->carries_from = p->order + 1;
	packet_put(po->config.pool, p);
	po->counters.copies_dropped++;
}

/* How many pieces it has. */
static uint32_t bind_copy(struct policy *po, unsigned line, struct packet *p, uint32_t most)
{
	struct sender *s = &po->senders[line];
	struct span copy = {
		.packet = packet_hold(p),
		.length = p->length,
		.sequence = po->sequence,
	};

	while (s->lane.count > lane_is_mid_packet(&s->lane) &&
	       (lane_full(&s->lane) || lane_bytes(&s->lane) + p->length > LAG * po->config.mtu))
		drop_oldest_copy(po, s);
	return lane_push(&s->lane, &copy, is_numbered(po, line) ? most : p->length);
}

/* Bytes of the packet that a frame takes on each of them. */
static uint32_t most_of_all(const struct policy *po, struct packet *p, sb_time now)
{
	uint32_t least = p->length;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		uint32_t most = policy_may_send(po, i) ? most_of(po, i, p, now) : least;

		least = most < least ? most : least;
	}
	return least;
}

/* The same pieces for all that have numbers, so that each means the same on each line. */
static void bind_copies(struct policy *po, struct packet *p, sb_time now)
{
	uint32_t most = most_of_all(po, p, now), numbers = 1;

	p->order = po->backlog.order++; /* it may have been sent before, in another mode */
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		uint32_t pieces = policy_may_send(po, i) ? bind_copy(po, i, p, most) : 0;

		numbers = pieces > numbers ? pieces : numbers;
	}
	po->sequence += numbers;
	po->counters.copies += senders(po) - 1;
	packet_put(po->config.pool, p);
}

static void bind_next(struct policy *po, unsigned line, sb_time now)
{
	struct packet *p;

	if (!policy_may_send(po, line) ||
	    (po->mode.mode == MODE_BALANCE_RR && !is_its_turn(po, line)))
		return;
	p = next_for(po, line, now);
	if (!p)
		return;
	if (po->mode.mode == MODE_BROADCAST) {
		bind_copies(po, p, now);
		return;
	}
	bind_one(po, line, p, now);
	note_start(po, p);
}

bool policy_pull(struct policy *po, unsigned line, sb_time now, struct piece *piece)
{
	struct lane *l = policy_lane(po, line);

	assert(line < STRIPE_MAX_LINES && l->up && l->unsent == 0);
	if (!l->count)
		bind_next(po, line, now);
	if (!l->count)
		return false;
	lane_shift(l, piece);
	piece->plain = piece->length == piece->packet->length && !is_numbered(po, line);
	return true;
}

/* Pieces and copies wait for nothing but the line. */
sb_time policy_deadline(const struct policy *po, unsigned line)
{
	return po->senders[line].lane.count ? 0 : SB_NEVER;
}

bool policy_has_piece(const struct policy *po, unsigned line)
{
	return lane_is_mid_packet(&po->senders[line].lane);
}
