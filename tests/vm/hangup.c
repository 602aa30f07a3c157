/* SPDX-License-Identifier: MIT */
/*
 * hangup TTY: what the driver does to those who have the port open when its
 * carrier goes. QEMU's UARTs have a carrier for ever.
 */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>

int main(int argc, char *argv[])
{
	int fd = argc == 2 ? open(argv[1], O_RDWR | O_NOCTTY | O_NONBLOCK) : -1;
	if (fd < 0 || ioctl(fd, TIOCVHANGUP) < 0) {
		perror("hangup");
		return 1;
	}
	return 0;
}
