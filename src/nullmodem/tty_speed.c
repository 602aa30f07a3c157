/* SPDX-License-Identifier: MIT */
/*
 * The speed as a number, also where it is none of POSIX's (BOTHER). Alone in a file, since the
 * kernel's termios and the C library's have the same names.
 */
#include "src/nullmodem/tty_speed.h"

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <sys/ioctl.h>

#ifndef TCGETS2 /* powerpc: struct termios has the speeds already */
#define TCGETS2  TCGETS
#define termios2 termios
#endif

uint32_t tty_speed(int fd)
{
	struct termios2 t;
	return ioctl(fd, TCGETS2, &t) == 0 ? t.c_ospeed : 0;
}
