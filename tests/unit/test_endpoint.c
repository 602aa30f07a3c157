/* SPDX-License-Identifier: MIT */
/* Endpoint discriminators as text: pppd's forms, and what is refused. */
#include "src/endpoint.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

static const struct {
	const char *text;
	struct endpoint endpoint;
	const char *again; /* as it is written, when that differs */
} forms[] = {
	{"null", {0, 0, {0}}, NULL},
	{"local:00", {1, 1, {0}}, NULL},
	{"local:01.ab.CD", {1, 3, {1, 0xAB, 0xCD}}, "local:01:ab:cd"},
	{"local:0123456789", {1, 5, {1, 0x23, 0x45, 0x67, 0x89}}, "local:01:23:45:67:89"},
	{"IP:10.0.0.1", {2, 4, {10, 0, 0, 1}}, NULL},
	{"MAC:02:00:5e:10:00:01", {3, 6, {2, 0, 0x5E, 0x10, 0, 1}}, NULL},
	{"magic:12345678", {4, 4, {0x12, 0x34, 0x56, 0x78}}, "magic:12:34:56:78"},
	{"phone:4930123456", {5, 10, "4930123456"}, NULL},
};

START_TEST(forms_are_read_and_written)
{
	struct endpoint e;
	char text[ENDPOINT_TEXT_SIZE];
	const struct endpoint *want = &forms[_i].endpoint;
	ck_assert(endpoint_parse(forms[_i].text, &e));
	ck_assert_uint_eq(e.class, want->class);
	ck_assert_uint_eq(e.length, want->length);
	ck_assert_mem_eq(e.address, want->address, sizeof(e.address));
	ck_assert_str_eq(endpoint_text(text, &e),
			 forms[_i].again ? forms[_i].again : forms[_i].text);
}
END_TEST

static const char *const wrong[] = {
	"",
	"nul",
	"null:00",
	"local",
	"local:",
	"local:0",
	"local:0g",
	"local:01:",
	"local::01",
	"local:01::02",
	"local:000102030405060708090a0b0c0d0e0f1011121314", /* 21 bytes */
	"IP:10.0.0",
	"IP:fd00::1",
	"IP:0a000001",
	"MAC:02:00:5e:10:00",
	"MAC:02:00:5e:10:00:01:02",
	"magic:1234",
	"magic:123456789a",
	"phone:",
	"phone:+49",
	"phone:1234567890123456",
	"mac:02:00:5e:10:00:01",
	"6:00",
};

START_TEST(anything_else_is_refused)
{
	struct endpoint e = {9, 9, {9}};
	ck_assert_msg(!endpoint_parse(wrong[_i], &e), "%s", wrong[_i]);
	ck_assert_uint_eq(e.class, 9); /* untouched */
}
END_TEST

/* A peer's may be of no known kind, or not what its kind should be. */
START_TEST(a_peers_may_be_anything)
{
	char text[ENDPOINT_TEXT_SIZE];
	struct endpoint e = {200, 20, {0}};
	memset(e.address, 0xFF, sizeof(e.address));
	ck_assert_str_eq(endpoint_text(text, &e), "unknown:ff:ff:ff:ff:ff:ff:ff:ff:ff:ff:ff:ff:ff:"
						  "ff:ff:ff:ff:ff:ff:ff");
	memset(e.address, '7', sizeof(e.address));
	e.class = 5;
	ck_assert_str_eq(endpoint_text(text, &e), "phone:77777777777777777777");
	e.address[19] = '\033';
	ck_assert_ptr_null(strchr(endpoint_text(text, &e), '\033'));
	e = (struct endpoint){2, 3, {10, 0, 0}};
	ck_assert_str_eq(endpoint_text(text, &e), "IP:0a:00:00");
}
END_TEST

START_TEST(random_ones_differ)
{
	struct endpoint a = endpoint_random(), b = endpoint_random();
	ck_assert_uint_eq(a.class, 4);
	ck_assert_uint_eq(a.length, 8);
	ck_assert_mem_ne(a.address, b.address, 8);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("endpoint");
	TCase *t = tcase_create("text");
	tcase_add_loop_test(t, forms_are_read_and_written, 0, COUNT(forms));
	tcase_add_loop_test(t, anything_else_is_refused, 0, COUNT(wrong));
	tcase_add_test(t, a_peers_may_be_anything);
	tcase_add_test(t, random_ones_differ);
	suite_add_tcase(suite, t);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
