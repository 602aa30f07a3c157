/* SPDX-License-Identifier: MIT */
/*
 * Sixteen modems of 2400 bps over a round trip of 1.5 s, each losing its carrier about every
 * minute, for ten hours: there is a bundle all that time, each line comes back each time, and
 * nothing is lost of the memory.
 */
#define _DEFAULT_SOURCE
#include "tests/unit/modem_world.h"

enum { LINES = 16, BPS = 2400 };

#define HOUR         (3600 * SB_SEC)
#define ROUND_TRIP   (1500 * SB_MS)
#define CARRIER_TIME (60 * SB_SEC) /* on average, exponentially distributed */
#define PACKET_EVERY (20 * SB_SEC)

struct score {
	double seconds, bundle_up, lines_up; /* the last: of all lines together */
	unsigned fewest;
};

/* A second at a time, with a packet each way now and then. */
static struct score run_for(sb_time duration)
{
	struct score s = {.fewest = LINES};
	sb_time end = w.now + duration, packet_at = w.now;

	while (w.now < end) {
		unsigned up;

		if (w.now >= packet_at) {
			side_sends(0, 1);
			side_sends(1, 1);
			packet_at += PACKET_EVERY;
		}
		modem_world_run(SB_SEC);
		up = lines_up(0);
		s.seconds += 1;
		s.bundle_up += up > 0;
		s.lines_up += up;
		s.fewest = up < s.fewest ? up : s.fewest;
		for (unsigned n = 0; n < w.cables; n++)
			calls[n].up_seconds += w.side[0].lines[n].up;
	}
	return s;
}

static void print_score(const struct score *s, struct telephone_stats all)
{
	printf("%.1f h: bundle up %.4f %%, lines up %.2f of %u (at least %u), %ju calls, %ju "
	       "carriers lost\n",
	       s->seconds / 3600, 100 * s->bundle_up / s->seconds, s->lines_up / s->seconds,
	       w.cables, s->fewest, (uintmax_t)all.connected, (uintmax_t)all.dropped);
}

/* Each line had its share of calls, and came back from each. */
static struct telephone_stats check_lines(double hours)
{
	struct telephone_stats all = {0};

	for (unsigned n = 0; n < w.cables; n++) {
		struct telephone_stats t = telephone_stats(calls[n].telephone);

		ck_assert_msg(calls[n].up_seconds >= 0.55 * 3600 * hours, "line %u: %.0f s up", n,
			      calls[n].up_seconds);
		ck_assert_uint_ge(t.dropped, (uint64_t)(30 * hours));
		ck_assert_uint_le(t.connected - t.dropped, 1);
		ck_assert_uint_le(t.dialled, t.connected + t.connected / 20 + 2);
		all.connected += t.connected;
		all.dropped += t.dropped;
	}
	return all;
}

/*
 * A packet is cut over all lines, which takes a few seconds; with 16 of them one loses its carrier
 * about every 5 s, and that is known three seconds later, by when what it held is forgotten.
 */
static void check_packets(void)
{
	for (unsigned s = 0; s < 2; s++) {
		unsigned lost = missing(host_of(!s), w.side[s].sent);

		printf("side %u: %u of %u packets lost\n", s, lost, w.side[s].sent);
		ck_assert_uint_le(lost, w.side[s].sent / 8);
		ck_assert_uint_le(twice(host_of(!s), w.side[s].sent), w.side[s].sent / 20);
	}
}

START_TEST(sixteen_modems_for_ten_hours)
{
	struct score s;
	struct telephone_stats all;

	modem_world_new(LINES, BPS, ROUND_TRIP / 2, CARRIER_TIME, false);
	modem_world_run(60 * SB_SEC);
	s = run_for(10 * HOUR);
	all = check_lines(10);
	print_score(&s, all);
	ck_assert(s.bundle_up == s.seconds);
	ck_assert(s.lines_up >= 0.65 * LINES * s.seconds);
	modem_world_run(60 * SB_SEC);
	check_packets();
	modem_world_end();
}
END_TEST

/* The same with modem lines: DTR hangs up, DCD shows the loss. */
START_TEST(with_modem_lines_for_half_an_hour)
{
	struct score s;

	modem_world_new(4, BPS, ROUND_TRIP / 2, CARRIER_TIME, true);
	modem_world_run(60 * SB_SEC);
	s = run_for(HOUR / 2);
	print_score(&s, check_lines(0.5));
	ck_assert(s.lines_up >= 0.65 * 4 * s.seconds);
	modem_world_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("modem_hours");
	TCase *hours = tcase_create("hours");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(hours, 280);
	tcase_add_test(hours, sixteen_modems_for_ten_hours);
	tcase_add_test(hours, with_modem_lines_for_half_an_hour);
	suite_add_tcase(suite, hours);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed;
}
