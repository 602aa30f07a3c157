/* SPDX-License-Identifier: MIT */
/*
 * A shaped line on a scripted port, in time that the test makes: what passes in a time is what its
 * shape allows, by the line's own characters or by what they cost behind it.
 */
#define _DEFAULT_SOURCE
#include "tests/unit/line_testing.h"

#include "sched/member.h"
#include "src/line_shape.h"

enum { PACKETS = 2000 };

static const struct linklayer exact = {.exact = true};
static const struct linklayer adsl = {.overhead = 40, .cells = CELLS_ATM};

/* The line anew, open. */
static void begin_as(const struct line_config *c)
{
	struct packet *p;

	while ((p = line_give_up(&line, now)))
		packet_put(pool, p);
	line_free(&line);
	packet_pool_free(pool);
	pool = packet_pool_new(2 * LINE_SENT, MTU);
	ck_assert_ptr_nonnull(pool);
	ck_assert(line_init(&line, c, encap_slip.new(&(struct encap_config){.config = &all}), MTU,
			    now));
	open_line();
}

static void begin(uint32_t bps, struct shape_config shape, const struct linklayer *layer)
{
	struct line_config c = config;

	c.bps = bps;
	c.shape = shape;
	c.layer = *layer;
	begin_as(&c);
}

static struct packet *packet_of(unsigned length)
{
	struct packet *p = packet_get(pool);

	ck_assert_ptr_nonnull(p);
	p->length = length;
	udp4_write(p->data, length, 1, 2, ECN_NOT_ECT);
	memset(p->data + 28, SLIP_END, (length - 28) / 4);
	return p;
}

static unsigned length_of(unsigned i)
{
	return 40 + i * 211 % (MTU - 40);
}

/* What has been handed over so far: bits by the shape's way of counting. */
struct passed {
	double bits;
	sb_time from, until;
	double most_early;      /* bits beyond rate times time */
	double held, most_held; /* characters in a port that is as fast as the line */
	sb_time held_at;
};

static double chars_per_sec(void)
{
	return (double)line_bps(&line) / line.config.bits_per_char;
}

static void hold(struct passed *t, size_t characters)
{
	double left = chars_per_sec() * (double)(now - t->held_at) / SB_SEC;

	t->held = (left < t->held ? t->held - left : 0) + (double)characters;
	t->held_at = now;
	t->most_held = t->held > t->most_held ? t->held : t->most_held;
}

/* The port was full, for a moment. */
static void take_again(void)
{
	now += SB_MS;
	port_script_limit(ports[0].port, SIZE_MAX, SIZE_MAX);
	line_writable(&line, now);
}

/* One packet, as the exchange sends it, when it is woken so late. */
static void pass_late(struct passed *t, unsigned i, double bps, sb_time lateness)
{
	struct packet *p = packet_of(length_of(i));
	double cost = line.config.layer.exact
			      ? (double)(slip_encoded_length(packet_bytes(p)) * 10)
			      : (double)(linklayer_bytes(&line.config.layer, p->length) * 8);
	size_t whole = slip_encoded_length(packet_bytes(p)), written = 0;

	load(p);
	packet_put(pool, p);
	while (!line_needs_frame(&line)) {
		double early;

		if (line_wake(&line) > now)
			now = line_wake(&line) + lateness;
		line_send(&line, now);
		written += port_wrote(0).length;
		hold(t, port_wrote(0).length);
		port_script_forget(ports[0].port);
		early = t->bits + cost * (double)written / (double)whole -
			bps * (double)(now - t->from) / SB_SEC;
		t->most_early = early > t->most_early ? early : t->most_early;
		if (line.wants_write)
			take_again();
	}
	ck_assert_uint_eq(written, whole);
	t->bits += cost;
	t->until = now;
}

static void pass(struct passed *t, unsigned i, double bps)
{
	pass_late(t, i, bps, 0);
}

static struct passed pass_many(double bps)
{
	struct passed t = {.from = now};

	for (unsigned i = 0; i < PACKETS; i++)
		pass(&t, i, bps);
	return t;
}

/* --- rates --- */

static const uint32_t rates[] = {300,    1200,   9600,    14400,   28800,    57600,
				 115200, 230400, 1000000, 2544000, 10000000, 12500000};

enum { RATES = sizeof rates / sizeof rates[0] };

static bool is_slower_behind(void)
{
	return !line.config.layer.exact && line_shaped_bps(&line) < line_bps(&line);
}

/*
 * Bits that may be ahead of the rate: the lead, and what one character more costs; or the frame
 * that the hop behind the line has to send.
 */
static double may_be_early(void)
{
	double lead = (double)line_clock_lead(&line.clock) * line_shaped_bps(&line) / SB_SEC;

	return lead + 8 * (is_slower_behind() ? linklayer_bytes(&adsl, MTU) : 53);
}

/* Characters in the port: the lead at the line's own rate. */
static double may_be_held(void)
{
	return (0.003 * chars_per_sec() > 64 ? 0.003 * chars_per_sec() : 64) + 1;
}

/*
 * A13: within 0.5 per cent. What is ahead of the rate, and of the port, is bounded.
 */
static void check_rate(uint32_t line_bps, struct shape_config shape, uint32_t want_bps,
		       const struct linklayer *layer)
{
	double lead, rate;
	struct passed t;

	begin(line_bps, shape, layer);
	ck_assert_uint_eq(line_shaped_bps(&line), want_bps);
	lead = (double)line_clock_lead(&line.clock) * want_bps / SB_SEC;
	t = pass_many(want_bps);
	rate = (t.bits - lead) * SB_SEC / (double)(t.until - t.from);
	ck_assert_double_ge(rate, 0.995 * want_bps);
	ck_assert_double_le(rate, 1.005 * want_bps);
	ck_assert_double_le(t.most_early, may_be_early());
	if (line_bps > 2 * want_bps) /* else the port may not carry what the rate behind it is */
		ck_assert_double_le(t.most_held, may_be_held());
}

START_TEST(A13_an_exact_line_is_shaped_to_its_rate)
{
	check_rate(4 * rates[_i], (struct shape_config){.bps = rates[_i]}, rates[_i], &exact);
}
END_TEST

START_TEST(A13_so_is_one_with_cells_behind_it)
{
	check_rate(4 * rates[_i], (struct shape_config){.bps = rates[_i]}, rates[_i], &adsl);
}
END_TEST

START_TEST(without_a_shape_a_layer_behind_it_has_the_lines_rate)
{
	check_rate(57600, (struct shape_config){0}, 57600, &adsl);
}
END_TEST

START_TEST(per_cent_are_of_what_the_line_carries)
{
	static const uint32_t permille[] = {950, 900, 500, 1000, 333};

	check_rate(57600, (struct shape_config){.permille = permille[_i]},
		   (57600 * permille[_i] + 500) / 1000, _i % 2 ? &adsl : &exact);
}
END_TEST

START_TEST(no_shape_makes_a_line_faster)
{
	ck_assert_uint_eq(shape_bps(&(struct shape_config){.bps = 64000}, 28800), 28800);
	ck_assert_uint_eq(shape_bps(&(struct shape_config){.permille = 1500}, 28800), 28800);
	ck_assert_uint_eq(shape_bps(&(struct shape_config){0}, 28800), 28800);
	ck_assert_uint_eq(shape_bps(&(struct shape_config){.permille = 1}, 50), 1);
	ck_assert_uint_eq(shape_bps(&(struct shape_config){.permille = 950}, 1000000000),
			  950000000);
}
END_TEST

/* Each packet costs neither more nor less: what the clock was told is the sum of their lengths. */
START_TEST(each_packet_is_paid_in_full)
{
	static const struct linklayer layers[] = {
		{.exact = true},
		{.overhead = 40, .cells = CELLS_ATM},
		{.overhead = 38, .mpu = 84},
		{.overhead = -64},
		{.overhead = 256, .mpu = 256, .cells = CELLS_PTM},
	};
	struct passed t = {.from = now};
	double bits = layers[_i].exact ? 10 : 8;

	begin(57600, (struct shape_config){0}, &layers[_i]);
	for (unsigned i = 0; i < PACKETS; i++)
		pass(&t, i, 57600);
	ck_assert_double_eq(bits * (double)meter_read(&line.paid, now).total, t.bits);
}
END_TEST

/* B112: ten bits to a character, eleven with parity; and escapes. */
START_TEST(B112_start_and_stop_bits_count)
{
	struct line_config c = config;
	sb_time takes[2];

	for (unsigned i = 0; i < 2; i++) {
		struct passed t = {.from = now};

		c.bits_per_char = 10 + i;
		begin_as(&c);
		pass(&t, 7, BPS);
		takes[i] = line.clock.busy_until - t.from;
		now = line.clock.busy_until;
	}
	ck_assert_int_eq(takes[1] / SB_US, takes[0] * 11 / 10 / SB_US);
}
END_TEST

/* --- a hop that has to have all of a frame --- */

struct spell {
	sb_time from, until; /* instants of its first and last characters */
};

static struct spell pass_one(unsigned length)
{
	struct packet *p = packet_of(length);
	struct spell s;

	now = sb_time_max(now, line_wake(&line));
	s.from = now;
	load(p);
	packet_put(pool, p);
	while (!line_needs_frame(&line)) {
		now = sb_time_max(now, line_wake(&line));
		line_send(&line, now);
		port_script_forget(ports[0].port);
	}
	s.until = now;
	return s;
}

/* It has the frame as soon as the port can bring it, and the next one when this one has left. */
static void check_frames(uint32_t line_bps)
{
	const sb_time cost = linklayer_bytes(&adsl, MTU) * 8 * SB_MS / 1000;
	struct spell last, s;
	sb_time takes;

	begin(line_bps, (struct shape_config){.bps = 1000000}, &adsl);
	last = pass_one(MTU);
	for (unsigned i = 0; i < 20; i++, last = s) {
		s = pass_one(MTU);
		takes = line_clock_time(&line.port_clock, line.cost.characters);
		ck_assert_int_le(s.until - s.from, takes);
		/* The first one goes at once, half the lead early. */
		ck_assert_int_ge(s.from - last.from, cost - 3 * SB_MS / 2 * (i == 0) - 2);
		ck_assert_int_le(s.from - last.from, cost + 2);
	}
}

START_TEST(frames_are_paced_behind_a_faster_port)
{
	static const uint32_t rates_of_port[] = {2000000, 4000000, 100000000};

	check_frames(rates_of_port[_i]);
}
END_TEST

/* A port that is full in the middle of each frame: the hop has no less to send for that. */
START_TEST(what_the_hop_is_owed_outlives_a_full_port)
{
	struct passed t;
	double rate;

	begin(4000000, (struct shape_config){.bps = 1000000}, &adsl);
	t = (struct passed){.from = now};
	for (unsigned i = 0; i < PACKETS; i++) {
		port_script_limit(ports[0].port, length_of(i) / 2, SIZE_MAX);
		pass(&t, i, 1e6);
	}
	rate = t.bits * SB_SEC / (double)(t.until - t.from);
	ck_assert_double_ge(rate, 0.9e6); /* short frames take less than the port is full */
	ck_assert_double_le(rate, 1.005e6);
	ck_assert_double_le(t.most_early, may_be_early());
}
END_TEST

/* --- slower than its shape --- */

/* A port that drains at its own pace, and says how much it holds. */
struct drain {
	double chars_per_sec, held;
	sb_time at;
	double most;
};

static void drain(struct drain *d)
{
	double left = d->chars_per_sec * (double)(now - d->at) / SB_SEC;

	d->held = left < d->held ? d->held - left : 0;
	d->at = now;
	port_script_set_outq(ports[0].port, (int)d->held);
}

/* For so long, with packets waiting all the time; characters that left. */
static double send_over(struct drain *d, sb_time duration)
{
	sb_time end = now + duration;
	double handed = 0, before = d->held;

	for (unsigned i = 0; now < end; i++) {
		struct packet *p = packet_of(length_of(i));

		load(p);
		packet_put(pool, p);
		while (!line_needs_frame(&line)) {
			size_t n;

			now = sb_time_max(now + SB_MS / 10, line_wake(&line));
			drain(d);
			line_send(&line, now);
			n = port_wrote(0).length;
			port_script_forget(ports[0].port);
			handed += (double)n;
			d->held += (double)n;
			d->most = d->held > d->most ? d->held : d->most;
		}
	}
	return before + handed - d->held;
}

static const struct linklayer *const layers_behind[] = {&exact, &adsl};

/* It keeps the line busy, and its queue short, by what the driver shows. */
START_TEST(a_line_slower_than_its_shape_is_followed)
{
	struct drain d = {.chars_per_sec = 1440, .at = now};
	double left;

	ports[0].outq = 0;
	begin(57600, (struct shape_config){.permille = 500}, layers_behind[_i]);
	send_over(&d, 20 * SB_SEC); /* it has to be found out */
	d.most = 0;
	left = send_over(&d, 60 * SB_SEC);
	ck_assert_double_ge(left, 0.95 * 60 * 1440);
	ck_assert_double_le(d.most, 2 * 64 + 64);
}
END_TEST

START_TEST(a_line_faster_than_its_shape_has_nothing_to_show)
{
	struct drain d = {.chars_per_sec = 11520, .at = now};
	double left;

	ports[0].outq = 0;
	begin(115200, (struct shape_config){.bps = 28800}, &exact);
	left = send_over(&d, 30 * SB_SEC);
	ck_assert_double_ge(left, 0.995 * 30 * 2880);
	ck_assert_double_le(left, 1.005 * 30 * 2880 + 64);
	ck_assert_double_eq(line.clock.bps, 28800);
}
END_TEST

/* --- late --- */

/* As on a busy machine: a wire that is faster than its shape makes good what was missed. */
START_TEST(a_shaped_line_catches_up)
{
	struct passed t = {0};
	double lead, rate, most;

	begin(4000000, (struct shape_config){.bps = 1000000}, layers_behind[_i]);
	t.from = now;
	for (unsigned i = 0; i < PACKETS; i++)
		pass_late(&t, i, 1000000, i % 7 * SB_MS);
	lead = (double)line_clock_lead(&line.clock) * 1e6 / SB_SEC;
	most = 0.010 * 1e6; /* of 10 ms */
	rate = (t.bits - lead) * SB_SEC / (double)(t.until - t.from);
	ck_assert_double_ge(rate, 0.995e6);
	ck_assert_double_le(rate, 1.005e6);
	ck_assert_double_le(t.most_early, may_be_early() + most);
	ck_assert_double_le(t.most_held, may_be_held());
}
END_TEST

/* But not all of it: what waits in the modem then is bounded. */
START_TEST(after_a_pause_there_is_no_more_than_a_burst)
{
	struct passed t;

	begin(4000000, (struct shape_config){.bps = 1000000}, &exact);
	now += SB_SEC;
	t = (struct passed){.from = now};
	for (unsigned i = 0; i < 100; i++)
		pass(&t, i, 1e6);
	ck_assert_double_ge(t.most_early, 0.012e6);
	ck_assert_double_le(t.most_early, 0.013e6 + 10);
}
END_TEST

/* At its own rate there is nothing to catch up with: it would only fill what is behind it. */
START_TEST(a_line_at_its_own_rate_does_not_catch_up)
{
	struct passed t;
	double lead;

	begin(1000000, (struct shape_config){0}, &exact);
	now += SB_SEC;
	t = (struct passed){.from = now};
	for (unsigned i = 0; i < 300; i++)
		pass_late(&t, i, 1e6, i % 7 * SB_MS);
	lead = (double)line_clock_lead(&line.clock) * 1e6 / SB_SEC;
	ck_assert_double_le(t.most_early, lead + 10);
	ck_assert_uint_gt(meter_read(&line.starved, now).total, 0);
}
END_TEST

/* --- what changes --- */

START_TEST(per_cent_follow_the_rate)
{
	begin(57600, (struct shape_config){.permille = 500}, &exact);
	line_set_bps(&line, 28800, now);
	ck_assert_uint_eq(line.clock.given_bps, 14400);
	line.carrier_bps = 9600; /* as CONNECT tells */
	tick();
	ck_assert_uint_eq(line.clock.given_bps, 4800);
	line_set_bps(&line, 19200, now);
	ck_assert_uint_eq(line.clock.given_bps, 9600);
}
END_TEST

START_TEST(the_least_bound_holds)
{
	begin(57600, (struct shape_config){.bps = 40000}, &exact);
	line_set_bound(&line, LINE_BOUND_SHARE, 30000, now);
	ck_assert_uint_eq(line.clock.given_bps, 30000);
	line_set_bound(&line, LINE_BOUND_WISH, 20000, now);
	ck_assert_uint_eq(line.clock.given_bps, 20000);
	line_set_bound(&line, LINE_BOUND_SHARE, 0, now);
	ck_assert_uint_eq(line.clock.given_bps, 20000);
	line_set_bound(&line, LINE_BOUND_WISH, 0, now);
	ck_assert_uint_eq(line.clock.given_bps, 40000);
}
END_TEST

/* The port stays open, the frame goes on. */
START_TEST(a_new_shape_is_followed_at_once)
{
	struct line_config to = line.config;
	struct passed t = {0};
	unsigned openings;

	open_line();
	openings = ports[0].openings;
	load(packet_of(500));
	send_part();
	to.shape = (struct shape_config){.permille = 500};
	line_reshape(&line, &to, now);
	ck_assert_int_eq(line.state, LINE_UP);
	ck_assert_uint_eq(ports[0].openings, openings);
	ck_assert(send_whole());
	port_script_forget(ports[0].port);
	now = line.clock.busy_until;
	t.from = now;
	for (unsigned i = 0; i < 100; i++)
		pass(&t, i, BPS / 2);
	ck_assert_double_ge(t.bits, 0.98 * BPS / 2 * (double)(t.until - t.from) / SB_SEC);
	ck_assert_double_le(t.most_early, 64 * 10 + 1);
}
END_TEST

static uint32_t length_on(struct packet *p)
{
	struct stripe_line terms = line_terms(&line);

	return stripe_line_length(&terms, p);
}

/* A packet that waits is measured again, however often that happens. */
START_TEST(no_packet_remembers_what_an_old_layer_took)
{
	struct line_config to = line.config;
	struct packet *p = packet_of(100), *other = packet_of(50);
	uint32_t encoded = length_on(p);

	length_on(other);
	for (int i = 0; i < 3; i++) {
		to.layer = adsl;
		to.layer.overhead = 40 + 48 * i;
		line_reshape(&line, &to, now);
		ck_assert_uint_eq(length_on(p), (3 + (unsigned)i) * 53);
		to.layer = exact;
		line_reshape(&line, &to, now);
		ck_assert_uint_eq(length_on(p), encoded);
	}
	to.layer = adsl;
	for (int i = 0; i < 3; i++) {
		to.layer.overhead = 40 + 48 * i;
		line_reshape(&line, &to, now);
		ck_assert_uint_eq(length_on(p), (3 + (unsigned)i) * 53);
	}
	packet_put(pool, p);
	packet_put(pool, other);
}
END_TEST

/* The frame in progress is behind all that is bound: by the clock, not by its characters. */
START_TEST(what_is_left_of_a_frame_is_counted_like_the_rest)
{
	begin(57600, (struct shape_config){0}, &adsl);
	ck_assert_uint_eq(line_cost_left(&line), 0);
	load(packet_of(500));
	ck_assert_uint_eq(line_cost_left(&line), 12 * 53);
	send_part();
	ck_assert_uint_eq(line_cost_left(&line) + meter_read(&line.paid, now).total, 12 * 53);
	ck_assert(send_whole());
	ck_assert_uint_eq(line_cost_left(&line), 0);
}
END_TEST

static Suite *line_shape_suite(void)
{
	Suite *suite = suite_create("line_shape");
	TCase *rated = new_case(suite, "rates"), *slower = new_case(suite, "slower"),
	      *late = new_case(suite, "late"), *changes = new_case(suite, "changes");

	tcase_add_loop_test(rated, A13_an_exact_line_is_shaped_to_its_rate, 0, RATES);
	tcase_add_loop_test(rated, A13_so_is_one_with_cells_behind_it, 0, RATES);
	tcase_add_test(rated, without_a_shape_a_layer_behind_it_has_the_lines_rate);
	tcase_add_loop_test(rated, per_cent_are_of_what_the_line_carries, 0, 5);
	tcase_add_test(rated, no_shape_makes_a_line_faster);
	tcase_add_loop_test(rated, each_packet_is_paid_in_full, 0, 5);
	tcase_add_loop_test(rated, frames_are_paced_behind_a_faster_port, 0, 3);
	tcase_add_test(rated, what_the_hop_is_owed_outlives_a_full_port);
	tcase_add_test(rated, B112_start_and_stop_bits_count);
	tcase_add_loop_test(slower, a_line_slower_than_its_shape_is_followed, 0, 2);
	tcase_add_test(slower, a_line_faster_than_its_shape_has_nothing_to_show);
	tcase_add_loop_test(late, a_shaped_line_catches_up, 0, 2);
	tcase_add_test(late, after_a_pause_there_is_no_more_than_a_burst);
	tcase_add_test(late, a_line_at_its_own_rate_does_not_catch_up);
	tcase_add_test(changes, per_cent_follow_the_rate);
	tcase_add_test(changes, the_least_bound_holds);
	tcase_add_test(changes, a_new_shape_is_followed_at_once);
	tcase_add_test(changes, no_packet_remembers_what_an_old_layer_took);
	tcase_add_test(changes, what_is_left_of_a_frame_is_counted_like_the_rest);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(line_shape_suite());

	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
