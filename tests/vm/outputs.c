/* SPDX-License-Identifier: MIT */
/*
 * outputs TTY [+NAME|-NAME]...: a UART's modem control outputs, on or off, beside whoever has the
 * port open. With +loop the chip joins each of them to an input: DTR to DSR, RTS to CTS, OUT1
 * to RI and OUT2 to DCD; and what is sent comes back.
 */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#ifndef TIOCM_LOOP /* of asm/termios.h, which goes not with sys/ioctl.h */
#define TIOCM_LOOP 0x8000
#endif

static const struct {
	const char *name;
	int bit;
} names[] = {{"dtr", TIOCM_DTR},
	     {"rts", TIOCM_RTS},
	     {"out1", 0x2000},
	     {"out2", 0x4000},
	     {"loop", TIOCM_LOOP}};

static int find(const char *name)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i].name, name) == 0)
			return names[i].bit;
	return 0;
}

int main(int argc, char *argv[])
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_NOCTTY | O_NONBLOCK) : -1;
	if (fd < 0) {
		perror("outputs");
		return 1;
	}
	for (int i = 2; i < argc; i++) {
		int bit = find(argv[i] + 1);
		if (!bit || ioctl(fd, argv[i][0] == '+' ? TIOCMBIS : TIOCMBIC, &bit) < 0) {
			fprintf(stderr, "outputs: %s cannot be set\n", argv[i]);
			return 1;
		}
	}
	return 0;
}
