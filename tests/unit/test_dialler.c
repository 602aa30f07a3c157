/* SPDX-License-Identifier: MIT */
/* A modem calls: what comes of it, and what is the link's. */
#include "tests/unit/dialler_testing.h"

START_TEST(a_call)
{
	create();
	ck_assert_int_eq(dialler_state(dialler), DIALLER_IDLE);
	ck_assert_int_eq(dialler_deadline(dialler), SB_NEVER);
	start(false);
	ck_assert_int_eq(dialler_state(dialler), DIALLER_DIALLING);
	assert_happened("'ATZ.'");
	says("ATZ\r\r\nOK\r\n");
	assert_happened("'ATDT1.'");
	says("ATDT1\r");
	pass(20 * SB_SEC);
	ck_assert_int_eq(dialler_state(dialler), DIALLER_DIALLING);
	says("\r\nCARRIER 28800\r\n\r\nPROTOCOL: LAP-M\r\n\r\nCONNECT 38400\r\n");
	assert_happened("connected");
	ck_assert_int_eq(dialler_state(dialler), DIALLER_ONLINE);
	ck_assert_uint_eq(connected.bps, 28800);
	ck_assert_str_eq(connected.protocol, "LAP-M");
	ck_assert_uint_eq(dialler_rest(dialler).length, 0);
	ck_assert_int_eq(dialler_deadline(dialler), SB_NEVER);
}
END_TEST

START_TEST(dtr_goes_on_first)
{
	create();
	dialler_start(dialler, now, true);
	drain();
	assert_happened("DTR on");
	pass(SB_SEC);
	assert_happened("'ATZ.'");
}
END_TEST

/* B068: what an earlier call left unread is none of this one's answers. */
START_TEST(B068_what_is_old_is_thrown_away)
{
	create();
	dialler_start(dialler, now, false);
	says("\r\nNO CARRIER\r\n\r\nERROR\r\n\r\nOK\r\n");
	assert_happened("");
	pass(SB_SEC);
	assert_happened("'ATZ.'");
	ck_assert_int_eq(dialler_state(dialler), DIALLER_DIALLING);
}
END_TEST

/* However the characters come, what is behind the line that says CONNECT is the link's, all of it.
 */
static const struct {
	const char *said;
	size_t link; /* characters at its end */
	uint32_t bps;
} lines[] = {
	{"CONNECT 28800\r\n~\xff}#\xc0!", 6, 28800},
	{"CONNECT 28800/ARQ/V34/LAPM/V42BIS\r\n\xc0\x45", 2, 28800},
	{"CONNECT\r\n\xc0\x45", 2, 0},
	{"CONNECT 14400\n\x7e\xff", 2, 14400},
	{"CONNECT 14400\r\xc0\x45", 2, 14400},
	{"CONNECT 14400\r~\xff", 2, 14400},
	{"CONNECT 14400~\xff\x03", 3, 14400},
	{"CONNECT\xc0\x45", 2, 0},
	{"CONNECT 14400\r\n\r\nlogin:", 8, 14400},
};

START_TEST(what_is_behind_connect_is_the_links)
{
	const char *said = lines[_i].said;
	size_t all = strlen(said), cut = 0;

	for (; cut <= all; cut++) {
		create();
		dial(false);
		says_bytes(bytes_of(said, cut));
		if (dialler_state(dialler) != DIALLER_ONLINE) {
			says_bytes(bytes_of(said + cut, all - cut));
			ck_assert_int_eq(dialler_state(dialler), DIALLER_ONLINE);
			ck_assert_uint_eq(dialler_rest(dialler).length, lines[_i].link);
			ck_assert_mem_eq(dialler_rest(dialler).at, said + all - lines[_i].link,
					 lines[_i].link);
		} else { /* what comes later is only looked at */
			ck_assert_uint_eq(dialler_rest(dialler).length + all - cut, lines[_i].link);
		}
		assert_happened("connected");
		ck_assert_uint_eq(connected.bps, lines[_i].bps);
		dialler_free(dialler);
	}
	dialler = NULL;
}
END_TEST

START_TEST(a_connect_line_that_does_not_end_is_waited_for_but_not_long)
{
	create();
	dial(false);
	says("\r\nCONNECT 288");
	pass(400 * SB_MS);
	assert_happened("");
	says("00/ARQ");
	assert_happened("");
	pass(600 * SB_MS);
	assert_happened("connected");
	ck_assert_uint_eq(connected.bps, 28800);
}
END_TEST

/* A login behind CONNECT: its text is the script's, and the rate is heard all the same. */
START_TEST(a_script_goes_on_behind_connect)
{
	config.script[0] = script_of("'' ATDT1 CONNECT '' ogin: me word: \\qsecret\\q PPP");
	create();
	dial(false);
	says("\r\nCONNECT 21600\r\n");
	assert_happened("'.'");
	says("login:");
	says(" me\r\npassword:");
	assert_happened("'me.' 'secret.'");
	says("\r\nstarting PPP~\xff");
	assert_happened("connected");
	ck_assert_uint_eq(connected.bps, 21600);
	ck_assert_uint_eq(dialler_rest(dialler).length, 2);
}
END_TEST

/* A script that pauses hears nothing meanwhile: what came is kept, and the link's when it ends. */
START_TEST(what_comes_while_a_script_sends_is_kept)
{
	config.script[0] = script_of("'' ATDT1 CONNECT \\d\\c");
	create();
	dial(false);
	says("\r\nCONNECT 28800\r\n~\xff}#");
	assert_happened("");
	says("\xc0!");
	pass(2 * SB_SEC);
	assert_happened("connected");
	ck_assert_uint_eq(connected.bps, 28800); /* the line is heard to its end even so */
	ck_assert_uint_eq(dialler_rest(dialler).length, 6);
	ck_assert_mem_eq(dialler_rest(dialler).at, "~\xff}#\xc0!", 6);
}
END_TEST

START_TEST(B076_a_peer_in_ppp_ends_the_script)
{
	static const char *const frames[] = {"~\xff}#\xc0!", "~\xff\x03\xc0!"};
	const char *frame = frames[_i / 2];

	config.stop_at_ppp = true;
	config.script[0] = script_of("'' ATDT1 CONNECT '' ogin: me");
	create();
	dial(false);
	says("\r\nCONNECT 28800\r\n");
	what_happened();
	if (_i % 2) {
		says_bytes(bytes_of(frame, 3));
		says_bytes(bytes_of(frame + 3, strlen(frame) - 3));
	} else {
		says(frame);
	}
	assert_happened("connected");
	ck_assert_uint_eq(dialler_rest(dialler).length, strlen(frame));
	ck_assert_mem_eq(dialler_rest(dialler).at, frame, strlen(frame));
}
END_TEST

/* --- it does not come to be --- */

static const struct {
	const char *said;
	enum dialler_reason reason;
} failures[] = {
	{"BUSY", DIALLER_BUSY},
	{"NO CARRIER", DIALLER_NO_CARRIER},
	{"NO DIALTONE", DIALLER_NO_DIALTONE},
	{"NO ANSWER", DIALLER_NO_ANSWER},
	{"ERROR", DIALLER_ABORTED},
};

START_TEST(it_says_why)
{
	char expected[80];

	create();
	dial(true);
	says("\r\n");
	says(failures[_i].said);
	snprintf(expected, sizeof expected, "failed: %s DTR off",
		 dialler_reason_text(failures[_i].reason));
	assert_happened(expected);
	ck_assert_int_eq(dialler_state(dialler), DIALLER_HANGING_UP);
	says("\r\n");
	pass(SB_SEC);
	ck_assert_int_eq(dialler_state(dialler), DIALLER_IDLE);
	ck_assert_uint_eq(dialler_failures(dialler), 1);
}
END_TEST

START_TEST(no_modem_answers)
{
	create();
	start(true);
	what_happened();
	pass(3100 * SB_MS);
	assert_happened("failed: no modem answers DTR off");
	pass(SB_SEC);
	assert_happened("idle 5.0");
}
END_TEST

START_TEST(an_attempt_has_an_end)
{
	create();
	dial(true);
	says("ATDT1\r");
	pass(45 * SB_SEC); /* the script's own limit */
	assert_happened("failed: no connection in time DTR off");
	pass(SB_SEC);
	what_happened();
	config.script[0] = script_of("TIMEOUT 600 '' ATDT1 CONNECT");
	ck_assert(dialler_reconfigure(dialler, &config));
	dial(true);
	says("ATDT1\r");
	pass(59 * SB_SEC);
	assert_happened("");
	pass(SB_SEC);
	assert_happened("failed: no connection in time DTR off");
}
END_TEST

START_TEST(hangup_on_makes_the_carrier_count)
{
	config.script[0] = script_of("HANGUP ON '' ATDT1 CONNECT");
	create();
	dial(true);
	modem_lines(true, false);
	assert_happened("");
	modem_lines(false, false);
	assert_happened("failed: no carrier DTR off");
}
END_TEST

START_TEST(a_carrier_before_the_call_counts_for_nothing)
{
	create();
	dialler_start(dialler, now, true);
	modem_lines(true, false);
	pass(SB_SEC);
	modem_lines(false, false); /* by ATZ, from &C0 to &C1 */
	says("\r\nOK\r\n");
	assert_happened("DTR on 'ATZ.' 'ATDT1.'");
	modem_lines(true, false);
	says("\r\nCONNECT 28800\r\n");
	assert_happened("connected");
	modem_lines(false, false);
	assert_happened("over: the carrier was lost DTR off");
}
END_TEST

START_TEST(breaks_and_files_are_the_owners)
{
	config.script[0] = script_of("'' \\K\\c '' @/etc/number CONNECT");
	create();
	start(false);
	says("\r\nOK\r\n");
	assert_happened("'ATZ.' break");
	pass(SB_SEC);
	assert_happened("file /etc/number");
	dialler_file(dialler, now, bytes_of("ATDT7\n", 6));
	drain();
	assert_happened("'ATDT7.'");
	says("CONNECT\r\n");
	assert_happened("connected");
}
END_TEST

/* --- the end of a call --- */

START_TEST(B078_loss_of_carrier_needs_no_words)
{
	create();
	dial(true);
	modem_lines(false, false);
	says("\r\nCONNECT 28800\r\n");
	modem_lines(true, false);
	assert_happened("connected");
	modem_lines(false, false);
	assert_happened("over: the carrier was lost DTR off");
}
END_TEST

START_TEST(a_carrier_that_never_showed_does_not_count)
{
	create();
	dial(true);
	modem_lines(false, false);
	says("\r\nCONNECT 28800\r\n");
	modem_lines(false, true);
	pass(3600 * SB_SEC);
	assert_happened("connected");
}
END_TEST

START_TEST(no_carrier_in_so_many_words)
{
	static const char *const ways[] = {"\r\nNO CARRIER\r\n", "\nNO CARRIER\n", "\rNO CARRIER\r",
					   "data\xc0\r\nNO CARRIER\r\n",
					   "0123456789abcdef\r\nNO CARRIER\r\n"};
	const char *way = ways[_i];

	for (size_t cut = 0; cut < strlen(way); cut++) {
		create();
		connect_now(false);
		says_bytes(bytes_of(way, cut));
		says(way + cut);
		ck_assert(dialler_suspects_loss(dialler));
		pass(1400 * SB_MS);
		assert_happened("");
		pass(200 * SB_MS);
		assert_happened("over: the carrier was lost 'ATH.'");
		ck_assert(!dialler_suspects_loss(dialler));
		dialler_free(dialler);
	}
	dialler = NULL;
}
END_TEST

/* The same words as a peer's data: it is not its whole line, or a frame goes on behind it. */
START_TEST(no_carrier_as_data)
{
	static const struct {
		const char *data;
		bool doubtful;
	} ways[] = {{"xNO CARRIER\r\n", false},
		    {"\r\nNO CARRIER", false},
		    {"\r\nNO CARRIERS\r\n", false},
		    {"\r\nNO CARRIER\r\n\xc0", true},
		    {"\r\nNO CARRIER\r\n\r\n.", true}};

	create();
	connect_now(false);
	says(ways[_i].data);
	ck_assert_int_eq(dialler_suspects_loss(dialler), ways[_i].doubtful);
	pass(60 * SB_SEC);
	assert_happened(ways[_i].doubtful ? "'.AT.'" : "");
	ck_assert(!dialler_suspects_loss(dialler));
	says("x\r\nOK\r\n"); /* nobody asked */
	pass(60 * SB_SEC);
	assert_happened("");
}
END_TEST

START_TEST(more_than_an_echo_is_data)
{
	static char much[257];

	create();
	connect_now(false);
	says("\r\nNO CARRIER\r\n");
	ck_assert(dialler_suspects_loss(dialler));
	memset(much, 'x', sizeof much);
	says_bytes(bytes_of(much, sizeof much));
	ck_assert(!dialler_suspects_loss(dialler));
	pass(60 * SB_SEC);
	assert_happened("");
}
END_TEST

/* The modem takes commands, and echoes what was on its way to it. */
START_TEST(no_carrier_and_an_echo)
{
	create();
	connect_now(false);
	says("\r\nNO CARRIER\r\n~\xff}#");
	pass(300 * SB_MS);
	says("\xc0!\x7f");
	pass(300 * SB_MS);
	assert_happened("");
	pass(100 * SB_MS);
	assert_happened("'.AT.'");
	says("\rAT\r");
	says("\r\nOK\r\n");
	dialler_tick(dialler, now);
	drain();
	assert_happened("over: the carrier was lost 'ATH.'");
}
END_TEST

START_TEST(no_carrier_right_behind_connect)
{
	create();
	dial(false);
	says("\r\nCONNECT 28800\r\n\r\nNO CARRIER\r\n");
	assert_happened("connected");
	pass(2 * SB_SEC);
	assert_happened("over: the carrier was lost 'ATH.'");
}
END_TEST

START_TEST(the_port_goes)
{
	create();
	connect_now(true);
	pass(60 * SB_SEC);
	dialler_lost(dialler, now);
	drain();
	assert_happened("idle 1.0");
	dialler_lost(dialler, now);
	drain();
	assert_happened("");
	start(true);
	what_happened();
	dialler_lost(dialler, now);
	drain();
	assert_happened("idle 5.0");
}
END_TEST

/* --- two of them, and scripts anew --- */

START_TEST(an_edited_script_is_used_at_the_next_call)
{
	create();
	dial(true);
	says("BUSY\r\n");
	pass(SB_SEC);
	config.script[0] = script_of("'' ATDP2 CONNECT");
	ck_assert(dialler_reconfigure(dialler, &config));
	ck_assert_uint_eq(dialler_failures(dialler), 1);
	what_happened();
	start(true);
	says("\r\nOK\r\n");
	assert_happened("DTR on 'ATZ.' 'ATDP2.'");
}
END_TEST

START_TEST(a_flood_while_nobody_listens_is_bounded)
{
	static char flood[10000];

	config.script[0] = script_of("'' ATDT1 ready \\d\\c");
	create();
	dial(false);
	says("ready");
	memset(flood, 'x', sizeof flood);
	for (int i = 0; i < 10; i++)
		says_bytes(bytes_of(flood, sizeof flood));
	pass(2 * SB_SEC);
	assert_happened("connected");
	ck_assert_uint_eq(dialler_rest(dialler).length, 4096);
	says("more");
	ck_assert_uint_eq(dialler_rest(dialler).length, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dialler");
	TCase *call = new_case(suite, "call"), *failure = new_case(suite, "failure"),
	      *end = new_case(suite, "end"), *anew = new_case(suite, "anew");

	tcase_add_test(call, a_call);
	tcase_add_test(call, dtr_goes_on_first);
	tcase_add_test(call, B068_what_is_old_is_thrown_away);
	tcase_add_loop_test(call, what_is_behind_connect_is_the_links, 0,
			    sizeof lines / sizeof lines[0]);
	tcase_add_test(call, a_connect_line_that_does_not_end_is_waited_for_but_not_long);
	tcase_add_test(call, a_script_goes_on_behind_connect);
	tcase_add_test(call, what_comes_while_a_script_sends_is_kept);
	tcase_add_loop_test(call, B076_a_peer_in_ppp_ends_the_script, 0, 4);
	tcase_add_loop_test(failure, it_says_why, 0, sizeof failures / sizeof failures[0]);
	tcase_add_test(failure, no_modem_answers);
	tcase_add_test(failure, an_attempt_has_an_end);
	tcase_add_test(failure, hangup_on_makes_the_carrier_count);
	tcase_add_test(failure, a_carrier_before_the_call_counts_for_nothing);
	tcase_add_test(failure, breaks_and_files_are_the_owners);
	tcase_add_test(end, B078_loss_of_carrier_needs_no_words);
	tcase_add_test(end, a_carrier_that_never_showed_does_not_count);
	tcase_add_loop_test(end, no_carrier_in_so_many_words, 0, 5);
	tcase_add_loop_test(end, no_carrier_as_data, 0, 5);
	tcase_add_test(end, more_than_an_echo_is_data);
	tcase_add_test(end, no_carrier_and_an_echo);
	tcase_add_test(end, no_carrier_right_behind_connect);
	tcase_add_test(end, the_port_goes);
	tcase_add_test(anew, an_edited_script_is_used_at_the_next_call);
	tcase_add_test(anew, a_flood_while_nobody_listens_is_bounded);
	return run_suite(suite);
}
