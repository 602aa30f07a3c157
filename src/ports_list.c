/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE

#include "src/ports_list.h"

#include "src/port_internal.h"
#include "src/port_names.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char by_id_directory[] = "/dev/serial/by-id";

/* What a device says of itself may be anything. */
static void copy_text(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from ? from : "");
	for (char *c = to; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7F)
			*c = '?';
}

static const char *transport_name(enum sp_transport transport)
{
	switch (transport) {
	case SP_TRANSPORT_USB:
		return "USB";
	case SP_TRANSPORT_BLUETOOTH:
		return "Bluetooth";
	case SP_TRANSPORT_NATIVE:
		break;
	}
	return "native";
}

/* ---- what it is ---- */

static void describe_usb(struct ports_row *row, const struct sp_port *port)
{
	if (sp_get_port_usb_vid_pid(port, &row->vendor_id, &row->product_id) != SP_OK)
		row->vendor_id = row->product_id = 0;
	row->interface = port_names_interface(port);
	copy_text(row->manufacturer, sizeof row->manufacturer, sp_get_port_usb_manufacturer(port));
	copy_text(row->product, sizeof row->product, sp_get_port_usb_product(port));
	copy_text(row->serial, sizeof row->serial, sp_get_port_usb_serial(port));
	copy_text(row->description, sizeof row->description,
		  row->product[0] ? row->product : sp_get_port_description(port));
}

static void find_link(struct ports_row *row)
{
	char path[PORTS_LINK_SIZE], target[PATH_MAX];
	struct dirent *entry;
	DIR *directory = opendir(by_id_directory);
	while (directory && !row->by_id[0] && (entry = readdir(directory))) {
		int length = snprintf(path, sizeof path, "%s/%s", by_id_directory, entry->d_name);
		if (entry->d_name[0] != '.' && length < (int)sizeof path &&
		    realpath(path, target) && strcmp(target, row->device) == 0)
			strcpy(row->by_id, path);
	}
	if (directory)
		closedir(directory);
}

/* ---- who has it ---- */

static pid_t holder_of(const char *device, const char *lock_dir)
{
	char path[PATH_MAX];
	struct stat st;
	pid_t holder = stat(device, &st) == 0 ? port_flock_holder(&st) : LOCK_FREE;
	if (holder == LOCK_FREE && lock_dir && lock_dir[0] &&
	    port_lock_path(path, lock_dir, device))
		holder = port_lock_file_holder(path);
	return holder;
}

static void describe_holder(struct ports_row *row)
{
	static const char held_by[] = "held by ";
	char text[PORTS_TEXT_SIZE];
	if (row->holder == LOCK_FREE)
		return;
	port_lock_describe(row->holder, text, sizeof text);
	copy_text(row->held_by, sizeof row->held_by, text + sizeof held_by - 1);
}

/* ---- the list ---- */

static void fill(struct ports_row *row, const struct sp_port *port, const char *lock_dir)
{
	enum sp_transport transport = sp_get_port_transport(port);
	*row = (struct ports_row){.transport = transport_name(transport), .interface = -1};
	copy_text(row->device, sizeof row->device, sp_get_port_name(port));
	if (transport == SP_TRANSPORT_USB)
		describe_usb(row, port);
	else
		copy_text(row->description, sizeof row->description, sp_get_port_description(port));
	find_link(row);
	row->holder = holder_of(row->device, lock_dir);
	describe_holder(row);
}

/* ttyS2 before ttyS10. */
static int by_device(const void *a, const void *b)
{
	return strverscmp(((const struct ports_row *)a)->device,
			  ((const struct ports_row *)b)->device);
}

size_t ports_list(struct ports_row rows[static PORTS_MAX], const char *lock_dir)
{
	struct port_names all;
	struct sp_port *port;
	size_t count = 0;
	port_names_begin(&all);
	while (count < PORTS_MAX && (port = port_names_next(&all))) {
		fill(&rows[count++], port, lock_dir);
		sp_free_port(port);
	}
	port_names_end(&all);
	qsort(rows, count, sizeof *rows, by_device);
	return count;
}

void ports_list_name_line(struct ports_row *rows, size_t count, const char *device,
			  const char *line)
{
	char path[PATH_MAX];
	struct port_error error;
	if (!port_find(path, device, &error))
		return;
	for (size_t i = 0; i < count; i++)
		if (strcmp(rows[i].device, path) == 0)
			copy_text(rows[i].line, sizeof rows[i].line, line);
}

/* ---- as a table ---- */

enum { COLUMNS = 5, CELL_SIZE = PORTS_TEXT_SIZE + 8 };

static const char *const headings[COLUMNS] = {"PORT", "DESCRIPTION", "USB ID", "SERIAL", "USED BY"};

static void fill_cells(const struct ports_row *row, char cells[COLUMNS][CELL_SIZE])
{
	snprintf(cells[0], CELL_SIZE, "%s", row->device);
	snprintf(cells[1], CELL_SIZE, "%s", row->description);
	snprintf(cells[2], CELL_SIZE, "-");
	if (row->vendor_id)
		snprintf(cells[2], CELL_SIZE, "%04x:%04x", (unsigned)row->vendor_id,
			 (unsigned)row->product_id);
	snprintf(cells[3], CELL_SIZE, "%s", row->serial[0] ? row->serial : "-");
	if (row->line[0])
		snprintf(cells[4], CELL_SIZE, "line %s", row->line);
	else
		snprintf(cells[4], CELL_SIZE, "%s", row->held_by[0] ? row->held_by : "-");
}

static void find_widths(const struct ports_row *rows, size_t count, int widths[COLUMNS])
{
	char cells[COLUMNS][CELL_SIZE];
	for (int c = 0; c < COLUMNS; c++)
		widths[c] = (int)strlen(headings[c]);
	for (size_t i = 0; i < count; i++) {
		fill_cells(&rows[i], cells);
		for (int c = 0; c < COLUMNS; c++)
			if ((int)strlen(cells[c]) > widths[c])
				widths[c] = (int)strlen(cells[c]);
	}
}

struct text {
	char *at;
	size_t size, length;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
	va_list arguments;
	if (t->length + 1 >= t->size)
		return;
	va_start(arguments, format);
	int n = vsnprintf(t->at + t->length, t->size - t->length, format, arguments);
	va_end(arguments);
	if (n > 0)
		t->length += (size_t)n;
	if (t->length >= t->size)
		t->length = t->size - 1;
}

/* The last cell is not padded. */
static void put_cells(struct text *t, const char *const cells[COLUMNS], const int widths[COLUMNS])
{
	for (int c = 0; c < COLUMNS - 1; c++)
		put(t, "%-*s  ", widths[c], cells[c]);
	put(t, "%s\n", cells[COLUMNS - 1]);
}

size_t ports_list_text(const struct ports_row *rows, size_t count, char *text, size_t size)
{
	struct text t = {text, size, 0};
	char cells[COLUMNS][CELL_SIZE];
	const char *pointers[COLUMNS];
	int widths[COLUMNS];
	text[0] = '\0';
	if (count == 0) {
		put(&t, "no serial ports\n");
		return t.length;
	}
	find_widths(rows, count, widths);
	put_cells(&t, headings, widths);
	for (size_t i = 0; i < count; i++) {
		fill_cells(&rows[i], cells);
		for (int c = 0; c < COLUMNS; c++)
			pointers[c] = cells[c];
		put_cells(&t, pointers, widths);
	}
	return t.length;
}
