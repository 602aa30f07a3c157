/* SPDX-License-Identifier: MIT */
/*
 * What a bad line does to characters: they vanish, change, or lose bits.
 *
 * The draws depend on the seed and the characters' order alone, not on time
 * or on how they were grouped, so a run repeats exactly.
 */
#ifndef NULLMODEM_NOISE_H
#define NULLMODEM_NOISE_H

#include <stdbool.h>
#include <stdint.h>

struct noise_config {
	double drop;        /* probability that a character vanishes */
	double byte_errors; /* ... that it arrives as a random other one */
	double bit_errors;  /* ... of each of its eight data bits to arrive inverted */
};

struct noise {
	uint64_t state; /* of splitmix64 */
};

enum noise_effect { NOISE_NONE, NOISE_DAMAGED, NOISE_DROPPED };

struct noise noise_seeded(uint64_t seed);
uint64_t noise_draw(struct noise *);
double noise_uniform(struct noise *); /* 0 <= it < 1 */
bool noise_is_silent(const struct noise_config *);
/* One character's fate; *c is changed when it was damaged. */
enum noise_effect noise_apply(struct noise *, const struct noise_config *, uint8_t *c);

#endif
