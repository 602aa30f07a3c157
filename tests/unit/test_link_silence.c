/* SPDX-License-Identifier: MIT */
/*
 * Lines that fall silent and return, measured; and full lines, which are not silent.
 */
#include "tests/unit/link_testing.h"

static struct pair p;
static struct end *const a = &p.end[0], *const b = &p.end[1];

static void start(double chars_per_sec, size_t from_a, size_t from_b)
{
	pair_init(&p, chars_per_sec, 11);
	pair_start(&p);
	ck_assert(pair_comes_up(&p, 10 * SB_SEC));
	pair_run(&p, 3 * SB_SEC);
	a->traffic.length = from_a;
	b->traffic.length = from_b;
	pair_run(&p, 5 * SB_SEC);
}

static void cut(bool is_cut)
{
	p.wire[0].cut = p.wire[1].cut = is_cut;
}

static unsigned alarms(void)
{
	return count_events(a, LINK_EVENT_SILENT) + count_events(b, LINK_EVENT_SILENT);
}

/* --- full lines --- */

struct load {
	double chars_per_sec;
	size_t from_a, from_b;
	sb_time delay;
};

static const struct load loads[] = {
	{960, 1500, 1500, 0},
	{960, 900, 900, 0},
	{960, 900, 1500, 300 * SB_MS},
	{960, 1500, 0, 0},
	{240, 576, 576, 0},
	{3840, 1500, 40, 0},
	{3840, 1500, 1500, 700 * SB_MS},
	{11520, 1500, 1500, 0},
	{11520, 60, 1500, 0},
};
enum { LOADS = sizeof loads / sizeof loads[0] };

/* The second half of B048: a saturated line is not given up, nor taken for silent. */
START_TEST(B048_a_full_line_is_not_silent)
{
	const struct load *l = &loads[_i];

	pair_init(&p, l->chars_per_sec, 5);
	for (int i = 0; i < 2; i++) {
		p.wire[i].delay = l->delay;
		p.end[i].config.keepalive.interval = SB_SEC;
		p.end[i].config.keepalive.max_silent = 5;
	}
	pair_start(&p);
	ck_assert(pair_comes_up(&p, 20 * SB_SEC));
	a->traffic.length = l->from_a;
	b->traffic.length = l->from_b;
	pair_run(&p, 180 * SB_SEC);
	ck_assert_uint_eq(alarms(), 0);
	ck_assert(is_up(a) && is_up(b));
	pair_free(&p);
}
END_TEST

/* Packets that come and go. */
START_TEST(traffic_with_pauses_is_not_silence)
{
	pair_init(&p, 3840, 5);
	pair_start(&p);
	ck_assert(pair_comes_up(&p, 5 * SB_SEC));
	for (int i = 0; i < 200; i++) {
		a->traffic.length = i % 3 ? 900 : 0;
		b->traffic.length = i % 7 ? 0 : 1500;
		pair_run(&p, (sb_time)(50 + random_below(&a->random, 2000)) * SB_MS);
	}
	ck_assert_uint_eq(alarms(), 0);
	pair_free(&p);
}
END_TEST

START_TEST(requests_are_cheap)
{
	start(3840, 900, 0);
	uint64_t before = a->frames[CODE_ECHO_REQUEST];
	pair_run(&p, 100 * SB_SEC);
	uint64_t asked = a->frames[CODE_ECHO_REQUEST] - before;
	ck_assert_uint_gt(asked, 60);
	ck_assert_uint_le(asked * 16, 384000 / 200); /* 0.5 % */
	pair_free(&p);

	start(3840, 900, 900); /* and nearly none when the peer is heard anyway */
	before = a->frames[CODE_ECHO_REQUEST];
	pair_run(&p, 100 * SB_SEC);
	ck_assert_uint_le(a->frames[CODE_ECHO_REQUEST] - before, 11);
	pair_free(&p);
}
END_TEST

/* --- silence, and return --- */

struct measure {
	double chars_per_sec;
	size_t from_a, from_b;
	sb_time silence, back; /* durations at most */
};

/* At 38400 bit/s within 0.9 s; with the longest frames, one more of which may be under way, 1.1. */
static const struct measure measures[] = {
	{3840, 900, 900, 900 * SB_MS, 800 * SB_MS},
	{3840, 576, 576, 800 * SB_MS, 800 * SB_MS},
	{3840, 1500, 1500, 1100 * SB_MS, 900 * SB_MS},
	{11520, 1500, 1500, 800 * SB_MS, 700 * SB_MS},
	{960, 900, 900, 1800 * SB_MS, 1000 * SB_MS},
};
enum { MEASURES = sizeof measures / sizeof measures[0] };

START_TEST(silence_and_return_are_noticed_in_time)
{
	const struct measure *m = &measures[_i];

	start(m->chars_per_sec, m->from_a, m->from_b);
	for (int i = 0; i < 12; i++) {
		sb_time since = p.now;
		cut(true);
		pair_run(&p, 4 * SB_SEC + i * 71 * SB_MS);
		ck_assert_int_gt(a->silent_at, since);
		ck_assert_int_le(a->silent_at - since, m->silence);

		since = p.now;
		cut(false);
		pair_run(&p, 6 * SB_SEC + i * 97 * SB_MS);
		ck_assert_int_gt(a->heard_at, since);
		ck_assert_int_le(a->heard_at - since, m->back);
		ck_assert(is_up(a) && is_up(b));
	}
	pair_free(&p);
}
END_TEST

/* Nothing was sent for a while; the first packet finds out. */
START_TEST(an_idle_line_that_died_before)
{
	start(3840, 0, 0);
	pair_run(&p, SB_SEC);
	cut(true);
	pair_run(&p, SB_SEC);
	ck_assert_uint_eq(alarms(), 0);
	sb_time since = p.now;
	a->traffic = (struct traffic){.length = 60, .every = 3600 * SB_SEC};
	pair_run(&p, 2 * SB_SEC);
	ck_assert_uint_eq(count_events(a, LINK_EVENT_SILENT), 1);
	ck_assert_int_le(a->silent_at - since, 700 * SB_MS);
	pair_free(&p);
}
END_TEST

/* Only one direction is gone: each end finds out by itself. */
START_TEST(one_direction_gone)
{
	start(3840, 900, 900);
	sb_time since = p.now;
	p.wire[0].cut = true;
	pair_run(&p, 3 * SB_SEC);
	ck_assert_int_gt(b->silent_at, since);
	ck_assert_int_le(b->silent_at - since, 900 * SB_MS);
	pair_free(&p);
}
END_TEST

/* A dead line that hisses. */
START_TEST(noise_is_no_life)
{
	start(3840, 900, 900);
	sb_time since = p.now;
	p.wire[0].damage = p.wire[1].damage = 1;
	pair_run(&p, 3 * SB_SEC);
	ck_assert_int_gt(a->silent_at, since);
	ck_assert_int_le(a->silent_at - since, 2700 * SB_MS);
	pair_free(&p);
}
END_TEST

START_TEST(lost_after_six_intervals)
{
	start(3840, 900, 900);
	cut(true);
	pair_run(&p, 58 * SB_SEC);
	ck_assert(is_up(a));
	ck_assert_uint_eq(count_events(a, LINK_EVENT_DOWN), 0);
	pair_run(&p, 4 * SB_SEC);
	assert_last_event(a, LINK_EVENT_DOWN, LINK_LOST);
	pair_run(&p, 10 * SB_SEC);
	ck_assert_int_eq(link_phase(a->link), LINK_DEAD);
	ck_assert_uint_eq(count_events(a, LINK_EVENT_DOWN), 1);
	/* and it can be opened again */
	cut(false);
	link_open(a->link, p.now);
	link_open(b->link, p.now);
	ck_assert(pair_comes_up(&p, 10 * SB_SEC));
	pair_free(&p);
}
END_TEST

START_TEST(round_trips_are_told)
{
	struct link_counters counters;

	pair_init(&p, 3840, 5);
	p.wire[0].delay = p.wire[1].delay = 100 * SB_MS;
	pair_start(&p);
	ck_assert(pair_comes_up(&p, 5 * SB_SEC));
	pair_run(&p, 60 * SB_SEC);
	link_count(a->link, &counters);
	ck_assert_uint_ge(counters.rtt.count, 6);
	ck_assert_int_ge(counters.rtt.least, 200 * SB_MS);
	ck_assert_int_le(counters.rtt.last, 230 * SB_MS);
	ck_assert_int_le(counters.rtt.smoothed, 250 * SB_MS);
	pair_free(&p);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("link_silence");
	TCase *t = tcase_create("full");
	tcase_set_timeout(t, 110);
	tcase_add_loop_test(t, B048_a_full_line_is_not_silent, 0, LOADS);
	tcase_add_test(t, traffic_with_pauses_is_not_silence);
	tcase_add_test(t, requests_are_cheap);
	suite_add_tcase(s, t);

	t = tcase_create("silent");
	tcase_set_timeout(t, 110);
	tcase_add_loop_test(t, silence_and_return_are_noticed_in_time, 0, MEASURES);
	tcase_add_test(t, an_idle_line_that_died_before);
	tcase_add_test(t, one_direction_gone);
	tcase_add_test(t, noise_is_no_life);
	tcase_add_test(t, lost_after_six_intervals);
	tcase_add_test(t, round_trips_are_told);
	suite_add_tcase(s, t);
	return run_suite(s);
}
