/* SPDX-License-Identifier: MIT */
/*
 * One of two lines fails in the middle of a stream, at any moment and in any way that no
 * modem line shows: for how long does nothing arrive?
 *
 * The stream is as TCP's with a window, without its resending: a packet is sent for
 * each that arrives, and one goes back for every second. So all that is measured is
 * how soon a failure is noticed, and how long what it took with it is waited for.
 */
#define _DEFAULT_SOURCE
#include "tests/unit/pair_world.h"

enum {
	BPS = 38400,
	STREAM_MTU = 900,
	LENGTH = 675, /* a fourth of it is escaped: about 900 characters on the wire */
	WINDOW = 24,
	SEEDS = 10,
};
#define SETTLED  (4 * SB_SEC)
#define WATCHED  (5 * SB_SEC)
#define MOST_GAP (1300 * SB_MS)

/* Which wires of which cable are dead: both, from the sender, or from the receiver. */
static const struct {
	unsigned cable;
	bool from[2];
} failures[] = {
	{0, {true, true}}, {0, {true, false}}, {0, {false, true}},
	{1, {true, true}}, {1, {true, false}}, {1, {false, true}},
};
enum { FAILURES = sizeof(failures) / sizeof(failures[0]) };

static struct {
	unsigned arrived, returned;
	sb_time last_at, gap;
} stream;

static unsigned arrived_at(const struct host *h, unsigned sent)
{
	return sent - missing(h, sent);
}

/* What came is noted, and answered, within 10 ms. */
static void go_on(void)
{
	unsigned arrived = arrived_at(host_of(1), w.side[0].sent);

	if (arrived > stream.arrived) {
		stream.gap = sb_time_max(stream.gap, w.now - stream.last_at);
		stream.last_at = w.now;
	}
	stream.arrived = arrived;
	if (w.side[0].sent < stream.arrived + WINDOW)
		side_sends(0, stream.arrived + WINDOW - w.side[0].sent);
	if (stream.returned < stream.arrived / 2)
		side_sends(1, stream.arrived / 2 - stream.returned);
	stream.returned = stream.arrived / 2;
}

static void stream_for(sb_time duration)
{
	for (sb_time end = w.now + duration; w.now < end; world_run(10 * SB_MS))
		go_on();
}

static void begin(uint64_t seed)
{
	pair_configure(2, BPS, 0);
	w.random = seed;
	w.length = LENGTH;
	for (unsigned s = 0; s < 2; s++) {
		w.side[s].config.mtu = STREAM_MTU;
	}
	pair_start();
	memset(&stream, 0, sizeof stream);
	stream_for(SETTLED + (sb_time)random_below(&w.random, 2000) * SB_MS);
}

START_TEST(a_line_that_fails_unseen_stops_a_stream_for_less_than_that)
{
	unsigned n = (unsigned)_i % FAILURES, cable = failures[n].cable;

	begin((uint64_t)_i * 7919 + 1);
	for (unsigned end = 0; end < 2; end++)
		w.cable[cable].wire[end].dead = failures[n].from[end];
	stream.gap = 0;
	stream_for(WATCHED);
	stream.gap = sb_time_max(stream.gap, w.now - stream.last_at);
	ck_assert_msg(stream.gap <= MOST_GAP, "seed %d, failure %u: nothing came for %.2f s", _i, n,
		      (double)stream.gap / SB_SEC);
	ck_assert_uint_eq(lines_up(0), 1);
	world_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("exchange_gap");
	TCase *test = tcase_create("gap");

	tcase_set_timeout(test, 120);
	tcase_add_loop_test(test, a_line_that_fails_unseen_stops_a_stream_for_less_than_that, 0,
			    FAILURES * SEEDS);
	suite_add_tcase(suite, test);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
