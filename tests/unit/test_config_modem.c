/* SPDX-License-Identifier: MIT */
/* LINEs with modems, and with devices that are none of /dev. */
#include "tests/unit/config_testing.h"

#include "src/config_line.h"

/* --- modems ------------------------------------------------------------------------------------
 */

START_TEST(modem_has_defaults)
{
	ck_assert_int_eq(RUN("/dev/ttyS0:28800@38400,dial=5551234"), CONFIG_RUN);
	const struct line_config *line = &config.lines[0];
	const struct modem_config *m = &line->modem;
	ck_assert(m->present && !m->answers && m->connect_rate && line->enabled);
	ck_assert_str_eq(m->dial_command, "ATDT");
	ck_assert_str_eq(m->chat, "");
	ck_assert_str_eq(m->init, "");
	ck_assert_str_eq(line->command, "");
	ck_assert_uint_eq(m->number_count, 1);
	ck_assert_str_eq(m->numbers[0], "5551234");
	ck_assert_int_eq(m->dial_timeout, 60 * SB_SEC);
	ck_assert_int_eq(m->redial, 5 * SB_SEC);
	ck_assert_int_eq(m->redial_longest, 300 * SB_SEC);
	ck_assert_uint_eq(m->attempts, 0);
	ck_assert(m->hold_off == 0 && m->idle == 0 && m->max_connect == 0);
}
END_TEST

START_TEST(line_without_its_words_has_no_modem)
{
	ck_assert_int_eq(RUN("/dev/ttyS0:9600,enabled=no,command=eql_enslave eql $interface"),
			 CONFIG_RUN);
	ck_assert(!config.lines[0].modem.present && !config.lines[0].enabled);
	ck_assert_str_eq(config.lines[0].command, "eql_enslave eql $interface");
}
END_TEST

START_TEST(modem_keys_are_stored)
{
	ck_assert_int_eq(RUN("/dev/ttyS0:28800@38400,chat=" TEST_DATA "/chat,init=AT&F\\,S0=0,"
			     "dial=555/0w556/+1-557,dial-timeout=90s,redial=1s,"
			     "redial-longest=2min,attempts=7,hold-off=1h,idle=10min,"
			     "max-connect=24h,connect-rate=no"),
			 CONFIG_RUN);
	const struct modem_config *m = &config.lines[0].modem;
	ck_assert_str_eq(m->chat, TEST_DATA "/chat");
	ck_assert_str_eq(m->init, "AT&F,S0=0");
	ck_assert_uint_eq(m->number_count, 3);
	ck_assert_str_eq(m->numbers[1], "0w556");
	ck_assert_str_eq(m->numbers[2], "+1-557");
	ck_assert(!m->answers && m->attempts == 7 && !m->connect_rate);
	ck_assert_int_eq(m->dial_timeout, 90 * SB_SEC);
	ck_assert_int_eq(m->redial, SB_SEC);
	ck_assert_int_eq(m->redial_longest, 120 * SB_SEC);
	ck_assert_int_eq(m->hold_off, 3600 * SB_SEC);
	ck_assert_int_eq(m->idle, 600 * SB_SEC);
	ck_assert_int_eq(m->max_connect, 24 * 3600 * SB_SEC);
	ck_assert_int_eq(RUN("/dev/ttyS0:9600,answer=auto"), CONFIG_RUN);
	ck_assert(config.lines[0].modem.answers && config.lines[0].modem.rings == 0);
	ck_assert_int_eq(RUN("/dev/ttyS0:9600,answer=3"), CONFIG_RUN);
	ck_assert(config.lines[0].modem.answers && config.lines[0].modem.rings == 3);
}
END_TEST

static const struct {
	const char *keys, *message;
} bad_modems[] = {
	{"dial=", "dial '': 1 to 8 numbers, separated by /, each of 1 to 47 printable characters"},
	{"dial=1//2",
	 "dial 1//2: 1 to 8 numbers, separated by /, each of 1 to 47 printable characters"},
	{"dial=1/2/3/4/5/6/7/8/9",
	 "dial 1/2/3/4/5/6/7/8/9: 1 to 8 numbers, separated by /, each of 1 to 47 printable "
	 "characters"},
	{"chat=", "chat '': a file name of 1 to 255 characters"},
	{"answer=0", "answer 0: a number of rings from 1 to 20, or auto"},
	{"answer=21", "answer 21: a number of rings from 1 to 20, or auto"},
	{"redial=99ms,dial=1", "redial 99ms: a time from 100ms to 24h (500ms, 90s, 5min)"},
	{"redial=10min,dial=1",
	 "redial= is longer than redial-longest=, which is 5min unless given"},
	{"idle=5", "idle 5: a time from 0 to 24h (500ms, 90s, 5min)"},
	{"connect-rate=1", "connect-rate 1: yes or no"},
	{"enabled=maybe", "enabled maybe: yes or no"},
	{"idle=5min", "a modem needs dial=NUMBER, chat=SCRIPT or answer=RINGS to do something"},
	{"init=ATZ", "a modem needs dial=NUMBER, chat=SCRIPT or answer=RINGS to do something"},
	{"dial-command=ATDP,answer=1", "dial-command= needs dial=NUMBER"},
	{"dial-command=ATDP,chat=/x", "dial-command= is not used with chat=, whose script dials"},
	{"answer=1,dial=5", "a line dials (dial=) or waits for calls (answer=), not both"},
	{"command=", "command '': a command has 1 to 511 printable characters"},
	{"dials=1", "unknown key 'dials' (did you mean 'dial'?)"},
};

START_TEST(modem_is_refused)
{
	char text[256], message[512];
	snprintf(text, sizeof(text), "/dev/ttyS0:9600,%s", bad_modems[_i].keys);
	snprintf(message, sizeof(message), "serialbundle: /dev/ttyS0: %s\n",
		 bad_modems[_i].message);
	ck_assert_int_eq(RUN(text), CONFIG_WRONG);
	ck_assert_str_eq(err, message);
}
END_TEST

/* --- devices -----------------------------------------------------------------------------------
 */

static const struct {
	const char *text, *device;
	uint32_t bps, baud;
} devices[] = {
	{"tcp:host:3001:9600", "tcp:host:3001", 9600, 9600},
	{"tcp:host:9600,bps=1200", "tcp:host:9600", 1200, 1200},
	{"tcp:10.0.0.1:3001:28800@38400", "tcp:10.0.0.1:3001", 28800, 38400},
	{"tcp:[::1]:3001:9600", "tcp:[::1]:3001", 9600, 9600},
	{"tcp:[fe80::1%eth0]:3001,bps=9600", "tcp:[fe80::1%eth0]:3001", 9600, 9600},
	{"exec:gensiot tcp\\,host\\,port:9600", "exec:gensiot tcp,host,port", 9600, 9600},
	{"exec:cat:dog,bps=9600", "exec:cat:dog", 9600, 9600},
	{"exec:socat - TCP:h:3001,bps=9600", "exec:socat - TCP:h:3001", 9600, 9600},
	{"exec:socat - TCP:h:3001:1200@2400", "exec:socat - TCP:h:3001", 1200, 2400},
	{"exec:a\\b\\,c,bps=9600", "exec:a\\b,c", 9600, 9600},
	{"usb:0403:6001,bps=9600", "usb:0403:6001", 9600, 9600},
	{"usb:0403:6001:9600", "usb:0403:6001", 9600, 9600},
	{"usb:0403:6001:9600,bps=1200", "usb:0403:6001:9600", 1200, 1200},
	{"usb:0403:6001:A50285BI:9600", "usb:0403:6001:A50285BI", 9600, 9600},
	{"usb:0403:6001:A5:1:28800@38400", "usb:0403:6001:A5:1", 28800, 38400},
	{"usb:0403:6001:A5:1,bps=9600", "usb:0403:6001:A5:1", 9600, 9600},
	{"device=/dev/a:b:9600,bps=1200", "/dev/a:b:9600", 1200, 1200},
	{"device=exec:cat :9600,bps=1200", "exec:cat :9600", 1200, 1200},
	{"bps=1200,device=/x", "", 0, 0}, /* a name, and a wrong one */
};

START_TEST(device_ends_where_the_rate_begins)
{
	enum config_outcome outcome = RUN(devices[_i].text);
	const struct line_config *line = &config.lines[0];
	ck_assert_int_eq(outcome, devices[_i].bps ? CONFIG_RUN : CONFIG_WRONG);
	if (outcome != CONFIG_RUN)
		return;
	ck_assert_str_eq(line->device, devices[_i].device);
	ck_assert_uint_eq(line->bps, devices[_i].bps);
	ck_assert_uint_eq(line->baud, devices[_i].baud);
	ck_assert_str_eq(err, "");
}
END_TEST

static const struct {
	const char *text, *message;
} bad_devices[] = {
	{"tcp:host,bps=9600", "tcp:host: such a device is tcp:HOST:PORT, or tcp:[ADDRESS]:PORT"},
	{"tcp:host:9600", "tcp:host:9600: what does this line carry? write it as "
			  "tcp:host:9600:28800"},
	{"tcp:::1:9600,bps=9600",
	 "tcp:::1:9600: such a device is tcp:HOST:PORT, or tcp:[ADDRESS]:PORT"},
	{"tcp:fe80::1:9600",
	 "tcp:fe80::1:9600: such a device is tcp:HOST:PORT, or tcp:[ADDRESS]:PORT"},
	{"tcp:host:3001:fast", "tcp:host:3001: bps fast: a rate is between 50 and 1000000000 "
			       "(28800, 57.6k, 1M), or auto"},
	{"usb:403:6001:9600", "usb:403:6001: such a device is "
			      "usb:VVVV:PPPP[:SERIAL[:INTERFACE]], as lsusb shows them"},
	{"exec:,bps=9600", "exec:: such a device is exec:COMMAND"},
	{"exec:cat", "exec:cat: what does this line carry? write it as exec:cat:28800"},
	{"device=/dev/ttyS0,device=/dev/ttyS1", "/dev/ttyS0: device is given twice"},
	{"/dev/ttyS0:9600,device=/dev/ttyS1", "/dev/ttyS0: device is given twice"},
};

START_TEST(device_is_refused)
{
	char message[512];
	snprintf(message, sizeof(message), "serialbundle: %s\n", bad_devices[_i].message);
	ck_assert_int_eq(RUN(bad_devices[_i].text), CONFIG_WRONG);
	ck_assert_str_eq(err, message);
}
END_TEST

/* Each exec: is a program of its own, so that two may be the same; their names tell them apart. */
START_TEST(programs_may_be_run_twice)
{
	ck_assert_int_eq(RUN("exec:cat:9600,name=a", "exec:cat:9600,name=b"), CONFIG_RUN);
	ck_assert_int_eq(RUN("exec:cat:9600", "exec:cat:9600"), CONFIG_WRONG);
	ck_assert_int_eq(RUN("tcp:h:1:9600,name=a", "tcp:h:1:9600,name=b"), CONFIG_WRONG);
	ck_assert_str_eq(err, "serialbundle: tcp:h:1: given twice\n");
}
END_TEST

/* --- lines that differ --------------------------------------------------------
 */

static const char *const differences[] = {
	"bps=9600",
	"baud=38400",
	"bits=11",
	"parity=even",
	"stop=2",
	"flow=rtscts",
	"delay=1s",
	"name=b",
	"ppp",
	"enabled=no",
	"command=x",
	"chat=y",
	"init=ATZ,dial=2",
	"dial=2/3",
	"dial-command=X,dial=2",
	"answer=1",
	"answer=auto",
	"dial-timeout=1s,dial=2",
	"redial=1s,dial=2",
	"redial-longest=1h,dial=2",
	"attempts=1,dial=2",
	"hold-off=1s,dial=2",
	"idle=1s,dial=2",
	"max-connect=1s,dial=2",
	"connect-rate=no,dial=2",
};

START_TEST(lines_are_equal_only_when_every_key_is)
{
	char texts[2][128];
	const char *key = differences[_i];
	const char *dial = strstr(key, ",dial=") || strncmp(key, "dial=", 5) == 0 ? ",dial=2" : "";
	bool has_bps = strncmp(key, "bps=", 4) == 0;
	struct line_config lines[2], same;
	char why[256];
	snprintf(texts[0], sizeof(texts[0]), "/dev/ttyS0,bps=%s%s", "1200,baud=19200", dial);
	snprintf(texts[1], sizeof(texts[1]), "/dev/ttyS0%s%s,%s", has_bps ? "" : ",bps=1200",
		 strncmp(key, "baud=", 5) == 0 ? "" : ",baud=19200", key);
	ck_assert(config_line_parse(&lines[0], texts[0], why, sizeof(why)));
	ck_assert_msg(config_line_parse(&lines[1], texts[1], why, sizeof(why)), "%s", why);
	ck_assert(config_line_parse(&same, texts[1], why, sizeof(why)));
	ck_assert(!config_lines_equal(&lines[0], &lines[1]));
	ck_assert(!config_lines_equal(&lines[1], &lines[0]));
	ck_assert(config_lines_equal(&lines[1], &same));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("config_modem");
	TCase *t = tcase_create("modems and devices");
	tcase_add_test(t, modem_has_defaults);
	tcase_add_test(t, line_without_its_words_has_no_modem);
	tcase_add_test(t, modem_keys_are_stored);
	tcase_add_loop_test(t, modem_is_refused, 0, COUNT(bad_modems));
	tcase_add_loop_test(t, device_ends_where_the_rate_begins, 0, COUNT(devices));
	tcase_add_loop_test(t, device_is_refused, 0, COUNT(bad_devices));
	tcase_add_test(t, programs_may_be_run_twice);
	tcase_add_loop_test(t, lines_are_equal_only_when_every_key_is, 0, COUNT(differences));
	suite_add_tcase(suite, t);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
