/* SPDX-License-Identifier: MIT */
/* The text of /proc/net/bonding from documents written by hand. */
#define _DEFAULT_SOURCE
#include "src/ctl/bonding_text.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static size_t length;

/* JSON in C without a thousand backslashes. */
static void show(const char *with_single_quotes)
{
	json_error_t error;
	char *document = strdup(with_single_quotes);

	for (char *c = document; *c; c++)
		*c = *c == '\'' ? '"' : *c;
	json_t *status = json_loads(document, 0, &error);
	ck_assert_msg(status != NULL, "%s", error.text);
	FILE *to = open_memstream(&text, &length);
	bonding_text(status, to);
	fclose(to);
	json_decref(status);
	free(document);
}

static void tear_down(void)
{
	free(text);
	text = NULL;
}

#define LINE(name, bps, state, more)                                                               \
	"{'name':'" name "','bundle':'sb0','bps':{'given':" bps "},'downs':7,"                     \
	"'member':{'state':'" state "','failures':2,'aggregator':null" more "}}"

START_TEST(active_backup)
{
	show("{'bundles':[{'name':'sb0','up':true,"
	     "'mode':{'name':'active-backup','hash':null,'primary':'ttyS0',"
	     "'primary_reselect':'better','active':'ttyS1','miimon_ms':100,'updelay_ms':200,"
	     "'downdelay_ms':200,'notice_delay_ms':0,'probes':null}}],'lines':["
	     "{'name':'ttyS0','bundle':'sb0','bps':{'given':28800},'downs':7,'member':null}," LINE(
		     "ttyS1", "14400", "up", "") ",{'name':'ttyS9','bundle':null}]}");
	ck_assert_str_eq(text, "Bonding Mode: fault-tolerance (active-backup)\n"
			       "Primary Slave: ttyS0 (primary_reselect better)\n"
			       "Currently Active Slave: ttyS1\n"
			       "MII Status: up\n"
			       "MII Polling Interval (ms): 100\n"
			       "Up Delay (ms): 200\n"
			       "Down Delay (ms): 200\n"
			       "Peer Notification Delay (ms): 0\n"
			       "\n"
			       "Slave Interface: ttyS0\n"
			       "MII Status: down\n"
			       "Speed: 28800 bps\n"
			       "Duplex: full\n"
			       "Link Failure Count: 7\n"
			       "\n"
			       "Slave Interface: ttyS1\n"
			       "MII Status: up\n"
			       "Speed: 14400 bps\n"
			       "Duplex: full\n"
			       "Link Failure Count: 2\n");
}
END_TEST

START_TEST(aggregators)
{
	show("{'bundles':[{'name':'sb0','up':true,"
	     "'mode':{'name':'802.3ad','hash':'layer3+4','ad_select':'count','min_links':1,"
	     "'aggregator':2,'aggregator_lines':3,'miimon_ms':0,'updelay_ms':0,'downdelay_ms':0,"
	     "'notice_delay_ms':0,'probes':null}}],'lines':["
	     "{'name':'ttyS0','bundle':'sb0','bps':{'given':28800},'downs':0,"
	     "'member':{'state':'going back up','failures':1,'aggregator':2}},"
	     "{'name':'ttyS1','bundle':'sb0','bps':{'given':9600},'downs':0,'member':null}]}");
	ck_assert_str_eq(text, "Bonding Mode: IEEE 802.3ad Dynamic link aggregation\n"
			       "Transmit Hash Policy: layer3+4 (1)\n"
			       "MII Status: up\n"
			       "MII Polling Interval (ms): 0\n"
			       "Up Delay (ms): 0\n"
			       "Down Delay (ms): 0\n"
			       "Peer Notification Delay (ms): 0\n"
			       "\n"
			       "802.3ad info\n"
			       "Min links: 1\n"
			       "Aggregator selection policy (ad_select): count\n"
			       "Active Aggregator Info:\n"
			       "\tAggregator ID: 2\n"
			       "\tNumber of ports: 3\n"
			       "\n"
			       "Slave Interface: ttyS0\n"
			       "MII Status: going back up\n"
			       "Speed: 28800 bps\n"
			       "Duplex: full\n"
			       "Link Failure Count: 1\n"
			       "Aggregator ID: 2\n"
			       "\n"
			       "Slave Interface: ttyS1\n"
			       "MII Status: down\n"
			       "Speed: 9600 bps\n"
			       "Duplex: full\n"
			       "Link Failure Count: 0\n"
			       "Aggregator ID: N/A\n");
}
END_TEST

START_TEST(probes_are_where_arp_is)
{
	show("{'bundles':[{'name':'sb0','up':false,"
	     "'mode':{'name':'balance-tlb','hash':null,'primary':null,'active':null,"
	     "'probes':{'interval_ms':1000,'target':null,'missed_max':2,'validate':'filter'}}}],"
	     "'lines':[]}");
	ck_assert_str_eq(text, "Bonding Mode: transmit load balancing\n"
			       "Primary Slave: None\n"
			       "Currently Active Slave: None\n"
			       "MII Status: down\n"
			       "MII Polling Interval (ms): 0\n"
			       "Up Delay (ms): 0\n"
			       "Down Delay (ms): 0\n"
			       "Peer Notification Delay (ms): 0\n"
			       "ARP Polling Interval (ms): 1000\n"
			       "ARP Missed Max: 2\n"
			       "ARP IP target/s (n.n.n.n form): peer\n"
			       "ARP Validate: filter\n");
}
END_TEST

static const char *const modes[][2] = {
	{"balance-rr", "load balancing (round-robin)"},
	{"active-backup", "fault-tolerance (active-backup)"},
	{"balance-xor", "load balancing (xor)"},
	{"broadcast", "fault-tolerance (broadcast)"},
	{"802.3ad", "IEEE 802.3ad Dynamic link aggregation"},
	{"balance-tlb", "transmit load balancing"},
	{"balance-alb", "adaptive load balancing"},
	{"earliest", "load balancing (earliest)"},
};

START_TEST(each_mode_has_the_name_that_bonding_gives_it)
{
	char document[200], line[80];

	snprintf(document, sizeof(document),
		 "{'bundles':[{'name':'sb0','up':true,'mode':{'name':'%s'}}]}", modes[_i][0]);
	show(document);
	snprintf(line, sizeof(line), "Bonding Mode: %s\n", modes[_i][1]);
	ck_assert_int_eq(strncmp(text, line, strlen(line)), 0);
}
END_TEST

static const char *const hashes[] = {"layer2",   "layer3+4", "layer2+3",
				     "encap2+3", "encap3+4", "vlan+srcmac"};

START_TEST(each_policy_has_its_number)
{
	char document[200], line[80];

	snprintf(document, sizeof(document),
		 "{'bundles':[{'name':'sb0','mode':{'name':'balance-xor','hash':'%s'}}]}",
		 hashes[_i]);
	show(document);
	snprintf(line, sizeof(line), "\nTransmit Hash Policy: %s (%d)\n", hashes[_i], _i);
	ck_assert_ptr_nonnull(strstr(text, line));
}
END_TEST

START_TEST(bundles_have_their_names_where_there_are_several)
{
	show("{'bundles':[{'name':'sb0','mode':{'name':'earliest'}},"
	     "{'name':'sb1','mode':{'name':'earliest'}}],'lines':[]}");
	ck_assert_int_eq(strncmp(text, "Bundle: sb0\n", 12), 0);
	ck_assert_ptr_nonnull(strstr(text, "\n\nBundle: sb1\nBonding Mode: "));
}
END_TEST

START_TEST(no_bundle_is_no_text)
{
	show("{'bundles':[],'lines':[{'name':'ttyS0','bundle':null}]}");
	ck_assert_str_eq(text, "");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bonding_text");
	TCase *tests = tcase_create("text");
	SRunner *runner = srunner_create(suite);

	tcase_add_checked_fixture(tests, NULL, tear_down);
	tcase_add_test(tests, active_backup);
	tcase_add_test(tests, aggregators);
	tcase_add_test(tests, probes_are_where_arp_is);
	tcase_add_loop_test(tests, each_mode_has_the_name_that_bonding_gives_it, 0,
			    sizeof(modes) / sizeof(*modes));
	tcase_add_loop_test(tests, each_policy_has_its_number, 0, sizeof(hashes) / sizeof(*hashes));
	tcase_add_test(tests, bundles_have_their_names_where_there_are_several);
	tcase_add_test(tests, no_bundle_is_no_text);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
