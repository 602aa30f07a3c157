/* SPDX-License-Identifier: MIT */
/*
 * Aim. Lines of unequal rates as if they were one of their sum: all of them busy
 * while packets wait; a packet that comes alone carried by all of them together;
 * and one of a sparse flow (a ping, a key press) waiting for no more than a
 * piece of a frame. The receiver puts numbered pieces in order (RFC 1990), so
 * order is no concern here, but for packets that go without a number.
 *
 * Numbers. A packet is given its sequence numbers when it is decided where it
 * goes: consecutive ones, the first piece Beginning and the last one Ending. Each
 * lane sends what is bound to it first in, first out, so numbers rise on each
 * line, as section 4.1 asks.
 *
 * A line asks when it can start a frame, and then takes part in the next packet:
 *
 * - Bulk. While so many packets wait that whole ones keep all lines busy until
 *   this line ends its own, it takes the next one whole: a cut would only add
 *   headers. So many are R/r, where R is the sum of all rates and r this line's:
 *   what the bundle carries in the time of that packet. For n equal lines it is n. A
 *   line that went over to whole packets stays with them until hardly any wait,
 *   for the receiver, waiting for the slowest, takes packets out of a closed
 *   loop, and a bundle that now cuts and now does not would stay between the two.
 *
 * - Few packets. The packet goes whole over one line or cut over several (cut.c),
 *   whichever arrives first with all that is under way and bound already taken
 *   into account. If this line has no part in that, it gets nothing.
 *
 * - A slow line. A whole packet holds the order up for as long as it takes, and TCP
 *   needs a window for that time: with 115200 + 9600 and packets of 900 bytes,
 *   16 packets instead of 2. So one that is clearly slower than the mean shares its
 *   packets with the line that would have them first, if a header more is a small
 *   part of the packet: 0.4 to 0.8 % of goodput in the simulated world, and full
 *   speed from a window of two packets on. Smaller packets go whole.
 *
 * Sparse flows. A small packet of a sparse flow goes whole, without a multilink
 * header, ahead of what is bound, as soon as the line asks on which it arrives first. Such
 * a packet is not ordered with the rest, so nothing holds it up at the receiver;
 * but it must not overtake what its own flow has under way by number, nor be
 * overtaken by that, nor by another plain one on another line: it waits, or they do. If the
 * bundle is so idle that a cut is sooner, it goes by number. A large one, as a new
 * bulk flow begins with, always does, as the next: ahead of bound pieces it would hold
 * up the order, for they have their numbers, for as long as it takes.
 *
 * What a small one has to wait for is the piece on the wire. While they come, the line that
 * carries them is *live*: pieces are cut such that none takes longer than
 * max_fragment_delay. Only that line: others go on with whole frames, since
 * headers are what it costs. To keep it to one line, a live one is
 * preferred to one that is sooner by less than a piece and the lead.
 * Measured in the simulated world, 28800 + 14400, 900 bytes, 50 ms: a ping every 200 ms
 * arrives within 64 ms (median) and 86 ms (95 %); bulk keeps 96 % of what is left.
 *
 * Heartbeat. A line that is silent tells the receiver nothing of what is lost
 * (section 4.1: the least of the numbers last heard on each line), so while there is
 * traffic it sends empty fragments, each with the next number.
 *
 * Lines that leave. A packet with a piece bound to the line goes back whole, and
 * what is bound of it elsewhere is forgotten. The numbers are missing then; the
 * receiver finds that out as it does with lost ones.
 *
 * Cost. A decision looks at each line a few times, a cut at most n^2 / 2; no
 * allocation after set-up.
 */
#include "sched/multilink.h"

#include "sched/multilink_state.h"

#include <assert.h>
#include <stdlib.h>

enum {
	CHEAP = 64, /* a cut that adds less than one part in so many of a packet */
	FEW = 8,    /* packets wait when they are less than one part in so many of R/r */
};
static const double slow = 1.5; /* times slower than the mean of the lines */
#define TRAFFIC (2 * SB_SEC)    /* there is some for so long after a packet */

struct multilink *multilink_new(const struct multilink_config *config)
{
	struct multilink *ml = calloc(1, sizeof(*ml));

	if (!ml)
		return NULL;
	ml->config = *config;
	ml->flows = tiers_flows(config->queue);
	ml->courses = calloc(ml->flows, sizeof(*ml->courses));
	if (!backlog_init(&ml->backlog, config->pool, config->queue) || !ml->courses) {
		multilink_free(ml);
		return NULL;
	}
	for (uint32_t i = 0; i < ml->flows; i++)
		ml->courses[i].plain_line = NO_LINE;
	return ml;
}

void multilink_free(struct multilink *ml)
{
	if (!ml)
		return;
	multilink_unbind_all(ml);
	backlog_free(&ml->backlog);
	free(ml->courses);
	free(ml);
}

void multilink_set_heartbeat(struct multilink *ml, sb_time heartbeat)
{
	ml->config.heartbeat = heartbeat;
}

void multilink_restart(struct multilink *ml)
{
	assert(ml->lines == 0);
	ml->sequence = 0;
}

uint32_t multilink_sequence(const struct multilink *ml)
{
	return ml->sequence;
}

void multilink_set_sequence(struct multilink *ml, uint32_t sequence)
{
	ml->sequence = sequence;
}

double multilink_rate(const struct multilink *ml)
{
	double rate = 0;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		if (ml->lanes[i].up)
			rate += lane_rate(&ml->lanes[i]);
	return rate;
}

/* --- how the next packet goes --- */

/* How many packets all lines carry in the time in which this one carries one. */
static double turns(const struct multilink *ml, const struct lane *l)
{
	return multilink_rate(ml) / lane_rate(l);
}

static bool is_bulk(const struct multilink *ml, struct lane *l)
{
	uint32_t waiting = tiers_packets(ml->config.queue) + backlog_packets(&ml->backlog);
	double enough = turns(ml, l);

	if (waiting >= enough)
		l->bulk = true;
	else if (waiting <= 1 || waiting <= enough / FEW)
		l->bulk = false;
	return l->bulk;
}

/* Whether a whole packet would hold up the order for long, and a cut is cheap. */
static bool holds_up(const struct multilink *ml, const struct lane *l, const struct packet *p)
{
	return turns(ml, l) > slow * ml->lines && l->line.fragment_overhead * CHEAP <= p->length;
}

static struct plan plan_for(struct multilink *ml, unsigned line, struct packet *p, sb_time now)
{
	struct lane *l = &ml->lanes[line];
	struct plan plan;

	if (!is_bulk(ml, l))
		return plan_soonest(ml->lanes, p, now);
	if (holds_up(ml, l, p)) {
		plan = plan_pair(ml->lanes, line, p, now);
		if (plan.share[line])
			return plan;
	}
	return plan_whole(ml->lanes, line, p, now);
}

sb_time multilink_order_holds_until(const struct multilink *ml, sb_time now)
{
	sb_time until = now;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		const struct lane *l = &ml->lanes[i];

		if (l->up)
			until = sb_time_max(until, lane_numbered_until(l, now));
	}
	return until;
}

bool multilink_overtakes_plain(const struct multilink *ml, const struct packet *p,
			       const struct plan *plan, sb_time now)
{
	sb_time delivered = sb_time_max(plan->arrives, multilink_order_holds_until(ml, now));

	return delivered < ml->courses[p->flow].plain_until + GUARD;
}

/* --- numbering --- */

static void bind_span(struct multilink *ml, unsigned line, struct packet *p, uint32_t offset,
		      uint32_t length, sb_time now)
{
	struct lane *l = &ml->lanes[line];
	struct span s = {
		.packet = packet_hold(p),
		.offset = offset,
		.length = length,
		.sequence = ml->sequence,
	};

	ml->sequence += lane_push(l, &s, lane_chunk(l, p, now));
}

/* Takes the packet over: in the end only spans hold it. */
static void bind_packet(struct multilink *ml, struct packet *p, const struct plan *plan,
			sb_time now)
{
	uint32_t offset = 0;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		if (plan->share[i]) {
			bind_span(ml, i, p, offset, plan->share[i], now);
			offset += plan->share[i];
		}
	assert(offset == p->length);
	ml->courses[p->flow].ordered_until = multilink_order_holds_until(ml, now);
	packet_put(ml->config.pool, p);
}

/* Decides on the next packet, if this line has a part in it. */
static void bind_next(struct multilink *ml, unsigned line, sb_time now)
{
	struct packet *p = backlog_next(&ml->backlog, now);
	struct lane *l = &ml->lanes[line];
	struct plan plan;

	if (!p)
		return;
	plan = plan_for(ml, line, p, now);
	if (multilink_overtakes_plain(ml, p, &plan, now))
		lane_ask_again(l, ml->courses[p->flow].plain_until);
	else if (!plan.share[line])
		lane_ask_again(l, sb_time_max(plan.arrives, now + JITTER));
	else
		bind_packet(ml, backlog_take(&ml->backlog), &plan, now);
}

/* --- what the lines ask --- */

static void pull_bound(struct lane *l, sb_time now, struct piece *piece)
{
	lane_shift(l, piece);
	l->quiet_from = lane_next_start(l, now) + lane_piece_time(l, piece->packet, piece->length);
}

static bool pull_packet(struct multilink *ml, unsigned line, sb_time now, struct piece *piece)
{
	struct lane *l = &ml->lanes[line];

	if (multilink_pull_plain(ml, line, now, piece))
		return true;
	if (!l->count)
		bind_next(ml, line, now);
	if (!l->count)
		return false;
	pull_bound(l, now, piece);
	return true;
}

static sb_time heartbeat_at(const struct multilink *ml, const struct lane *l)
{
	sb_time at = l->quiet_from + ml->config.heartbeat;

	return ml->config.heartbeat && at < ml->traffic_until ? at : SB_NEVER;
}

static struct piece empty_piece(struct multilink *ml)
{
	return (struct piece){.begin = true, .end = true, .sequence = ml->sequence++};
}

static void pull_empty(struct multilink *ml, struct lane *l, sb_time now, struct piece *piece)
{
	*piece = empty_piece(ml);
	l->quiet_from = lane_next_start(l, now) + lane_overhead_time(l);
}

bool multilink_pull(struct multilink *ml, unsigned line, sb_time now, struct piece *piece)
{
	struct lane *l = &ml->lanes[line];

	assert(line < STRIPE_MAX_LINES && l->up && l->unsent == 0);
	l->again = SB_NEVER;
	if (pull_packet(ml, line, now, piece)) {
		multilink_heard(ml, now);
		return true;
	}
	if (now < heartbeat_at(ml, l))
		return false;
	pull_empty(ml, l, now, piece);
	return true;
}

bool multilink_parting(struct multilink *ml, struct piece *piece)
{
	if (!ml->config.heartbeat)
		return false;
	*piece = empty_piece(ml);
	return true;
}

void multilink_heard(struct multilink *ml, sb_time now)
{
	ml->traffic_until = now + TRAFFIC;
}

sb_time multilink_deadline(const struct multilink *ml, unsigned line)
{
	const struct lane *l = &ml->lanes[line];

	if (!l->up)
		return SB_NEVER;
	return l->count ? 0 : sb_time_min(l->again, heartbeat_at(ml, l));
}
