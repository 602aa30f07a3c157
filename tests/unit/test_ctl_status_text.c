/* SPDX-License-Identifier: MIT */
/* Documents written by hand, and what is made of them for people. */
#define _DEFAULT_SOURCE
#include "src/ctl/status_text.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static size_t length;

static void show(const char *document, bool colour)
{
	json_error_t error;
	json_t *status = json_loads(document, 0, &error);
	FILE *to = open_memstream(&text, &length);

	ck_assert_msg(status != NULL, "%s", error.text);
	status_text(status, colour, to);
	fclose(to);
	json_decref(status);
}

static void tear_down(void)
{
	free(text);
	text = NULL;
}

#define BUNDLE                                                                                     \
	"{'name':'sb0','up':true,'uptime_s':192,'mtu':900,'addresses':[{'local':'10.9.0.1',"       \
	"'peer':'10.9.0.2','prefix':32}],'peer':'far','lines':2,'lines_up':1,'bps':28800,"         \
	"'out':{'bytes':1020000,'rate_2s':3530,'rate_10s':3400,'rate_40s':3300,'rate_peak':3600}," \
	"'in':{'bytes':20,'rate_2s':0,'rate_10s':0,'rate_40s':0,'rate_peak':20},"                  \
	"'queue':{'bytes':10800,'packets':12,'age_ms':1980},"                                      \
	"'drops':{'codel':3,'queue_full':0,'no_line':1,'no_protocol':4},'ecn_marks':2,"            \
	"'limit':{'by':'line','why':'the lines are 98 % busy'}}"
#define UP_LINE                                                                                    \
	"{'name':'ttyS0','bundle':'sb0','state':'up','up':true,'enabled':true,'since_s':100,"      \
	"'reason':null,'bps':{'given':28800,'now':28100,'measured':28100},"                        \
	"'connect':'28800/V34','modem':{'state':'online','calls':1,'failures':0},"                 \
	"'out':{'rate_2s':2810},'in':{'rate_2s':12},'busy':0.98,'queue':{'time_ms':12},"           \
	"'rtt_ms':{'smoothed':89.1},'loss':{'out':0.01,'in':0},'errors':{'bad_fcs':2,"             \
	"'uart_overruns':1,'breaks':0},'downs':1}"
#define DOWN_LINE                                                                                  \
	"{'name':'a-long-name','bundle':'sb0','state':'no carrier','up':false,'enabled':true,"     \
	"'since_s':12.3,'reason':'carrier lost','bps':{'given':14400,'now':0},'rtt_ms':null,"      \
	"'loss':null,'errors':{},'downs':4}"

/* JSON in C without a thousand backslashes. */
static const char *quoted(const char *with_single_quotes)
{
	static char document[4096];

	strcpy(document, with_single_quotes);
	for (char *c = document; *c; c++)
		*c = *c == '\'' ? '"' : *c;
	return document;
}

START_TEST(a_bundle_with_its_lines)
{
	show(quoted("{'bundles':[" BUNDLE "],'lines':[" UP_LINE "," DOWN_LINE "]}"), false);
	ck_assert_str_eq(
		text,
		"sb0: up, 1 of 2 lines, 28800 bps, MTU 900, 10.9.0.1 to 10.9.0.2, with far, "
		"for 3 min 12 s\n"
		"  out    3.53 kB/s   10 s 3.40 kB/s   40 s 3.30 kB/s   peak 3.60 kB/s   "
		"total 1.02 MB\n"
		"  in     0 B/s   10 s 0 B/s   40 s 0 B/s   peak 20 B/s   total 20 B\n"
		"  queue  12 packets, 10.8 kB, oldest 1.98 s, ECN marks 2\n"
		"  drops  codel 3, no line 1, IP version not negotiated 4\n"
		"  limit  line: the lines are 98 % busy\n"
		"\n"
		"line         state         bps    now    out/s  in/s  busy   queued      rtt  "
		"errors  downs\n"
		"ttyS0        up          28800  28100  2.81 kB  12 B  98 %  12.0 ms  89.1 ms  "
		"     3      1\n"
		"             connected as 28800/V34; modem online, 1 call; errors: bad fcs 2, "
		"uart overruns 1; lost 1.0 % out, 0.0 % in\n"
		"a-long-name  no carrier  14400      0      0 B   0 B   0 %     0 ms        -  "
		"     0      4\n"
		"             for 12.3 s; carrier lost\n");
}
END_TEST

START_TEST(colour_is_only_there_when_wanted)
{
	show(quoted("{'bundles':[" BUNDLE "],'lines':[" UP_LINE "," DOWN_LINE "]}"), true);
	ck_assert_ptr_nonnull(strstr(text, "\033[32mup\033[0m  "));
	ck_assert_ptr_nonnull(strstr(text, "\033[31mno carrier\033[0m"));
	tear_down();
	show(quoted("{'bundles':[" BUNDLE "],'lines':[" UP_LINE "," DOWN_LINE "]}"), false);
	ck_assert_ptr_null(strchr(text, '\033'));
}
END_TEST

/* The columns are where they would be without it. */
START_TEST(colour_moves_nothing)
{
	char *plain, *at;

	show(quoted("{'bundles':[],'lines':[" UP_LINE "]}"), false);
	plain = text;
	text = NULL;
	show(quoted("{'bundles':[],'lines':[" UP_LINE "]}"), true);
	while ((at = strchr(text, '\033')))
		memmove(at, strchr(at, 'm') + 1, strlen(strchr(at, 'm')));
	ck_assert_str_eq(text, plain);
	free(plain);
}
END_TEST

START_TEST(lines_in_no_bundle)
{
	show(quoted("{'program':{'answers':true},'bundles':[" BUNDLE
		    "],'lines':[{'name':'ttyS5','bundle':null,'state':'waiting'}]}"),
	     false);
	ck_assert_ptr_nonnull(strstr(text, "\nlines without a bundle\n\nline "));
	ck_assert_ptr_nonnull(strstr(text, "ttyS5  waiting"));
}
END_TEST

START_TEST(reason_of_a_line_that_comes_up_again_is_past)
{
	static const struct {
		const char *state, *note;
	} states[] = {{"down", "for 2.00 s; taken down\n"},
		      {"opening", "for 2.00 s; last down: taken down\n"},
		      {"dialling", "for 2.00 s; last down: taken down\n"},
		      {"up", "last down: taken down\n"}};

	for (unsigned i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		char line[256];

		snprintf(line, sizeof(line),
			 "{'lines':[{'name':'ttyS5','bundle':null,'state':'%s','up':%s,"
			 "'since_s':2,'reason':'taken down'}]}",
			 states[i].state, strcmp(states[i].state, "up") == 0 ? "true" : "false");
		show(quoted(line), false);
		ck_assert_msg(strstr(text, states[i].note), "%s", text);
		tear_down();
	}
}
END_TEST

/* Only once anything was lost: what came twice, or late over a slow line, is no loss. */
START_TEST(fragments_that_were_lost)
{
	show(quoted("{'bundles':[{'name':'sb0','reassembly':{'fragments':9,'lost':1531,"
		    "'lost_by_time':0,'late':7,'broken':2,'overflows':301}}]}"),
	     false);
	ck_assert_ptr_nonnull(
		strstr(text, "  pieces lost 1531, late 7, packets broken 2, window full 301\n"));
	tear_down();
	show(quoted("{'bundles':[{'name':'sb0','reassembly':{'fragments':9,'lost':0,'late':7}}]}"),
	     false);
	ck_assert_ptr_null(strstr(text, "pieces"));
	tear_down();
	show(quoted("{'bundles':[{'name':'sb0','reassembly':null}]}"), false);
	ck_assert_ptr_null(strstr(text, "pieces"));
}
END_TEST

START_TEST(nothing_at_all)
{
	show("{}", false);
	ck_assert_str_eq(text, "no bundle and no line\n");
}
END_TEST

/* Of 64 lines with the longest of everything. */
START_TEST(there_is_room_for_all)
{
	json_t *lines = json_array(), *status;
	FILE *to = open_memstream(&text, &length);
	char reason[600];

	memset(reason, 'r', sizeof(reason) - 1);
	reason[sizeof(reason) - 1] = '\0';
	for (unsigned i = 0; i < 70; i++)
		json_array_append_new(lines,
				      json_pack("{s:s, s:s, s:s, s:n}", "name", reason, "state",
						reason, "reason", reason, "bundle"));
	status = json_pack("{s:[], s:o}", "bundles", "lines", lines);
	status_text(status, true, to);
	fclose(to);
	json_decref(status);
	ck_assert_uint_gt(length, 64 * 500);
}
END_TEST

START_TEST(an_event)
{
	json_t *event = json_loads(quoted("{'event':'line-down','time':'2026-01-31T23:59:58.125Z',"
					  "'line':'ttyS0','state':'down','text':'carrier lost',"
					  "'seconds':61,'bytes_out':1000,'bytes_in':20}"),
				   0, NULL);
	FILE *to = open_memstream(&text, &length);

	event_text(event, false, to);
	fclose(to);
	json_decref(event);
	ck_assert_str_eq(text, "23:59:58.125Z  line-down       ttyS0  down: carrier lost, after 1 "
			       "min 01 s, 1.00 kB out, 20 B in\n");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ctl_status_text");
	TCase *tests = tcase_create("ctl_status_text");
	tcase_add_checked_fixture(tests, NULL, tear_down);
	tcase_add_test(tests, a_bundle_with_its_lines);
	tcase_add_test(tests, colour_is_only_there_when_wanted);
	tcase_add_test(tests, colour_moves_nothing);
	tcase_add_test(tests, lines_in_no_bundle);
	tcase_add_test(tests, fragments_that_were_lost);
	tcase_add_test(tests, reason_of_a_line_that_comes_up_again_is_past);
	tcase_add_test(tests, nothing_at_all);
	tcase_add_test(tests, there_is_room_for_all);
	tcase_add_test(tests, an_event);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
