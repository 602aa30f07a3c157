/* SPDX-License-Identifier: MIT */
/* Text to a descriptor that may belong to a stopped terminal or a full pipe. */
#ifndef SRC_OUTPUT_H
#define SRC_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes as far as the reader takes it, in pieces that cannot block, waiting at
 * most wait_ms for each. False: not all was written.
 */
bool output_put(int fd, const char *text, size_t length, int wait_ms);

#endif
