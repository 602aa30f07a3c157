/* SPDX-License-Identifier: MIT */
/*
 * The settings of a tty, by the kernel's own struct termios2.
 *
 * Apart from the rest because <asm/termbits.h>, which any speed at all needs,
 * and <termios.h> define the same names differently.
 */
#ifndef SRC_PORT_SETTINGS_H
#define SRC_PORT_SETTINGS_H

#include "src/port.h"

struct tty_settings;

/* All functions that return bool or a pointer: false or NULL means errno says why. */

struct tty_settings *tty_settings_save(int fd); /* free() it */
/* Sets them again, at once. */
bool tty_settings_restore(int fd, const struct tty_settings *saved);

bool tty_settings_set_speed(int fd, uint32_t baud); /* baud > 0 */
/*
 * All 256 values pass both ways unchanged, 8 data bits, a carrier is not waited
 * for; parity, stop bits and flow control as configured. The speed stays, and
 * so does, of the saved settings, whether the last close hangs up.
 */
bool tty_settings_set_mode(int fd, const struct port_config *, const struct tty_settings *saved);

/*
 * Drivers set what they can and report success: whether this is what was asked
 * for, and if not, in text, what it is instead. A pseudo-terminal has no parity.
 */
bool tty_settings_agree(int fd, const struct port_config *, bool pty, char *text, size_t text_size);

#endif
