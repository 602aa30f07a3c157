/* SPDX-License-Identifier: MIT */
/*
 * The settings of a tty.
 *
 * Speed. BOTHER with the number itself: any speed, not the dozen that have a
 * constant. 0 is never set, it means "hang up" (tty_ioctl(2), termios(3)): a
 * tty found with 0 needs a speed from the user, and gets back the last speed
 * at the end rather than the 0.
 *
 * Damaged input. A break is not data: IGNBRK. A character with a parity or
 * framing error is dropped (IGNPAR) rather than read as NUL: a packet that is
 * short is noticed by its length, one with a wrong byte perhaps not.
 *
 * VMIN is 1. With O_NONBLOCK an empty tty then answers EAGAIN, and a read of 0
 * can only mean that the other side is gone; with VMIN 0 both are 0.
 */
#include "src/port_settings.h"

#include <asm/termbits.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#ifndef TCGETS2 /* powerpc: struct termios has the speeds already */
#define TCGETS2  TCGETS
#define TCSETS2  TCSETS
#define termios2 termios
#endif

enum { XON = 0x11, XOFF = 0x13 };

struct tty_settings {
	struct termios2 t;
};

static speed_t speed_of(const struct termios2 *t)
{
	return (t->c_cflag & CBAUD) == B0 ? 0 : t->c_ospeed;
}

static void set_speed(struct termios2 *t, speed_t baud)
{
	t->c_cflag &= ~(tcflag_t)(CBAUD | CIBAUD);
	t->c_cflag |= BOTHER; /* with CIBAUD 0: the input speed follows */
	t->c_ospeed = t->c_ispeed = baud;
}

struct tty_settings *tty_settings_save(int fd)
{
	struct tty_settings *s = malloc(sizeof *s);
	if (s && ioctl(fd, TCGETS2, &s->t) < 0) {
		int why = errno;
		free(s);
		s = NULL;
		errno = why;
	}
	return s;
}

bool tty_settings_restore(int fd, const struct tty_settings *saved)
{
	struct termios2 now, t = saved->t;
	if (speed_of(&t) == 0 && ioctl(fd, TCGETS2, &now) == 0 && speed_of(&now) != 0)
		set_speed(&t, now.c_ospeed);
	return ioctl(fd, TCSETS2, &t) == 0;
}

bool tty_settings_set_speed(int fd, uint32_t baud)
{
	struct termios2 t;
	if (ioctl(fd, TCGETS2, &t) < 0)
		return false;
	set_speed(&t, baud);
	return ioctl(fd, TCSETS2, &t) == 0;
}

/* Everything that changes, swallows, delays or answers characters is off. */
static void make_raw(struct termios2 *t)
{
	t->c_iflag = IGNBRK | IGNPAR;
	t->c_oflag = 0;
	t->c_lflag = 0;
	t->c_cflag &= ~(tcflag_t)CSIZE;
	t->c_cflag |= CS8 | CREAD | CLOCAL;
	t->c_cc[VMIN] = 1;
	t->c_cc[VTIME] = 0;
}

static void make_format(struct termios2 *t, const struct port_config *config)
{
	t->c_cflag &= ~(tcflag_t)(CSTOPB | PARENB | PARODD | CMSPAR);
	if (config->stop_bits == 2)
		t->c_cflag |= CSTOPB;
	if (config->parity == PORT_PARITY_NONE)
		return;
	t->c_cflag |= PARENB;
	t->c_iflag |= INPCK;
	if (config->parity == PORT_PARITY_ODD)
		t->c_cflag |= PARODD;
}

/* Never IXANY: any byte of the peer's would cancel its own XOFF. */
static void make_flow(struct termios2 *t, enum port_flow flow)
{
	t->c_cflag &= ~(tcflag_t)CRTSCTS;
	if (flow == PORT_FLOW_RTSCTS)
		t->c_cflag |= CRTSCTS;
	if (flow == PORT_FLOW_XONXOFF)
		t->c_iflag |= IXON | IXOFF;
	t->c_cc[VSTART] = XON;
	t->c_cc[VSTOP] = XOFF;
}

bool tty_settings_set_mode(int fd, const struct port_config *config,
			   const struct tty_settings *saved)
{
	struct termios2 t;
	if (ioctl(fd, TCGETS2, &t) < 0)
		return false;
	make_raw(&t);
	make_format(&t, config);
	make_flow(&t, config->flow);
	t.c_cflag &= ~(tcflag_t)HUPCL;
	t.c_cflag |= saved->t.c_cflag & HUPCL;
	return ioctl(fd, TCSETS2, &t) == 0;
}

/* Within 3 %: beyond that the last of ten bits is sampled in the wrong place. */
static bool same_speed(speed_t is, speed_t asked)
{
	uint64_t difference = is > asked ? is - asked : asked - is;
	return difference * 100 <= (uint64_t)asked * 3;
}

static bool same_format(const struct termios2 *t, const struct port_config *config, bool pty)
{
	bool two = t->c_cflag & CSTOPB, parity = t->c_cflag & PARENB, odd = t->c_cflag & PARODD;
	bool rtscts = t->c_cflag & CRTSCTS;
	return (t->c_cflag & CSIZE) == CS8 && two == (config->stop_bits == 2) &&
	       rtscts == (config->flow == PORT_FLOW_RTSCTS) &&
	       (pty || (parity == (config->parity != PORT_PARITY_NONE) &&
			odd == (config->parity == PORT_PARITY_ODD)));
}

bool tty_settings_agree(int fd, const struct port_config *config, bool pty, char *text,
			size_t text_size)
{
	struct termios2 t;
	if (ioctl(fd, TCGETS2, &t) < 0)
		return false;
	speed_t is = speed_of(&t);
	if (is == 0) {
		snprintf(text, text_size, "its speed is 0 (hang up): give one");
		return false;
	}
	if (config->baud && !same_speed(is, config->baud)) {
		snprintf(text, text_size, "the driver refuses %u baud (it set %u)", config->baud,
			 is);
		return false;
	}
	if (!same_format(&t, config, pty)) {
		snprintf(text, text_size,
			 "the driver refuses this parity, stop bits or flow control");
		return false;
	}
	return true;
}
