/* SPDX-License-Identifier: MIT */
/*
 * Aim. Whole packets over lines of unequal rates, without sequence numbers:
 * every line busy while packets wait, packets of a flow arriving in the order
 * in which they were sent, and a packet of a sparse flow (a ping, a key press)
 * waiting for no more than the frame that is on the wire.
 *
 * Terms. L: characters of an MTU frame; r_i: rate of line i in characters per
 * second; R: their sum; T = L/R: one frame's share of the bundle's time; Q: a
 * line's lead (line_clock.h). A packet is *bound* when its line is decided.
 *
 * Earliest completion. A packet is bound to the line on which it would arrive
 * first: the line's clock, the frame in progress and the packets bound before
 * it, its own characters at the line's rate, the line's delay. With all sizes
 * equal this alone makes arrival order sending order, and it leaves no line
 * idle that could finish a packet sooner than the others.
 *
 * Horizon. A slow line wins a packet only when the fast ones have work for as
 * long as its frame takes longer: L(1/r_min - 1/r_max). So binding goes on
 * until a packet would start later than H = that + Q, and no further: what is
 * bound is out of reach of CoDel and of sparse flows' first claim.
 *
 * Sparse flows. A packet of a sparse flow of which nothing is bound is not bound
 * either: it goes to the line that completes it first without overtaking its own
 * flow, ahead of what is bound there, as soon as that line asks. The characters per
 * second that such packets take (a 2 s average) are subtracted from the rate
 * that binding reckons with, since they will push all that is bound back.
 *
 * Guard. Rates in whole ratios (2:1, 4:1) make arrivals on two lines tie, and a
 * tie is broken by jitter, out of order half the time; TCP takes a packet that is
 * overtaken by more than a quarter of the least round trip for lost. So a
 * packet must arrive at least T/3 after the one before it of its flow, T/2 while
 * sparse packets disturb the reckoning, unless both are on one line, where order
 * is safe. It is bound with the start that makes it so (not_before); a line that
 * waits for that stays idle a moment once, and its frames then fall between the
 * others' for as long as the ratio holds. Where no phase is far enough from all
 * others (3.5:1), the waits would come back with every frame: a line's
 * patience is a twentieth of its time, saved up to one frame, and then its
 * packets go in the order that comes. Among lines that are within T/10 of each
 * other the faster is taken: it brings the next decision sooner.
 *
 * Cost. A binding looks at each line and walks what is bound there: at most
 * H * r_i characters, a handful of MTU packets. No allocation after set-up.
 */
#include "sched/stripe.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define GUARD_MIN     SB_MS
#define SPARSE_MEMORY (2 * SB_SEC)

enum {
	NO_LINE = STRIPE_MAX_LINES,
	PATIENCE_SHARE = 20, /* one part in this many of a line's time is for waiting */
};

struct member {
	bool up;
	struct stripe_line line;
	struct packet *first, **last; /* bound, in order */
	sb_time free_at;              /* instant after them, as of the last survey */
	size_t unsent;                /* characters of the frame in progress */
	double sparse_rate;           /* characters per second, decaying average */
	sb_time sparse_at;            /* instant of that average */
	sb_time patience;             /* duration it may still idle for the sake of order */
	sb_time patience_at;          /* instant of that */
};

/* The latest arrival promised to a flow, and by which line. */
struct flow_order {
	sb_time arrives;
	uint8_t line;
};

struct stripe {
	struct stripe_config config;
	struct packet *returned, **returned_last; /* to be bound anew, before head */
	struct packet *head;                      /* out of the queue, not bound yet */
	uint16_t *bound;                          /* per flow: packets bound */
	struct flow_order *order;                 /* per flow */
	uint32_t bound_bytes;
	struct member members[STRIPE_MAX_LINES];
};

struct stripe *stripe_new(const struct stripe_config *config)
{
	struct stripe *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->config = *config;
	s->bound = calloc(config->flows, sizeof(*s->bound));
	s->order = calloc(config->flows, sizeof(*s->order));
	if (!s->bound || !s->order) {
		stripe_free(s);
		return NULL;
	}
	s->returned_last = &s->returned;
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		s->members[i].last = &s->members[i].first;
	for (uint32_t i = 0; i < config->flows; i++)
		s->order[i] = (struct flow_order){.line = NO_LINE};
	return s;
}

static void put_list(struct stripe *s, struct packet *p)
{
	while (p) {
		struct packet *next = p->next;

		packet_put(s->config.pool, p);
		p = next;
	}
}

void stripe_free(struct stripe *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		put_list(s, s->members[i].first);
	put_list(s, s->returned);
	if (s->head)
		packet_put(s->config.pool, s->head);
	free(s->bound);
	free(s->order);
	free(s);
}

/* --- what a line can promise --- */

static double member_rate(const struct member *m)
{
	return m->line.clock->bps / m->line.clock->bits_per_char;
}

/* How much longer bound packets take for the sparse ones that will go before them. */
static double crowding(const struct member *m, sb_time now)
{
	double age = (double)(now - m->sparse_at) / (double)SPARSE_MEMORY;
	double share = m->sparse_rate * exp(-age) / member_rate(m);

	return 1 / (1 - fmin(share, 0.9));
}

static void sparse_account(struct member *m, sb_time now, size_t characters)
{
	double age = (double)(now - m->sparse_at) / (double)SPARSE_MEMORY;
	double window = (double)SPARSE_MEMORY / (double)SB_SEC;

	m->sparse_rate = m->sparse_rate * exp(-age) + (double)characters / window;
	m->sparse_at = now;
}

static sb_time frame_time(const struct stripe *s, const struct member *m)
{
	return line_clock_time(m->line.clock, s->config.mtu);
}

static sb_time later_by(sb_time t, sb_time duration, double factor)
{
	return t + (sb_time)((double)duration * factor);
}

/* The instant the line could begin a frame ahead of all that is bound to it. */
static sb_time next_start(const struct member *m, sb_time now)
{
	return now + line_clock_ahead(m->line.clock, now) +
	       line_clock_time(m->line.clock, m->unsent);
}

double stripe_rate(const struct stripe *s)
{
	double rate = 0;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		if (s->members[i].up)
			rate += member_rate(&s->members[i]);
	return rate;
}

sb_time stripe_horizon(const struct stripe *s)
{
	sb_time longest = 0, shortest = SB_NEVER, lead = 0;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		const struct member *m = &s->members[i];

		if (!m->up)
			continue;
		longest = sb_time_max(longest, frame_time(s, m));
		shortest = sb_time_min(shortest, frame_time(s, m));
		lead = sb_time_max(lead, line_clock_lead(m->line.clock));
	}
	return longest ? longest - shortest + lead : 0;
}

/* --- choosing --- */

struct choice {
	unsigned line; /* NO_LINE: none is up */
	sb_time start; /* instant the line is free for it */
	sb_time wait;  /* duration to stay idle before that, for the sake of order */
	sb_time arrives;
	uint32_t characters;
	double rate;
};

/* What may be spent on waiting for order. */
static sb_time patience(const struct stripe *s, const struct member *m, sb_time now)
{
	return sb_time_min(m->patience + (now - m->patience_at) / PATIENCE_SHARE, frame_time(s, m));
}

static struct choice offer(const struct stripe *s, unsigned line, const struct packet *p,
			   sb_time start, double factor)
{
	const struct member *m = &s->members[line];
	size_t characters = m->line.encoded_length(m->line.encap, packet_bytes(p));
	sb_time takes = later_by(m->line.delay, line_clock_time(m->line.clock, characters), factor);

	return (struct choice){
		.line = line,
		.start = start,
		.arrives = start + takes,
		.characters = (uint32_t)characters,
		.rate = member_rate(m),
	};
}

/* The instant before which an arrival over this line would endanger the flow's order. */
static sb_time in_order_from(const struct stripe *s, unsigned line, uint32_t flow, sb_time guard)
{
	const struct flow_order *order = &s->order[flow];

	return order->line == line || order->line == NO_LINE ? 0 : order->arrives + guard;
}

/* Makes the offer wait for its flow's turn, as far as the line's patience goes. */
static void wait_for_order(const struct stripe *s, struct choice *o, uint32_t flow, sb_time now,
			   sb_time guard)
{
	sb_time wait = in_order_from(s, o->line, flow, guard) - o->arrives;

	wait = sb_time_min(wait, patience(s, &s->members[o->line], now));
	o->wait = sb_time_max(wait, 0);
	o->arrives += o->wait;
}

/* Whether a is the better offer: sooner by more than the slack, or as soon and faster. */
static bool better(const struct choice *a, const struct choice *b, sb_time slack)
{
	if (b->line == NO_LINE)
		return true;
	if (a->rate > b->rate)
		return a->arrives <= b->arrives + slack;
	if (a->rate < b->rate)
		return a->arrives < b->arrives - slack;
	return a->arrives < b->arrives;
}

static sb_time frame_turn(const struct stripe *s)
{
	return (sb_time)(s->config.mtu / stripe_rate(s) * (double)SB_SEC);
}

/* Sparse packets come when they like: beside them promises are kept less exactly. */
static sb_time order_guard(const struct stripe *s, sb_time now)
{
	bool crowded = false;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		crowded |= s->members[i].up && crowding(&s->members[i], now) > 1.01;
	return sb_time_max(frame_turn(s) / (crowded ? 2 : 3), GUARD_MIN);
}

/* The line for a packet that goes behind what is bound there. */
static struct choice choose(const struct stripe *s, const struct packet *p, sb_time now)
{
	struct choice best = {.line = NO_LINE};
	sb_time turn = frame_turn(s);
	sb_time guard = order_guard(s, now);

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		const struct member *m = &s->members[i];
		struct choice o;

		if (!m->up)
			continue;
		o = offer(s, i, p, m->free_at, crowding(m, now));
		wait_for_order(s, &o, p->flow, now, guard);
		if (better(&o, &best, turn / 10))
			best = o;
	}
	return best;
}

/* The line for one that goes before what is bound there, and may not overtake its own flow. */
static struct choice choose_now(const struct stripe *s, const struct packet *p, sb_time now)
{
	struct choice best = {.line = NO_LINE};

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		const struct member *m = &s->members[i];
		struct choice o;

		if (!m->up)
			continue;
		o = offer(s, i, p, next_start(m, now), 1);
		if (o.arrives >= in_order_from(s, i, p->flow, GUARD_MIN) && better(&o, &best, 0))
			best = o;
	}
	return best;
}

/* --- packets on their way --- */

static void bound_add(struct stripe *s, uint32_t flow)
{
	s->bound[flow]++;
}

static void bound_drop(struct stripe *s, uint32_t flow)
{
	assert(s->bound[flow] > 0);
	s->bound[flow]--;
}

static void promise(struct stripe *s, uint32_t flow, unsigned line, sb_time arrives)
{
	s->order[flow] = (struct flow_order){.arrives = arrives, .line = (uint8_t)line};
}

/*
 * When will what is bound to a line have been sent, and what its flows were
 * promised have arrived? Anew each time, since sparse packets push both back.
 */
static void survey_line(struct stripe *s, unsigned line, sb_time now)
{
	struct member *m = &s->members[line];
	double factor = crowding(m, now);
	sb_time t = later_by(now, next_start(m, now) - now, factor);

	for (const struct packet *p = m->first; p; p = p->next) {
		t = later_by(sb_time_max(t, p->not_before),
			     line_clock_time(m->line.clock, p->characters), factor);
		if (s->order[p->flow].line == line)
			promise(s, p->flow, line, t + m->line.delay);
	}
	m->free_at = t;
}

static void survey(struct stripe *s, sb_time now)
{
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		if (s->members[i].up)
			survey_line(s, i, now);
}

static void member_append(struct stripe *s, struct packet *p, const struct choice *c, sb_time now)
{
	struct member *m = &s->members[c->line];

	p->next = NULL;
	p->not_before = c->wait ? c->start + c->wait : 0;
	m->patience = patience(s, m, now) - c->wait;
	m->patience_at = now;
	p->characters = c->characters;
	*m->last = p;
	m->last = &p->next;
	s->bound_bytes += p->length;
	bound_add(s, p->flow);
	promise(s, p->flow, c->line, c->arrives);
	m->free_at = c->arrives - m->line.delay;
}

static struct packet *list_shift(struct packet **first, struct packet ***last)
{
	struct packet *p = *first;

	*first = p->next;
	if (!*first)
		*last = first;
	p->next = NULL;
	return p;
}

/* The packet to bind next, left where it is; NULL when none may be bound now. */
static struct packet *bind_next(struct stripe *s, sb_time now)
{
	if (s->returned)
		return s->returned;
	if (!s->head && !fq_codel_peek_sparse(s->config.queue, now, s->bound))
		s->head = fq_codel_dequeue(s->config.queue, now);
	return s->head;
}

static void bind_took(struct stripe *s)
{
	if (!s->returned) {
		s->head = NULL;
		return;
	}
	s->bound_bytes -= s->returned->length;
	list_shift(&s->returned, &s->returned_last);
}

/* Binds what would start within the horizon. */
static void bind(struct stripe *s, sb_time now)
{
	sb_time horizon = stripe_horizon(s);
	struct packet *p;

	survey(s, now);
	while ((p = bind_next(s, now))) {
		struct choice c = choose(s, p, now);

		if (c.line == NO_LINE || c.start > now + horizon)
			return;
		bind_took(s);
		member_append(s, p, &c, now);
	}
}

/* A sparse packet whose best line is the one that asks, out of turn. */
static struct packet *pull_sparse(struct stripe *s, unsigned line, sb_time now)
{
	const struct packet *shown = fq_codel_peek_sparse(s->config.queue, now, s->bound);
	struct choice c;
	struct packet *p;

	if (!shown)
		return NULL;
	c = choose_now(s, shown, now);
	if (c.line != line)
		return NULL;
	p = fq_codel_dequeue_sparse(s->config.queue, now, shown);
	p->characters = c.characters;
	promise(s, p->flow, line, c.arrives);
	sparse_account(&s->members[line], now, c.characters);
	return p;
}

static struct packet *pull_bound(struct stripe *s, struct member *m, sb_time now)
{
	struct packet *p = m->first;

	if (!p || p->not_before > next_start(m, now))
		return NULL;
	list_shift(&m->first, &m->last);
	s->bound_bytes -= p->length;
	bound_drop(s, p->flow);
	return p;
}

struct packet *stripe_pull(struct stripe *s, unsigned line, sb_time now)
{
	struct member *m = &s->members[line];
	struct packet *p;

	assert(m->up && m->unsent == 0);
	p = pull_sparse(s, line, now);
	if (p)
		return p;
	bind(s, now);
	return pull_bound(s, m, now);
}

sb_time stripe_deadline(const struct stripe *s, unsigned line)
{
	const struct member *m = &s->members[line];

	return m->up && m->first ? m->first->not_before : SB_NEVER;
}

/* --- lines that come and go --- */

static void forget_promises(struct stripe *s, unsigned line)
{
	for (uint32_t i = 0; i < s->config.flows; i++)
		if (s->order[i].line == line)
			s->order[i].line = NO_LINE;
}

void stripe_line_up(struct stripe *s, unsigned line, const struct stripe_line *l, sb_time now)
{
	struct member *m = &s->members[line];

	assert(line < STRIPE_MAX_LINES && !m->up);
	m->up = true;
	m->line = *l;
	m->unsent = 0;
	m->sparse_rate = 0;
	m->patience = frame_time(s, m);
	m->patience_at = now;
}

void stripe_line_down(struct stripe *s, unsigned line)
{
	struct member *m = &s->members[line];

	assert(line < STRIPE_MAX_LINES && m->up);
	m->up = false;
	forget_promises(s, line);
	while (m->first) {
		struct packet *p = list_shift(&m->first, &m->last);

		bound_drop(s, p->flow);
		*s->returned_last = p;
		s->returned_last = &p->next;
	}
}

void stripe_line_unsent(struct stripe *s, unsigned line, size_t characters)
{
	s->members[line].unsent = characters;
}

void stripe_return(struct stripe *s, struct packet *p)
{
	s->bound_bytes += p->length;
	p->next = s->returned;
	if (!s->returned)
		s->returned_last = &p->next;
	s->returned = p;
}

uint32_t stripe_expire(struct stripe *s, sb_time before)
{
	uint32_t dropped = 0;

	while (s->returned && s->returned->arrived < before) {
		struct packet *p = list_shift(&s->returned, &s->returned_last);

		s->bound_bytes -= p->length;
		packet_put(s->config.pool, p);
		dropped++;
	}
	if (s->head && s->head->arrived < before) {
		packet_put(s->config.pool, s->head);
		s->head = NULL;
		dropped++;
	}
	return dropped;
}

sb_time stripe_oldest(const struct stripe *s)
{
	if (s->returned)
		return s->returned->arrived;
	return s->head ? s->head->arrived : SB_NEVER;
}

uint32_t stripe_bound_bytes(const struct stripe *s)
{
	return s->bound_bytes;
}
