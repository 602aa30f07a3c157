/* SPDX-License-Identifier: MIT */
/*
 * What the shaper says that it assumes: the document against its schema, its figures against those
 * that are worked out by hand, and the text that is made of it.
 */
#define _DEFAULT_SOURCE
#include "tests/unit/exchange_world.h"
#include "tests/unit/schema_checking.h"

#include "src/ctl/shaper_text.h"
#include "src/shaper_json.h"

static struct schema schema;

static json_t *document(void)
{
	json_t *d = shaper_json();
	struct shaper_line s;

	world_report();
	ck_assert(shaper_json_add_bundle(d, &w.report, &w.config));
	for (unsigned i = exchange_next_line(w.exchange, 0); i < EXCHANGE_NO_LINE;
	     i = exchange_next_line(w.exchange, i + 1)) {
		exchange_shaper(w.exchange, i, &s);
		ck_assert(shaper_json_add_line(d, &s));
	}
	schema = schema_load(TEST_DATA "/../../../src/ctl/shaper.schema.json");
	assert_document(&schema, d);
	json_decref(schema.root);
	return d;
}

/* A SLIP line, one with ADSL behind it, one of another rate; the bundle at half of all. */
static void start(void)
{
	world_configure(3, 57600);
	w.config.mode.mode = MODE_EARLIEST;
	w.config.shape.permille = 500;
	w.config.lines[1].layer = (struct linklayer){.overhead = 40, .cells = CELLS_ATM};
	w.config.lines[1].shape.bps = 16000;
	w.config.lines[1].shape_in.permille = 955;
	w.config.lines[2].bps = 9600;
	w.config.lines[2].bits_per_char = 11;
	world_create(LOG_ERROR);
	ck_assert_int_eq(exchange_start(w.exchange, w.now), EXIT_FINE);
	world_run(SB_SEC);
}

static const json_t *line(const json_t *d, unsigned i)
{
	return json_array_get(json_object_get(d, "lines"), i);
}

static double figure(const json_t *object, const char *key)
{
	ck_assert_ptr_nonnull(json_object_get(object, key));
	return json_number_value(json_object_get(object, key));
}

static double size(const json_t *l, unsigned i, const char *key)
{
	return figure(json_array_get(json_object_get(l, "sizes"), i), key);
}

static double bps(const json_t *l, const char *key)
{
	return figure(json_object_get(l, "bps"), key);
}

/* A7 */
START_TEST(A7_sizes_are_worked_out)
{
	json_t *d;

	start();
	d = document();
	ck_assert_double_eq(bps(line(d, 0), "carrier"), 57600);
	ck_assert_double_eq(bps(line(d, 0), "shaped"), 28800);
	ck_assert_double_eq(size(line(d, 0), 0, "units"), 42);
	ck_assert_double_eq(size(line(d, 0), 1, "units"), 578);
	ck_assert_double_eq(size(line(d, 0), 2, "units"), 1502);
	ck_assert_double_eq_tol(size(line(d, 0), 2, "time_ms"), 15020 / 28.8, 0.01);
	ck_assert_double_eq(bps(line(d, 1), "bundle"), 28800);
	ck_assert_double_eq(bps(line(d, 1), "shaped"), 16000);
	ck_assert_double_eq(size(line(d, 1), 0, "units"), 106);
	ck_assert_double_eq(size(line(d, 1), 1, "units"), 13 * 53);
	ck_assert_double_eq(size(line(d, 1), 2, "units"), 33 * 53);
	ck_assert_double_eq_tol(size(line(d, 1), 0, "time_ms"), 848 / 16.0, 0.01);
	ck_assert_double_eq_tol(size(line(d, 2), 0, "time_ms"), 42 * 11 / 4.8, 0.01);
	json_decref(d);
	world_end();
}
END_TEST

/* B111: of each line what it was given. */
START_TEST(B111_each_line_tells_its_own)
{
	const json_t *layer;
	json_t *d;

	start();
	d = document();
	layer = json_object_get(line(d, 1), "linklayer");
	ck_assert_double_eq(figure(layer, "overhead"), 40);
	ck_assert_str_eq(json_string_value(json_object_get(layer, "cells")), "atm");
	ck_assert_double_eq(figure(json_object_get(line(d, 1), "shape_in"), "percent"), 95.5);
	for (unsigned i = 0; i < 3; i += 2) {
		layer = json_object_get(line(d, i), "linklayer");
		ck_assert(json_is_true(json_object_get(layer, "exact")));
		ck_assert_double_eq(figure(layer, "unit_bits"), i ? 11 : 10);
		ck_assert(json_is_null(json_object_get(line(d, i), "shape")));
	}
	json_decref(d);
	world_end();
}
END_TEST

static const char *const lines_of_text[] = {
	"sb0: 49600 bps together, shape 50 %; target ",
	"              interactive  best effort         bulk\n",
	"tty0 in sb0: slip, up, 10 bits to a character\n",
	"  rate       28800 bps: it carries 57600, its part of the bundle is 28800\n",
	"  counts     characters of 10 bits, as they are encoded\n",
	"  rate       16000 bps: it carries 57600, its shape is 16000 bps, its part of the bundle "
	"is 28800\n",
	"  inwards    95.5 %\n",
	"  counts     bytes of 8 bits of a hop behind it: IP packet +40, mpu 0, cells atm\n",
	"  lead       64 characters, 22.2 ms\n",
	"  packet             40 B        576 B      1.50 kB\n",
	"  counts for           42          578         1502\n",
	"  takes           14.6 ms       201 ms       522 ms\n",
	"  thresh   ",
	"  pk_delay ",
	"  marks    ",
};

START_TEST(text_says_it_in_words)
{
	char *text;
	size_t length;
	FILE *to = open_memstream(&text, &length);
	json_t *d;

	start();
	d = document();
	shaper_text(d, to);
	fclose(to);
	for (unsigned i = 0; i < sizeof lines_of_text / sizeof lines_of_text[0]; i++)
		ck_assert_msg(strstr(text, lines_of_text[i]) != NULL, "'%s' is not in\n%s",
			      lines_of_text[i], text);
	free(text);
	json_decref(d);
	world_end();
}
END_TEST

/* An older program may tell less. */
START_TEST(text_leaves_out_what_is_not_told)
{
	json_t *d = json_pack("{s:[{s:s}], s:[{s:s}]}", "bundles", "name", "sb0", "lines", "name",
			      "tty0");
	char *text;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	shaper_text(d, to);
	fclose(to);
	ck_assert_ptr_nonnull(strstr(text, "tty0: "));
	free(text);
	json_decref(d);
}
END_TEST

/* They are told by two commands. */
START_TEST(tiers_are_described_alike)
{
	struct schema status = schema_load(TEST_DATA "/../../../src/ctl/status.schema.json");

	schema = schema_load(TEST_DATA "/../../../src/ctl/shaper.schema.json");
	ck_assert(json_equal(json_object_get(json_object_get(schema.root, "$defs"), "tier"),
			     json_object_get(json_object_get(status.root, "$defs"), "tier")));
	json_decref(schema.root);
	json_decref(status.root);
}
END_TEST

static Suite *shaper_json_suite(void)
{
	Suite *suite = suite_create("shaper_json");
	TCase *told = tcase_create("told");

	tcase_add_test(told, A7_sizes_are_worked_out);
	tcase_add_test(told, B111_each_line_tells_its_own);
	tcase_add_test(told, text_says_it_in_words);
	tcase_add_test(told, text_leaves_out_what_is_not_told);
	tcase_add_test(told, tiers_are_described_alike);
	suite_add_tcase(suite, told);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(shaper_json_suite());

	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
