/* SPDX-License-Identifier: MIT */
/*
 * Lines that fall silent and return, measured; and full lines, which are not silent.
 */
#include "tests/unit/link_testing.h"

static struct pair p;
static struct end *const a = &p.end[0], *const b = &p.end[1];

/* As sched/multilink.c keeps a line in use that has nothing to carry. */
static const struct traffic heartbeats = {.length = 6, .every = 300 * SB_MS};
enum { HEARTBEATS = 1 };

static struct traffic traffic_of(size_t length)
{
	return length == HEARTBEATS ? heartbeats : (struct traffic){.length = length};
}

static void start_as(double chars_per_sec, size_t from_a, size_t from_b, const char *identity)
{
	pair_init(&p, chars_per_sec, 11);
	a->config.identity = "serialbundle 1.0";
	b->config.identity = identity;
	pair_start(&p);
	ck_assert(pair_comes_up(&p, 10 * SB_SEC));
	pair_run(&p, 3 * SB_SEC);
	a->traffic = traffic_of(from_a);
	b->traffic = traffic_of(from_b);
	pair_run(&p, 5 * SB_SEC);
}

static void start(double chars_per_sec, size_t from_a, size_t from_b)
{
	start_as(chars_per_sec, from_a, from_b, "serialbundle 1.1");
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
	{3840, 900, HEARTBEATS, 0},
	{3840, HEARTBEATS, HEARTBEATS, 100 * SB_MS},
	{240, 576, HEARTBEATS, 0},
	{11520, HEARTBEATS, 900, 0},
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
	a->traffic = traffic_of(l->from_a);
	b->traffic = traffic_of(l->from_b);
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
	ck_assert_uint_le(asked * 16, 384000 / 200 + 16); /* 0.5 % */
	pair_free(&p);

	static const size_t from_peer[] = {900, HEARTBEATS}; /* is heard anyway */
	for (int i = 0; i < 2; i++) {
		start(3840, 900, from_peer[i]);
		before = a->frames[CODE_ECHO_REQUEST];
		pair_run(&p, 100 * SB_SEC);
		ck_assert_uint_le(a->frames[CODE_ECHO_REQUEST] - before, 11);
		pair_free(&p);
	}
}
END_TEST

/* --- silence, and return --- */

struct measure {
	double chars_per_sec;
	size_t from_a, from_b;
	sb_time silence, back; /* durations at most */
};

/*
 * A request waits for the frame that is under way, and where only heartbeats come, one
 * may just have come. So with 900 characters at 38400 bit/s it takes 150 ms, 240 for the
 * frame, 245 of patience; with heartbeats 190 more.
 */
static const struct measure measures[] = {
	{3840, 900, 900, 650 * SB_MS, 800 * SB_MS},
	{3840, 900, HEARTBEATS, 850 * SB_MS, 800 * SB_MS},
	{3840, HEARTBEATS, 900, 450 * SB_MS, 800 * SB_MS},
	{3840, HEARTBEATS, HEARTBEATS, 600 * SB_MS, 650 * SB_MS},
	{3840, 576, 576, 600 * SB_MS, 800 * SB_MS},
	{3840, 1500, 1500, 900 * SB_MS, 900 * SB_MS},
	{11520, 1500, 1500, 650 * SB_MS, 700 * SB_MS},
	{960, 900, 900, 1600 * SB_MS, 1300 * SB_MS},
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

/* --- one way --- */

struct one_way {
	double chars_per_sec;
	size_t from_a, from_b;
	sb_time told, back; /* durations at most, for the end that hears all well */
};

static const struct one_way one_ways[] = {
	{3840, 900, 900, 900 * SB_MS, 800 * SB_MS},
	{3840, 900, HEARTBEATS, 450 * SB_MS, 650 * SB_MS},
	{3840, HEARTBEATS, 900, 1000 * SB_MS, 800 * SB_MS},
	{11520, 900, HEARTBEATS, 400 * SB_MS, 650 * SB_MS},
};
enum { ONE_WAYS = sizeof one_ways / sizeof one_ways[0] };

/* b hears nothing of a, and a is told. */
START_TEST(who_is_not_heard_is_told)
{
	const struct one_way *m = &one_ways[_i];

	start(m->chars_per_sec, m->from_a, m->from_b);
	for (int i = 0; i < 12; i++) {
		unsigned heard = count_events(a, LINK_EVENT_HEARD);
		sb_time since = p.now;
		p.wire[0].cut = true;
		pair_run(&p, 4 * SB_SEC + i * 71 * SB_MS);
		ck_assert_int_gt(b->silent_at, since);
		ck_assert_int_ge(a->silent_at, b->silent_at);
		ck_assert_int_le(a->silent_at - since, m->told);
		/* though it hears b all the time */
		ck_assert_uint_eq(count_events(a, LINK_EVENT_HEARD), heard);
		assert_last_event(a, LINK_EVENT_SILENT, LINK_UNHEARD);
		/* what arrived last did so before the cut; that was a frame ago at most */
		sb_time frame = (sb_time)(920 / m->chars_per_sec * SB_SEC) + 20 * SB_MS;
		sb_time doubtful = a->events[a->events_count - 1].since;
		ck_assert_int_le(doubtful, since + 50 * SB_MS);
		ck_assert_int_ge(doubtful, since - sb_time_max(frame, 310 * SB_MS));

		since = p.now;
		p.wire[0].cut = false;
		pair_run(&p, 6 * SB_SEC + i * 97 * SB_MS);
		ck_assert_int_gt(a->heard_at, since);
		ck_assert_int_le(a->heard_at - since, m->back);
		ck_assert_uint_eq(count_events(a, LINK_EVENT_HEARD), heard + 1);
		ck_assert_uint_eq(count_events(b, LINK_EVENT_HEARD), heard + 1);
	}
	pair_free(&p);
}
END_TEST

/* Both ways are gone, then one returns before the other, whichever: it is of no use until both
 * do. */
START_TEST(ways_return_one_after_the_other)
{
	start(3840, 900, 900);
	cut(true);
	pair_run(&p, 3 * SB_SEC);
	p.wire[_i].cut = false;
	pair_run(&p, 3 * SB_SEC);
	ck_assert_uint_eq(count_events(a, LINK_EVENT_HEARD), 0);
	ck_assert_uint_eq(count_events(b, LINK_EVENT_HEARD), 0);
	sb_time since = p.now;
	cut(false);
	pair_run(&p, 3 * SB_SEC);
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(count_events(&p.end[i], LINK_EVENT_HEARD), 1);
		ck_assert_int_le(p.end[i].heard_at - since, SB_SEC);
	}
	pair_run(&p, 60 * SB_SEC);
	ck_assert_uint_eq(alarms(), 2);
	pair_free(&p);
}
END_TEST

static const char *const others[] = {"", "Max TNT", "serial", "serialbundles 1"};

START_TEST(a_peer_of_another_kind_is_not_told)
{
	start_as(3840, 900, HEARTBEATS, others[_i]);
	p.wire[1].cut = true;
	pair_run(&p, 5 * SB_SEC);
	ck_assert_uint_eq(count_events(a, LINK_EVENT_SILENT), 1);
	ck_assert_uint_eq(a->frames[CODE_DISCARD_REQUEST], 0);
	pair_free(&p);
}
END_TEST

/* A peer that asks nothing of us and sends on: b finds out by the replies that it misses. */
START_TEST(missing_replies_tell_as_well)
{
	pair_init(&p, 3840, 3);
	a->config.keepalive.interval = 0;
	pair_start(&p);
	ck_assert(pair_comes_up(&p, 10 * SB_SEC));
	a->traffic.length = 900;
	b->traffic = heartbeats;
	pair_run(&p, 20 * SB_SEC);
	p.wire[1].cut = true;
	pair_run(&p, 10 * SB_SEC); /* for a request, and 6 s for each of two replies */
	ck_assert_uint_eq(alarms(), 0);
	pair_run(&p, 14 * SB_SEC);
	ck_assert_uint_eq(alarms(), 1);
	assert_last_event(b, LINK_EVENT_SILENT, LINK_UNHEARD);

	sb_time since = p.now;
	p.wire[1].cut = false;
	pair_run(&p, 2 * SB_SEC);
	assert_last_event(b, LINK_EVENT_HEARD, LINK_FINE);
	ck_assert_int_le(b->heard_at - since, SB_SEC);
	pair_free(&p);
}
END_TEST

/* Not heard is not there: in the end the link is given up, by who hears nothing. */
START_TEST(one_way_for_too_long)
{
	start(3840, 900, HEARTBEATS);
	p.wire[0].cut = true;
	pair_run(&p, 58 * SB_SEC);
	ck_assert_uint_eq(count_events(a, LINK_EVENT_DOWN) + count_events(b, LINK_EVENT_DOWN), 0);
	pair_run(&p, 4 * SB_SEC);
	ck_assert_uint_eq(count_events(a, LINK_EVENT_DOWN), 1);
	ck_assert_uint_eq(count_events(b, LINK_EVENT_DOWN), 1);
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
	tcase_add_test(t, noise_is_no_life);
	tcase_add_test(t, lost_after_six_intervals);
	tcase_add_test(t, round_trips_are_told);
	suite_add_tcase(s, t);

	t = tcase_create("one way");
	tcase_set_timeout(t, 110);
	tcase_add_loop_test(t, who_is_not_heard_is_told, 0, ONE_WAYS);
	tcase_add_loop_test(t, ways_return_one_after_the_other, 0, 2);
	tcase_add_loop_test(t, a_peer_of_another_kind_is_not_told, 0,
			    sizeof others / sizeof others[0]);
	tcase_add_test(t, missing_replies_tell_as_well);
	tcase_add_test(t, one_way_for_too_long);
	suite_add_tcase(s, t);
	return run_suite(s);
}
