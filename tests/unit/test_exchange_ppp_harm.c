/* SPDX-License-Identifier: MIT */
/*
 * PPP lines that suffer: characters damaged, dead in one direction, ports that stop; and
 * all of that at random, beside one line that does not. What it may cost is what
 * was on a wire; and when it is over all is as before.
 */
#define _DEFAULT_SOURCE
#include "tests/unit/pair_world.h"
#include "tests/unit/suite_testing.h"

enum { BPS = 38400, CALMS = 20 };

/* All lines are back, and carry all that is sent from now on, once and in order. */
static void assert_all_is_well_again(void)
{
	unsigned first = w.side[0].sent > w.side[1].sent ? w.side[0].sent : w.side[1].sent;

	ck_assert(both_have_up(w.cables, 15 * SB_SEC));
	world_run(10 * SB_SEC);
	w.side[0].sent = w.side[1].sent = first;
	host_of(0)->behind = host_of(1)->behind = 0;
	world_run_busy(CALMS * 250 * SB_MS, 250 * SB_MS);
	world_run(5 * SB_SEC);
	for (unsigned s = 0; s < 2; s++) {
		for (unsigned i = first; i < first + CALMS; i++)
			ck_assert_uint_eq(host_of(s)->arrived[i], 1);
		ck_assert_uint_eq(host_of(s)->behind, 0);
	}
}

/* A packet that was hit is lost, and no other. */
START_TEST(damage_costs_the_packets_that_it_hits)
{
	pair_configure(2, BPS, 10 * SB_MS);
	pair_start();
	for (unsigned n = 0; n < 2; n++)
		w.cable[n].damage = 0.0002;
	world_run_busy(60 * SB_SEC, 250 * SB_MS);
	world_run(5 * SB_SEC);
	for (unsigned s = 0; s < 2; s++) {
		unsigned lost = missing(host_of(s), w.side[!s].sent);

		ck_assert_uint_gt(lost, w.side[!s].sent / 20);
		ck_assert_uint_lt(lost, w.side[!s].sent / 4);
		ck_assert_uint_eq(host_of(s)->behind, 0);
	}
	for (unsigned n = 0; n < 2; n++)
		w.cable[n].damage = 0;
	assert_all_is_well_again();
	world_end();
}
END_TEST

/* What arrives is no sign that what is sent does. */
START_TEST(a_line_that_is_dead_one_way_is_left_out)
{
	unsigned end = (unsigned)_i % 2, n = (unsigned)_i / 2;

	pair_configure(2, BPS, 10 * SB_MS);
	pair_start();
	world_run_busy(3 * SB_SEC, 250 * SB_MS);
	w.cable[n].wire[end].dead = true;
	world_run_busy(5 * SB_SEC, 250 * SB_MS);
	ck_assert_uint_eq(lines_up(0), 1);
	ck_assert_uint_eq(lines_up(1), 1);
	world_run_busy(5 * SB_SEC, 250 * SB_MS);
	w.cable[n].wire[end].dead = false;
	world_run_busy(3 * SB_SEC, 250 * SB_MS);
	ck_assert_uint_eq(lines_up(0), 2);
	ck_assert_uint_eq(lines_up(1), 2);
	world_run(5 * SB_SEC);
	for (unsigned s = 0; s < 2; s++)
		ck_assert_uint_eq(missing(host_of(s), w.side[!s].sent), 0);
	assert_all_is_well_again();
	world_end();
}
END_TEST

/* As behind a modem that holds CTS off: stalled or silent, whichever is seen first. */
START_TEST(a_port_that_takes_nothing_is_left_out)
{
	unsigned n = (unsigned)_i;

	pair_configure(2, BPS, 10 * SB_MS);
	pair_start();
	world_run_busy(3 * SB_SEC, 250 * SB_MS);
	port_script_limit(ports[w.cable[n].port[0]].port, 0, SIZE_MAX);
	world_run_busy(4 * SB_SEC, 250 * SB_MS);
	ck_assert_uint_eq(lines_up(0), 1);
	port_script_limit(ports[w.cable[n].port[0]].port, SIZE_MAX, SIZE_MAX);
	world_run_busy(4 * SB_SEC, 250 * SB_MS);
	ck_assert_uint_eq(lines_up(0), 2);
	world_run(5 * SB_SEC);
	for (unsigned s = 0; s < 2; s++)
		ck_assert_uint_eq(missing(host_of(s), w.side[!s].sent), 0);
	assert_all_is_well_again();
	world_end();
}
END_TEST

/*
 * A line comes up, and for a moment one way nothing passes: it costs what was on the wire,
 * also when one end is open then and the other is not.
 */
START_TEST(B014_an_answer_that_is_lost_at_the_beginning_costs_little)
{
	unsigned end = (unsigned)_i % 2;

	pair_configure(2, BPS, 10 * SB_MS);
	pair_start();
	world_run_busy(2 * SB_SEC, 250 * SB_MS);
	unplug(0, 0);
	world_run_busy(2 * SB_SEC, 250 * SB_MS);
	plug_in(0, 0);
	while (!ports[0].port)
		world_run(5 * SB_MS);
	world_run((sb_time)_i * 10 * SB_MS);
	w.cable[0].wire[end].dead = true;
	world_run(60 * SB_MS);
	w.cable[0].wire[end].dead = false;
	world_run_busy(8 * SB_SEC, 250 * SB_MS);
	world_run(5 * SB_SEC);
	for (unsigned s = 0; s < 2; s++)
		ck_assert_uint_le(missing(host_of(s), w.side[!s].sent), 2);
	assert_all_is_well_again();
	world_end();
}
END_TEST

/* --- at random --- */

struct mood {
	bool dead[2], unplugged, stopped;
};

static void stop(unsigned n, bool on)
{
	struct port *port = ports[w.cable[n].port[0]].port;

	if (port)
		port_script_limit(port, on ? 0 : SIZE_MAX, SIZE_MAX);
}

static void change_mood(struct mood *m, unsigned n, uint64_t *random)
{
	unsigned end = (unsigned)random_below(random, 2);

	switch (random_below(random, 4)) {
	case 0:
		m->dead[end] = w.cable[n].wire[end].dead = !m->dead[end];
		break;
	case 1:
		m->dead[0] = m->dead[1] = !m->dead[0];
		cable_set_dead(n, m->dead[0]);
		break;
	case 2:
		m->stopped = !m->stopped;
		stop(n, m->stopped);
		break;
	case 3:
		if (m->unplugged)
			plug_in(n, 0);
		else if (ports[w.cable[n].port[0]].port)
			unplug(n, 0);
		m->unplugged = !m->unplugged;
		break;
	}
}

static void calm(unsigned n)
{
	cable_set_dead(n, false);
	stop(n, false);
	plug_in(n, 0);
}

/*
 * The last line always does what it should, and could carry it all. Nobody can know of a
 * line that goes dead one way and is then unplugged before that was noticed; and before the
 * first echo has come back a line is trusted for three seconds.
 */
START_TEST(beside_one_good_line_others_cost_little)
{
	enum { BAD = 2 };
	uint64_t random = (uint64_t)_i;
	struct mood moods[BAD] = {0};

	pair_configure(BAD + 1, BPS, (sb_time)random_below(&random, 50) * SB_MS);
	pair_start();
	for (unsigned i = 0; i < 60; i++) {
		unsigned n = (unsigned)random_below(&random, BAD);

		change_mood(&moods[n], n, &random);
		world_run_busy((sb_time)(1 + random_below(&random, 2500)) * SB_MS, 300 * SB_MS);
	}
	for (unsigned n = 0; n < BAD; n++)
		calm(n);
	world_run(20 * SB_SEC);
	for (unsigned s = 0; s < 2; s++)
		ck_assert_uint_le(missing(host_of(s), w.side[!s].sent), w.side[!s].sent / 32);
	assert_all_is_well_again();
	world_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("exchange_ppp_harm");
	TCase *harm = new_case(suite, "harm"), *random = new_case(suite, "random");

	tcase_add_test(harm, damage_costs_the_packets_that_it_hits);
	tcase_add_loop_test(harm, a_line_that_is_dead_one_way_is_left_out, 0, 4);
	tcase_add_loop_test(harm, a_port_that_takes_nothing_is_left_out, 0, 2);
	tcase_add_loop_test(harm, B014_an_answer_that_is_lost_at_the_beginning_costs_little, 0, 30);
	tcase_add_loop_test(random, beside_one_good_line_others_cost_little, 0, 12);
	return run_suite(suite);
}
