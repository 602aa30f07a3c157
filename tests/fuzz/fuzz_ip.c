/* SPDX-License-Identifier: MIT */
/*
 * Any bytes through ip.h. Beyond not crashing: marking keeps a good packet good,
 * keeps its flow, and does not change it a second time.
 */
#include <stdlib.h>

#include "sched/ip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_marking(uint8_t *packet, size_t size)
{
	const struct bytes view = bytes_of(packet, size);
	const enum ip_verdict verdict = ip_check(view);
	const uint32_t hash = ip_flow_hash(view, 1);
	const bool marked = ip_set_ce(packet, size);

	require(ip_flow_hash(view, 1) == hash);
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
