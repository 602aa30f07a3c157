/* SPDX-License-Identifier: MIT */
/*
 * Nothing is allocated once an exchange runs: not for packets in either direction,
 * not when lines stall and return, not for the report.
 *
 * The scripted ports keep what is written to them in memory that grows, so a
 * first round, not counted, lets them grow.
 */
#define _DEFAULT_SOURCE
#include "tests/unit/exchange_world.h"

#include "tests/unit/alloc_counting.h"

enum { LINES = 3, ROUND = 10, ROUNDS = 100, BPS = 115200 };

static void forget(void)
{
	for (unsigned i = 0; i < LINES; i++)
		port_script_forget(ports[i].port);
}

/* Some packets each way, and all that else may happen on the way. */
static void pass_packets(unsigned from)
{
	forget();
	kernel_sends(from, from + ROUND);
	peer_sends(from / ROUND % LINES, from, from + ROUND);
	port_script_feed(ports[0].port, bytes_of("\300junk\300", 6));
	world_run(SB_SEC);
	ck_assert_uint_eq(kernel_receives(), ROUND);
	world_report();
}

START_TEST(what_would_be_counted_is)
{
	void *volatile at;

	inside = true;
	at = malloc(1);
	at = realloc(at, 2);
	free(at);
	at = calloc(1, 1);
	free(at);
	inside = false;
	ck_assert_uint_eq(allocations, 5);

	world_start(LINES, BPS);
	allocations = 0;
	kernel_sends(0, 1); /* the first: a port's memory grows within */
	world_run(SB_SEC);
	ck_assert_uint_eq(allocations, 1);
	world_end();
}
END_TEST

START_TEST(packets_allocate_nothing)
{
	unsigned long before;

	world_start(LINES, BPS);
	for (unsigned i = 0; i < ROUNDS; i++)
		pass_packets(i * ROUND);
	memset(w.arrived, 0, sizeof w.arrived);
	before = allocations;
	for (unsigned i = 0; i < ROUNDS; i++)
		pass_packets(i * ROUND);
	ck_assert_uint_eq(allocations, before);
	ck_assert_uint_eq(world_report()->out.packets, 2 * ROUNDS * ROUND);
	ck_assert_uint_eq(w.report.in.packets, 2 * ROUNDS * ROUND);
	assert_arrived_once(0, ROUNDS * ROUND);
	world_end();
}
END_TEST

/* A line that stalls with a frame in progress hands over, waits, returns. */
START_TEST(stalls_allocate_nothing)
{
	unsigned long before = 0;

	world_start(LINES, BPS);
	for (unsigned i = 0; i < 2 * ROUNDS; i++) {
		if (i == ROUNDS)
			before = allocations;
		port_script_limit(ports[0].port, 10, SIZE_MAX);
		kernel_sends(0, ROUND);
		world_run(3 * SB_SEC);
		port_script_limit(ports[0].port, SIZE_MAX, SIZE_MAX);
		world_run(SB_SEC);
		forget();
	}
	ck_assert_uint_eq(allocations, before);
	ck_assert_uint_eq(world_report()->lines[0].downs, 2 * ROUNDS);
	world_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("exchange_no_alloc");
	TCase *tcase = tcase_create("no allocation");

	tcase_add_test(tcase, what_would_be_counted_is);
	tcase_add_test(tcase, packets_allocate_nothing);
	tcase_add_test(tcase, stalls_allocate_nothing);
	tcase_set_timeout(tcase, 30);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
