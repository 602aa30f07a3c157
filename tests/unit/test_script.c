/* SPDX-License-Identifier: MIT */
/*
 * From a script's text to its steps, which are written down as one line each:
 *
 *	expect ogin: ? 3	look for ogin:, go to step 3; if it does not come, go on
 *	send* hush^M		not to be shown
 *
 * What chat(8) makes of the same scripts is shown by tests/interop/chat.
 */
#define _GNU_SOURCE /* open_memstream */

#include "src/modem/script_steps.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

static char known[] = "NAME";

static const char *variable(void *context, const char *name)
{
	return strcmp(name, context) == 0 ? "val\\pue" : NULL;
}

static const struct chat_script_options options = {
	.phone = "555\\p1234",
	.phone2 = "99",
	.variable = variable,
	.variable_context = known,
};

/* Of exact length, so that the sanitizer sees a read beyond it, and gone afterwards. */
static struct chat_script *parse(const char *text, size_t length,
				 const struct chat_script_options *with,
				 struct chat_script_error *error)
{
	uint8_t *copy = malloc(length);

	if (length)
		memcpy(copy, text, length);
	struct chat_script *script = chat_script_parse(bytes_of(copy, length), with, error);
	free(copy);
	return script;
}

static struct chat_script *parsed(const char *text, const struct chat_script_options *with)
{
	struct chat_script_error error;
	struct chat_script *script = parse(text, strlen(text), with, &error);

	ck_assert_msg(script, "%s: line %u: %s", text, error.line, error.text);
	return script;
}

/* --- steps as text --- */

static void write_text(FILE *to, struct bytes text)
{
	for (size_t i = 0; i < text.length; i++)
		if (text.at[i] < ' ')
			fprintf(to, "^%c", text.at[i] ^ '@');
		else
			fputc(text.at[i], to);
}

static const char *const names[] = {
	[SCRIPT_EXPECT] = "expect",   [SCRIPT_SEND] = "send",
	[SCRIPT_SEND_FILE] = "file",  [SCRIPT_SAY] = "say",
	[SCRIPT_ABORT] = "abort",     [SCRIPT_CLEAR_ABORT] = "no abort",
	[SCRIPT_REPORT] = "report",   [SCRIPT_CLEAR_REPORT] = "no report",
	[SCRIPT_TIMEOUT] = "timeout", [SCRIPT_ECHO] = "echo",
	[SCRIPT_HANGUP] = "hangup",
};

static void write_step(FILE *to, const struct script_step *step)
{
	fprintf(to, "%s%s ", names[step->kind], step->masked ? "*" : "");
	switch (step->kind) {
	case SCRIPT_EXPECT:
		write_text(to, step->text);
		fprintf(to, " %s%zu", step->has_reply ? "? " : "", step->found);
		break;
	case SCRIPT_TIMEOUT:
		fprintf(to, "%u", step->seconds);
		break;
	case SCRIPT_ECHO:
	case SCRIPT_HANGUP:
		fprintf(to, "%s", step->on ? "on" : "off");
		break;
	default:
		write_text(to, step->text);
		break;
	}
	fprintf(to, "\n");
}

static void expect_steps(const char *text, const struct chat_script_options *with,
			 const char *wanted)
{
	struct chat_script *script = parsed(text, with);
	char *got;
	size_t size;
	FILE *to = open_memstream(&got, &size);

	for (size_t i = 0; i < script->count; i++)
		write_step(to, &script->steps[i]);
	fclose(to);
	ck_assert_msg(strcmp(got, wanted) == 0, "%s:\n%s", text, got);
	free(got);
	chat_script_free(script);
}

/* --- scripts that are good --- */

static const struct good {
	const char *text, *steps;
} good[] = {
	{"", ""},
	{"# nothing", ""},
	{"#\n#\r\n\n  \t\n", ""},
	{"OK ATZ", "expect OK 1\nsend ATZ^M\n"},
	{"OK", "expect OK 1\n"},
	{"'' ATZ", "send ATZ^M\n"},
	{"\"\" ''", "send ^M\n"},
	{"OK\tATZ\r\n#x\r\nOK 'AT D'\r\n", "expect OK 1\nsend ATZ^M\nexpect OK 3\nsend AT D^M\n"},
	{" #x y", "expect #x 1\nsend y^M\n"},
	{"'#' y", "expect # 1\nsend y^M\n"},
	{"'a'#b", "expect a 1\nsend #b^M\n"},
	{"'it''s'", "expect it 1\nsend s^M\n"},
	{"it's so", "expect it's 1\nsend so^M\n"},
	{"'a\\'b' c", "expect a'b 1\nsend c^M\n"},
	{"a\rb c", "expect a^Mb 1\nsend c^M\n"},
	/* chains */
	{"a-b-c d", "expect a ? 3\nsend b^M\nexpect c 3\nsend d^M\n"},
	{"a--c d", "expect a ? 3\nsend ^M\nexpect c 3\nsend d^M\n"},
	{"a-b d", "expect a ? 2\nsend b^M\nsend d^M\n"},
	{"a- d", "expect a 1\nsend d^M\n"},
	{"-b-c d", "expect  ? 3\nsend b^M\nexpect c 3\nsend d^M\n"},
	{"a\\-b d-e", "expect a-b 1\nsend d-e^M\n"},
	{"a\\\\-b d", "expect a\\ ? 2\nsend b^M\nsend d^M\n"},
	{"a-BREAK-b-EOT-c", "expect a ? 5\nsend \\K\nexpect b ? 5\nsend ^D\nexpect c 5\n"},
	/* keywords */
	{"ABORT BUSY CLR_ABORT 'NO\\sCARRIER'", "abort BUSY\nno abort NO CARRIER\n"},
	{"REPORT CONNECT CLR_REPORT CONNECT", "report CONNECT\nno report CONNECT\n"},
	{"ECHO ON ECHO OFF ECHO on", "echo on\necho off\necho off\n"},
	{"HANGUP OFF HANGUP ON HANGUP off", "hangup off\nhangup on\nhangup on\n"},
	{"TIMEOUT 5 TIMEOUT 0 TIMEOUT -3 TIMEOUT '' TIMEOUT 7s",
	 "timeout 5\ntimeout 45\ntimeout 45\ntimeout 45\ntimeout 7\n"},
	{"TIMEOUT 99999999999999999999", "timeout 9999999\n"},
	{"SAY 'a\\n\\c' SAY b", "say a^J\nsay b^M\n"},
	{"ABORT", ""},
	{"OK ABORT abort x", "expect OK 1\nsend ABORT^M\nexpect abort 3\nsend x^M\n"},
	/* files and secrets */
	{"'' @/etc/x '' '@  y z' '' @ '' '@ '",
	 "file* /etc/x^@\nfile* y z^@\nsend @^M\nsend @ ^M\n"},
	{"'' \\qhush", "send* hush^M\n"},
	{"ssword: hush", "expect ssword: 1\nsend* hush^M\n"},
	{"PASSWD--PASSWD hush", "expect PASSWD ? 3\nsend* ^M\nexpect PASSWD 3\nsend* hush^M\n"},
	{"hrase: hush wor x", "expect hrase: 1\nsend hush^M\nexpect wor 3\nsend x^M\n"},
	/* escapes: sent, and waited for */
	{"'' \\a\\b\\n\\r\\s\\t\\\\\\d\\p\\K", "send \\a^H^J^M ^I\\\\\\d\\p\\K^M\n"},
	{"\\a\\b\\n\\r\\s\\t\\\\\\d\\p\\K\\c\\N\\q x", "expect a^H^J^M ^I\\dpKcN 1\nsend x^M\n"},
	{"'' \\N\\0\\101\\7\\0012\\18\\134", "send \\^@\\^@A^G^A2^A8\\\\^M\n"},
	{"\\0a\\101\\134 ''", "expect aA\\ 1\nsend ^M\n"},
	{"'' a\\c '' a\\cb '' \\c", "send a\nsend acb^M\nsend \n"},
	{"'' ^A^a^M^@^", "send ^A^A^M^^M\n"},
	{"^J^@x ''", "expect ^Jx 1\nsend ^M\n"},
	{"'' a\\", "send a\\\\^M\n"},
	{"a\\ ''", "expect a 1\nsend ^M\n"},
	{"'' $NAME\\T\\U", "send $NAME\\T\\U^M\n"},
	{"\\T ''", "expect \\T 1\nsend ^M\n"},
};

START_TEST(good_scripts_become_steps)
{
	expect_steps(good[_i].text, NULL, good[_i].steps);
}
END_TEST

START_TEST(numbers_and_variables_are_put_in)
{
	expect_steps("'' ATD\\T,\\U", &options, "send ATD555\\p1234,99^M\n");
	expect_steps("\\T x", &options, "expect \\T 1\nsend x^M\n");
	expect_steps("'' a$NAME.$NONE$ '' \\$NAME", &options,
		     "send aval\\pue.^M\nsend \\$NAME^M\n");
	expect_steps("$NAME x ABORT $NAME", &options,
		     "expect val\\pue 1\nsend x^M\nabort val\\pue\n");
}
END_TEST

/* Nothing is behind it that it could mean. */
START_TEST(a_number_may_end_with_a_backslash)
{
	const struct chat_script_options with = {.phone = "5\\", .phone2 = "6\\\\"};

	expect_steps("'' \\T\\c", &with, "send 5\\\\\n");
	expect_steps("'' \\U\\c", &with, "send 6\\\\\n");
	expect_steps("\\T ''", &with, "expect \\T 1\nsend ^M\n");
}
END_TEST

START_TEST(words_are_taken_as_they_are)
{
	static const char *const words[] = {"it's", "# x", "ABORT", "a b", ""};
	struct chat_script_error error;
	struct chat_script *script = chat_script_from_words(words, 5, NULL, &error);

	ck_assert_ptr_nonnull(script);
	ck_assert_uint_eq(script->count, 3);
	ck_assert(script_word_is(script->steps[0].text, "it's"));
	ck_assert(script_word_is(script->steps[1].text, "# x\r"));
	ck_assert(script_word_is(script->steps[2].text, "a b"));
	chat_script_free(script);
	script = chat_script_from_words(NULL, 0, NULL, &error);
	ck_assert_ptr_nonnull(script);
	chat_script_free(script);
	chat_script_free(NULL);
}
END_TEST

START_TEST(numbers_are_kept_for_files)
{
	struct chat_script *script = parsed("'' @x", &options);

	ck_assert_str_eq(script->phone, options.phone);
	ck_assert_str_eq(script->phone2, options.phone2);
	chat_script_free(script);
	script = parsed("'' @x", NULL);
	ck_assert_ptr_null(script->phone);
	chat_script_free(script);
}
END_TEST

/* --- scripts that are not --- */

static const struct bad {
	const char *text;
	size_t length; /* 0: up to the NUL */
	unsigned line;
	const char *words; /* of the message */
} bad[] = {
	{"'OK", 0, 1, "quote is not closed"},
	{"'' AT\nOK\n\n  \"ATZ\n'' x\"", 0, 4, "quote is not closed"},
	{"'OK\\'", 0, 1, "quote is not closed"},
	{"'", 0, 1, "quote is not closed"},
	{"#\n'' A\0B", 9, 2, "NUL"},
	{"'' 'A\0B'", 8, 1, "NUL"},
	{"'' x\nTIMEOUT soon", 0, 2, "TIMEOUT wants a number"},
	{"TIMEOUT\n-\n", 0, 2, "TIMEOUT wants a number"},
	{"ABORT 01234567890123456789012345678901234567890123456789", 0, 1, "49 characters"},
	{"\nREPORT 01234567890123456789012345678901234567890123456789", 0, 2, "49 characters"},
};

START_TEST(bad_scripts_are_told_with_their_line)
{
	const struct bad *b = &bad[_i];
	struct chat_script_error error;

	ck_assert_ptr_null(parse(b->text, b->length ? b->length : strlen(b->text), NULL, &error));
	ck_assert_msg(error.line == b->line, "%s: line %u", b->text, error.line);
	ck_assert_msg(strstr(error.text, b->words), "%s: %s", b->text, error.text);
}
END_TEST

START_TEST(a_string_to_wait_for_has_its_limit)
{
	char text[1030];
	struct chat_script_error error;

	memset(text, 'x', sizeof text);
	struct chat_script *script = parse(text, 1024, NULL, &error);
	ck_assert_ptr_nonnull(script);
	chat_script_free(script);
	ck_assert_ptr_null(parse(text, 1025, NULL, &error));
	ck_assert_ptr_nonnull(strstr(error.text, "too long"));
}
END_TEST

/* One that is not the same the second time it is looked up. */
static const char *fickle(void *context, const char *name)
{
	int *calls = context;

	(void)name;
	return (*calls)++ ? "longer than it was" : "";
}

START_TEST(a_variable_that_changes_is_refused)
{
	int calls = 0;
	const struct chat_script_options with = {.variable = fickle, .variable_context = &calls};
	struct chat_script_error error;

	ck_assert_ptr_null(parse("'' $A", 5, &with, &error));
	ck_assert_ptr_nonnull(strstr(error.text, "has changed"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("script");
	TCase *all = tcase_create("script");

	tcase_add_loop_test(all, good_scripts_become_steps, 0, sizeof good / sizeof *good);
	tcase_add_test(all, numbers_and_variables_are_put_in);
	tcase_add_test(all, a_number_may_end_with_a_backslash);
	tcase_add_test(all, words_are_taken_as_they_are);
	tcase_add_test(all, numbers_are_kept_for_files);
	tcase_add_loop_test(all, bad_scripts_are_told_with_their_line, 0, sizeof bad / sizeof *bad);
	tcase_add_test(all, a_string_to_wait_for_has_its_limit);
	tcase_add_test(all, a_variable_that_changes_is_refused);
	suite_add_tcase(suite, all);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
