/* SPDX-License-Identifier: MIT */
/*
 * The FCS against published values, and against division bit by bit.
 */
#include "ppp/fcs.h"
#include "tests/unit/codec_testing.h"

static const uint16_t poly16 = 0x8408;
static const uint32_t poly32 = 0xedb88320;

static uint32_t bitwise(uint32_t polynomial, uint32_t fcs, struct bytes data)
{
	for (size_t i = 0; i < data.length; i++)
		for (int bit = 0; bit < 8; bit++) {
			uint32_t differs = (fcs ^ (uint32_t)data.at[i] >> bit) & 1;
			fcs >>= 1;
			if (differs)
				fcs ^= polynomial;
		}
	return fcs;
}

START_TEST(check_values)
{
	struct bytes digits = bytes_of("123456789", 9);
	ck_assert_uint_eq(fcs16_update(FCS16_INIT, digits) ^ 0xffff, 0x906e);
	ck_assert_uint_eq(fcs32_update(FCS32_INIT, digits) ^ 0xffffffff, 0xcbf43926);
}
END_TEST

/* Entries that RFC 1662 C.2 and C.3 print. */
START_TEST(tables_of_the_rfc)
{
	static const struct {
		uint8_t index;
		uint16_t fcs16;
		uint32_t fcs32;
	} entry[] = {
		{0x00, 0x0000, 0x00000000}, {0x01, 0x1189, 0x77073096}, {0x02, 0x2312, 0xee0e612c},
		{0x80, 0x8408, 0xedb88320}, {0xff, 0x0f78, 0x2d02ef8d},
	};
	for (size_t i = 0; i < sizeof entry / sizeof entry[0]; i++) {
		struct bytes one = bytes_of(&entry[i].index, 1);
		ck_assert_uint_eq(fcs16_update(0, one), entry[i].fcs16);
		ck_assert_uint_eq(fcs32_update(0, one), entry[i].fcs32);
	}
}
END_TEST

START_TEST(no_data_changes_nothing)
{
	ck_assert_uint_eq(fcs16_update(0x1234, bytes_of(NULL, 0)), 0x1234);
	ck_assert_uint_eq(fcs32_update(0x12345678, bytes_of(NULL, 0)), 0x12345678);
}
END_TEST

/* Every length around the four-byte step, from every register value that random gives. */
START_TEST(agrees_with_bitwise_division)
{
	uint64_t seed = 1;
	uint8_t data[67];

	for (int round = 0; round < 20; round++)
		for (size_t n = 0; n <= sizeof data; n++) {
			random_fill(&seed, data, n, hex("00 ff 7e"));
			uint16_t start16 = (uint16_t)next_random(&seed);
			uint32_t start32 = (uint32_t)next_random(&seed);
			struct bytes b = bytes_of(data, n);
			ck_assert_uint_eq(fcs16_update(start16, b), bitwise(poly16, start16, b));
			ck_assert_uint_eq(fcs32_update(start32, b), bitwise(poly32, start32, b));
		}
}
END_TEST

START_TEST(updates_chain_at_every_cut)
{
	uint64_t seed = 2;
	uint8_t data[40];
	random_fill(&seed, data, sizeof data, hex("00"));
	struct bytes whole = bytes_of(data, sizeof data);

	for (size_t cut = 0; cut <= sizeof data; cut++) {
		struct bytes head = bytes_of(data, cut), tail = bytes_skip(whole, cut);
		ck_assert_uint_eq(fcs16_update(fcs16_update(FCS16_INIT, head), tail),
				  fcs16_update(FCS16_INIT, whole));
		ck_assert_uint_eq(fcs32_update(fcs32_update(FCS32_INIT, head), tail),
				  fcs32_update(FCS32_INIT, whole));
	}
}
END_TEST

START_TEST(data_with_its_fcs_is_good)
{
	uint64_t seed = 3;
	uint8_t data[64 + 4];

	for (size_t n = 0; n <= 64; n++) {
		random_fill(&seed, data, n, hex("00 ff"));
		uint32_t fcs = ~(uint32_t)fcs16_update(FCS16_INIT, bytes_of(data, n));
		for (int i = 0; i < 2; i++)
			data[n + i] = (uint8_t)(fcs >> 8 * i);
		ck_assert_uint_eq(fcs16_update(FCS16_INIT, bytes_of(data, n + 2)), FCS16_GOOD);

		fcs = ~fcs32_update(FCS32_INIT, bytes_of(data, n));
		for (int i = 0; i < 4; i++)
			data[n + i] = (uint8_t)(fcs >> 8 * i);
		ck_assert_uint_eq(fcs32_update(FCS32_INIT, bytes_of(data, n + 4)), FCS32_GOOD);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fcs");
	TCase *values = tcase_create("published values");
	TCase *properties = tcase_create("properties");

	tcase_add_test(values, check_values);
	tcase_add_test(values, tables_of_the_rfc);
	suite_add_tcase(suite, values);

	tcase_add_test(properties, no_data_changes_nothing);
	tcase_add_test(properties, agrees_with_bitwise_division);
	tcase_add_test(properties, updates_chain_at_every_cut);
	tcase_add_test(properties, data_with_its_fcs_is_good);
	suite_add_tcase(suite, properties);
	return run_suite(suite);
}
