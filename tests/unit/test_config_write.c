/* SPDX-License-Identifier: MIT */
/* Configurations written as files: what is read from them is what was there. */
#include "tests/unit/config_file_testing.h"

#include "src/config_keys.h"
#include "src/config_options.h"

static const struct {
	const char *words[64];
} runs[] = {
	{{"/dev/ttyS0:9600"}},
	{{"--local=10.0.0.1",
	  "--local=fd00::1",
	  "--remote=10.0.0.2",
	  "--remote=fd00::2",
	  "--local=10.1.0.1",
	  "--mtu=1400",
	  "--default-route=3",
	  "--name=ser%d",
	  "--hold=1.5s",
	  "--no-ecn",
	  "--realtime",
	  "--capture=/tmp/x.pcap",
	  "--lock-dir=",
	  "-v",
	  "--control=/run/x.sock",
	  "--control-group=dialout",
	  "--max-lines=9",
	  "--min-lines=2",
	  "--ip-up=/bin/true",
	  "--ip-down=/bin/false",
	  "--line-up=/bin/sh",
	  "--line-down=/bin/ls",
	  "--hook-timeout=90s",
	  "--capture-bytes=2M",
	  "--capture-files=7",
	  "/dev/ttyS0:28800@38400,parity=even,stop=2,bits=8,flow=rtscts,delay=250us,name=north,"
	  "enabled=no,command=a \\, b;c $interface \\",
	  "exec:gensiot tcp\\,host\\,3001:9600,dial=1\\,2/0w3,init=AT&F\\,S0=0,dial-command=ATDP,"
	  "dial-timeout=90s,redial=1.5s,redial-longest=1h,attempts=3,hold-off=1min,idle=0,"
	  "max-connect=24h,connect-rate=no",
	  "tcp:[::1]:3001:9600,answer=auto,idle=5min,chat=" TEST_DATA "/chat",
	  "/dev/ttyS2:0.05k,answer=3"}},
	{{"--quiet", "--local=10.0.0.1/24", "/dev/ttyS0:9600"}},
	{{"--ppp",
	  "--local=10.0.0.1",
	  "--remote=10.0.0.2",
	  "--local=fd00::1",
	  "--mru=2000",
	  "--asyncmap=a0000",
	  "--escape=11,ff",
	  "--receive-all",
	  "--no-pfc",
	  "--no-acfc",
	  "--fcs=32",
	  "--echo-interval=7s",
	  "--echo-failure=0",
	  "--quality-reports=1min",
	  "--restart=500ms",
	  "--max-configure=20",
	  "--max-failure=3",
	  "--max-terminate=9",
	  "--mrru=1600",
	  "--short-sequence",
	  "--max-fragment-delay=0",
	  "--endpoint=MAC:00:01:02:03:04:05",
	  "--user=we",
	  "--remote-name=they and they",
	  "--require-pap",
	  "--require-chap",
	  "--refuse-pap",
	  "--refuse-chap",
	  "--pap-secrets=" TEST_DATA "/chat",
	  "--chap-secrets=" TEST_DATA "/chat",
	  "--rechallenge=10min",
	  "--accept-local",
	  "--accept-remote",
	  "--ask-dns",
	  "--resolv=/tmp/r",
	  "--dns=10.0.0.9",
	  "--dns=10.0.0.8",
	  "--ipv6",
	  "--interface-id=::1,::2",
	  "/dev/ttyS0:9600",
	  "/dev/ttyS1:9600"}},
	{{"--mode=0", "--packets-per-slave=0", "--shape=95.5%", "--shape-in=40k",
	  "--tier-interactive=20%/50%", "--tier-best-effort=60%", "--tier-bulk=12.5%/99.9%",
	  "--wash", "--memlimit=64k", "--queue-time=0", "--park-loss=5%/0.25%", "--park-delay=2s",
	  "--park-for=1min",
	  "/dev/ttyS0:9600,shape=97.5%,shape-in=9k,linklayer=docsis,overhead=-14,mpu=0,prio=-7",
	  "/dev/ttyS1:auto,shape=9600,linklayer=pppoe-llcsnap",
	  "/dev/ttyS2:auto@57600,linklayer=raw,ppp"}},
	{{"--mode=active-backup", "--primary=/dev/ttyS1", "--primary-reselect=1", "--miimon=100",
	  "--updelay=200", "--downdelay=1s", "--num-grat-arp=0", "--peer-notif-delay=50",
	  "--arp-interval=100", "--arp-ip-target=10.0.0.7", "--arp-validate=filter",
	  "--arp-missed-max=5", "/dev/ttyS0:9600", "/dev/ttyS1:9600"}},
	{{"--mode=4", "--ad-select=count", "--min-links=2", "--xmit-hash-policy=layer3+4",
	  "/dev/ttyS0:9600", "/dev/ttyS1:9600"}},
	{{"--mode=balance-tlb", "--tlb-dynamic-lb=0", "--tiers=precedence", "/dev/ttyS0:9600"}},
	{{"--ppp", "--no-multilink", "--mtu=9000", "--remote=10.0.0.2", "/dev/ttyS0:9600"}},
	{{"--ppp", "--endpoint=null", "/dev/ttyS0:9600,flow=xonxoff"}},
	{{"--endpoint=phone:5551234", "/dev/ttyS0:9600,ppp", "/dev/ttyS1:9600,slip",
	  "--local=10.0.0.1", "--remote=10.0.0.2"}},
	{{"--answer", "--local=10.0.0.1", "--pool=10.0.0.2-10.0.0.9", "/dev/ttyS0:9600",
	  "/dev/ttyS1:9600,slip,bundle=x", "/dev/ttyS2:9600,ppp"}},
};

static enum config_outcome run(int i)
{
	const char *words[66] = {"serialbundle"};
	memcpy(words + 1, runs[i].words, sizeof(runs[i].words));
	return run_words(words);
}

START_TEST(A17_what_is_written_is_read_again)
{
	static char first[TEXT_SIZE], second[TEXT_SIZE];
	static struct config before;
	ck_assert_int_eq(run(_i), CONFIG_RUN);
	ck_assert_str_eq(err, "");
	before = config;
	write_config(&before, first);
	put_file("x.conf", first);
	if (before.control[0])
		ck_assert_int_eq(RUN("-c", "x.conf"), CONFIG_RUN);
	else /* a file would mean one */
		ck_assert_int_eq(RUN("-c", "x.conf", "--control="), CONFIG_RUN);
	ck_assert_str_eq(err, "");
	write_config(&config, second);
	ck_assert_str_eq(first, second);
	ck_assert_uint_eq(before.line_count, config.line_count);
	for (unsigned i = 0; i < config.line_count; i++)
		ck_assert(config_lines_equal(&before.lines[i], &config.lines[i]));
}
END_TEST

/* No option and no key is forgotten: each of them is in what one of the runs writes. */
START_TEST(A17_everything_is_written)
{
	static char all[COUNT(runs) * TEXT_SIZE];
	const struct option_group *group;
	const struct option_row *row;
	char key[64];
	for (int i = 0; i < COUNT(runs); i++) {
		ck_assert_int_eq(run(i), CONFIG_RUN);
		write_config(&config, all + strlen(all));
	}
	for (size_t i = 0; (row = config_option_at(i, &group)); i++) {
		snprintf(key, sizeof(key), "\n%s = ", row->name);
		ck_assert_msg(!row->give || strstr(all, key), "no --%s", row->name);
		bool unwritten = row->only_command || row->rival || strcmp(row->name, "lines") == 0;
		ck_assert_msg(row->give || unwritten, "--%s cannot be written", row->name);
	}
	const struct line_key *k;
	for (size_t i = 0; (k = config_key_at(i)); i++) {
		snprintf(key, sizeof(key), "\n%s = ", k->name);
		ck_assert_msg(strstr(all, key) || strcmp(k->name, "name") == 0, "no %s=", k->name);
	}
}
END_TEST

START_TEST(print_config_prints_it)
{
	ck_assert_int_eq(RUN("--print-config", "--mtu=576", "/dev/ttyS0:28.8k@38.4k"), CONFIG_DONE);
	ck_assert_str_eq(out,
			 "[bundle]\nmtu = 576\n\n[line ttyS0]\nslip = yes\ndevice = /dev/ttyS0\n"
			 "bps = 28800\nbaud = 38400\nbits = 10\n");
}
END_TEST

START_TEST(long_values_are_broken_and_arrive_whole)
{
	static char text[TEXT_SIZE];
	char line[800] = "/dev/ttyS0:9600,command=";
	size_t at = strlen(line);
	for (size_t n = 60; n < CONFIG_COMMAND_SIZE - 1; n += 7) {
		for (size_t i = 0; i < n; i++)
			line[at + i] = "ab  c\\ \\\\d"[i % 10];
		line[at + n - 1] = 'z';
		line[at + n] = '\0';
		ck_assert_int_eq(RUN(line), CONFIG_RUN);
		write_config(&config, text);
		for (char *l = text, *end; (end = strchr(l, '\n')); l = end + 1)
			ck_assert_int_le(end - l, 100);
		put_file("x.conf", text);
		ck_assert_int_eq(RUN("-c", "x.conf"), CONFIG_RUN);
		ck_assert_str_eq(config.lines[0].command, line + at);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("config_write");
	TCase *t = tcase_create("files written");
	tcase_add_checked_fixture(t, enter_directory, leave_directory);
	tcase_add_loop_test(t, A17_what_is_written_is_read_again, 0, COUNT(runs));
	tcase_add_test(t, A17_everything_is_written);
	tcase_add_test(t, print_config_prints_it);
	tcase_add_test(t, long_values_are_broken_and_arrive_whole);
	suite_add_tcase(suite, t);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
