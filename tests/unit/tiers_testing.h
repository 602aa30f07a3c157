/* SPDX-License-Identifier: MIT */
/* Tiers under test, senders that keep so many packets waiting in them, and one line on a fake
 * clock. */
#ifndef TESTS_UNIT_TIERS_TESTING_H
#define TESTS_UNIT_TIERS_TESTING_H

#include <check.h>
#include <stdlib.h>

#include "sched/tiers.h"
#include "tests/unit/ip_packets.h"

enum {
	MTU = 576,
	RATE = 4320, /* bytes per second */
	POOL = 4096, /* packets */
	FLOWS = 256, /* in each tier */
	CS0 = 0,     /* best effort */
	CS1 = 8,     /* bulk */
	EF = 46,     /* interactive */
	SENDERS = 16,
};

static const unsigned dscp_of_tier[TIERS] = {EF, CS0, CS1};

struct sender {
	unsigned dscp;
	unsigned keeps; /* packets waiting, all the time */
	uint32_t size;  /* of each; 0: random up to the MTU */
	unsigned waiting;
	uint64_t bytes, packets; /* sent */
	sb_time longest;         /* that one waited */
};

static struct packet_pool *pool;
static struct tiers *tiers;
static sb_time now;
static struct sender senders[SENDERS];
static uint32_t random_state;

/* xorshift32; below n. */
static inline uint32_t random_below(uint32_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return random_state % n;
}

/* Thirds of a kind: a half for best effort, a third and a sixth for the others; no CoDel. */
static inline struct tiers_config plain_config(void)
{
	return (struct tiers_config){
		.queue = {.pool = pool,
			  .flows = FLOWS,
			  .quantum = MTU,
			  .limit_packets = POOL,
			  .limit_bytes = POOL * MTU,
			  .target = 1000 * SB_SEC,
			  .interval = 2000 * SB_SEC,
			  .ecn = true,
			  .seed = 2},
		.scheme = TIERS_DIFFSERV3,
		.tiers = {{333, 1000}, {500, 1000}, {167, 1000}},
	};
}

static inline void use(struct tiers_config c)
{
	tiers_free(tiers);
	tiers = tiers_new(&c);
	ck_assert_ptr_nonnull(tiers);
	tiers_set_rate(tiers, RATE);
}

static inline void set_up(void)
{
	now = 1000 * SB_SEC;
	pool = packet_pool_new(POOL, MTU);
	ck_assert_ptr_nonnull(pool);
	tiers = NULL;
	memset(senders, 0, sizeof(senders));
	random_state = 0x9e3779b9;
	use(plain_config());
}

/* Whatever a test did, every packet is back in the pool at the end. */
static inline void tear_down(void)
{
	unsigned n = 0;

	tiers_free(tiers);
	while (packet_get(pool))
		n++;
	ck_assert_uint_eq(n, POOL);
	packet_pool_free(pool);
}

static inline struct packet *packet_of(unsigned dscp, unsigned flow, uint32_t size)
{
	struct packet *p = packet_get(pool);

	ck_assert_ptr_nonnull(p);
	p->length = size;
	udp4_write(p->data, size, 1000 + flow, 80, dscp << 2 | ECN_ECT0);
	return p;
}

static inline unsigned flow_of(const struct packet *p)
{
	return (unsigned)(p->data[20] << 8 | p->data[21]) - 1000;
}

static inline void put(unsigned dscp, unsigned flow, uint32_t size)
{
	tiers_enqueue(tiers, now, packet_of(dscp, flow, size));
}

/* The flow of the next packet, -1 when there is none. */
static inline int take(void)
{
	struct packet *p = tiers_dequeue(tiers, now);
	int flow = p ? (int)flow_of(p) : -1;

	if (p)
		packet_put(pool, p);
	return flow;
}

/* --- a line and who keeps it busy --- */

static inline void offer(unsigned i)
{
	struct sender *s = &senders[i];

	for (; s->waiting < s->keeps; s->waiting++)
		put(s->dscp, i, s->size ? s->size : 28 + random_below(MTU - 27));
}

static inline void note_sent(const struct packet *p)
{
	struct sender *s = &senders[flow_of(p)];

	s->waiting--;
	s->packets++;
	s->bytes += p->length;
	s->longest = sb_time_max(s->longest, now - p->arrived);
}

/* As the stripe takes them: sparse ones as such. What it sends takes its time. */
static inline bool line_sends(void)
{
	const struct packet *shown = tiers_peek_sparse(tiers, now, NULL);
	struct packet *p =
		shown ? tiers_dequeue_sparse(tiers, now, shown) : tiers_dequeue(tiers, now);

	if (!p)
		return false;
	note_sent(p);
	now += (sb_time)p->length * SB_SEC / RATE;
	packet_put(pool, p);
	return true;
}

/* While all wait at a ceiling the line sleeps until it is told to come back. */
static inline void run(sb_time length)
{
	sb_time end = now + length;

	while (now < end) {
		for (unsigned i = 0; i < SENDERS; i++)
			offer(i);
		if (line_sends())
			continue;
		ck_assert_int_gt(tiers_deadline(tiers), now);
		now = sb_time_min(tiers_deadline(tiers), end);
	}
}

static inline void restart_score(void)
{
	for (unsigned i = 0; i < SENDERS; i++)
		senders[i].bytes = senders[i].packets = 0, senders[i].longest = 0;
}

static inline double sum_bytes(void)
{
	double sum = 0;

	for (unsigned i = 0; i < SENDERS; i++)
		sum += (double)senders[i].bytes;
	return sum;
}

static inline double part_of(unsigned dscp)
{
	double bytes = 0;

	for (unsigned i = 0; i < SENDERS; i++)
		if (senders[i].dscp == dscp)
			bytes += (double)senders[i].bytes;
	return bytes / sum_bytes();
}

static inline void assert_near(double value, double wanted, double tolerance)
{
	ck_assert_double_ge(value, wanted - tolerance);
	ck_assert_double_le(value, wanted + tolerance);
}

static inline struct tier_counters counted(enum tier i)
{
	struct tier_counters c;

	tiers_count(tiers, i, &c);
	return c;
}

static inline int run_suite(Suite *s)
{
	SRunner *runner = srunner_create(s);

	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static inline TCase *add_case(Suite *s, const char *name)
{
	TCase *c = tcase_create(name);

	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_set_timeout(c, 60);
	suite_add_tcase(s, c);
	return c;
}

#endif
