/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
#include "src/entropy.h"

#include <stdlib.h>
#include <sys/random.h>

/* Up to 256 bytes come whole or not at all (getrandom(2)); a kernel without it is too old to run
 * on. */
uint32_t entropy_u32(void *context)
{
	uint32_t value;

	(void)context;
	if (getrandom(&value, sizeof(value), 0) != sizeof(value))
		abort();
	return value;
}
