/* SPDX-License-Identifier: MIT */
/* Options of the command line: what is understood, what is refused and with which words. */
#include "tests/unit/config_testing.h"

#include <arpa/inet.h>

/* --- options ------------------------------------------------------------------------------------
 */

START_TEST(options_have_defaults)
{
	ck_assert_int_eq(RUN("/dev/ttyS0:9600"), CONFIG_RUN);
	ck_assert_str_eq(config.ifname, "sb%d");
	ck_assert_str_eq(config.lock_dir, "/run/lock");
	ck_assert_str_eq(config.capture, "");
	ck_assert_uint_eq(config.mtu, 1006);
	ck_assert(config.mtu_auto && config.ecn);
	ck_assert(!config.default_route && !config.realtime && !config.dry_run);
	ck_assert_int_eq(config.hold, 10 * SB_SEC);
	ck_assert_uint_eq(config.verbosity, 1);
	ck_assert_uint_eq(config.address_count, 0);
}
END_TEST

START_TEST(options_are_stored_wherever_they_stand)
{
	ck_assert_int_eq(RUN("--mtu=576", "/dev/ttyS0:9600", "--name", "serial%d",
			     "/dev/ttyS1:9600", "-v", "--capture", "/tmp/x.pcap",
			     "--lock-dir=", "--hold", "250ms", "--no-ecn", "--realtime",
			     "--dry-run", "--local", "10.0.0.1", "--default-route=7"),
			 CONFIG_RUN);
	ck_assert_uint_eq(config.line_count, 2);
	ck_assert_uint_eq(config.mtu, 576);
	ck_assert(!config.mtu_auto);
	ck_assert_str_eq(config.ifname, "serial%d");
	ck_assert_uint_eq(config.verbosity, 2);
	ck_assert_str_eq(config.capture, "/tmp/x.pcap");
	ck_assert_str_eq(config.lock_dir, "");
	ck_assert_int_eq(config.hold, 250 * SB_MS);
	ck_assert(!config.ecn && config.realtime && config.dry_run && config.default_route);
	ck_assert_uint_eq(config.route_metric, 7);
}
END_TEST

START_TEST(default_route_takes_its_metric_only_with_an_equals_sign)
{
	ck_assert_int_eq(RUN("--local", "10.0.0.1", "--default-route", "/dev/ttyS0:9600"),
			 CONFIG_RUN);
	ck_assert(config.default_route);
	ck_assert_uint_eq(config.route_metric, 0);
	ck_assert_uint_eq(config.line_count, 1);
}
END_TEST

START_TEST(verbosity_counts)
{
	ck_assert_int_eq(RUN("-vvvvv", "/dev/ttyS0:9600"), CONFIG_RUN);
	ck_assert_uint_eq(config.verbosity, 2);
	ck_assert_int_eq(RUN("-v", "--quiet", "/dev/ttyS0:9600"), CONFIG_RUN);
	ck_assert_uint_eq(config.verbosity, 0);
}
END_TEST

static const struct {
	const char *words[6], *message;
} bad_options[] = {
	{{"--foo"}, "unknown option '--foo' (see --help)"},
	{{"--captures", "x"}, "unknown option '--captures' (did you mean '--capture'?)"},
	{{"--local-adr=1"}, "unknown option '--local-adr' (see --help)"},
	{{"-x"}, "unknown option '-x' (see --help)"},
	{{"-vx"}, "unknown option '-x' (see --help)"},
	{{"--dry-run=maybe"}, "--dry-run maybe: expected yes or no"},
	{{"--help=yes"}, "--help takes no value"},
	{{"--mtu"}, "--mtu needs a value: a number from 68 to 9216, or auto"},
	{{"--mtu", "67", "x:9600"}, "--mtu 67: expected a number from 68 to 9216, or auto"},
	{{"--mtu", "9217", "x:9600"}, "--mtu 9217: expected a number from 68 to 9216, or auto"},
	{{"--mtu", "", "x:9600"}, "--mtu '': expected a number from 68 to 9216, or auto"},
	{{"--hold", "5", "x:9600"}, "--hold 5: expected a time from 0 to 1h (250ms, 1.5s, 10s)"},
	{{"--hold", "2h", "x:9600"}, "--hold 2h: expected a time from 0 to 1h (250ms, 1.5s, 10s)"},
	{{"--name", "a/b"},
	 "--name a/b: expected 1 to 15 characters without '/', ':' and space, at most one %d"},
	{{"--name", "0123456789abcdef"},
	 "--name 0123456789abcdef: expected 1 to 15 characters without '/', ':' and space, at most "
	 "one %d"},
	{{"--name", "%d%d"},
	 "--name %d%d: expected 1 to 15 characters without '/', ':' and space, at most one %d"},
	{{"--name", "sb%s"},
	 "--name sb%s: expected 1 to 15 characters without '/', ':' and space, at most one %d"},
	{{"--capture", "-"},
	 "--capture -: expected a file name (not -, since each line gets a file beside it)"},
	{{"--capture", "/tmp/"},
	 "--capture /tmp/: expected a file name (not -, since each line gets a file beside it)"},
	{{"--default-route=x"},
	 "--default-route x: expected a metric, 0 to 4294967295, or yes or no"},
	{{"--default-route=4294967296"},
	 "--default-route 4294967296: expected a metric, 0 to 4294967295, or yes or no"},
	{{"--default-route", "x:9600"}, "--default-route: needs a --local address to send from"},
	{{"--local", "10.0.0", "x:9600"},
	 "--local 10.0.0: expected an IPv4 or IPv6 address, with or without /PREFIX"},
	{{"--local", "127.0.0.1", "x:9600"}, "--local 127.0.0.1: not an address for an interface"},
	{{"--local=10.0.0.1", "--local=10.0.0.1/24", "x:9600"}, "--local 10.0.0.1: given twice"},
	{{"--remote", "10.0.0.2", "x:9600"},
	 "--remote 10.0.0.2: no IPv4 --local address to go with it"},
	{{"--local=10.0.0.1", "--remote=fd00::2", "x:9600"},
	 "--remote fd00::2: no IPv6 --local address to go with it"},
	{{"--local=10.0.0.1", "--remote=10.0.0.2", "--remote=10.0.0.3", "x:9600"},
	 "--remote 10.0.0.3: no IPv4 --local address to go with it"},
	{{"--local=10.0.0.1", "--remote=10.0.0.1", "x:9600"},
	 "--remote 10.0.0.1: is also the --local address"},
	{{"--local=10.0.0.1/24", "--remote=10.0.0.2", "x:9600"},
	 "--remote 10.0.0.2: its --local has a prefix (/24); leave that or --remote away"},
	{{"--remote=10.0.0.2/24", "x:9600"},
	 "--remote 10.0.0.2/24: expected an IPv4 or IPv6 address without prefix"},
	{{"--mtu=576", "--local=fd00::1", "x:9600"},
	 "--mtu 576: IPv6 (--local fd00::1) needs 1280 or more"},
	{{"--dry-run"}, "no line given: name one, such as /dev/ttyS0:28800 (see --help)"},
};

START_TEST(option_is_refused_by_name)
{
	const char *words[8] = {"serialbundle"};
	char message[512];
	memcpy(words + 1, bad_options[_i].words, sizeof(bad_options[_i].words));
	ck_assert_int_eq(run_words(words), CONFIG_WRONG);
	snprintf(message, sizeof(message), "serialbundle: %s\n", bad_options[_i].message);
	ck_assert_str_eq(err, message);
	ck_assert_str_eq(out, "");
}
END_TEST

START_TEST(no_escape_sequence_reaches_the_terminal)
{
	ck_assert_int_eq(RUN("/dev/tty\033[2J\nS0:0"), CONFIG_WRONG);
	ck_assert_str_eq(err, "serialbundle: /dev/tty?[2J?S0: a device has only printable "
			      "characters\n");
}
END_TEST

START_TEST(help_lists_every_option_within_80_columns)
{
	ck_assert_int_eq(RUN("--help"), CONFIG_DONE);
	ck_assert_has(out, "\n      --default-route[=METRIC] ");
	ck_assert_has(out, "\n  -h, --help ");
	for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n"))
		ck_assert_uint_lt(strlen(line), 80);
	ck_assert_int_eq(RUN("-h"), CONFIG_DONE);
	ck_assert_int_eq(RUN("--vers"), CONFIG_DONE); /* getopt's abbreviations */
}
END_TEST

/* --- addresses and MTU
 * ---------------------------------------------------------------------------- */

static void check_address(const struct netif_address *a, const char *local, const char *peer,
			  unsigned prefix)
{
	char text[INET6_ADDRSTRLEN];
	ck_assert_str_eq(inet_ntop(a->family, &a->local, text, sizeof(text)), local);
	ck_assert_int_eq(a->has_peer, peer != NULL);
	if (peer)
		ck_assert_str_eq(inet_ntop(a->family, &a->peer, text, sizeof(text)), peer);
	ck_assert_uint_eq(a->prefix, prefix);
}

START_TEST(remotes_go_to_locals_of_their_family_in_order)
{
	ck_assert_int_eq(RUN("--remote=fd00::2", "--local=10.0.0.1", "--local=fd00::1",
			     "--local=10.0.1.1", "--remote=10.0.0.2", "--remote=10.0.1.2",
			     "x:9600"),
			 CONFIG_RUN);
	ck_assert_uint_eq(config.address_count, 3);
	check_address(&config.addresses[0], "10.0.0.1", "10.0.0.2", 32);
	check_address(&config.addresses[1], "fd00::1", "fd00::2", 128);
	check_address(&config.addresses[2], "10.0.1.1", "10.0.1.2", 32);
}
END_TEST

/* With no peer given none is made up. */
START_TEST(B094_no_remote_no_peer)
{
	ck_assert_int_eq(RUN("--local=10.0.0.1/24", "--local=10.1.0.1", "x:9600"), CONFIG_RUN);
	check_address(&config.addresses[0], "10.0.0.1", NULL, 24);
	check_address(&config.addresses[1], "10.1.0.1", NULL, 32);
}
END_TEST

START_TEST(E10_auto_mtu_is_a_share_of_1006)
{
	static const unsigned want[] = {1006, 503, 335, 296, 296};
	for (unsigned n = 1; n <= 5; n++)
		ck_assert_uint_eq(config_mtu_auto(CONFIG_MTU_BASE_SLIP, n), want[n - 1]);
	ck_assert_int_eq(RUN("a:9600", "b:9600", "c:9600"), CONFIG_RUN);
	ck_assert_uint_eq(config.mtu, 335);
	ck_assert_int_eq(RUN("--mtu=576", "--mtu=auto", "a:9600", "b:9600"), CONFIG_RUN);
	ck_assert_uint_eq(config.mtu, 503);
}
END_TEST

START_TEST(B091_ipv6_has_its_least_mtu)
{
	ck_assert_int_eq(RUN("--local=fd00::1", "a:9600", "b:9600"), CONFIG_RUN);
	ck_assert_uint_eq(config.mtu, 1280);
	ck_assert_str_eq(err, "serialbundle: note: MTU 1280 instead of 503, since IPv6 (--local "
			      "fd00::1) needs it\n");
	ck_assert_int_eq(RUN("--quiet", "--local=fd00::1", "a:9600"), CONFIG_RUN);
	ck_assert_str_eq(err, "");
	ck_assert_int_eq(RUN("--mtu=1279", "--local=fd00::1", "a:9600"), CONFIG_WRONG);
	ck_assert_int_eq(RUN("--mtu=1280", "--local=fd00::1", "a:9600"), CONFIG_RUN);
	ck_assert_int_eq(RUN("--mtu=68", "--local=10.0.0.1", "a:9600"), CONFIG_RUN);
}
END_TEST

static TCase *option_case(void)
{
	TCase *t = tcase_create("options");
	tcase_add_test(t, options_have_defaults);
	tcase_add_test(t, options_are_stored_wherever_they_stand);
	tcase_add_test(t, default_route_takes_its_metric_only_with_an_equals_sign);
	tcase_add_test(t, verbosity_counts);
	tcase_add_loop_test(t, option_is_refused_by_name, 0, COUNT(bad_options));
	tcase_add_test(t, no_escape_sequence_reaches_the_terminal);
	tcase_add_test(t, help_lists_every_option_within_80_columns);
	return t;
}

static TCase *address_case(void)
{
	TCase *t = tcase_create("addresses and MTU");
	tcase_add_test(t, remotes_go_to_locals_of_their_family_in_order);
	tcase_add_test(t, B094_no_remote_no_peer);
	tcase_add_test(t, E10_auto_mtu_is_a_share_of_1006);
	tcase_add_test(t, B091_ipv6_has_its_least_mtu);
	return t;
}

int main(void)
{
	Suite *suite = suite_create("config");
	suite_add_tcase(suite, option_case());
	suite_add_tcase(suite, address_case());
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
