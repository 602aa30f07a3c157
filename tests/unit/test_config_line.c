/* SPDX-License-Identifier: MIT */
/* LINEs of the command line: what is understood, what is refused and with which words. */
#include "tests/unit/config_testing.h"

#include <fcntl.h>
#include <sys/stat.h>

static const struct {
	const char *text, *device, *name;
	uint32_t bps, baud;
	unsigned bits;
} lines[] = {
	{"/dev/ttyS0:28800", "/dev/ttyS0", "ttyS0", 28800, 28800, 10},
	{"/dev/ttyS0:28800@38400", "/dev/ttyS0", "ttyS0", 28800, 38400, 10},
	{"/dev/ttyS0:57.6k@115.2k", "/dev/ttyS0", "ttyS0", 57600, 115200, 10},
	{"/dev/ttyS0,bps=28800,baud=38400", "/dev/ttyS0", "ttyS0", 28800, 38400, 10},
	{"/dev/ttyS0:9600,slip", "/dev/ttyS0", "ttyS0", 9600, 9600, 10},
	{"/dev/ttyS0:9600,parity=none,stop=1", "/dev/ttyS0", "ttyS0", 9600, 9600, 10},
	{"/dev/ttyS0:9600,parity=even", "/dev/ttyS0", "ttyS0", 9600, 9600, 11},
	{"/dev/ttyS0:9600,parity=odd,stop=2", "/dev/ttyS0", "ttyS0", 9600, 9600, 12},
	{"/dev/ttyS0:33600@115200,bits=8,parity=even", "/dev/ttyS0", "ttyS0", 33600, 115200, 8},
	{"/dev/ttyS0:9600,name=north", "/dev/ttyS0", "north", 9600, 9600, 10},
	{"ttyS0:9600", "ttyS0", "ttyS0", 9600, 9600, 10},
	{"/dev/pts/3:1G", "/dev/pts/3", "3", 1000000000, 1000000000, 10},
	{"/dev/serial/by-path/pci-0000:00:14.0-usb-0:2:1.0:9600",
	 "/dev/serial/by-path/pci-0000:00:14.0-usb-0:2:1.0", "ci-0000_00_14.0-usb-0_2_1.0", 9600,
	 9600, 10},
	{"/tmp/-x y:9600", "/tmp/-x y", "_x_y", 9600, 9600, 10},
};

START_TEST(line_is_read)
{
	ck_assert_int_eq(RUN(lines[_i].text), CONFIG_RUN);
	const struct line_config *line = &config.lines[0];
	ck_assert_uint_eq(config.line_count, 1);
	ck_assert_str_eq(line->device, lines[_i].device);
	ck_assert_uint_eq(line->bps, lines[_i].bps);
	ck_assert_uint_eq(line->baud, lines[_i].baud);
	ck_assert_uint_eq(line->bits_per_char, lines[_i].bits);
	ck_assert_ptr_eq(line->encap, &encap_slip);
	ck_assert_str_eq(err, "");
	/* a long name keeps its end */
	size_t n = strlen(lines[_i].name);
	ck_assert_uint_ge(strlen(line->name), n);
	ck_assert_str_eq(line->name + strlen(line->name) - n, lines[_i].name);
}
END_TEST

START_TEST(line_keys_are_stored)
{
	ck_assert_int_eq(RUN("/dev/ttyS0:9600,parity=odd,stop=2,flow=rtscts,delay=1.5s"),
			 CONFIG_RUN);
	ck_assert_int_eq(config.lines[0].parity, PORT_PARITY_ODD);
	ck_assert_uint_eq(config.lines[0].stop_bits, 2);
	ck_assert_int_eq(config.lines[0].flow, PORT_FLOW_RTSCTS);
	ck_assert_int_eq(config.lines[0].delay, 1500 * SB_MS);
	ck_assert_int_eq(RUN("/dev/ttyS0:9600,flow=xonxoff,parity=even"), CONFIG_RUN);
	ck_assert_int_eq(config.lines[0].flow, PORT_FLOW_XONXOFF);
	ck_assert_int_eq(config.lines[0].parity, PORT_PARITY_EVEN);
	ck_assert_uint_eq(config.lines[0].stop_bits, 1);
}
END_TEST

#define A_BAUD "a rate is between 50 and 1000000000 (28800, 57.6k, 1M)\n"
#define A_RATE "a rate is between 50 and 1000000000 (28800, 57.6k, 1M), or auto\n"

static const struct {
	const char *text, *message;
} bad_lines[] = {
	{"/dev/ttyS1:0", "/dev/ttyS1: bps 0: " A_RATE},
	{"/dev/ttyS1:49", "/dev/ttyS1: bps 49: " A_RATE},
	{"/dev/ttyS1:1000000001", "/dev/ttyS1: bps 1000000001: " A_RATE},
	{"/dev/ttyS1:-9600", "/dev/ttyS1: bps -9600: " A_RATE},
	{"/dev/ttyS1:fast", "/dev/ttyS1: bps fast: " A_RATE},
	{"/dev/ttyS1:", "/dev/ttyS1: bps '': " A_RATE},
	{"/dev/ttyS1:9600@", "/dev/ttyS1: baud '': " A_BAUD},
	{"/dev/ttyS1:9600@0", "/dev/ttyS1: baud 0: " A_BAUD},
	{"/dev/ttyS1:9600@9600@9600", "/dev/ttyS1: baud 9600@9600: " A_BAUD},
	{"/dev/ttyS1:57600@38400",
	 "/dev/ttyS1: bps 57600 is more than baud 38400: a line carries no more than its port\n"},
	{"/dev/ttyS1", "/dev/ttyS1: what does this line carry? write it as /dev/ttyS1:28800\n"},
	{"/dev/ttyS1,bps=1200,bps=2400", "/dev/ttyS1: bps is given twice\n"},
	{"/dev/ttyS1:1200,bps=2400", "/dev/ttyS1: bps is given twice\n"},
	{"/dev/ttyS1:9600,bauds=9600", "/dev/ttyS1: unknown key 'bauds' (did you mean 'baud'?)\n"},
	{"/dev/ttyS1:9600,colour=red",
	 "/dev/ttyS1: unknown key 'colour' (keys are device, bps, baud, bits, parity, stop, flow, "
	 "delay, shape, shape-in, linklayer, overhead, mpu, prio, name, bundle, enabled, command, "
	 "chat, init, dial, dial-command, answer, "
	 "dial-timeout, redial, redial-longest, attempts, hold-off, idle, max-connect, "
	 "connect-rate)\n"},
	{"/dev/ttyS1:9600,name", "/dev/ttyS1: name needs a value: name=\n"},
	{"/dev/ttyS1:9600,",
	 "/dev/ttyS1: unknown word '' (the encapsulations of this build: slip ppp)\n"},
	{"/dev/ttyS1:9600,bits=7",
	 "/dev/ttyS1: bits 7: a character takes 8 to 12 bits on the line\n"},
	{"/dev/ttyS1:9600,bits=13",
	 "/dev/ttyS1: bits 13: a character takes 8 to 12 bits on the line\n"},
	{"/dev/ttyS1:9600,parity=mark", "/dev/ttyS1: parity mark: parity is none, even or odd\n"},
	{"/dev/ttyS1:9600,stop=3", "/dev/ttyS1: stop 3: there are 1 or 2 stop bits\n"},
	{"/dev/ttyS1:9600,flow=hard",
	 "/dev/ttyS1: flow hard: flow control is none, rtscts or xonxoff\n"},
	{"/dev/ttyS1:9600,delay=30", "/dev/ttyS1: delay 30: a delay is 0 to 60s (250ms, 1.5s)\n"},
	{"/dev/ttyS1:9600,delay=61s", "/dev/ttyS1: delay 61s: a delay is 0 to 60s (250ms, 1.5s)\n"},
	{"/dev/ttyS1:9600,name=", "/dev/ttyS1: name '': a name is 1 to 31 letters, digits and ._+- "
				  "and begins with none of .-\n"},
	{"/dev/ttyS1:9600,name=../x",
	 "/dev/ttyS1: name ../x: a name is 1 to 31 letters, digits and "
	 "._+- and begins with none of .-\n"},
	{":9600", ": no device: a line is DEVICE:BPS[@BAUD][,key=value...]\n"},
	{"", ": no device: a line is DEVICE:BPS[@BAUD][,key=value...]\n"},
};

START_TEST(line_is_refused_by_name)
{
	char message[512] = "serialbundle: ";
	ck_assert_int_eq(RUN(bad_lines[_i].text), CONFIG_WRONG);
	ck_assert_str_eq(err, strcat(message, bad_lines[_i].message));
	ck_assert_str_eq(out, "");
}
END_TEST

START_TEST(line_of_any_length_is_refused_or_taken_whole)
{
	char text[400] = "/dev/";
	for (size_t n = strlen(text); n < 300; n++) {
		memset(text + n, 'x', 1);
		strcpy(text + n + 1, ":9600");
		enum config_outcome outcome = RUN(text);
		ck_assert_int_eq(outcome, n + 1 < CONFIG_DEVICE_SIZE ? CONFIG_RUN : CONFIG_WRONG);
		if (outcome == CONFIG_RUN) {
			ck_assert_uint_eq(strlen(config.lines[0].device), n + 1);
			ck_assert_uint_eq(strlen(config.lines[0].name), n - 4 < 31 ? n - 4 : 31);
		}
	}
	ck_assert_has(err, "the name is longer than 255 characters");
}
END_TEST

/* Never B0, and no default in place of a rate that was not understood. */
START_TEST(B087_rate_zero_or_unknown_is_an_error)
{
	ck_assert_int_eq(RUN("/dev/ttyS0:0"), CONFIG_WRONG);
	ck_assert_int_eq(RUN("/dev/ttyS0:9600@0"), CONFIG_WRONG);
	static const char *const odd[] = {"110", "31250", "250000", "1500000", "12345"};
	for (int i = 0; i < COUNT(odd); i++) {
		char text[64];
		snprintf(text, sizeof(text), "/dev/ttyS0:%s", odd[i]);
		ck_assert_int_eq(RUN(text), CONFIG_RUN);
		ck_assert_uint_eq(config.lines[0].baud, (unsigned)atoi(odd[i]));
	}
}
END_TEST

START_TEST(B111_each_line_has_its_own_settings)
{
	ck_assert_int_eq(RUN("/dev/ttyS0:9600,bits=8,delay=2s", "/dev/ttyS1:19200"), CONFIG_RUN);
	ck_assert_uint_eq(config.lines[0].bits_per_char, 8);
	ck_assert_uint_eq(config.lines[1].bits_per_char, 10);
	ck_assert_int_eq(config.lines[1].delay, 0);
	print_plan();
	ck_assert_has(out, "9600 bps / 8 bits per character = 1200 B/s");
	ck_assert_has(out, "19200 bps / 10 bits per character = 1920 B/s");
}
END_TEST

START_TEST(B121_what_is_not_built_in_is_named)
{
	ck_assert_int_eq(RUN("/dev/ttyS0:9600,cslip"), CONFIG_WRONG);
	ck_assert_str_eq(err,
			 "serialbundle: /dev/ttyS0: unknown word 'cslip' (the encapsulations of "
			 "this build: slip ppp)\n");
	ck_assert_int_eq(RUN("--version"), CONFIG_DONE);
	ck_assert_has(out, "encapsulations: slip ppp\n");
	ck_assert_int_eq(RUN("--hold", "0", "/dev/ttyS0:9600"), CONFIG_RUN);
	ck_assert_int_eq(config.hold, 0); /* off, not the default */
}
END_TEST

/* --- several lines ------------------------------------------------------------------------------
 */

START_TEST(lines_are_kept_in_order)
{
	ck_assert_int_eq(RUN("/dev/ttyS2:1200", "/dev/ttyS0:2400", "/dev/ttyS1:4800"), CONFIG_RUN);
	ck_assert_uint_eq(config.line_count, 3);
	ck_assert_str_eq(config.lines[0].name, "ttyS2");
	ck_assert_str_eq(config.lines[2].name, "ttyS1");
}
END_TEST

START_TEST(line_count_is_limited)
{
	static char texts[CONFIG_MAX_LINES + 1][32];
	const char *words[CONFIG_MAX_LINES + 3] = {"serialbundle"};
	for (int i = 0; i <= CONFIG_MAX_LINES; i++) {
		snprintf(texts[i], sizeof(texts[i]), "/dev/ttyS%d:9600", i);
		words[i + 1] = texts[i];
	}
	ck_assert_int_eq(run_words(words), CONFIG_WRONG);
	ck_assert_str_eq(err, "serialbundle: /dev/ttyS64:9600: more than 64 lines\n");
	words[CONFIG_MAX_LINES + 1] = NULL;
	ck_assert_int_eq(run_words(words), CONFIG_RUN);
	ck_assert_uint_eq(config.line_count, CONFIG_MAX_LINES);
}
END_TEST

START_TEST(line_given_twice_is_refused)
{
	ck_assert_int_eq(RUN("/dev/ttyS0:9600", "/dev/ttyS0:1200,name=other"), CONFIG_WRONG);
	ck_assert_str_eq(err, "serialbundle: /dev/ttyS0: given twice\n");
	ck_assert_int_eq(RUN("/dev/ttyS7:9600", "/dev/cua7:9600"), CONFIG_WRONG);
	ck_assert_str_eq(err, "serialbundle: /dev/cua7: the same device as /dev/ttyS7\n");
	ck_assert_int_eq(RUN("/x/tty:9600", "/y/tty:9600"), CONFIG_WRONG);
	ck_assert_str_eq(err, "serialbundle: /y/tty: the name 'tty' is that of /x/tty; give it "
			      "another with name=\n");
	ck_assert_int_eq(RUN("/x/tty:9600", "/y/tty:9600,name=tty2"), CONFIG_RUN);
}
END_TEST

START_TEST(line_given_twice_through_a_symlink_is_refused)
{
	char directory[] = "/tmp/test_config.XXXXXX", one[64], link_name[64], two[80];
	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(one, sizeof(one), "%s/one", directory);
	snprintf(link_name, sizeof(link_name), "%s/two", directory);
	close(open(one, O_CREAT | O_WRONLY, 0600));
	ck_assert_int_eq(symlink(one, link_name), 0);
	snprintf(two, sizeof(two), "%s:9600", link_name);
	char first[80];
	snprintf(first, sizeof(first), "%s:9600", one);
	enum config_outcome outcome = RUN(first, two);
	unlink(link_name);
	unlink(one);
	rmdir(directory);
	ck_assert_int_eq(outcome, CONFIG_WRONG);
	ck_assert_has(err, "/two: the same device as ");
}
END_TEST

static TCase *line_case(void)
{
	TCase *t = tcase_create("lines");
	tcase_add_loop_test(t, line_is_read, 0, COUNT(lines));
	tcase_add_test(t, line_keys_are_stored);
	tcase_add_loop_test(t, line_is_refused_by_name, 0, COUNT(bad_lines));
	tcase_add_test(t, line_of_any_length_is_refused_or_taken_whole);
	tcase_add_test(t, B087_rate_zero_or_unknown_is_an_error);
	tcase_add_test(t, B111_each_line_has_its_own_settings);
	tcase_add_test(t, B121_what_is_not_built_in_is_named);
	tcase_add_test(t, lines_are_kept_in_order);
	tcase_add_test(t, line_count_is_limited);
	tcase_add_test(t, line_given_twice_is_refused);
	tcase_add_test(t, line_given_twice_through_a_symlink_is_refused);
	return t;
}

int main(void)
{
	Suite *suite = suite_create("config_line");
	suite_add_tcase(suite, line_case());
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
