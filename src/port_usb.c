/* SPDX-License-Identifier: MIT */
/*
 * An adapter by what it is, not by the number it happened to get: "usb:VVVV:PPPP", with its
 * serial number where there are several of a kind, and its interface where it has several ports.
 * Asked at each opening, so that one that was unplugged is found again wherever it turns up.
 *
 * Two that both fit are refused: which one is first depends on the order of plugging.
 */
#define _DEFAULT_SOURCE

#include "src/port_internal.h"
#include "src/port_names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { SERIAL_SIZE = 128, INTERFACE_MAX = 255 };

struct ids {
	int vendor, product;
	char serial[SERIAL_SIZE]; /* "" : any */
	int interface;            /* -1: any */
};

/* Four hexadecimal digits; what follows them, or NULL. */
static const char *take_id(int *to, const char *text)
{
	*to = 0;
	for (int i = 0; i < 4; i++, text++) {
		if (!isxdigit((unsigned char)*text))
			return NULL;
		*to = *to * 16 + (int)strtol((char[]){*text, '\0'}, NULL, 16);
	}
	return text;
}

static const char *take_serial(struct ids *ids, const char *text)
{
	size_t length = strcspn(text, ":");
	if (length >= sizeof ids->serial)
		return NULL;
	memcpy(ids->serial, text, length);
	return text + length;
}

static const char *take_interface(struct ids *ids, const char *text)
{
	char *end;
	long number = strtol(text, &end, 10);
	if (!isdigit((unsigned char)*text) || number > INTERFACE_MAX)
		return NULL;
	ids->interface = (int)number;
	return end;
}

static bool parse(struct ids *ids, const char *text)
{
	*ids = (struct ids){.interface = -1};
	text = take_id(&ids->vendor, text);
	if (!text || *text++ != ':')
		return false;
	text = take_id(&ids->product, text);
	if (text && *text == ':')
		text = take_serial(ids, text + 1);
	if (text && *text == ':')
		text = take_interface(ids, text + 1);
	return text && !*text;
}

static bool fits(const struct ids *ids, const struct sp_port *port)
{
	int vendor, product;
	if (sp_get_port_transport(port) != SP_TRANSPORT_USB ||
	    sp_get_port_usb_vid_pid(port, &vendor, &product) != SP_OK)
		return false;
	const char *serial = sp_get_port_usb_serial(port);
	return vendor == ids->vendor && product == ids->product &&
	       (!ids->serial[0] || (serial && strcmp(serial, ids->serial) == 0)) &&
	       (ids->interface < 0 || ids->interface == port_names_interface(port));
}

/* "ttyUSB0 (serial number A123, interface 0)", as far as these are known. */
static void name_one(char *text, size_t size, const struct sp_port *port)
{
	const char *path = sp_get_port_name(port), *slash = strrchr(path, '/');
	const char *serial = sp_get_port_usb_serial(port);
	int interface = port_names_interface(port);
	char which[16] = "?";
	if (interface >= 0)
		snprintf(which, sizeof which, "%d", interface);
	snprintf(text, size, "%s (serial number %s, interface %s)", slash ? slash + 1 : path,
		 serial ? serial : "none", which);
}

/* The number of ports that fit; the path of the first, and names of the first two. */
static unsigned find_all(const struct ids *ids, char path[static PATH_MAX], char names[2][80])
{
	struct port_names all;
	struct sp_port *port;
	unsigned found = 0;
	port_names_begin(&all);
	while ((port = port_names_next(&all))) {
		if (fits(ids, port)) {
			if (found == 0)
				snprintf(path, PATH_MAX, "%s", sp_get_port_name(port));
			if (found < 2)
				name_one(names[found], sizeof names[found], port);
			found++;
		}
		sp_free_port(port);
	}
	port_names_end(&all);
	return found;
}

bool port_usb_find(char path[static PATH_MAX], const char *text, struct port_error *error)
{
	struct ids ids;
	char names[2][80];
	if (!parse(&ids, text))
		return port_refuse(error, PORT_BAD_SETTING,
				   "no USB ids: write usb:VVVV:PPPP[:SERIAL[:INTERFACE]]");
	unsigned found = find_all(&ids, path, names);
	if (found == 0)
		return port_refuse(error, PORT_NO_DEVICE, "no such adapter is plugged in");
	if (found == 1)
		return true;
	return port_refuse(error, PORT_NO_DEVICE, "%u fit: %s, %s%s", found, names[0], names[1],
			   found > 2 ? ", ..." : "");
}
