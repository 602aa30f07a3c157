/* SPDX-License-Identifier: MIT */
/*
 * A line with a modem: dialled, in a call, hung up, dialled again. The modem is the rig's, at the
 * other end of the telephone is a terminal server that answers.
 */
#define _DEFAULT_SOURCE
#include "tests/unit/codec_testing.h"
#include "tests/unit/ip_packets.h"
#include "tests/unit/scripted_modem.h"

#include "slip/slip.h"
#include "src/line.h"
#include "src/nullmodem/telephone.h"

#include <unistd.h>

enum { MTU = 576, LENGTH = 100 };

static const struct config all = {.mtu = MTU};
static struct line_config config;
static struct line line;
static struct packet_pool *pool;
static struct scripted_modem modem;
static struct telephone_config telephone_config;
static struct telephone *telephone;
static struct phone_book book;
static sb_time now;
static uint8_t passed[65536]; /* to the far end */
static size_t passed_length;
static char said[8192]; /* by line_said, a line each */
static bool attached_server;

/* --- the world --- */

static void keep_passed(struct scripted_modem *m, sb_time at, struct bytes b)
{
	(void)m, (void)at;
	ck_assert_uint_le(passed_length + b.length, sizeof passed);
	memcpy(passed + passed_length, b.at, b.length);
	passed_length += b.length;
}

static void set_up(void)
{
	ports_reset();
	now = 1000 * SB_SEC;
	said[0] = '\0';
	passed_length = 0;
	book = (struct phone_book){0};
	telephone_config = (struct telephone_config){
		.answers_after = SB_SEC, .ring_every = 6 * SB_SEC, .train = 2 * SB_SEC};
	modem = (struct scripted_modem){.has_lines = true, .passes = keep_passed};
	attached_server = true;
	config = (struct line_config){
		.device = "0",
		.name = "tty0",
		.bps = 14400,
		.baud = 38400,
		.bits_per_char = 10,
		.layer.exact = true,
		.stop_bits = 1,
		.encap = &encap_slip,
		.enabled = true,
		.modem = {.present = true,
			  .dial_command = "ATDT",
			  .numbers = {"5551234"},
			  .number_count = 1,
			  .dial_timeout = 60 * SB_SEC,
			  .redial = 5 * SB_SEC,
			  .redial_longest = 300 * SB_SEC,
			  .connect_rate = true},
	};
}

static void create(void)
{
	pool = packet_pool_new(8, MTU);
	telephone = telephone_new(&telephone_config, &book, 1);
	modem_create(&modem, 38400, 1);
	ck_assert(line_init(&line, &config, encap_slip.new(&(struct encap_config){.config = &all}),
			    MTU, now));
}

static void tear_down(void)
{
	while (line_give_up(&line, now))
		;
	line_free(&line);
	packet_pool_free(pool);
	telephone_free(telephone);
	telephone = NULL;
	hayes_free(modem.hayes);
}

static void heed_telephone(const struct telephone_event *e)
{
	static const enum hayes_sound sounds[] = {[TELEPHONE_RINGS] = HAYES_RING,
						  [TELEPHONE_RINGBACK] = HAYES_RINGBACK,
						  [TELEPHONE_BUSY] = HAYES_BUSY_TONE,
						  [TELEPHONE_NO_TONE] = HAYES_NO_TONE,
						  [TELEPHONE_SILENCE] = HAYES_SILENCE};

	if (e->side)
		return;
	if (e->kind == TELEPHONE_CARRIER)
		hayes_carrier(modem.hayes, now, 28800);
	else
		hayes_hears(modem.hayes, now, sounds[e->kind]);
}

static bool telephone_turn(void)
{
	struct hayes_event h;
	struct telephone_event t;
	bool any = false;

	for (; hayes_event(modem.hayes, &h); any = true) {
		if (h.kind == HAYES_DIALS)
			telephone_dial(telephone, now, 0, h.number);
		else if (h.kind == HAYES_ANSWERS)
			telephone_answer(telephone, now, 0);
		else
			telephone_hang_up(telephone, now, 0);
	}
	telephone_set_server(telephone, 1, true, attached_server);
	telephone_tick(telephone, now);
	for (; telephone_event(telephone, &t); any = true)
		heed_telephone(&t);
	modem_set_lines(&modem, hayes_is_online(modem.hayes), false);
	return any;
}

static void hear_line(void)
{
	bool important;
	const char *text;

	while ((text = line_said(&line, &important))) {
		size_t at = strlen(said);

		if (at < sizeof said - 300)
			snprintf(said + at, sizeof said - at, "%s%s\n", important ? "* " : "",
				 text);
	}
}

/* As the exchange does it, at this instant. */
static void line_turn(void)
{
	struct encap_event e;
	struct encap_packet p;

	line_tick(&line, now);
	if (line.state == LINE_DOWN && now >= line.retry_at)
		line_open(&line, NULL, now);
	line_read(&line, now);
	while (line_receive(&line, now, &p))
		;
	while (line_event(&line, now, &e))
		;
	if (line.state != LINE_UP)
		while (line_give_up(&line, now))
			;
	while (line_asks(&line, now) && (!line_needs_frame(&line) || line_load_own(&line, now)))
		line_send(&line, now);
	hear_line();
}

static void turn(void)
{
	bool more = true;

	while (more) {
		line_turn();
		more = modem_turn(&modem, now);
		more |= telephone_turn();
	}
	line_turn();
}

static sb_time due(void)
{
	sb_time t = line_deadline(&line, now);

	t = sb_time_min(t, hayes_deadline(modem.hayes));
	return sb_time_min(t, telephone_deadline(telephone));
}

static void run(sb_time duration)
{
	sb_time end = now + duration;

	for (;;) {
		turn();
		sb_time t = due();
		if (t <= now)
			ck_abort_msg("a deadline that does not move on, %s",
				     line_state_name(line.state));
		if (t > end)
			break;
		now = t;
	}
	now = end;
	turn();
}

/* False: not within that time. */
static bool becomes(enum line_state state, sb_time within)
{
	for (sb_time end = now + within; now < end; run(10 * SB_MS))
		if (line.state == state)
			return true;
	return false;
}

static bool was_said(const char *text)
{
	return strstr(said, text) != NULL;
}

static void call(void)
{
	if (!telephone)
		create();
	ck_assert(becomes(LINE_UP, 30 * SB_SEC));
}

static void far_end_sends(struct bytes b)
{
	ck_assert(hayes_is_online(modem.hayes));
	port_script_feed(ports[0].port, b);
}

static struct packet *new_packet(void)
{
	struct packet *p = packet_get(pool);

	p->length = LENGTH;
	udp4_write(p->data, LENGTH, 1, 2, ECN_NOT_ECT);
	return p;
}

static void send_packet(void)
{
	struct packet *p = new_packet();

	line.pool = pool;
	line_load(&line, now, &(struct piece){.packet = p, .length = p->length, .plain = true});
	run(SB_SEC);
}

static void assert_retry_within(double least, double most)
{
	double wait = (double)(line.retry_at - line.since) / (double)SB_SEC;

	ck_assert_msg(wait >= least && wait <= most, "%f s", wait);
}

/* --- calls --- */

START_TEST(it_is_dialled_and_up)
{
	create();
	turn();
	ck_assert_int_eq(line.state, LINE_DIALLING);
	ck_assert_str_eq(line_state_name(line.state), "dialling");
	call();
	ck_assert_str_eq(line_state_name(line.state), "up");
	ck_assert(was_said("* dialling 5551234\n"));
	ck_assert(was_said("* connected at 28800 bps\n"));
	ck_assert_uint_eq(line_bps(&line), 28800);
	ck_assert_uint_eq(line.clock.given_bps, 28800);
	ck_assert_uint_eq(line.config.bps, 14400);
	send_packet();
	ck_assert_uint_ge(passed_length, LENGTH);
	ck_assert_uint_eq(line.counters.packets_out, 1);
}
END_TEST

START_TEST(the_rate_that_was_given_can_be_kept)
{
	config.modem.connect_rate = false;
	call();
	ck_assert_uint_eq(line_bps(&line), 14400);
	ck_assert_uint_eq(line.clock.given_bps, 14400);
}
END_TEST

START_TEST(the_user_knows_the_rate_better)
{
	call();
	line_set_bps(&line, 19200, now);
	ck_assert_uint_eq(line_bps(&line), 19200);
	ck_assert_uint_eq(line.clock.given_bps, 19200);
}
END_TEST

/* What the peer sends at once, in one piece with the modem's word, is the link's. */
START_TEST(a_packet_right_behind_connect_is_received)
{
	uint8_t wire[2 * MTU];
	struct buf out = buf_over(wire, sizeof wire);
	struct packet *p;

	create();
	p = new_packet();
	slip_encode(&out, packet_bytes(p));
	while (line.state != LINE_UP) {
		ck_assert_int_lt(now, 1030 * SB_SEC);
		line_turn();
		if (modem_turn(&modem, now) && hayes_is_online(modem.hayes))
			far_end_sends(buf_bytes(&out));
		telephone_turn();
		now = sb_time_max(now, sb_time_min(due(), now + 10 * SB_MS));
	}
	turn();
	ck_assert_uint_eq(line.counters.packets_in, 1);
	packet_put(pool, p);
}
END_TEST

START_TEST(waiting_for_calls_it_answers)
{
	config.modem.number_count = 0;
	config.modem.answers = true;
	config.modem.rings = 2;
	create();
	turn();
	ck_assert_int_eq(line.state, LINE_WAITING);
	ck_assert_str_eq(line_state_name(line.state), "waiting");
	run(60 * SB_SEC);
	ck_assert_int_eq(line.state, LINE_WAITING);
	telephone_dial(telephone, now, 1, "1");
	ck_assert(becomes(LINE_UP, 15 * SB_SEC));
	ck_assert(was_said("* it rings\n"));
	ck_assert(was_said("ATA"));
	ck_assert(was_said("* connected at 28800 bps\n"));
	telephone_drop(telephone, now);
	ck_assert(becomes(LINE_HANGING_UP, 2 * SB_SEC));
	ck_assert(becomes(LINE_WAITING, 3 * SB_SEC));
}
END_TEST

/* --- calls that fail, calls that end --- */

START_TEST(busy_is_tried_again_later)
{
	ck_assert_ptr_null(phone_book_add(&book, "5551234=busy"));
	create();
	ck_assert(becomes(LINE_HANGING_UP, 30 * SB_SEC));
	ck_assert_str_eq(line.reason, "busy, 5551234");
	ck_assert(becomes(LINE_DOWN, 3 * SB_SEC));
	ck_assert_ptr_null(ports[0].port);
	assert_retry_within(3.7, 6.3);
	ck_assert(was_said("* busy, 5551234; dialled again in "));
	ck_assert_uint_eq(line.counters.downs, 0);
	ck_assert(becomes(LINE_DIALLING, 7 * SB_SEC));
	book.count = 0;
	call();
}
END_TEST

START_TEST(B080_a_modem_that_is_not_there_is_noticed)
{
	modem.passes = keep_passed;
	create();
	hayes_free(modem.hayes);
	modem.hayes = hayes_new(&modem.config, 1); /* a fresh one, which is never told DTR */
	for (int i = 0; i < 100 && line.state != LINE_HANGING_UP; i++, now += 100 * SB_MS)
		line_turn();
	ck_assert_str_eq(line.reason, "no modem answers, 5551234");
	run(3 * SB_SEC);
	assert_retry_within(3.7, 6.3);
}
END_TEST

START_TEST(B078_a_lost_carrier_is_a_lost_call)
{
	modem.has_lines = _i;
	call();
	run(20 * SB_SEC);
	telephone_drop(telephone, now);
	ck_assert(becomes(LINE_DOWN, 4 * SB_SEC)); /* the modem's S10, and our 1.5 s */
	ck_assert_str_eq(line.reason, "the carrier was lost");
	ck_assert_uint_eq(line.counters.downs, 1);
	assert_retry_within(0.7, 1.3);
	ck_assert(becomes(LINE_UP, 30 * SB_SEC));
	ck_assert_uint_eq(line.counters.openings, 2);
}
END_TEST

/* With hours behind it it is dialled at once. */
START_TEST(B072_a_call_of_an_hour_is_dialled_at_once)
{
	call();
	run(3600 * SB_SEC);
	telephone_drop(telephone, now);
	ck_assert(becomes(LINE_HANGING_UP, 2 * SB_SEC));
	ck_assert(becomes(LINE_DIALLING, 3 * SB_SEC));
}
END_TEST

/* B074: with a frame on its way, a driver that holds some, and a modem that has to hear silence. */
START_TEST(B074_it_hangs_up_in_mid_traffic)
{
	modem.has_lines = _i;
	call();
	line.pool = pool;
	line_load(&line, now,
		  &(struct piece){.packet = new_packet(), .length = LENGTH, .plain = true});
	line_send(&line, now);
	ck_assert(!line_needs_frame(&line));
	line_close(&line, now, "told so");
	ck_assert_int_eq(line.state, LINE_HANGING_UP);
	ck_assert(becomes(LINE_DOWN, 10 * SB_SEC));
	ck_assert(!hayes_is_online(modem.hayes));
	ck_assert_int_eq((int)telephone_phase(telephone), TELEPHONE_IDLE);
	ck_assert_str_eq(line.reason, "told so");
	ck_assert_uint_eq(line.counters.cut_frames, 1);
	assert_retry_within(3.7, 6.3);
}
END_TEST

START_TEST(the_port_can_go_at_any_time)
{
	static const enum line_state states[] = {LINE_DIALLING, LINE_UP, LINE_HANGING_UP};

	create();
	if (states[_i] == LINE_HANGING_UP) {
		call();
		line_close(&line, now, "told so");
	}
	ck_assert(becomes(states[_i], 30 * SB_SEC));
	run(100 * SB_MS);
	ck_assert_int_eq(line.state, states[_i]);
	port_script_hang_up(ports[0].port);
	line_read(&line, now);
	ck_assert_int_eq(line.state, LINE_DOWN);
	ck_assert_str_eq(line.reason, states[_i] == LINE_HANGING_UP ? "told so" : "hung up");
	ck_assert_int_gt(line.retry_at, now);
	ck_assert(becomes(LINE_UP, 60 * SB_SEC));
}
END_TEST

/* --- limits --- */

START_TEST(an_idle_line_sleeps_until_packets_wait)
{
	config.modem.idle = 60 * SB_SEC;
	call();
	run(40 * SB_SEC);
	send_packet();
	run(58 * SB_SEC);
	ck_assert_int_eq(line.state, LINE_UP);
	ck_assert(becomes(LINE_DOWN, 3 * SB_SEC));
	ck_assert_str_eq(line.reason, "nothing passed for the idle time");
	ck_assert(line_wants_traffic(&line));
	run(3600 * SB_SEC);
	ck_assert_int_eq(line.state, LINE_DOWN);
	ck_assert_uint_eq(line.counters.openings, 1);
	line_dial_for_traffic(&line, now);
	turn();
	ck_assert_int_eq(line.state, LINE_DIALLING);
	ck_assert(!line_wants_traffic(&line));
	call();
}
END_TEST

START_TEST(not_before_the_hold_off_is_over)
{
	config.modem.idle = 60 * SB_SEC;
	config.modem.hold_off = 300 * SB_SEC;
	call();
	ck_assert(becomes(LINE_DOWN, 70 * SB_SEC));
	line_dial_for_traffic(&line, now);
	run(200 * SB_SEC);
	ck_assert_int_eq(line.state, LINE_DOWN);
	ck_assert(becomes(LINE_DIALLING, 110 * SB_SEC));
}
END_TEST

START_TEST(the_user_need_not_wait)
{
	config.modem.idle = 60 * SB_SEC;
	config.modem.hold_off = 300 * SB_SEC;
	call();
	ck_assert(becomes(LINE_DOWN, 70 * SB_SEC));
	line_retry_now(&line, now);
	turn();
	ck_assert_int_eq(line.state, LINE_DIALLING);
}
END_TEST

START_TEST(a_call_has_a_longest_time)
{
	config.modem.max_connect = 600 * SB_SEC;
	call();
	run(590 * SB_SEC);
	ck_assert_int_eq(line.state, LINE_UP);
	ck_assert(becomes(LINE_HANGING_UP, 20 * SB_SEC));
	ck_assert_str_eq(line.reason, "the time for one call is over");
	ck_assert(becomes(LINE_UP, 30 * SB_SEC));
}
END_TEST

/* --- scripts --- */

static void write_script(const char *text)
{
	FILE *f = fopen(config.modem.chat, "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

START_TEST(a_script_is_read_anew_for_each_call)
{
	int fd;

	snprintf(config.modem.chat, sizeof config.modem.chat, "/tmp/test_line_modem.XXXXXX");
	fd = mkstemp(config.modem.chat);
	ck_assert_int_ge(fd, 0);
	close(fd);
	write_script("'' AT OK ATDT\\T CONNECT \\d\\q\\c\n");
	call();
	ck_assert(was_said("ATDT5551234"));
	telephone_drop(telephone, now);
	ck_assert(becomes(LINE_HANGING_UP, 2 * SB_SEC));
	write_script("'' AT OK 'ATDP\\T\nCONNECT ''\n");
	ck_assert(becomes(LINE_DOWN, 2 * SB_SEC));
	run(10 * SB_SEC);
	ck_assert_int_eq(line.state, LINE_DOWN);
	ck_assert_int_eq(line.refusal.status, PORT_FAILED);
	ck_assert_msg(strncmp(line.refusal.text, config.modem.chat, strlen(config.modem.chat)) == 0,
		      "%s", line.refusal.text);
	ck_assert_ptr_null(ports[0].port);
	write_script("'' AT OK ATDP\\T CONNECT ''\n");
	ck_assert(becomes(LINE_UP, 60 * SB_SEC));
	ck_assert(was_said("ATDP5551234"));
	unlink(config.modem.chat);
	telephone_drop(telephone, now);
	ck_assert(becomes(LINE_DOWN, 5 * SB_SEC));
	run(10 * SB_SEC);
	ck_assert_ptr_nonnull(strstr(line.refusal.text, "No such file"));
}
END_TEST

START_TEST(numbers_in_turn)
{
	ck_assert_ptr_null(phone_book_add(&book, "5551234=busy"));
	snprintf(config.modem.numbers[1], CONFIG_NUMBER_SIZE, "5551235");
	config.modem.number_count = 2;
	create();
	ck_assert(becomes(LINE_UP, 60 * SB_SEC));
	ck_assert(was_said("* dialling 5551234\n"));
	ck_assert(was_said("* busy, 5551234; dialled again in "));
	ck_assert(was_said("* dialling 5551235\n"));
}
END_TEST

static TCase *new_case(Suite *suite, const char *name)
{
	TCase *tcase = tcase_create(name);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	suite_add_tcase(suite, tcase);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("line_modem");
	TCase *calls = new_case(suite, "calls"), *ends = new_case(suite, "ends"),
	      *limits = new_case(suite, "limits"), *chats = new_case(suite, "scripts");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(calls, it_is_dialled_and_up);
	tcase_add_test(calls, the_rate_that_was_given_can_be_kept);
	tcase_add_test(calls, the_user_knows_the_rate_better);
	tcase_add_test(calls, a_packet_right_behind_connect_is_received);
	tcase_add_test(calls, waiting_for_calls_it_answers);
	tcase_add_test(ends, busy_is_tried_again_later);
	tcase_add_test(ends, B080_a_modem_that_is_not_there_is_noticed);
	tcase_add_loop_test(ends, B078_a_lost_carrier_is_a_lost_call, 0, 2);
	tcase_add_test(ends, B072_a_call_of_an_hour_is_dialled_at_once);
	tcase_add_loop_test(ends, B074_it_hangs_up_in_mid_traffic, 0, 2);
	tcase_add_loop_test(ends, the_port_can_go_at_any_time, 0, 3);
	tcase_add_test(limits, an_idle_line_sleeps_until_packets_wait);
	tcase_add_test(limits, not_before_the_hold_off_is_over);
	tcase_add_test(limits, the_user_need_not_wait);
	tcase_add_test(limits, a_call_has_a_longest_time);
	tcase_add_test(chats, a_script_is_read_anew_for_each_call);
	tcase_add_test(chats, numbers_in_turn);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed;
}
