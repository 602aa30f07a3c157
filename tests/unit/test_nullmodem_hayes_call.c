/* SPDX-License-Identifier: MIT */
/* The modem's calls: dialling, answering, carriers that come and go, the escape. */
#include "tests/unit/hayes_testing.h"

static struct desk desk;

static void set_up(void)
{
	desk = (struct desk){0};
	desk_open(&desk);
}

static void tear_down(void)
{
	desk_close(&desk);
}

/* ---- dialling ---- */

static const struct {
	const char *line, *number;
	sb_time duration;
} dialled[] = {
	/* two times S11 (95 ms) for a tone and its pause */
	{"ATDT5551234", "5551234", 7 * 190 * SB_MS},
	{"ATD5551234", "5551234", 7 * 190 * SB_MS},
	{"atdt 555-1234", "5551234", 7 * 190 * SB_MS},
	{"ATDT(555) 12.34", "5551234", 7 * 190 * SB_MS},
	{"ATS11=50DT12", "12", 200 * SB_MS},
	{"ATDT*#ABCD", "*#ABCD", 6 * 190 * SB_MS},
	/* ten clicks a second, and 0.8 s between digits */
	{"ATDP120", "120", 1300 * SB_MS + 3 * 800 * SB_MS},
	{"ATP DT1P2", "12", 190 * SB_MS + 1000 * SB_MS},
	{"ATDT9,1", "91", 2 * 190 * SB_MS + 2 * SB_SEC},
	{"ATS8=5DT9,,1", "91", 2 * 190 * SB_MS + 10 * SB_SEC},
	{"ATDT9W1", "91", 2 * 190 * SB_MS + 500 * SB_MS},
	{"ATDT1@", "1", 190 * SB_MS},
	/* who does not hear the dial tone waits for it, S6 */
	{"ATX3DT1", "1", 2 * SB_SEC + 190 * SB_MS},
	{"ATX0S6=4DT1", "1", 4 * SB_SEC + 190 * SB_MS},
};

START_TEST(dials)
{
	type(&desk, dialled[_i].line);
	said(&desk);
	type(&desk, "\r");
	wait_for(&desk, dialled[_i].duration - 1);
	no_event(&desk);
	wait_for(&desk, 1);
	ck_assert_str_eq(event_number(&desk, HAYES_DIALS), dialled[_i].number);
	no_event(&desk);
	ck_says(&desk, "");
}
END_TEST

START_TEST(dials_the_last_number_again)
{
	call(&desk);
	wait_for(&desk, SB_SEC);
	type(&desk, "x");
	event_number(&desk, HAYES_HANGS_UP);
	type(&desk, "ATDL\r");
	wait_for(&desk, 2 * SB_SEC);
	ck_assert_str_eq(event_number(&desk, HAYES_DIALS), "5551234");
}
END_TEST

START_TEST(comes_back_to_commands_with_a_semicolon)
{
	type(&desk, "ATE0DT12;\r");
	said(&desk);
	wait_for(&desk, SB_SEC);
	ck_says(&desk, "\nOK\n");
	no_event(&desk);
	ck_answers(&desk, "AT", "\nOK\n");
}
END_TEST

START_TEST(a_key_abandons_a_call)
{
	type(&desk, "ATE0DT5551234\r");
	said(&desk);
	wait_for(&desk, 100 * SB_MS);
	type(&desk, "\n"); /* what trails the command does not */
	wait_for(&desk, 100 * SB_MS);
	ck_says(&desk, "");
	type(&desk, "\r");
	ck_says(&desk, "\nNO CARRIER\n");
	event_number(&desk, HAYES_HANGS_UP);
	ck_answers(&desk, "AT", "\nOK\n");
}
END_TEST

START_TEST(gives_up_without_a_carrier)
{
	type(&desk, "ATS7=7\r");
	call(&desk);
	sb_time dialled_at = desk.now - 2 * SB_SEC + 7 * 190 * SB_MS;
	wait_for(&desk, dialled_at + 7 * SB_SEC - 1 - desk.now);
	ck_says(&desk, "");
	wait_for(&desk, 1);
	ck_says(&desk, "\nNO CARRIER\n");
	event_number(&desk, HAYES_HANGS_UP);
}
END_TEST

/* What it hears, at X and with @, and what it says: at once, or when S7 is over. */
static const struct {
	enum hayes_sound sound;
	const char *settings, *at_once, *later;
} sounds[] = {
	{HAYES_BUSY_TONE, "ATX4", "\nBUSY\n", ""},
	{HAYES_BUSY_TONE, "ATX3", "\nBUSY\n", ""},
	{HAYES_BUSY_TONE, "ATX2", "", "\nNO CARRIER\n"},
	{HAYES_BUSY_TONE, "ATX0", "", "\nNO CARRIER\n"},
	{HAYES_BUSY_TONE, "ATV0", "7", ""},
	{HAYES_NO_TONE, "ATX4", "\nNO DIALTONE\n", ""},
	{HAYES_NO_TONE, "ATX2", "\nNO DIALTONE\n", ""},
	{HAYES_NO_TONE, "ATX3", "", "\nNO CARRIER\n"},
	{HAYES_NO_TONE, "ATV0", "6", ""},
	{HAYES_RINGBACK, "ATX4", "", "\nNO ANSWER\n"},
	{HAYES_RINGBACK, "ATX1", "", "\nNO CARRIER\n"},
	{HAYES_RINGBACK, "ATV0", "", "8"},
	{HAYES_SILENCE, "ATX4", "", "\nNO CARRIER\n"},
	{HAYES_SILENCE, "ATV0", "", "3"},
	{HAYES_BUSY_TONE, "ATQ1", "", ""},
};

START_TEST(hears_tones)
{
	type(&desk, sounds[_i].settings);
	type(&desk, "\r");
	type(&desk, "ATE0DT1\r");
	wait_for(&desk, 3 * SB_SEC);
	event_number(&desk, HAYES_DIALS);
	said(&desk);
	hayes_hears(desk.modem, desk.now, sounds[_i].sound);
	ck_says(&desk, sounds[_i].at_once);
	wait_for(&desk, 60 * SB_SEC);
	ck_says(&desk, sounds[_i].later);
	event_number(&desk, HAYES_HANGS_UP);
	no_event(&desk);
}
END_TEST

/* ---- CONNECT ---- */

static const struct {
	const char *settings, *text;
	uint32_t dte, carrier;
	const char *connect;
} connects[] = {
	{"AT", "", 38400, 28800, "\nCONNECT 28800\n"},
	{"ATW2", "28800/ARQ/V34/LAPM/V42BIS", 38400, 28800,
	 "\nCONNECT 28800/ARQ/V34/LAPM/V42BIS\n"},
	{"ATW0", "28800/ARQ", 38400, 28800, "\nCONNECT 38400\n"},
	{"ATW1", "", 115200, 33600, "\nCARRIER 33600\n\nPROTOCOL: LAP-M\n\nCONNECT 115200\n"},
	{"ATW1", "", 115200, 0, "\nCONNECT 115200\n"},
	{"AT", "", 38400, 0, "\nCONNECT\n"},
	{"ATW0", "", 0, 28800, "\nCONNECT\n"},
	{"ATX0S6=0", "28800/ARQ", 38400, 28800, "\nCONNECT\n"},
	{"ATV0", "", 38400, 28800, "1"},
	{"ATV0", "", 38400, 300, "1"},
	{"ATV0", "", 38400, 1200, "5"},
	{"ATV0", "", 38400, 2400, "10"},
	{"ATV0", "", 38400, 9600, "12"},
	{"ATV0X0S6=0", "", 38400, 2400, "1"},
	{"ATV0W1", "", 9600, 2400, "12"},
	{"ATQ1", "", 38400, 28800, ""},
};

START_TEST(says_what_it_has_connected_at)
{
	strcpy(desk.config.connect, connects[_i].text);
	hayes_set_dte(desk.modem, connects[_i].dte);
	type(&desk, connects[_i].settings);
	type(&desk, "\r");
	call(&desk);
	hayes_carrier(desk.modem, desk.now, connects[_i].carrier);
	ck_says(&desk, connects[_i].connect);
	ck_assert(hayes_is_online(desk.modem));
	ck_assert_int_eq(hayes_deadline(desk.modem), SB_NEVER);
}
END_TEST

START_TEST(noise_around_a_call)
{
	desk.config.noise = 20;
	call(&desk);
	hayes_carrier(desk.modem, desk.now, 2400);
	size_t length = strlen(said(&desk));
	ck_assert_uint_eq(length, 20 + strlen("\nCONNECT 2400\n"));
	ck_assert_str_eq(desk.said + 20, "\nCONNECT 2400\n");
	hayes_hears(desk.modem, desk.now, HAYES_SILENCE);
	wait_for(&desk, 2 * SB_SEC);
	ck_assert_uint_eq(strlen(said(&desk)), 20 + strlen("\nNO CARRIER\n"));
	ck_assert(strncmp(desk.said, "\nNO CARRIER\n", 12) == 0);
}
END_TEST

START_TEST(a_carrier_that_nobody_waits_for_is_none)
{
	hayes_carrier(desk.modem, desk.now, 28800);
	ck_assert(!hayes_is_online(desk.modem));
	ck_says(&desk, "");
}
END_TEST

/* ---- loss of carrier ---- */

START_TEST(bears_a_lost_carrier_for_a_while)
{
	go_online(&desk);
	hayes_hears(desk.modem, desk.now, HAYES_SILENCE);
	wait_for(&desk, 1400 * SB_MS - 1);
	ck_assert(hayes_is_online(desk.modem));
	wait_for(&desk, 1);
	ck_assert(!hayes_is_online(desk.modem));
	ck_says(&desk, "\nNO CARRIER\n");
	ck_answers(&desk, "AT", "\nOK\n");
}
END_TEST

START_TEST(bears_it_for_ever_with_255)
{
	type(&desk, "ATS10=255\r");
	go_online(&desk);
	hayes_hears(desk.modem, desk.now, HAYES_SILENCE);
	wait_for(&desk, 3600 * SB_SEC);
	ck_assert(hayes_is_online(desk.modem));
}
END_TEST

START_TEST(loses_it_in_command_mode_too)
{
	go_online(&desk);
	escape(&desk);
	hayes_hears(desk.modem, desk.now, HAYES_SILENCE);
	wait_for(&desk, 2 * SB_SEC);
	ck_says(&desk, "\nNO CARRIER\n");
	ck_answers(&desk, "ATO", "\nERROR\n");
}
END_TEST

START_TEST(a_carrier_lost_while_escaped_is_not_found_by_going_online)
{
	go_online(&desk);
	escape(&desk);
	hayes_hears(desk.modem, desk.now, HAYES_SILENCE);
	wait_for(&desk, SB_SEC);
	ck_answers(&desk, "ATO", "\nCONNECT 28800\n");
	wait_for(&desk, SB_SEC);
	ck_says(&desk, "\nNO CARRIER\n");
}
END_TEST

/* ---- answering ---- */

START_TEST(rings_and_answers_when_told)
{
	type(&desk, "ATE0\r");
	said(&desk);
	hayes_hears(desk.modem, desk.now, HAYES_RING);
	ck_says(&desk, "\nRING\n");
	ck_answers(&desk, "ATS1?", "\n001\n\nOK\n");
	hayes_hears(desk.modem, desk.now, HAYES_RING);
	ck_says(&desk, "\nRING\n");
	no_event(&desk);
	type(&desk, "ATA\r");
	event_number(&desk, HAYES_ANSWERS);
	ck_says(&desk, "");
	wait_for(&desk, 2 * SB_SEC);
	hayes_carrier(desk.modem, desk.now, 28800);
	ck_says(&desk, "\nCONNECT 28800\n");
}
END_TEST

START_TEST(answers_by_itself)
{
	type(&desk, "ATE0V0S0=2\r");
	said(&desk);
	hayes_hears(desk.modem, desk.now, HAYES_RING);
	no_event(&desk);
	hayes_hears(desk.modem, desk.now, HAYES_SILENCE); /* they gave up: counts anew */
	hayes_hears(desk.modem, desk.now, HAYES_RING);
	no_event(&desk);
	hayes_hears(desk.modem, desk.now, HAYES_RING);
	event_number(&desk, HAYES_ANSWERS);
	ck_says(&desk, "222");
}
END_TEST

START_TEST(does_not_answer_for_nobody)
{
	type(&desk, "ATS0=1\r");
	hayes_dtr(desk.modem, desk.now, false);
	hayes_hears(desk.modem, desk.now, HAYES_RING);
	no_event(&desk);
	hayes_dtr(desk.modem, desk.now, true);
	type(&desk, "AT&D0\r"); /* DTR does not matter */
	hayes_dtr(desk.modem, desk.now, false);
	hayes_hears(desk.modem, desk.now, HAYES_RING);
	event_number(&desk, HAYES_ANSWERS);
}
END_TEST

START_TEST(answering_where_nobody_calls_ends_without_a_carrier)
{
	type(&desk, "ATE0S7=3A\r");
	event_number(&desk, HAYES_ANSWERS);
	said(&desk);
	wait_for(&desk, 3 * SB_SEC);
	ck_says(&desk, "\nNO CARRIER\n");
	event_number(&desk, HAYES_HANGS_UP);
}
END_TEST

/* ---- the escape ---- */

START_TEST(escapes_and_returns)
{
	go_online(&desk);
	escape(&desk);
	no_event(&desk);
	ck_answers(&desk, "ATS7?", "\n050\n\nOK\n");
	ck_answers(&desk, "ATDT1", "\nERROR\n"); /* it has a call */
	ck_answers(&desk, "ATA", "\nERROR\n");
	ck_answers(&desk, "ATO", "\nCONNECT 28800\n");
	ck_assert(hayes_is_online(desk.modem));
	escape(&desk);
}
END_TEST

/* Pieces and the pauses before them, in milliseconds; the last pause is behind it all. */
static const struct {
	struct {
		int pause_ms;
		const char *text;
	} pieces[5];
	bool escapes;
} escapes[] = {
	{{{1000, "+++"}, {1000, ""}}, true},
	{{{1000, "+"}, {900, "+"}, {900, "+"}, {1000, ""}}, true},
	{{{5000, "x"}, {1000, "+++"}, {1000, ""}}, true},
	{{{1000, "++"}, {1000, "+++"}, {1000, ""}}, true},
	{{{1000, "+++"}, {999, ""}}, false},
	{{{999, "+++"}, {1000, ""}}, false}, /* B074: too early after CONNECT */
	{{{5000, "x"}, {999, "+++"}, {1000, ""}}, false},
	{{{5000, "x+++"}, {1000, ""}}, false},
	{{{1000, "+++x"}, {1000, ""}}, false},
	{{{1000, "+++"}, {999, "x"}, {1000, ""}}, false},
	{{{1000, "++++"}, {1000, ""}}, false},
	{{{1000, "++"}, {2000, ""}}, false},
	{{{1000, "++"}, {1001, "+"}, {1000, ""}}, false},
	{{{1000, "+x+"}, {10, "+"}, {1000, ""}}, false},
};

START_TEST(B074_guard_times)
{
	go_online(&desk);
	for (int i = 0; i < 5; i++) {
		wait_for(&desk, escapes[_i].pieces[i].pause_ms * SB_MS);
		if (!escapes[_i].pieces[i].text || !escapes[_i].pieces[i].text[0])
			break;
		pass(&desk, escapes[_i].pieces[i].text);
	}
	ck_assert(hayes_is_online(desk.modem) == !escapes[_i].escapes);
	ck_says(&desk, escapes[_i].escapes ? "\nOK\n" : "");
}
END_TEST

START_TEST(B074_another_character_and_another_time)
{
	type(&desk, "ATS2=42S12=10\r");
	go_online(&desk);
	wait_for(&desk, SB_SEC);
	pass(&desk, "+++");
	wait_for(&desk, SB_SEC);
	ck_assert(hayes_is_online(desk.modem));
	pass(&desk, "***");
	wait_for(&desk, 199 * SB_MS);
	ck_assert(hayes_is_online(desk.modem));
	wait_for(&desk, SB_MS);
	ck_assert(!hayes_is_online(desk.modem));
}
END_TEST

START_TEST(no_escape_above_127)
{
	type(&desk, "ATS2=200\r");
	go_online(&desk);
	wait_for(&desk, SB_SEC);
	pass(&desk, "\xc8\xc8\xc8");
	wait_for(&desk, 9 * SB_SEC);
	ck_assert(hayes_is_online(desk.modem));
}
END_TEST

/* ---- hanging up ---- */

static const struct {
	enum hayes_on_hook says;
	const char *answer;
} on_hook[] = {
	{HAYES_SAYS_OK, "\nOK\n"},
	{HAYES_SAYS_NO_CARRIER, "\nNO CARRIER\n"},
	{HAYES_SAYS_NOTHING, ""},
};

START_TEST(B074_hangs_up_by_command)
{
	desk.config.on_hook = on_hook[_i].says;
	go_online(&desk);
	escape(&desk);
	ck_answers(&desk, "ATH", on_hook[_i].answer);
	event_number(&desk, HAYES_HANGS_UP);
	no_event(&desk);
	ck_answers(&desk, "ATH", "\nOK\n"); /* it is on the hook */
	no_event(&desk);
}
END_TEST

START_TEST(a_reset_hangs_up)
{
	go_online(&desk);
	escape(&desk);
	ck_answers(&desk, "ATZ", "\nOK\n");
	event_number(&desk, HAYES_HANGS_UP);
}
END_TEST

/* &Dn: whether losing DTR ends a call, whether it ends being online, what is then left of S7. */
static const struct {
	const char *command;
	bool hangs_up, stays_online;
	const char *register_now;
} dtr[] = {
	{"AT&D0S7=9", false, true, ""},
	{"AT&D1S7=9", false, false, "\n009\n\nOK\n"},
	{"AT&D2S7=9", true, false, "\n009\n\nOK\n"},
	{"AT&D3S7=9", true, false, "\n050\n\nOK\n"},
};

START_TEST(loses_dtr)
{
	type(&desk, dtr[_i].command);
	type(&desk, "\r");
	go_online(&desk);
	hayes_dtr(desk.modem, desk.now, false);
	if (dtr[_i].hangs_up)
		event_number(&desk, HAYES_HANGS_UP);
	no_event(&desk);
	hayes_dtr(desk.modem, desk.now, true);
	ck_assert(hayes_is_online(desk.modem) == dtr[_i].stays_online);
	if (dtr[_i].stays_online)
		return;
	type(&desk, "ATE0\r");
	said(&desk);
	ck_answers(&desk, "ATS7?", dtr[_i].register_now);
}
END_TEST

START_TEST(losing_dtr_abandons_a_call_and_a_line)
{
	call(&desk);
	hayes_dtr(desk.modem, desk.now, false);
	event_number(&desk, HAYES_HANGS_UP);
	hayes_dtr(desk.modem, desk.now, true);
	type(&desk, "AT");
	hayes_dtr(desk.modem, desk.now, false);
	hayes_dtr(desk.modem, desk.now, true);
	said(&desk);
	ck_answers(&desk, "E1", "");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("nullmodem: the modem's calls");
	TCase *t = tcase_create("calls");
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_loop_test(t, dials, 0, sizeof dialled / sizeof *dialled);
	tcase_add_test(t, dials_the_last_number_again);
	tcase_add_test(t, comes_back_to_commands_with_a_semicolon);
	tcase_add_test(t, a_key_abandons_a_call);
	tcase_add_test(t, gives_up_without_a_carrier);
	tcase_add_loop_test(t, hears_tones, 0, sizeof sounds / sizeof *sounds);
	tcase_add_loop_test(t, says_what_it_has_connected_at, 0,
			    sizeof connects / sizeof *connects);
	tcase_add_test(t, noise_around_a_call);
	tcase_add_test(t, a_carrier_that_nobody_waits_for_is_none);
	tcase_add_test(t, bears_a_lost_carrier_for_a_while);
	tcase_add_test(t, bears_it_for_ever_with_255);
	tcase_add_test(t, loses_it_in_command_mode_too);
	tcase_add_test(t, a_carrier_lost_while_escaped_is_not_found_by_going_online);
	tcase_add_test(t, rings_and_answers_when_told);
	tcase_add_test(t, answers_by_itself);
	tcase_add_test(t, does_not_answer_for_nobody);
	tcase_add_test(t, answering_where_nobody_calls_ends_without_a_carrier);
	tcase_add_test(t, escapes_and_returns);
	tcase_add_loop_test(t, B074_guard_times, 0, sizeof escapes / sizeof *escapes);
	tcase_add_test(t, B074_another_character_and_another_time);
	tcase_add_test(t, no_escape_above_127);
	tcase_add_loop_test(t, B074_hangs_up_by_command, 0, sizeof on_hook / sizeof *on_hook);
	tcase_add_test(t, a_reset_hangs_up);
	tcase_add_loop_test(t, loses_dtr, 0, sizeof dtr / sizeof *dtr);
	tcase_add_test(t, losing_dtr_abandons_a_call_and_a_line);
	suite_add_tcase(s, t);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(suite());
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
