/* SPDX-License-Identifier: MIT */
/* A tty without `device` is a virtual one; a UART of `type` 0 has no chip. */
#define _DEFAULT_SOURCE

#include "src/port_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char ttys[] = "/sys/class/tty";

/* The number in a file of the tty's, or -1. */
static int number_in(const char *tty, const char *file, int base)
{
	char path[PATH_MAX], text[16] = "", *end;
	snprintf(path, sizeof path, "%s/%s/%s", ttys, tty, file);
	FILE *f = fopen(path, "re");
	if (!f)
		return -1;
	char *line = fgets(text, sizeof text, f);
	fclose(f);
	long number = line ? strtol(text, &end, base) : -1;
	return line && end != text && number >= 0 && number <= INT_MAX ? (int)number : -1;
}

static bool has_hardware(const char *tty)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/%s/device", ttys, tty);
	return access(path, F_OK) == 0 && number_in(tty, "type", 10) != 0;
}

void port_names_begin(struct port_names *names)
{
	names->directory = opendir(ttys);
}

struct sp_port *port_names_next(struct port_names *names)
{
	char path[PATH_MAX];
	struct sp_port *port;
	struct dirent *entry;
	while (names->directory && (entry = readdir(names->directory))) {
		const char *tty = entry->d_name;
		if (tty[0] == '.' || !has_hardware(tty))
			continue;
		snprintf(path, sizeof path, "/dev/%s", tty);
		if (sp_get_port_by_name(path, &port) == SP_OK)
			return port;
	}
	return NULL;
}

void port_names_end(struct port_names *names)
{
	if (names->directory)
		closedir(names->directory);
}

/* The tty of a modem (ttyACM) belongs to the interface; that of an adapter to a port of it. */
int port_names_interface(const struct sp_port *port)
{
	const char *name = strrchr(sp_get_port_name(port), '/');
	if (!name)
		return -1;
	int number = number_in(name + 1, "device/bInterfaceNumber", 16);
	return number >= 0 ? number : number_in(name + 1, "device/../bInterfaceNumber", 16);
}
