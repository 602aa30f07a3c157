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

int main(void)
{
	Suite *suite = suite_create("reassembly");
	TCase *order = tcase_create("order");

	suite_add_tcase(suite, order);
	tcase_add_checked_fixture(order, open_two, close_all);
	tcase_add_test(order, whole_packets_in_order);
	tcase_add_test(order, a_packet_over_all_links);
	tcase_add_test(order, fragments_out_of_order);
	tcase_add_test(order, numbers_begin_at_zero);
	tcase_add_test(order, fragments_of_one_and_two_octets);
	tcase_add_test(order, empty_fragments_of_a_packet_are_no_harm);
	tcase_add_test(order, every_order_of_five_fragments);
	return run_suite(suite);
}
