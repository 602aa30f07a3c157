/* SPDX-License-Identifier: MIT */
/* Messages on a terminal, into a file, and where nobody takes them. */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700 /* posix_openpt */
#include "src/log.h"

#include "tests/unit/output_testing.h"

#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>

enum { TEXT_SIZE = 8192, DEADLINE_MS = 5000 };

static char text[TEXT_SIZE];

/* --- a terminal that stands in for stderr --------------------------------------------------------
 */

struct terminal {
	int master, slave, saved;
};

static struct terminal terminal_begin(unsigned short columns)
{
	struct terminal t = {.master = posix_openpt(O_RDWR | O_NOCTTY)};
	ck_assert(grantpt(t.master) == 0 && unlockpt(t.master) == 0);
	t.slave = open(ptsname(t.master), O_RDWR | O_NOCTTY);
	ck_assert_int_ge(t.slave, 0);
	struct termios mode;
	ck_assert_int_eq(tcgetattr(t.slave, &mode), 0);
	mode.c_oflag &= ~(tcflag_t)OPOST; /* what is written is what is read */
	ck_assert_int_eq(tcsetattr(t.slave, TCSANOW, &mode), 0);
	struct winsize size = {.ws_row = 24, .ws_col = columns};
	ck_assert_int_eq(ioctl(t.slave, TIOCSWINSZ, &size), 0);
	t.saved = dup(STDERR_FILENO);
	ck_assert_int_eq(dup2(t.slave, STDERR_FILENO), STDERR_FILENO);
	setenv("TERM", "xterm", 1);
	return t;
}

/* Reads what the terminal got, up to and with `last`. */
static const char *terminal_until(struct terminal *t, const char *last)
{
	size_t n = 0;
	text[0] = '\0';
	while (n < strlen(last) || strcmp(text + n - strlen(last), last) != 0) {
		struct pollfd p = {.fd = t->master, .events = POLLIN};
		if (poll(&p, 1, DEADLINE_MS) != 1 || n == TEXT_SIZE - 1)
			return "(never came)";
		ck_assert_int_eq(read(t->master, text + n, 1), 1);
		text[++n] = '\0';
	}
	return text;
}

static void terminal_end(struct terminal *t)
{
	ck_assert_int_eq(dup2(t->saved, STDERR_FILENO), STDERR_FILENO);
	close(t->saved);
	close(t->slave);
	close(t->master);
}

#define WIPE "\r\033[K"

START_TEST(status_stays_below_messages)
{
	struct terminal t = terminal_begin(80);
	struct log *log = log_new(LOG_INFO);
	ck_assert(log_is_terminal(log));
	log_say(log, LOG_INFO, "before");
	log_status(log, "2 lines up");
	log_say(log, LOG_INFO, "ttyS1: no carrier");
	log_status(log, "1 line up");
	log_status(log, NULL);
	log_status(log, NULL);
	log_say(log, LOG_INFO, "after");
	ck_assert_str_eq(terminal_until(&t, "after\n"),
			 "before\n" WIPE "2 lines up" WIPE "ttyS1: no carrier\n"
			 "2 lines up" WIPE "1 line up" WIPE "after\n");
	log_free(log);
	terminal_end(&t);
}
END_TEST

START_TEST(status_goes_when_the_log_does)
{
	struct terminal t = terminal_begin(80);
	struct log *log = log_new(LOG_INFO);
	log_status(log, "2 lines up");
	log_free(log);
	ck_assert_str_eq(terminal_until(&t, "up" WIPE), WIPE "2 lines up" WIPE);
	terminal_end(&t);
}
END_TEST

/* In the last column a terminal would wrap, and the next wipe would leave a line behind. */
START_TEST(status_is_cut_before_the_last_column)
{
	struct terminal t = terminal_begin(10);
	struct log *log = log_new(LOG_INFO);
	log_status(log, "0123456789abcdef");
	ck_assert_str_eq(terminal_until(&t, "8"), WIPE "012345678");
	struct winsize wide = {.ws_row = 24, .ws_col = 13};
	ck_assert_int_eq(ioctl(t.slave, TIOCSWINSZ, &wide), 0);
	log_say(log, LOG_INFO, "x");
	ck_assert_str_eq(terminal_until(&t, "b"), WIPE "x\n0123456789ab");
	log_status(log, "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC");
	ck_assert_str_eq(terminal_until(&t, "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC"),
			 WIPE "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC");
	log_free(log);
	terminal_end(&t);
}
END_TEST

START_TEST(no_status_on_a_dumb_terminal)
{
	struct terminal t = terminal_begin(80);
	setenv("TERM", "dumb", 1);
	struct log *log = log_new(LOG_INFO);
	ck_assert(!log_is_terminal(log));
	log_status(log, "2 lines up");
	log_say(log, LOG_INFO, "after");
	log_free(log);
	ck_assert_str_eq(terminal_until(&t, "after\n"), "after\n");
	terminal_end(&t);
}
END_TEST

/* A terminal stopped by ^S: the caller goes on, and later learns what it missed. */
START_TEST(B118_stopped_terminal_holds_nobody_up)
{
	struct terminal t = terminal_begin(80);
	struct log *log = log_new(LOG_INFO);
	ck_assert_int_eq(tcflow(t.slave, TCOOFF), 0);
	alarm(10); /* ends the test if it waits after all */
	for (int i = 0; i < 3; i++)
		log_say(log, LOG_INFO, "lost %d", i);
	log_status(log, "lost, too");
	log_status(log, NULL);
	ck_assert_int_eq(tcflow(t.slave, TCOON), 0);
	log_say(log, LOG_INFO, "here");
	log_say(log, LOG_INFO, "again");
	ck_assert_str_eq(terminal_until(&t, "again\n"), "(messages left out: 3)\nhere\nagain\n");
	log_free(log);
	terminal_end(&t);
}
END_TEST

/* --- not a terminal ------------------------------------------------------------------------------
 */

START_TEST(B118_full_pipe_holds_nobody_up)
{
	int ends[2], saved = dup(STDERR_FILENO);
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	struct log *log = log_new(LOG_INFO);
	alarm(10);
	for (int i = 0; i < 20000; i++)
		log_say(log, LOG_INFO, "message %d", i);
	unsigned seen = 0;
	/* every line is whole, from the first on, until there was no room */
	FILE *reader = fdopen(ends[0], "r");
	struct pollfd p = {.fd = ends[0], .events = POLLIN};
	setvbuf(reader, NULL, _IONBF, 0);
	while (poll(&p, 1, 0) == 1) {
		char want[64];
		ck_assert_ptr_nonnull(fgets(text, sizeof(text), reader));
		snprintf(want, sizeof(want), "message %u\n", seen++);
		ck_assert_str_eq(text, want);
	}
	ck_assert_uint_gt(seen, 100);
	ck_assert_uint_lt(seen, 20000);
	log_say(log, LOG_INFO, "there is room");
	unsigned left_out;
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), reader));
	ck_assert_int_eq(sscanf(text, "(messages left out: %u)", &left_out), 1);
	ck_assert_uint_eq(left_out, 20000 - seen);
	ck_assert_int_eq(dup2(saved, STDERR_FILENO), STDERR_FILENO);
	log_free(log);
	fclose(reader);
}
END_TEST

START_TEST(plain_lines_without_a_terminal)
{
	setenv("TERM", "xterm", 1);
	struct output o = output_begin(STDERR_FILENO);
	struct log *log = log_new(LOG_DEBUG);
	ck_assert(!log_is_terminal(log));
	log_status(log, "2 lines up");
	log_say(log, LOG_ERROR, "%s: no such device", "/dev/ttyS9");
	log_say(log, LOG_WARN, "ttyS0: slow");
	log_say(log, LOG_INFO, "ttyS0: up, %u bps", 28800u);
	log_say(log, LOG_DEBUG, "detail");
	log_free(log);
	output_end(&o, text, sizeof(text));
	ck_assert_str_eq(text, "serialbundle: /dev/ttyS9: no such device\n"
			       "warning: ttyS0: slow\n"
			       "ttyS0: up, 28800 bps\n"
			       "detail\n");
}
END_TEST

START_TEST(levels_above_the_most_are_silent)
{
	static const char *const want[] = {
		[LOG_ERROR] = "serialbundle: e\n",
		[LOG_WARN] = "serialbundle: e\nwarning: w\n",
		[LOG_INFO] = "serialbundle: e\nwarning: w\ni\n",
		[LOG_DEBUG] = "serialbundle: e\nwarning: w\ni\nd\n",
	};
	struct output o = output_begin(STDERR_FILENO);
	struct log *log = log_new((enum log_level)_i);
	log_say(log, LOG_ERROR, "e");
	log_say(log, LOG_WARN, "w");
	log_say(log, LOG_INFO, "i");
	log_say(log, LOG_DEBUG, "d");
	log_free(log);
	output_end(&o, text, sizeof(text));
	ck_assert_str_eq(text, want[_i]);
}
END_TEST

/* A modem's words cannot clear the screen, nor forge a line. */
START_TEST(untrusted_text_is_made_harmless)
{
	struct output o = output_begin(STDERR_FILENO);
	struct log *log = log_new(LOG_INFO);
	log_say(log, LOG_INFO, "ttyS0: modem says %s", "BUSY\r\nserialbundle: all fine\033[2J\x9B");
	log_free(log);
	output_end(&o, text, sizeof(text));
	ck_assert_str_eq(text, "ttyS0: modem says BUSY??serialbundle: all fine?[2J?\n");
}
END_TEST

START_TEST(long_messages_are_cut_to_one_line)
{
	static char monster[100000];
	memset(monster, 'x', sizeof(monster) - 1);
	struct output o = output_begin(STDERR_FILENO);
	struct log *log = log_new(LOG_INFO);
	log_say(log, LOG_INFO, "%s", monster);
	log_say(log, LOG_INFO, "next");
	log_free(log);
	output_end(&o, text, sizeof(text));
	ck_assert_uint_gt(strlen(text), 1000);
	ck_assert_uint_lt(strlen(text), 1100);
	ck_assert_str_eq(strchr(text, '\n'), "\nnext\n");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("log");
	TCase *terminal = tcase_create("on a terminal");
	tcase_add_test(terminal, status_stays_below_messages);
	tcase_add_test(terminal, status_goes_when_the_log_does);
	tcase_add_test(terminal, status_is_cut_before_the_last_column);
	tcase_add_test(terminal, no_status_on_a_dumb_terminal);
	suite_add_tcase(s, terminal);
	TCase *file = tcase_create("into a file");
	tcase_add_test(file, plain_lines_without_a_terminal);
	tcase_add_loop_test(file, levels_above_the_most_are_silent, LOG_ERROR, LOG_DEBUG + 1);
	tcase_add_test(file, untrusted_text_is_made_harmless);
	tcase_add_test(file, long_messages_are_cut_to_one_line);
	suite_add_tcase(s, file);
	TCase *nobody = tcase_create("nobody takes it");
	tcase_set_timeout(nobody, 30);
	tcase_add_test(nobody, B118_stopped_terminal_holds_nobody_up);
	tcase_add_test(nobody, B118_full_pipe_holds_nobody_up);
	suite_add_tcase(s, nobody);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(suite());
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
