/* SPDX-License-Identifier: MIT */
/* Requests as programs of any user may send them. */
#define _DEFAULT_SOURCE
#include "src/control_request.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>

static const struct control_command table[] = {
	{"status", CONTROL_READ, NULL, {{0}}},
	{"set",
	 CONTROL_CHANGE,
	 NULL,
	 {{"name", CONTROL_TEXT, true}, {"value", CONTROL_NUMBER, false}}},
	{NULL, CONTROL_READ, NULL, {{0}}},
};

static const struct control_command *command;
static json_t *request, *answer;

static void parse_bytes(const char *text, size_t length)
{
	command = NULL;
	answer = NULL;
	request = control_request_parse(bytes_of(text, length), table, &command, &answer);
	ck_assert((request == NULL) == (answer != NULL));
}

static void parse(const char *text)
{
	parse_bytes(text, strlen(text));
}

static void forget(void)
{
	json_decref(request);
	json_decref(answer);
}

static const char *word(const char *key)
{
	return json_string_value(json_object_get(answer, key));
}

START_TEST(a_request_with_its_members)
{
	parse("{\"command\": \"set\", \"name\": \"ttyS0\", \"value\": 7, \"version\": 1}");
	ck_assert_ptr_nonnull(request);
	ck_assert_str_eq(command->name, "set");
	ck_assert_str_eq(control_request_text(request, "name"), "ttyS0");
	ck_assert_int_eq(control_request_number(request, "value"), 7);
	ck_assert_str_eq(control_request_text(request, "none"), "");
	ck_assert_int_eq(control_request_number(request, "none"), 0);
	forget();
}
END_TEST

START_TEST(what_may_be_left_away_may_be)
{
	parse("{\"command\":\"set\",\"value\":-1}");
	ck_assert_ptr_nonnull(request);
	ck_assert_str_eq(control_request_text(request, "name"), "");
	forget();
	parse("  {\"command\" : \"status\"}\r");
	ck_assert_ptr_nonnull(request);
	forget();
}
END_TEST

static const struct refusal {
	const char *text, *error, *part; /* of the message */
} refusals[] = {
	{"", "EINVAL", "not JSON"},
	{"status", "EINVAL", "not JSON"},
	{"{\"command\":\"status\"} {}", "EINVAL", "not JSON"},
	{"{\"command\":\"status\"", "EINVAL", "not JSON"},
	{"{\"command\":\"status\",\"command\":\"set\"}", "EINVAL", "not JSON"},
	{"{\"command\":\"\\u0000\"}", "EINVAL", "not JSON"},
	{"{\"command\":\"\xff\"}", "EINVAL", "not JSON"},
	{"[\"status\"]", "EINVAL", "an object with a \"command\""},
	{"{}", "EINVAL", "an object with a \"command\""},
	{"{\"command\":7}", "EINVAL", "an object with a \"command\""},
	{"{\"command\":\"stauts\"}", "EINVAL", "did you mean 'status'"},
	{"{\"command\":\"explode\"}", "EINVAL", "no command 'explode'"},
	{"{\"command\":\"\x1b[2J\"}", "EINVAL", "not JSON"},
	{"{\"command\":\"\\u001b[2J\"}", "EINVAL", "no command '?[2J'"},
	{"{\"command\":\"status\",\"colour\":\"red\"}", "EINVAL", "nothing called 'colour'"},
	{"{\"command\":\"set\"}", "EINVAL", "'value' is missing"},
	{"{\"command\":\"set\",\"value\":\"7\"}", "EINVAL", "'value' is a whole number"},
	{"{\"command\":\"set\",\"value\":7.5}", "EINVAL", "'value' is a whole number"},
	{"{\"command\":\"set\",\"value\":7,\"name\":null}", "EINVAL", "'name' is a text"},
	{"{\"command\":\"status\",\"version\":2}", "EPROTONOSUPPORT", "version 1"},
	{"{\"command\":\"status\",\"version\":\"1\"}", "EPROTONOSUPPORT", "version 1"},
	{"{\"version\":2}", "EPROTONOSUPPORT", "version 1"},
};

START_TEST(what_is_wrong_is_said)
{
	const struct refusal *r = &refusals[_i];

	parse(r->text);
	ck_assert_ptr_null(request);
	ck_assert(json_is_false(json_object_get(answer, "ok")));
	ck_assert_str_eq(word("error"), r->error);
	ck_assert_msg(strstr(word("message"), r->part) != NULL, "%s", word("message"));
	forget();
}
END_TEST

/* As deep as a request can be: the parser has to end it, not the stack. */
START_TEST(deep_nesting_is_refused)
{
	static char text[CONTROL_REQUEST_SIZE];

	memset(text, '[', sizeof(text));
	parse_bytes(text, sizeof(text));
	ck_assert_ptr_null(request);
	ck_assert_str_eq(word("error"), "EINVAL");
	forget();
}
END_TEST

START_TEST(no_end_of_text_is_needed)
{
	parse_bytes("{\"command\":\"status\"}garbage", strlen("{\"command\":\"status\"}"));
	ck_assert_ptr_nonnull(request);
	forget();
}
END_TEST

START_TEST(errors_have_their_names)
{
	answer = control_error(ENOSPC, "%s", "full\n");
	request = NULL;
	ck_assert_str_eq(word("error"), "ENOSPC");
	ck_assert_str_eq(word("message"), "full?");
	forget();
	answer = control_ok("done");
	ck_assert(json_is_true(json_object_get(answer, "ok")));
	ck_assert_str_eq(word("message"), "done");
	forget();
	answer = control_ok(NULL);
	ck_assert_ptr_null(json_object_get(answer, "message"));
	forget();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("control_request");
	TCase *tests = tcase_create("control_request");
	tcase_add_test(tests, a_request_with_its_members);
	tcase_add_test(tests, what_may_be_left_away_may_be);
	tcase_add_loop_test(tests, what_is_wrong_is_said, 0,
			    sizeof(refusals) / sizeof(refusals[0]));
	tcase_add_test(tests, deep_nesting_is_refused);
	tcase_add_test(tests, no_end_of_text_is_needed);
	tcase_add_test(tests, errors_have_their_names);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
