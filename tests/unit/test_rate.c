/* SPDX-License-Identifier: MIT */
/*
 * What a line carries is found out, on wires of 300 bit/s to 4 Mbit/s behind modems that take up
 * to 300 KB more than they send: how long that takes, how exact it is, and what waits in the modem
 * meanwhile. Every tenth report is lost, and both ends are up to a millisecond late.
 */
#include <check.h>
#include <stdlib.h>

#include "tests/unit/rate_testing.h"

static const double exact = 0.03;
static const double rates[] = {9600, 28800, 115200};
static const sb_time delays[] = {0, 250 * SB_MS, SB_SEC};
static const uint32_t buffers[] = {0, 300000};
enum { RATES = sizeof rates / sizeof *rates, DELAYS = 3, BUFFERS = 2 };
enum { WAYS = RATES * DELAYS * BUFFERS };

static struct track track;

/* A report has 25 characters, of which a line is to carry 2 % at most. */
static sb_time period(double bps)
{
	return sb_time_max(250 * SB_MS, (sb_time)(50 * 25 * 10 / bps * (double)SB_SEC));
}

static struct track_config wire(double bps, sb_time delay, uint32_t buffer)
{
	uint32_t least = bps > 200000 ? (uint32_t)(bps / 1000) : 200; /* the port's own */

	return (struct track_config){
		.bps = bps,
		.guess_bps = bps,
		.delay = delay,
		.buffer = buffer ? buffer : least,
		.every = period(bps),
		.loss = 0.1,
		.lateness = SB_MS,
		.drift = 1e-4,
	};
}

static struct track_config way(int i)
{
	return wire(rates[i / (DELAYS * BUFFERS)], delays[i / BUFFERS % DELAYS],
		    buffers[i % BUFFERS]);
}

static void begin(const struct track_config *c, double wrong)
{
	struct track_config config = *c;

	config.guess_bps *= wrong;
	track_init(&track, &config);
}

static void tear_down(void)
{
	track_end(&track);
}

/* Duration of n characters on the wire, or t where that is longer. */
static sb_time at_least(double n, sb_time t)
{
	return sb_time_max((sb_time)(n * 10 / track.bps * (double)SB_SEC), t);
}

/* Of a probe: enough to be told from noise, which is three quarters of the clock's lead. */
static sb_time probe_size(void)
{
	return at_least(4 * 48, 100 * SB_MS);
}

static sb_time queue_time(void)
{
	return (sb_time)(track.most_queue * 10 / track.bps * (double)SB_SEC);
}

/* --- settling --- */

static void settles(int _i, double wrong)
{
	struct track_config c = way(_i);
	sb_time probe_costs = 2 * c.delay + c.every - 250 * SB_MS;

	begin(&c, wrong);
	ck_assert_int_le(track_settles(&track, exact, 30 * SB_SEC), 10 * SB_SEC + 3 * probe_costs);
}

START_TEST(settles_from_four_times_too_high)
{
	settles(_i, 4);
}
END_TEST

START_TEST(settles_from_four_times_too_low)
{
	settles(_i, 0.25);
}
END_TEST

/*
 * 30 characters a second: a report takes a second itself, and a probe that can be told from noise
 * seven. Too high a guess shows by itself.
 */
START_TEST(settles_at_300_bps)
{
	struct track_config c = wire(300, delays[_i], 20000);

	c.every = 2 * SB_SEC;
	begin(&c, 4);
	ck_assert_int_le(track_settles(&track, exact, 20 * SB_SEC), 10 * SB_SEC);
	track_end(&track);
	begin(&c, 0.25);
	ck_assert_int_le(track_settles(&track, exact, 90 * SB_SEC), 45 * SB_SEC);
}
END_TEST

/* What a direct cable carries at most, and a port that holds no more than 5 ms of it. */
START_TEST(settles_at_4_mbps)
{
	struct track_config c = wire(4000000, delays[_i / BUFFERS], buffers[_i % BUFFERS]);

	begin(&c, 4);
	ck_assert_int_le(track_settles(&track, exact, 15 * SB_SEC), 10 * SB_SEC);
	track_end(&track);
	begin(&c, 0.25);
	ck_assert_int_le(track_settles(&track, exact, 20 * SB_SEC), 16 * SB_SEC);
}
END_TEST

/* It stays there, the wire is never without work, and what waits is two leads and a probe. */
START_TEST(stays_exact_busy_and_shallow)
{
	struct track_config c = way(_i);

	begin(&c, 1);
	track_run(&track, 20 * SB_SEC);
	track_forget(&track);
	for (unsigned i = 0; i < 200; i++) {
		track_run(&track, 100 * SB_MS);
		ck_assert(track_is_near(&track, exact));
	}
	ck_assert_double_ge(track.busy, 0.97 * track.wished);
	ck_assert_int_le(queue_time(), 2 * at_least(64, 3 * SB_MS) + probe_size() + 50 * SB_MS);
}
END_TEST

/* --- changes --- */

static const struct {
	double bps;
	sb_time delay;
} changing[] = {
	{9600, 0},   {9600, 250 * SB_MS},   {28800, 0},       {28800, 250 * SB_MS}, {28800, SB_SEC},
	{115200, 0}, {115200, 250 * SB_MS}, {115200, SB_SEC},
};
static const double changes[] = {0.3, 0.7, 1.3, 2};
enum { CHANGING = sizeof changing / sizeof *changing, CHANGES = sizeof changes / sizeof *changes };

/* Within 5 s, and the round trips, and late reports, of what has to be tried. */
START_TEST(follows_a_change)
{
	const double bps = changing[_i / CHANGES].bps, change = changes[_i % CHANGES];
	const sb_time delay = changing[_i / CHANGES].delay;
	struct track_config c = wire(bps, delay, 300000);

	begin(&c, 1);
	track_run(&track, 20 * SB_SEC);
	track.bps = bps * change;
	ck_assert_int_le(track_settles(&track, exact, 30 * SB_SEC),
			 5 * SB_SEC + 4 * delay + 6 * (c.every - 250 * SB_MS));
	track_forget(&track);
	track_run(&track, 20 * SB_SEC);
	ck_assert_double_ge(track.busy, 0.95 * track.wished);
}
END_TEST

/* --- what is not to be taken for a change --- */

/* Nothing is sent, or a little: nothing is learned of it. */
START_TEST(idle_line_keeps_what_is_known)
{
	struct track_config c = wire(28800, 100 * SB_MS, 300000);

	begin(&c, 4);
	track_run(&track, 15 * SB_SEC);
	ck_assert(track_is_near(&track, exact));
	for (unsigned i = 0; i < 600; i++) {
		track.idle = i % 10 != 0; /* a tenth of what it carries */
		track_run(&track, 20 * SB_MS);
		ck_assert(track_is_near(&track, exact));
	}
	track.idle = true;
	track_run(&track, 60 * SB_SEC);
	ck_assert(track_is_near(&track, exact));
	ck_assert_double_eq(rate_bps(track.rate), rate_known_bps(track.rate));
}
END_TEST

/* The peer says nothing any more: no probes into the blue. */
START_TEST(silent_peer_leaves_the_rate_as_it_was)
{
	struct track_config c = wire(28800, 100 * SB_MS, 300000);

	begin(&c, 0.25);
	track_run(&track, 15 * SB_SEC);
	track.mute = true;
	track_run(&track, 10 * SB_SEC);
	track_forget(&track);
	for (unsigned i = 0; i < 300; i++) {
		track_run(&track, 100 * SB_MS);
		ck_assert(track_is_near(&track, exact));
		ck_assert_double_eq(rate_bps(track.rate), rate_known_bps(track.rate));
	}
	track.mute = false;
	ck_assert_int_le(track_settles(&track, exact, 20 * SB_SEC), SB_SEC);
}
END_TEST

/*
 * Characters that are lost look like a queue that never drains, until the peer is told again how
 * many were sent; the line is not starved for it.
 */
START_TEST(lost_characters_are_no_queue)
{
	struct track_config c = wire(28800, 50 * SB_MS, 300000);

	begin(&c, 1);
	track_run(&track, 10 * SB_SEC);
	track.lost += 2000; /* 0.7 s of it, at once */
	track_run(&track, 3 * SB_SEC);
	track.lost = 0;
	track_run(&track, 10 * SB_SEC);
	ck_assert(track_is_near(&track, exact));
	track_forget(&track);
	track_run(&track, 30 * SB_SEC);
	ck_assert_double_ge(track.busy, 0.97 * track.wished);
}
END_TEST

/* --- without reports --- */

START_TEST(guess_stays_without_a_report)
{
	struct track_config c = wire(28800, 0, 300000);

	begin(&c, 2);
	track.mute = true;
	track_run(&track, 10 * SB_SEC);
	ck_assert_double_eq(rate_bps(track.rate), 57600);
	ck_assert_double_eq(rate_known_bps(track.rate), 0);
}
END_TEST

/* A port that is full shows what leaves it; the clock follows that by itself. */
START_TEST(full_port_shows_the_rate)
{
	struct track_config c = wire(28800, 0, 0);

	begin(&c, 4);
	track.mute = true;
	track_run(&track, 10 * SB_SEC);
	ck_assert(track_is_near(&track, exact));
	ck_assert_double_eq(rate_bps(track.rate), 4 * 28800);
	ck_assert_double_lt(track.clock.bps, 1.15 * 28800);
}
END_TEST

/* --- the world --- */

static struct rate *fresh(void)
{
	return rate_new(&(struct rate_config){
		.first_bps = 9600, .least_bps = 300, .most_bps = 1e6, .bits_per_char = 10});
}

/* Whatever the peer says, the rate stays within its bounds, and all ends. */
START_TEST(peer_that_says_anything)
{
	struct rate *r = fresh();
	sb_time now = 1000 * SB_SEC, dry_at = now;
	uint32_t sent = 0;

	srand((unsigned)_i + 1);
	rate_begin(r, 9600, now);
	for (unsigned i = 0; i < 20000; i++) {
		uint32_t n = 1 + (uint32_t)rand() % 64;
		struct rate_report report = {
			.characters = rand() % 2 ? sent - (uint32_t)rand() % 100 : (uint32_t)rand(),
			.at = (sb_time)(rand() % 1000) * SB_SEC * (rand() % 3),
		};

		now += (sb_time)(rand() % 100) * SB_MS;
		dry_at = sb_time_max(dry_at, now) + n * SB_MS;
		rate_sent(r, now, n, dry_at);
		sent += n;
		if (rand() % 3 == 0)
			rate_report(r, now, &report);
		rate_tick(r, now);
		ck_assert_double_ge(rate_bps(r), 300 * 0.3);
		ck_assert_double_le(rate_bps(r), 1e6 * 2);
		ck_assert_int_ge(rate_queue(r, now), 0);
	}
	rate_free(r);
}
END_TEST

START_TEST(report_before_anything_was_sent)
{
	struct rate *r = fresh();

	rate_begin(r, 9600, SB_SEC);
	rate_report(r, SB_SEC, &(struct rate_report){.characters = 0, .at = 5 * SB_SEC});
	rate_report(r, SB_SEC, &(struct rate_report){.characters = 77, .at = 6 * SB_SEC});
	rate_tick(r, SB_SEC);
	ck_assert_double_eq(rate_bps(r), 9600);
	ck_assert_double_eq(rate_known_bps(r), 0);
	rate_free(r);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("rate");
	TCase *ways = tcase_create("ways"), *world = tcase_create("world");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(ways, NULL, tear_down);
	tcase_set_timeout(ways, 60);
	tcase_add_loop_test(ways, settles_from_four_times_too_high, 0, WAYS);
	tcase_add_loop_test(ways, settles_from_four_times_too_low, 0, WAYS);
	tcase_add_loop_test(ways, settles_at_300_bps, 0, DELAYS);
	tcase_add_loop_test(ways, settles_at_4_mbps, 0, DELAYS * BUFFERS);
	tcase_add_loop_test(ways, stays_exact_busy_and_shallow, 0, WAYS);
	tcase_add_loop_test(ways, follows_a_change, 0, CHANGING * CHANGES);
	tcase_add_test(ways, idle_line_keeps_what_is_known);
	tcase_add_test(ways, silent_peer_leaves_the_rate_as_it_was);
	tcase_add_test(ways, lost_characters_are_no_queue);
	tcase_add_test(ways, guess_stays_without_a_report);
	tcase_add_test(ways, full_port_shows_the_rate);
	suite_add_tcase(s, ways);
	tcase_add_loop_test(world, peer_that_says_anything, 0, 5);
	tcase_add_test(world, report_before_anything_was_sent);
	suite_add_tcase(s, world);
	runner = srunner_create(s);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
