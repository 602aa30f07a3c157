/* SPDX-License-Identifier: MIT */
/*
 * What limits a bundle, by a table: facts as they are in a situation of its name, the word, and
 * what the sentence has to name. E24, B13, N20.
 */
#include "src/verdict.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 3 };

struct situation {
	const char *name;
	struct verdict_line lines[LINES];
	unsigned count;
	uint64_t queue_bytes;
	struct verdict_rates over_2s, over_10s;
	double cpu;
	struct verdict_windows peer, host;
	enum verdict_limit limit;
	const char *why[3]; /* is named */
};

/* Lines that are up: in order; of other rates; that lose packets; that are late, or overrun. */
#define LINE(name_, out, in) RATED(name_, 28800, 28800, out, in)
#define RATED(name_, given, now, out, in)                                                          \
	{                                                                                          \
		name_, true, false, given, now, out, in, 0, 0, -1, -1, 0, 0                        \
	}
#define LOSSY(name_, out, in, loss_out, loss_in)                                                   \
	{                                                                                          \
		name_, true, false, 28800, 28800, out, in, 0, 0, loss_out, loss_in, 0, 0           \
	}
#define SHAPED(name_, given, from, out)                                                            \
	{                                                                                          \
		name_, true, false, given, given, out, 0, 0, 0, -1, -1, 0, from                    \
	}
#define LATE(name_, out, starved)                                                                  \
	{                                                                                          \
		name_, true, false, 28800, 28800, out, 0, starved, 0, -1, -1, 0, 0                 \
	}
#define OVERRUN(name_, in, overruns)                                                               \
	{                                                                                          \
		name_, true, false, 28800, 28800, 0, in, 0, 0, -1, -1, overruns, 0                 \
	}
/* And lines that are not, in that they are held off for so long, silent, or neither. */
#define DOWN(name_, held, silent)                                                                  \
	{                                                                                          \
		name_, false, silent, 28800, 28800, 0, 0, 0, held, -1, -1, 0, 0                    \
	}
#define BUSY  LINE("ttyS0", .98, .03), LINE("ttyS1", .97, .03)
#define QUIET LINE("ttyS0", .10, .03), LINE("ttyS1", .12, .04)
#define RATES(sent_, full_, codel_, no_buffer_)                                                    \
	{                                                                                          \
		.sent = (sent_), .full = (full_), .codel = (codel_), .no_buffer = (no_buffer_)     \
	}

/* clang-format off */
static const struct situation situations[] = {
	{"idle", {LINE("ttyS0", 0, 0)}, 1, .limit = VERDICT_NOTHING,
	 .why = {"the line is 0 % busy out, 0 % in"}},
	{"a little traffic", {QUIET}, 2, .queue_bytes = 600, .limit = VERDICT_NOTHING,
	 .why = {"the lines are 11 % busy out", "4 % in"}},
	{"well used, and nothing waits", {LINE("ttyS0", .9, .1)}, 1, .limit = VERDICT_NOTHING,
	 .why = {"90 %"}},
	{"bulk over full lines", {BUSY}, 2, .queue_bytes = 12100, .over_2s = RATES(5, 0, .3, 0),
	 .over_10s = RATES(5, 0, .5, 0), .limit = VERDICT_LINE,
	 .why = {"98 % busy", "12.1 kB", "900 ms"}},
	{"bulk with a window that is used up, in the queue", {BUSY}, 2, .queue_bytes = 12100,
	 .peer = {1, 65535}, .limit = VERDICT_LINE, .why = {"98 % busy"}},
	{"full lines, nothing waits just now", {BUSY}, 2, .limit = VERDICT_LINE, .why = {"98 %"}},
	{"full with what comes in", {LINE("ttyS0", .04, .97)}, 1, .limit = VERDICT_LINE,
	 .why = {"97 % busy with what the peer sends"}},
	{"a line slower than it should be",
	 {LINE("ttyS0", .98, 0), RATED("ttyS1", 28800, 21024, .99, 0)}, 2, .queue_bytes = 5000, .limit = VERDICT_LINE,
	 .why = {"ttyS1", "73 % of its given rate"}},
	{"one of unequal lines idle: by their rates the slow one weighs little",
	 {RATED("fast", 115200, 115200, .97, 0), RATED("slow", 9600, 9600, 0, 0)}, 2,
	 .queue_bytes = 5000, .limit = VERDICT_LINE, .why = {"90 % busy"}},
	{"noise", {LOSSY("ttyS0", .4, .1, .08, .06)}, 1, .limit = VERDICT_LINE,
	 .why = {"ttyS0 loses 8 %"}},
	{"noise, on a line that carries nothing", {LOSSY("ttyS0", 0, 0, .08, .06)}, 1,
	 .limit = VERDICT_NOTHING},
	{"no line", {DOWN("ttyS0", 0, false), DOWN("ttyS1", 0, false)}, 2, .queue_bytes = 9000,
	 .limit = VERDICT_LINE, .why = {"none of its 2 lines is up"}},
	{"its only line is down", {DOWN("ttyS0", 0, false)}, 1, .limit = VERDICT_LINE,
	 .why = {"its line is not up"}},
	{"no line at all", {DOWN("", 0, false)}, 0, .limit = VERDICT_LINE,
	 .why = {"it has no line"}},
	{"lines just being filled", {QUIET}, 2, .queue_bytes = 9000, .limit = VERDICT_LINE,
	 .why = {"9.00 kB wait", "11 % busy"}},
	{"a burst, some seconds ago", {BUSY}, 2, .queue_bytes = 9000, .over_2s = RATES(0, 0, 0, 0),
	 .over_10s = RATES(10, 6, 0, 0), .limit = VERDICT_LINE, .why = {"98 % busy"}},
	{"E24 the loop is late", {LATE("ttyS0", .7, .3), LATE("ttyS1", .8, .2)}, 2,
	 .queue_bytes = 9000, .limit = VERDICT_HOST, .why = {"dry in mid-frame", "25 %"}},
	{"E24 late, with a window that is used up", {LATE("ttyS0", .7, .3)}, 1,
	 .queue_bytes = 9000, .peer = {1, 65535}, .limit = VERDICT_HOST, .why = {"30 %"}},
	{"late once, and nothing to do", {LATE("ttyS0", .1, .06)}, 1, .limit = VERDICT_NOTHING},
	{"E24 the UART overruns", {LINE("ttyS0", 0, .3), OVERRUN("ttyS1", .3, 2.5)}, 2,
	 .limit = VERDICT_HOST, .why = {"ttyS1", "2.5 overruns/s"}},
	{"B13 the processor is at its end", {LINE("sock", .5, .5)}, 1, .cpu = .99,
	 .limit = VERDICT_HOST, .why = {"99 % of a processor", "50 % busy"}},
	{"no buffers", {QUIET}, 2, .over_10s = RATES(100, 0, 0, 12), .limit = VERDICT_HOST,
	 .why = {"12.0 packets/s"}},
	{"a program here does not read", {LINE("ttyS0", .02, .1)}, 1, .host = {.9, 0},
	 .limit = VERDICT_HOST, .why = {"a program here does not read"}},
	{"a program here reads little", {LINE("ttyS0", .02, .2)}, 1, .host = {.9, 2048},
	 .limit = VERDICT_HOST, .why = {"2.05 kB at a time", "20 % busy"}},
	{"N20 the receiver does not read", {QUIET}, 2, .peer = {1, 0}, .limit = VERDICT_PEER,
	 .why = {"does not read", "window is closed"}},
	{"N20 a small window on a long line", {QUIET}, 2, .peer = {.8, 4096},
	 .limit = VERDICT_PEER, .why = {"4.10 kB at a time", "11 % busy"}},
	{"the same with a packet in the queue now and then", {QUIET}, 2, .queue_bytes = 2000,
	 .peer = {.8, 4096}, .limit = VERDICT_PEER, .why = {"4.10 kB"}},
	{"now and then a full window", {QUIET}, 2, .peer = {.2, 4096}, .limit = VERDICT_NOTHING},
	{"held off by CTS", {DOWN("ttyS0", 3200 * SB_MS, false), LINE("ttyS1", .9, 0)}, 2,
	 .queue_bytes = 9000, .limit = VERDICT_PEER, .why = {"ttyS0", "3.20 s"}},
	{"held off, all of it", {DOWN("ttyS0", 3200 * SB_MS, false)}, 1, .limit = VERDICT_PEER,
	 .why = {"ttyS0", "3.20 s"}},
	{"held off, but nothing waits", {DOWN("ttyS0", SB_SEC, false), LINE("ttyS1", .1, 0)}, 2,
	 .limit = VERDICT_NOTHING},
	{"nothing is heard", {DOWN("ttyS0", 0, true), DOWN("ttyS1", 0, true)}, 2,
	 .limit = VERDICT_PEER, .why = {"any of its lines"}},
	{"one silent, one down", {DOWN("ttyS0", 0, true), DOWN("ttyS1", 0, false)}, 2,
	 .limit = VERDICT_LINE},
	{"the peer's UART overruns", {LOSSY("ttyS0", .4, .1, .08, 0)}, 1, .limit = VERDICT_PEER,
	 .why = {"the peer loses 8 %", "ttyS0"}},
	{"N20 shaped to half", {SHAPED("ttyS0", 14400, 28800, .98)}, 1, .queue_bytes = 9000,
	 .limit = VERDICT_SHAPER, .why = {"98 % busy", "50 %"}},
	{"one of two is shaped", {SHAPED("ttyS0", 14400, 28800, .98), LINE("ttyS1", .97, 0)}, 2,
	 .limit = VERDICT_SHAPER, .why = {"97 % busy", "75 %"}},
	{"shaped just below the line", {SHAPED("ttyS0", 27360, 28800, .99)}, 1,
	 .limit = VERDICT_SHAPER, .why = {"95 %"}},
	{"shaped by next to nothing", {SHAPED("ttyS0", 28512, 28800, .99)}, 1,
	 .limit = VERDICT_LINE},
	{"shaped, but not full", {SHAPED("ttyS0", 14400, 28800, .5)}, 1,
	 .limit = VERDICT_NOTHING},
	{"shaped, and slower than that", {RATED("ttyS0", 14400, 7200, .98, 0)}, 1,
	 .limit = VERDICT_LINE, .why = {"ttyS0 is 50 % of its given rate"}},
	{"a flood", {BUSY}, 2, .queue_bytes = 60000, .over_2s = RATES(50, 30, 2, 0),
	 .over_10s = RATES(50, 32, 2, 0), .limit = VERDICT_QUEUE, .why = {"64 %", "no room"}},
	{"a flood that CoDel takes care of", {BUSY}, 2, .queue_bytes = 60000,
	 .over_2s = RATES(50, 0, 30, 0), .over_10s = RATES(50, 0, 25, 0), .limit = VERDICT_QUEUE,
	 .why = {"50 %", "waits too long"}},
	{"bursts that are larger than the queue", {LINE("ttyS0", .4, 0)}, 1,
	 .over_2s = RATES(50, 2, 0, 0), .over_10s = RATES(50, 2, 0, 0), .limit = VERDICT_QUEUE,
	 .why = {"2.0 packets/s", "40 % busy"}},
};
/* clang-format on */
enum { SITUATIONS = sizeof situations / sizeof situations[0] };

START_TEST(each_situation_has_its_verdict)
{
	const struct situation *s = &situations[_i];
	struct verdict v = verdict_on(&(struct verdict_facts){
		.lines = s->lines,
		.line_count = s->count,
		.mtu = 1500,
		.queue_bytes = s->queue_bytes,
		.queue_age = 900 * SB_MS,
		.over_2s = s->over_2s,
		.over_10s = s->over_10s,
		.cpu = s->cpu,
		.peer = s->peer,
		.host = s->host,
	});

	ck_assert_msg(v.limit == s->limit, "%s: %s, since %s", s->name, verdict_word(v.limit),
		      v.why);
	for (int i = 0; i < 3 && s->why[i]; i++)
		ck_assert_msg(strstr(v.why, s->why[i]) != NULL, "%s: no \"%s\" in \"%s\"", s->name,
			      s->why[i], v.why);
}
END_TEST

/* Each limit that there is has a situation: the table leaves none out. */
START_TEST(every_limit_is_met)
{
	unsigned met[VERDICT_LIMITS] = {0};

	for (unsigned i = 0; i < SITUATIONS; i++)
		met[situations[i].limit]++;
	for (unsigned i = 0; i < VERDICT_LIMITS; i++)
		ck_assert_msg(met[i] >= 3, "%s", verdict_word(i));
}
END_TEST

/* A name may be as long as it likes, and be cut in the middle of a character. */
START_TEST(a_long_name_is_cut_to_whole_characters)
{
	char name[400];
	struct verdict_line line = DOWN(name, SB_SEC, false);
	struct verdict v;

	for (size_t i = 0; i < 198; i++)
		memcpy(name + 2 * i, "\xc3\xa9", 3);
	for (unsigned cut = 0; cut < 2; cut++) {
		line.name = name + 2 * cut;
		if (cut)
			name[2] = 'x', name[3] = 'y';
		v = verdict_on(&(struct verdict_facts){.lines = &line, .line_count = 1});
		ck_assert_uint_eq(strlen(v.why), sizeof v.why - 1);
		ck_assert_int_ne((unsigned char)v.why[sizeof v.why - 2], 0xc3);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("verdict");
	TCase *tests = tcase_create("verdict");
	SRunner *runner = srunner_create(suite);

	tcase_add_loop_test(tests, each_situation_has_its_verdict, 0, SITUATIONS);
	tcase_add_test(tests, every_limit_is_met);
	tcase_add_test(tests, a_long_name_is_cut_to_whole_characters);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
