/* SPDX-License-Identifier: MIT */
/*
 * Everything at random: what goes in comes out, is dropped for a stated reason, or
 * is still there, and each flow keeps its order.
 */
#include "tests/unit/fq_codel_testing.h"

static uint32_t random_state;

/* xorshift32; below n. */
static uint32_t random_below(uint32_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return random_state % n;
}

enum { FLOWS = 12, HELD = 40 };

struct play {
	unsigned sent[FLOWS];     /* number of the last packet sent */
	unsigned received[FLOWS]; /* and of the last received */
	struct packet *held[HELD];
	uint16_t bound[1024]; /* of those held, as the stripe would count */
};

static void play_send(struct play *play)
{
	const unsigned flow = random_below(FLOWS);

	send_numbered(flow, 28 + random_below(MTU - 27), random_below(4), ++play->sent[flow]);
}

/* Holds a packet that came out, in place of one that it lets go. */
static void play_hold(struct play *play, struct packet *p)
{
	if (!p)
		return;
	const unsigned flow = flow_of(p);
	ck_assert_uint_gt(number_of(p), play->received[flow]);
	play->received[flow] = number_of(p);
	ck_assert_int_eq(ip_check(packet_bytes(p)), IP_OK);
	ck_assert_int_le(p->arrived, w.now);

	struct packet **place = &play->held[random_below(HELD)];
	if (*place) {
		play->bound[(*place)->flow]--;
		packet_put(w.pool, *place);
	}
	*place = p;
	play->bound[p->flow]++;
}

static void play_sparse(struct play *play)
{
	const struct packet *p = fq_codel_peek_sparse(w.queue, w.now, play->bound);

	if (!p)
		return;
	ck_assert_uint_eq(play->bound[p->flow], 0);
	play_hold(play, fq_codel_dequeue_sparse(w.queue, w.now, p));
}

static void play_expire(void)
{
	const sb_time before = w.now - random_below(30) * SB_SEC;

	fq_codel_expire(w.queue, before);
	ck_assert_int_ge(fq_codel_oldest(w.queue), before);
}

static void play_change(void)
{
	const sb_time target = (1 + random_below(2000)) * SB_MS;

	fq_codel_set_rate(w.queue, w.now, random_below(3) ? random_below(10000) : 0);
	fq_codel_set_target(w.queue, target, 2 * target);
}

static void play_step(struct play *play)
{
	const uint32_t dice = random_below(100);

	w.now += random_below(3) ? 0 : random_below(300) * SB_MS;
	if (dice < 55)
		play_send(play);
	else if (dice < 80)
		play_hold(play, fq_codel_dequeue(w.queue, w.now));
	else if (dice < 97)
		play_sparse(play);
	else if (dice < 99)
		play_change();
	else
		play_expire();
}

START_TEST(whatever_is_done_the_sums_are_right)
{
	struct play play = {0};
	struct fq_codel_config config = world_config(w.pool);
	config.limit_packets = 100;
	config.limit_bytes = 100 * MTU / 3;
	config.flows = 8; /* so that flows share queues */
	use_config(config);
	random_state = 0x9e3779b9u + (uint32_t)_i;
	for (int i = 0; i < 10000; i++) {
		play_step(&play);
		check_sum();
		ck_assert_uint_le(fq_codel_packets(w.queue), config.limit_packets);
		ck_assert_uint_le(fq_codel_bytes(w.queue), config.limit_bytes);
	}
	ck_assert_uint_gt(counters()->codel_drops, 0);
	ck_assert_uint_gt(counters()->ecn_marks, 0);
	ck_assert_uint_gt(counters()->overlimit_drops, 0);
	ck_assert_uint_gt(counters()->expired_drops, 0);
	ck_assert_uint_gt(counters()->collisions, 0);
	ck_assert_uint_gt(counters()->way_hits, 0);

	/* Nothing has leaked: all are in the queue, held, or in the pool. */
	fq_codel_expire(w.queue, SB_NEVER);
	int total = 0;
	for (int i = 0; i < HELD; i++)
		total += play.held[i] != NULL;
	while (packet_get(w.pool))
		total++;
	ck_assert_int_eq(total, POOL);
}
END_TEST

static Suite *random_suite(void)
{
	Suite *s = suite_create("fq_codel_random");

	TCase *random = tcase_create("random");
	tcase_add_checked_fixture(random, start_world, end_world);
	tcase_add_loop_test(random, whatever_is_done_the_sums_are_right, 0, 4);
	suite_add_tcase(s, random);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(random_suite());

	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
