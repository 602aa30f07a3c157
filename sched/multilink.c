/* SPDX-License-Identifier: MIT */
/*
 * Essay to come.
 */
#include "sched/multilink.h"

#include "sched/cut.h"
#include "sched/lane.h"

#include <assert.h>
#include <stdlib.h>

enum {
	NO_LINE = STRIPE_MAX_LINES,
	FEW = 8, /* packets wait when they are less than one for so many lines */
};
#define GUARD   SB_MS        /* between packets of a flow that nothing else keeps in order */
#define JITTER  (2 * SB_MS)  /* of timers at both ends */
#define LIVE    (2 * SB_SEC) /* a line carries sparse packets for so long after the last */
#define TRAFFIC (2 * SB_SEC) /* there is some for so long after the last packet */

/* What of a flow is under way; instants, as it looked when they started. */
struct course {
	sb_time plain_until;   /* its last plain packet arrives */
	unsigned plain_line;   /* over this line, or NO_LINE */
	sb_time ordered_until; /* its last numbered packet, and all before that, have arrived */
};

struct multilink {
	struct multilink_config config;
	struct packet *returned; /* to be sent anew, before head */
	struct packet *head;     /* out of the queue, not numbered yet */
	struct course *courses;  /* per flow */
	uint16_t *blocked;       /* per flow: its packets among returned and head */
	uint32_t order;
	uint32_t sequence; /* of the next piece */
	unsigned lines;    /* up */
	bool bulk;         /* packets go whole: see is_bulk */
	sb_time traffic_until;
	struct lane lanes[STRIPE_MAX_LINES];
};

struct multilink *multilink_new(const struct multilink_config *config)
{
	struct multilink *ml = calloc(1, sizeof(*ml));

	if (!ml)
		return NULL;
	ml->config = *config;
	ml->courses = calloc(config->flows, sizeof(*ml->courses));
	ml->blocked = calloc(config->flows, sizeof(*ml->blocked));
	if (!ml->courses || !ml->blocked) {
		multilink_free(ml);
		return NULL;
	}
	for (uint32_t i = 0; i < config->flows; i++)
		ml->courses[i].plain_line = NO_LINE;
	return ml;
}

void multilink_free(struct multilink *ml)
{
	struct packet *p;

	if (!ml)
		return;
	while (ml->blocked && (p = multilink_surrender(ml)))
		packet_put(ml->config.pool, p);
	free(ml->courses);
	free(ml->blocked);
	free(ml);
}

void multilink_set_heartbeat(struct multilink *ml, sb_time heartbeat)
{
	ml->config.heartbeat = heartbeat;
}

void multilink_restart(struct multilink *ml)
{
	ml->sequence = 0;
}

/* --- out of the queue, and back --- */

/* Whether order a comes before b; they are never 2^31 apart. */
static bool before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

static struct packet *out_of_queue(struct multilink *ml, struct packet *p)
{
	if (!p)
		return NULL;
	p->order = ml->order++;
	ml->blocked[p->flow]++;
	return p;
}

/* A sparse packet that still waits here does so for another line. */
static struct packet *dequeue(struct multilink *ml, sb_time now)
{
	struct fq_codel *q = ml->config.queue;

	if (fq_codel_peek_sparse(q, now, ml->blocked))
		return fq_codel_dequeue_bulk(q, now);
	return fq_codel_dequeue(q, now);
}

/* The packet to number next, left where it is; NULL: none waits. */
static struct packet *next_packet(struct multilink *ml, sb_time now)
{
	if (ml->returned)
		return ml->returned;
	if (!ml->head)
		ml->head = out_of_queue(ml, dequeue(ml, now));
	return ml->head;
}

static struct packet *next_packet_took(struct multilink *ml)
{
	struct packet *p = ml->returned ? ml->returned : ml->head;

	if (!p)
		return NULL;
	if (p == ml->head)
		ml->head = NULL;
	else
		ml->returned = p->next;
	p->next = NULL;
	ml->blocked[p->flow]--;
	return p;
}

static void returned_insert(struct multilink *ml, struct packet *p)
{
	struct packet **at = &ml->returned;

	while (*at && before((*at)->order, p->order))
		at = &(*at)->next;
	p->next = *at;
	*at = p;
	ml->blocked[p->flow]++;
}

static bool is_returned(const struct multilink *ml, const struct packet *p)
{
	const struct packet *r = ml->returned;

	while (r && r != p)
		r = r->next;
	return r;
}

/* Takes over one hold on the packet; what is bound of it elsewhere is not sent. */
void multilink_return(struct multilink *ml, struct packet *p)
{
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		for (unsigned n = lane_remove(&ml->lanes[i], p); n; n--)
			packet_put(ml->config.pool, p);
	if (is_returned(ml, p))
		packet_put(ml->config.pool, p);
	else
		returned_insert(ml, p);
}

/* --- planning --- */

/* How a packet would go. */
struct plan {
	sb_time arrives;                  /* instant its last piece does */
	uint32_t share[STRIPE_MAX_LINES]; /* bytes, in the order of sending */
};

/* When all that has a number so far will have arrived. */
static sb_time order_holds_until(const struct multilink *ml, sb_time now)
{
	sb_time until = now;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		const struct lane *l = &ml->lanes[i];
		sb_time left = l->count ? lane_free_at(l, now) : l->quiet_from;

		if (l->up)
			until = sb_time_max(until, left + l->line.delay);
	}
	return until;
}

static uint32_t chunk_on(const struct multilink *ml, unsigned line, struct packet *p, sb_time now)
{
	return lane_chunk(&ml->lanes[line], p, ml->config.max_fragment_delay, now);
}

/* The line as cut_packet wants it. */
static struct cut_line cut_line(const struct multilink *ml, unsigned line, struct packet *p,
				sb_time now)
{
	const struct lane *l = &ml->lanes[line];

	return (struct cut_line){
		.from = lane_free_at(l, now) + lane_overhead_time(l) + l->line.delay,
		.rate = lane_byte_rate(l, p, chunk_on(ml, line, p, now)),
		.length = p->length,
	};
}

static sb_time arrival_of_all(const struct cut_line *c)
{
	return c->from + (sb_time)(c->length / c->rate * (double)SB_SEC);
}

static struct plan plan_whole(const struct cut_line *line, unsigned number)
{
	struct plan plan = {.arrives = arrival_of_all(line)};

	plan.share[number] = line->length;
	return plan;
}

/* Over all lines, so that the pieces arrive together, or over one, whichever is sooner. */
static struct plan plan_best(const struct multilink *ml, struct packet *p, sb_time now)
{
	struct cut_line lines[STRIPE_MAX_LINES];
	unsigned numbers[STRIPE_MAX_LINES], count = 0;
	struct plan best = {.arrives = SB_NEVER};

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		if (!ml->lanes[i].up || lane_full(&ml->lanes[i]))
			continue;
		lines[count] = cut_line(ml, i, p, now);
		if (arrival_of_all(&lines[count]) < best.arrives)
			best = plan_whole(&lines[count], i);
		numbers[count++] = i;
	}
	if (count < 2)
		return best;
	sb_time arrives = cut_packet(lines, count, p->length);
	if (arrives >= best.arrives)
		return best;
	best = (struct plan){.arrives = arrives};
	for (unsigned i = 0; i < count; i++)
		best.share[numbers[i]] = lines[i].length;
	return best;
}

/* Whether so many packets wait that whole ones keep all lines busy. */
static bool is_bulk(struct multilink *ml)
{
	uint32_t waiting = fq_codel_packets(ml->config.queue) + (ml->head != NULL);

	if (ml->returned || waiting >= ml->lines)
		ml->bulk = true;
	else if (waiting <= 1 || waiting <= ml->lines / FEW)
		ml->bulk = false;
	return ml->bulk;
}

static struct plan plan_for(struct multilink *ml, unsigned line, struct packet *p, sb_time now)
{
	struct cut_line here;

	if (!is_bulk(ml))
		return plan_best(ml, p, now);
	here = cut_line(ml, line, p, now);
	return plan_whole(&here, line);
}

/* --- numbering --- */

static uint32_t divided(uint32_t a, uint32_t b)
{
	return (a + b - 1) / b;
}

/* Binds the bytes to the line, in pieces of about one size. */
static void bind_span(struct multilink *ml, unsigned line, struct packet *p, uint32_t offset,
		      uint32_t length, sb_time now)
{
	uint32_t pieces = divided(length, chunk_on(ml, line, p, now));

	lane_push(&ml->lanes[line], &(struct span){
					    .packet = packet_hold(p),
					    .offset = offset,
					    .length = length,
					    .chunk = divided(length, pieces),
					    .sequence = ml->sequence,
				    });
	ml->sequence += pieces;
}

static void number_packet(struct multilink *ml, struct packet *p, const struct plan *plan,
			  sb_time now)
{
	uint32_t offset = 0;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		if (plan->share[i]) {
			bind_span(ml, i, p, offset, plan->share[i], now);
			offset += plan->share[i];
		}
	assert(offset == p->length);
	ml->courses[p->flow].ordered_until = order_holds_until(ml, now);
	packet_put(ml->config.pool, p);
}

/* Whether the packet would come out before a plain one of its flow that went earlier. */
static bool overtakes_plain(const struct multilink *ml, const struct packet *p,
			    const struct plan *plan, sb_time now)
{
	sb_time delivered = sb_time_max(plan->arrives, order_holds_until(ml, now));

	return delivered + JITTER < ml->courses[p->flow].plain_until;
}

/* Decides on the next packet if this line has a part in it. */
static void bind(struct multilink *ml, unsigned line, sb_time now)
{
	struct packet *p = next_packet(ml, now);
	struct lane *l = &ml->lanes[line];
	struct plan plan;

	if (!p)
		return;
	plan = plan_for(ml, line, p, now);
	if (overtakes_plain(ml, p, &plan, now))
		l->again = sb_time_min(l->again, ml->courses[p->flow].plain_until);
	else if (!plan.share[line])
		l->again = sb_time_min(l->again, sb_time_max(plan.arrives, now + JITTER));
	else
		number_packet(ml, next_packet_took(ml), &plan, now);
}

/* --- plain packets --- */

struct choice {
	unsigned line; /* NO_LINE: none will do */
	sb_time start, arrives;
	sb_time rank; /* the least is the best */
};

static bool is_live(const struct lane *l, sb_time now)
{
	return now < l->live_until;
}

/* Whether a plain packet that arrives over the line then keeps the order of its flow. */
static bool keeps_order(const struct course *c, unsigned line, sb_time arrives)
{
	return arrives >= c->ordered_until &&
	       (c->plain_line == line || arrives >= c->plain_until + GUARD);
}

/*
 * A live line's frames are short; to leave it for one that is free a moment
 * sooner would make that one cut its frames too.
 */
static struct choice choose_plain(const struct multilink *ml, struct packet *p, sb_time now)
{
	struct choice best = {.line = NO_LINE, .arrives = SB_NEVER, .rank = SB_NEVER};

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		const struct lane *l = &ml->lanes[i];
		struct choice c = {.line = i};

		if (!l->up || (l->line.mru && p->length > l->line.mru))
			continue;
		c.start = lane_next_start(l, now);
		c.arrives = c.start + l->line.delay + lane_plain_time(l, p);
		c.rank = c.arrives - (is_live(l, now) ? ml->config.max_fragment_delay +
								line_clock_lead(l->line.clock)
						      : 0);
		if (keeps_order(&ml->courses[p->flow], i, c.arrives) && c.rank < best.rank)
			best = c;
	}
	return best;
}

/* Whether the packet had better go by number. */
static bool better_numbered(struct multilink *ml, struct packet *p, const struct choice *plain,
			    sb_time now)
{
	struct plan plan = plan_best(ml, p, now);

	return sb_time_max(plan.arrives, order_holds_until(ml, now)) < plain->arrives &&
	       !overtakes_plain(ml, p, &plan, now);
}

static void start_plain(struct multilink *ml, struct packet *p, const struct choice *c, sb_time now)
{
	struct course *course = &ml->courses[p->flow];

	p->order = ml->order++;
	course->plain_line = c->line;
	course->plain_until = c->arrives;
	ml->lanes[c->line].live_until = now + LIVE;
}

/* A sparse packet ahead of its turn, if this is the line for it. */
static bool pull_plain(struct multilink *ml, unsigned line, sb_time now, struct piece *piece)
{
	struct fq_codel *q = ml->config.queue;
	struct packet *p = fq_codel_peek_sparse(q, now, ml->blocked);
	struct choice c;

	if (!p)
		return false;
	c = choose_plain(ml, p, now);
	if (!ml->returned && !ml->head && better_numbered(ml, p, &c, now)) {
		ml->head = out_of_queue(ml, fq_codel_dequeue_sparse(q, now, p));
		return false;
	}
	if (c.line != line) {
		ml->lanes[line].again = sb_time_max(c.start, now + JITTER);
		return false;
	}
	fq_codel_dequeue_sparse(q, now, p);
	start_plain(ml, p, &c, now);
	*piece = (struct piece){
		.packet = p, .length = p->length, .plain = true, .begin = true, .end = true};
	return true;
}

/* --- what the lines ask --- */

static sb_time heartbeat_at(const struct multilink *ml, const struct lane *l)
{
	sb_time at = l->quiet_from + ml->config.heartbeat;

	return ml->config.heartbeat && at < ml->traffic_until ? at : SB_NEVER;
}

static void pull_bound(struct lane *l, sb_time now, struct piece *piece)
{
	lane_shift(l, piece);
	l->quiet_from = lane_next_start(l, now) + lane_piece_time(l, piece->packet, piece->length);
}

static void pull_empty(struct multilink *ml, struct lane *l, sb_time now, struct piece *piece)
{
	*piece = (struct piece){.begin = true, .end = true, .sequence = ml->sequence++};
	l->quiet_from = lane_next_start(l, now) + lane_overhead_time(l);
}

static bool pull_packet(struct multilink *ml, unsigned line, sb_time now, struct piece *piece)
{
	struct lane *l = &ml->lanes[line];

	if (pull_plain(ml, line, now, piece))
		return true;
	if (!l->count)
		bind(ml, line, now);
	if (!l->count)
		return false;
	pull_bound(l, now, piece);
	return true;
}

bool multilink_pull(struct multilink *ml, unsigned line, sb_time now, struct piece *piece)
{
	struct lane *l = &ml->lanes[line];

	assert(l->up && l->unsent == 0);
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

/* --- lines that come and go --- */

void multilink_line_up(struct multilink *ml, unsigned line, const struct stripe_line *l,
		       sb_time now)
{
	assert(line < STRIPE_MAX_LINES && !ml->lanes[line].up);
	assert(!l->mru || l->mru >= 2 * CUT_LEAST);
	lane_up(&ml->lanes[line], l, now);
	ml->lines++;
}

/* What went over the line has arrived, or never will. */
static void forget_plain(struct multilink *ml, unsigned line)
{
	for (uint32_t i = 0; i < ml->config.flows; i++)
		if (ml->courses[i].plain_line == line) {
			ml->courses[i].plain_line = NO_LINE;
			ml->courses[i].plain_until = 0;
		}
}

static void unbind(struct multilink *ml, struct lane *l)
{
	while (l->count)
		multilink_return(ml, packet_hold(lane_span(l, 0)->packet));
}

void multilink_line_down(struct multilink *ml, unsigned line)
{
	assert(line < STRIPE_MAX_LINES && ml->lanes[line].up);
	unbind(ml, &ml->lanes[line]);
	ml->lanes[line].up = false;
	ml->lines--;
	forget_plain(ml, line);
}

void multilink_line_unsent(struct multilink *ml, unsigned line, size_t characters)
{
	ml->lanes[line].unsent = characters;
}

struct packet *multilink_surrender(struct multilink *ml)
{
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		unbind(ml, &ml->lanes[i]);
	return next_packet_took(ml);
}

/* --- the whole of it --- */

static void drop(struct multilink *ml, struct packet *p)
{
	ml->blocked[p->flow]--;
	packet_put(ml->config.pool, p);
}

uint32_t multilink_expire(struct multilink *ml, sb_time before_instant)
{
	struct packet **at = &ml->returned;
	uint32_t dropped = 0;

	while (*at) {
		struct packet *p = *at;

		if (p->arrived >= before_instant) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		drop(ml, p);
		dropped++;
	}
	if (ml->head && ml->head->arrived < before_instant) {
		drop(ml, ml->head);
		ml->head = NULL;
		dropped++;
	}
	return dropped;
}

sb_time multilink_oldest(const struct multilink *ml)
{
	sb_time oldest = ml->head ? ml->head->arrived : SB_NEVER;

	for (const struct packet *p = ml->returned; p; p = p->next)
		oldest = sb_time_min(oldest, p->arrived);
	return oldest;
}

double multilink_rate(const struct multilink *ml)
{
	double rate = 0;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		if (ml->lanes[i].up)
			rate += lane_rate(&ml->lanes[i]);
	return rate;
}

uint32_t multilink_bound_bytes(const struct multilink *ml)
{
	uint32_t bytes = ml->head ? ml->head->length : 0;

	for (const struct packet *p = ml->returned; p; p = p->next)
		bytes += p->length;
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		bytes += lane_bytes(&ml->lanes[i]);
	return bytes;
}

/* Whether a lane before this one has a part of the packet. */
static bool bound_before(const struct multilink *ml, unsigned line, const struct packet *p)
{
	for (unsigned i = 0; i < line; i++)
		if (lane_has(&ml->lanes[i], p))
			return true;
	return false;
}

uint32_t multilink_bound_packets(const struct multilink *ml)
{
	uint32_t packets = ml->head != NULL;

	for (const struct packet *p = ml->returned; p; p = p->next)
		packets++;
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		for (uint32_t k = 0; k < ml->lanes[i].count; k++)
			packets += !bound_before(ml, i, lane_packet(&ml->lanes[i], k));
	return packets;
}
