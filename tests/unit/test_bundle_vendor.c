/* SPDX-License-Identifier: MIT */
/* What bundles of our own kind tell each other, between two whole exchanges. */
#define _DEFAULT_SOURCE
#include "tests/unit/output_testing.h"
#include "tests/unit/pair_world.h"
#include "tests/unit/suite_testing.h"

#include "src/bundle_vendor.h"
#include "src/exchange_state.h"
#include "src/line_rate.h"

#include <stdlib.h>

enum { BPS = 9600, FAST = 115200, CHARS = BPS / 10 };

/* Characters of a frame of messages: two flags at most, protocol, vendor, FCS, escapes. */
enum { LEAST_FRAME = 17, CREDIT = 96, PRICE = 200 };

static const struct report_vendor *vendor_of(unsigned s)
{
	return &report_of(s, 0)->vendor;
}

static void configure(unsigned lines, uint32_t bps, enum mode a, enum mode b)
{
	pair_configure(lines, bps, 5 * SB_MS);
	w.side[0].config.mode.mode = a;
	w.side[1].config.mode.mode = b;
}

static void assert_peer_mode(unsigned s, enum mode mode)
{
	ck_assert_ptr_nonnull(vendor_of(s)->peer_mode);
	ck_assert_str_eq(vendor_of(s)->peer_mode, mode_name(mode));
}

static void change_config(unsigned s)
{
	static struct exchange_answer answer;

	exchange_reconfigure(w.side[s].exchange, &w.side[s].config, w.now, &answer);
	ck_assert_int_eq(answer.error, 0);
}

START_TEST(each_knows_how_the_other_spreads)
{
	configure((unsigned)_i, BPS, MODE_BALANCE_XOR, MODE_EARLIEST);
	w.side[0].config.mode.hash = XMIT_LAYER34;
	pair_start();
	world_run(2 * SB_SEC);
	for (unsigned s = 0; s < 2; s++) {
		ck_assert(vendor_of(s)->up);
		ck_assert_uint_eq(vendor_of(s)->bad, 0);
	}
	assert_peer_mode(0, MODE_EARLIEST);
	assert_peer_mode(1, MODE_BALANCE_XOR);
	ck_assert_str_eq(vendor_of(1)->peer_hash, "layer3+4");
	world_end();
}
END_TEST

START_TEST(a_change_is_told_at_once)
{
	configure(2, BPS, MODE_EARLIEST, MODE_EARLIEST);
	pair_start();
	world_run(60 * SB_SEC);
	w.side[0].config.mode.mode = MODE_BROADCAST;
	change_config(0);
	world_run(SB_SEC);
	assert_peer_mode(1, MODE_BROADCAST);
	assert_peer_mode(0, MODE_EARLIEST);
	world_end();
}
END_TEST

/* One in three hundred characters, which is one in eight frames of messages. */
START_TEST(what_is_lost_is_said_again)
{
	configure(1, FAST, MODE_BALANCE_RR, MODE_EARLIEST);
	pair_start();
	w.cable[0].damage = 1.0 / 300;
	for (unsigned i = 0; i < 10; i++) {
		enum mode mode = i % 2 ? MODE_BALANCE_XOR : MODE_BALANCE_TLB;

		w.side[0].config.mode.mode = mode;
		change_config(0);
		world_run(40 * SB_SEC);
		assert_peer_mode(1, mode);
	}
	world_end();
}
END_TEST

static const struct report_line *line_of(unsigned s, unsigned i)
{
	report_of(s, 0);
	return &w.side[s].lines[i];
}

START_TEST(the_peer_keeps_to_the_rate_that_is_wished)
{
	configure(2, FAST, MODE_EARLIEST, MODE_EARLIEST);
	w.side[0].config.lines[1].shape_in = (struct shape_config){.bps = 28800};
	pair_start();
	world_run(2 * SB_SEC);
	ck_assert_double_eq_tol(line_of(1, 0)->bps_now, FAST, 1);
	ck_assert_double_eq_tol(line_of(1, 1)->bps_now, 28800, 1);
	ck_assert_double_eq_tol(line_of(0, 1)->bps_now, FAST, 1);
	w.side[0].config.lines[1].shape_in = (struct shape_config){0};
	change_config(0);
	world_run(SB_SEC);
	ck_assert(both_have_up(2, 5 * SB_SEC));
	world_run(SB_SEC);
	ck_assert_double_eq_tol(line_of(1, 1)->bps_now, FAST, 1);
	world_end();
}
END_TEST

/* A frame takes half a second, where the peer would think of some milliseconds. */
START_TEST(a_slow_pace_is_not_taken_for_silence)
{
	configure(2, FAST, MODE_EARLIEST, MODE_EARLIEST);
	for (unsigned i = 0; i < 2; i++)
		w.side[_i].config.lines[i].shape = (struct shape_config){.bps = 16384};
	pair_start();
	world_run_busy(60 * SB_SEC, 400 * SB_MS);
	for (unsigned s = 0; s < 2; s++)
		for (unsigned i = 0; i < 2; i++)
			ck_assert_uint_eq(line_of(s, i)->downs, 0);
	world_end();
}
END_TEST

/* A frame takes up to a hundred times as long as the line would need; and on one line twice as
 * long. */
START_TEST(fragments_of_slow_lines_are_waited_for)
{
	static const uint32_t slow[][2] = {{600, 600}, {1200, 2400}, {2400, 2400}};
	const struct reassembly_counters *c;

	configure(2, FAST, MODE_EARLIEST, MODE_EARLIEST);
	w.length = MTU;
	pair_start();
	world_run(2 * SB_SEC);
	for (unsigned i = 0; i < 2; i++)
		w.side[0].config.lines[i].shape = (struct shape_config){.bps = slow[_i][i]};
	change_config(0);
	world_run(2 * SB_SEC);
	for (unsigned n = 0; n < 40; n++) {
		side_sends(0, 1);
		world_run(5 * SB_SEC);
	}
	c = &report_of(1, 0)->reassembly;
	ck_assert_uint_ge(c->packets, 8);
	ck_assert_uint_eq(c->lost + c->late, 0);
	world_end();
}
END_TEST

START_TEST(a_wish_is_said_again_to_a_link_that_returns)
{
	configure(2, FAST, MODE_EARLIEST, MODE_EARLIEST);
	w.side[0].config.lines[1].shape_in = (struct shape_config){.permille = 500};
	pair_start();
	world_run(2 * SB_SEC);
	for (unsigned end = 0; end < 2; end++) {
		unplug(1, end);
		world_run(SB_SEC);
		plug_in(1, end);
		ck_assert(both_have_up(2, 5 * SB_SEC));
		world_run(2 * SB_SEC);
		ck_assert_double_eq_tol(line_of(1, 1)->bps_now, FAST / 2, 1);
	}
	world_end();
}
END_TEST

START_TEST(it_is_agreed_on_anew_when_all_lines_were_gone)
{
	configure(2, FAST, MODE_BALANCE_RR, MODE_EARLIEST);
	pair_start();
	world_run(SB_SEC);
	for (unsigned i = 0; i < 2; i++)
		unplug(i, 0);
	world_run(SB_SEC);
	ck_assert(!vendor_of(0)->up);
	ck_assert_ptr_null(vendor_of(0)->peer_mode);
	for (unsigned i = 0; i < 2; i++)
		plug_in(i, 0);
	ck_assert(both_have_up(2, 5 * SB_SEC));
	world_run(2 * SB_SEC);
	assert_peer_mode(0, MODE_EARLIEST);
	assert_peer_mode(1, MODE_BALANCE_RR);
	world_end();
}
END_TEST

/* --- shares --- */

static uint64_t bytes_over(unsigned s, unsigned i)
{
	return line_of(s, i)->out.rates.total;
}

/* Of what b sends while it has more to send than the lines carry, what goes over the first. */
static double share_of_the_first(void)
{
	uint64_t before[2] = {bytes_over(1, 0), bytes_over(1, 1)};
	double sent[2];

	for (unsigned i = 0; i < 400; i++) {
		side_sends(1, 1);
		world_run(60 * SB_MS);
	}
	for (unsigned i = 0; i < 2; i++)
		sent[i] = (double)(bytes_over(1, i) - before[i]);
	return sent[0] / (sent[0] + sent[1]);
}

/* Side a is told that its second line is a slow one, of which b knows nothing. */
START_TEST(the_peer_spreads_as_balance_alb_asks)
{
	configure(2, FAST, MODE_BALANCE_ALB, MODE_BALANCE_ALB);
	w.side[0].config.lines[1].bps = FAST / 4;
	w.side[1].config.mode.tlb_dynamic_lb = true;
	pair_start();
	world_run(2 * SB_SEC);
	ck_assert_double_eq_tol(share_of_the_first(), 0.8, 0.1);
	w.side[0].config.mode.mode = MODE_BALANCE_TLB;
	change_config(0);
	world_run(2 * SB_SEC);
	ck_assert_double_eq_tol(share_of_the_first(), 0.5, 0.1);
	world_end();
}
END_TEST

/* --- notices --- */

START_TEST(the_peer_is_told_of_another_active_line)
{
	configure(2, FAST, MODE_ACTIVE_BACKUP, MODE_ACTIVE_BACKUP);
	w.side[0].config.notices = 3;
	pair_start();
	world_run(2 * SB_SEC);
	ck_assert_uint_eq(vendor_of(1)->notices_in, 0);
	unplug(0, 0);
	world_run(10 * SB_SEC);
	ck_assert_uint_eq(vendor_of(0)->notices_out, 3);
	ck_assert_uint_eq(vendor_of(1)->notices_in, 3);
	world_end();
}
END_TEST

/* --- the price --- */

/* Both ways are full. */
START_TEST(talk_takes_a_two_hundredth_of_a_busy_line)
{
	enum { SECONDS = 240, ALLOWED = SECONDS * CHARS / PRICE };
	uint64_t before[2];

	configure(1, BPS, MODE_EARLIEST, MODE_EARLIEST);
	pair_start();
	for (unsigned s = 0; s < 2; s++)
		before[s] = vendor_of(s)->out;
	w.length = 660; /* a third of it is escaped */
	world_run_busy(SECONDS * SB_SEC, 990 * SB_MS);
	for (unsigned s = 0; s < 2; s++) {
		uint64_t said = vendor_of(s)->out - before[s];

		ck_assert_uint_le(said, (ALLOWED + CREDIT) / LEAST_FRAME + 1);
		ck_assert_uint_ge(said, SECONDS / 32 - 1);
		ck_assert_uint_eq(vendor_of(s)->bad, 0);
	}
	assert_all_once();
	world_end();
}
END_TEST

/* At 2, 4, 8, 16 and then every 32 s, over each link: what is said is no reason to say more. */
START_TEST(idle_ends_do_not_talk_about_their_talk)
{
	configure(2, FAST, MODE_EARLIEST, MODE_EARLIEST);
	pair_start();
	world_run(30 * 32 * SB_SEC);
	for (unsigned s = 0; s < 2; s++) {
		ck_assert_uint_ge(vendor_of(s)->out, 2 * 30);
		ck_assert_uint_le(vendor_of(s)->out, 2 * 50); /* and what came in, now and then */
	}
	world_end();
}
END_TEST

/* To a peer that finds out its line's rate, and to no other. */
START_TEST(what_came_in_is_told_while_the_line_is_busy)
{
	uint64_t before, reports;

	configure(1, FAST, MODE_EARLIEST, MODE_EARLIEST);
	w.side[0].config.lines[0].auto_rate = _i;
	pair_start();
	world_run(40 * SB_SEC);
	before = vendor_of(1)->out;
	for (unsigned i = 0; i < 200; i++) { /* from one side alone, for 20 s */
		side_sends(0, 1);
		world_run(100 * SB_MS);
	}
	reports = vendor_of(1)->out - before;
	ck_assert_uint_ge(reports, _i ? 20 * 2 : 0);
	ck_assert_uint_le(reports, _i ? 20 * 4 : 2);
	ck_assert_uint_le(vendor_of(0)->out, 20);
	world_end();
}
END_TEST

/* --- a peer that says what it likes --- */

static struct bundle *bundle_of(unsigned s)
{
	return w.side[s].exchange->bundles[0].bundle;
}

/* As if it had come over the side's line. */
static void comes(unsigned s, unsigned i, struct bytes messages)
{
	static uint8_t space[PPP_DEFAULT_MRU];
	struct buf packet = buf_over(space, sizeof space);
	struct encap_packet p = {.protocol = PPP_VSNP};

	vendor_begin(&packet);
	buf_append(&packet, messages);
	ck_assert(!packet.overflow);
	p.data = buf_bytes(&packet);
	ck_assert(bundle_vendor_receive(bundle_of(s), i, p, w.now));
}

static void says(unsigned s, unsigned i, enum vendor_message_kind kind, uint32_t value,
		 uint32_t time)
{
	uint8_t space[VENDOR_MESSAGE_SIZE];
	struct buf message = buf_over(space, sizeof space);

	vendor_put(&message, &(struct vendor_message){.kind = kind, .value = value, .time = time});
	comes(s, i, buf_bytes(&message));
}

static sb_time told_at; /* by the peer's clock */

void __real_line_rate_report(struct line *, uint32_t characters, sb_time peer_time, sb_time now);
void __wrap_line_rate_report(struct line *, uint32_t characters, sb_time peer_time, sb_time now);

void __wrap_line_rate_report(struct line *l, uint32_t characters, sb_time peer_time, sb_time now)
{
	told_at = peer_time;
	__real_line_rate_report(l, characters, peer_time, now);
}

/* For longer than 2^31 ticks, after which signed differences of its times would be negative. */
START_TEST(the_peers_clock_goes_on_while_it_is_not_told)
{
	const uint32_t first = UINT32_MAX - 5;
	const sb_time pause = 100 * 3600 * SB_SEC;
	sb_time before;

	configure(1, FAST, MODE_EARLIEST, MODE_EARLIEST);
	pair_start();
	world_run(SB_SEC);
	says(0, 0, VENDOR_RECEIVED, 0, first);
	before = told_at;
	w.now += pause;
	says(0, 0, VENDOR_RECEIVED, 0, first + (uint32_t)(pause / VENDOR_TICK));
	ck_assert_int_eq(told_at - before, pause);
	says(0, 0, VENDOR_RECEIVED, 0, first + (uint32_t)(pause / VENDOR_TICK) - 20000);
	ck_assert_int_eq(told_at - before, pause - 2 * SB_SEC);
	world_end();
}
END_TEST

/* It was not even asked. */
START_TEST(the_peers_clock_cannot_run_away)
{
	uint32_t bps;

	configure(1, FAST, MODE_EARLIEST, MODE_EARLIEST);
	w.side[0].config.lines[0].auto_rate = _i;
	pair_start();
	world_run(SB_SEC);
	for (uint32_t n = 0; n < 100000; n++) {
		says(0, 0, VENDOR_RECEIVED, n * 0x10001, n * INT32_MAX);
		ck_assert_int_le(llabs(told_at - w.now), ((sb_time)1 << 32) * VENDOR_TICK);
	}
	world_run_busy(10 * SB_SEC, 400 * SB_MS);
	bps = line_bps(&w.side[0].exchange->lines[0]);
	ck_assert_uint_ge(bps, CONFIG_BPS_MIN);
	ck_assert_uint_le(bps, CONFIG_BPS_MAX);
	world_end();
}
END_TEST

static void must_not_have_left(unsigned s)
{
	for (unsigned i = 0; i < 2; i++)
		ck_assert_msg(line_of(s, i)->downs == 0, "side %u, line %u", s, i);
}

/* The frame in progress takes up to five minutes, and so does any other, whoever wished it. */
START_TEST(a_wish_for_next_to_nothing_is_not_taken_for_silence)
{
	configure(2, FAST, MODE_EARLIEST, MODE_EARLIEST);
	pair_start();
	world_run_busy(5 * SB_SEC, 60 * SB_MS);
	for (unsigned i = 0; i < 2; i++)
		w.side[0].config.lines[i].shape_in = (struct shape_config){.bps = CONFIG_BPS_MIN};
	change_config(0);
	world_run_busy(20 * 60 * SB_SEC, 900 * SB_MS);
	must_not_have_left(0);
	must_not_have_left(1);
	ck_assert_double_eq_tol(line_of(1, 0)->bps_now, CONFIG_BPS_MIN, 1);
	world_end();
}
END_TEST

START_TEST(a_wish_below_what_any_line_carries)
{
	configure(2, FAST, MODE_EARLIEST, MODE_EARLIEST);
	pair_start();
	world_run_busy(5 * SB_SEC, 60 * SB_MS);
	for (unsigned i = 0; i < 2; i++)
		says(0, i, VENDOR_RATE_WISH, 1, 0);
	world_run_busy(20 * 60 * SB_SEC, 900 * SB_MS);
	must_not_have_left(0);
	world_end();
}
END_TEST

/* While the line was slow each word was dear; with that over it is not paid for any more. */
START_TEST(what_was_said_at_a_slow_rate_does_not_delay_news)
{
	configure(1, FAST, MODE_EARLIEST, MODE_EARLIEST);
	pair_start();
	world_run(2 * SB_SEC);
	w.side[0].config.lines[0].shape = (struct shape_config){.bps = 300};
	change_config(0);
	world_run(60 * SB_SEC);
	w.side[0].config.lines[0].shape = (struct shape_config){0};
	change_config(0);
	world_run(2 * SB_SEC);
	for (unsigned i = 0; i < 4; i++) {
		enum mode mode = i % 2 ? MODE_BALANCE_XOR : MODE_BALANCE_TLB;

		w.side[0].config.mode.mode = mode;
		change_config(0);
		world_run(2 * SB_SEC);
		assert_peer_mode(1, mode);
	}
	world_end();
}
END_TEST

static unsigned times(const char *text, const char *what)
{
	unsigned n = 0;

	while ((text = strstr(text, what))) {
		text++;
		n++;
	}
	return n;
}

/* It warns, each time that it is told, but not as often as the peer likes. */
START_TEST(a_mode_that_flaps_does_not_fill_the_log)
{
	enum { SECONDS = 20 };
	static char text[1 << 16];
	struct output err;

	configure(1, FAST, MODE_EARLIEST, MODE_EARLIEST);
	pair_start();
	world_run(2 * SB_SEC);
	log_set_level(w.side[0].log, LOG_WARN);
	err = output_begin(STDERR_FILENO);
	for (unsigned n = 0; n < SECONDS * 50; n++) {
		says(0, 0, VENDOR_MODE, n % 2 ? MODE_BALANCE_RR : MODE_BALANCE_XOR, 0);
		world_run(20 * SB_MS);
	}
	output_end(&err, text, sizeof text);
	ck_assert_uint_ge(times(text, "the peer spreads by"), 2);
	ck_assert_uint_le(times(text, "the peer spreads by"), SECONDS / 2 + 1);
	world_end();
}
END_TEST

/* A packet full of messages that contradict each other. */
static struct bytes contradictions(void)
{
	static const uint32_t extremes[] = {0, 1, 49, 50, 115200, INT32_MAX, UINT32_MAX};
	static uint8_t space[1400];
	struct buf out = buf_over(space, sizeof space);

	while (out.length + VENDOR_MESSAGE_SIZE <= sizeof space) {
		uint64_t any = next_random(&w.random);

		vendor_put(&out, &(struct vendor_message){
					 .kind = (enum vendor_message_kind)(1 + any % VENDOR_PACE),
					 .value = extremes[any / 8 % 7],
					 .time = extremes[any / 64 % 7] + (uint32_t)(any / 1024),
				 });
	}
	return buf_bytes(&out);
}

/* One of them each 20 ms over each link: some 170 messages. */
START_TEST(a_flood_of_contradictions)
{
	enum {
		SECONDS = 120,
		WORDS = (SECONDS * (FAST / 10) / PRICE + CREDIT) / LEAST_FRAME + 1,
		REPORTS = 4 * SECONDS,
	};
	uint64_t before, said;

	configure(2, FAST, MODE_BALANCE_ALB, MODE_BALANCE_ALB);
	w.side[0].config.lines[0].auto_rate = _i;
	pair_start();
	world_run(2 * SB_SEC);
	before = vendor_of(0)->out;
	for (unsigned n = 0; n < SECONDS * 50; n++) {
		for (unsigned i = 0; i < 2; i++)
			if (bundle_uses(bundle_of(0), i))
				comes(0, i, contradictions());
		if (n % 50 == 0)
			side_sends(0, 1);
		world_run(20 * SB_MS);
	}
	said = vendor_of(0)->out - before;
	if (!_i) /* else the rate is what they say, of which the other end knows nothing */
		must_not_have_left(0);
	ck_assert_uint_le(said, 2 * (WORDS + REPORTS));
	ck_assert_uint_eq(vendor_of(0)->bad, 0);
	world_end();
}
END_TEST

/* --- others --- */

START_TEST(SLIP_has_nothing_of_it)
{
	pair_configure(0, BPS, 0);
	add_cable(0, 1, BPS, 0, &encap_slip, &encap_slip);
	w.side[0].config.mode.mode = w.side[1].config.mode.mode = MODE_BALANCE_ALB;
	pair_start();
	world_run(60 * SB_SEC);
	for (unsigned s = 0; s < 2; s++) {
		ck_assert(!vendor_of(s)->up);
		ck_assert_uint_eq(vendor_of(s)->out, 0);
		ck_assert_ptr_null(vendor_of(s)->peer_mode);
	}
	world_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bundle_vendor");
	TCase *words = new_case(suite, "words"), *price = new_case(suite, "price");
	TCase *harm = new_case(suite, "harm");

	tcase_add_loop_test(words, each_knows_how_the_other_spreads, 1, 4);
	tcase_add_test(words, a_change_is_told_at_once);
	tcase_add_test(words, what_is_lost_is_said_again);
	tcase_add_test(words, the_peer_keeps_to_the_rate_that_is_wished);
	tcase_add_loop_test(words, a_slow_pace_is_not_taken_for_silence, 0, 2);
	tcase_add_loop_test(words, fragments_of_slow_lines_are_waited_for, 0, 3);
	tcase_add_test(words, a_wish_is_said_again_to_a_link_that_returns);
	tcase_add_test(words, it_is_agreed_on_anew_when_all_lines_were_gone);
	tcase_add_test(words, SLIP_has_nothing_of_it);
	tcase_add_test(words, the_peer_spreads_as_balance_alb_asks);
	tcase_add_test(words, the_peer_is_told_of_another_active_line);
	tcase_add_test(price, talk_takes_a_two_hundredth_of_a_busy_line);
	tcase_add_test(price, idle_ends_do_not_talk_about_their_talk);
	tcase_add_loop_test(price, what_came_in_is_told_while_the_line_is_busy, 0, 2);
	tcase_add_test(price, what_was_said_at_a_slow_rate_does_not_delay_news);
	tcase_add_test(harm, the_peers_clock_goes_on_while_it_is_not_told);
	tcase_add_loop_test(harm, the_peers_clock_cannot_run_away, 0, 2);
	tcase_add_test(harm, a_wish_for_next_to_nothing_is_not_taken_for_silence);
	tcase_add_test(harm, a_wish_below_what_any_line_carries);
	tcase_add_test(harm, a_mode_that_flaps_does_not_fill_the_log);
	tcase_add_loop_test(harm, a_flood_of_contradictions, 0, 2);
	return run_suite(suite);
}
