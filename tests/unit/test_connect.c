/* SPDX-License-Identifier: MIT */
/*
 * What modems say when they connect, as makers print it: each line, or lines of one call,
 * and what is to be made of it. B073 is among them.
 */
#include "src/modem/connect.h"

#include <check.h>
#include <stdlib.h>

enum { ANY = 0 }; /* the port's speed is not known */

static const struct told {
	const char *lines; /* separated by | */
	uint32_t dte_bps;
	uint32_t bps;
	const char *modulation, *protocol, *compression;
} told[] = {
	/* Hayes */
	{"CONNECT", 38400, 0, "", "", ""},
	{"CONNECT 1200", 38400, 1200, "", "", ""},
	{"CONNECT 2400", 38400, 2400, "", "", ""},
	{"CONNECT 300", 2400, 300, "", "", ""},
	{"CONNECT 14400", 57600, 14400, "", "", ""},
	{"CARRIER 14400|PROTOCOL: LAP-M|COMPRESSION: V.42BIS|CONNECT 57600", 57600, 14400, "",
	 "LAP-M", "V.42BIS"},
	/* USRobotics */
	{"CONNECT 28800/ARQ/V34/LAPM/V42BIS", 115200, 28800, "V34", "LAPM", "V42BIS"},
	{"CONNECT 33600/ARQ/V34/LAPM/V42BIS", 57600, 33600, "V34", "LAPM", "V42BIS"},
	{"CONNECT 16800/ARQ/HST/HST/V42BIS", 57600, 16800, "HST", "ARQ", "V42BIS"},
	{"CONNECT 14400/ARQ/V32/LAPM/MNP5", 57600, 14400, "V32", "LAPM", "MNP5"},
	{"CONNECT 53333/ARQ/V90/LAPM/V42BIS", 115200, 53333, "V90", "LAPM", "V42BIS"},
	{"CONNECT 49333/ARQ/x2/LAPM/V42BIS", 115200, 49333, "x2", "LAPM", "V42BIS"},
	{"CONNECT 2400/NONE", 38400, 2400, "", "NONE", ""},
	{"CONNECT 64000/ARQ/V120", 230400, 64000, "", "V120", ""},
	/* Rockwell, Conexant */
	{"CARRIER 33600|PROTOCOL: LAP-M|COMPRESSION: NONE|CONNECT 115200", 115200, 33600, "",
	 "LAP-M", "NONE"},
	{"CARRIER 28800|CONNECT 115200", 115200, 28800, "", "", ""},
	{"CARRIER 28800|CONNECT 38400", 115200, 28800, "", "", ""},
	{"CARRIER 2400|PROTOCOL: ALT|COMPRESSION: CLASS 5|CONNECT 19200", 19200, 2400, "", "ALT",
	 "CLASS 5"},
	{"CONNECT 115200/V34/LAPM/V42BIS/33600:TX/31200:RX", 115200, 33600, "V34", "LAPM",
	 "V42BIS"},
	{"CONNECT 115200 V.92 LAPM V.44 31200:TX 50666:RX", 115200, 31200, "V.92", "LAPM", "V.44"},
	{"CONNECT 1200TX/75RX", 38400, 1200, "", "", ""},
	{"CONNECT 75TX/1200RX", 38400, 75, "", "", ""},
	{"CONNECT 14400/REL", 57600, 14400, "", "REL", ""},
	{"CONNECT 9600/REL 5", 57600, 9600, "", "REL", ""},
	{"CONNECT 33600 EC", 115200, 33600, "", "EC", ""},
	{"CONNECT 31200 V42bis", 115200, 31200, "", "", "V42bis"},
	/* Lucent, PCTel, MultiTech, ELSA */
	{"CONNECT 50666 V42bis", 115200, 50666, "", "", "V42bis"},
	{"CONNECT 45333 V44", 115200, 45333, "", "", "V44"},
	{"CONNECT 14400 LAPM COMPRESSED", 57600, 14400, "", "LAPM", "COMPRESSED"},
	{"CONNECT 52000/V.90/LAPM/V.42bis", 115200, 52000, "V.90", "LAPM", "V.42bis"},
	{"CONNECT 28800/V.FC/V42/V42b", 57600, 28800, "V.FC", "V42", "V42b"},
	/* ZyXEL: the port's rate, and then the carrier's */
	{"CONNECT 57600/ZYX 16800/V42b", 57600, 16800, "ZYX", "", "V42b"},
	{"CONNECT 57600/V32b 14400/V42b", 57600, 14400, "V32b", "", "V42b"},
	{"CONNECT 115200/V.34+ 33600/V42b", 115200, 33600, "V.34+", "", "V42b"},
	{"CONNECT 38400/V22b 2400/NONE", 38400, 2400, "V22b", "NONE", ""},
	{"CONNECT 57600/V32b 14400/9600", 57600, 14400, "V32b", "", ""},
	/* Telebit */
	{"CONNECT FAST", 19200, 0, "", "", ""},
	{"CONNECT FAST/KERM", 19200, 0, "", "", ""},
	/* ISDN */
	{"CONNECT 64000/HDLC", 115200, 64000, "", "HDLC", ""},
	{"CONNECT 64000/X.75", 115200, 64000, "", "X.75", ""},
	{"CONNECT 64000/V.110", 115200, 64000, "", "V.110", ""},
	{"CONNECT 64000 NoEC/NONE", 115200, 64000, "", "NoEC", ""},
	{"CONNECT 128000/PPP", 230400, 128000, "", "PPP", ""},
	{"CONNECT 128000", ANY, 128000, "", "", ""},
	/* GSM and later: what a radio might do at best */
	{"CONNECT 9600/RLP", 115200, 9600, "", "RLP", ""},
	{"CONNECT 7200000", 460800, 0, "", "", ""},
	{"CONNECT 150000000", 921600, 0, "", "", ""},
	{"CONNECT 230400", 230400, 230400, "", "", ""},
	{"CONNECT 230400", 115200, 0, "", "", ""},
	/* V.250 section 6.4 to 6.6 */
	{"+MCR: V34|+MRR: 33600,31200|+ER: LAPM|+DR: V42B|CONNECT 115200", 115200, 33600, "V34",
	 "LAPM", "V42B"},
	{"+MCR: V90|+MRR: 28800|CONNECT", 115200, 28800, "V90", "", ""},
	/* blanks, and what is not believed */
	{"  CONNECT   9600  ", 38400, 9600, "", "", ""},
	{"CONNECT 99999999999999999999", ANY, 0, "", "", ""},
	{"CONNECT 4294967296", ANY, 0, "", "", ""},
	{"CONNECT 0", 38400, 0, "", "", ""},
	{"CONNECT -9600", 38400, 0, "", "", ""},
	{"CONNECT 9600x", 38400, 0, "", "", ""},
	{"CARRIER 230400|CONNECT 28800", 115200, 28800, "", "", ""},
	{"CARRIER|CONNECT 9600", 38400, 9600, "", "", ""},
	{"CONNECT 9600/A-WORD-OF-MANY-LETTERS-MORE-THAN-ANY-HAS", 38400, 9600, "", "", ""},
	{"PROTOCOL: ", 38400, 0, "", "", ""},
	/* a call back: the second call counts, and nothing is left of the first */
	{"CARRIER 33600|PROTOCOL: LAP-M|CONNECT 57600|CONNECT 2400", 57600, 2400, "", "", ""},
	{"CONNECT 9600/ARQ|CARRIER 14400|CONNECT 57600", 57600, 14400, "", "", ""},
};

/* Of exact length, so that the sanitizer sees a read beyond it. */
static bool heed(struct connect *c, const char *line, size_t length, uint32_t dte_bps)
{
	uint8_t *copy = malloc(length);

	if (length)
		memcpy(copy, line, length);
	bool heeded = connect_heed(c, bytes_of(copy, length), dte_bps);
	free(copy);
	return heeded;
}

START_TEST(every_line_is_understood)
{
	const struct told *t = &told[_i];
	struct connect c;

	connect_init(&c);
	for (const char *line = t->lines; line;) {
		const char *end = strchr(line, '|');
		size_t length = end ? (size_t)(end - line) : strlen(line);
		ck_assert_msg(heed(&c, line, length, t->dte_bps), "not heeded: %s", line);
		line = end ? end + 1 : NULL;
	}
	ck_assert_msg(c.bps == t->bps, "%s: %u", t->lines, c.bps);
	ck_assert_str_eq(c.modulation, t->modulation);
	ck_assert_str_eq(c.protocol, t->protocol);
	ck_assert_str_eq(c.compression, t->compression);
}
END_TEST

static const char *const others[] = {
	"",
	"OK",
	"RING",
	"NO CARRIER",
	"BUSY",
	"ERROR",
	"CONNECTX",
	"CONNECTED 9600",
	"Connection closed",
	"connect 9600",
	"CARRIERS",
	"+MR",
	"PROTOCOLS",
	"CONNEC",
	"login: CONNECT 9600",
};

START_TEST(other_lines_are_not)
{
	struct connect c;

	connect_init(&c);
	ck_assert_msg(!heed(&c, others[_i], strlen(others[_i]), 38400), "%s", others[_i]);
	ck_assert_uint_eq(c.bps, 0);
	ck_assert(!c.connected);
}
END_TEST

START_TEST(text_is_printable_and_fits)
{
	static const char line[] = "PROTOCOL: \x01\xff"
				   "0123456789012345678901234567890123456789";
	struct connect c;

	connect_init(&c);
	ck_assert(heed(&c, line, sizeof line - 1, 38400));
	ck_assert_str_eq(c.protocol, "\?\?01234567890123456789012345678");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("connect");
	TCase *all = tcase_create("lines");

	tcase_add_loop_test(all, every_line_is_understood, 0, sizeof told / sizeof *told);
	tcase_add_loop_test(all, other_lines_are_not, 0, sizeof others / sizeof *others);
	tcase_add_test(all, text_is_printable_and_fits);
	suite_add_tcase(suite, all);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
