/* SPDX-License-Identifier: MIT */
/*
 * The outbox against a plain list.
 */
#include "ppp/outbox.h"

#include "tests/unit/codec_testing.h"

static struct outbox box;

static void setup(void)
{
	memset(&box, 0, sizeof box);
}

static void assert_takes(uint16_t protocol, struct bytes want)
{
	uint8_t memory[OUTBOX_BYTES];
	struct buf out = buf_over(memory, sizeof memory);
	uint16_t got;

	ck_assert(outbox_take(&box, &got, &out));
	ck_assert_uint_eq(got, protocol);
	assert_octets(buf_bytes(&out), want);
}

START_TEST(first_in_first_out)
{
	ck_assert(outbox_put(&box, 0xc021, hex("01 01 00 04")));
	ck_assert(outbox_put(&box, 0x8021, hex("02 02 00 05 00")));
	assert_takes(0xc021, hex("01 01 00 04"));
	ck_assert(outbox_put(&box, 0x8057, hex("03")));
	assert_takes(0x8021, hex("02 02 00 05 00"));
	ck_assert(!outbox_empty(&box));
	assert_takes(0x8057, hex("03"));
	ck_assert(outbox_empty(&box));

	struct buf nowhere = buf_over(NULL, 0);
	uint16_t protocol;
	ck_assert(!outbox_take(&box, &protocol, &nowhere));
}
END_TEST

START_TEST(appends_to_what_is_there)
{
	uint8_t memory[8];
	struct buf out = buf_over(memory, sizeof memory);
	uint16_t protocol;

	buf_put(&out, 0xff);
	outbox_put(&box, 1, hex("0a 0b"));
	ck_assert(outbox_take(&box, &protocol, &out));
	assert_octets(buf_bytes(&out), hex("ff 0a 0b"));
}
END_TEST

START_TEST(too_many_packets_are_dropped_and_counted)
{
	for (int i = 0; i < OUTBOX_PACKETS; i++)
		ck_assert(outbox_put(&box, (uint16_t)i, hex("01")));
	ck_assert(!outbox_put(&box, 99, hex("02")));
	ck_assert_uint_eq(box.dropped, 1);
	for (int i = 0; i < OUTBOX_PACKETS; i++)
		assert_takes((uint16_t)i, hex("01"));
	ck_assert(outbox_empty(&box));
}
END_TEST

START_TEST(too_many_bytes_are_dropped_and_counted)
{
	static uint8_t large[OUTBOX_BYTES];

	ck_assert(outbox_put(&box, 1, bytes_of(large, OUTBOX_BYTES - 2)));
	ck_assert(!outbox_put(&box, 2, hex("01 02 03")));
	ck_assert(outbox_put(&box, 3, hex("01 02")));
	ck_assert_uint_eq(box.dropped, 1);
	assert_takes(1, bytes_of(large, OUTBOX_BYTES - 2));
	assert_takes(3, hex("01 02"));
}
END_TEST

START_TEST(cleared)
{
	outbox_put(&box, 1, hex("01 02"));
	outbox_clear(&box);
	ck_assert(outbox_empty(&box));
	outbox_put(&box, 2, hex("03"));
	assert_takes(2, hex("03"));
}
END_TEST

/* Numbered packets of any length: those that got in come out, whole and in order. */
START_TEST(any_sequence)
{
	static uint8_t sent[OUTBOX_BYTES];
	uint64_t seed = 7, dropped = 0;
	uint16_t next_in = 0, waiting[OUTBOX_PACKETS], lengths[OUTBOX_PACKETS];
	size_t count = 0;

	for (int i = 0; i < 20000; i++) {
		if (random_below(&seed, 2)) {
			size_t length = 1 + random_below(&seed, 1600);
			memset(sent, next_in & 0xFF, length);
			if (outbox_put(&box, next_in, bytes_of(sent, length))) {
				waiting[count] = next_in;
				lengths[count++] = (uint16_t)length;
			} else {
				dropped++;
			}
			next_in++;
		} else if (count) {
			memset(sent, waiting[0] & 0xFF, lengths[0]);
			assert_takes(waiting[0], bytes_of(sent, lengths[0]));
			count--;
			memmove(waiting, waiting + 1, count * sizeof waiting[0]);
			memmove(lengths, lengths + 1, count * sizeof lengths[0]);
		}
		ck_assert_uint_eq(box.count, count);
		ck_assert_uint_eq(box.dropped, dropped);
	}
	ck_assert_uint_gt(dropped, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("outbox");
	TCase *queue = tcase_create("queue");
	TCase *bounds = tcase_create("bounds");

	tcase_add_checked_fixture(queue, setup, NULL);
	tcase_add_test(queue, first_in_first_out);
	tcase_add_test(queue, appends_to_what_is_there);
	tcase_add_test(queue, cleared);
	suite_add_tcase(suite, queue);
	tcase_add_checked_fixture(bounds, setup, NULL);
	tcase_add_test(bounds, too_many_packets_are_dropped_and_counted);
	tcase_add_test(bounds, too_many_bytes_are_dropped_and_counted);
	tcase_add_test(bounds, any_sequence);
	suite_add_tcase(suite, bounds);
	return run_suite(suite);
}
