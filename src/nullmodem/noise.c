/* SPDX-License-Identifier: MIT */
/*
 * Noise from splitmix64 (Steele, Lea, Flood, OOPSLA 2014): 64 bits of state,
 * any seed is a good one, and plenty for a wire.
 */
#include "src/nullmodem/noise.h"

uint64_t noise_draw(struct noise *n)
{
	uint64_t z = n->state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

double noise_uniform(struct noise *n)
{
	return (double)(noise_draw(n) >> 11) * 0x1p-53;
}

/* True with probability p. Draws nothing for 0, so that unused faults cost nothing. */
static bool happens(struct noise *n, double p)
{
	return p > 0 && noise_uniform(n) < p;
}

struct noise noise_seeded(uint64_t seed)
{
	return (struct noise){.state = seed};
}

bool noise_is_silent(const struct noise_config *config)
{
	return !(config->drop > 0 || config->byte_errors > 0 || config->bit_errors > 0);
}

enum noise_effect noise_apply(struct noise *n, const struct noise_config *config, uint8_t *c)
{
	if (happens(n, config->drop))
		return NOISE_DROPPED;

	uint8_t before = *c;
	if (happens(n, config->byte_errors))
		*c ^= (uint8_t)(1 + noise_draw(n) % 255);
	for (unsigned bit = 0; config->bit_errors > 0 && bit < 8; bit++)
		if (happens(n, config->bit_errors))
			*c ^= (uint8_t)(1u << bit);
	return *c == before ? NOISE_NONE : NOISE_DAMAGED;
}
