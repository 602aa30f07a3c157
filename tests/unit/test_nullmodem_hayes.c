/* SPDX-License-Identifier: MIT */
/* The modem's commands: lines, settings, registers, what it says and how. */
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

/* ---- lines ---- */

START_TEST(echoes_until_told_not_to)
{
	type(&desk, "AT\r");
	ck_says(&desk, "AT\nOK\n");
	type(&desk, "ATE0\r");
	ck_says(&desk, "ATE0\nOK\n");
	ck_answers(&desk, "AT", "\nOK\n");
	ck_answers(&desk, "ATE1", "\nOK\n");
	type(&desk, "at\r");
	ck_says(&desk, "at\nOK\n");
}
END_TEST

static const struct {
	const char *line, *answer;
} lines[] = {
	{"AT", "\nOK\n"},
	{"at", "\nOK\n"},
	{"aT", "\nOK\n"},
	{"AAT", "\nOK\n"},
	{"xyzAT", "\nOK\n"},
	{"AT \t", "\nOK\n"},
	{"ATV1Q0X4&C1&D2", "\nOK\n"},
	{"AT V1 Q0 & C 1", "\nOK\n"},
	{"atv1q0&c1", "\nOK\n"},
	{"AT&FE0", "\nOK\n"},
	{"ATL1M0B0N1Y0&K3&S0\\N3%C3&W0", "\nOK\n"},
	{"ATH", "\nOK\n"},
	{"ATH0", "\nOK\n"},
	{"ATH1", "\nOK\n"},
	{"ATX\x08V1", "\nOK\n"},
	{"ATG\x08", "\nOK\n"},
	{"ATE0\x08\x08\x08\x08\x08\x08", "\nOK\n"},
	{"ATI", "\nnullmodem\n\nOK\n"},
	{"ATI3S0?", "\nnullmodem\n\n000\n\nOK\n"},
	{"AT&V", "\nE0 Q0 V1 W2 X4 &C1 &D2 S0=0 S7=50 S12=50\n\nOK\n"},
	{"ATT", "\nOK\n"},
	{"ATP", "\nOK\n"},
	/* What is wrong ends the line; what came before has been done. */
	{"AT+GCI", "\nERROR\n"},
	{"AT+FCLASS=?", "\nERROR\n"},
	{"ATJ", "\nERROR\n"},
	{"AT?X9", "\n000\n\nERROR\n"},
	{"ATIG", "\nnullmodem\n\nERROR\n"},
	{"ATE2", "\nERROR\n"},
	{"ATX5", "\nERROR\n"},
	{"ATH2", "\nERROR\n"},
	{"AT&D4", "\nERROR\n"},
	{"AT&F2", "\nERROR\n"},
	{"AT&", "\nERROR\n"},
	{"AT&?", "\nERROR\n"},
	{"AT\\", "\nERROR\n"},
	{"ATO", "\nERROR\n"},
	{"ATS256=1", "\nERROR\n"},
	{"ATS7=256", "\nERROR\n"},
	{"ATS7=99999999999", "\nERROR\n"},
	{"ATS100?", "\nERROR\n"},
	{"ATDT555x", "\nERROR\n"},
	{"ATDT123456789012345678901234567890123", "\nERROR\n"},
	/* These are no commands. */
	{"", ""},
	{"A T", ""},
	{"BT", ""},
	{"RING", ""},
	{"CONNECT", ""},
};

START_TEST(answers_a_line)
{
	type(&desk, "ATE0\r");
	said(&desk);
	type(&desk, lines[_i].line);
	ck_says(&desk, "");
	type(&desk, "\r");
	ck_says(&desk, lines[_i].answer);
}
END_TEST

START_TEST(does_what_comes_before_the_mistake)
{
	type(&desk, "ATE0S7=33G S7=44\r");
	said(&desk);
	ck_answers(&desk, "ATS7?", "\n033\n\nOK\n");
}
END_TEST

START_TEST(repeats_a_line_at_once)
{
	type(&desk, "ATE0S7=12S7?\r");
	said(&desk);
	type(&desk, "A/");
	ck_says(&desk, "\n012\n\nOK\n");
	type(&desk, "\ra/");
	ck_says(&desk, "\n012\n\nOK\n");
}
END_TEST

START_TEST(a_line_too_long_is_an_error)
{
	type(&desk, "ATE0\rAT");
	for (int i = 0; i < 200; i++)
		type(&desk, "V1");
	said(&desk);
	ck_answers(&desk, "", "\nERROR\n");
	ck_answers(&desk, "AT", "\nOK\n");
}
END_TEST

START_TEST(parity_is_ignored)
{
	type(&desk, "ATE0\r");
	said(&desk);
	type_bytes(&desk, "\xc1\xd4\x8d", 3);
	ck_says(&desk, "\nOK\n");
}
END_TEST

/* Frames of a link that does not know its call has ended. */
START_TEST(any_bytes_are_survived)
{
	srand(1);
	for (int i = 0; i < 200000; i++) {
		if (hayes_is_online(desk.modem))
			ck_abort_msg("online without a carrier");
		hayes_type(desk.modem, desk.now, (uint8_t)(rand() >> 7));
		said(&desk);
		struct hayes_event e;
		while (hayes_event(desk.modem, &e))
			;
	}
	wait_for(&desk, 1000 * SB_SEC); /* whatever was dialled */
	type(&desk, "\rAT&F\r");
	ck_assert_ptr_nonnull(strstr(said(&desk), "\nOK\n"));
}
END_TEST

START_TEST(a_slow_modem_answers_late)
{
	desk.config.slow = 400 * SB_MS;
	type(&desk, "AT\r");
	ck_says(&desk, "AT");
	type(&desk, "AT\r"); /* not heard while it thinks */
	wait_for(&desk, 399 * SB_MS);
	ck_says(&desk, "");
	wait_for(&desk, SB_MS);
	ck_says(&desk, "\nOK\n");
	wait_for(&desk, SB_SEC);
	ck_says(&desk, "");
}
END_TEST

/* ---- settings ---- */

START_TEST(registers)
{
	type(&desk, "ATE0\r");
	said(&desk);
	ck_answers(&desk, "ATS0?S2?S3?S4?S5?", "\n000\n\n043\n\n013\n\n010\n\n008\n\nOK\n");
	ck_answers(&desk, "ATS7?S8?S10?S12?", "\n050\n\n002\n\n014\n\n050\n\nOK\n");
	ck_answers(&desk, "ATS7=255?", "\n255\n\nOK\n");
	ck_answers(&desk, "ATS7", "\nOK\n");
	ck_answers(&desk, "AT=9?", "\n009\n\nOK\n");
	ck_answers(&desk, "ATS7=", "\nOK\n");
	ck_answers(&desk, "ATS7?", "\n000\n\nOK\n");
}
END_TEST

START_TEST(its_own_line_ends_and_backspace)
{
	type(&desk, "ATE0S3=33S4=36S5=66\r");
	ck_says(&desk, "ATE0S3=33S4=36S5=66!$OK!$");
	type(&desk, "ATGB!"); /* S5 is B, S3 is ! */
	ck_says(&desk, "!$OK!$");
}
END_TEST

START_TEST(quiet)
{
	type(&desk, "ATE0Q1\r");
	said(&desk);
	ck_answers(&desk, "AT", "");
	ck_answers(&desk, "ATG", "");
	ck_answers(&desk, "ATS7?", "\n050\n");
	ck_answers(&desk, "ATQ0", "\nOK\n");
}
END_TEST

START_TEST(numbers_instead_of_words)
{
	uint8_t bytes[64];
	struct buf out = buf_over(bytes, sizeof bytes);
	type(&desk, "ATE0\r");
	said(&desk);
	type(&desk, "ATV0S7?\r");
	hayes_output(desk.modem, &out);
	ck_assert_uint_eq(out.length, 7);
	ck_assert_mem_eq(bytes, "050\r\n0\r", 7);
	type(&desk, "ATG\r");
	ck_says(&desk, "4");
}
END_TEST

START_TEST(a_profile_is_recalled)
{
	strcpy(desk.config.profile, "E0V0S0=3");
	type(&desk, "ATE0Z\r");
	ck_says(&desk, "ATE0Z0");
	type(&desk, "ATS0?\r");
	ck_says(&desk, "003\n0");
	type(&desk, "AT&FS0?\r"); /* the factory's is another */
	ck_says(&desk, "\n000\n\nOK\n");
	type(&desk, "ATZG\r"); /* what follows Z is lost */
	ck_says(&desk, "ATZG0");
}
END_TEST

START_TEST(profiles)
{
	ck_assert(hayes_is_profile(""));
	ck_assert(hayes_is_profile("E0V1Q0X3&C1&D0W1S0=1S7=20L0\\N3"));
	ck_assert(!hayes_is_profile("E3"));
	ck_assert(!hayes_is_profile("E0DT1"));
	ck_assert(!hayes_is_profile("E0Z"));
	ck_assert(!hayes_is_profile("S7?"));
	ck_assert(!hayes_is_profile("e0"));
}
END_TEST

START_TEST(power_comes_back_to_the_profile)
{
	strcpy(desk.config.profile, "E0S7=5");
	call(&desk);
	hayes_reset(desk.modem);
	no_event(&desk);
	ck_assert_int_eq(hayes_deadline(desk.modem), SB_NEVER);
	ck_answers(&desk, "ATS7?", "\n005\n\nOK\n");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("nullmodem: the modem's commands");
	TCase *t = tcase_create("commands");
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, echoes_until_told_not_to);
	tcase_add_loop_test(t, answers_a_line, 0, sizeof lines / sizeof *lines);
	tcase_add_test(t, does_what_comes_before_the_mistake);
	tcase_add_test(t, repeats_a_line_at_once);
	tcase_add_test(t, a_line_too_long_is_an_error);
	tcase_add_test(t, parity_is_ignored);
	tcase_add_test(t, any_bytes_are_survived);
	tcase_add_test(t, a_slow_modem_answers_late);
	tcase_add_test(t, registers);
	tcase_add_test(t, its_own_line_ends_and_backspace);
	tcase_add_test(t, quiet);
	tcase_add_test(t, numbers_instead_of_words);
	tcase_add_test(t, a_profile_is_recalled);
	tcase_add_test(t, profiles);
	tcase_add_test(t, power_comes_back_to_the_profile);
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
