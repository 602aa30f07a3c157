/* SPDX-License-Identifier: MIT */
/*
 * FCS-16 and FCS-32 (RFC 1662, appendix C), four bytes a step.
 *
 * Both are the remainder of a division of polynomials over bits, sent least
 * significant bit first. RFC 1662's table T gives the remainder of one byte:
 *
 *	fcs' = T[(fcs ^ byte) & 0xff] ^ fcs >> 8
 *
 * and each step waits for the look-up of the one before. "Slicing" looks four
 * bytes up at once in four tables, where slice k is the remainder of a byte with
 * k zero bytes behind it:
 *
 *	x = fcs ^ four bytes;  fcs' = S3[x0] ^ S2[x1] ^ S1[x2] ^ S0[x3]
 *
 * A 16-bit remainder is a 32-bit one whose upper half is zero, so one loop
 * serves both.
 *
 * The tables need not be typed in. Remainders are linear, T[a ^ b] = T[a] ^ T[b],
 * so the eight entries with one bit in the index make all 256; and these are one
 * chain: T[0x80] is the polynomial, and halving the index divides once more,
 * x' = x >> 1 ^ (x & 1 ? polynomial : 0), from slice to slice without a break.
 */
#include "ppp/fcs.h"

#define BIT(i, n) ((unsigned)(i) >> n & 1)
#define LINEAR(i, x80, x40, x20, x10, x08, x04, x02, x01)                                          \
	(BIT(i, 7) * x80 ^ BIT(i, 6) * x40 ^ BIT(i, 5) * x20 ^ BIT(i, 4) * x10 ^ BIT(i, 3) * x08 ^ \
	 BIT(i, 2) * x04 ^ BIT(i, 1) * x02 ^ BIT(i, 0) * x01)

/* The polynomial x^16 + x^12 + x^5 + 1, reversed, and its chain. */
#define FCS16_S0(i) LINEAR(i, 0x8408, 0x4204, 0x2102, 0x1081, 0x8c48, 0x4624, 0x2312, 0x1189)
#define FCS16_S1(i) LINEAR(i, 0x8ccc, 0x4666, 0x2333, 0x9591, 0xcec0, 0x6760, 0x33b0, 0x19d8)
#define FCS16_S2(i) LINEAR(i, 0x0cec, 0x0676, 0x033b, 0x8595, 0xc6c2, 0x6361, 0xb5b8, 0x5adc)
#define FCS16_S3(i) LINEAR(i, 0x2d6e, 0x16b7, 0x8f53, 0xc3a1, 0xe5d8, 0x72ec, 0x3976, 0x1cbb)

/* The same of IEEE 802.3's 32-bit polynomial. */
#define FCS32_S0(i)                                                                                \
	LINEAR(i, 0xedb88320, 0x76dc4190, 0x3b6e20c8, 0x1db71064, 0x0edb8832, 0x076dc419,          \
	       0xee0e612c, 0x77073096)
#define FCS32_S1(i)                                                                                \
	LINEAR(i, 0x3b83984b, 0xf0794f05, 0x958424a2, 0x4ac21251, 0xc8d98a08, 0x646cc504,          \
	       0x32366282, 0x191b3141)
#define FCS32_S2(i)                                                                                \
	LINEAR(i, 0xe1351b80, 0x709a8dc0, 0x384d46e0, 0x1c26a370, 0x0e1351b8, 0x0709a8dc,          \
	       0x0384d46e, 0x01c26a37)
#define FCS32_S3(i)                                                                                \
	LINEAR(i, 0xed59b63b, 0x9b14583d, 0xa032af3e, 0x5019579f, 0xc5b428ef, 0x8f629757,          \
	       0xaa09c88b, 0xb8bc6765)

#define X4(entry, i)  entry(i), entry(i + 1), entry(i + 2), entry(i + 3)
#define X16(entry, i) X4(entry, i), X4(entry, i + 4), X4(entry, i + 8), X4(entry, i + 12)
#define X64(entry, i) X16(entry, i), X16(entry, i + 16), X16(entry, i + 32), X16(entry, i + 48)
#define TABLE(entry)                                                                               \
	{                                                                                          \
		X64(entry, 0), X64(entry, 64), X64(entry, 128), X64(entry, 192)                    \
	}

typedef uint32_t slices[4][256];

static const slices fcs16 = {TABLE(FCS16_S0), TABLE(FCS16_S1), TABLE(FCS16_S2), TABLE(FCS16_S3)};
static const slices fcs32 = {TABLE(FCS32_S0), TABLE(FCS32_S1), TABLE(FCS32_S2), TABLE(FCS32_S3)};

static uint32_t low_byte_first(const uint8_t at[static 4])
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint32_t update(const slices s, uint32_t fcs, struct bytes data)
{
	for (; data.length >= 4; data = bytes_skip(data, 4)) {
		uint32_t x = fcs ^ low_byte_first(data.at);
		fcs = s[3][x & 0xff] ^ s[2][x >> 8 & 0xff] ^ s[1][x >> 16 & 0xff] ^ s[0][x >> 24];
	}
	for (size_t i = 0; i < data.length; i++)
		fcs = s[0][(fcs ^ data.at[i]) & 0xff] ^ fcs >> 8;
	return fcs;
}

uint16_t fcs16_update(uint16_t fcs, struct bytes data)
{
	return (uint16_t)update(fcs16, fcs, data);
}

uint32_t fcs32_update(uint32_t fcs, struct bytes data)
{
	return update(fcs32, fcs, data);
}
