/* SPDX-License-Identifier: MIT */
/* A tier at its ceiling, in the program's loop: it is served when it may, and nothing is done
 * before. */
#define _DEFAULT_SOURCE
#include "tests/unit/exchange_world.h"

enum { BPS = 9600, SENT = 100, CEILING = 250 };

static const enum mode modes[] = {MODE_EARLIEST, MODE_ACTIVE_BACKUP, MODE_BALANCE_RR};
enum { MODES_TESTED = sizeof(modes) / sizeof(*modes) };

static size_t bytes_from(unsigned from, unsigned to)
{
	size_t bytes = 0;

	for (unsigned i = from; i < to; i++)
		bytes += packet_of(i).length;
	return bytes;
}

static void start(enum mode mode)
{
	world_configure(2, BPS);
	w.config.mode = (struct mode_config){.mode = mode, .packets_per_line = 1};
	w.config.tiers[TIER_BEST_EFFORT] = (struct tier_config){.share = 100, .ceiling = CEILING};
	w.config.queue_time = 0;
	w.listens = true;
	world_create(LOG_ERROR);
	ck_assert_int_eq(exchange_start(w.exchange, w.now), EXIT_FINE);
	world_run(SB_SEC);
}

static unsigned arrived(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < SENT; i++)
		n += w.arrived[i];
	return n;
}

/* world_run fails when the loop has something to do and does nothing. */
START_TEST(packets_wait_at_a_ceiling_and_the_loop_sleeps)
{
	const sb_time enough = SB_SEC * (sb_time)bytes_from(0, SENT) * 1000 / CEILING / (BPS / 10);
	const unsigned lines = modes[_i] == MODE_ACTIVE_BACKUP ? 1 : 2;
	unsigned early;

	start(modes[_i]);
	kernel_sends(0, SENT);
	world_run(enough / lines / 2);
	early = arrived();
	ck_assert_uint_ge(early, SENT * 4 / 10);
	ck_assert_uint_le(early, SENT * 6 / 10);
	world_run(enough / lines / 2 + 2 * SB_SEC);
	assert_arrived_once(0, SENT);
	world_end();
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("exchange_tiers");
	TCase *c = tcase_create("ceilings");

	tcase_add_loop_test(c, packets_wait_at_a_ceiling_and_the_loop_sleeps, 0, MODES_TESTED);
	suite_add_tcase(s, c);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(suite());

	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
