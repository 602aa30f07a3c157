/* SPDX-License-Identifier: MIT */
/* Which lines of a bundle are used: the whole exchange, over scripted ports, on a fake clock. */
#define _DEFAULT_SOURCE
#include "tests/unit/exchange_world.h"
#include "tests/unit/suite_testing.h"

enum { BPS = 38400, SEVERAL = 10 };

static unsigned numbered;

static void configure(unsigned lines, enum mode mode)
{
	world_configure(lines, BPS);
	w.config.mode.mode = mode;
	numbered = 0;
}

static void start(void)
{
	world_create(LOG_ERROR);
	ck_assert_int_eq(exchange_start(w.exchange, w.now), EXIT_FINE);
	world_run(150 * SB_MS);
}

/* Some packets; how many of them each line has carried. All have arrived, once. */
static void pass(unsigned carried[static 3])
{
	unsigned from = numbered;

	numbered += SEVERAL;
	kernel_sends(from, numbered);
	world_run(3 * SB_SEC);
	for (unsigned i = 0; i < 3; i++)
		carried[i] = ports[i].port ? peer_receives(i) : 0;
	assert_arrived_once(from, numbered);
}

#define ASSERT_CARRIED(first, second, third)                                                       \
	do {                                                                                       \
		unsigned carried_[3];                                                              \
		pass(carried_);                                                                    \
		ck_assert_uint_eq(carried_[0], first);                                             \
		ck_assert_uint_eq(carried_[1], second);                                            \
		ck_assert_uint_eq(carried_[2], third);                                             \
	} while (0)

static const struct report_member *member(unsigned i)
{
	world_report();
	return &w.lines[i].member;
}

static const char *active(void)
{
	const char *name = world_report()->mode.active;

	return name ? name : "";
}

static void reconfigure(void (*change)(struct config *))
{
	struct exchange_answer answer;
	static struct config next;

	next = *exchange_config(w.exchange);
	change(&next);
	exchange_reconfigure(w.exchange, &next, w.now, &answer);
	ck_assert_int_eq(answer.error, 0);
	world_run(0);
}

/* --- the active line --- */

START_TEST(one_line_is_active_and_the_others_receive)
{
	configure(3, MODE_ACTIVE_BACKUP);
	start();
	ASSERT_CARRIED(SEVERAL, 0, 0);
	ck_assert_str_eq(active(), "tty0");
	ck_assert(member(0)->used && !member(1)->used && !member(2)->used);
	ck_assert_uint_eq(w.report.lines_up, 3);
	peer_sends(1, numbered, numbered + 1);
	peer_sends(2, numbered + 1, numbered + 2);
	world_run(SB_SEC);
	ck_assert_uint_eq(kernel_receives(), 2);
	world_end();
}
END_TEST

START_TEST(another_takes_over_at_once_though_there_is_a_downdelay)
{
	configure(3, MODE_ACTIVE_BACKUP);
	w.config.monitor = (struct monitor_config){.miimon = 100 * SB_MS, .downdelay = 10 * SB_SEC};
	start();
	ck_assert_str_eq(active(), "tty0");
	unplug(0);
	world_run(0);
	ck_assert_str_eq(active(), "tty1");
	ASSERT_CARRIED(0, SEVERAL, 0);
	ck_assert_uint_eq(w.report.mode.changes, 2);
	world_end();
}
END_TEST

START_TEST(what_the_active_line_held_goes_over_the_next)
{
	configure(2, MODE_ACTIVE_BACKUP);
	start();
	kernel_sends(0, 20);
	world_run(300 * SB_MS);
	unplug(0);
	world_run(10 * SB_SEC);
	peer_receives(1);
	assert_arrived_once(0, 20);
	world_end();
}
END_TEST

/* B100: with the monitor's interval unset. */
static void primary_returns(enum primary_reselect reselect, const char *expected)
{
	configure(2, MODE_ACTIVE_BACKUP);
	world_line(1, 2 * BPS);
	w.config.election.reselect = reselect;
	strcpy(w.config.primary, "tty0");
	start();
	ck_assert_str_eq(active(), "tty0");
	unplug(0);
	world_run(10 * SB_SEC);
	ck_assert_str_eq(active(), "tty1");
	port_is_back(0);
	world_run(10 * SB_SEC);
	ck_assert_str_eq(active(), expected);
	world_end();
}

START_TEST(B100_the_primary_returns)
{
	primary_returns(RESELECT_ALWAYS, "tty0");
	primary_returns(RESELECT_BETTER, "tty1"); /* which is faster */
	primary_returns(RESELECT_FAILURE, "tty1");
}
END_TEST

START_TEST(a_primary_that_is_added_is_taken_whatever_reselect_says)
{
	struct exchange_answer answer;

	configure(2, MODE_ACTIVE_BACKUP);
	w.config.election.reselect = RESELECT_FAILURE;
	strcpy(w.config.primary, "tty1");
	w.config.line_count = 1;
	start();
	ck_assert_str_eq(active(), "tty0");
	exchange_add_line(w.exchange, &w.config.lines[1], w.now, &answer);
	ck_assert_int_eq(answer.error, 0);
	world_run(SB_SEC);
	ck_assert_str_eq(active(), "tty1");
	world_end();
}
END_TEST

static void prefer_tty1(struct config *c)
{
	strcpy(c->primary, "tty1");
}

START_TEST(another_primary_is_heeded_at_once)
{
	configure(2, MODE_ACTIVE_BACKUP);
	start();
	ck_assert_str_eq(active(), "tty0");
	reconfigure(prefer_tty1);
	ck_assert_str_eq(active(), "tty1");
	ASSERT_CARRIED(0, SEVERAL, 0);
	world_end();
}
END_TEST

static void spread_earliest(struct config *c)
{
	c->mode.mode = MODE_EARLIEST;
}

START_TEST(another_mode_is_heeded_at_once)
{
	unsigned carried[3];

	configure(2, MODE_ACTIVE_BACKUP);
	start();
	ASSERT_CARRIED(SEVERAL, 0, 0);
	reconfigure(spread_earliest);
	ck_assert_str_eq(active(), "");
	pass(carried);
	ck_assert_uint_gt(carried[0], 0);
	ck_assert_uint_gt(carried[1], 0);
	world_end();
}
END_TEST

/* --- monitors --- */

static void stall(unsigned i)
{
	port_script_limit(ports[i].port, 0, SIZE_MAX);
}

static void flow_again(unsigned i)
{
	port_script_limit(ports[i].port, SIZE_MAX, SIZE_MAX);
}

START_TEST(without_miimon_a_stall_counts_at_once)
{
	configure(2, MODE_ACTIVE_BACKUP);
	start();
	stall(0);
	kernel_sends(0, SEVERAL);
	world_run(2 * SB_SEC);
	ck_assert_str_eq(active(), "tty1");
	ck_assert_str_eq(member(0)->state, "down");
	ck_assert_uint_eq(member(0)->failures, 1);
	world_end();
}
END_TEST

START_TEST(B8_a_stall_is_held_back_by_downdelay)
{
	configure(2, MODE_ACTIVE_BACKUP);
	w.config.monitor = (struct monitor_config){.miimon = 100 * SB_MS, .downdelay = 5 * SB_SEC};
	start();
	stall(0);
	kernel_sends(0, SEVERAL);
	world_run(4 * SB_SEC);
	ck_assert_str_eq(member(0)->state, "going down");
	ck_assert_str_eq(active(), "tty0");
	flow_again(0);
	world_run(4 * SB_SEC);
	ck_assert_str_eq(member(0)->state, "up");
	ck_assert_uint_eq(member(0)->failures, 0);
	ck_assert_str_eq(active(), "tty0");
	peer_receives(0);
	assert_arrived_once(0, SEVERAL);
	world_end();
}
END_TEST

START_TEST(one_that_lasts_counts)
{
	configure(2, MODE_ACTIVE_BACKUP);
	w.config.monitor = (struct monitor_config){.miimon = 100 * SB_MS, .downdelay = 5 * SB_SEC};
	start();
	stall(0);
	kernel_sends(0, SEVERAL);
	world_run(6 * SB_SEC);
	ck_assert_str_eq(active(), "tty1");
	world_run(5 * SB_SEC);
	flow_again(0);
	peer_receives(0);
	peer_receives(1);
	assert_arrived_once(0, SEVERAL);
	world_end();
}
END_TEST

START_TEST(B8_a_flap_of_DCD_shorter_than_downdelay_does_nothing)
{
	configure(2, MODE_ACTIVE_BACKUP);
	w.config.monitor = (struct monitor_config){.miimon = 100 * SB_MS, .downdelay = SB_SEC};
	world_create(LOG_ERROR);
	ports[0].modem_lines = PORT_DCD;
	ck_assert_int_eq(exchange_start(w.exchange, w.now), EXIT_FINE);
	world_run(SB_SEC);
	for (int i = 0; i < 20; i++) {
		port_script_set_modem_lines(ports[0].port, 0);
		world_run(900 * SB_MS);
		port_script_set_modem_lines(ports[0].port, PORT_DCD);
		world_run(200 * SB_MS);
		ck_assert_str_eq(active(), "tty0");
	}
	ck_assert_uint_eq(w.lines[0].downs, 0);
	port_script_set_modem_lines(ports[0].port, 0);
	world_run(1100 * SB_MS);
	ck_assert_str_eq(active(), "tty1");
	ck_assert_str_eq(w.lines[0].state, "no carrier");
	world_end();
}
END_TEST

START_TEST(a_line_that_returns_waits_for_its_updelay)
{
	configure(2, MODE_ACTIVE_BACKUP);
	strcpy(w.config.primary, "tty0");
	w.config.monitor = (struct monitor_config){.miimon = 100 * SB_MS, .updelay = 5 * SB_SEC};
	start();
	ck_assert_str_eq(active(), "tty0"); /* no line was usable: none waits */
	ck_assert_str_eq(member(1)->state, "going back up");
	world_run(6 * SB_SEC);
	ck_assert_str_eq(member(1)->state, "up");
	unplug(0);
	world_run(SB_SEC);
	port_is_back(0);
	world_run(5 * SB_SEC);
	ck_assert_str_eq(member(0)->state, "going back up");
	ck_assert_str_eq(active(), "tty1");
	world_run(2 * SB_SEC);
	ck_assert_str_eq(active(), "tty0");
	world_end();
}
END_TEST

START_TEST(with_no_line_left_an_updelay_is_cut_short)
{
	configure(2, MODE_EARLIEST);
	w.config.monitor = (struct monitor_config){.miimon = 100 * SB_MS, .updelay = 60 * SB_SEC};
	start();
	unplug(0);
	world_run(SB_SEC);
	port_is_back(0);
	world_run(2 * SB_SEC);
	ck_assert_str_eq(member(0)->state, "going back up");
	unplug(1);
	world_run(100 * SB_MS);
	ck_assert_str_eq(member(0)->state, "up");
	ASSERT_CARRIED(SEVERAL, 0, 0);
	world_end();
}
END_TEST

/* --- aggregators --- */

static void two_and_one(enum ad_select select)
{
	configure(3, MODE_8023AD);
	world_line(2, 4 * BPS);
	w.config.election.ad_select = select;
}

static unsigned used(void)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < 3; i++)
		bits |= (unsigned)member(i)->used << i;
	return bits;
}

START_TEST(B5_lines_of_the_active_aggregator_are_used)
{
	static const unsigned expected[] = {
		[AD_SELECT_STABLE] = 4, [AD_SELECT_BANDWIDTH] = 4, [AD_SELECT_COUNT] = 3};

	two_and_one((enum ad_select)_i);
	start();
	ck_assert_uint_eq(used(), expected[_i]);
	world_run(10 * SB_SEC);
	unplug(2);
	world_run(0);
	ck_assert_uint_eq(used(), 3);
	port_is_back(2);
	world_run(SB_SEC);
	ck_assert_uint_eq(used(), _i == AD_SELECT_BANDWIDTH ? 4 : 3);
	world_end();
}
END_TEST

START_TEST(min_links_below_is_no_carrier)
{
	two_and_one(AD_SELECT_COUNT);
	w.config.election.min_links = 2;
	start();
	ck_assert(w.carrier);
	unplug(1);
	world_run(0);
	ck_assert(!w.carrier);
	port_is_back(1);
	world_run(SB_SEC);
	ck_assert(w.carrier);
	world_end();
}
END_TEST

/* --- probes --- */

enum { ECHO_REQUEST = 8, ECHO_REPLY = 0, PEER = 0x0A090002, OURS = 0x0A090001 };

static unsigned asked[2];
static struct slip_decoder *hosts[2];

static void swap_addresses(uint8_t *at)
{
	uint8_t source[4];

	memcpy(source, at + 12, 4);
	memcpy(at + 12, at + 16, 4);
	memcpy(at + 16, source, 4);
}

/* The host at the other end answers; the checksum of ICMP follows from the type alone. */
static void answer(unsigned line, struct bytes request)
{
	uint8_t at[64], frame[140];
	struct buf out = buf_over(frame, sizeof frame);

	memcpy(at, request.at, request.length);
	swap_addresses(at);
	at[20] = ECHO_REPLY;
	unsigned sum = (at[22] << 8 | at[23]) + (ECHO_REQUEST << 8);
	sum = (sum & 0xffff) + (sum >> 16);
	at[22] = (uint8_t)(sum >> 8);
	at[23] = (uint8_t)sum;
	slip_encode(&out, bytes_of(at, request.length));
	port_script_feed(ports[line].port, buf_bytes(&out));
}

/* What the line has brought: requests are answered over line `by`, if at all. */
static void host_listens(unsigned line, int by)
{
	struct bytes in = port_wrote(line), p;

	while (slip_decoder_next(hosts[line], &in, &p)) {
		if (p.at[0] != 0x45 || p.at[9] != 1 || p.at[20] != ECHO_REQUEST || p.length != 32) {
			world_arrived(p);
			continue;
		}
		asked[line]++;
		if (by >= 0)
			answer((unsigned)by, p);
	}
	port_script_forget(ports[line].port);
}

/* Both ends' lives go on; line 0's requests are answered over line `first`, 1's over `second`. */
static void live(sb_time duration, int first, int second)
{
	for (sb_time end = w.now + duration; w.now < end;) {
		world_run(50 * SB_MS);
		host_listens(0, first);
		host_listens(1, second);
	}
	world_run(0);
}

static void start_probes(enum probe_validate validate)
{
	configure(2, MODE_EARLIEST);
	w.v4 = (struct network_ipv4){.local = OURS, .remote = PEER};
	w.config.probe =
		(struct probe_config){.interval = SB_SEC, .missed_max = 2, .validate = validate};
	asked[0] = asked[1] = 0;
	hosts[0] = slip_decoder_new(MTU);
	hosts[1] = slip_decoder_new(MTU);
	start();
}

static void end_probes(void)
{
	slip_decoder_free(hosts[0]);
	slip_decoder_free(hosts[1]);
	world_end();
}

START_TEST(lines_that_answer_stay_and_the_host_sees_nothing_of_it)
{
	start_probes(PROBE_VALIDATE_FILTER);
	live(20 * SB_SEC, 0, 1);
	ck_assert_uint_eq(world_report()->lines_up, 2);
	ck_assert_uint_ge(asked[0], 20);
	ck_assert_uint_eq(member(0)->probes, asked[0]);
	ck_assert_uint_eq(member(1)->probe_replies, asked[1]);
	ck_assert_uint_eq(kernel_receives(), 0);
	ck_assert_uint_eq(w.report.in.packets, 0);
	end_probes();
}
END_TEST

START_TEST(one_that_does_not_is_left_asked_on_and_used_again)
{
	start_probes(PROBE_VALIDATE_FILTER);
	live(5 * SB_SEC, 0, 1);
	live(4 * SB_SEC, 0, -1);
	ck_assert_str_eq(world_report()->lines[1].state, "silent");
	ck_assert_uint_eq(w.report.lines_up, 1);
	unsigned before = asked[1];
	kernel_sends(0, SEVERAL);
	live(5 * SB_SEC, 0, -1);
	assert_arrived_once(0, SEVERAL);
	ck_assert_uint_ge(asked[1], before + 4);
	live(1200 * SB_MS, 0, 1);
	ck_assert_uint_eq(world_report()->lines_up, 2);
	end_probes();
}
END_TEST

START_TEST(answers_may_come_over_any_line)
{
	start_probes(PROBE_VALIDATE_FILTER);
	live(20 * SB_SEC, 0, 0);
	ck_assert_uint_eq(world_report()->lines_up, 2);
	ck_assert_uint_eq(member(1)->probe_replies, asked[1]);
	end_probes();
}
END_TEST

/* N-arp: on line 1 only noise arrives. */
static const char *state_with_noise(enum probe_validate validate)
{
	start_probes(validate);
	for (int i = 0; i < 100; i++) {
		port_script_feed(ports[1].port, bytes_of("\x55\xC0\xAA", 3));
		live(100 * SB_MS, 0, -1);
	}
	const char *state = world_report()->lines[1].state;
	end_probes();
	return state;
}

START_TEST(N_arp_noise_counts_as_life_but_for_filter)
{
	ck_assert_str_eq(state_with_noise(PROBE_VALIDATE_NONE), "up");
	ck_assert_str_eq(state_with_noise(PROBE_VALIDATE_ALL), "up");
	ck_assert_str_eq(state_with_noise(PROBE_VALIDATE_FILTER), "silent");
}
END_TEST

static void probe_no_more(struct config *c)
{
	c->probe.interval = 0;
}

START_TEST(without_probes_nobody_calls_a_line_silent_any_more)
{
	start_probes(PROBE_VALIDATE_FILTER);
	live(5 * SB_SEC, 0, -1);
	ck_assert_str_eq(world_report()->lines[1].state, "silent");
	reconfigure(probe_no_more);
	ck_assert_str_eq(world_report()->lines[1].state, "up");
	unsigned before = asked[0];
	live(5 * SB_SEC, 0, -1);
	ck_assert_uint_eq(asked[0], before);
	ck_assert_uint_eq(world_report()->lines_up, 2);
	end_probes();
}
END_TEST

START_TEST(without_anybody_to_ask_all_goes_on)
{
	start_probes(PROBE_VALIDATE_FILTER);
	w.v4.local = 0;
	end_probes();
	configure(2, MODE_EARLIEST);
	w.config.probe = (struct probe_config){.interval = SB_SEC, .missed_max = 2};
	start();
	world_run(20 * SB_SEC);
	ck_assert_uint_eq(port_wrote(0).length, 0);
	ck_assert_uint_eq(world_report()->lines_up, 2);
	world_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bundle_mode");
	TCase *lines = new_case(suite, "the active line");
	TCase *monitors = new_case(suite, "monitors");
	TCase *groups = new_case(suite, "aggregators");
	TCase *probes = new_case(suite, "probes");
	SRunner *runner = srunner_create(suite);

	tcase_add_test(lines, one_line_is_active_and_the_others_receive);
	tcase_add_test(lines, another_takes_over_at_once_though_there_is_a_downdelay);
	tcase_add_test(lines, what_the_active_line_held_goes_over_the_next);
	tcase_add_test(lines, B100_the_primary_returns);
	tcase_add_test(lines, a_primary_that_is_added_is_taken_whatever_reselect_says);
	tcase_add_test(lines, another_primary_is_heeded_at_once);
	tcase_add_test(lines, another_mode_is_heeded_at_once);
	tcase_add_test(monitors, without_miimon_a_stall_counts_at_once);
	tcase_add_test(monitors, B8_a_stall_is_held_back_by_downdelay);
	tcase_add_test(monitors, one_that_lasts_counts);
	tcase_add_test(monitors, B8_a_flap_of_DCD_shorter_than_downdelay_does_nothing);
	tcase_add_test(monitors, a_line_that_returns_waits_for_its_updelay);
	tcase_add_test(monitors, with_no_line_left_an_updelay_is_cut_short);
	tcase_add_loop_test(groups, B5_lines_of_the_active_aggregator_are_used, 0, 3);
	tcase_add_test(groups, min_links_below_is_no_carrier);
	tcase_add_test(probes, lines_that_answer_stay_and_the_host_sees_nothing_of_it);
	tcase_add_test(probes, one_that_does_not_is_left_asked_on_and_used_again);
	tcase_add_test(probes, answers_may_come_over_any_line);
	tcase_add_test(probes, N_arp_noise_counts_as_life_but_for_filter);
	tcase_add_test(probes, without_probes_nobody_calls_a_line_silent_any_more);
	tcase_add_test(probes, without_anybody_to_ask_all_goes_on);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
