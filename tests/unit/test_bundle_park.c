/* SPDX-License-Identifier: MIT */
/* A line that loses too much is left out, between two whole exchanges, and used again later. */
#define _DEFAULT_SOURCE
#include "tests/unit/output_testing.h"
#include "tests/unit/pair_world.h"
#include "tests/unit/suite_testing.h"

enum { BPS = 115200, BAD = 1 };
#define GOOD_FOR (10 * SB_SEC)
#define OUT      (30 * SB_SEC) /* some reports of quality, of which some are lost */
#define EVERY    (200 * SB_MS) /* two packets each way, which one line carries */

/* Half of the frames of a packet do not arrive whole. */
static const double half = 1.0 / 1000;

static void configure(unsigned lines)
{
	pair_configure(lines, BPS, 5 * SB_MS);
	for (unsigned s = 0; s < 2; s++)
		w.side[s].config.park = (struct park_config){
			.loss_out = 0.1, .loss_in = 0.02, .good_for = GOOD_FOR};
	w.length = 700;
}

static void run_busy(sb_time duration)
{
	for (sb_time end = w.now + duration; w.now < end;) {
		side_sends(0, 2);
		side_sends(1, 2);
		world_run(EVERY);
	}
}

static bool is_parked(unsigned i)
{
	report_of(0, 0);
	return strcmp(w.side[0].lines[i].state, "parked") == 0;
}

static bool becomes(bool parked, sb_time within)
{
	for (sb_time end = w.now + within; w.now < end; run_busy(SB_SEC))
		if (is_parked(BAD) == parked)
			return true;
	return false;
}

static uint64_t sent_over(unsigned i)
{
	report_of(0, 0);
	return w.side[0].lines[i].out.packets;
}

/* From when it is parked, nothing more is lost; and the line is up all the time. */
START_TEST(lossy_line_is_left_out)
{
	unsigned lost;
	uint64_t before;

	configure(2);
	w.side[0].config.park.good_for = w.side[1].config.park.good_for = 60 * SB_SEC;
	pair_start();
	run_busy(5 * SB_SEC);
	ck_assert(!is_parked(BAD));
	w.cable[BAD].damage = half;
	ck_assert(becomes(true, OUT));
	world_run(2 * SB_SEC);
	lost = missing(host_of(1), w.side[0].sent);
	before = sent_over(BAD);
	run_busy(20 * SB_SEC);
	world_run(SB_SEC);
	ck_assert_uint_le(missing(host_of(1), w.side[0].sent), lost);
	ck_assert_uint_eq(sent_over(BAD), before);
	ck_assert(w.side[0].lines[BAD].up);
	world_end();
}
END_TEST

static const struct {
	sb_time echoes;
	const char *said;
} known[] = {
	{0, " % of what is sent is lost; used again when it has been good for 10.0 s\n"},
	{SB_SEC, " % of what is sent is lost, a round trip takes "},
};

START_TEST(what_is_not_known_is_not_said)
{
	char text[4096];
	struct output out = output_begin(STDERR_FILENO);

	configure(2);
	w.side[0].config.ppp.echo_interval = known[_i].echoes;
	pair_start();
	log_set_level(w.side[0].log, LOG_WARN);
	w.cable[BAD].damage = half;
	ck_assert(becomes(true, OUT));
	world_end();
	output_end(&out, text, sizeof(text));
	ck_assert_msg(strstr(text, "tty2: parked: ") && strstr(text, known[_i].said), "%s", text);
}
END_TEST

START_TEST(good_line_is_used_again)
{
	uint64_t before;

	configure(2);
	pair_start();
	w.cable[BAD].damage = half;
	ck_assert(becomes(true, OUT));
	w.cable[BAD].damage = 0;
	ck_assert(becomes(false, GOOD_FOR + OUT));
	before = sent_over(BAD);
	run_busy(20 * SB_SEC);
	ck_assert_uint_ge(sent_over(BAD), before + 50);
	world_end();
}
END_TEST

START_TEST(last_line_is_never_left_out)
{
	configure(1);
	pair_start();
	w.cable[0].damage = half;
	run_busy(30 * SB_SEC);
	ck_assert(!is_parked(0));
	ck_assert_uint_lt(missing(host_of(1), w.side[0].sent), w.side[0].sent * 3 / 4);
	world_end();
}
END_TEST

/* The good one is gone: better this one than none. It returns, and this one is left out again. */
START_TEST(parked_line_helps_out)
{
	configure(2);
	pair_start();
	w.cable[BAD].damage = half;
	ck_assert(becomes(true, OUT));
	unplug(0, 0);
	run_busy(3 * SB_SEC);
	ck_assert(!is_parked(BAD));
	plug_in(0, 0);
	ck_assert(becomes(true, OUT));
	world_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bundle_park");
	TCase *all = new_case(suite, "all");

	tcase_add_test(all, lossy_line_is_left_out);
	tcase_add_loop_test(all, what_is_not_known_is_not_said, 0, 2);
	tcase_add_test(all, good_line_is_used_again);
	tcase_add_test(all, last_line_is_never_left_out);
	tcase_add_test(all, parked_line_helps_out);
	return run_suite(suite);
}
