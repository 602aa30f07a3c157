/* SPDX-License-Identifier: MIT */
/*
 * Where a device's name ends.
 *
 * Names hold colons themselves, so it depends on the kind:
 *
 *   /dev/...                              the last part is the rate, or wrong
 *   tcp:HOST:PORT, tcp:[ADDRESS]:PORT     what stands behind PORT is the rate
 *   usb:VVVV:PPPP[:SERIAL[:INTERFACE]]    the last part behind PPPP, if it looks like a rate
 *   exec:COMMAND                          the last part, if it looks like a rate
 *
 * The last two have doubtful cases; with bps= beside them there is no doubt.
 */
#define _DEFAULT_SOURCE
#include "src/config_device.h"

#include "src/config.h"
#include "src/parse.h"

#include <string.h>

static bool has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool device_is_exec(const char *device)
{
	return has_prefix(device, "exec:");
}

static bool is_number_of(const char *text, size_t length)
{
	uint64_t rate;
	char copy[32];
	if (length == strlen("auto") && strncmp(text, "auto", length) == 0)
		return true;
	if (length >= sizeof(copy))
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	return parse_rate(copy, CONFIG_BPS_MIN, CONFIG_BPS_MAX, &rate);
}

static bool looks_like_rate(const char *text)
{
	size_t length = strcspn(text, "@");
	return is_number_of(text, length) &&
	       (!text[length] || is_number_of(text + length + 1, strlen(text + length + 1)));
}

/* The last colon of `from`, when a rate stands behind it. */
static char *colon_of_rate(char *from)
{
	char *colon = strrchr(from, ':');
	return colon && looks_like_rate(colon + 1) ? colon : NULL;
}

/* The colon behind the host of "HOST:PORT...", or NULL. */
static const char *end_of_host(const char *host)
{
	const char *end = *host == '[' ? strchr(host, ']') : NULL;
	return end ? (end[1] == ':' ? end + 1 : NULL) : strchr(host, ':');
}

static char *colon_of_tcp(char *text)
{
	const char *host = text + strlen("tcp:"), *port = end_of_host(host);
	if (!port || port == host || port[1] == ':')
		return NULL; /* for device_wrong() to say */
	return text + (port - text) + 1 + strcspn(port + 1, ":");
}

static char *colon_of_usb(char *text)
{
	char *product = strchr(text + strlen("usb:"), ':');
	char *rest = product ? strchr(product + 1, ':') : NULL;
	return rest ? colon_of_rate(rest) : NULL;
}

static char *find_colon(char *text, bool has_rate)
{
	if (has_prefix(text, "tcp:"))
		return colon_of_tcp(text);
	if (has_prefix(text, "usb:"))
		return has_rate ? NULL : colon_of_usb(text);
	if (device_is_exec(text))
		return has_rate ? NULL : colon_of_rate(text + strlen("exec:"));
	return strrchr(text, ':');
}

char *device_cut_rate(char *text, bool has_rate)
{
	char *colon = find_colon(text, has_rate);
	if (!colon || !*colon)
		return NULL;
	*colon = '\0';
	return colon + 1;
}

/* --- forms -------------------------------------------------------------------------------------
 */

static bool is_tcp(const char *address)
{
	const char *port = end_of_host(address);
	return port && port > address && port[1] && !strchr(port + 1, ':');
}

static bool is_usb_id(const char *text)
{
	return strspn(text, "0123456789abcdefABCDEF") == 4;
}

static bool is_usb(const char *ids)
{
	return is_usb_id(ids) && ids[4] == ':' && is_usb_id(ids + 5) &&
	       (ids[9] == ':' || ids[9] == '\0');
}

const char *device_wrong(const char *device)
{
	if (has_prefix(device, "tcp:") && !is_tcp(device + strlen("tcp:")))
		return "such a device is tcp:HOST:PORT, or tcp:[ADDRESS]:PORT";
	if (has_prefix(device, "usb:") && !is_usb(device + strlen("usb:")))
		return "such a device is usb:VVVV:PPPP[:SERIAL[:INTERFACE]], as lsusb shows them";
	if (device_is_exec(device) && !device[strlen("exec:")])
		return "such a device is exec:COMMAND";
	return NULL;
}
