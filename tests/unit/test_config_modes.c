/* SPDX-License-Identifier: MIT */
/* The words of modes, shaping and link layers: what they mean, and what is told of them. */
#include "tests/unit/config_testing.h"

#include "src/config_change.h"
#include "src/config_options.h"

#include <math.h>

static const char *const LINE = "/dev/ttyS0:9600";

/* --- bonding's words ---------------------------------------------------------------------------
 */

static const struct {
	const char *word, *ours; /* what is said, and as what it is taken */
} spellings[] = {
	{"--packets-per-slave=3", "packets-per-line"},
	{"--packets_per_slave=3", "packets-per-line"},
	{"--num_grat_arp=3", "num-peer-notif"},
	{"--num_unsol_na=3", "num-peer-notif"},
	{"--arp_missed_max=3", "probe-missed-max"},
	{"--probe_missed_max=3", "probe-missed-max"},
	{"--min_links=3", "min-links"},
	{"--max_lines=3", "max-lines"},
};

START_TEST(bonding_users_are_understood)
{
	char value[CONFIG_TEXT_SIZE];
	ck_assert_int_eq(RUN("-q", spellings[_i].word, LINE), CONFIG_RUN);
	ck_assert(config_tell_option(&config, spellings[_i].ours, value));
	ck_assert_str_eq(value, "3");
}
END_TEST

START_TEST(modes_have_names_and_numbers)
{
	static const char *const names[] = {"balance-rr",  "active-backup", "balance-xor",
					    "broadcast",   "802.3ad",       "balance-tlb",
					    "balance-alb", "earliest"};
	char number[16];
	ck_assert_int_eq(RUN("--mode", names[_i], LINE), CONFIG_RUN);
	ck_assert_int_eq(config.mode.mode, _i);
	snprintf(number, sizeof(number), "%d", _i);
	bool numbered = _i < MODE_EARLIEST;
	ck_assert_int_eq(RUN("--mode", number, LINE), numbered ? CONFIG_RUN : CONFIG_WRONG);
	ck_assert(!numbered || config.mode.mode == (enum mode)_i);
}
END_TEST

/* A number is in ms, as theirs are; anything else has its unit. */
START_TEST(durations_may_be_in_ms)
{
	ck_assert_int_eq(RUN("--miimon=100", "--updelay=1.5s", "--downdelay", "200ms", LINE),
			 CONFIG_RUN);
	ck_assert_int_eq(config.monitor.miimon, 100 * SB_MS);
	ck_assert_int_eq(config.monitor.updelay, 1500 * SB_MS);
	ck_assert_int_eq(config.monitor.downdelay, 200 * SB_MS);
	ck_assert_int_eq(RUN("--miimon=300001", LINE), CONFIG_WRONG);
	ck_assert_int_eq(RUN("--miimon=5min", LINE), CONFIG_RUN);
	ck_assert_int_eq(RUN("--miimon=301s", LINE), CONFIG_WRONG);
}
END_TEST

START_TEST(the_primary_is_known_by_name_or_device)
{
	ck_assert_int_eq(RUN("--mode=1", "--primary=/dev/ttyS1", LINE, "/dev/ttyS1:9600,name=two"),
			 CONFIG_RUN);
	ck_assert_str_eq(config.primary, "two");
	ck_assert_int_eq(RUN("--mode=1", "--primary=two", LINE, "/dev/ttyS1:9600,name=two"),
			 CONFIG_RUN);
	ck_assert_str_eq(config.primary, "two");
	ck_assert_str_eq(err, "");
}
END_TEST

/* --- what is odd, and all the same no error ----------------------------------------------------
 */

static const struct {
	const char *words[6], *note;
} odd[] = {
	{{"--mode=0", "--primary=ttyS0"},
	 "--primary is for active-backup, balance-tlb and balance-alb; the mode is balance-rr"},
	{{"--xmit-hash-policy=layer3+4"},
	 "--xmit-hash-policy is for balance-xor, 802.3ad, balance-tlb and balance-alb; the mode is "
	 "earliest"},
	{{"--packets-per-line=2"}, "--packets-per-line is for balance-rr; the mode is earliest"},
	{{"--min-links=2", "--mode=4"}, "--min-links 2: there are only 1 lines"},
	{{"--updelay=100"}, "--updelay counts for nothing without --miimon"},
	{{"--miimon=100", "--downdelay=250"}, "--downdelay is rounded down to 200 ms"},
	{{"--mode=6", "/dev/ttyS1:9600"}, "over SLIP the peer cannot be asked for its shares"},
	{{"--mode=3", "/dev/ttyS1:9600"}, "the other end gets each packet once per line"},
	{{"--tiers=besteffort", "--tier-bulk=10%"},
	 "--tier-bulk counts for nothing with --tiers besteffort"},
	{{"--park-loss=5%"}, "--park-loss: lines that speak SLIP measure nothing"},
	{{"--shape=10k"}, "--shape 10000 is more than the lines carry (9600)"},
};

START_TEST(what_is_odd_is_remarked)
{
	const char *words[9] = {"serialbundle"};
	int n = 1;
	for (const char *const *word = odd[_i].words; *word; word++)
		words[n++] = *word;
	words[n++] = LINE;
	ck_assert_int_eq(run_words(words), CONFIG_RUN);
	ck_assert_has(err, "serialbundle: note: ");
	ck_assert_has(err, odd[_i].note);
	words[n] = "-q";
	ck_assert_int_eq(run_words(words), CONFIG_RUN);
	ck_assert_str_eq(err, "");
}
END_TEST

/* --- shapes, tiers, parking --------------------------------------------------------------------
 */

START_TEST(a_shape_is_a_rate_or_a_part)
{
	ck_assert_int_eq(RUN("--shape=97.5%", "--shape-in=28.8k", "/dev/ttyS0:57600,shape=50%"),
			 CONFIG_RUN);
	ck_assert_uint_eq(config.shape.permille, 975);
	ck_assert_uint_eq(config.shape.bps, 0);
	ck_assert_uint_eq(config.shape_in.bps, 28800);
	ck_assert_uint_eq(config.lines[0].shape.permille, 500);
	ck_assert_uint_eq(config.lines[0].shape_in.bps + config.lines[0].shape_in.permille, 0);
	ck_assert_int_eq(RUN("--shape=unlimited", LINE), CONFIG_RUN);
	ck_assert_uint_eq(config.shape.permille + config.shape.bps, 0);
}
END_TEST

static const char *const bad_shapes[] = {"0",   "0%",  "100.1%", "97.55%", "%",
					 "-5%", "5 %", "49",     ""};

START_TEST(a_shape_is_refused)
{
	ck_assert_int_eq(RUN("--shape", bad_shapes[_i], LINE), CONFIG_WRONG);
	ck_assert_has(err, "a rate from 50 to 1000000000 bps (");
	ck_assert_has(err, "a percentage up to 100%");
}
END_TEST

START_TEST(tiers_have_shares_and_ceilings)
{
	ck_assert_int_eq(RUN("--tier-interactive=20%/50%", "--tier-bulk=0%", LINE), CONFIG_RUN);
	ck_assert_uint_eq(config.tiers[TIER_INTERACTIVE].share, 200);
	ck_assert_uint_eq(config.tiers[TIER_INTERACTIVE].ceiling, 500);
	ck_assert_uint_eq(config.tiers[TIER_BULK].share, 0);
	ck_assert_uint_eq(config.tiers[TIER_BULK].ceiling, 1000);
	ck_assert_int_eq(RUN("--tier-bulk=20%/10%", LINE), CONFIG_WRONG);
	ck_assert_int_eq(RUN("--tier-bulk=0%/0%", LINE), CONFIG_WRONG);
	ck_assert_int_eq(RUN("--tier-bulk=101%", LINE), CONFIG_WRONG);
	ck_assert_int_eq(RUN("--tier-bulk=10%/", LINE), CONFIG_WRONG);
}
END_TEST

START_TEST(parking_has_two_bounds)
{
	ck_assert_int_eq(RUN("--park-loss=5%/0.25%", LINE), CONFIG_RUN);
	ck_assert(fabs(config.park.loss_out - 0.05) < 1e-9);
	ck_assert(fabs(config.park.loss_in - 0.0025) < 1e-9);
	ck_assert_int_eq(RUN("--park-loss=5%", LINE), CONFIG_RUN);
	ck_assert(fabs(config.park.loss_in - 0.025) < 1e-9);
	ck_assert_int_eq(RUN("--park-loss=0", LINE), CONFIG_RUN);
	ck_assert(config.park.loss_out == 0.0);
	ck_assert_int_eq(RUN("--park-loss=1%/2%", LINE), CONFIG_WRONG);
}
END_TEST

/* --- a line's rate and link layer --------------------------------------------------------------
 */

START_TEST(auto_begins_with_the_ports_speed)
{
	ck_assert_int_eq(RUN("/dev/ttyS0:auto", "/dev/ttyS1:auto@57.6k", "/dev/ttyS2:9600,name=a",
			     "usb:0403:6001:auto", "exec:cat:auto@9600", "/dev/ttyS3,bps=auto"),
			 CONFIG_RUN);
	ck_assert(config.lines[0].auto_rate && config.lines[0].bps == 115200);
	ck_assert(config.lines[1].auto_rate && config.lines[1].bps == 57600);
	ck_assert(!config.lines[2].auto_rate);
	ck_assert(config.lines[3].auto_rate &&
		  strcmp(config.lines[3].device, "usb:0403:6001") == 0);
	ck_assert(config.lines[4].auto_rate && strcmp(config.lines[4].device, "exec:cat") == 0);
	ck_assert(config.lines[5].auto_rate);
	ck_assert_int_eq(RUN("/dev/ttyS0:9600@auto"), CONFIG_WRONG);
}
END_TEST

static const struct {
	const char *keys;
	struct linklayer layer;
} layers[] = {
	{"name=a", {.exact = true}},
	{"linklayer=exact", {.exact = true}},
	{"linklayer=raw", {.overhead = 0}},
	{"linklayer=atm,overhead=40", {.overhead = 40, .cells = CELLS_ATM}},
	{"overhead=40,linklayer=atm", {.overhead = 40, .cells = CELLS_ATM}},
	{"linklayer=pppoe-llcsnap", {.overhead = 40, .cells = CELLS_ATM}},
	{"overhead=0,linklayer=pppoe-llcsnap", {.overhead = 0, .cells = CELLS_ATM}},
	{"linklayer=docsis", {.overhead = 18, .mpu = 64}},
	{"mpu=0,linklayer=docsis,overhead=-14", {.overhead = -14, .mpu = 0}},
	{"linklayer=ethernet+ether-vlan", {.overhead = 42, .mpu = 84}},
	{"linklayer=ptm", {.cells = CELLS_PTM}},
};

START_TEST(what_is_said_of_a_link_layer_holds_in_any_order)
{
	char line[128] = "/dev/ttyS0:9600,";
	const struct linklayer *l = &config.lines[0].layer, *wanted = &layers[_i].layer;
	ck_assert_int_eq(RUN(strcat(line, layers[_i].keys)), CONFIG_RUN);
	ck_assert(l->exact == wanted->exact && l->cells == wanted->cells);
	ck_assert_int_eq(l->overhead, wanted->overhead);
	ck_assert_uint_eq(l->mpu, wanted->mpu);
}
END_TEST

/* --- while it runs -----------------------------------------------------------------------------
 */

/* No word of both groups is forgotten when another configuration is followed. */
START_TEST(all_of_it_may_change_live)
{
	static struct config before;
	static const struct option_group *const groups[] = {&config_modes_group,
							    &config_shape_group};
	char was[CONFIG_TEXT_SIZE], is[CONFIG_TEXT_SIZE], usual[CONFIG_TEXT_SIZE];
	ck_assert_int_eq(RUN(LINE), CONFIG_RUN);
	before = config;
	ck_assert_int_eq(
		RUN("-q", "--mode=1", "--xmit-hash-policy=layer3+4", "--packets-per-line=2",
		    "--tlb-dynamic-lb=no", "--primary=ttyS0", "--primary-reselect=better",
		    "--ad-select=count", "--min-links=2", "--miimon=100", "--updelay=200",
		    "--downdelay=300", "--num-peer-notif=3", "--peer-notif-delay=100",
		    "--probe-interval=50", "--probe-target=10.0.0.1", "--probe-validate=filter",
		    "--probe-missed-max=3", "--shape=90%", "--shape-in=8k", "--tiers=precedence",
		    "--tier-interactive=10%", "--tier-best-effort=20%", "--tier-bulk=30%/40%",
		    "--wash", "--queue-bytes=64k", "--queue-time=1s", "--park-loss=5%/1%",
		    "--park-delay=2s", "--park-for=1min", LINE),
		CONFIG_RUN);
	config_take_options(&before, &config);
	for (int g = 0; g < COUNT(groups); g++) {
		for (size_t i = 0; i < groups[g]->count; i++) {
			const char *name = groups[g]->rows[i].name;
			ck_assert(config_tell_option(&before, name, is));
			ck_assert(config_tell_option(&config, name, was));
			ck_assert(config_tell_option(&config_defaults, name, usual));
			ck_assert_str_eq(is, was);
			ck_assert_str_ne(is, usual);
			ck_assert_int_eq(config_live_change(name), CONFIG_CHANGE_ANY);
		}
	}
}
END_TEST

/* --- the plan ----------------------------------------------------------------------------------
 */

START_TEST(A9_the_plan_says_what_is_assumed)
{
	ck_assert_int_eq(RUN("--mode=1", "--miimon=100", "--shape=95%",
			     "/dev/ttyS0:16000,shape=50%,linklayer=pppoe-llcsnap"),
			 CONFIG_RUN);
	print_plan();
	ck_assert_has(out, "\nmode       active-backup, miimon 100ms\n");
	ck_assert_has(out, "\nshape      95%, inwards none\ntiers      diffserv3\n");
	ck_assert_has(out, "\n  shape    50% = 8000 bps\n");
	ck_assert_has(out, "\n  packets  atm, overhead 40, mpu 0: 40 = 106 bytes, 106.0 ms; "
			   "576 = 689 bytes, 689.0 ms; 1500 = 1749 bytes, 1749.0 ms\n");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("config_modes");
	TCase *t = tcase_create("words");
	tcase_add_loop_test(t, bonding_users_are_understood, 0, COUNT(spellings));
	tcase_add_loop_test(t, modes_have_names_and_numbers, 0, MODES);
	tcase_add_test(t, durations_may_be_in_ms);
	tcase_add_test(t, the_primary_is_known_by_name_or_device);
	tcase_add_loop_test(t, what_is_odd_is_remarked, 0, COUNT(odd));
	tcase_add_test(t, a_shape_is_a_rate_or_a_part);
	tcase_add_loop_test(t, a_shape_is_refused, 0, COUNT(bad_shapes));
	tcase_add_test(t, tiers_have_shares_and_ceilings);
	tcase_add_test(t, parking_has_two_bounds);
	tcase_add_test(t, auto_begins_with_the_ports_speed);
	tcase_add_loop_test(t, what_is_said_of_a_link_layer_holds_in_any_order, 0, COUNT(layers));
	tcase_add_test(t, all_of_it_may_change_live);
	tcase_add_test(t, A9_the_plan_says_what_is_assumed);
	suite_add_tcase(suite, t);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
