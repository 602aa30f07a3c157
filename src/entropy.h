/* SPDX-License-Identifier: MIT */
/* Numbers that nobody can foresee, from the kernel. */
#ifndef SRC_ENTROPY_H
#define SRC_ENTROPY_H

#include <stdint.h>

/* In the form that the engines' configurations take; the context is not used. */
uint32_t entropy_u32(void *context);

#endif
