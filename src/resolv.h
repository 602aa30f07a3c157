/* SPDX-License-Identifier: MIT */
/* Name servers that a peer told, for the host's resolver. */
#ifndef SRC_RESOLV_H
#define SRC_RESOLV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Their addresses (host order; 0: none) with a space between. Returns `to`. */
const char *resolv_text(const uint32_t dns[static 2], char *to, size_t size);
/* As resolv.conf(5) has them, in place of what the file held. False: why, with its name. */
bool resolv_write(const char *path, const uint32_t dns[static 2], char *why, size_t why_size);

#endif
