/* SPDX-License-Identifier: MIT */
/*
 * The bundle's shape, each line's part of it, and what a peer wishes; on an exchange with scripted
 * ports, by what passes and by what the lines' clocks run at.
 */
#define _DEFAULT_SOURCE
#include "tests/unit/exchange_world.h"

#include "src/bundle_shape.h"
#include "src/exchange_state.h"
#include "src/line_shape.h"

enum { FAST = 57600, SLOW = 19200 };

static struct bundle *bundle(void)
{
	return w.exchange->bundles[0].bundle;
}

static struct line *line_at(unsigned i)
{
	return &w.exchange->lines[i];
}

static uint32_t given(unsigned i)
{
	return line_at(i)->clock.given_bps;
}

static void configure(void)
{
	world_configure(2, FAST);
	w.config.mode.mode = MODE_EARLIEST;
}

static void open_all(void)
{
	world_create(LOG_ERROR);
	ck_assert_int_eq(exchange_start(w.exchange, w.now), EXIT_FINE);
	world_run(SB_SEC);
}

/* A fast line and a slow one. */
static void start(struct shape_config shape)
{
	configure();
	w.config.lines[1].bps = SLOW;
	w.config.shape = shape;
	open_all();
}

/* Characters per second at the lines, with more waiting than passes. */
static double passes(sb_time duration)
{
	uint8_t packet[MTU];
	size_t characters = 0;

	udp4_write(packet, sizeof packet, 1, 2, ECN_NOT_ECT);
	for (sb_time end = w.now + duration; w.now < end;) {
		while (bundle_waiting_bytes(bundle()) < 16 * MTU)
			kernel_sends_bytes(bytes_of(packet, sizeof packet));
		world_run(50 * SB_MS);
		for (unsigned i = 0; i < w.exchange->line_count; i++)
			if (ports[i].port) {
				characters += port_wrote(i).length;
				port_script_forget(ports[i].port);
			}
	}
	return (double)characters * SB_SEC / (double)duration;
}

START_TEST(so_many_per_cent_are_of_each_line)
{
	double rate;

	start((struct shape_config){.permille = 500});
	ck_assert_uint_eq(given(0), FAST / 2);
	ck_assert_uint_eq(given(1), SLOW / 2);
	rate = passes(20 * SB_SEC);
	ck_assert_double_ge(rate, 0.99 * (FAST + SLOW) / 20);
	ck_assert_double_le(rate, 1.005 * (FAST + SLOW) / 20);
	world_end();
}
END_TEST

START_TEST(so_many_bits_are_shared_by_rate)
{
	double rate;

	start((struct shape_config){.bps = 38400});
	ck_assert_uint_eq(given(0), 28800);
	ck_assert_uint_eq(given(1), 9600);
	rate = passes(20 * SB_SEC);
	ck_assert_double_ge(rate, 0.99 * 3840);
	ck_assert_double_le(rate, 1.005 * 3840);
	world_end();
}
END_TEST

START_TEST(more_than_all_is_no_bound)
{
	start((struct shape_config){.bps = FAST + SLOW});
	ck_assert_uint_eq(given(0), FAST);
	ck_assert_uint_eq(given(1), SLOW);
	world_end();
}
END_TEST

/* What one leaves, the others get; and give it back. */
START_TEST(the_parts_follow_lines_that_come_and_go)
{
	struct exchange_answer a;

	start((struct shape_config){.bps = 24000});
	ck_assert_uint_eq(given(0), 18000);
	port_script_hang_up(ports[1].port);
	port_refuses(1, PORT_NO_DEVICE, "gone");
	world_run(SB_SEC);
	ck_assert_uint_eq(given(0), 24000);
	port_is_back(1);
	world_run(5 * SB_SEC);
	ck_assert_uint_eq(given(0), 18000);
	ck_assert_uint_eq(given(1), 6000);
	exchange_set_line(w.exchange, 1, "bps", "57600", w.now, &a);
	world_run(SB_MS);
	ck_assert_uint_eq(given(0), 12000);
	ck_assert_uint_eq(given(1), 12000);
	world_end();
}
END_TEST

/* A standby line takes nothing of it, and has it all when its turn has come. */
START_TEST(it_is_for_the_lines_that_the_mode_uses)
{
	configure();
	w.config.mode.mode = MODE_ACTIVE_BACKUP;
	w.config.shape = (struct shape_config){.bps = 14400};
	open_all();
	ck_assert_uint_eq(given(0), 14400);
	port_script_hang_up(ports[0].port);
	port_refuses(0, PORT_NO_DEVICE, "gone");
	world_run(SB_SEC);
	ck_assert_uint_eq(given(1), 14400);
	world_end();
}
END_TEST

START_TEST(the_least_of_line_and_bundle_holds)
{
	configure();
	w.config.shape = (struct shape_config){.permille = 500};
	w.config.lines[0].shape = (struct shape_config){.bps = 9600};
	w.config.lines[1].shape = (struct shape_config){.permille = 900};
	open_all();
	ck_assert_uint_eq(given(0), 9600);
	ck_assert_uint_eq(given(1), FAST / 2);
	world_end();
}
END_TEST

/* What a line's own shape keeps it from carrying, the other carries. */
START_TEST(a_part_is_no_more_than_the_line_may_carry)
{
	configure();
	w.config.shape = (struct shape_config){.bps = 48000};
	w.config.lines[0].shape = (struct shape_config){.bps = 6400};
	open_all();
	ck_assert_uint_eq(given(0), 4800);
	ck_assert_uint_eq(given(1), 43200);
	world_end();
}
END_TEST

/* Another link layer while packets wait: none is lost, and the bundle's rate is that of the hop. */
START_TEST(a_line_takes_another_layer_while_it_works)
{
	const struct linklayer adsl = {.overhead = 40, .cells = CELLS_ATM};
	unsigned openings;

	start((struct shape_config){0});
	w.listens = true;
	openings = ports[0].openings;
	kernel_sends(0, 40);
	for (int i = 0; i < 8; i++) {
		struct line_config to = line_at(0)->config;

		world_run(300 * SB_MS);
		to.layer = i % 2 ? (struct linklayer){.exact = true} : adsl;
		line_reshape(line_at(0), &to, w.now);
	}
	world_run(20 * SB_SEC);
	assert_arrived_once(0, 40);
	ck_assert_uint_eq(ports[0].openings, openings);
	world_end();
}
END_TEST

/* What is planned for lines that are shaped is what is planned for slower ones. */
START_TEST(delays_are_those_of_shaped_lines)
{
	struct config slow;

	configure();
	w.config.lines[1].bps = SLOW;
	slow = w.config;
	for (unsigned i = 0; i < 2; i++)
		slow.lines[i].bps /= 4;
	if (_i == 0)
		w.config.shape.permille = 250;
	if (_i == 1)
		w.config.shape.bps = (FAST + SLOW) / 4;
	for (unsigned i = 0; i < 2 && _i == 2; i++)
		w.config.lines[i].shape.permille = 250;
	ck_assert_int_eq(config_plan(&w.config).min_rto / SB_MS,
			 config_plan(&slow).min_rto / SB_MS);
	ck_assert_int_eq(config_plan(&w.config).target / SB_MS, config_plan(&slow).target / SB_MS);
}
END_TEST

/* --- wishes --- */

START_TEST(what_the_peer_wishes_bounds_a_line)
{
	double rate;

	start((struct shape_config){0});
	bundle_peer_wishes(bundle(), 0, 9600, w.now);
	ck_assert_uint_eq(given(0), 9600);
	rate = passes(20 * SB_SEC);
	ck_assert_double_ge(rate, 0.99 * (9600 + SLOW) / 10);
	ck_assert_double_le(rate, 1.005 * (9600 + SLOW) / 10);
	bundle_peer_wishes(bundle(), 0, 1, w.now);
	ck_assert_uint_eq(given(0), CONFIG_BPS_MIN);
	bundle_peer_wishes(bundle(), 0, 0, w.now);
	ck_assert_uint_eq(given(0), FAST);
	world_end();
}
END_TEST

START_TEST(a_wish_ends_with_its_line)
{
	start((struct shape_config){0});
	bundle_peer_wishes(bundle(), 1, 9600, w.now);
	ck_assert_uint_eq(given(1), 9600);
	port_script_hang_up(ports[1].port);
	world_run(5 * SB_SEC);
	ck_assert_int_eq(line_at(1)->state, LINE_UP);
	ck_assert_uint_eq(given(1), SLOW);
	world_end();
}
END_TEST

START_TEST(what_the_peer_is_asked_for)
{
	static const struct {
		struct shape_config line, bundle;
		uint32_t wish[2];
	} cases[] = {
		{{0}, {0}, {0, 0}},
		{{.bps = 9600}, {0}, {9600, 0}},
		{{.permille = 500}, {0}, {28800, 0}},
		{{0}, {.permille = 500}, {28800, 9600}},
		{{0}, {.bps = 38400}, {28800, 9600}},
		{{.bps = 9600}, {.bps = 14400}, {4800, 9600}},
		{{.bps = 9600}, {.permille = 500}, {9600, 9600}},
		{{0}, {.bps = 1000000}, {0, 0}},
	};

	configure();
	w.config.lines[1].bps = SLOW;
	w.config.lines[0].shape_in = cases[_i].line;
	w.config.shape_in = cases[_i].bundle;
	open_all();
	for (unsigned i = 0; i < 2; i++)
		ck_assert_uint_eq(bundle_rate_wish(bundle(), i), cases[_i].wish[i]);
	ck_assert_uint_eq(given(0), FAST); /* which is not about what we send */
	world_end();
}
END_TEST

/* --- a peer that cannot be asked --- */

/* SLIP lines that bring all that they can, for so long; bytes per second that the host gets. */
static double host_gets(sb_time duration)
{
	static uint8_t frame[2 * MTU + 2];
	uint8_t packet[MTU], got[2 * MTU];
	struct buf out = buf_over(frame, sizeof frame);
	size_t bytes = 0;
	double fed[2] = {0, 0};
	sb_time start = w.now;

	udp4_write(packet, sizeof packet, 1, 2, ECN_NOT_ECT);
	slip_encode(&out, bytes_of(packet, sizeof packet));
	while (w.now < start + duration) {
		for (unsigned i = 0; i < 2; i++)
			while (fed[i] < (double)w.config.lines[i].bps / 10 *
						(double)(w.now - start) / SB_SEC) {
				port_script_feed(ports[i].port, buf_bytes(&out));
				fed[i] += (double)out.length;
			}
		world_run(20 * SB_MS);
		for (ssize_t n; (n = recv(w.kernel, got, sizeof got, 0)) > 0;)
			bytes += (size_t)n;
	}
	return (double)bytes * SB_SEC / (double)duration;
}

/* What a rate is to the host: of each frame's characters, the packet. */
static double packet_rate(double bps)
{
	return bps / 10 * MTU / (MTU + 2);
}

START_TEST(A16_what_comes_is_held_back)
{
	static const struct {
		struct shape_config line, bundle;
		double bps;
	} cases[] = {
		{{0}, {.permille = 500}, (FAST + SLOW) / 2.0},
		{{0}, {.bps = 30000}, 30000},
		{{.bps = 9600}, {0}, 9600 + SLOW},
	};
	double rate;

	configure();
	w.config.lines[1].bps = SLOW;
	w.config.lines[0].shape_in = cases[_i].line;
	w.config.shape_in = cases[_i].bundle;
	open_all();
	rate = host_gets(20 * SB_SEC);
	ck_assert_double_ge(rate, 0.98 * packet_rate(cases[_i].bps));
	ck_assert_double_le(rate, 1.005 * packet_rate(cases[_i].bps));
	world_end();
}
END_TEST

START_TEST(without_shape_in_nothing_is_held_back)
{
	double rate;

	configure();
	open_all();
	rate = host_gets(5 * SB_SEC);
	ck_assert_double_ge(rate, 0.99 * packet_rate(2 * FAST));
	world_end();
}
END_TEST

/* What was held back when it ends is handed over, in order. */
START_TEST(what_is_held_back_is_not_lost)
{
	configure();
	w.config.shape_in.permille = 100;
	open_all();
	peer_sends(0, 0, 10);
	world_run(200 * SB_MS);
	ck_assert_uint_lt(kernel_receives(), 10);
	w.exchange->own.shape_in.permille = 0;
	world_run(SB_SEC);
	kernel_receives();
	assert_arrived_once(0, 10);
	world_end();
}
END_TEST

static Suite *bundle_shape_suite(void)
{
	Suite *suite = suite_create("bundle_shape");
	TCase *shared = tcase_create("shared"), *wished = tcase_create("wished"),
	      *held = tcase_create("held back");

	tcase_add_test(shared, so_many_per_cent_are_of_each_line);
	tcase_add_test(shared, so_many_bits_are_shared_by_rate);
	tcase_add_test(shared, more_than_all_is_no_bound);
	tcase_add_test(shared, the_parts_follow_lines_that_come_and_go);
	tcase_add_test(shared, it_is_for_the_lines_that_the_mode_uses);
	tcase_add_test(shared, the_least_of_line_and_bundle_holds);
	tcase_add_test(shared, a_part_is_no_more_than_the_line_may_carry);
	tcase_add_test(shared, a_line_takes_another_layer_while_it_works);
	tcase_add_loop_test(shared, delays_are_those_of_shaped_lines, 0, 3);
	suite_add_tcase(suite, shared);
	tcase_add_test(wished, what_the_peer_wishes_bounds_a_line);
	tcase_add_test(wished, a_wish_ends_with_its_line);
	tcase_add_loop_test(wished, what_the_peer_is_asked_for, 0, 8);
	suite_add_tcase(suite, wished);
	tcase_add_loop_test(held, A16_what_comes_is_held_back, 0, 3);
	tcase_add_test(held, without_shape_in_nothing_is_held_back);
	tcase_add_test(held, what_is_held_back_is_not_lost);
	suite_add_tcase(suite, held);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(bundle_shape_suite());

	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
