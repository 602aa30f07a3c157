/* SPDX-License-Identifier: MIT */
/*
 * The keep-alive by itself: when it asks, and what it makes of silence.
 */
#include "ppp/keepalive.h"
#include "tests/unit/codec_testing.h"

static struct keepalive k;
static sb_time now;

/* 38400 bit/s: 250 characters are 65 ms, the longest frame 400. */
static const struct keepalive_config config = {
	.interval = 10 * SB_SEC,
	.max_silent = 6,
	.chars_per_sec = 3840,
	.frame_chars = 1536,
};
#define ROUND_TRIP (20 * SB_MS)
/* Least patience and slack, as keepalive.c has them. */
#define PATIENCE (200 * SB_MS + 160 * SB_SEC / 3840)
#define QUIET    (340 * SB_MS)
#define FRAME    (1536 * SB_SEC / 3840)

/* Asked and answered at once, as when a link comes up. */
static void answer(void)
{
	sb_time asked_at = now;

	keepalive_asked(&k, now);
	now += ROUND_TRIP;
	keepalive_receiving(&k, now);
	keepalive_replied(&k, now, asked_at);
	keepalive_heard(&k, now);
}

static void start_with(const struct keepalive_config *c)
{
	now = 1000 * SB_SEC;
	keepalive_start(&k, c, now);
	if (keepalive_tick(&k, now))
		answer();
}

static void set_up(void)
{
	start_with(&config);
}

/* Runs to the deadline, which is to be within 1 ms of that far away; true: it asks. */
static bool at_deadline(sb_time away)
{
	sb_time deadline = keepalive_deadline(&k);

	ck_assert_int_ge(deadline, now + away - SB_MS);
	ck_assert_int_le(deadline, now + away + SB_MS);
	ck_assert(!keepalive_tick(&k, deadline - 1));
	now = deadline;
	return keepalive_tick(&k, now);
}

START_TEST(a_link_is_measured_first)
{
	ck_assert_uint_eq(k.rtt.count, 1);
	ck_assert_int_eq(k.rtt.last, ROUND_TRIP);
	ck_assert_int_eq(k.rtt.smoothed, ROUND_TRIP);
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_ALIVE);
}
END_TEST

START_TEST(an_idle_line_is_asked_every_interval)
{
	for (int i = 0; i < 5; i++) {
		ck_assert(at_deadline(10 * SB_SEC - ROUND_TRIP));
		ck_assert_int_gt(keepalive_deadline(&k), now + FRAME); /* it has to leave first */
		answer();
	}
	ck_assert_uint_eq(k.requests, 6);
	ck_assert_uint_eq(k.replies, 6);
}
END_TEST

START_TEST(traffic_our_way_does_not_save_the_regular_request)
{
	for (int i = 0; i < 99; i++) {
		now += 100 * SB_MS;
		keepalive_heard(&k, now);
		ck_assert(!keepalive_tick(&k, now));
	}
	ck_assert(at_deadline(10 * SB_SEC - ROUND_TRIP - 99 * 100 * SB_MS));
}
END_TEST

/* 16 characters are 0.5 % of a line at 3840 in 0.83 s; a few requests are ahead of that. */
START_TEST(a_line_relied_on_is_asked_when_it_is_quiet)
{
	const sb_time spacing = 3200 * SB_SEC / 3840;

	now += 5 * SB_SEC;
	for (int i = 0; i < 6; i++) {
		keepalive_relied(&k, now);
		ck_assert(at_deadline(QUIET));
		answer();
	}
	for (int i = 0; i < 5; i++) {
		sb_time last_at = now - ROUND_TRIP;
		keepalive_relied(&k, now);
		sb_time away = keepalive_deadline(&k) - last_at;
		ck_assert_int_gt(away, i ? spacing - SB_MS : QUIET);
		ck_assert_int_le(away, spacing + SB_MS);
		now = keepalive_deadline(&k);
		ck_assert(keepalive_tick(&k, now));
		answer();
	}
	now += SB_SEC; /* nothing more is given to the line */
	ck_assert_int_gt(keepalive_deadline(&k), now + 5 * SB_SEC);
}
END_TEST

START_TEST(no_answer_is_silence)
{
	now += 5 * SB_SEC;
	keepalive_relied(&k, now);
	ck_assert(at_deadline(QUIET));
	now += 100 * SB_MS; /* a frame was in the way */
	keepalive_asked(&k, now);
	ck_assert(!at_deadline(PATIENCE));
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_SILENT);
	/* asked on, every half second */
	ck_assert(at_deadline(500 * SB_MS - PATIENCE));
	for (int i = 0; i < 5; i++) {
		keepalive_asked(&k, now);
		ck_assert(at_deadline(500 * SB_MS));
	}
	keepalive_asked(&k, now);
	now += 200 * SB_MS;
	keepalive_heard(&k, now);
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_ALIVE);
	ck_assert_uint_eq(k.unanswered, 0);
}
END_TEST

/* While characters come the peer speaks: its frame may be a long one. */
START_TEST(characters_are_life_for_two_frames)
{
	sb_time asked_at;

	now += 5 * SB_SEC;
	keepalive_relied(&k, now);
	ck_assert(at_deadline(QUIET));
	keepalive_asked(&k, now);
	asked_at = now;
	for (int i = 0; i < 10; i++) {
		now += 80 * SB_MS;
		keepalive_receiving(&k, now);
		ck_assert(!keepalive_tick(&k, now));
	}
	/* from the last character on */
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_ALIVE);
	ck_assert_int_ge(keepalive_deadline(&k), asked_at + 800 * SB_MS + PATIENCE - SB_MS);
	/* but noise that goes on and on does not count */
	while (keepalive_state(&k) == KEEPALIVE_ALIVE) {
		now += 20 * SB_MS;
		keepalive_receiving(&k, now);
		keepalive_tick(&k, now);
		ck_assert_int_le(now, asked_at + 800 * SB_MS + PATIENCE + 40 * SB_MS);
	}
	keepalive_receiving(&k, now);
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_SILENT);
}
END_TEST

START_TEST(silence_in_the_end_is_loss)
{
	sb_time heard_at = now;

	for (int i = 0; i < 1000 && keepalive_state(&k) != KEEPALIVE_LOST; i++) {
		now = keepalive_deadline(&k);
		ck_assert_int_ne(now, SB_NEVER);
		if (keepalive_tick(&k, now))
			keepalive_asked(&k, now);
	}
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_LOST);
	ck_assert_int_eq(now, heard_at + 60 * SB_SEC);
	ck_assert_int_eq(keepalive_deadline(&k), SB_NEVER);
	ck_assert(!keepalive_tick(&k, now + 100 * SB_SEC));
}
END_TEST

/* A line that takes no characters and brings none is as good as silent, and given up as one. */
START_TEST(a_request_that_cannot_leave)
{
	sb_time heard_at = now;

	now += 5 * SB_SEC;
	keepalive_relied(&k, now);
	ck_assert(at_deadline(QUIET));
	ck_assert(!at_deadline(FRAME + PATIENCE)); /* one may be in its way */
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_SILENT);
	ck_assert_int_eq(k.since, heard_at);
	ck_assert(!at_deadline(heard_at + 60 * SB_SEC - now));
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_LOST);
}
END_TEST

/* Where the port is held by a peer that speaks on, it is not. */
START_TEST(a_request_that_waits_while_the_peer_speaks)
{
	ck_assert(at_deadline(10 * SB_SEC - ROUND_TRIP));
	for (int i = 0; i < 100; i++) {
		now += 200 * SB_MS;
		keepalive_heard(&k, now);
		ck_assert(!keepalive_tick(&k, now));
	}
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_ALIVE);
	answer();
	ck_assert(at_deadline(10 * SB_SEC - ROUND_TRIP));
}
END_TEST

START_TEST(never_given_up)
{
	struct keepalive_config c = config;
	unsigned asked = 0;

	c.max_silent = 0;
	start_with(&c);
	for (sb_time end = now + 3600 * SB_SEC; now < end; now = keepalive_deadline(&k))
		if (keepalive_tick(&k, now)) {
			keepalive_asked(&k, now);
			asked++;
		}
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_SILENT);
	ck_assert_uint_ge(asked, 7100);
	ck_assert_uint_le(asked, 7200);
	ck_assert_uint_eq(k.unanswered, asked);
	keepalive_heard(&k, now);
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_ALIVE);
}
END_TEST

START_TEST(never_asked)
{
	struct keepalive_config c = config;

	c.interval = 0;
	start_with(&c);
	ck_assert_uint_eq(k.requests, 0);
	keepalive_relied(&k, now);
	ck_assert_int_eq(keepalive_deadline(&k), SB_NEVER);
	ck_assert(!keepalive_tick(&k, now + 1000 * SB_SEC));
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_ALIVE);
}
END_TEST

/* Limit 5; four are lost in an hour, with data received in between, then one more. */
START_TEST(B048_lost_requests_do_not_add_up)
{
	struct keepalive_config c = config;

	c.max_silent = 5;
	start_with(&c);
	for (int lost = 0; lost < 5; lost++) {
		now = keepalive_deadline(&k);
		ck_assert(keepalive_tick(&k, now));
		keepalive_asked(&k, now);
		now = keepalive_deadline(&k);
		keepalive_tick(&k, now);
		ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_SILENT);
		for (int i = 0; i < 720; i++) {
			now += SB_SEC;
			keepalive_heard(&k, now);
			if (keepalive_tick(&k, now))
				answer();
			ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_ALIVE);
		}
	}
}
END_TEST

/* A stream that breaks off is asked after sooner: what pauses now and then may only pause. */
START_TEST(a_stream_that_stops)
{
	now += 5 * SB_SEC;
	for (int i = 0; i < 100; i++) {
		now += 20 * SB_MS;
		keepalive_relied(&k, now);
		keepalive_heard(&k, now);
		ck_assert(!keepalive_tick(&k, now));
	}
	ck_assert(at_deadline(150 * SB_MS));
	answer();
	keepalive_relied(&k, now);
	ck_assert(at_deadline(QUIET));
}
END_TEST

/* What a peer of our kind says on a line in use, every 300 ms, is enough. */
START_TEST(heartbeats_save_requests)
{
	unsigned asked = 0;

	for (int i = 0; i < 1000; i++) {
		keepalive_relied(&k, now);
		now += 300 * SB_MS;
		if (keepalive_tick(&k, now)) {
			asked++;
			answer();
		}
		keepalive_heard(&k, now);
	}
	ck_assert_uint_ge(asked, 28); /* every 10 s */
	ck_assert_uint_le(asked, 30);
}
END_TEST

/* The line is fast, so that frames are shorter than the pauses between heartbeats. */
START_TEST(a_fast_line_of_heartbeats_that_stop)
{
	keepalive_set_rate(&k, 115200);
	now += 5 * SB_SEC;
	for (int i = 0; i < 10; i++) {
		keepalive_relied(&k, now);
		keepalive_heard(&k, now);
		now += 300 * SB_MS;
	}
	keepalive_relied(&k, now);
	ck_assert(at_deadline(40 * SB_MS));
}
END_TEST

/* --- one way --- */

static void hear_for(sb_time duration)
{
	for (sb_time end = now + duration; now < end; now += 50 * SB_MS) {
		keepalive_heard(&k, now);
		if (keepalive_tick(&k, now))
			keepalive_asked(&k, now);
	}
}

START_TEST(the_peer_says_that_it_hears_nothing)
{
	now += SB_SEC;
	keepalive_heard(&k, now);
	keepalive_unheard(&k, now, 600 * SB_MS);
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_UNHEARD);
	ck_assert_int_eq(k.since, now - 600 * SB_MS);
	ck_assert(keepalive_tick(&k, now)); /* asked at once */
	keepalive_asked(&k, now);
	keepalive_unheard(&k, now + SB_MS, 601 * SB_MS); /* no news */
	ck_assert(at_deadline(PATIENCE) == false);
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_SILENT); /* both ways now */
	keepalive_heard(&k, now);
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_UNHEARD);
	ck_assert(at_deadline(500 * SB_MS - PATIENCE));
	answer();
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_ALIVE);
}
END_TEST

START_TEST(what_is_heard_does_not_make_us_heard)
{
	keepalive_unheard(&k, now, 600 * SB_MS);
	uint64_t before = k.requests;
	hear_for(50 * SB_SEC);
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_UNHEARD);
	ck_assert_uint_ge(k.requests - before, 95);
	ck_assert_uint_le(k.requests - before, 101);
	hear_for(11 * SB_SEC);
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_LOST); /* six intervals */
}
END_TEST

START_TEST(a_silence_that_is_told_has_bounds)
{
	keepalive_unheard(&k, now, INT64_C(4294967295) * SB_MS);
	ck_assert_int_eq(k.since, now - 2500 * SB_MS);
}
END_TEST

/* Without requests there are no replies to end it. */
START_TEST(who_never_asks_does_not_listen)
{
	struct keepalive_config c = config;

	c.interval = 0;
	start_with(&c);
	keepalive_unheard(&k, now, SB_SEC);
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_ALIVE);
}
END_TEST

START_TEST(the_peer_is_told)
{
	sb_time heard_at = now, silence;

	keepalive_relied(&k, now);
	ck_assert(at_deadline(QUIET));
	ck_assert(!keepalive_tells(&k, now, &silence));
	keepalive_asked(&k, now);
	ck_assert(!at_deadline(PATIENCE));
	ck_assert_int_eq(k.since, heard_at);
	ck_assert(keepalive_tells(&k, now, &silence)); /* at once */
	ck_assert_int_eq(silence, now - heard_at);
	ck_assert(!keepalive_tells(&k, now, &silence));
	for (int i = 0; i < 5; i++) { /* and again with every request */
		ck_assert(at_deadline(i ? 500 * SB_MS : 500 * SB_MS - PATIENCE));
		keepalive_asked(&k, now);
		ck_assert(keepalive_tells(&k, now, &silence));
	}
	keepalive_asked(&k, now);
	keepalive_heard(&k, now);
	ck_assert(!keepalive_tells(&k, now, &silence)); /* it would not be true */
}
END_TEST

/* Two replies in a row, for each as long as it takes to empty a full port. */
START_TEST(a_peer_that_speaks_but_does_not_reply)
{
	sb_time from;

	hear_for(9 * SB_SEC);
	from = now;
	hear_for(12 * SB_SEC);
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_ALIVE);
	while (keepalive_state(&k) == KEEPALIVE_ALIVE)
		hear_for(50 * SB_MS);
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_UNHEARD);
	ck_assert_int_ge(now, from + 13 * SB_SEC);
	ck_assert_int_le(now, from + 15 * SB_SEC);
	ck_assert_int_ge(k.since, now - 2600 * SB_MS);
	answer();
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_ALIVE);
}
END_TEST

START_TEST(one_reply_may_be_lost)
{
	for (int i = 0; i < 10; i++) {
		hear_for(18 * SB_SEC); /* asked, and asked again */
		ck_assert_uint_eq(k.overdue, 1);
		answer();
	}
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_ALIVE);
}
END_TEST

START_TEST(a_peer_that_never_replied)
{
	now = 1000 * SB_SEC;
	keepalive_start(&k, &config, now);
	hear_for(300 * SB_SEC);
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_ALIVE);
}
END_TEST

/* --- round trips --- */

static void round_trip(sb_time sample, bool disturbed)
{
	sb_time asked_at = now;

	keepalive_asked(&k, now);
	if (disturbed)
		keepalive_heard(&k, now + sample / 2);
	now += sample;
	keepalive_replied(&k, now, asked_at);
	keepalive_heard(&k, now);
}

START_TEST(patience_follows_the_round_trips)
{
	for (int i = 0; i < 100; i++)
		round_trip(i % 2 ? 1000 * SB_MS : 1400 * SB_MS, false);
	ck_assert_int_gt(k.rtt.smoothed, 1150 * SB_MS);
	ck_assert_int_lt(k.rtt.smoothed, 1250 * SB_MS);
	ck_assert_int_eq(k.rtt.least, ROUND_TRIP);
	ck_assert_int_eq(k.rtt.most, 1400 * SB_MS);
	keepalive_asked(&k, now);
	sb_time wait = keepalive_deadline(&k) - now;
	ck_assert_int_gt(wait, 1900 * SB_MS);
	ck_assert_int_lt(wait, 2300 * SB_MS);
}
END_TEST

START_TEST(the_peers_queue_is_not_the_lines)
{
	for (int i = 0; i < 100; i++)
		round_trip(2 * SB_SEC, true);
	ck_assert_int_eq(k.rtt.smoothed, ROUND_TRIP);
	ck_assert_int_eq(k.rtt.last, 2 * SB_SEC);
	ck_assert_int_eq(k.rtt.most, 2 * SB_SEC);
	ck_assert_uint_eq(k.rtt.count, 101);
	round_trip(10 * SB_MS, true); /* an upper bound that is below */
	ck_assert_int_eq(k.rtt.smoothed, 10 * SB_MS);
}
END_TEST

START_TEST(before_the_first_answer_there_is_patience)
{
	now = 1000 * SB_SEC;
	keepalive_start(&k, &config, now);
	ck_assert(keepalive_tick(&k, now));
	keepalive_asked(&k, now);
	ck_assert(at_deadline(3 * SB_SEC + 160 * SB_SEC / 3840)); /* and it asks again */
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_SILENT);
}
END_TEST

START_TEST(a_slower_line_is_asked_less)
{
	keepalive_set_rate(&k, 960);
	now += 5 * SB_SEC;
	keepalive_relied(&k, now);
	ck_assert(at_deadline(QUIET));
	for (int i = 0; i < 6; i++) { /* those that are ahead of their time */
		answer();
		keepalive_relied(&k, now);
		now = keepalive_deadline(&k);
		ck_assert(keepalive_tick(&k, now));
	}
	answer();
	keepalive_relied(&k, now);
	ck_assert(at_deadline(3200 * SB_SEC / 960 - ROUND_TRIP));
	keepalive_asked(&k, now);
	ck_assert(!at_deadline(200 * SB_MS + 160 * SB_SEC / 960));
	ck_assert_int_eq(keepalive_state(&k), KEEPALIVE_SILENT);
	ck_assert(at_deadline(800 * SB_SEC / 960 - 200 * SB_MS - 160 * SB_SEC / 960));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("keepalive");
	TCase *t = tcase_create("asks");
	tcase_add_checked_fixture(t, set_up, NULL);
	tcase_add_test(t, a_link_is_measured_first);
	tcase_add_test(t, an_idle_line_is_asked_every_interval);
	tcase_add_test(t, traffic_our_way_does_not_save_the_regular_request);
	tcase_add_test(t, a_line_relied_on_is_asked_when_it_is_quiet);
	tcase_add_test(t, never_asked);
	tcase_add_test(t, a_slower_line_is_asked_less);
	tcase_add_test(t, a_stream_that_stops);
	tcase_add_test(t, heartbeats_save_requests);
	tcase_add_test(t, a_fast_line_of_heartbeats_that_stop);
	suite_add_tcase(s, t);

	t = tcase_create("one way");
	tcase_add_checked_fixture(t, set_up, NULL);
	tcase_add_test(t, the_peer_says_that_it_hears_nothing);
	tcase_add_test(t, what_is_heard_does_not_make_us_heard);
	tcase_add_test(t, a_silence_that_is_told_has_bounds);
	tcase_add_test(t, who_never_asks_does_not_listen);
	tcase_add_test(t, the_peer_is_told);
	tcase_add_test(t, a_peer_that_speaks_but_does_not_reply);
	tcase_add_test(t, one_reply_may_be_lost);
	tcase_add_test(t, a_peer_that_never_replied);
	suite_add_tcase(s, t);

	t = tcase_create("silence");
	tcase_add_checked_fixture(t, set_up, NULL);
	tcase_add_test(t, no_answer_is_silence);
	tcase_add_test(t, characters_are_life_for_two_frames);
	tcase_add_test(t, silence_in_the_end_is_loss);
	tcase_add_test(t, a_request_that_cannot_leave);
	tcase_add_test(t, a_request_that_waits_while_the_peer_speaks);
	tcase_add_test(t, never_given_up);
	tcase_add_test(t, B048_lost_requests_do_not_add_up);
	suite_add_tcase(s, t);

	t = tcase_create("round trips");
	tcase_add_checked_fixture(t, set_up, NULL);
	tcase_add_test(t, patience_follows_the_round_trips);
	tcase_add_test(t, the_peers_queue_is_not_the_lines);
	tcase_add_test(t, before_the_first_answer_there_is_patience);
	suite_add_tcase(s, t);
	return run_suite(s);
}
