/* SPDX-License-Identifier: MIT */
/*
 * Any bytes through ip.h and xmit_hash.h. Beyond not crashing: marking keeps a good packet good,
 * keeps its flow and its line, and does not change it a second time.
 */
#include <stdlib.h>

#include "sched/ip.h"
#include "sched/xmit_hash.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* Of all policies, one after the other. */
static uint32_t hashes(struct bytes packet)
{
	uint32_t all = 0;

	for (int h = XMIT_LAYER2; h < XMIT_HASHES; h++)
		all = all * 31 + xmit_hash((enum xmit_hash)h, packet);
	return all;
}

static void check_marking(uint8_t *packet, size_t size)
{
	const struct bytes view = bytes_of(packet, size);
	const enum ip_verdict verdict = ip_check(view);
	const uint32_t hash = ip_flow_hash(view, 1), lines = hashes(view);
	const bool marked = ip_set_ce(packet, size);

	require(ip_flow_hash(view, 1) == hash);
	require(hashes(view) == lines);
	require(verdict != IP_OK || ip_check(view) == IP_OK);
	require(ip_set_ce(packet, size) == marked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Blocks of the very size, so that a read or write beyond the end is seen. */
	uint8_t *packet = malloc(size ? size : 1), *once = malloc(size ? size : 1);

	require(packet && once);
	if (size) {
		memcpy(packet, data, size);
		check_marking(packet, size);
		memcpy(once, packet, size);
		ip_set_ce(packet, size);
		require(memcmp(packet, once, size) == 0);
	}
	free(packet);
	free(once);
	return 0;
}
