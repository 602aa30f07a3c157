/* SPDX-License-Identifier: MIT */
/*
 * The screen of serialbundlectl top as text, against screens that were looked at:
 * data/top/WIDTHxHEIGHT.txt for data/top/status.json, read twenty times with lines that become
 * busier. After a deliberate change TOP_SCREENS=write writes them anew; look at them again.
 */
#include "src/ctl/top_parts.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS = 20, TEXT_SIZE = 512 * 1024 };

static struct top_model model;
static struct top_view view;
static struct canvas canvas;
static char text[TEXT_SIZE];

static json_t *load(const char *name)
{
	char path[512];
	json_t *document;

	snprintf(path, sizeof path, "%s/top/%s", TEST_DATA, name);
	document = json_load_file(path, 0, NULL);
	ck_assert_ptr_nonnull(document);
	return document;
}

/* The i-th second of it: all is proportional. */
static void grow(json_t *document, unsigned i)
{
	size_t n;
	json_t *object;
	double share = (i + 1.) / SECONDS;

	json_array_foreach(json_object_get(document, "lines"), n, object)
	{
		double busy = json_number_value(json_object_get(object, "busy"));

		json_object_set_new(object, "busy", json_real(busy * share));
	}
	json_array_foreach(json_object_get(document, "bundles"), n, object)
	{
		json_t *out = json_object_get(object, "out");
		double rate = json_number_value(json_object_get(out, "rate_2s"));

		json_object_set_new(out, "rate_2s", json_real(rate * share));
	}
}

static void set_up(void)
{
	memset(&view, 0, sizeof view);
	ck_assert(top_model_init(&model));
	for (unsigned i = 0; i < SECONDS; i++) {
		json_t *document = load("status.json");

		grow(document, i);
		top_model_read(&model, document);
		json_decref(document);
	}
}

static void tear_down(void)
{
	canvas_free(&canvas);
	top_model_free(&model);
}

static const char *draw(unsigned width, unsigned height, bool utf8)
{
	canvas_free(&canvas);
	ck_assert(canvas_init(&canvas, width, height, utf8));
	top_screen(&canvas, &model, &view);
	return canvas_text(&canvas, text, sizeof text);
}

#define ck_assert_shows(part)                                                                      \
	ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in\n%s", part, text)
#define ck_assert_lacks(part)                                                                      \
	ck_assert_msg(strstr(text, part) == NULL, "\"%s\" is in\n%s", part, text)

/* --- whole screens --- */

static const struct {
	const char *file;
	unsigned width, height;
	bool utf8;
} screens[] = {
	{"80x24.txt", 80, 24, true},   {"80x24-ascii.txt", 80, 24, false},
	{"200x60.txt", 200, 60, true}, {"120x30.txt", 120, 30, true},
	{"40x12.txt", 40, 12, true},   {"30x6.txt", 30, 6, true},
};
enum { SCREENS = sizeof screens / sizeof screens[0] };

static void write_screen(const char *path)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

START_TEST(the_screen_is_as_it_was_looked_at)
{
	static char expected[TEXT_SIZE];
	const char *write = getenv("TOP_SCREENS");
	char path[512];
	FILE *f;
	size_t n;

	draw(screens[_i].width, screens[_i].height, screens[_i].utf8);
	snprintf(path, sizeof path, "%s/top/%s", TEST_DATA, screens[_i].file);
	if (write && strcmp(write, "write") == 0)
		write_screen(path);
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	n = fread(expected, 1, sizeof expected - 1, f);
	expected[n] = '\0';
	fclose(f);
	ck_assert_str_eq(text, expected);
}
END_TEST

/* --- what is to be seen --- */

static unsigned row_of(const char *part)
{
	const char *at = strstr(text, part);
	unsigned row = 0;

	ck_assert_msg(at != NULL, "no \"%s\" in\n%s", part, text);
	for (const char *c = text; c < at; c++)
		row += *c == '\n';
	return row;
}

static enum canvas_style style_of(unsigned row, unsigned column)
{
	return canvas.cells[row * canvas.width + column].style;
}

START_TEST(bits_or_bytes)
{
	draw(80, 24, true);
	ck_assert_shows(
		"TX:             cumm:  60.8MB     peak:  37.0kb  rates:   33.6kb  33.4kb  30.2kb");
	view.bytes = true;
	draw(80, 24, true);
	ck_assert_shows(
		"TX:             cumm:  60.8MB     peak:  4.62kB  rates:   4.20kB  4.18kB  3.78kB");
	ck_assert_shows("100B");
	ck_assert_shows("b bits");
}
END_TEST

START_TEST(styles_tell_what_matters)
{
	draw(80, 24, true);
	ck_assert_int_eq(style_of(0, 79), CANVAS_HEAD);
	ck_assert_int_eq(style_of(1, 7), CANVAS_WARN);
	ck_assert_int_eq(style_of(row_of("ttyS0 "), 9), CANVAS_GOOD);
	ck_assert_int_eq(style_of(row_of("ttyUSB0 "), 9), CANVAS_WARN);
}
END_TEST

/* 10 to 100 000 bits per second in 80 cells: 15.13 kb are log10(1513) / 4 of them. */
START_TEST(bars_are_logarithmic)
{
	unsigned row, n = 0;

	draw(80, 24, true);
	row = row_of("=> 10.9.0.2 ");
	while (n < 80 && style_of(row, n) == CANVAS_MARK)
		n++;
	ck_assert_uint_eq(n, 64);
	for (; n < 80; n++)
		ck_assert_int_ne(style_of(row, n), CANVAS_MARK);
}
END_TEST

START_TEST(lines_alone_or_flows_alone)
{
	view.hides_flows = true;
	draw(80, 24, true);
	ck_assert_shows("ttyS1");
	ck_assert_lacks("=>");
	ck_assert_lacks("TOTAL");
	view.hides_flows = false;
	view.hides_lines = true;
	draw(80, 24, true);
	ck_assert_lacks("ttyS1");
	ck_assert_shows("=> 10.9.0.6");
}
END_TEST

START_TEST(scrolling_ends_at_the_end)
{
	view.flow_scroll = 2;
	draw(80, 24, true);
	ck_assert_lacks("=> 10.9.0.2 ");
	ck_assert_shows("=> 10.9.0.4 ");
	view.flow_scroll = 60;
	draw(80, 24, true);
	ck_assert_uint_eq(view.flow_scroll, 4);
	ck_assert_shows("fd09::1");
	view.hides_flows = true;
	view.line_scroll = 60;
	draw(80, 8, true);
	ck_assert_uint_eq(view.line_scroll, 0);
	view.line_scroll = 60;
	draw(80, 4, true);
	ck_assert_uint_eq(view.line_scroll, 2);
	ck_assert_shows("3-3/3");
	ck_assert_shows("ttyUSB0");
}
END_TEST

START_TEST(trouble_stands_above_the_last_figures)
{
	snprintf(view.trouble, sizeof view.trouble, "no answer from /run/x.sock; trying again");
	draw(80, 24, true);
	ck_assert_uint_eq(row_of("no answer from /run/x.sock"), 1);
	ck_assert_int_eq(style_of(1, 0), CANVAS_BAD);
	ck_assert_shows("ttyS0");
	ck_assert_lacks("limit");
}
END_TEST

START_TEST(before_the_first_answer)
{
	top_model_free(&model);
	ck_assert(top_model_init(&model));
	ck_assert_str_eq(draw(20, 3, true), "\n\n\n");
	snprintf(view.trouble, sizeof view.trouble, "no answer");
	ck_assert_str_eq(draw(20, 3, true), "no answer\n\n\n");
}
END_TEST

START_TEST(help_and_pause)
{
	view.paused = true;
	draw(80, 24, true);
	ck_assert_shows("PAUSED");
	ck_assert_shows("p go on");
	view.help = true;
	draw(80, 24, true);
	ck_assert_shows("scroll");
	ck_assert_lacks("ttyS0");
	for (const char *row = text; *row; row = strchr(row, '\n') + 1)
		ck_assert_uint_le(strcspn(row, "\n"), 80);
}
END_TEST

/* Each word of it comes by, on a narrow screen as on a wide one. */
START_TEST(help_scrolls_and_is_not_cut)
{
	static const unsigned widths[] = {40, 80};
	for (unsigned i = 0; i < 2; i++) {
		view.help = true;
		view.help_scroll = 0;
		draw(widths[i], 10, true);
		ck_assert_shows("serialbundlectl top");
		ck_assert_lacks("last minute.");
		view.help_scroll = 1;
		draw(widths[i], 10, true);
		ck_assert_lacks("serialbundlectl top");
		view.help_scroll = 999;
		draw(widths[i], 10, true);
		ck_assert_shows("last minute.");
		ck_assert_uint_lt(view.help_scroll, 60); /* so that one key up is seen */
		view.help_scroll = 0;
		draw(widths[i], 60, true);
		ck_assert_shows("does not slow down");
		ck_assert_shows("characters on");
		ck_assert_shows("control");
	}
	draw(80, 24, true);
	ck_assert_shows("serialbundlectl top");
	ck_assert_shows("last minute.");
}
END_TEST

static const char *name_of(void *context, const char *address)
{
	(void)context;
	return strcmp(address, "10.9.0.2") == 0 ? "bob.example" : NULL;
}

START_TEST(names_stand_for_addresses)
{
	view.name_of = name_of;
	draw(80, 24, true);
	ck_assert_shows("=> bob.example ");
	ck_assert_shows("=> 10.9.0.3 ");
}
END_TEST

START_TEST(lines_without_a_bundle_have_a_page)
{
	json_t *document = load("status.json");

	json_object_set_new(json_array_get(json_object_get(document, "lines"), 1), "bundle",
			    json_null());
	top_model_read(&model, document);
	json_decref(document);
	draw(80, 24, true);
	ck_assert_uint_eq(model.bundles, 2);
	ck_assert_shows("< > bundle");
	ck_assert_lacks("ttyS1");
	top_model_show(&model, 1);
	draw(80, 24, true);
	ck_assert_shows("lines without a bundle");
	ck_assert_shows("ttyS1");
	ck_assert_lacks("ttyS0");
	ck_assert_lacks("TOTAL");
	top_model_show(&model, 2);
	draw(80, 24, true);
	ck_assert_shows(" sb0 ");
}
END_TEST

/* What is written in a status may be anything. */
START_TEST(nothing_from_outside_moves_the_cursor)
{
	json_t *document = load("status.json"), *bundle, *line;

	bundle = json_array_get(json_object_get(document, "bundles"), 0);
	line = json_array_get(json_object_get(document, "lines"), 2);
	json_object_set_new(bundle, "peer", json_string("\033[2J"));
	json_object_set_new(line, "reason", json_string("a\nb\302\233c"));
	top_model_read(&model, document);
	json_decref(document);
	draw(80, 24, true);
	ck_assert_shows("?[2J");
	ck_assert_shows("a?b??c");
}
END_TEST

/* Each size there may be, with each kind of view: drawn inside, with the verdict. */
START_TEST(every_size)
{
	for (unsigned width = 1; width < 230; width += width < 130 ? 1 : 9)
		for (unsigned height = 1; height < 40; height++) {
			view.hides_lines = (width + height) % 7 == 0;
			view.hides_flows = (width + height) % 5 == 0;
			view.help = (width + height) % 11 == 0;
			draw(width, height, width % 2);
			if (height > 1 && width > 20 && !view.help)
				ck_assert_shows("limit  line");
		}
}
END_TEST

/* --- figures --- */

static const struct {
	double bytes;
	const char *bits_text, *bytes_text;
} rates[] = {
	{0, "0b", "0B"},
	{-1, "0b", "0B"},
	{.05, "0b", "0B"},
	{1, "8b", "1B"},
	{124.9, "999b", "125B"},
	{125, "1.00kb", "125B"},
	{2880, "23.0kb", "2.88kB"},
	{999.6, "8.00kb", "1.00kB"},
	{124950, "1.00Mb", "125kB"},
	{4.95e6, "39.6Mb", "4.95MB"},
	{1e21, "8000Eb", "1000EB"},
};
enum { RATES = sizeof rates / sizeof rates[0] };

START_TEST(rates_have_three_digits)
{
	char figure[TOP_FIGURE_SIZE];

	ck_assert_str_eq(top_rate(figure, rates[_i].bytes, false), rates[_i].bits_text);
	ck_assert_str_eq(top_rate(figure, rates[_i].bytes, true), rates[_i].bytes_text);
}
END_TEST

START_TEST(durations_and_counts_fit)
{
	static const struct {
		double ms;
		const char *text;
	} durations[] = {{-1, "-"},        {0, "0.0ms"},    {9.94, "9.9ms"},  {9.96, "10ms"},
			 {999.4, "999ms"}, {999.6, "1.0s"}, {99900, "99.9s"}, {99960, "100s"},
			 {9.9e6, "9900s"}, {1e9, ">2h"}};
	char figure[TOP_FIGURE_SIZE];

	for (unsigned i = 0; i < sizeof durations / sizeof durations[0]; i++)
		ck_assert_str_eq(top_duration(figure, durations[i].ms), durations[i].text);
	ck_assert_str_eq(top_count(figure, 9999), "9999");
	ck_assert_str_eq(top_count(figure, 12345), "12k");
	ck_assert_str_eq(top_count(figure, 12345678), "12M");
	ck_assert_str_eq(top_bps(figure, 28800), "28800");
	ck_assert_str_eq(top_bps(figure, 1.5e6), "1.50M");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("top_screen");
	TCase *tests = tcase_create("screen"), *figures = tcase_create("figures");
	SRunner *runner = srunner_create(suite);

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_loop_test(tests, the_screen_is_as_it_was_looked_at, 0, SCREENS);
	tcase_add_test(tests, bits_or_bytes);
	tcase_add_test(tests, styles_tell_what_matters);
	tcase_add_test(tests, bars_are_logarithmic);
	tcase_add_test(tests, lines_alone_or_flows_alone);
	tcase_add_test(tests, scrolling_ends_at_the_end);
	tcase_add_test(tests, trouble_stands_above_the_last_figures);
	tcase_add_test(tests, before_the_first_answer);
	tcase_add_test(tests, help_and_pause);
	tcase_add_test(tests, help_scrolls_and_is_not_cut);
	tcase_add_test(tests, names_stand_for_addresses);
	tcase_add_test(tests, lines_without_a_bundle_have_a_page);
	tcase_add_test(tests, nothing_from_outside_moves_the_cursor);
	tcase_add_test(tests, every_size);
	tcase_set_timeout(tests, 60);
	suite_add_tcase(suite, tests);
	tcase_add_loop_test(figures, rates_have_three_digits, 0, RATES);
	tcase_add_test(figures, durations_and_counts_fit);
	suite_add_tcase(suite, figures);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
