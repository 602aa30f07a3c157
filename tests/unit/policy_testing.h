/* SPDX-License-Identifier: MIT */
/*
 * A policy in a small world: a queue, lines with clocks, and a log of what each line was given.
 * Lines are asked in turn until none takes anything, each millisecond.
 */
#ifndef TESTS_UNIT_POLICY_TESTING_H
#define TESTS_UNIT_POLICY_TESTING_H

#include "sched/policy.h"

#include "tests/unit/codec_testing.h"
#include "tests/unit/ip_packets.h"

enum { MTU = 1500, POOL = 4096, LINES = 4, HEADER = 6, ENTRIES = 1 << 17, BPS = 57600 };

struct entry {
	unsigned line, flow, number; /* number: of its flow */
	uint32_t offset, length, sequence;
	bool plain, begin, end;
	sb_time arrives; /* instant */
};

static struct world {
	sb_time now;
	struct packet_pool *pool;
	struct tiers *queue;
	struct policy *policy;
	struct line_clock clocks[LINES];
	bool up[LINES], stuck[LINES]; /* stuck: it does not ask */
	unsigned flows[1 << 12];      /* packets put in so far */
	uint64_t random;
	struct entry log[ENTRIES];
	unsigned count;             /* of the log */
	struct packet *last[LINES]; /* the packet of which a piece was sent last: held */
} w;

static inline uint32_t world_random(void *context)
{
	return (uint32_t)next_random(context);
}

static inline void world_set_up(void)
{
	w = (struct world){.now = 1000 * SB_SEC, .random = 1};
	w.pool = packet_pool_new(POOL, MTU);
	ck_assert_ptr_nonnull(w.pool);
	w.queue = tiers_new(&(struct tiers_config){
		.queue =
			{
				.pool = w.pool,
				.flows = 1024,
				.quantum = MTU,
				.limit_packets = POOL,
				.limit_bytes = POOL * MTU,
				.target = 1000 * SB_SEC,
				.interval = 2000 * SB_SEC,
				.seed = 1,
			},
		.scheme = TIERS_BESTEFFORT,
		.tiers = {{1000, 1000}, {1000, 1000}, {1000, 1000}},
	});
	ck_assert_ptr_nonnull(w.queue);
	w.policy = policy_new(&(struct policy_config){
		.pool = w.pool,
		.queue = w.queue,
		.mtu = MTU,
		.random = world_random,
		.random_context = &w.random,
	});
	ck_assert_ptr_nonnull(w.policy);
}

static inline void let_go(unsigned line)
{
	if (w.last[line])
		packet_put(w.pool, w.last[line]);
	w.last[line] = NULL;
}

/* Every packet is back in the pool. */
static inline void world_tear_down(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < LINES; i++)
		let_go(i);
	policy_free(w.policy);
	tiers_free(w.queue);
	while (packet_get(w.pool))
		count++;
	ck_assert_uint_eq(count, POOL);
	packet_pool_free(w.pool);
}

static inline size_t world_length(const void *coding, struct bytes packet)
{
	(void)coding;
	return packet.length + HEADER;
}

struct a_line {
	uint32_t bps;
	bool whole; /* takes no fragments */
	uint32_t mru;
};

static inline void line_up(unsigned i, struct a_line l)
{
	line_clock_init(&w.clocks[i], l.bps, 10, w.now);
	policy_line_up(w.policy, i,
		       &(struct stripe_line){.clock = &w.clocks[i],
					     .encoded_length = world_length,
					     .fragment_overhead = HEADER + 4,
					     .mru = l.mru},
		       !l.whole, w.now);
	w.up[i] = true;
}

static inline void lines_up(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		line_up(i, (struct a_line){.bps = BPS});
}

static inline void line_down(unsigned i)
{
	policy_line_down(w.policy, i);
	w.up[i] = false;
}

static inline void set_mode(struct mode_config m)
{
	policy_set_mode(w.policy, &m);
}

/* --- packets --- */

static inline void put_sized(unsigned flow, uint32_t length)
{
	struct packet *p = packet_get(w.pool);
	unsigned number = w.flows[flow]++;

	ck_assert_ptr_nonnull(p);
	p->length = length;
	udp4_write(p->data, length, 1000 + flow, 80, ECN_NOT_ECT);
	put16(p->data + 28, number >> 16);
	put16(p->data + 30, number);
	tiers_enqueue(w.queue, w.now, p);
}

/* Into each of the flows below `flows` in turn. */
static inline void put(unsigned count, unsigned flows)
{
	for (unsigned i = 0; i < count; i++)
		put_sized(i % flows, 400);
}

static inline unsigned flow_of(const struct packet *p)
{
	return (unsigned)(p->data[20] << 8 | p->data[21]) - 1000;
}

static inline unsigned number_of(const struct packet *p)
{
	return (unsigned)p->data[28] << 24 | (unsigned)p->data[29] << 16 |
	       (unsigned)p->data[30] << 8 | p->data[31];
}

/* --- lines that ask --- */

static inline void note(unsigned line, const struct piece *piece)
{
	ck_assert_uint_lt(w.count, ENTRIES);
	w.log[w.count++] = (struct entry){
		.line = line,
		.flow = flow_of(piece->packet),
		.number = number_of(piece->packet),
		.offset = piece->offset,
		.length = piece->length,
		.sequence = piece->sequence,
		.plain = piece->plain,
		.begin = piece->begin,
		.end = piece->end,
		.arrives = w.clocks[line].busy_until,
	};
}

/* The line asks, whatever its clock says; what it sent before has arrived. */
static inline bool ask(unsigned line)
{
	struct piece piece;

	if (!policy_pull(w.policy, line, w.now, &piece))
		return false;
	policy_line_unsent(w.policy, line, piece.length + HEADER);
	policy_line_unsent(w.policy, line, 0);
	line_clock_sent(&w.clocks[line], w.now, piece.length + HEADER);
	note(line, &piece);
	let_go(line);
	w.last[line] = piece.packet;
	return true;
}

static inline bool asks(unsigned i)
{
	return w.up[i] && !w.stuck[i] && w.now >= line_clock_wake(&w.clocks[i]);
}

static inline void ask_all(void)
{
	bool moved = true;

	while (moved) {
		moved = false;
		for (unsigned i = 0; i < LINES; i++)
			moved |= asks(i) && ask(i);
	}
}

static inline void run(sb_time duration)
{
	for (sb_time end = w.now + duration; w.now < end; w.now += SB_MS)
		ask_all();
}

/* The line leaves, and what it sent last comes back. */
static inline void line_lost(unsigned i)
{
	struct packet *p = w.last[i];

	line_down(i);
	w.last[i] = NULL;
	if (p)
		policy_return(w.policy, p);
}

/* --- what was sent --- */

static inline unsigned sent_by(unsigned line)
{
	unsigned n = 0;

	for (unsigned i = 0; i < w.count; i++)
		n += w.log[i].line == line;
	return n;
}

/* The last line that the flow went over; it is one of those in the log. */
static inline unsigned line_of_flow(unsigned flow)
{
	unsigned i = w.count;

	while (i-- > 0)
		if (w.log[i].flow == flow)
			return w.log[i].line;
	ck_abort_msg("flow %u was not sent", flow);
	return LINES;
}

/* Whether packets of the flow, as they started, rise without a gap from `first`; how many. */
static inline unsigned assert_flow_in_order(unsigned flow, unsigned first)
{
	unsigned next = first;

	for (unsigned i = 0; i < w.count; i++)
		if (w.log[i].flow == flow && w.log[i].begin) {
			ck_assert_uint_eq(w.log[i].number, next);
			next++;
		}
	return next - first;
}

static inline TCase *world_case(Suite *suite, const char *name)
{
	TCase *tcase = tcase_create(name);

	tcase_add_checked_fixture(tcase, world_set_up, world_tear_down);
	tcase_set_timeout(tcase, 60);
	suite_add_tcase(suite, tcase);
	return tcase;
}

#endif
