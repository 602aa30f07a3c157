/* SPDX-License-Identifier: MIT */
/* The TUN device: IP packets in and out, no packet information, no offloads. */
#ifndef SRC_TUN_H
#define SRC_TUN_H

#include "serialbundle/bytes.h"

#include <net/if.h>
#include <sys/types.h>

struct tun {
	int fd; /* non-blocking; -1 when closed */
	char name[IFNAMSIZ];
};

enum tun_status {
	TUN_OK = 0,
	TUN_MISSING, /* /dev/net/tun is not there, or has no driver */
	TUN_NO_PERMISSION,
	TUN_NAME_TAKEN, /* an interface of that name exists */
	TUN_FAILED,
};

/* `name` may hold a %d ("sb%d"). On failure *tun is closed and text says why. */
enum tun_status tun_open(struct tun *, const char *name, char *text, size_t text_size);
void tun_close(struct tun *);
/* Whether anything is behind it; at first it is. Kernels before 5.0 do not know, and have it on. */
void tun_set_carrier(struct tun *, bool on);

/* A packet's length; 0 when none waits; -1 when the device is gone. Cut at capacity: >= MTU. */
ssize_t tun_read(struct tun *, void *at, size_t capacity);
/* True when the kernel took it; false: it did not (interface down, not IPv4 or IPv6). */
bool tun_write(struct tun *, struct bytes packet);

#endif
