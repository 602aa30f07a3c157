/* SPDX-License-Identifier: MIT */
/* The only place where the program reads a clock. */
#ifndef SRC_CLOCK_H
#define SRC_CLOCK_H

#include "serialbundle/time.h"

sb_time clock_now(void);  /* CLOCK_MONOTONIC */
int64_t clock_wall(void); /* CLOCK_REALTIME, nanoseconds since 1970; for captures */
sb_time clock_cpu(void);  /* of processor that this program has used */

#endif
