/* SPDX-License-Identifier: MIT */
#ifndef NULLMODEM_TTY_SPEED_H
#define NULLMODEM_TTY_SPEED_H

#include <stdint.h>

/* What a terminal is set to send at, in baud, whichever way that was set; 0: it does not say. */
uint32_t tty_speed(int fd);

#endif
