/* SPDX-License-Identifier: MIT */
/* Documents written by hand, and the metrics that are made of them. */
#define _DEFAULT_SOURCE
#include "src/ctl/metrics.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static size_t length;

static void tear_down(void)
{
	free(text);
	text = NULL;
}

/* Single quotes stand for double ones. */
static void measure(const char *document)
{
	char *json = strdup(document);
	FILE *to = open_memstream(&text, &length);
	json_error_t error;
	json_t *status;

	for (char *c = json; *c; c++)
		*c = *c == '\'' ? '"' : *c;
	status = json_loads(json, 0, &error);
	ck_assert_msg(status != NULL, "%s", error.text);
	metrics_text(status, to);
	fclose(to);
	json_decref(status);
	free(json);
}

static unsigned count(const char *part)
{
	unsigned n = 0;

	for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
		n++;
	return n;
}

static void has(const char *part)
{
	ck_assert_msg(count(part) == 1, "'%s' is there %u times in:\n%s", part, count(part), text);
}

static void has_not(const char *part)
{
	ck_assert_msg(count(part) == 0, "'%s' is in:\n%s", part, text);
}

#define L             "{bundle=\"sb0\",line=\"a0\",device=\"/dev/ttyS0\""

#define LINE(members) "{'lines':[{'bundle':'sb0','name':'a0','device':'/dev/ttyS0'," members "}]}"

START_TEST(a_family_has_one_heading)
{
	measure("{'lines':[{'name':'a','device':'x','bundle':'b','downs':1},"
		"{'name':'c','device':'y','bundle':'b','downs':2}]}");
	has("# HELP serialbundle_line_downs_total Times it left up.\n"
	    "# TYPE serialbundle_line_downs_total counter\n"
	    "serialbundle_line_downs_total{bundle=\"b\",line=\"a\",device=\"x\"} 1\n"
	    "serialbundle_line_downs_total{bundle=\"b\",line=\"c\",device=\"y\"} 2\n");
	has("# TYPE serialbundle_line_info gauge\n");
}
END_TEST

START_TEST(the_program)
{
	measure("{'program':{'name':'serialbundle','version':'0.1.0','pid':7,'uptime_s':1.5}}");
	ck_assert_str_eq(text, "# HELP serialbundle_info The program that runs.\n"
			       "# TYPE serialbundle_info gauge\n"
			       "serialbundle_info{pid=\"7\",version=\"0.1.0\"} 1\n"
			       "# HELP serialbundle_uptime_seconds Since it was started.\n"
			       "# TYPE serialbundle_uptime_seconds gauge\n"
			       "serialbundle_uptime_seconds{pid=\"7\"} 1.5\n");
}
END_TEST

START_TEST(a_bundle)
{
	measure("{'bundles':[{'name':'sb0','up':true,'lines_up':1,'peer':'far',"
		"'out':{'bytes':1020000,'packets':3},'in':{'bytes':20,'packets':4},"
		"'queue':{'bytes':10800,'packets':12,'age_ms':1980},"
		"'drops':{'codel':3,'a_new_one':1},"
		"'reassembly':{'lost':1531,'longest_wait_ms':12.5},'limit':{'by':'line','why':'w'},"
		"'flows':[{'local':'10.0.0.1'}]}]}");
	has("serialbundle_bundle_info{bundle=\"sb0\",peer=\"far\"} 1\n");
	has("serialbundle_bundle_up{bundle=\"sb0\"} 1\n");
	has("serialbundle_bundle_bytes_total{bundle=\"sb0\",direction=\"out\"} 1020000\n"
	    "serialbundle_bundle_bytes_total{bundle=\"sb0\",direction=\"in\"} 20\n");
	has("serialbundle_bundle_queue_age_seconds{bundle=\"sb0\"} 1.98\n");
	has("serialbundle_bundle_dropped_packets_total{bundle=\"sb0\",reason=\"codel\"} 3\n");
	has("serialbundle_bundle_dropped_packets_total{bundle=\"sb0\",reason=\"a_new_one\"} 1\n");
	has("serialbundle_bundle_limit{bundle=\"sb0\",by=\"nothing\"} 0\n"
	    "serialbundle_bundle_limit{bundle=\"sb0\",by=\"line\"} 1\n");
	has("serialbundle_bundle_reassembly_lost_total{bundle=\"sb0\"} 1531\n");
	has("serialbundle_bundle_reassembly_longest_wait_seconds{bundle=\"sb0\"} 0.0125\n");
	has_not("10.0.0.1"); /* a series for each pair of hosts would be too many */
}
END_TEST

/* N13: what there is to know of a serial line. */
START_TEST(a_line)
{
	measure(LINE("'encapsulation':'ppp','connect':'28800/V34','up':true,'enabled':false,"
		     "'bps':{'given':28800,'now':28100.5,'measured':null},'baud':38400,"
		     "'modem_lines':{'cts':true,'ri':false},'busy':0.98,'busy_in':0,'heard_s':0.25,"
		     "'rtt_ms':{'least':80,'smoothed':89.1,'most':120},'loss':{'out':0.01,'in':0},"
		     "'queue':{'bytes':30,'time_ms':12},'errors':{'bad_fcs':2,'uart_overruns':1}"));
	has("serialbundle_line_info" L ",encapsulation=\"ppp\",connect=\"28800/V34\"} 1\n");
	has("serialbundle_line_up" L "} 1\n");
	has("serialbundle_line_enabled" L "} 0\n");
	has("serialbundle_line_bits_per_second" L "} 28100.5\n");
	has("serialbundle_line_signal" L ",signal=\"cts\"} 1\n");
	has("serialbundle_line_signal" L ",signal=\"ri\"} 0\n");
	has("serialbundle_line_busy_ratio" L ",direction=\"out\"} 0.98\n");
	has("serialbundle_line_busy_ratio" L ",direction=\"in\"} 0\n");
	has("serialbundle_line_rtt_seconds" L "} 0.0891\n");
	has("serialbundle_line_rtt_min_seconds" L "} 0.08\n");
	has("serialbundle_line_rtt_max_seconds" L "} 0.12\n");
	has("serialbundle_line_loss_ratio" L ",direction=\"out\"} 0.01\n");
	has("serialbundle_line_queue_seconds" L "} 0.012\n");
	has("serialbundle_line_errors_total" L ",kind=\"bad_fcs\"} 2\n");
	has("serialbundle_line_errors_total" L ",kind=\"uart_overruns\"} 1\n");
}
END_TEST

/* 0 would be a figure. */
START_TEST(what_is_not_known_has_no_sample)
{
	measure(LINE("'rtt_ms':null,'loss':null,'modem':null,'modem_lines':null,'heard_s':null,"
		     "'bps':{'measured':null},'state':null,'errors':7"));
	ck_assert_uint_eq(count("\n# TYPE "), 1);
	has("serialbundle_line_info" L ",encapsulation=\"\",connect=\"\"} 1\n");
}
END_TEST

START_TEST(a_state_is_one_of_all)
{
	measure(LINE("'state':'no carrier','modem':{'state':'hanging up'}"));
	ck_assert_uint_eq(count("serialbundle_line_state{"), 13);
	ck_assert_uint_eq(count("serialbundle_line_modem_state{"), 5);
	ck_assert_uint_eq(count("\"} 1\n"), 3); /* these two, and the info */
	has("serialbundle_line_state" L ",state=\"no carrier\"} 1\n");
	has("serialbundle_line_modem_state" L ",state=\"hanging up\"} 1\n");
}
END_TEST

START_TEST(a_state_of_a_newer_program)
{
	measure(LINE("'state':'asleep'"));
	ck_assert_uint_eq(count("serialbundle_line_state{"), 14);
	has("serialbundle_line_state" L ",state=\"asleep\"} 1\n");
	has("serialbundle_line_state" L ",state=\"up\"} 0\n");
}
END_TEST

START_TEST(label_values_are_escaped)
{
	measure("{'lines':[{'name':'a\\\\b\\nc\\u0022d','device':'\xc3\xa9','bundle':null,"
		"'downs':0,'errors':{'\\u0022':1}}]}");
	has("serialbundle_line_downs_total{bundle=\"\",line=\"a\\\\b\\nc\\\"d\","
	    "device=\"\xc3\xa9\"} 0\n");
	has(",kind=\"\\\"\"} 1\n");
}
END_TEST

START_TEST(large_counters_are_exact)
{
	measure(LINE("'downs':9223372036854775807,'in':{'bytes':9007199254740993}"));
	has("serialbundle_line_downs_total" L "} 9223372036854775807\n");
	has("serialbundle_line_bytes_total" L ",direction=\"in\"} 9007199254740993\n");
}
END_TEST

START_TEST(nothing_at_all)
{
	static const char *const documents[] = {"{}", "[]", "{'lines':[],'bundles':7}"};

	measure(documents[_i]);
	ck_assert_str_eq(text, "");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ctl_metrics");
	TCase *tests = tcase_create("ctl_metrics");
	tcase_add_checked_fixture(tests, NULL, tear_down);
	tcase_add_test(tests, a_family_has_one_heading);
	tcase_add_test(tests, the_program);
	tcase_add_test(tests, a_bundle);
	tcase_add_test(tests, a_line);
	tcase_add_test(tests, what_is_not_known_has_no_sample);
	tcase_add_test(tests, a_state_is_one_of_all);
	tcase_add_test(tests, a_state_of_a_newer_program);
	tcase_add_test(tests, label_values_are_escaped);
	tcase_add_test(tests, large_counters_are_exact);
	tcase_add_loop_test(tests, nothing_at_all, 0, 3);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
