/* SPDX-License-Identifier: MIT */
/* Status documents of reports in every state, against the schema that is installed. */
#define _DEFAULT_SOURCE
#include "src/status_json.h"

#include "src/line.h"
#include "tests/unit/schema_checking.h"

#include <arpa/inet.h>
#include <stdlib.h>

enum { STATES = LINE_HANGING_UP + 1 };

static struct schema schema;

static void set_up(void)
{
	schema = schema_load(TEST_DATA "/../../../src/ctl/status.schema.json");
}

static void tear_down(void)
{
	json_decref(schema.root);
}

/* The least that a line can be: nothing is known of it. */
static struct report_line bare_line(const char *state)
{
	return (struct report_line){.name = "ttyS0",
				    .state = state,
				    .device = "/dev/ttyS0",
				    .bundle = "",
				    .encapsulation = "unknown",
				    .enabled = true,
				    .bps = 28800,
				    .bits_per_char = 10,
				    .modem_lines = -1,
				    .heard = -1,
				    .loss_out = -1,
				    .loss_in = -1};
}

/* All that can be known. */
static struct report_line full_line(const char *state)
{
	struct report_line l = bare_line(state);

	l.up = strcmp(state, "up") == 0;
	l.bundle = "sb0";
	l.encapsulation = "ppp";
	l.reason = "no carrier after 60 s";
	l.measured_bps = 28123.456;
	l.bps_now = l.up ? 28123.456 : 0;
	l.baud = 115200;
	l.modem_lines = PORT_CTS | PORT_DCD;
	l.modem = "online";
	l.connect = "28800/ARQ/V34/LAPM/V42BIS";
	l.failures = 2;
	l.calls = 7;
	l.openings = 3;
	l.waiting = 64;
	l.waiting_time = 22 * SB_MS;
	l.heard = SB_SEC;
	l.busy_out = 0.98;
	l.busy_in = 1;
	l.out.packets = 10;
	l.out.call_bytes = 4000;
	l.out.rates = (struct meter_rates){2800.123456, 2700, 2600, 2880, 1000.5, 9000};
	l.rtt_least = 80 * SB_MS;
	l.rtt_smoothed = 90 * SB_MS;
	l.rtt_most = 900 * SB_MS;
	l.loss_out = 0.01;
	l.loss_in = 0;
	for (unsigned i = 0; i < REPORT_ERRORS; i++)
		l.errors[i] = i + 1;
	l.downs = 2;
	l.since = 12345 * SB_MS;
	l.member = (struct report_member){.state = "going down",
					  .used = true,
					  .failures = 3,
					  .prio = -5,
					  .aggregator = 2,
					  .probes = 10,
					  .probe_replies = 9};
	return l;
}

static struct report bundle_of(const struct report_line *lines, unsigned count)
{
	struct report r = {.ifname = "sb0",
			   .uptime = 3 * SB_SEC,
			   .mtu = 900,
			   .lines = lines,
			   .line_count = count,
			   .address_count = 2};

	r.addresses[0] = (struct netif_address){.family = AF_INET, .has_peer = true, .prefix = 32};
	inet_pton(AF_INET, "10.9.0.1", &r.addresses[0].local);
	inet_pton(AF_INET, "10.9.0.2", &r.addresses[0].peer);
	r.addresses[1] = (struct netif_address){.family = AF_INET6, .prefix = 64};
	inet_pton(AF_INET6, "fe80::1", &r.addresses[1].local);
	r.mode = (struct report_mode){.name = "active-backup",
				      .primary = "ttyS0",
				      .active = "ttyS1",
				      .reselect = "better",
				      .ad_select = "stable",
				      .changes = 4,
				      .miimon = 100 * SB_MS,
				      .updelay = SB_SEC,
				      .notices = 1,
				      .probe_interval = 1500 * SB_MS,
				      .probe_target = 0x0A090002,
				      .probe_missed_max = 2,
				      .probe_validate = "filter"};
	return r;
}

static json_t *empty(bool answers)
{
	return status_json(&(struct status_program){.version = "0.1.0",
						    .pid = 42,
						    .wall_ms = 1769904000123,
						    .uptime = 5 * SB_SEC,
						    .answers = answers});
}

/* A member of members, by a path of words. */
static json_t *at(json_t *value, const char *path)
{
	char word[64];
	int n;

	for (; *path; path += n + (path[n] == '.')) {
		n = (int)strcspn(path, ".");
		snprintf(word, sizeof(word), "%.*s", n, path);
		value = json_is_array(value) ? json_array_get(value, (size_t)atoi(word))
					     : json_object_get(value, word);
	}
	ck_assert_ptr_nonnull(value);
	return value;
}

START_TEST(no_bundle_and_no_line)
{
	json_t *d = empty(true);

	assert_document(&schema, d);
	ck_assert_str_eq(json_string_value(at(d, "time")), "2026-02-01T00:00:00.123Z");
	json_decref(d);
}
END_TEST

START_TEST(a_line_of_which_nothing_is_known)
{
	struct report_line line = bare_line(line_state_name((enum line_state)_i));
	struct report r = {.ifname = "", .lines = &line, .line_count = 1};
	json_t *d = empty(true);

	ck_assert(status_json_add(d, &r, NULL, 0));
	assert_document(&schema, d);
	ck_assert(json_is_null(at(d, "lines.0.bundle")));
	ck_assert(json_is_null(at(d, "lines.0.bps.measured")));
	ck_assert(json_is_null(at(d, "lines.0.modem_lines")));
	ck_assert(json_is_null(at(d, "lines.0.modem")));
	ck_assert(json_is_null(at(d, "lines.0.rtt_ms")));
	ck_assert(json_is_null(at(d, "lines.0.loss")));
	ck_assert(json_is_null(at(d, "lines.0.reason")));
	ck_assert(json_is_null(at(d, "lines.0.heard_s")));
	ck_assert(json_is_null(at(d, "lines.0.member")));
	json_decref(d);
}
END_TEST

START_TEST(a_line_of_which_all_is_known)
{
	struct report_line line = full_line(line_state_name((enum line_state)_i));
	struct report r = bundle_of(&line, 1);
	json_t *d = empty(false);

	r.verdict = (struct verdict){.why = "the lines are 98 % busy"};
	ck_assert(status_json_add(d, &r, NULL, 0));
	assert_document(&schema, d);
	ck_assert_str_eq(json_string_value(at(d, "lines.0.state")),
			 line_state_name((enum line_state)_i));
	ck_assert(json_real_value(at(d, "lines.0.bps.measured")) == 28123.456);
	ck_assert(json_is_true(at(d, "lines.0.modem_lines.dcd")));
	ck_assert(json_is_false(at(d, "lines.0.modem_lines.ri")));
	ck_assert_int_eq(json_integer_value(at(d, "lines.0.redials")), 6);
	ck_assert_int_eq(json_integer_value(at(d, "lines.0.errors.bad_fcs")), REPORT_BAD_FCS + 1);
	ck_assert(json_real_value(at(d, "lines.0.rtt_ms.smoothed")) == 90);
	ck_assert_str_eq(json_string_value(at(d, "bundles.0.addresses.0.peer")), "10.9.0.2");
	ck_assert(json_is_null(at(d, "bundles.0.addresses.1.peer")));
	ck_assert_str_eq(json_string_value(at(d, "bundles.0.mode.active")), "ttyS1");
	ck_assert_str_eq(json_string_value(at(d, "bundles.0.mode.probes.target")), "10.9.0.2");
	ck_assert(json_real_value(at(d, "bundles.0.mode.probes.interval_ms")) == 1500);
	ck_assert(json_is_null(at(d, "bundles.0.mode.hash")));
	ck_assert(json_is_null(at(d, "bundles.0.mode.aggregator")));
	ck_assert_int_eq(json_integer_value(at(d, "lines.0.member.prio")), -5);
	ck_assert_int_eq(json_integer_value(at(d, "lines.0.member.aggregator")), 2);
	json_decref(d);
}
END_TEST

START_TEST(every_verdict_has_its_word)
{
	struct report r = bundle_of(NULL, 0);
	json_t *d = empty(false);

	r.verdict.limit = (enum verdict_limit)_i;
	ck_assert(status_json_add(d, &r, NULL, 0));
	assert_document(&schema, d);
	json_decref(d);
}
END_TEST

/* One that is kept down is told apart from one that is tried again. */
START_TEST(a_disabled_line_says_so)
{
	struct report_line line = bare_line("down");
	struct report r = {.ifname = "", .lines = &line, .line_count = 1};
	json_t *d = empty(false);

	line.enabled = false;
	ck_assert(status_json_add(d, &r, NULL, 0));
	assert_document(&schema, d);
	ck_assert_str_eq(json_string_value(at(d, "lines.0.state")), "disabled");
	json_decref(d);
}
END_TEST

/* What exchange_report.c calls one that was taken out of the bundle. */
START_TEST(a_leaving_line_is_not_up)
{
	struct report_line line = full_line("leaving");
	struct report r = bundle_of(&line, 1);
	json_t *d = empty(false);

	ck_assert(status_json_add(d, &r, NULL, 0));
	assert_document(&schema, d);
	ck_assert(json_is_false(at(d, "lines.0.up")));
	json_decref(d);
}
END_TEST

START_TEST(B119_nothing_up_is_zero_bps)
{
	struct report_line lines[] = {full_line("down"), full_line("silent"), full_line("up")};
	struct report r = bundle_of(lines, 2);
	json_t *d = empty(false);

	ck_assert(status_json_add(d, &r, NULL, 0));
	ck_assert(json_number_value(at(d, "bundles.0.bps")) == 0);
	json_decref(d);
	d = empty(false);
	r = bundle_of(lines, 3);
	r.lines_up = 1;
	r.up = true;
	ck_assert(status_json_add(d, &r, NULL, 0));
	ck_assert(json_number_value(at(d, "bundles.0.bps")) == 28123.456);
	ck_assert(json_number_value(at(d, "lines.0.bps.now")) == 0);
	ck_assert_int_eq(json_integer_value(at(d, "bundles.0.lines")), 3);
	json_decref(d);
}
END_TEST

START_TEST(B120_totals_of_a_call_and_of_all)
{
	struct report_line line = full_line("up");
	struct report r = bundle_of(&line, 1);
	json_t *d = empty(false);

	ck_assert(status_json_add(d, &r, NULL, 0));
	ck_assert_int_eq(json_integer_value(at(d, "lines.0.out.bytes")), 9000);
	ck_assert_int_eq(json_integer_value(at(d, "lines.0.out.call_bytes")), 4000);
	json_decref(d);
}
END_TEST

START_TEST(each_tier_tells_its_own)
{
	struct report r = {.ifname = "sb0"};
	json_t *d = empty(false);

	for (unsigned i = 0; i < TIERS; i++)
		r.tiers[i] = (struct tier_counters){
			.queue = {.codel_drops = 10 + i, .ecn_marks = 20 + i},
			.thresh = 1000 * (i + 1),
			.target = 300 * SB_MS,
			.peak_delay = 1500 * SB_US,
			.backlog_bytes = 30 + i,
			.sparse_flows = 40 + i,
		};
	ck_assert(status_json_add(d, &r, NULL, 0));
	assert_document(&schema, d);
	ck_assert_str_eq(json_string_value(at(d, "bundles.0.tiers.0.name")), "interactive");
	ck_assert_str_eq(json_string_value(at(d, "bundles.0.tiers.1.name")), "best effort");
	ck_assert_str_eq(json_string_value(at(d, "bundles.0.tiers.2.name")), "bulk");
	ck_assert_int_eq(json_integer_value(at(d, "bundles.0.tiers.2.guaranteed")), 3000);
	ck_assert_int_eq(json_integer_value(at(d, "bundles.0.tiers.1.drops.codel")), 11);
	ck_assert_int_eq(json_integer_value(at(d, "bundles.0.tiers.2.ecn_marks")), 22);
	ck_assert_int_eq(json_integer_value(at(d, "bundles.0.tiers.1.queue.bytes")), 31);
	ck_assert_int_eq(json_integer_value(at(d, "bundles.0.tiers.1.flows.sparse")), 41);
	ck_assert_double_eq(json_real_value(at(d, "bundles.0.tiers.0.delay_ms.peak")), 1.5);
	json_decref(d);
}
END_TEST

START_TEST(flows_are_told)
{
	static struct flow_pair flows[2] = {{.version = 4, .packets_out = 7}, {.version = 6}};
	struct report r = bundle_of(NULL, 0);
	json_t *d = empty(false);

	inet_pton(AF_INET, "10.9.0.1", flows[0].local);
	inet_pton(AF_INET6, "fd09::2", flows[1].remote);
	flows[0].out.total = 700;
	ck_assert(status_json_add(d, &r, flows, 2));
	assert_document(&schema, d);
	ck_assert_str_eq(json_string_value(at(d, "bundles.0.flows.0.local")), "10.9.0.1");
	ck_assert_str_eq(json_string_value(at(d, "bundles.0.flows.1.remote")), "fd09::2");
	ck_assert_int_eq(json_integer_value(at(d, "bundles.0.flows.0.out.bytes")), 700);
	json_decref(d);
}
END_TEST

START_TEST(fragments_are_told_once_there_can_be_any)
{
	struct report r = bundle_of(NULL, 0);
	json_t *d = empty(false);

	ck_assert(status_json_add(d, &r, NULL, 0));
	assert_document(&schema, d);
	ck_assert(json_is_null(at(d, "bundles.0.reassembly")));
	json_decref(d);
	d = empty(false);
	r.reassembles = true;
	r.reassembly = (struct reassembly_counters){.fragments = 9000,
						    .bad_headers = 1,
						    .lost = 1531,
						    .lost_by_time = 4,
						    .overflows = 301,
						    .longest_wait = 2500 * SB_US};
	ck_assert(status_json_add(d, &r, NULL, 0));
	assert_document(&schema, d);
	ck_assert_int_eq(json_integer_value(at(d, "bundles.0.reassembly.fragments")), 9000);
	ck_assert_int_eq(json_integer_value(at(d, "bundles.0.reassembly.bad_headers")), 1);
	ck_assert_int_eq(json_integer_value(at(d, "bundles.0.reassembly.lost")), 1531);
	ck_assert_int_eq(json_integer_value(at(d, "bundles.0.reassembly.lost_by_time")), 4);
	ck_assert_int_eq(json_integer_value(at(d, "bundles.0.reassembly.overflows")), 301);
	ck_assert_double_eq(json_real_value(at(d, "bundles.0.reassembly.longest_wait_ms")), 2.5);
	json_decref(d);
}
END_TEST

/* What a modem or a peer says may be anything; JSON is UTF-8. */
START_TEST(texts_from_elsewhere_are_made_printable)
{
	struct report_line line = full_line("down");
	struct report r = bundle_of(&line, 1);
	json_t *d = empty(false);

	line.reason = "\x1b[2J\xff\xc3.";
	r.peer = "\x80name\n";
	ck_assert(status_json_add(d, &r, NULL, 0));
	assert_document(&schema, d);
	ck_assert_str_eq(json_string_value(at(d, "lines.0.reason")), "?[2J??.");
	ck_assert_str_eq(json_string_value(at(d, "bundles.0.peer")), "?name?");
	json_decref(d);
}
END_TEST

/* Else the checks above would be none. */
START_TEST(the_schema_finds_what_is_wrong)
{
	struct report_line line = full_line("up");
	struct report r = bundle_of(&line, 1);
	json_t *d = empty(false);

	ck_assert(status_json_add(d, &r, NULL, 0));
	json_object_set_new(at(d, "lines.0"), "state", json_string("asleep"));
	ck_assert(!schema_holds(&schema, schema.root, d, "status"));
	json_object_set_new(at(d, "lines.0"), "state", json_string("up"));
	ck_assert(schema_holds(&schema, schema.root, d, "status"));
	json_object_set_new(at(d, "lines.0"), "busy", json_real(1.5));
	ck_assert(!schema_holds(&schema, schema.root, d, "status"));
	json_object_set_new(at(d, "lines.0"), "busy", json_real(1));
	json_object_set_new(at(d, "lines.0"), "news", json_real(1));
	ck_assert(!schema_holds(&schema, schema.root, d, "status"));
	json_object_del(at(d, "lines.0"), "news");
	json_object_del(at(d, "lines.0.out"), "rate_2s");
	ck_assert(!schema_holds(&schema, schema.root, d, "status"));
	json_decref(d);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("status_json");
	TCase *tests = tcase_create("status_json");
	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, no_bundle_and_no_line);
	tcase_add_loop_test(tests, a_line_of_which_nothing_is_known, 0, STATES);
	tcase_add_loop_test(tests, a_line_of_which_all_is_known, 0, STATES);
	tcase_add_loop_test(tests, every_verdict_has_its_word, 0, VERDICT_LIMITS);
	tcase_add_test(tests, a_disabled_line_says_so);
	tcase_add_test(tests, a_leaving_line_is_not_up);
	tcase_add_test(tests, B119_nothing_up_is_zero_bps);
	tcase_add_test(tests, B120_totals_of_a_call_and_of_all);
	tcase_add_test(tests, each_tier_tells_its_own);
	tcase_add_test(tests, flows_are_told);
	tcase_add_test(tests, fragments_are_told_once_there_can_be_any);
	tcase_add_test(tests, texts_from_elsewhere_are_made_printable);
	tcase_add_test(tests, the_schema_finds_what_is_wrong);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
