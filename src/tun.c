/* SPDX-License-Identifier: MIT */
/*
 * The TUN device.
 *
 * IFF_NO_PI: what is read and written is the packet and nothing else; no
 * IFF_VNET_HDR, so the kernel never hands over packets longer than the MTU.
 * Without IFF_PERSIST the interface, its addresses and its routes go when the
 * descriptor is closed, however the process ends.
 *
 * A name that exists is tried all the same: it may be a persistent TUN that an
 * administrator made for us. The kernel decides: EBUSY when it is in use, EINVAL
 * when it is no TUN.
 */
#define _DEFAULT_SOURCE

#include "src/tun.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char device[] = "/dev/net/tun";

/* Closes and fills in the reason; the status, for the caller to return. */
__attribute__((format(printf, 5, 6))) static enum tun_status give_up(struct tun *tun,
								     enum tun_status status,
								     char *text, size_t text_size,
								     const char *format, ...)
{
	va_list arguments;
	tun_close(tun);
	va_start(arguments, format);
	vsnprintf(text, text_size, format, arguments);
	va_end(arguments);
	return status;
}

static enum tun_status no_device(struct tun *tun, char *text, size_t text_size)
{
	switch (errno) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return give_up(tun, TUN_MISSING, text, text_size,
			       "the kernel has no TUN driver (%s is missing)", device);
	case EACCES:
	case EPERM:
		return give_up(tun, TUN_NO_PERMISSION, text, text_size, "no permission to open %s",
			       device);
	default:
		return give_up(tun, TUN_FAILED, text, text_size, "%s: %s", device, strerror(errno));
	}
}

static enum tun_status no_interface(struct tun *tun, const char *name, char *text, size_t text_size)
{
	int why = errno;
	if (why == EPERM)
		return give_up(tun, TUN_NO_PERMISSION, text, text_size,
			       "no permission to make interface %s (CAP_NET_ADMIN is needed)",
			       name);
	if (if_nametoindex(name) != 0)
		return give_up(tun, TUN_NAME_TAKEN, text, text_size, "interface %s exists already",
			       name);
	return give_up(tun, TUN_FAILED, text, text_size, "interface %s cannot be made: %s", name,
		       strerror(why));
}

enum tun_status tun_open(struct tun *tun, const char *name, char *text, size_t text_size)
{
	struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
	*tun = (struct tun){.fd = -1};
	if (name[0] == '\0' || strlen(name) >= sizeof request.ifr_name)
		return give_up(tun, TUN_FAILED, text, text_size,
			       "\"%s\" is no name for an interface: 1 to %zu characters", name,
			       sizeof request.ifr_name - 1);
	memcpy(request.ifr_name, name, strlen(name));

	tun->fd = open(device, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (tun->fd < 0)
		return no_device(tun, text, text_size);
	if (ioctl(tun->fd, TUNSETIFF, &request) < 0)
		return no_interface(tun, name, text, text_size);
	memcpy(tun->name, request.ifr_name, sizeof tun->name);
	return TUN_OK;
}

void tun_close(struct tun *tun)
{
	if (tun->fd >= 0)
		close(tun->fd);
	tun->fd = -1;
}

void tun_set_carrier(struct tun *tun, bool on)
{
	int carrier = on;
	ioctl(tun->fd, TUNSETCARRIER, &carrier);
}

ssize_t tun_read(struct tun *tun, void *at, size_t capacity)
{
	ssize_t n = read(tun->fd, at, capacity);
	if (n >= 0)
		return n;
	return errno == EAGAIN || errno == EINTR ? 0 : -1;
}

bool tun_write(struct tun *tun, struct bytes packet)
{
	return write(tun->fd, packet.at, packet.length) == (ssize_t)packet.length;
}
