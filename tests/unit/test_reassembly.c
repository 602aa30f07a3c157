/* SPDX-License-Identifier: MIT */
/*
 * Reassembly without loss: order, flags, lengths, null fragments, the numbers' end,
 * and what a full window does. A packet is a word here; its protocol field is its
 * first octet or two, as sent.
 */
#include "tests/unit/reassembly_testing.h"

static struct bundle b;

static void open_two(void)
{
	bundle_open(&b, &test_config, 2);
}

static void close_all(void)
{
	bundle_close(&b);
}

/* --- order --- */

START_TEST(whole_packets_in_order)
{
	come(&b, 0, 0, "BE", "one");
	come(&b, 1, 1, "BE", "two");
	assert_got(&b, "one|two");
	ck_assert_int_eq(reassembly_deadline(b.reassembly), SB_NEVER);
}
END_TEST

/* As kernel pppd cuts: B on the first channel, E on the last, numbers rising. */
START_TEST(a_packet_over_all_links)
{
	come(&b, 0, 0, "B", "mul");
	come(&b, 1, 1, "E", "tilink");
	come(&b, 1, 2, "B", "bun");
	come(&b, 0, 3, "E", "dle");
	assert_got(&b, "multilink|bundle");
}
END_TEST

START_TEST(fragments_out_of_order)
{
	come(&b, 1, 1, "", "-mid-");
	assert_got(&b, "");
	come(&b, 1, 3, "BE", "next");
	come(&b, 0, 0, "B", "begin");
	assert_got(&b, "");
	come(&b, 0, 2, "E", "end");
	assert_got(&b, "begin-mid-end|next");
	struct reassembly_counters c = counted(&b);
	ck_assert_uint_eq(c.fragments, 4);
	ck_assert_uint_eq(c.packets, 2);
	ck_assert_uint_eq(c.lost + c.late + c.broken, 0);
}
END_TEST

/* With two links the fragment that arrives first may be the second. */
START_TEST(numbers_begin_at_zero)
{
	come(&b, 1, 1, "BE", "two");
	assert_got(&b, "");
	come(&b, 0, 0, "BE", "one");
	assert_got(&b, "one|two");
}
END_TEST

START_TEST(fragments_of_one_and_two_octets)
{
	static const char text[] = "protocol field and data in crumbs";
	uint32_t sequence = 0;

	for (size_t i = 0; text[i]; sequence++) {
		char crumb[3] = {text[i], sequence % 3 ? text[i + 1] : '\0'};
		const char *flags = i == 0 ? "B" : text[i + strlen(crumb)] ? "" : "E";
		come(&b, sequence % 2, sequence, flags, crumb);
		i += strlen(crumb);
	}
	assert_got(&b, text);
}
END_TEST

START_TEST(empty_fragments_of_a_packet_are_no_harm)
{
	come(&b, 0, 0, "B", "");
	come(&b, 1, 1, "", "with");
	come(&b, 0, 2, "", "");
	come(&b, 1, 3, "E", "");
	assert_got(&b, "with");
	come(&b, 0, 4, "B", "");
	come(&b, 1, 5, "E", "");
	assert_got(&b, "with");
	ck_assert_uint_eq(counted(&b).nulls, 0);
}
END_TEST

START_TEST(every_order_of_five_fragments)
{
	for (unsigned order = 0; order < 120; order++) {
		unsigned left[] = {0, 1, 2, 3, 4}, n = 5, rest = order;
		bundle_close(&b);
		bundle_open(&b, &test_config, 5);
		for (; n; n--) {
			unsigned pick = rest % n, sequence = left[pick];
			rest /= n;
			memmove(left + pick, left + pick + 1, (n - pick - 1) * sizeof left[0]);
			static const char *const flags[] = {"BE", "B", "", "E", "BE"};
			static const char *const data[] = {"a", "b", "c", "d", "e"};
			come(&b, sequence, sequence, flags[sequence], data[sequence]);
		}
		assert_got(&b, "a|bcd|e");
	}
}
END_TEST

/* --- flags --- */

START_TEST(an_end_without_a_beginning)
{
	come(&b, 0, 0, "E", "of what?");
	come(&b, 0, 1, "", "of");
	come(&b, 0, 2, "E", "another");
	come(&b, 0, 3, "BE", "good");
	assert_got(&b, "good");
	ck_assert_uint_eq(counted(&b).broken, 2);
}
END_TEST

/* RFC 1990 section 4.1: with B, the fragment before is taken to have borne E. */
START_TEST(a_beginning_within_a_packet)
{
	come(&b, 0, 0, "B", "never ended");
	come(&b, 0, 1, "BE", "good");
	come(&b, 0, 2, "B", "nor this");
	come(&b, 0, 3, "B", "be");
	come(&b, 0, 4, "E", "tter");
	assert_got(&b, "good|better");
	ck_assert_uint_eq(counted(&b).broken, 2);
}
END_TEST

START_TEST(null_fragments_take_a_place)
{
	come(&b, 0, 0, "BE", "");
	come(&b, 1, 2, "BE", "after");
	assert_got(&b, "");
	come(&b, 0, 1, "BE", "");
	assert_got(&b, "after");
	struct reassembly_counters c = counted(&b);
	ck_assert_uint_eq(c.nulls, 2);
	ck_assert_uint_eq(c.packets, 1);
	ck_assert_uint_eq(c.broken, 0);
}
END_TEST

START_TEST(B030_fragments_without_a_whole_header)
{
	static const char *const cut[] = {"", "30", "80 00", "c0 00 00", "ff 00 00 00 21"};

	for (size_t i = 0; i < sizeof cut / sizeof cut[0]; i++) {
		ck_assert(offer_octets(&b, 0, hex(cut[i])));
		ck_assert_uint_eq(counted(&b).bad_headers, i + 1);
	}
	come(&b, 0, 0, "BE", "good");
	assert_got(&b, "good");
	ck_assert_uint_eq(counted(&b).fragments, 1);
}
END_TEST

/* --- lengths --- */

/* In pieces of `every` octets. */
static void come_in_pieces(uint32_t *sequence, struct bytes packet, size_t every)
{
	for (size_t at = 0; at < packet.length; at += every) {
		size_t left = packet.length - at, n = left < every ? left : every;
		struct mp_header header = {
			.begin = at == 0, .end = n == left, .sequence = (*sequence)++};
		feed(&b, *sequence % 2, &header, bytes_of(packet.at + at, n));
	}
}

/* The protocol field does not count (5.1.1), whether it is compressed or not. */
START_TEST(B062_mrru_and_one_more)
{
	static uint8_t packet[TEST_MRRU + 3];
	static const struct {
		uint8_t first;
		size_t length;
		bool good;
	} rows[] = {
		{0x00, TEST_MRRU + 2, true},
		{0x00, TEST_MRRU + 3, false},
		{0x21, TEST_MRRU + 1, true},
		{0x21, TEST_MRRU + 2, false},
	};
	static const size_t pieces[] = {1, 100, 1000, TEST_MRRU + 1, TEST_MRRU + 3};
	uint32_t sequence = 0;
	size_t good = 0, bad = 0;

	for (size_t i = 0; i < sizeof packet; i++)
		packet[i] = (uint8_t)(i * 7);
	for (size_t row = 0; row < 4; row++)
		for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
			struct bytes p = bytes_of(packet, rows[row].length);
			packet[0] = rows[row].first;
			frames_clear(&b.got);
			come_in_pieces(&sequence, p, pieces[i]);
			good += rows[row].good;
			bad += !rows[row].good;
			ck_assert_uint_eq(b.got.count, rows[row].good);
			if (rows[row].good)
				assert_octets(b.got.at[0], p);
			ck_assert_uint_eq(counted(&b).packets, good);
			ck_assert_uint_eq(counted(&b).too_long, bad);
		}
}
END_TEST

/* 10 MB after one B, then 10 MB more with holes: one fault in all. */
START_TEST(B062_a_packet_without_end)
{
	static uint8_t data[1000];
	uint32_t sequence = 0;

	come(&b, 0, sequence++, "B", "endless");
	for (; sequence < 10000; sequence++)
		feed(&b, sequence % 2, &(struct mp_header){.sequence = sequence},
		     bytes_of(data, sizeof data));
	ck_assert_uint_eq(counted(&b).too_long, 1);
	for (unsigned i = 0; i < 10000; i++, sequence += 2)
		feed(&b, 0, &(struct mp_header){.sequence = sequence}, bytes_of(data, sizeof data));
	come(&b, 0, sequence, "BE", "good");
	come(&b, 1, sequence + 1, "BE", "better");
	assert_got(&b, "good|better");
	ck_assert_uint_eq(counted(&b).too_long, 1);
}
END_TEST

/* Cut to what tells that they are too long, in order or not. */
START_TEST(fragments_of_64_KB)
{
	static uint8_t data[1 << 16];
	const struct bytes huge = bytes_of(data, sizeof data);

	feed(&b, 0, &(struct mp_header){.begin = true, .end = true, .sequence = 0}, huge);
	for (uint32_t i = 2; i < 40; i++)
		feed(&b, 1, &(struct mp_header){.begin = true, .end = true, .sequence = i}, huge);
	come(&b, 0, 1, "BE", "small");
	assert_got(&b, "small");
	ck_assert_uint_eq(counted(&b).too_long, 39);
	ck_assert_uint_eq(counted(&b).overflows, 0);
}
END_TEST

/* --- the end of the numbers --- */

static void open_short(struct bundle *bundle)
{
	struct reassembly_config config = test_config;

	config.short_sequence = true;
	bundle_open(bundle, &config, 2);
}

/* Round once and a bit, each pair of fragments the wrong way round. */
static void go_round(uint32_t numbers)
{
	struct frames *got = &b.got;

	for (uint32_t i = 0; i < numbers + 100; i += 2) {
		frames_clear(got);
		come(&b, 1, i + 1, "E", "ond");
		come(&b, 0, i, "B", "sec");
		ck_assert_uint_eq(got->count, 1);
	}
	struct reassembly_counters c = counted(&b);
	ck_assert_uint_eq(c.packets, (numbers + 100) / 2);
	ck_assert_uint_eq(c.lost + c.late + c.broken + c.renumbered, 0);
}

START_TEST(short_numbers_wrap)
{
	bundle_close(&b);
	open_short(&b);
	go_round(1 << 12);
}
END_TEST

/* Not all 2^24 of them: the numbers are taken up shortly before their end. */
START_TEST(long_numbers_wrap)
{
	uint32_t sequence = (1 << 24) - 100;

	come(&b, 0, sequence++, "BE", "where they begin");
	for (unsigned i = 0; i < 200; i += 2) {
		come(&b, 1, sequence + i + 1, "E", "ond");
		come(&b, 0, sequence + i, "B", "sec");
	}
	struct reassembly_counters c = counted(&b);
	ck_assert_uint_eq(c.packets, 101);
	ck_assert_uint_eq(c.lost + c.late + c.broken + c.renumbered, 0);
}
END_TEST

/* --- no room --- */

START_TEST(what_is_not_taken_out_is_not_lost)
{
	const struct mp_header first = {.begin = true, .end = true};
	struct mp_header header = first;

	while (offer(&b, 0, &header, bytes_of("packet", 6)))
		header.sequence++;
	ck_assert_uint_eq(header.sequence, TEST_WINDOW + 1);
	ck_assert_uint_eq(counted(&b).fragments, TEST_WINDOW + 1);
	ck_assert(!offer(&b, 0, &header, bytes_of("packet", 6)));
	ck_assert_uint_eq(counted(&b).fragments, TEST_WINDOW + 1);
	feed(&b, 0, &header, bytes_of("packet", 6));
	ck_assert_uint_eq(b.got.count, TEST_WINDOW + 2);
	struct reassembly_counters c = counted(&b);
	ck_assert_uint_eq(c.lost + c.overflows + c.late, 0);
}
END_TEST

/* Link 1 is idle and keeps M down: the window gives up what is too old for it. */
START_TEST(a_full_window_gives_up_the_oldest_hole)
{
	for (uint32_t i = 1; i <= TEST_WINDOW - 1; i++)
		come(&b, 0, i, i == 10 ? "" : "BE", "x");
	ck_assert_uint_eq(b.got.count, 0);
	come(&b, 0, TEST_WINDOW, "BE", "x");
	ck_assert_uint_eq(b.got.count, TEST_WINDOW - 1);
	struct reassembly_counters c = counted(&b);
	ck_assert_uint_eq(c.overflows, 1);
	ck_assert_uint_eq(c.lost, 1);
	come(&b, 1, 0, "BE", "late");
	ck_assert_uint_eq(b.got.count, TEST_WINDOW - 1);
	ck_assert_uint_eq(counted(&b).late, 1);
}
END_TEST

static const struct {
	bool short_sequence;
	size_t mrru;
	uint32_t window;
	size_t piece; /* of which the whole window may be */
} sizes[] = {
	{false, 1500, 4096, 375},
	{true, 1500, 1024, 375},
	{false, 65535, 4096, 480},
	{true, 296, 1024, 296},
};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void bundle_open_fit(struct bundle *bundle, bool short_sequence, size_t mrru)
{
	struct reassembly_config config = {
		.mrru = mrru,
		.short_sequence = short_sequence,
		.least_wait = 100 * SB_MS,
		.most_wait = 4 * SB_SEC,
	};

	reassembly_fit(&config);
	bundle_open(bundle, &config, 2);
}

/* One fragment; what it made whole is counted. */
static unsigned pass(struct bundle *bundle, unsigned link, uint32_t place, size_t length)
{
	static const uint8_t zeros[1500];
	const struct mp_header header = {.begin = true,
					 .end = true,
					 .sequence =
						 place % (bundle->short_sequence ? 4096 : 1 << 24)};
	struct bytes packet;
	unsigned n = 0;

	while (!offer(bundle, link, &header, bytes_of(zeros, length)))
		n += reassembly_next(bundle->reassembly, bundle->now, &packet);
	while (reassembly_next(bundle->reassembly, bundle->now, &packet))
		n++;
	return n;
}

/* One link is behind by the whole window, again and again: nothing is lost. One more is. */
START_TEST(the_window_fits_the_numbers)
{
	const uint32_t window = sizes[_i].window;
	uint32_t place = 0;
	static struct bundle fit;

	bundle_open_fit(&fit, sizes[_i].short_sequence, sizes[_i].mrru);
	for (int round = 0; round < 5; round++, place += window) {
		for (uint32_t i = 1; i < window; i++)
			ck_assert_uint_eq(pass(&fit, 0, place + i, sizes[_i].piece), 0);
		ck_assert_uint_eq(counted(&fit).overflows, 0);
		ck_assert_uint_eq(pass(&fit, 1, place, 100), window);
	}
	ck_assert_uint_eq(counted(&fit).lost + counted(&fit).late, 0);
	for (uint32_t i = 1; i < window; i++)
		ck_assert_uint_eq(pass(&fit, 0, place + i, 100), 0);
	ck_assert_uint_eq(pass(&fit, 0, place + window, 100), window);
	ck_assert_uint_eq(counted(&fit).overflows, 1);
	ck_assert_uint_eq(counted(&fit).lost, 1);
	bundle_close(&fit);
}
END_TEST

/* The buffer is for pieces: of whole packets it is full sooner, and holds no more than it has. */
START_TEST(the_buffer_fits_the_window)
{
	static struct bundle fit;
	uint32_t i = 1;

	bundle_open_fit(&fit, sizes[_i].short_sequence, 1500);
	while (!counted(&fit).overflows)
		pass(&fit, 0, i++, 1500);
	/* A packet takes 13 blocks of 120 octets, a piece 4. */
	ck_assert_uint_eq(i - 2, sizes[_i].window * 4 / 13);
	bundle_close(&fit);
}
END_TEST

START_TEST(a_full_store_gives_up_the_oldest_hole)
{
	static uint8_t data[1000];
	struct reassembly_config config = test_config;

	config.buffer = 8000;
	bundle_close(&b);
	bundle_open(&b, &config, 2);
	data[0] = 0x21;
	for (uint32_t i = 1; !counted(&b).overflows; i++) {
		ck_assert_uint_lt(i, 10);
		feed(&b, 0, &(struct mp_header){.begin = true, .end = true, .sequence = i},
		     bytes_of(data, sizeof data));
	}
	ck_assert_uint_eq(counted(&b).lost, 1);
	ck_assert_uint_ge(b.got.count, 7);
	come(&b, 0, 20, "BE", "beyond a new hole");
	come(&b, 1, (uint32_t)b.got.count + 1, "BE", "its filling");
	ck_assert_uint_eq(counted(&b).lost, 1);
}
END_TEST

/* The fragment that finds no room is the one that is missed: it needs none. */
START_TEST(a_full_store_does_not_give_up_what_comes)
{
	static uint8_t data[1500];
	struct reassembly_config config = test_config;

	config.buffer = 1;
	bundle_close(&b);
	bundle_open(&b, &config, 3);
	feed(&b, 0, &(struct mp_header){.begin = true, .end = true, .sequence = 3},
	     bytes_of(data, sizeof data));
	come(&b, 1, 2, "BE", "before it");
	wait_for(&b, config.most_wait);
	assert_octets(b.got.at[0], bytes_of("before it", 9));
	ck_assert_uint_eq(b.got.count, 2);
	ck_assert_uint_eq(counted(&b).lost, 2);
}
END_TEST

/* Where blocks are just full, the octet that makes it too long has one of its own. */
START_TEST(the_smallest_store_has_room_for_what_is_too_long)
{
	static uint8_t data[1000];
	struct reassembly_config config = test_config;

	config.buffer = 1;
	config.mrru = 118;
	bundle_close(&b);
	bundle_open(&b, &config, 2);
	feed(&b, 0, &(struct mp_header){.begin = true, .end = true, .sequence = 1},
	     bytes_of(data, sizeof data));
	come(&b, 1, 0, "BE", "small");
	assert_got(&b, "small");
	ck_assert_uint_eq(counted(&b).too_long, 1);
}
END_TEST

static TCase *add_case(Suite *suite, const char *name)
{
	TCase *tcase = tcase_create(name);

	tcase_add_checked_fixture(tcase, open_two, close_all);
	suite_add_tcase(suite, tcase);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("reassembly");
	TCase *order = add_case(suite, "order");
	TCase *flags = add_case(suite, "flags");
	TCase *length = add_case(suite, "length");
	TCase *wrap = add_case(suite, "wrap");
	TCase *room = add_case(suite, "room");

	tcase_add_test(order, whole_packets_in_order);
	tcase_add_test(order, a_packet_over_all_links);
	tcase_add_test(order, fragments_out_of_order);
	tcase_add_test(order, numbers_begin_at_zero);
	tcase_add_test(order, fragments_of_one_and_two_octets);
	tcase_add_test(order, empty_fragments_of_a_packet_are_no_harm);
	tcase_add_test(order, every_order_of_five_fragments);
	tcase_add_test(flags, an_end_without_a_beginning);
	tcase_add_test(flags, a_beginning_within_a_packet);
	tcase_add_test(flags, null_fragments_take_a_place);
	tcase_add_test(flags, B030_fragments_without_a_whole_header);
	tcase_add_test(length, B062_mrru_and_one_more);
	tcase_add_test(length, B062_a_packet_without_end);
	tcase_add_test(length, fragments_of_64_KB);
	tcase_add_test(wrap, short_numbers_wrap);
	tcase_add_test(wrap, long_numbers_wrap);
	tcase_add_test(room, what_is_not_taken_out_is_not_lost);
	tcase_add_test(room, a_full_window_gives_up_the_oldest_hole);
	tcase_add_loop_test(room, the_window_fits_the_numbers, 0, SIZES);
	tcase_add_loop_test(room, the_buffer_fits_the_window, 0, 2);
	tcase_add_test(room, a_full_store_gives_up_the_oldest_hole);
	tcase_add_test(room, a_full_store_does_not_give_up_what_comes);
	tcase_add_test(room, the_smallest_store_has_room_for_what_is_too_long);
	return run_suite(suite);
}
