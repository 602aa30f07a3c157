/* SPDX-License-Identifier: MIT */
/* A DSL modem on a clock that the test turns: frames, what they cost, and a queue that is full. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "src/nullmodem/cells.h"

enum { END = 0xC0, ESC = 0xDB, ESC_END = 0xDC, LOTS = 1 << 18 };

static const sb_time cell_ms = 424; /* of a line of 1000 bps */

static uint8_t scratch[LOTS];

static struct wire_config at_rate(uint32_t bps)
{
	return (struct wire_config){.bps = bps,
				    .bits_per_char = 10,
				    .buffer = 4096,
				    .full = WIRE_FULL_DROPS,
				    .cells = WIRE_CELLS_ATM,
				    .overhead = 40};
}

static struct cells *make(struct wire_config config)
{
	struct cells *c = cells_new(&config);
	ck_assert_ptr_nonnull(c);
	return c;
}

/* A packet of n bytes between two ENDs, as programs send them; its characters. */
static size_t put(struct cells *c, sb_time now, size_t n)
{
	static uint8_t frame[CELLS_FRAME_MAX + 1000];
	memset(frame, 'x', n + 2);
	frame[0] = frame[n + 1] = END;
	cells_input(c, now, bytes_of(frame, n + 2));
	return n + 2;
}

static size_t get(struct cells *c, sb_time now, sb_time *when)
{
	return cells_output(c, now, scratch, sizeof scratch, when);
}

/* ---- what a frame costs ---- */

static const struct {
	int overhead;
	size_t bytes;
	unsigned cells;
} costs[] = {
	{0, 48, 1},   {0, 49, 2},   {0, 100, 3},  {40, 8, 1},      {40, 9, 2},
	{40, 40, 2},  {40, 56, 2},  {40, 57, 3},  {40, 1500, 33},  {48, 576, 13},
	{-14, 62, 1}, {-14, 63, 2}, {-64, 20, 1}, {256, 1500, 37},
};

START_TEST(a_frame_takes_the_time_of_its_cells)
{
	struct wire_config config = at_rate(1000);
	config.overhead = costs[_i].overhead;
	struct cells *c = make(config);
	sb_time when;
	size_t length = put(c, 0, costs[_i].bytes);
	sb_time leaves = costs[_i].cells * cell_ms * SB_MS;
	ck_assert_int_eq(cells_deadline(c), leaves);
	ck_assert_uint_eq(get(c, leaves - 1, &when), 0);
	ck_assert_uint_eq(get(c, leaves + 77, &when), length);
	ck_assert_int_eq(when, leaves);
	ck_assert_uint_eq(cells_stats(c, leaves).cells, costs[_i].cells);
	ck_assert_int_eq(cells_stats(c, leaves).busy, leaves);
	cells_free(c);
}
END_TEST

START_TEST(an_escape_pair_is_one_byte_of_the_packet)
{
	struct wire_config config = at_rate(1000);
	config.overhead = 0;
	struct cells *c = make(config);
	uint8_t frame[2 * 48 + 1];
	for (size_t i = 0; i < sizeof frame - 1; i += 2) {
		frame[i] = ESC;
		frame[i + 1] = ESC_END;
	}
	frame[sizeof frame - 1] = END;
	cells_input(c, 0, bytes_of(frame, sizeof frame));
	ck_assert_int_eq(cells_deadline(c), cell_ms * SB_MS);
	cells_free(c);
}
END_TEST

START_TEST(ends_alone_cost_nothing)
{
	static const uint8_t ends[] = {END, END, END, 'x', END, END};
	struct cells *c = make(at_rate(1000));
	sb_time when;
	cells_input(c, 0, bytes_of(ends, sizeof ends));
	struct cells_stats s = cells_stats(c, 0);
	ck_assert_uint_eq(s.frames, 1);
	ck_assert_uint_eq(s.dropped, 2);
	ck_assert_uint_eq(get(c, SB_SEC, &when), 3);
	ck_assert_mem_eq(scratch, ((uint8_t[]){END, 'x', END}), 3);
	cells_free(c);
}
END_TEST

/* Ten days without a pause: the last cell ends at the very nanosecond. */
START_TEST(no_rounding_adds_up)
{
	enum { BPS = 97, CELLS_EACH = 6, FRAMES = 33000 };
	struct wire_config config = at_rate(BPS);
	config.overhead = 256;
	struct cells *c = make(config);
	sb_time when = 0;
	put(c, 0, 8);
	for (unsigned i = 1; i < FRAMES; i++) {
		put(c, when, 8);
		ck_assert_uint_eq(get(c, cells_deadline(c), &when), 10);
	}
	ck_assert_uint_eq(get(c, cells_deadline(c), &when), 10);
	uint64_t bits = (uint64_t)FRAMES * CELLS_EACH * 424;
	uint64_t rest = bits % BPS * (uint64_t)SB_SEC;
	ck_assert_int_eq(when, (sb_time)(bits / BPS) * SB_SEC + (sb_time)((rest + BPS - 1) / BPS));
	ck_assert_int_gt(when, 10 * 24 * 3600 * SB_SEC - 30 * SB_SEC);
	cells_free(c);
}
END_TEST

START_TEST(an_idle_line_starts_when_a_frame_is_whole)
{
	struct cells *c = make(at_rate(1000));
	sb_time when;
	cells_input(c, 0, bytes_of((const uint8_t *)"half", 4));
	ck_assert_int_eq(cells_deadline(c), SB_NEVER);
	cells_input(c, 7 * SB_MS, bytes_of((const uint8_t *)"\xc0", 1));
	ck_assert_int_eq(cells_deadline(c), (7 + cell_ms) * SB_MS);
	ck_assert_uint_eq(get(c, SB_SEC, &when), 5);
	put(c, 5 * SB_SEC, 8);
	ck_assert_int_eq(cells_deadline(c), 5 * SB_SEC + cell_ms * SB_MS);
	ck_assert_int_eq(cells_stats(c, 6 * SB_SEC).busy, 2 * cell_ms * SB_MS);
	cells_free(c);
}
END_TEST

/* ---- a full queue ---- */

/* 300 ms at 424 kbit/s are 300 cells: the frame that finds them waiting is the last. */
START_TEST(a_buffer_in_time_drops_whole_frames)
{
	struct wire_config config = at_rate(424000);
	config.buffer_time = 300 * SB_MS;
	struct cells *c = make(config);
	sb_time when;
	unsigned sent = 0, came = 0;
	for (; sent < 30; sent++)
		put(c, 0, 1500);
	struct cells_stats s = cells_stats(c, 0);
	ck_assert_uint_eq(s.frames, 10); /* 9 * 33 <= 300 < 10 * 33 */
	ck_assert_uint_eq(s.frames_dropped, 20);
	ck_assert_uint_eq(s.dropped, 20 * 1502);
	while (cells_deadline(c) != SB_NEVER)
		came += get(c, cells_deadline(c), &when) == 1502;
	ck_assert_uint_eq(came, 10);
	ck_assert_int_eq(when, 330 * SB_MS);
	put(c, when, 1500);
	ck_assert_uint_eq(cells_stats(c, when).frames, 11);
	cells_free(c);
}
END_TEST

START_TEST(a_buffer_in_characters_drops_whole_frames)
{
	struct wire_config config = at_rate(1000);
	config.buffer = 4000;
	struct cells *c = make(config);
	for (unsigned i = 0; i < 30; i++)
		put(c, 0, 1500);
	ck_assert_uint_eq(cells_stats(c, 0).frames, 3);
	cells_free(c);
}
END_TEST

START_TEST(a_sender_that_waits_loses_nothing)
{
	struct wire_config config = at_rate(424000);
	config.full = WIRE_FULL_WAITS;
	config.buffer_time = 50 * SB_MS;
	struct cells *c = make(config);
	static const uint8_t stream[4096] = {[100] = END, [1600] = END, [3000] = END, [4095] = END};
	sb_time now = 0, when;
	uint64_t sent = 0, came = 0;
	size_t at = 0;
	while (sent < 200000) {
		size_t room = cells_room(c, now);
		if (room == 0) {
			sb_time next = cells_room_deadline(c, now);
			ck_assert_int_gt(next, now);
			now = next;
			came += get(c, now, &when);
			continue;
		}
		size_t n = room < sizeof stream - at ? room : sizeof stream - at;
		cells_input(c, now, bytes_of(stream + at, n));
		at = (at + n) % sizeof stream;
		sent += n;
	}
	size_t n;
	while ((n = get(c, cells_deadline(c), &when)) > 0)
		came += n;
	struct cells_stats s = cells_stats(c, now);
	ck_assert_uint_eq(s.dropped, 0);
	ck_assert_uint_eq(came + s.queued, sent);
	cells_free(c);
}
END_TEST

START_TEST(a_frame_without_an_end_is_dropped_and_the_next_is_not)
{
	struct cells *c = make(at_rate(1000000));
	put(c, 0, CELLS_FRAME_MAX + 500);
	put(c, 0, 100);
	struct cells_stats s = cells_stats(c, 0);
	ck_assert_uint_eq(s.frames, 1);
	ck_assert_uint_eq(s.frames_dropped, 1);
	ck_assert_uint_eq(s.queued, 102);
	ck_assert_uint_eq(s.accepted, s.dropped + s.queued);
	cells_free(c);
}
END_TEST

/* ---- changes ---- */

START_TEST(what_is_queued_keeps_its_time)
{
	struct wire_config config = at_rate(1000);
	struct cells *c = make(config);
	sb_time when;
	put(c, 0, 8);
	config.bps = 2000;
	ck_assert(cells_configure(c, &config));
	put(c, 0, 8);
	ck_assert_int_eq(cells_deadline(c), cell_ms * SB_MS);
	get(c, SB_SEC, &when);
	ck_assert_int_eq(cells_deadline(c), (cell_ms + cell_ms / 2) * SB_MS);
	cells_free(c);
}
END_TEST

START_TEST(a_cut_loses_all_and_counts_it)
{
	struct cells *c = make(at_rate(1000));
	put(c, 0, 100);
	put(c, 0, 100);
	cells_input(c, 0, bytes_of((const uint8_t *)"half", 4));
	cells_cut(c, 100 * SB_MS);
	struct cells_stats s = cells_stats(c, 200 * SB_MS);
	ck_assert_uint_eq(s.dropped, 102 + 102 + 4);
	ck_assert_uint_eq(s.queued, 0);
	ck_assert_int_eq(s.busy, 100 * SB_MS);
	ck_assert_int_eq(cells_deadline(c), SB_NEVER);
	put(c, SB_SEC, 8);
	ck_assert_int_eq(cells_deadline(c), SB_SEC + cell_ms * SB_MS);
	cells_free(c);
}
END_TEST

START_TEST(a_small_receiver_takes_a_frame_in_parts)
{
	struct cells *c = make(at_rate(1000000));
	sb_time when;
	put(c, 0, 100);
	ck_assert_uint_eq(cells_output(c, SB_SEC, scratch, 60, &when), 60);
	ck_assert_uint_eq(cells_output(c, SB_SEC, scratch, 60, &when), 42);
	ck_assert_uint_eq(cells_output(c, SB_SEC, scratch, 60, &when), 0);
	cells_free(c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("nullmodem cells");
	TCase *t = tcase_create("cells");
	tcase_add_loop_test(t, a_frame_takes_the_time_of_its_cells, 0,
			    sizeof costs / sizeof *costs);
	tcase_add_test(t, an_escape_pair_is_one_byte_of_the_packet);
	tcase_add_test(t, ends_alone_cost_nothing);
	tcase_add_test(t, no_rounding_adds_up);
	tcase_add_test(t, an_idle_line_starts_when_a_frame_is_whole);
	tcase_add_test(t, a_buffer_in_time_drops_whole_frames);
	tcase_add_test(t, a_buffer_in_characters_drops_whole_frames);
	tcase_add_test(t, a_sender_that_waits_loses_nothing);
	tcase_add_test(t, a_frame_without_an_end_is_dropped_and_the_next_is_not);
	tcase_add_test(t, what_is_queued_keeps_its_time);
	tcase_add_test(t, a_cut_loses_all_and_counts_it);
	tcase_add_test(t, a_small_receiver_takes_a_frame_in_parts);
	suite_add_tcase(s, t);
	SRunner *runner = srunner_create(s);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
