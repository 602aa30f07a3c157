/* SPDX-License-Identifier: MIT */
/*
 * Records of types, as pppd writes them; numbers are big-endian:
 *
 *	1 length:16 data   sent
 *	2 length:16 data   received
 *	3, 4               no more is sent, received: the line hung up
 *	5 tenths:32        so much time has passed since the last time stamp
 *	6 tenths:8         the same, when it is little
 *	7 seconds:32       the calendar's time at the start
 *
 * Only the time between the first and any other record is right to a tenth of a second;
 * steps are taken from the start, so their errors do not add up.
 */
#include "src/nullmodem/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum type {
	SENT = 1,
	RECEIVED = 2,
	SENDER_ENDED = 3,
	RECEIVER_ENDED = 4,
	LONG_STEP = 5,
	SHORT_STEP = 6,
	START = 7,
};

static const sb_time tenth = SB_SEC / 10;

struct record {
	FILE *file;
	bool failed;
	sb_time start;
	int64_t written; /* tenths since the start that the steps so far add up to */
};

static void put(struct record *r, uint8_t type, uint32_t number, unsigned number_bytes)
{
	putc(type, r->file);
	while (number_bytes--)
		putc((int)(number >> 8 * number_bytes & 0xFF), r->file);
}

/* A reader should not have to wait for what is long past. */
static void step_to(struct record *r, sb_time now)
{
	int64_t step = (now - r->start) / tenth - r->written;
	if (step <= 0)
		return;
	fflush(r->file);
	if (step <= UINT8_MAX)
		put(r, SHORT_STEP, (uint32_t)step, 1);
	else
		put(r, LONG_STEP, (uint32_t)step, 4);
	r->written += step;
}

static void check(struct record *r)
{
	if (!ferror(r->file) || r->failed)
		return;
	fprintf(stderr, "nullmodem: a record cannot be written: %s; the cable goes on\n",
		strerror(errno));
	r->failed = true;
}

struct record *record_open(const char *path, sb_time now, int64_t wall, char *text,
			   size_t text_size)
{
	struct record *r = calloc(1, sizeof *r);
	if (r)
		r->file = fopen(path, "wbe");
	if (!r || !r->file) {
		snprintf(text, text_size, "%s: %s", path, strerror(errno));
		free(r);
		return NULL;
	}
	r->start = now;
	put(r, START, (uint32_t)wall, 4);
	fflush(r->file);
	check(r);
	return r;
}

void record_close(struct record *r)
{
	if (!r)
		return;
	fclose(r->file);
	free(r);
}

void record_data(struct record *r, sb_time now, enum direction d, struct bytes data)
{
	if (!r || r->failed)
		return;
	step_to(r, now);
	while (data.length) {
		size_t n = data.length < UINT16_MAX ? data.length : UINT16_MAX;
		put(r, d == AB ? SENT : RECEIVED, (uint32_t)n, 2);
		fwrite(data.at, 1, n, r->file);
		data = bytes_skip(data, n);
	}
	check(r);
}

void record_hang_up(struct record *r, sb_time now)
{
	if (!r || r->failed)
		return;
	step_to(r, now);
	put(r, SENDER_ENDED, 0, 0);
	put(r, RECEIVER_ENDED, 0, 0);
	fflush(r->file);
	check(r);
}
