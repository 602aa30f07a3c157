/* SPDX-License-Identifier: MIT */
/* Configuration files: what is understood, what is refused, and what wins. */
#include "tests/unit/config_file_testing.h"

#define A_LINE "[line a]\ndevice = /dev/ttyS0\nbps = 9600\n"

/* --- what is understood --- */

START_TEST(file_says_what_the_command_line_says)
{
	put_file(
		"x.conf",
		"# a comment\n  ; and another\n[bundle]\nmtu = 576\n local = 10.0.0.1\nno-ecn=yes\n"
		"default-route = 7\nrealtime = no\nhold = 250ms\n"
		"[ line  north ] # one\n\tdevice = /dev/ttyS0\n\tbps = 28.8k\n\tbaud = 38400\n"
		"\tdial = 555,1/556\n\tcommand = a, b; c ; d # e\n");
	ck_assert_int_eq(RUN("--config", "x.conf"), CONFIG_RUN);
	ck_assert_str_eq(err, "");
	ck_assert_uint_eq(config.mtu, 576);
	ck_assert(!config.ecn && !config.realtime && config.default_route);
	ck_assert_uint_eq(config.route_metric, 7);
	ck_assert_int_eq(config.hold, 250 * SB_MS);
	ck_assert_uint_eq(config.line_count, 1);
	ck_assert_str_eq(config.lines[0].name, "north");
	ck_assert_uint_eq(config.lines[0].bps, 28800);
	ck_assert_str_eq(config.lines[0].modem.numbers[0], "555,1");
	ck_assert_str_eq(config.lines[0].command, "a, b; c ; d # e");
	ck_assert_str_eq(config.file, "x.conf");
}
END_TEST

START_TEST(check_counts_the_lines)
{
	put_file("x.conf", A_LINE);
	ck_assert_int_eq(RUN("--check", "x.conf"), CONFIG_DONE);
	ck_assert_str_eq(out, "x.conf: 1 line, no errors\n");
	ck_assert_str_eq(err, "");
}
END_TEST

START_TEST(carriage_returns_and_a_byte_order_mark_do_no_harm)
{
	put_file("x.conf", "\xEF\xBB\xBF[bundle]\r\nmtu = 576\r\n\r\n[line a]\r\n"
			   "device = /dev/ttyS0\r\nbps = \\\r\n 9600\r\n");
	ck_assert_int_eq(RUN("-c", "x.conf"), CONFIG_RUN);
	ck_assert_uint_eq(config.mtu, 576);
	ck_assert_str_eq(config.lines[0].device, "/dev/ttyS0");
	ck_assert_uint_eq(config.lines[0].bps, 9600);
}
END_TEST

START_TEST(last_line_may_lack_its_end)
{
	put_file("x.conf", "[line a]\ndevice = /dev/ttyS0\nbps = 9600");
	ck_assert_int_eq(RUN("-c", "x.conf"), CONFIG_RUN);
	put_file("x.conf", "[line a]\ndevice = /dev/ttyS0\nbps = 9600\\");
	ck_assert_int_eq(RUN("-c", "x.conf"), CONFIG_RUN);
	ck_assert_uint_eq(config.lines[0].bps, 9600);
}
END_TEST

START_TEST(line_goes_on_behind_a_backslash)
{
	put_file("x.conf", A_LINE "command = one \\\n\t two\\\n three \\\n# four\n# no \\\n");
	ck_assert_int_eq(RUN("-c", "x.conf"), CONFIG_RUN);
	ck_assert_str_eq(config.lines[0].command, "one twothree # four");
}
END_TEST

/* inih sees such a value in pieces; around the lengths at which one, two and three end. */
START_TEST(long_value_arrives_whole)
{
	static const char *const patterns[] = {"x", "x ", "  x", " ;x", "=x;", "\\x", "[x]", "#"};
	static const size_t ranges[][2] = {{180, 215}, {375, 410}, {505, CONFIG_COMMAND_SIZE - 1}};
	const char *pattern = patterns[_i];
	char value[CONFIG_COMMAND_SIZE], text[1024];
	for (int r = 0; r < COUNT(ranges); r++) {
		for (size_t n = ranges[r][0]; n <= ranges[r][1]; n++) {
			for (size_t i = 0; i < n; i++)
				value[i] = pattern[i % strlen(pattern)];
			value[0] = 'a';
			value[n - 1] = 'z';
			value[n] = '\0';
			snprintf(text, sizeof(text), A_LINE "command = %s\n", value);
			put_file("x.conf", text);
			ck_assert_int_eq(RUN("-c", "x.conf"), CONFIG_RUN);
			ck_assert_str_eq(config.lines[0].command, value);
		}
	}
}
END_TEST

START_TEST(names_of_devices_keep_their_colons)
{
	put_file("x.conf", "[line a]\ndevice = exec:gensiot tcp,localhost,3001\nbps = 9600\n"
			   "[line b]\ndevice = tcp:[::1]:3001\nbps = 9600\n"
			   "[line c]\ndevice = usb:0403:6001:9600\nbps = 9600\nppp = yes\n");
	ck_assert_int_eq(RUN("-c", "x.conf"), CONFIG_RUN);
	ck_assert_str_eq(config.lines[0].device, "exec:gensiot tcp,localhost,3001");
	ck_assert_str_eq(config.lines[1].device, "tcp:[::1]:3001");
	ck_assert_str_eq(config.lines[2].device, "usb:0403:6001:9600");
	ck_assert_ptr_eq(config.lines[0].encap, &encap_slip);
	ck_assert_ptr_eq(config.lines[2].encap, &encap_ppp);
}
END_TEST

START_TEST(control_socket_is_named_after_the_file)
{
	put_file("office.conf", A_LINE);
	put_file("plain", A_LINE);
	put_file("none.conf", "[bundle]\ncontrol =\n" A_LINE);
	ck_assert_int_eq(RUN("-c", "office.conf"), CONFIG_RUN);
	ck_assert_str_eq(config.control, "/run/serialbundle/office.sock");
	ck_assert_int_eq(RUN("-c", "plain"), CONFIG_RUN);
	ck_assert_str_eq(config.control, "/run/serialbundle/plain.sock");
	ck_assert_int_eq(RUN("-c", "none.conf"), CONFIG_RUN);
	ck_assert_str_eq(config.control, "");
	ck_assert_int_eq(RUN("-c", "plain", "--control=/run/x"), CONFIG_RUN);
	ck_assert_str_eq(config.control, "/run/x");
	ck_assert_int_eq(RUN("/dev/ttyS0:9600"), CONFIG_RUN);
	ck_assert_str_eq(config.control, "");
}
END_TEST

/* --- what wins --- */

START_TEST(command_line_wins)
{
	put_file("x.conf", "[bundle]\nmtu = 576\nlocal = 10.0.0.1\nlocal = 10.0.0.3\nppp = yes\n"
			   "no-ecn = yes\nhold = 1s\n" A_LINE);
	ck_assert_int_eq(RUN("-c", "x.conf", "--mtu=900", "--local=10.9.9.9", "--slip",
			     "--no-ecn=no", "/dev/ttyS1:1200"),
			 CONFIG_RUN);
	ck_assert_uint_eq(config.mtu, 900);
	ck_assert_uint_eq(config.address_count, 1);
	ck_assert_ptr_eq(config.lines[0].encap, &encap_slip);
	ck_assert(config.ecn);
	ck_assert_int_eq(config.hold, SB_SEC);
	ck_assert_uint_eq(config.line_count, 2);
	ck_assert_str_eq(config.lines[1].device, "/dev/ttyS1");
}
END_TEST

/* An option that is not used is wrong all the same. */
START_TEST(what_is_overridden_is_checked)
{
	put_file("x.conf", "[bundle]\nmtu = 5\n" A_LINE);
	ck_assert_int_eq(RUN("-c", "x.conf", "--mtu=900"), CONFIG_WRONG);
	ck_assert_str_eq(err, "x.conf:2: mtu 5: expected a number from 68 to 9216, or auto\n");
}
END_TEST

START_TEST(flag_that_is_off_was_not_given)
{
	put_file("x.conf", "[bundle]\nanswer = no\nppp = no\nuser = x\nask-dns = no\n" A_LINE);
	ck_assert_int_eq(RUN("-c", "x.conf"), CONFIG_WRONG);
	ck_assert_str_eq(err, "x.conf:4: user: no line speaks PPP (--ppp, or the word ppp on "
			      "one)\n");
	put_file("x.conf", "[bundle]\nppp = yes\nresolv = /x\nask-dns = no\n" A_LINE);
	ck_assert_int_eq(RUN("-c", "x.conf"), CONFIG_WRONG);
	ck_assert_str_eq(err, "x.conf:3: resolv: needs --ask-dns\n");
	ck_assert_int_eq(RUN("-c", "x.conf", "--ask-dns"), CONFIG_RUN);
	ck_assert(config.ppp.ask_dns);
	ck_assert_int_eq(RUN("-c", "x.conf", "--ask-dns", "--ask-dns=no"), CONFIG_WRONG);
}
END_TEST

START_TEST(B0_lines_are_chosen)
{
	put_file("x.conf", A_LINE "[line b]\ndevice = /dev/ttyS1\nbps = 1200\n"
				  "[line c]\ndevice = /dev/ttyS2\nbps = 2400\n"
				  "[bundle]\nlines = all\n");
	ck_assert_int_eq(RUN("-c", "x.conf"), CONFIG_RUN);
	ck_assert_uint_eq(config.line_count, 3);
	ck_assert_int_eq(RUN("-c", "x.conf", "--lines=c, a"), CONFIG_RUN);
	ck_assert_uint_eq(config.line_count, 2);
	ck_assert_str_eq(config.lines[0].name, "a");
	ck_assert_str_eq(config.lines[1].name, "c");
	ck_assert_int_eq(RUN("-c", "x.conf", "--lines=a,d"), CONFIG_WRONG);
	ck_assert_str_eq(err, "serialbundle: --lines d: there is no such line\n");
}
END_TEST

/* --- includes --- */

START_TEST(files_are_included)
{
	ck_assert_int_eq(mkdir("sub", 0700), 0);
	ck_assert_int_eq(mkdir("sub/lines", 0700), 0);
	put_file("sub/x.conf", "include = more.conf\n[bundle]\ninclude = lines\nmtu = 600\n"
			       "include = nothing-*.conf\n");
	put_file("sub/more.conf", "[bundle]\nhold = 1s\n");
	put_file("sub/lines/b.conf", "[line b]\ndevice = /dev/ttyS1\nbps = 1200\n");
	put_file("sub/lines/a.conf", A_LINE);
	put_file("sub/lines/c.txt", "[line c]\n");
	ck_assert_int_eq(RUN("-c", "sub/x.conf"), CONFIG_RUN);
	ck_assert_str_eq(err, "");
	ck_assert_uint_eq(config.mtu, 600);
	ck_assert_int_eq(config.hold, SB_SEC);
	ck_assert_uint_eq(config.line_count, 2);
	ck_assert_str_eq(config.lines[0].name, "a");
	ck_assert_str_eq(config.lines[1].name, "b");
}
END_TEST

START_TEST(include_that_comes_back_is_refused)
{
	put_file("x.conf", "[bundle]\ninclude = y.conf\n" A_LINE);
	put_file("y.conf", "include = ./x.conf\n");
	ck_assert_int_eq(RUN("-c", "x.conf"), CONFIG_WRONG);
	ck_assert_str_eq(err, "y.conf:1: include ./x.conf: it includes itself\n");
	put_file("y.conf", "include = z.conf\n");
	ck_assert_int_eq(symlink("x.conf", "z.conf"), 0);
	ck_assert_int_eq(RUN("-c", "x.conf"), CONFIG_WRONG);
	ck_assert_str_eq(err, "y.conf:1: include z.conf: it includes itself\n");
}
END_TEST

START_TEST(includes_are_not_too_deep)
{
	char name[16], text[64];
	for (int i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "%d.conf", i);
		snprintf(text, sizeof(text), "include = %d.conf\n", i + 1);
		put_file(name, text);
	}
	ck_assert_int_eq(RUN("-c", "0.conf"), CONFIG_WRONG);
	ck_assert_str_eq(err, "7.conf:1: include 8.conf: too many files, or too deep\n");
}
END_TEST

/* --- what is refused --- */

static const struct {
	const char *text, *messages;
} bad_files[] = {
	{"", "x.conf: no line given: a [line NAME] is missing\n"},
	{"[bundle]\n", "x.conf: no line given: a [line NAME] is missing\n"},
	{"x = 1\n", "x.conf:1: x stands before any [section]\n"},
	{"[bundle]\nbauds = 1\n", "x.conf:2: unknown key 'bauds' (see --help)\n"},
	{"[line a]\nbauds = 1\n", "x.conf:2: unknown key 'bauds' (did you mean 'baud'?)\n"},
	{"[bundle]\nmtuu = 1\n\nlocl = 2\n",
	 "x.conf:2: unknown key 'mtuu' (did you mean 'mtu'?)\n"
	 "x.conf:4: unknown key 'locl' (did you mean 'local'?)\n"},
	{"[bundle]\nmtu = 600\nmtu = 600\n", "x.conf:3: mtu is given twice, first at x.conf:2\n"},
	{"[bundle]\nhelp = yes\ncheck = x\nconfig = x\nimport = x\nprint-config = yes\n"
	 "version = yes\ndry-run = yes\n",
	 "x.conf:2: help: only on the command line\nx.conf:3: check: only on the command line\n"
	 "x.conf:4: config: only on the command line\nx.conf:5: import: only on the command line\n"
	 "x.conf:6: print-config: only on the command line\n"
	 "x.conf:7: version: only on the command line\nx.conf:8: dry-run: only on the command "
	 "line\n"},
	{"[bundle]\nno-ecn = on\nno-ecn\nmtu: 5\n = 5\n",
	 "x.conf:2: no-ecn on: expected yes or no\nx.conf:3: neither [section] nor key = value\n"
	 "x.conf:4: neither [section] nor key = value\nx.conf:5: unknown key '' (see --help)\n"},
	{"[bundle\nmtu = 5\n[line]\n[line  ]\n[linea]\n[]\n[bundle] x\nmtu = 5\n",
	 "x.conf:1: a section is [bundle] or [line NAME]: the ] is missing\n"
	 "x.conf:3: a line needs a name: [line NAME]\nx.conf:4: a line needs a name: [line NAME]\n"
	 "x.conf:5: unknown section [linea] (there are [bundle] and [line NAME])\n"
	 "x.conf:6: unknown section [] (there are [bundle] and [line NAME])\n"
	 "x.conf:7: what stands behind the ]?\n"},
	{"[line a]\n", "x.conf:1: no device: write device = /dev/ttyS0\n"},
	{"[line a]\ndevice = /dev/ttyS0\n[line b]\ndevice = /dev/ttyS1\nbps = 57600\nbaud = 9600\n",
	 "x.conf:1: what does this line carry? write bps = 28800\n"
	 "x.conf:3: bps 57600 is more than baud 9600: a line carries no more than its port\n"},
	{"[line a]\nname = b\nbps = 0\nbps = 1200\nppp = 1\nppp = yes\nslip = yes\n",
	 "x.conf:2: name is given twice\n"
	 "x.conf:3: bps 0: a rate is between 50 and 1000000000 (28800, 57.6k, 1M), or "
	 "auto\n"
	 "x.conf:4: bps is given twice\nx.conf:5: ppp 1: yes or no\nx.conf:7: both ppp and slip\n"},
	{A_LINE "\n[line a]\ndevice = /dev/ttyS1\nbps = 9600\n",
	 "x.conf:5: line a is at x.conf:1 already\n"},
	{A_LINE "[line b]\ndevice = /dev/ttyS0\nbps = 9600\n[line c]\ndevice = /dev/cua0\n"
		"bps = 9600\n",
	 "x.conf:4: /dev/ttyS0: given twice\nx.conf:7: /dev/cua0: the same device as "
	 "/dev/ttyS0\n"},
	{"[line .a]\n", "x.conf:1: name .a: a name is 1 to 31 letters, digits and ._+- and begins "
			"with none of .-\n"},
	{"[line 012345678901234567890123456789012345]\n",
	 "x.conf:1: name 012345678901234567890123456789012345: a name is 1 to 31 letters, "
	 "digits and ._+- and begins with none of .-\n"},
	{"[line 01234567890123456789012345678901234567890123456789]\nx = 1\n",
	 "x.conf:1: a section is [bundle] or [line NAME], not something that long\n"},
	{"[bundle]\ninclude =\ninclude = nowhere\ninclude = /\n" A_LINE,
	 "x.conf:2: include '': expected a file name\n"
	 "x.conf:3: include nowhere: No such file or directory\n"},
	{A_LINE "include = x\n",
	 "x.conf:4: unknown key 'include' (keys are device, bps, baud, bits, parity, stop, flow, "
	 "delay, shape, shape-in, linklayer, overhead, mpu, prio, name, bundle, enabled, command, "
	 "chat, init, dial, dial-command, answer, "
	 "dial-timeout, redial, redial-longest, attempts, hold-off, idle, max-connect, "
	 "connect-rate)\n"},
	{A_LINE "chat = nowhere\n", "x.conf:4: chat nowhere: No such file or directory\n"},
	{A_LINE "idle = 5min\n", "x.conf:1: a modem needs dial=NUMBER, chat=SCRIPT or answer=RINGS "
				 "to do something\n"},
	{"[bundle]\nip-up = /nowhere/a\nline-down = /nowhere/b\n" A_LINE,
	 "x.conf:2: ip-up /nowhere/a: No such file or directory\n"
	 "x.conf:3: line-down /nowhere/b: No such file or directory\n"},
	{"[bundle]\nmax-lines = 2\nmin-lines = 3\n" A_LINE,
	 "x.conf:3: min-lines 3: more than --max-lines 2\n"},
	{"[bundle]\nremote = 10.0.0.1\n" A_LINE,
	 "x.conf:2: remote 10.0.0.1: no IPv4 --local address to go with it\n"},
	{"[bundle]\nname = a\033[2J\n" A_LINE, "x.conf:2: a control character\n"},
};

START_TEST(everything_wrong_is_said)
{
	put_file("x.conf", bad_files[_i].text);
	ck_assert_int_eq(RUN("--check", "x.conf"), CONFIG_WRONG);
	ck_assert_str_eq(err, bad_files[_i].messages);
	ck_assert_str_eq(out, "");
}
END_TEST

START_TEST(more_lines_than_fit_are_said)
{
	static char text[CONFIG_MAX_LINES * 64 + 128];
	for (unsigned i = 0; i <= CONFIG_MAX_LINES; i++)
		snprintf(text + strlen(text), 64, "[line l%u]\ndevice = /dev/ttyS%u\nbps = 9600\n",
			 i, i);
	put_file("x.conf", text);
	ck_assert_int_eq(RUN("--check", "x.conf"), CONFIG_WRONG);
	ck_assert_str_eq(err, "x.conf:193: more than 64 lines\n");
}
END_TEST

START_TEST(files_that_are_something_else_are_refused)
{
	static char huge[6000];
	memset(huge, 'x', sizeof(huge) - 1);
	put_bytes("x.conf", "[bundle]\nmtu = 5\0junk\nx\nx\n", 26);
	ck_assert_int_eq(RUN("--check", "x.conf"), CONFIG_WRONG);
	ck_assert_str_eq(err, "x.conf:2: a NUL character: this is no text\n");
	put_file("x.conf", huge);
	ck_assert_int_eq(RUN("--check", "x.conf"), CONFIG_WRONG);
	ck_assert_str_eq(err, "x.conf:1: longer than 4095 characters\n");
	for (size_t i = 1; i < sizeof(huge) - 1; i += 2)
		huge[i] = '\n';
	put_file("x.conf", huge);
	ck_assert_int_eq(RUN("--check", "x.conf"), CONFIG_WRONG);
	ck_assert_has(err, "x.conf:20: too much is wrong; the rest is not read\n");
	ck_assert(!strstr(err, "x.conf:21:"));
	ck_assert_int_eq(RUN("--check", "."), CONFIG_WRONG);
	ck_assert_str_eq(err, ".: Is a directory\n");
	ck_assert_int_eq(RUN("--config", "nowhere"), CONFIG_WRONG);
	ck_assert_str_eq(err, "serialbundle: nowhere: No such file or directory\n");
	ck_assert_int_eq(RUN("--check", "/dev/null"), CONFIG_WRONG);
	ck_assert_str_eq(err, "/dev/null: no line given: a [line NAME] is missing\n");
	ck_assert_int_eq(RUN("--config="), CONFIG_WRONG);
	ck_assert_has(err, "--config '': expected a file name");
}
END_TEST

START_TEST(chat_scripts_are_checked)
{
	put_file("x.conf", A_LINE "chat = x.chat\n");
	put_file("x.chat", "ABORT BUSY\n'' ATZ\nOK 'ATDT\n");
	ck_assert_int_eq(RUN("--check", "x.conf"), CONFIG_WRONG);
	ck_assert_has(err, "x.chat:3: ");
	put_file("x.chat", "ABORT BUSY\n'' ATZ\nOK ATDT1\n");
	ck_assert_int_eq(RUN("--check", "x.conf"), CONFIG_DONE);
	ck_assert_int_eq(RUN("/dev/ttyS0:9600,chat=nowhere"), CONFIG_WRONG);
	ck_assert_str_eq(err, "serialbundle: /dev/ttyS0: nowhere: No such file or "
			      "directory\n");
}
END_TEST

START_TEST(all_that_is_wrong_is_said_at_once)
{
	put_file("x.conf", "[bundle]\nppp = yes\nslip = yes\nip-up = /nowhere/ip-up\n"
			   "require-chap = yes\nchap-secrets = nowhere.secrets\n"
			   "[line a]\ndevice = /dev/ttyS0\nbps = 9600\n\nchat = a.chat\n"
			   "[line b]\ndevice = /dev/ttyS1\nbps = 9600\nchat = b.chat\n");
	ck_assert_int_eq(RUN("--check", "x.conf"), CONFIG_WRONG);
	ck_assert_has(err, "x.conf:2: ppp: not together with --slip");
	ck_assert_has(err, "x.conf:4: ip-up /nowhere/ip-up: No such file");
	ck_assert_has(err, "x.conf:6: chap-secrets nowhere.secrets: No such file");
	ck_assert_has(err, "x.conf:11: chat a.chat: No such file");
	ck_assert_has(err, "x.conf:15: chat b.chat: No such file");
}
END_TEST

START_TEST(error_of_a_line_hides_no_others)
{
	put_file("x.conf", "[bundle]\nppp = yes\nslip = yes\nline-down = nowhere\n"
			   "chap-secrets = nowhere.secrets\n" A_LINE "baud = many\n"
			   "dial = a/\n[line b]\nbps = 9600\nchat = nowhere.chat\n");
	ck_assert_int_eq(RUN("--check", "x.conf"), CONFIG_WRONG);
	ck_assert_has(err, "x.conf:9: baud many");
	ck_assert_has(err, "x.conf:2: ppp: not together with --slip");
	ck_assert_has(err, "x.conf:4: line-down nowhere: No such file");
	ck_assert_has(err, "x.conf:5: chap-secrets nowhere.secrets: No such file");
	ck_assert_has(err, "x.conf:13: chat nowhere.chat: No such file");
}
END_TEST

START_TEST(programs_have_to_be_programs)
{
	put_file("hook", "#! /nowhere/sh -e\n");
	ck_assert_int_eq(chmod("hook", 0700), 0);
	put_file("x.conf", "[bundle]\nip-up = .\nline-up = hook\n" A_LINE);
	ck_assert_int_eq(RUN("--check", "x.conf"), CONFIG_WRONG);
	ck_assert_str_eq(err, "x.conf:2: ip-up .: is no program\n"
			      "x.conf:3: line-up hook: its interpreter /nowhere/sh: No such file "
			      "or directory\n");
	put_file("hook", "#!/bin/sh\n");
	put_file("x.conf", "[bundle]\nline-up = hook\n" A_LINE);
	ck_assert_int_eq(RUN("--check", "x.conf"), CONFIG_DONE);
}
END_TEST

START_TEST(more_lines_wanted_than_there_are_is_remarked)
{
	put_file("x.conf", "[bundle]\nmin-lines = 2\n" A_LINE);
	ck_assert_int_eq(RUN("--check", "x.conf"), CONFIG_DONE);
	ck_assert_str_eq(err,
			 "serialbundle: note: --min-lines 2: the interface has no carrier with "
			 "only 1 line\n");
}
END_TEST

START_TEST(B056_secret_that_others_may_read_is_remarked)
{
	put_file("x.conf", A_LINE "chat = x.chat\n");
	put_file("x.chat", "'' ATDT1 ogin: me ssword: '\\qsesame'\n");
	ck_assert_int_eq(chmod("x.chat", 0640), 0);
	ck_assert_int_eq(RUN("--config", "x.conf"), CONFIG_RUN);
	ck_assert_str_eq(err, "serialbundle: note: x.chat: there is a secret in it, and others may "
			      "read it\n");
	ck_assert_int_eq(chmod("x.chat", 0600), 0);
	ck_assert_int_eq(RUN("--config", "x.conf"), CONFIG_RUN);
	ck_assert_str_eq(err, "");
	put_file("x.chat", "'' ATDT1 ogin: me\n");
	ck_assert_int_eq(chmod("x.chat", 0644), 0);
	ck_assert_int_eq(RUN("--config", "x.conf"), CONFIG_RUN);
	ck_assert_str_eq(err, "");
}
END_TEST

/* --- again, while the program runs --- */

static struct config second;
static char heard[TEXT_SIZE];

static void hear(void *context, const struct config_message *m)
{
	ck_assert_ptr_eq(context, &second);
	ck_assert(!m->is_note);
	strcat(heard, m->text);
	strcat(heard, "\n");
}

static bool read_again(void)
{
	char words[][16] = {"serialbundle", "--mtu=700", "-c", "x.conf"};
	char *argv[] = {words[0], words[1], words[2], words[3], NULL};
	heard[0] = '\0';
	return config_read_again(&config, 4, argv, &second, hear, &second);
}

/* Which options count at the next start alone, of one file and then another. */
static void assert_counts_later(const char *before, const char *after, const char *options)
{
	const char *names[CONFIG_FIXED];
	char found[TEXT_SIZE] = "";
	put_file("x.conf", before);
	ck_assert_int_eq(RUN("--mtu=700", "-c", "x.conf"), CONFIG_RUN);
	put_file("x.conf", after);
	ck_assert_msg(read_again(), "%s", heard);
	unsigned n = config_fixed_differences(&config, &second, names);
	for (unsigned i = 0; i < n; i++)
		sprintf(found + strlen(found), "%s ", names[i]);
	ck_assert_str_eq(found, options);
}

#define ADDRESSED(how, local, remote)                                                              \
	"[bundle]\n" how " = yes\nlocal = " local "\nremote = " remote "\n" A_LINE

/* What was not changed is not said to have changed, wherever it went. */
START_TEST(only_what_changed_counts_later)
{
	const char *both = ADDRESSED("ppp", "10.0.0.1", "10.0.0.2");

	assert_counts_later(both, both, "");
	assert_counts_later(both, ADDRESSED("slip", "10.0.0.1", "10.0.0.2"), "");
	assert_counts_later(ADDRESSED("slip", "10.0.0.1", "10.0.0.2"), both, "");
	assert_counts_later(both, ADDRESSED("ppp", "10.0.0.3", "10.0.0.2"), "--local ");
	assert_counts_later(both, ADDRESSED("slip", "10.0.0.3", "10.0.0.2"), "--local ");
	assert_counts_later(both, ADDRESSED("ppp", "10.0.0.1", "10.0.0.4"), "--remote ");
	assert_counts_later(both, "[bundle]\nppp = yes\n" A_LINE, "--local --remote ");
	assert_counts_later("[bundle]\ncontrol-group = tty\n" A_LINE, "[bundle]\n" A_LINE,
			    "--control-group ");
	assert_counts_later("[bundle]\nlocal = 10.0.0.1/24\n" A_LINE,
			    "[bundle]\nlocal = 10.0.0.1/16\n" A_LINE, "--local ");
	assert_counts_later("[bundle]\nppp = yes\nlocal = 10.0.0.1\nlocal = 10.1.0.1/24\n" A_LINE,
			    "[bundle]\nslip = yes\nlocal = 10.0.0.1\nlocal = 10.1.0.1/24\n" A_LINE,
			    "");
	assert_counts_later("[bundle]\nlocal = 10.0.0.1\nlocal = 10.1.0.1/24\n" A_LINE,
			    "[bundle]\nlocal = 10.0.0.1\n" A_LINE, "--local ");
}
END_TEST

START_TEST(only_a_pool_that_changed_counts_later)
{
#define POOLED(local, pool)                                                                        \
	"[bundle]\nppp = yes\nanswer = yes\nname = peer%d\nlocal = " local "\npool = " pool        \
	"\n" A_LINE
	const char *pool = POOLED("10.0.0.1", "10.0.0.10-10.0.0.20");

	assert_counts_later(pool, pool, "");
	assert_counts_later(pool, POOLED("10.0.0.2", "10.0.0.10-10.0.0.20"), "--local ");
	assert_counts_later(pool, POOLED("10.0.0.1", "10.0.0.10-10.0.0.30"), "--pool ");
}
END_TEST

/* The name of the host, what is random: none of it is another one when it is read again. */
START_TEST(options_of_ppp_change_when_they_do)
{
	put_file("x.conf", "[bundle]\nppp = yes\nlocal = 10.0.0.1\n" A_LINE);
	ck_assert_int_eq(RUN("--mtu=700", "-c", "x.conf"), CONFIG_RUN);
	put_file("x.conf", "[bundle]\nppp = yes\nlocal = 10.0.0.2\n" A_LINE);
	ck_assert(read_again());
	ck_assert(!config_take_options(&config, &second));
	put_file("x.conf", "[bundle]\nppp = yes\nlocal = 10.0.0.1\nmru = 1000\n" A_LINE);
	ck_assert(read_again());
	ck_assert(config_take_options(&config, &second));
	ck_assert(!config_take_options(&config, &second));
}
END_TEST

START_TEST(file_is_read_again)
{
	put_file("x.conf", "[bundle]\nppp = yes\nhold = 1s\n" A_LINE);
	ck_assert_int_eq(RUN("--mtu=700", "-c", "x.conf"), CONFIG_RUN);
	put_file("x.conf", "[bundle]\nppp = yes\nmtu = 800\nhold = 2s\n" A_LINE
			   "[line b]\ndevice = /dev/ttyS1\nbps = 9600\n");
	ck_assert(read_again());
	ck_assert_str_eq(heard, "");
	ck_assert_uint_eq(second.mtu, 700);
	ck_assert_int_eq(second.hold, 2 * SB_SEC);
	ck_assert_uint_eq(second.line_count, 2);
	ck_assert(config_lines_equal(&config.lines[0], &second.lines[0]));
	/* peers know us by it */
	ck_assert_mem_eq(config.ppp.endpoint.address, second.ppp.endpoint.address,
			 config.ppp.endpoint.length);
	ck_assert_uint_eq(config.ppp.endpoint.length, second.ppp.endpoint.length);
}
END_TEST

START_TEST(file_that_went_wrong_is_told)
{
	put_file("x.conf", A_LINE);
	ck_assert_int_eq(RUN("--mtu=700", "-c", "x.conf"), CONFIG_RUN);
	put_file("x.conf", A_LINE "bits = 3\nx = 1\n");
	ck_assert(!read_again());
	ck_assert_has(heard, "x.conf:4: bits 3: a character takes 8 to 12 bits on the line\n"
			     "x.conf:5: unknown key 'x'");
	ck_assert_int_eq(unlink("x.conf"), 0);
	ck_assert(!read_again());
	ck_assert_str_eq(heard, "x.conf: No such file or directory\n");
	put_file("x.conf", A_LINE);
	ck_assert(read_again());
}
END_TEST

static TCase *file_case(void)
{
	TCase *t = tcase_create("files");
	tcase_add_checked_fixture(t, enter_directory, leave_directory);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, file_says_what_the_command_line_says);
	tcase_add_test(t, check_counts_the_lines);
	tcase_add_test(t, carriage_returns_and_a_byte_order_mark_do_no_harm);
	tcase_add_test(t, last_line_may_lack_its_end);
	tcase_add_test(t, line_goes_on_behind_a_backslash);
	tcase_add_loop_test(t, long_value_arrives_whole, 0, 8);
	tcase_add_test(t, names_of_devices_keep_their_colons);
	tcase_add_test(t, control_socket_is_named_after_the_file);
	tcase_add_test(t, command_line_wins);
	tcase_add_test(t, what_is_overridden_is_checked);
	tcase_add_test(t, flag_that_is_off_was_not_given);
	tcase_add_test(t, B0_lines_are_chosen);
	tcase_add_test(t, files_are_included);
	tcase_add_test(t, include_that_comes_back_is_refused);
	tcase_add_test(t, includes_are_not_too_deep);
	tcase_add_loop_test(t, everything_wrong_is_said, 0, COUNT(bad_files));
	tcase_add_test(t, more_lines_than_fit_are_said);
	tcase_add_test(t, files_that_are_something_else_are_refused);
	tcase_add_test(t, chat_scripts_are_checked);
	tcase_add_test(t, all_that_is_wrong_is_said_at_once);
	tcase_add_test(t, error_of_a_line_hides_no_others);
	tcase_add_test(t, programs_have_to_be_programs);
	tcase_add_test(t, more_lines_wanted_than_there_are_is_remarked);
	tcase_add_test(t, B056_secret_that_others_may_read_is_remarked);
	tcase_add_test(t, file_is_read_again);
	tcase_add_test(t, options_of_ppp_change_when_they_do);
	tcase_add_test(t, only_what_changed_counts_later);
	tcase_add_test(t, only_a_pool_that_changed_counts_later);
	tcase_add_test(t, file_that_went_wrong_is_told);
	return t;
}

int main(void)
{
	Suite *suite = suite_create("config_file");
	suite_add_tcase(suite, file_case());
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
