/* SPDX-License-Identifier: MIT */
/* Real programs, run by the real thing: what they are told, in which order, and for how long. */
#define _GNU_SOURCE
#include "src/hooks.h"

#include "src/log.h"
#include "tests/unit/output_testing.h"

#include <check.h>
#include <errno.h>
#include <ev.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/test_hooks.XXXXXX";
static struct config config;
static struct ev_loop *loop;
static struct log *log_to;
static struct hooks *hooks;

static const char *path_of(const char *name)
{
	static char path[128];
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

/* A program of the user's: a shell script under this name. Its path, as an option has it. */
static void write_program(char to[static CONFIG_DEVICE_SIZE], const char *name, const char *body)
{
	snprintf(to, CONFIG_DEVICE_SIZE, "%s", path_of(name));
	FILE *f = fopen(to, "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f, "#!/bin/sh\ncd %s\n%s\n", directory, body);
	fclose(f);
	ck_assert_int_eq(chmod(to, 0700), 0);
}

static const char *content_of(const char *name)
{
	static char text[8192];
	FILE *f = fopen(path_of(name), "r");
	ck_assert_msg(f != NULL, "%s is not there", name);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	return text;
}

static void set_up(void)
{
	ck_assert_ptr_nonnull(mkdtemp(directory));
	config = (struct config){.hook_timeout = 20 * SB_SEC};
	loop = ev_loop_new(EVFLAG_AUTO);
	log_to = log_new(LOG_ERROR);
	hooks = hooks_new(&config, log_to, loop);
	ck_assert_ptr_nonnull(hooks);
}

static void tear_down(void)
{
	char command[64];
	hooks_free(hooks);
	log_free(log_to);
	ev_loop_destroy(loop);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	ck_assert_int_eq(system(command), 0);
}

static void run_all(void)
{
	while (hooks_are_busy(hooks))
		ev_run(loop, EVRUN_ONCE);
}

static struct exchange_event event(enum exchange_event_kind kind, unsigned line)
{
	return (struct exchange_event){
		.kind = kind,
		.line = line,
		.line_name = "far",
		.device = "/dev/ttyS1",
		.ifname = "sb0",
		.bps = 28800,
		.seconds = 61.9,
		.bytes_out = 5000000000,
		.bytes_in = 7,
		.local = 0x0a090001,
		.remote = 0x0a090002,
		.dns = {0x0a090035, 0},
		.peer_name = "pole",
		.text = "no carrier",
	};
}

START_TEST(ip_up_is_told_what_pppd_tells)
{
	struct exchange_event e = event(EXCHANGE_BUNDLE_UP, EXCHANGE_NO_LINE);
	write_program(config.ip_up, "ip-up",
		      "printf '%s\\n' \"$@\" >args; (echo; env | sort) >env");
	hooks_heed(hooks, &e, "");
	run_all();
	ck_assert_str_eq(content_of("args"), "sb0\n/dev/ttyS1\n28800\n10.9.0.1\n10.9.0.2\nfar\n");
	const char *env = content_of("env");
	static const char *const wanted[] = {
		"\nDEVICE=/dev/ttyS1\n",
		"\nIFNAME=sb0\n",
		"\nIPLOCAL=10.9.0.1\n",
		"\nIPREMOTE=10.9.0.2\n",
		"\nPEERNAME=pole\n",
		"\nSPEED=28800\n",
		"\nLINKNAME=far\n",
		"DNS1=10.9.0.53\n",
		"\nUSEPEERDNS=1\n",
		"\nREASON=no carrier\n",
		"\nSERIALBUNDLE_EVENT=ip-up\n",
		"\ninterface=sb0\n",
		"\nPATH=/usr/local/sbin:",
	};
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		ck_assert_msg(strstr(env, wanted[i]) != NULL, "no %s in %s", wanted[i], env);
	ck_assert_ptr_null(strstr(env, "CONNECT_TIME"));
	ck_assert_ptr_null(strstr(env, "HOME=")); /* ours is not passed on */
}
END_TEST

START_TEST(ip_down_is_told_how_much_it_was)
{
	struct exchange_event e = event(EXCHANGE_BUNDLE_DOWN, EXCHANGE_NO_LINE);
	write_program(config.ip_down, "ip-down",
		      "echo $CONNECT_TIME $BYTES_SENT $BYTES_RCVD >account");
	hooks_heed(hooks, &e, "");
	run_all();
	ck_assert_str_eq(content_of("account"), "61 5000000000 7\n");
}
END_TEST

/* The HOWTO's: eql_enslave eql $interface 28800 */
START_TEST(command_of_a_line_is_run_by_the_shell)
{
	struct exchange_event e = event(EXCHANGE_LINE_UP, 3);
	char command[CONFIG_COMMAND_SIZE];
	snprintf(command, sizeof(command), "echo eql_enslave eql $interface 28800 >%s",
		 path_of("out"));
	hooks_heed(hooks, &e, command);
	run_all();
	ck_assert_str_eq(content_of("out"), "eql_enslave eql sb0 28800\n");
}
END_TEST

/* line-down waits for line-up of the same line to end, which waits for another line's line-up. */
START_TEST(of_one_line_in_the_order_of_events_of_two_side_by_side)
{
	struct exchange_event up0 = event(EXCHANGE_LINE_UP, 0), up1 = event(EXCHANGE_LINE_UP, 1);
	struct exchange_event down0 = event(EXCHANGE_LINE_DOWN, 0);
	strcpy(up1.line_name, "near");
	ck_assert_int_eq(mkfifo(path_of("gate"), 0600), 0);
	write_program(config.line_up, "line-up",
		      "[ $6 = near ] && echo go >gate || read x <gate\necho up $6 >>order");
	write_program(config.line_down, "line-down", "echo down $6 >>order");
	hooks_heed(hooks, &up0, "");
	hooks_heed(hooks, &down0, "");
	hooks_heed(hooks, &up1, "");
	run_all();
	const char *order = content_of("order");
	ck_assert_ptr_nonnull(strstr(order, "up near\n"));
	ck_assert_msg(strstr(order, "up far\ndown far\n") ||
			      strstr(order, "up far\nup near\ndown far\n"),
		      "%s", order);
}
END_TEST

/* Both the program, which does not heed SIGTERM, and what it started. */
START_TEST(one_that_takes_too_long_is_ended_with_its_children)
{
	struct exchange_event e = event(EXCHANGE_LINE_UP, 0);
	pid_t child, parent;
	config.hook_timeout = 300 * SB_MS;
	write_program(config.line_up, "line-up",
		      "trap '' TERM\nsleep 1000 &\necho $! $$ >pids\nwait\nwait\nsleep 1000");
	hooks_heed(hooks, &e, "");
	run_all();
	ck_assert_int_eq(sscanf(content_of("pids"), "%d %d", &child, &parent), 2);
	ck_assert_int_eq(kill(parent, 0), -1);
	ck_assert_int_eq(errno, ESRCH);
	struct pollfd end = {.fd = pidfd_open(child, 0), .events = POLLIN};
	ck_assert(end.fd >= 0 || errno == ESRCH); /* gone, or about to be */
	ck_assert(end.fd < 0 || poll(&end, 1, 10000) == 1);
}
END_TEST

/* Two lines may have the same command, and the shell is nobody's. */
START_TEST(failures_name_the_line_or_the_interface)
{
	struct exchange_event line = event(EXCHANGE_LINE_UP, 0);
	struct exchange_event bundle = event(EXCHANGE_BUNDLE_UP, EXCHANGE_NO_LINE);
	char said[2048];
	log_set_level(log_to, LOG_WARN);
	write_program(config.ip_up, "ip-up", "exit 4");
	snprintf(config.line_up, sizeof(config.line_up), "/nowhere/line-up");
	struct output o = output_begin(STDERR_FILENO);
	hooks_heed(hooks, &line, "exit 3");
	hooks_heed(hooks, &bundle, "");
	run_all();
	output_end(&o, said, sizeof(said));
	ck_assert_ptr_nonnull(strstr(said, "far: command: exit 3 failed: exit status 3\n"));
	ck_assert_ptr_nonnull(strstr(
		said,
		"far: line-up: /nowhere/line-up was not started: No such file or directory\n"));
	ck_assert_ptr_nonnull(strstr(said, "sb0: ip-up: /tmp/"));
	ck_assert_ptr_nonnull(strstr(said, "/ip-up failed: exit status 4\n"));
}
END_TEST

START_TEST(one_that_is_not_there_is_no_harm)
{
	struct exchange_event e = event(EXCHANGE_LINE_UP, 0);
	snprintf(config.line_up, sizeof(config.line_up), "%s", path_of("nothing"));
	hooks_heed(hooks, &e, "exit 3");
	run_all();
	hooks_heed(hooks, &e, "");
	run_all();
}
END_TEST

START_TEST(too_many_are_left_out)
{
	struct exchange_event e = event(EXCHANGE_LINE_UP, 0);
	char command[CONFIG_COMMAND_SIZE];
	snprintf(command, sizeof(command), "echo >>%s", path_of("count"));
	for (int i = 0; i < 2 * HOOKS_MAX; i++)
		hooks_heed(hooks, &e, command);
	run_all();
	ck_assert_uint_eq(strlen(content_of("count")), HOOKS_MAX);
}
END_TEST

/* They are not ours to end; nothing of them is left here either. */
START_TEST(freed_while_some_run_and_wait)
{
	struct exchange_event e = event(EXCHANGE_LINE_UP, 0);
	hooks_heed(hooks, &e, "sleep 1");
	hooks_heed(hooks, &e, "sleep 1");
	ck_assert(hooks_are_busy(hooks));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hooks");
	TCase *test = tcase_create("hooks");
	tcase_add_checked_fixture(test, set_up, tear_down);
	tcase_set_timeout(test, 60);
	tcase_add_test(test, ip_up_is_told_what_pppd_tells);
	tcase_add_test(test, ip_down_is_told_how_much_it_was);
	tcase_add_test(test, command_of_a_line_is_run_by_the_shell);
	tcase_add_test(test, of_one_line_in_the_order_of_events_of_two_side_by_side);
	tcase_add_test(test, one_that_takes_too_long_is_ended_with_its_children);
	tcase_add_test(test, failures_name_the_line_or_the_interface);
	tcase_add_test(test, one_that_is_not_there_is_no_harm);
	tcase_add_test(test, too_many_are_left_out);
	tcase_add_test(test, freed_while_some_run_and_wait);
	suite_add_tcase(suite, test);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
