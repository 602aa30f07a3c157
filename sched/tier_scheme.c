/* SPDX-License-Identifier: MIT */
/* Which DSCP goes into which tier. */
#include "sched/ip.h"
#include "sched/tiers.h"

enum { I = TIER_INTERACTIVE, E = TIER_BEST_EFFORT, K = TIER_BULK };

/*
 * As cake's diffserv3, with two class selectors more (RFC 4594: real-time interactive, signalling).
 * Bulk: LE (1), CS1 (8). Interactive: TOS "low delay" (4), CS4 (32), CS5 (40), VOICE-ADMIT (44),
 * EF (46), CS6 (48), CS7 (56).
 */
static const uint8_t diffserv3[64] = {
	E, K, E, E, I, E, E, E, /* 0 */
	K, E, E, E, E, E, E, E, /* 8 */
	E, E, E, E, E, E, E, E, /* 16 */
	E, E, E, E, E, E, E, E, /* 24 */
	I, E, E, E, E, E, E, E, /* 32 */
	I, E, E, E, I, E, I, E, /* 40 */
	I, E, E, E, E, E, E, E, /* 48 */
	I, E, E, E, E, E, E, E, /* 56 */
};

/* By the class selector alone (RFC 2474 section 4.2.2), whatever the other three bits are. */
static const uint8_t precedence[8] = {E, K, E, E, I, I, I, I};

enum tier tier_of(enum tier_scheme scheme, struct bytes packet)
{
	switch (scheme) {
	case TIERS_DIFFSERV3:
		return (enum tier)diffserv3[ip_dscp(packet)];
	case TIERS_PRECEDENCE:
		return (enum tier)precedence[ip_dscp(packet) >> 3];
	case TIERS_BESTEFFORT:
		break;
	}
	return TIER_BEST_EFFORT;
}

const char *tier_name(enum tier i)
{
	static const char *const names[TIERS] = {"interactive", "best effort", "bulk"};

	return names[i];
}
