/* SPDX-License-Identifier: MIT */
/* Other programs' files: as ours, accepted by ours. */
#include "tests/unit/config_file_testing.h"

#define RUNSLIP "# What %s says, by serialbundle --import runslip.\n"

/* The HOWTO's own two stanzas. */
START_TEST(E15_runslip_of_the_howto)
{
	ck_assert_int_eq(RUN("--import", "runslip", TEST_DATA "/runslip.conf"), CONFIG_DONE);
	ck_assert_str_eq(err, "");
	ck_assert_str_eq(out, "# What " TEST_DATA
			      "/runslip.conf says, by serialbundle --import runslip.\n"
			      "[bundle]\n"
			      "mtu = 576\n"
			      "local = 198.67.33.239\n"
			      "\n"
			      "[line sl-line-1]\n"
			      "device = /dev/cua2\n"
			      "bps = 28800\n"
			      "baud = 38400\n"
			      "chat = /etc/slip/dialout/cua2-288.xp\n"
			      "attempts = 9\n"
			      "command = eql_enslave eql $interface 28800\n"
			      "\n"
			      "[line sl-line-2]\n"
			      "device = /dev/cua3\n"
			      "bps = 28800\n"
			      "baud = 38400\n"
			      "chat = /etc/slip/dialout/cua3-288.xp\n"
			      "attempts = 9\n"
			      "command = eql_enslave eql $interface 28800\n");
}
END_TEST

/* With its scripts where this test can put them. */
START_TEST(E15_what_was_imported_is_accepted)
{
	static char text[TEXT_SIZE];
	FILE *f = fopen(TEST_DATA "/runslip.conf", "r");
	ck_assert_ptr_nonnull(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	for (char *at = text; (at = strstr(at, "/etc/slip/dialout/"));)
		memmove(at, at + strlen("/etc/slip/dialout/"),
			strlen(at + strlen("/etc/slip/dialout/")) + 1);
	put_file("runslip.conf", text);
	put_file("cua2-288.xp", "'' ATDT1 CONNECT \\c\n");
	put_file("cua3-288.xp", "'' ATDT2 CONNECT \\c\n");
	ck_assert_int_eq(RUN("--import=runslip", "runslip.conf"), CONFIG_DONE);
	put_file("x.conf", out);
	ck_assert_int_eq(RUN("--check", "x.conf"), CONFIG_DONE);
	ck_assert_str_eq(err, "");
	ck_assert_int_eq(RUN("-c", "x.conf"), CONFIG_RUN);
	ck_assert_uint_eq(config.line_count, 2);
	ck_assert_uint_eq(config.lines[1].bps, 28800);
	ck_assert_uint_eq(config.lines[1].baud, 38400);
	ck_assert(config.lines[1].enabled);
	ck_assert_str_eq(config.lines[1].modem.chat, "cua3-288.xp");
	ck_assert_str_eq(config.lines[1].command, "eql_enslave eql $interface 28800");
	ck_assert_uint_eq(config.mtu, 576);
}
END_TEST

static const struct {
	const char *text, *line; /* of the line's section, what is behind its name */
} stanzas[] = {
	{"baud 9600\nline /dev/ttyS0", "enabled = no\ndevice = /dev/ttyS0\n"
				       "# No command tells what it carries: as much as the port.\n"
				       "bps = 9600\nbaud = 9600\n"},
	{"  enabled\r\n\tbaud\t9600\r\nline /dev/ttyS0 \r\ncommand /sbin/eql_enslave eql "
	 "$interface "
	 "4800",
	 "device = /dev/ttyS0\nbps = 4800\nbaud = 9600\n"
	 "command = /sbin/eql_enslave eql $interface 4800\n"},
	{"enabled\nbaud 9600\nline /dev/ttyS0\ncommand not_eql_enslave eql x 4800",
	 "device = /dev/ttyS0\n# No command tells what it carries: as much as the port.\n"
	 "bps = 9600\nbaud = 9600\ncommand = not_eql_enslave eql x 4800\n"},
	{"enabled\nbaud 9600\nline /dev/ttyS0\nducmd -e a.xp",
	 "device = /dev/ttyS0\n# No command tells what it carries: as much as the port.\n"
	 "bps = 9600\nbaud = 9600\nchat = a.xp\n"},
};

START_TEST(runslip_stanza)
{
	char text[512], want[1024];
	snprintf(text, sizeof(text), "# first\n\nname x\n%s\n", stanzas[_i].text);
	snprintf(want, sizeof(want), RUNSLIP "[bundle]\n\n[line x]\n%s", "r.conf",
		 stanzas[_i].line);
	put_file("r.conf", text);
	ck_assert_int_eq(RUN("--import", "runslip", "r.conf"), CONFIG_DONE);
	ck_assert_str_eq(out, want);
}
END_TEST

START_TEST(runslip_lines_that_differ_get_one_mtu)
{
	put_file("r.conf", "name a\nbaud 9600\nline /dev/a\nmtu 1006\naddress 10.0.0.1\n"
			   "name b\nbaud 9600\nline /dev/b\nmtu 296\naddress 10.0.0.2\n");
	ck_assert_int_eq(RUN("--import", "runslip", "r.conf"), CONFIG_DONE);
	ck_assert_has(out, "[bundle]\n# The lines differ in this; a bundle has one of each.\n"
			   "mtu = 296\nlocal = 10.0.0.1\n");
}
END_TEST

static const struct {
	const char *text, *messages;
} bad_runslips[] = {
	{"", "r: there is no name in it\n"},
	{"baud 9600\nname x\nbauds 1\n", "r:1: baud stands before any name\nr:3: unknown word "
					 "'bauds'\n"},
	{"name x\nbaud\nbaud fast\nmtu 5\naddress 10.0.0\nline\nenabled 1\ncommand\n",
	 "r:2: baud '': not understood\nr:3: baud fast: not understood\nr:4: mtu 5: not "
	 "understood\nr:5: address 10.0.0: not understood\nr:6: line '': not understood\n"
	 "r:7: enabled 1: not understood\nr:8: command '': not understood\n"},
	{"name x\nline /dev/tty\033[2J\ncommand a\001\n",
	 "r:2: line /dev/tty?[2J: not understood\nr:3: command a?: not understood\n"},
	{"name x\nducmd -e\nducmd -t x\nducmd -q 9\n",
	 "r:2: ducmd -e '': not understood\nr:3: ducmd -t x: not understood\nr:4: ducmd -q: "
	 "unknown "
	 "(there are -e SCRIPT and -t N)\n"},
	{"name x\nline /dev/x\nname y\nbaud 9600\n", "r:1: x: no baud\nr:3: y: no line\n"},
	{"name a b\n", "r:1: name a b: a name is 1 to 31 letters, digits and ._+- and begins with "
		       "none of .-\n"},
};

START_TEST(runslip_is_refused)
{
	put_file("r", bad_runslips[_i].text);
	ck_assert_int_eq(RUN("--import", "runslip", "r"), CONFIG_WRONG);
	ck_assert_str_eq(err, bad_runslips[_i].messages);
	ck_assert_str_eq(out, "");
}
END_TEST

/* --- bonding --- */

START_TEST(B0_stanza_of_the_trunking_page)
{
	ck_assert_int_eq(RUN("--import", "ifupdown", TEST_DATA "/interfaces"), CONFIG_DONE);
	ck_assert_str_eq(err, "");
	ck_assert_str_eq(
		out, "# What " TEST_DATA "/interfaces says, by serialbundle --import ifupdown.\n"
		     "[bundle]\n"
		     "name = bond0\n"
		     "# gateway 10.31.1.254: is at the other end; the route needs no address\n"
		     "local = 10.31.1.5/24\n"
		     "default-route = yes\n"
		     "lines = all\n"
		     "mode = balance-rr\n"
		     "miimon = 100ms\n"
		     "\n[line ttyS0]\ndevice = /dev/ttyS0\n"
		     "# The rate is not in that file: put it right.\nbps = 115200\n"
		     "\n[line ttyUSB1]\ndevice = /dev/ttyUSB1\n"
		     "# The rate is not in that file: put it right.\nbps = 115200\n");
	put_file("x.conf", out);
	ck_assert_int_eq(RUN("-c", "x.conf"), CONFIG_RUN);
	ck_assert_str_eq(err, "");
	ck_assert_str_eq(config.ifname, "bond0");
	ck_assert(config.default_route);
	ck_assert_uint_eq(config.line_count, 2);
}
END_TEST

START_TEST(B0_bonding_words_are_options_of_that_name)
{
	put_file("i", "iface bond1 inet static\naddress 10.0.0.1\nslaves ttyS0 ttyS1\n"
		      "bond_mode active-backup\nbond-primary /dev/ttyS1 ttyS0\n"
		      "bond-primary-reselect better\nbond-updelay 200\nbond-downdelay 400\n"
		      "bond_miimon 100\nbond-num_grat_arp 3\nbond-xmit_hash_policy layer3+4\n"
		      "bond-arp_ip_target 10.0.0.2,10.0.0.3\nbond-mode 1\nbond-fail_over_mac 1\n"
		      "bond-sticky 1\n");
	ck_assert_int_eq(RUN("--import", "ifupdown", "i"), CONFIG_DONE);
	ck_assert_str_eq(err, "");
	ck_assert_has(out, "# bond-fail_over_mac 1: a TUN interface has no MAC address\n"
			   "# bond-sticky 1: left out\nlocal = 10.0.0.1\nmode = active-backup\n"
			   "primary = ttyS1\nprimary-reselect = better\nupdelay = 200ms\n"
			   "downdelay = 400ms\nmiimon = 100ms\nnum-peer-notif = 3\n"
			   "xmit-hash-policy = layer3+4\nprobe-target = 10.0.0.2\n");
	ck_assert_has(out, "# bond-primary /dev/ttyS1 ttyS0: only the first one\n");
	put_file("x.conf", out);
	ck_assert_int_eq(RUN("-q", "-c", "x.conf"), CONFIG_RUN);
	ck_assert_str_eq(err, "");
	ck_assert_str_eq(config.primary, "ttyS1");
	ck_assert_int_eq(config.mode.mode, MODE_ACTIVE_BACKUP);
	ck_assert_int_eq(config.monitor.downdelay, 400 * SB_MS);
}
END_TEST

/* --- sqm --- */

START_TEST(Q11_default_conf)
{
	ck_assert_int_eq(RUN("--import", "sqm", TEST_DATA "/sqm.conf"), CONFIG_DONE);
	ck_assert_str_eq(err, "");
	ck_assert_str_eq(
		out, "# What " TEST_DATA "/sqm.conf says, by serialbundle --import sqm.\n"
		     "[bundle]\n"
		     "# ENABLED=1: left out\n"
		     "# STAB_MTU, STAB_TSIZE=2047: there is no table: sizes are reckoned exactly\n"
		     "# STAB_MTU, STAB_TSIZE=512: there is no table: sizes are reckoned exactly\n"
		     "# ITARGET=auto: left out\n"
		     "shape = 2544000\nshape-in = 16309000\ntiers = diffserv3\nno-ecn = yes\n"
		     "\n[line ge00]\n"
		     "# The line is not in that file: put its device and rate right.\n"
		     "device = /dev/ttyS0\nbps = 2544000\n"
		     "linklayer = atm\noverhead = 40\nmpu = 0\n");
	put_file("x.conf", out);
	ck_assert_int_eq(RUN("-c", "x.conf"), CONFIG_RUN);
	ck_assert_str_eq(err, "");
	ck_assert_uint_eq(config.shape.bps, 2544000);
	ck_assert_uint_eq(config.shape_in.bps, 16309000);
	ck_assert_int_eq(config.lines[0].layer.cells, CELLS_ATM);
	ck_assert_int_eq(config.lines[0].layer.overhead, 40);
	ck_assert(!config.ecn);
}
END_TEST

static const struct {
	const char *text, *messages;
} bad_sqms[] = {
	{"IFACE=x\n", "s: neither UPLINK nor DOWNLINK is in it\n"},
	{"UPLINK=fast\nLINKLAYER=token\nOVERHEAD=-65\nMPU=-1\nEECN=1\nLLAM=x\nwhat\n",
	 "s:1: UPLINK=fast: not understood\ns:2: LINKLAYER=token: not understood\n"
	 "s:3: OVERHEAD=-65: not understood\ns:4: MPU=-1: not understood\n"
	 "s:5: EECN=1: not understood\ns:6: LLAM=x: not understood\n"
	 "s:7: what: expected NAME=VALUE\n"},
};

START_TEST(sqm_is_refused)
{
	put_file("s", bad_sqms[_i].text);
	ck_assert_int_eq(RUN("--import", "sqm", "s"), CONFIG_WRONG);
	ck_assert_str_eq(err, bad_sqms[_i].messages);
}
END_TEST

START_TEST(bonding_stanza_that_names_its_lines)
{
	put_file("i", "iface eth0 inet dhcp\niface bond1 inet static\naddress 10.0.0.1/30\n"
		      "bond-slaves ttyS0  /dev/ttyS1\nmtu 400\nauto x\nslaves y\n");
	ck_assert_int_eq(RUN("--import", "ifupdown", "i"), CONFIG_DONE);
	ck_assert_has(out, "name = bond1\nlocal = 10.0.0.1/30\nmtu = 400\n\n[line ttyS0]");
	ck_assert_has(out, "[line ttyS1]\ndevice = /dev/ttyS1\n");
	ck_assert(!strstr(out, "[line y]"));
}
END_TEST

START_TEST(B0_slaves_that_name_their_master)
{
	put_file("i", "iface lo inet loopback\nmtu 65536\n"
		      "iface ttyS0 inet manual\nbond-master bond0\nbond-primary ttyS0\n"
		      "bond-miimon 50\n"
		      "iface bond0 inet static\naddress 10.0.0.1\nnetmask 255.255.255.0\n"
		      "pointopoint 10.0.0.2\nmtu 1400\nbond-slaves none\nbond-mode 1\n"
		      "bond-miimon 100\nbond-downdelay 200\n"
		      "iface ttyS1 inet manual\n  bond_master bond0\n"
		      "iface ttyS1 inet6 manual\nbond-master bond0\n"
		      "iface ttyS2 inet manual\nbond-master bond1\n");
	ck_assert_int_eq(RUN("--import", "ifupdown", "i"), CONFIG_DONE);
	ck_assert_str_eq(err, "");
	ck_assert_str_eq(out, "# What i says, by serialbundle --import ifupdown.\n"
			      "[bundle]\nname = bond0\n"
			      "local = 10.0.0.1\nmtu = 1400\nremote = 10.0.0.2\n"
			      "mode = active-backup\nmiimon = 100ms\ndowndelay = 200ms\n"
			      "primary = ttyS0\n"
			      "\n[line ttyS0]\ndevice = /dev/ttyS0\n"
			      "# The rate is not in that file: put it right.\nbps = 115200\n"
			      "\n[line ttyS1]\ndevice = /dev/ttyS1\n"
			      "# The rate is not in that file: put it right.\nbps = 115200\n");
	put_file("x.conf", out);
	ck_assert_int_eq(RUN("-q", "-c", "x.conf"), CONFIG_RUN);
	ck_assert_str_eq(err, "");
	ck_assert_uint_eq(config.mtu, 1400);
	ck_assert(config.addresses[0].has_peer);
	ck_assert_uint_eq(config.line_count, 2);
}
END_TEST

START_TEST(slaves_that_both_name_are_one)
{
	put_file("i", "iface bond0 inet manual\nslaves ttyS1\n"
		      "iface ttyS1 inet manual\nbond-master bond0\n"
		      "iface ttyS0 inet manual\nbond-master bond0\n");
	ck_assert_int_eq(RUN("--import", "ifupdown", "i"), CONFIG_DONE);
	put_file("x.conf", out);
	ck_assert_int_eq(RUN("-q", "-c", "x.conf"), CONFIG_RUN);
	ck_assert_uint_eq(config.line_count, 2);
	ck_assert_str_eq(config.lines[0].name, "ttyS1");
	ck_assert_str_eq(config.lines[1].name, "ttyS0");
}
END_TEST

static const struct {
	const char *text, *messages;
} bad_interfaces[] = {
	{"iface eth0 inet dhcp\n", "i: no stanza in it has slaves\n"},
	{"iface bond0 inet static\nslaves none\n", "i: no stanza in it has slaves\n"},
	{"iface bond0 inet static\nslaves\naddress x\nnetmask 255.0.255.0\ngateway 0.0.0.0\n",
	 "i:2: slaves '': not understood\ni:3: address x: not understood\n"
	 "i:4: netmask 255.0.255.0: not understood\ni:5: gateway 0.0.0.0: not understood\n"},
	{"iface bond0 inet static\nslaves ttyS0\nbond-mode 7\nbond-miimon fast\n",
	 "i:3: bond-mode 7: expected earliest, or one of bonding's by name or number: balance-rr "
	 "0, "
	 "active-backup 1, balance-xor 2, broadcast 3, 802.3ad 4, balance-tlb 5, balance-alb 6\n"
	 "i:4: bond-miimon fast: expected ms from 0 to 300000, or a time (100, 100ms, 1.5s)\n"},
	{"iface bond0 inet static\nslaves ttyS0 tty]\n",
	 "i:2: slaves ttyS0 tty]: not understood\n"},
	{"iface tty] inet manual\nbond-master bond0\nmtu\npointopoint x\n",
	 "i:2: bond-master bond0: not understood\ni:3: mtu '': not understood\n"
	 "i:4: pointopoint x: not understood\n"},
	{"iface bond0 inet manual\niface ttyS0 inet manual\nbond-master bond1\n",
	 "i: no stanza in it has slaves\n"},
	{"iface a-name-too-long-for-one inet static\n",
	 "i:1: iface 'a-name-too-long-for-one': not a name for an interface\n"},
};

START_TEST(bonding_stanza_is_refused)
{
	put_file("i", bad_interfaces[_i].text);
	ck_assert_int_eq(RUN("--import", "ifupdown", "i"), CONFIG_WRONG);
	ck_assert_str_eq(err, bad_interfaces[_i].messages);
}
END_TEST

static const struct {
	const char *words[4], *message;
} bad_calls[] = {
	{{"--import", "runslip"}, "serialbundle: --import runslip: which FILE?\n"},
	{{"--import", "wvdial", "x"},
	 "serialbundle: --import wvdial: expected runslip, ifupdown or sqm\n"},
	{{"--import", "runslip", "x", "y"}, "serialbundle: --import: one FILE, not also y\n"},
	{{"--import", "runslip", "nowhere"}, "serialbundle: nowhere: No such file or directory\n"},
	{{"--import", "sqm", "."}, "serialbundle: .: Is a directory\n"},
	{{"--import"}, "serialbundle: --import needs a value: runslip, ifupdown or sqm\n"},
};

START_TEST(import_is_refused)
{
	const char *words[6] = {"serialbundle"};
	memcpy(words + 1, bad_calls[_i].words, sizeof(bad_calls[_i].words));
	ck_assert_int_eq(run_words(words), CONFIG_WRONG);
	ck_assert_str_eq(err, bad_calls[_i].message);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("import");
	TCase *t = tcase_create("imports");
	tcase_add_checked_fixture(t, enter_directory, leave_directory);
	tcase_add_test(t, E15_runslip_of_the_howto);
	tcase_add_test(t, E15_what_was_imported_is_accepted);
	tcase_add_loop_test(t, runslip_stanza, 0, COUNT(stanzas));
	tcase_add_test(t, runslip_lines_that_differ_get_one_mtu);
	tcase_add_loop_test(t, runslip_is_refused, 0, COUNT(bad_runslips));
	tcase_add_test(t, B0_stanza_of_the_trunking_page);
	tcase_add_test(t, bonding_stanza_that_names_its_lines);
	tcase_add_test(t, B0_slaves_that_name_their_master);
	tcase_add_test(t, slaves_that_both_name_are_one);
	tcase_add_test(t, B0_bonding_words_are_options_of_that_name);
	tcase_add_test(t, Q11_default_conf);
	tcase_add_loop_test(t, sqm_is_refused, 0, COUNT(bad_sqms));
	tcase_add_loop_test(t, bonding_stanza_is_refused, 0, COUNT(bad_interfaces));
	tcase_add_loop_test(t, import_is_refused, 0, COUNT(bad_calls));
	suite_add_tcase(suite, t);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
