/* SPDX-License-Identifier: MIT */
/*
 * eql_enslave MASTER SLAVE BPS: gives the kernel's EQL driver a line. Debian has
 * no package of the tool that the driver's HOWTO came with.
 */
#define _DEFAULT_SOURCE
#include <linux/if_eql.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int main(int argc, char *argv[])
{
	if (argc != 4) {
		fprintf(stderr, "usage: eql_enslave MASTER SLAVE BPS\n");
		return 2;
	}
	slaving_request_t request = {.priority = strtol(argv[3], NULL, 10)};
	struct ifreq ifr = {.ifr_data = (void *)&request};
	snprintf(ifr.ifr_name, sizeof ifr.ifr_name, "%s", argv[1]);
	snprintf(request.slave_name, sizeof request.slave_name, "%s", argv[2]);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (fd < 0 || ioctl(fd, EQL_ENSLAVE, &ifr) < 0) {
		perror("eql_enslave");
		return 1;
	}
	return 0;
}
